# What came of something that was asked at the desk: done, with what the package said on the way;
# or mistakes, each at the field where it was made; or another session is writing the file.

# Seconds to wait for another session. A page that waits answers nobody: it is tried again instead.
desk_wait <- 0.5

# list(done, said, mistakes, busy). fields: which field an error of the package belongs to, by the
# class of the error, c(budget = "amount"); where none is named it is about the form as a whole, "".
attempt <- function(code, fields = character(), file = NULL) {
  said <- character()
  hear <- function(condition) said <<- c(said, trimws(conditionMessage(condition)))
  mistakes <- tryCatch(
    withCallingHandlers(
      {
        force(code)
        character()
      },
      message = function(m) {
        hear(m)
        invokeRestart("muffleMessage")
      },
      warning = function(w) {
        hear(w)
        invokeRestart("muffleWarning")
      }
    ),
    bayesgap_error_mistakes = function(e) e$mistakes,
    error = function(e) {
      structure(conditionMessage(e), names = field_of(e, fields), busy = is_locked(e, file))
    }
  )
  busy <- isTRUE(attr(mistakes, "busy"))
  attr(mistakes, "busy") <- NULL
  list(
    done = !length(mistakes), said = if (length(mistakes)) character() else unique(said),
    mistakes = mistakes, busy = busy
  )
}

# Several mistakes at once: texts, named by their fields.
abort_mistakes <- function(mistakes) {
  abort("mistakes", paste(mistakes, collapse = "\n"), data = list(mistakes = mistakes))
}

stop_if_mistakes <- function(mistakes) if (length(mistakes)) abort_mistakes(mistakes)

# The class of an error of the package is bayesgap_error_<what>.
error_kind <- function(e) sub("^bayesgap_error_", "", class(e)[1L])

# fields may be NULL, of a form whose errors are all about it as a whole.
field_of <- function(e, fields) {
  found <- unname(fields[error_kind(e)])
  if (!length(found) || is.na(found)) "" else found
}

# Does another session hold the file's lock?
is_locked <- function(e, file) {
  !is.null(file) && inherits(e, "bayesgap_error_checkpoint") && file.exists(paste0(file, ".lock"))
}

# ---- What is said -------------------------------------------------------------------------------

# To the form that asked: what was done, or each mistake at its field. used: forms of which the
# window need not keep what was typed, when it is done.
reply <- function(session, form, outcome, used = form) {
  wrong <- if (outcome$busy) character() else outcome$mistakes
  session$sendCustomMessage("desk", list(
    form = form, forget = if (outcome$done) as.list(used) else list(),
    kind = if (outcome$busy) "wait" else if (length(wrong)) "bad" else "good",
    said = if (outcome$busy) {
      "Another session is writing the file. This is tried again for half a minute."
    } else if (length(wrong)) {
      wrong_words(length(wrong))
    } else {
      paste(outcome$said, collapse = "\n")
    },
    mistakes = unname(Map(
      function(field, text) list(field = field, text = text), names(wrong), unname(wrong)
    ))
  ))
}

wrong_words <- function(n) {
  if (n == 1L) {
    "Nothing was saved: one entry is to be put right."
  } else {
    sprintf("Nothing was saved: %d entries are to be put right.", n)
  }
}

# ---- What forms say -----------------------------------------------------------------------------

# What was entered in a field, as text; "" where it is not there. Fields are what a browser sends.
entry <- function(values, field) {
  value <- entries(values, field)
  if (length(value)) value[1L] else ""
}

# Of a field that may have several values.
entries <- function(values, field) {
  value <- unlist(values[[field]], use.names = FALSE)
  value <- trimws(as.character(value))
  value[!is.na(value) & validEnc(value)]
}

# A number of a form. what: said where it is empty.
entered_number <- function(values, field, what) {
  text <- entry(values, field)
  read <- read_numbers(text)
  if (!nzchar(text)) {
    abort_mistakes(structure(what, names = field))
  }
  stop_if_mistakes(structure(read$problem, names = field)[!is.na(read$problem)])
  read$value
}

# Lines that have something in them.
entered_lines <- function(text) {
  lines <- trimws(strsplit(gsub("\r\n?", "\n", text), "\n", fixed = TRUE)[[1L]])
  lines[nzchar(lines)]
}
