test_that("a run spends the budget and finds a clear best", {
  x <- bayesgap(c("a", "b", "c"), function(arm) match(arm, c("a", "c", "b")) + rnorm(1, sd = 0.1),
    budget = 15, seed = 1)
  expect_identical(best_arm(x), "b")
  expect_equal(nrow(as.data.frame(x)), 15)
  expect_equal(sum(posterior(x)$pulls), 15)
  expect_gt(posterior(x)$p_best[2], 0.95)
  low <- bayesgap(c("a", "b", "c"), function(arm) nchar(arm) * match(arm, c("b", "c", "a")),
    budget = 9, maximise = FALSE, seed = 1)
  expect_identical(best_arm(low), "b")
})

test_that("bad calls are refused", {
  b <- function(...) bayesgap(3, ...)
  f <- function(arm) 1
  expect_snapshot(error = TRUE, {
    b()
    b(f)
    b(f, 0)
    b(f, -1)
    b(f, 2.5)
    b(f, "10")
    b(f, NA)
    b(f, 1e12)
    b(f, c(1, 2))
    b(f, Inf)
    b(f, NULL)
    b("f", 3)
    b(f, 3, 4)
    b(f, 3, bugdet = 4)
    b(f, 3, maximise = NA)
    b(f, 3, maximise = "yes")
    b(f, 3, on_error = "ignore")
    b(f, 3, progress = 1)
    b(f, 3, replace = "no")
  })
  expect_error(b(f, 0), class = "bayesgap_error_budget")
  expect_error(b("f", 3), class = "bayesgap_error_objective")
  expect_error(b(f, 3, maximise = NA), class = "bayesgap_error_maximise")
  expect_error(b(f, 3, bugdet = 1), class = "bayesgap_error_argument")
})

test_that("limits of time and numbers of retries are refused by name", {
  for (bad in list(0, -1, NA, "1", c(1, 2), NULL)) {
    expect_error(bayesgap(2, budget = 2, time_limit = bad), "`time_limit` must be",
      class = "bayesgap_error_time_limit")
  }
  for (bad in list(-1, 0.5, NA, "1", 1001, NULL)) {
    expect_error(bayesgap(2, budget = 2, retries = bad), "`retries` must be",
      class = "bayesgap_error_retries")
  }
})
