# How results find their pulls is tested where they are told (test-tell.R, test-trials.R,
# test-run-file.R); here is what they find them with.

test_that("an arm finds the oldest trial that fits, in its block", {
  asked <- list(pull = 1:4, arm = c(2L, 1L, 2L, 2L), block = c(1L, 1L, 2L, NA))
  expect_identical(find_pulls(c(2L, 2L, 2L, 2L), c(NA, NA, NA, NA), asked), c(1L, 3L, 4L, NA))
  expect_identical(find_pulls(c(2L, 3L), c(2L, 2L), asked), c(3L, NA))
  expect_identical(find_pulls(2L, 3L, asked), 4L)
})

test_that("only pulls that are on record are no guess", {
  x <- open_run()
  x$open <- list(pull = 1:3, arm = 1:3, block = rep(NA_integer_, 3))
  x$asked <- 2L
  expect_identical(guessed(x), c(1L, 3L))
})

test_that("pulls after a gap are found", {
  x <- open_run()
  expect_identical(after_gap(x, 1:3), integer())
  expect_identical(after_gap(x, c(4L, 1L, NA, 2L)), 4L)
})
