# tune_bayesgap() for caret: a fit is train() of one candidate on one resample without any further
# resampling, judged by the summary function; the last is one of the choice on all data.

#' Tune a model of caret
#'
#' The method of [tune_bayesgap()] for the name of a method of caret. Use it where you used
#' `caret::train()` with a `tuneGrid`, or its adaptive resampling.
#'
#' The candidates, the resamples and the metric are told as in `train()`. Resamples are those of
#' `trControl`: cross-validation, also repeated, bootstrap, "LGOCV" and "timeslice", or any that are
#' given as `index` (and `indexOut`). What is chosen is fitted to all data and returned.
#'
#' @inheritParams tune_tidymodels
#' @param object The name of a method of caret, such as `"svmRadial"`.
#' @param form,data A formula and the data, or predictors (a data frame or matrix) and the outcome.
#'   The data must have no gaps.
#' @param ... Arguments of [bayesgap()], such as `seed` or `checkpoint`, see [tune_bayesgap()]; all
#'   others are for `caret::train()`: `preProcess`, `weights`, or what the model has of its own.
#' @param tuneGrid The candidates, a data frame with the columns that `train()` wants.
#' @param tuneLength Without a `tuneGrid`: how many values of each parameter.
#' @param trControl How fits are resampled and judged, made by `caret::trainControl()`.
#' @param metric The name of one of the numbers that the summary function of `trControl` gives.
#'   `NULL`: the RMSE, or the accuracy.
#' @param maximize Is more of it better? `NULL`: yes, unless it is the RMSE, MAE or logLoss.
#' @return An object of class `train`, as of `caret::train()`: `predict()` works, `bestTune` is the
#'   choice, `results` has the means of the fits that were made and their number `fits`, and what is
#'   expected after all that was seen, `expected`, with the probability `p_best` that a candidate is
#'   the best. [tuning_run()] gives the run.
#' @name tune_caret
#' @seealso [tune_bayesgap()]; `vignette("tune-your-own-grid")`.
#' @examples
#' if (requireNamespace("caret", quietly = TRUE)) {
#'   tuned <- tune_bayesgap(
#'     "knn", Species ~ ., iris, tuneGrid = data.frame(k = c(1, 3, 5, 7, 9, 15, 25, 41)),
#'     trControl = caret::trainControl("cv", number = 10), budget = 30, seed = 1
#'   )
#'   tuned$bestTune
#'   predict(tuned, iris[c(1, 51, 101), ])
#' }
NULL

# What of bayesgap() can be added here: other names are those of models.
caret_run_arguments <- c(
  "policy", "init", "batch", "stop_regret", "time_limit", "on_error", "retries", "count_failures",
  "checkpoint", "progress", "seed", "cost", "prior_mean", "prior_sd", "noise_sd", "block_sd",
  "block_arm_sd", "cov", "features", "history"
)

#' @rdname tune_caret
#' @export
tune_bayesgap.character <- function(object, form, data, ..., tuneGrid = NULL, # nolint
                                    tuneLength = 5, trControl = NULL, # nolint
                                    metric = NULL, maximize = NULL, budget = NULL, kernel = NULL) {
  check_installed("caret", "tune_bayesgap() of a method of caret")
  more <- list(...)
  check_caret_arguments(dots_names(...))
  for_run <- names(more) %in% caret_run_arguments
  method <- caret_method(object)
  known <- caret_data(if (!missing(form)) form, if (!missing(data)) data)
  how <- caret_control(trControl, known$y, more$seed, more$checkpoint)
  grid <- caret_grid(method, tuneGrid, tuneLength, known, how)
  metric <- caret_metric(metric, maximize, known$y)
  weights <- check_caret_weights(more$weights, length(known$y))
  task <- list(
    method = object, x = known$x, y = known$y, weights = weights, grid = grid, how = how,
    metric = metric$name, more = more[!for_run & names(more) != "weights"]
  )
  about <- list(
    object, metric$name, data_mark(known), task$more, weights, how$preProcOptions, how$sampling
  )
  run <- do.call(run_tuning, c(list(list(
    grid = grid, labels = names(how$index), fit = function(row, split) fit_caret(task, row, split),
    marks = tuning_marks(Map(list, how$index, how$indexOut), about), maximise = metric$maximise,
    parallel = how$allowParallel
  ), budget, kernel), more[for_run]))
  fitted <- with_stream(new_stream(run$seed), fit_last(task, best_row(run), form, data))
  caret_result(fitted, run, task, metric, match.call())
}

# ---- What is asked ------------------------------------------------------------------------------

caret_method <- function(object) {
  found <- if (is_string(object)) caret::getModelInfo(object, regex = FALSE)[[object]]
  if (is.null(found)) {
    must <- "the name of a method of caret (names(caret::getModelInfo()) has them all)"
    abort_argument("object", "object", must, object)
  }
  check_installed(found$library, gettextf("The method \"%s\" of caret", object))
  found
}

# What train() would understand otherwise than the fits here, or not at all.
check_caret_arguments <- function(given) {
  check_named(given)
  check_not_set(given, setdiff(set_by_tuning, c("family", "control")))
  refused <- intersect(given, c("subset", "na.action", "contrasts"))
  if (length(refused)) {
    abort(
      "dots", "`", refused[1L], "` cannot be given: make the data so that they have the rows and ",
      "columns that are wanted, without gaps."
    )
  }
}

check_caret_weights <- function(weights, n) {
  good <- is.null(weights) || (is.numeric(weights) && length(weights) == n && !anyNA(weights))
  if (!good) {
    abort_argument("weights", "weights", gettextf("%d numbers, one a row of the data", n), weights)
  }
  weights
}

# Predictors and outcome, as train() makes them of a formula.
caret_data <- function(form, data) {
  if (inherits(form, "formula")) {
    if (!is.data.frame(data)) {
      abort_argument("data", "data", "a data frame", data)
    }
    frame <- tryCatch(
      stats::model.frame(form, data, na.action = stats::na.fail),
      error = function(e) {
        abort("data", "`form` and `data` do not go together: ", conditionMessage(e))
      }
    )
    x <- stats::model.matrix(attr(frame, "terms"), frame)
    x <- x[, colnames(x) != "(Intercept)", drop = FALSE]
    return(list(x = x, y = caret_outcome(stats::model.response(frame))))
  }
  if (!is.data.frame(form) && !is.matrix(form)) {
    abort_argument("form", "form", "a formula, or predictors: a data frame or a matrix", form)
  }
  if (length(data) != nrow(form)) {
    must <- gettextf("the outcome, a number or class for each of the %d rows of `form`", nrow(form))
    abort_argument("data", "data", must, data)
  }
  list(x = form, y = caret_outcome(data))
}

caret_outcome <- function(y) {
  if (is.character(y)) {
    y <- factor(y)
  }
  if (is.matrix(y) || !(is.factor(y) || is.numeric(y)) || anyNA(y)) {
    must <- "numbers or classes (a factor) without gaps as the outcome"
    abort_argument("data", "data", must, y)
  }
  unname(y)
}

# With the rows of each resample. Drawn with the run's seed, they are the same when it is resumed.
caret_control <- function(control, y, seed, checkpoint) {
  control <- if (is.null(control)) caret::trainControl() else control
  if (!is.list(control) || is.null(control$summaryFunction)) {
    abort_argument("trControl", "trControl", "made by caret::trainControl()", control)
  }
  if (!identical(control$predictionBounds, rep(FALSE, 2L))) {
    abort("trControl", "`predictionBounds` of `trControl` cannot be used here.")
  }
  levels <- levels(y)
  if (isTRUE(control$classProbs) && !identical(levels, make.names(levels))) {
    abort(
      "trControl", "With `classProbs = TRUE` the classes must be names, such as ",
      quoted(make.names(levels)), ", not ", quoted(levels), "."
    )
  }
  if (is.null(control$index)) {
    check_drawn_again(seed, checkpoint, "the `index` of `trControl`")
    draw <- caret_draws[[tolower(control$method)]]
    if (is.null(draw)) {
      abort(
        "trControl", "The method of `trControl` must be one of ", quoted(names(caret_draws)),
        ", or `index` must be given, not ", quoted(control$method), "."
      )
    }
    drawn <- draw_by_seed(seed, draw(y, control))
    control[names(drawn)] <- drawn
  }
  if (is.null(control$indexOut)) {
    control$indexOut <- lapply(control$index, function(rows) setdiff(seq_along(y), rows))
  }
  if (is.null(names(control$index))) {
    n <- length(control$index)
    names(control$index) <- sprintf("Resample%0*d", nchar(n), seq_len(n))
  }
  control
}

draw_folds <- function(y, control) {
  list(index = caret::createFolds(y, control$number, returnTrain = TRUE))
}

draw_repeats <- function(y, control) {
  times <- if (is.na(control$repeats)) 1L else control$repeats
  list(index = caret::createMultiFolds(y, control$number, times))
}

draw_bootstrap <- function(y, control) list(index = caret::createResample(y, control$number))

draw_partitions <- function(y, control) {
  list(index = caret::createDataPartition(y, control$number, control$p))
}

draw_slices <- function(y, control) {
  found <- caret::createTimeSlices(
    seq_along(y), initialWindow = control$initialWindow, horizon = control$horizon,
    fixedWindow = control$fixedWindow, skip = control$skip
  )
  list(index = found$train, indexOut = stats::setNames(found$test, names(found$train)))
}

caret_draws <- list(
  cv = draw_folds, repeatedcv = draw_repeats, boot = draw_bootstrap, lgocv = draw_partitions,
  timeslice = draw_slices, adaptive_cv = draw_repeats, adaptive_boot = draw_bootstrap,
  adaptive_lgocv = draw_partitions
)

caret_grid <- function(method, grid, length, known, how) {
  parameters <- as.character(method$parameters$parameter)
  if (is.null(grid)) {
    length <- check_count(length, "tuneLength", most = 1000)
    grid <- method$grid(as.data.frame(known$x), known$y, length, how$search)
  }
  if (!is.data.frame(grid)) {
    abort_argument("tuneGrid", "tuneGrid", "a data frame, one row a candidate", grid)
  }
  check_grid_columns(grid, parameters, "tuneGrid")
  unique(as.data.frame(grid)[parameters])
}

more_is_better <- c("Accuracy", "Kappa", "Rsquared", "ROC", "Sens", "Spec", "AUC", "F")

caret_metric <- function(metric, maximize, y) {
  if (is.null(metric)) {
    metric <- if (is.factor(y)) "Accuracy" else "RMSE"
  }
  if (!is_string(metric)) {
    abort_argument("metric", "metric", "the name of a metric, such as \"RMSE\"", metric)
  }
  if (is.null(maximize)) {
    less <- metric %in% c("RMSE", "MAE", "logLoss")
    maximize <- !less
    if (!less && !metric %in% more_is_better) {
      inform("metric", "More of ", quoted(metric), " is taken to be better: `maximize = TRUE`.")
    }
  }
  list(name = metric, maximise = check_flag(maximize, "maximize"))
}

# ---- Fits ---------------------------------------------------------------------------------------

# train() of one candidate on what it gets first, of these rows, without resampling.
fit_rows <- function(task, row, rows, data) {
  how <- task$how
  how$method <- "none"
  how$index <- how$indexOut <- how$indexFinal <- NULL
  with_caret(do.call(caret::train, c(
    data,
    list(method = task$method, tuneGrid = task$grid[row, , drop = FALSE], trControl = how),
    if (!is.null(task$weights)) list(weights = task$weights[rows]), task$more
  )))
}

# The choice, on all data, or those that trControl names for it.
fit_last <- function(task, row, form, data) {
  rows <- task$how$indexFinal
  if (is.null(rows)) {
    rows <- seq_along(task$y)
  }
  data <- if (inherits(form, "formula")) {
    list(form, data[rows, , drop = FALSE])
  } else {
    list(form[rows, , drop = FALSE], task$y[rows])
  }
  fit_rows(task, row, rows, data)
}

# Some models of caret find its functions only where it is attached, which workers do not see to.
with_caret <- function(code) {
  if (!"package:caret" %in% search()) {
    attachNamespace("caret")
    on.exit(detach("package:caret"))
  }
  code
}

# One candidate on one resample.
fit_caret <- function(task, row, split) {
  rows <- task$how$index[[split]]
  out <- task$how$indexOut[[split]]
  fitted <- fit_rows(task, row, rows, list(task$x[rows, , drop = FALSE], task$y[rows]))
  found <- with_caret(judge_caret(task, fitted, out))
  if (!task$metric %in% names(found)) {
    stop(
      "`metric` is \"", task$metric, "\", and the summary function gives ",
      paste0("\"", names(found), "\"", collapse = ", "), call. = FALSE
    )
  }
  list(y = found[[task$metric]], .measures = as.list(found))
}

judge_caret <- function(task, fitted, out) {
  new <- task$x[out, , drop = FALSE]
  judged <- data.frame(obs = task$y[out], pred = stats::predict(fitted, new), rowIndex = out)
  levels <- levels(task$y)
  if (isTRUE(task$how$classProbs) && length(levels)) {
    judged <- cbind(judged, stats::predict(fitted, new, type = "prob")[levels])
  }
  task$how$summaryFunction(judged, lev = levels, model = task$method)
}

# ---- Results ------------------------------------------------------------------------------------

# A train object of all data, with what the run found.
caret_result <- function(fitted, run, task, metric, call) {
  log <- as.data.frame(run)
  log <- log[is.na(log$error), ]
  found <- do.call(rbind, lapply(log$.measures, as.data.frame))
  arms <- posterior(run)
  results <- cbind(
    task$grid, caret_means(found, factor(log$arm, arms$arm)), fits = arms$pulls,
    expected = arms$mean, p_best = arms$p_best
  )
  rownames(results) <- NULL
  best <- best_row(run)
  mine <- log$arm == arms$arm[best]
  split <- if (is.null(log$block)) names(task$how$index)[rep(1L, nrow(log))] else log$block
  fitted$resample <- cbind(found[mine, , drop = FALSE], Resample = split[mine], row.names = NULL)
  fitted$results <- results
  fitted$perfNames <- names(found)
  fitted$metric <- metric$name
  fitted$maximize <- metric$maximise
  fitted$control <- task$how
  fitted$bestTune <- task$grid[best, , drop = FALSE]
  fitted$call <- call
  with_run(fitted, run)
}

# Means and standard deviations of the fits of each candidate.
caret_means <- function(found, arm) {
  of <- function(f, suffix) {
    each <- lapply(found, function(v) as.vector(tapply(v, arm, f, na.rm = TRUE)))
    stats::setNames(as.data.frame(each), paste0(names(found), suffix))
  }
  cbind(of(mean, ""), of(stats::sd, "SD"))
}
