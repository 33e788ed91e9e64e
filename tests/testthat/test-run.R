test_that("a run spends the budget and finds a clear best", {
  x <- bayesgap(c("a", "b", "c"), function(arm) match(arm, c("a", "c", "b")) + rnorm(1, sd = 0.1),
    budget = 15, seed = 1)
  expect_identical(best_arm(x), "b")
  expect_equal(nrow(as.data.frame(x)), 15)
  expect_equal(sum(posterior(x)$pulls), 15)
  expect_gt(posterior(x)$p_best[2], 0.95)
  expect_identical(best_arm(bayesgap(c("a", "b", "c"), function(arm) nchar(arm) * match(arm, c("b", "c", "a")),
    budget = 9, maximise = FALSE, seed = 1)), "b")
})

test_that("the objective may return a number, y and se, or a list", {
  x <- bayesgap(2, function(arm) c(se = 0.5, y = arm), budget = 3, seed = 1)
  expect_equal(as.data.frame(x)$se, rep(0.5, 3))
  expect_equal(as.data.frame(x)$y, as.numeric(as.data.frame(x)$arm))
  x <- bayesgap(2, function(arm, pull) {
    list(y = arm, se = 1, at = pull$index, who = "me", seed = pull$seed, batch = pull$batch)
  }, budget = 4, seed = 1)
  table <- as.data.frame(x)
  expect_equal(table$at, 1:4)
  expect_equal(table$who, rep("me", 4))
  expect_equal(length(unique(table$seed)), 4)
  expect_true(all(is.na(table$error)))
  x <- bayesgap(2, function(arm) list(y = 1, curve = 1:3), budget = 2)
  expect_equal(as.data.frame(x)$curve, list(1:3, 1:3))
})

test_that("a failing objective with on_error = \"skip\" loses one pull and no observation", {
  calls <- 0
  x <- bayesgap(3, function(arm) {
    calls <<- calls + 1
    if (calls == 37) stop("the lamp broke") else arm + rnorm(1)
  }, budget = 40, seed = 1)
  table <- as.data.frame(x)
  expect_equal(nrow(table), 40)
  expect_equal(sum(!is.na(table$y)), 39)
  expect_equal(table$error[37], "the lamp broke")
  expect_equal(sum(posterior(x)$pulls), 39)
  expect_output(print(x), "1 failed pull, the last: the lamp broke")
})

test_that("a failing objective with on_error = \"stop\" hands over what was observed", {
  calls <- 0
  fails <- function(arm) {
    calls <<- calls + 1
    if (calls == 37) stop("the lamp broke") else arm + rnorm(1)
  }
  e <- tryCatch(
    bayesgap(3, fails, budget = 40, on_error = "stop", seed = 1),
    bayesgap_error_objective = identity
  )
  expect_s3_class(e, "bayesgap_error_objective")
  expect_match(conditionMessage(e), "Pull 37 .*the lamp broke")
  expect_equal(nobs_of(e$run), 36)
  # Going on from there equals a run that never failed.
  rest <- bayesgap(e$run, function(arm) arm + rnorm(1), budget = 40)
  expect_identical(rest, bayesgap(3, function(arm) arm + rnorm(1), budget = 40, seed = 1))
})

test_that("whatever is not a reward is a failure that says what came back", {
  returns <- list(
    NA, NaN, Inf, -Inf, NULL, "a", TRUE, c(1, 2), list(1), list(y = NA), 1e200,
    c(y = 1, se = -1), c(y = 1, se = NA), list(y = 1, se = "x"), 1i, function() 1
  )
  messages <- vapply(returns, function(value) {
    x <- bayesgap(2, function(arm) value, budget = 2, seed = 1)
    expect_equal(nobs_of(x), 0)
    as.data.frame(x)$error[1]
  }, "")
  expect_snapshot(writeLines(messages))
})

test_that("a run in which everything fails stops after ten and can go on", {
  e <- tryCatch(
    bayesgap(3, function(arm) stop("no"), budget = 40, seed = 1),
    bayesgap_error_objective = identity
  )
  expect_match(conditionMessage(e), "10 pulls in a row failed")
  expect_equal(nrow(as.data.frame(e$run)), 10)
  rest <- bayesgap(e$run, function(arm) arm, budget = 40)
  expect_equal(nobs_of(rest), 30)
})

test_that("warnings of the objective are passed on", {
  expect_warning(bayesgap(1, function(arm) {
    warning("hot")
    1
  }, budget = 1), "hot")
})

test_that("a saved run goes on in a new session as if nothing had happened", {
  skip_on_cran()
  objective <- function(arm) arm + rnorm(1)
  cov <- exp(-outer(1:9, 1:9, "-")^2 / 4)
  whole <- bayesgap(9, objective, budget = 30, cov = cov, seed = 6)
  x <- bayesgap(9, budget = 30, cov = cov, seed = 6)
  for (i in 1:12) {
    x <- tell(x, as.data.frame(whole)$y[i])
  }
  file <- tempfile(fileext = ".rds")
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

test_that("nested runs and early exits do no harm", {
  inner <- function(arm) {
    y <- bayesgap(2, function(a) a + rnorm(1), budget = 3, seed = 1)
    arm + means_of(y)[1]
  }
  x <- bayesgap(3, inner, budget = 5, seed = 1)
  expect_equal(nobs_of(x), 5)
  set.seed(1)
  before <- .Random.seed
  escaped <- callCC(function(k) bayesgap(3, function(arm) k("out"), budget = 5, seed = 1))
  expect_identical(escaped, "out")
  expect_identical(.Random.seed, before)
})

test_that("options of the session do not matter", {
  plain <- bayesgap(4, function(arm) arm + rnorm(1), budget = 9, seed = 1)
  old <- options(OutDec = ",", warn = 2, digits = 3, stringsAsFactors = FALSE)
  on.exit(options(old))
  expect_identical(bayesgap(4, function(arm) arm + rnorm(1), budget = 9, seed = 1), plain)
})

test_that("a run holds plain data only", {
  x <- bayesgap(4, function(arm) arm, budget = 9, cov = diag(4), seed = 1)
  kinds <- rapply(unclass(x), typeof, how = "unlist")
  expect_true(all(kinds %in% c("integer", "double", "character", "logical")))
  expect_identical(unserialize(serialize(x, NULL)), x)
})

test_that("the engine in C is the same run as one driven from R", {
  skip_on_cran()
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
      fit <- uncentred(estimate_fit(model, 1, integer(), double(), double())$fit)
      engine <- function(seed) {
        set.seed(seed)
        .Call(
          bg_run, model$prior, fit, policy(name), list(p$budget, NULL),
          list(truth, rep(0, p$k), NULL), p$budget
        )
      }
      found <- engine(1)
      pulled <- found$arm[!is.na(found$arm)]
      expect_equal(found$y[seq_along(pulled)], truth[pulled])
      expect_equal(found$regret, max(truth) - truth[found$best])
      # Where chance plays no part the two must agree.
      if (identical(engine(2)$arm, found$arm) && identical(engine(3)$arm, found$arm)) {
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

test_that("bad calls are refused", {
  b <- function(...) bayesgap(3, ...)
  f <- function(arm) 1
  expect_snapshot(error = TRUE, {
    b()
    b(f)
    b(f, 0)
    b(f, -1)
    b(f, 2.5)
    b(f, "10")
    b(f, NA)
    b(f, 1e12)
    b(f, c(1, 2))
    b(f, Inf)
    b(f, NULL)
    b("f", 3)
    b(f, 3, 4)
    b(f, 3, bugdet = 4)
    b(f, 3, maximise = NA)
    b(f, 3, maximise = "yes")
    b(f, 3, on_error = "ignore")
    b(f, 3, progress = 1)
    b(f, 3, replace = "no")
  })
  expect_error(b(f, 0), class = "bayesgap_error_budget")
  expect_error(b("f", 3), class = "bayesgap_error_objective")
  expect_error(b(f, 3, maximise = NA), class = "bayesgap_error_maximise")
  expect_error(b(f, 3, bugdet = 1), class = "bayesgap_error_argument")
})

test_that("progress goes to the message stream: pulls, who leads, the time left", {
  slow <- function(arm) {
    Sys.sleep(0.02)
    arm
  }
  out <- capture.output(
    err <- capture.output(
      bayesgap(c("a", "b"), function(arm) slow(nchar(arm) + (arm == "b")),
        budget = 6, noise_sd = 0.1, progress = TRUE
      ),
      type = "message"
    )
  )
  expect_false(any(grepl("6/6", out)))
  lines <- strsplit(paste(err, collapse = "\n"), "\r")[[1]]
  expect_match(lines[2], "^\\[ +\\] 0/6  best: nothing yet")
  expect_match(lines[8], "^\\[={20}\\] 6/6  best: b \\(P (> )?0[.][0-9]{2}\\)  0 s left")
  expect_silent(bayesgap(2, function(arm) 1, budget = 2, progress = FALSE))
  expect_identical(in_words(59.4), "59 s")
  expect_identical(in_words(3599), "59 min 59 s")
  expect_identical(in_words(7384), "2 h 03 min")
})

test_that("a run tells progressr how far it is, where that is on", {
  skip_if_not_installed("progressr")
  old <- options(progressr.enable = TRUE, progressr.clear = FALSE)
  on.exit(options(old))
  steps <- 0
  texts <- character()
  counting <- progressr::make_progression_handler(
    "counting", list(update = function(config, state, progression, ...) {
      steps <<- state$step
      texts <<- c(texts, state$message)
    })
  )
  progressr::with_progress(
    x <- bayesgap(c("a", "b"), function(arm) 1, budget = 6, batch = 2, seed = 1),
    handlers = counting
  )
  expect_equal(steps, 6)
  expect_match(texts[length(texts)], "^best: [ab] \\(P ")
  expect_identical(x, bayesgap(c("a", "b"), function(arm) 1, budget = 6, batch = 2, seed = 1))
})

test_that("a misspelt argument is named, with what was meant", {
  f <- function(arm) 1
  expect_error(bayesgap(2, f, 3, maximize = FALSE), "`maximize`. Did you mean `maximise`?",
    fixed = TRUE, class = "bayesgap_error_argument")
  expect_error(bayesgap(2, f, 3, minimise = TRUE), "`minimise`. Use `maximise = FALSE`.",
    fixed = TRUE, class = "bayesgap_error_argument")
  expect_error(bayesgap(2, f, 3, minimize = TRUE), "Use `maximise = FALSE`", fixed = TRUE)
  expect_error(arm_model(2, noise_std = 1), "Did you mean `noise_sd`?", fixed = TRUE)
  x <- bayesgap(2, budget = 3)
  expect_error(ask(x, 1, pendng = NULL), "Did you mean `pending`?", fixed = TRUE,
    class = "bayesgap_error_argument")
  expect_error(tell(x, 1, yy = 1), "`yy`", class = "bayesgap_error_argument")
  problem <- problem_gaussian(arm_model(2, prior_mean = 0, prior_sd = 1, noise_sd = 1))
  expect_error(benchmark_policies(problem, "uniform", 2, 2, progess = FALSE),
    "Did you mean `progress`?", fixed = TRUE, class = "bayesgap_error_argument")
  expect_error(problem_gaussian(problem$model, minimise = TRUE), "Use `maximise = FALSE`",
    fixed = TRUE, class = "bayesgap_error_argument")
  expect_error(policy("mine", choose = f, recomend = f), "Did you mean `recommend`?", fixed = TRUE,
    class = "bayesgap_error_argument")
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

test_that("a run that is not given is asked for", {
  for (f in list(ask, tell, posterior, best_arm, save_run, predictive_check)) {
    expect_error(f(), "`x` must be given", class = "bayesgap_error_run")
  }
})
