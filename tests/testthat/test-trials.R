# A run of which pulls 1 and 3 are out, as far as it knows.
with_open <- function(...) {
  x <- open_run(...)
  todo <- ask(x, 4)
  tell(x, data.frame(todo[c(2, 4), ], y = c(1, 2)))
}

test_that("trials that are out are shown as ask() gave them", {
  x <- with_open()
  expect_identical(open_trials(x)$pull, c(1L, 3L))
  expect_identical(open_trials(x)$arm, ask(open_run(), 4)$arm[c(1, 3)])
  expect_identical(nrow(open_trials(open_run())), 0L)
  data <- bayesgap(ligands(), budget = 5, seed = 1)
  data <- tell(data, data.frame(ask(data, 2)[2, ], y = 1))
  expect_identical(names(open_trials(data)), names(ask(data)))
})

test_that("a trial that is called off gives its place in the budget back, and not its number", {
  x <- with_open()
  expect_identical(nrow(ask(x, 99)), 4L)
  y <- cancel(x, 3)
  expect_identical(open_trials(y)$pull, 1L)
  expect_identical(ask(y, 99)$pull, 5:9)
  expect_identical(left(y), left(x) + 1L)
  expect_identical(y$changes$what, "cancelled")
  expect_identical(y$changes$pull, 3L)
  y <- tell(y, data.frame(pull = 1, arm = open_trials(y)$arm, y = 0))
  y <- tell(y, data.frame(ask(y, 99), y = 0))
  expect_true(is_done(y))
  expect_identical(sort(y$log$pull), c(1L, 2L, 4:9))
  expect_output(print(y), "8 of 8 pulls")
  expect_error(
    tell(y, data.frame(pull = 3, arm = "a", y = 1)), "was cancelled.*`pull = NA`",
    class = "bayesgap_error_tell"
  )
  expect_identical(nobs(tell(y, data.frame(pull = NA, arm = "a", y = 1))), 9L)
  file <- fresh_file()
  save_run(y, file)
  expect_identical(read_run(file), y)
})

test_that("all of them at once, and the run is as if it had not been asked", {
  x <- with_open()
  y <- cancel(x, c(3, 1))
  expect_identical(nrow(open_trials(y)), 0L)
  expect_identical(spent(y), 2L)
  expect_identical(means_of(y), means_of(begin(x)))
})

test_that("what is not out is not called off", {
  x <- with_open()
  refused <- function(pull, message) {
    expect_error(cancel(x, pull), message, class = "bayesgap_error_cancel")
  }
  refused(2, "it was told. amend\\(\\) withdraws")
  refused(8, "never asked.*Out are pull 1 \\(arm .*pull 3")
  refused("1", "numbers of trials")
  refused(c(1, 1), "none twice")
  refused(1.5, "numbers of trials")
  refused(NA_real_, "numbers of trials")
  refused(numeric(), "numbers of trials")
  expect_error(cancel(x), class = "bayesgap_error_cancel")
  expect_error(cancel(cancel(x, 1), 1), "cancelled before", class = "bayesgap_error_cancel")
  expect_error(cancel(5, 1), class = "bayesgap_error_run")
  expect_error(open_trials(), class = "bayesgap_error_run")
})

test_that("pulls on record are out, whatever the state would guess", {
  x <- unclass(open_run())
  y <- record_pulls(x, list(pull = 1:2, arm = c(3L, 4L), block = c(NA, NA) + 0L))
  class(y) <- "bayesgap"
  expect_identical(open_trials(y)$arm, c("c", "d"))
  expect_identical(y$asked, 1:2)
  expect_identical(ask(y)$pull, 3L)
  # Their arms are no guess, so that the number alone finds them; another arm is refused.
  told <- tell(y, data.frame(pull = 2, y = 1))
  expect_identical(told$log$arm, 4L)
  expect_identical(open_trials(told)$pull, 1L)
  expect_error(
    tell(y, data.frame(pull = 2, arm = "a", y = 1)), "says arm \"a\".*asked for arm \"d\"",
    class = "bayesgap_error_arm"
  )
})
