test_that("for every t and policy: stopped after t, resumed, the run is the same", {
  # With learned priors for one t here; for every t in tests/faults. Some need a pull of every arm.
  full <- c("rejects", "ucbe", "ugap")
  for (name in policies()$policy) {
    for (learned in c(FALSE, TRUE)) {
      budget <- if (name %in% c("halving", "gse")) 24 else if (name %in% full) 8 else 6
      args <- list(8, budget = budget, policy = name, seed = 3)
      args <- c(args, if (name == "gse") list(features = diag(8)) else list(cov = cov8))
      args <- c(args, if (!learned) list(prior_mean = 0, prior_sd = 1, noise_sd = 0.3))
      run <- function(objective, ...) {
        quietly(do.call(bayesgap, c(args, objective = objective, ...)))
      }
      whole <- run(noisy)
      stops <- if (learned) 3 else if (budget == 24) c(1, 5, 12, 23) else 0:budget
      same <- vapply(stops, function(t) {
        file <- fresh_file()
        on.exit(unlink(file))
        callCC(function(out) run(until(t + 1, function() out(NULL)), checkpoint = file))
        y <- run(noisy, checkpoint = file)
        identical(y, whole) && identical(read_run(file), whole)
      }, TRUE)
      expect_identical(stops[!same], stops[0], label = paste(name, learned))
    }
  }
})

test_that("batches: stopped anywhere and resumed, the run is the same", {
  for (batch in list(3, c(distinct = 3))) {
    whole <- small_run(batch = batch)
    for (t in c(0, 1, 2, 4, 8, 11)) {
      file <- fresh_file()
      callCC(function(out) quietly(
        small_run(until(t + 1, function() out(NULL)), batch = batch, checkpoint = file)
      ))
      calls <- 0
      y <- quietly(small_run(function(arm) {
        calls <<- calls + 1
        noisy(arm)
      }, batch = batch, checkpoint = file))
      expect_identical(y, whole)
      expect_equal(calls, 12 - t)
    }
  }
})

test_that("a batch that stopped at a failure is resumed as if nothing had failed", {
  broken <- TRUE
  bake <- function(arm, pull) {
    if (broken && pull$index == 6) stop("the oven is broken")
    arm + rnorm(1)
  }
  for (batch in list(4, c(distinct = 4))) {
    whole <- bayesgap(5, function(arm) arm + rnorm(1), budget = 12, batch = batch, seed = 1)
    file <- tempfile()
    broken <- TRUE
    e <- expect_error(
      bayesgap(5, bake, budget = 12, batch = batch, seed = 1, on_error = "stop", checkpoint = file),
      "Pull 6 .* the oven is broken\nThe 7 observations", class = "bayesgap_error_objective"
    )
    expect_identical(sort(as.data.frame(e$run)$pull), c(1:5, 7:8))
    expect_identical(e$run, last_run())
    broken <- FALSE
    expect_message(
      x <- bayesgap(5, bake, budget = 12, batch = batch, seed = 1, checkpoint = file),
      "7 of 12 pulls done"
    )
    expect_identical(x, whole)
  }
})

test_that("resume of a finished run evaluates nothing", {
  file <- fresh_file()
  x <- small_run(checkpoint = file)
  expect_message(
    y <- small_run(function(arm) stop("no pull"), checkpoint = file), "12 of 12 pulls done"
  )
  expect_identical(y, x)
})

# ---- The same call -------------------------------------------------------------------------------

test_that("the checkpoint of another call is refused, naming what differs", {
  file <- fresh_file()
  settings <- list(
    arms = 8, objective = noisy, budget = 6, cov = cov8, prior_mean = 0, prior_sd = 1e-11,
    noise_sd = 1e-12, policy = "ei", init = 2:1, seed = 2e9, checkpoint = file
  )
  run <- function(...) do.call(bayesgap, utils::modifyList(settings, list(...), keep.null = TRUE))
  x <- run()
  bytes <- readBin(file, "raw", 1e5)
  differs <- function(what, ...) {
    e <- fault(run(...))
    expect_s3_class(e, "bayesgap_error_checkpoint")
    expect_identical(e$differs, what)
    expect_identical(readBin(file, "raw", 1e5), bytes)
  }
  differs("arms", arms = letters[1:8], init = c("b", "a"))
  differs("cov", cov = cov8^2)
  differs("prior_mean", prior_mean = 1e-12)
  differs("prior_sd", prior_sd = 2e-11)
  differs("noise_sd", noise_sd = 2e-12)
  differs("noise_sd", noise_sd = NULL)
  differs("policy", policy = "pi")
  differs("policy", policy = policy("ei", xi = 0.1))
  differs("budget", budget = 5)
  differs("maximise", maximise = FALSE)
  differs("replace", replace = FALSE)
  differs("stop_regret", stop_regret = 1e-20)
  differs("init", init = 3)
  differs("seed", seed = 2e9 + 1)
  differs(c("policy", "seed"), policy = "kg", seed = 1)
  # The same call again, or with a larger budget, goes on; the seed need not be given again.
  again <- function(arm) stop("no pull is made")
  expect_identical(quietly(run(objective = again)), x)
  expect_identical(quietly(run(objective = again, seed = NULL)), x)
  more <- quietly(run(budget = 9))
  expect_identical(more, bayesgap(x, noisy, budget = 9))
  expect_identical(read_run(file), more)
})

test_that("calls are compared exactly, and what differs is named", {
  differs <- function(first, second) {
    file <- tempfile()
    run <- function(args) {
      args <- c(args, list(objective = function(arm) 1, budget = 3, seed = 1, checkpoint = file))
      quietly(do.call(bayesgap, args))
    }
    run(first)
    bytes <- tools::md5sum(file)
    e <- tryCatch(run(second), bayesgap_error_checkpoint = identity)
    expect_identical(tools::md5sum(file), bytes)
    e$differs
  }
  expect_identical(
    differs(list(3, prior_mean = c(1e9, 0, 0)), list(3, prior_mean = c(1e9, 0.9, 0))), "prior_mean"
  )
  times <- function(...) data.frame(time = 1.7e9 + c(...))
  expect_identical(differs(list(times(0, 1, 2, 3)), list(times(0, 1, 2, 1.5))), "arms")
  one_more <- 1 + .Machine$double.eps
  expect_identical(differs(list(3, noise_sd = 1), list(3, noise_sd = one_more)), "noise_sd")
  # A kernel that is the same is not named for the sake of other arms.
  scale <- function(n) k_se(~ time, lengthscale = n)
  expect_identical(
    differs(list(times(0, 1, 2), kernel = scale(1)), list(times(0, 1, 3), kernel = scale(1))),
    "arms"
  )
  expect_identical(
    differs(list(times(0, 1, 2), kernel = scale(1)), list(times(0, 1, 2), kernel = scale(2))),
    "kernel"
  )
  expect_identical(
    differs(list(times(0, 1, 2), kernel = scale(1)), list(times(0, 1, 3), kernel = scale(2))),
    c("arms", "kernel")
  )
  cov <- diag(3) + 0.5
  past <- matrix(c(1, 2, 4, 2, 2, 1, 0, 1, 5), 3)
  expect_identical(differs(list(3, cov = cov), list(3, cov = cov^2)), "cov")
  expect_identical(differs(list(3, cov = cov), list(3)), "cov")
  expect_identical(differs(list(3), list(3, features = cov)), "features")
  expect_identical(differs(list(3, cov = cov), list(3, features = cov)), c("cov", "features"))
  expect_identical(differs(list(3, history = past), list(3, history = past + diag(3))), "history")
  expect_identical(differs(list(3, history = past), list(3)), "history")
  expect_identical(
    differs(list(3, history = past), list(3, history = past, noise_sd = 1)), "noise_sd"
  )
  expect_identical(differs(list(3), list(4)), "arms")
  expect_null(differs(list(3, history = past), list(3, history = past)))
})

test_that("a history that was rounded otherwise elsewhere is still the same call's", {
  file <- tempfile()
  past <- matrix(c(1, 2, 4, 2, 2, 1, 0, 1, 5), 3)
  run <- function() {
    quietly(bayesgap(3, identity, budget = 4, history = past, seed = 1, checkpoint = file))
  }
  x <- run()
  forge_run(x, file, given = function(s) {
    s$cov[1, 1] <- s$cov[1, 1] * (1 + .Machine$double.eps)
    s$prior_mean[1] <- s$prior_mean[1] * (1 + .Machine$double.eps)
    s
  })
  there <- read_run(file)
  expect_false(identical(there$model, x$model))
  expect_identical(run(), there)
})

test_that("first pulls that depend on the budget are those with which the run was begun", {
  cov <- exp(-outer(1:9, 1:9, "-")^2 / 8)
  f <- function(arm, pull) sin(arm) + 2 * cos(as.integer(pull$block)) + rnorm(1, sd = 0.3)
  file <- tempfile()
  go <- function(budget, ..., checkpoint = file) {
    quietly(bayesgap(
      9, f, budget = budget, cov = cov, blocks = 3, seed = 1, ..., checkpoint = checkpoint
    ))
  }
  x <- go(6)
  expect_length(x$init, 3)
  expect_gt(length(go(30, checkpoint = NULL)$init), 3)
  more <- go(12)
  expect_identical(more, bayesgap(x, f, budget = 12))
  expect_identical(go(12), more)
  expect_identical(go(20), bayesgap(more, f, budget = 20))
  # Others are of another call.
  for (init in list(4, 9:1, "2")) {
    e <- tryCatch(go(20, init = init), bayesgap_error_checkpoint = identity)
    expect_identical(e$differs, "init")
  }
  given <- tempfile()
  go(8, init = 2:4, checkpoint = given)
  expect_error(go(20, checkpoint = given), "`init`", class = "bayesgap_error_checkpoint")
})
