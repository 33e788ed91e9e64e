test_that("what was done comes with what was said", {
  out <- attempt({
    message("one")
    warning("two")
    message("one")
  })
  expect_identical(out, list(
    done = TRUE, said = c("one", "two"), mistakes = character(), busy = FALSE
  ))
})

test_that("an error is a mistake at the field that its class names", {
  out <- attempt(abort("budget", "too small"), c(budget = "amount"))
  expect_identical(out$mistakes, c(amount = "too small"))
  expect_false(out$done || out$busy)
  expect_identical(names(attempt(abort("other", "what"), c(budget = "amount"))$mistakes), "")
  expect_identical(names(attempt(abort("other", "what"), NULL)$mistakes), "")
  expect_identical(attempt(stop("not ours"))$mistakes, c("not ours"), ignore_attr = TRUE)
  several <- c(y.1 = "one", y.2 = "two")
  expect_identical(attempt(abort_mistakes(several))$mistakes, several)
  expect_null(stop_if_mistakes(character()))
  # What was said before it failed is no news.
  expect_identical(attempt({
    message("on the way")
    stop("no")
  })$said, character())
})

test_that("a file that another session writes is busy, and any other trouble is not", {
  file <- saved_file()
  unlock <- lock_file(file)
  on.exit(unlock())
  out <- attempt(ask(file, wait = 0), file = file)
  expect_true(out$busy)
  expect_false(out$done)
  unlock()
  expect_true(attempt(ask(file, wait = 0), file = file)$done)
  gone <- tempfile()
  expect_false(attempt(ask(gone), file = gone)$busy)
})

test_that("fields are text, whatever a browser sends", {
  values <- list(a = " x ", b = list("1", "2"), c = NULL, d = 3, e = list())
  expect_identical(entry(values, "a"), "x")
  expect_identical(entry(values, "b"), "1")
  expect_identical(entries(values, "b"), c("1", "2"))
  expect_identical(entry(values, "d"), "3")
  expect_identical(c(entry(values, "e"), entry(values, "nowhere"), entry(NULL, "a")), c("", "", ""))
  expect_identical(entered_number(list(n = "2,5"), "n", "?"), 2.5)
  mistakes <- function(code) attempt(code)$mistakes
  expect_identical(mistakes(entered_number(list(n = ""), "n", "How many?")), c(n = "How many?"))
  expect_named(mistakes(entered_number(list(n = "two"), "n", "How many?")), "n")
  expect_identical(entered_lines(" a \r\n\n b\rc"), c("a", "b", "c"))
})
