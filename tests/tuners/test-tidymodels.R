# tune_bayesgap() with tidymodels as it is installed.

tuned <- tune_bayesgap(
  penalised(), cars_folds(), grid = penalties(), budget = 30, seed = 1,
  control = list(save_pred = TRUE, extract = function(fitted) class(fitted)[1L])
)

test_that("the result is what tune's functions want, of the fits that were made", {
  expect_identical(class(tuned)[1:2], c("bayesgap_tune", "tune_results"))
  metrics <- tune::collect_metrics(tuned)
  expect_identical(sum(metrics$n[metrics$.metric == "rmse"]), 30L)
  expect_setequal(metrics$.metric, c("rmse", "rsq"))
  each <- tune::collect_metrics(tuned, summarize = FALSE)
  expect_identical(nrow(each), 60L)
  predictions <- tune::collect_predictions(tuned)
  log <- as.data.frame(tuning_run(tuned))
  sizes <- vapply(tuned$splits, function(s) nrow(rsample::assessment(s)), 0L)
  expect_identical(nrow(predictions), sum(sizes[match(log$block, tuned$id)]))
  expect_identical(nrow(tune::collect_extracts(tuned)), 30L)
  expect_identical(nrow(tune::collect_notes(tuned)), 0L)
  expect_s3_class(ggplot2::autoplot(tuned), "ggplot")
  expect_output(print(tuned), "12 arms, 30 of 30 pulls, minimise.*5-fold cross-validation")
})

test_that("a fit is that of tune_grid() on the same split", {
  log <- as.data.frame(tuning_run(tuned))
  whole <- tune::tune_grid(penalised(), cars_folds(), grid = penalties())
  whole <- tune::collect_metrics(whole, summarize = FALSE)
  whole <- whole[whole$.metric == "rmse", ]
  key <- function(d, fold) paste(d$penalty, d$mixture, fold)
  expect_equal(log$y, whole$.estimate[match(key(log, log$block), key(whole, whole$id))])
  expect_false(anyDuplicated(key(log, log$block)) > 0)
})

test_that("show_best() ranks by the posterior, and the choice is the run's", {
  run <- tuning_run(tuned)
  best <- tune::show_best(tuned, n = 12)
  expect_identical(
    names(best), c("penalty", "mixture", ".metric", ".estimator", "mean", "n", "std_err", ".config",
                   "p_best", "regret")
  )
  chosen <- best_arm(run)
  expect_identical(c(best$penalty[1], best$mixture[1]), c(chosen$penalty, chosen$mixture))
  expect_false(is.unsorted(best$mean[-1]))
  expect_identical(sum(best$n), 30L)
  expect_equal(sum(best$p_best), 1)
  expect_equal(best$regret[1], unname(summary(run)$regret[["95%"]]))
  # Where more is expected to be lost, more may be lost.
  expect_gt(stats::cor(best$mean, best$regret, method = "spearman"), 0.8)
  expect_identical(nrow(tune::show_best(tuned)), 5L)
  pick <- tune::select_best(tuned, metric = "rmse")
  expect_identical(as.list(pick[1:2]), as.list(best[1, 1:2]))
  # What was not optimised goes by the means of the fits, as in tune.
  expect_message(other <- tune::show_best(tuned, metric = "rsq"), class = "bayesgap_message_metric")
  expect_false(is.unsorted(-other$mean))
  expect_error(tune::select_by_one_std_err(tuned, penalty, metric = "rmse"), "not all were fitted",
    class = "bayesgap_error_select")
})

test_that("the choice is fitted, finalised and tested", {
  fitted <- tune::fit_best(tuned)
  expect_identical(nrow(predict(fitted, mtcars)), 32L)
  final <- tune::finalize_workflow(penalised(), tune::select_best(tuned, metric = "rmse"))
  set.seed(1)
  last <- tune::last_fit(final, rsample::initial_split(mtcars))
  expect_identical(tune::collect_metrics(last)$.metric, c("rmse", "rsq"))
})

test_that("the same seed gives the same, here and on workers", {
  again <- function(...) {
    tune_bayesgap(penalised(), cars_folds(), grid = penalties(), budget = 12, seed = 3, batch = 2, ...)
  }
  here <- again()
  expect_identical(here, again())
  future::plan(future::multisession, workers = 2)
  on.exit(future::plan(future::sequential))
  there <- again(control = list(parallel = TRUE))
  expect_equal(as.data.frame(tuning_run(there)), as.data.frame(tuning_run(here)))
  expect_equal(tune::show_best(there), tune::show_best(here))
})

test_that("a tuning that is killed goes on from its checkpoint, to the same result", {
  file <- tempfile(fileext = ".bgap")
  code <- '
    library(bayesgap)
    source("<helper>")
    left <- 7
    dies <- function(fitted) {
      left <<- left - 1
      if (left == 0) tools::pskill(Sys.getpid(), tools::SIGKILL)
      1
    }
    tune_bayesgap(penalised(), cars_folds(), grid = penalties(), budget = 14, seed = 2,
      checkpoint = "<file>", control = list(extract = dies))'
  status <- run_process(code, helper = normalizePath("helper.R"), file = file)
  expect_false(status == 0)
  expect_identical(nobs(read_run(file)), 6L)
  call <- function(...) {
    tune_bayesgap(penalised(), cars_folds(), grid = penalties(), budget = 14, seed = 2, ...,
      control = list(extract = function(fitted) 1))
  }
  expect_message(resumed <- call(checkpoint = file), "Resuming .* 6 of 14 pulls done")
  whole <- call()
  expect_identical(tune::collect_metrics(resumed), tune::collect_metrics(whole))
  expect_identical(posterior(tuning_run(resumed)), posterior(tuning_run(whole)))
  # Fits on other folds, of another model or metric are not taken for these.
  expect_error(
    tune_bayesgap(penalised(), cars_folds(), grid = penalties(), budget = 14, seed = 2,
      checkpoint = file, metrics = yardstick::metric_set(yardstick::mae)),
    "of another model, metric", class = "bayesgap_error_checkpoint"
  )
  other <- workflows::update_formula(penalised(), mpg ~ wt + hp)
  expect_error(
    tune_bayesgap(other, cars_folds(), grid = penalties(), budget = 14, seed = 2, checkpoint = file),
    "of another model, metric", class = "bayesgap_error_checkpoint"
  )
  expect_error(
    tune_bayesgap(penalised(), cars_folds(2), grid = penalties(), budget = 14, seed = 2,
      checkpoint = file),
    "holds fits on other resamples", class = "bayesgap_error_checkpoint"
  )
})

test_that("a candidate that cannot be fitted is set aside, and says so", {
  model <- parsnip::linear_reg(penalty = tune::tune())
  # glmnet refuses a negative penalty when it predicts.
  flow <- workflows::workflow(mpg ~ ., parsnip::set_engine(model, "glmnet"))
  words <- said(x <- tune_bayesgap(
    flow, cars_folds(), grid = data.frame(penalty = c(-1, 0.01, 0.1, 1)), budget = 16, seed = 1
  ), "bayesgap_message_failed")
  run <- tuning_run(x)
  expect_match(words, "Set aside: .*-1.*failed 3 times in a row")
  expect_identical(posterior(run)$status[1], "failed")
  notes <- tune::collect_notes(x)
  expect_identical(unique(notes$type), "error")
  expect_identical(nrow(notes), 3L)
  expect_false(-1 %in% tune::show_best(x, n = 10)$penalty)
  expect_false(tune::select_best(x)$penalty == -1)
})

test_that("models by themselves, recipes, any resamples, any metric", {
  tree <- parsnip::set_engine(parsnip::decision_tree("classification", min_n = tune::tune(),
    cost_complexity = tune::tune()), "rpart")
  set.seed(1)
  boots <- rsample::bootstraps(iris, times = 4, apparent = TRUE)
  tree <- tune_bayesgap(
    tree, recipes::recipe(Species ~ ., iris), boots, grid = 6, budget = 16, seed = 1,
    metrics = yardstick::metric_set(yardstick::accuracy, yardstick::roc_auc)
  )
  expect_true(tuning_run(tree)$maximise)
  expect_identical(nrow(tree), 4L) # the apparent one is left out
  expect_identical(unique(tune::show_best(tree)$.metric), "accuracy")
  expect_identical(unique(tune::show_best(tree)$.estimator), "multiclass")
  one <- rsample::validation_set(rsample::initial_validation_split(mtcars))
  single <- tune_bayesgap(penalised(), one, grid = penalties(), seed = 1)
  expect_identical(nobs(tuning_run(single)), 12L)
  expect_s3_class(tune::fit_best(single), "workflow")
  # Repeats have two labels.
  twice <- tune_bayesgap(penalised(), cars_folds(v = 3, repeats = 2), grid = 4, budget = 14, seed = 1)
  expect_identical(twice$id2, rep(paste0("Fold", 1:3), 2))
  expect_identical(sum(tune::collect_metrics(twice)$n), 28L)
  # A parameter whose range comes from the data.
  forest <- parsnip::set_engine(
    parsnip::rand_forest("regression", mtry = tune::tune(), trees = 20), "ranger")
  grown <- tune_bayesgap(forest, mpg ~ ., cars_folds(), grid = 5, seed = 1)
  expect_true(all(tune::show_best(grown)$mtry <= 10))
})

test_that("the workflows of a set are the arms of one run", {
  set <- workflowsets::workflow_set(list(all = mpg ~ .), list(
    line = parsnip::linear_reg(),
    penalised = workflows::extract_spec_parsnip(penalised()),
    tree = parsnip::set_engine(parsnip::decision_tree("regression", min_n = tune::tune()), "rpart")
  ))
  set <- workflowsets::option_add(set, grid = penalties(), id = "all_penalised")
  out <- tune_bayesgap(set, cars_folds(), grid = list(all_tree = data.frame(min_n = c(2, 8, 15))),
    budget = 40, seed = 1)
  run <- tuning_run(out)
  expect_identical(nrow(posterior(run)), 16L)
  expect_identical(nobs(run), 40L)
  expect_s3_class(out, "workflow_set")
  n <- vapply(out$result, function(r) sum(tune::collect_metrics(r)$n), 0L)
  expect_identical(sum(n), 80L)
  ranks <- workflowsets::rank_results(out, rank_metric = "rmse")
  expect_setequal(ranks$wflow_id, set$wflow_id)
  best <- best_arm(run)
  expect_true(best$wflow_id %in% set$wflow_id)
  trees <- workflowsets::extract_workflow_set_result(out, "all_tree")
  expect_true(all(tune::show_best(trees)$min_n %in% c(2, 8, 15)))
  expect_s3_class(tune::fit_best(trees, metric = "rmse"), "workflow")
  expect_match(format(run$model$kernel$kernel), "k_by(~grid_class(wflow_id)", fixed = TRUE)
})

test_that("workflows that are alike are told apart; what was not fitted is left out", {
  set <- workflowsets::as_workflow_set(a = penalised(), b = penalised())
  out <- tune_bayesgap(set, cars_folds(), grid = penalties()[1:4, ], budget = 20, seed = 1)
  log <- as.data.frame(tuning_run(out))
  n <- vapply(out$result, function(r) sum(tune::collect_metrics(r)$n) / 2, 0)
  expect_equal(unname(n), as.vector(table(factor(log$wflow_id, c("a", "b")))))
  # A set resumes, with more fits, also where no seed was given.
  file <- tempfile(fileext = ".bgap")
  again <- function(budget) {
    tune_bayesgap(set, cars_folds(), grid = penalties()[1:4, ], budget = budget, checkpoint = file)
  }
  again(9)
  expect_message(more <- again(12), "9 of 12 pulls done")
  expect_identical(nobs(tuning_run(more)), 12L)
  # One fit for two workflows.
  words <- said(one <- tune_bayesgap(set, cars_folds(), grid = penalties()[1:4, ], budget = 1, seed = 1))
  expect_match(words, "No fit was made of \"[ab]\"", all = FALSE)
  expect_identical(sum(lengths(one$result) > 0), 1L)
})

test_that("resamples without a fit do no harm", {
  x <- tune_bayesgap(penalised(), cars_folds(), grid = penalties(), budget = 3, init = 3, seed = 1,
    control = list(save_pred = TRUE))
  expect_true(any(vapply(x$.metrics, nrow, 0L) == 0L))
  expect_identical(sum(tune::collect_metrics(x)$n), 6L)
  some <- tune::collect_metrics(x)[1, c("penalty", "mixture")]
  expect_gt(nrow(tune::collect_predictions(x, parameters = some)), 0L)
})

test_that("a parameter that is called cost may have costs", {
  svm <- parsnip::set_engine(parsnip::svm_rbf("regression", cost = tune::tune()), "kernlab")
  skip_if_not_installed("kernlab")
  x <- tune_bayesgap(svm, mpg ~ ., cars_folds(), grid = data.frame(cost = c(0.1, 1, 10)),
    cost = c(1, 1, 2), budget = 9, seed = 1)
  expect_true(all(tune::show_best(x)$cost %in% c(0.1, 1, 10)))
})

test_that("kernels of one's own, costs, a bound to stop at", {
  x <- tune_bayesgap(
    penalised(), cars_folds(), grid = penalties(), budget = 20, seed = 1,
    kernel = k_matern(~ log10(penalty)), cost = rep(c(1, 2), 6)
  )
  run <- tuning_run(x)
  expect_identical(format(run$model$kernel$kernel), "k_matern(~log10(penalty), nu = 5/2)")
  expect_lte(sum(rep(c(1, 2), 6) * posterior(run)$pulls), 20)
  early <- tune_bayesgap(penalised(), cars_folds(), grid = penalties(), budget = 60, seed = 1,
    stop_regret = 100)
  expect_lt(nobs(tuning_run(early)), 60)
})

test_that("what is wrong is named", {
  flow <- penalised()
  folds <- cars_folds()
  wrong <- function(..., text, what) {
    expect_error(tune_bayesgap(...), text, class = paste0("bayesgap_error_", what))
  }
  wrong(flow, mtcars, text = "`resamples` must be resamples made by rsample", what = "resamples")
  wrong(flow, text = "`resamples` must be", what = "resamples")
  wrong(flow, folds, grid = data.frame(penalty = 1), text = "\"mixture\" is missing", what = "grid")
  wrong(flow, folds, grid = cbind(penalties(), trees = 1), text = "\"trees\" is not one", what = "grid")
  wrong(flow, folds, grid = penalties()[0, ], text = "it has no rows", what = "grid")
  wrong(flow, folds, grid = "many", text = "`grid` must be a whole number", what = "grid")
  wrong(flow, folds, metrics = yardstick::metric_set(yardstick::accuracy), text = "`metrics` cannot",
    what = "metrics")
  wrong(flow, folds, metrics = "rmse", text = "`metrics` cannot be used", what = "metrics")
  wrong(flow, folds, budgte = 3, text = "no argument `budgte`.*Did you mean `budget`", what = "dots")
  wrong(flow, folds, maximise = TRUE, text = "`maximise` is set by tune_bayesgap", what = "dots")
  wrong(flow, folds, grid = 5, metrics = NULL, budget = 3, NULL, text = "must have names", what = "dots")
  wrong(flow, folds, control = list(savepred = TRUE), text = "no element \"savepred\"", what = "control")
  wrong(flow, folds, control = 3, text = "`control` must be a list", what = "control")
  wrong(flow, folds, budget = 0, text = "`budget` must be a whole number", what = "budget")
  wrong(flow, folds, cost = 1, grid = penalties(), text = "`budget` must be given", what = "budget")
  wrong(workflows::workflow(mpg ~ ., parsnip::linear_reg()), folds,
    text = "no parameter that is to be tuned", what = "object")
  wrong(flow, rsample::apparent(mtcars), grid = penalties(), text = "there is none", what = "resamples")
  wrong(parsnip::linear_reg(), folds, text = "`preprocessor` must be a formula", what = "preprocessor")
  set <- workflowsets::workflow_set(list(a = mpg ~ .), list(line = parsnip::linear_reg()))
  wrong(set, folds, grid = list(b = 3), text = "must be among the workflows", what = "grid")
})
