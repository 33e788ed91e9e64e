# By the formula of the help page, pair by pair.
slow_importance <- function(data, k) {
  n <- nrow(data)
  apart <- function(a, b) k(a, a) + k(b, b) - 2 * k(a, b)
  pairs <- expand.grid(i = seq_len(n), j = seq_len(n))
  all <- mean(mapply(function(i, j) apart(data[i, ], data[j, ]), pairs$i, pairs$j))
  vapply(names(data), function(name) {
    alone <- mapply(function(i, j) {
      other <- data[i, ]
      other[[name]] <- data[[name]][j]
      apart(data[i, ], other)
    }, pairs$i, pairs$j)
    mean(alone) / all
  }, 0)
}

test_that("importance is what the formula says", {
  data <- expand.grid(u = c(1, 2, 5), v = c(0, 10, 30))
  scale <- c(u = 2, v = 15)
  x <- bayesgap(data, budget = 3, kernel = k_se(~ u + v, lengthscale = scale))
  k <- function(a, b) exp(-sum(((unlist(a) - unlist(b)) / scale)^2) / 2)
  slow <- slow_importance(data, k)
  fast <- importance_table(x)
  expect_equal(fast$importance, sort(unname(slow), decreasing = TRUE))
  expect_identical(fast$column, names(sort(slow, decreasing = TRUE)))
  expect_equal(fast$lengthscale, unname(scale[fast$column]))
  expect_true(all(is.na(fast$lower)))
})

test_that("sums, categories, lines and white parts are taken apart", {
  data <- expand.grid(u = 1:4, g = c("a", "b"))
  x <- bayesgap(data, budget = 3, kernel = k_linear(~u) + k_factor(~g) + k_white())
  z <- (data$u - mean(data$u)) / sd(data$u)
  # Variances of differences: (z - z')^2 by the line, 2 across categories, 2 by the white part
  of_u <- mean(outer(z, z, "-")^2)
  of_g <- mean(2 * outer(data$g, data$g, "!="))
  all <- of_u + of_g + 2 * (1 - 1 / 8)
  found <- importance_table(x)
  expect_equal(found$importance[match(c("u", "g"), found$column)], c(of_u, of_g) / all)
  expect_true(all(is.na(found$lengthscale)))
})

test_that("a column that hardly matters is last, with an interval of what was learned", {
  data <- expand.grid(u = 1:6, idle = 1:4)
  x <- bayesgap(data, function(arm) sin(arm$u) + rnorm(1, sd = 0.05), budget = 40,
    kernel = k_se(~ u + idle), policy = "uniform", seed = 1)
  found <- importance_table(x)
  expect_identical(found$column, c("u", "idle"))
  expect_gt(found$importance[1], 0.8)
  expect_lt(found$importance[2], 0.4)
  expect_true(all(found$lower <= found$importance & found$importance <= found$upper))
  file <- fresh_file()
  save_run(x, file)
  expect_equal(importance_table(read_run(file)), found)
})

test_that("terms are told by the columns that they are made of", {
  expect_identical(term_columns("log10(cost)", c("cost", "u")), "cost")
  expect_identical(term_columns("poly(u, 2)1", c("cost", "u")), "u")
  expect_identical(term_columns("my column", c("my column", "u")), "my column")
  data <- data.frame(cost = c(1, 10, 100, 1000))
  x <- bayesgap(data, budget = 2, kernel = k_se(~ log10(cost)) + k_linear(~cost))
  expect_identical(importance_table(x)$column, "cost")
})

test_that("where nothing can be said there is an error that says why", {
  data <- data.frame(u = 1:3)
  why <- function(...) {
    expect_error(importance_table(bayesgap(..., budget = 2)), class = "bayesgap_error_importance")
  }
  expect_match(conditionMessage(why(3)), "they have none")
  expect_match(conditionMessage(why(data)), "independent")
  expect_match(conditionMessage(why(data, cov = diag(3))), "as a matrix")
  expect_match(conditionMessage(why(data, features = cbind(1:3))), "features")
  expect_match(conditionMessage(why(data, history = matrix(sin(1:15), 5))), "history")
  expect_match(conditionMessage(why(data, kernel = function(a, b) diag(3))), "function")
})

test_that("weighted ends are quantiles", {
  expect_equal(weighted_ends(c(3, 1, 2), c(0.2, 0.5, 0.3), 0.5), c(1, 2))
  expect_identical(weighted_ends(1, 1, 0.9), c(NA_real_, NA_real_))
})
