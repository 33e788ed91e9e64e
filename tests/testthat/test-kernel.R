test_that("every kernel equals its twin", {
  set.seed(1)
  for (k in c(1, 2, 7, 200)) {
    a <- some_arms_of(k)
    uv <- a[c("u", "v")]
    scale <- c(2, 0.3)
    expect_equal(matrix_of(k_se(~ u + v, scale), a), twin_se(uv, scale))
    expect_equal(matrix_of(k_se(~ u + v, 0.7), a), twin_se(uv, 0.7))
    for (nu in c(0.5, 1.5, 2.5)) {
      expect_equal(matrix_of(k_matern(~ u + v, nu, scale), a), twin_matern(uv, nu, scale))
    }
    expect_equal(matrix_of(k_factor(~g), a), 1 * (twin_differ(a["g"]) == 0))
    expect_equal(matrix_of(k_factor(~ g + h, 0.3), a), 0.3^twin_differ(a[c("g", "h")]))
    expect_equal(matrix_of(k_factor(~g, 1), a), matrix(1, k, k))
    expect_equal(matrix_of(k_white(), a), diag(k))
    expect_equal(matrix_of(k_const(3), a), matrix(3, k, k))
  }
  expect_equal(matrix_of(k_linear(~ u + v), a), tcrossprod(standard(uv)))
  expect_equal(matrix_of(k_se(~flag, 2), a), twin_se(as.numeric(a$flag), 2))
})

test_that("the paper's kernel is k_se(lengthscale = 1 / sqrt(2))", {
  a <- data.frame(x = c(0, 1, 3))
  expect_equal(matrix_of(k_se(lengthscale = 1 / sqrt(2)), a), exp(-outer(a$x, a$x, "-")^2))
})

test_that("kernels add and multiply, with numbers and functions too", {
  set.seed(2)
  a <- some_arms_of(12)
  se <- twin_se(a$u, 2)
  rough <- twin_matern(a$v, 0.5, 0.4)
  same <- twin_differ(a["g"]) == 0
  k <- k_se(~u, 2)
  m <- k_matern(~v, 1 / 2, 0.4)
  dot <- function(a, b) outer(a$u, b$u)
  expect_equal(matrix_of(k + m, a), se + rough)
  expect_equal(matrix_of(k * m, a), se * rough)
  expect_equal(matrix_of(k * (m + k_white()) + 2, a), se * (rough + diag(12)) + 2)
  expect_equal(matrix_of(0.1 * k + m * 3, a), 0.1 * se + 3 * rough)
  expect_equal(matrix_of(k_by(~g, k), a), same * se)
  expect_equal(matrix_of(k_by(~g, k), a), matrix_of(k_factor(~g) * k, a))
  expect_equal(matrix_of(k_by(~g, dot) + k, a), same * outer(a$u, a$u) + se)
  expect_equal(matrix_of(dot * k + dot, a), (se + 1) * outer(a$u, a$u))
  deep <- k_by(~g, k_by(~h, k + m) + 0.5)
  same_h <- twin_differ(a["h"]) == 0
  expect_equal(matrix_of(deep, a), same * (same_h * (se + rough) + 0.5))
})

test_that("bad kernels are refused", {
  expect_snapshot(error = TRUE, {
    k_se("u")
    k_se(y ~ u)
    k_se(~u, lengthscale = 0)
    k_se(~u, lengthscale = "1")
    k_se(~u, lengthscale = c(1, NaN))
    k_se(~u, lengthscale = numeric())
    k_matern(nu = 2)
    k_factor(similarity = 2)
    k_const(-1)
    k_by()
    k_by(~g)
    k_by(~g, 2)
    k_se() - k_white()
    -k_se()
    k_se() + 0
    k_se() * "a"
    k_se() == k_se()
    kernel_matrix()
    kernel_matrix(k_white())
    Reduce(`+`, rep(list(k_white()), 33))
    kernel_matrix(Reduce(`+`, rep(list(k_white()), 17), right = TRUE), 2)
    kernel_matrix(1e100 * k_const(1e100), 2)
    kernel_matrix(1e-100 * k_const(1e-100), 2)
  })
  expect_error(k_se("u"), class = "bayesgap_error_kernel")
  expect_no_error(kernel_matrix(Reduce(`+`, rep(list(k_white()), 32)), 2))
  expect_no_error(kernel_matrix(Reduce(`+`, rep(list(k_white()), 16), right = TRUE), 2))
})

test_that("kernels are printed as their algebra", {
  mine <- function(a, b) diag(nrow(a))
  a <- data.frame(u = 1:2, v = 3:4, class = c("p", "q"))
  expect_snapshot({
    k_se()
    k_by(~class, k_se(~ u + v, lengthscale = 1)) + 0.1 * k_white()
    k_matern(~u, 3 / 2) * (k_linear(~v) + k_const(2) + k_const(NULL))
    k_se(~ log10(u) + v, lengthscale = c(v = 1 / 3, `log10(u)` = NA))
    k_factor(~class) + k_factor(similarity = NULL) + k_factor(similarity = 0.5)
    k_white() * mine + function(a, b) diag(2)
    arm_model(a, kernel = k_by(~class, k_se(~ u + v, lengthscale = 1)))
    arm_model(a, kernel = k_by(~class, k_se()) + mine)
  })
})
