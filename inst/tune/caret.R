library(caret)
library(bayesgap)

wines <- subset(wine, colour == "red", select = -colour)
wines <- wines[seq(1, nrow(wines), by = 4), ]

# 56 forests. The columns have the names of caret's tuning parameters.
arms <- expand.grid(
  mtry = c(1, 2, 3, 4, 6, 8, 11), splitrule = c("variance", "extratrees"),
  min.node.size = c(2, 5, 15, 50), stringsAsFactors = FALSE
)

# One pull: the error of one forest in a five-fold cross-validation with new folds.
five_folds <- trainControl(method = "cv", number = 5)
objective <- function(arm) {
  tested <- train(
    quality ~ ., wines, method = "ranger", tuneGrid = arm[names(arms)],
    trControl = five_folds, num.trees = 50, num.threads = 1
  )
  tested$results$RMSE
}

alike <- k_factor(~ splitrule, similarity = NULL) * k_matern(~ log(mtry) + log(min.node.size))
x <- bayesgap(arms, objective, budget = 20, maximise = FALSE, kernel = alike, seed = 1)
x
best_arm(x)
