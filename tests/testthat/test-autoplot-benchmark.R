skip_if_not_installed("ggplot2")

plot_benchmark <- function(problems = 2, budget = c(4, 9, 50), keep = "pulls") {
  model <- arm_model(paste("arm", 1:6), prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  other <- arm_model(4, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  all <- list(named = problem_gaussian(model), numbered = problem_gaussian(other))
  benchmark_policies(all[seq_len(problems)], c("uniform", "bayesgap"), budget,
    reps = 8, seed = 1, keep = keep
  )
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

test_that("what cannot be drawn is refused by class", {
  found <- plot_benchmark(1, 9, keep = NULL)
  expect_error(ggplot2::autoplot(found, "bars"), class = "bayesgap_error_type")
  expect_error(
    ggplot2::autoplot(found, "allocation"), "keep = \"pulls\"", class = "bayesgap_error_benchmark"
  )
  expect_error(ggplot2::autoplot(found[0, ]), "no rows", class = "bayesgap_error_benchmark")
  expect_error(ggplot2::autoplot(found, "error", colour = 2), class = "bayesgap_error_argument")
  expect_error(ggplot2::autoplot(found, epsilon = NA), class = "bayesgap_error_epsilon")
})
