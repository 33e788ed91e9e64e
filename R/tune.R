# tune_bayesgap(): tuning parameters of a model, chosen from a grid fit by fit. Here is what all
# kinds of models share; each has a file of its own.

#' Tune a model with a fixed number of fits
#'
#' `tune_bayesgap()` chooses a model's tuning parameters from a grid of candidates, as
#' `tune::tune_grid()`, `mlr3tuning::tune()` or `caret::train()` do, but decides after every fit
#' which candidate is to be fitted next, and on which resample. Use it where fits are slow, or the
#' grid is too large to be fitted on all resamples: a part of the fits is enough.
#'
#' A fit of one candidate on one resample is a pull of [bayesgap()], the resamples are its
#' [blocks], and nothing is fitted twice. So it is learned how hard each resample is, and which
#' part of the grid it is kind to, how alike neighbours of the grid are, and how noisy fits are. The
#' answer is the candidate with the best expected performance, not the one that was lucky, with how
#' sure that is.
#'
#' A candidate that cannot be fitted is a pull that failed: three such failures in a row set it
#' aside, which is said once, and the others are tuned; see [retry_arms()].
#'
#' @section What may be added:
#' Any further argument of [bayesgap()] but those that are set here. The most useful:
#'
#' * `seed`: the same seed gives the same result, on any number of workers where `batch` is given.
#' * `checkpoint = "tuning.bgap"`: every fit is kept in a file. After a crash or a kill the same
#'   call goes on from there. It must be of the same candidates, resamples, data, model and metric:
#'   set a seed before resamples are drawn.
#' * `batch`: how many fits are chosen at a time. Left out, it is the number of workers of your
#'   [future::plan()], or 1 where there is no plan.
#' * `stop_regret`: stop when no more than this is lost with probability 0.95, in units of the
#'   metric.
#' * `cost`: what a fit of each candidate costs, in seconds for instance, one number a candidate;
#'   the budget is then what may be spent. So forests of 50 trees are preferred to those of 2,000
#'   while they tell as much.
#' * `progress = TRUE`: fits made, who leads, P(best) and the time that is left.
#' * `time_limit`: the seconds that a fit may take; longer ones have failed.
#'
#' @section Which candidates are alike:
#' Where no `kernel` is given, one is made from the columns of the grid. Numbers are taken by their
#' ranks, so that it does not matter whether a penalty is told by itself or by its logarithm, and
#' candidates that are near in all of them are alike, by `k_matern()`; how near is learned. Other
#' columns are categories, `k_factor()` with a similarity that is learned. A small part
#' of the variance is each candidate's own, so that a good one among bad neighbours is not given up
#' unseen; but not where a `cost` is told. A kernel of your own names the columns of the grid:
#' `kernel = k_matern(~ log10(penalty) + mixture)`.
#'
#' @param object A workflow, a model specification or a workflow set of tidymodels; a learner of
#'   mlr3; or the name of a method of caret.
#' @param ... Further arguments: those of the method, and those of [bayesgap()], such as `seed` or
#'   `checkpoint`; see below.
#' @return See the methods for [tidymodels][tune_tidymodels], [mlr3][tune_mlr3] and
#'   [caret][tune_caret]. [tuning_run()] gives the run: its log, its posterior, its pictures.
#' @seealso `vignette("tune-your-own-grid")`
#' @export
#' @examples
#' # caret: 12 nearest-neighbour models, 30 of the 120 fits
#' if (requireNamespace("caret", quietly = TRUE)) {
#'   folds <- caret::trainControl("cv", number = 10)
#'   ks <- data.frame(k = 1:12)
#'   tuned <- tune_bayesgap("knn", mpg ~ ., mtcars, tuneGrid = ks, trControl = folds,
#'                          preProcess = "scale", budget = 30, seed = 1)
#'   tuned$bestTune
#'   tuning_run(tuned)
#'   predict(tuned, mtcars[1:3, ])
#' }
tune_bayesgap <- function(object, ...) {
  UseMethod("tune_bayesgap")
}

#' @export
tune_bayesgap.default <- function(object, ...) {
  must <- paste(
    "a workflow, a model specification or a workflow set of tidymodels, a learner of mlr3, or the",
    "name of a method of caret"
  )
  abort_argument("object", "object", must, if (!missing(object)) object)
}

#' The run behind a tuning
#'
#' `tuning_run()` gives the run that [tune_bayesgap()] made, with everything that was observed. Use
#' it to see how sure a choice is, to look at pictures, or for any other function of this package.
#'
#' @param x What [tune_bayesgap()] returned, or a tuner `tnr("bayesgap")` or its instance.
#' @return A run, as [bayesgap()] makes it. Its arms are the candidates; rows of its log are fits.
#' @seealso [tune_bayesgap()], [posterior()]; `vignette("tune-your-own-grid")`.
#' @export
#' @examples
#' if (requireNamespace("caret", quietly = TRUE)) {
#'   folds <- caret::trainControl("cv", number = 5)
#'   tuned <- tune_bayesgap("knn", mpg ~ ., mtcars, tuneGrid = data.frame(k = 1:9),
#'                          trControl = folds, budget = 20, seed = 1)
#'   plot(tuning_run(tuned))
#' }
tuning_run <- function(x) {
  run <- attr(x, "bayesgap_run", exact = TRUE)
  if (is.null(run)) {
    abort_argument("run", "x", "a result of tune_bayesgap()", x)
  }
  run
}

with_run <- function(x, run) {
  attr(x, "bayesgap_run") <- run
  x
}

# ---- The run ------------------------------------------------------------------------------------

# What tune_bayesgap() sets itself, so that it cannot be added.
set_by_tuning <- c("arms", "objective", "blocks", "replace", "maximise", "family", "control")

# One run. problem: list(grid, names, labels, marks, fit, maximise, parallel, progress, by): the
# candidates, a row each, and perhaps their names; the labels of the resamples, and what tells them
# from others of the same labels; fit(row, split) gives a list with y, the metric; by: see
# grid_kernel().
run_tuning <- function(problem, budget, kernel, ..., block_arm_sd = NULL, batch = NULL,
                       checkpoint = NULL, progress = NULL) {
  arms <- tuning_arms(problem$grid, problem$names, !is.null(list(...)$cost))
  labels <- problem$labels
  check_labels(labels)
  if (is.null(kernel) && !any(c("cov", "features", "history") %in% dots_names(...))) {
    own <- if (is.null(list(...)$cost)) own_share else 0
    kernel <- grid_kernel(arms[names(arms) != "arm"], problem$by, own)
  }
  check_same_tuning(checkpoint, problem$marks)
  if (is.null(progress)) {
    progress <- if (is.null(problem$progress)) interactive() else problem$progress
  }
  several <- length(labels) > 1L
  fit <- problem$fit
  marks <- problem$marks
  carry_out_fit <- function(arm, pull) {
    split <- if (several) match(pull$block, labels) else 1L
    c(fit(match(arm$arm, arms$arm), split), list(.split = marks[split]))
  }
  bayesgap(
    arms, carry_out_fit, tuning_budget(budget, nrow(arms), length(labels), ...),
    blocks = if (several) labels, block_arm_sd = block_arm_sd, replace = FALSE,
    maximise = problem$maximise, kernel = kernel,
    family = "gaussian", # though some metrics are 0 or 1 on small resamples
    batch = if (is.null(batch)) free_workers(problem$parallel) else batch,
    checkpoint = checkpoint, progress = progress, ...
  )
}

# The candidates as arms: with names, and without columns that the tables of a run have themselves.
tuning_arms <- function(grid, names = NULL, costs = FALSE) {
  reserved <- c("arm", "pull", "block", "y", "se", "error", if (costs) "cost")
  taken <- names(grid) %in% reserved
  names(grid)[taken] <- make.unique(c(names(grid)[!taken], paste0(names(grid)[taken], "_")))[
    sum(!taken) + seq_len(sum(taken))
  ]
  if (is.null(names)) {
    names <- as_arms(grid)$names
  }
  rownames(grid) <- NULL
  cbind(arm = names, grid)
}

check_labels <- function(labels) {
  twice <- anyDuplicated(labels)
  if (!length(labels) || twice) {
    abort(
      "resamples", "The resamples must have different names, and there must be one; ",
      if (twice) c("two are called ", quoted(labels[twice])) else "there is none", "."
    )
  }
}

# One a resample, given the rows of each, and what else makes a fit another one.
tuning_marks <- function(rows, about) {
  about <- fingerprint(about)
  vapply(unname(rows), function(r) substr(fingerprint(list(r, about)), 1L, 12L), "")
}

# Of data, however large.
data_mark <- function(data) checksum(serialize(data, NULL, version = 2L))

# What others print of an object, the same in any terminal.
printed <- function(x) {
  old <- options(width = 80L, cli.width = 80L, cli.num_colors = 1L, cli.unicode = FALSE)
  on.exit(options(old))
  utils::capture.output(print(x))
}

# Other fits under the same labels would be taken for those of this call.
check_same_tuning <- function(checkpoint, marks) {
  if (!is_string(checkpoint) || !file.exists(checkpoint)) {
    return()
  }
  known <- as.data.frame(read_run(checkpoint))$.split
  if (length(setdiff(known, c(marks, NA)))) {
    abort(
      "checkpoint", "`checkpoint` holds fits on other resamples, or of another model, metric or ",
      "data than this call is of. Make the same call, with resamples drawn with the same seed, or ",
      "name another file."
    )
  }
}

# Resamples that are drawn here are those of the run's seed, so that they are the same again.
check_drawn_again <- function(seed, checkpoint, or) {
  if (!is.null(checkpoint) && is.null(seed)) {
    abort(
      "seed", "`seed` must be given where there is a `checkpoint`, so that the resamples are the ",
      "same when it is resumed; or ", or, "."
    )
  }
}

draw_by_seed <- function(seed, code) {
  if (is.null(seed)) code else with_stream(new_stream(check_seed(seed)), code)
}

# Errors of other packages are errors of the argument that they are about.
checked_by <- function(what, code) {
  tryCatch(code, error = function(e) {
    abort(what, "`", what, "` cannot be used: ", conditionMessage(e))
  })
}

# The grid has these columns, and rows.
check_grid_columns <- function(grid, parameters, arg) {
  absent <- setdiff(parameters, names(grid))
  other <- setdiff(names(grid), parameters)
  if (length(absent) || length(other) || !nrow(grid)) {
    abort(
      arg, "`", arg, "` must have rows, and a column for each parameter that is to be tuned, ",
      quoted(parameters), "; ",
      if (length(absent)) c(quoted(absent), " is missing.")
      else if (length(other)) c(quoted(other[1L]), " is not one of them.")
      else "it has no rows."
    )
  }
}

check_added <- function(...) {
  given <- dots_names(...)
  check_named(given)
  check_not_set(given)
  unknown <- setdiff(given, names(formals(bayesgap)))
  if (length(unknown)) {
    abort(
      "dots", "tune_bayesgap() has no argument `", unknown[1L],
      "`. Further ones are those of bayesgap().",
      suggest(unknown[1L], setdiff(names(formals(bayesgap)), set_by_tuning), "`")
    )
  }
}

check_named <- function(given) {
  if (any(given == "")) {
    abort("dots", "Further arguments of tune_bayesgap() must have names; one has none.")
  }
}

check_not_set <- function(given, ours = set_by_tuning) {
  ours <- intersect(given, ours)
  if (length(ours)) {
    abort("dots", "`", ours[1L], "` is set by tune_bayesgap() and cannot be given.")
  }
}

dots_names <- function(...) {
  given <- names(list(...))
  if (is.null(given)) character(...length()) else given
}

# Fits, at most all there are; with costs, what may be spent.
tuning_budget <- function(budget, candidates, resamples, cost = NULL, ...) {
  all <- candidates * resamples
  if (!is.null(cost)) {
    if (is.null(budget)) {
      abort("budget", "`budget` must be given where `cost` is: what may be spent in all.")
    }
    return(budget)
  }
  if (is.null(budget)) {
    return(min(all, max(20L, ceiling(all / 5))))
  }
  min(check_count(budget, "budget"), all)
}

free_workers <- function(parallel) {
  if (!isFALSE(parallel) && has_workers()) min(future::nbrOfWorkers(), 1000L) else 1L
}

# ---- Which candidates are alike -----------------------------------------------------------------

# What each candidate has for itself, beside a variance of 1 that neighbours share, or of 2 where
# there are several kinds of models: neighbours do not tell all. Without it a good candidate beside
# bad ones is given up after a fit or two; but where fits cost differently there would always be a
# cheap one left to look at, and dear ones would hardly be tried (bench/TUNING.md).
own_share <- 0.05

# Numbers by their ranks, all else by category; NULL where nothing differs. by: the column whose
# values have nothing in common.
grid_kernel <- function(grid, by = NULL, own = own_share) {
  columns <- setdiff(names(grid), by)
  differ <- columns[vapply(grid[columns], function(v) length(unique(v)) > 1L, TRUE)]
  ranked <- vapply(grid[differ], is.numeric, TRUE)
  parts <- c(
    if (any(ranked)) list(k_matern(formula_of("grid_rank", differ[ranked]))),
    if (!all(ranked)) list(k_factor(formula_of("grid_class", differ[!ranked]), similarity = NULL))
  )
  kernel <- if (length(parts)) Reduce(`*`, parts)
  if (!is.null(by) && length(unique(grid[[by]])) > 1L) {
    # What candidates of one kind share, and what of it varies.
    kernel <- k_by(
      formula_of("grid_class", by), if (is.null(kernel)) k_const() else k_const() + kernel
    )
  }
  if (is.null(kernel) || own == 0) kernel else kernel + k_const(own) * k_white()
}

# A formula whose functions are those of this package.
formula_of <- function(fun, columns) {
  terms <- sprintf("%s(`%s`)", fun, gsub("`", "\\\\`", columns))
  stats::as.formula(paste("~", paste(terms, collapse = " + ")), topenv())
}

# From 0 to 1; a value that a candidate does not have is 0, the same for all of its kind.
grid_rank <- function(v) {
  rank <- (rank(v, na.last = "keep") - 1) / max(sum(!is.na(v)) - 1, 1)
  replace(rank, is.na(v), 0)
}

grid_class <- function(v) {
  text <- as.character(v)
  replace(text, is.na(text), "")
}

# ---- What is found ------------------------------------------------------------------------------

# One row a candidate, the recommended one first, then by what is expected of them; those that
# were set aside are left out.
ranked_candidates <- function(run) {
  found <- posterior(run)
  best <- best_row(run)
  found$regret <- candidate_regrets(run, found, best)
  found$row <- seq_len(nrow(found))
  order <- order(found$row != best, reward_sign(run) * -found$mean)
  kept <- found$status[order] == "active" | order == best
  found[order[kept], ]
}

# The row of the recommended candidate.
best_row <- function(run) match(best_arm(run)$arm, run$model$arms$names)

# What keeping each candidate loses, with probability 0.95 no more; that of the recommended one is
# what print() says.
candidate_regrets <- function(run, found, best, draws = 2000L) {
  means <- reward_sign(run) * as.matrix(simulate(run, draws, seed = 1))
  means[found$status != "active" & seq_along(found$arm) != best, ] <- -Inf
  top <- apply(means, 2L, max)
  lost <- apply(means, 1L, function(m) stats::quantile(top - m, 0.95, type = 1, names = FALSE))
  lost[best] <- regret_bound(certainty(run))
  unname(lost)
}
