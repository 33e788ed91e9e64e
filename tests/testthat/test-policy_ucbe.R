# Fixture B after its first t - 1 observations, none of them one of the budget's pulls.
fixture_b <- function(t, ...) {
  arm <- c(rep(1:5, each = 2), numbers("B", "extra_arm"))
  y <- c(numbers("B", "init_y"), numbers("B", "extra_y"))
  x <- bayesgap(5,
    budget = numbers("B", "n"), prior_mean = 0.5, prior_sd = 1, noise_sd = 0.5, seed = 1,
    policy = policy("ucbe", ...)
  )
  seen <- seq_len(t - 1)
  tell(x, data.frame(arm = arm[seen], y = y[seen], pull = NA))
}

test_that("ucbe pulls the highest index of fixture B", {
  for (t in 11:14) {
    x <- fixture_b(t, a = numbers("B", "a"), scale = numbers("B", "b"))
    index <- numbers("B", "mean", t) + sqrt(numbers("B", "a") / numbers("B", "N", t))
    expect_equal(index, numbers("B", "ucbe", t), tolerance = 1e-8)
    expect_equal(ask(x)$arm, numbers("B", "ucbe_arm", t))
    expect_equal(best_arm(x), which.max(numbers("B", "mean", t)))
  }
})

# The smallest a at which the choice leaves the arm of the highest average.
turning_point <- function(t) {
  mean <- numbers("B", "mean", t)
  n <- numbers("B", "N", t)
  a <- exp(seq(log(1e-4), log(10), length.out = 4000))
  pick <- vapply(a, function(a) which.max(mean + sqrt(a / n)), 0L)
  a[which(pick != which.max(mean))[1L]]
}

test_that("a known hardness gives the published a, whatever the scale", {
  oracle <- (25 / 36) * (30 - 5) / numbers("B", "H1")
  expect_equal(oracle, numbers("B", "ucbe_a_oracle"), tolerance = 1e-8)
  # the hardness at which a crosses the point where the choice changes
  t <- 14
  turn <- turning_point(t)
  hardness <- (25 / 36) * (30 - 5) / turn
  for (scale in c(0, 1, 7)) {
    expect_equal(ask(fixture_b(t, hardness = hardness * 1.01, scale = scale))$arm, 4)
    expect_equal(ask(fixture_b(t, hardness = hardness / 1.01, scale = scale))$arm, 5)
  }
  expect_equal(ask(fixture_b(t, a = turn / 1.01, scale = 1))$arm, 4)
  expect_equal(ask(fixture_b(t, a = turn * 1.01, scale = 1))$arm, 5)
  expect_equal(ask(fixture_b(t, a = turn / 4 / 1.01, scale = 2))$arm, 4)
  expect_equal(ask(fixture_b(t, a = turn / 4 * 1.01, scale = 2))$arm, 5)
  # by default the scale is two standard deviations of the noise, here 1
  expect_equal(ask(fixture_b(t, a = turn / 1.01))$arm, 4)
  expect_equal(ask(fixture_b(t, a = turn * 1.01))$arm, 5)
})

# One round of the adaptive form; `before` is what the round before gave.
twin_ucbe <- function(before, k, budget, noise_sd, c, arm, y) {
  log_bar <- 1 / 2 + sum(1 / seq_len(k)[-1])
  n <- ceiling((budget - k) / (log_bar * (k + 1 - seq_len(k))))
  start <- vapply(seq_len(k - 1), function(p) sum(n[seq_len(p - 1)]) + (k - p + 1) * n[p], 0)
  now <- list(phase = sum(start <= length(arm)), ease = 2 * noise_sd / sqrt(k))
  pulls <- tabulate(arm, k)
  now$mean <- vapply(seq_len(k), function(i) mean(y[arm == i]), 0)
  if (!is.null(before)) {
    now$ease <- before$ease
    if (now$phase > before$phase) {
      gap <- sort(max(now$mean, -Inf, na.rm = TRUE) - now$mean, na.last = TRUE)
      i <- (k - now$phase + 1):k
      says <- !is.na(gap[i]) & gap[i] > 0
      now$ease <- if (any(says)) min((gap[i] / sqrt(i))[says]) else before$ease
    }
  }
  index <- now$mean + sqrt(c * budget) * now$ease / sqrt(pulls)
  now$arms <- if (all(pulls > 0)) which.max(index) else which(pulls == 0)
  now$margin <- if (all(pulls > 0)) -diff(sort(index, decreasing = TRUE)[1:2]) else Inf
  now
}

test_that("adaptive ucbe equals its twin over whole runs", {
  skip_long_on_cran()
  set.seed(11)
  phases <- 0
  for (i in 1:25) {
    p <- random_problem(k = 1L + sample.int(24L, 1L))
    p$cov <- tcrossprod(p$features) + diag(0.1, p$k)
    p$budget <- p$k - 1L + sample.int(2L * p$k + 21L, 1L)
    factor <- exp(rnorm(1))
    x <- known_run(p, cov = if (i %% 2) p$cov, policy = policy("ucbe", c = factor))
    truth <- rnorm(p$k)
    twin <- NULL
    agrees <- logical()
    for (t in seq_len(p$budget + 1L)) {
      twin <- twin_ucbe(
        twin, p$k, p$budget, p$noise_sd, factor, x$log$arm, x$log$reward
      )
      if (t <= p$budget) {
        chosen <- ask(x)$arm
        agrees[t] <- chosen %in% twin$arms || twin$margin < 1e-9
        y <- truth[chosen] + rnorm(1, sd = p$noise_sd)
        x <- tell(x, if (i %% 3) y else round(y)) # with ties and without
      }
    }
    expect_true(all(agrees))
    expect_equal(nobs_of(x), p$budget)
    expect_true(best_arm(x) %in% which(twin$mean > max(twin$mean) - 1e-9))
    phases <- max(phases, twin$phase)
  }
  expect_gt(phases, 15)
})

test_that("ucbe pulls every arm first, and refuses a budget that does not reach", {
  x <- bayesgap(7, function(arm) arm, budget = 7, policy = "ucbe", noise_sd = 1)
  expect_setequal(x$log$arm, 1:7)
  expect_equal(best_arm(x), 7)
  expect_error(
    bayesgap(7, budget = 6, policy = "ucbe"), "at least 7",
    class = "bayesgap_error_budget"
  )
  # a known arm needs no pull
  cov <- diag(c(0, rep(1, 6)))
  expect_no_error(bayesgap(7, budget = 6, policy = "ucbe", cov = cov))
})

test_that("ucbe: exact rewards, known arms and failed pulls", {
  exact <- bayesgap(4, function(arm) c(1, 4, 3, 2)[arm], budget = 20, policy = "ucbe",
    prior_mean = 0, prior_sd = 1, noise_sd = 0)
  expect_equal(sort(exact$log$arm), 1:4)
  expect_equal(best_arm(exact), 2)
  # what is known through other arms stands too: two pulls tell the line
  line <- bayesgap(9, function(arm) 3 * arm, budget = 20, policy = "ucbe", noise_sd = 0,
    features = cbind(1, 1:9), prior_mean = 0, prior_sd = 1)
  expect_equal(nobs_of(line), 2)
  expect_equal(best_arm(line), 9)
  failing <- bayesgap(3, function(arm) if (runif(1) < 0.4) stop("no") else arm,
    budget = 30, policy = "ucbe", prior_mean = 0, prior_sd = 1, noise_sd = 1, seed = 2)
  expect_length(failing$log$arm, 30)
  expect_equal(best_arm(failing), 3)
})
