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
#' class. Logical columns count as 0 and 1. Categories (factors and character columns) are
#' for `k_factor()` and `k_by()`.
#'
#' @section Learned parameters:
#' A length scale that is `NULL` (or `NA`, for one of several columns), `similarity = NULL`
#' and `variance = NULL` are learned from the rewards. Columns whose length scale is learned
#' are standardised (mean 0, standard deviation 1 over the arms), so their units do not
#' matter; a length scale that is given is in the units of its column.
#'
#' @section Many arms:
#' A run looks at one arm's covariances at a time. Only joint draws of all arms need more: the
#' policies that draw ([policies()]: `thompson`, `ttts`, `mes`) and the probabilities of
#' [posterior()]. Beyond about a thousand arms they work with the part of the covariance that
#' can be had in a few seconds. For a smooth kernel that is all of it. For a rough one, all
#' variances are kept and some correlations are not: arms then seem to differ by more than
#' they do, and the probabilities are on the careful side.
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
#' @seealso [arm_model()]
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
  new_kernel("factor", formula = check_formula(formula), similarity = similarity)
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

#' @rdname kernels
#' @export
kernel_matrix <- function(kernel, arms) {
  if (missing(kernel)) {
    kernel <- NULL
  }
  arms <- as_arms(if (missing(arms)) NULL else arms)
  check_dense(n_arms(arms), "kernel_matrix()")
  tree <- compile_kernel(as_kernel(kernel), arms)$tree
  structure(kernel_cov(tree), dimnames = list(arms$names, arms$names))
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

# ---- In words -----------------------------------------------------------------------------------

#' @export
format.bayesgap_kernel <- function(x, ...) {
  kernel_kinds[[x$op]]$format(x)
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

# ---- Columns ------------------------------------------------------------------------------------

# The terms of a formula, evaluated: a list of vectors and matrices, named as the terms are.
# hidden: columns that `.` does not stand for.
kernel_terms <- function(formula, arms, hidden) {
  data <- arms$data
  if (!length(data)) {
    abort(
      "kernel", "The kernel formula ", deparse1(formula), " needs columns of the arms: give ",
      "`arms` as a data frame with one row an arm."
    )
  }
  terms <- formula_terms(formula, data, hidden)
  values <- lapply(terms, function(term) {
    check_names_column(term, formula, names(data))
    evaluate_term(term, formula, data)
  })
  names(values) <- vapply(terms, term_label, "")
  values
}

# Backticks are for the parser.
term_label <- function(term) if (is.name(term)) as.character(term) else deparse1(term)

# The expressions that the formula adds up.
formula_terms <- function(formula, data, hidden) {
  visible <- data[setdiff(names(data), hidden)]
  if (!length(visible) && "." %in% all.vars(formula)) {
    abort(
      "kernel", "`.` in the kernel formula ", deparse1(formula), " stands for no column: all (",
      quoted(names(data)), ") are those of a class in k_by()."
    )
  }
  check_names_known(formula, data)
  terms <- tryCatch(
    stats::terms(formula, data = visible),
    error = function(e) {
      abort("kernel", "The kernel formula ", deparse1(formula), " failed: ", conditionMessage(e))
    }
  )
  if (any(attr(terms, "order") > 1L) || !is.null(attr(terms, "offset"))) {
    abort(
      "kernel", "The kernel formula ", deparse1(formula), " may only add up terms; for an ",
      "interaction multiply kernels."
    )
  }
  factors <- attr(terms, "factors")
  if (!length(factors)) {
    abort("kernel", "The kernel formula ", deparse1(formula), " names no column of the arms.")
  }
  at <- apply(factors > 0L, 2L, which)
  as.list(attr(terms, "variables"))[-1L][at]
}

# Every name is a column, or stands for something where the formula was written.
check_names_known <- function(formula, data) {
  names <- setdiff(all.vars(formula), c(".", names(data)))
  there <- vapply(names, exists, TRUE, envir = environment(formula))
  if (!all(there)) {
    unknown <- names[!there][1L]
    abort(
      "kernel", "`", unknown, "` in the kernel formula ", deparse1(formula),
      " names no column of the arms. They have ", quoted(names(data), 10L), ".",
      suggest(unknown, names(data))
    )
  }
}

# The names in the formula, those behind `.` too.
formula_columns <- function(formula, arms, hidden) {
  unlist(lapply(formula_terms(formula, arms$data, hidden), all.vars))
}

check_names_column <- function(term, formula, columns) {
  named <- all.vars(term)
  if (!any(named %in% columns)) {
    abort(
      "kernel", "`", deparse1(term), "` in the kernel formula ", deparse1(formula),
      " names no column of the arms. They have ", quoted(columns, 10L), ".",
      if (length(named)) suggest(named[1L], columns)
    )
  }
}

evaluate_term <- function(term, formula, data) {
  value <- tryCatch(
    eval(term, data, environment(formula)),
    error = function(e) {
      abort(
        "kernel", "`", deparse1(term), "` in the kernel formula ", deparse1(formula), " failed: ",
        conditionMessage(e)
      )
    }
  )
  if (NROW(value) != nrow(data) || length(dim(value)) > 2L || is.list(value)) {
    abort(
      "kernel", "`", deparse1(term), "` in the kernel formula ", deparse1(formula),
      " must give one value an arm (", nrow(data), "), not ", describe(value), "."
    )
  }
  value
}

# The columns of all terms side by side, each made a column of numbers by `code`.
bind_terms <- function(values, code) {
  columns <- Map(function(value, name) {
    if (is.matrix(value)) {
      ends <- if (is.null(colnames(value))) seq_len(ncol(value)) else colnames(value)
      parts <- lapply(seq_len(ncol(value)), function(j) code(value[, j], name))
      names(parts) <- paste0(name, ends)
      parts
    } else {
      structure(list(code(value, name)), names = name)
    }
  }, values, names(values))
  do.call(cbind, unlist(unname(columns), recursive = FALSE))
}

code_number <- function(arms) {
  function(value, name) {
    if (!is.numeric(value) && !is.logical(value)) {
      abort(
        "kernel", "Column `", name, "` holds ", class(value)[1L], " values, not numbers. ",
        if (is.factor(value) || is.character(value)) "Categories are for k_factor() and k_by()."
        else "Turn it into numbers, such as by as.numeric()."
      )
    }
    check_column(value, is.finite(value) & abs(value) <= 1e100, name, arms)
    as.double(value)
  }
}

code_category <- function(arms) {
  function(value, name) {
    check_column(value, !is.na(value), name, arms)
    as.double(match(value, unique(value)))
  }
}

check_column <- function(value, good, name, arms) {
  if (!all(good)) {
    at <- which(!good)[1L]
    abort(
      "kernel", "Column `", name, "` must have a finite value for every arm, but it is ",
      format(value[at]), " for arm ", quoted(arms$names[at]), "."
    )
  }
}

# (x - mean) / sd, column by column, and the sds. A column that is constant but for rounding is
# divided by 1.
standardise <- function(x) {
  centre <- colMeans(x)
  sd <- apply(x, 2L, stats::sd)
  size <- apply(abs(x), 2L, max)
  sd[is.na(sd) | sd <= 8 * .Machine$double.eps * size] <- 1
  list(x = sweep(sweep(x, 2L, centre), 2L, sd, "/"), sd = unname(sd))
}

# The length scale of every column, NA where it is to be learned.
match_scales <- function(scales, terms, columns) {
  if (is.null(scales)) {
    return(rep(NA_real_, length(columns)))
  }
  if (!is.null(names(scales))) {
    return(match_named_scales(scales, terms, columns))
  }
  if (!length(scales) %in% c(1L, length(columns))) {
    abort(
      "kernel", "`lengthscale` must be one number or one a column (", length(columns), ": ",
      quoted(columns), "), not ", length(scales), " numbers."
    )
  }
  rep_len(scales, length(columns))
}

# A term's name stands for all of its columns; those not named are learned.
match_named_scales <- function(scales, terms, columns) {
  strange <- setdiff(names(scales), c(terms, columns))
  if (length(strange)) {
    abort(
      "kernel", "The names of `lengthscale` must be terms of the formula; there is no ",
      quoted(strange), ".", suggest(strange[1L], unique(c(terms, columns)))
    )
  }
  found <- unname(scales[columns])
  found[is.na(found)] <- unname(scales[terms])[is.na(found)]
  found
}

# ---- What the C core reads ----------------------------------------------------------------------

# A list of `tree`, in the order of enum kernel_at, and `params`, one row a parameter: what it
# is of, whether it is learned and where it starts, the normal prior of its logarithm, and by
# what it is multiplied to be in the user's units.
compile_kernel <- function(kernel, arms) {
  nodes <- compile_node(kernel, arms, character())
  at <- match(vapply(nodes, `[[`, "", "op"), .Call(bg_kernels)$name)
  check_depth(at)
  params <- do.call(rbind, c(list(no_params), lapply(nodes, `[[`, "params")))
  params$name <- make.unique(params$name, " #")
  columns <- vapply(nodes, function(node) if (is.null(node$x)) 0L else ncol(node$x), 0L)
  place <- place_nodes(at, columns)
  tree <- list(
    op = at - 1L, column = place$column, columns = columns, param = place$param,
    x = bind_coordinates(nodes, n_arms(arms)), value = params$start,
    matrices = Filter(Negate(is.null), lapply(nodes, `[[`, "matrix"))
  )
  check_variances(.Call(bg_kernel_diagonal, tree), kernel)
  list(tree = tree, params = params)
}

# Where every node's coordinates (or its matrix) and its parameters begin; types: of these. at: the
# nodes' places in the table of kinds that C has.
place_nodes <- function(at, columns) {
  name <- .Call(bg_kernels)$name[at]
  column <- cumsum(columns) - columns
  column[name == "matrix"] <- seq_len(sum(name == "matrix")) - 1L
  type <- vapply(kernel_kinds[name], `[[`, "", "param", USE.NAMES = FALSE)
  counts <- ifelse(is.na(type), 0L, ifelse(type == "lengthscale", columns, 1L))
  list(
    column = as.integer(column), param = as.integer(cumsum(counts) - counts),
    types = rep(type, counts)
  )
}

bind_coordinates <- function(nodes, k) {
  x <- do.call(cbind, c(list(matrix(0, k, 0L)), lapply(nodes, `[[`, "x")))
  dimnames(x) <- NULL
  x
}

# Nodes lie on a stack until an operator takes them for its operands: how many do after every node.
operands_waiting <- function(at) cumsum(1L - .Call(bg_kernels)$operands[at])

check_depth <- function(at) {
  depth <- max(operands_waiting(at))
  if (depth > most_depth) {
    abort(
      "kernel", "The kernel is nested too deeply (", depth, " operands wait for each other, at ",
      "most ", most_depth, " can): put the longest part of a sum or product first."
    )
  }
}

check_variances <- function(diagonal, kernel) {
  most <- max(diagonal)
  if (is.na(most) || most > 1e100 || (most > 0 && most < 1e-100)) {
    abort(
      "kernel", "The variances of the arms by the kernel ", format(kernel), " must lie between ",
      "1e-100 and 1e100, but the largest is ", format(most), "."
    )
  }
}

# The nodes of a tree in postfix order, each a list of op and of what it has: x, matrix, params.
# hidden: columns that `.` does not stand for.
compile_node <- function(node, arms, hidden) {
  kernel_kinds[[node$op]]$compile(node, arms, hidden)
}

new_node <- function(op, ...) list(list(op = op, ...))

compile_operator <- function(node, arms, hidden) {
  c(
    compile_node(node$left, arms, hidden), compile_node(node$right, arms, hidden),
    new_node(node$op)
  )
}

compile_by <- function(node, arms, hidden) {
  class <- compile_node(node$left, arms, hidden)
  hidden <- c(hidden, formula_columns(node$left$formula, arms, hidden))
  c(class, compile_node(node$right, arms, hidden), new_node("product"))
}

compile_white <- function(node, arms, hidden) new_node(node$op)

compile_constant <- function(node, arms, hidden) {
  new_node(node$op, params = constant_param(node$variance))
}

compile_function <- function(node, arms, hidden) {
  new_node(node$op, matrix = function_matrix(node, arms))
}

compile_linear <- function(node, arms, hidden) {
  x <- bind_terms(kernel_terms(node$formula, arms, hidden), code_number(arms))
  new_node(node$op, x = standardise(x)$x)
}

compile_classes <- function(node, arms, hidden) {
  values <- kernel_terms(node$formula, arms, hidden)
  new_node(
    node$op,
    x = bind_terms(values, code_category(arms)),
    params = similarity_param(node$similarity, paste(names(values), collapse = " + "))
  )
}

compile_distance <- function(node, arms, hidden) {
  values <- kernel_terms(node$formula, arms, hidden)
  x <- bind_terms(values, code_number(arms))
  terms <- rep(names(values), vapply(values, NCOL, 0L))
  scales <- match_scales(node$lengthscale, terms, colnames(x))
  free <- is.na(scales)
  unit <- rep(1, ncol(x))
  if (any(free)) {
    scaled <- standardise(x[, free, drop = FALSE])
    x[, free] <- scaled$x
    unit[free] <- scaled$sd
  }
  new_node(node$op, x = x, params = scale_params(scales, colnames(x), unit))
}

compile_saved <- function(node, arms, hidden) {
  abort(
    "kernel", "The kernel ", node$text, " was read from a file, which keeps no formulas and ",
    "functions: make it again, and give that."
  )
}

# How a kind is shown, what the C core reads of it, what its parameters are (NA: it has none), and
# whether it reads columns of the arms.
new_kind <- function(format, compile, param = NA_character_, reads = FALSE) {
  list(format = format, compile = compile, param = param, reads = reads)
}

distance_kind <- function(format) new_kind(format, compile_distance, "lengthscale", TRUE)

# Their names are those of the table in C, bg_kernels(), and two more: "by" is a product, and of a
# saved kernel only the words are left.
kernel_kinds <- list(
  const = new_kind(format_constant, compile_constant, "constant"),
  white = new_kind(function(x) "k_white()", compile_white),
  matrix = new_kind(format_function, compile_function),
  linear = new_kind(format_linear, compile_linear, reads = TRUE),
  factor = new_kind(format_classes, compile_classes, "similarity", TRUE),
  se = distance_kind(format_se),
  matern12 = distance_kind(format_matern("1/2")),
  matern32 = distance_kind(format_matern("3/2")),
  matern52 = distance_kind(format_matern("5/2")),
  sum = new_kind(format_sum, compile_operator),
  product = new_kind(format_product, compile_operator),
  by = new_kind(format_by, compile_by),
  saved = new_kind(function(x) x$text, compile_saved)
)

# ---- Parameters ---------------------------------------------------------------------------------

# type: what the number is ("lengthscale", "constant", or "similarity", of which the number is
# minus the logarithm).
new_params <- function(type, name, value, centre, unit = 1, spread = 1) {
  free <- is.na(value)
  data.frame(
    type = rep_len(type, length(value)), name = name, free = free,
    start = as.double(ifelse(free, exp(centre), value)),
    centre = centre, spread = rep_len(spread, length(value)), unit = unit, stringsAsFactors = FALSE
  )
}

no_params <- new_params(character(), character(), double(), double(), double())

# A third of the spread of the arms, whose distances grow with the columns. Rather short, and
# rather firm: a length scale taken for too long makes a run certain of what it has not seen,
# one too short costs some pulls (bench/DEFAULT.md).
scale_params <- function(scales, columns, unit) {
  centre <- rep(log(0.3 * sqrt(length(columns))), length(columns))
  new_params("lengthscale", paste("lengthscale of", columns), unname(scales), centre, unit, 0.6)
}

similarity_param <- function(similarity, columns) {
  value <- if (is.null(similarity)) NA_real_ else -log(similarity)
  new_params("similarity", paste("similarity of", columns), value, 0)
}

constant_param <- function(variance) {
  new_params("constant", "constant", if (is.null(variance)) NA_real_ else variance, 0)
}

# Which parameters of a model's kernel are learned.
kernel_free <- function(model) {
  if (is.null(model$kernel)) logical() else model$kernel$params$free
}

# Values of the parameters in the user's units and words.
kernel_values <- function(model, value) {
  params <- model$kernel$params
  shown <- ifelse(params$type == "similarity", exp(-value), value * params$unit)
  structure(shown, names = params$name)
}

# The prior with other values of its kernel's parameters. A factor, if it had one, is lost.
set_kernel <- function(prior, value) {
  prior$kernel$value <- as.double(value)
  prior$diagonal <- .Call(bg_kernel_diagonal, prior$kernel)
  prior[c("factor", "rest")] <- list(NULL)
  prior
}

# ---- Functions of the user's --------------------------------------------------------------------

# Matrices of all pairs of arms are formed up to here: 3.2 GB each.
most_dense <- 20000L

check_dense <- function(k, what) {
  if (k > most_dense) {
    abort(
      "memory", what, " needs a matrix of all pairs of arms: for ", grouped(k),
      " arms it takes ", grouped(8 * k^2), " bytes. At most ",
      grouped(most_dense), " arms are possible; kernels made by k_*(), and ",
      "`features`, do without the matrix."
    )
  }
}

function_matrix <- function(node, arms) {
  check_dense(n_arms(arms), "A kernel function")
  name <- format(node)
  data <- quick_frame(c(list(arm = arms$names), arm_columns(arms, seq_along(arms$names))))
  found <- tryCatch(
    node$fun(data, data),
    error = function(e) abort("kernel", "The kernel ", name, " failed: ", conditionMessage(e))
  )
  if (is.data.frame(found)) {
    found <- as.matrix(found)
  }
  if (is.matrix(found)) {
    dimnames(found) <- NULL # the arms come in the order in which the function got them
  }
  arg <- paste("The matrix of the kernel", name)
  found <- check_cov(found, arms, arg, "kernel")
  bound_and_factor(found, arg, "kernel")$cov
}

# ---- Kernels as priors --------------------------------------------------------------------------

kernel_cov <- function(tree) {
  all <- seq_len(nrow(tree$x))
  .Call(bg_kernel_matrix, tree, all, all)
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

# Only the rows asked for are worked out.
kernel_between <- function(tree, arm) {
  rows <- unique(arm)
  at <- match(arm, rows)
  .Call(bg_kernel_matrix, kernel_part(tree, rows), at, at)
}

# The kernel between some of the arms.
kernel_part <- function(tree, rows) {
  tree$x <- tree$x[rows, , drop = FALSE]
  tree$matrices <- lapply(tree$matrices, function(matrix) matrix[rows, rows, drop = FALSE])
  tree
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
  prior["rest"] <- list(if (any(found$rest > 0)) found$rest)
  prior
}

# The columns of a factor that take about a second, when each costs k for every column
# before it and for `more` besides: the c with k c (more + c / 2) = 1e9.
factor_columns <- function(k, more = 0) {
  as.integer(min(k, floor(sqrt(more^2 + 2e9 / k) - more)))
}
