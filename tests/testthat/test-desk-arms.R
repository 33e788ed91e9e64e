said_by <- function(code) attempt(code)$said
wrong_in <- function(code) attempt(code)$mistakes

test_that("trials are asked for and called off", {
  file <- desk_run()
  expect_identical(said_by(ask_trials(file, list(n = "3"))), "Trials 1, 2, 3 to be made.")
  expect_identical(said_by(ask_trials(file, list(n = "1", block = ""))), "Trial 4 to be made.")
  expect_identical(nrow(open_trials(file)), 4L)
  expect_said(said_by(call_off(file, "2")), "Trial 2 is called off")
  expect_identical(open_trials(file)$pull, c(1L, 3L, 4L))
  expect_length(wrong_in(call_off(file, "2")), 1L)
  expect_length(wrong_in(call_off(file, "x")), 1L)
  expect_named(wrong_in(ask_trials(file, list(n = ""))), "n")
  expect_length(wrong_in(ask_trials(file, list(n = "0"))), 1L)
})

test_that("a plate is named, and its name is wanted where there are plates", {
  file <- desk_run(control = "std")
  out <- attempt(ask_trials(file, list(n = "2", block = "")), c(block = "block"))
  expect_named(out$mistakes, "block")
  suppressMessages(ask_trials(file, list(n = "2", block = "plate 1")))
  expect_identical(open_trials(file)$block, c("plate 1", "plate 1"))
  expect_identical(open_trials(file)$arm[1], "std")
})

test_that("where nothing is left to ask, the reason is said", {
  file <- desk_run(budget = "2", n = 2L)
  expect_said(said_by(ask_trials(file, list(n = "1"))), "No further trial is left", all = FALSE)
  suppressMessages(tell_typed(file, list(y.1 = "1", y.2 = "2")))
  expect_said(said_by(ask_trials(file, list(n = "1"))), "the budget is spent", all = FALSE)
  expect_said(said_by(plan_more(file, list(budget = "5"))), "budget is 5 now")
  expect_identical(said_by(ask_trials(file, list(n = "9"))), "Trials 3, 4, 5 to be made.")
  out <- attempt(plan_more(file, list(budget = "1")), c(budget = "budget"))
  expect_named(out$mistakes, "budget")
  expect_identical(read_run(file)$budget, 5L)
})

test_that("arms are set aside, brought back and tried again", {
  file <- desk_run()
  expect_said(said_by(put_aside(file, list(arm = "Pd 20"))), "set aside")
  expect_identical(arms_by_status(read_run(file))$dropped, "Pd 20")
  expect_said(said_by(bring_back(file, list(arm = "Pd 20"))), "is back")
  expect_identical(arms_by_status(read_run(file))$dropped, character())
  expect_said(wrong_in(put_aside(file, list(arm = ""))), "Choose an arm")
  expect_length(wrong_in(put_aside(file, list(arm = "nobody"))), 1L)
  suppressMessages(tell(file, data.frame(
    arm = c("std", rep("Ni 20", 3)), y = c(1, NA, NA, NA), failed = c(FALSE, TRUE, TRUE, TRUE),
    pull = NA
  )))
  expect_identical(arms_by_status(read_run(file))$failed, "Ni 20")
  expect_said(said_by(try_again(file, list(arm = "Ni 20"))), "tried again")
  expect_identical(arms_by_status(read_run(file))$failed, character())
  with_control <- desk_run(control = "std")
  expect_false("std" %in% arms_by_status(read_run(with_control))$active)
})

test_that("new arms come in as the others did, with the kernel that the file has the text of", {
  file <- desk_run(matters = list("catalyst", "temperature"))
  expect_identical(kernel_columns(read_run(file)), c("catalyst", "temperature"))
  new <- list(arm = "Co 60", column.catalyst = "Co", column.temperature = "60,5")
  expect_said(said_by(add_typed(file, new)), "longer by 1")
  x <- read_run(file)
  expect_identical(tail(x$model$arms$names, 1), "Co 60")
  expect_identical(tail(x$model$arms$data$temperature, 1), 60.5)
  expect_identical(kernel_columns(x), c("catalyst", "temperature"))
  expect_length(wrong_in(add_typed(file, new)), 1L)
  expect_named(
    wrong_in(add_typed(file, list(arm = "", column.temperature = "x"))),
    c("arm", "column.temperature")
  )
  expect_said(
    wrong_in(add_typed(file, list(arm = "z", column.temperature = ""))), "A number is wanted"
  )
})

test_that("a kernel of another kind is not guessed", {
  file <- saved_file(bayesgap(ridge, budget = 9, kernel = k_se(~u), seed = 1))
  expect_null(kernel_again(read_run(file)))
  found <- wrong_in(add_typed(file, list(column.u = "7", column.v = "1", column.g = "a")))
  expect_match(found, "`kernel` must be given again")
  expect_null(kernel_again(open_run()))
})

test_that("names, numbers and costs", {
  file <- saved_file()
  suppressMessages(add_typed(file, list(arms = "e\nf")))
  expect_identical(read_run(file)$model$arms$names, letters[1:6])
  expect_named(wrong_in(add_typed(file, list(arms = " "))), "arms")
  count <- saved_file(open_run(3))
  suppressMessages(add_typed(count, list(arms = "2")))
  expect_identical(n_arms(read_run(count)$model$arms), 5L)
  values <- saved_file(open_run(c(0.1, 0.2)))
  expect_said(wrong_in(add_typed(values, list(arms = "3"))), "in R")
  dear <- saved_file(open_run(budget = 50, cost = c(1, 2, 3, 4)))
  expect_named(wrong_in(add_typed(dear, list(arms = "e"))), "cost")
  suppressMessages(add_typed(dear, list(arms = "e", cost = "2,5")))
  expect_identical(read_run(dear)$model$cost, c(1, 2, 3, 4, 2.5))
  file <- desk_run(cost = "temperature", budget = "300")
  expect_identical(cost_column_of(read_run(file)$model), "temperature")
  new <- list(arm = "Co", column.catalyst = "Co", column.temperature = "50")
  suppressMessages(add_typed(file, new))
  expect_identical(tail(read_run(file)$model$cost, 1), 50)
})
