# Which arms a question about the best one is about: the others are left out of its draws, with a
# chance to matter that is far below what draws can tell.

# Of all draws that are made, those in which an arm that was left out is ahead: on average no more.
lost_draws <- 1

# The most draws that are made where nobody says how many.
most_draws <- 10000

# So few arms are drawn sooner than looked at.
few_arms <- 32L

# The arms that P(best) and the regret are about, in so many draws (NULL: the most that are made
# where nobody says), and the one recommended. An arm is the best only if it is ahead of the one
# with the highest mean: the chances of that are t probabilities, and those of all arms that are
# left out add up to no more than lost_draws / draws. P(best) and the level of a quantile of the
# regret are off by no more than that sum: no more than a single draw is worth, where their standard
# errors are some fifty draws of 10,000 at 1/2, and still ten at 0.99.
contenders <- function(x, draws = NULL, doubt = level_doubt(x)) {
  mean <- race_means(x)
  rows <- within_reach(x, mean, doubt)
  if (length(rows) > few_arms) {
    chance <- chance_ahead(x, mean, doubt)[rows]
    lost <- lost_draws / (if (is.null(draws)) most_draws else draws)
    rows <- rows[!among_least(chance, lost)]
  }
  sort(unique(c(rows, x$belief$best)))
}

# Arms within six standard deviations of a normal, or what holds as much, of being the best.
within_reach <- function(x, mean, doubt) {
  reach <- -stats::qt(stats::pnorm(-6), x$fit$df) * sqrt(arm_variances(x, doubt))
  which(mean + reach >= max(mean - reach))
}

# How likely each arm is to be ahead of the one with the highest mean, at most: what rounding may
# have taken off the variance of the difference is given back.
chance_ahead <- function(x, mean, doubt) {
  top <- which.max(mean)
  scale <- sqrt(apart_from(x, top, doubt) + 64 * apart_rounding(x, top))
  behind <- mean[top] - mean
  ifelse(scale > 0, stats::pt(-behind / scale, x$fit$df), as.double(behind <= 0))
}

# Which values are the smallest, as many as add up to no more than this?
among_least <- function(value, total) {
  order <- order(value)
  least <- logical(length(value))
  least[order[cumsum(value[order]) <= total]] <- TRUE
  least
}

# The squared scale of the difference of every arm from one: that of their joint posterior. What is
# left of the subtractions counts as none up to `least`.
apart_from <- function(x, arm, doubt = level_doubt(x), least = 0) {
  var <- x$belief$var
  shared <- .Call(bg_posterior_column, run_prior(x), x$fit, x$belief, arm)
  apart <- var + var[arm] - 2 * shared
  apart[apart <= least] <- 0
  if (!is.null(doubt)) {
    apart <- apart + doubt$var * (doubt$arms - doubt$arms[arm])^2
  }
  apart[arm] <- 0
  apart
}

# A rounding error of that.
apart_rounding <- function(x, arm) {
  prior <- x$fit$scale * run_prior(x)$diagonal
  if (length(x$belief$columns)) .Machine$double.eps * (prior + prior[arm]) else 0 * prior
}
