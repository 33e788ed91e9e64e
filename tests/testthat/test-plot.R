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
