# Plain data and its bytes: what can be read from a file without running anything.

# How deep lists may be nested in a file, and in a value that a result came with.
file_depth <- 100L

value_depth <- 80L

# Version 2 knows no other forms of a vector than its elements.
to_bytes <- function(value) serialize(value, NULL, version = 2L)

# R runs code to bring back what is not plain data, so it is not asked to.
from_bytes <- function(bytes) {
  fault <- .Call(bg_plain, bytes, file_depth)
  if (!is.null(fault)) {
    stop("it ", fault)
  }
  unserialize(bytes)
}

is_plain <- function(bytes, depth = file_depth) is.null(.Call(bg_plain, bytes, depth))

# What was read is looked at field by field.
check_sound <- function(ok, what) {
  if (!isTRUE(ok)) {
    stop("its ", what, " is not in order")
  }
}

# A vector without attributes, whose class could call a method.
is_bare <- function(x, type, n = length(x)) {
  typeof(x) == type && is.null(attributes(x)) && length(x) == n
}

is_string <- function(x) is_bare(x, "character", 1L) && !is.na(x)

is_matrix_of <- function(x, rows, columns) {
  typeof(x) == "double" && identical(attributes(x), list(dim = c(rows, columns)))
}

is_record <- function(x, names) {
  typeof(x) == "list" && identical(attributes(x), list(names = names))
}

is_named_list <- function(x) {
  typeof(x) == "list" && all(names(attributes(x)) == "names") && length(names(x)) == length(x)
}

#' @export
format.bayesgap_bytes <- function(x, ...) sprintf("<%s bytes>", grouped(length(x)))

# A data frame prints what unlist() makes of each element of a list, and would show every byte.
#' @exportS3Method unlist bayesgap_bytes
unlist.bayesgap_bytes <- function(x, recursive = TRUE, use.names = TRUE) { # nolint
  format(x)
}

#' @export
print.bayesgap_bytes <- function(x, ...) {
  cat(
    format(x), " of an object that is not plain data; unserialize() gives it back, if you trust ",
    "the file\n", sep = ""
  )
  invisible(x)
}
