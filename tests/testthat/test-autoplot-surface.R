skip_if_not_installed("ggplot2")

oven_run <- function(...) {
  grid <- expand.grid(temperature = seq(180, 250, by = 10), minutes = seq(20, 50, by = 5))
  loss <- function(arm) {
    ((arm$temperature - 220) / 20)^2 + ((arm$minutes - 35) / 10)^2 + rnorm(1, sd = 0.5)
  }
  bayesgap(grid, loss, budget = 25, maximise = FALSE, kernel = k_se(~ temperature + minutes),
    seed = 1, ...)
}

test_that("a heat map has a cell an arm, a dot where it was pulled, and a mark on the best", {
  close <- on_a_device()
  on.exit(close())
  x <- oven_run()
  belief <- posterior(x)
  picture <- ggplot2::autoplot(x, "surface")
  built <- ggplot2::ggplot_build(picture)
  data <- picture$layers[[1]]$data
  expect_equal(data$value, belief$mean[data$arm])
  expect_setequal(data$arm, 1:56)
  expect_equal(unique(built$data[[1]]$xmax - built$data[[1]]$xmin), 10)
  dots <- picture$layers[[2]]$data
  expect_setequal(dots$arm, which(belief$pulls > 0))
  expect_equal(dots$pulls, belief$pulls[dots$arm])
  best <- built$data[[4]]
  expect_equal(best$x, best_arm(x)$temperature)
  expect_equal(best$y, best_arm(x)$minutes)
  sd <- ggplot2::autoplot(x, "surface", show = "sd")$layers[[1]]$data
  expect_equal(sd$value, belief$sd[sd$arm])
  # The smaller the loss, the darker.
  fill <- built$data[[1]]$fill
  light <- colSums(grDevices::col2rgb(fill))
  expect_identical(which.min(light), which.min(data$value))
})

test_that("one column is a curve with its interval and the rewards", {
  close <- on_a_device()
  on.exit(close())
  x <- bayesgap(1:12 / 4, function(v) sin(v), budget = 10, kernel = k_se(~value), noise_sd = 0.1,
    seed = 1)
  expect_no_warning(built <- drawn(x, "surface", level = 0.5))
  belief <- posterior(x, 0.5)
  expect_equal(built$data[[1]]$ymin, belief$lower)
  expect_equal(built$data[[3]]$y, belief$mean)
  expect_equal(sort(built$data[[2]]$y), sort(as.data.frame(x)$y))
  expect_equal(drawn(x, "surface", show = "sd")$data[[1]]$y, belief$sd)
})

test_that("panels, categories, scattered arms and arms set aside can be drawn", {
  close <- on_a_device()
  on.exit(close())
  mixed <- bayesgap(ridge, function(arm) arm$u + (arm$g == "a"), budget = 12, seed = 1,
    kernel = k_se(~ u + v) + k_factor(~g))
  expect_identical(nrow(drawn(mixed, "surface")$layout$layout), 2L)
  expect_no_warning(drawn(mixed, "surface", columns = c("g", "u")))
  expect_no_warning(drawn(mixed, "surface", columns = "g"))
  scattered <- bayesgap(data.frame(a = sin(1:40), b = cos(3 * 1:40)), budget = 5)
  expect_no_warning(built <- drawn(scattered, "surface"))
  expect_identical(nrow(built$data[[1]]), 40L)
  failing <- quietly(bayesgap(rates, train, 30, kernel = k_se(~ log10(lr)), seed = 1))
  expect_match(drawn(failing, "surface")$plot$labels$caption, "set aside")
})

test_that("what has no surface, and arguments of another type, are refused by class", {
  x <- bayesgap(3, budget = 3)
  expect_error(ggplot2::autoplot(x, "surface"), class = "bayesgap_error_surface")
  expect_error(ggplot2::autoplot(x, "arms", columns = "u"), class = "bayesgap_error_columns")
  expect_error(ggplot2::autoplot(oven_run(), "surface", columns = "heat"),
    class = "bayesgap_error_columns")
  expect_error(ggplot2::autoplot(x, show = "var"), class = "bayesgap_error_show")
})
