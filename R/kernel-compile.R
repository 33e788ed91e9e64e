# From a kernel to the program that the C core runs: its nodes in postfix order, their coordinates
# and their parameters.

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

#' @export
format.bayesgap_kernel <- function(x, ...) {
  kernel_kinds[[x$op]]$format(x)
}

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

kernel_cov <- function(tree) {
  all <- seq_len(nrow(tree$x))
  .Call(bg_kernel_matrix, tree, all, all)
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
