test_that("the phases of rejects are those of the vectors, and the last two take the rest", {
  for (case in list(c(5, 30), c(10, 100))) {
    k <- case[1]
    n <- numbers("SR", sprintf("n_k_K%d_n%d", k, case[2]))[-1]
    x <- bayesgap(k, function(arm) 10 * arm + rnorm(1), budget = case[2], seed = 1,
      prior_mean = 0, prior_sd = 100, noise_sd = 1, policy = "rejects")
    expect_equal(nobs_of(x), case[2])
    # the worst arm leaves, and it is arm 1, then arm 2, and so on
    made <- tabulate(x$log$arm, k)
    expect_equal(made[seq_len(k - 2)], n[seq_len(k - 2)])
    expect_lte(abs(made[k] - made[k - 1]), 1)
    expect_equal(best_arm(x), k)
    # at the end of phase i every arm left has been pulled n_i times
    end <- cumsum(c(0, n))[seq_along(n)] + (k - seq_along(n) + 1) * n
    for (i in seq_along(n)) {
      made <- tabulate(x$log$arm[seq_len(end[i])], k)
      expect_equal(made[i:k], rep(n[i], k - i + 1))
    }
  }
})

twin_rejects <- function(p, arm, y) {
  k <- p$k
  log_bar <- 1 / 2 + sum(1 / seq_len(k)[-1])
  n <- pmax(ceiling((p$budget - k) / (log_bar * (k + 1 - seq_len(k - 1)))), 1)
  end <- cumsum(c(0, n))[seq_along(n)] + (k - seq_along(n) + 1) * n
  end[k - 1] <- p$budget
  average <- function(to) {
    to <- seq_len(to)
    vapply(seq_len(k), function(i) mean(y[to][arm[to] == i]), 0)
  }
  now <- list(arms = seq_len(k), margin = Inf)
  for (phase in seq_along(n)) {
    if (length(arm) >= end[phase]) {
      merit <- average(end[phase])[now$arms]
      now$margin <- min(now$margin, diff(sort(merit)[1:2]))
      now$arms <- now$arms[-which.min(merit)]
    }
  }
  made <- tabulate(arm, k)[now$arms]
  now$next_arms <- now$arms[made == min(made)]
  now$merit <- average(length(arm))[now$arms]
  now
}

test_that("rejects equals its twin over whole runs", {
  skip_long_on_cran()
  set.seed(14)
  for (i in 1:24) {
    p <- random_problem(k = 1L + sample.int(24L, 1L))
    p$cov <- tcrossprod(p$features) + diag(0.1, p$k)
    p$budget <- p$k + sample.int(2L * p$k + 21L, 1L) - 1L
    if (i < 4) {
      p$budget <- p$k
    }
    x <- known_run(p, cov = if (i %% 2) p$cov, policy = "rejects")
    truth <- rnorm(p$k)
    agrees <- TRUE
    for (t in seq_len(p$budget)) {
      twin <- twin_rejects(p, x$log$arm, x$log$reward)
      chosen <- ask(x)$arm
      agrees <- agrees && (twin$margin < 1e-9 || chosen %in% twin$next_arms)
      if (t > p$k) {
        agrees <- agrees && best_arm(x) == twin$arms[which.max(twin$merit)]
      }
      x <- tell(x, truth[chosen] + rnorm(1, sd = p$noise_sd))
    }
    expect_true(agrees)
    expect_equal(nobs_of(x), p$budget)
    expect_equal(best_arm(x), twin_rejects(p, x$log$arm, x$log$reward)$arms)
  }
})

test_that("a phase ends by the pulls made, failed ones included", {
  x <- bayesgap(4, function(arm) if (arm == 4) stop("no") else 10 * arm, budget = 12,
    prior_mean = 100, prior_sd = 100, noise_sd = 1, seed = 3, policy = "rejects")
  expect_length(x$log$arm, 12)
  # phase 1 has 8 pulls; the arm that failed in all of its own leaves first
  expect_true(4 %in% x$log$arm[1:8])
  expect_false(4 %in% x$log$arm[9:12])
  expect_equal(best_arm(x), 3)
})

test_that("rejects refuses a budget that does not reach", {
  expect_error(
    bayesgap(7, budget = 6, policy = "rejects"), "at least 7", class = "bayesgap_error_budget"
  )
  once <- bayesgap(7, function(arm) arm, budget = 7, policy = "rejects", noise_sd = 1)
  expect_setequal(once$log$arm, 1:7)
  expect_equal(best_arm(once), 7)
  expect_no_error(bayesgap(1, budget = 1, policy = "rejects"))
  # a known arm needs no pull, and may be the best
  cov <- diag(c(0, 1, 1, 1, 1))
  known <- bayesgap(5, function(arm) -arm, budget = 4, policy = "rejects", cov = cov,
    prior_mean = 0, prior_sd = 10, noise_sd = 1)
  expect_false(1 %in% known$log$arm)
  expect_equal(best_arm(known), 1)
  # nor does it take another's place
  known <- bayesgap(5, function(arm) 10 * arm, budget = 20, policy = "rejects", cov = cov,
    prior_mean = -100, prior_sd = 100, noise_sd = 1)
  expect_setequal(known$log$arm[18:20], 4:5)
})

test_that("rejects with exact rewards stops when all is known", {
  x <- bayesgap(4, function(arm) arm, budget = 20, policy = "rejects", prior_mean = 0,
    prior_sd = 1, noise_sd = 0)
  expect_equal(sort(x$log$arm), 1:4)
  expect_equal(best_arm(x), 4)
  line <- bayesgap(9, function(arm) 0.3 * arm, budget = 50, noise_sd = 0,
    features = cbind(1, 1:9), prior_mean = 0, prior_sd = 1, policy = "rejects")
  expect_equal(nobs_of(line), 2)
  expect_equal(best_arm(line), 9)
  # one exact arm: it stands with its reward and the others go on
  mixed <- bayesgap(3, function(arm) c(1, 3, 2)[arm] + rnorm(1, sd = 0.1), budget = 15,
    policy = "rejects", prior_mean = 0, prior_sd = 1, noise_sd = c(0.1, 0, 0.1), seed = 1)
  expect_equal(sum(mixed$log$arm == 2), 1)
  expect_equal(nobs_of(mixed), 15)
  expect_equal(best_arm(mixed), 2)
})
