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

test_that("progress goes to progressr where it is on, else to a bar on the message stream", {
  expect_silent(some_benchmark())
  shown <- capture.output(
    some <- benchmark_policies(some_problems(), "uniform", 4, reps = 3, seed = 1, progress = TRUE),
    type = "message"
  )
  expect_match(paste(shown, collapse = ""), "100%", fixed = TRUE)
  skip_if_not_installed("progressr")
  requireNamespace("progressr")
  expect_false(uses_progressr())
  old <- options(progressr.enable = TRUE, progressr.clear = FALSE)
  on.exit(options(old))
  seen <- 0
  counting <- progressr::make_progression_handler(
    "counting", list(update = function(config, state, progression, ...) seen <<- seen + 1)
  )
  progressr::with_progress(
    {
      on <- uses_progressr()
      found <- some_benchmark()
    },
    handlers = counting
  )
  expect_true(on)
  expect_gt(seen, 3)
  expect_identical(found, some_benchmark())
})

test_that("the tick of a benchmark takes nothing of its caller along to the workers", {
  size <- function() {
    chunks <- as.list(runif(1e4))
    length(serialize(benchmark_bar(length(chunks), is.null(chunks))$tick, NULL))
  }
  expect_lt(size(), 1e4)
  skip_if_not_installed("progressr")
  old <- options(progressr.enable = TRUE)
  on.exit(options(old))
  progressr::with_progress(with_bar <- size(), handlers = progressr::handler_void())
  expect_lt(with_bar, 1e4)
})

test_that("progress comes from workers too", {
  skip_long_on_cran()
  skip_if_not_installed("progressr")
  skip_if_not_installed("future.apply")
  here <- some_benchmark()
  plan <- future::plan("multisession", workers = 2)
  old <- options(progressr.enable = TRUE, progressr.clear = FALSE)
  on.exit({
    options(old)
    future::plan(plan)
  })
  done <- 0
  counting <- progressr::make_progression_handler(
    "counting", list(update = function(config, state, progression, ...) done <<- state$step)
  )
  progressr::with_progress(found <- some_benchmark(chunk_size = 2), handlers = counting)
  expect_identical(found, here)
  expect_equal(done, 8) # four chunks of either problem
})
