test_that("a change is noted with what was there, the oldest first", {
  x <- tell(open_run(), data.frame(pull = 1:2, arm = c("a", "b"), y = c(1, 2), se = c(NA, 0.5)))
  y <- note_change(x, "amended", rows_as_they_were(x, 2L), when = 10)
  y <- note_change(y, "dropped", list(arm = c(1L, 3L)), when = 20)
  expect_identical(names(y$changes), names(no_changes))
  expect_identical(lapply(y$changes, typeof), lapply(no_changes, typeof))
  expect_identical(y$changes$when, c(10, 20, 20))
  expect_identical(y$changes$what, c("amended", "dropped", "dropped"))
  expect_identical(y$changes$row, c(2L, NA, NA))
  expect_identical(y$changes$reward, c(2, NA, NA))
  expect_identical(y$changes$se, c(0.5, NA, NA))
  expect_identical(y$changes$arm, c(2L, 1L, 3L))
  # Nothing noted is nothing changed.
  expect_identical(note_change(y, "added", list(arm = integer()))$changes, y$changes)
})

test_that("a block is noted by its label, a failure by what went wrong", {
  x <- tell(open_run(), data.frame(
    pull = 1:2, arm = "a", y = c(1, NA), block = c("mon", "tue"), error = c(NA, "wet")
  ))
  was <- rows_as_they_were(x, 2:1)
  expect_identical(was$block, c("tue", "mon"))
  expect_identical(was$error, c("wet", NA))
})

test_that("only cancelled pulls are cancelled", {
  x <- note_change(open_run(), c("cancelled", "amended"), list(arm = 1:2, pull = 7:8))
  expect_identical(cancelled_pulls(x$changes), 7L)
})
