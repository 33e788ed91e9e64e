play <- function(scale = 1, shift = 0, maximise = TRUE, ..., k = 6, budget = 40) {
  bayesgap(k, function(arm) scale * (sin(3 * arm) + rnorm(1, sd = 0.5)) + shift,
    budget = budget, maximise = maximise, seed = 21, ...
  )
}

test_that("scale, shift and direction of the rewards change no decision", {
  plain <- play()
  for (scale in c(1e-9, 1e9, 1e-3)) {
    expect_identical(play(scale)$log$arm, plain$log$arm)
  }
  expect_identical(play(1, 5e5)$log$arm, plain$log$arm)
  expect_identical(play(1e9, -3e14)$log$arm, plain$log$arm)
  expect_identical(play(-1, 0, FALSE)$log$arm, plain$log$arm)
  large <- play(1e9, 7e9)
  expect_equal(large$belief$mean, 1e9 * plain$belief$mean + 7e9)
  expect_equal(posterior(large)$p_best, posterior(plain)$p_best, tolerance = 0.02)
})

test_that("what is given is used, what is not is estimated", {
  x <- play(prior_mean = 0.5, prior_sd = 2, noise_sd = 0.3)
  expect_equal(unique(x$fit$mean), 0.5)
  expect_equal(x$fit$scale, 4)
  expect_equal(unique(x$fit$noise2), 0.09)
  expect_equal(x$fitted, 0)
  one <- play(noise_sd = 0.3)
  expect_equal(unique(one$fit$noise2), 0.09)
  expect_gt(one$fitted, 0)
  expect_equal(play(prior_sd = 2)$fit$scale, 4)
  expect_equal(unique(play(prior_mean = 3, maximise = FALSE)$fit$mean), -3)
})

test_that("the estimates come near the truth", {
  set.seed(5)
  truth <- rnorm(40, 10, 3)
  x <- bayesgap(40, function(arm) rnorm(1, truth[arm], 0.5),
    budget = 200, policy = "uniform", seed = 1)
  expect_equal(unique(x$fit$mean), mean(truth), tolerance = 0.1)
  expect_equal(sqrt(unique(x$fit$noise2)), 0.5, tolerance = 0.2)
  expect_equal(sqrt(x$fit$scale), sd(truth), tolerance = 0.3)
})

test_that("equal rewards give no false certainty and no NaN", {
  x <- bayesgap(4, function(arm) 1e-160 * rnorm(1), budget = 12, seed = 1)
  expect_null(x$stopped)
  expect_lt(max(posterior(x)$p_best), 0.9)
  drowned <- bayesgap(3, function(arm) rnorm(1),
    budget = 5, prior_mean = 0, prior_sd = 1e-63, noise_sd = 1e100, seed = 1
  )
  expect_null(drowned$stopped)
  expect_true(all(drowned$belief$var > 0))
  for (value in c(0, 1, 1e9, -1e-9, 1e-300, 1e99)) {
    x <- bayesgap(4, function(arm) value, budget = 12, seed = 1)
    expect_true(all(is.finite(x$belief$mean)), label = paste("mean at", value))
    expect_true(all(x$belief$var > 0), label = paste("variance at", value))
    expect_lt(max(posterior(x)$p_best), 0.9)
  }
})

test_that("standard errors told are the belief about the noise", {
  x <- bayesgap(3, function(arm) c(y = arm, se = 0.2), budget = 9, seed = 1)
  expect_equal(as.data.frame(x)$se, rep(0.2, 9))
  expect_lt(sqrt(x$fit$noise2[1]), 0.25)
})

test_that("the schedule thins out and told batches do not jump over it", {
  expect_equal(estimate_schedule[1:9], c(0, 1, 2, 3, 4, 5, 8, 12, 17))
  expect_true(estimate_due(0, 1))
  expect_false(estimate_due(5, 7))
  expect_true(estimate_due(5, 30))
  x <- bayesgap(3, budget = 50)
  x <- tell(x, data.frame(arm = rep(1:3, 10), y = rnorm(30), pull = NA))
  expect_equal(x$fitted, 30)
})
