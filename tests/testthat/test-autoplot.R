skip_if_not_installed("ggplot2")

drawn <- function(...) {
  picture <- ggplot2::autoplot(...)
  expect_s3_class(picture, "ggplot")
  ggplot2::ggplot_build(picture)
}

plot_benchmark <- function(problems = 2, budget = c(4, 9, 50), keep = "pulls") {
  model <- arm_model(paste("arm", 1:6), prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  other <- arm_model(4, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  all <- list(named = problem_gaussian(model), numbered = problem_gaussian(other))
  benchmark_policies(all[seq_len(problems)], c("uniform", "bayesgap"), budget,
    reps = 8, seed = 1, keep = keep
  )
}

# A device that writes nothing; returns what closes it.
on_a_device <- function() {
  grDevices::pdf(NULL)
  device <- grDevices::dev.cur()
  function() grDevices::dev.off(device)
}

test_that("every picture of a benchmark is a ggplot that can be drawn", {
  close <- on_a_device()
  on.exit(close())
  for (problems in 1:2) {
    budget <- if (problems == 1) 9 else c(4, 9, 50)
    found <- plot_benchmark(problems, budget)
    for (type in c("error", "regret", "rate", "boxplot", "allocation")) {
      expect_no_warning(built <- drawn(found, type))
      budgets <- if (type %in% c("error", "boxplot")) length(budget) else 1
      expect_identical(nrow(built$layout$layout), as.integer(problems * budgets))
      expect_s3_class(ggplot2::ggplot_gtable(built), "gtable")
    }
  }
  expect_no_warning(drawn(plot_benchmark(1, c(4, 9)), "error"))
  expect_no_warning(drawn(plot_benchmark(2, 9), "boxplot"))
})

test_that("bars are the summary's numbers, the best policy on top", {
  close <- on_a_device()
  on.exit(close())
  found <- plot_benchmark(1, 9)
  table <- summary(found, epsilon = 0.05)
  built <- drawn(found, "error", epsilon = 0.05)
  table <- table[order(table$p_error, decreasing = TRUE), ]
  expect_equal(sort(built$data[[1]]$x), sort(table$p_error))
  expect_equal(sort(built$data[[2]]$xmin), sort(table$p_lower))
  top <- built$layout$panel_params[[1]]$y$get_labels()[2]
  expect_identical(top, table$policy[2])
})

test_that("the allocation has every arm and its shares add up to one", {
  cells <- allocation_table(plot_benchmark(2, 9))
  expect_identical(nrow(cells), 2L * (6L + 4L))
  sums <- tapply(cells$share, paste(cells$problem, cells$policy), sum)
  expect_equal(as.vector(sums), rep(1, 4))
  kept <- tapply(cells$favourite, paste(cells$problem, cells$policy), sum)
  expect_equal(as.vector(kept), rep(1, 4))
  found <- plot_benchmark(1, 12)
  attr(found, "arms") <- NULL
  expect_equal(sum(allocation_table(found)$share), 2)
})

test_that("many policies and many arms can be drawn", {
  close <- on_a_device()
  on.exit(close())
  model <- arm_model(200, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  many <- lapply(1:16, function(i) policy("bayesgap", beta = i))
  found <- benchmark_policies(problem_gaussian(model), many, 1:12,
    reps = 2, seed = 1, keep = "pulls"
  )
  for (type in c("error", "regret", "allocation")) {
    expect_no_warning(drawn(found, type))
  }
})

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

test_that("names are shortened in the middle", {
  expect_identical(short_names(c("short", strrep("x", 24))), c("short", strrep("x", 24)))
  expect_identical(short_names("abcdefghijklmnopqrstuvwxyz"), "abcdefghijklmn..stuvwxyz")
})

test_that("what cannot be drawn is refused by class", {
  found <- plot_benchmark(1, 9, keep = NULL)
  expect_error(ggplot2::autoplot(found, "bars"), class = "bayesgap_error_type")
  expect_error(
    ggplot2::autoplot(found, "allocation"), "keep = \"pulls\"", class = "bayesgap_error_benchmark"
  )
  expect_error(ggplot2::autoplot(found[0, ]), "no rows", class = "bayesgap_error_benchmark")
  expect_error(ggplot2::autoplot(found, "error", colour = 2), class = "bayesgap_error_argument")
  expect_error(ggplot2::autoplot(found, epsilon = NA), class = "bayesgap_error_epsilon")
  x <- bayesgap(2, budget = 3)
  expect_error(ggplot2::autoplot(x, "lines"), class = "bayesgap_error_type")
  expect_error(ggplot2::autoplot(x, level = 2), class = "bayesgap_error_level")
  expect_error(ggplot2::autoplot(x, size = 2), class = "bayesgap_error_argument")
})
