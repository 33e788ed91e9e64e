test_that("a variance that is below 0 by rounding is 0", {
  for (at in 1:3) {
    S <- diag(3)
    S[at, at] <- -1e-17
    x <- bayesgap(3, function(arm) arm, budget = 6, cov = S, prior_mean = 0, prior_sd = 1,
                  noise_sd = 0.1, seed = 1)
    table <- posterior(x)
    expect_equal(c(table$mean[at], table$sd[at], table$pulls[at]), c(0, 0, 0))
    expect_equal(sum(table$p_best), 1)
    expect_true(all(table$pulls[-at] > 0))
  }
  # Beside covariances that such a variance does not allow.
  S <- matrix(1e-17, 3, 3) + diag(c(0, 1, 1))
  S[1, 1] <- -1e-17
  expect_equal(arm_model(3, cov = S)$prior$cov[1, ], c(0, 0, 0))
})
