# How well a prior explains the rewards: the marginal likelihood, which is maximised where something
# is left to the data, and its gradient.

# The weak priors: log(noise variance / prior variance) is normal about the first of these; so
# is the log of a noise variance about that of the standard errors told, with the second, as
# long as no pulls of unknown noise were repeated.
ratio_prior <- c(centre = 0, spread = 2)

told_spread <- 0.5

# Likewise log(tilt2 / prior variance): a block is expected to move arms by less than they differ
# (bench/TUNING.md). In few blocks the two cannot be told apart.
tilt_prior <- c(centre = -2, spread = 1)

# Exact observations are taken to have this noise variance, relative to that of the rewards,
# so that a covariance can be inverted; for the learning only.
least_noise <- 1e-9

# The mean of the prior variances that are not 0, in units of prior_sd^2.
prior_variance <- function(prior) {
  some <- prior$diagonal[prior$diagonal > 0]
  if (length(some)) mean(some) else 1
}

# One average for each arm, or two where only some of its pulls came with a known noise
# variance: its share of the unknown noise variance, and its known one. within: sum of
# squares of pulls of unknown noise about their averages; more: how many there are besides
# the averages; told: the median of the known noise variances (NA: none). Where arms are
# correlated, some of very many averages have to do. least: the smallest noise variance.
# block: NULL, or that of every pull; then one average for each arm in each block. shape: the
# unknown noise variance of every pull over the common one.
average_pulls <- function(arm, y, known, most, least = least_noise, block = NULL,
                          shape = rep(1, length(arm))) {
  learned <- is.na(known)
  weight <- 1 / shape
  weight[!learned] <- 1 / pmax(known[!learned], least)
  key <- 2 * arm + learned
  if (!is.null(block)) {
    key <- paste(key, block)
  }
  first <- which(!duplicated(key))
  group <- match(key, key[first])
  total <- sum_by(weight, group)
  mean <- sum_by(weight * y, group) / total
  use <- if (length(first) <= most) seq_along(first) else unique(round(
    seq(1, length(first), length.out = most)
  ))
  unknown <- learned[first][use]
  list(
    arm = arm[first][use], block = block[first][use], y = mean[use],
    share = unknown / total[use], known = (!unknown) / total[use],
    told = stats::median(known[!learned]),
    more = sum(learned) - sum(learned[first]), within = sum((weight * (y - mean[group])^2)[learned])
  )
}

# Averages of correlated arms that are used: the work grows with their third power.
most_averages <- 200L

# Sums over the groups 1, 2, ...
sum_by <- function(x, group) {
  as.double(rowsum(as.double(x), group, reorder = FALSE))
}

# The mean of each group, whatever their names, in the order in which they come. About the first
# value: what all have in common is kept to the last bit.
means_by <- function(x, name) {
  group <- match(name, unique(name))
  x[1L] + sum_by(x - x[1L], group) / tabulate(group)
}

# All that explain() needs, in units in which the rewards have variance 1. free_unit: is what both
# prior and noise are measured in integrated out, so that noise variance 1 stands for any?
fit_task <- function(model, given, averages, unit) {
  prior <- model$prior
  free <- kernel_free(model)
  none <- function(value) is.null(value) || value == 0
  free_unit <- is.null(given$scale) && is.null(given$noise2) && !any(averages$known > 0) &&
    none(given$block2) && none(given$tilt2)
  task <- list(
    model = model, averages = averages, free = free, free_unit = free_unit,
    scale = if (!is.null(given$scale)) given$scale / unit^2,
    noise2 = if (!is.null(given$noise2)) mean(given$noise2) / unit^2,
    block2 = if (!is.null(given$block2)) given$block2 / unit^2,
    tilt2 = if (!is.null(given$tilt2)) given$tilt2 / unit^2,
    shared = shared_blocks(averages$block, given$block2),
    g = if (!any(free)) average_cov(prior, averages$arm),
    free_mean = is.null(given$mean),
    df = max(sum(averages$share > 0) + averages$more - is.null(given$mean), 0)
  )
  half <- log(if (free_unit) 1 else 0.5)
  start <- c(
    if (is.null(given$scale)) c(scale = half - log(prior_variance(prior))),
    if (is.null(given$noise2) && !free_unit) c(noise = half),
    if (is.null(given$block2)) c(block = half),
    if (is.null(given$tilt2)) {
      scale <- if (is.null(given$scale)) half - log(prior_variance(prior)) else log(task$scale)
      c(tilt = scale + tilt_prior[["centre"]])
    }
  )
  task$start <- c(start, kernel = log(as.double(prior$kernel$value[free])))
  task$place <- list(
    noise = which(names(start) == "noise"), block = which(names(start) == "block"),
    tilt = which(names(start) == "tilt"),
    kernel = length(start) + seq_len(sum(free))
  )
  task$belief <- weak_belief(task)
  task
}

# The weak priors, one a row: form %*% par + offset is normal with mean 0 and this spread.
weak_belief <- function(task, ratio_spread = ratio_prior[["spread"]],
                        block_spread = ratio_spread) {
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
  ratio <- known(task$noise2) - known(task$scale) - log(prior_variance(task$model$prior))
  add((names == "noise") - (names == "scale"), ratio - ratio_prior[["centre"]], ratio_spread)
  add((names == "block") - (names == "noise"), -known(task$noise2), block_spread)
  if (any(names == "tilt")) {
    ratio <- -known(task$scale) - tilt_prior[["centre"]]
    add((names == "tilt") - (names == "scale"), ratio, tilt_prior[["spread"]])
  }
  if (!task$averages$more) {
    add(names == "noise", -log(task$averages$told), told_spread)
  }
  params <- task$model$kernel$params[task$free, ]
  for (i in seq_along(task$place$kernel)) {
    add(seq_along(names) == task$place$kernel[i], -params$centre[i], params$spread[i])
  }
  list(form = unname(form), offset = offset, spread = spread)
}

# Which averages share a block: a matrix of 0 and 1; NULL where blocks tell nothing.
shared_blocks <- function(block, block2) {
  if (!is.null(block) && !identical(block2, 0)) outer(block, block, "==") + 0
}

# The whole covariance of the averages but for the noise, of which blocks are a part.
with_blocks <- function(task, g, at) {
  if (is.null(task$shared)) {
    return(list(g = g, scale = at$scale))
  }
  g <- if (is.matrix(g)) g else diag(g, length(g))
  tilted <- if (at$tilt2 > 0) at$tilt2 * task$shared * g else 0
  list(g = at$scale * g + at$block2 * task$shared + tilted, scale = 1)
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
    scale = if (is.null(task$scale)) exp(par[[1L]]) else task$scale,
    block2 = if (length(task$place$block)) exp(par[[task$place$block]]) else task$block2,
    tilt2 = if (length(task$place$tilt)) exp(par[[task$place$tilt]]) else task$tilt2
  )
}

# How well these values explain the averages: the log of the posterior density `value` and
# its `gradient`, the best mean, and the values in the rewards' unit. NULL: not at all. Without its
# slope it takes a third of the time.
explain <- function(task, par, slope = TRUE) {
  at <- prior_values(task, par)
  a <- task$averages
  g <- if (is.null(task$g)) average_cov(at$prior, a$arm) else task$g
  whole <- with_blocks(task, g, at)
  found <- .Call(bg_evidence, list(
    a$y, whole$g, whole$scale, at$noise2 * a$share + a$known, task$free_mean,
    if (task$free_unit) task$df else 0, if (task$free_unit) a$within else 0, slope
  ))
  if (is.null(found)) {
    return(NULL)
  }
  gradient <- if (slope) fit_gradient(task, at, g, found$weight)
  if (length(task$place$noise)) {
    found$value <- found$value - 0.5 * (a$more * log(at$noise2) + a$within / at$noise2)
  }
  belief <- task$belief
  off <- (drop(belief$form %*% par) + belief$offset) / belief$spread
  unit2 <- if (task$free_unit) found$misfit / task$df else 1
  at$scale <- at$scale * unit2
  at$noise2 <- at$noise2 * unit2
  at$block2 <- at$block2 * unit2
  at$tilt2 <- at$tilt2 * unit2
  at$mean <- found$mean
  at$value <- found$value - 0.5 * sum(off^2)
  if (slope) {
    at$gradient <- gradient - drop(crossprod(belief$form, off / belief$spread))
  }
  at
}

# The derivatives of the marginal likelihood, from those by the entries of the covariance.
fit_gradient <- function(task, at, g, weight) {
  a <- task$averages
  own <- if (is.matrix(weight)) diag(weight) else weight
  tilted <- if (at$tilt2 > 0) at$tilt2 * task$shared * weight else 0 # the kernel is in it too
  c(
    if (is.null(task$scale)) at$scale * sum((if (is.matrix(g)) weight else own) * g),
    if (length(task$place$noise)) {
      at$noise2 * sum(own * a$share) - 0.5 * (a$more - a$within / at$noise2)
    },
    if (length(task$place$block)) at$block2 * sum(weight * task$shared),
    if (length(task$place$tilt)) sum(tilted * g),
    if (length(task$place$kernel)) {
      by_kernel <- function(weight) .Call(bg_kernel_gradient, at$prior$kernel, a$arm, weight)
      whole <- at$scale * by_kernel(weight)
      (if (at$tilt2 > 0) whole + by_kernel(tilted) else whole)[task$free]
    }
  )
}

# The noise variance of every pull in the log: its own standard error, or that of its arm, by its
# size.
pull_noise2 <- function(x) {
  arm <- x$log$arm
  ifelse(is.na(x$log$se), x$fit$noise2[arm] / x$log$size, x$log$se^2) + tilt_rest(x$fit, arm)
}

# That of a pull to come, of each arm, as usual_noise2() in C has it.
usual_noise2 <- function(x) x$fit$noise2 / x$fit$size + tilt_rest(x$fit)

# The rewards about their prior mean, each in the unit of its arm, the largest standard deviation
# that a reward of it has: variances are then at most 1, however different the arms are.
# arms: those observed, with blocks once for each of theirs; blocks: these, or NULL; unit: of each;
# group: the place of each reward's arm among them. by_block: do blocks count, whether they tell
# anything or not?
scaled_rewards <- function(x, by_block = blocks_tell(x)) {
  good <- which(!is.na(x$log$reward))
  block <- if (by_block) x$log$block[good]
  order <- if (is.null(block)) order(x$log$arm[good]) else order(x$log$arm[good], block)
  good <- good[order]
  block <- block[order]
  arm <- x$log$arm[good]
  noise2 <- pull_noise2(x)[good]
  key <- if (is.null(block)) arm else paste(arm, block)
  first <- !duplicated(key)
  group <- match(key, key[first])
  total <- x$fit$scale * run_prior(x)$diagonal[arm] + block_prior_var(x$fit, arm) + noise2
  unit <- sqrt(pmax(largest_by(total, group), 1e-200))
  list(
    arm = arm, block = block, arms = arm[first], blocks = block[first], group = group,
    unit = unit, noise2 = noise2,
    y = (x$log$reward[good] - x$fit$centre - x$fit$mean[arm]) / unit[group],
    v = noise2 / unit[group]^2
  )
}

# The largest value of each group 1, 2, ..., of which the numbers come in order.
largest_by <- function(value, group) {
  order <- order(group, -value)
  value[order][!duplicated(group[order])]
}

# The prior covariance of what scaled_rewards() found, in those units, or the variances.
scaled_cov <- function(x, r) {
  if (prior_kind(run_prior(x)) != "independent" || !is.null(r$blocks)) {
    check_dense(length(r$arms), "The covariance of the observed arms")
  }
  cov <- average_cov(run_prior(x), r$arms)
  cov <- x$fit$scale * cov
  if (!is.null(r$blocks)) {
    cov <- if (is.matrix(cov)) cov else diag(cov, length(cov))
    cov <- cov + outer(r$blocks, r$blocks, "==") * block_cov(x$fit, r$arms)
  }
  if (is.matrix(cov)) cov / r$unit / rep(r$unit, each = length(r$unit)) else cov / r$unit^2
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
  cov <- scaled_cov(x, r)
  density <- function(y, v) sum(stats::dnorm(y, 0, sqrt(v), log = TRUE))
  for (least in c(1e-13, 1e-11, least_noise)) {
    v <- pmax(r$v, least)
    a <- average_pulls(r$arm, r$y, v, Inf, least, r$block)
    found <- .Call(bg_evidence, list(a$y, cov, 1, a$known, FALSE, 0, 0, FALSE))
    if (!is.null(found)) {
      off <- r$y - a$y[r$group]
      return(
        found$value - length(a$y) / 2 * log(2 * pi) + density(off, v) -
          density(0 * a$y, a$known) - sum(log(r$unit[r$group]))
      )
    }
  }
  NA_real_
}

# What was learned: of the mean, the prior sd, the noise, where a pull did not come with its
# own, the blocks, and the kernel.
count_learned <- function(x) {
  model <- x$model
  unknown <- is.null(family_of(model)) &&
    (!x$observed || anyNA(x$log$se[!is.na(x$log$reward)]))
  is.null(model$prior_mean) + is.null(model$prior_sd) +
    (is.null(model$noise_sd) && unknown) + (has_blocks(x) && is.null(model$block_sd)) +
    (has_blocks(x) && is.null(model$block_arm_sd) && !identical(model$block_sd, 0)) +
    sum(kernel_free(model))
}
