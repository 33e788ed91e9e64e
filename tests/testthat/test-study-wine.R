# The pull's own code is in R/study-wine.R; the pool was made with it by data-raw/wine.R.
model_of <- function(name) wine_models[wine_models$arm == name, ]

needs_learners <- function() {
  for (package in wine_packages) {
    skip_if_not_installed(package)
  }
}

test_that("the wines are those of the source", {
  expect_identical(dim(wine), c(6497L, 13L))
  expect_identical(c(table(wine$colour)), c(red = 1599L, white = 4898L))
  expect_false(anyNA(wine))
  expect_identical(range(wine$quality), c(3L, 9L))
  # The published means of the red and of the white scores.
  expect_equal(c(tapply(wine$quality, wine$colour, mean)), c(red = 5.636, white = 5.878),
               tolerance = 1e-4)
  expect_true(all(wine_attributes %in% names(wine)))
})

test_that("the 160 models are the paper's grid, and the steps their places on it", {
  expect_identical(
    c(table(wine_models$class)),
    c(forest = 64L, knn = 8L, lasso = 8L, linsvm = 16L, rbfsvm = 64L)
  )
  steps <- c("step1", "step2", "step3")
  for (class in names(wine_parameters)) {
    models <- wine_models[wine_models$class == class, ]
    own <- wine_parameters[[class]]
    others <- setdiff(unlist(wine_parameters), own)
    expect_true(all(is.na(models[others])))
    for (i in 1:3) {
      values <- if (i <= length(own)) models[[own[i]]] else rep(0, nrow(models))
      expect_identical(models[[steps[i]]], match(values, sort(unique(values))))
    }
    expect_identical(nrow(unique(models[steps])), nrow(models))
  }
  expect_identical(model_of("rbfsvm-1-0.1-0.05")$gamma, 0.05)
  expect_identical(model_of("forest-1000-7-2")$n_estimators, 1000)
  expect_setequal(wine_models$alpha[1:8], c(1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5))
})

test_that("the models make arms whose classes know nothing of each other", {
  model <- arm_model(
    wine_models, kernel = k_by(~ class, k_se(~ step1 + step2 + step3, lengthscale = 1 / sqrt(2)))
  )
  cov <- kernel_matrix(model$kernel$kernel, wine_models)
  other <- outer(wine_models$class, wine_models$class, "!=")
  expect_true(all(cov[other] == 0))
  # One step, two steps, and a step in each of two directions: the paper's exp(-d^2).
  at <- match(c("rbfsvm-1-0.1-0.05", "rbfsvm-1-0.1-0.1", "rbfsvm-1-0.1-0.2", "rbfsvm-1-0.01-0.1"),
              wine_models$arm)
  expect_equal(unname(cov[at[1], at]), exp(-c(0, 1, 4, 2)))
})

test_that("the pool has every model on every split, and tells the classes apart", {
  expect_identical(dimnames(wine_rmse)[[1]], wine_models$arm)
  expect_gte(ncol(wine_rmse), 200)
  expect_identical(anyDuplicated(colnames(wine_rmse)), 0L)
  expect_false(anyNA(as.integer(colnames(wine_rmse))))
  se <- apply(wine_rmse, 1, sd) / sqrt(ncol(wine_rmse))
  expect_lt(max(se), 0.005)
  best <- c(tapply(rowMeans(wine_rmse), wine_models$class, min))
  # Twelve splits of another programme.
  before <- c(forest = 0.711, knn = 0.750, lasso = 0.750, linsvm = 0.753, rbfsvm = 0.728)
  expect_lt(max(abs(best - before)), 0.02)
  expect_identical(names(which.min(best)), "forest")
})

test_that("forests that cannot differ have the same errors, all others have not", {
  forest <- wine_models$class == "forest"
  with(wine_models[forest, ], {
    key <- paste(n_estimators, min_samples_leaf, pmax(min_samples_split, 2 * min_samples_leaf))
    errors <- split(as.data.frame(unname(wine_rmse[forest, ])), key)
    expect_length(errors, 24)
    for (same in errors) {
      expect_identical(nrow(unique(same)), 1L)
    }
  })
  expect_identical(nrow(unique(wine_rmse)), 160L - 64L + 24L)
})

test_that("a pull under a split's seed is the pool's entry", {
  needs_learners()
  test_error <- wine_objective()
  arms <- c("lasso-0.0001", "lasso-0.5", "linsvm-0.01-0.1", "rbfsvm-1-0.1-0.05", "knn-1", "knn-15")
  if (packageVersion("ranger") >= "0.15") {
    arms <- c(arms, "forest-10-7-2", "forest-1-1-14", "forest-10-7-10")
  }
  for (arm in arms) {
    for (seed in c(1, 57, 200)) {
      set.seed(seed)
      expect_equal(round(test_error(model_of(arm)), 4), wine_rmse[[arm, as.character(seed)]])
    }
  }
})

test_that("a pull is what its parts say: split, standardise on the training part, RMSE", {
  needs_learners()
  wines <- wine[seq(1, 6497, by = 13), ]
  test_error <- wine_objective(wines, share = 0.2)
  set.seed(3)
  drawn <- sample.int(500, 200)
  train <- drawn[1:100]
  test <- drawn[101:200]
  x <- as.matrix(wines[wine_attributes])
  centre <- colMeans(x[train, ])
  spread <- apply(x[train, ], 2, sd)
  known <- t((t(x[train, ]) - centre) / spread)
  asked <- t((t(x[test, ]) - centre) / spread)
  rmse <- function(predicted) sqrt(mean((predicted - wines$quality[test])^2))
  pulled <- function(arm) {
    set.seed(3)
    test_error(model_of(arm))
  }

  # A lasso that hardly penalises is least squares; one that penalises too much is the mean.
  fit <- lm(wines$quality[train] ~ known)
  expect_equal(pulled("lasso-0.0001"), rmse(cbind(1, asked) %*% coef(fit)), tolerance = 1e-3)
  far <- model_of("lasso-0.5")
  far$alpha <- 10
  set.seed(3)
  expect_equal(test_error(far), rmse(mean(wines$quality[train])))

  nearest <- apply(asked, 1, function(row) order(colSums((t(known) - row)^2))[1:3])
  expect_equal(pulled("knn-3"), rmse(colMeans(matrix(wines$quality[train][nearest], 3))))

  # The score is not scaled, so that epsilon is in its units; all attributes are tried at a split.
  machine <- e1071::svm(known, wines$quality[train], scale = FALSE, kernel = "radial",
                        type = "eps-regression", cost = 1, epsilon = 0.1, gamma = 0.05)
  expect_equal(pulled("rbfsvm-1-0.1-0.05"), rmse(predict(machine, asked)))
  machine <- e1071::svm(known, wines$quality[train], scale = FALSE, kernel = "linear",
                        type = "eps-regression", cost = 0.01, epsilon = 0.1)
  expect_equal(pulled("linsvm-0.01-0.1"), rmse(predict(machine, asked)))
  size <- forest_size(model_of("forest-10-7-2"), "min.bucket" %in% names(formals(ranger::ranger)))
  # Equal but for rounding is not enough for a tree: scores tie.
  known <- scale(x[train, ])
  asked <- scale(x[test, ], attr(known, "scaled:center"), attr(known, "scaled:scale"))
  set.seed(3)
  sample.int(500, 200)
  trees <- do.call(ranger::ranger, c(
    list(x = known, y = wines$quality[train], num.trees = 10, mtry = 11, num.threads = 1), size
  ))
  expect_equal(pulled("forest-10-7-2"), rmse(predict(trees, asked, num.threads = 1)$predictions))

  # An attribute that all training wines have in common does no harm.
  wines$pH <- 3
  flat <- wine_objective(wines, share = 0.2)
  for (arm in c("lasso-0.01", "knn-3", "linsvm-0.01-0.1", "rbfsvm-1-0.1-0.05", "forest-10-7-2")) {
    set.seed(3)
    expect_true(is.finite(flat(model_of(arm))))
  }
})

test_that("nodes and leaves of a forest keep their sizes", {
  needs_learners()
  size <- function(split, leaf, has_bucket) {
    forest_size(list(min_samples_split = split, min_samples_leaf = leaf), has_bucket)
  }
  expect_identical(size(7, 2, TRUE), list(min.node.size = 6, min.bucket = 2))
  expect_identical(size(1, 2, TRUE), list(min.node.size = 1, min.bucket = 2))
  # Without min.bucket: a node that can be split into two such leaves.
  expect_identical(size(1, 14, FALSE), list(min.node.size = 27))
  expect_identical(size(7, 2, FALSE), list(min.node.size = 6))

  # What ranger makes of it: no leaf of an honest tree is smaller.
  has_bucket <- "min.bucket" %in% names(formals(ranger::ranger))
  wines <- wine[1:300, ]
  for (leaf in c(2, 14)) {
    args <- c(
      list(x = wines[wine_attributes], y = wines$quality, num.trees = 1, replace = FALSE,
           sample.fraction = 1, num.threads = 1, seed = 1),
      size(7, leaf, has_bucket)
    )
    tree <- do.call(ranger::ranger, args)
    ends <- predict(tree, wines[wine_attributes], type = "terminalNodes", num.threads = 1)
    sizes <- table(ends$predictions)
    expect_gt(length(sizes), 5)
    if (has_bucket) {
      expect_gte(min(sizes), leaf)
    }
  }
})

test_that("a search among the models runs, repeats under its seed and leaves the session's", {
  needs_learners()
  few <- wine_models[wine_models$class %in% c("lasso", "knn"), ]
  nearby <- k_by(~ class, k_se(~ step1, lengthscale = 1))
  search <- function() {
    bayesgap(few, wine_objective(), budget = 6, maximise = FALSE, kernel = nearby, seed = 4)
  }
  set.seed(1)
  before <- .Random.seed
  x <- search()
  expect_identical(.Random.seed, before)
  expect_identical(search(), x)
  expect_true(all(is.na(as.data.frame(x)$error)))
  expect_true(best_arm(x)$arm %in% few$arm)
})

test_that("what cannot be a wine, a share or a model is refused", {
  needs_learners()
  expect_error(wine_objective(1), class = "bayesgap_error_wines")
  expect_error(wine_objective(wine[-1]), "fixed_acidity", class = "bayesgap_error_wines")
  gap <- wine[1:400, ]
  gap$pH[3] <- NA
  expect_error(wine_objective(gap), "pH", class = "bayesgap_error_wines")
  for (share in list(0, 0.6, NA, "a", c(0.1, 0.1), 1e-6, -1)) {
    expect_error(wine_objective(share = share), class = "bayesgap_error_share")
  }
  expect_error(wine_objective(wine, 0.2), class = "bayesgap_error_argument")
  test_error <- wine_objective()
  expect_error(test_error("knn-1"), class = "bayesgap_error_arm")
  expect_error(test_error(wine_models), class = "bayesgap_error_arm")
  strange <- model_of("knn-1")
  strange$class <- "knnn"
  expect_error(test_error(strange), "Did you mean \"knn\"", class = "bayesgap_error_arm")
  strange$class <- "lasso"
  expect_error(test_error(strange), "alpha", class = "bayesgap_error_arm")
  for (n in c(0, -1, 2.5, Inf)) {
    strange <- model_of("knn-1")
    strange$n_neighbors <- n
    expect_error(
      test_error(strange), "`n_neighbors` must be a whole number above 0",
      class = "bayesgap_error_arm"
    )
  }
  strange <- model_of("rbfsvm-1-0.1-0.05")
  strange$gamma <- -1
  expect_error(test_error(strange), "`gamma` must be a number above 0",
    class = "bayesgap_error_arm")
  expect_error(wine_objective(wine[0, ]), "at least 40 rows", class = "bayesgap_error_wines")
})
