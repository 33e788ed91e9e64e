# How fits are put together, without tidymodels; tests/tuners has it with.

test_that("candidates have names that sort", {
  expect_identical(config_names(3), c("candidate1", "candidate2", "candidate3"))
  expect_identical(config_names(12)[c(1, 12)], c("candidate01", "candidate12"))
})

test_that("the fits of a resample are bound, each with its candidate", {
  skip_if_not_installed("tibble")
  plan <- list(grid = data.frame(u = 4:6))
  metric <- function(v) data.frame(.metric = c("rmse", "rsq"), .estimate = c(v, v / 10))
  log <- data.frame(at = c(3, 1, 2), error = c(NA, NA, "broke"))
  log$.metrics <- list(metric(1), metric(2), NULL)
  found <- bind_results(log, plan, config_names(3), ".metrics")
  expect_equal(as.data.frame(found), data.frame(
    u = c(6L, 6L, 4L, 4L), .metric = c("rmse", "rsq"), .estimate = c(1, 0.1, 2, 0.2),
    .config = rep(c("candidate3", "candidate1"), each = 2)
  ))
  expect_null(bind_results(log[0, ], plan, config_names(3), ".metrics"))
  filled <- fill_empty(list(NULL, found, NULL))
  expect_identical(vapply(filled, nrow, 0L), c(0L, 4L, 0L))
  expect_identical(names(filled[[1]]), names(found))
  notes <- bind_notes(log, plan, config_names(3))
  expect_identical(notes$location, "candidate2")
  expect_identical(notes$note, "broke")
})
