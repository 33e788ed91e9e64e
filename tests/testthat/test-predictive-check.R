# A run with everything known and these observations told.
told_run <- function(arms, told, ...) {
  tell(bayesgap(arms, budget = 5, seed = 1, ...), cbind(told, pull = NA))
}

# Every observed arm left out in turn: the run without its rows, and its average's own noise.
twin_check <- function(told, noise_sd, refit) {
  se <- if (is.null(told$se)) rep(NA_real_, nrow(told)) else told$se
  v <- ifelse(is.na(se), rep_len(noise_sd, max(told$arm))[told$arm], se)^2
  rows <- lapply(sort(unique(told$arm)), function(a) {
    own <- told$arm == a
    left <- predict(refit(told[!own, ]), a)
    data.frame(
      arm = a, pulls = sum(own), observed = sum((told$y / v)[own]) / sum(1 / v[own]),
      expected = left$mean, sd = sqrt(left$sd^2 + 1 / sum(1 / v[own]))
    )
  })
  do.call(rbind, rows)
}

expect_left_out <- function(told, noise_sd, refit) {
  check <- predictive_check(refit(told))
  twin <- twin_check(told, noise_sd, refit)
  expect_identical(as.character(check$arm), as.character(twin$arm))
  expect_equal(as.list(check)[names(twin)[-1L]], as.list(twin)[-1L])
  expect_equal(check$upper - check$expected, qnorm(0.975) * twin$sd)
  expect_equal(check$lower + check$upper, 2 * twin$expected)
  expect_equal(check$z, (twin$observed - twin$expected) / twin$sd)
}

some_pulls <- function(k, n = 2 * k) {
  data.frame(arm = sample.int(k, n, replace = TRUE), y = rnorm(n, 3))
}

test_that("an arm is predicted as by a run that has not seen it", {
  set.seed(61)
  grid <- data.frame(arm = 1:5, u = c(1, 2, 4, 5, 9), kind = c("a", "a", "b", "b", "a"))
  x <- matrix(rnorm(10), 5)
  ways <- list(
    list(), list(features = x), list(cov = tcrossprod(x) + diag(5)), list(cov = matrix(1, 5, 5)),
    list(kernel = k_by(~ kind, k_se(~ u, lengthscale = 2)) + 0.3 * k_white()),
    list(history = matrix(rnorm(40, 3), 8))
  )
  for (way in ways) {
    for (maximise in c(TRUE, FALSE)) {
      refit <- function(told) {
        do.call(told_run, c(list(grid, told, maximise = maximise, prior_mean = c(1, 2, 3, 4, 5),
          prior_sd = 1.5, noise_sd = 0.7), way))
      }
      expect_left_out(some_pulls(5), 0.7, refit)
      expect_left_out(some_pulls(5, 3), 0.7, refit)
    }
  }
})

test_that("standard errors and noise of each arm count", {
  set.seed(62)
  noise <- c(0.1, 0.5, 1, 2)
  told <- some_pulls(4, 12)
  told$se <- ifelse(runif(12) < 0.5, NA, runif(12, 0.1, 1))
  refit <- function(told) {
    told_run(4, told, cov = 0.5 + diag(4) / 2, prior_mean = 3, prior_sd = 2, noise_sd = noise)
  }
  expect_left_out(told, noise, refit)
})

test_that("numbers that can be checked by hand", {
  told <- data.frame(arm = c(1, 1, 2), y = c(1, 2, 5))
  alone <- predictive_check(told_run(3, told, prior_mean = 2, prior_sd = 3, noise_sd = 4))
  expect_identical(alone$arm, 1:2)
  expect_identical(alone$pulls, 2:1)
  expect_equal(alone$observed, c(1.5, 5))
  expect_equal(alone$expected, c(2, 2))
  expect_equal(alone$sd, sqrt(9 + c(8, 16)))
  expect_equal(alone$z, c(-0.5, 3) / alone$sd)
  # One mean for all: an arm is expected where the other one is, as far as that can be said.
  one <- told_run(2, told[2:3, ], cov = matrix(1, 2, 2), prior_mean = 0, prior_sd = 1, noise_sd = 1)
  expect_equal(predictive_check(one)$expected, c(5, 2) / 2)
  expect_equal(predictive_check(one)$sd, rep(sqrt(1.5), 2))
})

test_that("the level is that of the interval", {
  set.seed(63)
  x <- told_run(4, some_pulls(4), prior_mean = 3, prior_sd = 1, noise_sd = 1)
  check <- predictive_check(x, level = 0.5)
  expect_equal(check$upper - check$expected, qnorm(0.75) * check$sd)
  expect_error(predictive_check(x, 1), class = "bayesgap_error_level")
  expect_error(predictive_check(3), class = "bayesgap_error_run")
})

test_that("where the noise is learned, intervals are Student's and z says so", {
  x <- bayesgap(6, function(arm) arm + rnorm(1), budget = 20, seed = 3)
  check <- predictive_check(x)
  mixture <- over_points(x, function(part) {
    scale <- sqrt(part$fit$scale + part$fit$noise2[1] / check$pulls)
    function(at) pt((at - part$fit$mean) / scale, part$fit$df)
  })
  share <- function(at) {
    Reduce(`+`, Map(function(w, below) w * below(at), mixture$weight, mixture$parts))
  }
  expect_equal(share(check$upper), rep(0.975, 6), tolerance = 1e-6)
  expect_equal(pnorm(check$z), share(check$observed), tolerance = 1e-6)
  one <- list(list(mean = rep(0, 4), scale = rep(1, 4), df = 5))
  far <- mixed_score(c(-1e90, 0, 40, 1e90), list(weight = 1, parts = one))
  expect_true(all(is.finite(far)) && !is.unsorted(far))
  expect_identical(far[2], 0)
})

test_that("failed pulls do not count, units do not matter", {
  set.seed(64)
  told <- rbind(some_pulls(5), data.frame(arm = 1:5, y = NA))
  told$failed <- is.na(told$y)
  check <- function(unit, shift = 0, maximise = TRUE) {
    told$y <- unit * told$y + shift
    suppressWarnings(predictive_check(told_run(5, told, maximise = maximise)))
  }
  plain <- check(1)
  expect_equal(sum(plain$pulls), 10)
  for (unit in c(1e-9, 1e9)) {
    expect_equal(check(unit, 3 * unit)$z, plain$z, tolerance = 1e-6)
  }
  mirror <- check(1, 0, FALSE)
  expect_equal(mirror$z, plain$z)
  expect_equal(mirror$observed, plain$observed)
  expect_equal(check(-1, 0, FALSE)$z, -plain$z)
})

test_that("nothing, one arm, exact and certain observations are defined", {
  none <- predictive_check(bayesgap(3, budget = 3))
  expect_identical(dim(as.data.frame(none)), c(0L, 8L))
  expect_snapshot(none)
  expect_identical(dim(predictive_check(bayesgap(3, budget = 3, cov = diag(3)))), c(0L, 8L))
  one <- predictive_check(told_run(3, data.frame(arm = 2, y = 5)))
  expect_identical(one$arm, 2L)
  expect_true(all(is.finite(unlist(one))))
  expect_snapshot(one)

  line <- cbind(1, 1:6)
  exact <- function(y, ...) {
    told <- data.frame(arm = rep(1:6, 2), y = rep(y, 2))
    predictive_check(told_run(6, told, prior_mean = 0, noise_sd = 0, ...))
  }
  fits <- exact(2 + 1:6, features = line, prior_sd = 1)
  expect_equal(fits$expected, 2 + 1:6, tolerance = 1e-4)
  expect_lt(max(fits$sd), 1e-3)
  expect_identical(judge_prior(fits), "right")
  expect_identical(judge_noise(fits), "right")
  misses <- exact((1:6)^2, features = line, prior_sd = 1)
  expect_gt(min(abs(misses$z)), 10)
  expect_identical(judge_prior(misses), "sure")

  certain <- exact(c(0, 0, 0, 0, 0, 1e-3), prior_sd = 0)
  expect_identical(is_outside(certain), rep(c(FALSE, TRUE), c(5, 1)))
  expect_true(all(is.finite(unlist(certain))))
  expect_identical(certain$z[1:5], rep(0, 5))
  expect_identical(judge_prior(exact(rep(0, 6), prior_sd = 0)), "right")
  expect_no_error(format(certain))
  mixed <- exact(1:6, cov = diag(c(0, 1e-30, 1, 1, 1e30, 1)), prior_sd = 1)
  expect_true(all(is.finite(unlist(mixed))))
  expect_equal(mixed$sd[2:6], sqrt(c(1e-30, 1, 1, 1e30, 1)))
})

test_that("repeated pulls are held against the noise", {
  told <- data.frame(arm = c(1, 1, 2, 2, 3), y = c(1, 3, 2, 6, 4))
  noise <- attr(predictive_check(told_run(3, told, noise_sd = 2)), "found")$noise
  expect_equal(noise$more, 2)
  expect_equal(noise$seen, sqrt((1 + 1 + 4 + 4) / 2))
  expect_equal(noise$used, 2)
  expect_equal(noise$misfit, 10 / 4)
  told$se <- c(NA, 1, 2, 2, 1)
  noise <- attr(predictive_check(told_run(3, told, noise_sd = 2)), "found")$noise
  expect_null(noise$seen)
  expect_equal(noise$misfit, 2^2 / (4 + 1) + 4^2 / (4 + 4))

  set.seed(65)
  told <- data.frame(arm = rep(1:10, 6), y = rnorm(60) + rep(rnorm(10), 6))
  verdict <- function(...) judge_noise(predictive_check(told_run(10, told, ...)))
  expect_identical(verdict(noise_sd = 1), "right")
  expect_identical(verdict(noise_sd = 0.5), "small")
  expect_identical(verdict(noise_sd = 2), "large")
  expect_identical(verdict(noise_sd = 0), "small")
  expect_identical(verdict(), "right")
  told <- data.frame(arm = c(1, 1, 1, 2, 2, 3, 3), y = c(1, 1, 3, 2, 2, 1, 2), se = 0)
  told$se[c(3, 6, 7)] <- 1
  expect_equal(attr(predictive_check(told_run(3, told)), "found")$noise$rank, 2)
})

# A smooth truth from the prior, observed at random, under a prior that may be another.
smooth_check <- function(truth = 3, believed = truth, noise_sd = 0.3, prior_sd = 1, n = 40) {
  line <- data.frame(u = 1:20)
  root <- chol(kernel_matrix(k_se(lengthscale = truth), line) + diag(1e-8, 20))
  mean <- drop(rnorm(20) %*% root)
  told <- data.frame(arm = sample.int(20, n, TRUE))
  told$y <- mean[told$arm] + rnorm(n, sd = 0.3)
  predictive_check(told_run(line, told,
    kernel = k_se(lengthscale = believed), prior_mean = 0, prior_sd = prior_sd,
    noise_sd = noise_sd
  ))
}

test_that("a prior that is right is left alone, its z are standard normal", {
  set.seed(66)
  checks <- replicate(150, smooth_check(), simplify = FALSE)
  z <- unlist(lapply(checks, `[[`, "z"))
  expect_equal(var(z), 1, tolerance = 0.1)
  expect_lt(abs(mean(z)), 0.1)
  expect_equal(mean(abs(z) > qnorm(0.975)), 0.05, tolerance = 0.4)
  expect_gt(mean(vapply(checks, judge_prior, "") == "right"), 0.92)
  expect_gt(mean(vapply(checks, judge_noise, "") == "right"), 0.95)
})

test_that("priors that are too sure or too vague are told", {
  set.seed(67)
  verdict <- function(...) vapply(1:30, function(i) judge_prior(smooth_check(...)), "")
  expect_gt(mean(verdict(2, 8) == "sure"), 0.8)
  expect_gt(mean(verdict(prior_sd = 0.1) == "sure"), 0.8)
  expect_gt(mean(verdict(noise_sd = 2) == "vague"), 0.8)
  expect_lt(mean(verdict(2, 8) == "vague"), 0.1)
})

test_that("one arm far out is told, though the others are near", {
  told <- data.frame(arm = 1:40, y = rep(c(-0.5, 0.5), 20))
  verdict <- function(y) {
    told$y[7] <- y
    judge_prior(predictive_check(told_run(40, told, prior_mean = 0, prior_sd = 1, noise_sd = 0)))
  }
  expect_identical(verdict(4.5), "sure")
  expect_identical(verdict(3), "vague")
})

test_that("what a prior misses and takes for noise is told", {
  set.seed(1)
  line <- data.frame(u = 1:20)
  told <- data.frame(arm = rep(1:20, 2), y = rep(rnorm(20), 2) + rnorm(40, sd = 0.3))
  wrong <- predictive_check(told_run(line, told, kernel = k_se(lengthscale = 10)))
  expect_lte(count_outside(wrong), 2)
  expect_identical(judge_noise(wrong), "large")
  expect_identical(judge_prior(wrong), "sure")
  expect_match(format(wrong), "taken for noise", all = FALSE)
  own <- predictive_check(told_run(line, told, kernel = k_se(lengthscale = 10) + k_white()))
  expect_identical(judge_noise(own), "right")
  expect_identical(judge_prior(own), "right")
})

test_that("print() tells the verdict and what to try", {
  set.seed(69)
  expect_snapshot(smooth_check(2, 8))
  expect_snapshot(smooth_check(prior_sd = 20))
  expect_snapshot(smooth_check(n = 8, noise_sd = 0.2))
  remedies <- function(...) prior_remedies(bayesgap(data.frame(u = 1:3), budget = 2, ...))$sure
  expect_identical(remedies(), "a larger prior_sd")
  expect_length(remedies(prior_mean = 2), 2)
  expect_length(remedies(kernel = k_linear()), 2)
  expect_length(remedies(kernel = k_se(), prior_mean = 1), 4)
})

test_that("a part of a check is a plain data frame", {
  set.seed(70)
  check <- smooth_check()
  expect_identical(class(check[1:3, ]), "data.frame")
  expect_identical(class(head(check)), "data.frame")
  expect_identical(class(as.data.frame(check)), "data.frame")
  expect_identical(check[["z"]], check$z)
})

test_that("many observed arms take no long time", {
  k <- 20000
  told <- data.frame(arm = seq_len(k), y = sin(seq_len(k)))
  x <- told_run(k, told, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  expect_lt(sum(system.time(check <- predictive_check(x))[c("user.self", "sys.self")]), 5)
  expect_identical(nrow(check), as.integer(k))
})

test_that("rewards a hundred orders of magnitude from what was expected are checked too", {
  # The greatest power of two up to 1e100, and one over it: valgrind reads such decimals otherwise.
  most <- 2^332
  x <- bayesgap(data.frame(u = 1:4), budget = 4, kernel = k_se(~u, lengthscale = 1),
    prior_mean = 0, prior_sd = 1 / most, noise_sd = 0, seed = 1)
  x <- tell(x, data.frame(arm = 1:4, y = c(most, most, -most, 0), pull = NA))
  expect_output(print(predictive_check(x)), "The prior is too sure")
})

test_that("where rates tell the noise, no other is asked for", {
  told <- function(successes) {
    x <- bayesgap(3, budget = 9, family = "binomial", prior_mean = 0.4, prior_sd = 0.05, seed = 1)
    tell(x, data.frame(arm = rep(1:3, each = 4), successes = successes, trials = 100, pull = NA))
  }
  days <- predictive_check(told(40 + c(-25, 25, -20, 20)))
  expect_identical(judge_noise(days), "small")
  text <- format(days)
  expect_match(text, "times what the rates say: its rate is not the same in all", all = FALSE)
  expect_match(text, "blocks, or rates as rewards without a family", all = FALSE)
  expect_no_match(text, "noise_sd")
  same <- predictive_check(told(40))
  expect_identical(judge_noise(same), "large")
  expect_match(format(same), "too little for independent trials", all = FALSE)
  expect_no_match(format(same), "noise_sd")
  # A prior that is wrong besides is mended without it, too.
  off <- predictive_check(told(70 + rep(c(-25, 25, -20, 20), 3)))
  expect_match(format(off), "Try update\\(x, ...\\) with a larger prior_sd", all = FALSE)
  expect_no_match(format(off), "noise_sd")
})

test_that("blocks that begin to tell after the last fit are in all that is compared", {
  x <- bayesgap(3, budget = 20, blocks = c("a", "b"), prior_mean = 0, noise_sd = 1, seed = 1)
  told <- data.frame(pull = NA, arm = rep(c("1", "2", "3"), 3), y = sin(1:9), block = "a")
  x <- tell(x, told[1:8, ])
  told$block[9] <- "b"
  x <- tell(x, told[9, ])
  expect_equal(x$fit$block2, 0)
  check <- expect_silent(predictive_check(x))
  expect_identical(check$block, c("a", "a", "a", "b"))
  expect_length(check$lower, 4L)
})
