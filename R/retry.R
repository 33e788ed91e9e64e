# retry_arms(): arms that were set aside because they failed are tried again.

#' Try arms again that were set aside
#'
#' `retry_arms()` brings arms back that failed again and again. Use it when what made them fail is
#' mended: a package is installed, a part was delivered, a bug is gone.
#'
#' An arm that fails three times in a row of its own, while others work, is set aside: it is pulled
#' no more, and the run goes on with the others. It is not recommended either, unless it had worked
#' before: then `print()` says that it fails now. A message of class
#' `bayesgap_message_failed` says so when it happens, `print()` shows it, and `posterior(x)$status`
#' is `"failed"`. What was observed of such an arm before still tells of its neighbours. One that
#' works again, told by [tell()], is back at once.
#'
#' Not every failure has its reason in the arm. Where pulls fail now and then, and work the next
#' time, more than three in a row are needed: as many as come by chance once in 200 times. Where
#' several arms fail one right after another, until one works, each has another try. Where every arm
#' fails none is set aside.
#'
#' From `retry_arms()` on the failures of an arm are counted anew: after three more in a row it is
#' set aside again, and that is said again. The failures stay in `as.data.frame(x)`, and the pulls
#' that they took stay spent. Where the budget is spent, give a larger one:
#' `bayesgap(retry_arms(x), objective, budget)`.
#'
#' @param x A run, made by [bayesgap()] or [tell()], or the name of a file that holds one: see
#'   [run_files].
#' @param arms The arms, by number or by name, or as rows of a data frame; `NULL`: all that were set
#'   aside.
#' @param ... Of a file, `wait`.
#' @return The new run.
#' @seealso [objective] on pulls that fail; [posterior()] for the status of the arms;
#'   `vignette("long-runs")`.
#' @export
#' @examples
#' driver <- FALSE
#' trial <- function(arm) {
#'   if (arm == "gpu" && !driver) stop("no driver")
#'   rnorm(1, nchar(arm))
#' }
#' x <- bayesgap(c("cpu", "gpu", "cluster"), trial, budget = 12, seed = 1)
#' x
#' driver <- TRUE
#' x <- bayesgap(retry_arms(x), trial, budget = 20)
#' posterior(x)[c("arm", "pulls", "status")]
retry_arms <- function(x, arms = NULL, ...) {
  check_run(x, file = TRUE)
  UseMethod("retry_arms")
}

#' @export
retry_arms.bayesgap <- function(x, arms = NULL, ...) { # nolint: object_name_linter.
  check_dots(...)
  x <- by_hand(x)
  failing <- failing_arms(x)
  at <- if (is.null(arms)) failing else unique(match_arms(x$model$arms, arms, "arms"))
  check_failing(x, at, failing)
  if (!length(at)) {
    inform("failed", "No arm is set aside: the run is as it was.")
    return(x)
  }
  others <- !x$retried$arm %in% at
  x$retried <- list(
    arm = c(x$retried$arm[others], at),
    row = c(x$retried$row[others], rep(length(x$log$arm), length(at)))
  )
  begin(note_change(x, "retried", list(arm = at)))
}

# Those that failed so often, set aside or, where all did, not.
failing_arms <- function(x) setdiff(which(is_stuck(x)), x$dropped)

check_failing <- function(x, at, failing) {
  wrong <- setdiff(at, failing)
  if (length(wrong)) {
    abort(
      "arm", "Arm ", quoted(x$model$arms$names[wrong[1L]]), " (in `arms`) is not set aside ",
      "because it failed: its status is ", quoted(arm_status(x)[wrong[1L]]), ". ",
      if (length(failing)) c("Those that are: ", quoted(x$model$arms$names[failing]), ".")
      else "No arm is."
    )
  }
}
