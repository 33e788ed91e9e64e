# How much the columns of the arms matter, by the kernel: what its length scales say in one number.

# Coordinates of the kernel, named by what they were made of. A file keeps the names of its
# parameters alone.
coordinate_names <- function(model, tree) {
  kernel <- model$kernel$kernel
  if (kernel$op != "saved") {
    nodes <- compile_node(kernel, model$arms, character())
    return(unlist(lapply(nodes, function(node) colnames(node$x))))
  }
  kinds <- .Call(bg_kernels)$name[tree$op + 1L]
  params <- sub(" #[0-9]+$", "", model$kernel$params$name)
  names <- lapply(which(tree$columns > 0L), function(node) {
    n <- tree$columns[node]
    at <- tree$param[node] + seq_len(if (kinds[node] == "factor") 1L else n)
    found <- if (kinds[node] == "linear") "linear terms" else params[at]
    found <- sub("^(lengthscale|similarity) of ", "", found)
    if (length(found) < n) rep_len(strsplit(found, " + ", fixed = TRUE)[[1L]], n) else found
  })
  unlist(names)
}

# The column, or the columns, that a term is of.
term_columns <- function(term, columns) {
  named <- tryCatch(all.vars(str2lang(sub("[0-9]+$", "", term))), error = function(e) character())
  used <- if (term %in% columns) term else intersect(named, columns)
  if (length(used)) paste(used, collapse = ", ") else term
}

# Expected squared differences by the kernel: of two arms that differ in one column only, over that
# of two arms at random. Each of some arms is given the column of every other; tree: with the values
# of its parameters; groups: the coordinates of each column.
importance_at <- function(tree, groups) {
  n <- nrow(tree$x)
  cov <- kernel_cov(tree)
  all <- mean(outer(diag(cov), diag(cov), "+") - 2 * cov)
  alone <- double(length(groups))
  for (i in seq_len(n)) {
    changed <- kernel_part(tree, rep(i, 1L + n * length(groups)))
    for (g in seq_along(groups)) {
      at <- 1L + (g - 1L) * n + seq_len(n)
      changed$x[at, groups[[g]]] <- tree$x[, groups[[g]]]
    }
    with <- .Call(bg_kernel_matrix, changed, seq_len(nrow(changed$x)), 1L)[-1L]
    var <- .Call(bg_kernel_diagonal, changed)
    apart <- matrix(var[1L] + var[-1L] - 2 * with, n)
    # What differs though no column does is white, and no column's.
    alone <- alone + colSums(apart) - n * apart[i, ]
  }
  structure(pmin(pmax(alone / n^2 / all, 0), 1), names = names(groups))
}

# One row a column, the most important first: importance, averaged over the values that explain the
# rewards, its interval (NA where nothing was learned), and the length scale in use (NA: there is
# none, or several).
importance_table <- function(x, level = 0.95, most = 60L) {
  check_importance(x)
  tree <- run_prior(x)$kernel
  terms <- coordinate_names(x$model, tree)
  column <- vapply(terms, term_columns, "", columns = names(x$model$arms$data), USE.NAMES = FALSE)
  groups <- split(seq_along(column), in_order(column))
  k <- n_arms(x$model$arms)
  arms <- unique(round(seq(1, k, length.out = min(k, most))))
  points <- if (any(kernel_free(x$model))) learned_points(x) else list(list(weight = 1))
  each <- vapply(points, function(point) {
    prior <- if (is.null(point$prior)) run_prior(x) else point$prior
    importance_at(kernel_part(prior$kernel, arms), groups)
  }, double(length(groups)))
  each <- matrix(each, length(groups))
  weight <- vapply(points, `[[`, 0, "weight")
  ends <- apply(each, 1L, weighted_ends, weight = weight, level = level)
  table <- quick_frame(list(
    column = names(groups), importance = drop(each %*% weight), lower = ends[1L, ],
    upper = ends[2L, ], lengthscale = scales_in_use(x, terms, column, names(groups))
  ))
  table[order(table$importance, decreasing = TRUE), ]
}

# Why there is none, and what to do.
check_importance <- function(x) {
  kind <- prior_kind(x$model$prior)
  none <- kind != "kernel" || !ncol(x$model$prior$kernel$x)
  if (!none) {
    return(invisible())
  }
  if (!length(x$model$arms$data)) {
    abort(
      "importance", "There is no importance of the arms' columns: they have none. Give `arms` as ",
      "a data frame, and a kernel that names its columns."
    )
  }
  why <- switch(kind,
    independent = "the arms are taken to be independent",
    cov = if (is.null(x$model$history)) {
      "their covariance was given as a matrix"
    } else {
      "their covariance was made from a history"
    },
    features = "they were given features, not a kernel of their columns",
    kernel = "the kernel is a function, which does not say how it reads the columns"
  )
  abort(
    "importance", "There is no importance of the arms' columns: ", why, ". Give a kernel that ",
    "names them, such as update(x, kernel = k_se(~ .)), whose length scales tell it."
  )
}

weighted_ends <- function(value, weight, level) {
  if (length(value) < 2L) {
    return(c(NA_real_, NA_real_))
  }
  order <- order(value)
  share <- cumsum(weight[order]) / sum(weight)
  at <- function(p) value[order][which(share >= p - 1e-12)[1L]]
  c(at((1 - level) / 2), at((1 + level) / 2))
}

# In the user's units.
scales_in_use <- function(x, terms, column, columns) {
  params <- x$model$kernel$params
  value <- kernel_values(x$model, run_prior(x)$kernel$value)[params$type == "lengthscale"]
  named <- sub(" #[0-9]+$", "", sub("^lengthscale of ", "", names(value)))
  of <- column[match(named, terms)]
  vapply(columns, function(name) {
    found <- value[of %in% name]
    if (length(found) == 1L) unname(found) else NA_real_
  }, 0, USE.NAMES = FALSE)
}
