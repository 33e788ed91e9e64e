library(parsnip)
library(recipes)
library(rsample)
library(workflows)
library(yardstick)
library(bayesgap)

wines <- subset(wine, colour == "red", select = -colour)
wines <- wines[seq(1, nrow(wines), by = 4), ]
scaled <- step_normalize(recipe(quality ~ ., wines), all_predictors())

# 49 neural networks with one hidden layer.
arms <- expand.grid(hidden_units = c(1, 2, 3, 4, 6, 8, 12), penalty = 10^seq(-2, 1, by = 0.5))

# One pull: the error of one network in a five-fold cross-validation with new folds.
objective <- function(arm) {
  network <- mlp("regression", "nnet", arm$hidden_units, arm$penalty, epochs = 100)
  both <- workflow(scaled, network)
  errors <- vapply(vfold_cv(wines, v = 5)$splits, function(split) {
    tested <- augment(fit(both, analysis(split)), assessment(split))
    rmse_vec(tested$quality, tested$.pred)
  }, 0)
  mean(errors)
}

alike <- k_matern(~ log(hidden_units) + log(penalty))
x <- bayesgap(arms, objective, budget = 20, maximise = FALSE, kernel = alike, seed = 1)
x
best_arm(x)
