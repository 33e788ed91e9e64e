# tune_bayesgap() for mlr3: a fit is resample() of one candidate on one split. And the tuner
# "bayesgap" for instances of mlr3tuning, whose evaluations are such fits.

mlr3_packages <- c("lgr", "mlr3", "paradox")

#' Tune a learner of mlr3
#'
#' The method of [tune_bayesgap()] for a learner of mlr3, also a graph learner, and a tuner
#' `mlr3tuning::tnr("bayesgap")`. Use the function to get a trained learner from one call; use the
#' tuner with `mlr3tuning::tune()`, `ti()` or `auto_tuner()`, inside nested resampling for instance.
#'
#' The candidates are the grid of the learner's tokens `to_tune()`, or the rows of a data frame
#' whose columns are parameters of the learner. One evaluation is a fit on one split of the
#' resampling.
#'
#' @section The tuner:
#' `tnr("bayesgap", resolution = 10, batch_size = 1)` has the parameters `resolution` (values of
#' each parameter in the grid), `batch_size` (fits at a time), `budget` (fits; where it is not set
#' and the terminator is `trm("evals")`, those), `kernel` and `seed`. It may be told to stop by any
#' terminator, but decides better when it knows how many fits there will be. Every row of the
#' instance's archive is a fit on one split; the result is the recommended candidate with what is
#' expected of it. A learner that fails stops the tuning, unless it is encapsulated with a
#' fallback, as always in mlr3tuning.
#'
#' @inheritParams tune_tidymodels
#' @param object A learner.
#' @param task A task.
#' @param resampling A resampling. It is instantiated with the `seed` where it was not.
#' @param measure A measure, or its name; `NULL`: the default of the task's type.
#' @param grid The resolution of the grid of the tokens, or the candidates in a data frame.
#' @param seed,checkpoint As of [bayesgap()]; see [tune_bayesgap()].
#' @return A copy of the learner with the chosen parameters, trained on the task. [tuning_run()]
#'   gives the run.
#' @name tune_mlr3
#' @seealso [tune_bayesgap()]; `vignette("tune-your-own-grid")`.
#' @examples
#' \donttest{
#' if (requireNamespace("mlr3", quietly = TRUE) && requireNamespace("rpart", quietly = TRUE)) {
#'   tree <- mlr3::lrn("classif.rpart",
#'                     cp = paradox::to_tune(1e-4, 1e-1, logscale = TRUE),
#'                     minsplit = paradox::to_tune(2, 64, logscale = TRUE))
#'   folds <- mlr3::rsmp("cv", folds = 3)
#'   tuned <- tune_bayesgap(tree, mlr3::tsk("sonar"), folds, "classif.ce", grid = 3,
#'                          budget = 12, seed = 1)
#'   tuned$param_set$values
#'   tuning_run(tuned)
#' }
#' }
NULL

#' @rdname tune_mlr3
#' @export
tune_bayesgap.Learner <- function(object, task, resampling, measure = NULL, ..., # nolint
                                  grid = 10, budget = NULL, kernel = NULL, seed = NULL,
                                  checkpoint = NULL) {
  check_installed(mlr3_packages, "tune_bayesgap() of a learner")
  check_added(...)
  must <- "a task of mlr3, such as tsk(\"iris\")"
  task <- check_r6(if (!missing(task)) task, "Task", "task", must)
  measure <- mlr3_measure(measure, task)
  splits <- mlr3_splits(if (!missing(resampling)) resampling, task, seed, checkpoint)
  candidates <- mlr3_candidates(object, grid)
  work <- list(learner = without_tokens(object), task = task, measure = measure, splits = splits)
  check_mlr3_fits(work)
  about <- list(
    class(object), object$id, work$learner$param_set$values, task$hash, measure$id
  )
  run <- run_tuning(list(
    grid = candidates$grid, labels = names(splits), marks = tuning_marks(splits, about),
    fit = function(row, split) fit_mlr3(work, candidates$values[[row]], split),
    maximise = !measure$minimize
  ), budget, kernel, seed = seed, checkpoint = checkpoint, ...)
  learner <- with_values(work$learner, candidates$values[[best_row(run)]])
  with_stream(new_stream(run$seed), mlr3_quietly(learner$train(task)))
  with_run(learner, run)
}

# ---- What is asked ------------------------------------------------------------------------------

check_r6 <- function(x, class, arg, must) {
  if (!inherits(x, class)) {
    abort_argument(arg, arg, must, x)
  }
  x
}

mlr3_measure <- function(measure, task) {
  if (is.null(measure)) {
    measure <- mlr3::default_measures(task$task_type)[[1L]]
  } else if (is_string(measure)) {
    name <- measure
    measure <- tryCatch(mlr3::msr(name), error = function(e) {
      abort("measure", "`measure` is ", quoted(name), ", which mlr3 does not know.")
    })
  }
  must <- "a measure of mlr3, such as msr(\"regr.rmse\"), or its name"
  check_r6(measure, "Measure", "measure", must)
  if (is.na(measure$minimize)) {
    abort("measure", "`measure` is ", quoted(measure$id), ", which cannot be optimised.")
  }
  measure
}

# The rows of each split: list(train, test), named.
mlr3_splits <- function(resampling, task, seed, checkpoint) {
  must <- "a resampling of mlr3, such as rsmp(\"cv\")"
  resampling <- check_r6(resampling, "Resampling", "resampling", must)
  if (!resampling$is_instantiated) {
    check_drawn_again(seed, checkpoint, "a `resampling` that is instantiated")
    resampling <- resampling$clone(deep = TRUE)
    draw_by_seed(seed, checked_by("resampling", resampling$instantiate(task)))
  } else if (!is.na(resampling$task_hash) && !identical(resampling$task_hash, task$hash)) {
    abort("resampling", "`resampling` was instantiated with another task than `task`.")
  }
  resampling_splits(resampling)
}

# That task, learner and measure go together is not found out fit by fit.
check_mlr3_fits <- function(work) {
  learner <- work$learner
  checked_by("object", mlr3::assert_learnable(work$task, learner))
  known <- mlr3::mlr_reflections$learner_predict_types[[learner$task_type]][[learner$predict_type]]
  wants <- work$measure$predict_type
  if (!work$measure$task_type %in% c(learner$task_type, NA) || !wants %in% c(known, NA)) {
    abort(
      "measure", "`measure` cannot be used: ", quoted(work$measure$id), " wants predictions of ",
      "type ", quoted(wants), " of a ", quoted(work$measure$task_type), " task, and the learner ",
      "gives ", quoted(learner$predict_type), " of a ", quoted(learner$task_type),
      " task. Its `predict_type` can be set."
    )
  }
}

resampling_splits <- function(resampling) {
  splits <- lapply(seq_len(resampling$iters), function(i) {
    list(train = resampling$train_set(i), test = resampling$test_set(i))
  })
  names(splits) <- sprintf("split %d", seq_along(splits))
  splits
}

is_token <- function(value) inherits(value, "TuneToken")

without_tokens <- function(learner) {
  learner <- learner$clone(deep = TRUE)
  learner$param_set$values <- Filter(Negate(is_token), learner$param_set$values)
  learner
}

with_values <- function(learner, values) {
  learner <- learner$clone(deep = TRUE)
  learner$param_set$set_values(.values = values)
  learner
}

# grid: arms, a row each; values: what the learner is to get for each.
mlr3_candidates <- function(object, grid) {
  if (is.data.frame(grid)) {
    return(given_candidates(object, grid))
  }
  grid <- check_count(grid, "grid", most = 10000)
  if (!any(vapply(object$param_set$values, is_token, TRUE))) {
    abort(
      "object", "`object` has no parameter that is to be tuned. Mark them with to_tune(), as in ",
      "lrn(\"regr.rpart\", cp = to_tune(1e-4, 0.1)), or give the candidates as `grid`."
    )
  }
  grid_candidates(object$param_set$search_space(), grid)
}

# Of a search space: points, as mlr3tuning wants them, and what the learner gets, by which the
# arms are known where these are plain values. Several points may give the same.
grid_candidates <- function(space, resolution) {
  design <- paradox::generate_design_grid(space, resolution = resolution)
  values <- design$transpose()
  shown <- value_table(values)
  if (is.null(shown)) {
    shown <- as.data.frame(design$data)
  }
  once <- !duplicated(shown)
  grid <- shown[once, , drop = FALSE]
  rownames(grid) <- NULL
  list(grid = grid, points = design$data[once, , drop = FALSE], values = values[once])
}

# A row each, NA where one does not have it; NULL: not all are single values.
value_table <- function(values) {
  columns <- unique(unlist(lapply(values, names)))
  plain <- function(v) is.atomic(v) && length(v) == 1L
  if (!length(columns) || !all(vapply(unlist(values, FALSE), plain, TRUE))) {
    return(NULL)
  }
  of <- lapply(columns, function(name) {
    unlist(lapply(values, function(v) if (is.null(v[[name]])) NA else v[[name]]))
  })
  stats::setNames(as.data.frame(of), columns)
}

given_candidates <- function(object, grid) {
  unknown <- setdiff(names(grid), object$param_set$ids())
  if (length(unknown) || !nrow(grid)) {
    abort(
      "grid", "`grid` must have rows, and columns that are parameters of the learner",
      if (length(unknown)) c("; ", quoted(unknown[1L]), " is none"), "."
    )
  }
  grid <- unique(as.data.frame(grid))
  values <- lapply(seq_len(nrow(grid)), function(i) {
    row <- lapply(grid[i, , drop = FALSE], function(v) if (is.factor(v)) as.character(v) else v)
    Filter(function(v) !is.na(v), row)
  })
  list(grid = grid, values = values)
}

# ---- Fits ---------------------------------------------------------------------------------------

one_split <- function(task, split) {
  custom <- mlr3::rsmp("custom")
  custom$instantiate(task, train_sets = list(split$train), test_sets = list(split$test))
  custom
}

fit_mlr3 <- function(work, values, split) {
  found <- mlr3_quietly(mlr3::resample(
    work$task, with_values(work$learner, values), one_split(work$task, work$splits[[split]])
  ))
  list(y = unname(found$aggregate(work$measure)))
}

# mlr3 logs every fit; the run has a log and a progress of its own.
mlr3_quietly <- function(code) {
  logger <- lgr::get_logger("mlr3")
  before <- logger$threshold
  logger$set_threshold("warn")
  on.exit(logger$set_threshold(before))
  code
}

# ---- The tuner ----------------------------------------------------------------------------------

utils::globalVariables(c("private", "self", "super")) # inside of R6 classes

# A class of mlr3tuning can be made where that is installed.
bayesgap_tuner <- function() {
  made <- R6::R6Class(
    "TunerBatchBayesgap",
    inherit = mlr3tuning::TunerBatch,
    public = list(
      initialize = function() {
        super$initialize(
          id = "bayesgap", param_set = tuner_parameters(),
          param_classes = c("ParamLgl", "ParamInt", "ParamDbl", "ParamFct"),
          properties = c("dependencies", "single-crit"), packages = "bayesgap",
          label = "BayesGap", man = "bayesgap::tune_mlr3"
        )
      }
    ),
    private = list(
      .tuning = NULL,
      .optimize = function(inst) {
        private$.tuning <- begin_instance(inst, self$param_set$values)
        repeat {
          private$.tuning <- eval_instance(inst, private$.tuning)
          with_run(self, private$.tuning$run)
          with_run(inst, private$.tuning$run)
          if (is_done(private$.tuning$run)) break
        }
      },
      .assign_result = function(inst) assign_instance(inst, private$.tuning)
    ),
    parent_env = environment()
  )
  made$new()
}

tuner_parameters <- function() {
  parameters <- paradox::ps(
    resolution = paradox::p_int(lower = 1L), batch_size = paradox::p_int(lower = 1L),
    budget = paradox::p_int(lower = 1L), kernel = paradox::p_uty(), seed = paradox::p_int()
  )
  parameters$values <- list(resolution = 10L, batch_size = 1L)
  parameters
}

# list(run, points, splits, batch): a run without an objective, told by the instance.
begin_instance <- function(inst, set) {
  candidates <- grid_candidates(inst$search_space, set$resolution)
  # The objective holds the resampling that all evaluations share.
  splits <- resampling_splits(inst$objective$resampling)
  evals <- if (inherits(inst$terminator, "TerminatorEvals")) terminator_evals(inst)
  budget <- if (is.null(set$budget)) evals else set$budget
  arms <- tuning_arms(candidates$grid)
  run <- bayesgap(
    arms, budget = tuning_budget(budget, nrow(arms), length(splits)), replace = FALSE,
    kernel = if (is.null(set$kernel)) grid_kernel(candidates$grid) else set$kernel,
    blocks = if (length(splits) > 1L) names(splits), block_arm_sd = NULL, family = "gaussian",
    maximise = inst$objective$codomain$direction[[1L]] < 0, seed = set$seed
  )
  list(run = run, points = candidates$points, splits = splits, batch = set$batch_size)
}

terminator_evals <- function(inst) {
  set <- inst$terminator$param_set$values
  k <- if (is.null(set$k)) 0L else set$k
  as.integer(set$n_evals + k * inst$search_space$length)
}

# The next fits, evaluated and told.
eval_instance <- function(inst, tuning) {
  run <- tuning$run
  todo <- ask(run, min(tuning$batch, left(run)))
  at <- match(todo$arm, run$model$arms$names)
  split <- if (is.null(todo$block)) rep(1L, nrow(todo)) else match(todo$block, names(tuning$splits))
  inst$objective$constants$values$resampling <-
    lapply(tuning$splits[split], one_split, task = inst$objective$task)
  found <- inst$eval_batch(tuning$points[at, , drop = FALSE])
  told <- data.frame(pull = todo$pull, y = found[[1L]])
  told$failed <- is.na(told$y)
  tuning$run <- tell(run, told)
  tuning
}

# The recommended candidate, with what is expected of it.
assign_instance <- function(inst, tuning) {
  found <- posterior(tuning$run)
  best <- best_row(tuning$run)
  y <- stats::setNames(found$mean[best], inst$archive$cols_y)
  inst$assign_result(xdt = tuning$points[best, , drop = FALSE], y = y)
}

register_tuner <- function(...) {
  mlr3tuning::mlr_tuners$add("bayesgap", bayesgap_tuner)
}

.onLoad <- function(libname, pkgname) {
  if (isNamespaceLoaded("mlr3tuning")) {
    register_tuner()
  }
  setHook(packageEvent("mlr3tuning", "onLoad"), register_tuner)
}
