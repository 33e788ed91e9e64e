# The run in which nothing worked.
failing <- function(code) {
  e <- fault(code)
  expect_s3_class(e, "bayesgap_error_nothing_worked")
  e$run
}

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

test_that("whatever is not a reward is a failure that says what came back", {
  returns <- list(
    NA, NaN, Inf, -Inf, NULL, "a", TRUE, c(1, 2), list(1), list(y = NA), 1e200,
    c(y = 1, se = -1), c(y = 1, se = NA), list(y = 1, se = "x"), 1i, function() 1
  )
  messages <- vapply(returns, function(value) {
    x <- fault(bayesgap(2, function(arm) value, budget = 2, seed = 1))$run
    expect_equal(nobs_of(x), 0)
    as.data.frame(x)$error[1]
  }, "")
  expect_snapshot(writeLines(messages))
})

test_that("what is not a reward is a failed pull that says what came back", {
  returned <- list(
    list(NA, "NA"), list(NaN, "NaN"), list(Inf, "Inf"), list(NULL, "NULL"), list("a", "\"a\""),
    list(TRUE, "TRUE"), list(c(1, 2), "length 2"), list(list(1), "without an element `y`"),
    list(c(y = 1, se = -1), "-1 for `se`"), list(c(y = 1, se = NA), "NA for `se`"),
    list(list(y = NULL), "without an element `y`"), list(list(y = list(1)), "length 1")
  )
  for (case in returned) {
    x <- fault(small_run(function(arm) case[[1]], budget = 2))$run
    expect_equal(nobs_of(x), 0)
    expect_match(as.data.frame(x)$error[1], case[[2]], fixed = TRUE)
    e <- fault(small_run(function(arm) case[[1]], budget = 2, on_error = "stop"))
    expect_s3_class(e, "bayesgap_error_objective")
    expect_match(conditionMessage(e), case[[2]], fixed = TRUE)
  }
})

test_that("an objective that returns a matrix has failed, unless it is one number", {
  x <- fault(bayesgap(2, function(arm) matrix(1:4, 2), budget = 2, seed = 1))$run
  expect_match(as.data.frame(x)$error, "2 x 2")
  x <- fault(bayesgap(2, function(arm) list(y = matrix(1:2, 1)), budget = 2, seed = 1))$run
  expect_identical(nobs(x), 0L)
  expect_identical(as.data.frame(bayesgap(2, function(arm) matrix(7), 2, seed = 1))$y, c(7, 7))
})

test_that("names of the user's own are never taken for ours", {
  x <- bayesgap(2, function(arm) list(y = 1, seed = 5, sensor = 2), budget = 2, seed = 1)
  expect_true(all(is.na(as.data.frame(x)$se)))
  x <- fault(bayesgap(2, function(arm) list(yield = 1), budget = 2, seed = 1))$run
  expect_equal(nobs_of(x), 0)
  expect_error(tell(open_run(), data.frame(arms = "a", y = 1)), class = "bayesgap_error_tell")
  expect_equal(as_arms(data.frame(armour = c("x", "y"), u = 1:2))$names, c("x, 1", "y, 2"))
  x <- bayesgap(2, function(arm) list(y = 1, arm = "mine", error = "none"), budget = 2)
  expect_false(anyDuplicated(names(as.data.frame(x))) > 0)
})

test_that("an error without a message is a failure, one with two is told as one", {
  odd <- function(message) {
    function(arm, pull) {
      if (pull$index == 2) {
        stop(structure(class = c("my", "error", "condition"), list(message = message, call = NULL)))
      }
      arm
    }
  }
  x <- bayesgap(2, odd(NULL), budget = 3, seed = 1)
  expect_identical(as.data.frame(x)$error, c(NA, "an error without a message", NA))
  x <- bayesgap(2, odd(c("this", "that")), budget = 3, seed = 1)
  expect_identical(as.data.frame(x)$error, c(NA, "this that", NA))
})

test_that("retries: every attempt has numbers of its own, and a success counts", {
  tried <- integer()
  x <- small_run(function(arm, pull) {
    tried <<- c(tried, pull$attempt)
    if (pull$attempt < 3) stop("not yet") else runif(1)
  }, budget = 4, retries = 2)
  expect_equal(nobs_of(x), 4)
  expect_equal(tried, rep(1:3, 4))
  expect_equal(anyDuplicated(as.data.frame(x)$y), 0L)
})

test_that("time_limit: a pull that takes too long has failed, and says so", {
  x <- small_run(function(arm, pull) {
    if (pull$index == 2) repeat Sys.sleep(0.01)
    noisy(arm)
  }, budget = 3, time_limit = 2)
  expect_match(as.data.frame(x)$error[2], "did not return within 2 s")
  expect_equal(nobs_of(x), 2)
  # No limit is left behind.
  expect_no_error(for (i in 1:22) Sys.sleep(0.1))
})

test_that("the number of a batch counts what was learned together", {
  numbers <- integer()
  note <- function(arm, pull) {
    numbers <<- c(numbers, pull$batch)
    arm
  }
  x <- bayesgap(3, note, budget = 7, batch = c(distinct = 5), seed = 1)
  expect_identical(numbers, c(1L, 1L, 1L, 2L, 2L, 2L, 3L))
  bayesgap(x, note, budget = 9)
  expect_identical(numbers[8:9], 4:5)
})
