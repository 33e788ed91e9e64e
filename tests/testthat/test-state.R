test_that("a run holds plain data only", {
  x <- bayesgap(4, function(arm) arm, budget = 9, cov = diag(4), seed = 1)
  kinds <- rapply(unclass(x), typeof, how = "unlist")
  expect_true(all(kinds %in% c("integer", "double", "character", "logical")))
  expect_identical(unserialize(serialize(x, NULL)), x)
})

test_that("a run that is not given is asked for", {
  for (f in list(ask, tell, posterior, best_arm, save_run, predictive_check)) {
    expect_error(f(), "`x` must be given", class = "bayesgap_error_run")
  }
})
