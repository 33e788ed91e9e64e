# What the user left NULL: prior mean, prior sd, noise sd and parameters of the kernel, from
# the observations so far, by their marginal likelihood and weak priors.

# Observations after which the estimates are made anew: 1 to 5, then half as many again, and
# from 86 on twice as many. With every new estimate a run's pulls are gone through again, and
# that is to cost no more than the run.
estimate_schedule <- unique(c(0:4, ceiling(5 * 1.5^(0:7)), ceiling(5 * 1.5^7) * 2^(1:24)))

has_unknowns <- function(model) {
  is.null(model$prior_mean) || is.null(model$prior_sd) || is.null(model$noise_sd) ||
    any(kernel_free(model))
}

# The last observation counts too, unless the estimates are nearly as new.
estimate_due <- function(fitted, observed, last) {
  findInterval(observed, estimate_schedule) > findInterval(fitted, estimate_schedule) ||
    (last && fitted < 0.8 * observed)
}

# In the order of enum fit_at: prior mean of each arm, prior_sd^2, noise variance of each arm,
# in units of reward (the larger the better); degrees of freedom of the arms' means; and the
# centre. All means, those of the belief too, are kept as what they differ from the centre by:
# where rewards are large and differ by little, those digits would be lost in sums.
new_fit <- function(mean, scale, noise2, df, k, centre = 0) {
  list(
    mean = rep_len(mean - centre, k), scale = scale, noise2 = rep_len(noise2, k), df = df,
    centre = centre
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

# The weak priors: log(noise variance / prior variance) is normal about the first of these; so
# is the log of a noise variance about that of the standard errors told, with the second, as
# long as no pulls of unknown noise were repeated.
ratio_prior <- c(centre = 0, spread = 2)
told_spread <- 0.5

# A learned noise is believed as if it rested on this many observations more.
spare_df <- 4

# arm, reward, se: the observations that did not fail; last: what was learned before. Returns
# list(fit, prior, learned).
estimate_fit <- function(model, sign, arm, reward, se, last = NULL) {
  k <- n_arms(model$arms)
  given <- list(
    mean = if (!is.null(model$prior_mean)) rep_len(sign * model$prior_mean, k),
    scale = if (!is.null(model$prior_sd)) model$prior_sd^2,
    noise2 = if (!is.null(model$noise_sd)) rep_len(model$noise_sd^2, k)
  )
  if (!has_unknowns(model)) {
    fit <- new_fit(given$mean, given$scale, given$noise2, Inf, k, centre_of(given$mean))
    return(list(fit = fit, prior = model$prior, learned = NULL))
  }
  known <- if (is.null(given$noise2)) se^2 else ifelse(is.na(se), given$noise2[arm], se^2)
  centre <- if (is.null(given$mean) && length(arm)) mean(tapply(reward, arm, mean)) else 0
  y <- reward - if (is.null(given$mean)) centre else given$mean[arm]
  spread <- reward_spread(y, reward, is.null(given$mean))
  unit <- if (is.na(spread)) default_unit(given, prior_size(model$prior), reward) else spread
  most <- if (model$prior$kind == 0L) Inf else most_averages
  task <- fit_task(model, given, average_pulls(arm, y / unit, known / unit^2, most), unit)
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
  df <- if (any(is.na(known)) || !length(known)) spare_df + task$df else Inf
  list(
    fit = new_fit(new_mean, new_scale, new_noise2, df, k, centre_of(given$mean)),
    prior = if (any(task$free)) {
      set_kernel(model$prior, found$prior$kernel$value)
    } else {
      model$prior
    },
    learned = learned
  )
}

# The mean of the prior variances that are not 0, in units of prior_sd^2.
prior_size <- function(prior) {
  some <- prior$diagonal[prior$diagonal > 0]
  if (length(some)) mean(some) else 1
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

# One average for each arm, or two where only some of its pulls came with a known noise
# variance: its share of the unknown noise variance, and its known one. within: sum of
# squares of pulls of unknown noise about their averages; more: how many there are besides
# the averages; told: the median of the known noise variances (NA: none). Where arms are
# correlated, some of very many averages have to do. least: the smallest noise variance.
average_pulls <- function(arm, y, known, most, least = least_noise) {
  learned <- is.na(known)
  weight <- rep(1, length(arm))
  weight[!learned] <- 1 / pmax(known[!learned], least)
  key <- 2 * arm + learned
  first <- which(!duplicated(key))
  group <- match(key, key[first])
  total <- sum_by(weight, group)
  mean <- sum_by(weight * y, group) / total
  use <- if (length(first) <= most) seq_along(first) else unique(round(
    seq(1, length(first), length.out = most)
  ))
  unknown <- learned[first][use]
  list(
    arm = arm[first][use], y = mean[use],
    share = unknown / total[use], known = (!unknown) / total[use],
    told = stats::median(known[!learned]),
    more = sum(learned) - sum(learned[first]), within = sum((y - mean[group])[learned]^2)
  )
}

# Averages of correlated arms that are used: the work grows with their third power.
most_averages <- 200L

# Sums over the groups 1, 2, ...
sum_by <- function(x, group) {
  as.double(rowsum(as.double(x), group, reorder = FALSE))
}

# Exact observations are taken to have this noise variance, relative to that of the rewards,
# so that a covariance can be inverted; for the learning only.
least_noise <- 1e-9

# ---- What is maximised --------------------------------------------------------------------------

# All that explain() needs, in units in which the rewards have variance 1. sized: is the size
# of the covariance integrated out, so that noise variance 1 stands for any?
fit_task <- function(model, given, averages, unit) {
  prior <- model$prior
  free <- kernel_free(model)
  sized <- is.null(given$scale) && is.null(given$noise2) && !any(averages$known > 0)
  task <- list(
    model = model, averages = averages, free = free, sized = sized,
    scale = if (!is.null(given$scale)) given$scale / unit^2,
    noise2 = if (!is.null(given$noise2)) mean(given$noise2) / unit^2,
    g = if (!any(free)) average_cov(prior, averages$arm),
    free_mean = is.null(given$mean),
    df = max(sum(averages$share > 0) + averages$more - is.null(given$mean), 0)
  )
  half <- log(if (sized) 1 else 0.5)
  start <- c(
    if (is.null(given$scale)) c(scale = half - log(prior_size(prior))),
    if (is.null(given$noise2) && !sized) c(noise = half)
  )
  task$start <- c(start, kernel = log(as.double(prior$kernel$value[free])))
  task$place <- list(
    noise = which(names(start) == "noise"), kernel = length(start) + seq_len(sum(free))
  )
  task$belief <- weak_belief(task)
  task
}

# The weak priors, one a row: form %*% par + offset is normal with mean 0 and this spread.
weak_belief <- function(task) {
  names <- names(task$start)
  known <- function(value) if (is.null(value)) 0 else log(value)
  form <- matrix(0, 0L, length(names))
  offset <- spread <- double()
  add <- function(row, at, sd) {
    if (any(row != 0) && is.finite(at)) {
      form <<- rbind(form, row)
      offset <<- c(offset, at)
      spread <<- c(spread, sd)
    }
  }
  ratio <- known(task$noise2) - known(task$scale) - log(prior_size(task$model$prior))
  add((names == "noise") - (names == "scale"), ratio - ratio_prior[["centre"]],
      ratio_prior[["spread"]])
  if (!task$averages$more) {
    add(names == "noise", -log(task$averages$told), told_spread)
  }
  params <- task$model$kernel$params[task$free, ]
  for (i in seq_along(task$place$kernel)) {
    add(seq_along(names) == task$place$kernel[i], -params$centre[i], params$spread[i])
  }
  list(form = unname(form), offset = offset, spread = spread)
}

# Covariances of the averages' arms, or their variances where all else is 0.
average_cov <- function(prior, arm) {
  alone <- prior_kind(prior) == "independent" && !anyDuplicated(arm)
  if (alone) prior$diagonal[arm] else prior_cov(prior, arm)
}

# The prior and its scales with these values of what is learned; the prior's diagonal is not
# up to date.
prior_values <- function(task, par) {
  prior <- task$model$prior
  prior$kernel$value[task$free] <- exp(par[task$place$kernel])
  noise2 <- if (length(task$place$noise)) exp(par[[task$place$noise]]) else 1
  list(
    prior = prior, mean = 0, noise2 = if (is.null(task$noise2)) noise2 else task$noise2,
    scale = if (is.null(task$scale)) exp(par[[1L]]) else task$scale
  )
}

# How well these values explain the averages: the log of the posterior density `value` and
# its `gradient`, the best mean, and the values in the rewards' unit. NULL: not at all.
explain <- function(task, par) {
  at <- prior_values(task, par)
  a <- task$averages
  g <- if (is.null(task$g)) average_cov(at$prior, a$arm) else task$g
  found <- .Call(bg_evidence, list(
    a$y, g, at$scale, at$noise2 * a$share + a$known, task$free_mean,
    if (task$sized) task$df else 0, if (task$sized) a$within else 0
  ))
  if (is.null(found)) {
    return(NULL)
  }
  gradient <- fit_gradient(task, at, g, found$weight)
  if (length(task$place$noise)) {
    found$value <- found$value - 0.5 * (a$more * log(at$noise2) + a$within / at$noise2)
  }
  belief <- task$belief
  off <- (drop(belief$form %*% par) + belief$offset) / belief$spread
  size <- if (task$sized) found$misfit / task$df else 1
  at$scale <- at$scale * size
  at$noise2 <- at$noise2 * size
  at$mean <- found$mean
  at$value <- found$value - 0.5 * sum(off^2)
  at$gradient <- gradient - drop(crossprod(belief$form, off / belief$spread))
  at
}

# The derivatives of the marginal likelihood, from those by the entries of the covariance.
fit_gradient <- function(task, at, g, weight) {
  a <- task$averages
  c(
    if (is.null(task$scale)) at$scale * sum(weight * g),
    if (length(task$place$noise)) {
      own <- if (is.matrix(weight)) diag(weight) else weight
      at$noise2 * sum(own * a$share) - 0.5 * (a$more - a$within / at$noise2)
    },
    if (length(task$place$kernel)) {
      at$scale * .Call(bg_kernel_gradient, at$prior$kernel, a$arm, weight)[task$free]
    }
  )
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
      method = "L-BFGS-B", lower = pmin(start, -14), upper = pmax(start, 14),
      control = list(factr = 1e5, maxit = 100)
    ),
    error = function(e) NULL
  )
  if (!is.null(out) && out$value < 1e9) out$par
}

# ---- The likelihood of a run --------------------------------------------------------------------

# The noise variance of every pull: its own standard error, or that of its arm.
pull_noise2 <- function(x) {
  ifelse(is.na(x$log$se), x$fit$noise2[x$log$arm], x$log$se^2)
}

# The rewards about their prior mean, each in units of `size`, the largest standard deviation
# that a reward of its arm has: variances are then at most 1, however different the arms are.
# arms: those observed; size: of each, group: the place of each reward's arm among them.
scaled_rewards <- function(x) {
  good <- which(!is.na(x$log$reward))
  good <- good[order(x$log$arm[good])]
  arm <- x$log$arm[good]
  noise2 <- pull_noise2(x)[good]
  arms <- unique(arm)
  group <- match(arm, arms)
  total <- x$fit$scale * run_prior(x)$diagonal[arm] + noise2
  size <- sqrt(pmax(largest_by(total, group), 1e-200))
  list(
    arm = arm, arms = arms, group = group, size = size, noise2 = noise2,
    y = (x$log$reward[good] - x$fit$centre - x$fit$mean[arm]) / size[group], v = noise2 / size[group]^2
  )
}

# The largest value of each group 1, 2, ..., of which the numbers come in order.
largest_by <- function(value, group) {
  order <- order(group, -value)
  value[order][!duplicated(group[order])]
}

# The prior covariance of the observed arms in those units, or their variances.
scaled_cov <- function(x, arms, size) {
  if (prior_kind(run_prior(x)) != "independent") {
    check_dense(length(arms), "The covariance of the observed arms")
  }
  cov <- average_cov(run_prior(x), arms)
  root <- sqrt(x$fit$scale) / size
  if (is.matrix(cov)) cov * root * rep(root, each = length(root)) else cov * root^2
}

# The log density of the rewards with the values in use. The pulls v_i of an arm of mean m have
# the density of their weighted average, variance 1 / w, w = sum(1 / v), times what is left of
# prod N(y_i; m, v_i), which does not depend on m. A noise that is too small to invert with is
# taken for larger, by as little as will do.
log_likelihood <- function(x) {
  if (!x$observed) {
    return(0)
  }
  r <- scaled_rewards(x)
  cov <- scaled_cov(x, r$arms, r$size)
  density <- function(y, v) sum(stats::dnorm(y, 0, sqrt(v), log = TRUE))
  for (least in c(1e-13, 1e-11, least_noise)) {
    v <- pmax(r$v, least)
    a <- average_pulls(r$arm, r$y, v, Inf, least)
    found <- .Call(bg_evidence, list(a$y, cov, 1, a$known, FALSE, 0, 0))
    if (!is.null(found)) {
      off <- r$y - a$y[r$group]
      return(
        found$value - length(a$y) / 2 * log(2 * pi) + density(off, v) -
          density(0 * a$y, a$known) - sum(log(r$size[r$group]))
      )
    }
  }
  NA_real_
}

# What was learned: of the mean, the prior sd, the noise, where a pull did not come with its
# own, and the kernel.
count_learned <- function(x) {
  model <- x$model
  unknown <- !x$observed || anyNA(x$log$se[!is.na(x$log$reward)])
  is.null(model$prior_mean) + is.null(model$prior_sd) +
    (is.null(model$noise_sd) && unknown) + sum(kernel_free(model))
}
