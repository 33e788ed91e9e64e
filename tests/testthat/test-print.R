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

test_that("further columns have one class, or are text, or a list", {
  further <- function(...) {
    values <- list(...)
    x <- bayesgap(1, function(arm, pull) list(y = 1, v = values[[pull$index]]),
      budget = length(values), seed = 1, prior_mean = 0, prior_sd = 1, noise_sd = 1)
    table <- as.data.frame(x)
    expect_identical(nrow(table), length(values))
    expect_identical(lengths(table), structure(rep(length(values), ncol(table)), names = names(table)))
    expect_no_error(format(table))
    table$v
  }
  day <- as.Date("2020-02-29")
  time <- as.POSIXct("2020-02-29 12:00:00", tz = "UTC")
  expect_identical(further(day, day + 1), c(day, day + 1))
  expect_identical(further(day, NULL, NA), c(day, NA, NA))
  expect_identical(further(NA, NULL), c(NA, NA))
  expect_identical(further(NULL, NULL), c(NA, NA))
  expect_identical(further(day, "lost"), c("2020-02-29", "lost"))
  expect_identical(further(factor("a"), day), c("a", "2020-02-29"))
  expect_identical(further(factor("b"), factor("a"), NULL), factor(c("b", "a", NA), c("b", "a")))
  low <- factor("low", c("low", "high"), ordered = TRUE)
  expect_identical(further(low, low), c(low, low))
  expect_identical(further(low, factor("x", ordered = TRUE)), factor(c("low", "x"), c("low", "high", "x")))
  expect_identical(further(1L, "x"), c("1", "x"))
  expect_identical(further(1L, 2.5), c(1, 2.5))
  expect_identical(further(1L, NA), c(1L, NA))
  expect_identical(further(TRUE, 1 / 3), c("TRUE", "0.333333333333333"))
  expect_identical(further(time, NULL), structure(c(time, NA), tzone = "UTC"))
  took <- further(as.difftime(1, units = "mins"), as.difftime(1, units = "hours"))
  expect_identical(as.numeric(took, units = "secs"), c(60, 3600))
  expect_identical(further(1:2, 3L), list(1:2, 3L))
  expect_identical(further(list(a = 1), matrix(1)), list(list(a = 1), matrix(1)))
  expect_identical(further(c(a = 1), c(b = 2)), c(1, 2))
})

test_that("as.data.frame() takes the usual arguments", {
  x <- bayesgap(c("a", "b"), function(arm) list(y = 1, who = arm), budget = 2, seed = 1)
  table <- as.data.frame(x)
  expect_identical(as.data.frame(x, stringsAsFactors = FALSE), table)
  expect_identical(as.data.frame(x, optional = TRUE, make.names = NA), table)
  expect_s3_class(as.data.frame(x, stringsAsFactors = TRUE)$who, "factor")
  expect_identical(row.names(as.data.frame(x, row.names = c("p", "q"))), c("p", "q"))
  expect_error(as.data.frame(x, row.names = "p"), class = "bayesgap_error_row.names")
  expect_error(as.data.frame(x, stringAsFactors = FALSE), "`stringsAsFactors`",
    class = "bayesgap_error_argument")
  skip_if_not_installed("tibble")
  expect_identical(as.data.frame(tibble::as_tibble(x)), table)
})

test_that("no name is taken for another that begins like it", {
  old <- options(
    warnPartialMatchDollar = TRUE, warnPartialMatchArgs = TRUE, warnPartialMatchAttr = TRUE, warn = 2
  )
  on.exit(options(old))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off(), add = TRUE)
  arms <- data.frame(u = 1:5, g = c("a", "b", "a", "b", "a"))
  models <- list(
    list(), list(kernel = k_se(~u) * k_factor(~g)), list(features = cbind(1, 1:5)),
    list(prior_mean = 0, prior_sd = 1, noise_sd = 1), list(history = matrix(sin(1:20), 4))
  )
  tour <- function(given) {
    x <- do.call(bayesgap, c(list(arms, function(arm) list(y = sin(arm$u), who = "me"), 8, seed = 1), given))
    lapply(list(print, summary, format, posterior, predict, simulate, coef, fitted, residuals, logLik,
      AIC, predictive_check, as.data.frame, plot, best_arm, tidy.bayesgap, glance.bayesgap,
      augment.bayesgap), function(f) f(x))
    print(summary(x))
    print(predictive_check(x))
    x <- do.call(bayesgap, c(list(arms, budget = 8, seed = 1, init = 2), given))
    tell(x, data.frame(ask(x, 2), y = 1:2))
  }
  expect_no_error(utils::capture.output(lapply(models, tour)))
})
