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
#' @inheritParams tune_bayesgap
#' @param object The name of a method of caret, such as `"svmRadial"`.
#' @param form,data A formula and the data, or predictors (a data frame or matrix) and the outcome.
#' @param ... Arguments of [bayesgap()], such as `seed` or `checkpoint`, see [tune_bayesgap()]; all
#'   others are for `caret::train()`: `preProcess`, or what the model has of its own.
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
#' @seealso [tune_bayesgap()]
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
  "checkpoint", "progress", "seed", "cost", "prior_mean", "prior_sd", "noise_sd", "block_sd"
)

#' @rdname tune_caret
#' @export
tune_bayesgap.character <- function(object, form, data, ..., tuneGrid = NULL, # nolint
                                    tuneLength = 5, trControl = NULL, # nolint
                                    metric = NULL, maximize = NULL, budget = NULL, kernel = NULL) {
  check_installed("caret", "tune_bayesgap() of a method of caret")
  more <- list(...)
  for_run <- names(more) %in% caret_run_arguments
  method <- caret_method(object)
  known <- caret_data(if (!missing(form)) form, if (!missing(data)) data)
  how <- caret_control(trControl, known$y, more$seed, more$checkpoint)
  grid <- caret_grid(method, tuneGrid, tuneLength, known, how)
  metric <- caret_metric(metric, maximize, known$y)
  task <- list(
    method = object, x = known$x, y = known$y, how = how, metric = metric$name,
    more = more[!for_run]
  )
  fit <- function(arm, pull) fit_caret(task, arm[names(grid)], pull)
  run <- do.call(run_tuning, c(
    list(grid, names(how$index), fit, budget, kernel, metric$maximise, !isFALSE(how$allowParallel),
      marks = resample_marks(Map(list, how$index, how$indexOut))),
    more[for_run]
  ))
  last <- c(
    list(form, data, method = object, trControl = without_resampling(how)), task$more,
    list(tuneGrid = chosen_candidate(run, grid))
  )
  fitted <- with_stream(new_stream(run$seed), with_caret(do.call(caret::train, last)))
  caret_result(fitted, run, grid, task, metric, match.call())
}

# ---- What is asked ------------------------------------------------------------------------------

caret_method <- function(object) {
  found <- if (is_string(object)) caret::getModelInfo(object, regex = FALSE)[[object]]
  if (is.null(found)) {
    must <- "the name of a method of caret (names(caret::getModelInfo()) has them all)"
    abort_argument("object", "object", must, object)
  }
  check_installed(found$library, sprintf("The method \"%s\" of caret", object))
  found
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
    return(list(x = x, y = stats::model.response(frame)))
  }
  if (!is.data.frame(form) && !is.matrix(form)) {
    abort_argument("form", "form", "a formula, or predictors: a data frame or a matrix", form)
  }
  if (length(data) != nrow(form) || !(is.numeric(data) || is.factor(data) || is.character(data))) {
    must <- sprintf("the outcome, a number or class for each of the %d rows of `form`", nrow(form))
    abort_argument("data", "data", must, data)
  }
  list(x = form, y = if (is.character(data)) factor(data) else data)
}

# With the rows of each resample. Drawn with the run's seed, they are the same when it is resumed.
caret_control <- function(control, y, seed, checkpoint) {
  control <- if (is.null(control)) caret::trainControl() else control
  if (!is.list(control) || is.null(control$summaryFunction)) {
    abort_argument("trControl", "trControl", "made by caret::trainControl()", control)
  }
  if (is.null(control$index)) {
    if (!is.null(checkpoint) && is.null(seed)) {
      abort(
        "seed", "`seed` must be given where there is a `checkpoint`, so that the resamples are ",
        "the same when it is resumed; or the `index` of `trControl`."
      )
    }
    draw <- caret_draws[[tolower(control$method)]]
    if (is.null(draw)) {
      abort(
        "trControl", "The method of `trControl` must be one of ", quoted(names(caret_draws)),
        ", or `index` must be given, not ", quoted(control$method), "."
      )
    }
    drawn <- if (is.null(seed)) {
      draw(y, control)
    } else {
      with_stream(new_stream(check_seed(seed)), draw(y, control))
    }
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

caret_metric <- function(metric, maximize, y) {
  if (is.null(metric)) {
    metric <- if (is.factor(y)) "Accuracy" else "RMSE"
  }
  if (!is_string(metric)) {
    abort_argument("metric", "metric", "the name of a metric, such as \"RMSE\"", metric)
  }
  if (is.null(maximize)) {
    maximize <- !metric %in% c("RMSE", "MAE", "logLoss")
  }
  list(name = metric, maximise = check_flag(maximize, "maximize"))
}

# ---- Fits ---------------------------------------------------------------------------------------

without_resampling <- function(how) {
  how$method <- "none"
  how$index <- how$indexOut <- how$indexFinal <- NULL
  how
}

# Some models of caret find its functions only where it is attached, which workers do not see to.
with_caret <- function(code) {
  if (!"package:caret" %in% search()) {
    attachNamespace("caret")
    on.exit(detach("package:caret"))
  }
  code
}

# One candidate on one resample: what an objective returns.
fit_caret <- function(task, candidate, pull) {
  at <- if (is.null(pull$block)) 1L else match(pull$block, names(task$how$index))
  rows <- task$how$index[[at]]
  out <- task$how$indexOut[[at]]
  fitted <- with_caret(do.call(caret::train, c(
    list(
      task$x[rows, , drop = FALSE], task$y[rows], method = task$method, tuneGrid = candidate,
      trControl = without_resampling(task$how)
    ),
    task$more
  )))
  found <- with_caret(judge_caret(task, fitted, out))
  if (!task$metric %in% names(found)) {
    stop(
      "`metric` is \"", task$metric, "\", and the summary function gives ",
      paste0("\"", names(found), "\"", collapse = ", "), call. = FALSE
    )
  }
  c(list(y = found[[task$metric]]), as.list(found))
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

chosen_candidate <- function(run, grid) {
  grid[match(best_arm_name(run), run$model$arms$names), , drop = FALSE]
}

# A train object of all data, with what the run found.
caret_result <- function(fitted, run, grid, task, metric, call) {
  log <- as.data.frame(run)
  known <- c("pull", "arm", "y", "se", "block", "error", ".split", names(grid))
  measures <- setdiff(names(log), known)
  names <- run$model$arms$names
  results <- cbind(grid, caret_means(log, measures, names))
  found <- posterior(run)
  results$fits <- found$pulls
  results$expected <- found$mean
  results$p_best <- found$p_best
  rownames(results) <- NULL
  best <- log[log$arm == best_arm_name(run) & is.na(log$error), ]
  fitted$resample <- cbind(
    best[measures], Resample = if (is.null(best$block)) names(task$how$index) else best$block,
    row.names = NULL
  )
  fitted$results <- results
  fitted$perfNames <- measures
  fitted$metric <- metric$name
  fitted$maximize <- metric$maximise
  fitted$control <- task$how
  fitted$bestTune <- chosen_candidate(run, grid)
  fitted$call <- call
  with_run(fitted, run)
}

# Means and standard deviations of the fits of each candidate.
caret_means <- function(log, measures, names) {
  by <- factor(log$arm, names)
  of <- function(f, suffix) {
    found <- lapply(log[measures], function(v) as.vector(tapply(v, by, f, na.rm = TRUE)))
    stats::setNames(as.data.frame(found), paste0(measures, suffix))
  }
  cbind(of(mean, ""), of(stats::sd, "SD"))
}
