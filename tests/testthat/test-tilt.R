# Blocks that move some arms more than others.

# All by brute force: list(mean, cov) of the arms, and the log density of the rewards.
tilted_twin <- function(x, rows = seq_along(x$log$arm)) {
  arm <- x$log$arm[rows]
  block <- x$log$block[rows]
  all <- seq_along(x$belief$mean)
  prior <- x$fit$scale * prior_cov(run_prior(x), all)
  same <- outer(block, block, "==")
  s <- prior[arm, arm] + same * block_cov(x$fit, arm) + diag(pull_noise2(x)[rows])
  gain <- prior[, arm] %*% solve(s)
  mean <- x$fit$centre + x$fit$mean
  off <- x$log$reward[rows] - mean[arm]
  root <- chol(s)
  list(
    mean = mean + drop(gain %*% off), cov = prior - gain %*% prior[arm, ],
    density = -sum(log(diag(root))) - sum(backsolve(root, off, transpose = TRUE)^2) / 2 -
      length(rows) / 2 * log(2 * pi),
    seen = prior[arm, arm] + same * block_cov(x$fit, arm), s = s, off = off
  )
}

line <- data.frame(u = 1:7)

tilted_run <- function(rows = 40L, ..., blocks = c("x", "y", "z"), seed = 1) {
  x <- bayesgap(
    line, budget = 60, prior_mean = 0.5, prior_sd = 1.5, noise_sd = 0.4, blocks = blocks,
    block_sd = 2, block_arm_sd = 1, seed = seed, ...
  )
  set.seed(7)
  told <- data.frame(
    pull = NA, arm = as.character(sample(7, rows, TRUE)), block = sample(blocks, rows, TRUE),
    y = rnorm(rows), se = sample(c(NA, 0.7), rows, TRUE)
  )
  for (some in split(seq_len(rows), pmin(seq_len(rows) %/% 9L, 3L))) {
    x <- tell(x, told[some, ])
  }
  x
}

ways_alike <- list(
  list(cov = exp(-outer(1:7, 1:7, "-")^2 / 4)), list(features = matrix(cos(1:21), 7)),
  list(kernel = k_se(~u, lengthscale = 2)), list(kernel = k_matern(~u, lengthscale = 0.3))
)

test_that("arms in tilted blocks are those of the joint posterior", {
  for (way in ways_alike) {
    x <- do.call(tilted_run, way)
    twin <- tilted_twin(x)
    expect_equal(means_of(x), twin$mean, tolerance = 1e-8)
    expect_equal(x$belief$var, diag(twin$cov), tolerance = 1e-8)
    expect_equal(posterior_cov(x), twin$cov, tolerance = 1e-7, ignore_attr = TRUE)
    expect_equal(c(logLik(x)), twin$density, tolerance = 1e-8)
    gain <- twin$seen %*% solve(twin$s)
    mean <- (x$fit$centre + x$fit$mean)[x$log$arm]
    expect_equal(fitted(x), mean + drop(gain %*% twin$off), tolerance = 1e-7)
    expect_equal(fitted_var(x), diag(twin$seen - gain %*% twin$seen), tolerance = 1e-6)
  }
})

test_that("the loadings are the arms' correlations, but for a rest that is noise", {
  for (way in ways_alike) {
    x <- do.call(tilted_run, way)
    g <- prior_cov(run_prior(x), 1:7)
    expect_equal(block_cov(x$fit, 1:7) + diag(usual_noise2(x)), 4 + 1 * g + diag(0.16, 7),
      tolerance = 0.02)
    expect_equal(diag(block_cov(x$fit, 1:7)) + usual_noise2(x), 4 + diag(g) + 0.16)
  }
  many <- data.frame(u = seq(0, 1, length.out = 200))
  x <- bayesgap(
    many, budget = 10, kernel = k_matern(~u, 0.5, lengthscale = 0.1), prior_mean = 0, prior_sd = 1,
    noise_sd = 0.1, block_sd = 1, block_arm_sd = 0.5, blocks = 3
  )
  expect_identical(block_width(x$fit), 1L + tilt_width)
  expect_equal(diag(block_cov(x$fit, 1:200)) + usual_noise2(x), rep(1 + 0.25 + 0.01, 200))
})

test_that("draws are those of the posterior, and of a reward in another block", {
  x <- tilted_run(kernel = k_se(~u, lengthscale = 2))
  twin <- tilted_twin(x)
  draws <- simulate(x, 20000, seed = 2)
  expect_equal(rowMeans(draws), twin$mean, tolerance = 0.05, ignore_attr = TRUE)
  expect_equal(stats::cov(t(draws)), twin$cov, tolerance = 0.1, ignore_attr = TRUE)
  rewards <- simulate(x, 20000, seed = 2, type = "reward")
  whole <- twin$cov + block_cov(x$fit, 1:7) + diag(usual_noise2(x))
  expect_equal(stats::cov(t(rewards)), whole, tolerance = 0.05, ignore_attr = TRUE)
  expect_equal(predict(x, type = "reward")$sd, sqrt(diag(whole)), tolerance = 1e-6)
})

# What a pull of the arm in the block takes off the variance of the difference of two arms.
taken_off <- function(x, arm, block, pair) {
  contrast <- replace(double(7), pair, c(1, -1))
  before <- drop(contrast %*% tilted_twin(x)$cov %*% contrast)
  x$log <- Map(c, x$log, list(
    pull = NA_integer_, arm = arm, reward = 0, se = NA_real_, block = block, size = 1, cost = 1
  )[names(x$log)])
  before - drop(contrast %*% tilted_twin(x)$cov %*% contrast)
}

test_that("the block is the one that tells most of leader and rival", {
  for (seed in 1:4) {
    x <- tilted_run(12L + seed, kernel = k_se(~u, lengthscale = 2), blocks = letters[1:6], seed = seed)
    pair <- as.integer(x$belief$note[1:2])
    asked <- ask(x)
    arm <- as.integer(as.character(asked$arm))
    been <- x$log$block[x$log$arm == arm]
    open <- setdiff(1:6, been)
    expect_gt(length(open), 1)
    worth <- vapply(open, function(m) taken_off(x, arm, m, pair), 0)
    expect_identical(asked$block, x$blocks[open[which.max(worth)]])
  }
})

test_that("the arm that is asked for in a block is the one that tells most there", {
  x <- tilted_run(20L, kernel = k_se(~u, lengthscale = 2), blocks = c("x", "y", "z", "w"))
  for (m in 1:4) {
    asked <- ask(x, block = x$blocks[m])
    pair <- as.integer(x$belief$note[1:2])
    worth <- vapply(1:7, function(arm) taken_off(x, arm, m, pair), 0)
    arm <- as.integer(as.character(asked$arm))
    expect_gte(worth[arm], max(worth) * (1 - 1e-5))
  }
})

test_that("how far blocks tilt is learned, and the gradient is the numerical one", {
  set.seed(3)
  tilt <- t(chol(exp(-outer(1:7, 1:7, "-")^2 / 8) + diag(1e-8, 7)))
  told <- expand.grid(arm = as.character(1:7), block = sprintf("b%02d", 1:24))
  shift <- vapply(1:24, function(m) drop(tilt %*% rnorm(7)) + rnorm(1, sd = 2), double(7))
  told$y <- c(shift) + rep(sin(1:7), 24) + rnorm(nrow(told), sd = 0.2)
  told$pull <- NA
  x <- tell(
    bayesgap(line, budget = 200, kernel = k_se(~u, lengthscale = 2), block_arm_sd = NULL), told
  )
  expect_equal(sqrt(x$fit$tilt2), 1, tolerance = 0.3)
  expect_lt(sqrt(mean(x$fit$noise2)), 0.3)
  without <- update(x, block_arm_sd = 0)
  expect_gt(sqrt(mean(without$fit$noise2)), 0.5)
  expect_gt(c(logLik(x)), c(logLik(without)) + 50)
  expect_identical(attr(logLik(x), "df"), attr(logLik(without), "df") + 1L)
  expect_identical(row.names(summary(x)$model)[4:5], c("block sd", "  by arm"))

  set.seed(4)
  arm <- rep(1:7, 3)
  model <- arm_model(line, kernel = k_se(~u), block_arm_sd = NULL)
  averages <- average_pulls(arm, rnorm(21), rep(NA_real_, 21), Inf, block = rep(1:3, each = 7))
  for (given in list(list(), list(scale = 2), list(noise2 = rep(0.1, 7)), list(block2 = 1))) {
    task <- fit_task(model, given, averages, 1)
    expect_numerical_gradient(task, task$start + rnorm(length(task$start), sd = 0.3))
  }
})

test_that("arms that have nothing in common are moved each by itself", {
  x <- tilted_run()
  twin <- tilted_twin(x)
  expect_equal(means_of(x), twin$mean, tolerance = 1e-8)
  expect_equal(x$belief$var, diag(twin$cov), tolerance = 1e-8)
  expect_equal(diag(block_cov(x$fit, 1:7)), rep(5, 7))
  # Too many for a coordinate each: what a block does to one is as good as noise
  many <- bayesgap(
    30, budget = 90, prior_mean = 0, prior_sd = 1, noise_sd = 0.4, blocks = 3, block_sd = 2,
    block_arm_sd = 1
  )
  expect_null(many$fit$loading)
  expect_equal(usual_noise2(many), rep(1.16, 30))
  expect_equal(many$fit$noise2, rep(0.16, 30))
})

test_that("what is beyond the coordinates is there also where a standard error is told", {
  many <- bayesgap(
    30, budget = 90, prior_mean = 0, prior_sd = 1, noise_sd = 0.4, blocks = 3, block_sd = 2,
    block_arm_sd = 1
  )
  x <- tell(many, data.frame(pull = NA, arm = "1", block = c("1", "2"), y = 1, se = 0.1))
  expect_equal(pull_noise2(x), rep(1.01, 2))
  expect_equal(x$belief$var[1], 1 / (1 + 2 / (1.01 + 4)), tolerance = 1e-8)
  rates <- bayesgap(
    30, budget = 90, family = "binomial", prior_mean = 0.5, prior_sd = 0.2, blocks = 3,
    block_sd = 0.1, block_arm_sd = 0.1
  )
  y <- tell(rates, data.frame(pull = NA, arm = "1", block = c("1", "2"), successes = 500,
    trials = 1000))
  expect_equal(pull_noise2(y), y$fit$noise2[c(1, 1)] / 1000 + 0.01)
  expect_equal(y$fit$noise2[1], 0.25, tolerance = 0.05)
})

test_that("many features are turned so that the first coordinates hold most", {
  set.seed(5)
  features <- cbind(matrix(rnorm(40 * 24, sd = 0.01), 40), matrix(rnorm(240), 40))
  x <- bayesgap(
    40, budget = 40, features = features, prior_mean = 0, prior_sd = 1, noise_sd = 0.1, blocks = 3,
    block_sd = 1, block_arm_sd = 1
  )
  expect_equal(block_cov(x$fit, 1:40), 1 + tcrossprod(features), tolerance = 0.01)
  expect_lte(block_width(x$fit), 1L + tilt_width)
})

test_that("the effect of a block is that on the average of the arms", {
  x <- tilted_run(kernel = k_se(~u, lengthscale = 2))
  weights <- c(1, rowMeans(x$fit$loading))
  width <- length(weights)
  k <- 7L
  columns <- do.call(cbind, x$belief$columns)
  cov <- diag(x$fit$block2, 3 * width) - tcrossprod(columns[-seq_len(k), ])
  h <- kronecker(diag(3), t(weights))
  expect_equal(block_belief(x)$var, diag(h %*% cov %*% t(h)), tolerance = 1e-8)
  expect_equal(block_belief(x)$mean, drop(h %*% x$belief$block_mean), tolerance = 1e-8)
  expect_equal(block_effects(x)$effect, block_belief(x)$mean)
})

test_that("without anything to learn it from, all is as without", {
  x <- bayesgap(line, budget = 9, kernel = k_se(~u), blocks = 3, block_arm_sd = NULL, seed = 1)
  y <- bayesgap(line, budget = 9, kernel = k_se(~u), blocks = 3, seed = 1)
  expect_identical(x$belief, y$belief)
  expect_null(x$fit$loading)
})

test_that("what is said of it is what was given, in words and in files", {
  expect_snapshot(arm_model(line, kernel = k_se(~u), blocks = 3, block_arm_sd = NULL))
  x <- tilted_run(kernel = k_se(~u, lengthscale = 2))
  expect_match(format(x), "3 blocks, sd 2, by arm 1 \\(noise", all = FALSE)
  file <- fresh_file()
  save_run(x, file)
  expect_identical(read_run(file)$belief, x$belief)
  expect_identical(read_run(file)$fit, x$fit)
  expect_identical(dim(block_effects(x)), c(3L, 6L))
  for (bad in list(-1, NA, "a", c(1, 2))) {
    expect_error(bayesgap(3, budget = 3, block_arm_sd = bad), "block_arm_sd",
      class = "bayesgap_error_block")
  }
  expect_error(arm_model(3, block_sd = 0, block_arm_sd = 1), "million times",
    class = "bayesgap_error_block")
  expect_error(bayesgap(3, function(arm) arm, 6, block_arm_sd = 1), "`blocks` must be given",
    class = "bayesgap_error_block")
  pool <- matrix(rnorm(21), 7)
  model <- arm_model(line, kernel = k_se(~u, lengthscale = 2), prior_mean = 0, prior_sd = 1,
    noise_sd = 1, block_sd = 1, block_arm_sd = NULL)
  expect_error(problem_pool(pool, model = model, blocks = TRUE), "must have a `block_arm_sd`",
    class = "bayesgap_error_block")
  old <- x
  old$fit <- old$fit[1:7]
  expect_identical(block_width(old$fit), 1L)
  model <- arm_model(3)
  expect_s3_class(bayesgap(model, budget = 3, block_arm_sd = 0L), "bayesgap")
  expect_error(bayesgap(model, budget = 3, block_arm_sd = NULL), "already", class =
    "bayesgap_error_model")
})
