test_that("the answer is printed in four lines", {
  x <- finished()
  expect_snapshot(x)
  expect_snapshot(summary(x))
  expect_snapshot(bayesgap("only", budget = 2, prior_mean = 0, prior_sd = 1, noise_sd = 1))
  expect_identical(withVisible(print(x))$visible, FALSE)
})

test_that("blocks and the control have a line each", {
  x <- bayesgap(c("std", "a", "b"), budget = 18, control = "std", seed = 1)
  expect_false(any(grepl("block", format(x))))
  told <- function(plate, y) {
    data.frame(pull = NA, arm = c("std", "a", "b"), block = paste("plate", plate), y = y)
  }
  x <- tell(x, told(1, c(1, 1.2, 2.1)))
  expect_match(format(x)[3], "  1 block, sd not known yet", fixed = TRUE)
  x <- tell(x, rbind(told(2, c(5.1, 5, 6.2)), told(3, c(-3, -2.8, -2.1))))
  expect_snapshot(x)
  expect_snapshot(summary(x))
  worse <- tell(x, rbind(told(1, c(9, 1, 1)), told(2, c(12, 5, 6)), told(3, c(8, -2, -2))))
  expect_match(format(worse), "against std  nothing: the best arm is the control", all = FALSE)
  few <- bayesgap(2, function(arm, pull) arm, budget = 3, blocks = 9, block_sd = 2, seed = 1,
    prior_mean = 0, prior_sd = 1, noise_sd = c(1, 3))
  expect_match(format(few)[2], "^  9 blocks, [1-3] of them used, sd 2 [(]noise sd 1 to 3[)]$")
})
