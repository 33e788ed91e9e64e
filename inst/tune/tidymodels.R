library(parsnip)
library(rsample)
library(tune)
library(workflows)
library(bayesgap)

wines <- subset(wine, colour == "red", select = -colour)
wines <- wines[seq(1, nrow(wines), by = 4), ]
set.seed(1)
folds <- vfold_cv(wines, v = 10)

# 30 forests in a space-filling grid, 60 of the 300 fits.
forest <- rand_forest("regression", mtry = tune(), min_n = tune(), trees = 50)
forest <- workflow(quality ~ ., set_engine(forest, "ranger", num.threads = 1))
tuned <- tune_bayesgap(forest, folds, grid = 30, budget = 60, seed = 1)
show_best(tuned, n = 3)
chosen <- fit_best(tuned)
predict(chosen, wines[1:3, ])
