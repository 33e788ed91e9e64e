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

test_that("arms that were set aside have a line each, with their last error, and not too many", {
  x <- quietly(bayesgap(rates, train, 40, seed = 1))
  line <- "  set aside: lr = 0.1 (failed 3 times in a row: loss is NaN)"
  expect_true(line %in% format(x))
  expect_true(line %in% format(summary(x)))
  expect_false(any(grepl("set aside", format(retry_arms(x)))))
  x <- bayesgap(9, budget = 99, seed = 1)
  x <- quietly(tell(x, data.frame(
    arm = as.vector(rbind(1, rep(2:6, 3))), y = rep(c(1, NA), 15), pull = NA,
    failed = rep(c(FALSE, TRUE), 15)
  )))
  lines <- grep("set aside", format(x), value = TRUE)
  expect_length(lines, 4)
  expect_identical(lines[4], "  set aside: 2 more, see posterior(x)$status")
})

test_that("a run in which nothing worked is printed without an answer", {
  x <- tell(bayesgap(3, budget = 9), data.frame(
    arm = 1:2, y = NA, error = c("wet", "dry"), pull = 1:2
  ))
  expect_identical(format(x)[-1], c(
    "  2 failed pulls, the last: dry", "  nothing worked, so there is no answer",
    "  the first failed: wet"
  ))
  expect_true("  nothing worked, so there is no answer" %in% format(summary(x)))
  expect_true("  nothing observed: this is the prior" %in% format(bayesgap(3, budget = 9)))
})

test_that("a recommended arm that was not seen to work is said to be so", {
  x <- bayesgap(c("a", "b"), budget = 9, prior_mean = c(0, 5), prior_sd = 1, noise_sd = 1)
  x <- tell(x, data.frame(arm = c("a", "b"), y = c(0, NA), pull = NA, failed = c(FALSE, TRUE)))
  expect_true("  b was not seen to work: its one pull failed" %in% format(x))
  x <- tell(x, data.frame(arm = "b", y = NA, pull = NA, failed = TRUE))
  expect_true("  b was not seen to work: its 2 pulls failed" %in% format(x))
})

test_that("what is printed of an arm is what posterior() says of it", {
  set.seed(4)
  x <- bayesgap(6, function(arm) arm / 3 + rnorm(1), budget = 30, seed = 2, maximise = FALSE)
  found <- certainty(x)
  all <- posterior_table(x, 0.95, found)
  arms <- printed_arms(x, all$mean)
  some <- posterior_table(x, 0.95, found, arms)
  expect_equal(some[arms, ], all[arms, ])
  expect_true(all(is.na(some[-arms, c("lower", "upper")])))
  expect_identical(format(x), format_run(x, all, found))
  expect_identical(printed_arms(drop_arms(x, arms[2]), all$mean)[1], arms[1])
  expect_false(arms[2] %in% printed_arms(drop_arms(x, arms[2]), all$mean))
})
