library(parsnip)
library(rsample)
library(workflows)
library(yardstick)
library(bayesgap)

wines <- subset(wine, colour == "red", select = -colour)
wines <- wines[seq(1, nrow(wines), by = 4), ]

# 56 forests: two rules for the splits of their trees.
arms <- expand.grid(
  mtry = c(1, 2, 3, 4, 6, 8, 11), min_n = c(2, 5, 15, 50),
  rule = c("variance", "extratrees"), stringsAsFactors = FALSE
)

# One pull: the error of one forest in a five-fold cross-validation with new folds.
objective <- function(arm) {
  forest <- rand_forest("regression", mtry = arm$mtry, min_n = arm$min_n, trees = 50)
  forest <- set_engine(forest, "ranger", splitrule = arm$rule, num.threads = 1)
  steps <- workflow(quality ~ ., forest)
  errors <- vapply(vfold_cv(wines, v = 5)$splits, function(fold) {
    tested <- augment(fit(steps, analysis(fold)), assessment(fold))
    rmse_vec(tested$quality, tested$.pred)
  }, 0)
  mean(errors)
}

alike <- k_factor(~ rule, similarity = NULL) * k_matern(~ log(mtry) + log(min_n))
x <- bayesgap(arms, objective, budget = 12, maximise = FALSE, kernel = alike, seed = 1)
x
best_arm(x)
