test_that("the recursion gives the posterior of the vectors (fixture A)", {
  cov <- numbers_matrix("A", "G")
  x <- bayesgap(5,
    budget = numbers("A", "T"), cov = cov, prior_mean = 0,
    prior_sd = numbers("A", "eta"), noise_sd = numbers("A", "sigma")
  )
  arm <- numbers("A", "pull_arm")
  y <- numbers("A", "pull_y")
  for (t in 1:4) {
    expect_equal(x$belief$mean, numbers("A", "mean", t), tolerance = 1e-8)
    expect_equal(sqrt(x$belief$var), numbers("A", "sd", t), tolerance = 1e-8)
    if (t <= 3) {
      x <- tell(x, data.frame(arm = arm[t], y = y[t], pull = NA))
    }
  }
})

test_that("the C posterior equals its twin on random problems", {
  skip_on_cran()
  set.seed(1)
  for (i in 1:200) {
    p <- random_problem()
    n <- p$budget
    arm <- sample.int(p$k, n, replace = TRUE)
    y <- rnorm(n)
    se <- if (runif(1) < 0.3) exp(rnorm(n, -1)) else rep(p$noise_sd, n)
    told <- data.frame(arm = arm, y = y, pull = NA, se = se)
    by_features <- runif(1) < 0.3
    x <- if (by_features) {
      bayesgap(p$k,
        budget = n, features = p$features, prior_mean = p$mean, prior_sd = p$prior_sd,
        noise_sd = p$noise_sd
      )
    } else {
      known_run(p)
    }
    x <- tell(x, told)
    twin <- twin_posterior(p$mean, p$prior_sd^2 * p$cov, arm, y, se^2)
    expect_equal(x$belief$mean, twin$mean, tolerance = 1e-7, label = paste("mean", i))
    expect_lt(
      max(abs(x$belief$var - diag(twin$cov))), 1e-8 * p$prior_sd^2 * max(diag(p$cov), 1e-8)
    )
  }
})

test_that("independent arms need no columns and agree with an identity covariance", {
  set.seed(2)
  told <- data.frame(arm = sample.int(7, 40, TRUE), y = rnorm(40), pull = NA)
  free <- bayesgap(7, budget = 5, prior_mean = 1, prior_sd = 2, noise_sd = 0.5, seed = 1)
  same <- bayesgap(7,
    budget = 5, prior_mean = 1, prior_sd = 2, noise_sd = 0.5, seed = 1, cov = diag(7)
  )
  free <- tell(free, told)
  same <- tell(same, told)
  expect_length(free$belief$columns, 0)
  expect_equal(free$belief$mean, same$belief$mean)
  expect_equal(free$belief$var, same$belief$var)
})

test_that("many pulls of few arms are kept in few columns, and the belief stays exact", {
  set.seed(3)
  p <- random_problem(k = 9L, budget = 300L)
  x <- known_run(p)
  arm <- sample.int(4, 300, TRUE)
  y <- rnorm(300)
  for (i in 1:300) {
    x <- tell(x, data.frame(arm = arm[i], y = y[i], pull = NA))
    expect_lte(length(x$belief$columns), 2 * 4 + 32)
  }
  twin <- twin_posterior(p$mean, p$prior_sd^2 * p$cov, arm, y, rep(p$noise_sd^2, 300))
  expect_equal(x$belief$mean, twin$mean, tolerance = 1e-9)
  expect_equal(x$belief$var, diag(twin$cov), tolerance = 1e-8)
  expect_equal(x$belief$pulls, tabulate(arm, 9))
})

test_that("exact observations: no NaN, known arms stay known, repeats change nothing", {
  cov <- exp(-outer(1:6, 1:6, "-")^2 / 8)
  cov <- cov[c(1:6, 1), c(1:6, 1)] # arm 7 is arm 1
  x <- bayesgap(7, budget = 20, cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = 0)
  x <- tell(x, data.frame(arm = c(1, 3, 3, 7), y = c(0.5, -1, -1, 0.5), pull = NA))
  expect_equal(x$belief$mean[c(1, 3, 7)], c(0.5, -1, 0.5))
  expect_equal(x$belief$var[c(1, 3, 7)], c(0, 0, 0))
  expect_true(all(is.finite(x$belief$mean)))
  # A contradiction is not spread over the other arms.
  y <- tell(x, data.frame(arm = 7, y = 0.6, pull = NA))
  expect_equal(y$belief$mean, x$belief$mean)
})

test_that("tiny noise is averaged, not lost", {
  x <- bayesgap(2,
    budget = 9, cov = matrix(c(1, 0.5, 0.5, 1), 2), prior_mean = 0, prior_sd = 1,
    noise_sd = 1e-9
  )
  x <- tell(x, data.frame(arm = c(1, 1), y = c(1, 1 + 2e-9), pull = NA))
  expect_equal(x$belief$mean[1] - 1, 1e-9, tolerance = 1e-5)
  expect_equal(x$belief$var[1], 5e-19, tolerance = 1e-6)
})

test_that("P(best) and the regret agree with the exact answer for two arms", {
  rho <- 0.8
  x <- bayesgap(c("a", "b"),
    budget = 4, cov = matrix(c(1, rho, rho, 1), 2), prior_mean = c(0.3, 0), prior_sd = 1,
    noise_sd = 1
  )
  sd <- sqrt(2 - 2 * rho)
  found <- certainty(x, 40000L)
  expect_equal(found$best, pnorm(c(0.3, -0.3) / sd), tolerance = 0.02)
  expect_equal(sum(found$best), 1)
  expect_equal(regret_bound(found), qnorm(0.95, -0.3, sd), tolerance = 0.03)
})

test_that("joint draws have the exact posterior covariance", {
  skip_on_cran()
  # P(i beats j) for all pairs tells means, variances and covariances (fixture A).
  cov <- numbers_matrix("A", "G")
  pairs <- numbers_matrix("A", "prob_gt")
  told <- data.frame(
    arm = numbers("A", "pull_arm"), y = numbers("A", "pull_y"), pull = NA
  )
  for (i in 1:4) {
    for (j in (i + 1):5) {
      x <- bayesgap(5,
        budget = 12, cov = cov, prior_mean = 0, prior_sd = 1.5, noise_sd = 0.5, seed = 5
      )
      x <- tell(x, told)
      # Only these two arms in the race: the others are put far below.
      x$belief$mean[-c(i, j)] <- -1000
      x$belief$best <- i
      expect_lt(abs(certainty(x, 20000L)$best[i] - pairs[i, j]), 4 * sqrt(0.25 / 20000))
    }
  }
})

test_that("P(best) is calibrated under the model", {
  skip_on_cran()
  set.seed(11)
  cov <- exp(-outer(1:8, 1:8, "-")^2 / 4)
  root <- t(chol(cov + 1e-10 * diag(8)))
  said <- right <- numeric(300)
  for (i in seq_along(said)) {
    truth <- drop(root %*% rnorm(8))
    x <- bayesgap(8, function(arm) truth[arm] + rnorm(1, sd = 0.7),
      budget = 10, cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = 0.7
    )
    found <- certainty(x, 1000L)
    said[i] <- found$best[best_arm(x)]
    right[i] <- which.max(truth) == best_arm(x)
  }
  se <- sqrt(mean(said * (1 - said)) / length(said))
  expect_lt(abs(mean(said) - mean(right)), 3 * se)
})

test_that("posterior() is in the user's units and order", {
  x <- bayesgap(c("b", "a"), budget = 3, maximise = FALSE, prior_mean = c(b = 1, a = 5),
    prior_sd = 1, noise_sd = 1)
  table <- posterior(x)
  expect_equal(table$arm, c("b", "a"))
  expect_equal(table$mean, c(1, 5))
  expect_equal(table$upper - table$lower, 2 * qnorm(0.975) * c(1, 1))
  expect_gt(table$p_best[1], 0.99)
  expect_identical(posterior(x), table)
  expect_error(posterior(x, level = 1), class = "bayesgap_error_level")
  expect_error(posterior(1), class = "bayesgap_error_run")
  expect_error(posterior(x, draws = 0), class = "bayesgap_error_draws")
})

test_that("the belief about arms out of the race does not matter to P(best)", {
  x <- bayesgap(3, budget = 3, prior_mean = c(0, 0, -100), prior_sd = 1, noise_sd = 1)
  expect_equal(posterior(x)$p_best, c(0.5, 0.5, 0), tolerance = 0.05)
})

test_that("a probability is not said to be 0 or 1", {
  expect_identical(probability_text(c(0.5, 0.994, 0.9949, 0.995, 0.9971, 1), 10000),
    c("0.50", "0.99", "0.99", "> 0.99", "> 0.99", "> 0.99"))
  expect_identical(probability_text(c(0.0051, 0.005, 0.003, 0), 10000),
    c("0.01", "0.01", "< 0.01", "< 0.01"))
  # So few draws do not show that it is above 0.99, or below 0.01.
  expect_identical(probability_text(c(1, 0), 100), c("0.99", "0.01"))
  expect_identical(probability_text(c(1, 0.996, 0.004), 500), c("> 0.99", "0.99", "0.01"))
  expect_identical(probability_text(c(1, 0), 10000, certain = TRUE), c("1.00", "0.00"))
  sure <- bayesgap(c("a", "b"), function(arm) match(arm, c("a", "b")), budget = 20, noise_sd = 0.1,
    seed = 1)
  expect_output(print(sure), "P(b is best) > 0.99", fixed = TRUE)
  known <- bayesgap(2, function(arm) arm, budget = 4, noise_sd = 0, seed = 1)
  expect_output(print(known), "P(2 is best) 1.00", fixed = TRUE)
  expect_output(print(bayesgap("only", budget = 2)), "P(only is best) 1.00", fixed = TRUE)
})
