test_that("plot() draws runs of every size and returns the run", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(grDevices::dev.off())
  for (k in c(1, 3, 60, 200)) {
    x <- bayesgap(k, function(arm) sin(arm), budget = 5, seed = 1)
    expect_identical(plot(x), x)
  }
  expect_no_error(plot(bayesgap(paste("a long name", 1:9), budget = 3), level = 0.5, main = "mine"))
  expect_error(plot(x, level = 2), class = "bayesgap_error_level")
  expect_gt(file.size(file), 1000)
})

test_that("plot() draws checks of every size and returns them", {
  grDevices::pdf(NULL)
  device <- grDevices::dev.cur()
  on.exit(grDevices::dev.off(device))
  for (k in c(1, 3, 200)) {
    x <- bayesgap(k, function(arm) sin(arm), budget = 80, policy = "uniform", seed = 1)
    check <- predictive_check(x)
    expect_identical(plot(check), check)
  }
  none <- predictive_check(bayesgap(3, budget = 3))
  expect_identical(plot(none, main = "mine", ylim = c(2, 3)), none)
})
