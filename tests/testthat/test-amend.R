# Everything that is known of a run, begun anew, but when it was changed.
facts_but <- function(x) {
  x <- begin(x)
  x$changes <- NULL
  x
}
told <- function(y = c(1, 20, 3), arm = c("a", "b", "c"), ...) {
  tell(open_run(), data.frame(pull = 1:3, arm = arm, y = y, ...))
}

test_that("an amended run is the one that was told rightly", {
  expect_identical(facts_but(amend(told(), 2, 2)), facts_but(told(c(1, 2, 3))))
  expect_identical(
    facts_but(amend(told(se = c(NA, 1, 1)), 2:3, c(2, 4), se = c(0.5, NA))),
    facts_but(told(c(1, 2, 4), se = c(NA, 0.5, NA)))
  )
  expect_identical(
    facts_but(amend(told(), data.frame(pull = c(3, 1), arm = c("d", NA), y = c(3, 0)))),
    facts_but(told(c(0, 20, 3), c("a", "b", "d")))
  )
  x <- tell(bayesgap(4, budget = 8, seed = 1), data.frame(pull = 1:3, arm = 1:3, y = c(1, 20, 3)))
  y <- tell(bayesgap(4, budget = 8, seed = 1), data.frame(pull = 1:3, arm = 1:3, y = c(1, 2, 3)))
  expect_identical(facts_but(amend(x, 2, 2)), facts_but(y))
})

test_that("a withdrawn result teaches nothing, counts, and is no failure", {
  x <- amend(told(), 2, NA)
  expect_identical(nobs(x), 2L)
  expect_identical(spent(x), 3L)
  others <- tell(open_run(), data.frame(pull = c(1, 3), arm = c("a", "c"), y = c(1, 3)))
  expect_equal(means_of(x), means_of(others))
  expect_identical(as.data.frame(x)$error, c(NA, withdrawn, NA))
  expect_identical(x$failures$own, integer(4))
  expect_output(print(x), "1 result withdrawn")
  back <- amend(x, 2, 20)
  expect_identical(facts_but(back), facts_but(told()))
  expect_identical(back$changes$what, c("withdrawn", "amended"))
  for (i in 1:3) x <- tell(x, data.frame(pull = NA, arm = "d", y = NA, error = withdrawn))
  expect_identical(arm_status(x), rep("active", 4))
})

test_that("a failure is amended to a number, and a number to a failure", {
  x <- told(c(1, NA, 3), failed = c(NA, TRUE, NA))
  expect_identical(facts_but(amend(x, 2, 20)), facts_but(told()))
  y <- amend(told(), data.frame(pull = 2, y = NA, error = "wet"))
  expect_identical(y$changes$what, "amended")
  expect_identical(as.data.frame(y)$error[2], "wet")
  expect_identical(as.data.frame(amend(told(), data.frame(pull = 2, failed = TRUE)))$error[2],
    "told as failed")
  # What is said of one thing leaves the other as it was.
  expect_identical(as.data.frame(amend(y, data.frame(pull = 2, arm = "d")))$error[2], "wet")
  expect_identical(as.data.frame(amend(y, data.frame(pull = 1:2, se = c(1, NA))))$error[2], "wet")
})

test_that("further columns stay with their rows", {
  x <- told(c(1, NA, 3), note = c("x", "y", "z"), error = c(NA, "wet", NA))
  y <- amend(amend(x, 2, 20), 3, NA)
  expect_identical(as.data.frame(y)$note, c("x", "y", "z"))
  expect_identical(as.data.frame(y)$error, c(NA, NA, withdrawn))
})

test_that("results outside the budget are found by their row", {
  x <- tell(told(), data.frame(arm = "d", y = 9, pull = NA))
  y <- amend(x, row = 4, y = 8)
  expect_identical(as.data.frame(y)$y, c(1, 20, 3, 8))
  expect_identical(
    as.data.frame(amend(x, data.frame(row = c(4, NA), pull = c(NA, 1), y = c(8, 0))))$y,
    c(0, 20, 3, 8)
  )
  expect_error(amend(x, data.frame(pull = NA, y = 1)), "`row`", class = "bayesgap_error_amend")
  expect_error(amend(x, 1, 5, row = 2), "not that of pull 1", class = "bayesgap_error_amend")
})

test_that("a table of the run, corrected, can be given as it is", {
  x <- tell(bayesgap(ligands(), budget = 8, seed = 1), data.frame(pull = 1:3, arm = 1:3, y = 1:3))
  table <- as.data.frame(x)
  expect_identical(amend(x, table), x)
  table$y[2] <- 5
  y <- amend(x, table)
  expect_identical(y$changes$row, 2L)
  expect_identical(as.data.frame(y), table)
  table$temp[1] <- 60
  expect_error(amend(x, table), "says ligand = A, temp = 60", class = "bayesgap_error_arm")
})

test_that("blocks are amended by their labels, and those that are empty are gone", {
  x <- tell(open_run(), data.frame(pull = 1:3, arm = c("a", "b", "a"), y = 1:3,
    block = c("mon", "thu", "tue")))
  y <- amend(x, 2, block = "tue")
  expect_identical(y$blocks, c("mon", "tue"))
  expect_identical(as.data.frame(y)$block, c("mon", "tue", "tue"))
  right <- tell(open_run(), data.frame(pull = 1:3, arm = c("a", "b", "a"), y = 1:3,
    block = c("mon", "tue", "tue")))
  expect_identical(facts_but(y), facts_but(right))
  file <- fresh_file()
  save_run(y, file)
  expect_identical(read_run(file), y)
  expect_identical(as.data.frame(amend(x, data.frame(pull = 1:2, block = c(NA, "wed"))))$block,
    c("mon", "wed", "tue"))
  expect_error(amend(told(), 1, block = "mon"), "names a block", class = "bayesgap_error_block")
  fixed <- tell(bayesgap(2, budget = 4, blocks = 2, seed = 1),
    data.frame(pull = 1, arm = 1, y = 1, block = 1))
  expect_identical(as.data.frame(amend(fixed, 1, block = 2))$block, "2")
  expect_error(amend(fixed, 1, block = 3), "no block \"3\"", class = "bayesgap_error_block")
})

test_that("rates are amended by their columns", {
  x <- bayesgap(c("a", "b"), budget = 6, family = "binomial", seed = 1)
  x <- tell(x, data.frame(pull = 1:2, arm = c("a", "b"), successes = 3:4, trials = 10))
  y <- amend(x, data.frame(pull = 2, successes = 5, trials = 12))
  expect_identical(as.data.frame(y)$successes, c(3, 5))
  expect_identical(as.data.frame(y)$trials, c(10, 12))
  expect_identical(amend(x, 2, y = TRUE)$log$reward, c(0.3, 1))
  expect_identical(is.na(amend(x, 1, NA)$log$reward), c(TRUE, FALSE))
  expect_identical(as.data.frame(amend(x, data.frame(pull = 1, failed = TRUE)))$trials, c(NA, 10))
  expect_error(amend(x, data.frame(pull = 1, successes = 5, trials = 2)), class = "bayesgap_error")
  expect_error(amend(x, 1, 1, se = 2), class = "bayesgap_error_family")
})

test_that("minimising changes nothing but the sign", {
  x <- open_run(maximise = FALSE)
  x <- amend(tell(x, data.frame(pull = 1, arm = "a", y = 5)), 1, 7)
  expect_identical(x$log$reward, -7)
  expect_identical(as.data.frame(x)$y, 7)
})

test_that("what cannot be amended says what to do", {
  x <- tell(open_run(), data.frame(ask(open_run(), 3)[c(1, 3), ], y = 1:2))
  x <- tell(x, data.frame(arm = "d", y = 9, pull = NA))
  expect_snapshot(error = TRUE, {
    amend(x)
    amend(x, 1)
    amend(x, 2, 5)
    amend(x, 4, 5)
    amend(x, c(1, 1), 5)
    amend(x, "1", 5)
    amend(x, 1, "five")
    amend(x, 1, Inf)
    amend(x, 1, 5, se = -1)
    amend(x, 1:3, c(5, 6))
    amend(x, y = 5)
    amend(x, row = 7, y = 5)
    amend(x, data.frame(y = 5))
    amend(x, data.frame(pull = 1, Y = 5))
    amend(x, data.frame(pull = 1, y = 5), y = 6)
    amend(x, data.frame(pull = 1, arm = "z"))
    amend(x, 1, 5, wait = 3)
    amend(cancel(x, 2), 2, 5)
    amend(3, 2, 5)
  })
  expect_identical(amend(x, 1, 1), x)
})
