# Which arms resemble each other, said by their columns: k_*() make small kernels, which add
# and multiply to a tree; compile_kernel() turns the tree into what the C core reads.

#' Which arms resemble each other
#'
#' A kernel says how the means of two arms vary together, given what is known of the arms:
#' the columns of their data frame. Give one as `kernel` to [arm_model()] or [bayesgap()] when
#' arms with similar columns give similar rewards. No matrix of all pairs of arms is formed,
#' so that 100,000 arms are possible.
#'
#' For arms \eqn{x} and \eqn{x'}, with \eqn{r^2} the sum over the columns \eqn{c} of
#' \eqn{(x_c - x'_c)^2 / l_c^2} and the length scales \eqn{l_c}:
#'
#' | kernel | covariance of two arms |
#' |---|---|
#' | `k_se()` | `exp(-r^2 / 2)`: very smooth |
#' | `k_matern(nu = 5/2)` | `(1 + s + s^2 / 3) * exp(-s)` with `s = sqrt(5) * r`: smooth |
#' | `k_matern(nu = 3/2)` | `(1 + s) * exp(-s)` with `s = sqrt(3) * r`: less smooth |
#' | `k_matern(nu = 1/2)` | `exp(-r)`: rough |
#' | `k_linear()` | sum of \eqn{x_c x'_c} of the standardised columns |
#' | `k_factor()` | `similarity` to the power of the number of columns that differ |
#' | `k_white()` | 1 for the same arm, else 0: what is an arm's own |
#' | `k_const()` | `variance` for all pairs: what all arms share |
#' | `k_by(~ class, kernel)` | `kernel` inside a class, 0 between classes |
#' | `function(a, b)` | what the function returns |
#'
#' Kernels add and multiply: a sum of effects, an effect inside another. Numbers in between
#' are constants: `k_se(~ u) + 0.1 * k_white()`. An R function takes the place of a kernel
#' anywhere: it is called once, with the data frame of the arms (their columns, and `arm`,
#' their names) as both arguments, and returns the matrix of all pairs, symmetric and
#' positive semi-definite; with it, at most 20,000 arms.
#'
#' @section Formulas:
#' The formula names the columns and may transform them: `~ log10(cost) + gamma`,
#' `~ poly(dose, 2)`. `.` stands for all columns; inside `k_by()`, for all but those of the
#' class. Arms that are values, such as `1:40`, have one column, `value`. Logical columns count
#' as 0 and 1, dates as days and times (`POSIXct`) as seconds. Categories (factors and character
#' columns) are for `k_factor()` and `k_by()`.
#'
#' @section Learned parameters:
#' A length scale that is `NULL` (or `NA`, for one of several columns), `similarity = NULL`
#' and `variance = NULL` are learned from the rewards. Columns whose length scale is learned
#' are standardised (mean 0, standard deviation 1 over the arms), so their units do not
#' matter; a length scale that is given is in the units of its column.
#'
#' @section Many arms:
#' A run looks at one arm's covariances at a time. Only joint draws of all arms need more: the
#' policies that draw ([policies()]: `thompson`, `ttts`, `t3c`, `mes`, `pi_bai`) and the
#' probabilities of [posterior()]. Beyond about a thousand arms they work with the part of the
#' covariance that can be had in a few seconds. For a smooth kernel that is all of it. For a
#' rough one, all variances are kept and some correlations are not: arms then seem to differ by
#' more than they do, and the probabilities are on the careful side.
#'
#' @param formula A one-sided formula that names columns of the arms.
#' @param lengthscale The distance over which rewards change: one positive number for all
#'   columns, or one a column, in the formula's order or named by its terms. `NULL` or `NA`:
#'   learned, one a column.
#' @param nu The smoothness: 1/2, 3/2 or 5/2.
#' @param similarity The correlation of two arms that differ in one of the columns, from 0
#'   to 1. 0: arms of different categories have nothing in common. `NULL`: learned.
#' @param variance A positive number; `NULL`: learned.
#' @param kernel A kernel, or an R function of two data frames of arms.
#' @param arms The arms, as in [bayesgap()].
#'
#' @return `k_*()`: an object of class `bayesgap_kernel`, a list; `print()` shows its algebra.
#'   `kernel_matrix()`: the matrix of the covariances of all pairs of arms, with their names.
#'   Learned parameters have the values there that a run starts with: length scales of 0.3
#'   times the square root of the number of columns (standardised), a similarity of
#'   `exp(-1)`, a variance of 1.
#' @seealso [arm_model()]; `vignette("say-what-you-know")`.
#' @name kernels
#' @examples
#' # Recipes: smooth in the two amounts, unrelated between ovens, and each with a part of
#' # its own
#' recipes <- expand.grid(sugar = 1:4, salt = c(0.1, 1, 10), oven = c("old", "new"))
#' k <- k_by(~ oven, k_se(~ sugar + log10(salt), lengthscale = c(2, 1))) + 0.1 * k_white()
#' k
#' round(kernel_matrix(k, recipes)[1:3, 1:6], 2)
#'
#' taste <- function(arm) -(arm$sugar - 3)^2 - (arm$oven == "old") + rnorm(1, sd = 0.2)
#' bayesgap(recipes, taste, budget = 12, kernel = k, seed = 1)
#'
#' # A kernel of one's own
#' ring <- function(a, b) exp(cos(outer(a$hour, b$hour, "-") * pi / 12) - 1)
#' arm_model(data.frame(hour = 0:23), kernel = ring)
NULL

#' @rdname kernels
#' @export
k_se <- function(formula = ~., lengthscale = NULL) {
  new_kernel("se", formula = check_formula(formula), lengthscale = check_scales(lengthscale))
}

#' @rdname kernels
#' @export
k_matern <- function(formula = ~., nu = 5 / 2, lengthscale = NULL) {
  if (!is_number(nu) || !nu %in% c(0.5, 1.5, 2.5)) {
    abort_argument("kernel", "nu", "1/2, 3/2 or 5/2", nu)
  }
  new_kernel(
    c("matern12", "matern32", "matern52")[nu + 0.5],
    formula = check_formula(formula), lengthscale = check_scales(lengthscale)
  )
}

#' @rdname kernels
#' @export
k_linear <- function(formula = ~.) {
  new_kernel("linear", formula = check_formula(formula))
}

#' @rdname kernels
#' @export
k_factor <- function(formula = ~., similarity = 0) {
  if (!is.null(similarity) && (!is_number(similarity) || similarity < 0 || similarity > 1)) {
    abort_argument("kernel", "similarity", "NULL or a number from 0 to 1", similarity)
  }
  new_kernel(
    "factor", formula = check_formula(formula),
    similarity = if (!is.null(similarity)) as.double(similarity)
  )
}

#' @rdname kernels
#' @export
k_white <- function() {
  new_kernel("white")
}

#' @rdname kernels
#' @export
k_const <- function(variance = 1) {
  if (!is.null(variance)) {
    variance <- check_constant(variance, "variance", "NULL or ")
  }
  new_kernel("const", variance = variance)
}

#' @rdname kernels
#' @export
k_by <- function(formula, kernel) {
  if (missing(formula)) {
    formula <- NULL
  }
  if (missing(kernel)) {
    kernel <- NULL
  }
  class <- k_factor(formula)
  kernel <- as_kernel(kernel)
  new_kernel("by", left = class, right = kernel)
}

# ---- The tree -----------------------------------------------------------------------------------

most_nodes <- 64L

most_depth <- 16L

# A leaf, or two kernels `left` and `right` under an operator ("sum", "product" or "by").
# size: its nodes, as the C core counts them.
new_kernel <- function(op, ...) {
  kernel <- list(op = op, ...)
  kernel$size <- 1L + sum(kernel$left$size, kernel$right$size)
  if (kernel$size > most_nodes) {
    abort(
      "kernel", "A kernel may have at most ", most_nodes, " parts, operators included; this one",
      " has ", kernel$size, "."
    )
  }
  structure(kernel, class = "bayesgap_kernel")
}

# What a file keeps of a kernel: its text and its fingerprint. It stands beside the tree that was
# made of it, but no other can be.
saved_kernel <- function(text, code) new_kernel("saved", text = text, code = code)

kernel_code <- function(kernel) if (kernel$op == "saved") kernel$code else fingerprint(kernel)

# A kernel, or an R function in its place.
as_kernel <- function(x, label = NULL) {
  if (is.function(x)) {
    return(new_kernel("matrix", fun = x, label = if (is.name(label)) as.character(label)))
  }
  if (!inherits(x, "bayesgap_kernel")) {
    must <- "a kernel such as k_se(), or a function of two data frames of arms"
    abort_argument("kernel", "kernel", must, x)
  }
  x
}

check_formula <- function(formula) {
  if (!inherits(formula, "formula") || length(formula) != 2L) {
    given <- if (inherits(formula, "formula")) deparse1(formula) else formula
    abort_argument("kernel", "formula", "a one-sided formula such as ~ u + v", given)
  }
  formula
}

check_scales <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  must <- "NULL, or numbers from 1e-100 to 1e100 (NA: learned)"
  if (!(is.numeric(x) || (is.logical(x) && all(is.na(x)))) || !length(x) || is.matrix(x)) {
    abort_argument("kernel", "lengthscale", must, x)
  }
  bad <- is.nan(x) | (!is.na(x) & (x < 1e-100 | x > 1e100))
  if (any(bad)) {
    abort_argument("kernel", "lengthscale", must, unname(x[bad][1L]))
  }
  storage.mode(x) <- "double"
  x
}

check_constant <- function(x, arg, or = "") {
  if (!is_number(x) || x < 1e-100 || x > 1e100) {
    abort_argument("kernel", arg, paste0(or, "a number from 1e-100 to 1e100"), x)
  }
  as.double(x)
}

#' @export
Ops.bayesgap_kernel <- function(e1, e2) {
  if (nargs() != 2L || !.Generic %in% c("+", "*")) {
    abort("kernel", "Kernels add and multiply, but there is no `", .Generic, "` of kernels.")
  }
  left <- as_operand(e1, substitute(e1))
  right <- as_operand(e2, substitute(e2))
  new_kernel(if (.Generic == "+") "sum" else "product", left = left, right = right)
}

as_operand <- function(x, label) {
  if (is.numeric(x)) {
    return(new_kernel("const", variance = check_constant(x, as_shown(label)), bare = TRUE))
  }
  if (!is.function(x) && !inherits(x, "bayesgap_kernel")) {
    must <- "a kernel, a positive number or a function of two data frames of arms"
    abort_argument("kernel", as_shown(label), must, x)
  }
  as_kernel(x, label)
}

# An expression of the user's, if it is short.
as_shown <- function(label) {
  shown <- deparse1(label)
  if (nchar(shown) > 30L) "operand" else shown
}

format_call <- function(name, ...) {
  paste0(name, "(", paste(c(...), collapse = ", "), ")")
}

format_formula <- function(x) deparse1(x$formula)

format_factor <- function(x) {
  if (x$op == "sum") paste0("(", format(x), ")") else format(x)
}

format_sum <- function(x) paste(format(x$left), "+", format(x$right))

format_product <- function(x) paste(format_factor(x$left), "*", format_factor(x$right))

format_by <- function(x) format_call("k_by", format_formula(x$left), format(x$right))

format_se <- function(x) format_call("k_se", format_formula(x), format_scales(x))

format_matern <- function(nu) {
  function(x) {
    format_call("k_matern", format_formula(x), paste("nu =", nu), format_scales(x))
  }
}

format_linear <- function(x) format_call("k_linear", format_formula(x))

format_classes <- function(x) format_call("k_factor", format_formula(x), format_similarity(x))

format_function <- function(x) if (is.null(x$label)) "function(a, b)" else x$label

format_scales <- function(x) {
  if (!is.null(x$lengthscale)) {
    paste("lengthscale =", deparse1(signif(x$lengthscale, 6), backtick = TRUE))
  }
}

format_similarity <- function(x) {
  if (!identical(x$similarity, 0)) paste("similarity =", deparse1(x$similarity))
}

format_constant <- function(x) {
  value <- deparse1(x$variance)
  if (is.null(x$bare)) paste0("k_const(", value, ")") else value
}

#' @export
print.bayesgap_kernel <- function(x, ...) {
  cat("<kernel> ", format(x), "\n", sep = "")
  invisible(x)
}
