# What was observed of each arm, as pictures show it: single rewards, or where these are successes
# or counts, the rate of each arm with its interval.

# How results of these rewards are drawn: a family, or NULL, one by one. Rewards that are all 0 or 1
# are taken for successes unless somebody said what they are.
drawn_family <- function(x) {
  family <- family_of(x$model)
  told <- !is.null(x$model$family) || !is.null(x$model$noise_sd) || any(!is.na(x$log$se))
  if (!is.null(family) || told) {
    return(family)
  }
  seen <- reward_sign(x) * x$log$reward[!is.na(x$log$reward)]
  if (length(seen) >= 5L && all(seen == 0 | seen == 1)) families$binomial
}

# One row a reward, or one an arm where they are rates: arm (its number), y, lower and upper, which
# are NA for a single reward. Failed pulls are left out.
observed_results <- function(x, level) {
  good <- which(!is.na(x$log$reward))
  arm <- x$log$arm[good]
  y <- reward_sign(x) * x$log$reward[good]
  family <- drawn_family(x)
  if (is.null(family)) {
    none <- rep(NA_real_, length(y))
    return(quick_frame(list(arm = arm, y = y, lower = none, upper = none)))
  }
  arms <- unique(arm)
  group <- match(arm, arms)
  size <- sum_by(x$log$size[good], group)
  hits <- round(sum_by(y * x$log$size[good], group))
  ends <- rate_interval(family, hits, size, level)
  quick_frame(list(arm = arms, y = hits / size, lower = ends$lower, upper = ends$upper))
}

rate_interval <- function(family, hits, size, level) {
  if (family$most == 1) wilson_interval(hits, size, level) else count_interval(hits, size, level)
}

# Wilson (1927): the proportions that a score test does not reject.
wilson_interval <- function(errors, n, level) {
  z <- stats::qnorm((1 + level) / 2)
  p <- errors / n
  centre <- (p + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(p * (1 - p) / n + z^2 / (4 * n^2))
  # The ends are 0 and 1 exactly there, which rounding may miss.
  list(
    lower = ifelse(errors == 0, 0, pmax(centre - half, 0)),
    upper = ifelse(errors == n, 1, pmin(centre + half, 1))
  )
}

# Garwood (1936): the rates of a Poisson distribution that neither tail rejects.
count_interval <- function(count, exposure, level) {
  list(
    lower = stats::qchisq((1 - level) / 2, 2 * count) / 2 / exposure,
    upper = stats::qchisq((1 + level) / 2, 2 * count + 2) / 2 / exposure
  )
}

# ---- Along the log -------------------------------------------------------------------------------

# Of each row of the log, the ends of the interval of its rate; NA where results are not rates, or
# of one trial, of which an interval tells nothing.
log_ends <- function(x, level) {
  none <- rep(NA_real_, length(x$log$arm))
  family <- drawn_family(x)
  single <- !is.null(family) && family$most == 1 && all(x$log$size == 1)
  if (is.null(family) || single) {
    return(list(lower = none, upper = none))
  }
  hits <- round(reward_sign(x) * x$log$reward * x$log$size)
  rate_interval(family, hits, x$log$size, level)
}

# The rate of all trials up to each row of the log, where every one is 0 or 1; else NULL.
running_rate <- function(x, level) {
  family <- drawn_family(x)
  good <- !is.na(x$log$reward)
  if (is.null(family) || family$most > 1 || any(x$log$size != 1) || !any(good)) {
    return(NULL)
  }
  hits <- cumsum(reward_sign(x) * x$log$reward[good])
  size <- seq_along(hits)
  c(list(row = which(good), y = hits / size), wilson_interval(hits, size, level))
}
