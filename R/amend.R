# Results that were told, corrected: the log has what is right, the record what was there before,
# and all is learned anew.

#' Correct or withdraw results
#'
#' `amend()` changes results that were told: a wrong number, a wrong arm, the wrong plate, or one
#' that is not to be believed at all. Use it when a mistake is found, however late: everything is
#' learned anew, as if the right result had been told in the first place.
#'
#' What is not named stays as it was (`successes` and `trials`, or `count` and `exposure`, are named
#' together). `y = NA` withdraws a result: nothing is learned from it, and it is no failure of its
#' arm; its pull still counts against the budget, unless failures do not (`count_failures`). With a
#' column `failed` that is `TRUE`, or `error` that says why, `y = NA` is a failed pull instead. A
#' failed pull, or one that was withdrawn, is amended to a number by its `y`. A trial that is still
#' out is not amended but told.
#'
#' `as.data.frame(x, all = TRUE)` shows what was there before and when it was changed.
#'
#' @param x A run, made by [bayesgap()] or [tell()], or the name of a file that holds one.
#' @param pull The numbers of the pulls whose results are changed. Or a data frame with a column
#'   `pull` or `row`, and columns that say what is changed: those of [tell()], which are `y`, `se`,
#'   `block`, `arm`, `cost`, `failed` and `error`, and with a [family] `successes` and `trials`, or
#'   `count` and `exposure`.
#' @param y The right result, one for each or one for all; `NA` withdraws it.
#' @param se Its standard error; `NA`: the model's noise.
#' @param block The block in which the trial was made.
#' @param ... For a file, `wait`: the seconds to wait for another session that is changing it.
#' @param arm The arm of which this is the result.
#' @param cost What the pull did cost, where pulls have costs.
#' @param row The row of `as.data.frame(x)`, for results that are outside the budget and have no
#'   number.
#' @return The new run, invisibly where `x` is a file.
#' @seealso [tell()]; [drop_arms()] and [add_arms()]; [run_files]; `vignette("in-the-lab")`.
#' @export
#' @examples
#' x <- bayesgap(c("red", "green", "blue"), budget = 6, seed = 1)
#' x <- tell(x, data.frame(pull = 1:3, arm = c("red", "green", "blue"), y = c(0.7, 110, 0.9)))
#' x <- amend(x, 2, y = 1.1)
#'
#' # The third was made with a dirty glass; the first was of another arm
#' x <- amend(x, 3, y = NA)
#' x <- amend(x, data.frame(pull = 1, arm = "blue"))
#' as.data.frame(x)
#' as.data.frame(x, all = TRUE)
amend <- function(x, ...) {
  check_run(x, file = TRUE)
  UseMethod("amend")
}

#' @rdname amend
#' @export
amend.bayesgap <- function(x, pull, y, se, block, ..., arm, cost, row) { # nolint
  check_dots(...)
  named <- setdiff(names(match.call(expand.dots = FALSE)), c("", "x", "..."))
  x <- by_hand(x)
  given <- mget(named)
  if (is.data.frame(given$pull) && length(given) > 1L) {
    abort(
      "amend", "`", setdiff(named, "pull")[1L], "` must be a column of the data frame that is ",
      "given, not an argument besides."
    )
  }
  data <- if (is.data.frame(given$pull)) given$pull else columns_of(given)
  change_results(x, check_columns(data, "data", "amend"))
}

# Vectors of one length, or single values for all.
columns_of <- function(given) {
  n <- max(0L, lengths(given[c("pull", "row")]))
  for (name in names(given)) {
    value <- given[[name]]
    if (!is.atomic(value) || is.null(value) || !length(value) %in% c(1L, n) || !n) {
      must <- gettextf("one value, or one for each of %s", count_of(n, "result"))
      abort_argument("amend", name, if (n) must else "given with `pull` or `row`", value)
    }
    given[[name]] <- if (length(value) == n) value else rep(value, n)
  }
  if (!length(given)) {
    abort("amend", "`pull` must be given: the numbers of the pulls to amend, or a data frame.")
  }
  quick_frame(given)
}

# What some rows of the log say now, as a change has it.
rows_as_they_were <- function(x, rows) {
  c(
    list(row = rows, block = x$blocks[x$log$block[rows]]),
    log_rows(x$log[c("pull", "arm", "reward", "se", "size", "cost")], rows),
    list(error = remark_errors(x$remarks, length(x$log$arm))[rows])
  )
}

# data: a list of columns.
change_results <- function(x, data) {
  check_amend_columns(x, data)
  rows <- amended_rows(x, data)
  before <- rows_as_they_were(x, rows)
  after <- as_amended(x, data, before)
  values <- c("arm", "reward", "se", "size", "cost", "block", "error")
  other <- !Reduce(`&`, Map(is_same_value, before[values], after[values]))
  if (!any(other)) {
    return(x)
  }
  withdraws <- after$error %in% withdrawn & !before$error %in% withdrawn
  kind <- ifelse(withdraws, "withdrawn", "amended")
  x <- note_change(x, kind[other], rows_as_they_were(x, rows[other]))
  for (name in c("arm", "reward", "se", "size", "cost")) {
    x$log[[name]][rows] <- after[[name]]
  }
  if (has_blocks(x)) {
    x$blocks <- join_blocks(x, after$block, "block", "block")
    x$log$block[rows] <- match(after$block, x$blocks)
  }
  for (i in seq_along(rows)) {
    x$remarks <- set_error(x$remarks, rows[i], after$error[i])
  }
  x$observed <- sum(!is.na(x$log$reward))
  begin(x)
}

is_same_value <- function(a, b) ifelse(is.na(a) | is.na(b), is.na(a) & is.na(b), a == b)

check_amend_columns <- function(x, data) {
  family <- family_of(x$model)
  what <- c(
    "y", "se", family$hits, family$size, "block", if (!is.null(x$model$cost)) "cost", "arm",
    names(x$model$arms$data), "failed", "error"
  )
  strange <- setdiff(names(data), c("pull", "row", what))
  if (length(strange)) {
    abort(
      "amend", "There is no column ", quoted(strange), " that could be amended: besides `pull` or ",
      "`row` there may be ", quoted(what, Inf), ".", suggest(strange[1L], what)
    )
  }
  if (!any(c("pull", "row") %in% names(data))) {
    abort("amend", "A column `pull` must say which results are amended, or `row`.")
  }
  if (!any(what %in% names(data))) {
    abort("amend", "`y` must be given: the right result, or NA to withdraw it.")
  }
}

# Which rows of the log.
amended_rows <- function(x, data) {
  n <- length(x$log$arm)
  row <- if (is.null(data[["row"]])) {
    rep(NA_integer_, length(data[[1L]]))
  } else {
    check_rows(data[["row"]], n)
  }
  pull <- data[["pull"]]
  if (!is.null(pull)) {
    good <- is.numeric(pull) || all(is.na(pull))
    if (is.list(pull) || !good) {
      abort_argument("amend", "pull", "the numbers of pulls that were told", pull)
    }
    by_pull <- match(pull, x$log$pull, incomparables = NA)
    lost <- which(!is.na(pull) & is.na(by_pull))
    if (length(lost)) {
      abort_untold(x, pull[lost[1L]])
    }
    apart <- which(!is.na(by_pull) & !is.na(row) & by_pull != row)
    if (length(apart)) {
      abort(
        "amend", "Row ", row[apart[1L]], " of the log is not that of pull ", pull[apart[1L]],
        ", which is ", by_pull[apart[1L]], ". Give the one or the other."
      )
    }
    row[is.na(row)] <- by_pull[is.na(row)]
  }
  if (anyNA(row)) {
    abort(
      "amend", "Entry ", which(is.na(row))[1L], " says no `pull`: results outside the budget are ",
      "found by `row`, their row in as.data.frame(x)."
    )
  }
  if (anyDuplicated(row)) {
    abort("amend", "Row ", row[duplicated(row)][1L], " of the log is amended twice in one call.")
  }
  row
}

check_rows <- function(row, n) {
  good <- is.numeric(row) || all(is.na(row))
  if (is.list(row) || !good || any(!is.na(row) & !row %in% seq_len(n))) {
    bad <- if (is.numeric(row)) row[!is.na(row) & !row %in% seq_len(n)][1L] else row
    must <- if (n) paste("rows of as.data.frame(x), from 1 to", n) else "left out: nothing was told"
    abort_argument("amend", "row", must, bad)
  }
  as.integer(row)
}

abort_untold <- function(x, pull) {
  what <- if (pull %in% x$open$pull) {
    " is still out: tell() takes its result."
  } else if (pull %in% cancelled_pulls(x$changes)) {
    " was cancelled; tell() takes a result that came all the same with `pull = NA`."
  } else {
    c(" was never told: tell() takes its result. ", told_words(x))
  }
  abort("amend", "Pull ", format(pull), what)
}

told_words <- function(x) {
  told <- x$log$pull[!is.na(x$log$pull)]
  if (length(told)) c("Told are pulls ", listed(sort(told), 20L), ".") else "No pull was."
}

# What the rows say afterwards, as rows_as_they_were() has it.
as_amended <- function(x, data, before) {
  after <- before
  family <- family_of(x$model)
  results <- any(c("y", family$hits, family$size) %in% names(data))
  if (results || any(c("se", "failed", "error") %in% names(data))) {
    told <- told_results(x, if (results) data else with_standing(x, data, before), withdrawn)
    after[c("reward", "size", "error")] <- told[c("reward", "size", "error")]
    after$se <- if (is.null(data[["se"]])) before$se else told$se
    after$se[is.na(after$reward)] <- NA
  }
  if (!is.null(x$model$cost) && !is.null(data[["cost"]])) {
    told <- check_told_costs(x, before$arm, data[["cost"]])
    after$cost <- ifelse(is.na(data[["cost"]]), before$cost, told)
    data[["cost"]] <- NULL # which may be a column of the arms too
  }
  after$arm <- amended_arm(x, data, before$arm)
  assumed <- before$cost == cost_of_arms(x, before$arm) & after$cost == before$cost
  after$cost <- ifelse(assumed, cost_of_arms(x, after$arm), after$cost)
  after$block <- amended_block(x, data[["block"]], before$block)
  after
}

# With the results that stand, but where a pull is said to have failed after all.
with_standing <- function(x, data, before) {
  family <- family_of(x$model)
  y <- reward_sign(x) * before$reward
  y[told_failed(data)] <- NA
  stands <- if (is.null(family)) list(y = y) else hits_and_size(family, y, before$size)
  if (is.null(data[["error"]])) {
    data[["error"]] <- before$error
  }
  c(data, stands)
}

# What is missing stays.
amended_arm <- function(x, data, before) {
  arms <- x$model$arms
  named <- data[["arm"]]
  if (!is.null(named) && !is.list(named) && anyNA(named)) {
    data[["arm"]] <- ifelse(is.na(named), arms$names[before], as.character(named))
  }
  placed <- any(c("arm", names(arms$data)) %in% names(data))
  if (placed) match_rows(arms, data, "data") else before
}

# Labels.
amended_block <- function(x, block, before) {
  new <- if (is.list(block)) TRUE else !is.na(block)
  if (is.null(block) || !any(new)) {
    return(before)
  }
  before[new] <- block_labels(if (is.list(block)) block else block[new], "block", "block")
  join_blocks(x, before[new], "block", "block")
  before
}

# error: NA where nothing went wrong.
set_error <- function(remarks, row, error) {
  key <- as.character(row)
  remark <- as.list(remarks[[key]])
  remark$error <- if (!is.na(error)) error
  remark <- Filter(length, remark)
  remarks[[key]] <- if (length(remark)) remark
  if (length(remarks)) remarks else list()
}
