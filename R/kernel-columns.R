# What the formulas of a kernel say of the arms: columns of numbers and of categories.

# The terms of a formula, evaluated: a list of vectors and matrices, named as the terms are.
# hidden: columns that `.` does not stand for.
kernel_terms <- function(formula, arms, hidden) {
  data <- arms$data
  if (!length(data)) {
    abort(
      "kernel", "The kernel formula ", deparse1(formula), " needs columns of the arms: give ",
      "`arms` as a data frame with one row an arm, or as values, such as 1:10, whose column is ",
      "called `value`."
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

# Dates are days, and times seconds.
code_number <- function(arms) {
  function(value, name) {
    if (!is.numeric(value) && !is.logical(value) && !inherits(value, c("Date", "POSIXct"))) {
      abort(
        "kernel", "Column `", name, "` holds ", class(value)[1L], " values, not numbers. ",
        if (is.factor(value) || is.character(value)) "Categories are for k_factor() and k_by()."
        else "Turn it into numbers, such as by as.numeric()."
      )
    }
    number <- as.double(value)
    check_column(value, is.finite(number) & abs(number) <= 1e100, name, arms)
    number
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
