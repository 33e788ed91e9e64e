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
    budget = 5, prior_mean = 0, prior_sd = 1e-63, noise_sd = 2^332, seed = 1
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

test_that("equal, huge, tiny and far-off rewards give no NaN and no false certainty", {
  for (reward in c(0, 7, 1e-300, -1e99, .Machine$integer.max)) {
    x <- bayesgap(3, function(arm) reward, budget = 9, seed = 1)
    expect_equal(nobs_of(x), 9)
    expect_false(anyNA(posterior(x)))
    expect_lt(max(posterior(x)$p_best), 0.6)
  }
  x <- fault(bayesgap(3, function(arm) 1e300, budget = 9, seed = 1))$run
  expect_equal(nobs_of(x), 0)
  expect_match(as.data.frame(x)$error[1], "up to 1e100")
  # An offset of 1e9 leaves six digits of differences of a thousandth.
  far <- function(offset) {
    bayesgap(4, function(arm) offset + 1e-3 * (arm + rnorm(1)), budget = 30, seed = 1)
  }
  expect_identical(far(1e9)$log$arm[1:5], far(0)$log$arm[1:5])
  expect_equal(posterior(far(1e9))$mean - 1e9, 1e-3 * 1:4, tolerance = 0.5)
  expect_equal(nobs_of(bayesgap(2, function(arm) .Machine$integer.max, budget = 5)), 5)
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

# ---- Kernels -------------------------------------------------------------------------------------

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

test_that("length scales are learned, in the user's units", {
  set.seed(36)
  line <- data.frame(arm = 1:60, x = seq(0, 1000, length.out = 60))
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

test_that("an exact kernel model does not break the learning", {
  # Arms that differ in v and g only clash, which no length scale explains.
  expect_warning(
    x <- climb_ridge(kernel = k_se(~u), noise_sd = 0), class = "bayesgap_warning_fit"
  )
  expect_true(all(is.finite(means_of(x))))
  flat <- bayesgap(ridge, function(arm) 3, budget = 12, kernel = k_se(~u), seed = 1)
  expect_true(all(is.finite(means_of(flat))))
  expect_lt(max(posterior(flat)$p_best), 0.9)
})

# ---- Fits that fail ------------------------------------------------------------------------------

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

# ---- Standard errors -----------------------------------------------------------------------------

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
