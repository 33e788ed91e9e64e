test_that("rue takes sqrt(2 log n) standard deviations", {
  # by hand: n = 8, beta = sqrt(2 * log(8)) = 2.0393
  run <- function(mean, ...) {
    bayesgap(2, budget = 8, cov = diag(c(1, 4)), prior_mean = mean, prior_sd = 1, noise_sd = 1, ...)
  }
  expect_equal(note_of(run(0, policy = "rue"))$beta, 2.039334, tolerance = 1e-6)
  # arm 2 has 2.0393 more above its mean than arm 1
  expect_equal(ask(run(c(2.03, 0), policy = "rue"))$arm, 2)
  expect_equal(ask(run(c(2.05, 0), policy = "rue"))$arm, 1)
  # with half the constant, sqrt(log(8)) = 1.4420 more
  half <- policy("rue", constant = 1)
  expect_equal(ask(run(c(1.43, 0), policy = half))$arm, 2)
  expect_equal(ask(run(c(1.45, 0), policy = half))$arm, 1)
})

test_that("rue equals its twin on random problems", {
  set.seed(14)
  compared <- 0
  for (i in 1:250) {
    s <- halfway("rue", k = sample.int(40L, 1L))
    if (!any(s$open)) {
      next
    }
    beta <- sqrt(2 * log(s$p$budget))
    expect_equal(note_of(s$x)$beta, beta)
    best <- clear_best(s$mean + beta * s$sd, s$open, (1 + beta) * max(s$sd))
    if (!is.na(best)) {
      expect_equal(ask(s$x)$arm, best)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 180)
})

test_that("a budget of one or below the number of arms is legal, and its end keeps the highest mean", {
  one <- bayesgap(3, function(arm) arm, budget = 1, policy = "rue", prior_mean = c(0, 2, 1),
    prior_sd = 1, noise_sd = 1)
  expect_identical(one$log$arm, 2L) # log(1) = 0: no bonus
  few <- bayesgap(9, function(arm) if (arm == 5) 9 else -9, budget = 4, policy = "rue", seed = 1,
    prior_mean = c(rep(0, 4), 1, rep(0, 4)), prior_sd = 1, noise_sd = 1)
  expect_equal(best_arm(few), which.max(few$belief$mean))
})

test_that("where the scale is learned, bounds hold the same probability of Student's t", {
  x <- bayesgap(4, budget = 14, policy = "rue", seed = 2)
  x <- tell(x, data.frame(arm = c(1, 2, 3, 4, 1, 2, 3, 4), y = c(1, 2, 3, 4, 1.5, 1.8, 3.4, 4.2),
    pull = 1:8))
  expect_lt(x$fit$df, 30)
  width <- qt(pnorm(sqrt(2 * log(14))), x$fit$df)
  index <- x$belief$mean + width * sqrt(x$belief$var)
  expect_equal(ask(x)$arm, which.max(index))
})
