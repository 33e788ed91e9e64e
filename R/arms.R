# The finite choices: their names, and a row of data each where the user gave some.
# What an arm is to the user depends on how the arms were given: a number, a name or a row.

# kind: "number" (arms = 12), "name" (a character vector) or "row" (a data frame).
new_arms <- function(kind, names, data = NULL) {
  list(kind = kind, names = names, data = data)
}

as_arms <- function(arms) {
  if (is.null(arms)) {
    abort("arms", "`arms` must be given: a number, names, or a data frame of arms.")
  }
  if (is.data.frame(arms)) {
    return(arms_from_rows(arms))
  }
  if (is_number(arms)) {
    k <- check_count(arms, "arms")
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
  reserved <- intersect(names(data), c("pull", "y", "se", "error"))
  if (length(reserved)) {
    abort(
      "arms", "`arms` must not have a column ", quoted(reserved),
      ": the run uses that name for its own."
    )
  }
  listed <- vapply(data, function(column) is.list(column) || !is.null(dim(column)), TRUE)
  if (any(listed)) {
    abort(
      "arms", "The columns of `arms` must be plain vectors; ", quoted(names(data)[listed]),
      " holds lists or matrices."
    )
  }
  data <- as.data.frame(data)
  given <- data[["arm"]]
  names <- check_arm_names(if (is.null(given)) row.names(data) else as.character(given))
  data[["arm"]] <- NULL
  # What other packages attach to a whole table is theirs.
  attributes(data) <- attributes(data)[c("names", "class", "row.names")]
  row.names(data) <- NULL
  new_arms("row", names, data)
}

check_arm_names <- function(names) {
  if (anyNA(names) || any(!nzchar(names))) {
    at <- which(is.na(names) | !nzchar(names))[1L]
    abort("arms", "`arms` must have no missing or empty name; arm ", at, " has none.")
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

# A data frame of columns known to be of one length; data.frame() takes a hundred times longer.
quick_frame <- function(columns) {
  attr(columns, "row.names") <- c(NA_integer_, -length(columns[[1L]]))
  class(columns) <- "data.frame"
  columns
}

# The numbers of arms that the user names, by number or by name.
match_arms <- function(arms, given, arg) {
  if (is.data.frame(given)) {
    if (is.null(given[["arm"]])) {
      abort("arm", "`", arg, "` must have a column `arm` that names the arms.")
    }
    given <- given[["arm"]]
  }
  at <- match(as.character(given), arms$names)
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
