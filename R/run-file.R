# A run that lives in a file: what changes it reads, does and writes under the lock; what only looks
# at it reads.

#' A run that lives in a file
#'
#' The functions by which a run is worked with take the name of a file in place of the run. Use
#' that where a run lives for weeks, and more than one person, or session, works with it: the file
#' is the one place where it is, it knows which trials are out, and nothing that was told is lost.
#'
#' [bayesgap()] without an objective and [save_run()] begin it; the ending `.bgap` is a good one.
#' Then
#'
#' * [ask()], [tell()], [amend()], [cancel()], [drop_arms()], [add_arms()] and [retry_arms()] read
#'   the file, do what they do for a run, and write it. Two at a time take turns: a lock, a second
#'   file with the ending `.lock`, is held for that long. The file is replaced as a whole
#'   ([save_run()] tells how), so that a crash leaves the old or the new one.
#' * [best_arm()], [posterior()], [open_trials()], `summary()`, `plot()` and `autoplot()` look at
#'   it. `read_run(file)` gives the run itself, for all else. `summary()` and the pictures take only
#'   names that end in `.bgap`.
#'
#' @section What is out:
#' `ask(file)` puts on record what it hands out, so that asking again gives further trials and not
#' the same; each is chosen with regard to those that are out. `ask(file, again = TRUE)` and
#' `open_trials(file)` show them once more, and `cancel(file, pull)` calls them off.
#'
#' `tell(file, results)` finds its trials among them: by `pull`, by `arm` or the arms' columns (the
#' oldest that fits), or by both, which must agree. A number that was never asked is an error. What
#' was not asked at all is told with `pull = NA` and its arm.
#'
#' A run that was saved by hand, or is the `checkpoint` of a call of [bayesgap()], is such a file
#' too. So is one that an objective was working on when it was stopped: what came is told, the rest
#' is asked again. A call of [bayesgap()] that goes on from the file carries out what is out first.
#'
#' More trials than were planned: `save_run(bayesgap(read_run(file), budget = 40), file)`, while
#' nobody else changes the file: what is told between the reading and the saving would be lost.
#'
#' A file keeps no functions. A run with a policy of your own is read, worked with and saved by
#' hand: `x <- read_run(file, policy = )`, and [save_run()].
#'
#' @param x The name of a file that holds a run.
#' @param n,batch,block As for a run, see [ask()].
#' @param y,... As for a run.
#' @param again `TRUE`: show the trials that are out, and ask for no others.
#' @param wait How many seconds to wait while another session is changing the file.
#' @return What the function returns for a run; the changed run invisibly. `ask()`: the trials.
#' @seealso [save_run()]; `vignette("in-the-lab")`.
#' @name run_files
#' @aliases run-file
#' @examples
#' file <- tempfile(fileext = ".bgap")
#' save_run(bayesgap(c("red", "green", "blue"), budget = 8, seed = 1), file)
#'
#' todo <- ask(file, n = 2)
#' todo
#' ask(file) # a third
#' tell(file, data.frame(todo, y = c(0.7, 1.2)))
#' open_trials(file)
#' best_arm(file)
#'
#' # A typing error is found the day after
#' amend(file, 2, y = 1.02)
#' posterior(file)
NULL

# f(run) gives the new run. The lock is held from before the file is read until it is written.
change_run <- function(file, wait, f) {
  file <- check_run_file(file)
  wait <- check_wait(wait)
  suspendInterrupts({
    unlock <- lock_file(file, wait)
    on.exit(unlock())
  })
  unlink(part_files(file))
  x <- read_to_change(file)
  x$strict <- TRUE
  new <- f(x)
  new$strict <- NULL
  x$strict <- NULL
  if (!identical(new, x)) {
    suspendInterrupts(write_or_abort(new, file))
  }
  new
}

check_run_file <- function(file) {
  file <- check_file(file, "x")
  if (!file.exists(file)) {
    abort(
      "checkpoint", "There is no file \"", file, "\". save_run(bayesgap(arms, budget = ), \"",
      basename(file), "\") begins a run that lives in one."
    )
  }
  file
}

check_wait <- function(wait) {
  if (!is_number(wait) || wait < 0) {
    abort_argument("wait", "wait", "a number of seconds, at least 0", wait)
  }
  as.double(wait)
}

# What another policy decided in place of the user's must not be written.
read_to_change <- function(file) {
  withCallingHandlers(read_run(file), bayesgap_warning_policy = function(w) {
    abort(
      "policy", "The run in \"", file, "\" has a policy of your own, and a file keeps no ",
      "functions: x <- read_run(file, policy = ), then ask(x) or tell(x), and save_run(x, file)."
    )
  })
}

# ---- What changes the run -----------------------------------------------------------------------

# Arguments are computed before the lock is taken: that may take long, or need the file itself.

#' @rdname run_files
#' @export
ask.character <- function(x, n = 1L, batch = c("fantasy", "distinct"), ..., block = NULL, # nolint
                          again = FALSE, wait = 10) {
  check_dots(...)
  if (check_flag(again, "again")) {
    return(open_trials(x))
  }
  rule <- check_rule(batch)
  chosen <- NULL
  change_run(x, wait, function(run) {
    found <- choose_pulls(run, n, NULL, rule, block)
    chosen <<- trial_table(found$run, found$pulls)
    if (!nrow(chosen)) {
      say_if_out(run)
      return(run)
    }
    run$blocks <- found$run$blocks
    record_pulls(run, found$pulls)
  })
  chosen
}

say_if_out <- function(x) {
  out <- length(x$open$pull)
  if (out) {
    inform(
      "ask", "There is nothing more to ask: ", count_of(out, "trial"), " of the budget ",
      if (out == 1L) "is" else "are", " still out; `again = TRUE` shows ",
      if (out == 1L) "it." else "them."
    )
  }
}

#' @rdname run_files
#' @export
tell.character <- function(x, y = NULL, ..., wait = 10) { # nolint: object_name_linter.
  check_dots(...)
  force(y)
  invisible(change_run(x, wait, function(run) tell(run, y)))
}

#' @export
amend.character <- function(x, ..., wait = 10) { # nolint: object_name_linter.
  list(...)
  invisible(change_run(x, wait, function(run) amend(run, ...)))
}

#' @export
cancel.character <- function(x, pull = NULL, ..., wait = 10) { # nolint: object_name_linter.
  check_dots(...)
  force(pull)
  invisible(change_run(x, wait, function(run) cancel(run, pull)))
}

#' @export
drop_arms.character <- function(x, arms = NULL, ..., wait = 10) { # nolint: object_name_linter.
  check_dots(...)
  force(arms)
  invisible(change_run(x, wait, function(run) drop_arms(run, arms)))
}

#' @export
add_arms.character <- function(x, arms = NULL, ..., wait = 10) { # nolint: object_name_linter.
  list(arms, ...)
  invisible(change_run(x, wait, function(run) add_arms(run, arms, ...)))
}

#' @export
retry_arms.character <- function(x, arms = NULL, ..., wait = 10) { # nolint: object_name_linter.
  check_dots(...)
  force(arms)
  invisible(change_run(x, wait, function(run) retry_arms(run, arms)))
}

# ---- What looks at it ---------------------------------------------------------------------------

look_at_run <- function(file) read_run(check_run_file(file))

#' @export
open_trials.character <- function(x) open_trials(look_at_run(x)) # nolint: object_name_linter.

#' @export
best_arm.character <- function(x) best_arm(look_at_run(x)) # nolint: object_name_linter.

#' @rdname posterior
#' @export
posterior.character <- function(x, ...) posterior(look_at_run(x), ...) # nolint: object_name_linter.

# Functions of others are given all kinds of text.
is_run_name <- function(x) {
  is.null(attributes(x)) && length(x) == 1L && grepl("[.]bgap$", x, ignore.case = TRUE)
}

# A file name in a column of a data frame is one of its values.
in_table <- function() {
  any(vapply(sys.calls(), function(call) identical(call[[1L]], quote(summary.data.frame)), TRUE))
}

#' @rdname run_files
#' @param object The name of a file that ends in `.bgap`.
#' @export
summary.character <- function(object, ...) {
  if (is_run_name(object) && !in_table()) summary(look_at_run(object), ...) else NextMethod()
}

#' @rdname run_files
#' @export
plot.character <- function(x, ...) {
  if (is_run_name(x)) graphics::plot(look_at_run(x), ...) else NextMethod()
}

#' @rdname run_files
#' @usage \method{autoplot}{character}(object, ...)
#' @exportS3Method ggplot2::autoplot
autoplot.character <- function(object, ...) { # nolint: object_name_linter.
  if (is_run_name(object)) autoplot.bayesgap(look_at_run(object), ...) else NextMethod()
}
