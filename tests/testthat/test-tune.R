# What all kinds of tuning share; tests/tuners has the models themselves.

test_that("what cannot be tuned is named", {
  expect_error(tune_bayesgap(3), "a learner of mlr3, or the name of a method of caret, not 3",
    class = "bayesgap_error_object")
  expect_error(tune_bayesgap(), class = "bayesgap_error_object")
  expect_error(tuning_run(mtcars), "`x` must be a result of tune_bayesgap()",
    class = "bayesgap_error_run")
})

test_that("what is added is an argument of bayesgap() that is not set already", {
  expect_null(check_added(seed = 1, checkpoint = "a.bgap", cost = 1:3))
  expect_error(check_added(sead = 1), "no argument `sead`.*Did you mean `seed`",
    class = "bayesgap_error_dots")
  expect_error(check_added(blocks = 3), "`blocks` is set by", class = "bayesgap_error_dots")
  expect_error(check_added(control = "a"), "`control` is set by", class = "bayesgap_error_dots")
  expect_error(check_added(seed = 1, 3), "must have names", class = "bayesgap_error_dots")
})

test_that("the budget is a fifth of all fits, twenty at least, and all at most", {
  expect_equal(tuning_budget(NULL, 60, 10), 120)
  expect_equal(tuning_budget(NULL, 10, 5), 20)
  expect_equal(tuning_budget(NULL, 3, 5), 15)
  expect_equal(tuning_budget(500, 3, 5), 15)
  expect_equal(tuning_budget(7, 3, 5), 7)
  expect_equal(tuning_budget(7.5, 3, 5, cost = 1), 7.5)
  expect_error(tuning_budget(NULL, 3, 5, cost = 1), "`budget` must be given",
    class = "bayesgap_error_budget")
  expect_error(tuning_budget(0, 3, 5), class = "bayesgap_error_budget")
})

test_that("a kernel is made of the grid: ranks of numbers, categories, and nothing that is constant", {
  grid <- expand.grid(cost = 10^(-2:2), `min n` = c(2, 10), engine = c("a", "b"), fixed = 3)
  kernel <- grid_kernel(grid)
  expect_identical(
    format(kernel),
    paste(
      "k_matern(~grid_rank(cost) + grid_rank(`min n`), nu = 5/2) *",
      "k_factor(~grid_class(engine), similarity = NULL) + k_const(0.05) * k_white()"
    )
  )
  # Scales do not matter, only the order.
  other <- transform(grid, cost = log10(cost), check.names = FALSE)
  expect_equal(kernel_matrix(grid_kernel(other), other), kernel_matrix(kernel, grid),
    ignore_attr = TRUE)
  expect_null(grid_kernel(data.frame(a = c(1, 1))))
  expect_identical(format(grid_kernel(data.frame(a = c(TRUE, FALSE)))),
    "k_factor(~grid_class(a), similarity = NULL) + k_const(0.05) * k_white()")
  expect_identical(format(grid_kernel(data.frame(a = c(TRUE, FALSE)), own = 0)),
    "k_factor(~grid_class(a), similarity = NULL)")
  expect_identical(grid_rank(c(10, NA, 1000, 100)), c(0, 0, 2, 1) / 2)
})

test_that("kinds of models have nothing in common but their level", {
  grid <- data.frame(kind = c("x", "x", "y", "y", "z"), a = c(1, 2, NA, NA, NA), b = c(NA, NA, 1, 9, NA))
  found <- kernel_matrix(grid_kernel(grid, by = "kind"), grid)
  expect_true(all(found[1:2, 3:5] == 0) && all(found[3:4, 5] == 0))
  expect_true(all(diag(found) == 2 + own_share) && all(found[1, 2] > 1, found[3, 4] > 1))
  expect_match(format(grid_kernel(grid["kind"], by = "kind")), "k_by(~grid_class(kind), k_const(1))",
    fixed = TRUE)
  expect_null(grid_kernel(data.frame(kind = "x", a = 1), by = "kind"))
})

# Nine candidates on six resamples that differ a lot; a fit is never made twice.
toy_problem <- function(labels = paste("fold", 1:6), about = "toy") {
  grid <- expand.grid(u = 1:3, v = c(0.1, 1, 10))
  fit <- function(row, split) {
    arm <- grid[row, ]
    hard <- 10 * split
    list(y = hard + (arm$u - 2)^2 + abs(log10(arm$v)) + rnorm(1, sd = 0.05), more = arm$u)
  }
  list(grid = grid, labels = labels, marks = tuning_marks(as.list(seq_along(labels)), about),
    fit = fit, maximise = FALSE, progress = FALSE)
}

toy <- function(..., budget = 24, labels = paste("fold", 1:6)) {
  run_tuning(toy_problem(labels), budget, NULL, ...)
}

test_that("resamples are blocks, and nothing is fitted twice", {
  x <- toy(seed = 1)
  log <- as.data.frame(x)
  expect_identical(nobs(x), 24L)
  expect_false(anyDuplicated(log[c("arm", "block")]) > 0)
  expect_identical(best_arm(x)[c("u", "v")], data.frame(u = 2L, v = 1))
  expect_identical(log$more, log$u)
  expect_identical(nobs(toy(seed = 1, budget = 99)), 54L)
  # A single resample is no block.
  one <- toy(seed = 1, labels = "only", budget = NULL)
  expect_identical(nobs(one), 9L)
  expect_null(as.data.frame(one)$block)
  expect_error(toy(labels = c("a", "b", "a")), "two are called \"a\"",
    class = "bayesgap_error_resamples")
  expect_error(toy(labels = character()), "there is none", class = "bayesgap_error_resamples")
})

test_that("candidates have a part of their own, but not where fits cost differently", {
  kernel <- function(...) format(toy(seed = 1, ...)$model$kernel$kernel)
  expect_match(kernel(), "k_const(0.05) * k_white()", fixed = TRUE)
  expect_no_match(kernel(cost = rep(c(1, 5, 9), 3), budget = 80), "k_white")
})

test_that("candidates are ranked by what is expected of them, the choice first", {
  x <- toy(seed = 1)
  found <- ranked_candidates(x)
  expect_identical(found$arm[1], best_arm(x)$arm)
  expect_false(is.unsorted(found$mean[-1]))
  expect_equal(found$regret[1], unname(summary(x)$regret[["95%"]]))
  expect_true(all(found$regret >= 0))
  # What one loses by the others is about their distance to the best.
  expect_equal(found$regret[9], found$mean[9] - found$mean[1], tolerance = 0.3)
  expect_identical(found$row, match(found$arm, posterior(x)$arm))
})

test_that("columns that a run has of its own are renamed, not refused", {
  grid <- data.frame(cost = 1:2, y = 3:4, arm = 5:6, u = 7:8)
  expect_identical(names(tuning_arms(grid)), c("arm", "cost", "y_", "arm_", "u"))
  expect_identical(names(tuning_arms(grid, costs = TRUE)), c("arm", "cost_", "y_", "arm_", "u"))
  expect_identical(tuning_arms(grid)$arm, c("1, 3, 5, 7", "2, 4, 6, 8"))
  expect_identical(tuning_arms(grid, c("p", "q"))$arm, c("p", "q"))
  problem <- toy_problem()
  names(problem$grid) <- c("cost", "y")
  problem$fit <- function(row, split) list(y = row + split)
  x <- run_tuning(problem, 20, NULL, cost = rep(1, 9), seed = 1)
  expect_identical(nobs(x), 20L)
  expect_identical(best_row(x), 1L)
})

test_that("a covariance takes the place of the kernel that is made", {
  x <- toy(seed = 1, cov = diag(9))
  expect_null(x$model$kernel)
  expect_false(is.null(toy(seed = 1)$model$kernel))
})

test_that("a checkpoint of other resamples or of another model is refused", {
  file <- fresh_file()
  toy(seed = 1, checkpoint = file, budget = 10)
  expect_message(x <- toy(seed = 1, checkpoint = file, budget = 12), "10 of 12")
  expect_identical(nobs(x), 12L)
  expect_error(
    run_tuning(toy_problem(about = "other"), 12, NULL, seed = 1, checkpoint = file),
    "or of another model, metric or data", class = "bayesgap_error_checkpoint"
  )
})
