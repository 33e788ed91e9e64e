# The finite choices: their names, and a row of data each where the user gave some.
# What an arm is to the user depends on how the arms were given: a number, a name, a row, a value or
# an element of a list.

# kind: "number" (arms = 12), "name" (a character vector), "row" (a data frame), "value" (a vector
# of numbers, logicals, dates or categories: one column, `value`) or "item" (a list). named: did the
# user give the names? Where not, they are numbers or were made of the values. data: a data frame of
# the arms' columns; its row names are those given, where they are numbers. items: the elements.
new_arms <- function(kind, names, named, data = NULL, items = NULL) {
  list(kind = kind, names = names, named = named, data = data, items = items)
}

# Of an arm in a run, whatever the prior: its name and some twenty numbers.
arm_bytes <- 250

as_arms <- function(arms) {
  if (is.null(arms)) {
    abort("arms", "`arms` must be given: a number, names, values, or a data frame of arms.")
  }
  if (inherits(arms, "POSIXlt")) {
    arms <- as.POSIXct(arms)
  }
  if (is.data.frame(arms)) {
    arms_from_rows(arms)
  } else if (is_number(arms)) {
    arms_from_count(arms)
  } else if (is.character(arms) && length(arms) && !has_sides(arms)) {
    new_arms("name", check_arm_names(arms), TRUE)
  } else if (is_values(arms)) {
    arms_from_values(arms)
  } else if (is.list(arms) && !is.object(arms) && length(arms) && !has_sides(arms)) {
    arms_from_list(arms)
  } else {
    abort_arms(arms)
  }
}

has_sides <- function(x) length(dim(x)) > 1L

abort_arms <- function(arms) {
  must <- "a number of arms, their names, two or more values, a data frame of arms, or a list"
  advice <- if (has_sides(arms)) {
    " For one arm a row give as.data.frame(arms)."
  } else if (is.atomic(arms) && is.object(arms) && length(arms)) {
    " Values of another class are a column of a data frame: data.frame(value = )."
  }
  abort("arms", "`arms` must be ", must, ", not ", describe(arms), ".", advice)
}

arms_from_count <- function(k) {
  if (k != floor(k) || k < 1 || k > .Machine$integer.max) {
    abort(
      "arms", "`arms` must be a whole number from 1 to ", grouped(.Machine$integer.max),
      ", not ", describe(as.vector(k)), ". Values are arms where there are several, such as ",
      "c(0.1, 0.2, 0.5)."
    )
  }
  check_memory(arm_bytes * k, count_of(k, "arm"), "Give fewer.")
  new_arms("number", as.character(seq_len(k)), FALSE)
}

# ---- Rows -------------------------------------------------------------------------------------

arms_from_rows <- function(data) {
  data <- check_arm_table(data)
  given <- arm_names_given(data)
  data[["arm"]] <- NULL
  names <- if (!is.null(given)) {
    given
  } else if (length(data)) {
    names_by_value(data)
  } else {
    row.names(data)
  }
  if (!is.null(given)) {
    row.names(data) <- NULL
  }
  new_arms("row", check_arm_names(names), !is.null(given), data)
}

# In the column `arm`, or as row names. Numbers are no names: rows of a data frame, and what is left
# of them in a part of it, number themselves.
arm_names_given <- function(data) {
  rows <- attr(data, "row.names")
  if (!is.null(data[["arm"]])) {
    as.character(data[["arm"]])
  } else if (is.character(rows)) {
    rows
  }
}

# A plain data frame of it.
check_arm_table <- function(data) {
  if (!nrow(data)) {
    abort_argument("arms", "arms", "a data frame with at least one row", data)
  }
  check_columns(data, "arms", "arms")
  check_not_taken(data, c("pull", "block", "y", "se", "failed", "error"))
  check_plain(data, names(data), "arms", "arms")
  data <- as.data.frame(data)
  # What other packages attach to a whole table is theirs.
  attributes(data) <- attributes(data)[c("names", "class", "row.names")]
  data
}

# taken: names that the columns of a run's tables have; who: what run that is.
check_not_taken <- function(data, taken, who = "a run") {
  at <- which(names(data) %in% taken)
  if (length(at)) {
    rename <- sprintf("names(arms)[%d] <- \"%s_setting\"", at, names(data)[at])
    abort(
      "arms", "`arms` must not have a column ", quoted(names(data)[at], Inf), ": ", who,
      " has one of its own. Rename it first: ", paste(rename, collapse = "; "), "."
    )
  }
}

# The columns of a data frame of the user's, a list: each with a name of its own, and one value a
# row. A matrix has as many rows, but more values; it would shift what comes after it.
check_columns <- function(data, arg, what) {
  n <- nrow(data)
  columns <- unclass(data) # `[[` of a data frame is slow
  names <- names(columns)
  if (anyNA(names) || !all(nzchar(names))) {
    abort(what, "Every column of `", arg, "` must have a name; column ",
          which(is.na(names) | !nzchar(names))[1L], " has none.")
  }
  if (anyDuplicated(names)) {
    abort(what, "The columns of `", arg, "` must have different names; twice or more: ",
          quoted(unique(names[duplicated(names)])), ".")
  }
  for (name in names) {
    column <- columns[[name]]
    if (length(column) != n || !is.null(dim(column))) {
      abort(what, "The column `", name, "` of `", arg, "` must hold one value a row, not ",
            describe(column), " for ", count_of(n, "row"), ".")
    }
  }
  columns
}

# Values that can be compared: no lists.
check_plain <- function(columns, names, arg, what) {
  for (name in names) {
    if (is.list(columns[[name]])) {
      abort(what, "The column `", name, "` of `", arg, "` must be a plain vector, not ",
            describe(columns[[name]]), ".")
    }
  }
}

check_arm_names <- function(names) {
  if (anyNA(names) || any(!nzchar(names))) {
    at <- which(is.na(names) | !nzchar(names))[1L]
    abort("arms", "`arms` must have no missing or empty name; arm ", at, " has none.")
  }
  if (!all(validEnc(names))) {
    at <- which(!validEnc(names))[1L]
    abort("arms", "`arms` must have names in a known encoding; that of arm ", at, " is not text.")
  }
  if (anyDuplicated(names)) {
    twice <- unique(names[duplicated(names)])
    abort("arms", "`arms` must have different names; twice or more: ", quoted(twice), ".")
  }
  unname(enc2utf8(names))
}

# ---- Values -----------------------------------------------------------------------------------

# Classes of vectors that are lists of arms, besides those without a class.
value_classes <- list("Date", c("POSIXct", "POSIXt"), "factor", c("ordered", "factor"))

# The one of these that x is of, or more than that; NULL: none.
value_class <- function(x) {
  Find(function(class) inherits(x, class[1L]), rev(value_classes))
}

# A lone number or logical is no list of arms.
is_values <- function(x) {
  least <- if (is.object(x)) 1L else 2L
  kind <- if (is.object(x)) !is.null(value_class(x)) else is.numeric(x) || is.logical(x)
  is.atomic(x) && kind && length(x) >= least && !has_sides(x)
}

arms_from_values <- function(x) {
  given <- if (is.factor(x) && is.null(names(x))) as.character(x) else names(x)
  x <- structure(
    as.vector(unclass(x)), class = value_class(x), tzone = attr(x, "tzone"), levels = levels(x)
  )
  check_values(x)
  names <- if (is.null(given)) names_of_values(x) else given
  new_arms("value", check_arm_names(names), !is.null(given), quick_frame(list(value = x)))
}

check_values <- function(x) {
  bad <- which(is.na(x) | (is.numeric(x) & !is.finite(x)))
  if (length(bad)) {
    abort(
      "arms", "`arms` must have a ", if (is.numeric(x)) "finite value" else "value", " for every ",
      "arm; number ", bad[1L], " is ", format(x[bad[1L]]), "."
    )
  }
}

names_of_values <- function(x) {
  text <- value_text(x)
  if (anyDuplicated(text)) {
    abort(
      "arms", "`arms` must have different values; twice or more: ",
      quoted(unique(text[duplicated(text)])), ". Give each once: an arm is pulled as often as ",
      "is worth it."
    )
  }
  brief_names(text)
}

# ---- Elements of a list -----------------------------------------------------------------------

arms_from_list <- function(items) {
  given <- names(items)
  attributes(items) <- NULL
  check_items(items, given)
  names <- check_arm_names(if (is.null(given)) names_of_settings(items) else given)
  new_arms("item", names, !is.null(given), items = items)
}

# A list of columns is a grid to be, and no list of arms.
check_items <- function(items, names) {
  absent <- which(vapply(items, is.null, TRUE))
  if (length(absent)) {
    abort("arms", "`arms` must have something for every arm; element ", absent[1L], " is NULL.")
  }
  column <- vapply(items, function(item) {
    is.atomic(item) && length(item) > 1L && is.null(names(item))
  }, TRUE)
  if (any(column)) {
    at <- which(column)[1L]
    name <- if (is.null(names)) at else quoted(names[at])
    abort(
      "arms", "`arms` is a list, so each of its elements is an arm, but element ", name, " is ",
      describe(items[[at]]), ". For the combinations of several values give expand.grid(...), for ",
      "a table data.frame(...); settings of an arm have names, such as list(a = c(lr = 0.1))."
    )
  }
}

names_of_settings <- function(items) {
  text <- lapply(items, setting_text)
  unsaid <- which(vapply(text, is.null, TRUE))
  if (length(unsaid)) {
    at <- unsaid[1L]
    abort(
      "arms", "A list of arms must have names, such as list(fast = , slow = ); element ", at,
      " is ", describe(items[[at]]), ".",
      if (all(vapply(items, is.atomic, TRUE))) " Single values need no list: c(0.1, 0.2)."
    )
  }
  text <- unlist(text)
  again <- anyDuplicated(text)
  if (again) {
    abort(
      "arms", "Elements ", paste(which(text == text[again])[1:2], collapse = " and "), " of ",
      "`arms` are the same (", text[again], "). Remove one of them, or give all of them names."
    )
  }
  brief_names(text)
}

# ---- What arms are to others ------------------------------------------------------------------

# What says the arms again; as large as they are many. Names that were made of values are kept with
# them: times read otherwise in another zone.
given_arms <- function(arms) {
  if (arms$kind == "number") {
    seq_len(n_arms(arms))
  } else if (arms$kind == "name") {
    arms$names
  } else if (arms$kind == "row" && arms$named) {
    quick_frame(c(list(arm = arms$names), unclass(arms$data)))
  } else {
    arms
  }
}

n_arms <- function(arms) length(arms$names)

# Did the user name the arms? Numbers from 1 on are no names.
has_names <- function(arms) {
  arms$named && !identical(arms$names, as.character(seq_along(arms$names)))
}

# The numbers of the rows, as the data frame shows them.
row_numbers <- function(arms) {
  if (arms$kind == "row") attr(arms$data, "row.names") else seq_along(arms$names)
}

# How arm i stands in a table: its number where arms are numbers, else its name.
arm_label <- function(arms, i) {
  if (arms$kind == "number") i else arms$names[i]
}

# What the objective gets, and what best_arm() returns.
arm_value <- function(arms, i) {
  switch(arms$kind,
    number = i,
    name = arms$names[i],
    row = quick_frame(c(list(arm = arms$names[i]), arm_columns(arms, i))),
    value = plain_value(arms$data$value[i]),
    item = arms$items[[i]]
  )
}

# A category is its label: comparing it, and looking up by it, then work as they do with text.
plain_value <- function(x) if (is.factor(x)) as.character(x) else x

# The data of arms i, column by column.
arm_columns <- function(arms, i) {
  if (!is.null(arms$data)) lapply(unclass(arms$data), `[`, i)
}

# Those that are not in a table already: what a pull costs may be a column of the arms.
further_arm_columns <- function(arms, i, there) {
  columns <- arm_columns(arms, i)
  columns[!names(columns) %in% there]
}

# A data frame of columns known to be of one length; data.frame() takes a hundred times longer.
quick_frame <- function(columns) {
  attr(columns, "row.names") <- c(NA_integer_, -length(columns[[1L]])) # nolint
  class(columns) <- "data.frame"
  columns
}
