test_that("tidy(), glance() and augment() give tidy tables", {
  x <- bayesgap(c("a", "b"), function(arm) nchar(arm) + (arm == "b"),
    budget = 6, prior_mean = 1, prior_sd = 1, noise_sd = 0.5, seed = 1
  )
  table <- tidy.bayesgap(x)
  expect_equal(table$estimate, posterior(x)$mean)
  expect_equal(table$p.best, posterior(x)$p_best)
  one <- glance.bayesgap(x)
  expect_equal(nrow(one), 1)
  expect_equal(one$best, "b")
  expect_equal(one$nobs, 6)
  rows <- augment.bayesgap(x)
  expect_equal(rows$.fitted + rows$.resid, rows$y)
  expect_error(tidy.bayesgap(x, what = 1), class = "bayesgap_error_argument")
  skip_if_not_installed("generics")
  expect_identical(generics::tidy(x), table)
  expect_identical(generics::glance(x), one)
  expect_identical(generics::augment(x), rows)
})
