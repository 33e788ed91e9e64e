arms3 <- function(...) {
  x <- bayesgap(3, budget = 9, family = "binomial", seed = 1, ...)
  tell(x, data.frame(arm = 1:3, successes = c(0, 10, 40), trials = c(20, 80, 100), pull = NA))
}

test_that("by hand: the noise is that of every arm's own shrunk rate", {
  # 50 of 200: m = 1/4, v = 3/16. A prior about 0.2 with variance 0.01 and averages of noise v / n.
  x <- arms3(prior_mean = 0.2, prior_sd = 0.1)
  noise2 <- (3 / 16) / c(20, 80, 100)
  y <- c(0, 0.125, 0.4)
  first <- 0.2 + (y - 0.2) * 0.01 / (0.01 + noise2)
  expect_equal(first, c(0.2 - 0.2 / 1.9375, 0.2 - 0.075 / 1.234375, 0.2 + 0.2 / 1.1875))
  own <- first * (1 - first)
  expect_equal(x$fit$noise2, own)
  then <- 0.2 + (y - 0.2) * 0.01 / (0.01 + own / c(20, 80, 100))
  expect_equal(means_of(x), then)
  expect_equal(x$belief$var, 1 / (1 / 0.01 + c(20, 80, 100) / own))
  expect_identical(x$fit$size, 80)
  expect_identical(x$fit$df, Inf)
})

test_that("counts: the variance is the rate over the exposure", {
  x <- bayesgap(2, budget = 9, family = "poisson", prior_mean = 2, prior_sd = 1, seed = 1)
  x <- tell(x, data.frame(arm = 1:2, count = c(3, 9), exposure = c(2, 4), pull = NA))
  # 12 in 6: m = 2
  first <- 2 + (c(1.5, 2.25) - 2) / (1 + 2 / c(2, 4))
  expect_equal(x$fit$noise2, first)
  expect_equal(means_of(x), 2 + (c(1.5, 2.25) - 2) / (1 + first / c(2, 4)))
})

# Two passes with everything learned, of independent arms: y averages of n trials.
two_passes <- function(y, n) {
  v <- rep(sum(y * n) / sum(n) * (1 - sum(y * n) / sum(n)), length(y))
  for (pass in 1:2) {
    level <- function(scale) {
      w <- 1 / (scale + v / n)
      list(mean = sum(w * y) / sum(w), w = w)
    }
    value <- function(log_scale) {
      at <- level(exp(log_scale))
      density <- sum(dnorm(y, at$mean, 1 / sqrt(at$w), log = TRUE)) - log(sum(at$w)) / 2
      density + dnorm(log(mean((0.3 * v)^2)) - log_scale, 0, 2, log = TRUE)
    }
    best <- optimize(value, c(-25, 5), maximum = TRUE, tol = 1e-9)$maximum
    scale <- exp(best + sqrt(2 / (length(y) - 1))) # humble
    mean <- level(scale)$mean
    rate <- mean + (y - mean) * scale / (scale + v / n)
    if (pass == 1L) {
      least <- 1 / (2 + sum(n))
      v <- pmin(pmax(rate, least), 1 - least)
      v <- v * (1 - v)
    }
  }
  list(scale = scale, noise2 = v, mean = mean, rate = rate)
}

test_that("with everything learned both passes are those of a slow twin", {
  set.seed(4)
  for (i in 1:8) {
    k <- 3 + i
    n <- sample(c(5, 40, 300), k, TRUE)
    s <- rbinom(k, n, runif(k, 0.02, 0.4))
    x <- bayesgap(k, budget = 9, family = "binomial", seed = 1)
    x <- tell(x, data.frame(arm = seq_len(k), successes = s, trials = n, pull = NA))
    twin <- two_passes(s / n, n)
    # What is learned is rounded to one per cent on the log scale, in another unit.
    expect_equal(log(x$fit$scale), log(twin$scale), tolerance = 0.02)
    expect_equal(x$fit$noise2, twin$noise2, tolerance = 0.01)
    expect_equal(means_of(x), twin$rate, tolerance = 0.01)
    expect_equal(x$fit$mean[1], twin$mean, tolerance = 0.01)
  }
})

test_that("no rate claims to be known without noise", {
  x <- bayesgap(2, budget = 9, family = "binomial", seed = 1)
  expect_identical(x$fit$noise2, c(0.25, 0.25))
  x <- tell(x, data.frame(arm = 1:2, successes = 0, trials = c(20, 30), pull = NA))
  expect_equal(x$fit$noise2, rep(1 / 52 * (51 / 52), 2))
  expect_true(all(posterior(x)$sd > 0.01))
  all_of_them <- tell(
    bayesgap(2, budget = 9, family = "binomial", seed = 1),
    data.frame(arm = 1:2, successes = c(20, 30), trials = c(20, 30), pull = NA)
  )
  expect_equal(all_of_them$fit$noise2, x$fit$noise2)
  expect_true(all(posterior(all_of_them)$upper == 1))
  none <- bayesgap(2, budget = 9, family = "poisson", seed = 1)
  expect_identical(none$fit$noise2, c(1, 1))
  none <- tell(none, data.frame(arm = 1:2, count = 0, exposure = 4, pull = NA))
  expect_equal(none$fit$noise2, c(0.1, 0.1))
  # A prior mean that is given may be nearer.
  given <- bayesgap(2, budget = 9, family = "binomial", prior_mean = c(0.02, 0.05), seed = 1)
  expect_equal(given$fit$noise2, c(0.02 * 0.98, 0.05 * 0.95))
})

test_that("how trials are cut into pulls changes nothing that is believed", {
  cut <- function(parts) {
    x <- bayesgap(3, budget = 60, family = "binomial", seed = 1)
    part <- data.frame(successes = c(6, 18, 12) / parts, trials = 120 / parts)
    tell(x, data.frame(arm = rep(1:3, parts), part[rep(1:3, parts), ], pull = NA))
  }
  whole <- cut(1)
  for (parts in c(2, 6)) {
    x <- cut(parts)
    expect_equal(x$fit[c("mean", "scale", "noise2")], whole$fit[c("mean", "scale", "noise2")],
      tolerance = 0.02)
    expect_equal(posterior(x)$p_best, posterior(whole)$p_best, tolerance = 0.05)
    expect_identical(x$fit$size, 120 / parts)
  }
})

test_that("pulls that are out are taken to be of the usual size", {
  x <- arms3(prior_mean = 0.2, prior_sd = 0.1)
  out <- pretend(x, 2L, NA_integer_)
  expect_identical(tail(out$log$size, 1), 80)
  expect_equal(out$belief$var[2], 1 / (1 / x$belief$var[2] + 80 / x$fit$noise2[2]))
  expect_equal(policy_state(x)$noise_sd, sqrt(x$fit$noise2 / 80))
})

test_that("the mixture uses the noise of the run, and its first part believes with it", {
  x <- arms3()
  points <- learned_points(x)
  expect_gt(length(points), 3L)
  for (point in points) {
    expect_identical(point$fit$noise2, x$fit$noise2)
    expect_identical(point$fit$df, Inf)
  }
  expect_identical(count_learned(x), 2L)
})

test_that("predictive_check() takes every pull's own noise", {
  x <- arms3(prior_mean = 0.2, prior_sd = 0.1)
  found <- predictive_check(x)
  expect_equal(found$expected, rep(0.2, 3))
  expect_equal(found$sd, sqrt(0.01 + x$fit$noise2 / c(20, 80, 100)))
  expect_equal(found$observed, c(0, 0.125, 0.4))
  expect_no_match(format(found), "noise_sd", all = FALSE)
})
