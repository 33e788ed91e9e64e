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

test_that("runs with a kernel go to the end under every policy", {
  skip_long_on_cran()
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

test_that("many arms need no matrix of all pairs", {
  skip_long_on_cran()
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

test_that("what memory cannot hold is refused beforehand, in bytes, with what to do", {
  e <- fault(arm_model(data.frame(u = 1:1e6), kernel = function(a, b) outer(a$u, b$u)))
  expect_s3_class(e, "bayesgap_error_memory")
  expect_match(conditionMessage(e), "8,000,000,000,000 bytes.*k_\\*\\(\\), and `features`")
  expect_no_error(arm_model(data.frame(u = 1:1e5), kernel = k_se(~u, lengthscale = 3)))
})

# ---- Functions of the user's ---------------------------------------------------------------------

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

test_that("a kernel of the user that misbehaves is named", {
  kernel <- function(f, message) {
    e <- fault(arm_model(3, kernel = f))
    expect_s3_class(e, "bayesgap_error_kernel")
    expect_match(conditionMessage(e), message)
  }
  kernel(function(a, b) stop("broke"), "kernel function\\(a, b\\) failed: broke")
  kernel(function(a, b) matrix(1, 2, 2), "kernel function.*3 x 3")
  kernel(function(a, b) matrix(runif(9), 3), "must be symmetric")
})
