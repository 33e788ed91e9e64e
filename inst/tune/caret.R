library(caret)
library(bayesgap)

wines <- subset(wine, colour == "red", select = -colour)
wines <- wines[seq(1, nrow(wines), by = 4), ]

# 42 neural networks. The columns have the names of caret's tuning parameters.
arms <- expand.grid(size = c(1, 2, 3, 4, 6, 8), decay = 10^seq(-2, 1, by = 0.5))

# One pull: the error of one network in a five-fold cross-validation with new folds.
five_folds <- trainControl(method = "cv", number = 5)
objective <- function(arm) {
  tested <- train(
    quality ~ ., wines, method = "nnet", tuneGrid = arm[names(arms)], trControl = five_folds,
    preProcess = c("center", "scale"), linout = TRUE, trace = FALSE
  )
  tested$results$RMSE
}

alike <- k_matern(~ log(size) + log(decay))
x <- bayesgap(arms, objective, budget = 12, maximise = FALSE, kernel = alike, seed = 1)
x
best_arm(x)
