# What is known of the blocks, in the user's units.

#' What is known of the blocks now
#'
#' `block_effects()` gives the belief about every block (see [blocks]) after the observations so
#' far: by how much the results in it were better or worse than elsewhere. Use it to find the plate
#' that was spoilt, the fold that is hard, or the judge who is strict.
#'
#' The effect of a block is what all pulls in it have in common, whatever the arm, in units of the
#' reward. Effects are counted from 0, the mean of all blocks that there could be: each is normal
#' about 0 beforehand, with the standard deviation `block_sd`, so that a block without pulls has the
#' effect 0. They are shrunk towards 0, the more so the fewer pulls a block has had. With few
#' blocks, and a learned `prior_mean`, read them as differences from the blocks seen; the section
#' on limits in [blocks] tells why. Where blocks move some arms more than others (`block_arm_sd`)
#' the effect is that on the average of all arms.
#'
#' @param x A run: the result of [bayesgap()] or [tell()].
#' @param level The probability of the interval from `lower` to `upper`.
#'
#' @return A data frame with one row a block, in the order in which they became known: `block`,
#'   `effect`, `sd`, `lower` and `upper` (averages over what was learned, as in
#'   [posterior()]), and `pulls`, those that did not fail. As long as nothing can be told of blocks,
#'   because there is one only or no two pulls are in one, effects are 0 and the rest is `NA`. No
#'   rows where the run has no blocks.
#' @seealso [blocks]; [posterior()] for the arms; `plot(x, "blocks")` for a picture;
#'   `vignette("blocks")`.
#' @export
#' @examples
#' luck <- c(mon = -2, tue = 0, wed = 3)
#' x <- bayesgap(4, function(arm, pull) arm + luck[[pull$block]] + rnorm(1, sd = 0.3), budget = 12,
#'               blocks = names(luck), seed = 1)
#' block_effects(x)
block_effects <- function(x, level = 0.95) {
  check_run(x)
  level <- check_level(level)
  found <- over_points(x, function(part) {
    list(mean = block_belief(part)$mean, scale = sqrt(block_variances(part)), df = part$fit$df)
  })
  belief <- mixed_belief(found, "mean", "scale", reward_sign(x), level)
  if (!block_sd_known(x)) {
    belief[c("sd", "lower", "upper")] <- list(rep(NA_real_, length(x$blocks)))
  }
  worked <- !is.na(x$log$reward)
  quick_frame(list(
    block = x$blocks, effect = belief$mean, sd = belief$sd, lower = belief$lower,
    upper = belief$upper, pulls = tabulate(x$log$block[worked], length(x$blocks))
  ))
}

# Is the sd of the blocks given, or was there anything to learn it from?
block_sd_known <- function(x) {
  block <- x$log$block[!is.na(x$log$reward)]
  !is.null(x$model$block_sd) || (x$fitted > 0L && is.null(given_block2(x$model, block)))
}
