test_that("uniform gives equal shares", {
  x <- bayesgap(7, function(arm) rnorm(1), budget = 23, policy = "uniform", seed = 3)
  expect_lte(diff(range(x$belief$pulls)), 1)
})
