# The joint rule against a slow twin that has the whole covariance.

joint <- policy("bayesgap", variant = "joint")

# log(z Phi(z) + phi(z)), or the same of Student's t, by quadrature of the tail.
twin_log_excess <- function(z, df) {
  log(stats::integrate(
    function(u) stats::pt(z - u, df), 0, Inf, rel.tol = 1e-10, subdivisions = 1000L
  )$value)
}

# One round: leader, rival and pull, and how clear the choices were. open: arms that may be pulled.
twin_joint <- function(mean, cov, noise2, t, df = Inf, open = diag(cov) > 0, cost = 1) {
  k <- length(mean)
  j <- which.max(mean)
  share <- 2 / sqrt(t)
  gain <- rep(-Inf, k)
  for (i in setdiff(seq_len(k), j)) {
    both <- c(j, i)
    # What the pulls take off the variance of the difference, by conditioning on both averages.
    s <- cov[both, both] + diag(share * noise2[both])
    h <- cov[both, both] %*% c(-1, 1)
    r2 <- drop(crossprod(h, solve(s, h)))
    all <- cov[j, j] + cov[i, i] - 2 * cov[i, j]
    if (all > 1e-9 * max(diag(cov)) && (open[j] || open[i])) {
      r <- sqrt(min(r2, all))
      gain[i] <- log(r) + twin_log_excess(-(mean[j] - mean[i]) / r, df)
    }
  }
  rival <- which.max(gain)
  taken <- (cov[, j] - cov[, rival])^2 / (diag(cov) + noise2) / cost
  taken[!open] <- -Inf
  most <- max(taken)
  pull <- if (taken[j] >= (1 - 1e-6) * most) j else if (taken[rival] >= (1 - 1e-6) * most) rival
    else which.max(taken)
  near <- sum(taken > most * (1 - 1e-4))
  apart <- function(x) diff(sort(x, decreasing = TRUE)[2:1]) > 1e-6
  list(
    leader = j, rival = rival, pull = pull,
    clear = apart(mean) && (k == 2L || apart(gain)) && near <= 1L + (pull %in% c(j, rival))
  )
}

test_that("leader, rival and pull are those of a twin with the whole covariance", {
  set.seed(21)
  compared <- 0
  for (n in 1:150) {
    k <- sample(2:9, 1)
    root <- matrix(rnorm(k * k), k) * exp(rnorm(k, sd = 0.5))
    cov <- if (n %% 3) tcrossprod(root) else diag(rowSums(root^2))
    noise_sd <- exp(rnorm(k, -0.5))
    told <- data.frame(arm = sample(k, sample(12, 1), TRUE), pull = NA)
    told$y <- rnorm(nrow(told))
    told$se <- if (n %% 2) NA else exp(rnorm(nrow(told), -1))
    mean <- rnorm(k)
    x <- bayesgap(k, budget = 50, cov = if (n %% 3) cov, features = if (!n %% 3) sqrt(cov),
                  prior_mean = mean, prior_sd = 1, noise_sd = noise_sd, policy = joint, seed = n)
    x <- tell(x, told)
    noise2 <- ifelse(is.na(told$se), noise_sd[told$arm]^2, told$se^2)
    belief <- twin_posterior(mean, cov, told$arm, told$y, noise2)
    twin <- twin_joint(belief$mean, belief$cov, noise_sd^2, 1)
    if (twin$clear) {
      note <- note_of(x)
      expect_equal(c(note$leader, note$rival), c(twin$leader, twin$rival), label = paste("pair", n))
      expect_equal(ask(x)$arm, twin$pull, label = paste("pull", n))
      compared <- compared + 1
    }
  }
  expect_gt(compared, 100)
})

test_that("where pulls cost differently, they go by what they tell for it", {
  set.seed(24)
  compared <- other <- 0
  for (n in 1:40) {
    k <- 6
    cov <- tcrossprod(matrix(rnorm(k * k), k))
    cost <- exp(rnorm(k))
    mean <- rnorm(k)
    x <- bayesgap(k, budget = 100, cov = cov, cost = cost, prior_mean = mean, prior_sd = 1,
                  noise_sd = 1, policy = joint, seed = n)
    twin <- twin_joint(mean, cov, rep(1, k), 1, cost = cost)
    if (twin$clear) {
      expect_equal(ask(x)$arm, twin$pull)
      compared <- compared + 1
      other <- other + (twin$pull != twin_joint(mean, cov, rep(1, k), 1)$pull)
    }
  }
  expect_gt(compared, 25)
  expect_gt(other, 5)
})

test_that("later pulls look further ahead", {
  set.seed(22)
  compared <- 0
  for (n in 1:40) {
    k <- 6
    cov <- tcrossprod(matrix(rnorm(k * k), k))
    x <- bayesgap(k, function(arm) rnorm(1, arm / 4), budget = 30, cov = cov, prior_mean = 0,
                  prior_sd = 1, noise_sd = 1, policy = joint, seed = n, maximise = n %% 2 == 0)
    x <- bayesgap(x, budget = 40)
    belief <- twin_posterior(rep(0, k), cov, x$log$arm, x$log$reward, rep(1, 30))
    twin <- twin_joint(belief$mean, belief$cov, rep(1, k), 31)
    if (twin$clear) {
      expect_equal(ask(x)$arm, twin$pull)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 25)
})

test_that("where the scale is learned the gain is Student's", {
  set.seed(23)
  compared <- 0
  for (n in 1:25) {
    x <- bayesgap(5, function(arm) rnorm(1, arm / 3), budget = 9, policy = joint, seed = n)
    x <- bayesgap(x, budget = 12)
    expect_true(is.finite(x$fit$df))
    belief <- twin_posterior(
      rep(x$fit$mean[1], 5), diag(x$fit$scale, 5), x$log$arm, x$log$reward, x$fit$noise2[x$log$arm]
    )
    twin <- twin_joint(belief$mean, belief$cov, x$fit$noise2, 10, x$fit$df)
    if (twin$clear) {
      expect_equal(ask(x)$arm, twin$pull)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 15)
})

test_that("pulls that are out, and arms that may not be pulled, are seen to", {
  place <- c(1, 2.2, 3.1, 4.5, 5, 6.9, 8, 8.7)
  cov <- exp(-outer(place, place, "-")^2 / 4)
  x <- bayesgap(8, budget = 20, cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = 0.3,
                policy = joint, seed = 3)
  x <- tell(x, data.frame(arm = c(2, 5, 7), y = c(0.3, 1.1, 0.2), pull = NA))
  two <- ask(x, 2)$arm
  belief <- twin_posterior(rep(0, 8), cov, c(2, 5, 7), c(0.3, 1.1, 0.2), rep(0.09, 3))
  expect_equal(two[1], twin_joint(belief$mean, belief$cov, rep(0.09, 8), 1)$pull)
  out <- twin_posterior(belief$mean, belief$cov, two[1], belief$mean[two[1]], 0.09)
  twin <- twin_joint(out$mean, out$cov, rep(0.09, 8), 2)
  expect_true(twin$clear)
  expect_equal(two[2], twin$pull)
  once <- bayesgap(8, function(arm) sin(arm), budget = 8, cov = cov, prior_mean = 0, prior_sd = 1,
                   noise_sd = 0.3, policy = joint, replace = FALSE, seed = 1)
  expect_setequal(once$log$arm, 1:8)
  expect_length(unique(ask(x, 5, batch = "distinct")$arm), 5)
})

test_that("exact rewards, known arms, clones, and one or two arms do no harm", {
  run <- function(k, ..., noise_sd = 0.5, budget = 20) {
    bayesgap(k, function(arm) sin(arm), budget = budget, ..., prior_mean = 0, prior_sd = 1,
             noise_sd = noise_sd, policy = joint, seed = 1)
  }
  expect_equal(nobs(run(1)), 20)
  expect_setequal(unique(run(2)$log$arm), 1:2)
  exact <- run(4, noise_sd = 0)
  expect_setequal(exact$log$arm, 1:4)
  expect_equal(best_arm(exact), 2)
  known <- run(3, cov = diag(c(1, 0, 1)))
  expect_false(2 %in% known$log$arm)
  clones <- run(4, cov = tcrossprod(cbind(c(1, 1, 0, 0), c(0, 0, 1, 1))))
  expect_equal(nobs(clones), 20)
  expect_equal(sum(posterior(clones)$p_best), 1)
  vague <- bayesgap(5, function(arm) rnorm(1, arm / 100, 0.001), budget = 60, prior_mean = 0,
                    prior_sd = 1e7, noise_sd = 0.001, policy = joint, seed = 1)
  expect_equal(nobs(vague), 60)
  expect_equal(best_arm(vague), 5)
})

test_that("where arms are alike it loses less than bounds of single arms", {
  skip_long_on_cran()
  class <- rep(1:5, each = 32)
  place <- rep(1:32, 5)
  cov <- outer(class, class, "==") * exp(-outer(place, place, "-")^2 / 18)
  problem <- problem_gaussian(
    arm_model(160, cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  )
  found <- summary(benchmark_policies(
    problem, list("bayesgap", marginal = policy("bayesgap", variant = "marginal")), 160, reps = 200, seed = 1
  ))
  regret <- structure(found$regret, names = found$policy)
  expect_lt(regret[["bayesgap"]], 0.6 * regret[["marginal"]])
})
