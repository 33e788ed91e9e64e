# The study behind vignette("tune-your-own-grid"): how good is the configuration that a method
# chooses, and how many fits does the choice take?
# From the repository root, with the package installed: Rscript data-raw/tune-study.R
# Writes inst/extdata/tune-study.csv. About twenty minutes on one core; what is finished is
# kept in build/tune-study/, so that a run that was stopped goes on. Remove that folder to start
# afresh, for instance after a change of the package.
# Needs: caret, e1071, irace, nnet
library(bayesgap)

folder <- file.path("build", "tune-study")
result <- file.path("inst", "extdata", "tune-study.csv")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
dir.create(dirname(result), recursive = TRUE, showWarnings = FALSE)

# Of the processor, which others may use as well.
seconds_so_far <- function() sum(proc.time()[c("user.self", "sys.self")])

# The value of `make()` from its file, or else made and kept.
keep <- function(name, make) {
  file <- file.path(folder, paste0(name, ".rds"))
  if (!file.exists(file)) {
    started <- seconds_so_far()
    value <- make()
    saveRDS(value, paste0(file, ".part"))
    file.rename(paste0(file, ".part"), file)
    message(sprintf("%-20s %5.0f s", name, seconds_so_far() - started))
  }
  readRDS(file)
}

# ---- The wines, the grid and the pool of fits ------------------------------------------------

# As in inst/tune/mlr3.R: every fourth red wine, and 64 support vector machines.
wines <- subset(wine, colour == "red", select = -colour)
wines <- wines[seq(1, nrow(wines), by = 4), ]
arms <- expand.grid(cost = 10^seq(-2, 1.5, by = 0.5), gamma = 10^seq(-4, -0.5, by = 0.5))
attributes <- as.matrix(wines[names(wines) != "quality"])
quality <- wines$quality
n <- nrow(wines)
k <- nrow(arms)

# A fit trains on four fifths and is tested on the last fifth. Five such splits, the folds, are a
# repeat of cross-validation. The methods draw theirs from the first repeats; the last ones are the
# yardstick, which no method sees.
folds <- 5L
drawn <- 40L
yardstick <- 40L
set.seed(1)
fold_of <- replicate(drawn + yardstick, sample(rep_len(seq_len(folds), n)))

predict_fold <- function(arm, train) {
  fit <- e1071::svm(attributes[train, ], quality[train], cost = arm$cost, gamma = arm$gamma)
  predict(fit, attributes[!train, ])
}

# Each wine as predicted by the four folds it is not in: wines by arms.
predict_repeat <- function(r) {
  vapply(seq_len(k), function(a) {
    predicted <- double(n)
    for (f in seq_len(folds)) {
      train <- fold_of[, r] != f
      predicted[!train] <- predict_fold(arms[a, ], train)
    }
    predicted
  }, double(n))
}
predicted <- lapply(seq_len(drawn + yardstick), function(r) {
  keep(sprintf("repeat-%03d", r), function() predict_repeat(r))
})

# RMSE by arm, fold and repeat.
rmse <- vapply(seq_along(predicted), function(r) {
  squares <- (predicted[[r]] - quality)^2
  sqrt(apply(squares, 2, tapply, fold_of[, r], mean))
}, matrix(0, folds, k))
rmse <- aperm(rmse, c(2, 1, 3))
truth <- rowMeans(rmse[, , drawn + seq_len(yardstick)])
pool <- rmse[, , seq_len(drawn)]
splits <- matrix(pool, k)

# The error of a linear model on each of these splits.
linear <- vapply(seq_len(ncol(splits)), function(i) {
  train <- fold_of[, (i - 1) %/% folds + 1] != (i - 1) %% folds + 1
  fit <- lm(quality ~ ., wines[train, ])
  sqrt(mean((predict(fit, wines[!train, ]) - quality[!train])^2))
}, 0)

# ---- The methods -----------------------------------------------------------------------------

# Each run is one user with one method: the arm kept and the fits made. Every method needs one
# more fit for its final model, which is not counted.

# Cross-validation of some arms; all of them see the same folds. Without `repeats` a single split.
cross_validate <- function(tried, repeats) {
  some <- sample.int(drawn, max(1, repeats))
  errors <- if (repeats == 0) pool[tried, sample.int(folds, 1), some] else pool[tried, , some]
  errors <- matrix(errors, length(tried))
  list(arm = tried[which.min(rowMeans(errors))], fits = length(errors))
}
grid_search <- function(repeats) cross_validate(seq_len(k), repeats)
random_search <- function(budget) cross_validate(sample.int(k, budget / folds), 1)

# Errors over a grid are seldom as smooth as k_se() takes them to be: Snoek, Larochelle and Adams
# (2012), Practical Bayesian optimization of machine learning algorithms, use this kernel.
rough <- k_matern(~ log10(cost) + log10(gamma), nu = 5 / 2)
smooth <- k_se(~ log10(cost) + log10(gamma))

# A pull is a split drawn at random.
bayes_gap <- function(budget, errors = splits, kernel = rough) {
  draw <- function(arm) sample(errors[as.integer(arm$arm), ], 1)
  numbered <- data.frame(arm = seq_len(k), arms)
  x <- bayesgap(numbered, draw, budget, maximise = FALSE, kernel = kernel, on_error = "stop")
  list(arm = as.integer(best_arm(x)$arm), fits = nobs(x))
}
# A pull is a whole cross-validation.
bayes_gap_cv <- function(budget, kernel = rough) {
  found <- bayes_gap(budget / folds, apply(pool, c(1, 3), mean), kernel)
  list(arm = found$arm, fits = found$fits * folds)
}
bayes_gap_cv_smooth <- function(budget) bayes_gap_cv(budget, smooth)
# A linear model's error on the same split is taken off: both share the luck of the split. A linear
# fit costs little and is not counted.
bayes_gap_less_linear <- function(budget) bayes_gap(budget, splits - rep(linear, each = k))

# caret's adaptive resampling on folds of the pool. Its "model" is the number of the wine, by which
# the predictions made beforehand are found; so caret decides, and no fit is made twice.
adaptive <- function(repeats) {
  some <- sample.int(drawn, repeats)
  test <- unlist(lapply(some, function(r) split(seq_len(n), fold_of[, r])), recursive = FALSE)
  repeat_of <- rep(some, each = folds)
  key <- function(rows) paste(sort(rows), collapse = " ")
  keys <- vapply(test, key, "")
  fits <- 0
  looked_up <- list(
    label = "pool", library = NULL, type = "Regression", loop = NULL, prob = NULL,
    parameters = data.frame(parameter = names(arms), class = "numeric", label = names(arms)),
    grid = function(x, y, len = NULL, search = "grid") arms,
    sort = identity,
    fit = function(x, y, wts, param, lev, last, weights, classProbs, ...) {
      at <- match(key(setdiff(seq_len(n), x$wine)), keys)
      if (!last) {
        stopifnot(!is.na(at))
        fits <<- fits + 1
      }
      arm <- which(arms$cost == param$cost & arms$gamma == param$gamma)
      list(arm = arm, from = repeat_of[at])
    },
    predict = function(modelFit, newdata, submodels = NULL) {
      predicted[[modelFit$from]][newdata$wine, modelFit$arm]
    }
  )
  control <- caret::trainControl(
    method = "adaptive_cv", number = folds, repeats = repeats,
    index = lapply(test, function(rows) setdiff(seq_len(n), rows)), indexOut = test,
    adaptive = list(min = 5, alpha = 0.05, method = "gls", complete = FALSE)
  )
  found <- suppressWarnings(caret::train(
    data.frame(wine = seq_len(n)), quality, method = looked_up, metric = "RMSE",
    maximize = FALSE, tuneGrid = arms, trControl = control
  ))
  best <- found$bestTune
  list(arm = which(arms$cost == best$cost & arms$gamma == best$gamma), fits = fits)
}

# irace over the same grid, its steps in order; an instance is a split.
race <- function(budget) {
  steps <- lapply(arms, function(value) sort(unique(value)))
  text <- vapply(names(arms), function(name) {
    sprintf('%s "" o (%s)', name, paste(seq_along(steps[[name]]), collapse = ", "))
  }, "")
  parameters <- irace::readParameters(text = paste(text, collapse = "\n"))
  fits <- 0
  row <- function(found) {
    at <- lapply(names(arms), function(name) steps[[name]][as.integer(found[[name]])])
    which(arms$cost == at[[1]] & arms$gamma == at[[2]])
  }
  scenario <- list(
    targetRunner = function(experiment, scenario) {
      fits <<- fits + 1
      list(cost = splits[row(experiment$configuration), experiment$instance])
    },
    instances = sample.int(ncol(splits)), maxExperiments = budget, sampleInstances = FALSE,
    seed = sample.int(1e6, 1), logFile = "", debugLevel = 0
  )
  capture.output(found <- irace::irace(scenario, parameters))
  list(arm = row(found[1, ]), fits = fits)
}

# ---- The runs --------------------------------------------------------------------------------

methods <- list(
  grid = list(choose = grid_search, settings = c(0, 1, 2, 5), runs = 100),
  random = list(choose = random_search, settings = c(10, 20, 40, 80, 160), runs = 100),
  bayesgap = list(choose = bayes_gap, settings = c(10, 20, 40, 80, 160, 320), runs = 100),
  bayesgap_cv = list(choose = bayes_gap_cv, settings = c(20, 40, 80, 160, 320), runs = 100),
  bayesgap_cv_smooth = list(
    choose = bayes_gap_cv_smooth, settings = c(20, 40, 80, 160, 320), runs = 100
  ),
  bayesgap_less_linear = list(
    choose = bayes_gap_less_linear, settings = c(10, 20, 40, 80, 160, 320), runs = 100
  ),
  irace = list(choose = race, settings = c(100, 200, 400, 800), runs = 100),
  # Slow, for all its looking up.
  caret = list(choose = adaptive, settings = c(2, 5), runs = 50)
)

# Run i of any method has seed i; the runs of a setting are kept in one file.
run_all <- function(name, setting) {
  method <- methods[[name]]
  keep(paste0(name, "-", setting), function() {
    do.call(rbind, lapply(seq_len(method$runs), function(i) {
      set.seed(i)
      as.data.frame(method$choose(setting))
    }))
  })
}

# The interval of the mean takes the runs for independent, though they draw from one pool.
summarise <- function(name, setting) {
  found <- run_all(name, setting)
  chosen <- truth[found$arm]
  half <- qt(0.975, length(chosen) - 1) * sd(chosen) / sqrt(length(chosen))
  data.frame(
    method = name, setting = setting, runs = nrow(found), fits = mean(found$fits),
    fits_least = min(found$fits), fits_most = max(found$fits), rmse = mean(chosen),
    lower = mean(chosen) - half, upper = mean(chosen) + half,
    worst_tenth = quantile(chosen, 0.9, names = FALSE)
  )
}

table <- do.call(rbind, lapply(names(methods), function(name) {
  do.call(rbind, lapply(methods[[name]]$settings, function(setting) summarise(name, setting)))
}))

# What the grid holds: its best arm, its median, and the arm next to the defaults of svm(), which are
# cost 1 and gamma one over the number of attributes. And how much a test of the best arm varies.
best <- which.min(truth)
default <- which(arms$cost == 1 & abs(log(arms$gamma * 11)) < 0.1)
grid <- rbind(
  data.frame(method = "best of the grid", setting = best, rmse = truth[best]),
  data.frame(method = "median of the grid", setting = NA, rmse = median(truth)),
  data.frame(method = "next to the default", setting = default, rmse = truth[default]),
  data.frame(method = "sd of a split", setting = best, rmse = sd(splits[best, ])),
  data.frame(method = "sd of a repeat", setting = best, rmse = sd(colMeans(pool[best, , ])))
)
grid[setdiff(names(table), names(grid))] <- NA
table <- rbind(table, grid)
numbers <- vapply(table, is.double, TRUE)
table[numbers] <- lapply(table[numbers], signif, 5)
write.csv(table, result, row.names = FALSE, quote = FALSE)
message(sprintf("%s: %d rows", result, nrow(table)))

# ---- The answers of the vignette's scripts ---------------------------------------------------

# The vignette shows these where a script's packages are not installed. Those that are not
# installed here are left as they were recorded.
packages <- list(
  caret = c("caret", "nnet"),
  tidymodels = c("parsnip", "ranger", "rsample", "tune", "workflows", "yardstick"),
  mlr3 = c("e1071", "mlr3", "mlr3learners", "paradox")
)
for (name in names(packages)) {
  needs <- packages[[name]]
  if (all(nzchar(vapply(needs, function(p) system.file(package = p), "")))) {
    code <- file.path("inst", "tune", paste0(name, ".R"))
    answer <- system2("Rscript", c("-e", shQuote(sprintf(
      "source('%s', print.eval = TRUE)", code
    ))), stdout = TRUE, stderr = FALSE)
    versions <- vapply(needs, function(p) format(packageVersion(p)), "")
    head <- paste0("# Recorded with ", paste(needs, versions, collapse = ", "))
    writeLines(c(head, answer), sub("R$", "txt", code))
    message(name, ": recorded")
  }
}
