test_that("a covariance is matched to the arms by name", {
  cov <- matrix(c(1, 0.2, 0.2, 4), 2, dimnames = list(c("b", "a"), c("b", "a")))
  model <- arm_model(c("a", "b"), cov = cov)
  expect_equal(model$prior$diagonal, c(4, 1))
  rows <- cov
  colnames(rows) <- NULL
  expect_equal(arm_model(c("a", "b"), cov = rows)$prior$diagonal, c(4, 1))
  mean <- arm_model(c("a", "b"), prior_mean = c(b = 1, a = 2), noise_sd = c(b = 3, a = 4))
  expect_equal(mean$prior_mean, c(2, 1))
  expect_equal(mean$noise_sd, c(4, 3))
})

test_that("singular covariances, duplicates and zero rows are legal", {
  x <- matrix(rnorm(30), 10)
  singular <- tcrossprod(x)
  model <- arm_model(10, cov = singular)
  expect_equal(ncol(model$prior$factor), 3)
  expect_equal(tcrossprod(model$prior$factor), singular)
  expect_equal(ncol(arm_model(3, cov = matrix(1, 3, 3))$prior$factor), 1)
  expect_equal(ncol(arm_model(3, cov = matrix(0, 3, 3))$prior$factor), 0)
  expect_no_error(arm_model(2, cov = diag(c(0, 1))))
  # A matrix of rank 115 of 160 on which chol() fails
  u <- c(0, 1e-4, 1e-3, 0.01, 0.1, 0.5)
  close <- exp(-outer(u, u, "-")^2)
  expect_error(chol(close))
  expect_no_error(arm_model(6, cov = close))
  x <- bayesgap(6, function(arm) arm, budget = 12, cov = close, seed = 1)
  expect_true(all(is.finite(means_of(x))) && all(x$belief$var >= 0))
})

test_that("a covariance that rounding made unsymmetric is mended, whole numbers are taken", {
  cov <- matrix(c(1, 0.5, 0.5 + 1e-12, 1), 2)
  expect_identical(arm_model(2, cov = cov)$prior$cov, (cov + t(cov)) / 2)
  whole <- matrix(c(2L, 1L, 1L, 2L), 2)
  expect_identical(arm_model(2, cov = whole)$prior, arm_model(2, cov = whole + 0)$prior)
  expect_error(arm_model(2, cov = replace(whole, 2, NA)), "entry \\[2, 1\\] is NA",
               class = "bayesgap_error_cov")
})

test_that("the smallest eigenvalue is that of eigen()", {
  set.seed(3)
  for (k in c(1, 2, 5, 40)) {
    x <- crossprod(matrix(rnorm(k^2), k)) - diag(k) / 2
    expect_equal(.Call(bg_smallest_eigenvalue, x), min(eigen(x)$values))
  }
})

test_that("covariances that die out are cut off, not refused", {
  cov <- exp(-outer(1:40, 1:40, "-")^2)
  expect_no_error(arm_model(40, cov = cov))
  expect_error(arm_model(2, cov = diag(1e-250, 2)), class = "bayesgap_error_cov")
})

test_that("a covariance that rounding made too large tells no more than all", {
  x <- bayesgap(2, function(arm) rnorm(1),
    budget = 6, cov = matrix(c(1, 1e-9, 1e-9, 1e-20), 2), prior_mean = 0, prior_sd = 1,
    noise_sd = 0, init = c(2, 2), seed = 1
  )
  expect_lt(max(abs(x$model$prior$cov[1, 2])), 1.0000001e-10)
  expect_error(arm_model(2, features = matrix(1e-60, 2, 1)), class = "bayesgap_error_features")
})

test_that("features and their covariance are one model", {
  x <- matrix(rnorm(24), 8)
  told <- data.frame(arm = c(1, 5, 5, 2), y = c(1, 2, 3, 4), pull = NA)
  start <- function(...) {
    tell(bayesgap(8, budget = 9, prior_mean = 0, prior_sd = 2, noise_sd = 1, ...), told)
  }
  a <- start(features = x)
  b <- start(cov = tcrossprod(x))
  expect_equal(means_of(a), means_of(b))
  expect_equal(a$belief$var, b$belief$var)
  frame <- start(features = as.data.frame(x))
  expect_identical(means_of(frame), means_of(a))
})

test_that("a model is printed in words", {
  expect_snapshot({
    arm_model(3)
    arm_model("one", prior_mean = 0, prior_sd = 1, noise_sd = 0)
    arm_model(2, cov = diag(2), noise_sd = c(1, 2.5), prior_mean = c(0, 1e6))
    arm_model(2, features = matrix(1:2))
  })
})

test_that("a model may be given instead of arms, and not again", {
  model <- arm_model(c("a", "b"), prior_mean = 1, noise_sd = 1)
  expect_identical(bayesgap(model, budget = 3)$model, model)
  expect_error(bayesgap(model, budget = 3, noise_sd = 2), class = "bayesgap_error_model")
})

test_that("bad models are refused", {
  m <- function(...) arm_model(2, ...)
  named <- arm_model
  expect_snapshot(error = TRUE, {
    m(cov = diag(3))
    m(cov = matrix(1, 2, 3))
    m(cov = 1:4)
    m(cov = matrix(c("1", "0", "0", "1"), 2))
    m(cov = matrix(c(1, 0.5, 0.2, 1), 2))
    m(cov = matrix(c(1, 2, 2, 1), 2))
    m(cov = matrix(c(0, 1, 1, 0), 2))
    m(cov = diag(c(1, -1)))
    m(cov = matrix(c(1, NA, NA, 1), 2))
    m(cov = matrix(c(1, Inf, Inf, 1), 2))
    m(cov = diag(c(1, 1e300)))
    m(cov = diag(2), features = diag(2))
    m(features = matrix(1, 3, 2))
    m(features = matrix(c(1, NaN), 2))
    m(features = data.frame(x = c("a", "b")))
    m(features = matrix(numeric(), 2, 0))
    m(noise_sd = -1)
    m(noise_sd = NA)
    m(noise_sd = "1")
    m(noise_sd = c(1, 2, 3))
    m(noise_sd = c(1, Inf))
    m(prior_sd = -2)
    m(prior_sd = 1e200)
    m(prior_sd = c(1, 2))
    m(prior_mean = NA)
    m(prior_mean = 1:3)
    m(prior_mean = "a")
    m(kernel = 2)
    m(3)
    named(c("a", "b"), cov = matrix(c(1, 0, 0, 1), 2, dimnames = list(c("a", "c"), NULL)))
    named(c("a", "b"), prior_mean = c(a = 1, z = 2))
  })
  expect_error(m(cov = diag(3)), class = "bayesgap_error_cov")
  expect_error(m(noise_sd = -1), class = "bayesgap_error_noise")
  expect_error(m(features = 1), class = "bayesgap_error_features")
  expect_error(m(prior_sd = -1), class = "bayesgap_error_model")
})
