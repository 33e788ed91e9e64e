# Noise that differs between arms: where repeated pulls say so, every arm has a variance of its own,
# shrunk towards what they have in common.

# The noise variance of each arm over the common one: list(each, used). Where repeats do not tell
# arms apart (Bartlett's test at the level 0.01) it is 1. Where they do, a variance that few repeats
# tell of is used as if it were larger, so that an interval of the normal distribution holds what
# one of Student's t does. arm, y: of pulls whose noise is not known.
noise_shape <- function(arm, y, k) {
  alike <- list(each = rep(1, k), used = rep(1, k))
  if (anyDuplicated(arm) == 0L) {
    return(alike)
  }
  seen <- unique(arm)
  group <- match(arm, seen)
  n <- tabulate(group)
  off <- y - y[match(seen, arm)][group] # rewards that are the same are the same to the last bit
  squares <- pmax(sum_by(off^2, group) - sum_by(off, group)^2 / n, 0)
  use <- n > 1L & squares > 0
  df <- n[use] - 1
  if (sum(use) < 2L || !differ_in_variance(squares[use] / df, df)) {
    return(alike)
  }
  var <- squares[use] / df
  weight <- common_df(var, df)
  each <- rep(1, k)
  each[seen[use]] <- (weight + squares[use] / mean(var)) / (weight + df)
  known <- rep(max(weight, 2), k)
  known[seen[use]] <- weight + df
  list(each = each, used = each * (stats::qt(0.975, pmax(known, 2)) / stats::qnorm(0.975))^2)
}

differ_in_variance <- function(var, df) {
  all <- sum(df)
  chi2 <- all * log(sum(df * var) / all) - sum(df * log(var))
  correction <- 1 + (sum(1 / df) - 1 / all) / (3 * (length(df) - 1))
  stats::pchisq(chi2 / correction, length(df) - 1, lower.tail = FALSE) < 0.01
}

# The degrees of freedom that the mean of all variances is worth beside an arm's own: those of an
# inverse chi-squared variable from which they may be drawn, by the moments of their logarithms
# (Smyth 2004). The mean, not the middle: an arm of which little is known may be one of the noisy.
common_df <- function(var, df) {
  off <- log(var) - digamma(df / 2) + log(df / 2)
  excess <- stats::var(off) - mean(trigamma(df / 2))
  min(max(if (excess > 0) 2 * inverse_trigamma(excess) else Inf, 1), 1e6)
}

# Newton's method on 1 / trigamma, which is convex and nearly a straight line.
inverse_trigamma <- function(x) {
  y <- 0.5 + 1 / x
  for (i in 1:50) {
    t <- trigamma(y)
    step <- t * (1 - t / x) / psigamma(y, 2)
    y <- y + step
    if (abs(step) < 1e-10 * y) break
  }
  y
}
