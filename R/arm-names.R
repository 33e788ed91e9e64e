# Names for arms that were given without: the values that tell them apart, in a few characters.

# Longer ones are cut, and told apart by their number.
longest_name <- 60L

# columns: a list of vectors, one value an arm.
names_by_value <- function(columns) {
  cells <- unname(lapply(columns, value_text))
  check_rows_differ(do.call(paste, c(cells, sep = "\r")), columns)
  brief_names(do.call(paste, c(cells, sep = ", ")))
}

check_rows_differ <- function(rows, columns) {
  again <- anyDuplicated(rows)
  if (again) {
    abort(
      "arms", "Rows ", paste(which(rows == rows[again])[1:2], collapse = " and "), " of `arms` ",
      "are the same (", row_text(columns, again, names(columns)), "). Remove one of them, or add ",
      "a column `arm` with a name for every row."
    )
  }
}

# What is too long, or reads like another, has its number in the name.
brief_names <- function(names) {
  size <- nchar(names, "chars", allowNA = TRUE) # NA: no text, which is for check_arm_names()
  long <- !is.na(size) & size > longest_name
  unclear <- long | duplicated(names) | duplicated(names, fromLast = TRUE)
  names[unclear] <- sprintf("%s... #%d", substr(names[unclear], 1L, 50L), which(unclear))
  names
}

# Single values of any class, as they are told apart.
value_text <- function(x) {
  text <- if (inherits(x, "POSIXct")) {
    time_text(x)
  } else if (is.object(x) || !is.numeric(x)) {
    as.character(x)
  } else {
    number_text(x)
  }
  text[is.na(x)] <- "NA"
  text[!nzchar(text)] <- "\"\""
  text
}

digits_text <- function(x) sprintf("%.15g", x + 0) # -0 is 0

# Numbers that someone may have typed, and whole ones, as they are; of others as few digits as tell
# them apart.
number_text <- function(x) {
  exact <- digits_text(x)
  first <- which(!duplicated(exact))
  value <- x[first] + 0
  long <- (exact[first] != sprintf("%.7g", value) & value != round(value)) %in% TRUE
  whole <- 1 + floor(log10(abs(value[long]))) # digits before the point
  text <- exact[first]
  for (digits in 4:15) {
    text[long] <- sprintf("%.*g", as.integer(pmax(digits, whole)), value[long])
    if (!anyDuplicated(text)) break
  }
  text[match(exact, exact[first])]
}

# The zone is told where a clock that was set back shows one time twice.
time_text <- function(x) {
  text <- format(x)
  if (length(unique(text)) < length(unique(x))) format(x, usetz = TRUE) else text
}

# "lr = 0.1, depth = 3" for settings, a list of named lists or vectors; NULL where one cannot be
# said in that way.
setting_text <- function(setting) {
  parts <- as.list(setting)
  said <- length(parts) && !is.null(names(parts)) && all(nzchar(names(parts))) &&
    all(vapply(parts, function(part) is.atomic(part) && length(part) > 0L, TRUE))
  if (said) {
    paste(names(parts), "=", vapply(parts, part_text, ""), collapse = ", ")
  }
}

part_text <- function(x) {
  text <- if (is.numeric(x) && !is.object(x)) digits_text(x) else value_text(x)
  if (length(text) == 1L) text else paste0("c(", paste(text, collapse = ", "), ")")
}

# "dose = 0.1, drug = x": what a row of a table says.
row_text <- function(data, row, columns) {
  value <- vapply(columns, function(column) part_text(data[[column]][row]), "")
  paste(columns, "=", encodeString(value), collapse = ", ")
}
