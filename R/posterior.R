# The belief after data, in the user's units: means, intervals, P(best), regret.

#' What is known of the arms now
#'
#' `posterior()` gives the belief about every arm after the observations so far. Use it to
#' see how close the race is, and which arms are out of it.
#'
#' The probabilities come from joint draws of all arms' means, so they take account of the
#' correlation: two arms that move together and differ by little are told apart better than
#' their intervals suggest. The draws use random numbers of the run's own; calling
#' `posterior()` changes neither the run nor the session's generator, and gives the same
#' answer each time. Of more than 32 arms only those are drawn that may well be the best: the others
#' have a `p_best` of 0, and all of them together are the best with a probability below that of a
#' single draw. With a kernel and thousands of arms, see "Many arms" in [kernels].
#'
#' What was learned is not known: other values of prior mean, prior sd, noise, length scales and
#' the sd of blocks explain the rewards nearly as well. All that is said of the arms averages over
#' such values, each with its weight ([arm_model()] tells how), and `mean` is the average. The arm
#' that [best_arm()] gives is the one with the highest mean under the likeliest values, which may
#' differ where two arms are all but tied.
#'
#' With a [family], means and intervals are cut to what a rate can be: 0 to 1, or 0 and above. `sd`
#' is that of the rate cut so, as `simulate()` draws it; where the interval reaches an end it is
#' smaller than without the cut. Differences from a control are cut to what those of two rates
#' can be: -1 to 1 for conversions; those of counts have no end.
#'
#' Where the run has a `control`, every arm is compared with it as well. What the two have in
#' common, such as the blocks in which both were pulled, does not blur the difference: its interval
#' may be far shorter than those of the two arms.
#'
#' @param x A run: the result of [bayesgap()] or [tell()]; or the name of a file that holds one.
#' @param ... Must be empty.
#' @param level The probability of the interval from `lower` to `upper`.
#' @param draws The number of joint draws behind `p_best`. `NULL`: 10,000, or fewer where
#'   very many arms are still in the race.
#'
#' @return A data frame with one row an arm, in the order of the arms: `arm`, `mean`, `sd`
#'   (of the arm's mean, not of a pull), `lower` and `upper`, `pulls`, `p_best`, the
#'   probability that the arm is the best of all that are in the race, and `status`: `"active"`,
#'   `"failed"` where the arm was set aside because it fails, or `"dropped"`. With a `control`
#'   also `vs_control`, the expected difference from it, `vs_lower` and `vs_upper`, and `p_better`,
#'   the probability that the arm is better than the control; for the control itself 0, 0, 0 and
#'   `NA`.
#' @seealso [best_arm()]; [block_effects()] for the blocks; `vignette("get-started")`.
#' @export
#' @examples
#' x <- bayesgap(c("a", "b", "c"), budget = 6, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
#' x <- tell(x, data.frame(arm = c("a", "b", "c", "b"), y = c(0.1, 1.2, -0.3, 0.9), pull = NA))
#' posterior(x)
#'
#' # Against a control
#' x <- bayesgap(c("std", "new"), function(arm, pull) nchar(pull$block) + (arm == "new") + rnorm(1),
#'               budget = 12, blocks = c("mon", "wednesday"), control = "std", seed = 1)
#' posterior(x)
posterior <- function(x, ...) {
  check_run(x, file = TRUE)
  UseMethod("posterior")
}

#' @rdname posterior
#' @export
posterior.bayesgap <- function(x, level = 0.95, draws = NULL, ...) { # nolint: object_name_linter.
  check_dots(...)
  level <- check_level(level)
  posterior_table(x, level, certainty(x, draws))
}

# found: as certainty() gives it. shown: arms whose intervals are wanted (NULL: all), which take
# most of the time; those of the others are NA.
posterior_table <- function(x, level, found, shown = NULL) {
  belief <- mean_belief(x, found, if (is.null(shown)) level)
  if (!is.null(shown)) {
    ends <- mean_belief(x, part_arms(found, shown), level)[c("lower", "upper")]
    belief[names(ends)] <- lapply(ends, function(end) replace(0 * belief$mean + NA, shown, end))
  }
  arms <- x$model$arms
  own <- list(
    arm = arm_label(arms, seq_len(n_arms(arms))), mean = belief$mean, sd = belief$sd,
    lower = belief$lower, upper = belief$upper, pulls = x$belief$pulls, p_best = found$best,
    status = arm_status(x)
  )
  quick_frame(c(own, if (!is.null(x$model$control)) against_control(x, level, found)))
}

# What the parts believe of some arms.
part_arms <- function(found, arms) {
  found$parts <- lapply(found$parts, function(part) {
    list(mean = part$mean[arms], scale = part$scale[arms], df = part$df)
  })
  found
}

# found: weight and parts, of which these elements are asked, in the user's sign; f: what is made of
# the mixture.
mixed_belief <- function(found, mean, scale, sign, ..., f = mixed) {
  f(
    sign * side_by_side(found$parts, mean), side_by_side(found$parts, scale),
    vapply(found$parts, `[[`, 0, "df"), found$weight, ...
  )
}

# Of the means of arms, or what is fitted to pulls. A rate is what the normal distribution says, cut
# to what a rate can be: its quantiles are those of that distribution cut, its sd is less.
mean_belief <- function(x, found, level = NULL) {
  sign <- reward_sign(x)
  belief <- mixed_belief(found, "mean", "scale", sign, level)
  family <- family_of(x$model)
  if (is.null(family)) {
    return(belief)
  }
  belief$sd <- mixed_belief(found, "mean", "scale", sign, 0, family$most, f = cut_sd)
  belief_within_range(x$model, belief)
}

# The difference of every arm from the control, in the user's sign.
against_control <- function(x, level, found) {
  control <- x$model$control
  belief <- mixed_belief(found, "ahead", "apart", reward_sign(x), level)
  said <- lapply(belief[c("mean", "lower", "upper")], difference_within_range, model = x$model)
  better <- Map(function(part) {
    ifelse(part$apart > 0, stats::pt(part$ahead / part$apart, part$df), as.double(part$ahead > 0))
  }, found$parts)
  better <- drop(do.call(cbind, better) %*% found$weight)
  better[control] <- NA
  list(
    vs_control = said$mean, vs_lower = said$lower, vs_upper = said$upper, p_better = better
  )
}

# Of one point, for what part_belief() tells: how far every arm is ahead of the control, and the
# scale of that, which is that of the joint posterior of the two.
ahead_of_control <- function(x, doubt = level_doubt(x)) {
  control <- x$model$control
  apart <- apart_from(x, control, doubt, 8 * apart_rounding(x, control))
  list(ahead = x$belief$mean - x$belief$mean[control], apart = sqrt(apart))
}

# P(best) of every arm, and draws of the regret of the recommended one; weight and parts: of the
# values that it averages over, what each believes.
certainty <- function(x, draws = NULL) {
  if (!is.null(draws)) {
    draws <- check_count(draws, "draws", 1e7)
  }
  points <- learned_points(x)
  weight <- vapply(points, `[[`, 0, "weight")
  best <- numeric(length(x$belief$mean))
  regret <- double()
  stream <- certainty_stream(x$stream)
  parts <- with_stream(stream, lapply(seq_along(points), function(i) {
    part <- part_of(x, points[[i]])
    doubt <- level_doubt(part)
    source <- certainty_source(part, draws, doubt)
    if (is.null(draws)) {
      draws <<- affordable_draws(source$prior, length(source$belief$columns))
    }
    n <- allot_draws(draws, weight)[i]
    if (n > 0) {
      found <- .Call(
        bg_certainty, source$prior, source$fit, source$belief, source$level, source$arm, n
      )
      best[source$rows] <<- best[source$rows] + round(n * found$best) # draws, so that they add up
      regret <<- c(regret, found$regret)
    }
    versus <- if (!is.null(x$model$control)) ahead_of_control(part, doubt)
    c(part_belief(part, doubt = doubt), versus)
  }))
  if (!is.null(family_of(x$model))) {
    regret <- pmin(regret, family_of(x$model)$most)
  }
  list(best = best / draws, regret = regret, draws = draws, weight = weight, parts = parts)
}

# What the draws of one point are made from.
certainty_source <- function(x, draws, doubt) {
  x$belief$mean <- race_means(x)
  source <- draw_source(x, contenders(x, draws, doubt))
  source$arm <- match(x$belief$best, source$rows)
  source["level"] <- list(level_shift(x, source$rows, doubt))
  source
}

# From 500 to 10,000, by what one costs: a normal number as much as 75 arms of a column. 3e8 of
# these units take about a tenth of a second.
affordable_draws <- function(prior, columns) {
  arms <- length(prior$diagonal)
  factors <- NCOL(prior$factor)
  cost <- if (prior_kind(prior) == "independent" && !columns) {
    25 * arms
  } else {
    25 * (factors + columns + sum(prior$rest > 0)) + arms * (factors + columns) / 3
  }
  max(500, min(most_draws, floor(3e8 / cost)))
}

# The policy has the first substream of a pull, the objective the second.
certainty_stream <- function(stream) nextRNGSubStream(objective_stream(stream))

# Of an arm's variance, what is not worth a random number of its own.
too_little <- 1e-8

# What joint draws of some arms are made from: prior, fit and belief, and of which rows. Their
# posterior, factorised, stands in for a prior with nothing observed: it has far fewer columns than
# there were pulls. All variances are exact; where arms that a kernel makes alike are many and
# rough, or what is left of their variances is of the size of rounding, some correlations are lost.
draw_source <- function(x, rows = seq_along(x$belief$mean)) {
  prior <- run_prior(x)
  columns <- length(x$belief$columns)
  most <- factor_columns(length(rows), columns)
  if (!pays_to_factorise(prior, length(rows), columns, most)) {
    return(conditioned_source(x, sort(unique(c(rows, x$belief$arm)))))
  }
  fit <- x$fit
  var <- x$belief$var[rows]
  known <- factor_tolerance(fit$scale * prior$diagonal)
  found <- .Call(
    bg_posterior_factor, prior, fit, x$belief, rows, max(known, too_little * min(var)), most
  )
  left <- found$rest > too_little * var & found$rest > factor_tolerance(1, length(rows)) * var
  fit$scale <- 1
  fit$mean <- fit$mean[rows]
  list(
    prior = new_prior("features", found$factor, var, rest = found$rest * left), fit = fit,
    belief = belief_without_columns(race_belief(x$belief, rows)), rows = rows
  )
}

# Where the prior can be drawn from and conditioned, which takes its factor and a column a pull, the
# posterior's factor must be half as wide, and within what is affordable. A kernel without a factor
# has no other way.
pays_to_factorise <- function(prior, arms, columns, most) {
  alone <- prior_kind(prior) == "independent"
  if (!alone && is.null(prior$factor)) {
    return(TRUE)
  }
  wide <- if (alone || any(prior$rest > 0)) arms else ncol(prior$factor)
  min(wide, arms) <= min((wide + columns) / 2, most)
}

# Draws of the prior that are conditioned on what was observed, whose arms are among the rows.
conditioned_source <- function(x, rows) {
  fit <- x$fit
  fit$mean <- fit$mean[rows]
  if (!is.null(fit$loading)) {
    fit$loading <- fit$loading[, rows, drop = FALSE]
  }
  list(
    prior = race_prior(run_prior(x), rows), fit = fit, belief = race_belief(x$belief, rows),
    rows = rows
  )
}

belief_without_columns <- function(belief) {
  belief$columns <- list()
  belief$arm <- integer()
  belief$d <- double()
  belief$noise2 <- double()
  belief[c("block_mean", "block_var", "block")] <- list(NULL)
  belief
}

race_belief <- function(belief, rows) {
  k <- length(belief$mean)
  if (length(rows) == k) {
    return(belief)
  }
  belief$mean <- belief$mean[rows]
  belief$var <- belief$var[rows]
  belief$pulls <- belief$pulls[rows]
  coordinates <- c(rows, k + seq_along(belief$block_mean))
  belief$columns <- lapply(belief$columns, `[`, coordinates)
  belief$arm <- match(belief$arm, rows)
  belief
}

# What is lost with probability 0.05 at most by keeping the recommended arm.
regret_bound <- function(found, level = 0.95) {
  unname(stats::quantile(found$regret, level, type = 1))
}

# The probability that the recommended arm is the best, from these draws, in words.
best_text <- function(x, found) {
  probability_text(found$best[x$belief$best], found$draws, is_certain(x))
}

# Is nothing left to chance: one arm, or all known exactly?
is_certain <- function(x) {
  out <- arms_out(x)
  var <- if (is.null(out)) x$belief$var else x$belief$var[!out]
  length(var) == 1L || !any(var > 0)
}

# A probability that is known exactly.
exact_text <- function(p, certain = FALSE) probability_text(p, 1e9, certain)

# Shares of so many draws to two digits. What would round to 0 or 1 is a bound instead, or, where
# there are too few draws for it (by a one-sided 95 % interval), the nearest digit.
probability_text <- function(p, draws, certain = FALSE) {
  text <- sprintf("%.2f", p)
  hits <- round(p * draws)
  one <- p >= 0.995 & !certain
  sure <- stats::qbeta(0.05, pmax(hits, 0.5), draws - hits + 1) >= 0.99
  text[one] <- ifelse(sure, "> 0.99", "0.99")[one]
  none <- p < 0.005 & !certain
  sure <- stats::qbeta(0.95, hits + 1, pmax(draws - hits, 0.5)) <= 0.01
  text[none] <- ifelse(sure, "< 0.01", "0.01")[none]
  text
}

# Up to so many arms stand in pictures as they were given.
most_in_own_order <- 30L

# The arms that a picture shows: few in their own order, more from the best by their means on, the
# recommended one first, as many as it has room for.
shown_arms <- function(x, most = 60L) {
  mean <- race_means(x)
  if (length(mean) <= most_in_own_order) {
    return(seq_along(mean))
  }
  utils::head(unique(c(x$belief$best, order(mean, decreasing = TRUE))), most)
}

# For pictures: a name is cut where it would run out of them.
best_title <- function(x, found) {
  if (nothing_worked(x)) {
    return("Nothing worked: this is the prior")
  }
  sprintf("Best arm: %s", recommended_text(x, found, "  ", 26L))
}

# "220, 35 (P = 0.62)"; gap: between the two; start: what is kept of the beginning of a long name.
recommended_text <- function(x, found, gap = " ", start = 12L) {
  p <- best_text(x, found)
  name <- shortened(encodeString(x$model$arms$names[x$belief$best]), start, 8L)
  sprintf("%s%s(P %s)", name, gap, if (grepl("^[<>]", p)) p else paste("=", p))
}

# The beginning and the end of names that are longer than both.
shortened <- function(names, start, end = 4L) {
  long <- nchar(names) > start + end + 2L
  last <- substring(names, nchar(names) - end + 1L)
  names[long] <- paste0(substr(names, 1L, start), "..", last)[long]
  names
}

# The posterior covariance of all arms: the prior's less what the columns take away.
posterior_cov <- function(x) {
  check_dense(length(x$belief$var), "The posterior covariance")
  cov <- x$fit$scale * prior_cov(run_prior(x), seq_along(x$belief$var))
  if (length(x$belief$columns)) {
    own <- seq_along(x$belief$var) # the rows of the blocks come after them
    cov <- cov - tcrossprod(do.call(cbind, x$belief$columns)[own, , drop = FALSE])
  }
  diag(cov) <- x$belief$var
  t_variance(x$fit$df) * cov
}

#' The arm to keep
#'
#' `best_arm()` gives the arm that the run recommends after the observations so far. Use it
#' for the answer itself; `print(x)` says how sure it is.
#'
#' For the default policy this is the arm with the highest posterior mean, whether it was
#' pulled or not: under the model no other choice loses less on average. Before the first
#' observation it is the arm with the highest prior mean. Ties are broken at random. An arm that was
#' set aside because it fails (see [retry_arms()]), and never worked, is not recommended. Where
#' pulls were made and none of them worked there is no answer, but an error of class
#' `bayesgap_error_nothing_worked` with the first message.
#'
#' @param x A run: the result of [bayesgap()] or [tell()]; or the name of a file that holds one.
#' @return The arm as the objective gets it: its number, its name, its value, its row (a data
#'   frame of one row, the name in the column `arm`), or its element of the list.
#' @seealso [posterior()] for all arms; `vignette("get-started")`.
#' @export
#' @examples
#' x <- bayesgap(c("a", "b"), function(arm) if (arm == "a") 1 else 2, budget = 4, noise_sd = 0)
#' best_arm(x)
best_arm <- function(x) {
  check_run(x, file = TRUE)
  UseMethod("best_arm")
}

#' @export
best_arm.bayesgap <- function(x) { # nolint: object_name_linter.
  if (nothing_worked(x)) {
    abort(
      "nothing_worked", nothing_words(x), "\nSo there is no best arm. When it is mended, go on: ",
      "retry_arms(x) takes all arms as if they had not failed, and ",
      "bayesgap(x, budget = ) gives more pulls."
    )
  }
  arm_value(x$model$arms, x$belief$best)
}
