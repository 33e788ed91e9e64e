# Trials that are out: on record, looked at, and called off.

#' Trials that are out
#'
#' `open_trials()` gives the trials that were asked and not told yet, and `cancel()` calls some of
#' them off: their place in the budget is free again. Use them where a trial will never be made:
#' the plate broke, the batch was used up, the colleague left.
#'
#' A run in a file ([run_files]) knows every trial that [ask()] handed out. A run in memory does
#' not change when it is asked; it only knows of pulls that were left out when later ones were told.
#'
#' A number that was cancelled is not used again. A result that comes all the same is told with
#' `pull = NA` and its arm; it is learned, and does not count against the budget. A trial that was
#' made and failed is not cancelled but told as failed, see [tell()]. `as.data.frame(x, all = TRUE)`
#' shows what was cancelled, and when.
#'
#' @param x A run, made by [bayesgap()] or [tell()], or the name of a file that holds one.
#' @param pull The numbers of trials that are out.
#' @param ... For a file, `wait`: the seconds to wait for another session that is changing it.
#' @return `open_trials()`: a data frame as [ask()] gives it, one row a trial, the oldest first.
#'   `cancel()`: the new run, invisibly where `x` is a file.
#' @seealso [ask()], [run_files], [amend()] for results that were told; `vignette("in-the-lab")`.
#' @export
#' @examples
#' x <- bayesgap(c("red", "green", "blue"), budget = 5, seed = 1)
#' todo <- ask(x, n = 3)
#' x <- tell(x, data.frame(todo[3, ], y = 0.4))
#' open_trials(x)
#' x <- cancel(x, 1)
#' open_trials(x)
#' ask(x, n = 5)
open_trials <- function(x) {
  check_run(x, file = TRUE)
  UseMethod("open_trials")
}

#' @export
open_trials.bayesgap <- function(x) { # nolint: object_name_linter.
  x <- by_hand(x)
  trial_table(x, lapply(x$open, `[`, order(x$open$pull)))
}

#' @rdname open_trials
#' @export
cancel <- function(x, pull = NULL, ...) {
  check_run(x, file = TRUE)
  UseMethod("cancel")
}

#' @export
cancel.bayesgap <- function(x, pull = NULL, ...) { # nolint: object_name_linter.
  check_dots(...)
  x <- by_hand(x)
  at <- match(check_open(x, pull), x$open$pull)
  was <- lapply(x$open, `[`, at)
  was$block <- x$blocks[was$block]
  x <- note_change(x, "cancelled", was)
  x$open <- lapply(x$open, `[`, -at)
  begin(x)
}

check_open <- function(x, pull) {
  whole <- is.numeric(pull) && length(pull) && !anyNA(pull) && all(pull == floor(pull))
  if (!whole || anyDuplicated(pull)) {
    abort_argument("cancel", "pull", "the numbers of trials that are out, none twice", pull)
  }
  strange <- pull[!pull %in% x$open$pull]
  if (length(strange)) {
    abort(
      "cancel", "Pull ", format(strange[1L]), " is not out: it was ",
      if (strange[1L] %in% x$log$pull) "told. amend() withdraws a result"
      else if (strange[1L] %in% cancelled_pulls(x$changes)) "cancelled before"
      else "never asked, as far as the run knows",
      if (length(x$open$pull)) c(". Out are ", open_words(x)) else ". No trial is out", "."
    )
  }
  pull
}

# Pulls handed out and put on record: they are out until they are told or cancelled. With what is
# known since, the belief is begun anew, so that it follows from what is on record alone.
record_pulls <- function(x, pulls) {
  x <- count_pulls(x, pulls$pull)
  x$open <- Map(c, x$open, pulls[names(no_pulls)])
  x$asked <- c(x$asked, pulls$pull)
  begin(x)
}
