run_line <- function(...) {
  bayesgap(data.frame(x = 1:15), function(arm) sin(arm$x / 3) + rnorm(1, sd = 0.3),
    budget = 30, seed = 3, ...
  )
}

test_that("a run is analysed under another prior without new pulls", {
  x <- run_line()
  y <- update(x, kernel = k_se(~x, lengthscale = 3), prior_mean = 0, prior_sd = 1, noise_sd = 0.3)
  expect_identical(as.data.frame(y), as.data.frame(x))
  expect_identical(x, run_line()) # the old one is as it was
  told <- as.data.frame(x)
  direct <- bayesgap(data.frame(x = 1:15),
    budget = 30, kernel = k_se(~x, lengthscale = 3), prior_mean = 0, prior_sd = 1,
    noise_sd = 0.3, seed = 3
  )
  direct <- tell(direct, told[c("pull", "arm", "y")])
  expect_equal(means_of(y), means_of(direct))
  expect_equal(y$belief$var, direct$belief$var)
  expect_identical(nobs(y), 30L)
})

test_that("what is not named stays, NULL is learned, and a way may be given up", {
  x <- run_line(kernel = k_se(), noise_sd = 0.3)
  y <- update(x, prior_sd = 2)
  expect_equal(y$fit$scale, 4)
  expect_equal(unique(y$fit$noise2), 0.09)
  expect_false(is.null(y$model$kernel))
  z <- update(y, noise_sd = NULL, kernel = NULL)
  expect_named(z$learned, "noise")
  expect_null(z$model$kernel)
  expect_identical(prior_kind(run_prior(z)), "independent")
  given <- run_line(kernel = k_se(~x, lengthscale = 3), prior_mean = 0, prior_sd = 1, noise_sd = 1)
  expect_equal(update(given)$belief, given$belief)
})

test_that("a history's values go with the history, those of the user stay", {
  set.seed(4)
  past <- matrix(rnorm(60), 10) + rep(1:6, each = 10)
  x <- bayesgap(6, function(arm) arm + rnorm(1), budget = 12, history = past, noise_sd = 1,
                seed = 1)
  more <- update(x, prior_mean = 0)
  expect_equal(more$fit$centre + more$fit$mean, rep(0, 6))
  expect_identical(more$model$history$sets, "prior_sd")
  free <- update(x, history = NULL)
  expect_null(free$model$history)
  expect_null(free$model$prior_mean)
  expect_equal(unique(free$fit$noise2), 1)
  expect_equal(means_of(update(free, history = past)), means_of(x))
})

test_that("an unfinished run goes on under the new prior", {
  x <- bayesgap(8, budget = 10, prior_mean = 0, prior_sd = 1, noise_sd = 1, seed = 1)
  x <- tell(tell(x, 1), 2)
  y <- update(x, cov = exp(-outer(1:8, 1:8, "-")^2 / 8))
  expect_equal(nrow(ask(y, 3)), 3)
  expect_equal(tell(y, 0)$last, 3)
})

test_that("bad changes are refused", {
  x <- run_line()
  expect_error(update(x, noise = 1), class = "bayesgap_error_argument")
  expect_error(update(x, noise_sd = -1), class = "bayesgap_error_noise")
  expect_error(update(x, kernel = k_se(~y)), class = "bayesgap_error_kernel")
  expect_error(update(x, kernel = k_se(), cov = diag(15)), class = "bayesgap_error_model")
  expect_error(update(run_line(policy = policy("bayesgap", variant = "paper")), prior_sd = 1e-9),
               NA)
})

test_that("the log likelihood is the density of all rewards", {
  set.seed(5)
  cov <- exp(-outer(1:6, 1:6, "-")^2 / 4)
  arm <- c(1, 2, 2, 5, 5, 5, 6)
  y <- rnorm(7) + 2
  se <- c(NA, 0.2, NA, NA, 0.5, 0.1, NA)
  direct <- function(g) {
    s <- 2.25 * g[arm, arm] + diag(ifelse(is.na(se), 0.49, se^2))
    r <- y - 1
    -0.5 * (determinant(s)$modulus + sum(r * solve(s, r)) + 7 * log(2 * pi))
  }
  tell_all <- function(...) {
    x <- bayesgap(6, budget = 9, prior_mean = 1, prior_sd = 1.5, noise_sd = 0.7, ...)
    tell(x, data.frame(arm = arm, y = y, se = se, pull = NA))
  }
  expect_equal(as.numeric(logLik(tell_all(cov = cov))), as.numeric(direct(cov)))
  expect_equal(as.numeric(logLik(tell_all())), as.numeric(direct(diag(6))))
  expect_equal(as.numeric(logLik(tell_all(maximise = FALSE))), as.numeric(direct(diag(6))))
  found <- logLik(tell_all())
  expect_equal(attr(found, "df"), 0)
  expect_equal(attr(found, "nobs"), 7)
  expect_equal(as.numeric(logLik(bayesgap(3, budget = 2))), 0)
  expect_equal(attr(logLik(bayesgap(3, budget = 2)), "df"), 3)
  x <- run_line(kernel = k_se())
  expect_equal(attr(logLik(x), "df"), 4)
  expect_equal(AIC(x), 8 - 2 * as.numeric(logLik(x)))
})

test_that("the log likelihood holds whatever the sizes of noise and variances", {
  direct <- function(y, s) {
    as.numeric(-0.5 * (determinant(s)$modulus + sum(y * solve(s, y)) + length(y) * log(2 * pi)))
  }
  arm <- c(1, 2, 2)
  found <- function(y, ..., noise_sd, se = NA) {
    x <- bayesgap(2, budget = 4, prior_mean = 0, prior_sd = 1, noise_sd = noise_sd, ...)
    as.numeric(logLik(tell(x, data.frame(arm = arm, y = y, se = se, pull = NA))))
  }
  y <- c(1, 0.5, 0.7)
  same <- outer(arm, arm, "==") * 1
  expect_equal(
    found(y, noise_sd = 1, se = c(1e5, 0.1, 0.1)), direct(y, same + diag(c(1e10, 0.01, 0.01)))
  )
  y <- c(1, 0.5, 0.50001)
  expect_equal(found(y, noise_sd = 1e-5), direct(y, same + diag(1e-10, 3)), tolerance = 1e-5)
  y <- c(1e6, 0.5, 1.2)
  expect_equal(
    found(y, cov = diag(c(1e12, 1)), noise_sd = 1),
    direct(y, same * c(1e12, 1, 1) + diag(3)), tolerance = 1e-6
  )
  # The density of rewards in other units differs by the units only
  x <- run_line(kernel = k_se(~x, lengthscale = 3), prior_mean = 0, prior_sd = 1, noise_sd = 0.3)
  big <- tell(
    bayesgap(data.frame(x = 1:15), budget = 30, kernel = k_se(~x, lengthscale = 3),
             prior_mean = 0, prior_sd = 1e9, noise_sd = 3e8),
    transform(as.data.frame(x)[c("arm", "y")], y = 1e9 * y, pull = NA)
  )
  expect_equal(as.numeric(logLik(big)), as.numeric(logLik(x)) - 30 * log(1e9))
})

test_that("the values learned explain more than those near them", {
  x <- run_line(kernel = k_se())
  best <- as.numeric(logLik(x))
  value <- summary(x)$model$value
  names(value) <- row.names(summary(x)$model)
  for (factor in c(0.5, 2)) {
    other <- update(x,
      kernel = k_se(~x, lengthscale = factor * value[["lengthscale of x"]]),
      prior_mean = value[["prior mean"]], prior_sd = value[["prior sd"]],
      noise_sd = value[["noise sd"]]
    )
    expect_lt(as.numeric(logLik(other)), best + 0.5)
  }
})

test_that("another family reads the same log, as if the run had been made with it", {
  coin <- function(arm) as.numeric(runif(1) < c(0.2, 0.7, 0.4)[arm])
  x <- suppressMessages(bayesgap(3, coin, budget = 15, seed = 1))
  y <- update(x, family = "binomial")
  direct <- bayesgap(3, budget = 15, family = "binomial", seed = 1)
  direct <- tell(direct, as.data.frame(x)[c("pull", "arm", "y")])
  expect_identical(y$log, x$log)
  expect_equal(posterior(y), posterior(direct), tolerance = 0.02)
  expect_named(as.data.frame(y), c("pull", "arm", "y", "successes", "trials", "error"))
  expect_identical(suppressMessages(update(y, family = NULL))$belief, suppressMessages(update(x))$belief)
  expect_identical(update(y, family = "gaussian")$model$family, "gaussian")
  few <- update(y, family = "poisson")
  expect_identical(as.data.frame(few)$count, as.data.frame(x)$y)
  expect_identical(few$fit$df, Inf)
  # To minimise, with noise that was given, and with trials that become an exposure
  z <- bayesgap(3, coin, budget = 9, noise_sd = 0.4, maximise = FALSE, seed = 1)
  expect_error(update(z, family = "binomial"), "must be left out", class = "bayesgap_error_family")
  z <- update(z, family = "binomial", noise_sd = NULL)
  expect_true(all(posterior(z)$lower >= 0))
  several <- tell(direct, data.frame(arm = 1, successes = 3, trials = 8, pull = NA))
  expect_identical(tail(as.data.frame(update(several, family = "poisson"))$exposure, 1), 8)
  file <- fresh_file()
  save_run(y, file)
  expect_identical(read_run(file), y)
  expect_identical(ask(update(bayesgap(3, budget = 4, seed = 1), family = "binomial")),
                   ask(bayesgap(3, budget = 4, family = "binomial", seed = 1)))
})

test_that("a history gives way to the rates, and results of a batch under way are told", {
  past <- matrix(c(0.2, 0.3, 0.25, 0.6, 0.7, 0.65), 3)
  x <- suppressMessages(bayesgap(2, function(arm) arm - 1, budget = 4, history = past, seed = 1))
  expect_true("noise_sd" %in% x$model$history$sets)
  y <- update(x, family = "binomial")
  expect_identical(y$model$history$sets, c("prior_mean", "prior_sd"))
  expect_identical(summary(y)$model$from, c("the history", "the history", "the rates"))
  x <- suppressMessages(fault(bayesgap(
    2, function(arm, pull) if (pull$index == 3) stop("no") else 1, budget = 6, batch = 3,
    on_error = "stop", family = "gaussian", seed = 1
  )))$run
  y <- update(x, family = "binomial")
  expect_null(y$underway)
  expect_identical(nobs(y), 2L)
})

test_that("a family that does not fit what was told is refused", {
  refused <- function(x, family, message) {
    e <- fault(update(x, family = family))
    expect_s3_class(e, "bayesgap_error_family")
    expect_match(conditionMessage(e), message)
  }
  x <- bayesgap(2, budget = 5, family = "gaussian", seed = 1)
  x <- tell(tell(x, 1), 0.4)
  refused(x, "binomial", "Row 2 .* \"binomial\": its `y` is 0.4. .*0 or 1")
  refused(x, "poisson", "Row 2 .*a count, a whole number from 0")
  refused(tell(x, data.frame(arm = 1, y = 1, se = 0.1, pull = NA)), "binomial", "Row 2")
  told <- tell(bayesgap(2, budget = 5, seed = 1), data.frame(arm = 1, y = 1, se = 0.1, pull = NA))
  refused(told, "binomial", "Row 1 .* with an `se`")
  refused(x, "binomal", "Did you mean")
  refused(x, binomial, "must be one of")
  y <- bayesgap(2, budget = 5, family = "binomial", seed = 1)
  y <- tell(y, c(successes = 2, trials = 9))
  refused(y, "gaussian", "must stay \"binomial\": the `trials` .*new run")
  refused(y, NULL, "must stay \"binomial\"")
  z <- tell(bayesgap(2, budget = 5, family = "poisson", seed = 1), c(count = 2, exposure = 2.5))
  refused(z, "binomial", "with a size of 2.5")
  expect_error(update(x, family = "binomial", prior_mean = 2), class = "bayesgap_error_model")
})
