start <- function(arms = c("a", "b", "c", "d"), budget = 8, ...) {
  bayesgap(arms, budget = budget, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, seed = 9, ...)
}

test_that("ask() is pure: the same run gives the same arms", {
  x <- start()
  expect_identical(ask(x), ask(x))
  expect_identical(ask(x, 3), ask(x, 3))
  expect_identical(ask(x, 3)[1, ], ask(x))
  expect_identical(names(ask(x)), c("pull", "arm"))
  expect_identical(ask(x, 3)$pull, 1:3)
  expect_equal(nrow(ask(x, 100)), 8)
})

test_that("tell() leaves its argument as it was", {
  x <- start(cov = exp(-outer(1:4, 1:4, "-")^2))
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

test_that("a loop of ask and tell is the run of bayesgap()", {
  truth <- c(a = 0, b = 1, c = 0.5, d = -1)
  whole <- bayesgap(names(truth), function(arm) truth[[arm]], budget = 20, seed = 9)
  x <- bayesgap(names(truth), budget = 20, seed = 9)
  while (nrow(todo <- ask(x)) > 0) {
    x <- tell(x, truth[[todo$arm]])
  }
  expect_identical(x, whole)
})

test_that("arms asked together narrow as if pulled, and may repeat when noise is large", {
  x <- start(cov = matrix(1, 4, 4) + diag(4))
  several <- ask(x, 3)
  expect_equal(nrow(several), 3)
  one <- tell(x, data.frame(pull = 1, arm = several$arm[1], y = 0))
  # told its expected value, the run goes on as the batch foresaw
  expect_identical(ask(one)$arm, several$arm[2])
  noisy <- bayesgap(2, budget = 50, prior_mean = 0, prior_sd = 1, noise_sd = 10, seed = 1)
  expect_equal(anyDuplicated(ask(noisy, 6)$arm) > 0, TRUE)
})

test_that("results may be told in any order and in parts", {
  x <- start(budget = 6)
  todo <- ask(x, 4)
  todo$y <- c(0.1, 0.9, -0.4, 0.3)
  at_once <- tell(x, todo)
  in_parts <- tell(x, todo[3, ])
  expect_equal(in_parts$open$pull, 1:2)
  expect_output(print(in_parts), "still out: pull 1, 2")
  in_parts <- tell(in_parts, todo[c(4, 1), ])
  in_parts <- tell(in_parts, todo[2, ])
  expect_length(in_parts$open$pull, 0)
  expect_equal(means_of(in_parts), means_of(at_once))
  expect_equal(in_parts$belief$var, at_once$belief$var)
  expect_identical(ask(in_parts)$pull, ask(at_once)$pull)
  by_pull <- tell(x, todo[c("pull", "y")])
  expect_identical(by_pull$log, at_once$log)
  by_arm <- tell(x, todo[1, c("arm", "y")])
  expect_identical(by_arm$log$pull, 1L)
})

test_that("pending pulls are taken into account and numbered on from", {
  x <- start(budget = 20)
  todo <- ask(x, 3)
  more <- ask(x, 2, pending = todo)
  expect_identical(more$pull, 4:5)
  expect_identical(more$arm, ask(x, 5)$arm[4:5])
  part <- tell(x, cbind(todo[1, ], y = 1))
  expect_identical(ask(part, 1, pending = todo)$pull, 4L)
  expect_identical(ask(x, 1, pending = todo[0, ])$pull, 1L)
})

test_that("pulls that are out are carried out first when an objective takes over", {
  x <- start(budget = 5)
  todo <- ask(x, 3)
  part <- tell(x, cbind(todo[3, ], y = 1))
  done <- bayesgap(part, function(arm) 0, budget = 5)
  expect_setequal(as.data.frame(done)$pull, 1:5)
  expect_equal(as.data.frame(done)$arm[2:3], todo$arm[1:2])
})

test_that("observations that were never asked are learned and cost nothing", {
  x <- start(budget = 3)
  x <- tell(x, data.frame(arm = c("a", "a", "d"), y = c(1, 1.2, 0), pull = NA))
  expect_equal(nobs_of(x), 3)
  expect_identical(ask(x)$pull, 1L)
  expect_output(print(x), "0 of 3 pulls")
  expect_output(print(x), "3 further observations")
  asked <- ask(x)$arm
  y <- suppressMessages(tell(x, data.frame(arm = c(asked, asked), y = c(0.5, 0.6))))
  expect_identical(y$log$pull[4:5], c(1L, NA))
})

test_that("a failed pull is told as NA, with what else is known of it", {
  x <- start()
  todo <- ask(x, 2)
  todo$y <- c(NA, 1)
  todo$who <- c("ann", "bob")
  x <- tell(x, todo)
  table <- as.data.frame(x)
  expect_equal(table$error, c("told as failed", NA))
  expect_equal(table$who, c("ann", "bob"))
  expect_identical(ask(x)$pull, 3L)
})

test_that("a data frame of arms is kept in all output", {
  arms <- data.frame(dose = c(1, 2, 4), drug = factor(c("x", "y", "y")))
  x <- bayesgap(arms, budget = 4, seed = 1)
  expect_identical(names(ask(x)), c("pull", "arm", "dose", "drug"))
  todo <- ask(x, 2)
  todo$y <- 1:2
  x <- tell(x, todo)
  expect_identical(names(as.data.frame(x)), c("pull", "arm", "y", "se", "dose", "drug", "error"))
  expect_s3_class(as.data.frame(x)$drug, "factor")
  expect_identical(names(best_arm(x)), c("arm", "dose", "drug"))
})

test_that("no rows change nothing, and a spent budget asks nothing", {
  x <- start(budget = 1)
  expect_identical(tell(x, data.frame(arm = character(), y = numeric())), x)
  x <- tell(x, 1)
  expect_equal(nrow(ask(x)), 0)
  expect_identical(names(ask(x)), c("pull", "arm"))
  expect_error(tell(x, 1), class = "bayesgap_error_tell")
  expect_equal(nobs_of(tell(x, data.frame(arm = "a", y = 1))), 2)
})

test_that("bad results are refused", {
  x <- start()
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
    tell(x, data.frame(arm = "a", y = "1"))
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
    ask("x")
  })
  expect_error(tell(x, "1"), class = "bayesgap_error_tell")
  expect_error(tell(x, data.frame(arm = "z", y = 1)), class = "bayesgap_error_arm")
  expect_error(best_arm(3), class = "bayesgap_error_run")
})

test_that("names of the user's own are never taken for ours", {
  x <- bayesgap(2, function(arm) list(y = 1, seed = 5, sensor = 2), budget = 2, seed = 1)
  expect_true(all(is.na(as.data.frame(x)$se)))
  x <- bayesgap(2, function(arm) list(yield = 1), budget = 2, seed = 1)
  expect_equal(nobs_of(x), 0)
  expect_error(tell(start(), data.frame(arms = "a", y = 1)), class = "bayesgap_error_tell")
  expect_equal(as_arms(data.frame(armour = c("x", "y")))$names, c("1", "2"))
  x <- bayesgap(2, function(arm) list(y = 1, arm = "mine", error = "none"), budget = 2)
  expect_false(anyDuplicated(names(as.data.frame(x))) > 0)
})

test_that("results told without their pull number are said not to count", {
  x <- start(budget = 6)
  todo <- ask(x, 3)
  expect_message(tell(x, data.frame(arm = todo$arm, y = 1:3)), "2 of 3 results")
  expect_silent(tell(x, data.frame(arm = todo$arm, y = 1:3, pull = todo$pull)))
  expect_error(ask(x, pending = data.frame(pull = NA, arm = "a")),
    class = "bayesgap_error_pending")
})

# The published rule of a batch: the leader is the arm not taken yet with the smallest
# B = max U of all other arms - L, its rival the one not taken with the largest U; the less known
# of the two is asked.
twin_distinct <- function(s, n) {
  found <- twin_bayesgap(s$mean, s$sd, s$p$prior_sd^2 * diag(s$p$cov), s$p$noise_sd^2, s$p$budget)
  upper <- s$mean + found$beta * s$sd
  b <- max_of_others(upper) - (s$mean - found$beta * s$sd)
  arms <- integer()
  clear <- TRUE
  while (length(arms) < n) {
    left <- setdiff(seq_along(b), arms)
    leader <- left[which.min(b[left])]
    rivals <- setdiff(left, leader)
    rival <- rivals[which.max(upper[rivals])]
    choice <- if (length(rivals) && s$sd[rival] > s$sd[leader]) rival else leader
    tops <- c(diff(sort(b[left])[1:2]), -diff(sort(upper[rivals], decreasing = TRUE)[1:2]))
    apart <- c(tops, if (length(rivals)) abs(s$sd[rival] - s$sd[leader]))
    clear <- clear && all(apart[!is.na(apart)] > 1e-6) && s$open[choice]
    arms <- c(arms, choice)
  }
  if (clear) arms
}

test_that("distinct arms are those of the published batched BayesGap", {
  set.seed(21)
  compared <- 0
  for (i in 1:60) {
    s <- halfway("bayesgap", k = sample(2:12, 1))
    n <- min(s$p$k, s$p$budget - s$t + 1)
    want <- if (all(diag(s$p$cov) > 1e-6)) twin_distinct(s, n)
    if (is.null(want)) next
    expect_identical(ask(s$x, n, batch = "distinct")$arm, want, label = paste("problem", i))
    compared <- compared + 1
  }
  expect_gt(compared, 15)
})

test_that("distinct: no arm twice, whatever the policy, and fewer rows than asked at the end", {
  own <- policy("mine", choose = function(state) which(state$open)[1])
  for (policy in c(policies()$policy, list(own))) {
    like <- if (identical(policy, "gse")) list(features = diag(6)) else list(cov = diag(6) + 0.5)
    x <- do.call(bayesgap, c(list(6, budget = 30, policy = policy, seed = 2, prior_mean = 0,
      prior_sd = 1, noise_sd = 1), like))
    x <- tell(x, cbind(ask(x, 4), y = c(0.3, -0.2, 0.1, 0)))
    todo <- ask(x, 9, batch = "distinct")
    label <- paste("policy", format(x$policy))
    expect_identical(anyDuplicated(todo$arm), 0L, label = label)
    expect_lte(nrow(todo), 6)
    expect_gt(nrow(todo), 0)
    expect_identical(todo$pull, 4L + seq_len(nrow(todo)), label = label)
    expect_identical(todo[1:2, ], ask(x, 2, batch = "distinct"), label = label)
    expect_identical(todo[1, ], ask(x), label = label)
    # Those that are out count as taken.
    more <- ask(x, 9, pending = todo[1:2, ], batch = "distinct")
    expect_false(any(todo$arm[1:2] %in% more$arm), label = label)
    expect_identical(anyDuplicated(more$arm), 0L, label = label)
    expect_identical(more$pull[1], 7L)
  }
})

test_that("distinct: without replacement, at the end of the budget, and of a run", {
  x <- start(replace = FALSE, budget = 4)
  x <- tell(x, 0.5)
  todo <- ask(x, 9, batch = "distinct")
  expect_identical(nrow(todo), 3L)
  expect_setequal(c(todo$arm, as.data.frame(x)$arm), c("a", "b", "c", "d"))
  expect_identical(nrow(ask(start(budget = 2), 4, batch = "distinct")), 2L)
  expect_error(ask(x, batch = "other"), class = "bayesgap_error_batch")
  # One posterior for the whole batch: the arms do not depend on the noise of what is out.
  whole <- bayesgap(6, function(arm) -arm, budget = 12, batch = c(distinct = 3), seed = 1)
  expect_true(all(tapply(whole$log$arm, rep(1:4, each = 3), anyDuplicated) == 0))
  x <- bayesgap(6, budget = 12, seed = 1)
  for (i in 1:4) {
    todo <- ask(x, 3, batch = "distinct")
    x <- tell(x, cbind(todo, y = -todo$arm))
  }
  expect_identical(x, whole)
  expect_error(bayesgap(3, budget = 3, batch = c(other = 2)), class = "bayesgap_error_batch")
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

# ---- What is told -------------------------------------------------------------------------------

ligands <- function() {
  data.frame(ligand = rep(c("A", "B", "C"), each = 3), temp = rep(c(20, 40, 60), 3))
}

test_that("every column that is told has one value a row", {
  x <- start()
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

test_that("so have those that are pending, and arms named by a data frame", {
  x <- start()
  pending <- ask(x, 2)
  pending$pull <- I(matrix(1:4, 2))
  expect_error(ask(x, pending = pending), "`pull`", class = "bayesgap_error_pending")
  pending <- ask(x, 2)
  pending$arm <- I(list("a", "b"))
  expect_error(ask(x, pending = pending), "`arm`", class = "bayesgap_error")
  named <- data.frame(arm = 1:2)
  named$arm <- I(matrix(c("a", "b", "c", "d"), 2))
  expect_error(start(init = named), "`arm`", class = "bayesgap_error")
  expect_error(predict(x, named), "`arm`", class = "bayesgap_error")
  expect_error(start(init = matrix("a", 1, 1)), class = "bayesgap_error_arm")
})

test_that("an objective that returns a matrix has failed, unless it is one number", {
  x <- bayesgap(2, function(arm) matrix(1:4, 2), budget = 2, seed = 1)
  expect_match(as.data.frame(x)$error, "2 x 2")
  x <- bayesgap(2, function(arm) list(y = matrix(1:2, 1)), budget = 2, seed = 1)
  expect_identical(nobs(x), 0L)
  expect_identical(as.data.frame(bayesgap(2, function(arm) matrix(7), 2, seed = 1))$y, c(7, 7))
})

test_that("the arms' columns must agree with `pull` and with `arm`", {
  x <- bayesgap(ligands(), budget = 9, seed = 1)
  x <- tell(x, cbind(ask(x, 3), y = 1:3))
  asked <- ask(x)
  other <- ligands()[if (asked$arm == "9") 1 else 9, ]
  expect_error(
    tell(x, data.frame(pull = 4, other, y = 99)),
    paste0("ligand = ", other$ligand, ", temp = ", other$temp, ".*pull`, 4, asked for arm.*",
      "ligand = ", asked$ligand, ", temp = ", asked$temp), class = "bayesgap_error_arm"
  )
  # Any part of them counts.
  expect_error(tell(x, data.frame(pull = 4, temp = 21, y = 99)), class = "bayesgap_error_arm")
  expect_error(
    tell(x, data.frame(pull = 4, arm = "1", ligand = "C", temp = 60, y = 99)),
    "ligand = C, temp = 60, but its `arm` is \"1\" .ligand = A, temp = 20",
    class = "bayesgap_error_arm"
  )
  told <- tell(x, data.frame(pull = 4, asked[c("ligand", "temp")], y = 99))
  expect_identical(as.data.frame(told)$arm[4], asked$arm)
  expect_identical(tell(x, data.frame(pull = 4, y = 99))$log, told$log)
  missing <- data.frame(pull = 4, arm = asked$arm, ligand = NA, y = 99)
  expect_identical(tell(x, missing)$log, told$log)
  # A pull asked of an earlier state is found by its columns.
  late <- tell(x, data.frame(pull = 6, other, y = 99))
  expect_identical(as.data.frame(late)$arm[4], row.names(other))
  expect_error(
    ask(x, pending = data.frame(pull = 4, arm = "1", ligand = "C")), "ligand = C",
    class = "bayesgap_error_arm"
  )
  same <- ask(x, pending = data.frame(pull = 4, arm = "1"))
  expect_identical(ask(x, pending = data.frame(pull = 4, ligand = "A", temp = 20)), same)
})

test_that("without `pull` and `arm` the arms' columns find the arm", {
  x <- bayesgap(ligands(), budget = 9, seed = 1)
  told <- suppressMessages(tell(x, data.frame(temp = c("40", "20.0"), ligand = c("B", "C"), y = 1:2)))
  expect_identical(as.data.frame(told)$arm, c("5", "7"))
  expect_error(tell(x, data.frame(ligand = "B", y = 1)), "fits 3 arms", class = "bayesgap_error_arm")
  expect_error(
    tell(x, data.frame(ligand = "B", temp = 45, y = 1)), "temp = 45.*no arm",
    class = "bayesgap_error_arm"
  )
  expect_identical(predict(x, ligands()[c(5, 2), ])$arm, c("5", "2"))
  expect_error(tell(start(), data.frame(ligand = "B", y = 1)), class = "bayesgap_error_tell")
})

test_that("values are the same after a csv file, whatever their class", {
  arms <- data.frame(
    share = c(1 / 3, 2 / 3, 1e-300, 1e9), label = c("T", "F", NA, "007"), code = c("01", "02", "03", "4"),
    g = factor(c("10", "9", "8", "7")), flag = c(TRUE, FALSE, NA, TRUE),
    day = as.Date("2020-01-01") + 0:3, at = as.POSIXct("2020-01-01", tz = "UTC") + 3600 * (0:3)
  )
  file <- tempfile(fileext = ".csv")
  x <- bayesgap(arms, budget = 6, seed = 1)
  todo <- ask(x, 4)
  write.csv(cbind(todo, y = 1:4), file, row.names = FALSE)
  read <- read.csv(file)
  told <- tell(x, read)
  expect_identical(as.data.frame(told)$arm, todo$arm)
  read$arm <- NULL
  expect_identical(tell(x, read)$log, told$log)
  read$pull <- NA
  expect_identical(tell(x, read)$log$arm, told$log$arm)
  read$share[1] <- read$share[1] * (1 + 1e-6)
  expect_error(tell(x, read), class = "bayesgap_error_arm")
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

test_that("numbers that name arms are matched as numbers", {
  x <- bayesgap(100001, budget = 3, seed = 1)
  told <- suppressMessages(tell(x, data.frame(arm = c(1e5, 100001), y = 1)))
  expect_identical(as.data.frame(told)$arm, 100000:100001)
  expect_identical(predict(x, 1e5)$arm, 100000L)
  y <- bayesgap(c("01", "02", "1e5", "2", "two"), budget = 3, seed = 1)
  expect_identical(predict(y, c(1, 1e5))$arm, c("01", "1e5"))
  expect_identical(predict(y, 2)$arm, "2")
  expect_error(predict(x, 0.5), class = "bayesgap_error_arm")
  expect_error(predict(x, NaN), class = "bayesgap_error_arm")
})
