test_that("predict() and confint() agree with posterior()", {
  x <- fitted_run()
  table <- posterior(x, 0.9)
  mean <- predict(x, level = 0.9)
  expect_equal(mean[c("arm", "mean", "sd", "lower", "upper")], table[names(mean)])
  expect_equal(unname(confint(x, level = 0.9)), cbind(table$lower, table$upper))
  expect_equal(dimnames(confint(x)), list(letters[1:5], c("2.5 %", "97.5 %")))
  reward <- predict(x, c("c", "a"), "reward")
  expect_equal(reward$sd^2, table$sd[c(3, 1)]^2 + 0.25)
  expect_equal(rownames(confint(x, "d")), "d")
  expect_error(predict(x, "zz"), class = "bayesgap_error_arm")
  expect_error(predict(x, type = "median"), class = "bayesgap_error_type")
  expect_error(confint(x, level = 2), class = "bayesgap_error_level")
})

test_that("simulate() draws from the joint posterior", {
  x <- fitted_run()
  draws <- simulate(x, 40000, seed = 2)
  expect_equal(dim(draws), c(5, 40000))
  expect_equal(rownames(draws), letters[1:5])
  exact <- posterior_cov(x)
  found <- stats::cov(t(draws))
  expect_lt(max(abs(found - exact)), 0.03 * max(exact))
  expect_lt(max(abs(rowMeans(draws) - posterior(x)$mean)), 0.05)
  expect_identical(simulate(x, 3, seed = 2), simulate(x, 3, seed = 2))
  noisy <- stats::cov(t(simulate(x, 40000, seed = 2, type = "reward")))
  expect_lt(max(abs(noisy - exact - diag(0.25, 5))), 0.03 * max(exact))
  down <- fitted_run(maximise = FALSE)
  expect_lt(max(abs(rowMeans(simulate(down, 20000, seed = 1)) - posterior(down)$mean)), 0.05)
  set.seed(1)
  a <- simulate(x)
  set.seed(1)
  expect_identical(simulate(x), a)
  expect_error(simulate(x, 0), class = "bayesgap_error_nsim")
})

test_that("nobs() counts observations, not failed pulls", {
  x <- fitted_run()
  expect_equal(nobs(x), 3)
  expect_equal(nobs(tell(x, data.frame(arm = "a", y = NA, pull = NA, failed = TRUE))), 3)
})

test_that("coef(), fitted() and residuals() are those of the posterior means", {
  x <- fitted_run(maximise = FALSE)
  x <- tell(x, data.frame(arm = "b", y = NA, pull = NA, failed = TRUE))
  mean <- posterior(x)$mean
  expect_identical(coef(x), structure(mean, names = letters[1:5]))
  expect_identical(fitted(x), c(mean[c(1, 3, 3)], NA))
  expect_equal(residuals(x), c(0, 2, 3, NA) - fitted(x))
  expect_identical(residuals(bayesgap(2, budget = 2)), numeric())
  expect_identical(augment.bayesgap(x)$.fitted, fitted(x))
  expect_error(coef(x, 3), class = "bayesgap_error_argument")
})

test_that("more draws than memory holds are refused", {
  x <- fitted_run()
  expect_error(simulate(x, 2e9), "2,000,000,000 draws of 5 arms.*bytes",
    class = "bayesgap_error_memory")
})
