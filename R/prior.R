# A prior covariance G as the C core reads it, whatever it was given as: columns, factor, draws.

# In the order of enum prior_kind.
prior_kinds <- c("independent", "cov", "features", "kernel")

# In the order of enum prior_at: kind, factor (G = factor factor'), diagonal of G, G, the tree
# of a kernel, and rest (with it, G = factor factor' + diag(rest)). A kernel has the factor and
# the rest only when it is drawable().
new_prior <- function(kind, factor, diagonal, cov = NULL, kernel = NULL, rest = NULL) {
  list(
    kind = match(kind, prior_kinds) - 1L, factor = factor, diagonal = diagonal, cov = cov,
    kernel = kernel, rest = rest
  )
}

prior_kind <- function(prior) prior_kinds[prior$kind + 1L]

kernel_prior <- function(tree) {
  new_prior("kernel", NULL, .Call(bg_kernel_diagonal, tree), kernel = tree)
}

prior_covariance <- function(arms, cov, features) {
  if (!is.null(cov)) {
    return(dense_prior(check_cov(cov, arms)))
  }
  if (!is.null(features)) {
    features <- check_features(features, arms)
    return(new_prior("features", features, rowSums(features^2)))
  }
  new_prior("independent", NULL, rep(1, n_arms(arms)))
}

# Made again from its own `cov`, it is the same to the last bit.
dense_prior <- function(cov) {
  found <- bound_and_factor(cov)
  new_prior("cov", found$factor, diag(found$cov), found$cov)
}

# The prior with other values of its kernel's parameters. A factor, if it had one, is lost.
set_kernel <- function(prior, value) {
  prior$kernel$value <- as.double(value)
  prior$diagonal <- .Call(bg_kernel_diagonal, prior$kernel)
  prior[c("factor", "rest")] <- list(NULL)
  prior
}

# G between some arms, some of which may be the same.
prior_cov <- function(prior, arm) {
  some <- function(factor) tcrossprod(factor[arm, , drop = FALSE])
  same <- function(diagonal) outer(arm, arm, "==") * diagonal[arm]
  if (!is.null(prior$rest)) {
    return(some(prior$factor) + same(prior$rest))
  }
  switch(prior_kind(prior),
    independent = same(prior$diagonal),
    cov = prior$cov[arm, arm, drop = FALSE],
    features = some(prior$factor),
    kernel = kernel_between(prior$kernel, arm)
  )
}

# The prior with what joint draws take: for a kernel, a factor of as many columns as take
# about a second. Where that is not enough, the kernel gives way to the factor and the
# variances that it leaves out: all variances are kept, but not all correlations. Draws from
# this, conditioned on observations by the kernel itself, would not be draws from anything.
drawable <- function(prior) {
  if (is.null(prior$kernel) || !is.null(prior$factor)) {
    return(prior)
  }
  k <- length(prior$diagonal)
  tolerance <- factor_tolerance(prior$diagonal)
  found <- .Call(bg_kernel_factor, prior$kernel, tolerance, factor_columns(k))
  prior$factor <- found$factor
  left <- found$rest > factor_tolerance(1, k) * prior$diagonal
  prior["rest"] <- list(if (any(left)) found$rest * left)
  prior
}

# The columns of a factor that take about a second, when each costs k for every column
# before it and for `more` besides: the c with k c (more + c / 2) = 1e9.
factor_columns <- function(k, more = 0) {
  as.integer(min(k, floor(sqrt(more^2 + 2e9 / k) - more)))
}

# The prior and the belief restricted to some arms.
race_prior <- function(prior, rows) {
  diagonal <- prior$diagonal[rows]
  if (prior_kind(prior) == "independent") {
    return(new_prior("independent", NULL, diagonal))
  }
  new_prior("features", prior$factor[rows, , drop = FALSE], diagonal, rest = prior$rest[rows])
}
