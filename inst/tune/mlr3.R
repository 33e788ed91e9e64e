library(mlr3)
library(mlr3learners)
library(bayesgap)
lgr::get_logger("mlr3")$set_threshold("warn")

wines <- subset(wine, colour == "red", select = -colour)
wines <- wines[seq(1, nrow(wines), by = 4), ]
task <- as_task_regr(wines, target = "quality")

# 64 support vector machines. The columns have the names of the learner's parameters.
arms <- expand.grid(cost = 10^seq(-2, 1.5, by = 0.5), gamma = 10^seq(-4, -0.5, by = 0.5))

# One pull: the error of one machine in a five-fold cross-validation with new folds.
objective <- function(arm) {
  machine <- lrn(
    "regr.svm", type = "eps-regression", kernel = "radial", cost = arm$cost, gamma = arm$gamma
  )
  tested <- resample(task, machine, rsmp("cv", folds = 5))
  tested$aggregate(msr("regr.rmse"))
}

alike <- k_matern(~ log10(cost) + log10(gamma))
x <- bayesgap(arms, objective, budget = 12, maximise = FALSE, kernel = alike, seed = 1)
x
best_arm(x)
