test_that("gpucb reproduces fixture A", {
  for (t in 1:4) {
    for (scale in c(1, 0.2)) {
      x <- fixture_a(t, policy("gpucb", scale = scale))
      index <- numbers("A", if (scale == 1) "gpucb" else "gpucb_div5", t)
      beta <- note_of(x)$beta
      expect_equal(beta^2, scale * numbers("A", "gpucb_beta_t", t), tolerance = 1e-8)
      expect_equal(means_of(x) + beta * sqrt(x$belief$var), index, tolerance = 1e-8)
      expect_equal(ask(x)$arm, which.max(index))
    }
  }
})

test_that("gpucb equals its twin on random problems", {
  set.seed(12)
  compared <- 0
  for (i in 1:250) {
    delta <- runif(1, 0.01, 1)
    scale <- runif(1, 0.05, 2)
    s <- halfway(policy("gpucb", delta = delta, scale = scale))
    if (!any(s$open)) {
      next
    }
    beta <- sqrt(scale * 2 * log(s$p$k * s$t^2 * pi^2 / (6 * delta)))
    expect_equal(note_of(s$x)$beta, beta, tolerance = 1e-8)
    best <- clear_best(s$mean + beta * s$sd, s$open, max(s$sd))
    if (!is.na(best)) {
      expect_equal(ask(s$x)$arm, best)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 200)
})

test_that("gpucb does not look at the budget", {
  play <- function(budget) {
    x <- bayesgap(6, budget = budget, prior_mean = 0, prior_sd = 1, noise_sd = 0.5,
      cov = exp(-outer(1:6, 1:6, "-")^2 / 9), policy = "gpucb", seed = 1)
    arms <- integer()
    for (t in 1:10) {
      arms <- c(arms, ask(x)$arm)
      x <- tell(x, sin(3 * t))
    }
    arms
  }
  expect_identical(play(10), play(1000))
})
