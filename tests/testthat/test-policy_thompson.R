test_that("Thompson's choice has the probability of being the best", {
  skip_long_on_cran()
  cov <- matrix(c(1, 0.9, 0, 0.9, 1, 0, 0, 0, 1), 3)
  run <- function(seed) {
    x <- bayesgap(3,
      budget = 3, cov = cov, prior_mean = c(0.2, 0, 0.1), prior_sd = 1, noise_sd = 0.5,
      policy = "thompson", seed = seed
    )
    tell(x, data.frame(arm = c(1, 3, 3), y = c(0.4, 0.1, 0.5), pull = NA))
  }
  chosen <- vapply(1:2000, function(seed) ask(run(seed))$arm, 0L)
  share <- tabulate(chosen, 3) / 2000
  exact <- certainty(run(1), 100000L)$best
  expect_lt(max(abs(share - exact)), 4 * sqrt(0.25 / 2000))
})
