# autoplot(): the door to all pictures of a run with ggplot2.

#' Pictures of a run with ggplot2
#'
#' `autoplot()` draws a run with the package ggplot2: what is known of the arms, in which
#' order they were pulled, how certainty grew, the belief over the arms' columns and which of them
#' matter, several runs side by side, the blocks, whether the prior predicts the rewards, or the
#' rewards as they came. Use it where you want to change or save the picture as a ggplot; [plot()
#' ][plot.bayesgap] draws arms, blocks and log, and `plot(predictive_check(x))` the check, without
#' that package.
#'
#' * `"arms"`: posterior means and intervals, the single rewards in grey, and the number of
#'   pulls of each arm along the top; the recommended arm is orange and a diamond. Arms that were
#'   set aside (see [retry_arms()]) or dropped are grey, dashed and hollow. Up to 30 arms are drawn
#'   in their own order; more from the best posterior mean on, at most 60.
#' * `"pulls"`: the arms in the order in which they were pulled, the darker the better the
#'   reward; a cross is a pull that failed. The recommended arm has a line. Of more than 30 arms
#'   those with pulls are drawn, at most 40.
#' * `"certainty"`: P(best) of the five arms that were most likely over the run, and of all others
#'   together, after up to 40 numbers of pulls (12 where each takes long: many correlated arms with
#'   blocks that are learned); below, what is lost at most, with probability `level`, by keeping the
#'   arm that had the highest mean then (at the end, the recommended one). The log is gone through
#'   again: what is left to the data is learned from the rewards up to then, and arms that are
#'   dropped by now are left out all along.
#' * `"surface"`: the belief over two columns of the arms: the posterior mean, the darker the
#'   better, or its standard deviation, the darker the larger; dots are pulls, a diamond is the
#'   recommended arm, a cross an arm that was set aside or dropped. Of one column, a curve with
#'   its interval and the rewards. What other columns of the kernel say makes panels, up to 9;
#'   beyond that, and where arms share a place otherwise, the best of them is drawn.
#' * `"blocks"`: the effects of the blocks (see [block_effects()]) with their intervals, and the
#'   number of pulls in each along the top; at most 60 blocks, those with most pulls.
#' * `"compare"`: what this and further runs, given in `...`, believe of the arms that any of them
#'   thinks likely to be the best, at most 12: posterior means with intervals, and P(best). Diamonds
#'   are what each recommends.
#' * `"importance"`: how much each column of the arms matters by the kernel, see below.
#' * `"check"`: the averages of the observed arms, and intervals where the prior and the other
#'   arms expect them (see [predictive_check()]), in order of expectation, at most 60 arms; an
#'   average outside its interval is orange and a triangle.
#' * `"log"`: every reward at the number of its pull (or in the order told, where some were made
#'   outside the budget), coloured by its block, or else by its arm if there are few. The
#'   recommended arm is ringed, and a cross at the foot is a pull that failed.
#'
#' Successes and counts (see [family]), and rewards that are all 0 or 1, are drawn as rates: those
#' of each arm with Wilson's interval of a proportion or Garwood's of a count, and in the log each
#' result with its interval or, of single trials, the rate of all so far. Long names are cut in the
#' middle, and what is left out is said below the picture.
#'
#' @section Importance of columns:
#' The kernel says how far two arms are expected to differ. The importance of a column is the
#' expected squared difference of two arms that differ in this column only, over that of two arms at
#' random,
#' \deqn{I_j = \frac{E[k(x, x) + k(x', x') - 2 k(x, x')]}{E[k(x, x) + k(z, z) - 2 k(x, z)]},}
#' where `x` and `z` are arms and `x'` is `x` with column `j` of `z`; the averages are over all
#' pairs of arms, or of 60 of them. For a column of [k_se()] the numerator is the average of
#' \eqn{2 (1 - \exp(-(x_j - z_j)^2 / (2 l_j^2)))}: with a length scale far beyond the range of the
#' column it is 0, with one far below its steps as large as can be. This is the share of the
#' variance that would be left if all other columns were known (a total effect in the sense of
#' Sobol'), as the kernel expects it. Columns that act together each have what they do together, so
#' that shares may add up to more than 1. Bars are averages over the length scales that explain the
#' rewards, lines their intervals.
#'
#' @param object A run: the result of [bayesgap()] or [tell()].
#' @param type The kind of picture.
#' @param ... For `"compare"`, further runs or names of files that hold one; their names are the
#'   labels. Otherwise must be empty.
#' @param level The probability of the intervals.
#' @param columns For `"surface"`: the names of one or two columns of the arms. `NULL`: the first
#'   two with numbers that the kernel uses, or the only one.
#' @param show For `"surface"`: the posterior mean or its standard deviation.
#'
#' @return A ggplot object, to which scales, titles and themes can be added. What a run cannot have
#'   is an error that says why: a surface of arms without columns (class `bayesgap_error_surface`),
#'   the importance of columns without a kernel of them (`bayesgap_error_importance`), runs that
#'   cannot be compared (`bayesgap_error_compare`).
#' @seealso [plot.bayesgap()]; `vignette("get-started")`.
#' @usage \method{autoplot}{bayesgap}(object, type = c("arms", "pulls", "certainty", "surface",
#'   "blocks", "compare", "importance", "check", "log"), ..., level = 0.95, columns = NULL,
#'   show = c("mean", "sd"))
#' @exportS3Method ggplot2::autoplot
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   x <- bayesgap(8, function(arm) sin(arm) + rnorm(1, sd = 0.5), budget = 12, seed = 1)
#'   ggplot2::autoplot(x)
#'   ggplot2::autoplot(x, "certainty")
#'
#'   grid <- expand.grid(heat = 1:6, time = 1:5)
#'   loss <- function(arm) (arm$heat - 3)^2 + (arm$time - 2)^2 / 4 + rnorm(1)
#'   x <- bayesgap(grid, loss, budget = 15, maximise = FALSE, kernel = k_se(~ heat + time),
#'                 seed = 1)
#'   ggplot2::autoplot(x, "surface")
#'   ggplot2::autoplot(x, "importance")
#' }
autoplot.bayesgap <- function( # nolint: object_name_linter.
    object, type = c(
      "arms", "pulls", "certainty", "surface", "blocks", "compare", "importance", "check", "log"
    ), ..., level = 0.95, columns = NULL, show = c("mean", "sd")) {
  type <- check_option(type, "type", picture_types)
  if (type != "compare") {
    check_dots(...)
  }
  check_installed("ggplot2", "autoplot()")
  level <- check_level(level)
  show <- check_option(show, "show", c("mean", "sd"))
  if (!is.null(columns) && type != "surface") {
    abort("columns", "`columns` are for type = \"surface\", not \"", type, "\".")
  }
  switch(type,
    arms = draw_arms(object, level),
    pulls = draw_pulls(object),
    certainty = draw_certainty(object, level),
    surface = draw_surface(object, level, columns, show),
    blocks = draw_blocks(object, level),
    compare = draw_compare(object, list(...), level),
    importance = draw_importance(object, level),
    check = draw_check(predictive_check(object, level)),
    log = draw_log(object, level)
  )
}

picture_types <- c(
  "arms", "pulls", "certainty", "surface", "blocks", "compare", "importance", "check", "log"
)
