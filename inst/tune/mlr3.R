library(mlr3)
library(mlr3learners)
library(paradox)
library(bayesgap)

wines <- subset(wine, colour == "red", select = -colour)
wines <- wines[seq(1, nrow(wines), by = 4), ]
task <- as_task_regr(wines, target = "quality")

# 64 support vector machines, 80 of the 640 fits.
machine <- lrn(
  "regr.svm", type = "eps-regression", kernel = "radial",
  cost = to_tune(1e-2, 10^1.5, logscale = TRUE), gamma = to_tune(1e-4, 10^-0.5, logscale = TRUE)
)
tuned <- tune_bayesgap(
  machine, task, rsmp("cv", folds = 10), "regr.rmse", grid = 8, budget = 80, seed = 1
)
tuning_run(tuned)
tuned$predict(task)$score(msr("regr.rmse"))
