# po/R-bayesgap.pot: the pieces of which messages are put together, for translators. A piece is a text
# that stands in the call of a function that speaks, in a variable that is named for it, or in a
# function whose name ends in _words, _hint or _remedy. Texts elsewhere that end up in a message are
# marked by gettext().
# Usage: Rscript tools/messages.R [FILE]

# By name: the arguments that are no words.
speakers <- list(
  abort = 1L, inform = 1L, warn = 1L, abort_argument = 1:2, abort_objective = 1:3,
  check_memory = 1L, check_dense = 1L, check_installed = 1L, check_tidymodels = integer(),
  check_no_blocks = 1L, check_told = 1:4, check_rows_agree = 1:4, refuse = 1L, say = 1L, stop_at = 1L, stop_with = integer(),
  warn_unsaved = 1:2, message = integer(), warning = integer(), stop = integer(),
  gettext = integer(), gettextf = integer()
)
# Variables that hold what will be said.
variables <- c("must", "advice", "elsewhere", "what", "who", "arg")
# What puts texts together: a text within is a piece, too. All others have keys and names.
builders <- c(
  "c", "if", "{", "(", "paste", "paste0", "sprintf", "gettextf", "gettext", "ifelse", "switch",
  "function", "return"
)

is_text <- function(x) is.character(x) && length(x) == 1L && grepl("[[:alpha:]]{2}", x)
called <- function(e) if (is.call(e) && is.name(e[[1L]])) as.character(e[[1L]]) else ""

# Texts of an expression that is said.
pieces <- function(e) {
  if (is_text(e)) {
    return(e)
  }
  if (!called(e) %in% builders) {
    return(if (is.call(e)) found(e))
  }
  parts <- as.list(e)[-1L]
  if (called(e) %in% c("if", "ifelse", "switch", "function")) {
    parts <- parts[-1L] # a condition and arguments say nothing
  } else if (called(e) %in% c("paste", "paste0")) {
    parts <- parts[!names_of(parts) %in% c("sep", "collapse")]
  }
  unlist(lapply(parts, pieces))
}

is_said <- function(name) name %in% variables || grepl("_(words|hint|remedy)$", name)

names_of <- function(parts) if (is.null(names(parts))) rep("", length(parts)) else names(parts)

# All pieces in an expression that may hold speakers anywhere.
found <- function(e) {
  if (!is.call(e) && !is.pairlist(e) && !is.expression(e)) {
    return(NULL)
  }
  parts <- as.list(e)
  name <- called(e)
  if (name %in% names(speakers)) {
    words <- parts[-1L]
    named <- names_of(words)
    keys <- seq_along(words) %in% speakers[[name]]
    unlist(lapply(words[!keys & !named %in% c("data", "call.", "domain")], pieces))
  } else if (name == "<-" && is.name(parts[[2L]]) && is_said(as.character(parts[[2L]]))) {
    texts <- pieces(parts[[3L]])
    texts[grepl(" ", trimws(texts), fixed = TRUE)] # a word alone is a key
  } else {
    said <- names_of(parts) == "must"
    words <- c(lapply(parts[said], pieces), lapply(parts[!said], function(part) {
      if (!identical(part, quote(expr = ))) found(part)
    }))
    unlist(words, use.names = FALSE)
  }
}

# gettext() looks texts up without the blanks around them.
catalogue <- function(root = ".") {
  files <- list.files(file.path(root, "R"), "[.]R$", full.names = TRUE)
  texts <- unlist(lapply(files, function(file) found(parse(file, keep.source = FALSE))))
  sort(unique(trimws(texts[nzchar(trimws(texts))])), method = "radix")
}

as_pot <- function(texts) {
  quoted <- function(x) encodeString(x, quote = "\"")
  c(
    "msgid \"\"", "msgstr \"\"", "\"Project-Id-Version: bayesgap\\n\"",
    "\"MIME-Version: 1.0\\n\"", "\"Content-Type: text/plain; charset=UTF-8\\n\"",
    "\"Content-Transfer-Encoding: 8bit\\n\"",
    rbind("", paste("msgid", quoted(texts)), "msgstr \"\"")
  )
}

if (sys.nframe() == 0L) {
  file <- c(commandArgs(TRUE), file.path("po", "R-bayesgap.pot"))[1L]
  dir.create(dirname(file), showWarnings = FALSE)
  writeLines(as_pot(catalogue()), file)
}
