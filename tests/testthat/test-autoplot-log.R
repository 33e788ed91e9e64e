skip_if_not_installed("ggplot2")

test_that("the recommended arm has its colour", {
  x <- bayesgap(c("a", "b", "c"), function(arm) match(arm, c("a", "b", "c")), budget = 8,
    noise_sd = 0.1, seed = 1)
  looks <- log_looks(drawn_log(x))
  expect_identical(looks$colour[looks$names == best_arm(x)], best_colour)
  expect_identical(anyDuplicated(looks$colour), 0L)
})

test_that("rates have intervals, single trials a running rate", {
  close <- on_a_device()
  on.exit(close())
  x <- bayesgap(2, budget = 9, family = "binomial", seed = 1)
  several <- tell(x, data.frame(arm = 1:2, successes = c(9, 5), trials = c(10, 20), pull = NA))
  expect_no_warning(built <- drawn(several, "log", level = 0.9))
  expect_equal(built$data[[1]]$ymin, wilson_interval(c(9, 5), c(10, 20), 0.9)$lower)
  single <- tell(x, data.frame(arm = c(1, 2, 1), y = c(0, 1, 1), pull = NA))
  expect_no_warning(built <- drawn(single, "log"))
  expect_equal(built$data[[2]]$y, c(0, 1 / 2, 2 / 3))
  expect_match(built$plot$labels$caption, "so far")
})

test_that("a log of nothing says so, and one failure alone is drawn", {
  expect_identical(drawn(bayesgap(3, budget = 4), "log")$plot$labels$caption, "no pulls yet")
  none <- tell(bayesgap(3, budget = 9), data.frame(arm = 1, y = NA, pull = NA, failed = TRUE))
  expect_no_warning(built <- drawn(none, "log"))
  expect_false(is.null(built$layout$panel_params[[1]]$y.range))
})
