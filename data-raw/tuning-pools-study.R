# Test errors of every candidate of a grid on every fold of a repeated ten-fold cross-validation, for
# six sets of data: what bench/tuning.R lets methods of tuning draw from. A run has five repeats for
# the methods, and the ten others judge what they choose. Writes data-raw/tuning-pools.rds; about an
# hour of one core. What is finished is kept in build/tuning/, and a call goes on where it was stopped.
# CORES: processes at a time (2).
# Needs: e1071, FNN, glmnet, kernlab, MASS, mlbench, modeldata, nnet, ranger, rpart

cores <- as.integer(Sys.getenv("CORES", "2"))
repeats <- c(methods = 5L, judge = 10L)
folds <- 10L
parts <- file.path("build", "tuning")
dir.create(parts, recursive = TRUE, showWarnings = FALSE)

# ---- Data ------------------------------------------------------------------------------------

of_package <- function(name, package) {
  found <- new.env()
  utils::data(list = name, package = package, envir = found)
  found[[name]]
}

some_rows <- function(data, n) {
  set.seed(1)
  data[sort(sample.int(nrow(data), min(n, nrow(data)))), ]
}

# list(x, y): predictors as numbers, and an outcome, a number or a factor.
problem_of <- function(data, outcome) {
  y <- data[[outcome]]
  x <- stats::model.matrix(~ . - 1, data[names(data) != outcome])
  list(x = unname(x), y = if (is.factor(y)) droplevels(y) else as.double(y))
}

wines <- function() {
  red <- bayesgap::wine[bayesgap::wine$colour == "red", names(bayesgap::wine) != "colour"]
  problem_of(red[seq(1, nrow(red), by = 4), ], "quality")
}

boston <- function() problem_of(MASS::Boston, "medv")

concrete <- function() {
  problem_of(some_rows(unique(of_package("concrete", "modeldata")), 500), "compressive_strength")
}

sonar <- function() problem_of(of_package("Sonar", "mlbench"), "Class")

pima <- function() problem_of(rbind(MASS::Pima.tr, MASS::Pima.te), "type")

spam <- function() problem_of(some_rows(of_package("spam", "kernlab"), 400), "type")

# ---- Models ----------------------------------------------------------------------------------

# Each: (known, asked, y, arm) to predictions for `asked`.
fit_svm <- function(known, asked, y, arm) {
  fit <- e1071::svm(known, y, kernel = "radial", cost = arm$cost, gamma = arm$gamma)
  unname(stats::predict(fit, asked))
}

fit_forest <- function(known, asked, y, arm) {
  colnames(known) <- colnames(asked) <- paste0("x", seq_len(ncol(known)))
  fit <- ranger::ranger(
    x = as.data.frame(known), y = y, num.trees = 100, mtry = min(arm$mtry, ncol(known)),
    min.node.size = arm$min_n, splitrule = arm$rule, num.threads = 1
  )
  stats::predict(fit, as.data.frame(asked), num.threads = 1)$predictions
}

fit_net <- function(known, asked, y, arm) {
  family <- if (is.factor(y)) "binomial" else "gaussian"
  fit <- glmnet::glmnet(known, y, family = family, alpha = arm$mixture)
  type <- if (is.factor(y)) "class" else "response"
  found <- drop(stats::predict(fit, asked, s = arm$penalty, type = type))
  if (is.factor(y)) factor(found, levels(y)) else found
}

fit_neurons <- function(known, asked, y, arm) {
  centre <- mean(y)
  size <- stats::sd(y)
  fit <- nnet::nnet(
    known, (y - centre) / size, size = arm$size, decay = arm$decay, linout = TRUE, maxit = 150,
    trace = FALSE, MaxNWts = 5000
  )
  centre + size * drop(stats::predict(fit, asked))
}

fit_tree <- function(known, asked, y, arm) {
  colnames(known) <- colnames(asked) <- paste0("x", seq_len(ncol(known)))
  control <- rpart::rpart.control(cp = arm$cp, minsplit = arm$min_n, xval = 0)
  fit <- rpart::rpart(y ~ ., data.frame(y = y, known), control = control)
  unname(stats::predict(fit, data.frame(asked), type = if (is.factor(y)) "class" else "vector"))
}

fit_neighbours <- function(known, asked, y, arm) {
  unname(FNN::knn(known, asked, y, k = arm$k))
}

models <- list(
  svm = fit_svm, forest = fit_forest, net = fit_net, neurons = fit_neurons, tree = fit_tree,
  neighbours = fit_neighbours
)

svms <- expand.grid(cost = 10^seq(-2, 1.5, by = 0.5), gamma = 10^seq(-4, -0.5, by = 0.5))
forests <- expand.grid(
  mtry = c(1, 2, 3, 4, 6, 9, 13), min_n = c(2, 5, 15, 40), rule = c("a", "extratrees"),
  stringsAsFactors = FALSE
)
nets <- expand.grid(penalty = 10^seq(-4, 0, length.out = 12), mixture = c(0, 0.2, 0.4, 0.6, 0.8, 1))
neurons <- expand.grid(size = c(1, 2, 3, 4, 6, 8, 12, 16), decay = 10^seq(-3, 1.5, length.out = 8))
trees <- expand.grid(cp = 10^seq(-4, -1, length.out = 6), min_n = c(2, 5, 10, 20, 40, 80))
neighbours <- data.frame(k = c(1, 2, 3, 4, 5, 7, 9, 12, 16, 20, 25, 30))

# The candidates of several kinds of models, with the columns of all.
candidates <- function(...) {
  grids <- list(...)
  columns <- unique(unlist(lapply(grids, names)))
  do.call(rbind, Map(function(grid, kind) {
    grid[setdiff(columns, names(grid))] <- NA
    cbind(kind = kind, grid[columns])
  }, grids, names(grids)))
}

ruled <- function(rule) replace(forests, "rule", ifelse(forests$rule == "a", rule, forests$rule))

sets <- list(
  wine = list(data = wines, grid = candidates(svm = svms)),
  boston = list(data = boston, grid = candidates(forest = ruled("variance"), net = nets)),
  concrete = list(data = concrete, grid = candidates(neurons = neurons)),
  sonar = list(data = sonar, grid = candidates(svm = svms, neighbours = neighbours)),
  pima = list(data = pima, grid = candidates(net = nets, tree = trees)),
  spam = list(data = spam, grid = candidates(forest = ruled("gini"), svm = svms))
)

# ---- Errors ----------------------------------------------------------------------------------

error_of <- function(predicted, y) {
  if (is.factor(y)) mean(as.character(predicted) != y) else sqrt(mean((predicted - y)^2))
}

# Errors and seconds of all candidates on one fold; the data are scaled by what is known.
fold_errors <- function(problem, grid, out) {
  known <- scale(problem$x[-out, , drop = FALSE])
  flat <- attr(known, "scaled:scale") == 0
  asked <- scale(problem$x[out, , drop = FALSE], attr(known, "scaled:center"), attr(known, "scaled:scale"))
  known[, flat] <- asked[, flat] <- 0
  vapply(seq_len(nrow(grid)), function(i) {
    set.seed(i)
    began <- proc.time()[[1L]]
    found <- models[[grid$kind[i]]](known, asked, problem$y[-out], grid[i, ])
    c(error_of(found, problem$y[out]), proc.time()[[1L]] - began)
  }, double(2))
}

# Folds with about the same outcomes in each: every tenth of the rows in the order of the outcome.
draw_folds <- function(y, seed) {
  set.seed(seed)
  order <- order(as.double(y), stats::runif(length(y)))
  fold <- integer(length(y))
  for (start in seq(1L, length(y), by = folds)) {
    rows <- order[start:min(start + folds - 1L, length(y))]
    fold[rows] <- sample.int(folds)[seq_along(rows)]
  }
  split(seq_along(y), fold)
}

# list(grid, errors, seconds): errors are candidates by splits.
make_pool <- function(name) {
  set <- sets[[name]]
  problem <- set$data()
  splits <- do.call(c, lapply(seq_len(sum(repeats)), function(r) draw_folds(problem$y, r)))
  found <- parallel::mclapply(seq_along(splits), function(i) {
    file <- file.path(parts, sprintf("%s-%d.rds", name, i))
    if (!file.exists(file)) {
      saveRDS(fold_errors(problem, set$grid, splits[[i]]), paste0(file, ".part"))
      file.rename(paste0(file, ".part"), file)
    }
    readRDS(file)
  }, mc.cores = cores, mc.preschedule = FALSE)
  broken <- vapply(found, inherits, TRUE, "try-error")
  if (any(broken)) {
    stop(name, ": ", found[broken][[1L]])
  }
  errors <- vapply(found, function(f) f[1L, ], double(nrow(set$grid)))
  seconds <- vapply(found, function(f) f[2L, ], double(nrow(set$grid)))
  message(name, ": ", nrow(set$grid), " candidates, ", ncol(errors), " splits")
  list(
    grid = set$grid, errors = errors, seconds = rowMeans(seconds),
    measure = if (is.factor(problem$y)) "misclassified" else "RMSE"
  )
}

if (sys.nframe() == 0L) {
  pools <- lapply(stats::setNames(nm = names(sets)), make_pool)
  attr(pools, "repeats") <- repeats
  saveRDS(pools, file.path("data-raw", "tuning-pools.rds"), compress = "xz")
}
