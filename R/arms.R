# The finite choices: their names, and a row of data each where the user gave some.
# What an arm is to the user depends on how the arms were given: a number, a name or a row.

# kind: "number" (arms = 12), "name" (a character vector) or "row" (a data frame).
new_arms <- function(kind, names, data = NULL) {
  list(kind = kind, names = names, data = data)
}

# Of an arm in a run, whatever the prior: its name and some twenty numbers.
arm_bytes <- 250

as_arms <- function(arms) {
  if (is.null(arms)) {
    abort("arms", "`arms` must be given: a number, names, or a data frame of arms.")
  }
  if (is.data.frame(arms)) {
    return(arms_from_rows(arms))
  }
  if (is_number(arms)) {
    k <- check_count(arms, "arms")
    check_memory(arm_bytes * k, count_of(k, "arm"), "Give fewer.")
    return(new_arms("number", as.character(seq_len(k))))
  }
  if (is.factor(arms)) {
    arms <- as.character(arms)
  }
  if (is.character(arms) && length(arms)) {
    return(new_arms("name", check_arm_names(arms)))
  }
  abort_argument("arms", "arms", "a number of arms, their names, or a data frame", arms)
}

arms_from_rows <- function(data) {
  if (!nrow(data)) {
    abort_argument("arms", "arms", "a data frame with at least one row", data)
  }
  check_columns(data, "arms", "arms")
  reserved <- intersect(names(data), c("pull", "block", "y", "se", "error"))
  if (length(reserved)) {
    abort(
      "arms", "`arms` must not have a column ", quoted(reserved),
      ": the run uses that name for its own."
    )
  }
  check_plain(data, names(data), "arms", "arms")
  data <- as.data.frame(data)
  given <- data[["arm"]]
  names <- check_arm_names(if (is.null(given)) row.names(data) else as.character(given))
  data[["arm"]] <- NULL
  # What other packages attach to a whole table is theirs.
  attributes(data) <- attributes(data)[c("names", "class", "row.names")]
  row.names(data) <- NULL
  new_arms("row", names, data)
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

# What says the arms again; as large as they are many.
given_arms <- function(arms) {
  switch(arms$kind,
    number = seq_len(n_arms(arms)),
    name = arms$names,
    row = quick_frame(c(list(arm = arms$names), unclass(arms$data)))
  )
}

n_arms <- function(arms) length(arms$names)

# Did the user name the arms? Rows of a data frame number themselves.
has_names <- function(arms) {
  arms$kind != "number" && !identical(arms$names, as.character(seq_along(arms$names)))
}

# How arm i stands in a table: its number where arms are numbers, else its name.
arm_label <- function(arms, i) {
  if (arms$kind == "number") i else arms$names[i]
}

# What the objective gets, and what best_arm() returns.
arm_value <- function(arms, i) {
  if (arms$kind != "row") {
    return(arm_label(arms, i))
  }
  quick_frame(c(list(arm = arms$names[i]), arm_columns(arms, i)))
}

# The data of arms i, column by column.
arm_columns <- function(arms, i) {
  if (!is.null(arms$data)) lapply(unclass(arms$data), `[`, i)
}

# Those that are not in a table already: what a pull costs may be a column of the arms.
further_arm_columns <- function(arms, i, there) {
  columns <- arm_columns(arms, i)
  columns[setdiff(names(columns), there)]
}

# A data frame of columns known to be of one length; data.frame() takes a hundred times longer.
quick_frame <- function(columns) {
  attr(columns, "row.names") <- c(NA_integer_, -length(columns[[1L]])) # nolint
  class(columns) <- "data.frame"
  columns
}

# ---- Arms that the user names -------------------------------------------------------------------

# The numbers of arms that are given by number or by name, or as rows of a data frame.
match_arms <- function(arms, given, arg) {
  if (is.data.frame(given)) {
    return(match_rows(arms, check_columns(given, arg, "arm"), arg))
  }
  if (!is.atomic(given) || is.null(given) || !is.null(dim(given))) {
    abort_argument("arm", arg, "arms, by number or by name", given)
  }
  at <- match(as.character(given), arms$names)
  if (anyNA(at) && is.numeric(given)) {
    at <- match_numbers(arms$names, given)
  }
  if (anyNA(at)) {
    strange <- unique(as.character(given)[is.na(at)])
    abort(
      "arm", "There is no arm ", quoted(strange), " (in `", arg, "`). ",
      "There ", if (n_arms(arms) == 1L) "is 1 arm" else c("are ", n_arms(arms), " arms"), ": ",
      quoted(arms$names), ".",
      suggest(strange[1L], arms$names)
    )
  }
  at
}

# 1e5 is the arm "100000", and 7 the arm "007" that a csv file made a number of.
match_numbers <- function(names, given) {
  number <- as_number(names)
  number[duplicated(number) | duplicated(number, fromLast = TRUE)] <- NA
  match(given, number, incomparables = NA)
}

# The arms of rows, a list of their columns: named by `arm`, with which the arms' own columns must
# agree, or found by these.
match_rows <- function(arms, data, arg) {
  if (is.null(data[["arm"]])) {
    return(find_rows(arms, data, arg))
  }
  check_plain(data, "arm", arg, "arm")
  at <- match_arms(arms, data[["arm"]], arg)
  check_rows_agree(arms, data, at, arg, function(row) "its `arm` is ")
  at
}

shared_columns <- function(arms, data) intersect(names(arms$data), names(data))

find_rows <- function(arms, data, arg, rows = seq_along(data[[1L]])) {
  columns <- shared_columns(arms, data)
  if (!length(columns)) {
    abort("arm", "`", arg, "` must have a column `arm` that names the arms",
          if (length(arms$data)) c(", or their columns: ", quoted(names(arms$data))), ".")
  }
  check_plain(data, columns, arg, "arm")
  vapply(rows, function(row) {
    fits <- rep(TRUE, n_arms(arms))
    for (column in columns) {
      fits <- fits & is_same(arms$data[[column]], data[[column]][row])
    }
    if (sum(fits) != 1L) {
      abort(
        "arm", "Row ", row, " of `", arg, "` (", row_text(data, row, columns), ") fits ",
        if (any(fits)) c(sum(fits), " arms: ", quoted(arms$names[fits])) else "no arm",
        ". Name it by a column `arm`."
      )
    }
    which(fits)
  }, 1L)
}

# What rows say of their arms besides; a missing value says nothing. why(row): what makes the arm
# that of the row, and hint: what may be the reason that it is not, in words.
check_rows_agree <- function(arms, data, at, arg, why, hint = "") {
  columns <- shared_columns(arms, data)
  check_plain(data, columns, arg, "arm")
  bad <- which(!rows_agree(arms, data, at))
  if (length(bad)) {
    row <- bad[1L]
    abort(
      "arm", "Row ", row, " of `", arg, "` says ", row_text(data, row, columns), ", but ",
      why(row), quoted(arms$names[at[row]]), " (", row_text(arms$data, at[row], columns), ").",
      hint
    )
  }
}

rows_agree <- function(arms, data, at) {
  agree <- rep(TRUE, length(at))
  for (column in shared_columns(arms, data)) {
    told <- data[[column]]
    agree <- agree & (is.na(told) | is_same(arms$data[[column]][at], told))
  }
  agree
}

row_text <- function(data, row, columns) {
  value <- vapply(columns, function(column) {
    value <- data[[column]][row]
    if (is.numeric(value)) format(value, digits = 15) else encodeString(as.character(value))
  }, "")
  paste(columns, "=", value, collapse = ", ")
}

# Is the value of an arm's column the one that a user tells, perhaps by way of a csv file? Of
# different lengths, one is a single value. NA is NA.
is_same <- function(mine, told) {
  unknown <- is.na(mine) | is.na(told)
  same <- if (inherits(mine, "POSIXct")) {
    abs(as.numeric(mine) - as_time(told, mine)) < 1
  } else if (is.logical(told)) {
    as.logical(as.character(mine)) == told
  } else if (is.numeric(mine) || is.numeric(told)) {
    near(as_number(mine), as_number(told))
  } else {
    as.character(mine) == as.character(told)
  }
  ifelse(unknown, is.na(mine) & is.na(told), same %in% TRUE)
}

near <- function(a, b) a == b | abs(a - b) <= 1e-12 * pmax(abs(a), abs(b))

as_number <- function(x) {
  if (is.numeric(x)) as.double(x) else suppressWarnings(as.double(as.character(x)))
}

# Texts of whole seconds are read in the zone in which the arm's times are written.
as_time <- function(told, like) {
  zone <- attr(like, "tzone")[1L]
  tryCatch(
    as.numeric(as.POSIXct(told, tz = if (is.null(zone)) "" else zone)), error = function(e) NA_real_
  )
}

# ---- What is given for every arm ---------------------------------------------------------------

# The one rule by which names meet arms: the order in which what has these names comes to that of
# the arms, NULL to take it as it comes. Arms with names are found by them. Arms that are numbers
# have none, so that other names say nothing; numbers in another order do. Numbers from 1 on are no
# names either: data frames number their rows by themselves.
match_to_arms <- function(given, arms, arg, what) {
  numbers <- as.character(seq_along(given))
  if (is.null(given) || identical(given, numbers)) {
    return(NULL)
  }
  if (!has_names(arms)) {
    same <- setequal(given, arms$names) && length(given) == n_arms(arms)
    return(if (same) match(arms$names, given))
  }
  check_same_names(given, arms$names, arg, what)
  match(arms$names, given)
}

check_same_names <- function(given, arms, arg, what) {
  strange <- setdiff(given, arms)
  if (length(strange)) {
    abort(
      what, "The names of `", arg, "` must be those of the arms; there is no arm ",
      quoted(strange), ".", suggest(strange[1L], arms)
    )
  }
  missing <- setdiff(arms, given)
  if (length(missing) || anyDuplicated(given)) {
    abort(
      what, "`", arg, "` must name every arm once; ",
      if (length(missing)) c("missing: ", quoted(missing))
      else c("twice: ", quoted(unique(given[duplicated(given)]))), "."
    )
  }
}

# One number, or one per arm. arms: NULL where it must be one.
check_per_arm <- function(x, arg, what, must, arms = NULL) {
  k <- if (is.null(arms)) 1L else n_arms(arms)
  if (!is.numeric(x) || is.matrix(x) || !length(x) %in% c(1L, k)) {
    abort_argument(what, arg, must, x)
  }
  if (any(!is.finite(x))) {
    abort_argument(what, arg, must, x[!is.finite(x)][1L])
  }
  order <- if (length(x) > 1L) match_to_arms(names(x), arms, arg, what)
  as.double(if (is.null(order)) x else x[order])
}

# A standard deviation: squares of it must neither overflow nor vanish.
check_sd <- function(x, arg, what, arms = NULL) {
  several <- !is.null(arms) && n_arms(arms) > 1L
  must <- sprintf(
    "NULL or %s0 or between 1e-100 and 1e100", if (several) "one number or one per arm, each "
    else "a number, "
  )
  x <- check_per_arm(x, arg, what, must, arms)
  bad <- x != 0 & (x < 1e-100 | x > 1e100)
  if (any(bad)) {
    abort_argument(what, arg, must, x[bad][1L])
  }
  x
}
