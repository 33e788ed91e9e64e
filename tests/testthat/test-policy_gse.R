# A problem with features: `rank` of them independent, the others made from those.
features_problem <- function(k, d, rank = d) {
  x <- matrix(rnorm(k * rank), k)
  if (rank < d) {
    x <- cbind(x, x %*% matrix(rnorm(rank * (d - rank)), rank))
  }
  list(k = k, features = x %*% diag(exp(rnorm(d)), d), noise_sd = 0.3, prior_sd = 1)
}

gse_run <- function(p, objective = NULL, ..., eta = 2) {
  bayesgap(p$k, objective,
    budget = p$budget, features = p$features, prior_mean = p$mean, prior_sd = p$prior_sd,
    noise_sd = p$noise_sd, policy = policy("gse", eta = eta), seed = 1, ...
  )
}

gse_stages <- function(k, eta) max(1, ceiling(log(k, eta) - 1e-9))

# Pulls of an approximately G-optimal design over these arms, by explicit inverses.
twin_design <- function(x, pulls) {
  basis <- integer()
  repeat {
    inside <- qr(t(x[basis, , drop = FALSE]))
    rest <- if (length(basis)) qr.resid(inside, t(x)) else t(x)
    far <- colSums(rest^2)
    if (max(far) <= 1e-10 || length(basis) == ncol(x)) {
      break
    }
    basis <- c(basis, which.max(far))
  }
  rank <- length(basis)
  b <- x[basis, , drop = FALSE]
  alpha <- x %*% t(b) %*% solve(b %*% t(b))
  weight <- replace(numeric(nrow(x)), basis, 1 / rank)
  for (i in seq_len(1000)) {
    leverage <- rowSums((alpha %*% solve(t(alpha) %*% (weight * alpha))) * alpha)
    worst <- which.max(leverage)
    if (leverage[worst] <= rank * 1.01) {
      break
    }
    g <- (leverage[worst] / rank - 1) / (leverage[worst] - 1)
    weight <- (1 - g) * weight + g * (seq_len(nrow(x)) == worst)
  }
  plan <- floor((pulls - rank) * weight)
  plan[basis] <- plan[basis] + 1
  while (sum(plan) < pulls) {
    lacking <- which.max(pulls * weight - plan)
    plan[lacking] <- plan[lacking] + 1
  }
  plan
}

test_that("gse equals its twin over whole runs", {
  skip_long_on_cran()
  set.seed(15)
  compared <- 0
  for (i in 1:20) {
    d <- sample.int(5L, 1L)
    k <- 1L + sample.int(24L, 1L)
    p <- features_problem(k, d, rank = sample.int(d, 1L))
    eta <- c(2, 2, 3, 2.5)[i %% 4 + 1]
    stages <- gse_stages(k, eta)
    p$budget <- as.integer(min(d, k) * stages) + sample.int(40L, 1L) - 1L
    p$mean <- rnorm(k)
    truth <- p$mean + drop(p$features %*% rnorm(d))
    x <- gse_run(p, function(arm) truth[arm] + rnorm(1, sd = p$noise_sd), eta = eta)
    arm <- x$log$arm
    reward <- x$log$reward
    expect_length(arm, p$budget)
    each <- p$budget %/% stages
    unit <- p$features %*% diag(1 / apply(abs(p$features), 2, max), d)
    left <- seq_len(k)
    for (stage in seq_len(stages)) {
      first <- (stage - 1) * each
      rows <- (first + 1):(if (stage < stages) first + each else p$budget)
      plan <- twin_design(unit[left, , drop = FALSE], length(rows))
      expect_equal(tabulate(match(arm[rows], left), length(left)), plan)
      theta <- qr(p$features[arm[rows], , drop = FALSE], tol = 1e-9)
      theta <- qr.coef(theta, reward[rows] - p$mean[arm[rows]])
      theta[is.na(theta)] <- 0
      value <- (p$mean + drop(p$features %*% theta))[left]
      keep <- if (stage < stages) ceiling(length(left) / eta) else 1
      ranked <- sort(value, decreasing = TRUE)
      if (ranked[keep] - ranked[keep + 1] < 1e-7) {
        break
      }
      left <- sort(left[order(value, decreasing = TRUE)[seq_len(keep)]])
      compared <- compared + 1
    }
    if (length(left) == 1) {
      expect_equal(best_arm(x), left)
    }
  }
  expect_gt(compared, 40)
})

test_that("the design of a stage is G-optimal", {
  set.seed(16)
  for (d in c(1, 3, 6)) {
    p <- features_problem(40, d)
    p$budget <- 6 * 600
    p$mean <- 0
    x <- gse_run(p)
    # the plan is followed whatever the rewards: those of the first stage
    x <- tell(x, within(ask(x, 600), y <- rnorm(600)))
    share <- tabulate(x$log$arm, 40) / 600
    v <- t(p$features) %*% (share * p$features)
    leverage <- rowSums((p$features %*% solve(v)) * p$features)
    expect_lt(max(leverage), d * 1.05)
  }
})

test_that("gse wants features, and a budget of a basis in each stage", {
  for (prior in list(list(), list(cov = diag(4)))) {
    expect_error(
      do.call(bayesgap, c(list(4, budget = 50, policy = "gse"), prior)),
      "Policy gse needs arms with features.", fixed = TRUE, class = "bayesgap_error_policy"
    )
  }
  x <- cbind(1, 1:9, (1:9)^2)
  expect_error(
    bayesgap(9, budget = 11, features = x, policy = "gse"), "at least 12",
    class = "bayesgap_error_budget"
  )
  expect_no_error(bayesgap(9, budget = 12, features = x, policy = "gse"))
  expect_error(
    bayesgap(9, budget = 5, features = x, policy = policy("gse", eta = 3)), "at least 6",
    class = "bayesgap_error_budget"
  )
  expect_error(policy("gse", eta = 1), class = "bayesgap_error_policy")
})

test_that("gse finds the best of many arms with few pulls", {
  x <- cbind(1, seq(-1, 1, length.out = 500), seq(-1, 1, length.out = 500)^2)
  truth <- drop(x %*% c(0, 0.5, -1))
  run <- bayesgap(500, function(arm) truth[arm] + rnorm(1, sd = 0.05), budget = 90,
    features = x, prior_mean = 0, prior_sd = 1, noise_sd = 0.05, policy = "gse", seed = 1)
  expect_equal(nobs_of(run), 90)
  expect_lt(max(truth) - truth[best_arm(run)], 0.02)
  # estimates of mean, scale and noise on the way do not disturb the count
  run <- bayesgap(500, function(arm) truth[arm] + rnorm(1, sd = 0.05), budget = 90,
    features = x, policy = "gse", seed = 1)
  expect_equal(nobs_of(run), 90)
  expect_lt(max(truth) - truth[best_arm(run)], 0.05)
})

test_that("least squares decides, not the prior, and on the stage's arms alone", {
  # a prior that no reward can move, and that thinks the opposite; 6 -> 3 -> 1 arms
  p <- list(
    k = 6, features = diag(6), budget = 40, mean = -(1:6), prior_sd = 1e-6, noise_sd = 1
  )
  expect_equal(best_arm(gse_run(p, function(arm) as.double(arm), eta = 2.5)), 6)
  # rewards closer to each other than to what was expected
  p <- list(k = 2, features = diag(2), budget = 2, mean = c(10, 0), prior_sd = 1, noise_sd = 1)
  expect_equal(best_arm(gse_run(p, function(arm) 1 + arm / 1000)), 2)
  # an arm that has left is told something wild
  p <- list(
    k = 4, features = cbind(1, 1:4), budget = 8, mean = 0, prior_sd = 1e-6, noise_sd = 1
  )
  x <- gse_run(p)
  x <- tell(x, within(ask(x, 4), y <- arm))
  x <- tell(x, data.frame(arm = 1, y = 1000, pull = NA))
  while (nrow(ask(x))) {
    expect_true(ask(x)$arm %in% 3:4)
    x <- tell(x, as.double(ask(x)$arm))
  }
  expect_equal(best_arm(x), 4)
})

test_that("gse: equal arms, known arms, more features than arms, failed pulls", {
  set.seed(17)
  for (k in c(1, 2, 7)) {
    p <- features_problem(k, 10)
    p$mean <- 0
    p$budget <- 40
    x <- gse_run(p, function(arm) 5 * arm + rnorm(1))
    expect_equal(nobs_of(x), 40)
    expect_equal(best_arm(x), k)
  }
  best <- vapply(1:60, function(seed) {
    bayesgap(6, function(arm) 1, budget = 20, features = matrix(1, 6, 2), prior_mean = 0,
      prior_sd = 1, noise_sd = 1, policy = "gse", seed = seed)$belief$best
  }, 0L)
  expect_true(all(tabulate(best, 6) > 1))
  # the arm without features is known: never pulled, and here the best
  p <- list(
    k = 4, features = rbind(c(0, 0), diag(2), c(1, 1)), budget = 12, mean = 0, prior_sd = 10,
    noise_sd = 1
  )
  known <- gse_run(p, function(arm) -arm)
  expect_false(1 %in% known$log$arm)
  expect_equal(nobs_of(known), 12)
  expect_equal(best_arm(known), 1)
  # nor does it take another's place
  p <- list(
    k = 5, features = rbind(0, diag(4)), budget = 16, mean = c(4.5, 0, 0, 0, 0), prior_sd = 10,
    noise_sd = 1
  )
  expect_setequal(gse_run(p, function(arm) as.double(arm))$log$arm[9:16], 4:5)
  p <- list(
    k = 8, features = cbind(1, 1:8), budget = 30, mean = 0, prior_sd = 10, noise_sd = 1
  )
  failing <- gse_run(p, function(arm) if (runif(1) < 0.5) stop("no") else 5 * arm + rnorm(1))
  expect_length(failing$log$arm, 30)
  expect_equal(best_arm(failing), 8)
})

test_that("arms with a hundred times as many features as there are arms", {
  set.seed(3)
  wide <- arm_model(6, features = matrix(rnorm(3600), 6), prior_mean = 0, prior_sd = 1, noise_sd = 1)
  x <- bayesgap(wide, function(arm) arm + rnorm(1), policy = "gse", budget = 60, seed = 1)
  expect_length(x$log$arm, 60)
  expect_equal(best_arm(x), 6)
})
