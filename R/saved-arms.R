# The arms as a file says them, checked before they are believed.

read_arms <- function(saved) {
  if (is_record(saved, arm_fields)) {
    return(read_made_arms(saved))
  }
  if (typeof(saved) == "list") {
    check_sound(
      length(saved) > 0L && identical(class(saved), "data.frame") &&
        setequal(names(attributes(saved)), c("names", "class", "row.names")), "table of arms"
    )
    columns <- as.list(saved)
    check_sound(is_arm_names(columns[[1L]]) && names(columns)[1L] == "arm", "table of arms")
    for (column in columns) {
      check_sound(is_arm_column(column, length(columns[[1L]])), "table of arms")
    }
    return(as_arms(quick_frame(columns)))
  }
  check_sound(is_arm_names(saved) || identical(saved, seq_along(saved)), "list of arms")
  as_arms(if (is.character(saved)) saved else length(saved))
}

# Arms whose names were not given, or that are values or elements of a list: as new_arms() has them.
arm_fields <- names(new_arms("number", "1", FALSE))

read_made_arms <- function(saved) {
  good <- is_arm_names(saved$names) && is_bare(saved$named, "logical", 1L) && !is.na(saved$named) &&
    is_string(saved$kind) && saved$kind %in% c("row", "value", "item")
  check_sound(good, "list of arms")
  names <- check_arm_names(saved$names)
  if (saved$kind == "item") {
    check_sound(is.null(saved$data) && is_bare(saved$items, "list", length(names)), "list of arms")
    check_items(saved$items, names)
    return(saved)
  }
  check_sound(is.null(saved$items) && is_arm_table(saved$data, length(names)), "table of arms")
  check_arm_table(saved$data)
  check_sound(is.null(saved$data[["arm"]]), "table of arms")
  if (saved$kind == "value") {
    check_sound(
      identical(names(saved$data), "value") && is_arm_values(saved$data$value), "table of arms"
    )
    check_values(saved$data$value)
  } else {
    check_sound(!saved$named, "table of arms")
  }
  saved
}

is_arm_table <- function(data, k) {
  typeof(data) == "list" && identical(class(data), "data.frame") &&
    setequal(names(attributes(data)), c("names", "class", "row.names")) &&
    is_row_numbers(attr(data, "row.names"), k) &&
    all(vapply(unclass(data), is_arm_column, TRUE, k))
}

# Of the classes that values may have, and no other, whose methods would be called.
is_arm_values <- function(x) {
  known <- is.null(oldClass(x)) || any(vapply(value_classes, identical, TRUE, oldClass(x)))
  known && typeof(x) %in% c("logical", "integer", "double")
}

is_row_numbers <- function(x, k) is_bare(x, "integer", k) && !anyNA(x) && !anyDuplicated(x)

is_arm_names <- function(x) is_bare(x, "character") && length(x) > 0L && all(validEnc(x))

is_arm_column <- function(x, k) {
  plain <- is.atomic(x) && !is.null(x) && is.null(attr(x, "dim")) && length(unclass(x)) == k
  plain && (!inherits(x, "factor") || is_factor(x))
}

is_factor <- function(x) {
  levels <- attr(x, "levels")
  code <- as.vector(unclass(x))
  typeof(x) == "integer" && is.character(levels) && !anyDuplicated(levels) &&
    all(is.na(code) | (code >= 1L & code <= length(levels)))
}
