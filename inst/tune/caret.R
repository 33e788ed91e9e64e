library(caret)
library(bayesgap)

wines <- subset(wine, colour == "red", select = -colour)
wines <- wines[seq(1, nrow(wines), by = 4), ]

# 24 neural networks, 60 of the 240 fits of a ten-fold cross-validation.
tuned <- tune_bayesgap(
  "nnet", quality ~ ., wines, tuneGrid = expand.grid(size = c(1, 2, 3, 4, 6, 8), decay = 10^(-2:1)),
  trControl = trainControl("cv", number = 10), preProcess = c("center", "scale"),
  linout = TRUE, trace = FALSE, budget = 60, seed = 1
)
tuned$bestTune
tuning_run(tuned)
predict(tuned, wines[1:3, ])
