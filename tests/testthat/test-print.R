finished <- function(...) {
  bayesgap(c("home", "shop", "blog"), function(arm) nchar(arm) + match(arm, c("blog", "home", "shop")),
    budget = 12, prior_mean = 5, prior_sd = 2, noise_sd = 0.5, seed = 1, ...
  )
}

test_that("the answer is printed in four lines", {
  x <- finished()
  expect_snapshot(x)
  expect_snapshot(summary(x))
  expect_snapshot(bayesgap("only", budget = 2, prior_mean = 0, prior_sd = 1, noise_sd = 1))
  expect_identical(withVisible(print(x))$visible, FALSE)
})

test_that("numbers are printed to the digits they deserve", {
  expect_equal(round_to(list(0.041234), 0.001)[[1]], "0.0412")
  expect_equal(round_to(list(1234.5), 100)[[1]], "1234")
  expect_equal(round_to(list(3e9), 1e7)[[1]], "3e+09")
  expect_equal(round_to(list(0), 0)[[1]], "0.000")
  expect_equal(round_to(list(1e15 + 123456), 1000)[[1]], "1000000000123456")
})

test_that("summary() holds what it says", {
  s <- summary(finished())
  expect_equal(s$arms$arm[1], "shop")
  expect_equal(s$model$from, rep("the user", 3))
  expect_equal(s$recommendations[["recommended"]], "shop")
  expect_true(s$theorem < 1)
  plain <- summary(bayesgap(3, function(arm) arm, budget = 6, policy = "uniform", seed = 1))
  expect_true(is.na(plain$beta))
  expect_match(plain$model$from[1], "observations")
  expect_output(print(plain), "Policy uniform")
  expect_error(summary(finished(), 3), class = "bayesgap_error_argument")
})

test_that("the three recommendations are shown when they differ", {
  x <- finished(policy = policy("bayesgap", advice = "omega"))
  x$belief$note[3] <- 1
  expect_output(print(summary(x)), "recommendations differ")
})

test_that("as.data.frame() of a new run has no rows but all columns", {
  x <- bayesgap(2, budget = 2)
  expect_identical(names(as.data.frame(x)), c("pull", "arm", "y", "se", "error"))
  expect_equal(nrow(as.data.frame(x)), 0)
})

test_that("what the objective returns besides keeps its class", {
  day <- as.Date("2020-02-29")
  calls <- 0
  x <- bayesgap(2, function(arm) {
    calls <<- calls + 1
    if (calls == 1) 1 else list(y = 1, when = day, who = factor("me"))
  }, budget = 3)
  expect_identical(as.data.frame(x)$when, c(as.Date(NA), day, day))
  expect_s3_class(as.data.frame(x)$who, "factor")
})

test_that("only the paper's policy claims its theorem", {
  theorem <- function(name) summary(bayesgap(3, function(arm) arm, 9, policy = name))$theorem
  expect_false(is.na(theorem("bayesgap")))
  expect_true(is.na(theorem("ugap")))
})

test_that("summary() tells what was learned of a kernel, in the user's units", {
  arms <- data.frame(dose = seq(0, 1000, by = 100), drug = rep(c("x", "y"), length.out = 11))
  kernel <- k_se(~dose) * k_factor(~drug, similarity = NULL) + k_se(~ log1p(dose), lengthscale = 2)
  new <- summary(bayesgap(arms, budget = 3, kernel = kernel))$model
  expect_identical(rownames(new)[4:5], c("lengthscale of dose", "similarity of drug"))
  expect_equal(new$value[4:5], c(0.3 * sd(arms$dose), exp(-1)))
  expect_identical(new$from[4:5], rep("a default", 2))
  x <- bayesgap(arms, function(arm) sin(arm$dose / 300), budget = 8, kernel = kernel, seed = 1)
  learned <- summary(x)$model
  expect_identical(learned$from[4], "8 observations")
  expect_equal(learned$value[4], run_prior(x)$kernel$value[1] * sd(arms$dose))
  expect_match(format(summary(x)), "^  similarity of drug +0", all = FALSE)
  expect_identical(nrow(summary(bayesgap(3, budget = 3))$model), 3L)
})
