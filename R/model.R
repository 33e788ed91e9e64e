# The prior as an object: what is believed of the arms before the first pull.

#' What is believed of the arms beforehand
#'
#' `arm_model()` states the prior of a run: which arms resemble each other, how good they
#' are expected to be, and how noisy a pull is. Use it when several runs share one prior, or
#' to look at the prior before it is used; [bayesgap()] takes the same arguments directly.
#'
#' The true means of the arms are taken to be Gaussian with mean `prior_mean` and covariance
#' `prior_sd^2 * G`. `G` is what the `kernel` says of the arms' columns, or `cov`, or
#' `features %*% t(features)`. Give at most one of them; without any, `G` is the identity: the
#' arms are independent and nothing is learned of one arm from another. `G` may be
#' singular; it is never inverted. A pull of an arm returns its mean plus Gaussian noise of
#' standard deviation `noise_sd`.
#'
#' What is left `NULL` is set from the observations so far, again after 1, 2, 3, 4, 5, 8,
#' 12, 18, 27, ... of them: the prior mean is the average of the observed arms' averages;
#' the variance of the observations about it is divided into noise and prior variance. The
#' noise comes from repeated pulls of the same arm, together with a weak belief (worth four
#' observations) that it makes up a fifth of that variance. Standard errors that come with
#' the observations replace that belief. Multiplying all rewards by a constant, or adding
#' one, changes no decision.
#'
#' @param arms The arms: a number of arms, a character vector of their names, or a data
#'   frame with one row an arm, named by a column `arm` or by its row names.
#' @param ... Must be empty.
#' @param kernel A kernel such as [k_se()], or an R function of two data frames of arms: arms
#'   with similar columns have similar means. See [kernels].
#' @param cov A covariance (or correlation) matrix of the arms' means: symmetric, positive
#'   semi-definite, one row and column an arm. Names, where it has any, must be the arms'.
#' @param features A numeric matrix or data frame with one row an arm: means are a linear
#'   function of the features, with independent standard normal weights. No matrix of all
#'   pairs of arms is formed, so that 100,000 arms are possible.
#' @param prior_mean The expected mean, one number or one per arm; `NULL`: set from the data.
#' @param prior_sd The factor by which the covariance is scaled, the paper's eta; `NULL`:
#'   set from the data.
#' @param noise_sd The standard deviation of a pull, one number or one per arm, the paper's
#'   sigma; 0 for exact observations; `NULL`: set from the data.
#'
#' @return An object of class `arm_model`, a list. `print()` shows it in words.
#' @seealso [bayesgap()], [kernels]
#' @export
#' @examples
#' # Ten settings of a dial: neighbours behave alike (the paper's figure 1)
#' dial <- 1:10
#' arm_model(paste0("dial", dial), cov = exp(-outer(dial, dial, "-")^2),
#'           prior_mean = 0, prior_sd = 1, noise_sd = 0.1)
#'
#' # A linear effect of two ingredients
#' mixtures <- expand.grid(sugar = 0:3, salt = 0:2)
#' arm_model(mixtures, features = mixtures)
#'
#' # A smooth effect of them
#' arm_model(mixtures, kernel = k_se(~ sugar + salt))
arm_model <- function(arms, ..., kernel = NULL, cov = NULL, features = NULL,
                      prior_mean = NULL, prior_sd = NULL, noise_sd = NULL) {
  check_dots(...)
  if (missing(arms)) {
    arms <- NULL
  }
  if (sum(!is.null(kernel), !is.null(cov), !is.null(features)) > 1L) {
    abort("model", "Give at most one of `kernel`, `cov` and `features`.")
  }
  arms <- as_arms(arms)
  if (!is.null(kernel)) {
    kernel <- as_kernel(kernel)
    compiled <- compile_kernel(kernel, arms)
    prior <- kernel_prior(compiled$tree)
    kernel <- list(kernel = kernel, params = compiled$params)
  } else {
    prior <- prior_covariance(arms, cov, features)
  }
  new_arm_model(
    arms, prior, kernel,
    check_prior_mean(prior_mean, arms),
    check_model_sd(prior_sd, "prior_sd", 1L),
    check_model_sd(noise_sd, "noise_sd", n_arms(arms), arms$names)
  )
}

# prior: as the C core reads it, learned parameters of a kernel where they start; kernel: NULL,
# or the kernel as it was given, and a table of its parameters.
new_arm_model <- function(arms, prior, kernel, prior_mean, prior_sd, noise_sd) {
  structure(
    list(
      arms = arms, prior = prior, kernel = kernel,
      prior_mean = prior_mean, prior_sd = prior_sd, noise_sd = noise_sd
    ),
    class = "arm_model"
  )
}

# An arm_model, or arms with the arguments that make one.
as_arm_model <- function(arms, ...) {
  if (!inherits(arms, "arm_model")) {
    return(arm_model(arms, ...))
  }
  given <- names(Filter(Negate(is.null), list(...)))
  if (length(given)) {
    abort(
      "model", "`arms` is an arm_model() already: give `", given[1L],
      "` to arm_model(), not to bayesgap()."
    )
  }
  arms
}

check_prior_mean <- function(x, arms) {
  if (is.null(x)) {
    return(NULL)
  }
  must <- "NULL, a number, or one number per arm, each between -1e100 and 1e100"
  x <- check_per_arm(x, "prior_mean", "model", must, n_arms(arms), arms$names)
  if (any(abs(x) > 1e100)) {
    abort_argument("model", "prior_mean", must, x[abs(x) > 1e100][1L])
  }
  x
}

check_model_sd <- function(x, arg, k, names = NULL) {
  what <- if (arg == "noise_sd") "noise" else "model"
  if (is.null(x)) NULL else check_sd(x, arg, what, k, names)
}

# ---- The covariance, as the C core reads it -------------------------------------------------

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
    cov <- check_cov(cov, arms)
    return(new_prior("cov", factor_cov(cov), diag(cov), bound_cov(cov)))
  }
  if (!is.null(features)) {
    features <- check_features(features, arms)
    return(new_prior("features", features, rowSums(features^2)))
  }
  new_prior("independent", NULL, rep(1, n_arms(arms)))
}

# arg: the matrix in the messages; what: the class of the error.
check_cov <- function(cov, arms, arg = "`cov`", what = "cov") {
  k <- n_arms(arms)
  must <- sprintf("a symmetric %d x %d numeric matrix (one row and column an arm)", k, k)
  if (is.data.frame(cov)) {
    cov <- as.matrix(cov)
  }
  if (!is.matrix(cov) || !is.numeric(cov) || any(dim(cov) != k)) {
    abort(what, arg, " must be ", must, ", not ", describe(cov), ".")
  }
  entry <- function(bad) {
    at <- which(bad, arr.ind = TRUE)[1L, ]
    sprintf("entry [%d, %d] is %s", at[1L], at[2L], format(cov[at[1L], at[2L]]))
  }
  if (any(!is.finite(cov))) {
    abort(what, arg, " must be ", must, "; ", entry(!is.finite(cov)), ".")
  }
  if (any(abs(cov) > 1e100)) {
    abort(what, arg, " must have no entry above 1e100; ", entry(abs(cov) > 1e100), ".")
  }
  if (any(cov != 0) && max(abs(cov)) < 1e-100) {
    abort(what, arg, " must have a variance of at least 1e-100; its largest entry is ",
          format(max(abs(cov))), ".")
  }
  cov[abs(cov) < 1e-200] <- 0 # products of these would leave the range of numbers
  cov <- match_cov_names(cov, arms)
  skew <- abs(cov - t(cov))
  if (any(skew > 1e-8 * max(abs(cov)))) {
    at <- which(skew == max(skew), arr.ind = TRUE)[1L, ]
    abort(what, arg, sprintf(
      " must be symmetric, but entry [%d, %d] is %s and [%d, %d] is %s.",
      at[1L], at[2L], format(cov[at[1L], at[2L]]), at[2L], at[1L], format(cov[at[2L], at[1L]])
    ))
  }
  cov <- (cov + t(cov)) / 2
  dimnames(cov) <- NULL
  storage.mode(cov) <- "double"
  cov
}

match_cov_names <- function(cov, arms) {
  if (arms$kind == "number") {
    return(cov)
  }
  for (names in dimnames(cov)) {
    if (!is.null(names)) {
      check_same_names(names, arms$names, "cov", "cov")
    }
  }
  rows <- rownames(cov)
  columns <- colnames(cov)
  if (!is.null(rows) && !is.null(columns) && any(rows != columns)) {
    abort("cov", "The rows and the columns of `cov` must have the same names in one order.")
  }
  order <- match(arms$names, if (is.null(rows)) columns else rows, nomatch = 0L)
  if (all(order > 0L)) cov[order, order, drop = FALSE] else cov
}

# The pivoted Cholesky factor. It stops where what is left is rounding; if what is left is
# more than that, the matrix is not semi-definite.
factor_cov <- function(cov, arg = "`cov`", what = "cov") {
  k <- nrow(cov)
  tolerance <- factor_tolerance(diag(cov))
  found <- .Call(bg_factor, cov, tolerance)
  left <- utils::tail(found$pivot, k - ncol(found$factor))
  rest <- cov[left, left, drop = FALSE] - tcrossprod(found$factor[left, , drop = FALSE])
  if (length(left) && max(abs(rest)) > 10 * tolerance) {
    least <- min(eigen(cov, symmetric = TRUE, only.values = TRUE)$values)
    abort(
      what, arg, " must be positive semi-definite, but its smallest eigenvalue is ",
      format(least, digits = 3), " (the largest variance is ",
      format(max(diag(cov)), digits = 3), ")."
    )
  }
  found$factor
}

# Variances below it are rounding.
factor_tolerance <- function(diagonal) {
  10 * length(diagonal) * .Machine$double.eps * max(diagonal, 0)
}

# Rounding may leave a covariance larger than its two variances allow, beside which an arm of
# small variance would tell more than all of another.
bound_cov <- function(cov) {
  sd <- sqrt(diag(cov))
  most <- outer(sd, sd)
  pmax(pmin(cov, most), -most)
}

check_features <- function(features, arms) {
  k <- n_arms(arms)
  must <- sprintf("a numeric matrix or data frame with %d rows (one an arm)", k)
  if (is.data.frame(features)) {
    if (!all(vapply(features, is.numeric, TRUE))) {
      abort_argument("features", "features", paste0(must, ", all columns numeric"), features)
    }
    named <- .row_names_info(features) > 0L
    features <- as.matrix(features)
    rownames(features) <- if (named) rownames(features)
  }
  if (is.matrix(features) && !is.null(rownames(features)) && arms$kind != "number" &&
    nrow(features) == k) {
    check_same_names(rownames(features), arms$names, "features", "features")
    features <- features[match(arms$names, rownames(features)), , drop = FALSE]
  }
  if (!is.matrix(features) || !is.numeric(features) || nrow(features) != k ||
    !ncol(features)) {
    abort_argument("features", "features", must, features)
  }
  if (any(!is.finite(features)) || any(abs(features) > 1e50)) {
    at <- which(!is.finite(features) | abs(features) > 1e50, arr.ind = TRUE)[1L, ]
    abort("features", sprintf(
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

# ---- In words ----------------------------------------------------------------------------------

#' @export
format.arm_model <- function(x, ...) {
  kind <- prior_kind(x$prior)
  rank <- ncol(x$prior$factor)
  k <- n_arms(x$arms)
  relation <- switch(kind,
    independent = "independent",
    cov = sprintf("correlated by a covariance matrix of rank %d", rank),
    features = sprintf("correlated by %d feature%s", rank, if (rank == 1L) "" else "s"),
    kernel = "correlated by a kernel"
  )
  number <- function(value) {
    if (is.null(value)) {
      return("from the data")
    }
    range <- format(unique(range(value)), digits = 4)
    if (length(range) == 1L) range else paste(range, collapse = " to ")
  }
  c(
    sprintf("<arm_model> %d arm%s, %s", k, if (k == 1L) "" else "s", relation),
    if (kind == "kernel") format_kernel_of(x),
    paste0("  prior mean  ", number(x$prior_mean)),
    paste0("  prior sd    ", number(x$prior_sd)),
    paste0("  noise sd    ", number(x$noise_sd))
  )
}

# The kernel, and how much of it is learned.
format_kernel_of <- function(model) {
  free <- sum(kernel_free(model))
  c(
    paste0("  kernel      ", format(model$kernel$kernel)),
    if (free) {
      sprintf("              %d parameter%s from the data", free, if (free == 1L) "" else "s")
    }
  )
}

#' @export
print.arm_model <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
