test_that("a batch's pulls, errors and warnings come back from workers as from here", {
  skip_long_on_cran()
  skip_if_read_inexactly() # as workers read
  skip_if_not_installed("future")
  skip_on_os("windows")
  shift <- 0.5
  odd <- function(arm, pull) {
    if (pull$index == 3) stop("third")
    if (pull$index > 4) warning("late")
    list(y = noisy(arm) + shift, who = letters[pull$index], seed = pull$seed)
  }
  expect_warning(here <- small_run(odd, batch = 2, budget = 8), "The objective warned: late")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  expect_warning(there <- small_run(odd, batch = 2, budget = 8), "The objective warned: late")
  expect_identical(there, here)
  options(future.globals.onReference = "error")
  x <- future::value(future::future(bayesgap::tell(here, data.frame(arm = 1, y = 0)), seed = NULL))
  options(future.globals.onReference = NULL)
  expect_identical(x, tell(here, data.frame(arm = 1, y = 0)))
})

test_that("there are workers only where the user has set a plan with some", {
  skip_if_not_installed("future")
  old <- future::plan(future::sequential)
  on.exit(future::plan(old))
  expect_false(has_workers())
})

test_that("a pull whose worker died has failed and says why", {
  error <- function(message, ...) {
    structure(list(message = message, call = NULL), class = c(..., "error", "condition"))
  }
  died <- worker_error(error("it is gone. Post-mortem diagnostic: none\nmore", "FutureError"), "pkg")
  expect_true(has_failed(died))
  expect_false(is_refusal(died))
  expect_identical(died$remark$error, "the worker failed: it is gone")
  expect_identical(died$reward, NA_real_)
  expect_identical(died$warnings, character())
})

test_that("a job that is gone says what its log has of the reason, and is no refusal", {
  words <- function(...) {
    died <- worker_error(simpleError(paste(c(...), collapse = "\n")), c("bayesgap", "job"))
    expect_false(is_refusal(died))
    died$remark$error
  }
  gone <- "BatchtoolsExpiration: Future ('<none>') expired (registry path /home/me (old)/b_1).."
  log <- c("### [bt]: Starting job 1", "Loading required package: bayesgap")
  why <- c("slurmstepd: error: one", "slurmstepd: error: *** JOB 8 CANCELLED ***")
  ended <- "the worker failed: its job ended without a result"
  files <- paste(ended, "(files in /home/me (old)/b_1)")
  expect_identical(words(paste(gone, "The last few lines of the logged output:"), log), files)
  expect_identical(words(gone, log, why, "### end"), paste0(files, ": ", why[2]))
  expect_identical(words(gone, "=>> PBS: job killed"), paste0(files, ": =>> PBS: job killed"))
  expect_identical(
    words("Log file '/me/job.log' for job with id 1 not available"),
    paste0(ended, ", and left no log")
  )
  expect_null(lost_job("it is gone"))
})

# A job of a queue that answers as told, each time by the next of its answers.
queue_job <- function(...) {
  answers <- list(...)
  ask_queue <- function(x, ...) {
    answer <- answers[[1L]]
    answers <<- answers[-1L]
    if (inherits(answer, "error")) stop(answer) else answer
  }
  registerS3method("resolved", "BatchtoolsTest", ask_queue, asNamespace("future"))
  registerS3method("value", "BatchtoolsTest", ask_queue, asNamespace("future"))
  future <- structure(new.env(), class = c("BatchtoolsTest", "BatchtoolsFuture", "Future"))
  list(future = future, since = now())
}

test_that("a queue that does not say which jobs it has is asked again, and no pull is lost", {
  skip_if_not_installed("future")
  silence <- simpleError("Listing of jobs failed (exit code 1);\ncmd: 'squeue'")
  expect_false(is_ready(queue_job(silence)))
  expect_true(is_ready(queue_job(simpleError("broken"))))
  expect_identical(wait_for(list(`4` = queue_job(silence, FALSE, TRUE)), 1), "4")
  expect_true(is_silent(collect(queue_job(silence), 1)))
  result <- list(reward = 1, remark = list())
  expect_false(is_silent(result))
  expect_identical(collect(queue_job(result), 1), result)
  expect_true(has_failed(collect(queue_job(simpleError("broken")), 1)))
})

test_that("a queue is asked less often than workers are", {
  task <- function(class) list(future = structure(list(), class = c(class, "Future")))
  expect_identical(longest_pause(list(task("MultisessionFuture"))), 0.1)
  expect_identical(longest_pause(list(task("BatchtoolsFuture"))), 5)
  expect_identical(longest_pause(list()), 0.1)
})

test_that("a worker without a package that the objective needs refuses, whatever its words", {
  packages <- c("bayesgap", "data.table")
  lacks <- function(message) is_refusal(worker_error(simpleError(message), packages))
  expect_true(lacks("there is no package called \u2018bayesgap\u2019"))
  expect_true(lacks("es gibt kein Paket namens 'data.table'"))
  expect_true(lacks("captured by batchtools: 'Error : Failed to load packages: data.table'"))
  expect_false(lacks("failed to receive results from cluster RichSOCKnode #2"))
  expect_false(lacks("Future expired (registry path /home/me/bayesgap/.future/2026/b_1)"))
  expect_false(lacks("Log file '/tmp/my bayesgap/x.log' not available"))
  expect_false(lacks("no dataXtable"))
  expect_false(lacks("it is gone\nAttaching package: 'bayesgap'"))
  expect_false(is_refusal(worker_error(simpleError("bayesgap"), character())))
})

test_that("a package that an objective does not find is known by its class, and not kept", {
  absent <- paste0("no.such", ".package") # R CMD check looks for packages that are named
  work <- list(
    objective = function(arm) loadNamespace(absent), arm = 1, pull = 1L, batch = 1L,
    stream = new_stream(1L), sign = 1, time_limit = Inf, strict = FALSE
  )
  result <- attempt_pull(work, 1L)
  expect_identical(result$absent, "no.such.package")
  expect_false(is_here(result$absent))
  expect_true(is_here("stats"))
  expect_false(is_here(NULL))
  expect_named(without_absent(result), c("reward", "se", "size", "cost", "remark", "warnings"))
})

test_that("the reason why no pull was taken is told without what is for others", {
  expect_identical(
    plain_reason("Failed to submit: 'sbatch: error: no memory\nsbatch: no job'\nTROUBLESHOOTING x\ny"),
    "Failed to submit: 'sbatch: error: no memory\nsbatch: no job'"
  )
  expect_identical(plain_reason("it is gone. Post-mortem diagnostic: none"), "it is gone")
})

test_that("what is too large for a plan stops the run before any pull is spent", {
  skip_long_on_cran()
  skip_if_not_installed("future")
  skip_on_os("windows")
  old <- future::plan(future::multicore, workers = 2)
  options(future.globals.maxSize = 1e4)
  on.exit({
    future::plan(old)
    options(future.globals.maxSize = NULL)
  })
  skip_if_not(has_workers(), "no forks here")
  large <- rnorm(1e4)
  e <- fault(small_run(function(arm) noisy(arm) + 0 * large[1], batch = 2))
  expect_s3_class(e, "bayesgap_error_workers")
  expect_match(conditionMessage(e), "maximum allowed size")
  expect_identical(spent(e$run), 0L)
  options(future.globals.maxSize = NULL)
  expect_identical(bayesgap(e$run, noisy, 12, batch = 2), small_run(batch = 2))
})

test_that("a worker is overdue some time after its limit, a job of a scheduler never", {
  task <- function(seconds, class) {
    list(future = structure(list(), class = c(class, "Future")), since = now() - seconds)
  }
  expect_false(is_overdue(task(100, "MultisessionFuture"), 1000))
  expect_true(is_overdue(task(1000, "MultisessionFuture"), 100))
  expect_false(is_overdue(task(1e9, "MultisessionFuture"), Inf))
  expect_false(is_overdue(task(1000, "BatchtoolsFuture"), 100))
})

test_that("those that are ready are waited for by name", {
  ready <- list(future = simpleError("no room"), since = now())
  expect_identical(wait_for(list(`3` = ready, `5` = ready), Inf), c("3", "5"))
  expect_null(wait_for(list(), Inf))
})

test_that("a queue that is silent for long is spoken of once", {
  session$silent <- NULL
  on.exit(session$silent <- NULL)
  expect_no_message(say_if_silent_long())
  expect_no_message(say_if_silent_long())
  session$silent <- session$silent - 61
  expect_message(say_if_silent_long(), "not answered for a minute", class = "bayesgap_message_workers")
  expect_no_message(say_if_silent_long())
  # It answers: the next silence is another one.
  skip_if_not_installed("future")
  future <- future::future(1, lazy = FALSE)
  expect_true(is_ready(list(future = future)))
  expect_null(session$silent)
})
