# What the tests of single policies share.

# A random problem after some random pulls, and what its twin believes then.
halfway <- function(policy, k = sample.int(40L, 1L)) {
  p <- random_problem(k = k, budget = sample.int(60L, 1L))
  n <- sample.int(p$budget, 1L) - 1L
  told <- data.frame(pull = seq_len(n), arm = sample.int(k, n, replace = TRUE), y = rnorm(n))
  x <- if (runif(1) < 0.5) {
    known_run(p, policy = policy)
  } else {
    known_run(p, policy = policy, cov = NULL, features = p$features)
  }
  belief <- twin_posterior(
    p$mean, p$prior_sd^2 * p$cov, told$arm, told$y, rep(p$noise_sd^2, n)
  )
  sd <- sqrt(pmax(diag(belief$cov), 0))
  list(
    x = if (n > 0L) tell(x, told) else x, p = p, told = told, t = n + 1L,
    mean = belief$mean, cov = belief$cov, sd = sd, open = sd > 1e-6 * max(sd)
  )
}

# The arm that is clearly the best of those open, or NA.
clear_best <- function(value, open, unit = 1) {
  value[!open] <- -Inf
  top <- sort(value, decreasing = TRUE)
  if (top[1L] == -Inf || (length(top) > 1L && top[1L] - top[2L] < 1e-6 * unit)) {
    return(NA)
  }
  which.max(value)
}

# The vectors' fixture A before pull t.
fixture_a <- function(t, policy) {
  x <- bayesgap(5,
    budget = numbers("A", "T"), cov = numbers_matrix("A", "G"), prior_mean = 0,
    prior_sd = numbers("A", "eta"), noise_sd = numbers("A", "sigma"), policy = policy
  )
  seen <- seq_len(t - 1L)
  if (t == 1L) {
    return(x)
  }
  tell(x, data.frame(
    pull = seen, arm = numbers("A", "pull_arm")[seen], y = numbers("A", "pull_y")[seen]
  ))
}

# The incumbent and z of PI and EI.
incumbent_of <- function(s, rule) {
  if (s$t == 1L || rule == "all") {
    return(max(s$mean))
  }
  known <- diag(s$p$cov) == 0
  if (rule == "pulled") {
    return(max(s$mean[unique(s$told$arm)], s$mean[known]))
  }
  max(s$told$y, s$p$mean[known])
}

z_of <- function(s, rule, xi) {
  unit <- sqrt(mean(s$p$prior_sd^2 * diag(s$p$cov)))
  (s$mean - incumbent_of(s, rule) - xi * unit) / s$sd
}
