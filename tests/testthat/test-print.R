test_that("the answer is printed in four lines", {
  x <- finished()
  expect_snapshot(x)
  expect_snapshot(summary(x))
  expect_snapshot(bayesgap("only", budget = 2, prior_mean = 0, prior_sd = 1, noise_sd = 1))
  expect_identical(withVisible(print(x))$visible, FALSE)
})
