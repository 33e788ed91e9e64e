# A run whose best arm by far is "c".
told_run <- function(policy = "bayesgap", ..., arms = letters[1:5]) {
  x <- bayesgap(arms, budget = 60, prior_mean = 0, prior_sd = 2, noise_sd = 0.5, seed = 1,
                policy = policy, ...)
  tell(x, data.frame(
    pull = 1:10, arm = rep(arms[1:5], 2), y = c(0, 1, 9, 2, -1, 0.2, 1.1, 9.2, 1.8, -1.2)
  ))
}

without <- function(x, arm) {
  x$dropped <- match(arm, x$model$arms$names)
  begin(x)
}

test_that("an arm that is out is neither asked nor recommended, by any policy", {
  smooth <- exp(-abs(outer(1:5, 1:5, "-")) / 2)
  for (name in policies()$policy) {
    prior <- if (name == "gse") list(features = diag(5)) else list(cov = smooth)
    x <- do.call(told_run, c(list(name), prior))
    expect_identical(best_arm(x), "c", label = name)
    y <- without(x, "c")
    expect_identical(best_arm(y), "d", label = name)
    expect_false("c" %in% ask(y, n = 12)$arm, label = name)
    expect_identical(posterior(y)$mean, posterior(x)$mean)
    again <- tell(y, data.frame(pull = 11:14, arm = c("a", "b", "d", "e"), y = 0:3))
    expect_false(best_arm(again) == "c", label = name)
  }
})

test_that("what is said of the best is said of those in the race", {
  y <- without(told_run(), "c")
  table <- posterior(y)
  expect_identical(table$status, c("active", "active", "dropped", "active", "active"))
  expect_identical(table$p_best[3], 0)
  expect_equal(sum(table$p_best), 1)
  expect_gt(table$p_best[4], 0.9)
  expect_lt(regret_bound(certainty(y)), 1)
  shown <- paste(format(y), collapse = "\n")
  expect_match(shown, "best arm +d ")
  expect_match(shown, "runner-up +b ")
})

test_that("race means leave the others as they are", {
  x <- told_run()
  expect_identical(race_means(x), x$belief$mean)
  y <- without(x, "c")
  expect_identical(race_means(y)[-3], y$belief$mean[-3])
  expect_lt(race_means(y)[3], min(y$belief$mean) - 1e5)
})

test_that("failures of its own in a row set an arm aside while others work", {
  x <- bayesgap(3, budget = 30, seed = 1)
  fail <- function(x, arm) tell(x, data.frame(arm = arm, y = NA, pull = NA, failed = TRUE))
  work <- function(x, arm) tell(x, data.frame(arm = arm, y = arm, pull = NA))
  x <- fail(fail(fail(x, 2), 2), 2)
  expect_identical(x$failures, c(0L, 3L, 0L))
  expect_identical(arms_aside(x), c(FALSE, TRUE, FALSE)) # others are tried first,
  expect_null(arms_out(x)) # but nothing ever worked
  x <- work(x, 1)
  expect_identical(arm_status(x), c("active", "failed", "active"))
  expect_identical(arm_status(work(x, 2)), rep("active", 3))
  # Where all are like that none is set aside.
  for (arm in c(1, 3)) {
    x <- fail(fail(fail(x, arm), arm), arm)
  }
  expect_null(arms_out(x))
  expect_identical(arm_status(x), rep("active", 3))
})

test_that("failures are counted alike row by row and from the log", {
  set.seed(2)
  x <- bayesgap(4, budget = 200, seed = 1)
  for (i in 1:60) {
    n <- sample(3, 1)
    y <- ifelse(runif(n) < 0.5, NA, rnorm(n))
    error <- ifelse(is.na(y), sample(c("no", withdrawn), n, TRUE, c(3, 1)), NA)
    x <- tell(x, data.frame(arm = sample(4, n, TRUE), y = y, pull = NA, error = error))
    expect_identical(own_failures(x), x$failures)
  }
})

test_that("a withdrawn result is no failure, and a retried arm begins anew", {
  x <- bayesgap(2, budget = 30, seed = 1)
  x <- tell(x, data.frame(
    arm = c(1, 2, 2, 2), y = c(1, NA, NA, NA), pull = NA, error = c(NA, "no", "withdrawn", "no")
  ))
  expect_identical(own_failures(x), c(0L, 2L))
  x$retried <- list(arm = 2L, row = 2L)
  expect_identical(own_failures(x), c(0L, 1L))
})
