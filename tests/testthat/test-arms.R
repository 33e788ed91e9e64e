test_that("arms are numbers, names or rows, and come back as they were given", {
  f <- function(arm) 1
  expect_identical(best_arm(bayesgap(1, f, budget = 1)), 1L)
  expect_identical(best_arm(bayesgap("a", f, budget = 1)), "a")
  expect_identical(best_arm(bayesgap(factor("b"), f, budget = 1)), "b")
  row <- best_arm(bayesgap(data.frame(x = 2, z = "u"), f, budget = 1))
  expect_identical(row, data.frame(arm = "1", x = 2, z = "u"))
  named <- data.frame(x = 1:2, row.names = c("low", "high"))
  expect_identical(as_arms(named)$names, c("low", "high"))
  column <- data.frame(x = 1:2, arm = c("p", "q"))
  expect_identical(as_arms(column)$names, c("p", "q"))
  expect_identical(names(as_arms(column)$data), "x")
})

test_that("the objective gets the number, the name or the row", {
  seen <- list()
  keep <- function(arm) {
    seen[[length(seen) + 1L]] <<- arm
    1
  }
  bayesgap(2, keep, budget = 1, seed = 1)
  bayesgap(c("a", "b"), keep, budget = 1, seed = 1)
  bayesgap(data.frame(x = c(5, 6), g = factor(c("u", "v"))), keep, budget = 1, seed = 1)
  expect_true(seen[[1]] %in% 1:2 && is.integer(seen[[1]]))
  expect_true(seen[[2]] %in% c("a", "b"))
  expect_s3_class(seen[[3]], "data.frame")
  expect_equal(nrow(seen[[3]]), 1)
  expect_s3_class(seen[[3]]$g, "factor")
})

test_that("names are kept exactly, in every output", {
  odd <- c("a b", "\u00e4\u00f6\u4e2d", strrep("x", 300), "a,b\"c", "1.0", "NA ")
  x <- bayesgap(odd, function(arm) nchar(arm), budget = 8, seed = 1)
  expect_setequal(unique(as.data.frame(x)$arm), odd[unique(x$log$arm)])
  expect_identical(posterior(x)$arm, odd)
  expect_true(best_arm(x) %in% odd)
  expect_true(ask(tell(bayesgap(odd, budget = 3), 1))$arm %in% odd)
  expect_output(print(x), "6 arms")
})

test_that("bad arms are refused", {
  b <- function(arms) bayesgap(arms, budget = 2)
  expect_snapshot(error = TRUE, {
    bayesgap(budget = 2)
    b(NULL)
    b(character())
    b(c("a", NA))
    b(c("a", ""))
    b(c("a", "b", "a"))
    b(0)
    b(-3)
    b(2.5)
    b(NA)
    b(NA_real_)
    b(Inf)
    b(list(1, 2))
    b(c(1, 2))
    b(data.frame())
    b(data.frame(arm = c("a", "a")))
    b(data.frame(x = I(list(1, 2))))
    b(data.frame(y = 1:2))
  })
  expect_error(b(c("a", "a")), class = "bayesgap_error_arms")
  expect_error(b(c("a", "a")), class = "bayesgap_error")
})

test_that("columns of arms have names of their own and one value a row", {
  bad <- function(...) bayesgap(data.frame(..., check.names = FALSE), budget = 2)
  for (name in list(NA_character_, "")) {
    arms <- structure(list(1:2, 3:4), names = c("u", name), class = "data.frame", row.names = 1:2)
    expect_error(bayesgap(arms, budget = 2), "column 2", class = "bayesgap_error_arms")
  }
  expect_error(bad(u = 1:2, u = 3:4), "\"u\"", class = "bayesgap_error_arms")
  expect_error(bad(u = I(matrix(1:4, 2))), "`u`.*2 x 2", class = "bayesgap_error_arms")
  expect_error(bad(arm = I(list("a", "b"))), "`arm`", class = "bayesgap_error_arms")
})

test_that("names that are not text are refused", {
  expect_error(bayesgap(c("\xff\xfe", "b"), budget = 3), "arm 1 is not text",
               class = "bayesgap_error_arms")
  x <- bayesgap(c("a", "b"), budget = 3)
  expect_error(tell(x, data.frame(arm = "\xff\xfe", y = 1)), class = "bayesgap_error_arm")
  expect_error(policy("\xff"), class = "bayesgap_error_policy")
  latin <- iconv("\u00e4", "UTF-8", "latin1")
  expect_identical(posterior(bayesgap(c(latin, "b"), budget = 3))$arm[1], "\u00e4")
})
