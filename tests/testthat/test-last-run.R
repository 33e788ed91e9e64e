test_that("non-local exits leave a run that goes on", {
  whole <- small_run()
  ways <- list(
    function() invokeRestart("leave"),
    function() signalCondition(structure(class = c("leave", "condition"), list(message = "")))
  )
  for (way in ways) {
    set.seed(1)
    before <- .Random.seed
    file <- fresh_file()
    withRestarts(
      tryCatch(quietly(small_run(until(5, way), checkpoint = file)), leave = function(c) NULL),
      leave = function() NULL
    )
    expect_identical(.Random.seed, before)
    expect_identical(last_run()$observed, 4L)
    expect_identical(bayesgap(last_run(), noisy, budget = 12), whole)
    expect_identical(quietly(small_run(checkpoint = file)), whole)
  }
})

test_that("where no run was stopped, there is none to be had", {
  before <- session$last
  on.exit(session$last <- before)
  session$last <- NULL
  expect_error(last_run(), "No run of this session was stopped", class = "bayesgap_error_run")
})

test_that("a run that stops says how to go on, and counts what a batch has so far", {
  half <- function(...) {
    callCC(function(out) small_run(until(6, function() out(NULL)), batch = 4, ...))
  }
  expect_message(half(), "after 5 observations. bayesgap(last_run(), objective, budget) goes on",
    fixed = TRUE)
  expect_identical(session$last$observed, 4L)
  expect_identical(all_observed(session$last), 5L)
  # What came of the batch is learned by the one who asks for the run.
  expect_identical(last_run()$observed, 5L)
  expect_null(last_run()$underway)
  expect_message(half(checkpoint = fresh_file()), "The same call goes on from its checkpoint")
})
