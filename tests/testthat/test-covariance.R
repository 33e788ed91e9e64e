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

test_that("a variance that is below 0 by rounding is 0", {
  for (at in 1:3) {
    S <- diag(3)
    S[at, at] <- -1e-17
    x <- bayesgap(3, function(arm) arm, budget = 6, cov = S, prior_mean = 0, prior_sd = 1,
                  noise_sd = 0.1, seed = 1)
    table <- posterior(x)
    expect_equal(c(table$mean[at], table$sd[at], table$pulls[at]), c(0, 0, 0))
    expect_equal(sum(table$p_best), 1)
    expect_true(all(table$pulls[-at] > 0))
  }
  # Beside covariances that such a variance does not allow.
  S <- matrix(1e-17, 3, 3) + diag(c(0, 1, 1))
  S[1, 1] <- -1e-17
  expect_equal(arm_model(3, cov = S)$prior$cov[1, ], c(0, 0, 0))
})

test_that("a covariance that is none is refused, naming it and the entry", {
  refused <- function(cov, message, arms = c("a", "b")) {
    e <- fault(arm_model(arms, cov = cov))
    expect_s3_class(e, "bayesgap_error_cov")
    expect_match(conditionMessage(e), message)
  }
  m <- function(...) matrix(c(...), 2)
  refused(matrix(1, 2, 3), "`cov` must be a symmetric 2 x 2")
  refused(diag(3), "`cov` must be a symmetric 2 x 2")
  refused(m(1, 0.5, 0.2, 1), "entry \\[2, 1\\] is 0.5 and \\[1, 2\\] is 0.2")
  refused(m(1, 2, 2, 1), "`cov` must be positive semi-definite, .* eigenvalue is -1")
  refused(diag(c(1, -1)), "`cov`.*\\[2, 2\\]")
  refused(m(1, NA, NA, 1), "entry \\[2, 1\\] is NA")
  refused(m(1, 0, 0, Inf), "entry \\[2, 2\\] is Inf")
  refused(diag(c(1, 1e300)), "entry \\[2, 2\\] is 1e\\+300")
  refused(diag(1e-300, 2), "at least 1e-100")
  refused(m("1", "0", "0", "1"), "character matrix")
  refused(matrix(c(1, 0, 0, 1), 2, dimnames = list(c("a", "c"), NULL)), "no arm \"c\"")
  legal <- list(
    diag(c(0, 1)), matrix(1, 2, 2), matrix(0, 2, 2), m(1L, 0L, 0L, 1L), diag(c(1, 1e-300)),
    m(1, 0.5, 0.5 + 1e-14, 1)
  )
  for (cov in legal) {
    x <- bayesgap(c("a", "b"), function(arm) rnorm(1), budget = 5, cov = cov, seed = 1)
    expect_false(anyNA(posterior(x)))
  }
})
