# What one pull of `arm` takes off the pairs that the arm is in.
pi_bai_gain <- function(arm, mean0, cov0, cov, noise2) {
  after <- cov - outer(cov[, arm], cov[, arm]) / (cov[arm, arm] + noise2)
  apart <- function(s, j) s[arm, arm] + s[j, j] - 2 * s[arm, j]
  sum(vapply(setdiff(seq_along(mean0), arm), function(j) {
    v0 <- apart(cov0, j)
    if (v0 < 1e-10 * max(diag(cov0))) {
      return(0)
    }
    exp(-(mean0[arm] - mean0[j])^2 / (2 * v0)) / sqrt(v0) *
      (sqrt(max(apart(cov, j), 0)) - sqrt(max(apart(after, j), 0)))
  }, 0))
}

# The paper's bound for independent arms, in its own terms: 1 / sqrt(1 + n phi).
pi_bai_bound <- function(pulls, mean0, var0, noise2) {
  c <- noise2 + pulls * var0
  phi <- outer(var0^2 * pulls, c) / (outer(noise2 * var0, c) + t(outer(noise2 * var0, c)))
  phi <- phi + t(phi)
  terms <- exp(-outer(mean0, mean0, "-")^2 / (2 * outer(var0, var0, "+"))) / sqrt(1 + phi)
  sum(terms) - sum(diag(terms))
}

test_that("the pairs' form of the bound is the paper's", {
  set.seed(1)
  for (i in 1:20) {
    k <- sample(2:6, 1)
    mean0 <- rnorm(k)
    var0 <- rexp(k)
    pulls <- sample.int(9, k, replace = TRUE) - 1
    var <- 1 / (1 / var0 + pulls / 0.7)
    v0 <- outer(var0, var0, "+")
    terms <- exp(-outer(mean0, mean0, "-")^2 / (2 * v0)) * sqrt(outer(var, var, "+") / v0)
    expect_equal(pi_bai_bound(pulls, mean0, var0, 0.7), sum(terms) - sum(diag(terms)))
  }
})

test_that("pi_bai: by hand", {
  run <- function(mean, var, ...) {
    bayesgap(length(mean), budget = 9, cov = diag(var), prior_mean = mean, prior_sd = 1,
      noise_sd = 1, policy = "pi_bai", ...)
  }
  # Two arms of variance 4 and 1: a pull leaves 4/5 + 1 or 4 + 1/2 of 5.
  expect_equal(ask(run(c(0, 0), c(4, 1)))$arm, 1)
  # Three equal arms, the third 3 below: its pairs weigh exp(-9 / 4) each, those of the others
  # 1 and exp(-9 / 4).
  expect_true(all(vapply(1:20, function(s) ask(run(c(0, 0, -3), c(1, 1, 1), seed = s))$arm, 0L) < 3))
  # Of the two, both are pulled in turn; the rewards have no say.
  x <- run(c(0, 0, -3), c(1, 1, 1), seed = 1)
  first <- ask(x)$arm
  expect_equal(ask(tell(x, 1e3))$arm, 3 - first)
  expect_equal(ask(tell(x, -1e3))$arm, 3 - first)
  # Far below everything still ranks: no underflow
  expect_equal(ask(run(c(0, -1e3, -1.1e3), c(1, 1, 1)))$arm, 3)
})

test_that("pi_bai equals its twin on random problems", {
  set.seed(15)
  compared <- 0
  for (i in 1:150) {
    s <- halfway("pi_bai", k = 1L + sample.int(19L, 1L))
    if (!any(s$open)) {
      next
    }
    cov0 <- s$p$prior_sd^2 * s$p$cov
    gain <- vapply(seq_len(s$p$k), function(a) {
      pi_bai_gain(a, s$p$mean, cov0, s$cov, s$p$noise_sd^2)
    }, 0)
    best <- clear_best(gain, s$open, max(gain))
    if (!is.na(best)) {
      expect_equal(ask(s$x)$arm, best)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 100)
})

test_that("pulls placed one at a time come within 2 % of the smallest bound", {
  set.seed(16)
  for (i in 1:4) {
    k <- 5
    n <- 40
    mean0 <- rnorm(k, sd = 0.5)
    var0 <- exp(rnorm(k))
    x <- bayesgap(k, function(arm) 0, budget = n, cov = diag(var0), prior_mean = mean0,
      prior_sd = 1, noise_sd = 1, policy = "pi_bai", seed = i)
    shares <- function(u) n * exp(u) / sum(exp(u))
    best <- optim(rep(0, k), function(u) pi_bai_bound(shares(u), mean0, var0, 1),
      method = "BFGS")$value
    expect_lt(pi_bai_bound(tabulate(x$log$arm, k), mean0, var0, 1), 1.02 * best)
  }
})

test_that("no reward and no budget has a say in the optimised weights", {
  run <- function(objective, budget) {
    bayesgap(6, objective, budget = budget, cov = exp(-outer(1:6, 1:6, "-")^2 / 4),
      prior_mean = sin(1:6), prior_sd = 1, noise_sd = 1, policy = "pi_bai", seed = 1)$log$arm
  }
  expect_identical(run(function(arm) 0, 20), run(function(arm) rnorm(1, 100 * arm), 20))
  expect_identical(run(function(arm) 0, 20), run(function(arm) 0, 30)[1:20])
})

test_that("arms that differ by nothing are not told apart, and the budget is spent", {
  # all differences are known; what is left is what the arms have in common
  x <- bayesgap(3, function(arm) 1, budget = 5, cov = matrix(1, 3, 3), prior_mean = c(0, 1, 2),
    prior_sd = 1, noise_sd = 1, policy = "pi_bai", seed = 1)
  expect_equal(nobs_of(x), 5)
  expect_equal(best_arm(x), 3)
})

test_that("warm-up: Thompson sampling first, then the shares that it had", {
  warm <- function(...) policy("pi_bai", weights = "warm-up", ...)
  # by hand: of the first 4 pulls 3 are of arm 1 and 1 of arm 3: of the next 8, 6 and 2
  x <- bayesgap(3, budget = 12, prior_mean = 0, prior_sd = 1, noise_sd = 1,
    policy = warm(warm_up = 4), seed = 1)
  x <- tell(x, data.frame(arm = c(1, 1, 3, 1), y = c(0, 9, 0, 0), pull = 1:4))
  for (t in 5:12) {
    x <- tell(x, -5)
  }
  expect_equal(tabulate(x$log$arm[5:12], 3), c(6, 0, 2))
  # the warm-up draws as thompson does
  run <- function(policy) {
    bayesgap(6, function(arm) sin(arm) + rnorm(1), budget = 20, prior_mean = 0, prior_sd = 1,
      noise_sd = 1, policy = policy, seed = 5)$log$arm
  }
  expect_identical(run(warm(warm_up = 20)), run("thompson"))
  expect_identical(run(warm())[1:6], run("thompson")[1:6])
  expect_true(all(run(warm())[7:20] %in% run(warm())[1:6]))
  # half of the budget at most
  short <- bayesgap(6, budget = 4, prior_mean = 0, prior_sd = 1, noise_sd = 1, policy = warm())
  short <- tell(short, data.frame(arm = c(2, 2), y = c(0, 0), pull = 1:2))
  expect_equal(ask(short)$arm, 2)
})

test_that("where the arms of the warm-up may not be pulled again, others are", {
  x <- bayesgap(4, function(arm) arm, budget = 4, prior_mean = 0, prior_sd = 1, noise_sd = 1,
    policy = policy("pi_bai", weights = "warm-up"), replace = FALSE, seed = 1)
  expect_setequal(x$log$arm, 1:4)
})

test_that("with a warm-up too: stopped anywhere, resumed, the same run, and units do not matter", {
  for (learned in c(FALSE, TRUE)) {
    run <- function(objective, scale = 1, shift = 0, ...) {
      known <- list(prior_mean = shift, prior_sd = scale, noise_sd = 0.3 * scale)
      quietly(do.call(bayesgap, c(list(8, objective, budget = 14, cov = cov8, seed = 3,
        policy = policy("pi_bai", weights = "warm-up", warm_up = 5)), if (!learned) known, ...)))
    }
    whole <- run(noisy)
    for (t in c(0, 3, 5, 6, 13)) {
      file <- fresh_file()
      callCC(function(out) run(until(t + 1, function() out(NULL)), checkpoint = file))
      expect_identical(run(noisy, checkpoint = file), whole)
      unlink(file)
    }
    for (scale in c(1e-9, 1e9)) {
      expect_identical(
        run(function(arm) scale * (noisy(arm) + 3), scale, 3 * scale)$log$arm,
        run(function(arm) noisy(arm) + 3, 1, 3)$log$arm
      )
    }
  }
})
