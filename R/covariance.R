# Matrices that are given for a prior: a covariance, a function's matrix, features.

# arg: the matrix in the messages; what: the class of the error.
check_cov <- function(cov, arms, arg = "`cov`", what = "cov") {
  k <- n_arms(arms)
  must <- gettextf("a symmetric %d x %d numeric matrix (one row and column an arm)", k, k)
  if (is.data.frame(cov)) {
    cov <- as.matrix(cov)
  }
  if (!is.matrix(cov) || !is.numeric(cov) || any(dim(cov) != k)) {
    abort(what, arg, " must be ", must, ", not ", describe(cov), ".")
  }
  check_cov_entries(cov, arg, what, must)
  storage.mode(cov) <- "double"
  cov <- match_cov_names(cov, arms)
  dimnames(cov) <- NULL
  symmetric_cov(cov, arg, what)
}

check_cov_entries <- function(cov, arg, what, must) {
  stop_at <- function(bad, ...) {
    at <- arrayInd(which(bad)[1L], dim(cov))
    entry <- gettextf("entry [%d, %d] is %s", at[1L], at[2L], format(cov[at]))
    abort(what, arg, ..., "; ", entry, ".")
  }
  most <- max(abs(range(cov)))
  if (!is.finite(most)) {
    stop_at(!is.finite(cov), " must be ", must)
  }
  if (most > 1e100) {
    stop_at(abs(cov) > 1e100, " must have no entry above 1e100")
  }
  if (most > 0 && most < 1e-100) {
    abort(what, arg, " must have a variance of at least 1e-100; its largest entry is ",
          format(most), ".")
  }
  if (min(diag(cov)) < -1e-8 * most) {
    stop_at(row(cov) == col(cov) & cov < -1e-8 * most, " must have no variance below 0")
  }
}

# What rounding made of it is mended.
symmetric_cov <- function(cov, arg, what) {
  skew <- vapply(seq_len(nrow(cov)), function(j) max(abs(cov[, j] - cov[j, ])), 0)
  most <- max(skew)
  if (most > 1e-8 * max(abs(range(cov)))) {
    j <- which.max(skew)
    i <- which.max(abs(cov[, j] - cov[j, ]))
    abort(what, arg, gettextf(
      " must be symmetric, but entry [%d, %d] is %s and [%d, %d] is %s.",
      i, j, format(cov[i, j]), j, i, format(cov[j, i])
    ))
  }
  if (most > 0) {
    cov <- by_column(cov, function(x, j) (x + cov[j, ]) / 2)
  }
  cov
}

# Every column of a matrix by f(column, its place). A function of all of a large matrix would make
# several more of its size, and could not be interrupted.
by_column <- function(x, f) {
  for (j in seq_len(ncol(x))) {
    x[, j] <- f(x[, j], j)
  }
  x
}

match_cov_names <- function(cov, arms) {
  rows <- match_to_arms(rownames(cov), arms, "cov", "cov")
  columns <- match_to_arms(colnames(cov), arms, "cov", "cov")
  if (!is.null(rows) && !is.null(columns) && any(rows != columns)) {
    abort("cov", "The rows and the columns of `cov` must have the same names in one order.")
  }
  order <- if (is.null(rows)) columns else rows
  if (is.null(order)) cov else cov[order, order, drop = FALSE]
}

# The bounded matrix and its factor. A matrix that is far from its bounds is for factor_cov() to
# judge as it was given.
bound_and_factor <- function(cov, arg = "`cov`", what = "cov") {
  bounded <- bound_cov(cov)
  moved <- vapply(seq_len(ncol(cov)), function(j) max(abs(bounded[, j] - cov[, j])), 0)
  if (max(moved) > 10 * factor_tolerance(diag(cov))) {
    factor_cov(cov, arg, what)
  }
  list(cov = bounded, factor = factor_cov(bounded, arg, what))
}

# Rounding may leave a covariance larger than its two variances allow, beside which an arm of
# small variance would tell more than all of another; or a variance just below 0. Products of the
# smallest numbers would leave the range of numbers.
bound_cov <- function(cov) {
  least <- 1e-200
  variance <- ifelse(diag(cov) < least, 0, diag(cov))
  sd <- sqrt(variance)
  cov <- by_column(cov, function(x, j) {
    most <- sd * sd[j]
    x <- pmax(pmin(x, most), -most)
    replace(x, abs(x) < least, 0)
  })
  diag(cov) <- variance
  cov
}

# The pivoted Cholesky factor. It stops where what is left is rounding; if what is left is more than
# that, the matrix is not semi-definite. What is rounding is judged for every arm by its own
# variance, so that one of a small variance keeps it beside others; where the entries themselves are
# rounded to the size of the largest, by that.
factor_cov <- function(cov, arg = "`cov`", what = "cov") {
  sd <- sqrt(pmax(diag(cov), 0))
  none <- sd == 0
  found <- if (!any(cov[none, ] != 0)) {
    inverse <- ifelse(none, 0, 1 / sd)
    scaled <- factor_within(by_column(cov, function(x, j) x * inverse * inverse[j]))
    if (!is.null(scaled)) scaled * sd
  }
  if (is.null(found)) {
    found <- factor_within(cov)
  }
  if (is.null(found)) {
    abort(
      what, arg, " must be positive semi-definite, but its smallest eigenvalue is ",
      format(.Call(bg_smallest_eigenvalue, cov), digits = 3), " (the largest variance is ",
      format(max(diag(cov)), digits = 3), ")."
    )
  }
  found
}

# NULL: more than rounding is left.
factor_within <- function(cov) {
  tolerance <- factor_tolerance(diag(cov))
  found <- .Call(bg_factor, cov, tolerance)
  if (found$left <= 10 * tolerance) found$factor
}

# Variances below it are rounding.
factor_tolerance <- function(diagonal, k = length(diagonal)) {
  10 * k * .Machine$double.eps * max(diagonal, 0)
}

check_features <- function(features, arms) {
  k <- n_arms(arms)
  must <- gettextf("a numeric matrix or data frame with %d rows (one an arm)", k)
  if (is.data.frame(features)) {
    if (!all(vapply(features, is.numeric, TRUE))) {
      abort_argument("features", "features", paste0(must, ", all columns numeric"), features)
    }
    named <- .row_names_info(features) > 0L
    features <- as.matrix(features)
    rownames(features) <- if (named) rownames(features)
  }
  if (!is.matrix(features) || !is.numeric(features) || nrow(features) != k ||
    !ncol(features)) {
    abort_argument("features", "features", must, features)
  }
  order <- match_to_arms(rownames(features), arms, "features", "features")
  if (!is.null(order)) {
    features <- features[order, , drop = FALSE]
  }
  if (any(!is.finite(features)) || any(abs(features) > 1e50)) {
    at <- which(!is.finite(features) | abs(features) > 1e50, arr.ind = TRUE)[1L, ]
    abort("features", gettextf(
      "`features` must be finite and below 1e50; entry [%d, %d] is %s.",
      at[1L], at[2L], format(features[at[1L], at[2L]])
    ))
  }
  if (any(features != 0) && max(abs(features)) < 1e-50) {
    abort("features", "`features` must not all be below 1e-50; the largest is ",
          format(max(abs(features))), ".")
  }
  dimnames(features) <- NULL
  storage.mode(features) <- "double"
  features
}
