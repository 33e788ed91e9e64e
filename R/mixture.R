# What certainty averages over. What was learned is not known: other values explain the rewards
# nearly as well, and believe other things of the arms. A few of them, with weights, stand for all.

# The weak prior on log(noise variance / prior variance) that certainty is judged with: wider than
# the one that pulls go by, so that differences far below or above the noise are thought possible
# (bench/CALIBRATION.md).
doubt_spread <- 3

# Likewise on log(block variance / noise variance): plates may well differ by many times the noise
# (bench/BLOCKS.md).
block_doubt_spread <- 4.5

# The points of the mixture, the weightiest first: list(weight, fit, prior), or list(weight) alone,
# where it is the run as it is: nothing was learned.
learned_points <- function(x) {
  as_it_is <- list(list(weight = 1))
  setup <- if (x$unknowns && x$observed) run_setup(x)
  if (is.null(setup$task) || !setup$differ) {
    return(as_it_is)
  }
  task <- setup$task
  task$belief <- weak_belief(task, doubt_spread, block_doubt_spread)
  mode <- learn_par(task, x$learned)
  if (isTRUE(attr(mode, "failed"))) {
    return(as_it_is)
  }
  points <- plausible_values(task, mode)
  found <- lapply(seq_along(points$weight), function(i) {
    at <- explain(task, points$par[, i], slope = FALSE)
    c(list(weight = points$weight[i]), found_fit(setup, at, part_df(setup)))
  })
  found[order(points$weight, decreasing = TRUE)]
}

# Degrees of freedom of the arms' means at a point. Where the unit of both prior and noise is
# integrated out, they are those of the rewards; otherwise the noise is given, or one of the values
# that differ between points.
part_df <- function(setup) if (setup$task$free_unit) max(setup$task$df, 1) else Inf

# Points on the log scale, one a column, and their weights. Each principal axis of the density at
# its mode has a scale of its own to either side.
plausible_values <- function(task, mode) {
  m <- length(mode)
  if (m == 0L) {
    return(list(par = matrix(0, 0L, 1L), weight = 1))
  }
  axes <- principal_axes(task, mode)
  sides <- axis_sides(task, mode, axes)
  z <- if (m == 1L) even_points else point_spread * normal_points(24L, m)
  width <- ifelse(z > 0, sides$above, sides$below)
  par <- c(mode) + axes$direction %*% (z * width)
  value <- apply(par, 2L, worth, task = task)
  # The density of the points: even steps of a side's width, or normal ones.
  width <- ifelse(z == 0, (sides$above + sides$below) / 2, width)
  log_weight <- value + colSums(log(width)) + if (m == 1L) 0 else colSums((z / point_spread)^2) / 2
  weight <- exp(log_weight - max(log_weight))
  if (m > 1L) {
    weight <- pmin(weight, sqrt(length(weight)) * mean(weight)) # no point stands for all
  }
  keep <- weight > 0.005 * sum(weight) & value > -1e9
  list(par = par[, keep, drop = FALSE], weight = weight[keep] / sum(weight[keep]))
}

# In several dimensions few of the points would lie in the tails, which are longer than those of a
# normal distribution: they are spread this much wider.
point_spread <- 1.35

even_points <- matrix(seq(-3, 3, by = 0.75), 1L)

# n points in m dimensions that fill a normal distribution evenly: multiples of powers of the
# generalised golden ratio, whose fractional parts fill a cube.
normal_points <- function(n, m) {
  ratio <- 2
  for (i in 1:60) {
    ratio <- (1 + ratio)^(1 / (m + 1))
  }
  stats::qnorm((0.5 + outer(ratio^-seq_len(m), seq_len(n))) %% 1)
}

# By differences of the gradient. A direction in which hardly anything is known has a scale of 3, as
# the weak prior has it.
principal_axes <- function(task, mode, step = 0.05) {
  m <- length(mode)
  slope <- function(i, by) {
    at <- c(mode)
    at[i] <- at[i] + by
    found <- explain(task, at)
    if (is.null(found) || !all(is.finite(found$gradient))) rep(0, m) else found$gradient
  }
  bend <- vapply(seq_len(m), function(i) (slope(i, -step) - slope(i, step)) / (2 * step), double(m))
  bend <- matrix(bend, m, m)
  e <- eigen((bend + t(bend)) / 2, symmetric = TRUE)
  # An axis has no direction of its own: that in which its largest entry is positive.
  largest <- e$vectors[cbind(max.col(abs(t(e$vectors)), "first"), seq_len(m))]
  list(
    direction = e$vectors * rep(sign(largest), each = m), width = 1 / sqrt(pmax(e$values, 1 / 9))
  )
}

# How far to either side of the mode a standard deviation is, so that the density two of them away
# is as far below its top as that of a normal distribution.
axis_sides <- function(task, mode, axes) {
  top <- worth(mode, task)
  side <- function(i, sign) {
    width <- axes$width[i]
    for (try in 1:3) {
      fall <- top - worth(c(mode) + sign * 2 * width * axes$direction[, i], task)
      width <- min(width * min(max(sqrt(2 / max(fall, 0.02)), 0.4), 2), 4)
      if (fall > 1 && fall < 4) break
    }
    width
  }
  at <- seq_along(axes$width)
  list(above = vapply(at, side, 0, sign = 1), below = vapply(at, side, 0, sign = -1))
}

# ---- The run at a point -------------------------------------------------------------------------

# Believes what follows from the point's values; it decides nothing.
part_of <- function(x, point) {
  if (is.null(point$fit)) {
    return(x)
  }
  x <- unclass(x)
  x$fit <- point$fit
  x["prior"] <- list(point$prior)
  best <- x$belief$best
  blocks <- if (blocks_tell(x)) length(x$blocks) else 0L
  told <- averaged_log(x, blocks > 0L)
  alone <- x$fit
  alone["rest"] <- list(NULL) # it is in the averages' standard errors
  x$belief <- .Call(bg_believe, run_prior(x), alone, blocks, told)
  x$belief$best <- best
  x
}

# One row for each arm observed, or for each of its blocks, with the standard error of its average;
# of rewards some of which are exact, these.
averaged_log <- function(x, by_block) {
  good <- which(!is.na(x$log$reward))
  arm <- x$log$arm[good]
  block <- x$log$block[good]
  noise2 <- pull_noise2(x)[good]
  key <- if (by_block) arm + (n_arms(x$model$arms) + 1) * ifelse(is.na(block), 0, block) else arm
  first <- which(!duplicated(key))
  group <- match(key, key[first])
  exact <- noise2 == 0
  weight <- ifelse(exact, 1, 1 / noise2) * (exact | !sum_by(exact, group)[group])
  total <- sum_by(weight, group)
  list(
    pull = rep(NA_integer_, length(first)), arm = arm[first],
    reward = sum_by(weight * x$log$reward[good], group) / total,
    se = ifelse(sum_by(exact, group) > 0, 0, sqrt(1 / total)), block = block[first],
    size = rep(1, length(first))
  )
}

# What a point believes of some arms: t distributions.
part_belief <- function(part, arms = TRUE, doubt = level_doubt(part)) {
  scale <- sqrt(arm_variances(part, doubt)[arms])
  list(mean = means_of(part, arms), scale = scale, df = part$fit$df)
}

# The same of all points: what f makes of each.
over_points <- function(x, f, ...) {
  points <- learned_points(x)
  list(
    weight = vapply(points, `[[`, 0, "weight"),
    parts = lapply(points, function(p) f(part_of(x, p), ...))
  )
}

# ---- Of a mixture of t distributions ------------------------------------------------------------

# The interval that holds a t distributed quantity with this probability.
t_interval <- function(centre, scale, df, level) {
  half <- stats::qt((1 + level) / 2, df) * scale
  list(lower = centre - half, upper = centre + half)
}

# Where the noise is learned, an arm's mean has a t distribution of scale sqrt(belief$var):
# its variance is this much larger. With one or two degrees of freedom it has none: that of three.
t_variance <- function(df) if (is.finite(df)) max(df, 3) / (max(df, 3) - 2) else 1

# One element of every part, side by side.
side_by_side <- function(parts, name) do.call(cbind, lapply(parts, `[[`, name))

# mean, scale: one column a part; df, weight: one element. List of mean, sd, lower and upper; the
# last two only where there is a level.
mixed <- function(mean, scale, df, weight, level = NULL) {
  c(mixed_moments(mean, scale, df, weight), if (!is.null(level)) {
    if (length(weight) == 1L) {
      t_interval(drop(mean), drop(scale), df, level)
    } else {
      list(
        lower = mixed_quantile(mean, scale, df, weight, (1 - level) / 2),
        upper = mixed_quantile(mean, scale, df, weight, (1 + level) / 2)
      )
    }
  })
}

mixed_moments <- function(mean, scale, df, weight) {
  if (length(weight) == 1L) {
    return(list(mean = drop(mean), sd = sqrt(t_variance(df)) * drop(scale)))
  }
  middle <- weighed(mean, weight)
  stretch <- vapply(df, t_variance, 0)
  var <- drop((mean - middle)^2 %*% weight) + drop(scale^2 %*% (stretch * weight))
  list(mean = middle, sd = sqrt(var))
}

# The average of the columns, about the first: what all agree on is kept to the last bit.
weighed <- function(m, weight) m[, 1L] + drop((m - m[, 1L]) %*% weight)

# The parts' quantiles hold that of the mixture. Most of the way is gone with shares that are cheap.
mixed_quantile <- function(mean, scale, df, weight, p) {
  if (!nrow(mean)) {
    return(double())
  }
  each <- mean + scale * rep(stats::qt(p, df), each = nrow(mean))
  q <- weighed(each, weight)
  columns <- split_columns(each)
  ends <- list(lower = do.call(pmin, columns), upper = do.call(pmax, columns))
  shares <- list(near_share, mixed_share)
  for (share in shares[c(any(is.finite(df)), TRUE)]) {
    q <- search_quantile(c(ends, list(q = q)), mean, scale, df, weight, p, share)
  }
  q
}

# Newton's method from q within bounds that close in. at: list(lower, upper, q). A step doubles the
# digits where it is short beside all parts: after one of 1e-4 the rest is 1e-8 of them.
search_quantile <- function(at, mean, scale, df, weight, p, share) {
  enough <- 1e-8 * drop(scale %*% weight)
  close <- pmax(1e-4 * do.call(pmin, split_columns(scale)), enough)
  at$step <- rep(Inf, length(at$q))
  q <- at$q
  open <- seq_along(q)
  for (round in 1:100) {
    some <- pmax(scale[open, , drop = FALSE], 1e-300)
    at <- quantile_step(at, mean[open, , drop = FALSE], some, df, weight, p, share)
    q[open] <- at$q
    more <- at$upper - at$lower > enough[open] & !(at$newton & at$step <= close[open])
    open <- open[more]
    at <- lapply(at, `[`, more)
    if (!length(open)) break
  }
  q
}

# One step of them; newton: was it one of Newton's? One that is not half of the one before may be
# part of a circle.
quantile_step <- function(at, mean, scale, df, weight, p, share) {
  z <- (at$q - mean) / scale
  below <- drop(share(z, df) %*% weight) - p
  lower <- ifelse(below <= 0, at$q, at$lower)
  upper <- ifelse(below >= 0, at$q, at$upper)
  slope <- drop((mixed_density(z, df) / scale) %*% weight)
  new <- at$q - below / slope
  newton <- is.finite(new) & new >= lower & new <= upper & abs(new - at$q) <= at$step / 2
  new <- ifelse(newton, new, lower / 2 + upper / 2)
  list(lower = lower, upper = upper, q = new, step = abs(new - at$q), newton = newton)
}

# The sd of the same quantity where it is cut to lie between `least` and `most`: what is beyond an
# end is at that end. Each part is taken for a normal distribution of its mean and sd.
cut_sd <- function(mean, scale, df, weight, least, most) {
  middle <- pmin(pmax(weighed(mean, weight), least), most) # so that squares do not cancel
  sd <- pmax(scale * rep(sqrt(vapply(df, t_variance, 0)), each = nrow(scale)), 1e-300)
  mean <- mean - middle
  end <- list(least - middle, most - middle)
  z <- lapply(end, function(e) (e - mean) / sd)
  beyond <- list(stats::pnorm(z[[1L]]), stats::pnorm(z[[2L]], lower.tail = FALSE))
  density <- lapply(z, stats::dnorm)
  at_end <- function(share, of_end) ifelse(share > 0, share * of_end, 0) # an end may be infinite
  inside <- 1 - beyond[[1L]] - beyond[[2L]]
  first <- at_end(beyond[[1L]], end[[1L]]) + at_end(beyond[[2L]], end[[2L]]) + mean * inside +
    sd * (density[[1L]] - density[[2L]])
  second <- at_end(beyond[[1L]], end[[1L]]^2) + at_end(beyond[[2L]], end[[2L]]^2) +
    (mean^2 + sd^2) * inside + sd * (
      at_end(density[[1L]], mean + end[[1L]]) - at_end(density[[2L]], mean + end[[2L]])
    )
  sqrt(pmax(drop(second %*% weight) - drop(first %*% weight)^2, 0))
}

split_columns <- function(m) lapply(seq_len(ncol(m)), function(j) m[, j])

mixed_share <- function(z, df) {
  for (j in seq_along(df)) z[, j] <- stats::pt(z[, j], df[j])
  z
}

# The same to some digits, in a fraction of the time: the scores are all but normal (Hill 1970,
# algorithm 395).
near_share <- function(z, df) {
  for (j in which(is.finite(df))) {
    a <- df[j] - 0.5
    b <- 48 * a^2
    y <- a * log1p(pmin(abs(z[, j]), 1e8)^2 / df[j]) # farther out its powers have no end
    more <- (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y^2 + 100 + b) + y + 3
    z[, j] <- sign(z[, j]) * sqrt(y) * (1 + more / b)
  }
  stats::pnorm(z)
}

mixed_density <- function(z, df) {
  for (j in seq_along(df)) {
    z[, j] <- if (is.finite(df[j])) {
      top <- stats::dt(0, df[j])
      top * exp(-(df[j] + 1) / 2 * log1p(z[, j]^2 / df[j]))
    } else {
      stats::dnorm(z[, j])
    }
  }
  z
}

# So many draws for each part, the weightiest first.
allot_draws <- function(draws, weight) diff(c(0, round(draws * cumsum(weight))))
