# The wine study's pull: train one of 160 models on a tenth of the wines, test it on another.

#' One test of a model on the wine data, as an objective
#'
#' `wine_objective()` makes the function that carries out a pull of the wine study: it draws a
#' random tenth of the [wine]s to train on and another tenth to test on, trains the model in a row
#' of [wine_models], and returns its root mean squared error (RMSE) on the test wines. Use it with
#' [bayesgap()] to search for the best of the 160 models live; `wine_rmse` has its results on 200
#' splits for studies that cannot wait.
#'
#' The attributes are centred and scaled by mean and standard deviation of the training part. The
#' split and the forest's random numbers come from R's generator, which a run sets for every pull,
#' so that the same seed gives the same results; by hand, use [set.seed()]. Every learner uses one
#' thread.
#'
#' @section How the parameters map:
#' Parameters have their names in scikit-learn, which the paper used. Its defaults hold for all
#' others.
#'
# nolint start: line_length_linter.
#' | class | here | remarks |
#' |---|---|---|
#' | `lasso` | [glmnet::glmnet()] | `alpha` is its `lambda`: both minimise RSS / (2n) plus `alpha` times the sum of absolute coefficients |
#' | `forest` | [ranger::ranger()] | `n_estimators` is `num.trees`; `min_samples_leaf` is `min.bucket`; a node is split from `min_samples_split` examples on, ranger's `min.node.size` is one less; all 11 attributes are tried at every split (`mtry`), as scikit-learn does for regression |
#' | `linsvm` | [e1071::svm()], linear kernel | `C` is `cost`, `epsilon` its own; the quality score is not scaled |
#' | `rbfsvm` | [e1071::svm()], radial kernel | likewise, and `gamma` is its own |
#' | `knn` | [FNN::knn.reg()] | `n_neighbors` is `k` |
# nolint end
#'
#' Three things cannot be had. `min_samples_split = 1` would split a node of one example; it is
#' taken as 2, and today's scikit-learn refuses it. scikit-learn counts the different examples in
#' a node, ranger every draw of the bootstrap, so that leaves are somewhat smaller here. And
#' before version 0.15 ranger has no `min.bucket`: a node is then split from
#' `max(min_samples_split, 2 * min_samples_leaf)` examples on, but one of its halves may be
#' smaller than `min_samples_leaf`.
#'
#' The two parameters of a forest's leaves are not independent: a node below `2 *
#' min_samples_leaf` examples cannot be split whatever `min_samples_split` says. So only 24 of the
#' 64 forests differ.
#'
#' @param wines The wines: a data frame with the columns of [wine], such as
#'   `subset(wine, colour == "red")`.
#' @param ... Must be empty.
#' @param share The share of the wines to train on, and that to test on: a number above 0, at most
#'   0.5, and enough for 20 wines.
#'
#' @return A function of one argument, a row of [wine_models], which returns the RMSE. It needs the
#'   packages glmnet, ranger, e1071 and FNN.
#' @seealso [wine_models], [wine_rmse], `vignette("wine")`
#' @references Hoffman, Shahriari and de Freitas (2014), section 6.2, see [bayesgap-package].
#' @export
#' @examplesIf bayesgap:::has_wine_packages()
#' test_error <- wine_objective()
#' set.seed(1)
#' test_error(wine_models[1, ])
#'
#' # Six tests for 16 models: neighbours on a class's grid behave alike
#' nearby <- k_by(~ class, k_se(~ step1 + step2 + step3, lengthscale = 1 / sqrt(2)))
#' few <- subset(wine_models, class %in% c("lasso", "knn"))
#' bayesgap(few, test_error, budget = 6, maximise = FALSE, kernel = nearby, seed = 1)
wine_objective <- function(wines = bayesgap::wine, ..., share = 0.1) {
  check_dots(...)
  check_wines(wines)
  size <- check_share(share, nrow(wines))
  check_installed(wine_packages, "wine_objective()")
  wine_test(as.matrix(wines[wine_attributes]), as.double(wines$quality), size)
}

# The objective, with nothing about it that a worker does not need.
wine_test <- function(x, quality, size) {
  force(x)
  force(quality)
  force(size)
  function(arm) {
    check_wine_model(arm)
    drawn <- sample.int(nrow(x), 2L * size)
    train <- drawn[seq_len(size)]
    test <- drawn[-seq_len(size)]
    known <- scale(x[train, ])
    spread <- attr(known, "scaled:scale")
    same <- spread == 0 # an attribute that all have in common
    known[, same] <- 0
    asked <- scale(x[test, ], attr(known, "scaled:center"), ifelse(same, 1, spread))
    predicted <- wine_learners[[arm$class]](arm, known, quality[train], asked)
    sqrt(mean((predicted - quality[test])^2))
  }
}

# ---- The learners ----------------------------------------------------------------------------

# Each takes a row of wine_models, what is known (attributes and quality) and the attributes of
# the wines asked; it returns their predicted quality.
wine_learners <- list(
  lasso = function(arm, known, quality, asked) {
    fit <- glmnet::glmnet(known, quality, lambda = arm$alpha, standardize = FALSE)
    as.vector(stats::predict(fit, asked))
  },
  forest = function(arm, known, quality, asked) {
    size <- forest_size(arm, "min.bucket" %in% names(formals(ranger::ranger)))
    args <- list(
      x = known, y = quality, num.trees = arm$n_estimators, mtry = ncol(known), num.threads = 1L
    )
    stats::predict(do.call(ranger::ranger, c(args, size)), asked, num.threads = 1L)$predictions
  },
  linsvm = function(arm, known, quality, asked) {
    fit <- e1071::svm(
      known, quality, scale = FALSE, type = "eps-regression", kernel = "linear",
      cost = arm$C, epsilon = arm$epsilon
    )
    stats::predict(fit, asked)
  },
  rbfsvm = function(arm, known, quality, asked) {
    fit <- e1071::svm(
      known, quality, scale = FALSE, type = "eps-regression", kernel = "radial",
      cost = arm$C, epsilon = arm$epsilon, gamma = arm$gamma
    )
    stats::predict(fit, asked)
  },
  knn = function(arm, known, quality, asked) {
    FNN::knn.reg(known, asked, quality, k = arm$n_neighbors)$pred
  }
)

wine_packages <- c("glmnet", "ranger", "e1071", "FNN")

# ranger leaves a node alone when it has min.node.size examples or fewer.
forest_size <- function(arm, has_bucket) {
  split <- max(2, arm$min_samples_split)
  leaf <- arm$min_samples_leaf
  if (has_bucket) {
    list(min.node.size = split - 1, min.bucket = leaf)
  } else {
    list(min.node.size = max(split, 2 * leaf) - 1)
  }
}

# ---- What may be given -----------------------------------------------------------------------

wine_attributes <- c(
  "fixed_acidity", "volatile_acidity", "citric_acid", "residual_sugar", "chlorides",
  "free_sulfur_dioxide", "total_sulfur_dioxide", "density", "pH", "sulphates", "alcohol"
)

# What a row of wine_models must say.
wine_parameters <- list(
  lasso = "alpha", forest = c("n_estimators", "min_samples_split", "min_samples_leaf"),
  linsvm = c("C", "epsilon"), rbfsvm = c("C", "epsilon", "gamma"), knn = "n_neighbors"
)

wine_counts <- c("n_estimators", "min_samples_split", "min_samples_leaf", "n_neighbors")

has_wine_packages <- function() {
  all(vapply(wine_packages, requireNamespace, TRUE, quietly = TRUE))
}

check_wines <- function(wines) {
  if (!is.data.frame(wines)) {
    abort_argument("wines", "wines", "a data frame with the columns of `wine`", wines)
  }
  columns <- c(wine_attributes, "quality")
  absent <- setdiff(columns, names(wines))
  if (length(absent)) {
    abort("wines", "`wines` must have the columns of `wine`; there is no ", quoted(absent), ".")
  }
  if (nrow(wines) < 40L) {
    abort("wines", "`wines` must have at least 40 rows, not ", nrow(wines), ".")
  }
  bad <- columns[!vapply(wines[columns], function(v) is.numeric(v) && all(is.finite(v)), TRUE)]
  if (length(bad)) {
    abort("wines", "The columns of `wines` must be numbers without gaps; ", quoted(bad), " is not.")
  }
}

# The number of wines in each part.
check_share <- function(share, n) {
  size <- if (is_number(share)) floor(as.double(share) * n) else 0
  if (!is_number(share) || share > 0.5 || size < 20) {
    must <- gettextf("a number up to 0.5 and enough for 20 of the %d wines", n)
    abort_argument("share", "share", must, share)
  }
  as.integer(size)
}

check_wine_model <- function(arm) {
  if (!is.data.frame(arm) || nrow(arm) != 1L || is.null(arm[["class"]])) {
    abort_argument("arm", "arm", "a row of `wine_models`", arm)
  }
  class <- check_choice(as.character(arm$class), "class", names(wine_learners), "arm")
  for (name in wine_parameters[[class]]) {
    value <- arm[[name]]
    count <- name %in% wine_counts
    good <- is_number(value) && is.finite(value) && value > 0 && (!count || value == floor(value))
    if (!good) {
      must <- paste("a", if (count) "whole", "number above 0 for a model of class", class)
      abort_argument("arm", name, gsub("  ", " ", must), value)
    }
  }
}
