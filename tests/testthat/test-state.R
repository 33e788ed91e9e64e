test_that("a run holds plain data only", {
  x <- bayesgap(4, function(arm) arm, budget = 9, cov = diag(4), seed = 1)
  kinds <- rapply(unclass(x), typeof, how = "unlist")
  expect_true(all(kinds %in% c("integer", "double", "character", "logical")))
  expect_identical(unserialize(serialize(x, NULL)), x)
})

test_that("a run that is not given is asked for", {
  for (f in list(ask, tell, posterior, best_arm, save_run, predictive_check)) {
    expect_error(f(), "`x` must be given", class = "bayesgap_error_run")
  }
})

test_that("pulls that are counted move the stream on and are not out any more", {
  x <- blank_run(run_settings(bayesgap(3, budget = 9, seed = 1)))
  x$open <- list(pull = 1:3, arm = c(2L, 2L, 1L))
  y <- count_pulls(x, c(3L, NA, 1L))
  expect_identical(y$last, 3L)
  expect_identical(y$open, list(pull = 2L, arm = 2L))
  stream <- Reduce(function(s, i) parallel::nextRNGStream(s), 1:3, new_stream(1))
  expect_identical(y$stream, stream)
  expect_identical(count_pulls(y, 2L)$last, 3L)
  expect_identical(count_pulls(y, NA)[c("last", "stream")], y[c("last", "stream")])
})

test_that("remarks stand under the rows that they are of", {
  found <- number_remarks(list(NULL, list(error = "no"), NULL, list(extra = 1)), 7)
  expect_identical(found, list(`9` = list(error = "no"), `11` = list(extra = 1)))
})

test_that("without replacement, arms that are pulled, out or taken are barred", {
  x <- bayesgap(5, budget = 5, replace = FALSE, seed = 1)
  x$log$arm <- c(1L, 4L)
  x$open <- list(pull = 3L, arm = 2L)
  expect_identical(barred_arms(x), c(TRUE, TRUE, FALSE, TRUE, FALSE))
  x$taken <- list(arm = 5L)
  expect_identical(barred_arms(x), c(TRUE, TRUE, FALSE, TRUE, TRUE))
  x$replace <- TRUE
  expect_identical(which(barred_arms(x)), 5L)
  x$taken <- NULL
  expect_null(barred_arms(x))
})

test_that("rows are added to the log as its columns are, and the log before stays as it was", {
  x <- bayesgap(3, budget = 5, seed = 1)
  one <- keep_rows(x, list(pull = 1, arm = 2, reward = 1L, se = NA))
  two <- keep_rows(one, list(pull = c(NA, 2L), arm = 3:2, reward = c(NA, 7), se = c(0.5, NA)))
  expect_identical(two$log, list(
    pull = c(1L, NA, 2L), arm = c(2L, 3L, 2L), reward = c(1, NA, 7), se = c(NA, 0.5, NA),
    block = rep(NA_integer_, 3), size = rep(1, 3), cost = rep(1, 3)
  ))
  expect_identical(one$log$reward, 1)
  expect_identical(lengths(x$log, use.names = FALSE), integer(7))
  expect_error(.Call(bg_append, list(1L), list(1)), "different types")
})

test_that("a belief knows how many of its rows counted, also where failures are free", {
  x <- bayesgap(3, budget = 9, seed = 1, count_failures = FALSE)
  x <- tell(x, data.frame(ask(x, 3), y = c(1, NA, 2), failed = c(FALSE, TRUE, FALSE)))
  expect_identical(x$belief$counted, 2L)
  expect_identical(tell(x, data.frame(arm = 1, y = 3, pull = NA))$belief$counted, 2L)
  expect_identical(tell(x, 4)$belief$counted, 3L)
})
