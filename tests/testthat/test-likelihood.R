# A task as estimate_fit() makes it, in the rewards' own units.
task_of <- function(model, arm, y, se = rep(NA_real_, length(y))) {
  given <- list(
    mean = if (!is.null(model$prior_mean)) rep_len(model$prior_mean, 6L),
    scale = if (!is.null(model$prior_sd)) model$prior_sd^2,
    noise2 = if (!is.null(model$noise_sd)) rep_len(model$noise_sd^2, 6L), block2 = 0,
    tilt2 = 0
  )
  known <- if (is.null(given$noise2)) se^2 else ifelse(is.na(se), given$noise2[arm], se^2)
  fit_task(model, given, average_pulls(arm, y, known, Inf), 1)
}

# The log density of all observations one by one, from the definition; a constant mean and
# the size integrated out numerically where they are free.
direct_log_density <- function(y, cov) {
  r <- chol(cov)
  -sum(log(diag(r))) - 0.5 * sum(backsolve(r, y, transpose = TRUE)^2) -
    0.5 * length(y) * log(2 * pi)
}

models <- function() {
  x <- matrix(rnorm(18), 6)
  list(
    independent = function(...) arm_model(6, ...),
    cov = function(...) arm_model(6, cov = tcrossprod(x) + diag(0.2, 6), ...),
    features = function(...) arm_model(6, features = x, ...)
  )
}

test_that("the marginal likelihood is that of the observations one by one", {
  set.seed(31)
  arm <- c(1, 4, 4, 2, 6, 6, 6, 3)
  y <- rnorm(8)
  se <- c(NA, NA, 0.4, NA, 0.7, NA, NA, 0.2)
  for (make in models()) {
    for (s in list(rep(NA_real_, 8), se)) {
      model <- make(prior_mean = 0)
      g <- if (is.null(model$prior$factor)) diag(6) else tcrossprod(model$prior$factor)
      task <- task_of(model, arm, y, s)
      task$free_unit <- FALSE # values as they are
      task$place <- list(noise = 2L, kernel = integer())
      at <- function(scale, noise2) {
        par <- log(c(scale = scale, noise = noise2))
        task$start <- par
        task$belief <- weak_belief(task)
        off <- (task$belief$form %*% par + task$belief$offset) / task$belief$spread
        explain(task, par)$value + 0.5 * sum(off^2)
      }
      direct <- function(scale, noise2) {
        direct_log_density(y, scale * g[arm, arm] + diag(ifelse(is.na(s), noise2, s^2)))
      }
      expect_equal(
        at(0.7, 0.5) - at(2.5, 0.1), direct(0.7, 0.5) - direct(2.5, 0.1), tolerance = 1e-9
      )
    }
  }
})

test_that("a free mean and a free size are integrated out", {
  set.seed(32)
  arm <- c(1, 4, 4, 2, 6)
  y <- rnorm(5) + 3
  for (make in models()) {
    model <- make()
    g <- if (is.null(model$prior$factor)) diag(6) else tcrossprod(model$prior$factor)
    task <- task_of(model, arm, y)
    expect_true(task$free_unit)
    at <- function(ratio) {
      par <- c(scale = log(ratio))
      off <- (task$belief$form %*% par + task$belief$offset) / task$belief$spread
      explain(task, par)$value + 0.5 * sum(off^2)
    }
    # With s2 = exp(u), du the measure of Jeffreys' prior, and a flat prior on the mean
    direct <- function(ratio) {
      density <- function(m, u) {
        exp(direct_log_density(y - m, exp(u) * (ratio * g[arm, arm] + diag(5))) + 5)
      }
      over_mean <- function(u) {
        integrate(Vectorize(function(m) density(m, u)), -40, 45, rel.tol = 1e-6,
                  subdivisions = 500L)$value
      }
      log(integrate(Vectorize(over_mean), -6, 6, rel.tol = 1e-6, subdivisions = 500L)$value)
    }
    expect_equal(at(0.5) - at(3), direct(0.5) - direct(3), tolerance = 1e-3)
  }
})

test_that("its gradient is the numerical one, whatever is free", {
  set.seed(33)
  arm <- c(1, 4, 4, 2, 6, 6, 6, 3)
  y <- rnorm(8)
  se <- c(NA, NA, 0.4, NA, 0.7, NA, NA, 0.2)
  given <- list(
    list(), list(prior_mean = 0.3), list(prior_sd = 1.3), list(noise_sd = 0.6),
    list(prior_mean = 0, prior_sd = 2), list(noise_sd = 0.2 + (1:6) / 10)
  )
  for (make in models()) {
    for (args in given) {
      for (s in list(rep(NA_real_, 8), se)) {
        task <- task_of(do.call(make, args), arm, y, s)
        expect_numerical_gradient(task, task$start + rnorm(length(task$start), sd = 0.5))
      }
    }
  }
})

test_that("the gradient by a kernel's parameters is the numerical one", {
  set.seed(35)
  kernels <- list(
    k_se(~ u + log(v)), k_matern(~u, 1.5) * k_factor(~g, similarity = NULL),
    k_by(~g, k_matern(~ u + v, 2.5, lengthscale = c(2, NA))) + k_const(NULL) * k_white(),
    k_const(NULL) * k_linear(~u) + k_se(~u, lengthscale = 2)
  )
  arm <- sample.int(36L, 14L, replace = TRUE)
  y <- rnorm(14)
  for (kernel in kernels) {
    for (args in list(list(), list(prior_sd = 1.5), list(noise_sd = 0.4, prior_mean = 0))) {
      model <- do.call(arm_model, c(list(ridge, kernel = kernel), args))
      given <- list(
        mean = if (!is.null(model$prior_mean)) rep(0, 36L),
        scale = if (!is.null(model$prior_sd)) 2.25,
        noise2 = if (!is.null(model$noise_sd)) rep(0.16, 36L), block2 = 0, tilt2 = 0
      )
      known <- rep(if (is.null(given$noise2)) NA_real_ else 0.16, 14L)
      task <- fit_task(model, given, average_pulls(arm, y, known, Inf), 1)
      expect_numerical_gradient(task, task$start + rnorm(length(task$start), sd = 0.3))
    }
  }
})

test_that("the normal-inverse-gamma state equals the independent numbers", {
  g <- numbers_matrix("A", "G")
  sigma <- numbers("A", "sigma")
  rho <- (numbers("A", "eta") / sigma)^2
  pulls <- data.frame(arm = numbers("A", "pull_arm"), y = numbers("A", "pull_y"), pull = NA)
  model <- arm_model(5, cov = g, prior_mean = 0)
  times <- sort(unique(vectors$t[vectors$case == "NIG" & vectors$quantity == "mean"]))
  for (t in times) {
    seen <- pulls[seq_len(t - 1L), ]
    a <- 2 + nrow(seen) / 2
    b <- 2 * sigma^2
    if (nrow(seen)) {
      task <- task_of(model, seen$arm, seen$y)
      found <- .Call(bg_evidence, list(
        task$averages$y, task$g, rho, task$averages$share, FALSE, 0, task$averages$within
      ))
      b <- b + found$misfit / 2
    }
    expect_equal(a, numbers("NIG", "a_n", t))
    expect_equal(b, numbers("NIG", "b_n", t), tolerance = 1e-9)
    # The belief with these values, as a run holds it
    x <- bayesgap(5, budget = 12, cov = g, prior_mean = 0, prior_sd = 1, noise_sd = 1)
    x$fit <- new_fit(0, rho * b / a, b / a, 2 * a, 5L)
    x$log <- list(pull = rep(NA_integer_, nrow(seen)), arm = as.integer(seen$arm),
                  reward = seen$y, se = rep(NA_real_, nrow(seen)),
                  block = rep(NA_integer_, nrow(seen)), size = rep(1, nrow(seen)))
    x <- advance(x, NULL)
    expect_equal(means_of(x), numbers("NIG", "mean", t), tolerance = 1e-9)
    expect_equal(sqrt(x$belief$var), numbers("NIG", "t_scale", t), tolerance = 1e-9)
    expect_equal(posterior(x, draws = 10)$sd, numbers("NIG", "sd", t), tolerance = 1e-9)
    expect_equal(x$fit$df, numbers("NIG", "nu", t))
  }
})

test_that("many averages of correlated arms are thinned, not dropped", {
  set.seed(37)
  a <- average_pulls(rep(1:500, 2), rnorm(1000), rep(NA_real_, 1000), most_averages)
  expect_length(a$arm, most_averages)
  expect_true(all(c(1, 500) %in% a$arm))
  expect_equal(a$more, 500)
  expect_equal(average_pulls(rep(1:500, 2), rnorm(1000), rep(NA_real_, 1000), Inf)$arm, 1:500)
})
