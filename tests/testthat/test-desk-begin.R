test_that("a run has a name in its folder, and nowhere else", {
  folder <- tempfile()
  dir.create(folder)
  expect_identical(desk_path("my run", folder), file.path(folder, "my run.bgap"))
  expect_identical(desk_path(" a.bgap ", folder), file.path(folder, "a.bgap"))
  for (bad in c("", "../a", "a/b", "a\\b", "C:a", ".hidden", "a\nb", strrep("a", 200))) {
    expect_error(desk_path(bad, folder), class = "bayesgap_error_name")
  }
  expect_identical(free_name(folder), "run.bgap")
  file.create(file.path(folder, c("run.bgap", "B.BGAP", "notes.txt")))
  Sys.setFileTime(file.path(folder, "run.bgap"), Sys.time() - 60)
  expect_identical(desk_runs(folder), c("B.BGAP", "run.bgap"))
  expect_identical(free_name(folder), "run-2.bgap")
})

test_that("a stamp changes whenever the file does", {
  expect_identical(file_stamp(NULL), "")
  expect_identical(file_stamp(tempfile()), "")
  file <- saved_file()
  first <- file_stamp(file)
  expect_identical(file_stamp(file), first)
  ask(file)
  second <- file_stamp(file)
  expect_false(second == first)
  cancel(file, 1)
  third <- file_stamp(file)
  expect_false(third %in% c(first, second))
  # Damage leaves the first line and the size as they were.
  bytes <- readBin(file, "raw", 1e5)
  bytes[200] <- xor(bytes[200], as.raw(1))
  writeBin(bytes, file)
  Sys.setFileTime(file, Sys.time() + 5)
  expect_false(file_stamp(file) == third)
})

test_that("lines are arms, or a table where they have tabs", {
  expect_identical(sheet_of_lines("a, b\n\nc")$arm, c("a, b", "c"))
  expect_identical(sheet_of_lines("x\ty\n1\t2"), data.frame(x = "1", y = "2"))
  expect_error(sheet_of_lines(" \n"), class = "bayesgap_error_sheet")
})

test_that("the columns of a sheet are guessed", {
  sheet <- recipe_sheet()
  expect_identical(naming_column(sheet), "arm")
  expect_identical(telling_columns(sheet, "arm"), c("catalyst", "temperature"))
  other <- data.frame(dose = c("1", "2"), drug = c("x", "y"), same = c("q", "q"))
  expect_identical(naming_column(other), "drug")
  expect_identical(telling_columns(other, "drug"), "dose")
  expect_identical(naming_column(other["dose"]), "")
  expect_identical(naming_column(data.frame(Name = c("1", "2"), x = c("a", "b"))), "Name")
  expect_identical(arms_of_sheet(other["drug"], "drug"), c("x", "y"))
  expect_identical(arms_of_sheet(other, "")$dose, c(1, 2))
  expect_identical(names(arms_of_sheet(other, "drug")), c("arm", "dose", "same"))
})

test_that("a form is a run in a file", {
  file <- desk_run(
    matters = list("catalyst", "temperature"), better = "smaller", control = "std", blocks = ""
  )
  x <- read_run(file)
  expect_identical(x$model$arms$names, recipe_sheet()$arm)
  expect_identical(x$model$arms$data$temperature, c(40, 20.5, 40, 20.5))
  expect_identical(x$budget, 20L)
  expect_identical(x$model$control, 1L)
  expect_match(format(x$model$kernel$kernel), "k_matern(~temperature", fixed = TRUE)
  expect_null(read_run(desk_run())$model$kernel)
  expect_identical(read_run(desk_run(blocks = "3"))$model$blocks, c("1", "2", "3"))
  expect_identical(read_run(desk_run(blocks = "Ann; Bob"))$model$blocks, c("Ann", "Bob"))
  dear <- desk_run(cost = "temperature", budget = "99")
  expect_identical(read_run(dear)$model$cost, c(40, 20.5, 40, 20.5))
  expect_identical(read_run(desk_run(family = "poisson"))$model$family, "poisson")
})

test_that("the kernel of columns is one that an R user may write", {
  arms <- data.frame(
    dose = c(1, 10, 100), "heat in C" = c(20, 40, 60), log = c(1, 0, 200),
    kind = c("a", "b", "a"), same = 1, check.names = FALSE
  )
  text <- format(desk_kernel(arms, FALSE))
  expect_identical(text, paste(
    "k_matern(~log10(dose) + `heat in C` + log, nu = 5/2) * k_factor(~kind, similarity = NULL)",
    "+ k_const(0.05) * k_white()"
  ))
  again <- eval(str2lang(text))
  expect_identical(format(again), text)
  expect_equal(kernel_matrix(again, arms), kernel_matrix(desk_kernel(arms, FALSE), arms))
  expect_identical(format(desk_kernel(arms["kind"], TRUE)), "k_factor(~kind, similarity = NULL)")
  expect_null(desk_kernel(arms["same"], FALSE))
})

test_that("every mistake in a form is at its field", {
  field <- function(...) {
    given <- utils::modifyList(list(budget = "20", naming = "arm"), list(...))
    sheet <- if (is.null(given$sheet)) recipe_sheet() else given$sheet
    names(attempt(begin_run(fresh_file(), given, sheet), begin_fields)$mistakes)
  }
  expect_identical(field(budget = ""), "budget")
  expect_identical(field(budget = "2.5"), "budget")
  expect_identical(field(budget = "many"), "budget")
  expect_identical(field(control = "nobody"), "control")
  expect_identical(field(blocks = "Ann, Ann"), "blocks")
  expect_identical(field(cost = "catalyst"), "cost")
  expect_identical(field(family = "gamma"), "family")
  gap <- data.frame(arm = c("a", "b"), x = c("1", ""))
  expect_identical(field(sheet = gap, matters = list("x")), "matters")
  expect_identical(field(sheet = data.frame(arm = c("a", "a"))), "arms")
  expect_identical(field(sheet = data.frame(arm = c("a", "b"), y = c("1", "2"))), "arms")
  expect_identical(names(attempt(begin_run("x", list(), NULL), begin_fields)$mistakes), "arms")
})

test_that("no file is ever replaced", {
  file <- desk_run(n = 2L)
  before <- readBin(file, "raw", 1e5)
  again <- attempt(
    begin_run(file, list(budget = "5", naming = "arm"), recipe_sheet()), begin_fields, file
  )
  expect_identical(names(again$mistakes), "name")
  expect_identical(readBin(file, "raw", 1e5), before)
  expect_false(file.exists(paste0(file, ".lock")))
})
