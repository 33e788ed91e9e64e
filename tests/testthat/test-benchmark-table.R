test_that("a part of the table and several tables together are still a benchmark", {
  found <- some_benchmark()
  part <- found[found$policy == "uniform", ]
  expect_s3_class(part, "bayesgap_benchmark")
  expect_identical(attr(part, "arms"), attr(found, "arms"))
  expect_identical(class(found[c("policy", "regret")]), "data.frame")
  expect_null(attr(found[c("policy", "regret")], "arms"))
  expect_identical(found[, "regret"], found$regret)
  expect_identical(found[["arm"]], found$arm)
  expect_identical(class(as.data.frame(found)), "data.frame")

  more <- list(more = problem_gaussian(smooth_model(4)))
  other <- benchmark_policies(more, "uniform", 4, reps = 3, seed = 1)
  both <- rbind(found, other)
  expect_s3_class(both, "bayesgap_benchmark")
  expect_identical(nrow(both), nrow(found) + 3L)
  expect_identical(attr(both, "arms")$more, as.character(1:4))
  expect_identical(names(attr(rbind(found, found), "arms")), c("drawn", "pool"))
  split <- rbind(found[found$rep <= 3, ], found[found$rep > 3, ])
  expect_identical(
    as.data.frame(summary(split)), as.data.frame(summary(found))
  )
})

test_that("only benchmarks are put below each other", {
  found <- benchmark_policies(
    problem_gaussian(arm_model(3, prior_mean = 0, prior_sd = 1, noise_sd = 1)), "uniform", 4, 2, 1
  )
  for (strange in list(1, data.frame(a = 1), globalenv())) {
    expect_error(rbind(found, strange), class = "bayesgap_error_benchmark")
  }
})

test_that("summary() gives means and intervals as by hand", {
  found <- some_benchmark(reps = 25)
  for (epsilon in c(0, 0.1)) {
    table <- summary(found, epsilon = epsilon)
    expect_s3_class(table, "summary.bayesgap_benchmark")
    expect_named(table, c(
      "problem", "policy", "budget", "n", "regret", "regret_lower", "regret_upper", "p_error",
      "p_lower", "p_upper"
    ))
    expect_identical(nrow(table), 12L)
    for (i in seq_len(nrow(table))) {
      row <- as.list(table[i, ])
      regret <- found$regret[found$problem == row$problem & found$policy == row$policy &
        found$budget == row$budget]
      expect_identical(row$n, 25L)
      expect_equal(row$regret, mean(regret))
      t <- stats::t.test(regret)$conf.int
      expect_equal(c(row$regret_lower, row$regret_upper), pmax(as.vector(t), 0))
      # stats::prop.test() without correction gives Wilson's interval.
      wilson <- suppressWarnings(stats::prop.test(sum(regret > epsilon), 25, correct = FALSE))
      expect_equal(row$p_error, mean(regret > epsilon))
      expect_equal(c(row$p_lower, row$p_upper), as.vector(wilson$conf.int), tolerance = 1e-9)
    }
    by_group <- split(table$regret, list(table$problem, table$budget))
    expect_false(any(vapply(by_group, is.unsorted, TRUE)))
  }
  narrow <- summary(found, level = 0.5)
  expect_true(all(narrow$p_upper < summary(found)$p_upper))
  expect_error(summary(found, epsilon = -1), class = "bayesgap_error_epsilon")
  expect_error(summary(found, level = 95), class = "bayesgap_error_level")
  expect_error(summary(found, 0.1), class = "bayesgap_error_argument")
})

test_that("Wilson's interval at its ends", {
  ends <- wilson_interval(c(0, 10), 10, 0.95)
  z2 <- qnorm(0.975)^2
  expect_equal(ends$lower, c(0, 10 / (10 + z2)))
  expect_equal(ends$upper, c(z2 / (10 + z2), 1))
})

test_that("benchmarks and summaries print themselves, whatever is left of them", {
  found <- some_benchmark(keep = "pulls")
  expect_output(print(found), "2 problems, 3 policies, 2 budgets, 84 runs")
  expect_output(print(found), "kept besides: pulled")
  expect_output(print(found), "pool, budget 9, 7 replications")
  expect_output(print(summary(found, epsilon = 0.1)), "P\\(regret > 0.1\\), in brackets 95%")
  expect_output(print(found[0, ]), "0 runs")
  expect_output(print(summary(found)[c("policy", "regret")]), "uniform")
  one <- found[found$rep == 1, ]
  expect_output(print(one), "NA, NA")
  uneven <- found[found$rep == 1 | found$policy == "uniform", ]
  expect_output(print(uneven), "1 to 7 replications")
})
