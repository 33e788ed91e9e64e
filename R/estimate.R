# What the user left NULL: prior mean, prior sd, noise sd and parameters of the kernel, from the
# observations so far, by their marginal likelihood and weak priors.

# Observations after which the estimates are made anew: 1 to 5, then half as many again, and
# from 86 on twice as many. With every new estimate a run's pulls are gone through again, and
# that is to cost no more than the run.
estimate_schedule <- unique(c(0:4, ceiling(5 * 1.5^(0:7)), ceiling(5 * 1.5^7) * 2^(1:24)))

# The last observation counts too, unless the estimates are nearly as new.
estimate_due <- function(fitted, observed, last) {
  any(estimate_schedule > fitted & estimate_schedule <= observed) ||
    (fitted < 0.8 * observed && last)
}

# In the order of enum fit_at: prior mean of each arm, prior_sd^2, noise variance of each arm,
# in units of reward (the larger the better); degrees of freedom of the arms' means; the
# centre; the variance of the blocks' effects; the usual size of a pull, by which a noise
# variance is divided: trials or exposure where rewards are rates, else 1; loadings and rest as
# tilted() has them, or NULL. tilt2: what it has them of. All means, those of the belief too, are
# kept as what they differ from the centre by: where rewards are large and differ by little, those
# digits would be lost in sums.
new_fit <- function(mean, scale, noise2, df, k, centre = 0, block2 = 0, size = 1) {
  list(
    mean = rep_len(mean - centre, k), scale = scale, noise2 = rep_len(noise2, k), df = df,
    centre = centre, block2 = block2, size = size, loading = NULL, rest = NULL, tilt2 = 0
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

# What there is to learn from, and what from: given, the values that need not be learned; centre and
# unit, by which rewards are made comparable; differ, do they tell anything by it?; shape, the noise
# of each arm over the common one; task, as fit_task() has it, NULL where nothing is left to be
# learned. seen: the observations that did not fail, as the log has them; block NULL: there are
# none. noise2: of each arm, NULL: to be learned.
estimate_setup <- function(model, sign, seen, noise2 = model_noise2(model)) {
  k <- n_arms(model$arms)
  arm <- seen$arm
  reward <- seen$reward
  block <- seen$block
  given <- list(
    mean = if (!is.null(model$prior_mean)) rep_len(sign * model$prior_mean, k),
    scale = if (!is.null(model$prior_sd)) model$prior_sd^2,
    noise2 = noise2, block2 = given_block2(model, block), tilt2 = given_tilt2(model, block)
  )
  size <- if (length(seen$size)) stats::median(seen$size) else 1
  if (!any(vapply(given, is.null, TRUE)) && !any(kernel_free(model))) {
    return(list(model = model, given = given, size = size, task = NULL))
  }
  if (identical(given$block2, 0)) {
    block <- NULL # to the last bit as without
  }
  known <- seen$se^2
  if (!is.null(noise2)) {
    known <- ifelse(is.na(known), noise2[arm] / seen$size, known)
  }
  centre <- if (is.null(given$mean) && length(arm)) mean(means_by(reward, arm)) else 0
  y <- reward - if (is.null(given$mean)) centre else given$mean[arm]
  spread <- reward_spread(y, reward, is.null(given$mean))
  usual <- given
  if (!is.null(family_of(model))) {
    usual$noise2 <- (rate_spread * noise2)^2
  }
  unit <- if (is.na(spread)) default_unit(usual, prior_variance(model$prior), reward) else spread
  most <- if (model$prior$kind == 0L && is.null(block)) Inf else most_averages
  free <- is.na(known)
  # Within an arm rewards differ by their blocks too.
  shape <- noise_shape(if (is.null(block)) arm[free], if (is.null(block)) reward[free], k)
  averages <- average_pulls(
    arm, y / unit, known / unit^2, most, block = block, shape = shape$each[arm]
  )
  # Rates that are the same tell something too: how noisy they are is known.
  differ <- !is.na(spread) || (!is.null(family_of(model)) && length(arm) > 1L)
  list(
    model = model, given = given, centre = centre, unit = unit, differ = differ,
    size = size, noise_told = length(known) > 0L && !any(free), shape = shape,
    task = fit_task(model, usual, averages, unit)
  )
}

# Where rewards are rates the weak priors do not compare how arms differ with the noise of a pull,
# which depends on how many trials it has, but with the rates: their logarithms (log odds) differ by
# about as much, so that a rate m has the variance (rate_spread * m)^2, or of m (1 - m).
rate_spread <- 0.3

# NULL: not given.
model_noise2 <- function(model) {
  if (!is.null(model$noise_sd)) rep_len(model$noise_sd^2, n_arms(model$arms))
}

# Of the observations in a run's log. Where rewards are rates, the noise is that of the fit in use.
run_setup <- function(x) {
  seen <- log_rows(x$log, !is.na(x$log$reward))
  if (!has_blocks(x)) {
    seen["block"] <- list(NULL)
  }
  rates <- !is.null(family_of(x$model))
  estimate_setup(
    x$model, reward_sign(x), seen, if (rates) x$fit$noise2 else model_noise2(x$model)
  )
}

# last: what was learned before. Returns list(fit, prior, learned).
estimate_fit <- function(setup, last = NULL) {
  task <- setup$task
  if (is.null(task)) {
    given <- setup$given
    fit <- new_fit(
      given$mean, given$scale, given$noise2, Inf, n_arms(setup$model$arms), centre_of(given$mean),
      given$block2, setup$size
    )
    fit <- tilted(fit, setup$model$prior, given$tilt2)
    return(list(fit = fit, prior = setup$model$prior, learned = NULL))
  }
  learned <- if (setup$differ) {
    learn_par(task, last)
  } else {
    structure(task$start, guess = is.null(task$scale) && is.null(task$noise2))
  }
  found <- if (setup$differ) explain(task, humble(task, learned), slope = FALSE)
  if (is.null(found)) {
    found <- prior_values(task, learned)
  }
  df <- if (setup$noise_told) Inf else spare_df + task$df
  c(found_fit(setup, found, df), list(learned = learned))
}

# Before anything was observed.
first_fit <- function(model, sign = 1, block = NULL) {
  none <- list(arm = integer(), reward = double(), se = double(), size = double())
  none$block <- block
  estimate_fit(estimate_setup(model, sign, none))$fit
}

# What was found, in units of reward: list(fit, prior).
found_fit <- function(setup, found, df) {
  given <- setup$given
  own <- function(value, found) if (is.null(value)) setup$unit^2 * found else value
  mean <- if (is.null(given$mean)) setup$centre + setup$unit * found$mean else given$mean
  prior <- setup$model$prior
  if (any(setup$task$free)) {
    prior <- set_kernel(prior, found$prior$kernel$value)
  }
  fit <- new_fit(
    mean, own(given$scale, found$scale), own(given$noise2, found$noise2 * setup$shape$used), df,
    n_arms(setup$model$arms), centre_of(given$mean), own(given$block2, found$block2), setup$size
  )
  list(fit = tilted(fit, prior, own(given$tilt2, found$tilt2)), prior = prior)
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
  if (tells_nothing(block)) 0
}

tells_nothing <- function(block) length(unique(block)) < 2L || !anyDuplicated(block)

# Likewise that of how far a block moves arms from one another.
given_tilt2 <- function(model, block) {
  if (identical(given_block2(model, block), 0)) {
    0
  } else if (!is.null(model$block_arm_sd)) {
    model$block_arm_sd^2
  } else if (tells_nothing(block)) {
    0
  }
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
default_unit <- function(given, variance, reward) {
  if (!is.null(given$scale) && given$scale > 0) {
    sqrt(given$scale * variance)
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
  found <- explain(task, par, slope = FALSE)
  if (is.null(found) || !is.finite(found$value)) -1e10 else found$value
}

# On the log scale. Blocks may differ by any number of times the noise.
farthest <- function(names) ifelse(names %in% c("block", "tilt"), 40, 14)

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
