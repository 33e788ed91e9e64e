# That caret is asked for by name, and what is made of data without it; tests/tuners tunes with it.

test_that("what is not installed is named, with how to get it", {
  skip_if(requireNamespace("caret", quietly = TRUE), "caret is installed: make tuners tests it")
  expect_error(tune_bayesgap("knn", mpg ~ ., mtcars), "install.packages\\(\"caret\"\\)",
    class = "bayesgap_error_package")
})

test_that("predictors and outcome are those of the formula, or as given", {
  found <- caret_data(mpg ~ factor(cyl) + wt, mtcars)
  expect_identical(colnames(found$x), c("factor(cyl)6", "factor(cyl)8", "wt"))
  expect_equal(unname(found$y), mtcars$mpg)
  found <- caret_data(iris[1:4], as.character(iris$Species))
  expect_identical(found, list(x = iris[1:4], y = iris$Species))
  expect_error(caret_data(mpg ~ ., "cars"), class = "bayesgap_error_data")
  expect_error(caret_data(1:3, 1:3), class = "bayesgap_error_form")
  expect_identical(caret_data(cut ~ wt, transform(mtcars, cut = ifelse(am == 1, "a", "b")))$y,
    factor(ifelse(mtcars$am == 1, "a", "b")))
  expect_error(caret_data(am == 1 ~ wt, mtcars), "numbers or classes", class = "bayesgap_error_data")
  gaps <- transform(mtcars, wt = replace(wt, 1, NA))
  expect_error(caret_data(mpg ~ wt, gaps), "missing values", class = "bayesgap_error_data")
})

test_that("what train() would understand otherwise is refused", {
  expect_null(check_caret_arguments(c("seed", "preProcess", "control", "family")))
  expect_error(check_caret_arguments(c("seed", "")), "must have names", class = "bayesgap_error_dots")
  expect_true(all(c("cov", "features", "history") %in% caret_run_arguments))
  for (name in c("maximise", "blocks", "replace", "subset", "na.action", "contrasts")) {
    expect_error(check_caret_arguments(name), paste0("`", name, "`"), class = "bayesgap_error_dots")
  }
  expect_identical(check_caret_weights(1:3, 3), 1:3)
  expect_error(check_caret_weights(1:2, 3), "3 numbers", class = "bayesgap_error_weights")
})

test_that("the metric says whether more is better", {
  expect_identical(caret_metric(NULL, NULL, mtcars$mpg), list(name = "RMSE", maximise = FALSE))
  expect_identical(caret_metric(NULL, NULL, iris$Species), list(name = "Accuracy", maximise = TRUE))
  expect_false(caret_metric("Brier", FALSE, iris$Species)$maximise)
  expect_message(caret_metric("MSE", NULL, 1), "More of \"MSE\" is taken", class = "bayesgap_message_metric")
  expect_error(caret_metric("ROC", "yes", iris$Species), class = "bayesgap_error_maximize")
})

test_that("means and deviations are of the fits that were made", {
  log <- data.frame(arm = c("a", "b", "a"), RMSE = c(1, 5, 2), MAE = c(2, NA, 4))
  expect_equal(caret_means(log[-1], factor(log$arm, c("a", "b", "c"))), data.frame(
    RMSE = c(1.5, 5, NA), MAE = c(3, NaN, NA), RMSESD = c(sqrt(0.5), NA, NA), MAESD = c(sqrt(2), NA, NA)
  ))
})
