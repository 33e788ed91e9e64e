mistakes_of <- function(code, file = NULL) attempt(code, file = file)$mistakes
said_of <- function(code) attempt(code)$said
values_of <- function(file) as.data.frame(read_run(file))

test_that("typed results are told, with failures and decimal commas, and empty ones are not", {
  file <- desk_run(n = 4L)
  typed <- list(y.1 = "1,5", y.2 = "", y.3 = "", failed.3 = "yes", y.4 = "2")
  said <- said_of(tell_typed(file, typed))
  expect_identical(said, "3 results saved.")
  log <- values_of(file)
  expect_identical(log$pull, c(1L, 3L, 4L))
  expect_identical(log$y, c(1.5, NA, 2))
  expect_identical(open_trials(file)$pull, 2L)
})

test_that("every mistake is at its cell, and nothing is saved before all are right", {
  file <- desk_run(n = 4L)
  before <- readBin(file, "raw", 1e5)
  found <- mistakes_of(tell_typed(file, list(y.1 = "1o", y.2 = "1,234", y.3 = "7")))
  expect_named(found, c("y.1", "y.2"))
  expect_match(found[["y.1"]], "is no number")
  expect_match(found[["y.2"]], "1.234 or 1234", fixed = TRUE)
  # What only the package knows, in its words
  typed <- list(y.1 = "1", y.2 = "1e200", y.9 = "3", y.4 = "3", failed.4 = "yes")
  found <- mistakes_of(tell_typed(file, typed))
  expect_named(found, c("y.2", "y.4", "pull.9"))
  expect_match(found[["y.2"]], "must hold numbers up to 1e100, or NA; this is 1e+200", fixed = TRUE)
  expect_match(found[["y.4"]], "^This row has a result, but `failed` is TRUE")
  expect_match(found[["pull.9"]], "^Pull 9 was never asked")
  expect_said(mistakes_of(tell_typed(file, list(y.1 = "", y.2 = " "))), "No result is filled in")
  expect_identical(readBin(file, "raw", 1e5), before)
})

test_that("a lock is no mistake", {
  file <- desk_run(n = 1L)
  unlock <- lock_file(file)
  on.exit(unlock())
  expect_true(attempt(tell_typed(file, list(y.1 = "1")), file = file)$busy)
  unlock()
  tell(file, 1)
  unlock <- lock_file(file)
  expect_true(attempt(correct_result(file, list(y.1 = "2"), "1"), file = file)$busy)
})

test_that("rates are told by their two numbers", {
  file <- desk_run(family = "binomial", n = 2L)
  expect_identical(result_columns(read_run(file)), c("successes", "trials"))
  found <- mistakes_of(tell_typed(file, list(
    successes.1 = "5", trials.1 = "4", successes.2 = "2", trials.2 = "-1"
  )))
  expect_named(found, c("successes.1", "trials.2"))
  expect_match(found, "must be")
  suppressMessages(tell_typed(file, list(successes.1 = "3", trials.1 = "4")))
  expect_identical(values_of(file)[c("successes", "trials")], data.frame(successes = 3, trials = 4))
  found <- mistakes_of(correct_result(file, list(successes.1 = "5", trials.1 = "4"), "1"))
  expect_named(found, "successes.1")
  suppressMessages(correct_result(file, list(successes.1 = "2", trials.1 = "5"), "1"))
  expect_identical(values_of(file)$successes, 2)
  failed <- list(successes.1 = "", trials.1 = "", failed.1 = "yes")
  suppressMessages(correct_result(file, failed, "1"))
  expect_identical(values_of(file)$error, "told as failed")
})

test_that("what a trial did cost is told where trials have costs", {
  file <- desk_run(cost = "temperature", budget = "200", n = 2L)
  cost <- open_trials(file)$cost
  expect_named(mistakes_of(tell_typed(file, list(y.1 = "1", cost.1 = "-3"))), "cost.1")
  suppressMessages(tell_typed(file, list(y.1 = "1", cost.1 = "12", y.2 = "3", cost.2 = "")))
  expect_identical(values_of(file)$cost, c(12, cost[2]))
  suppressMessages(correct_result(file, list(y.1 = "1", cost.1 = "13,5"), "1"))
  expect_identical(values_of(file)$cost, c(13.5, cost[2]))
})

test_that("sheets are told with what they have besides; rows that are not done are left out", {
  file <- desk_run(n = 3L)
  todo <- open_trials(file)
  sheet <- results_sheet(data.frame(
    Trial = as.character(todo$pull), arm = todo$arm,
    temperature = sub(".", ",", todo$temperature, fixed = TRUE),
    Result = c("1,5", "", ""), failed = c("", "x", ""), colour = c("red", "blue", "")
  ), read_run(file))
  expect_identical(names(sheet), c("pull", "arm", "temperature", "y", "failed", "colour"))
  expect_identical(sheet_mistakes(read_run(file), sheet), character())
  expect_identical(
    said_of(tell_sheet(file, sheet)), "2 results saved. 1 row without a result left out."
  )
  expect_identical(values_of(file)$y, c(1.5, NA))
  expect_identical(values_of(file)$colour, c("red", "blue"))
  expect_said(mistakes_of(tell_sheet(file, sheet[3, ])), "No row has a result")
})

test_that("columns of the arms are theirs, and two columns for one thing are a mistake", {
  x <- bayesgap(data.frame(Y = 1:3, Cost = 4:6, Trial = 7:9), budget = 9, seed = 1)
  sheet <- function(...) {
    structure(data.frame("1", "2", "3", "4")[seq_len(...length())], names = c(...))
  }
  expect_named(results_sheet(sheet("Y", "Cost", "Trial"), x), c("Y", "Cost", "Trial"))
  expect_named(
    results_sheet(sheet("Y", "Result", "Trial", "PULL"), x), c("Y", "y", "Trial", "pull")
  )
  other <- open_run()
  expect_named(results_sheet(sheet("Y", "Cost", "Trial"), other), c("y", "cost", "pull"))
  found <- attempt(results_sheet(sheet("arm", "Y", "Result"), other))$mistakes
  expect_match(found, "\"Y\", \"Result\"", fixed = TRUE)
  expect_length(attempt(results_sheet(sheet("y", "Results"), other))$mistakes, 1L)
})

test_that("a row that is saved as it was shown stays as it was, to the last digit", {
  skip_if_read_inexactly()
  skip_if_not_installed("shiny")
  file <- desk_run(cost = "temperature", budget = "200", n = 2L)
  y <- c(0.123456789, 1 / 3)
  cost <- c(1234.56789, 12.3456789012)
  tell(file, data.frame(pull = 1:2, y = y, cost = cost))
  for (row in 1:2) {
    shown <- log_columns(read_run(file), 1:2, row)
    values <- list(shown$Result[[row]]$attribs$value, shown$Cost[[row]]$attribs$value)
    names(values) <- paste0(c("y.", "cost."), row)
    suppressMessages(correct_result(file, values, as.character(row)))
  }
  expect_identical(values_of(file)$y, y)
  expect_identical(values_of(file)$cost, cost)
})

test_that("mistakes in a sheet are found at once, at their cells", {
  file <- desk_run(n = 3L)
  todo <- open_trials(file)
  x <- read_run(file)
  sheet <- data.frame(pull = as.character(todo$pull), arm = todo$arm, y = c("1", "2", "3"))
  wrong <- function(column, row, value) {
    sheet[[column]][row] <- value
    names(sheet_mistakes(x, sheet))
  }
  expect_identical(wrong("y", 2, "two"), "y.2")
  expect_identical(wrong("arm", 2, "nobody"), "arm.2")
  expect_identical(wrong("arm", 3, setdiff(x$model$arms$names, todo$arm[3])[1]), "arm.3")
  expect_identical(wrong("pull", 1, "77"), "pull.1")
  expect_identical(wrong("pull", 1, "1.5"), "pull.1")
  expect_identical(wrong("pull", c(1, 2), "3"), c("arm.1", "arm.2"))
  twice <- sheet[c(1, 1, 2), ]
  expect_identical(names(sheet_mistakes(x, twice)), "pull.2")
  expect_match(sheet_mistakes(x, twice), "twice")
  expect_match(sheet_mistakes(x, sheet[c("pull", "arm")]), "No row has a result")
  expect_match(sheet_mistakes(x, data.frame(z = "1", y = "2")), "column `arm` or `pull`")
  # Rows that are not done yet do not shift the others.
  sheet$y <- c("", "x", "3")
  expect_identical(names(sheet_mistakes(x, sheet)), "y.2")
  # What was changed on the page
  mended <- changed_sheet(cbind(sheet, failed = "yes"), list(y.2 = "5", failed.1 = "yes"))
  expect_identical(mended$y, c("", "5", "3"))
  expect_identical(mended$failed, c("TRUE", "", ""))
})

test_that("a plate is told and its mistakes are at its cell", {
  file <- desk_run(blocks = "Ann, Bob", n = 2L)
  todo <- open_trials(file)
  sheet <- data.frame(
    pull = as.character(todo$pull), arm = todo$arm, block = c(todo$block[1], "Cleo"), y = "1"
  )
  found <- sheet_mistakes(read_run(file), sheet)
  expect_identical(names(found), "block.2")
  expect_match(found, "no block \"Cleo\"")
})

test_that("a result is corrected in what was changed, and withdrawn", {
  file <- desk_run(n = 3L)
  suppressMessages(tell_typed(file, list(y.1 = "1", y.2 = "2")))
  names <- read_run(file)$model$arms$names
  expect_said(said_of(correct_result(file, list(y.1 = "1,5"), "1")), "trial 1 .* corrected")
  other <- setdiff(names, values_of(file)$arm[2])[1]
  suppressMessages(correct_result(file, list(y.2 = "2", arm.2 = other), "2"))
  expect_identical(values_of(file)$y, c(1.5, 2))
  expect_identical(values_of(file)$arm[2], other)
  expect_identical(nrow(as.data.frame(read_run(file), all = TRUE)), 4L)
  suppressMessages(correct_result(file, list(y.2 = "", failed.2 = "yes"), "2"))
  expect_identical(values_of(file)$error[2], "told as failed")
  expect_said(said_of(withdraw_result(file, "1")), "withdrawn")
  expect_identical(values_of(file)$error[1], "withdrawn")
  suppressMessages(correct_result(file, list(y.1 = "3"), "1"))
  expect_identical(values_of(file)$y, c(3, NA))
})

test_that("a correction that is none stays at its cell", {
  file <- desk_run(control = "std")
  ask(file, 2, block = "monday")
  suppressMessages(tell_typed(file, list(y.1 = "1", y.2 = "2")))
  before <- readBin(file, "raw", 1e5)
  expect_named(mistakes_of(correct_result(file, list(y.1 = "x"), "1")), "y.1")
  expect_said(mistakes_of(correct_result(file, list(y.1 = ""), "1")), "withdraw it")
  expect_named(mistakes_of(correct_result(file, list(y.1 = "3", arm.1 = "nobody"), "1")), "arm.1")
  for (row in c("0", "9", "x", "")) {
    expect_length(mistakes_of(correct_result(file, list(y.1 = "3"), row)), 1L)
  }
  expect_length(mistakes_of(withdraw_result(file, "9")), 1L)
  expect_identical(readBin(file, "raw", 1e5), before)
  suppressMessages(correct_result(file, list(y.1 = "1", block.1 = "tuesday"), "1"))
  expect_identical(values_of(file)$block, c("tuesday", "monday"))
})
