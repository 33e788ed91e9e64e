# The run that was stopped, kept for the session.

#' The run that was stopped
#'
#' `last_run()` gives the last run of this session that did not reach its end: because its
#' objective failed, because of an interrupt (Ctrl-C), or because of an error elsewhere. Use it
#' when [bayesgap()] stopped and what it had observed is to be kept.
#'
#' @return A run, which `bayesgap(last_run(), objective, budget)` continues.
#' @seealso [bayesgap()]; its `checkpoint` survives the end of the session too;
#'   `vignette("long-runs")`.
#' @export
#' @examples
#' calls <- 0
#' fragile <- function(arm) {
#'   calls <<- calls + 1
#'   if (calls == 4) stop("out of paper") else nchar(arm)
#' }
#' try(bayesgap(c("a", "bb", "ccc"), fragile, budget = 6, on_error = "stop", seed = 1))
#' last_run()
#' bayesgap(last_run(), fragile, budget = 6)
last_run <- function() {
  if (is.null(session$last)) {
    abort("run", "No run of this session was stopped.")
  }
  by_hand(session$last)
}

# A run that could not finish, whatever the reason, is kept for last_run().
keep_last <- function(x, store) {
  suspendInterrupts({
    store$save(x)
    session$last <- x
    message(
      "The run stopped after ", count_of(all_observed(x), "observation"), ". ",
      if (is.null(store$file)) "bayesgap(last_run(), objective, budget) goes on."
      else "The same call goes on from its checkpoint."
    )
  })
}

# With those of a batch that is not learned yet.
all_observed <- function(x) {
  x$observed + sum(vapply(x$underway$results, has_worked, TRUE))
}
