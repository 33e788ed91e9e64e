# The mixture by brute force: a dense grid over the one value that is learned.
grid_belief <- function(x, at) {
  setup <- run_setup(x)
  task <- setup$task
  task$belief <- weak_belief(task, doubt_spread)
  par <- seq(-14, 14, by = 0.02)
  value <- vapply(par, function(p) worth(c(scale = p), task), 0)
  weight <- exp(value - max(value))
  use <- weight > 1e-8
  weight <- weight[use] / sum(weight[use])
  parts <- lapply(par[use], function(p) {
    part <- part_of(x, found_fit(setup, explain(task, c(scale = p)), part_df(setup)))
    part_belief(part)
  })
  share <- function(end) {
    Reduce(`+`, Map(function(w, p) w * pt((end - p$mean) / p$scale, p$df), weight, parts))
  }
  list(
    mean = Reduce(`+`, Map(function(w, p) w * p$mean, weight, parts)),
    share = vapply(at, share, double(length(parts[[1]]$mean)))
  )
}

test_that("a few points stand for all values that may be", {
  set.seed(91)
  for (noise_sd in list(NULL, 0.8)) {
    for (spread in c(0, 0.3, 3)) {
      truth <- spread * rnorm(5)
      x <- bayesgap(5, function(arm) truth[arm] + rnorm(1, sd = 0.8), budget = 14, seed = 2,
        noise_sd = noise_sd)
      table <- posterior(x)
      all <- grid_belief(x, list(table$lower, table$upper))
      expect_lt(max(abs(table$mean - all$mean) / table$sd), 0.06)
      expect_equal(all$share[, 1], rep(0.025, 5), tolerance = 0.2)
      expect_equal(all$share[, 2], rep(0.975, 5), tolerance = 0.006)
    }
  }
})

test_that("where nothing is learned there is one point, the run itself", {
  x <- fitted_run()
  expect_identical(learned_points(x), list(list(weight = 1)))
  expect_identical(part_of(x, learned_points(x)[[1]]), x)
  none <- bayesgap(3, budget = 3)
  expect_length(learned_points(none), 1L)
  expect_length(learned_points(tell(none, 2)), 1L)
})

test_that("weights add up, the weightiest is first, and several values are several dimensions", {
  set.seed(92)
  x <- bayesgap(ridge, function(arm) sin(arm$u) + rnorm(1, sd = 0.3), budget = 25, seed = 1,
    kernel = k_se(~ u + log10(v)))
  points <- learned_points(x)
  weight <- vapply(points, `[[`, 0, "weight")
  expect_equal(sum(weight), 1)
  expect_false(is.unsorted(rev(weight)))
  expect_gt(length(points), 8L)
  expect_gt(length(unique(vapply(points, function(p) p$prior$kernel$value[2], 0))), 5L)
  expect_identical(points, learned_points(x))
})

test_that("an axis has a direction of its own", {
  set.seed(96)
  d <- data.frame(v = 1:12)
  x <- bayesgap(d, function(arm) sin(arm$v / 2) + rnorm(1, sd = 0.2), budget = 20, kernel = k_se(~v),
    blocks = 4, control = 2, seed = 1)
  log <- as.data.frame(x)
  new <- bayesgap(x$model, budget = 20, seed = 1)
  shaken <- transform(log, y = y * (1 + 4e-16 * sample(-5:5, 20, TRUE)))
  expect_equal(posterior(tell(new, shaken))$mean, posterior(tell(new, log))$mean, tolerance = 1e-6)
  setup <- run_setup(x)
  axes <- principal_axes(setup$task, learn_par(setup$task, x$learned))$direction
  expect_true(all(apply(axes, 2, function(v) v[which.max(abs(v))]) > 0))
})

test_that("the belief at a point is that of a run with these values", {
  set.seed(93)
  told <- data.frame(arm = sample(6, 20, TRUE), y = rnorm(20), pull = NA, se = NA_real_)
  told$se[3:5] <- 0.2
  cov <- exp(-outer(1:6, 1:6, "-")^2 / 6)
  x <- tell(bayesgap(6, budget = 5, cov = cov, seed = 1), told)
  y <- tell(bayesgap(6, budget = 5, cov = cov, prior_mean = 1, prior_sd = 2, noise_sd = 0.5), told)
  part <- part_of(x, list(weight = 1, fit = y$fit, prior = y$model$prior))
  expect_equal(part$belief[c("mean", "var")], y$belief[c("mean", "var")])
  exact <- tell(bayesgap(3, budget = 4, prior_sd = 1, noise_sd = 0), data.frame(
    arm = c(1, 1, 2), y = c(1, 1, 3), pull = NA
  ))
  log <- averaged_log(exact, FALSE)
  expect_identical(log[c("arm", "reward", "se")], list(arm = 1:2, reward = c(1, 3), se = c(0, 0)))
})

test_that("quantiles of a mixture hold what they should, also where arms are known", {
  set.seed(94)
  mean <- cbind(rnorm(7), rnorm(7, sd = 5), 0)
  scale <- cbind(rexp(7), rexp(7), 1e-4)
  df <- c(3, 40, Inf)
  weight <- c(0.5, 0.3, 0.2)
  for (p in c(1e-9, 0.025, 0.5, 0.975)) {
    q <- mixed_quantile(mean, scale, df, weight, p)
    share <- drop(mixed_share((q - mean) / scale, df) %*% weight)
    expect_equal(share, rep(p, 7), tolerance = 1e-4)
  }
  expect_identical(mixed_quantile(mean[0, ], scale[0, ], df, weight, 0.5), double())
  known <- mixed(cbind(c(1, 2), c(1, 2)), matrix(0, 2, 2), c(Inf, Inf), c(0.5, 0.5), 0.95)
  expect_equal(known, list(mean = c(1, 2), sd = c(0, 0), lower = c(1, 2), upper = c(1, 2)))
  expect_identical(allot_draws(10, c(0.5, 0.3, 0.2)), c(5, 3, 2))
  expect_identical(sum(allot_draws(1000, rep(1 / 7, 7))), 1000)
})

test_that("quantiles are exact whatever the parts, and no step of Newton's goes round in a circle", {
  set.seed(98)
  for (i in 1:60) {
    n <- sample(2:20, 1)
    mean <- matrix(rnorm(30 * n, sd = exp(rnorm(1))), 30)
    scale <- matrix(exp(rnorm(30 * n, sd = runif(1, 0, 3))), 30)
    df <- sample(c(1, 2, 3, 10, 400, 1e6, Inf), n, TRUE)
    weight <- rexp(n)
    weight <- weight / sum(weight)
    p <- runif(1)
    q <- mixed_quantile(mean, scale, df, weight, p)
    expect_lt(max(abs(drop(mixed_share((q - mean) / scale, df) %*% weight) - p)), 1e-7)
  }
  # The cheap shares lead to the same place, or they would not be worth it.
  z <- cbind(seq(-6, 6, by = 0.25))
  expect_equal(near_share(z, 400), mixed_share(z, 400), tolerance = 1e-9)
  expect_equal(near_share(z, 5), mixed_share(z, 5), tolerance = 1e-4)
  expect_identical(near_share(z, Inf), mixed_share(z, Inf))
})

test_that("what is said of a run in doubt is less than what its likeliest values say", {
  set.seed(95)
  said <- replicate(12, {
    x <- bayesgap(4, function(arm) rnorm(1), budget = 12, seed = sample.int(1e6, 1))
    own <- x
    own$model[c("prior_mean", "prior_sd", "noise_sd")] <- list(
      x$fit$centre + x$fit$mean, sqrt(x$fit$scale), sqrt(x$fit$noise2)
    )
    own$unknowns <- FALSE
    c(max(posterior(x)$p_best), max(posterior(own)$p_best))
  })
  expect_lt(mean(said[1, ]), mean(said[2, ]))
})

test_that("the sd of what is cut is that of draws that are cut; far from the ends it is the same", {
  set.seed(97)
  mean <- cbind(c(0.5, 0.02, -0.1, 1.1, 0.3), c(0.4, 0.01, -0.05, 0.9, 0.5))
  scale <- cbind(c(0.01, 0.05, 0.04, 0.3, 0.6), c(0.02, 0.03, 0.1, 0.1, 0.4))
  weight <- c(0.7, 0.3)
  df <- c(Inf, Inf)
  part <- 1 + (runif(4e5) > 0.7)
  for (most in c(1, Inf)) {
    drawn <- vapply(1:5, function(i) {
      z <- mean[i, part] + scale[i, part] * rnorm(4e5)
      sd(pmin(pmax(z, 0), most))
    }, 0)
    expect_equal(cut_sd(mean, scale, df, weight, 0, most), drawn, tolerance = 0.01)
  }
  expect_equal(cut_sd(mean, scale, df, weight, -Inf, Inf), mixed(mean, scale, df, weight)$sd)
  sure <- cut_sd(cbind(c(0.5, 0, 1)), cbind(c(1e-9, 0, 0)), Inf, 1, 0, 1)
  expect_equal(sure, c(1e-9, 0, 0))
  expect_equal(cut_sd(cbind(0.5), cbind(0.01), 6, 1, 0, 1), 0.01 * sqrt(6 / 4))
})

test_that("quantiles are found only where they are asked for", {
  found <- mixed(cbind(1:2, 2:3), matrix(1, 2, 2), c(Inf, 5), c(0.5, 0.5))
  expect_named(found, c("mean", "sd"))
  asked <- mixed(cbind(1:2, 2:3), matrix(1, 2, 2), c(Inf, 5), c(0.5, 0.5), 0.9)
  expect_identical(asked[c("mean", "sd")], found)
})

test_that("few points in several dimensions say what very many say", {
  set.seed(98)
  d <- data.frame(u = runif(20), v = runif(20))
  x <- bayesgap(d, function(arm) sin(6 * arm$u) + arm$v + rnorm(1, sd = 0.3), budget = 25, seed = 1,
    kernel = k_se(~ u + v))
  task <- run_setup(x)$task
  task$belief <- weak_belief(task, doubt_spread)
  mode <- learn_par(task, x$learned)
  # All values within reach, by weight alone: a grid about the mode.
  steps <- as.matrix(expand.grid(rep(list(seq(-3.5, 3.5, by = 0.5)), length(mode))))
  axes <- principal_axes(task, mode)
  sides <- axis_sides(task, mode, axes)
  step <- t(steps)
  par <- c(mode) + axes$direction %*% (step * ifelse(step > 0, sides$above, sides$below))
  width <- ifelse(step > 0, sides$above, ifelse(step < 0, sides$below,
    (sides$above + sides$below) / 2))
  value <- apply(par, 2L, worth, task = task) + colSums(log(width))
  weight <- exp(value - max(value)) / sum(exp(value - max(value)))
  few <- plausible_values(task, mode)
  first <- function(par, weight) drop(par %*% weight)
  spread <- sqrt(first((par - first(par, weight))^2, weight))
  found <- sqrt(first((few$par - first(few$par, few$weight))^2, few$weight))
  expect_lt(max(abs(first(few$par, few$weight) - first(par, weight)) / spread), 0.25)
  expect_lt(max(abs(log(found / spread))), 0.2)
})
