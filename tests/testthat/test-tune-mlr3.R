# That mlr3 is asked for by name; tests/tuners tunes with it.

test_that("what is not installed is named, with how to get it", {
  skip_if(requireNamespace("mlr3", quietly = TRUE), "mlr3 is installed: make tuners tests it")
  learner <- structure(list(), class = "Learner")
  expect_error(tune_bayesgap(learner), "install.packages.*\"mlr3\"", class = "bayesgap_error_package")
})

test_that("what a learner gets is a table where it is plain values", {
  values <- list(list(a = 1, b = "x"), list(a = 2), list(b = "y", c = TRUE))
  expect_identical(
    value_table(values),
    data.frame(a = c(1, 2, NA), b = c("x", NA, "y"), c = c(NA, NA, TRUE))
  )
  expect_null(value_table(list(list(a = 1:2), list(a = 3))))
  expect_null(value_table(list(list(), list())))
})
