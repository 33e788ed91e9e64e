# tune_bayesgap() with caret as it is installed.

neighbours <- data.frame(k = c(1, 3, 5, 7, 9, 15, 25, 41))
folds <- function(...) caret::trainControl("cv", number = 5, ...)

test_that("a train object comes back that predicts and says what was found", {
  x <- tune_bayesgap("knn", Species ~ ., iris, tuneGrid = neighbours, trControl = folds(),
    preProcess = "scale", budget = 20, seed = 1)
  run <- tuning_run(x)
  expect_s3_class(x, "train")
  expect_identical(nobs(run), 20L)
  expect_true(run$maximise)
  expect_identical(x$bestTune$k, best_arm(run)$k)
  expect_identical(sum(x$results$fits), 20L)
  expect_equal(x$results$expected, posterior(run)$mean)
  expect_identical(x$metric, "Accuracy")
  expect_identical(levels(predict(x, iris)), levels(iris$Species))
  expect_identical(dim(predict(x, iris, type = "prob")), c(150L, 3L))
  expect_identical(x$finalModel$k, x$bestTune$k)
  log <- as.data.frame(run)
  chosen <- log[log$arm == best_arm(run)$arm, ]
  expect_equal(x$resample$Accuracy, chosen$y)
  expect_identical(x$resample$Resample, chosen$block)
  expect_output(print(x), "Cross-Validated \\(5 fold\\).*final value used for the model was k")
  expect_s3_class(ggplot2::ggplot(x), "ggplot")
  again <- tune_bayesgap("knn", Species ~ ., iris, tuneGrid = neighbours, trControl = folds(),
    preProcess = "scale", budget = 20, seed = 1)
  expect_identical(as.data.frame(tuning_run(again)), log)
  expect_identical(predict(again, iris), predict(x, iris))
})

test_that("a fit is that of train() on the same resample", {
  set.seed(1)
  index <- caret::createFolds(mtcars$mpg, 4, returnTrain = TRUE)
  grid <- data.frame(k = c(2, 5))
  x <- tune_bayesgap("knn", mpg ~ ., mtcars, tuneGrid = grid, budget = 8, seed = 1,
    trControl = caret::trainControl(index = index))
  whole <- caret::train(mpg ~ ., mtcars, method = "knn", tuneGrid = grid,
    trControl = caret::trainControl(index = index, returnResamp = "all"))
  log <- as.data.frame(tuning_run(x))
  measures <- do.call(rbind, lapply(log$.measures, as.data.frame))
  at <- match(paste(log$k, log$block), paste(whole$resample$k, whole$resample$Resample))
  expect_equal(log$y, whole$resample$RMSE[at])
  expect_equal(measures$Rsquared, whole$resample$Rsquared[at])
  expect_equal(x$results$RMSE, whole$results$RMSE)
  expect_equal(x$results$RMSESD, whole$results$RMSESD)
  expect_false(tuning_run(x)$maximise)
})

test_that("weights belong to their rows, and the last model has the rows that it is to have", {
  set.seed(2)
  weights <- runif(32)
  index <- caret::createResample(mtcars$mpg, 3)
  grid <- data.frame(cp = c(0.01, 0.2))
  control <- function(...) caret::trainControl(index = index, indexFinal = 1:20, ...)
  x <- tune_bayesgap("rpart", mpg ~ ., mtcars, tuneGrid = grid, trControl = control(), budget = 6,
    weights = weights, seed = 1)
  whole <- caret::train(mpg ~ ., mtcars, method = "rpart", tuneGrid = grid, weights = weights,
    trControl = control(returnResamp = "all"))
  expect_equal(sort(as.data.frame(tuning_run(x))$y), sort(whole$resample$RMSE))
  mine <- caret::train(mpg ~ ., mtcars, method = "rpart", tuneGrid = x$bestTune, weights = weights,
    trControl = control())
  expect_equal(predict(x, mtcars), predict(mine, mtcars))
})

test_that("predictors and outcome, a default grid, other resamples, own metrics", {
  x <- tune_bayesgap("rpart", mtcars[-1], mtcars$mpg, trControl = caret::trainControl("boot", 6),
    tuneLength = 4, budget = 18, seed = 1)
  expect_length(predict(x, mtcars[1:3, ]), 3L)
  two <- droplevels(iris[51:150, ])
  roc <- tune_bayesgap("knn", Species ~ ., two, tuneGrid = neighbours[1:5, , drop = FALSE],
    trControl = folds(classProbs = TRUE, summaryFunction = caret::twoClassSummary), metric = "ROC",
    budget = 15, seed = 1)
  expect_identical(roc$metric, "ROC")
  expect_true(all(c("ROC", "Sens", "Spec", "ROCSD") %in% names(roc$results)))
  for (how in list(
    caret::trainControl("repeatedcv", number = 3, repeats = 2), caret::trainControl("LGOCV", 4),
    caret::trainControl("timeslice", initialWindow = 20, horizon = 4, skip = 3)
  )) {
    x <- tune_bayesgap("knn", mpg ~ ., mtcars, tuneGrid = data.frame(k = 1:4), trControl = how,
      budget = 10, seed = 1)
    expect_identical(nobs(tuning_run(x)), 10L, label = how$method)
  }
})

test_that("a checkpoint resumes; what the model itself takes is passed on", {
  file <- tempfile(fileext = ".bgap")
  call <- function(budget, ...) {
    tune_bayesgap("rpart", mpg ~ ., mtcars, trControl = folds(), tuneLength = 5, budget = budget,
      seed = 1, checkpoint = file, control = rpart::rpart.control(minsplit = 4), ...)
  }
  x <- call(10)
  expect_identical(x$finalModel$control$minsplit, 4)
  expect_message(x <- call(14), "Resuming .* 10 of 14 pulls done")
  expect_identical(nobs(tuning_run(x)), 14L)
})

test_that("what is wrong is named", {
  wrong <- function(..., text, what) {
    expect_error(tune_bayesgap(...), text, class = paste0("bayesgap_error_", what))
  }
  wrong("knnn", mpg ~ ., mtcars, text = "the name of a method of caret", what = "object")
  wrong(c("knn", "rf"), mpg ~ ., mtcars, text = "the name of a method of caret", what = "object")
  wrong("knn", text = "`form` must be a formula", what = "form")
  wrong("knn", mpg ~ ., 3, text = "`data` must be a data frame", what = "data")
  wrong("knn", mpg ~ nothing, mtcars, text = "do not go together", what = "data")
  wrong("knn", mtcars[-1], 1:3, text = "each of the 32 rows", what = "data")
  wrong("knn", mpg ~ ., mtcars, tuneGrid = data.frame(K = 1), text = "\"k\" is missing", what = "tuneGrid")
  wrong("knn", mpg ~ ., mtcars, tuneGrid = 3, text = "`tuneGrid` must be", what = "tuneGrid")
  wrong("knn", mpg ~ ., mtcars, trControl = 3, text = "trainControl()", what = "trControl")
  wrong("knn", mpg ~ ., mtcars, trControl = caret::trainControl("LOOCV"), text = "\"LOOCV\"",
    what = "trControl")
  wrong("knn", mpg ~ ., mtcars, checkpoint = "a.bgap", text = "`seed` must be given", what = "seed")
  wrong("knn", mpg ~ ., mtcars, maximise = FALSE, text = "`maximise` is set by", what = "dots")
  wrong("knn", mpg ~ ., mtcars, subset = 1:20, text = "`subset` cannot be given", what = "dots")
  wrong("knn", mpg ~ ., mtcars, neighbours, text = "must have names", what = "dots")
  wrong("knn", mpg ~ ., mtcars, weights = 1:3, text = "32 numbers", what = "weights")
  digits <- transform(mtcars, am = factor(am))
  wrong("knn", am ~ ., digits, trControl = caret::trainControl("cv", classProbs = TRUE),
    text = "the classes must be names", what = "trControl")
  wrong("knn", mpg ~ ., mtcars, metric = 3, text = "`metric` must be", what = "metric")
  wrong("knn", mpg ~ ., mtcars, metric = "ROC", tuneGrid = neighbours[1:3, , drop = FALSE], seed = 1,
    text = "the summary function gives \"RMSE\"", what = "objective")
})
