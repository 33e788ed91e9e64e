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
