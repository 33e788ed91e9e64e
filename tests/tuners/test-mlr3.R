# tune_bayesgap() and tnr("bayesgap") with mlr3 as it is installed.
lgr::get_logger("mlr3")$set_threshold("warn")
if (requireNamespace("bbotk", quietly = TRUE)) lgr::get_logger("bbotk")$set_threshold("warn")

tree <- function() {
  mlr3::lrn("classif.rpart",
    cp = paradox::to_tune(1e-4, 1e-1, logscale = TRUE), minsplit = paradox::to_tune(c(2, 8, 32)))
}

sonar <- mlr3::tsk("sonar")

test_that("a learner with tokens comes back tuned and trained", {
  learner <- tree()
  x <- tune_bayesgap(learner, sonar, mlr3::rsmp("cv", folds = 4), "classif.ce", grid = 4,
    budget = 24, seed = 1)
  run <- tuning_run(x)
  expect_identical(dim(run$model$arms$data), c(12L, 2L))
  expect_identical(nobs(run), 24L)
  expect_false(run$maximise)
  best <- best_arm(run)
  expect_equal(x$param_set$values$cp, best$cp)
  expect_equal(x$param_set$values$minsplit, as.numeric(best$minsplit))
  expect_length(x$predict(sonar)$response, sonar$nrow)
  # The learner that was given is as it was.
  expect_true(inherits(learner$param_set$values$cp, "TuneToken"))
  expect_null(learner$model)
  again <- tune_bayesgap(tree(), sonar, mlr3::rsmp("cv", folds = 4), "classif.ce", grid = 4,
    budget = 24, seed = 1)
  expect_equal(as.data.frame(tuning_run(again)), as.data.frame(run))
})

test_that("a fit is that of resample() on the same split", {
  folds <- mlr3::rsmp("cv", folds = 3)
  set.seed(1)
  folds$instantiate(sonar)
  x <- tune_bayesgap(mlr3::lrn("classif.rpart"), sonar, folds, mlr3::msr("classif.acc"),
    grid = data.frame(cp = c(0.001, 0.1), minsplit = c(4, 20)), seed = 1)
  run <- tuning_run(x)
  expect_true(run$maximise)
  log <- as.data.frame(run)
  expect_identical(nrow(log), 6L)
  for (i in 1:2) {
    arm <- run$model$arms$data[i, ]
    learner <- mlr3::lrn("classif.rpart", cp = arm$cp, minsplit = arm$minsplit)
    found <- mlr3::resample(sonar, learner, folds)$score(mlr3::msr("classif.acc"))
    mine <- log[log$arm == run$model$arms$names[i], ]
    expect_equal(mine$y[order(mine$block)], found$classif.acc)
  }
})

test_that("graph learners, a holdout, a default measure, a learner that fails", {
  steps <- mlr3pipelines::po("pca", rank. = paradox::to_tune(1, 4))
  graph <- mlr3::as_learner(mlr3pipelines::concat_graphs(steps, mlr3::lrn("regr.rpart")))
  x <- tune_bayesgap(graph, mlr3::tsk("mtcars"), mlr3::rsmp("holdout"), grid = 4, seed = 1)
  expect_identical(nobs(tuning_run(x)), 4L)
  expect_length(x$predict(mlr3::tsk("mtcars"))$response, 32L)
  # mlr3's learner for tests fails on demand.
  debug <- mlr3::lrn("classif.debug")
  words <- said(x <- tune_bayesgap(debug, sonar, mlr3::rsmp("cv", folds = 5),
    grid = data.frame(x = c(0, 0.5, 1), error_train = c(0, 0, 1)), budget = 15, seed = 1
  ), "bayesgap_message_failed")
  expect_match(words, "Set aside: .*1, 1.*failed 3 times in a row")
  expect_identical(posterior(tuning_run(x))$status, c("active", "active", "failed"))
})

test_that("tokens of one parameter, in the function and in the tuner", {
  one <- function() mlr3::lrn("classif.rpart", cp = paradox::to_tune(1e-4, 1e-1, logscale = TRUE))
  x <- tune_bayesgap(one(), sonar, mlr3::rsmp("cv", folds = 3), grid = 5, budget = 9, seed = 1)
  expect_identical(nobs(tuning_run(x)), 9L)
  inst <- mlr3tuning::tune(mlr3tuning::tnr("bayesgap", resolution = 5), sonar, one(),
    mlr3::rsmp("cv", folds = 3), mlr3::msr("classif.ce"), term_evals = 9)
  expect_identical(inst$archive$n_evals, 9L)
  expect_equal(inst$result_x_domain$cp, best_arm(tuning_run(inst))$cp)
})

test_that("a checkpoint resumes, on the same splits only", {
  file <- tempfile(fileext = ".bgap")
  call <- function(seed, budget) {
    tune_bayesgap(tree(), sonar, mlr3::rsmp("cv", folds = 4), "classif.ce", grid = 4,
      budget = budget, seed = seed, checkpoint = file)
  }
  call(1, 12)
  expect_message(x <- call(1, 16), "Resuming .* 12 of 16 pulls done")
  expect_identical(nobs(tuning_run(x)), 16L)
  expect_error(call(2, 16), class = "bayesgap_error_checkpoint")
  # Splits that are given need no seed.
  folds <- mlr3::rsmp("cv", folds = 3)
  folds$instantiate(sonar)
  file <- tempfile(fileext = ".bgap")
  again <- function(measure = "classif.ce", budget = 6) {
    tune_bayesgap(tree(), sonar, folds, measure, grid = 3, budget = budget, checkpoint = file)
  }
  again()
  expect_message(x <- again(budget = 8), "6 of 8 pulls done")
  expect_error(again("classif.acc"), "another model, metric", class = "bayesgap_error_checkpoint")
})

test_that("the tuner is known to mlr3tuning and tunes an instance fit by fit", {
  tuner <- mlr3tuning::tnr("bayesgap", resolution = 4, seed = 1L, batch_size = 2L)
  inst <- mlr3tuning::ti(sonar, tree(), mlr3::rsmp("cv", folds = 3), mlr3::msr("classif.ce"),
    mlr3tuning::trm("evals", n_evals = 21))
  tuner$optimize(inst)
  run <- tuning_run(inst)
  expect_identical(inst$archive$n_evals, 21L)
  expect_identical(run$budget, 21L)
  expect_identical(nobs(run), 21L)
  expect_equal(inst$archive$data$classif.ce, as.data.frame(run)$y)
  best <- best_arm(run)
  expect_equal(inst$result_x_domain$cp, best$cp)
  expect_equal(unname(inst$result_y), posterior(run)$mean[match(best$arm, posterior(run)$arm)])
  expect_identical(tuning_run(tuner), run)
})

test_that("auto_tuner() and tune() use it, and other terminators stop it", {
  auto <- mlr3tuning::auto_tuner(
    mlr3tuning::tnr("bayesgap", resolution = 3), tree(), mlr3::rsmp("holdout"),
    mlr3::msr("classif.acc"), term_evals = 6
  )
  auto$train(sonar)
  expect_length(auto$predict(sonar)$response, sonar$nrow)
  inst <- mlr3tuning::tune(
    mlr3tuning::tnr("bayesgap", resolution = 3, budget = 20L), sonar, tree(),
    mlr3::rsmp("cv", folds = 3), mlr3::msr("classif.acc"),
    terminator = mlr3tuning::trm("combo", terminators = list(
      mlr3tuning::trm("evals", n_evals = 8), mlr3tuning::trm("run_time", secs = 600)))
  )
  expect_identical(inst$archive$n_evals, 8L)
  expect_identical(nobs(tuning_run(inst)), 8L)
  expect_true(tuning_run(inst)$maximise)
  expect_identical(nrow(inst$result), 1L)
})

test_that("what is wrong is named", {
  cv <- mlr3::rsmp("cv", folds = 3)
  wrong <- function(..., text, what) {
    expect_error(tune_bayesgap(...), text, class = paste0("bayesgap_error_", what))
  }
  wrong(tree(), text = "`task` must be a task of mlr3", what = "task")
  wrong(tree(), sonar, text = "`resampling` must be", what = "resampling")
  wrong(tree(), sonar, cv, "classif.foo", text = "which mlr3 does not know", what = "measure")
  wrong(tree(), sonar, cv, 3, text = "`measure` must be a measure", what = "measure")
  wrong(mlr3::lrn("classif.rpart"), sonar, cv, text = "to_tune()", what = "object")
  wrong(tree(), sonar, cv, grid = data.frame(foo = 1), text = "\"foo\" is none", what = "grid")
  wrong(tree(), sonar, cv, grid = 0, text = "`grid` must be a whole number", what = "grid")
  wrong(tree(), sonar, cv, checkpoint = "a.bgap", text = "`seed` must be given", what = "seed")
  wrong(tree(), sonar, cv, blocks = 3, text = "is set by tune_bayesgap", what = "dots")
  other <- mlr3::rsmp("cv", folds = 3)$instantiate(mlr3::tsk("iris"))
  wrong(tree(), sonar, other, text = "with another task", what = "resampling")
  wrong(tree(), sonar, cv, "classif.auc", text = "`measure` cannot be used", what = "measure")
  wrong(tree(), mlr3::tsk("mtcars"), cv, "regr.rmse", text = "`object` cannot be used", what = "object")
  wrong(tree(), sonar, cv, budget = -1, text = "`budget` must be", what = "budget")
})
