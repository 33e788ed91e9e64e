# What the user left NULL: prior mean, prior sd and noise sd from the observations so far.

# Observations after which the estimates are made anew: 1 to 5, then half as many again.
estimate_schedule <- unique(c(0:4, ceiling(5 * 1.5^(0:47))))

estimates <- function(model) {
  is.null(model$prior_mean) || is.null(model$prior_sd) || is.null(model$noise_sd)
}

estimate_due <- function(fitted, observed) {
  findInterval(observed, estimate_schedule) > findInterval(fitted, estimate_schedule)
}

# In the order of enum fit_at: prior mean of each arm, prior_sd^2, noise variance of each
# arm; in units of reward (the larger the better).
new_fit <- function(mean, scale, noise2, k) {
  list(mean = rep_len(mean, k), scale = scale, noise2 = rep_len(noise2, k))
}

# arm, reward, se: the observations that did not fail.
estimate_fit <- function(model, sign, arm, reward, se) {
  k <- n_arms(model$arms)
  diagonal <- model$prior$diagonal
  size <- if (any(diagonal > 0)) mean(diagonal[diagonal > 0]) else 1
  average <- tapply(reward, arm, mean)
  mean <- if (!is.null(model$prior_mean)) {
    rep_len(sign * model$prior_mean, k)
  } else {
    if (length(reward)) mean(average) else 0
  }
  centred <- reward - rep_len(mean, k)[arm]
  spread <- sum(centred^2) / max(length(reward) - is.null(model$prior_mean), 1)
  spread <- default_spread(model, size, if (is_spread(spread, reward)) spread else NA)
  noise2 <- if (!is.null(model$noise_sd)) {
    model$noise_sd^2
  } else {
    estimate_noise(spread, reward - average[as.character(arm)], length(average), se)
  }
  scale <- if (!is.null(model$prior_sd)) {
    model$prior_sd^2
  } else {
    max(spread - mean(noise2), spread / 5) / size
  }
  new_fit(mean, scale, noise2, k)
}

# More than what rounding makes of equal rewards, and not lost among the smallest numbers.
is_spread <- function(spread, reward) {
  length(reward) > 1L && spread > 1e-200 && spread > (8 * .Machine$double.eps * max(abs(reward)))^2
}

# The variance of an observation before any can be compared: from what was given, with a
# noise sd half as large as the prior sd.
default_spread <- function(model, size, spread) {
  if (!is.na(spread)) {
    spread
  } else if (!is.null(model$prior_sd) && model$prior_sd > 0) {
    1.25 * model$prior_sd^2 * size
  } else if (any(model$noise_sd > 0)) {
    5 * mean(model$noise_sd^2)
  } else {
    1
  }
}

# Pooled variance of repeated pulls and a weak belief worth four observations.
estimate_noise <- function(spread, within, arms, se) {
  believed <- if (all(is.na(se))) spread / 5 else mean(se^2, na.rm = TRUE)
  (4 * believed + sum(within^2)) / (4 + length(within) - arms)
}
