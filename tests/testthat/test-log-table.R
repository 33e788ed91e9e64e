test_that("as.data.frame() of a new run has no rows but all columns", {
  x <- bayesgap(2, budget = 2)
  expect_identical(names(as.data.frame(x)), c("pull", "arm", "y", "se", "error"))
  expect_equal(nrow(as.data.frame(x)), 0)
})

test_that("what the objective returns besides keeps its class", {
  day <- as.Date("2020-02-29")
  calls <- 0
  x <- bayesgap(2, function(arm) {
    calls <<- calls + 1
    if (calls == 1) 1 else list(y = 1, when = day, who = factor("me"))
  }, budget = 3)
  expect_identical(as.data.frame(x)$when, c(as.Date(NA), day, day))
  expect_s3_class(as.data.frame(x)$who, "factor")
})

test_that("further columns have one class, or are text, or a list", {
  further <- function(...) {
    values <- list(...)
    x <- bayesgap(1, function(arm, pull) list(y = 1, v = values[[pull$index]]),
      budget = length(values), seed = 1, prior_mean = 0, prior_sd = 1, noise_sd = 1)
    table <- as.data.frame(x)
    expect_identical(nrow(table), length(values))
    same <- structure(rep(length(values), ncol(table)), names = names(table))
    expect_identical(lengths(table), same)
    expect_no_error(format(table))
    table$v
  }
  day <- as.Date("2020-02-29")
  time <- as.POSIXct("2020-02-29 12:00:00", tz = "UTC")
  expect_identical(further(day, day + 1), c(day, day + 1))
  expect_identical(further(day, NULL, NA), c(day, NA, NA))
  expect_identical(further(NA, NULL), c(NA, NA))
  expect_identical(further(NULL, NULL), c(NA, NA))
  expect_identical(further(day, "lost"), c("2020-02-29", "lost"))
  expect_identical(further(factor("a"), day), c("a", "2020-02-29"))
  expect_identical(further(factor("b"), factor("a"), NULL), factor(c("b", "a", NA), c("b", "a")))
  low <- factor("low", c("low", "high"), ordered = TRUE)
  expect_identical(further(low, low), c(low, low))
  both <- factor(c("low", "x"), c("low", "high", "x"))
  expect_identical(further(low, factor("x", ordered = TRUE)), both)
  expect_identical(further(1L, "x"), c("1", "x"))
  expect_identical(further(1L, 2.5), c(1, 2.5))
  expect_identical(further(1L, NA), c(1L, NA))
  expect_identical(further(TRUE, 1 / 3), c("TRUE", "0.333333333333333"))
  expect_identical(further(time, NULL), structure(c(time, NA), tzone = "UTC"))
  took <- further(as.difftime(1, units = "mins"), as.difftime(1, units = "hours"))
  expect_identical(as.numeric(took, units = "secs"), c(60, 3600))
  expect_identical(further(1:2, 3L), list(1:2, 3L))
  expect_identical(further(list(a = 1), matrix(1)), list(list(a = 1), matrix(1)))
  expect_identical(further(c(a = 1), c(b = 2)), c(1, 2))
})

test_that("as.data.frame() takes the usual arguments", {
  x <- bayesgap(c("a", "b"), function(arm) list(y = 1, who = arm), budget = 2, seed = 1)
  table <- as.data.frame(x)
  expect_identical(as.data.frame(x, stringsAsFactors = FALSE), table)
  expect_identical(as.data.frame(x, optional = TRUE, make.names = NA), table)
  expect_s3_class(as.data.frame(x, stringsAsFactors = TRUE)$who, "factor")
  expect_identical(row.names(as.data.frame(x, row.names = c("p", "q"))), c("p", "q"))
  expect_error(as.data.frame(x, row.names = "p"), class = "bayesgap_error_row.names")
  expect_error(as.data.frame(x, stringAsFactors = FALSE), "`stringsAsFactors`",
    class = "bayesgap_error_argument")
  skip_if_not_installed("tibble")
  as_tibble <- getExportedValue("tibble", "as_tibble")
  expect_identical(as.data.frame(as_tibble(x)), table)
})

test_that("the status of arms is a column where one is not in the race, beside what is the user's", {
  x <- quietly(bayesgap(rates, train, 20, seed = 1))
  table <- as.data.frame(x)
  expect_identical(table$status, ifelse(table$lr == 0.1, "failed", "active"))
  expect_null(as.data.frame(retry_arms(x))$status)
  # It can be told to another run, where it is no news.
  y <- quietly(tell(bayesgap(rates, budget = 40, seed = 1), table))
  expect_identical(as.data.frame(y), table)
  objective <- function(arm) list(y = train(arm), status = "ok")
  z <- quietly(bayesgap(rates, objective, 20, seed = 1))
  expect_identical(as.data.frame(z)$status.1, table$status)
  expect_identical(as.data.frame(z)$status, ifelse(is.na(table$y), NA, "ok"))
  y <- quietly(tell(bayesgap(rates, budget = 40, seed = 1), as.data.frame(z)[-8]))
  expect_identical(as.data.frame(y)$status, as.data.frame(z)$status)
})

test_that("a column of the arms may have the name of one of what was changed", {
  x <- bayesgap(data.frame(arm = c("a", "b"), change = 1:2), budget = 4, seed = 1)
  table <- as.data.frame(tell(x, data.frame(arm = "a", y = 1, pull = NA)), all = TRUE)
  expect_identical(table$change, 1L)
  expect_true(all(c("change.1", "changed") %in% names(table)))
})

test_that("all of it is what stands and what was there before, and when", {
  x <- tell(open_run(), data.frame(pull = 1:2, arm = c("a", "b"), y = 1:2, note = c("x", "y")))
  plain <- as.data.frame(x, all = TRUE)
  expect_identical(plain[names(as.data.frame(x))], as.data.frame(x))
  expect_identical(plain$change, rep(NA_character_, 2))
  before <- Sys.time()
  x <- amend(amend(x, 1, 5), data.frame(pull = 1:2, y = c(6, NA)))
  x <- add_arms(drop_arms(x, "c"), "e")
  x <- cancel(tell(x, data.frame(pull = 4, arm = "d", y = 4)), 3)
  table <- as.data.frame(x, all = TRUE)
  expect_identical(
    names(table), c("pull", "arm", "y", "se", "note", "error", "change", "changed", "status")
  )
  expect_identical(table$pull, c(1L, 1L, 1L, 2L, 2L, 4L, NA, NA, 3L))
  expect_identical(table$y, c(1, 5, 6, 2, NA, 4, NA, NA, NA))
  expect_identical(table$change, c(
    "amended", "amended", NA, "withdrawn", NA, NA, "dropped", "added", "cancelled"
  ))
  expect_identical(table$arm[7:8], c("c", "e"))
  expect_identical(table$note, c(NA, NA, "x", NA, "y", NA, NA, NA, NA))
  expect_identical(is.na(table$changed), is.na(table$change))
  expect_true(all(table$changed[1:2] >= before - 1))
  expect_s3_class(table$changed, "POSIXct")
  expect_identical(as.data.frame(x)$y, c(6, NA, 4))
  expect_error(as.data.frame(x, all = NA), class = "bayesgap_error_all")
  data <- drop_arms(bayesgap(ligands(), budget = 4, family = "binomial", seed = 1), 2)
  expect_identical(as.data.frame(data, all = TRUE)$temp, 40)
})
