test_that("plot() draws runs of every size and returns the run", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(grDevices::dev.off())
  for (k in c(1, 3, 60, 200)) {
    x <- bayesgap(k, function(arm) sin(arm), budget = 5, seed = 1)
    expect_identical(plot(x), x)
  }
  expect_no_error(plot(bayesgap(paste("a long name", 1:9), budget = 3), level = 0.5, main = "mine"))
  expect_error(plot(x, level = 2), class = "bayesgap_error_level")
  expect_gt(file.size(file), 1000)
})

test_that("plot() draws checks of every size and returns them", {
  grDevices::pdf(NULL)
  device <- grDevices::dev.cur()
  on.exit(grDevices::dev.off(device))
  for (k in c(1, 3, 200)) {
    x <- bayesgap(k, function(arm) sin(arm), budget = 80, policy = "uniform", seed = 1)
    check <- predictive_check(x)
    expect_identical(plot(check), check)
  }
  none <- predictive_check(bayesgap(3, budget = 3))
  expect_identical(plot(none, main = "mine", ylim = c(2, 3)), none)
})

test_that("arguments that are no graphical parameters are refused by name", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  x <- bayesgap(3, function(arm) arm, budget = 4, seed = 1)
  for (object in list(x, predictive_check(x))) {
    expect_no_error(plot(object, main = "mine", ylim = c(0, 9), cex.axis = 2, sub = NULL))
    expect_error(plot(object, type = "zz"), "`type`", class = "bayesgap_error")
    expect_error(plot(object, mian = "a"), "Did you mean `main`?", fixed = TRUE,
      class = "bayesgap_error_argument")
    expect_error(plot(object, ylim = "a"), "ylim", class = "bayesgap_error_plot")
    expect_error(plot(object, main = sum), class = "bayesgap_error_plot")
  }
  expect_error(plot(x, "arms", 3), class = "bayesgap_error_argument")
  expect_error(plot(x, "zz"), "\"blocks\"", class = "bayesgap_error_type")
  expect_error(plot(x, "log", mian = "a"), "Did you mean", class = "bayesgap_error_argument")
  expect_error(plot(x, "blocks", level = 1), class = "bayesgap_error_level")
})

test_that("plot() draws blocks and logs of every kind", {
  close <- on_a_device()
  on.exit(close())
  for (x in picture_runs()) {
    for (type in c("blocks", "log")) {
      expect_identical(plot(x, type, main = "mine", ylim = c(-5, 5)), x)
      expect_no_warning(plot(x, type))
    }
  }
})

test_that("a log is coloured by block, else by few arms, else not at all", {
  runs <- picture_runs()
  blocked <- drawn_log(runs$blocked)
  expect_identical(as.character(blocked$group), runs$blocked$blocks[runs$blocked$log$block])
  expect_identical(blocked$y, as.data.frame(runs$blocked)$y)
  expect_identical(blocked$best, as.data.frame(runs$blocked)$arm == best_arm(runs$blocked))
  expect_identical(log_looks(blocked)$title, "block")
  few <- drawn_log(runs$few)
  expect_identical(log_looks(few)$title, "arm")
  expect_true(log_looks(few)$key)
  expect_false(log_looks(drawn_log(runs$many))$key)
  looks <- log_looks(drawn_log(runs$plates))
  expect_false(looks$key)
  expect_identical(anyDuplicated(paste(looks$colour, looks$shape)), 0L)
  expect_identical(drawn_log(runs$outside)$at, 1:3)
  expect_match(log_axis(runs$outside), "order told")
  expect_identical(log_axis(runs$blocked), "pull")
})

test_that("of many blocks those with most pulls are drawn", {
  x <- bayesgap(2, budget = 5, block_sd = 1, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  x <- tell(x, data.frame(pull = NA, arm = 1, y = 0, block = c(1:70, 61:70)))
  shown <- drawn_blocks(x, 0.95)
  expect_identical(shown$block, as.character(c(1:50, 61:70)))
})

test_that("pictures claim no more than was measured", {
  skip_if_not_installed("ggplot2")
  x <- bayesgap(c("a", "b"), function(arm) match(arm, c("a", "b")), budget = 20, noise_sd = 0.1,
    seed = 1)
  expect_identical(best_title(x, certainty(x)), "Best arm: b  (P > 0.99)")
  expect_identical(autoplot.bayesgap(x)$labels$title, "Best arm: b  (P > 0.99)")
  new <- bayesgap(2, budget = 2, prior_mean = c(0, 0.1), prior_sd = 1, noise_sd = 1)
  expect_match(best_title(new, certainty(new)), "^Best arm: 2  [(]P = 0.5[0-9][)]$")
})

test_that("the recommended arm is in the picture, however many are better", {
  last <- policy("last", choose = function(s) 1, recommend = function(s) 90)
  x <- bayesgap(100, function(arm) -arm / 10, budget = 5, prior_mean = -(1:100) / 10, prior_sd = 1,
                noise_sd = 0.1, policy = last, seed = 1)
  shown <- shown_arms(x)
  expect_length(shown, 60)
  expect_equal(shown[1], 90)
  expect_false(anyDuplicated(shown) > 0)
  expect_equal(shown_arms(bayesgap(5, budget = 3)), 1:5)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_no_error(plot(x))
})

test_that("a run with an arm set aside, and one in which nothing worked, are drawn", {
  close <- on_a_device()
  on.exit(close())
  x <- quietly(bayesgap(rates, train, 30, seed = 1))
  none <- tell(bayesgap(3, budget = 9), data.frame(arm = 1, y = NA, pull = NA, failed = TRUE))
  for (run in list(x, none)) {
    for (type in c("arms", "blocks", "log")) {
      expect_no_warning(plot(run, type))
    }
  }
})
