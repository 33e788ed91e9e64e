rates <- function(...) arm_model(4, prior_mean = 0.3, prior_sd = 0.05, ...)

test_that("policies know the noise of the prior mean, for one pull", {
  p <- problem_binomial(rates(family = "binomial"), trials = 21)
  expect_equal(p$fit$noise2, rep(0.3 * 0.7 / 21, 4))
  expect_identical(p$kind, "binomial")
  expect_identical(p$law, list(name = "binomial", size = 21L, side = 1))
  expect_match(format(p)[1], "<problem> binomial, 4 arms, means drawn from the prior, maximise")
  q <- problem_poisson(rates(), exposure = 2.5, maximise = FALSE)
  expect_equal(q$fit$noise2, rep(0.3 / 2.5, 4))
  expect_identical(q$law, list(name = "poisson", size = 2.5, side = -1))
  expect_equal(q$fit$mean, rep(-0.3, 4))
})

# One run's rewards, pulled by the policy uniform.
rewards_in <- function(problem, budget = 400L, seed = 1) {
  problem$world <- problem_world(problem, 1L)
  run_replication(problem, policy("uniform"), budget, budget, new_stream(seed))
}

test_that("a pull is a share of successes, or a count by its exposure, about the true rate", {
  means <- c(0.05, 0.3, 0.9, 1)
  for (maximise in c(TRUE, FALSE)) {
    sign <- if (maximise) 1 else -1
    got <- rewards_in(problem_binomial(rates(), means, trials = 7, maximise = maximise))
    y <- sign * got$y
    expect_equal(y * 7, round(y * 7))
    expect_true(all(y >= 0 & y <= 1))
    expect_true(all(y[got$arm == 4] == 1))
    expect_equal(as.double(tapply(y, got$arm, mean)), means, tolerance = 0.06)
    expect_equal(var(y[got$arm == 2]), 0.21 / 7, tolerance = 0.35)
    got <- rewards_in(problem_poisson(rates(), c(0, 1, 4, 20), exposure = 0.5, maximise = maximise))
    y <- sign * got$y
    expect_equal(y * 0.5, round(y * 0.5))
    expect_true(all(y[got$arm == 1] == 0))
    expect_equal(as.double(tapply(y, got$arm, mean)), c(0, 1, 4, 20), tolerance = 0.06)
    expect_equal(var(y[got$arm == 4]), 20 / 0.5, tolerance = 0.35)
  }
})

test_that("C finds a law by the name of its family, and says which it does not know", {
  for (name in family_names) {
    p <- problem_gaussian(rates(noise_sd = 1), means = c(0.2, 0.4, 0.6, 0.8))
    p$law$name <- name
    y <- rewards_in(p)$y
    expect_identical(all(y %in% 0:1), name == "binomial")
    expect_identical(all(y >= 0 & y %% 1 == 0), name != "gaussian")
  }
  p$law$name <- "gamma"
  expect_error(rewards_in(p), "no law \"gamma\"")
})

test_that("drawn means are cut to what rates can be", {
  for (maximise in c(TRUE, FALSE)) {
    sign <- if (maximise) 1 else -1
    wild <- arm_model(8, prior_mean = 0.5, prior_sd = 3)
    p <- problem_binomial(wild, trials = 3, maximise = maximise)
    got <- rewards_in(p, 64L)
    expect_true(all(sign * got$y >= 0 & sign * got$y <= 1))
    expect_lte(got$regret, 1)
    q <- problem_poisson(wild, maximise = maximise)
    expect_true(all(sign * rewards_in(q, 64L)$y >= 0))
    for (own in list(p, q)) {
      own$world <- problem_world(own, 1L)
      chosen <- policy("first", choose = function(s) 1 + s$t %% 8)
      got <- run_replication(own, chosen, 24L, 24L, new_stream(1))
      expect_true(all(sign * got$y >= 0))
      expect_gte(got$regret, 0)
    }
  }
})

test_that("a benchmark of rates: the same seed, the same table; more trials, less regret", {
  run <- function(trials) {
    p <- problem_binomial(rates(family = "binomial"), trials = trials)
    benchmark_policies(p, c("bayesgap", "uniform"), budget = 12, reps = 40, seed = 1)
  }
  expect_identical(run(5), run(5))
  expect_lt(mean(run(500)$regret), mean(run(1)$regret))
  own <- policy("turns", choose = function(s) 1 + s$t %% 4)
  q <- problem_poisson(rates(family = "poisson"), exposure = 9, maximise = FALSE)
  table <- benchmark_policies(list(q, problem_gaussian(rates(noise_sd = 1))), list(own, "ttts"),
                              budget = 8, reps = 3, seed = 1)
  expect_setequal(table$problem, c("poisson", "gaussian"))
})

test_that("what cannot be is refused, and says what to do", {
  refused <- function(code, class, message) {
    e <- fault(code)
    expect_s3_class(e, paste0("bayesgap_error_", class))
    expect_match(conditionMessage(e), message)
  }
  refused(problem_binomial(), "model", "made by arm_model")
  refused(problem_binomial(rates(noise_sd = 1)), "family", "no `noise_sd`|and no")
  refused(problem_binomial(rates(family = "poisson")), "family", "family = \"binomial\"")
  refused(problem_binomial(arm_model(2, family = "binomial")), "model", "prior_mean")
  refused(problem_binomial(rates(), trials = 0), "trials", "from 1")
  refused(problem_binomial(rates(), trials = 1.5), "trials", "whole number")
  refused(problem_poisson(rates(), exposure = 0), "exposure", "above 0")
  refused(problem_binomial(rates(), c(0.1, 0.2, 0.3, 1.4)), "means", "between 0 and 1")
  refused(problem_poisson(rates(), c(0.1, 0.2, 0.3, -1)), "means", "from 0")
  refused(problem_binomial(arm_model(2, prior_mean = 0, prior_sd = 1)), "model", "above 0 and below 1")
  refused(problem_binomial(arm_model(2, prior_mean = 2, prior_sd = 1)), "model", "between 0 and 1")
  refused(problem_binomial(rates(blocks = 3)), "block", "must not have")
  refused(problem_gaussian(rates(family = "binomial")), "family", "use problem_binomial()")
  refused(problem_pool(matrix(1:4), rates(family = "poisson")), "family", "use problem_poisson()")
})
