skip_if_not_installed("ggplot2")

test_that("bars are the table's, the most important on top", {
  close <- on_a_device()
  on.exit(close())
  x <- bayesgap(ridge, function(arm) arm$u + rnorm(1, sd = 0.2), budget = 25, seed = 1,
    kernel = k_se(~ u + log10(v)) + k_factor(~g))
  table <- importance_table(x, 0.8)
  expect_no_warning(built <- drawn(x, "importance", level = 0.8))
  expect_equal(built$data[[1]]$x, table$importance)
  expect_equal(as.integer(built$data[[1]]$y), 3:1)
  expect_equal(built$data[[2]]$xmin, table$lower)
  labels <- built$layout$panel_params[[1]]$y$get_labels()
  expect_match(labels[3], paste0("^", table$column[1]))
})

test_that("what was given or not learned yet is said so", {
  given <- bayesgap(data.frame(u = 1:3), budget = 2, kernel = k_se(~u, lengthscale = 1))
  expect_identical(drawn(given, "importance")$plot$labels$caption, "as it was given")
  new <- bayesgap(data.frame(u = 1:3), budget = 2, kernel = k_se(~u))
  expect_identical(drawn(new, "importance")$plot$labels$caption, "nothing was learned yet")
  expect_error(ggplot2::autoplot(bayesgap(3, budget = 2), "importance"),
    class = "bayesgap_error_importance")
})
