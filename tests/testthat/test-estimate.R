play <- function(scale = 1, shift = 0, maximise = TRUE, ..., k = 6, budget = 40) {
  bayesgap(k, function(arm) scale * (sin(3 * arm) + rnorm(1, sd = 0.5)) + shift,
    budget = budget, maximise = maximise, seed = 21, ...
  )
}

test_that("scale, shift and direction of the rewards change no decision", {
  plain <- play()
  for (scale in c(1e-9, 1e9, 1e-3)) {
    expect_identical(play(scale)$log$arm, plain$log$arm)
  }
  expect_identical(play(1, 5e5)$log$arm, plain$log$arm)
  expect_identical(play(1e9, -3e14)$log$arm, plain$log$arm)
  expect_identical(play(-1, 0, FALSE)$log$arm, plain$log$arm)
  large <- play(1e9, 7e9)
  expect_equal(means_of(large), 1e9 * means_of(plain) + 7e9)
  expect_equal(posterior(large)$p_best, posterior(plain)$p_best, tolerance = 0.02)
})

test_that("what is given is used, what is not is estimated", {
  x <- play(prior_mean = 0.5, prior_sd = 2, noise_sd = 0.3)
  expect_equal(unique(x$fit$centre + x$fit$mean), 0.5)
  expect_equal(x$fit$scale, 4)
  expect_equal(unique(x$fit$noise2), 0.09)
  expect_equal(x$fitted, 0)
  one <- play(noise_sd = 0.3)
  expect_equal(unique(one$fit$noise2), 0.09)
  expect_gt(one$fitted, 0)
  expect_equal(play(prior_sd = 2)$fit$scale, 4)
  expect_equal(play(prior_mean = 3, maximise = FALSE)$fit$centre, -3)
})

test_that("the estimates come near the truth", {
  set.seed(5)
  truth <- rnorm(40, 10, 3)
  x <- bayesgap(40, function(arm) rnorm(1, truth[arm], 0.5),
    budget = 200, policy = "uniform", seed = 1)
  expect_equal(unique(x$fit$centre + x$fit$mean), mean(truth), tolerance = 0.1)
  expect_equal(sqrt(unique(x$fit$noise2)), 0.5, tolerance = 0.2)
  expect_equal(sqrt(x$fit$scale), sd(truth), tolerance = 0.3)
})

test_that("equal rewards give no false certainty and no NaN", {
  x <- bayesgap(4, function(arm) 1e-160 * rnorm(1), budget = 12, seed = 1)
  expect_null(x$stopped)
  expect_lt(max(posterior(x)$p_best), 0.9)
  drowned <- bayesgap(3, function(arm) rnorm(1),
    budget = 5, prior_mean = 0, prior_sd = 1e-63, noise_sd = 1e100, seed = 1
  )
  expect_null(drowned$stopped)
  expect_true(all(drowned$belief$var > 0))
  for (value in c(0, 1, 1e9, -1e-9, 1e-300, 1e99)) {
    x <- bayesgap(4, function(arm) value, budget = 12, seed = 1)
    expect_true(all(is.finite(means_of(x))), label = paste("mean at", value))
    expect_true(all(x$belief$var > 0), label = paste("variance at", value))
    expect_lt(max(posterior(x)$p_best), 0.9)
  }
})

test_that("standard errors told are the belief about the noise", {
  x <- bayesgap(3, function(arm) c(y = arm, se = 0.2), budget = 9, seed = 1)
  expect_equal(as.data.frame(x)$se, rep(0.2, 9))
  expect_lt(sqrt(x$fit$noise2[1]), 0.25)
})

test_that("the schedule thins out and told batches do not jump over it", {
  expect_equal(estimate_schedule[1:9], c(0, 1, 2, 3, 4, 5, 8, 12, 17))
  expect_true(estimate_due(0, 1, FALSE))
  expect_false(estimate_due(5, 7, FALSE))
  expect_true(estimate_due(5, 7, TRUE))
  expect_false(estimate_due(12, 14, TRUE))
  expect_true(estimate_due(5, 30, FALSE))
  expect_equal(estimate_schedule[9:15], c(17, 26, 38, 57, 86, 172, 344))
  x <- bayesgap(3, budget = 50)
  x <- tell(x, data.frame(arm = rep(1:3, 10), y = rnorm(30), pull = NA))
  expect_equal(x$fitted, 30)
})

# ---- The marginal likelihood -----------------------------------------------------------------

# A task as estimate_fit() makes it, in the rewards' own units.
task_of <- function(model, arm, y, se = rep(NA_real_, length(y))) {
  given <- list(
    mean = if (!is.null(model$prior_mean)) rep_len(model$prior_mean, 6L),
    scale = if (!is.null(model$prior_sd)) model$prior_sd^2,
    noise2 = if (!is.null(model$noise_sd)) rep_len(model$noise_sd^2, 6L)
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
      task$sized <- FALSE # values as they are
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
    expect_true(task$sized)
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
        par <- task$start + rnorm(length(task$start), sd = 0.5)
        numeric <- vapply(seq_along(par), function(i) {
          step <- replace(0 * par, i, 1e-5)
          (explain(task, par + step)$value - explain(task, par - step)$value) / 2e-5
        }, 0)
        expect_equal(unname(explain(task, par)$gradient), numeric, tolerance = 1e-5)
      }
    }
  }
})

test_that("the mean is that of generalised least squares", {
  set.seed(34)
  cov <- exp(-outer(1:6, 1:6, "-")^2 / 8)
  arm <- c(1, 1, 1, 2, 6)
  y <- rnorm(5) + 7
  x <- bayesgap(6, budget = 20, cov = cov, prior_sd = 2, noise_sd = 0.5)
  x <- tell(x, data.frame(arm = arm, y = y, pull = NA))
  s <- solve(4 * cov[arm, arm] + diag(0.25, 5))
  expect_equal(unique(x$fit$centre + x$fit$mean), sum(s %*% y) / sum(s), tolerance = 1e-9)
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
                  reward = seen$y, se = rep(NA_real_, nrow(seen)))
    x <- advance(x, NULL)
    expect_equal(means_of(x), numbers("NIG", "mean", t), tolerance = 1e-9)
    expect_equal(sqrt(x$belief$var), numbers("NIG", "t_scale", t), tolerance = 1e-9)
    expect_equal(posterior(x, draws = 10)$sd, numbers("NIG", "sd", t), tolerance = 1e-9)
    expect_equal(x$fit$df, numbers("NIG", "nu", t))
  }
})

test_that("everything may be learned of a misfitting start, and nothing is where all is given", {
  x <- play(prior_mean = 0, prior_sd = 1, noise_sd = 1)
  expect_null(x$learned)
  expect_identical(x$fit$df, Inf)
  y <- play(noise_sd = 1)
  expect_named(y$learned, "scale")
  expect_identical(y$fit$df, Inf)
  expect_named(play(prior_sd = 1)$learned, "noise")
  expect_equal(play()$fit$df, spare_df + 38 - 1) # after 38 of 40 observations
})

# ---- Kernels ------------------------------------------------------------------------------------

ridge <- expand.grid(u = 1:6, v = c(0.1, 1, 10), g = c("a", "b"))

climb_ridge <- function(scale = 1, shift = 0, maximise = TRUE, budget = 30L, ...) {
  height <- function(arm) sin(arm$u) + cos(log(arm$v)) + (arm$g == "a")
  bayesgap(ridge, function(arm) scale * (height(arm) + rnorm(1, sd = 0.3)) + shift,
    budget = budget, maximise = maximise, seed = 5, ...
  )
}

test_that("with a kernel too, scale, shift and direction of the rewards change no decision", {
  kernel <- k_by(~g, k_se(~ u + log(v))) + k_const(NULL) * k_factor(~g, similarity = NULL)
  plain <- climb_ridge(kernel = kernel)
  expect_named(plain$learned, c("scale", paste0("kernel", 1:4)))
  for (scale in c(1e-9, 1e9)) {
    expect_identical(climb_ridge(scale, kernel = kernel)$log$arm, plain$log$arm)
  }
  expect_identical(climb_ridge(1, 1e6, kernel = kernel)$log$arm, plain$log$arm)
  expect_identical(climb_ridge(-1, 0, FALSE, kernel = kernel)$log$arm, plain$log$arm)
  cov <- exp(-as.matrix(dist(ridge$u))^2 / 4) + 0.1 * diag(36)
  features <- cbind(1, ridge$u, ridge$u^2, ridge$g == "a")
  for (args in list(list(cov = cov), list(features = features))) {
    run <- function(...) do.call(climb_ridge, c(list(...), args))$log$arm
    expect_identical(run(1e-9), run())
    expect_identical(run(1e9, 1e15), run())
    expect_identical(run(-1, 0, FALSE), run())
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
        noise2 = if (!is.null(model$noise_sd)) rep(0.16, 36L)
      )
      known <- rep(if (is.null(given$noise2)) NA_real_ else 0.16, 14L)
      task <- fit_task(model, given, average_pulls(arm, y, known, Inf), 1)
      par <- task$start + rnorm(length(task$start), sd = 0.3)
      numeric <- vapply(seq_along(par), function(i) {
        step <- replace(0 * par, i, 1e-5)
        (explain(task, par + step)$value - explain(task, par - step)$value) / 2e-5
      }, 0)
      expect_equal(unname(explain(task, par)$gradient), numeric, tolerance = 1e-5)
    }
  }
})

test_that("length scales are learned, in the user's units", {
  set.seed(36)
  line <- data.frame(x = seq(0, 1000, length.out = 60))
  cov <- kernel_matrix(k_se(~x, lengthscale = 120), line)
  mu <- drop(t(chol(cov + diag(1e-8, 60))) %*% rnorm(60))
  x <- bayesgap(line, function(arm) mu[as.integer(arm$arm)] + rnorm(1, sd = 0.05),
    budget = 120, policy = "uniform", kernel = k_se(), seed = 1
  )
  model <- summary(x)$model
  expect_equal(model["lengthscale of x", "value"], 120, tolerance = 0.35)
  expect_equal(model["noise sd", "value"], 0.05, tolerance = 0.35)
  expect_match(model["lengthscale of x", "from"], "120 observations") # the last
  # A length scale that is given is left alone, and so is the rest of the prior then
  fixed <- bayesgap(line, budget = 5, kernel = k_se(~x, lengthscale = 120), prior_mean = 0,
                    prior_sd = 1, noise_sd = 0.05)
  expect_false(fixed$unknowns)
})

test_that("many averages of correlated arms are thinned, not dropped", {
  set.seed(37)
  a <- average_pulls(rep(1:500, 2), rnorm(1000), rep(NA_real_, 1000), most_averages)
  expect_length(a$arm, most_averages)
  expect_true(all(c(1, 500) %in% a$arm))
  expect_equal(a$more, 500)
  expect_equal(average_pulls(rep(1:500, 2), rnorm(1000), rep(NA_real_, 1000), Inf)$arm, 1:500)
})

# Another search for the rest of the test.
local_search <- function(search, env = parent.frame()) {
  package <- asNamespace("bayesgap")
  put <- function(value) {
    unlockBinding("climb", package)
    assign("climb", value, package)
    lockBinding("climb", package)
  }
  old <- package$climb
  put(search)
  do.call(on.exit, list(substitute(put(old), list(put = put, old = old)), add = TRUE), envir = env)
}

test_that("a fit that fails never stops a run: it goes on with what it had, and says so once", {
  local_search(function(start, task) NULL)
  expect_warning(x <- play(), class = "bayesgap_warning_fit")
  expect_equal(nobs(x), 40)
  expect_true(all(is.finite(means_of(x))))
  expect_true(x$doubtful)
  said <- 0
  withCallingHandlers(play(), bayesgap_warning_fit = function(w) {
    said <<- said + 1
    invokeRestart("muffleWarning")
  })
  expect_equal(said, 1)
})

test_that("a fit that fails later keeps the last good values", {
  x <- play(budget = 20)
  good <- x$learned
  local_search(function(start, task) NULL)
  expect_warning(
    x <- tell(x, data.frame(arm = rep(1:6, 5), y = rnorm(30), pull = NA)),
    class = "bayesgap_warning_fit"
  )
  expect_equal(x$learned, good, ignore_attr = TRUE)
})

test_that("an exact kernel model does not break the learning", {
  x <- climb_ridge(kernel = k_se(~u), noise_sd = 0) # arms that differ in v and g only clash
  expect_true(all(is.finite(means_of(x))))
  flat <- bayesgap(ridge, function(arm) 3, budget = 12, kernel = k_se(~u), seed = 1)
  expect_true(all(is.finite(means_of(flat))))
  expect_lt(max(posterior(flat)$p_best), 0.9)
})

test_that("no policy looks at the units of rewards whose prior is learned", {
  arms <- data.frame(u = 1:8)
  for (name in policies()$policy) {
    run <- function(scale = 1, shift = 0, maximise = TRUE) {
      bayesgap(arms, function(arm) scale * (sin(arm$u) + rnorm(1, sd = 0.3)) + shift,
        budget = 30, features = cbind(1, arms$u, sin(arms$u)), policy = name,
        maximise = maximise, seed = 4
      )$log$arm
    }
    plain <- run()
    expect_identical(run(1e-9), plain, label = paste(name, "at 1e-9"))
    expect_identical(run(1e9), plain, label = paste(name, "at 1e9"))
    expect_identical(run(1, 1e6), plain, label = paste(name, "a million away"))
    expect_identical(run(-1, 0, FALSE), plain, label = paste(name, "minimised"))
  }
})

# ---- Standard errors ----------------------------------------------------------------------------

test_that("where every reward comes with its standard error, nothing is left to learn of noise", {
  x <- bayesgap(letters[1:4], function(arm) c(y = rnorm(1, match(arm, letters)), se = 1),
    budget = 60, seed = 1
  )
  expect_identical(x$fit$df, Inf)
  expect_equal(attr(logLik(x), "df"), 2)
  some <- bayesgap(4, function(arm) if (arm > 2) c(y = arm, se = 1) else arm + rnorm(1),
    budget = 20, policy = "uniform", seed = 1
  )
  expect_lt(some$fit$df, spare_df + 12)
})

test_that("one reward with a large standard error does not spoil the learned noise", {
  set.seed(2)
  arm <- rep(1:4, each = 4)
  y <- c(0, 1, 2, 3)[arm] + rnorm(16, sd = 0.1)
  noise <- vapply(c(NA, 0.1, 1, 10, 50), function(se) {
    told <- data.frame(arm = c(arm, 1), y = c(y, 0), se = c(rep(NA, 16), se), pull = NA)
    sqrt(tell(bayesgap(4, budget = 30, seed = 1), told)$fit$noise2[1])
  }, 0)
  expect_true(all(noise > 0.07 & noise < 0.16))
  few <- data.frame(arm = 1:5, y = c(0, 1, 2, 3, 4), se = c(0.2, 0.2, 0.2, 0.2, 100), pull = NA)
  expect_lt(tell(bayesgap(5, budget = 9, seed = 1), few)$fit$noise2[1], 1)
})

test_that("a bound on the regret is not acted upon before its size is known", {
  runs <- vapply(1:60, function(seed) {
    x <- bayesgap(20, function(arm) rnorm(1, 3 * (arm == 7)),
      budget = 100, stop_regret = 0.5, seed = seed
    )
    c(pulls = x$last, wrong = best_arm(x) != 7)
  }, double(2))
  expect_gte(min(runs["pulls", ]), 10)
  expect_lte(mean(runs["wrong", ]), 0.1)
  known <- bayesgap(5, function(arm) arm, budget = 50, stop_regret = 100, prior_mean = 0,
                    prior_sd = 1, noise_sd = 1, seed = 1)
  expect_equal(known$last, 1)
})
