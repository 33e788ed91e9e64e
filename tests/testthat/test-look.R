test_that("what is left out is said, and nothing where all is there", {
  expect_identical(left_out(60, 319), "the best 60 of 319 arms")
  expect_null(left_out(6, 6))
  expect_identical(caption_of(NULL, "a", NULL, "b"), "a\nb")
  expect_null(caption_of(NULL, NULL))
})

test_that("as many labels are kept as there is room for", {
  expect_identical(thin_out(1:30), 1:30)
  expect_identical(thin_out(1:31), seq(1L, 31L, by = 2L))
})

test_that("an axis of pulls has whole numbers only", {
  skip_if_not_installed("ggplot2")
  expect_identical(pulls_axis(0, 1)$breaks, c(0, 1))
  expect_true(all(pulls_axis(1, 7)$breaks %% 1 == 0))
})
