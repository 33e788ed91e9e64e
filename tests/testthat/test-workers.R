test_that("a batch's pulls, errors and warnings come back from workers as from here", {
  skip_on_cran()
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

test_that("a pull that no worker took, or whose worker died, has failed and says why", {
  lost <- function(message, ...) {
    error <- structure(list(message = message, call = NULL), class = c(..., "error", "condition"))
    collect(list(future = error), 5)
  }
  refused <- lost("the objects are too large. The three largest are a, b and c")
  expect_true(has_failed(refused))
  expect_identical(
    refused$remark$error, "no worker could be given the pull: the objects are too large"
  )
  died <- lost("it is gone. Post-mortem diagnostic: none\nmore", "FutureError")
  expect_identical(died$remark$error, "the worker failed: it is gone")
  expect_identical(died$reward, NA_real_)
  expect_identical(died$warnings, character())
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
