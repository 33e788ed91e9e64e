# The arms still in before pull t, the pulls of their stage so far and in all, from the log.
twin_elim <- function(p, cov, noise2, arm, y) {
  rounds <- max(1, ceiling(log2(p$k)))
  ends <- ceiling(seq_len(rounds) * p$budget / rounds)
  now <- list(arms = seq_len(p$k), margin = Inf)
  from <- 0
  for (stage in seq_len(rounds)) {
    now$pulls <- ends[stage] - from
    if (length(arm) < ends[stage] || length(now$arms) == 1L) {
      break
    }
    use <- seq_len(ends[stage])
    mean <- twin_posterior(p$mean, cov, arm[use], y[use], noise2[arm[use]])$mean[now$arms]
    keep <- ceiling(length(now$arms) / 2)
    ranked <- sort(mean, decreasing = TRUE)
    if (keep < length(mean)) {
      now$margin <- min(now$margin, ranked[keep] - ranked[keep + 1])
    }
    now$arms <- now$arms[order(mean, decreasing = TRUE)[seq_len(keep)]]
    from <- ends[stage]
  }
  made <- tabulate(arm[seq_along(arm) > from], p$k)[now$arms]
  weight <- noise2[now$arms] / sum(noise2[now$arms])
  lacking <- now$pulls * weight - made
  if (now$pulls >= length(made) && any(made == 0)) {
    lacking <- -made
    lacking[made > 0] <- -Inf
  }
  now$next_arms <- now$arms[lacking > max(lacking) - 1e-6]
  now
}

test_that("bayes_elim equals its twin over whole runs, whatever the budget", {
  skip_long_on_cran()
  set.seed(13)
  compared <- 0
  for (i in 1:24) {
    p <- random_problem(k = 1L + sample.int(24L, 1L), budget = sample.int(70L, 1L))
    p$cov <- if (i %% 2) tcrossprod(p$features) + diag(0.1, p$k) else diag(p$k)
    p$noise_sd <- if (i %% 3) p$noise_sd * exp(rnorm(p$k)) else rep(p$noise_sd, p$k)
    x <- known_run(p, policy = "bayes_elim")
    truth <- rnorm(p$k)
    agrees <- TRUE
    for (t in seq_len(p$budget)) {
      chosen <- ask(x)$arm
      if (t %% 3 == 1) {
        twin <- twin_elim(p, p$prior_sd^2 * p$cov, p$noise_sd^2, x$log$arm, x$log$reward)
        agrees <- agrees && (twin$margin < 1e-6 || chosen %in% twin$next_arms)
      }
      x <- tell(x, truth[chosen] + rnorm(1, sd = p$noise_sd[chosen]))
    }
    twin <- twin_elim(p, p$prior_sd^2 * p$cov, p$noise_sd^2, x$log$arm, x$log$reward)
    expect_true(agrees, label = paste("problem", i))
    expect_equal(nobs_of(x), p$budget)
    if (twin$margin > 1e-6) {
      expect_equal(best_arm(x), twin$arms)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 15)
})

test_that("shares within a stage are those of the noise variances", {
  # by hand: stages of 20 pulls; noise variances 1, 1, 4, 4 make 2, 2, 8, 8 of the first,
  # and arms 3 and 4 share the second equally
  x <- bayesgap(4, function(arm) arm, budget = 40, prior_mean = 0, prior_sd = 10,
    noise_sd = c(1, 1, 2, 2), policy = "bayes_elim", seed = 1)
  expect_equal(tabulate(x$log$arm[1:20], 4), c(2, 2, 8, 8))
  expect_equal(tabulate(x$log$arm[21:40], 4), c(0, 0, 10, 10))
  expect_equal(best_arm(x), 4)
  # an arm without noise to speak of gets one pull where there is one for every arm
  x <- bayesgap(4, function(arm) arm, budget = 8, prior_mean = 0, prior_sd = 10,
    noise_sd = c(1e-3, 1, 1, 1), policy = "bayes_elim", seed = 1)
  expect_equal(sort(x$log$arm[1:4]), 1:4)
  # and where there are fewer, the noisier ones go first
  x <- bayesgap(4, function(arm) arm, budget = 4, prior_mean = 0, prior_sd = 10,
    noise_sd = c(1e-3, 1e-3, 1, 1), policy = "bayes_elim", seed = 1)
  expect_setequal(x$log$arm[1:2], 3:4)
})

test_that("with equal noise and a budget that divides, it is halving by posterior mean", {
  for (seed in 1:5) {
    run <- function(name) {
      bayesgap(8, function(arm) sin(arm) + rnorm(1), budget = 48, prior_mean = 0, prior_sd = 1,
        noise_sd = 1, cov = exp(-outer(1:8, 1:8, "-")^2 / 4), policy = name, seed = seed)
    }
    expect_identical(run("bayes_elim")$log, run("halving")$log)
  }
})

test_that("bayes_elim refuses no budget, and stages end after ceil(r n / R) pulls", {
  # 8 arms, 3 stages, 4 pulls: stages end after 2, 3 and 4
  x <- bayesgap(8, budget = 4, prior_mean = 0, prior_sd = 1, noise_sd = 0.1, seed = 1,
    policy = "bayes_elim")
  stages <- function(x) sum(x$belief$memory[-(1:2)][1:8])
  left <- stages(x)
  for (t in 1:4) {
    x <- tell(x, if (t == 1) 5 else 0)
    left <- c(left, stages(x))
  }
  expect_equal(left, c(8, 8, 4, 2, 1))
  # the arm that gave 5 is still in at the end
  expect_equal(best_arm(x), x$log$arm[1])
  expect_no_error(bayesgap(8, budget = 1, policy = "bayes_elim"))
})

test_that("the joint posterior decides: an arm never pulled may go on", {
  # arm 2 lies 1 above arm 1 whatever comes; two pulls of the first stage go to 1 and 3 or 4
  cov <- diag(4)
  cov[1, 2] <- cov[2, 1] <- 1
  x <- bayesgap(4, budget = 4, cov = cov, prior_mean = c(0, 1, 0, 0), prior_sd = 1,
    noise_sd = 0.1, policy = "bayes_elim", seed = 1)
  x <- tell(x, data.frame(arm = c(1, 3), y = c(3, 0), pull = 1:2))
  expect_true(ask(x)$arm %in% 1:2)
  x <- tell(x, data.frame(arm = c(1, 1), y = c(3, 3), pull = 3:4))
  expect_equal(best_arm(x), 2)
})

test_that("where the arms still in may not be pulled again, the best of the others is", {
  x <- bayesgap(4, function(arm) arm, budget = 4, prior_mean = 0, prior_sd = 10, noise_sd = 0.1,
    policy = "bayes_elim", replace = FALSE, seed = 2)
  expect_setequal(x$log$arm, 1:4)
})

test_that("with exact rewards bayes_elim stops when all is known", {
  x <- bayesgap(4, function(arm) arm, budget = 20, policy = "bayes_elim", prior_mean = 0,
    prior_sd = 1, noise_sd = 0)
  expect_equal(sort(x$log$arm), 1:4)
  expect_equal(best_arm(x), 4)
})

test_that("arms that bayes_elim dropped stay out when the prior is estimated anew", {
  for (seed in 1:10) {
    x <- bayesgap(8, function(arm) as.numeric(runif(1) < arm / 10), budget = 48,
      policy = "bayes_elim", seed = seed)
    stages <- lapply(1:3, function(s) unique(x$log$arm[16 * (s - 1) + 1:16]))
    expect_identical(lengths(stages), c(8L, 4L, 2L))
    expect_true(all(stages[[2]] %in% stages[[1]]) && all(stages[[3]] %in% stages[[2]]))
    expect_true(best_arm(x) %in% stages[[3]])
  }
})
