# tune_bayesgap() for tidymodels: a fit is tune_grid() of one candidate on one resample, and what
# all fits found is put together to what tune_grid() returns.

tidymodels_packages <- c(
  "dials", "hardhat", "parsnip", "rsample", "tibble", "tune", "workflows", "yardstick"
)

#' Tune a workflow of tidymodels
#'
#' Methods of [tune_bayesgap()] for a workflow, a model specification and a workflow set. Use them
#' where you used `tune::tune_grid()` or `finetune::tune_race_anova()`.
#'
#' The result works with the functions of tune: `collect_metrics()` and `collect_predictions()`
#' give what was fitted, `autoplot()` draws it, `select_best()`, `fit_best()`,
#' `finalize_workflow()` and `last_fit()` go on with the choice. `show_best()` ranks by what is
#' expected of the candidates after all that was seen, and not by the mean of the fits, which is
#' best where few fits were lucky. Its columns `mean` and `std_err` are those of the posterior, `n`
#' the number of fits; `p_best` is the probability that a candidate is the best, and with
#' probability 0.95 keeping it loses no more than `regret`. Of another metric than the first,
#' `show_best()` and `select_best()` go by the means of the fits, as tune does. So does
#' `autoplot()`, in which a candidate of one lucky fit looks good: `plot(tuning_run(x))` draws what
#' is expected.
#'
#' A workflow set is tuned in one run: the candidates of all its workflows are compared with each
#' other, and fits go where the best model may be. (`workflow_map()` knows the functions of tune
#' and finetune only.) Its result is the workflow set with the results of each workflow, for
#' `rank_results()`, `collect_metrics()` and `autoplot()`, which go by the means of the fits; the
#' best of all is `best_arm(tuning_run(x))`. Every workflow is fitted at least once, if the budget
#' allows it. A `grid` that was set by `option_add()` is used for its workflow.
#'
#' Every fit is a call of `tune::tune_grid()`, which takes about a fifth of a second besides what
#' the model takes. Models for survival times are not tuned, nor are resamples with weights.
#'
#' @param object A workflow, a model specification or a workflow set.
#' @param ... Further arguments of [bayesgap()], such as `seed` or `checkpoint`; see
#'   [tune_bayesgap()].
#' @param preprocessor A formula or a recipe.
#' @param resamples Resamples, made by rsample: `vfold_cv()`, `bootstraps()` and so on.
#' @param grid The candidates: a data frame with a column for each parameter that is to be tuned,
#'   or their number, which makes a space-filling grid. For a workflow set also a list of these,
#'   named by the workflows.
#' @param metrics What the fits are judged by: a `yardstick::metric_set()`, of which the first is
#'   optimised. `NULL`: the RMSE, or the area under the ROC curve.
#' @param budget The number of fits. `NULL`: a fifth of those that the whole grid would take, but
#'   twenty at least.
#' @param kernel Which candidates are alike, see [kernels]; `NULL`: made from the grid.
#' @param param_info A `dials::parameters()` object, where the ranges for a space-filling grid are
#'   to be others.
#' @param control A list of any of `save_pred` (keep the predictions?), `extract` (a function of
#'   each fitted workflow), `event_level`, `pkgs`, `verbose` (show progress?) and `parallel` (use
#'   the workers of the plan?). What `tune::control_grid()` makes will do.
#' @return An object of class `bayesgap_tune`, a `tune_results`; for a workflow set, the set with
#'   these in its column `result`.
#' @name tune_tidymodels
#' @seealso [tune_bayesgap()] for what may be added, [tuning_run()];
#'   `vignette("tune-your-own-grid")`.
#' @examples
#' \donttest{
#' if (all(c("tune", "parsnip", "workflows", "rsample", "glmnet", "yardstick", "dials") %in%
#'         rownames(installed.packages()))) {
#'   penalised <- parsnip::linear_reg(penalty = tune::tune(), mixture = tune::tune())
#'   penalised <- parsnip::set_engine(penalised, "glmnet")
#'   folds <- rsample::vfold_cv(mtcars, v = 3)
#'   tuned <- tune_bayesgap(penalised, mpg ~ ., folds, grid = 4, budget = 4, seed = 1)
#'   tune::show_best(tuned)
#' }
#' }
NULL

#' @rdname tune_tidymodels
#' @export
tune_bayesgap.workflow <- function(object, resamples, ..., grid = 30, metrics = NULL, # nolint
                                   budget = NULL, kernel = NULL, param_info = NULL,
                                   control = list()) {
  check_tidymodels("tune_bayesgap() of a workflow")
  check_added(...)
  task <- resample_task(if (!missing(resamples)) resamples, control)
  plan <- workflow_plan(object, task, grid, metrics, param_info)
  if (!length(plan$parameters)) {
    abort(
      "object", "`object` has no parameter that is to be tuned. Mark them with tune(), as in ",
      "linear_reg(penalty = tune())."
    )
  }
  fit <- function(row, split) fit_candidate(plan, task, row, split)
  problem <- tidy_problem(list(plan), task, fit)
  run <- run_tuning(problem, budget, kernel, ...)
  plan_results(run, plan, task, seq_len(nrow(plan$grid)))
}

#' @rdname tune_tidymodels
#' @export
tune_bayesgap.model_spec <- function(object, preprocessor, resamples, ...) { # nolint
  check_tidymodels("tune_bayesgap() of a model specification")
  if (missing(preprocessor) || !(inherits(preprocessor, c("formula", "recipe")))) {
    must <- "a formula or a recipe"
    abort_argument("preprocessor", "preprocessor", must, if (!missing(preprocessor)) preprocessor)
  }
  object <- workflows::workflow(preprocessor, object)
  tune_bayesgap(object, if (!missing(resamples)) resamples, ...)
}

#' @rdname tune_tidymodels
#' @export
tune_bayesgap.workflow_set <- function(object, resamples, ..., grid = 10, metrics = NULL, # nolint
                                       budget = NULL, kernel = NULL, control = list()) {
  check_tidymodels("tune_bayesgap() of a workflow set", "workflowsets")
  check_added(...)
  task <- resample_task(if (!missing(resamples)) resamples, control)
  plans <- set_plans(object, task, grid, metrics)
  problem <- tidy_problem(plans, task, function(row, split) {
    of <- problem$of[row]
    fit_candidate(plans[[of]], task, row - match(of, problem$of) + 1L, split)
  })
  more <- list(...)
  if (is.null(more$init)) {
    more$init <- first_of_each(problem, budget, more)
  }
  run <- do.call(run_tuning, c(list(problem, budget, kernel), more))
  object$result <- lapply(names(plans), function(id) {
    plan_results(run, plans[[id]], task, which(problem$of == id))
  })
  with_run(without_unfitted(object), run)
}

# ---- What is asked ------------------------------------------------------------------------------

check_tidymodels <- function(what, more = NULL) {
  check_installed(c(tidymodels_packages, more), what)
  if (utils::packageVersion("tune") < "2.0.0") {
    abort(
      "package", what, " needs version 2.0.0 of tune, or a later one; ",
      utils::packageVersion("tune"), " is installed. update.packages() brings it."
    )
  }
}

# The resamples, their labels, and how fits are to be made.
resample_task <- function(resamples, control) {
  if (!inherits(resamples, "rset")) {
    must <- "resamples made by rsample, such as vfold_cv()"
    abort_argument("resamples", "resamples", must, resamples)
  }
  ids <- grep("^id[0-9]*$", names(resamples), value = TRUE)
  used <- which(resamples$id != "Apparent")
  label <- do.call(paste, unname(as.list(resamples)[ids]))[used]
  c(
    list(resamples = resamples, ids = ids, used = used, label = label), tuning_control(control)
  )
}

control_names <- c("save_pred", "extract", "event_level", "pkgs", "verbose", "parallel")

# list(control, parallel, progress): the control of a fit, and what concerns the run.
tuning_control <- function(control) {
  if (!is.list(control) || (length(control) && is.null(names(control)))) {
    must <- "a list with names, or made by tune::control_grid()"
    abort_argument("control", "control", must, control)
  }
  given <- unclass(control)
  if (inherits(control, "control_grid")) {
    given$parallel <- given$allow_par
    given <- given[intersect(control_names, names(given))]
  }
  unknown <- setdiff(names(given), control_names)
  if (length(unknown)) {
    abort(
      "control", "`control` has no element ", quoted(unknown[1L]), ". It may have ",
      quoted(control_names), "."
    )
  }
  for (flag in intersect(c("save_pred", "verbose", "parallel"), names(given))) {
    check_flag(given[[flag]], flag)
  }
  of_run <- c("verbose", "parallel")
  of_fit <- given[setdiff(names(given), of_run)]
  list(
    control = checked_by("control", do.call(tune::control_grid, c(
      of_fit, list(allow_par = FALSE, save_workflow = FALSE)
    ))),
    parallel = given$parallel, progress = given$verbose
  )
}

# What is to be tuned of one workflow: its candidates, its parameters and how they are judged.
workflow_plan <- function(object, task, grid, metrics, param_info) {
  metrics <- checked_by("metrics", tune::check_metrics_arg(metrics, object))
  first <- tibble::as_tibble(metrics)[1L, ]
  if (!first$direction %in% c("minimize", "maximize") || grepl("survival", first$class)) {
    abort("metrics", "`metrics` begins with ", quoted(first$metric), ", which cannot be optimised.")
  }
  data <- task$resamples$splits[[1L]]$data
  named <- if (is.data.frame(grid)) names(grid) else character()
  pset <- checked_by("object", suppressMessages(tune::check_parameters(
    object, pset = param_info, data = data, grid_names = named
  )))
  list(
    object = object, metrics = metrics, metric = first$metric, pset = pset,
    parameters = pset$id, maximise = first$direction == "maximize",
    grid = candidate_grid(object, grid, pset)
  )
}

# A row a candidate, none twice. A workflow without parameters is one candidate.
candidate_grid <- function(object, grid, pset) {
  if (!nrow(pset)) {
    return(data.frame(row.names = 1L))
  }
  if (is.data.frame(grid)) {
    check_grid_columns(grid, pset$id, "grid")
  } else {
    grid <- check_count(grid, "grid", most = 1e6)
  }
  grid <- checked_by("grid", tune::.check_grid(grid = grid, workflow = object, pset = pset))
  odd <- names(grid)[!vapply(grid, is.atomic, TRUE)]
  if (length(odd)) {
    abort("grid", "`grid` has a column ", quoted(odd[1L]), " of ", describe(grid[[odd[1L]]]), ".")
  }
  as.data.frame(grid)
}

# For run_tuning(), and `of`, the workflow of each candidate by name, where there are several.
tidy_problem <- function(plans, task, fit) {
  several <- !is.null(names(plans))
  arms <- if (several) set_arms(plans)
  splits <- lapply(task$resamples$splits[task$used], `[`, c("in_id", "out_id"))
  about <- list(
    lapply(unname(plans), function(plan) printed(plan$object)), plans[[1L]]$metric,
    data_mark(as.list(task$resamples$splits[[1L]]$data))
  )
  list(
    grid = if (several) arms[names(arms) != "arm"] else plans[[1L]]$grid, names = arms$arm,
    labels = task$label, marks = tuning_marks(splits, about), fit = fit,
    maximise = plans[[1L]]$maximise, parallel = task$parallel, progress = task$progress,
    by = if (several) "wflow_id", of = arms$wflow_id
  )
}

# ---- Several workflows --------------------------------------------------------------------------

set_plans <- function(object, task, grid, metrics) {
  if (!nrow(object)) {
    abort("object", "`object` has no workflow.")
  }
  plans <- Map(function(id, grid, option) {
    found <- workflowsets::extract_workflow(object, id)
    workflow_plan(found, task, grid, metrics, option$param_info)
  }, object$wflow_id, set_grids(object, grid), object$option)
  check_same_metrics(plans)
  plans
}

# The first pulls: a candidate of each workflow at random, and again up to eight. They are the same
# for any budget that has room for them, and without a seed, so that a checkpoint can be resumed.
first_of_each <- function(problem, budget, more) {
  each <- split(seq_along(problem$of), factor(problem$of, unique(problem$of)))
  if (!is.null(more$cost)) {
    return(NULL)
  }
  fits <- tuning_budget(budget, length(problem$of), length(problem$labels))
  rounds <- max(1L, 8L %/% length(each))
  seed <- if (is.null(more$seed)) 1 else more$seed
  picked <- draw_by_seed(seed, lapply(each, function(rows) rows[sample.int(length(rows))]))
  rows <- unlist(lapply(seq_len(rounds), function(i) {
    vapply(picked, function(rows) rows[(i - 1L) %% length(rows) + 1L], 0L)
  }))
  problem$names[rows[seq_len(min(fits, length(rows)))]]
}

# What was not fitted has no result, as a workflow that was not tuned.
without_unfitted <- function(object) {
  fitted <- vapply(object$result, function(x) any(vapply(x$.metrics, nrow, 0L) > 0L), TRUE)
  if (!all(fitted)) {
    inform("unfitted", "No fit was made of ", quoted(object$wflow_id[!fitted]), ".")
    object$result[!fitted] <- list(list())
  }
  object
}

# What was set for a workflow comes before what is given for all.
set_grids <- function(object, grid) {
  ids <- object$wflow_id
  own <- lapply(object$option, function(option) option$grid)
  if (is.list(grid) && !is.data.frame(grid)) {
    unknown <- setdiff(names(grid), ids)
    if (is.null(names(grid)) || length(unknown)) {
      abort("grid", "`grid` is a list: its names must be among the workflows, ", quoted(ids), ".")
    }
    grid <- unname(grid[ids])
    grid[vapply(grid, is.null, TRUE)] <- list(10)
  } else {
    grid <- rep(list(grid), length(ids))
  }
  given <- !vapply(own, is.null, TRUE)
  grid[given] <- own[given]
  grid
}

check_same_metrics <- function(plans) {
  first <- vapply(plans, `[[`, "", "metric")
  if (length(unique(first)) > 1L) {
    abort(
      "metrics", "`metrics` must be given: the workflows of `object` are judged by ",
      quoted(unique(first)), "."
    )
  }
}

# The candidates of all workflows, with the columns of all; a column of several types is text.
set_arms <- function(plans) {
  columns <- unique(unlist(lapply(plans, `[[`, "parameters")))
  parts <- lapply(columns, function(column) {
    values <- lapply(plans, function(plan) plan$grid[[column]])
    numbers <- vapply(values, function(v) is.null(v) || is.numeric(v), TRUE)
    unlist(unname(Map(function(v, plan) {
      if (is.null(v)) v <- rep(NA, nrow(plan$grid))
      if (all(numbers)) as.numeric(v) else as.character(v)
    }, values, plans)))
  })
  sizes <- vapply(plans, function(plan) nrow(plan$grid), 0L)
  id <- rep(names(plans), sizes)
  number <- sequence(sizes)
  arm <- paste0(id, ifelse(rep(sizes, sizes) > 1L, paste0(" ", number), ""))
  data.frame(arm = arm, wflow_id = id, stats::setNames(parts, columns), check.names = FALSE)
}

# ---- Fits ---------------------------------------------------------------------------------------

# One candidate on one resample.
fit_candidate <- function(plan, task, row, split) {
  candidate <- plan$grid[row, , drop = FALSE]
  splits <- rsample::manual_rset(
    task$resamples$splits[task$used[split]], task$label[split]
  )
  found <- quietly(
    if (length(plan$parameters)) {
      tune::tune_grid(
        plan$object, splits, grid = candidate, metrics = plan$metrics, param_info = plan$pset,
        control = task$control
      )
    } else {
      # What it knows is a part of what tune_grid() knows.
      control <- task$control[names(formals(tune::control_resamples))]
      control <- do.call(tune::control_resamples, control)
      tune::fit_resamples(plan$object, splits, metrics = plan$metrics, control = control)
    }
  )
  notes <- found$.notes[[1L]]
  metrics <- found$.metrics[[1L]]
  errors <- notes$note[notes$type == "error"]
  if (is.null(metrics) || !nrow(metrics)) {
    stop(if (length(errors)) errors[1L] else "no metric could be computed", call. = FALSE)
  }
  for (note in unique(notes$note[notes$type == "warning"])) {
    warning(note, call. = FALSE)
  }
  kept <- as.data.frame(metrics[c(".metric", ".estimator", ".estimate")])
  attr(kept, "outcomes") <- attr(found, "outcomes")
  result <- list(y = kept$.estimate[match(plan$metric, kept$.metric)], .metrics = kept)
  for (more in intersect(c(".predictions", ".extracts"), names(found))) {
    result[[more]] <- without_candidate(found[[more]][[1L]], plan)
  }
  result
}

# What tune says of a fit on the console is said by the run.
quietly <- function(code) {
  old <- options(cli.default_handler = function(...) NULL)
  on.exit(options(old))
  suppressWarnings(suppressMessages(code))
}

without_candidate <- function(found, plan) {
  as.data.frame(found[setdiff(names(found), c(plan$parameters, ".config"))])
}
