# beta from the definition, for noise equal in all arms.
twin_beta <- function(s, constant = 25 / 36) {
  prior_var <- s$p$prior_sd^2 * diag(s$p$cov)
  active <- prior_var > 1e-12 * max(prior_var)
  upper <- s$mean + 3 * s$sd
  lower <- s$mean - 3 * s$sd
  delta <- pmax(max_of_others(upper) - lower, upper - max_of_others(lower))
  k <- sum(active)
  spend <- max(s$p$budget - k, min(s$p$budget, k))
  noise2 <- s$p$noise_sd^2
  pulls <- spend / noise2 + sum(1 / prior_var[active])
  sqrt(constant * pulls / sum(delta[active]^-2))
}

test_that("bayes_ucbe reproduces what the vectors say of its parts on fixture A", {
  for (t in 1:4) {
    x <- fixture_a(t, policy("bayes_ucbe"))
    hardness <- sum(numbers("A", "Delta_twosided", t)^-2)
    beta <- sqrt(25 / 36 * (7 / 0.5^2 + numbers("A", "kappa") / 1.5^2) / hardness)
    expect_equal(note_of(x)$hardness, hardness, tolerance = 1e-8)
    expect_equal(note_of(x)$beta, beta, tolerance = 1e-8)
    index <- numbers("A", "mean", t) + beta * numbers("A", "sd", t)
    expect_equal(ask(x)$arm, which.max(index))
    # with the constant of equation 9 it is the width of bayesgap
    expect_equal(
      note_of(fixture_a(t, policy("bayes_ucbe", constant = 1 / 16)))$beta,
      note_of(fixture_a(t, policy("bayesgap", variant = "marginal")))$beta
    )
  }
})

test_that("bayes_ucbe equals its twin on random problems", {
  set.seed(13)
  compared <- 0
  for (i in 1:250) {
    constant <- runif(1, 0.05, 2)
    s <- halfway(policy("bayes_ucbe", constant = constant), k = 1L + sample.int(39L, 1L))
    if (!any(s$open)) {
      next
    }
    beta <- twin_beta(s, constant)
    expect_equal(note_of(s$x)$beta, beta, tolerance = 1e-6)
    best <- clear_best(s$mean + beta * s$sd, s$open, beta * max(s$sd))
    if (!is.na(best)) {
      expect_equal(ask(s$x)$arm, best)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 180)
})

test_that("bayes_ucbe weighs the noise of each arm", {
  noise <- c(0.5, 1, 2)
  x <- bayesgap(3, budget = 12, prior_mean = c(0, 1, 3), prior_sd = 1, noise_sd = noise,
    policy = "bayes_ucbe")
  # by hand: the gaps' bounds are 9, 8 and 9 (arm 3: 6 - (-2) = 8 above, 4 - 0 = 4 below)
  delta <- c(6 - (0 - 3), 6 - (1 - 3), max(4 - 0, 6 - (-2)))
  beta <- sqrt(25 / 36 * (9 + sum(noise^2)) / sum(noise^2 / delta^2))
  expect_equal(note_of(x)$beta, beta, tolerance = 1e-10)
})
