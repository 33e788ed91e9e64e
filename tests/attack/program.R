# A case is a program: calls on variables of the global environment, made up at random, judged as
# they are carried out and kept, so that those of a case that failed can be printed as R code.

program <- new.env()

begin_program <- function(case) {
  rm(list = setdiff(ls(globalenv(), all.names = TRUE), ".Random.seed"), envir = globalenv())
  unlink(c("run.bgap*", "live.bgap*", "program.txt"))
  set.seed(case)
  program$lines <- program$problems <- character()
  program$calls <- program$refused <- 0L
}

# What is wrong, and after which line of the program.
problem <- function(...) {
  text <- sprintf("after line %d: %s", length(program$lines), paste0(..., collapse = ""))
  program$problems <- c(program$problems, text)
}

expect <- function(ok, ...) {
  if (!isTRUE(ok)) problem(...)
}

write_line <- function(call, to) {
  line <- if (is.null(to)) call else call("<-", as.name(to), call)
  control <- c("keepNA", "keepInteger", "niceNames", "showAttributes")
  line <- paste(deparse(line, 90L, control = control), collapse = "\n")
  program$lines <- c(program$lines, line)
  cat(line, "\n", file = "program.txt", append = TRUE) # outlives a crash
}

# Carries out a line that is not the package's: to prepare something.
prepare <- function(call, to = NULL) {
  write_line(call, to)
  value <- eval(call, globalenv())
  if (!is.null(to)) assign(to, value, globalenv())
  invisible(value)
}

# The same where it may not be possible.
try_to_prepare <- function(call) {
  lines <- program$lines
  tryCatch(prepare(call), error = function(e) program$lines <- lines)
}

# Carries out a call of the package: its value, which goes to the variable `to`, or an object of
# class "refused" with the error. draws: may it use the session's random numbers?
act <- function(call, to = NULL, draws = FALSE) {
  write_line(call, to)
  program$calls <- program$calls + 1L
  seed <- globalenv()$.Random.seed
  value <- withCallingHandlers(
    tryCatch(eval(call, globalenv()), error = judge_error),
    warning = judge_warning
  )
  if (!draws) {
    expect(identical(seed, globalenv()$.Random.seed), "the session's random numbers moved")
  }
  if (is_refused(value)) {
    program$refused <- program$refused + 1L
  } else if (!is.null(to)) {
    assign(to, value, globalenv())
  }
  invisible(value)
}

is_refused <- function(value) inherits(value, "refused")

judge_error <- function(e) {
  if (grepl("reached elapsed time limit", conditionMessage(e), fixed = TRUE)) {
    stop(structure(class = c("too_slow", "error", "condition"), list(message = "", call = NULL)))
  }
  if (!inherits(e, "bayesgap_error") && !is_no_call(e)) {
    problem("error without a class: ", conditionMessage(e), where_from(e))
  }
  structure(list(error = e), class = "refused")
}

# R itself refuses an argument that a function does not have.
is_no_call <- function(e) startsWith(conditionMessage(e), "unused argument")

# What the objective warns of is passed on in these words.
judge_warning <- function(w) {
  own <- inherits(w, "bayesgap_warning") ||
    startsWith(conditionMessage(w), "The objective warned: ")
  if (!own && !is_of_graphics(w)) {
    problem("warning without a class: ", conditionMessage(w), where_from(w))
  }
  tryInvokeRestart("muffleWarning")
}

# A device without a font, `...` that goes to plot(), and an axis of numbers that hardly differ.
is_of_graphics <- function(w) {
  own <- "^conversion failure on|^font width unknown|is not a graphical parameter$|not pretty[(][)]$"
  grepl(own, conditionMessage(w))
}

where_from <- function(condition) {
  call <- conditionCall(condition)
  if (!is.null(call)) paste0(" [in ", substr(deparse(call)[1L], 1L, 60L), "]")
}

# A call with these arguments, those that are NULL left out.
call_of <- function(name, arguments) {
  as.call(c(list(as.name(name)), Filter(Negate(is.null), arguments)))
}

# ---- Chance -------------------------------------------------------------------------------------

chance <- function(p) runif(1) < p

# One of the arguments; the others are not evaluated.
pick <- function(...) ...elt(sample.int(...length(), 1L))

# The value by chance, else NULL.
maybe <- function(p, value) if (chance(p)) value

number_between <- function(low, high) low + sample.int(high - low + 1L, 1L) - 1L
