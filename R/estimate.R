# What the user left NULL: prior mean, prior sd, noise sd and parameters of the kernel, from the
# observations so far, by their marginal likelihood and weak priors.

# Observations after which the estimates are made anew: 1 to 5, then half as many again, and
# from 86 on twice as many. With every new estimate a run's pulls are gone through again, and
# that is to cost no more than the run.
estimate_schedule <- unique(c(0:4, ceiling(5 * 1.5^(0:7)), ceiling(5 * 1.5^7) * 2^(1:24)))

# The last observation counts too, unless the estimates are nearly as new.
estimate_due <- function(fitted, observed, last) {
  findInterval(observed, estimate_schedule) > findInterval(fitted, estimate_schedule) ||
    (last && fitted < 0.8 * observed)
}

# In the order of enum fit_at: prior mean of each arm, prior_sd^2, noise variance of each arm,
# in units of reward (the larger the better); degrees of freedom of the arms' means; the
# centre; and the variance of the blocks' effects. All means, those of the belief too, are kept as
# what they differ from the centre by: where rewards are large and differ by little, those digits
# would be lost in sums.
new_fit <- function(mean, scale, noise2, df, k, centre = 0, block2 = 0) {
  list(
    mean = rep_len(mean - centre, k), scale = scale, noise2 = rep_len(noise2, k), df = df,
    centre = centre, block2 = block2
  )
}

# A fit in whole rewards.
uncentred <- function(fit) {
  fit$mean <- fit$centre + fit$mean
  fit$centre <- 0
  fit
}

# Where the level is learned it moves from fit to fit, but what a policy remembers of rewards
# must stay comparable: no centre then.
centre_of <- function(mean) if (is.null(mean)) 0 else min(mean) / 2 + max(mean) / 2

# A learned noise is believed as if it rested on this many observations more.
spare_df <- 4

# arm, reward, se, block: the observations that did not fail; last: what was learned before; block
# NULL: there are none. Returns list(fit, prior, learned).
estimate_fit <- function(model, sign, arm, reward, se, last = NULL, block = NULL) {
  k <- n_arms(model$arms)
  given <- list(
    mean = if (!is.null(model$prior_mean)) rep_len(sign * model$prior_mean, k),
    scale = if (!is.null(model$prior_sd)) model$prior_sd^2,
    noise2 = if (!is.null(model$noise_sd)) rep_len(model$noise_sd^2, k),
    block2 = given_block2(model, block)
  )
  if (!has_unknowns(model) && !is.null(given$block2)) {
    fit <- new_fit(
      given$mean, given$scale, given$noise2, Inf, k, centre_of(given$mean), given$block2
    )
    return(list(fit = fit, prior = model$prior, learned = NULL))
  }
  if (identical(given$block2, 0)) {
    block <- NULL # to the last bit as without
  }
  known <- if (is.null(given$noise2)) se^2 else ifelse(is.na(se), given$noise2[arm], se^2)
  centre <- if (is.null(given$mean) && length(arm)) mean(tapply(reward, arm, mean)) else 0
  y <- reward - if (is.null(given$mean)) centre else given$mean[arm]
  spread <- reward_spread(y, reward, is.null(given$mean))
  unit <- if (is.na(spread)) default_unit(given, prior_size(model$prior), reward) else spread
  most <- if (model$prior$kind == 0L && is.null(block)) Inf else most_averages
  task <- fit_task(
    model, given, average_pulls(arm, y / unit, known / unit^2, most, block = block), unit
  )
  learned <- if (is.na(spread)) {
    structure(task$start, guess = is.null(given$scale) && is.null(given$noise2))
  } else {
    learn_par(task, last)
  }
  found <- if (!is.na(spread)) explain(task, humble(task, learned))
  if (is.null(found)) {
    found <- prior_values(task, learned)
  }
  new_mean <- if (is.null(given$mean)) centre + unit * found$mean else given$mean
  new_noise2 <- if (is.null(given$noise2)) unit^2 * found$noise2 else given$noise2
  new_scale <- if (is.null(given$scale)) unit^2 * found$scale else given$scale
  new_block2 <- if (is.null(given$block2)) unit^2 * found$block2 else given$block2
  df <- if (any(is.na(known)) || !length(known)) spare_df + task$df else Inf
  list(
    fit = new_fit(new_mean, new_scale, new_noise2, df, k, centre_of(given$mean), new_block2),
    prior = if (any(task$free)) {
      set_kernel(model$prior, found$prior$kernel$value)
    } else {
      model$prior
    },
    learned = learned
  )
}

# The variance of the blocks' effects where it need not be learned: given, or none. One block, or
# blocks of one observation each, tell nothing of it; then all is as without.
given_block2 <- function(model, block) {
  if (is.null(block)) {
    return(0)
  }
  if (!is.null(model$block_sd)) {
    return(model$block_sd^2)
  }
  if (length(unique(block)) < 2L || !anyDuplicated(block)) 0
}

# The standard deviation of the rewards; NA where they do not differ by more than rounding
# makes of equal rewards, or are lost among the smallest numbers.
reward_spread <- function(y, reward, free_mean) {
  spread2 <- sum(y^2) / max(length(y) - free_mean, 1)
  if (length(y) > 1L && spread2 > 1e-200 &&
    spread2 > (8 * .Machine$double.eps * max(abs(reward)))^2) {
    sqrt(spread2)
  } else {
    NA_real_
  }
}

# What stands for it before any rewards can be compared: not so small that rounding of the
# rewards would count.
default_unit <- function(given, size, reward) {
  if (!is.null(given$scale) && given$scale > 0) {
    sqrt(given$scale * size)
  } else if (any(given$noise2 > 0)) {
    sqrt(mean(given$noise2))
  } else {
    most <- max(abs(reward), 0)
    if (most > 1e-100) most else 1
  }
}

# ---- The search ---------------------------------------------------------------------------------

# The values, on the log scale, that explain the rewards best, sought from where they were
# before or from the ordinary start, whichever explains more. Rounded to one per cent, so that
# no rounding of the rewards and no last step of the search is left in them. Where nothing
# can be found they stay.
learn_par <- function(task, last) {
  if (!length(task$start)) {
    return(task$start)
  }
  again <- identical(names(last), names(task$start))
  starts <- c(if (again) list(c(last)), list(task$start))
  value <- vapply(starts, worth, 0, task = task)
  found <- climb(starts[[which.max(value)]], task)
  if (is.null(found)) {
    return(structure(starts[[1L]], failed = TRUE))
  }
  round(found, 2)
}

# The scale taken a standard error larger than it seems (of a variance, from so many rewards).
# Where it is taken for too small, arms not seen yet seem not worth a pull; where it is too
# large, some pulls are lost (bench/DEFAULT.md).
humble <- function(task, par) {
  rewards <- length(task$averages$y) + task$averages$more - task$free_mean
  at <- names(par) == "scale"
  par[at] <- par[at] + sqrt(2 / max(rewards, 1))
  par
}

worth <- function(par, task) {
  found <- explain(task, par)
  if (is.null(found) || !is.finite(found$value)) -1e10 else found$value
}

# On the log scale. Blocks may differ by any number of times the noise.
farthest <- function(names) ifelse(names == "block", 40, 14)

# The gradient comes with the value: kept for when it is asked for.
climb <- function(start, task) {
  kept <- NULL
  fn <- function(par) {
    kept <<- explain(task, par)
    if (is.null(kept) || !is.finite(kept$value)) 1e10 else -kept$value
  }
  gr <- function(par) {
    if (is.null(kept) || !all(is.finite(kept$gradient))) 0 * par else -kept$gradient
  }
  out <- tryCatch(
    stats::optim(start, fn, gr,
      method = "L-BFGS-B", lower = pmin(start, -14), upper = pmax(start, farthest(names(start))),
      control = list(factr = 1e5, maxit = 100)
    ),
    error = function(e) NULL
  )
  if (!is.null(out) && out$value < 1e9) out$par
}
