# Pools of test errors: every model of a grid on many random splits of its data, all models on the
# same split in a column, so that they share its luck. source() it from the repository root for
#   pools(): list(wine =, svm =, nnet =), see new_pool(); the errors are to be minimised
#   parts_of(pool): what a test error is made of
# The wine pool is the package's own wine_rmse. The others are computed once, in some minutes of
# one core; each finished split is kept in build/pools/, and a call goes on where it was stopped.
# Needs: e1071, MASS, nnet

# label: one line; arms: the grid, a row a model, `arm` its name; rewards: the test errors, models
# by splits; kernel: which models behave alike.
new_pool <- function(label, arms, rewards, kernel) {
  dimnames(rewards) <- list(arm = arms$arm, split = seq_len(ncol(rewards)))
  list(label = label, arms = arms, rewards = rewards, kernel = kernel)
}

pools <- function(splits = 100L) {
  list(wine = wine_pool(), svm = svm_pool(splits), nnet = nnet_pool(splits))
}

# ---- The pools -------------------------------------------------------------------------------

wine_pool <- function() {
  kernel <- bayesgap::k_by(~class, bayesgap::k_matern(~ step1 + step2 + step3))
  new_pool(
    "Wine, 160 models of five classes, RMSE", bayesgap::wine_models, bayesgap::wine_rmse, kernel
  )
}

# Support vector regression of Boston's house prices ($1000); half the tracts train. A few dear
# houses decide how large an error can be: what is shared is which half they fall into.
svm_pool <- function(splits = 100L) {
  arms <- named_arms(expand.grid(
    cost = 10^(-1:3), gamma = signif(10^seq(-3, 0.5, by = 0.7), 2), epsilon = c(0.03, 0.1, 0.3),
    KEEP.OUT.ATTRS = FALSE
  ))
  x <- as.matrix(MASS::Boston[names(MASS::Boston) != "medv"])
  y <- MASS::Boston$medv
  errors <- function(arm) {
    train <- half_of(y)
    fit <- e1071::svm(
      x[train, ], y[train], type = "eps-regression", kernel = "radial",
      cost = arm$cost, gamma = arm$gamma, epsilon = arm$epsilon
    )
    sqrt(mean((stats::predict(fit, x[-train, ]) - y[-train])^2))
  }
  new_pool(
    "Boston, 90 support vector machines, RMSE", arms, errors_of(errors, arms, splits, "svm"),
    bayesgap::k_matern(~ log10(cost) + log10(gamma) + log10(epsilon))
  )
}

# Neural networks that tell who of the Pima women has diabetes; half the women train, and the
# error is the share of the others that is told wrongly.
nnet_pool <- function(splits = 100L) {
  arms <- named_arms(expand.grid(
    size = c(1, 2, 3, 4, 6, 8, 12, 16), decay = signif(10^seq(-3, 1, by = 0.5), 2),
    KEEP.OUT.ATTRS = FALSE
  ))
  women <- rbind(MASS::Pima.tr, MASS::Pima.te)
  x <- as.matrix(women[names(women) != "type"])
  y <- as.integer(women$type == "Yes")
  errors <- function(arm) {
    train <- half_of(y)
    known <- scale(x[train, ])
    asked <- scale(x[-train, ], attr(known, "scaled:center"), attr(known, "scaled:scale"))
    fit <- nnet::nnet(
      known, y[train], size = arm$size, decay = arm$decay, entropy = TRUE, maxit = 200,
      trace = FALSE
    )
    mean((stats::predict(fit, asked) > 0.5) != y[-train])
  }
  new_pool(
    "Pima, 72 neural networks, misclassified", arms, errors_of(errors, arms, splits, "nnet"),
    bayesgap::k_matern(~ log2(size) + log10(decay))
  )
}

# ---- How they are made -----------------------------------------------------------------------

named_arms <- function(grid) {
  values <- lapply(grid, function(v) vapply(v, format, "", scientific = FALSE))
  data.frame(arm = do.call(paste, c(unname(values), sep = "-")), grid)
}

half_of <- function(y) sample.int(length(y), length(y) %/% 2L)

# All models on all splits. The seed is the split: every model draws the same one.
errors_of <- function(error, arms, splits, name) {
  folder <- file.path("build", "pools", name)
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  vapply(seq_len(splits), function(seed) {
    file <- file.path(folder, sprintf("split-%d.rds", seed))
    kept <- if (file.exists(file)) readRDS(file)
    # A file of another grid has other names.
    if (!identical(names(kept), arms$arm)) {
      kept <- stats::setNames(split_errors(error, arms, seed), arms$arm)
      saveRDS(kept, paste0(file, ".part"))
      file.rename(paste0(file, ".part"), file)
    }
    unname(kept)
  }, double(nrow(arms)))
}

split_errors <- function(error, arms, seed) {
  vapply(seq_len(nrow(arms)), function(i) {
    set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
    error(arms[i, ])
  }, 0)
}

# ---- What they are made of -------------------------------------------------------------------

# Error = model + split + rest, each with its sd; by mean squares, so that neither model nor split
# is credited with the rest's share of its mean. `shared`: the split's part of the variance of one
# model's test error. Everything but sd_arm is taken among the best `share` of the models, where
# the race is decided.
parts_of <- function(pool, share = 0.25) {
  best <- order(rowMeans(pool$rewards))[seq_len(ceiling(share * nrow(pool$rewards)))]
  all <- two_way(pool$rewards)
  top <- two_way(pool$rewards[best, ])
  data.frame(
    label = pool$label, arms = nrow(pool$rewards), splits = ncol(pool$rewards),
    least = min(rowMeans(pool$rewards)), sd_arm = sqrt(all$arm), sd_arm_best = sqrt(top$arm),
    sd_split = sqrt(top$split), sd_rest = sqrt(top$rest),
    shared = top$split / (top$split + top$rest),
    sd_split_all = sqrt(all$split), sd_rest_all = sqrt(all$rest)
  )
}

# Variances of a two-way table without repeats.
two_way <- function(y) {
  arm <- rowMeans(y)
  split <- colMeans(y)
  rest <- sum((y - outer(arm, split, "+") + mean(y))^2) / prod(dim(y) - 1)
  list(
    arm = max(0, stats::var(arm) - rest / ncol(y)),
    split = max(0, stats::var(split) - rest / nrow(y)), rest = rest
  )
}
