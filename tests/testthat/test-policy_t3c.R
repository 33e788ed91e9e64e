t3c_state <- function(seed, beta = 0, mean = c(2, 1, 0.5), cov = diag(3), budget = 30, ...) {
  bayesgap(3, budget = budget, cov = cov, prior_mean = mean, prior_sd = 1, noise_sd = 0.5,
    policy = policy("t3c", beta = beta), seed = seed, ...)
}

t3c_picks <- function(n, ...) vapply(seq_len(n), function(seed) ask(t3c_state(seed, ...))$arm, 0L)

# The challengers that tie for a leader; arms above the leader cost nothing.
twin_challengers <- function(mean, cov, leader) {
  cost <- vapply(seq_along(mean), function(j) {
    var <- cov[leader, leader] + cov[j, j] - 2 * cov[leader, j]
    if (j == leader || var < 1e-9 * max(diag(cov))) {
      return(Inf)
    }
    max(mean[leader] - mean[j], 0)^2 / var
  }, 0)
  if (all(cost == Inf)) {
    return(leader)
  }
  which(cost - min(cost) < 1e-6)
}

test_that("t3c: the challenger is the arm with the smallest transportation cost", {
  # arm 1 leads in every draw. By hand, independent: 40^2 / 2 = 800 and 60^2 / 2 = 1800
  mean <- c(100, 60, 40)
  expect_true(all(t3c_picks(10, mean = mean) == 2))
  # arm 2 goes along with the leader: 40^2 / (2 - 1.98) = 80000 against 1800
  cov <- diag(3)
  cov[1, 2] <- cov[2, 1] <- 0.99
  expect_true(all(t3c_picks(10, mean = mean, cov = cov) == 3))
  # an arm of larger variance is closer: 60^2 / 17 = 211.8 against 800
  expect_true(all(t3c_picks(10, mean = mean, cov = diag(c(1, 1, 16))) == 3))
  expect_true(all(t3c_picks(10, mean = mean, beta = 1) == 1))
  # the leader is the best arm that may be pulled: arm 2, once arm 1 is barred
  x <- t3c_state(1, mean = mean, replace = FALSE, budget = 3)
  x <- tell(x, data.frame(arm = 1, y = 100, pull = 1))
  expect_equal(ask(x)$arm, 3)
})

test_that("t3c: arms above the leader cost nothing, and tie", {
  # arm 3 leads in half of the draws, arms 1 and 2 hardly vary: both cost 0
  cov <- diag(c(1e-6, 1e-6, 1e4))
  picks <- t3c_picks(400, mean = c(2, 1, 0), cov = cov)
  # leader 3 (half of the draws): 1 or 2; leader 1 (the others): 2 or 3, of which the latter
  # costs 4 / 1e4 against 1 / 2e-6
  expect_true(all(abs(tabulate(picks, 3) / 400 - c(0.25, 0.25, 0.5)) < 4 * sqrt(0.25 / 400)))
})

test_that("t3c pulls each arm as often as its definition says, on random problems", {
  set.seed(4)
  compared <- 0
  for (i in 1:12) {
    s <- halfway(policy("t3c", beta = 0.3), k = 1L + sample.int(5L, 1L))
    if (!all(s$open)) {
      next
    }
    best <- certainty(s$x, 20000L)$best
    exact <- 0.3 * best
    for (leader in seq_along(best)) {
      tied <- twin_challengers(s$mean, s$cov, leader)
      exact[tied] <- exact[tied] + 0.7 * best[leader] / length(tied)
    }
    rows <- s$told
    rows$pull <- NA
    picks <- vapply(1:300, function(seed) {
      x <- known_run(s$p, policy = policy("t3c", beta = 0.3), seed = seed)
      ask(if (nrow(rows)) tell(x, rows) else x)$arm
    }, 0L)
    expect_lt(max(abs(tabulate(picks, s$p$k) / 300 - exact)), 4.5 * sqrt(0.25 / 300))
    compared <- compared + 1
  }
  expect_gt(compared, 4)
})

test_that("t3c with one arm left, and with an arm that cannot differ from the leader", {
  lone <- bayesgap(3, budget = 9, cov = diag(c(0, 1, 0)), prior_mean = 0, prior_sd = 1,
    noise_sd = 1, policy = policy("t3c", beta = 0), seed = 3)
  # the known arms are not open
  expect_equal(ask(lone)$arm, 2)
  twin <- bayesgap(2, budget = 9, cov = matrix(1, 2, 2), prior_mean = c(50, 0),
    prior_sd = 1, noise_sd = 0.7, policy = policy("t3c", beta = 0), seed = 3)
  expect_equal(ask(tell(tell(twin, 50.1), 49.8))$arm, 1)
})
