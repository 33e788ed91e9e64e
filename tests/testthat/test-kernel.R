# Obvious twins of the kernels, from matrices of columns.

twin_r2 <- function(x, scale) {
  x <- unname(as.matrix(x))
  total <- matrix(0, nrow(x), nrow(x))
  for (j in seq_len(ncol(x))) {
    total <- total + (outer(x[, j], x[, j], "-") / rep_len(scale, ncol(x))[j])^2
  }
  total
}
twin_se <- function(x, scale) exp(-twin_r2(x, scale) / 2)
twin_matern <- function(x, nu, scale) {
  s <- sqrt(2 * nu * twin_r2(x, scale))
  exp(-s) * switch(as.character(nu), `0.5` = 1, `1.5` = 1 + s, `2.5` = 1 + s + s^2 / 3)
}
twin_differ <- function(x) {
  Reduce(`+`, lapply(x, function(column) outer(as.character(column), as.character(column), "!=")))
}

some_arms_of <- function(k) {
  data.frame(
    u = rnorm(k, 5, 3), v = runif(k), flag = runif(k) < 0.5, g = sample(c("x", "y", "z"), k, TRUE),
    h = factor(sample(c("p", "q"), k, TRUE)), stringsAsFactors = FALSE
  )
}
matrix_of <- function(kernel, arms) unname(kernel_matrix(kernel, arms))
standard <- function(x) {
  x <- unname(as.matrix(x))
  sweep(sweep(x, 2, colMeans(x)), 2, apply(x, 2, sd), "/")
}

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

test_that("`.` is all columns, inside k_by() all but the class", {
  set.seed(3)
  a <- some_arms_of(9)
  numbers <- a[c("u", "v", "flag")]
  expect_equal(matrix_of(k_se(lengthscale = 1), numbers), twin_se(numbers, 1))
  expect_equal(
    matrix_of(k_by(~g, k_se(~., 1)), cbind(numbers, g = a$g)),
    (twin_differ(a["g"]) == 0) * twin_se(numbers, 1)
  )
  nested <- k_by(~g, k_by(~h, k_se(~., 1)))
  expect_equal(matrix_of(k_by(~ g + h, k_se(~., 1)), a), matrix_of(nested, a))
  expect_equal(
    matrix_of(k_by(~g, k_factor(~., 0.5)), a[c("g", "h", "flag")]),
    (twin_differ(a["g"]) == 0) * 0.5^twin_differ(a[c("h", "flag")])
  )
  expect_equal(matrix_of(k_se(~ . - flag, 1), numbers), twin_se(a[c("u", "v")], 1))
  expect_error(kernel_matrix(k_by(~g, k_se()), a["g"]), class = "bayesgap_error_kernel")
  # A column that is called arm names the arms and is no feature.
  named <- data.frame(arm = c("a", "b", "c"), x = 1:3)
  expect_equal(unname(kernel_matrix(k_se(~., 1), named)), twin_se(1:3, 1))
  expect_equal(rownames(kernel_matrix(k_se(~., 1), named)), c("a", "b", "c"))
})

test_that("formulas transform columns, with variables of their environment", {
  set.seed(4)
  a <- some_arms_of(10)
  unit <- 3
  x <- cbind(log10(a$v), a$u / 3)
  expect_equal(matrix_of(k_se(~ log10(v) + I(u / unit), 1), a), twin_se(x, 1))
  p <- stats::poly(a$u, 2)
  expect_equal(matrix_of(k_se(~ poly(u, 2) + v, c(1, 2, 3)), a), twin_se(cbind(p, a$v), 1:3))
  expect_equal(
    matrix_of(k_se(~ poly(u, 2) + v, c(v = 3, `poly(u, 2)` = 2)), a),
    twin_se(cbind(p, a$v), c(2, 2, 3))
  )
  odd <- data.frame(`two words` = 1:3, check.names = FALSE)
  expect_equal(matrix_of(k_se(~`two words`, 1), odd), twin_se(1:3, 1))
  expect_equal(matrix_of(k_se(lengthscale = c(`two words` = 2)), odd), twin_se(1:3, 2))
  expect_equal(matrix_of(k_se(lengthscale = 1), odd), twin_se(1:3, 1))
  expect_equal(matrix_of(k_se(~ v + u, c(u = 5, v = 2)), a), twin_se(a[c("v", "u")], c(2, 5)))
})

test_that("columns with a learned length scale are standardised, others not", {
  set.seed(5)
  a <- some_arms_of(10)
  model <- arm_model(a, kernel = k_se(~ u + v, c(2, NA)))
  expect_equal(model$prior$kernel$x[, 1], a$u)
  expect_equal(model$prior$kernel$x[, 2], drop(standard(a$v)))
  params <- model$kernel$params
  expect_equal(params$name, c("lengthscale of u", "lengthscale of v"))
  expect_equal(params$free, c(FALSE, TRUE))
  expect_equal(params$start, c(2, 0.3 * sqrt(2)))
  expect_equal(params$centre[2], log(0.3 * sqrt(2)))
  expect_equal(params$unit, c(1, sd(a$v)))
  expect_equal(unname(kernel_values(model, c(2, 1))), c(2, sd(a$v)))
  named <- arm_model(a, kernel = k_se(~ u + v, c(v = 0.5)))
  expect_equal(named$kernel$params$free, c(TRUE, FALSE))
  # Units do not matter to what is learned.
  b <- transform(a, u = 1e6 * u + 1e7)
  expect_equal(matrix_of(k_matern(~ u + v), a), matrix_of(k_matern(~ u + v), b), tolerance = 1e-6)
  # A constant column says nothing, whatever rounding makes of it.
  same <- data.frame(x = rep(c(0.3, 0.1 * 3), 5))
  expect_equal(matrix_of(k_se(), same), matrix(1, 10, 10))
  expect_lt(max(abs(matrix_of(k_linear(), same))), 1e-20)
  expect_equal(matrix_of(k_se(), data.frame(x = 3)), matrix(1))
})

test_that("the parameters of a tree are numbered in order", {
  set.seed(6)
  a <- some_arms_of(8)
  kernel <- k_by(~g, k_matern(~ u + v)) * k_factor(~h, NULL) + k_const(NULL) + 0.5 * k_se(~u, 3)
  model <- arm_model(a, kernel = kernel)
  expect_snapshot(model$kernel$params[c("name", "free")])
  expect_identical(kernel_free(model), model$kernel$params$free)
  expect_identical(kernel_free(arm_model(3)), logical())
  value <- c(Inf, 1.5, 0.7, 0.4, 2, 0.25, 4)
  prior <- set_kernel(model$prior, value)
  x <- standard(a[c("u", "v")])
  inside <- (twin_differ(a["g"]) == 0) * twin_matern(x, 2.5, c(1.5, 0.7))
  g <- inside * exp(-0.4 * twin_differ(a["h"])) + 2 + 0.25 * twin_se(a$u, 4)
  expect_equal(kernel_cov(prior$kernel), g)
  expect_equal(prior$diagonal, diag(g))
  expect_equal(unname(kernel_values(model, value))[c(1, 4)], c(0, exp(-0.4)))
})

test_that("every kind of kernel is known in R and in C", {
  table <- .Call(bg_kernels)
  expect_setequal(names(kernel_kinds), c(table$name, "by", "saved"))
  expect_identical(table$name[table$operands == 2L], c("sum", "product"))
  expect_true(all(table$operands %in% c(0L, 2L)))
  # Their numbers stand in saved runs.
  expect_identical(
    table$name,
    c(
      "const", "white", "matrix", "linear", "factor", "se", "matern12", "matern32", "matern52",
      "sum", "product"
    )
  )
})

test_that("a kernel, its matrix as cov and its columns give one posterior", {
  set.seed(7)
  for (i in 1:20) {
    a <- some_arms_of(sample(2:40, 1))
    k <- nrow(a)
    kernel <- k_by(~g, k_se(~ u + v, c(2, 0.5))) + 0.2 * k_matern(~u, 3 / 2, 1) + 0.1 * k_linear(~v)
    run <- function(...) {
      bayesgap(a, budget = 30, prior_mean = 1, prior_sd = 2, noise_sd = 0.3, seed = 1, ...)
    }
    told <- data.frame(arm = as.character(sample.int(k, 30, TRUE)), y = rnorm(30), pull = NA)
    x <- tell(run(kernel = kernel), told)
    y <- tell(run(cov = kernel_matrix(kernel, a)), told)
    expect_equal(means_of(x), means_of(y), tolerance = 1e-10)
    expect_equal(x$belief$var, y$belief$var, tolerance = 1e-10)
    expect_equal(posterior_cov(x), posterior_cov(y), tolerance = 1e-10)
    expect_identical(x$belief$best, y$belief$best)
  }
})

test_that("P(best) and simulate() of a kernel are those of its matrix", {
  set.seed(8)
  a <- data.frame(u = seq(0, 10, length.out = 30))
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

test_that("runs with a kernel go to the end under every policy", {
  skip_on_cran()
  a <- data.frame(u = 1:8, g = rep(c("p", "q"), 4))
  kernel <- k_by(~g, k_se(~u)) + 0.1 * k_white()
  for (name in setdiff(policies()$policy, "gse")) {
    x <- bayesgap(a, function(arm) arm$u + rnorm(1),
      budget = 24, kernel = kernel, policy = name, seed = 1
    )
    expect_equal(nobs(x), 24, info = name)
    expect_true(all(is.finite(means_of(x))), info = name)
  }
  expect_error(
    bayesgap(a, budget = 24, kernel = kernel, policy = "gse"), class = "bayesgap_error_policy"
  )
})

# ---- Draws ------------------------------------------------------------------------------------

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
  skip_on_cran()
  set.seed(10)
  a <- data.frame(u = runif(2500, 0, 1000))
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
  found <- .Call(bg_posterior_factor, run_prior(x), x$fit, x$belief, 1e-12, 6L)
  expect_equal(ncol(found$factor), 6)
  expect_equal(rowSums(found$factor^2) + found$rest, x$belief$var)
  whole <- .Call(bg_posterior_factor, run_prior(x), x$fit, x$belief, 1e-12, 40L)
  expect_equal(tcrossprod(whole$factor), posterior_cov(x))
  expect_equal(max(whole$rest), 0)
  expect_identical(factor_columns(100), 100L)
  expect_equal(factor_columns(1e5), 141L)
  expect_equal(factor_columns(1e5, 400), floor(sqrt(400^2 + 2e4) - 400))
})

test_that("many arms need no matrix of all pairs", {
  skip_on_cran()
  set.seed(12)
  a <- data.frame(u = runif(30000), v = runif(30000))
  x <- bayesgap(a, function(arm) sin(5 * arm$u) + arm$v,
    budget = 15, kernel = k_se(~ u + v, 0.3), prior_mean = 0, prior_sd = 1, noise_sd = 0.1, seed = 1
  )
  expect_lt(as.numeric(object.size(run_prior(x))), 5e6)
  expect_equal(sum(certainty(x, 20L)$best), 1)
  expect_error(posterior_cov(x), class = "bayesgap_error_memory")
  expect_snapshot(error = TRUE, {
    kernel_matrix(k_se(lengthscale = 1), a)
    arm_model(a, kernel = function(a, b) diag(nrow(a)))
  })
})

# ---- Functions of the user's ------------------------------------------------------------------

test_that("a function gets the arms' columns and names", {
  seen <- NULL
  look <- function(a, b) {
    seen <<- a
    diag(nrow(a))
  }
  arm_model(data.frame(arm = c("p", "q"), u = 1:2), kernel = look)
  expect_equal(seen, data.frame(arm = c("p", "q"), u = 1:2))
  arm_model(c("x", "y", "z"), kernel = look)
  expect_equal(seen, data.frame(arm = c("x", "y", "z")))
  arm_model(2, kernel = look)
  expect_equal(seen, data.frame(arm = c("1", "2")))
  # Names of the result do not matter: dist() numbers the rows.
  near <- function(a, b) exp(-as.matrix(dist(a$u)))
  model <- arm_model(data.frame(arm = c("p", "q"), u = 1:2), kernel = near)
  expect_equal(kernel_cov(model$prior$kernel), exp(-abs(outer(1:2, 1:2, "-"))))
  expect_equal(matrix_of(k_white() + function(a, b) matrix(1, 2, 2), 2), diag(2) + 1)
})

test_that("functions that are no kernels are refused", {
  give <- function(value) arm_model(c("p", "q"), kernel = function(a, b) value)
  twice <- function(a, b) stop("no luck")
  expect_snapshot(error = TRUE, {
    arm_model(2, kernel = function(a, b) stop("no luck"))
    arm_model(2, kernel = k_white() + twice)
    arm_model(2, kernel = function(a) diag(2))
    give(diag(3))
    give(1)
    give(NULL)
    give(matrix("1", 2, 2))
    give(matrix(c(1, NA, NA, 1), 2))
    give(matrix(c(1, Inf, Inf, 1), 2))
    give(matrix(c(1, 0.5, 0.2, 1), 2))
    give(matrix(c(1, 2, 2, 1), 2))
    give(diag(1e-150, 2))
  })
  expect_error(give(diag(3)), class = "bayesgap_error_kernel")
  expect_error(give(matrix(c(1, 2, 2, 1), 2)), class = "bayesgap_error_kernel")
  expect_no_error(give(matrix(c(1, 1, 1, 1), 2)))
  expect_no_error(give(matrix(c(1, 0.5 + 1e-10, 0.5, 1), 2)))
})

# ---- Refusals and words -----------------------------------------------------------------------

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

test_that("kernels that do not fit the arms are refused", {
  a <- data.frame(
    cost = c(1, 10, 100), gamma = 1:3, kind = c("p", "q", "p"), gap = c(1, NA, 2),
    day = as.Date("2024-01-01") + 0:2
  )
  row.names(a) <- c("first", "second", "third")
  m <- function(kernel, arms = a) arm_model(arms, kernel = kernel)
  z <- 1:3
  expect_snapshot(error = TRUE, {
    m(k_se(~cots))
    m(k_se(~ log10(Cost) + gamma))
    m(k_se(~z))
    m(k_se(~1))
    m(k_se(~ cost:gamma))
    m(k_se(~ cost * gamma))
    m(k_se(~ sqrt(cost, 1, 2)))
    m(k_se(~ cost[1:2]))
    m(k_se(~kind))
    m(k_linear(~ cost + factor(kind)))
    m(k_se())
    m(k_se(~day))
    m(k_se(~gap))
    m(k_factor(~gap))
    m(k_se(~ log(gamma - 1)))
    m(k_se(~ cost + gamma, c(1, 2, 3)))
    m(k_se(~ cost + gamma, c(cots = 1)))
    m(k_by(~kind, k_se()), a["kind"])
    m(k_se(~cost), 3)
    m(k_factor(), c("p", "q"))
    m("k_se")
    arm_model(a, kernel = k_white(), cov = diag(3))
    bayesgap(a, budget = 3, kernel = k_white(), features = diag(3))
  })
  expect_error(m(k_se(~cots)), class = "bayesgap_error_kernel")
  expect_no_error(m(k_white() + k_const(), 3))
})

test_that("benchmarks refuse what is to be learned", {
  a <- data.frame(u = 1:4)
  model <- function(kernel) {
    arm_model(a, kernel = kernel, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  }
  expect_snapshot(error = TRUE, problem_gaussian(model(k_se() + k_const(NULL))))
  expect_error(problem_gaussian(model(k_se())), class = "bayesgap_error_model")
  problem <- problem_gaussian(model(k_se(~u, 1)))
  table <- benchmark_policies(problem, c("bayesgap", "thompson"), budget = 5, reps = 3, seed = 1)
  expect_equal(nrow(table), 6)
  expect_true(all(table$regret >= 0))
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
