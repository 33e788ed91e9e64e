skip_if_not_installed("ggplot2")

test_that("up to 30 arms stand in their own order, more from the best on, and it is said", {
  expect_identical(shown_arms(bayesgap(30, budget = 3)), 1:30)
  x <- bayesgap(40, budget = 3, prior_mean = (1:40) / 10, prior_sd = 1, noise_sd = 1)
  expect_identical(shown_arms(x), 40:1)
  down <- bayesgap(40, budget = 3, prior_mean = (1:40) / 10, prior_sd = 1, noise_sd = 1,
    maximise = FALSE)
  expect_identical(shown_arms(down), 1:40)
  expect_null(drawn(x, "arms")$plot$labels$caption)
  expect_identical(drawn(bayesgap(319, budget = 3), "arms")$plot$labels$caption,
    "the best 60 of 319 arms")
})

test_that("rates are drawn beside the belief, each at its own arm", {
  close <- on_a_device()
  on.exit(close())
  x <- bayesgap(c("a", "b", "c"), budget = 9, family = "binomial", seed = 1)
  x <- tell(x, data.frame(arm = c("c", "a"), successes = c(90, 5), trials = 100, pull = NA))
  expect_no_warning(built <- drawn(x, "arms"))
  seen <- built$data[[1]]
  expect_equal(seen$y[order(seen$x)], c(0.05, 0.9))
  expect_equal(sort(as.double(seen$x)), c(0.8, 2.8))
  expect_identical(built$plot$labels$y, "rate")
  ends <- built$data[[2]]
  expect_equal(ends$ymax[order(ends$x)], wilson_interval(c(5, 90), 100, 0.95)$upper)
})

test_that("of many arms the picture of pulls has those that were pulled", {
  x <- bayesgap(100, function(arm) arm / 10, budget = 6, prior_mean = 0, prior_sd = 1,
    noise_sd = 0.1, seed = 1)
  expect_setequal(pulled_arms(x), union(x$log$arm, x$belief$best))
  expect_length(pulled_arms(x, 3L), 3)
  expect_true(x$belief$best %in% pulled_arms(x, 1L))
  expect_match(drawn(x, "pulls")$plot$labels$caption, "never pulled")
  expect_match(pulls_note(x, pulled_arms(x, 3L)), "most pulls.* of them pulled")
  expect_identical(drawn(bayesgap(100, budget = 3), "pulls")$plot$labels$caption, "no pulls yet")
})

test_that("an arm in several blocks is checked in each", {
  x <- picture_runs()$blocked
  table <- drawn_checks(predictive_check(x))
  expect_identical(anyDuplicated(names_of_checks(table)), 0L)
  built <- drawn(x, "check")
  expect_identical(nlevels(built$plot$data$arm), nrow(table))
})
