# Where the noise is learned the arms' means have Student's t distribution, and every policy
# that uses the posterior takes its bounds, its expectations and its draws from there.

# A random problem after some pulls, its scales believed with df degrees of freedom.
learned_run <- function(p, told, df, policy) {
  x <- known_run(p, policy = policy)
  x$fit <- new_fit(p$mean, p$prior_sd^2, p$noise_sd^2, df, p$k)
  x$log <- list(
    pull = seq_len(nrow(told)), arm = as.integer(told$arm), reward = told$y,
    se = rep(NA_real_, nrow(told)), block = rep(NA_integer_, nrow(told)),
    size = rep(1, nrow(told))
  )
  x$last <- nrow(told)
  advance(x, NULL)
}

halfway_learned <- function(policy, df) {
  p <- random_problem(k = 2L + sample.int(15L, 1L), budget = 40L)
  n <- sample.int(12L, 1L)
  told <- data.frame(arm = sample.int(p$k, n, replace = TRUE), y = rnorm(n))
  belief <- twin_posterior(p$mean, p$prior_sd^2 * p$cov, told$arm, told$y, rep(p$noise_sd^2, n))
  sd <- sqrt(pmax(diag(belief$cov), 0))
  list(
    x = learned_run(p, told, df, policy), p = p, told = told, t = n + 1L, mean = belief$mean,
    cov = belief$cov, sd = sd, open = sd > 1e-6 * max(sd), df = df
  )
}

test_that("a width holds the probability that it holds for a normal", {
  set.seed(41)
  for (i in 1:60) {
    df <- sample(c(4, 7, 30), 1L)
    s <- halfway_learned(policy("gpucb"), df)
    beta <- sqrt(0.2 * 2 * log(s$p$k * s$t^2 * pi^2 / 0.6))
    best <- clear_best(s$mean + qt(pnorm(beta), df) * s$sd, s$open)
    if (!is.na(best)) expect_identical(s$x$belief$next_arm, best)
    s <- halfway_learned(policy("bayesucb"), df)
    best <- clear_best(s$mean + qt(1 - 1 / (s$t + 1), df) * s$sd, s$open)
    if (!is.na(best)) expect_identical(s$x$belief$next_arm, best)
  }
})

test_that("BayesGap's bounds and its hardness are Student's", {
  set.seed(42)
  compared <- 0
  for (i in 1:60) {
    df <- sample(c(5, 12, 40), 1L)
    s <- halfway_learned(policy("bayesgap", variant = "marginal"), df)
    prior_var <- s$p$prior_sd^2 * diag(s$p$cov)
    # Only the multipliers differ from the normal rules: 3 and beta.
    three <- qt(pnorm(3), df)
    upper <- s$mean + three * s$sd
    lower <- s$mean - three * s$sd
    delta <- pmax(max_of_others(upper) - lower, upper - max_of_others(lower))
    active <- prior_var > 1e-12 * max(prior_var)
    h <- pmax(delta / 2, sqrt(64 * .Machine$double.eps * max(prior_var)))
    k <- sum(active)
    spend <- max(40 - k, min(40, k))
    beta <- sqrt((spend / s$p$noise_sd^2 + sum(1 / prior_var[active])) / (4 * sum(h[active]^-2)))
    note <- note_of(s$x)
    expect_equal(note$beta, beta, tolerance = 1e-6)
    width <- min(-qt(pnorm(-beta, log.p = TRUE), df, log.p = TRUE), 1e9)
    u <- s$mean + width * s$sd
    b <- max_of_others(u) - (s$mean - width * s$sd)
    if (diff(sort(b)[1:2]) > 1e-6 * max(abs(b))) {
      expect_identical(note$leader, as.double(which.min(b)))
      expect_equal(note$gap, min(b), tolerance = 1e-6)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 20)
})

test_that("EI and KG expect what Student's t lets expect", {
  set.seed(43)
  excess <- function(z, df) z * pt(z, df) + (df + z^2) / (df - 1) * dt(z, df)
  compared <- 0
  for (i in 1:80) {
    df <- sample(c(4, 9, 25), 1L)
    s <- halfway_learned(policy("ei"), df)
    z <- ifelse(s$open, z_of(s, "pulled", 0), 0)
    ei <- clear_best(log(s$sd) + log(pmax(excess(z, df), 0)), s$open)
    if (!is.na(ei)) {
      expect_identical(s$x$belief$next_arm, ei)
      compared <- compared + 1
    }
    s <- halfway_learned(policy("kg"), df)
    gain <- vapply(seq_len(s$p$k), function(x) {
      if (!s$open[x]) return(-Inf)
      slope <- s$cov[, x] / sqrt(s$cov[x, x] + s$p$noise_sd^2)
      grid <- seq(-60, 60, length.out = 12001)
      lines <- lapply(seq_along(slope), function(i) s$mean[i] + slope[i] * grid)
      gain <- (do.call(pmax, lines) - max(s$mean)) * dt(grid, df)
      log(max(sum(gain) * diff(grid[1:2]), 0))
    }, 0)
    top <- sort(gain, decreasing = TRUE)
    if (is.finite(top[1L]) && top[1L] > -12 && top[1L] - top[2L] > 0.02) {
      expect_identical(s$x$belief$next_arm, which.max(gain))
      compared <- compared + 1
    }
  }
  expect_gt(compared, 80)
})

test_that("the independent numbers for EI and PI decide", {
  g <- numbers_matrix("A", "G")
  p <- list(
    k = 5L, budget = numbers("A", "T"), cov = g, mean = rep(0, 5L),
    prior_sd = numbers("A", "eta"), noise_sd = numbers("A", "sigma")
  )
  for (t in 1:4) {
    seen <- seq_len(t - 1L)
    told <- data.frame(arm = numbers("A", "pull_arm")[seen], y = numbers("A", "pull_y")[seen])
    # The same belief: the scales of the normal-inverse-gamma state
    s2 <- numbers("NIG", "b_n", t) / numbers("NIG", "a_n", t)
    q <- p
    q$prior_sd <- sqrt((p$prior_sd / p$noise_sd)^2 * s2)
    q$noise_sd <- sqrt(s2)
    run <- function(policy) learned_run(q, told, numbers("NIG", "nu", t), policy)
    ei <- run(policy("ei", incumbent = "all"))
    expect_equal(sqrt(ei$belief$var), numbers("NIG", "t_scale", t), tolerance = 1e-9)
    expect_identical(ei$belief$next_arm, which.max(numbers("NIG", "EI_t", t)))
  }
})

test_that("joint draws have Student's tails, one stretch for all arms", {
  set.seed(44)
  p <- list(k = 3L, budget = 9L, cov = diag(3) + 0.5, mean = c(0, 1, 2), prior_sd = 1.5,
            noise_sd = 0.7)
  told <- data.frame(arm = c(1, 3), y = c(0.5, 2.5))
  x <- learned_run(p, told, 5, policy("thompson"))
  draws <- as.matrix(simulate(x, 40000, seed = 1))
  z <- (draws - means_of(x)) / sqrt(x$belief$var)
  for (level in c(0.01, 0.1, 0.5, 0.9, 0.99)) {
    expect_equal(rowMeans(z < qt(level, 5)), rep(level, 3), tolerance = 0.15,
                 ignore_attr = TRUE)
  }
  expect_equal(var(t(draws)), posterior_cov(x), tolerance = 0.15, ignore_attr = TRUE)
  # A common stretch: large deviations come together even between arms hardly correlated.
  big <- abs(z) > qt(0.95, 5)
  expect_gt(mean(big[1, ] & big[2, ]), 1.5 * mean(big[1, ]) * mean(big[2, ]))
  table <- posterior(x, level = 0.9)
  expect_equal(table$upper, means_of(x) + qt(0.95, 5) * sqrt(x$belief$var))
  expect_equal(table$sd^2, x$belief$var * 5 / 3)
  more <- as.matrix(simulate(x, 40000, seed = 2, type = "reward"))
  far <- rowMeans(more > predict(x, type = "reward", level = 0.998)$upper)
  expect_true(all(far > 0.0005 & far < 0.0017))
  reward <- predict(x, type = "reward", level = 0.9)
  expect_equal(reward$upper, means_of(x) + qt(0.95, 5) * sqrt(x$belief$var + 0.49))
})
