test_that("summary() holds what it says", {
  s <- summary(finished())
  expect_equal(s$arms$arm[1], "shop")
  expect_equal(s$model$from, rep("the user", 3))
  expect_equal(s$recommendations[["recommended"]], "shop")
  expect_true(is.na(s$theorem))
  expect_true(summary(finished(policy = policy("bayesgap", beta = 3)))$theorem < 1)
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

test_that("only the paper's policy claims its theorem", {
  summarise <- function(policy) summary(bayesgap(3, function(arm) arm, 9, policy = policy))
  theorem <- function(policy) summarise(policy)$theorem
  for (variant in c("marginal", "paper")) {
    expect_false(is.na(theorem(policy("bayesgap", variant = variant))))
  }
  expect_true(is.na(theorem("bayesgap")))
  expect_true(is.na(theorem("ugap")))
  expect_output(print(summarise("bayesgap")), "the paper's theorem does not cover this rule")
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
