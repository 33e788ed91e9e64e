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

# The log as it would be in vectors of their own.
plain_log <- function(x) unserialize(serialize(x$log, NULL))

test_that("runs that grew from one share a log and do not see each other's rows", {
  x <- open_run(budget = 400)
  for (i in 1:200) {
    x <- tell(x, i)
  }
  before <- plain_log(x)
  a <- tell(x, 1001)
  b <- tell(x, 1002)
  c <- tell(tell(a, 1003), 1004)
  d <- tell(a, 1005)
  expect_identical(plain_log(x), before)
  expect_identical(a$log$reward, c(before$reward, 1001))
  expect_identical(b$log$reward, c(before$reward, 1002))
  expect_identical(c$log$reward, c(before$reward, 1001, 1003, 1004))
  expect_identical(d$log$reward, c(before$reward, 1001, 1005))
  expect_identical(d$tells, rep(1L, 202))
})

test_that("who writes into a log writes into its own", {
  x <- tell(tell(open_run(), 1), 2)
  y <- tell(x, 3)
  z <- y
  y$log$reward[2] <- 99
  expect_identical(y$log$reward, c(1, 99, 3))
  expect_identical(x$log$reward, c(1, 2))
  expect_identical(z$log$reward, c(1, 2, 3))
  expect_identical(tell(y, 4)$log$reward, c(1, 99, 3, 4))
  expect_identical(tell(z, 5)$log$reward, c(1, 2, 3, 5))
  copy <- z$log$pull
  copy[[1]] <- 7L
  expect_identical(z$log$pull, 1:3)
})

test_that("a log is a vector like any other to R", {
  x <- tell(tell(open_run(), 1.5), -2)
  for (name in names(x$log)) {
    column <- x$log[[name]]
    own <- unserialize(serialize(column, NULL))
    expect_identical(column, own)
    expect_identical(serialize(column, NULL), serialize(own, NULL))
    expect_identical(column[2:1], own[2:1])
    expect_identical(column[[2]], own[[2]])
    expect_identical(c(column, column), c(own, own))
    expect_identical(is.na(column), is.na(own))
    expect_identical(rev(column), rev(own))
  }
  expect_identical(sum(x$log$reward), -0.5)
  expect_error(x$log$arm[[3]], "subscript out of bounds")
})

test_that("remarks are added behind those that are there", {
  there <- list(`2` = list(error = "no"))
  added <- function(there, ...) add_remarks(list(last = 3L, remarks = there), ...)
  expect_identical(added(there, list(NULL, NULL), 3L), list(last = 3L, remarks = there))
  expect_identical(added(list(), list(NULL), 3L)$remarks, list())
  expect_identical(
    added(there, list(NULL, list(extra = 1)), 3L),
    list(last = 3L, remarks = c(there, list(`5` = list(extra = 1))))
  )
})

test_that("a pull up to the last is told, out or cancelled", {
  x <- open_run(budget = 9)
  x <- tell(x, data.frame(ask(x, 5)[c(2, 5), ], y = 1))
  x <- cancel(x, 3)
  expect_identical(are_told(x, c(1:6, NA)), c(FALSE, TRUE, FALSE, FALSE, TRUE, FALSE, FALSE))
  expect_identical(which(are_told(x, 1:9)), sort(x$log$pull))
})

test_that("a belief knows how many of its rows counted, also where failures are free", {
  x <- bayesgap(3, budget = 9, seed = 1, count_failures = FALSE)
  x <- tell(x, data.frame(ask(x, 3), y = c(1, NA, 2), failed = c(FALSE, TRUE, FALSE)))
  expect_identical(x$belief$counted, 2L)
  expect_identical(tell(x, data.frame(arm = 1, y = 3, pull = NA))$belief$counted, 2L)
  expect_identical(tell(x, 4)$belief$counted, 3L)
})
