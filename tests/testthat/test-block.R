test_that("labels of blocks are text, whatever they were", {
  expect_identical(check_blocks(3), c("1", "2", "3"))
  expect_identical(check_blocks(c(10, 20)), c("10", "20"))
  expect_identical(check_blocks(factor(c("b", "a"))), c("b", "a"))
  expect_identical(check_blocks(as.Date(c("2024-02-29", "2024-03-01"))), c("2024-02-29", "2024-03-01"))
  expect_null(check_blocks(NULL))
  for (bad in list(1.5, -1, list("a"), matrix("a"), "", character(), sum)) {
    expect_error(check_blocks(bad), class = "bayesgap_error_block")
  }
})

test_that("a model says what it knows of blocks", {
  model <- arm_model(c("a", "b"), blocks = 3, block_sd = 2, control = "b")
  expect_output(print(model), "blocks      3\n  block sd    2\n  control     b")
  expect_output(print(arm_model(2, block_sd = 1)), "blocks      as they come")
})

test_that("a number has one label whatever others it comes with", {
  expect_identical(check_blocks(c(1, 0.5, 10)), c("1", "0.5", "10"))
  x <- bayesgap(3, budget = 9, seed = 1)
  x <- tell(x, data.frame(pull = 1:4, arm = c(1:3, 1), block = c(1, 0.5, 1e6, 1), y = 1:4))
  expect_identical(x$blocks, c("1", "0.5", "1000000"))
  expect_identical(ask(x, block = 1)$block, "1")
  expect_identical(check_blocks(2:3), c("2", "3"))
})
