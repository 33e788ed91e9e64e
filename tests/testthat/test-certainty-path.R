test_that("the run after some rows is the run that was told these rows and no others", {
  told <- data.frame(arm = c(3, 1, 3, 2, 1), y = c(2, 0.5, 2.4, 1, 0.2), pull = 1:5)
  known <- list(prior_mean = 1, prior_sd = 2, noise_sd = 0.5)
  for (given in list(known, list(), list(cov = cov8[1:4, 1:4]))) {
    start <- do.call(bayesgap, c(list(4, budget = 9, seed = 1), given))
    whole <- tell(start, told)
    for (n in c(1, 3, 5)) {
      then <- tell(start, told[seq_len(n), ])
      now <- run_after(whole, n)
      then$stream <- now$stream # the same draws
      expect_equal(certainty(now, 2000)$best, certainty(then, 2000)$best)
      expect_equal(means_of(now), means_of(then))
      expect_equal(means_of(then)[now$belief$best], max(means_of(then))) # several may be level
    }
  }
})

test_that("with everything given the belief is the same to rounding", {
  x <- small_run(prior_mean = 0, prior_sd = 1, noise_sd = 0.3)
  expect_equal(run_after(x, length(x$log$arm))$belief$mean, x$belief$mean)
  expect_equal(run_after(x, length(x$log$arm))$belief$var, x$belief$var)
  none <- run_after(x, 0)
  expect_equal(none$belief$var, rep(1, 8))
})

test_that("failures, blocks and families of the first rows are those of the rows", {
  x <- quietly(bayesgap(rates, train, 30, seed = 1))
  at <- which(is.na(x$log$reward))
  expect_null(run_after(x, at[1] - 1)$failures)
  expect_identical(max(run_after(x, at[2])$failures$own), 2L)
  blocked <- picture_runs()$plates
  expect_length(run_after(blocked, 3)$blocks, 3)
  expect_no_error(certainty_path(blocked, most = 4))
  clicks <- bayesgap(2, function(arm) rbinom(1, 1, arm / 3), 12, family = "binomial", seed = 1)
  expect_no_error(certainty_path(clicks, most = 4))
})

test_that("a path goes over the log evenly and ends with what the run says", {
  x <- small_run()
  before <- x
  path <- certainty_path(x, most = 5)
  expect_identical(x, before)
  expect_equal(path$rows, c(0, 3, 6, 9, 12))
  expect_equal(path$observed, path$rows)
  expect_equal(rowSums(path$best), rep(1, 5))
  expect_identical(path$best[5, ], posterior(x)$p_best)
  expect_equal(path$regret[5], regret_bound(certainty(x)))
  expect_identical(certainty_path(x, most = 5), path)
  expect_gte(min(path$regret), 0)
  expect_identical(path_rows(bayesgap(2, budget = 3), 40), 0)
  expect_length(path_rows(small_run(budget = 60), 40), 40)
  slow <- list(log = list(arm = rep(1L, 200)), blocks = "1", unknowns = TRUE)
  slow$model <- small_run()$model
  slow$model$arms$names <- as.character(1:200)
  expect_length(path_rows(slow, 40), 12)
})

test_that("the leaders are the likeliest over the run, the recommended one first", {
  path <- list(best = rbind(c(0.1, 0.6, 0.3, 0), c(0.2, 0.5, 0.3, 0)))
  expect_identical(leading_arms(path, 4L, 2L), c(4L, 2L))
  expect_identical(leading_arms(path, 2L, 3L), c(2L, 3L, 1L, 4L)) # not one alone is left out
  expect_identical(leading_arms(path, 1L, 2L), c(1L, 2L))
})
