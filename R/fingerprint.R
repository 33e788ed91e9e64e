# What stands for code and data that a file does not hold: a checksum by which they are known again.

# Of what has the checksum `before` and of more bytes: 16 hexadecimal digits.
checksum <- function(bytes, before = "0") .Call(bg_checksum, before, bytes)

# Of functions and formulas by how they read, and of the values beside them. What a function finds
# elsewhere is not seen.
fingerprint <- function(x) {
  text <- deparse(as_text(x), control = exactly)
  checksum(charToRaw(enc2utf8(paste(text, collapse = "\n"))))
}

exactly <- c("keepNA", "keepInteger", "digits17")

as_text <- function(x) {
  if (is.function(x) || is.language(x)) {
    return(deparse(x, control = exactly))
  }
  if (is.environment(x)) NULL else if (is.list(x)) lapply(unclass(x), as_text) else as.vector(x)
}
