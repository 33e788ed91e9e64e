# That tidymodels is asked for by name; tests/tuners tunes with it.

test_that("what is not installed is named, with how to get it", {
  absent <- tidymodels_packages[!vapply(tidymodels_packages, requireNamespace, TRUE, quietly = TRUE)]
  skip_if(!length(absent), "tidymodels is installed: make tuners tests it")
  for (class in c("workflow", "model_spec", "workflow_set")) {
    object <- structure(list(), class = class)
    expect_error(tune_bayesgap(object), paste0("install.packages.*", absent[1]),
      class = "bayesgap_error_package")
  }
})

test_that("the grid of a set of workflows is put together with the columns of all", {
  plans <- list(
    a = list(grid = data.frame(u = 1:2), parameters = "u"),
    b = list(grid = data.frame(row.names = 1L), parameters = character()),
    c = list(grid = data.frame(u = 5, v = c("x", "y")), parameters = c("u", "v"))
  )
  expect_identical(set_arms(plans), data.frame(
    arm = c("a 1", "a 2", "b", "c 1", "c 2"), wflow_id = c("a", "a", "b", "c", "c"),
    u = c(1, 2, NA, 5, 5), v = c(NA, NA, NA, "x", "y")
  ))
})

test_that("what was set for a workflow comes before what is given for all", {
  set <- list(wflow_id = c("a", "b", "c"), option = list(list(grid = 3), list(), list()))
  expect_identical(set_grids(set, 7), list(3, 7, 7))
  expect_identical(set_grids(set, list(c = 9)), list(3, 10, 9))
  expect_error(set_grids(set, list(d = 9)), "among the workflows", class = "bayesgap_error_grid")
  expect_error(set_grids(set, list(9)), class = "bayesgap_error_grid")
})
