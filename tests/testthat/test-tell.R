test_that("tell() leaves its argument as it was", {
  x <- open_run(cov = exp(-outer(1:4, 1:4, "-")^2))
  x <- tell(x, 1)
  before <- serialize(x, NULL)
  y <- tell(x, 0.5)
  tell(x, data.frame(arm = c("a", "b"), y = 1:2, pull = NA))
  ask(x, 4)
  expect_identical(serialize(x, NULL), before)
  try(tell(x, "bad"), silent = TRUE)
  try(tell(x, data.frame(arm = "z", y = 1)), silent = TRUE)
  expect_identical(serialize(x, NULL), before)
})

test_that("observations that were never asked are learned and cost nothing", {
  x <- open_run(budget = 3)
  x <- tell(x, data.frame(arm = c("a", "a", "d"), y = c(1, 1.2, 0), pull = NA))
  expect_equal(nobs_of(x), 3)
  expect_identical(ask(x)$pull, 1L)
  expect_output(print(x), "0 of 3 pulls")
  expect_output(print(x), "3 further observations")
  asked <- ask(x)$arm
  y <- suppressMessages(tell(x, data.frame(arm = c(asked, asked), y = c(0.5, 0.6))))
  expect_identical(y$log$pull[4:5], c(1L, NA))
})

test_that("a failed pull is told as such, with what else is known of it", {
  x <- open_run()
  todo <- ask(x, 2)
  todo$y <- c(NA, 1)
  todo$failed <- c(TRUE, NA)
  todo$who <- c("ann", "bob")
  x <- tell(x, todo)
  table <- as.data.frame(x)
  expect_equal(table$error, c("told as failed", NA))
  expect_equal(table$who, c("ann", "bob"))
  expect_identical(ask(x)$pull, 3L)
})

test_that("no rows change nothing, and a spent budget asks nothing", {
  x <- open_run(budget = 1)
  expect_identical(tell(x, data.frame(arm = character(), y = numeric())), x)
  x <- tell(x, 1)
  expect_equal(nrow(ask(x)), 0)
  expect_identical(names(ask(x)), c("pull", "arm"))
  expect_error(tell(x, 1), class = "bayesgap_error_tell")
  expect_equal(nobs_of(tell(x, data.frame(arm = "a", y = 1))), 2)
})

test_that("bad results are refused", {
  x <- open_run()
  told <- tell(x, data.frame(pull = 1, y = 0.5))
  expect_snapshot(error = TRUE, {
    tell(x)
    tell(x, NA)
    tell(x, NaN)
    tell(x, Inf)
    tell(x, "1")
    tell(x, NULL)
    tell(x, c(1, 2))
    tell(x, numeric())
    tell(x, list(1))
    tell(x, TRUE)
    tell(x, 1e200)
    tell(x, 1, 2)
    tell(5, 1)
    tell(x, data.frame(y = 1))
    tell(x, data.frame(arm = "a"))
    tell(x, data.frame(arm = "aa", y = 1))
    tell(x, data.frame(arm = "a", y = "high"))
    tell(x, data.frame(arm = "a", y = c("1", "1,5")))
    tell(x, data.frame(arm = "a", y = c(1, NA)))
    tell(x, data.frame(arm = "a", y = c(1, NA, NA), failed = c(TRUE, TRUE, FALSE)))
    tell(x, data.frame(arm = "a", y = rep(NA, 11)))
    tell(x, data.frame(arm = "a", y = NA, failed = "yes"))
    tell(x, data.frame(arm = "a", y = Inf))
    tell(x, data.frame(arm = "a", y = NaN))
    tell(x, data.frame(arm = "a", y = 1, se = -1))
    tell(x, data.frame(arm = "a", y = 1, se = "low"))
    tell(x, data.frame(pull = 99, y = 1))
    tell(x, data.frame(pull = 0, y = 1))
    tell(x, data.frame(pull = 1.5, y = 1))
    tell(x, data.frame(pull = "one", y = 1))
    tell(x, data.frame(pull = c(2, 2), y = 1))
    tell(x, data.frame(pull = NA, y = 1))
    tell(told, data.frame(pull = 1, y = 1))
    ask(x, 0)
    ask(x, "two")
    ask(x, pending = 3)
    ask(x, pending = data.frame(pull = 1, arm = "z"))
    ask(5)
  })
  expect_error(tell(x, "1"), class = "bayesgap_error_tell")
  expect_error(tell(x, data.frame(arm = "z", y = 1)), class = "bayesgap_error_arm")
  expect_error(best_arm(3), class = "bayesgap_error_run")
})

test_that("results told without their pull number are said not to count", {
  x <- open_run(budget = 6)
  todo <- ask(x, 3)
  expect_message(tell(x, data.frame(arm = todo$arm, y = 1:3)), "2 of 3 results")
  expect_silent(tell(x, data.frame(arm = todo$arm, y = 1:3, pull = todo$pull)))
  expect_error(ask(x, pending = data.frame(pull = NA, arm = "a")),
    class = "bayesgap_error_pending")
})

test_that("a pull beyond the next is not told without its arm", {
  x <- bayesgap(6, budget = 9, seed = 1)
  todo <- ask(x, 4)
  x <- tell(x, data.frame(todo[1:2, ], y = c(1, 2)))
  expect_error(
    tell(x, data.frame(pull = 4, y = 3)), "Pull 4 is told without its `arm`, and pull 3",
    class = "bayesgap_error_tell"
  )
  late <- tell(x, data.frame(todo[4, ], y = 3))
  expect_identical(as.data.frame(late)$arm, todo$arm[c(1, 2, 4)])
  # A pull that is known to be out has its arm; so have those that come next, told together.
  expect_identical(nobs(tell(late, data.frame(pull = 3, y = 0))), 4L)
  expect_identical(nobs(tell(x, data.frame(pull = 4:3, y = 3:2))), 4L)
})

test_that("every column that is told has one value a row", {
  x <- open_run()
  raw <- data.frame(arm = c("a", "b", "c", "a", "b", "c"), y = 1:6)
  means <- aggregate(y ~ arm, raw, function(v) c(mean(v), length(v)))
  expect_error(tell(x, means), "column `y` of `y`.*3 x 2", class = "bayesgap_error_tell")
  good <- data.frame(pull = NA, arm = c("a", "b"), y = 1:2, se = 1, error = NA, who = "me")
  for (column in names(good)) {
    for (bad in list(matrix(1:4, 2), I(matrix("a", 2, 1)), data.frame(u = 1:2), list(1, 2))) {
      told <- good
      told[[column]] <- if (is.data.frame(bad)) bad else I(bad)
      if (column == "who" && !is.object(bad) && is.list(bad)) next # may be kept
      expect_error(tell(x, told), column, class = "bayesgap_error", label = column)
      told <- unclass(told)
      told[[column]] <- 1:3
      class(told) <- "data.frame"
      expect_error(tell(x, told), column, class = "bayesgap_error", label = column)
    }
  }
  for (name in list(NA_character_, "", "y")) {
    told <- good
    names(told)[6] <- name
    expect_error(tell(x, told), "name", class = "bayesgap_error_tell")
  }
  y <- bayesgap(ligands(), budget = 4, seed = 1)
  told <- data.frame(arm = "1", y = 1)
  told$temp <- I(matrix(20, 1, 1))
  expect_error(tell(y, told), "`temp`", class = "bayesgap_error")
  told$temp <- I(list(20))
  expect_error(tell(y, told), "`temp`", class = "bayesgap_error")
})

test_that("a run's own table can be told to another, also by way of a csv file", {
  f <- function(arm, pull) {
    if (pull$index == 3) stop("no power")
    list(y = nchar(arm$g) + arm$u / 3, se = 0.5, note = if (pull$index %% 2) "odd", error = "none")
  }
  x <- bayesgap(data.frame(u = 1:4, g = c("a", "bb", "c", "d")), f, budget = 7, seed = 1)
  x <- tell(x, data.frame(pull = NA, arm = "2", y = 3))
  table <- as.data.frame(x)
  expect_identical(
    names(table), c("pull", "arm", "y", "se", "u", "g", "note", "error.1", "error")
  )
  expect_identical(which(!is.na(table$error)), 3L)
  new <- bayesgap(x$model, budget = 7, seed = 1)
  again <- tell(new, table)
  expect_identical(again$log, x$log)
  expect_identical(as.data.frame(again), table)
  file <- tempfile(fileext = ".csv")
  write.csv(table, file, row.names = FALSE)
  again <- tell(new, read.csv(file))
  expect_equal(again$log, x$log, tolerance = 1e-14)
  expect_identical(names(as.data.frame(again)), names(table))
  expect_identical(as.data.frame(again)$error, table$error)
  expect_error(
    tell(new, data.frame(arm = "1", y = 1, error = 0.2)), "another name",
    class = "bayesgap_error_tell"
  )
  failed <- tell(new, data.frame(arm = "1", y = NA, error = "no water"))
  expect_identical(as.data.frame(failed)$error, "no water")
})

test_that("tell() twice, never asked, of no arm, NA, in any order, of no rows", {
  x <- small_run(NULL)
  todo <- cbind(ask(x, 3), y = c(0.1, 0.2, 0.3))
  told <- tell(x, todo)
  before <- serialize(told, NULL)
  expect_error(tell(told, todo[2, ]), "told already", class = "bayesgap_error_tell")
  expect_error(tell(x, todo[c(1, 1), ]), class = "bayesgap_error_tell")
  history <- tell(told, data.frame(arm = 8, y = 1, pull = NA))
  expect_equal(nobs_of(history), 4)
  expect_identical(ask(history)$pull, 4L)
  expect_error(tell(told, data.frame(arm = 9, y = 1)), class = "bayesgap_error_arm")
  expect_error(tell(told, NA), class = "bayesgap_error_tell")
  expect_error(tell(told, NaN), class = "bayesgap_error_tell")
  failed <- tell(told, data.frame(pull = 4, y = NA, failed = TRUE))
  expect_equal(nobs_of(failed), 3)
  expect_identical(means_of(failed), means_of(told))
  backwards <- tell(x, todo[3:1, ])
  expect_equal(means_of(backwards), means_of(told))
  expect_identical(tell(told, todo[0, ]), told)
  # None of this changed the run.
  expect_identical(serialize(told, NULL), before)
  expect_identical(ask(told, 2), ask(told, 2))
})

test_that("what a told list has besides the reward is kept, as that of an objective is", {
  x <- bayesgap(2, budget = 9, prior_mean = 0, prior_sd = 1, noise_sd = 1, seed = 1)
  y <- tell(tell(x, list(y = 1, note = "a")), 2)
  y <- tell(y, list(y = 3, se = 0.5, parts = 1:2))
  y <- tell(y, c(se = 0.1, y = 4))
  table <- as.data.frame(y)
  expect_identical(table$y, c(1, 2, 3, 4))
  expect_identical(table$se, c(NA, NA, 0.5, 0.1))
  expect_identical(table$note, c("a", NA, NA, NA))
  expect_identical(table$parts[[3]], 1:2)
  same <- bayesgap(2, function(arm, pull) {
    list(list(y = 1, note = "a"), 2, list(y = 3, se = 0.5, parts = 1:2),
         c(y = 4, se = 0.1))[[pull$index]]
  }, budget = 4, prior_mean = 0, prior_sd = 1, noise_sd = 1, seed = 1)
  expect_identical(as.data.frame(same), table)
  file <- fresh_file()
  save_run(y, file)
  expect_identical(read_run(file), y)
  rate <- bayesgap(2, budget = 3, family = "binomial", seed = 1)
  rate <- tell(rate, list(successes = 3, trials = 10, note = "x"))
  rate <- tell(rate, list(y = TRUE, day = 4))
  expect_identical(as.data.frame(rate)$note, c("x", NA))
  sized <- tell(rate, data.frame(arm = 1, successes = 1, trials = 2, size = "XL", pull = NA))
  expect_identical(as.data.frame(sized)$size, c(NA, NA, "XL"))
  expect_identical(as.data.frame(rate)$day, c(NA, 4))
})

test_that("a told list that says where it belongs, or has no reward, is refused", {
  refused <- function(x, y, message) {
    e <- fault(tell(x, y))
    expect_s3_class(e, "bayesgap_error_tell")
    expect_match(conditionMessage(e), message)
  }
  x <- bayesgap(data.frame(u = 1:3), budget = 4, noise_sd = 1, seed = 1)
  expect_identical(tell(x, list(y = 1)), tell(x, 1))
  refused(x, list(y = 1, arm = "arm2"), "a list with `arm`.*told as a data frame")
  refused(x, list(y = 1, pull = 2), "`pull`")
  refused(x, list(y = 1, u = 2), "`u`")
  refused(x, list(y = 1, error = "no"), "`error`")
  refused(x, list(1), "without an element `y`, the reward")
  refused(x, list(successes = 1, trials = 2), "say `family = \"binomial\"`")
  refused(x, list(y = NA), "must be a number")
  refused(x, list(y = 1, se = -1), "`se` of `y` must be a number from 0, not -1")
  rate <- bayesgap(2, budget = 3, family = "binomial", seed = 1)
  refused(rate, list(successes = 1, trials = 2, arm = 2), "`arm`")
})

test_that("a sheet is told as a spreadsheet gives it", {
  x <- open_run()
  sheet <- data.frame(
    arm = c("a", "b", NA, NA), y = c("1.5", " 2e-1", "", NA), day = as.Date(c("2026-03-02", NA, NA, NA)),
    pull = NA, note = c("", "wet", "", NA)
  )
  x <- tell(x, sheet)
  expect_identical(x$log$reward, c(1.5, 0.2))
  expect_identical(as.data.frame(x)$day, as.Date(c("2026-03-02", NA)))
  # Empty rows in between are not at the end.
  expect_error(tell(x, sheet[c(1, 3, 2), ]), "Row 2 of `y` has no result", class = "bayesgap_error")
  # Times of midnight, as days come, are the same block as the day.
  days <- open_run(budget = 6)
  days <- tell(days, data.frame(pull = 1:2, arm = "a", y = factor(c("2", "1")),
    block = as.POSIXct(c("2026-03-02", "2026-03-03"), tz = "UTC")))
  expect_identical(days$log$reward, c(2, 1))
  days <- tell(days, data.frame(pull = 3, arm = "b", y = 1, block = as.Date("2026-03-03")))
  expect_identical(days$blocks, c("2026-03-02", "2026-03-03"))
  expect_identical(nrow(as.data.frame(tell(x, sheet[3:4, ]))), 2L)
})

test_that("an xlsx file is told as readxl reads it", {
  skip_if_not_installed("readxl")
  week <- readxl::read_excel(system.file("extdata", "week.xlsx", package = "bayesgap"))
  expect_identical(nrow(week), 4L) # with an empty row
  expect_type(week$y, "character")
  x <- tell(bayesgap(c("A", "B", "C"), budget = 9, seed = 1), week)
  expect_identical(as.data.frame(x)$y, c(4.1, 5.3, 3.9))
  expect_identical(as.data.frame(x)$pull, 1:3)
  by_day <- tell(bayesgap(c("A", "B", "C"), budget = 9, seed = 1), data.frame(week, block = week$day))
  expect_identical(by_day$blocks, c("2026-03-02", "2026-03-03"))
})

test_that("what failed or was withdrawn is told again as it was", {
  x <- open_run()
  x <- tell(x, data.frame(ask(x, 3), y = c(1, NA, 3), failed = c(FALSE, TRUE, NA)))
  x <- amend(x, 3, NA)
  table <- as.data.frame(x)
  expect_identical(table$error, c(NA, "told as failed", "withdrawn"))
  again <- tell(open_run(), table)
  expect_identical(again$log, x$log)
  expect_identical(as.data.frame(again), table)
  # A further value of that name is another column.
  other <- bayesgap(2, function(arm) list(y = arm, failed = "no"), budget = 2, seed = 1)
  expect_identical(names(as.data.frame(other)), c("pull", "arm", "y", "se", "failed.1", "error"))
})
