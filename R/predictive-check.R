# Does the prior predict what was seen? Every observed arm, as the other arms predict it.

#' Does the prior predict what was seen?
#'
#' `predictive_check()` compares the average reward of every observed arm with what the prior
#' and the other arms' observations say about it. Use it before you trust an answer: P(best)
#' and the intervals are as good as the prior and the noise behind them.
#'
#' Each arm is left out in turn. `expected` and `sd` are the mean and the standard deviation
#' that the average of its rewards would have, as seen from the other arms, its noise
#' included. If the prior is right, 95 in 100 averages lie between `lower` and `upper`. For
#' independent arms the others say nothing, and `expected` is the prior mean.
#'
#' `print()` counts the arms outside their intervals and says what is wrong, if anything is:
#' * The prior is too sure: so many arms outside have a probability below 0.01 (binomial), or
#'   one arm as far outside as that (normal, for the number of arms), or all rewards together
#'   being as far from what was expected (chi-squared); or a learned noise is too large, because
#'   what the prior misses is taken for noise.
#' * The prior is too vague: all rewards together are too near (chi-squared, 0.01).
#' * The noise in use is too small or too large: repeated pulls differ from the averages of
#'   their arms by more, or by less, than it says (chi-squared, 0.005 on each side).
#'
#' Chance alone makes it say something about 4 in 100 priors that are right. To say nothing
#' of a prior that is wrong is easy, with few arms observed.
#'
#' The table averages over what was learned, as [posterior()] does; the judgement of the whole and
#' of the noise uses the likeliest values. The arm that is left out has contributed to both. What
#' was learned fits the rewards as well as it can, so a learned prior is found wrong less often
#' than one that was given.
#' An exact observation (`noise_sd = 0`) is taken to have a tiny noise. With a [family], `expected`
#' and the interval are cut to what a rate can be; `sd` and `z` are not.
#'
#' @param x A run: the result of [bayesgap()] or [tell()]. For `plot()`, what
#'   `predictive_check()` returned.
#' @param level The probability of the interval from `lower` to `upper`.
#'
#' @return A data frame of class `bayesgap_check` with one row for each arm that was observed,
#'   in the order of the arms: `arm`, `pulls` (those with a reward), `observed` (their average;
#'   where their noise differs, weighted by its inverse), `expected`, `sd`, `lower`, `upper`,
#'   and `z`, the difference of observed and expected on the scale of a standard normal number.
#'   `print()` shows a verdict and the arms that are the least expected. A part of the table is
#'   a plain data frame.
#' @seealso [update()][update.bayesgap] to try another prior on the same rewards;
#'   `vignette("say-what-you-know")`.
#' @export
#' @examples
#' # A dial whose effect changes faster than was thought
#' dial <- data.frame(position = 1:20)
#' x <- bayesgap(dial, function(arm) sin(arm$position) + rnorm(1, sd = 0.1), budget = 25,
#'               kernel = k_se(~ position, lengthscale = 5), prior_sd = 1, noise_sd = 0.1,
#'               seed = 1)
#' check <- predictive_check(x)
#' check
#' plot(check)
#' predictive_check(update(x, kernel = k_se(~ position)))
predictive_check <- function(x, level = 0.95) {
  check_run(x)
  level <- check_level(level)
  # Blocks may tell something by all rewards that did not when the values in use were learned.
  fits <- lapply(learned_points(x), function(p) if (is.null(p$fit)) x$fit else p$fit)
  by_block <- any(vapply(fits, blocks_tell, TRUE, x = x))
  seen <- seen_averages(x, by_block)
  left <- leave_out(seen)
  sign <- reward_sign(x)
  observed <- x$fit$centre + x$fit$mean[seen$arm] + seen$unit * seen$y
  mixture <- over_points(x, expected_averages, by_block)
  expected <- mixed_belief(mixture, "mean", "scale", sign, level)
  expected <- belief_within_range(x$model, expected)
  table <- quick_frame(c(
    list(arm = arm_label(x$model$arms, seen$arm)),
    if (!is.null(seen$block)) list(block = x$blocks[seen$block]),
    list(
      pulls = seen$pulls, observed = sign * observed, expected = expected$mean, sd = expected$sd,
      lower = expected$lower, upper = expected$upper, z = sign * mixed_score(observed, mixture)
    )
  ))
  found <- list(
    level = level, df = x$fit$df, misfit = left$misfit,
    rank = max(left$rank - is.null(x$model$prior_mean), 0), noise = check_noise(x, seen)
  )
  structure(
    table, found = found, remedies = prior_remedies(x), class = c("bayesgap_check", "data.frame")
  )
}

# ---- What it computes -----------------------------------------------------------------------

# One average for each observed arm (in each of its blocks), in the order of the arms, as
# scaled_rewards() has them.
# cov: of the means, or the variances of independent ones; noise: of the average, not below
# least_noise for one pull; lifted: how much of it is there only to be so; off, weight, exact: of
# each pull, its difference from the average, the inverse of its noise, and whether that was
# lifted.
seen_averages <- function(x, by_block) {
  r <- scaled_rewards(x, by_block)
  a <- average_pulls(r$arm, r$y, r$v, Inf, block = r$block)
  list(
    arm = r$arms, block = r$blocks, y = a$y, unit = r$unit,
    pulls = tabulate(r$group, length(r$arms)),
    cov = scaled_cov(x, r), noise = a$known,
    lifted = a$known - 1 / sum_by(1 / r$v, r$group), noise2 = r$noise2,
    off = r$y - a$y[r$group], weight = 1 / pmax(r$v, least_noise), group = r$group,
    exact = r$v < least_noise
  )
}

# Every average as the others predict it. With S the covariance of the averages, the one that
# is left out is off by (S^-1 y)_i / (S^-1)_ii, with variance 1 / (S^-1)_ii. misfit: y' S^-1 y,
# which is chi-squared with `rank` degrees of freedom.
leave_out <- function(seen) {
  if (is.matrix(seen$cov)) {
    s <- seen$cov
    diag(s) <- diag(s) + seen$noise
    inverse <- if (length(s)) chol2inv(chol(s)) else s
    own <- diag(inverse)
    pulled <- drop(inverse %*% seen$y)
  } else {
    own <- 1 / (seen$cov + seen$noise)
    pulled <- own * seen$y
  }
  most <- max(abs(seen$y), 1) # so that what is too large for a number is Inf, not Inf - Inf
  list(
    off = pulled / own, scale = 1 / sqrt(own),
    misfit = most^2 * sum(seen$y / most * (pulled / most)),
    rank = length(seen$y) - sum(seen$lifted * own)
  )
}

# Every average as one point expects it from the others.
expected_averages <- function(part, by_block) {
  seen <- seen_averages(part, by_block)
  left <- leave_out(seen)
  level <- part$fit$centre + part$fit$mean[seen$arm]
  list(
    mean = level + seen$unit * (seen$y - left$off), scale = seen$unit * left$scale,
    df = part$fit$df
  )
}

# The standard normal number that is as far out as this one of a mixture of t distributions.
mixed_score <- function(observed, mixture) {
  part <- mixture$parts
  if (length(part) == 1L && !is.finite(part[[1L]]$df)) {
    return((observed - part[[1L]]$mean) / part[[1L]]$scale)
  }
  tail <- function(lower) {
    each <- Map(function(p, w) {
      log(w) + stats::pt((observed - p$mean) / p$scale, p$df, lower.tail = lower, log.p = TRUE)
    }, part, mixture$weight)
    most <- do.call(pmax, each)
    most + log(Reduce(`+`, lapply(each, function(p) exp(p - most))))
  }
  below <- tail(TRUE)
  above <- tail(FALSE)
  score <- stats::qnorm(pmin(below, above, 0), log.p = TRUE)
  ifelse(below < above, score, -score)
}

# Repeated pulls about the averages of their arms. more: how many there are besides the
# averages; rates: does the noise follow from them?; seen, used: standard deviations, where all
# pulls have one noise; misfit: chi-squared with `rank` degrees of freedom, to which exact pulls,
# which do not vary, add none.
check_noise <- function(x, seen) {
  more <- length(seen$off) - length(seen$y)
  same <- length(unique(seen$noise2)) == 1L
  exact <- seen$exact
  rates <- !is.null(family_of(x$model))
  learned <- is.null(x$model$noise_sd) && !rates && anyNA(x$log$se[!is.na(x$log$reward)])
  list(
    more = more, misfit = sum(seen$off^2 * seen$weight),
    rank = more - sum(exact) + length(unique(seen$group[exact])),
    rates = rates, learned = learned, df = if (learned) x$fit$df else Inf,
    seen = if (same) sqrt(sum((seen$off * seen$unit[seen$group])^2) / more),
    used = if (same) sqrt(seen$noise2[1L])
  )
}

# ---- What it makes of it --------------------------------------------------------------------

# What may be changed of this prior when it is too sure, and when it is too vague; and, where the
# noise is no matter of the rates, when that is too small or too large.
prior_remedies <- function(x) {
  model <- x$model
  scaled <- "lengthscale" %in% model$kernel$params$type
  noise <- is.null(family_of(model))
  list(
    sure = c(
      if (scaled) "a shorter length scale", if (!is.null(model$kernel)) "k_white() in the kernel",
      "a larger prior_sd", if (!is.null(model$prior_mean)) "another prior_mean"
    ),
    vague = c(if (scaled) "a longer length scale", "a smaller prior_sd"),
    small = if (noise) "a larger noise_sd", large = if (noise) "a smaller noise_sd"
  )
}

# "sure", "vague" or "right"
judge_prior <- function(x) {
  found <- attr(x, "found")
  many <- stats::pbinom(count_outside(x) - 1, nrow(x), 1 - found$level, lower.tail = FALSE)
  single <- 2 * nrow(x) * stats::pnorm(-max(abs(x$z), 0))
  far <- tail_probabilities(found$misfit, found$rank, found$df)
  missed <- found$noise$learned && judge_noise(x) == "large"
  if (min(many, single, far[["above"]]) < 0.01 || missed) {
    "sure"
  } else if (far[["below"]] < 0.01) {
    "vague"
  } else {
    "right"
  }
}

# Is the noise in use too "small" for what was seen, too "large" or "right"?
judge_noise <- function(x) {
  noise <- attr(x, "found")$noise
  far <- tail_probabilities(noise$misfit, noise$rank, noise$df)
  if (far[["above"]] < 0.005) "small" else if (far[["below"]] < 0.005) "large" else "right"
}

# Of a chi-squared number with n degrees of freedom, its scale known by `df` of them. Without
# any it is 0 but for rounding.
tail_probabilities <- function(misfit, n, df) {
  if (round(n) < 1) {
    return(c(below = 1, above = if (misfit < 1) 1 else 0))
  }
  at <- misfit / round(n)
  c(
    below = stats::pf(at, round(n), df),
    above = stats::pf(at, round(n), df, lower.tail = FALSE)
  )
}

is_outside <- function(x) x$observed < x$lower | x$observed > x$upper

count_outside <- function(x) sum(is_outside(x))

# ---- In words and pictures ------------------------------------------------------------------

#' @export
`[.bayesgap_check` <- function(x, ...) {
  as.data.frame(x)[...]
}

#' @export
format.bayesgap_check <- function(x, ...) {
  head <- sprintf(
    "<predictive_check> %s, %s", count_of(sum(x$pulls), "observation"), count_of(nrow(x), "arm")
  )
  if (!nrow(x)) {
    return(c(head, "  nothing observed: there is nothing to check"))
  }
  worst <- utils::head(order(abs(x$z), decreasing = TRUE), 5L)
  shown <- x[worst, ]
  shown$z <- round(shown$z, 2)
  c(
    head, format_outside(x), format_verdict(x), format_noise(x), "",
    sprintf("The least expected%s", if (nrow(x) > 5L) sprintf(" (5 of %d arms)", nrow(x)) else ""),
    utils::capture.output(print(shown, digits = 4, row.names = FALSE))
  )
}

# An expected number of arms is rounded, but not to none.
format_outside <- function(x) {
  level <- attr(x, "found")$level
  expected <- (1 - level) * nrow(x)
  sprintf(
    "  %d of %s outside %s %s %% interval%s; %s to be expected", count_outside(x),
    paste(count_of(nrow(x), "arm"), if (nrow(x) == 1L) "lies" else "lie"),
    if (nrow(x) == 1L) "its" else "their", format(100 * level), if (nrow(x) == 1L) "" else "s",
    if (expected < 0.5) "none is" else paste("about", round(expected),
      if (expected < 1.5) "is" else "are")
  )
}

format_verdict <- function(x) {
  remedies <- attr(x, "remedies")
  noise <- judge_noise(x)
  try <- function(words) paste0("  Try update(x, ...) with ", one_of(words), ".")
  switch(judge_prior(x),
    sure = c(
      "  The prior is too sure: the arms differ from what it expects by more than it says.",
      try(c(if (noise == "small") remedies$small, remedies$sure))
    ),
    vague = c(
      "  The prior is too vague: the arms lie nearer to what it expects than it says.",
      try(c(if (noise == "large") remedies$large, remedies$vague))
    ),
    right = paste0(
      "  Nothing speaks against the prior", if (nrow(x) < 5L) ", but so few arms hardly could", "."
    )
  )
}

one_of <- function(words) {
  last <- length(words)
  if (last == 1L) words else paste(paste(words[-last], collapse = ", "), "or", words[last])
}

format_noise <- function(x) {
  noise <- attr(x, "found")$noise
  if (!noise$more) {
    return("  No arm was observed twice: the noise cannot be checked.")
  }
  extent <- if (noise$rates) {
    sprintf("%.2f times what the rates say", sqrt(noise$misfit / noise$more))
  } else if (is.null(noise$used)) {
    sprintf("%.2f times the noise in use", sqrt(noise$misfit / noise$more))
  } else {
    number <- function(value) format(signif(value, 2))
    paste0("sd ", number(noise$seen), "; noise_sd in use is ", number(noise$used))
  }
  verdict <- switch(judge_noise(x),
    small = if (noise$rates) ": its rate is not the same in all." else ", too small.",
    large = if (noise$rates) {
      ", too little for independent trials."
    } else if (noise$learned) {
      ": what the prior misses is taken for noise."
    } else {
      ", too large."
    },
    right = "."
  )
  c(
    paste0("  Repeated pulls differ from their arm's average by ", extent, verdict),
    if (noise$rates && judge_noise(x) == "small") {
      "  Tell what pulls share as blocks, or rates as rewards without a family; see ?family."
    }
  )
}

#' @export
print.bayesgap_check <- print_lines

# The rows to draw, with whether each is outside: those with the least expected rewards of
# too many, in order of expectation.
drawn_checks <- function(x, most = 60L) {
  table <- as.data.frame(x)
  table$outside <- is_outside(x)
  table <- table[utils::head(order(abs(table$z), decreasing = TRUE), most), ]
  table[order(table$expected, table$observed), ]
}

check_title <- function(x) {
  if (!nrow(x)) {
    return("Nothing observed")
  }
  sprintf(
    "%d of %s outside %s %% intervals", count_outside(x), count_of(nrow(x), "arm"),
    format(100 * attr(x, "found")$level)
  )
}
