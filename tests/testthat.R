# Without testthat (a check with nothing suggested) there is nothing to run.
if (requireNamespace("testthat", quietly = TRUE)) {
  library(testthat)
  library(bayesgap)
  test_check("bayesgap")
}
