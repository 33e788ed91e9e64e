skip_if_not_installed("ggplot2")

test_that("the picture shows the path: P(best) of the leaders and of all others, and the regret", {
  close <- on_a_device()
  on.exit(close())
  x <- small_run()
  path <- certainty_path(x)
  arms <- leading_arms(path, x$belief$best)
  expect_no_warning(built <- drawn(x, "certainty"))
  lines <- built$data[[1]]
  first <- lines[lines$colour == best_colour, ]
  expect_equal(first$y, path$best[, x$belief$best])
  others <- lines[lines$colour == "grey55", ]
  expect_equal(others$y, 1 - rowSums(path$best[, arms]))
  expect_identical(unique(lines$group[lines$colour == best_colour]), max(lines$group)) # on top
  told <- path$observed >= 3
  expect_equal(built$data[[2]]$y, path$regret[told])
  expect_identical(nrow(built$layout$layout), 2L)
})

test_that("a bound on the regret follows its level", {
  x <- small_run(prior_mean = 0, prior_sd = 1, noise_sd = 0.3)
  high <- drawn(x, "certainty", level = 0.99)$data[[2]]$y
  low <- drawn(x, "certainty", level = 0.5)$data[[2]]$y
  expect_length(high, 13)
  expect_true(all(high >= low) && any(high > low))
})

test_that("runs that have hardly begun, or in which nothing worked, are drawn in silence", {
  close <- on_a_device()
  on.exit(close())
  new <- bayesgap(3, budget = 5)
  one <- tell(new, data.frame(arm = 2, y = 1, pull = 1))
  none <- tell(new, data.frame(arm = 1, y = NA, pull = NA, failed = TRUE))
  for (x in list(new, one, none, bayesgap(1, budget = 3), bayesgap(400, budget = 3))) {
    expect_no_warning(expect_message(built <- drawn(x, "certainty"), NA))
    expect_message(ggplot2::ggplot_gtable(built), NA)
    expect_match(built$plot$labels$caption, "fewer than three")
  }
  for (x in picture_runs()) {
    expect_no_warning(drawn(x, "certainty"))
  }
})

test_that("an arm whose name is in brackets is no other than it is", {
  expect_identical(leader_looks(3L, 3L)$colour[3], hues[hues != best_colour][2])
  expect_identical(leader_looks(3L, 4L)$colour[4], "grey55")
  expect_identical(leader_looks(1L, 1L)$colour, best_colour)
})
