# The noise of conversions and counts: it follows from the rates, so it is not learned but made of
# them, in two passes.

# list(fit, prior, learned) of the observations so far, as estimate_fit() gives it.
fit_run <- function(x) {
  family <- family_of(x$model)
  if (is.null(family)) {
    return(estimate_fit(run_setup(x), x$learned))
  }
  x <- unclass(x)
  x$fit$noise2 <- family$variance(kept_rates(x, common_rates(x)))
  found <- estimate_fit(run_setup(x), x$learned)
  if (!x$observed) {
    return(found)
  }
  own <- reward_sign(x) * means_of(part_of(x, found))
  x$fit$noise2 <- family$variance(kept_rates(x, own))
  estimate_fit(run_setup(x), found$learned)
}

# One rate for all arms, that of all trials together; before there are any, what is expected.
common_rates <- function(x) {
  k <- n_arms(x$model$arms)
  good <- !is.na(x$log$reward)
  if (any(good)) {
    size <- x$log$size[good]
    return(rep(reward_sign(x) * sum(x$log$reward[good] * size) / sum(size), k))
  }
  rep_len(if (is.null(x$model$prior_mean)) 1 else x$model$prior_mean, k)
}

# So far from 0, and from 1, that a rate never claims to be known without noise: by less than one
# success in all trials and two more, unless such rates were given.
kept_rates <- function(x, rate) {
  most <- family_of(x$model)$most
  given <- x$model$prior_mean
  seen <- sum(x$log$size[!is.na(x$log$reward)])
  least <- min(1 / (2 + seen), given[given > 0], (most - given)[given < most])
  pmin(pmax(rate, least), most - least)
}
