test_that("for every t: stopped after t and continued, the run is the same", {
  objective <- function(arm) sin(arm) + rnorm(1)
  whole <- bayesgap(7, objective, budget = 14, seed = 3)
  for (t in 1:13) {
    e <- tryCatch(
      bayesgap(7, function(arm, pull) if (pull$index > t) stop("pause") else objective(arm),
        budget = 14, on_error = "stop", seed = 3),
      bayesgap_error_objective = identity
    )
    expect_identical(bayesgap(e$run, objective, budget = 14), whole)
  }
})

test_that("a saved run goes on in a new session as if nothing had happened", {
  skip_long_on_cran()
  objective <- function(arm) arm + rnorm(1)
  cov <- exp(-outer(1:9, 1:9, "-")^2 / 4)
  whole <- bayesgap(9, objective, budget = 30, cov = cov, seed = 6)
  x <- bayesgap(9, budget = 30, cov = cov, seed = 6)
  for (i in 1:12) {
    x <- tell(x, as.data.frame(whole)$y[i])
  }
  file <- tempfile(fileext = ".bgap")
  saveRDS(x, file)
  code <- c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "library(bayesgap)",
    sprintf("x <- readRDS(%s)", deparse(file)),
    "x <- bayesgap(x, function(arm) arm + rnorm(1), budget = 30)",
    sprintf("saveRDS(x, %s)", deparse(file))
  )
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  status <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)))
  expect_equal(status, 0)
  expect_identical(readRDS(file), whole)
})

test_that("a finished run is extended, and evaluated no more at the same budget", {
  x <- bayesgap(3, function(arm) arm, budget = 5, seed = 1)
  expect_identical(bayesgap(x, function(arm) stop("no pull"), budget = 5), x)
  more <- bayesgap(x, function(arm) arm, budget = 9)
  expect_equal(nobs_of(more), 9)
  expect_identical(more$log$reward[1:5], x$log$reward)
  expect_error(bayesgap(x, budget = 4), class = "bayesgap_error_budget")
  expect_error(bayesgap(x, budget = 9, noise_sd = 1), class = "bayesgap_error_argument")
})

test_that("init is pulled first", {
  x <- bayesgap(c("a", "b", "c"), function(arm) 1, budget = 5, init = c("c", "a"), seed = 1)
  expect_equal(as.data.frame(x)$arm[1:2], c("c", "a"))
  x <- bayesgap(5, function(arm) rnorm(1), budget = 12, init = 10, seed = 1)
  expect_equal(tabulate(x$log$arm[1:10], 5), rep(2, 5))
  expect_error(bayesgap(3, budget = 2, init = 3), class = "bayesgap_error_init")
  expect_error(bayesgap(3, budget = 2, init = "z"), class = "bayesgap_error_arm")
  expect_error(bayesgap(3, budget = 2, init = c(1, 2, 3)), class = "bayesgap_error_init")
})

test_that("stop_regret stops when the regret is small", {
  x <- bayesgap(3, function(arm) 10 * arm + rnorm(1, sd = 0.1),
    budget = 50, prior_mean = 20, prior_sd = 10, noise_sd = 0.1, stop_regret = 1, seed = 1)
  expect_lt(nobs_of(x), 10)
  expect_output(print(x), "stopped early: the regret is small enough")
  expect_equal(nrow(ask(x)), 0)
  expect_error(bayesgap(3, budget = 2, stop_regret = -1), class = "bayesgap_error_stop_regret")
})

test_that("a bound on the regret is not acted upon before its size is known", {
  runs <- vapply(1:60, function(seed) {
    x <- bayesgap(20, function(arm) rnorm(1, 3 * (arm == 7)),
      budget = 100, stop_regret = 0.5, seed = seed
    )
    c(pulls = x$last, wrong = best_arm(x) != 7)
  }, double(2))
  expect_gte(min(runs["pulls", ]), 10)
  expect_lte(mean(runs["wrong", ]), 0.1)
  known <- bayesgap(5, function(arm) arm, budget = 50, stop_regret = 100, prior_mean = 0,
                    prior_sd = 1, noise_sd = 1, seed = 1)
  expect_equal(known$last, 1)
})

test_that("exact observations end the run when every arm is known", {
  x <- bayesgap(4, function(arm) arm^2, budget = 100, noise_sd = 0, seed = 1)
  expect_identical(best_arm(x), 4L)
  expect_equal(nobs_of(x), 4)
  expect_output(print(x), "stopped early: every arm is known")
  expect_equal(posterior(x)$p_best, c(0, 0, 0, 1))
  expect_false(anyNA(posterior(x)))
})

test_that("fewer pulls than arms is the normal case", {
  arms <- data.frame(position = 1:60)
  x <- bayesgap(arms, function(arm) -(arm$position - 40)^2 / 100 + rnorm(1, sd = 0.1),
    budget = 12, cov = exp(-outer(1:60, 1:60, "-")^2 / 200), seed = 2)
  expect_lt(abs(best_arm(x)$position - 40), 8)
})

test_that("one arm, two, 100,000; one pull, fewer than arms, a million", {
  expect_identical(best_arm(bayesgap(1, function(arm) 0, budget = 3)), 1L)
  expect_equal(nobs_of(bayesgap(2, function(arm) 0, budget = 1)), 1)
  for (budget in c(7, 8)) {
    expect_equal(nobs_of(small_run(budget = budget)), budget)
  }
  many <- bayesgap(1e5, function(arm) -arm, budget = 3, seed = 1)
  expect_equal(nobs_of(many), 3)
  long <- fault(bayesgap(2, function(arm) stop("enough"), budget = 1, seed = 1))$run
  expect_equal(bayesgap(long, budget = 1e6)$budget, 1e6L)
  for (budget in list(0, 2.5, -1, NA, "10", 1e12, Inf, NaN, NULL, 1:2, TRUE)) {
    expect_error(bayesgap(3, budget = budget), "whole number from 1 to 2,147,483,647",
      class = "bayesgap_error_budget")
  }
  for (arms in list(0, 1.5, -3, 46341^2, Inf)) {
    expect_error(bayesgap(arms, budget = 3), class = "bayesgap_error_arms")
  }
})

test_that("options of the session do not matter", {
  plain <- bayesgap(4, function(arm) arm + rnorm(1), budget = 9, seed = 1)
  old <- options(OutDec = ",", warn = 2, digits = 3, stringsAsFactors = FALSE)
  on.exit(options(old))
  expect_identical(bayesgap(4, function(arm) arm + rnorm(1), budget = 9, seed = 1), plain)
})

test_that("the engine in C is the same run as one driven from R", {
  skip_long_on_cran()
  set.seed(8)
  compared <- character()
  for (name in policies()$policy) {
    for (i in 1:6) {
      p <- random_problem(k = sample.int(25L, 1L), budget = sample.int(60L, 1L))
      p$budget <- max(p$budget, least_budget(name, p$features, p$noise_sd))
      truth <- rnorm(p$k)
      model <- arm_model(p$k,
        features = p$features, prior_mean = p$mean, prior_sd = p$prior_sd,
        noise_sd = p$noise_sd
      )
      fit <- uncentred(first_fit(model))
      engine <- function(seed) {
        set.seed(seed)
        .Call(
          bg_run, model$prior, fit, policy(name), list(p$budget, NULL),
          list(truth, rep(0, p$k), NULL, list("gaussian", 1, 1)), p$budget
        )
      }
      found <- engine(1)
      pulled <- found$arm[!is.na(found$arm)]
      expect_equal(found$y[seq_along(pulled)], truth[pulled])
      expect_equal(found$regret, max(truth) - truth[found$best])
      # Where chance plays no part the two must agree.
      same <- vapply(2:12, function(seed) identical(engine(seed)$arm, found$arm), TRUE)
      if (all(same)) {
        x <- bayesgap(model, function(arm) truth[arm], budget = p$budget, policy = name)
        expect_identical(x$log$arm, pulled, label = paste(name, i))
        expect_identical(best_arm(x), found$best, label = paste(name, i, "best"))
        compared <- c(compared, name)
      }
    }
  }
  expect_gt(sum(compared == "bayesgap"), 3)
  expect_gt(length(unique(compared)), 5)
})

test_that("more memory than there is anywhere is refused before it is asked for", {
  expect_error(bayesgap(2147483647, budget = 5), "540,000,000,000 bytes.*16,000,000,000",
    class = "bayesgap_error_memory")
  expect_error(bayesgap(10, function(arm) 1, budget = 2e9), class = "bayesgap_error_memory")
  x <- bayesgap(10, function(arm) 1, budget = 2, seed = 1)
  expect_error(bayesgap(x, function(arm) 1, budget = 2e9), class = "bayesgap_error_memory")
  expect_no_error(check_run_memory(1e6, 1e6, "independent"))
  expect_no_error(check_run_memory(1e5, 400, "kernel"))
  expect_error(check_run_memory(1e5, 1e5, "kernel"), class = "bayesgap_error_memory")
})

test_that("what is said of rounding and fits ends no run where warnings are errors", {
  old <- options(warn = 2)
  on.exit(options(old))
  cov <- matrix(1, 4, 4) + diag(1e-3, 4)
  expect_warning(
    x <- bayesgap(4, function(arm) arm / 100, budget = 12, cov = cov, prior_mean = 0, prior_sd = 1,
                  noise_sd = 1e-7, seed = 1),
    class = "bayesgap_warning_precision"
  )
  expect_equal(nobs(x), 12)
})

test_that("where rates tell the noise, what is said of rounding does not ask for another", {
  cov <- matrix(1, 4, 4) + diag(1e-3, 4)
  x <- bayesgap(4, budget = 12, cov = cov, family = "binomial", prior_mean = 0.5, prior_sd = 0.2,
                seed = 1)
  told <- data.frame(arm = rep(1:4, 2), successes = 4e14 + 1e13 * 1:8, trials = 1e15, pull = NA)
  w <- expect_warning(tell(x, told), class = "bayesgap_warning_precision")
  expect_match(conditionMessage(w), "so large `trials` .* without a `family`")
  expect_no_match(conditionMessage(w), "0 where rewards are exact")
})
