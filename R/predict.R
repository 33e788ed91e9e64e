# The usual questions to a fitted model, asked of a run.

#' Predictions, intervals and draws from a run
#'
#' `predict()` gives what to expect of the arms, `coef()` their posterior means and `confint()`
#' intervals for them, `simulate()` joint draws of them, `fitted()` and `residuals()` what is
#' made of the single observations, and `nobs()` their number. Use them where
#' other code expects the methods of a fitted model; [posterior()] says most of it at once.
#'
#' @param object A run: the result of [bayesgap()] or [tell()].
#' @param newdata,parm Some of the arms, by name, number or value, or as rows of the data frame of
#'   the arms; all by default.
#' @param type `"mean"` for the arms' true means, `"reward"` for one more pull of each, noise
#'   included; with a [family] for one more trial.
#' @param level The probability of the interval.
#' @param nsim The number of draws.
#' @param seed `NULL` for draws that follow the session's generator, or a whole number.
#' @param ... Must be empty.
#'
#' @return `predict()`: a data frame with the columns `arm`, `mean`, `sd`, `lower` and
#'   `upper`. `confint()`: a matrix with one row an arm. `simulate()`: a data frame with one
#'   row an arm and a column a draw, `sim_1`, `sim_2`, ...; arms that resemble each other move
#'   together. `coef()`: the arms' posterior means, named. `fitted()` and `residuals()`: for each
#'   row of `as.data.frame()` the posterior mean of its arm, with what its block adds to it where
#'   there are blocks (see [blocks]), and `y` less that; `NA` where the pull failed.
#'   `nobs()`: the number of rows where it did not.
#' @seealso [posterior()]; [predictive_check()]; `vignette("say-what-you-know")`.
#' @name predict.bayesgap
#' @examples
#' x <- bayesgap(4, function(arm) arm + rnorm(1), budget = 10, seed = 1)
#' predict(x, 3:4)
#' predict(x, type = "reward")
#' confint(x)
#' simulate(x, 2, seed = 1)
#' coef(x)
#' residuals(x)
#' nobs(x)
NULL

#' @rdname predict.bayesgap
#' @importFrom stats predict
#' @export
predict.bayesgap <- function(object, newdata = NULL, type = c("mean", "reward"),
                             level = 0.95, ...) {
  check_dots(...)
  type <- check_option(type, "type", c("mean", "reward"))
  level <- check_level(level)
  at <- some_arms(object, newdata, "newdata")
  belief <- if (type == "mean") {
    mean_belief(object, over_points(object, part_belief, at), level)
  } else {
    found <- over_points(object, part_reward, at)
    belief_within_range(
      object$model, mixed_belief(found, "mean", "scale", reward_sign(object), level)
    )
  }
  quick_frame(c(list(arm = arm_label(object$model$arms, at)), belief))
}

# What a point believes of one more pull of some arms.
part_reward <- function(part, at) {
  belief <- part_belief(part, at)
  belief$scale <- sqrt(belief$scale^2 + part$fit$noise2[at] + tilt_rest(part$fit, at) +
    block_prior_var(part$fit, at))
  belief
}

some_arms <- function(x, given, arg) {
  if (is.null(given)) {
    return(seq_len(n_arms(x$model$arms)))
  }
  match_arms(x$model$arms, given, arg)
}

#' @rdname predict.bayesgap
#' @importFrom stats confint
#' @export
confint.bayesgap <- function(object, parm = NULL, level = 0.95, ...) {
  table <- predict(object, parm, "mean", level, ...)
  ends <- paste(format(100 * c(1 - level, 1 + level) / 2, trim = TRUE, digits = 3), "%")
  matrix(
    c(table$lower, table$upper), ncol = 2L,
    dimnames = list(as.character(table$arm), ends)
  )
}

#' @rdname predict.bayesgap
#' @importFrom stats simulate
#' @export
simulate.bayesgap <- function(object, nsim = 1, seed = NULL, type = c("mean", "reward"), ...) {
  check_dots(...)
  nsim <- check_count(nsim, "nsim")
  type <- check_option(type, "type", c("mean", "reward"))
  x <- object
  k <- n_arms(x$model$arms)
  check_memory(
    nsim * (200 + 5 * 8 * k), # a column, and five numbers on the way to one
    sprintf("%s of %s", count_of(nsim, "draw"), count_of(k, "arm")), "Draw fewer at a time."
  )
  seed <- check_seed(seed)
  points <- learned_points(x)
  draws <- with_stream(new_stream(seed), {
    share <- cumsum(vapply(points, `[[`, 0, "weight"))
    of <- if (length(points) > 1L) findInterval(stats::runif(nsim, max = max(share)), share) else 0L
    of <- rep_len(pmin(of + 1L, length(points)), nsim)
    out <- matrix(0, k, nsim)
    for (i in unique(of)) {
      out[, of == i] <- draw_part(part_of(x, points[[i]]), sum(of == i), type)
    }
    as_rewards(x$model, reward_sign(x) * out, type)
  })
  colnames(draws) <- paste0("sim_", seq_len(nsim))
  structure(data.frame(draws, row.names = x$model$arms$names, check.names = FALSE), seed = seed)
}

# Where rewards are rates, draws that are cut to what these can be; a reward is then one trial.
as_rewards <- function(model, draws, type) {
  family <- family_of(model)
  draws[] <- within_range(model, draws)
  if (type == "reward" && !is.null(family)) {
    n <- length(draws)
    draws[] <- if (family$most == 1) stats::rbinom(n, 1L, draws) else stats::rpois(n, draws)
  }
  draws
}

# n draws of all arms' means, or of a reward of each, in one column. The noise of rates comes later.
draw_part <- function(x, n, type) {
  from <- draw_source(x)
  from$fit$df <- Inf # the stretch that makes a draw one of Student's t is for the noise too
  level <- level_shift(x, TRUE)
  off <- .Call(bg_draws, from$prior, from$fit, from$belief, level, n) - x$belief$mean
  if (type == "reward") {
    noise2 <- (if (is.null(family_of(x$model))) x$fit$noise2 else 0) + tilt_rest(x$fit)
    if (is.null(family_of(x$model)) || !is.null(x$fit$rest)) {
      off <- off + sqrt(noise2) * stats::rnorm(length(off))
    }
    if (x$fit$block2 > 0) {
      effects <- matrix(sqrt(x$fit$block2) * stats::rnorm(n * block_width(x$fit)), ncol = n)
      off <- off + rep(effects[1L, ], each = nrow(off))
      if (!is.null(x$fit$loading)) {
        off <- off + crossprod(x$fit$loading, effects[-1L, , drop = FALSE])
      }
    }
  }
  df <- x$fit$df
  stretch <- if (is.finite(df)) sqrt(df / stats::rchisq(n, df)) else rep(1, n)
  means_of(x) + off * rep(stretch, each = nrow(off))
}

#' @rdname predict.bayesgap
#' @importFrom stats coef
#' @export
coef.bayesgap <- function(object, ...) {
  check_dots(...)
  belief <- mean_belief(object, over_points(object, part_belief))
  structure(belief$mean, names = object$model$arms$names)
}

#' @rdname predict.bayesgap
#' @importFrom stats fitted
#' @export
fitted.bayesgap <- function(object, ...) {
  check_dots(...)
  fitted_belief(object)$mean
}

# What is fitted to each row, its arm and its block together: mean and sd.
fitted_belief <- function(x) {
  found <- over_points(x, function(part) {
    mean <- means_of(part, part$log$arm) + block_shift(part)
    list(mean = mean, scale = sqrt(fitted_var(part)), df = part$fit$df)
  })
  belief <- mean_belief(x, found)
  belief$mean[is.na(x$log$reward)] <- NA
  belief
}

fitted_var <- function(x) {
  arm <- x$log$arm
  doubt <- level_doubt(x)
  blocks <- !is.null(x$belief$block_mean)
  var <- if (blocks) pmax(seen_var(x), 0) else x$belief$var[arm]
  if (is.null(doubt)) {
    return(var)
  }
  var + doubt$var * (doubt$arms[arm] + if (blocks) by_row(x, doubt$blocks) else 0)^2
}

# The variance of each row's arm and block together.
seen_var <- function(x) {
  k <- length(x$belief$mean)
  arm <- x$log$arm
  var <- x$fit$scale * run_prior(x)$diagonal[arm] +
    ifelse(is.na(x$log$block), 0, block_prior_var(x$fit, arm))
  for (column in x$belief$columns) {
    var <- var - (column[arm] + by_row(x, column[-seq_len(k)]))^2
  }
  var
}

#' @rdname predict.bayesgap
#' @importFrom stats residuals
#' @export
residuals.bayesgap <- function(object, ...) {
  check_dots(...)
  reward_sign(object) * object$log$reward - fitted(object)
}

#' @rdname predict.bayesgap
#' @importFrom stats nobs
#' @export
nobs.bayesgap <- function(object, ...) {
  check_dots(...)
  object$observed
}
