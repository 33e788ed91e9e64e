# A run under another prior: the same pulls, another model.

#' A run under another prior
#'
#' `update()` analyses the observations of a run anew with another prior, without new pulls;
#' `logLik()` tells how well a prior explains them. Use them to see how much the answer depends
#' on the prior, and which of several explains the observations better.
#'
#' What is not named stays as it was. `NULL` leaves a value to the data, and a `kernel`, `cov`,
#' `features` or `history` of `NULL` makes the arms independent. A run that is not finished can
#' go on: its further pulls are chosen under the new prior.
#'
#' Another `family` must fit the results as they were told. Rewards that are all 0 or 1 may become
#' `"binomial"`, whole numbers from 0 `"poisson"`, and trials an exposure; a `noise_sd` is to be
#' given up (`noise_sd = NULL`), and there may be no standard errors. Results of several trials a
#' pull do not become `"gaussian"`, since their number would be lost: tell the rates to a new run
#' instead.
#'
#' The log likelihood is that of all rewards under the values in use (see [summary.bayesgap()]),
#' the arms' means integrated out: the marginal likelihood. It counts what was learned
#' from the rewards as parameters, so that [AIC()] and [BIC()] work. The values in use are near
#' the most likely ones, not exactly those: weak priors and some caution enter them (see
#' [arm_model()]). An exact observation (`noise_sd = 0`) is taken to have a tiny noise.
#'
#' @param object A run: the result of [bayesgap()] or [tell()].
#' @param ... Must be empty.
#' @param kernel,cov,features,history,prior_mean,prior_sd,noise_sd,block_sd,block_arm_sd What is to
#'   be believed of the arms instead, as in [arm_model()].
#' @param family What the rewards are instead, see [family].
#' @return `update()`: a run. `logLik()`: an object of class [logLik][stats::logLik].
#' @seealso [predictive_check()] for where a prior fails; `vignette("say-what-you-know")`.
#' @name update.bayesgap
#' @examples
#' # Was it right to take the settings of a dial for unrelated?
#' dial <- data.frame(position = 1:12)
#' x <- bayesgap(dial, function(arm) sin(arm$position / 3) + rnorm(1, sd = 0.3),
#'               budget = 30, seed = 1)
#' smooth <- update(x, kernel = k_se())
#' smooth
#' c(unrelated = logLik(x), smooth = logLik(smooth))
#' AIC(x, smooth)
NULL

#' @rdname update.bayesgap
#' @importFrom stats update
#' @export
update.bayesgap <- function(object, ..., kernel, cov, features, history,
                            prior_mean, prior_sd, noise_sd, family, block_sd, block_arm_sd) {
  check_dots(...)
  check_run(object)
  named <- setdiff(names(match.call(expand.dots = FALSE)), c("", "object", "..."))
  changes <- mget(named)
  other <- "family" %in% named
  x <- if (other) by_hand(object) else object # results of a batch are the old family's
  x$model <- update_model(x$model, changes)
  begin(if (other) check_family_fits(x, object$model$family) else x)
}

# Is the log one of the family? Nothing is rounded, and no size is lost.
check_family_fits <- function(x, before) {
  if (is_sized(x$log, x)) {
    return(x)
  }
  family <- family_of(x$model)
  if (is.null(family)) {
    abort(
      "family", "`family` must stay \"", before, "\": the `", families[[before]]$size, "` of the ",
      "results would be lost without it. To have the rates as rewards, tell ",
      "as.data.frame(x)[c(\"pull\", \"arm\", \"y\")] to a new run."
    )
  }
  rows <- seq_along(x$log$arm)
  bad <- match(FALSE, vapply(rows, function(i) is_sized(log_rows(x$log, i), x), TRUE))
  size <- x$log$size[bad]
  abort(
    "family", "Row ", bad, " of as.data.frame(x) is no result of family \"", family$name,
    "\": its `y` is ", format(reward_sign(x) * x$log$reward[bad]),
    if (size != 1) c(", with a size of ", format(size)),
    if (!is.na(x$log$se[bad])) ", with an `se`, which the rates tell",
    ". Results of one trial are ", single_words(family), "."
  )
}

#' @rdname update.bayesgap
#' @importFrom stats logLik
#' @export
logLik.bayesgap <- function(object, ...) {
  check_dots(...)
  check_run(object)
  structure(
    log_likelihood(object), df = count_learned(object), nobs = object$observed,
    class = "logLik"
  )
}
