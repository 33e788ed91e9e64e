state <- function(seed, beta, mean = c(0.2, 0, 0.1), ...) {
  cov <- matrix(c(1, 0.9, 0, 0.9, 1, 0, 0, 0, 1), 3)
  x <- bayesgap(3,
    budget = 30, cov = cov, prior_mean = mean, prior_sd = 1, noise_sd = 0.5,
    policy = policy("ttts", beta = beta), seed = seed, ...
  )
  tell(x, data.frame(arm = c(1, 3, 3), y = mean[c(1, 3, 3)] + c(0.2, 0, 0.4), pull = NA))
}

shares <- function(beta, n = 1000L, ...) {
  tabulate(vapply(seq_len(n), function(seed) ask(state(seed, beta, ...))$arm, 0L), 3) / n
}

# P(pull j) = beta p_j + (1 - beta) sum_{i != j} p_i p_j / (1 - p_i)
exact_shares <- function(p, beta) {
  vapply(seq_along(p), function(j) {
    beta * p[j] + (1 - beta) * sum(p[-j] * p[j] / (1 - p[-j]))
  }, 0)
}

test_that("ttts pulls leader and challenger with the probabilities of its definition", {
  mean <- c(1.2, 0, 0.1)
  best <- certainty(state(1, 0.5, mean = mean), 100000L)$best
  for (beta in c(0.5, 0.1)) {
    exact <- exact_shares(best, beta)
    expect_equal(sum(exact), 1)
    expect_lt(max(abs(shares(beta, mean = mean) - exact)), 4 * sqrt(0.25 / 1000))
  }
  # the test can tell one share from another, and from Thompson's
  expect_gt(max(abs(exact_shares(best, 0.1) - exact_shares(best, 0.5))), 0.13)
  expect_gt(max(abs(exact_shares(best, 0.5) - best)), 0.13)
})

test_that("without a draw for the challenger, ttts takes the one with least evidence", {
  # arm 1 is best in every draw; arm 2 goes along with it, arm 3 does not
  mean <- c(20, 18, 15)
  x <- state(1, 0, mean = mean)
  cov <- x$model$prior$cov
  b <- x$belief
  posterior <- twin_posterior(mean, cov, c(1, 3, 3), mean[c(1, 3, 3)] + c(0.2, 0, 0.4),
    rep(0.25, 3))
  evidence <- vapply(2:3, function(j) {
    (posterior$mean[1] - posterior$mean[j])^2 /
      (posterior$cov[1, 1] + posterior$cov[j, j] - 2 * posterior$cov[1, j])
  }, 0)
  # the one nearer in the mean is not the one nearer in evidence
  expect_lt(b$mean[1] - b$mean[2], b$mean[1] - b$mean[3])
  expect_equal(which.min(evidence), 1 + (evidence[1] > evidence[2]))
  picks <- vapply(1:20, function(seed) ask(state(seed, 0, mean = mean))$arm, 0L)
  expect_true(all(picks == 1L + which.min(evidence)))
  picks <- vapply(1:20, function(seed) ask(state(seed, 1, mean = mean))$arm, 0L)
  expect_true(all(picks == 1L))
})

test_that("evidence counts the covariance", {
  # mean gaps of 30 and 40: but arm 2 and the leader move together
  cov <- diag(3)
  cov[1, 2] <- cov[2, 1] <- 0.99
  pick <- function(cov) {
    ask(bayesgap(3, budget = 9, cov = cov, prior_mean = c(40, 10, 0), prior_sd = 1,
      noise_sd = 1, policy = policy("ttts", beta = 0), seed = 3))$arm
  }
  expect_equal(pick(diag(3)), 2)
  expect_equal(pick(cov), 3)
})

test_that("ttts with one arm left, and with an arm that cannot differ from the leader", {
  lone <- bayesgap(3, budget = 9, cov = diag(c(0, 1, 0)), prior_mean = 0, prior_sd = 1,
    noise_sd = 1, policy = policy("ttts", beta = 0), seed = 3)
  expect_equal(ask(lone)$arm, 2)
  # arm 2 is arm 1 less 50, whatever rounding leaves of the variance of the difference
  for (noise in seq(0.3, 1.2, by = 0.1)) {
    twin <- bayesgap(2, budget = 9, cov = matrix(1, 2, 2), prior_mean = c(50, 0),
      prior_sd = 1, noise_sd = noise, policy = policy("ttts", beta = 0), seed = 3)
    expect_equal(ask(twin)$arm, 1)
    expect_equal(ask(tell(tell(twin, 50.1), 49.8))$arm, 1)
  }
})
