# Argument checks and their texts: check_x() returns the value in its final form or stops. Here are
# those that all files use, and the words that they share.
# Every error has the classes bayesgap_error_<what> and bayesgap_error.

# The pieces of a message in the user's language, as far as there is a translation; po/ has those
# that can have one.
said <- function(...) paste(gettext(c(...), domain = "R-bayesgap"), collapse = "")

abort <- function(what, ..., data = list()) {
  condition <- c(list(message = said(...), call = NULL), data)
  classes <- c(paste0("bayesgap_error_", what), "bayesgap_error", "error", "condition")
  stop(structure(condition, class = classes))
}

# What is worth knowing and no reason to worry.
inform <- function(what, ...) {
  condition <- list(message = paste0(said(...), "\n"), call = NULL)
  classes <- c(paste0("bayesgap_message_", what), "bayesgap_message", "message", "condition")
  message(structure(condition, class = classes))
}

# Once is for the caller to see to. Where warnings are errors these are not: a run is not to end,
# and what was observed not to be lost, for something that it says.
warn <- function(what, ...) {
  old <- options(warn = min(getOption("warn"), 1L))
  on.exit(options(old))
  condition <- list(message = said(...), call = NULL)
  classes <- c(paste0("bayesgap_warning_", what), "bayesgap_warning", "warning", "condition")
  warning(structure(condition, class = classes))
}

# "`budget` must be a whole number ..., not 2.5."
abort_argument <- function(what, arg, must, given) {
  abort(what, "`", arg, "` must be ", must, ", not ", describe(given), ".")
}

# What was given, in a few words.
describe <- function(x) {
  if (is.null(x)) {
    return("NULL")
  }
  if (is.function(x)) {
    return("a function")
  }
  if (is.environment(x) || isS4(x)) {
    return(gettextf("an object of class %s", class(x)[1L]))
  }
  if (inherits(x, "AsIs")) {
    class(x) <- setdiff(class(x), "AsIs")
  }
  if (is.data.frame(x)) {
    return(gettextf("a data frame of %d x %d", nrow(x), ncol(x)))
  }
  if (is.matrix(x)) {
    return(gettextf("a %d x %d %s matrix", nrow(x), ncol(x), mode(x)))
  }
  if (is.atomic(x) && length(x) == 1L) {
    return(if (is.character(x)) encodeString(x, quote = "\"") else format(x, digits = 15))
  }
  kind <- if (is.object(x)) class(x)[1L] else mode(x)
  article <- if (grepl("^[aeiou]", kind)) "an" else "a"
  vector <- if (is.atomic(x) && !is.object(x)) " vector" else ""
  gettextf("%s %s%s of length %d", article, kind, vector, length(x))
}

# 1,234,567, whatever the session's decimal mark is.
grouped <- function(n) format(n, big.mark = ",", decimal.mark = ".", scientific = FALSE)

count_of <- function(n, what) {
  sprintf("%s %s%s", grouped(n), what, if (n == 1) "" else "s")
}

quoted <- function(x, most = 5L) {
  shown <- encodeString(utils::head(x, most), quote = "\"")
  paste0(paste(shown, collapse = ", "), if (length(x) > most) ", ...")
}

# Text, and no longer than R itself takes it: systems have limits of their own below that.
is_path <- function(x) validEnc(x) & nchar(x, "bytes", TRUE) <= 3000L

# What print() does with a format() of lines.
print_lines <- function(x, ...) {
  cat(format(x, ...), sep = "\n")
  invisible(x)
}

is_number <- function(x) {
  is.numeric(x) && length(x) == 1L && !is.na(x)
}

# For the function that calls it: nothing may be left over. usual: names that may.
check_dots <- function(..., usual = character()) {
  if (...length() == 0L) {
    return(invisible())
  }
  names <- ...names()
  if (is.null(names)) {
    names <- rep("", ...length())
  }
  strange <- names[!names %in% usual]
  if (length(strange)) {
    abort_unknown(strange[1L], setdiff(names(formals(sys.function(-1L))), "..."))
  }
}

abort_unknown <- function(name, known) {
  if (is.na(name) || !nzchar(name)) {
    abort("argument", "There is an argument too many, without a name.")
  }
  opposite <- tolower(name) %in% c("minimise", "minimize") && "maximise" %in% known
  abort(
    "argument", "Unknown argument `", name, "`.",
    if (opposite) " Use `maximise = FALSE`." else suggest(name, known, "`")
  )
}

check_count <- function(x, arg, most = .Machine$integer.max, what = arg) {
  if (!is_number(x) || x != floor(x) || x < 1 || x > most) {
    must <- gettextf("a whole number from 1 to %s", grouped(most))
    abort_argument(what, arg, must, x)
  }
  as.integer(x)
}

check_flag <- function(x, arg) {
  if (!is.logical(x) || length(x) != 1L || is.na(x)) {
    abort_argument(arg, arg, "TRUE or FALSE", x)
  }
  x
}

check_choice <- function(x, arg, choices, what = arg) {
  if (!is.character(x) || length(x) != 1L || is.na(x) || !x %in% choices) {
    abort(
      what, "`", arg, "` must be one of ", quoted(choices, Inf), ", not ", describe(x), ".",
      if (is.character(x) && length(x) == 1L) suggest(x, choices)
    )
  }
  x
}

# One of several texts of which the first is the default, as arguments such as
# type = c("mean", "reward") have it.
check_option <- function(x, arg, choices, what = arg) {
  if (identical(x, choices)) choices[1L] else check_choice(x, arg, choices, what)
}

# The nearest of the names, when it is near enough to be meant.
suggest <- function(name, names, mark = "\"") {
  if (!length(names) || is.na(name) || !validEnc(name)) {
    return("")
  }
  far <- utils::adist(name, names, ignore.case = TRUE)[1L, ]
  if (min(far) > max(2, nchar(name) / 3) || min(far) >= nchar(name)) {
    return("")
  }
  paste0(" Did you mean ", mark, names[which.min(far)], mark, "?")
}

# Hours of the day from..to, as one vector.
check_hours <- function(from, to) {
  if (!is_number(from) || from < 0 || from >= 24) {
    abort_argument("from", "from", "an hour of the day, a number from 0 to below 24", from)
  }
  if (!is_number(to) || to <= from || to > 24) {
    must <- gettextf("an hour of the day above `from`, which is %s, up to 24", format(from))
    abort_argument("to", "to", must, to)
  }
  as.double(c(from, to))
}

# Seconds between readings.
check_every <- function(every, hours) {
  most <- 3600 * diff(hours)
  if (!is_number(every) || every < 1 || every > most) {
    must <- gettextf("a number of seconds from 1 to %s, the time from `from` to `to`", format(most))
    abort_argument("every", "every", must, every)
  }
  as.double(every)
}

# The bytes that one call may ask for. What takes more is refused before it is tried, since a system
# that runs out of memory ends the session, or another program.
most_memory <- 16e9

# bytes: a rough estimate, in doubles, since products of integers overflow; instead: what to do.
check_memory <- function(bytes, what, instead) {
  if (bytes > most_memory) {
    abort(
      "memory", what, " would take about ", grouped(signif(bytes, 2)), " bytes of memory; at most ",
      grouped(most_memory), " are allowed. ", instead
    )
  }
}

# What needs suggested packages says so by name.
check_installed <- function(packages, what) {
  absent <- packages[!vapply(packages, requireNamespace, TRUE, quietly = TRUE)]
  if (length(absent)) {
    several <- length(absent) > 1L
    call <- paste0("\"", absent, "\"", collapse = ", ")
    abort(
      "package", what, " needs the package", if (several) "s", " ", paste(absent, collapse = ", "),
      ", which ", if (several) "are" else "is", " not installed. Install ",
      if (several) "them" else "it", " with install.packages(",
      if (several) c("c(", call, ")") else call, ")."
    )
  }
}

is_reward <- function(y) is_number(y) && abs(y) <= 1e100

is_se <- function(se) is_number(se) && (se == 0 || (se >= 1e-100 && se <= 1e100))

now <- function() proc.time()[["elapsed"]]

# Columns of numbers to two digits of a size that matters.
round_to <- function(columns, size) {
  size <- size[is.finite(size) & size > 0]
  digits <- if (length(size)) 1 - floor(log10(min(size))) else 3
  lapply(columns, function(value) {
    if (digits > 8 || any(abs(value) >= 1e7)) {
      figures <- digits + ceiling(log10(max(abs(value), 1e-300)))
      format(value, digits = min(15, max(3, figures)))
    } else {
      formatC(value, digits = max(0, digits), format = "f")
    }
  })
}

# Matrices of all pairs of arms are formed up to here: 3.2 GB each.
most_dense <- 20000L

check_dense <- function(k, what) {
  if (k > most_dense) {
    abort(
      "memory", what, " needs a matrix of all pairs of arms: for ", grouped(k),
      " arms it takes ", grouped(8 * k^2), " bytes. At most ",
      grouped(most_dense), " arms are possible; kernels made by k_*(), and ",
      "`features`, do without the matrix."
    )
  }
}

check_level <- function(level) {
  if (!is_number(level) || level <= 0 || level >= 1) {
    abort_argument("level", "level", "a number between 0 and 1", level)
  }
  as.double(level)
}
