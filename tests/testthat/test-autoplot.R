skip_if_not_installed("ggplot2")

test_that("pictures of runs of every kind can be drawn", {
  close <- on_a_device()
  on.exit(close())
  for (k in c(1, 3, 200)) {
    x <- bayesgap(k, function(arm) if (arm == 2) stop("no") else sin(arm), budget = 5, seed = 1)
    for (type in c("arms", "pulls", "check")) {
      expect_no_warning(drawn(x, type))
    }
  }
  x <- bayesgap(data.frame(arm = paste("a rather long name of an arm", 1:9), x = 1:9), budget = 5,
    maximise = FALSE)
  for (type in c("arms", "pulls", "check")) {
    expect_no_warning(drawn(x, type))
  }
  x <- tell(x, data.frame(arm = "a rather long name of an arm 3", y = 2, pull = NA))
  expect_no_warning(built <- drawn(x, "pulls"))
  expect_identical(built$data[[2]]$x, 0)
  built <- drawn(x, "arms", level = 0.5)
  expect_equal(built$data[[2]]$ymin, posterior(x, 0.5)$lower)
})

test_that("the picture of a check shows its table, arms outside marked", {
  close <- on_a_device()
  on.exit(close())
  x <- bayesgap(100, budget = 5, prior_mean = 0, prior_sd = 1, noise_sd = 0, maximise = FALSE)
  told <- data.frame(arm = 1:9, y = c(1, -3, 0, 0.5, 4, -1, 1.5, -0.2, 0.1), pull = NA)
  expect_no_warning(built <- drawn(tell(x, told), "check"))
  check <- predictive_check(tell(x, told))
  order <- order(check$expected, check$observed)
  expect_equal(built$data[[1]]$ymin, check$lower[order])
  expect_equal(built$data[[3]]$y, check$observed[order])
  expect_identical(built$data[[3]]$shape == 17, abs(check$z[order]) > qnorm(0.975))
  expect_equal(length(unique(built$data[[3]]$colour)), 2)
  expect_match(built$plot$labels$title, "^2 of 9 arms outside 95 % intervals")
  wide <- drawn(tell(x, told), "check", level = 0.9999999)
  expect_length(unique(wide$data[[3]]$colour), 1)
  many <- data.frame(arm = 1:100, y = rev(1:100) / 20, pull = NA)
  built <- drawn(tell(x, many), "check")
  expect_equal(built$data[[3]]$y, rev(many$y[1:60]))
})

test_that("pictures of blocks and logs show their tables", {
  close <- on_a_device()
  on.exit(close())
  for (x in picture_runs()) {
    for (type in c("blocks", "log")) {
      expect_no_warning(built <- drawn(x, type))
      expect_no_warning(ggplot2::ggplot_gtable(built))
    }
  }
  x <- picture_runs()$blocked
  built <- drawn(x, "blocks", level = 0.5)
  expect_equal(built$data[[2]]$ymin, block_effects(x, 0.5)$lower)
  expect_equal(built$data[[3]]$y, block_effects(x)$effect)
  expect_identical(built$plot$labels$title, trimws(format_blocks(x)))
  built <- drawn(x, "log")
  table <- as.data.frame(x)
  expect_equal(built$data[[1]]$y, table$y[!is.na(table$y)])
  expect_identical(built$data[[1]]$colour, hues[as.integer(table$block[!is.na(table$y)])])
  expect_equal(nrow(built$data[[2]]), sum(table$arm == best_arm(x) & !is.na(table$y)))
  expect_equal(built$data[[3]]$x, 4)
})

test_that("names are shortened in the middle", {
  expect_identical(short_names(c("short", strrep("x", 24))), c("short", strrep("x", 24)))
  expect_identical(short_names("abcdefghijklmnopqrstuvwxyz"), "abcdefghijklmn..stuvwxyz")
})

test_that("what cannot be drawn is refused by class", {
  x <- bayesgap(2, budget = 3)
  expect_error(ggplot2::autoplot(x, "lines"), class = "bayesgap_error_type")
  expect_error(ggplot2::autoplot(x, level = 2), class = "bayesgap_error_level")
  expect_error(ggplot2::autoplot(x, size = 2), class = "bayesgap_error_argument")
})

test_that("an arm that was set aside is drawn apart from the others, and the picture says so", {
  close <- on_a_device()
  on.exit(close())
  x <- quietly(bayesgap(rates, train, 30, seed = 1))
  built <- drawn(x, "arms")
  expect_equal(as.integer(built$data[[3]]$x), c(1:4, 6:8))
  expect_equal(as.integer(built$data[[5]]$x), 5L)
  expect_identical(built$data[[5]]$colour, "grey60")
  expect_identical(built$plot$labels$caption, aside_note)
  expect_null(drawn(retry_arms(x), "arms")$plot$labels$caption)
  none <- tell(bayesgap(3, budget = 9), data.frame(arm = 1, y = NA, pull = NA, failed = TRUE))
  for (run in list(x, none)) {
    for (type in c("arms", "pulls", "check", "blocks", "log")) {
      expect_no_warning(drawn(run, type))
    }
  }
})
