# Which arms are meant: found by number, by name or by their columns, wherever a user speaks of
# them; and what is given for every arm, put in their order.

# ---- Arms that the user names -------------------------------------------------------------------

# The numbers of arms that are given by number or by name, or as rows of a data frame.
match_arms <- function(arms, given, arg) {
  if (is.data.frame(given)) {
    return(match_rows(arms, check_columns(given, arg, "arm"), arg))
  }
  if (!is.atomic(given) || is.null(given) || !is.null(dim(given))) {
    abort_argument("arm", arg, "arms, by number or by name", given)
  }
  values <- single_values(arms)
  at <- match(as.character(given), arms$names)
  if (inherits(given, "POSIXct") && inherits(values, "POSIXct")) {
    at[] <- NA # they may read alike in different zones
  }
  if (anyNA(at) && is.numeric(given)) {
    at <- match_numbers(arms$names, given)
  }
  if (anyNA(at) && !is.null(values)) {
    at <- match_values(values, given, at)
  }
  if (anyNA(at) && has_row_numbers(arms)) {
    at <- match(as_number(given), row_numbers(arms))
  }
  if (anyNA(at)) {
    strange <- unique(as.character(given)[is.na(at)])
    by_value <- !arms$named && arms$kind != "number"
    abort(
      "arm", "There is no arm ", quoted(strange), " (in `", arg, "`). ",
      "There ", if (n_arms(arms) == 1L) "is 1 arm" else c("are ", n_arms(arms), " arms"),
      if (by_value) ", named by their values", ": ", quoted(arms$names), ".",
      suggest(strange[1L], arms$names)
    )
  }
  at
}

# The values of arms that are one value each; NULL where they are not.
single_values <- function(arms) {
  if (arms$kind == "value" || (!arms$named && length(arms$data) == 1L)) arms$data[[1L]]
}

# Found by the value, however its name is rounded. at: those found already.
match_values <- function(values, given, at) {
  if (is.numeric(values) && is.numeric(given)) { # quick where they are the very same
    at[is.na(at)] <- match_numbers(values, given[is.na(at)])
  }
  for (i in which(is.na(at))) {
    fits <- which(is_same(values, given[i]))
    if (length(fits) == 1L) {
      at[i] <- fits
    }
  }
  at
}

# Are rows known by their numbers? Not where their names are numbers: 3 would be either.
has_row_numbers <- function(arms) {
  arms$kind == "row" && !arms$named && all(is.na(as_number(arms$names)))
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
  alike <- same_rows(data, columns, rows)
  found <- vapply(rows[!duplicated(alike)], function(row) {
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
  found[alike]
}

# A number from 1 on for every row, the same where the columns are the same.
same_rows <- function(data, columns, rows) {
  number <- function(values) match(values, unique(values))
  number(do.call(paste, lapply(data[columns], function(column) number(column[rows]))))
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
# the arms, NULL to take it as it comes. Arms are found by their names. Numbers from 1 on are no
# names otherwise: data frames number their rows by themselves. Arms that the user did not name may
# go by the numbers of their rows; other names say nothing of them, unless some are those of arms.
match_to_arms <- function(given, arms, arg, what) {
  if (is.null(given)) {
    return(NULL)
  }
  if (is_same_set(given, arms$names)) {
    return(match(arms$names, given))
  }
  if (identical(given, as.character(seq_along(given)))) {
    return(NULL)
  }
  if (!has_names(arms)) {
    rows <- as.character(row_numbers(arms))
    if (is_same_set(given, rows)) {
      return(match(rows, given))
    }
    if (all(grepl("^[0-9]+$", intersect(given, arms$names)))) {
      return(NULL)
    }
  }
  check_same_names(given, arms$names, arg, what)
  match(arms$names, given)
}

is_same_set <- function(a, b) length(a) == length(b) && setequal(a, b)

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
  must <- gettextf(
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
