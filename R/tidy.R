# tidy(), glance(), augment(): registered when the package generics (or broom) is loaded.

#' A run as tidy data frames
#'
#' `tidy()` gives one row an arm, `glance()` one row for the run, `augment()` one row an
#' observation with what the model makes of it. Use them to put many runs into one table;
#' the functions come from the package generics, which broom loads too.
#'
#' @param x A run: the result of [bayesgap()] or [tell()].
#' @param conf.level The probability of the interval.
#' @param ... Must be empty.
#' @return A data frame. `tidy()`: `arm`, `estimate`, `std.error`, `conf.low`, `conf.high`,
#'   `pulls`, `p.best`; with a control also `vs.control`, `vs.low`, `vs.high` and `p.better`, as
#'   [posterior()] has them. `glance()`: `arms`, `budget`, `spent` (of the budget, in its unit),
#'   `pulls`, `nobs`, `best`, `p.best`, `regret` (its 95 % quantile), `policy`, `maximise`, `blocks`
#'   (their number), `block.sd` and `block.arm.sd` (`NA`: there are none); `best`, `p.best` and
#'   `regret` are `NA` where
#'   no pull worked. `augment()`: as `as.data.frame(x)`, with `.fitted`, `.se.fit` and `.resid`;
#'   what is fitted is the mean of the arm and the effect of the block.
#' @seealso [posterior()] and `as.data.frame()`, which need no other package;
#'   `vignette("get-started")`.
#' @name tidy.bayesgap
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' x <- bayesgap(3, function(arm) arm + rnorm(1), budget = 8, seed = 1)
#' generics::tidy(x)
#' generics::glance(x)
#' head(generics::augment(x))
NULL

#' @rdname tidy.bayesgap
#' @usage \method{tidy}{bayesgap}(x, conf.level = 0.95, ...)
#' @exportS3Method generics::tidy
tidy.bayesgap <- function(x, conf.level = 0.95, ...) { # nolint: object_name_linter.
  check_dots(...)
  table <- posterior(x, conf.level)
  quick_frame(c(
    list(
      arm = table$arm, estimate = table$mean, std.error = table$sd,
      conf.low = table$lower, conf.high = table$upper, pulls = table$pulls,
      p.best = table$p_best
    ),
    if (!is.null(x$model$control)) {
      list(
        vs.control = table$vs_control, vs.low = table$vs_lower, vs.high = table$vs_upper,
        p.better = table$p_better
      )
    }
  ))
}

#' @rdname tidy.bayesgap
#' @usage \method{glance}{bayesgap}(x, ...)
#' @exportS3Method generics::glance
glance.bayesgap <- function(x, ...) { # nolint: object_name_linter.
  check_dots(...)
  found <- certainty(x)
  none <- nothing_worked(x)
  best <- if (none) NA_integer_ else x$belief$best
  quick_frame(list(
    arms = n_arms(x$model$arms), budget = x$budget, spent = spent(x), pulls = counted(x),
    nobs = x$observed,
    best = arm_label(x$model$arms, best), p.best = found$best[best],
    regret = if (none) NA_real_ else regret_bound(found), policy = format(x$policy),
    maximise = x$maximise,
    blocks = length(x$blocks), block.sd = if (has_blocks(x)) sqrt(x$fit$block2) else NA_real_,
    block.arm.sd = if (has_blocks(x)) sqrt(x$fit$tilt2) else NA_real_
  ))
}

#' @rdname tidy.bayesgap
#' @usage \method{augment}{bayesgap}(x, ...)
#' @exportS3Method generics::augment
augment.bayesgap <- function(x, ...) { # nolint: object_name_linter.
  check_dots(...)
  table <- as.data.frame(x)
  belief <- fitted_belief(x)
  table$.fitted <- belief$mean
  table$.se.fit <- belief$sd
  table$.resid <- table$y - belief$mean
  table
}
