test_that("a loop of ask and tell is the run of bayesgap()", {
  truth <- c(a = 0, b = 1, c = 0.5, d = -1)
  whole <- bayesgap(names(truth), function(arm) truth[[arm]], budget = 20, seed = 9)
  x <- bayesgap(names(truth), budget = 20, seed = 9)
  while (nrow(todo <- ask(x)) > 0) {
    x <- tell(x, truth[[todo$arm]])
  }
  expect_identical(x, whole)
})

test_that("pulls that are out are carried out first when an objective takes over", {
  x <- open_run(budget = 5)
  todo <- ask(x, 3)
  part <- tell(x, cbind(todo[3, ], y = 1))
  done <- bayesgap(part, function(arm) 0, budget = 5)
  expect_setequal(as.data.frame(done)$pull, 1:5)
  expect_equal(as.data.frame(done)$arm[2:3], todo$arm[1:2])
})

test_that("warnings of the objective are passed on", {
  expect_warning(bayesgap(1, function(arm) {
    warning("hot")
    1
  }, budget = 1), "hot")
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

test_that("an objective that warns, prints and changes the session does the run no harm", {
  plain <- small_run()
  here <- getwd()
  old <- options(digits = 7)
  on.exit({
    setwd(here)
    options(old)
  })
  set.seed(4, "Wichmann-Hill")
  before <- .Random.seed
  file <- file.path(basename(tempfile("run", ".")), "run.bgap")
  setwd(tempdir())
  dir.create(dirname(file))
  rude <- function(arm) {
    y <- noisy(arm)
    cat("noise\n")
    warning("hot")
    set.seed(1)
    RNGkind("Mersenne-Twister")
    assign(".Random.seed", 1:3, globalenv())
    options(digits = 3, OutDec = ",")
    setwd("/")
    y
  }
  said <- character()
  out <- capture.output(withCallingHandlers(
    x <- small_run(rude, checkpoint = file),
    warning = function(w) {
      said <<- c(said, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    }
  ))
  expect_identical(x, plain)
  expect_identical(.Random.seed, before)
  expect_identical(said, "The objective warned: hot")
  expect_length(out, 12)
  setwd(tempdir())
  expect_identical(read_run(file), plain)
  RNGkind("default", "default", "default")
})

test_that("deep recursion and runs within runs do no harm", {
  plain <- bayesgap(3, noisy, budget = 2, seed = 1, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  deep <- function(n) if (n == 0) 0 else deep(n - 1)
  x <- bayesgap(3, function(arm) noisy(arm) + deep(500), budget = 2, seed = 1, prior_mean = 0,
    prior_sd = 1, noise_sd = 1)
  expect_identical(x, plain)
  endless <- function() endless()
  x <- bayesgap(3, function(arm, pull) if (pull$index == 1) endless() else 1, budget = 2, seed = 1)
  expect_equal(nobs_of(x), 1)
  inner <- fresh_file()
  x <- small_run(function(arm) {
    quietly(bayesgap(3, noisy, budget = 3, seed = 2, checkpoint = inner, time_limit = 600))
    noisy(arm)
  }, checkpoint = fresh_file())
  expect_identical(x, small_run())
  expect_identical(read_run(inner), bayesgap(3, noisy, budget = 3, seed = 2))
})

# ---- Pulls that fail -----------------------------------------------------------------------------

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

test_that("an error at pull 37 of 40 with \"stop\" hands over 36 observations", {
  file <- fresh_file()
  broken <- until(37, function() stop("the lamp broke"))
  e <- fault(small_run(broken, budget = 40, on_error = "stop", checkpoint = file))
  expect_s3_class(e, "bayesgap_error_objective")
  expect_match(conditionMessage(e), "Pull 37 .*the lamp broke")
  expect_equal(nobs_of(e$run), 36)
  expect_identical(last_run(), e$run)
  expect_identical(read_run(file), e$run)
  expect_false(file.exists(paste0(file, ".lock")))
  whole <- small_run(budget = 40)
  expect_identical(bayesgap(e$run, noisy, budget = 40), whole)
  expect_identical(quietly(small_run(budget = 40, checkpoint = file)), whole)
})

test_that("the same with \"skip\" costs that pull and nothing else", {
  file <- fresh_file()
  given <- list(8, budget = 40, cov = cov8, prior_mean = 0, prior_sd = 1, noise_sd = 0.3)
  broken <- until(37, function() stop("the lamp broke"))
  x <- do.call(bayesgap, c(given, objective = broken, checkpoint = file))
  table <- as.data.frame(x)
  expect_equal(nrow(table), 40)
  expect_equal(nobs_of(x), 39)
  expect_identical(which(!is.na(table$error)), 37L)
  expect_identical(table$error[37], "the lamp broke")
  expect_identical(read_run(file), x)
  # The belief is that of the 39 others.
  others <- data.frame(arm = table$arm, y = table$y, pull = NA)[-37, ]
  y <- tell(do.call(bayesgap, given), others)
  expect_equal(means_of(y), means_of(x))
})

test_that("with \"stop\" a pull that failed is still to be made, whatever comes next", {
  file <- fresh_file()
  mended <- FALSE
  made <- integer()
  callCC(function(out) quietly(bayesgap(5, function(arm, pull) {
    if (pull$index == 3) out("interrupted")
    if (pull$index == 2) stop("broken") else arm
  }, budget = 8, batch = 4, seed = 1, on_error = "stop", checkpoint = file)))
  expect_identical(as.data.frame(read_run(file))$pull, 1L)
  expect_identical(as.data.frame(last_run())$pull, 1L)
  x <- quietly(bayesgap(5, function(arm, pull) {
    made <<- c(made, pull$index)
    arm
  }, budget = 8, batch = 4, seed = 1, on_error = "stop", checkpoint = file))
  expect_identical(made, 2:8)
  expect_identical(x, bayesgap(5, function(arm) arm, budget = 8, batch = 4, seed = 1))
})

test_that("when every pull fails the run stops after ten, says so and can go on", {
  file <- fresh_file()
  e <- fault(small_run(function(arm) stop("no"), budget = 25, checkpoint = file))
  expect_match(conditionMessage(e), "10 pulls in a row failed")
  expect_equal(nrow(as.data.frame(e$run)), 10)
  rest <- quietly(small_run(budget = 25, checkpoint = file))
  expect_equal(nobs_of(rest), 15)
  expect_identical(rest, bayesgap(e$run, noisy, budget = 25))
  # In batches, and with retries, too.
  calls <- 0
  e <- fault(small_run(function(arm) {
    calls <<- calls + 1
    stop("no")
  }, budget = 40, batch = 4, retries = 2))
  expect_match(conditionMessage(e), "12 pulls in a row failed")
  expect_equal(calls, 36)
})

test_that("a pull is asked once, alone and in a batch, with a prior that is given or learned", {
  asked <- 0
  counting <- policy("counting", choose = function(state) {
    asked <<- asked + 1
    1 + asked %% 3
  })
  for (batch in c(1, 4)) {
    for (given in list(list(), list(prior_mean = 0, prior_sd = 1, noise_sd = 1))) {
      asked <- 0
      x <- do.call(bayesgap, c(
        list(3, function(arm) rnorm(1), 8, policy = counting, batch = batch, seed = 1), given
      ))
      expect_equal(nobs(x), 8)
      expect_equal(asked, 8)
    }
  }
})

test_that("an arm that always fails costs three pulls, is said once, and the run goes on", {
  for (seed in 1:8) {
    said <- messages_of(class = "bayesgap_message_failed", x <- bayesgap(rates, train, budget = 40, seed = seed))
    expect_length(said, 1)
    expect_match(said, "lr = 0.1 (failed 3 times in a row: loss is NaN)", fixed = TRUE)
    expect_match(said, "retry_arms()", fixed = TRUE)
    expect_identical(x$last, 40L)
    expect_identical(x$observed, 37L)
    expect_false(best_arm(x)$lr == 0.1)
  }
})

test_that("a run in which nothing ever worked is an error with the first message, at any budget", {
  calls <- 0
  broken <- function(arm) {
    calls <<- calls + 1
    stop("error ", calls)
  }
  for (k in c(1, 3, 20)) {
    for (budget in c(1, 2, 5, 9, 10, 12)) {
      for (batch in c(1, 4)) {
        calls <- 0
        e <- fault(bayesgap(k, broken, budget, batch = batch, seed = 1))
        expect_s3_class(e, "bayesgap_error_nothing_worked")
        expect_s3_class(e, "bayesgap_error_objective")
        expect_match(conditionMessage(e), "error 1\n", fixed = TRUE)
        expect_identical(last_run(), e$run)
        expect_identical(spent(e$run), if (budget == 12 && batch == 1) 10L else as.integer(budget))
        rest <- quietly(bayesgap(e$run, function(arm) arm + rnorm(1), budget = budget + 8))
        expect_gte(rest$observed, 8)
        expect_identical(posterior(rest)$status, rep("active", k))
      }
    }
  }
})

test_that("such a run is an error again when it is resumed, and a larger budget goes on", {
  file <- fresh_file()
  on.exit(unlink(file))
  go <- function(objective, budget) {
    quietly(bayesgap(3, objective, budget, checkpoint = file, seed = 1))
  }
  broken <- function(arm) stop("no licence")
  expect_s3_class(fault(go(broken, 4)), "bayesgap_error_nothing_worked")
  e <- fault(go(function(arm) arm, 4))
  expect_s3_class(e, "bayesgap_error_nothing_worked")
  expect_match(conditionMessage(e), "no licence")
  expect_identical(e$run, read_run(file))
  expect_identical(go(function(arm) arm + rnorm(1), 12)$observed, 8L)
})

test_that("ten failures in a row tell the first error where nothing worked, and not where some did", {
  calls <- 0
  broken <- function(arm) {
    calls <<- calls + 1
    if (calls %in% works) arm else stop("error ", calls)
  }
  works <- integer()
  e <- fault(bayesgap(30, broken, 40, seed = 1))
  expect_match(conditionMessage(e), "10 pulls in a row failed; the last was .*error 10\n")
  expect_match(conditionMessage(e), "Nothing worked so far. The first failed: error 1\n")
  calls <- 0
  works <- 1:12
  e <- fault(bayesgap(4, broken, 40, seed = 1))
  expect_match(conditionMessage(e), "10 pulls in a row failed; the last was .*error 22\n")
  expect_false(grepl("Nothing worked", conditionMessage(e)))
  expect_false(inherits(e, "bayesgap_error_nothing_worked"))
})

test_that("after an outage in the midst of a run no arm is missing", {
  down <- 13:22
  objective <- function(arm, pull) {
    if (pull$index %in% down) stop("the server is down")
    rnorm(1, arm, 0.1)
  }
  e <- fault(bayesgap(4, objective, 60, prior_sd = 2, noise_sd = 1, seed = 1))
  expect_match(conditionMessage(e), "10 pulls in a row failed")
  expect_gt(length(failed_arms(e$run)), 1)
  x <- quietly(bayesgap(e$run, objective, 60))
  expect_identical(posterior(x)$status, rep("active", 4))
  expect_identical(best_arm(x), 4L)
})

test_that("a plan that cannot take a pull stops the run, which keeps what came of the batch", {
  x <- small_run(budget = 9)
  x <- extend_run(x, 12L)
  x$underway <- c(ask_rows(x, 3L), list(results = list()))
  x$underway$results <- list(`10` = list(
    reward = 1, se = NA_real_, size = 1, remark = NULL, warnings = character()
  ))
  saved <- NULL
  store <- list(save = function(x) saved <<- x, file = "run.rds")
  e <- fault(abort_workers(x, store, "no room"))
  expect_s3_class(e, "bayesgap_error_workers")
  expect_match(conditionMessage(e), "no room\nNo pull was spent .* the same call goes on")
  expect_identical(saved, x)
  expect_identical(e$run$observed, 10L)
  expect_identical(e$run, last_run())
  e <- fault(abort_workers(x, no_checkpoint, "no room"))
  expect_match(conditionMessage(e), "bayesgap(last_run(), objective, budget) goes on", fixed = TRUE)
})

test_that("a region that fails does not stop a run in which others work", {
  grid <- expand.grid(lr = c(0.001, 0.01, 0.1), depth = 1:4)
  objective <- function(arm) if (arm$lr == 0.1) stop("loss is NaN") else rnorm(1, arm$depth, 0.5)
  for (seed in 1:10) {
    x <- quietly(bayesgap(grid, objective, 50, kernel = k_se(~ log10(lr) + depth), seed = seed))
    expect_identical(spent(x), 50L)
    expect_true(best_arm(x)$lr < 0.1)
    expect_lte(sum(is.na(x$log$reward)), 4 * 4) # three an arm, and another try
  }
})

test_that("failures in a row weigh as much as they tell", {
  weigh <- function(arm, reward) {
    x <- bayesgap(3, budget = 9, seed = 1)
    told <- data.frame(arm = arm, y = reward, pull = rep(NA, length(arm)), failed = is.na(reward))
    failures_in_row(quietly(tell(x, told)), length(arm))
  }
  expect_identical(weigh(integer(), double()), list(pulls = 0L, weight = 0L))
  expect_identical(weigh(c(1L, 1L, 2L), rep(NA_real_, 3)), list(pulls = 3L, weight = 3L))
  reward <- c(5, NA, NA, NA, NA, NA)
  expect_identical(weigh(c(1L, 2L, 2L, 3L, 1L, 1L), reward), list(pulls = 5L, weight = 4L))
  expect_identical(weigh(c(1L, 2L, 2L), c(NA, NA, 1)), list(pulls = 0L, weight = 0L))
})

test_that("a run ends where everything fails, also where failures do not count", {
  pulls <- 0
  fails <- function(arm) {
    pulls <<- pulls + 1
    if (pulls > 500) 0 else stop("no power") # or the test would be endless
  }
  # The arm that worked once is not looked at again: it is the worst by far.
  x <- bayesgap(4, budget = 6, prior_mean = c(0, 9, 9, 9), prior_sd = 0.1, noise_sd = 1,
    count_failures = FALSE, seed = 1)
  x <- tell(x, data.frame(arm = 1, y = 0, pull = NA))
  expect_error(suppressMessages(bayesgap(x, fails, budget = 6)), "no power",
    class = "bayesgap_error_objective")
  expect_lt(pulls, 40)
})
