test_that("a drawable prior has a factor that gives the kernel back", {
  set.seed(9)
  a <- some_arms_of(60)
  kernels <- list(k_se(~ u + v, c(2, 1)), k_by(~g, k_matern(~u, 3 / 2)), k_white(), k_const(2))
  for (kernel in kernels) {
    prior <- drawable(arm_model(a, kernel = kernel)$prior)
    expect_null(prior$rest)
    expect_equal(tcrossprod(prior$factor), matrix_of(kernel, a))
    expect_identical(drawable(prior), prior)
  }
  expect_equal(ncol(drawable(arm_model(a, kernel = k_const(2))$prior)$factor), 1)
  plain <- arm_model(3, cov = diag(3))$prior
  expect_identical(drawable(plain), plain)
  prior <- drawable(arm_model(a, kernel = k_se(~u))$prior)
  expect_null(set_kernel(prior, 2)$factor)
})

test_that("a factor is cut short at 2,000 arms and more; all variances stay", {
  skip_long_on_cran()
  set.seed(10)
  a <- data.frame(arm = 1:2500, u = runif(2500, 0, 1000))
  kernel <- k_matern(~u, 1 / 2, 0.5)
  rough <- arm_model(a, kernel = kernel, prior_mean = 0, prior_sd = 1, noise_sd = 0.1)
  prior <- drawable(rough$prior)
  expect_equal(ncol(prior$factor), floor(sqrt(2e9 / 2500)))
  expect_gt(max(prior$rest), 0)
  expect_equal(rowSums(prior$factor^2) + prior$rest, prior$diagonal)
  # What stands in for the kernel is used in columns as well, so that the belief fits the draws.
  x <- bayesgap(rough, budget = 4, policy = "thompson", seed = 1)
  at <- order(prior$rest, decreasing = TRUE)[1:2]
  x <- tell(x, data.frame(arm = as.character(at), y = c(1, -1), pull = NA))
  g <- tcrossprod(prior$factor, prior$factor[at, ])
  g[cbind(at, 1:2)] <- 1
  s <- g[at, ] + diag(0.01, 2)
  expect_equal(means_of(x), drop(g %*% solve(s, c(1, -1))))
  smooth <- drawable(arm_model(a, kernel = k_se(~u, 100))$prior)
  expect_null(smooth$rest)
})

test_that("draws of a posterior that is cut short have the posterior's variances", {
  set.seed(11)
  a <- data.frame(u = 1:40)
  x <- bayesgap(a,
    budget = 9, kernel = k_matern(~u, 1 / 2, 2), prior_mean = 0, prior_sd = 2, noise_sd = 0.1
  )
  x <- tell(x, data.frame(arm = as.character(c(3, 4, 20)), y = c(1, 2, 3), pull = NA))
  found <- .Call(bg_posterior_factor, run_prior(x), x$fit, x$belief, 1:40, 1e-12, 6L)
  expect_equal(ncol(found$factor), 6)
  expect_equal(rowSums(found$factor^2) + found$rest, x$belief$var)
  whole <- .Call(bg_posterior_factor, run_prior(x), x$fit, x$belief, 1:40, 1e-12, 40L)
  expect_equal(tcrossprod(whole$factor), posterior_cov(x))
  expect_equal(max(whole$rest), 0)
  expect_identical(factor_columns(100), 100L)
  expect_equal(factor_columns(1e5), 141L)
  expect_equal(factor_columns(1e5, 400), floor(sqrt(400^2 + 2e4) - 400))
})

test_that("P(best) and simulate() of a kernel are those of its matrix", {
  set.seed(8)
  a <- data.frame(arm = 1:30, u = seq(0, 10, length.out = 30))
  kernel <- k_se(~u, 1.5) + 0.05 * k_white()
  told <- data.frame(arm = as.character(c(3, 9, 20, 21)), y = c(0, 1, 0.8, 1.1), pull = NA)
  run <- function(...) {
    x <- bayesgap(a, budget = 9, prior_mean = 0, prior_sd = 2, noise_sd = 0.2, seed = 1, ...)
    tell(x, told)
  }
  x <- run(kernel = kernel)
  y <- run(cov = kernel_matrix(kernel, a))
  z <- run(kernel = kernel, policy = "thompson")
  expect_null(run_prior(x)$factor)
  expect_false(is.null(z$prior$factor))
  best <- posterior(y)$p_best
  expect_lt(max(abs(posterior(x)$p_best - best)), 0.03)
  expect_lt(max(abs(posterior(z)$p_best - best)), 0.03)
  draws <- as.matrix(simulate(x, 4000, seed = 1))
  expect_lt(max(abs(cov(t(draws)) - posterior_cov(y))), 0.4)
  expect_lt(max(abs(rowMeans(draws) - means_of(y))), 0.15)
})

test_that("the covariance between some arms is that part of the whole, whatever the prior", {
  set.seed(13)
  a <- data.frame(u = 1:6)
  x <- matrix(rnorm(12), 6)
  kernel <- k_se(~u, 2)
  models <- list(
    independent = arm_model(6), cov = arm_model(6, cov = tcrossprod(x)),
    features = arm_model(6, features = x), kernel = arm_model(a, kernel = kernel)
  )
  whole <- list(
    independent = diag(6), cov = tcrossprod(x), features = tcrossprod(x),
    kernel = matrix_of(kernel, a)
  )
  at <- c(4, 1, 1, 6)
  for (kind in names(models)) {
    prior <- models[[kind]]$prior
    expect_identical(prior_kind(prior), kind)
    expect_equal(prior_cov(prior, at), whole[[kind]][at, at], info = kind)
  }
  # A race of some arms is the same prior, of those alone.
  for (kind in setdiff(names(models), "kernel")) {
    some <- race_prior(models[[kind]]$prior, c(5, 2))
    expect_equal(prior_cov(some, 1:2), whole[[kind]][c(5, 2), c(5, 2)], info = kind)
    expect_equal(some$diagonal, diag(whole[[kind]])[c(5, 2)], info = kind)
  }
})
