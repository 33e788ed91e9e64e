# The pulls of a run as a table.

#' Pulls of a run as a data frame
#'
#' `as.data.frame()` gives what was observed, one row a pull in the order told. Use it to
#' save the observations, to plot them, or to analyse them otherwise.
#'
#' @param x A run: the result of [bayesgap()] or [tell()].
#' @param row.names,optional,stringsAsFactors,... As in [base::as.data.frame()].
#' @param all `TRUE`: also what was there before it was changed by [amend()], and what was done
#'   to arms and trials by [drop_arms()], [add_arms()], [retry_arms()] and [cancel()].
#' @return A data frame with the columns `pull` (its number; `NA` for an observation outside
#'   the budget), `arm`, `y`, `se` (`NA`: the model's noise; with a [family] `successes` and
#'   `trials`, or `count` and `exposure`, instead), `block` where there are [blocks], `cost` where
#'   pulls have costs (what this one did cost), the columns of the arm, those that the objective
#'   returned besides or that were told, `error`, the message of a pull that failed, and, where an
#'   arm was set aside (see [retry_arms()]) or dropped, `status`, that of the row's arm now, as
#'   [posterior()] has it for all arms (`status.1` where a column of yours has this name). A further
#'   column whose values are all of one class has that
#'   class (of factors, with the levels of all); numbers are numbers. Where single values differ in
#'   class they are text, as they print; where some are not single values the column is a list.
#'   `NULL` and plain `NA` are missing values of any class. One that has the name of a column of
#'   the run gets another. The row of a result that was withdrawn stays, with `y` `NA` and
#'   `"withdrawn"` in `error`.
#'
#'   With `all = TRUE` there are more rows and two columns more. `change` says what became of what
#'   the row shows: `"amended"`, `"withdrawn"`, `"dropped"`, `"added"`, `"retried"` or
#'   `"cancelled"`; `changed` says when. Both are `NA` in rows that stand. What was there before
#'   comes right before what stands in its place; arms and trials come last.
#' @seealso [posterior()] for the arms, [amend()] for what changed; `vignette("in-the-lab")`.
#' @export
#' @examples
#' x <- bayesgap(c("a", "b"), function(arm) list(y = nchar(arm), at = "noon"), budget = 3)
#' as.data.frame(x)
as.data.frame.bayesgap <- function(x, row.names = NULL, optional = FALSE, ..., # nolint
                                   stringsAsFactors = FALSE, all = FALSE) { # nolint
  check_dots(..., usual = frame_arguments)
  rows <- if (check_flag(all, "all")) all_rows(x) else rows_as_they_were(x, seq_along(x$log$arm))
  arms <- x$model$arms
  family <- family_of(x$model)
  y <- reward_sign(x) * rows$reward
  own <- c(
    list(pull = rows$pull, arm = arm_label(arms, rows$arm), y = y),
    if (is.null(family)) list(se = rows$se) else hits_and_size(family, y, rows$size),
    if (has_blocks(x) || any(!is.na(rows$block))) list(block = rows$block),
    if (!is.null(x$model$cost)) list(cost = rows$cost)
  )
  own <- c(own, further_arm_columns(arms, rows$arm, names(own)))
  last <- c(list(error = rows$error), if (all) list(change = rows$what, changed = rows$when))
  names(last) <- make.unique(c(names(own), names(last)))[length(own) + seq_along(last)]
  stands <- replace(rows$row, !is.na(rows$what), NA)
  further <- lapply(further_columns(x$remarks, length(x$log$arm)), `[`, stands)
  taken <- c(names(own), names(last), "failed") # by which tell() means something else
  names(further) <- make.unique(c(taken, names(further)))[length(taken) + seq_along(further)]
  table <- quick_frame(with_status(c(own, further, last), x, rows$arm))
  if (check_flag(stringsAsFactors, "stringsAsFactors")) {
    text <- vapply(table, is.character, TRUE)
    table[text] <- lapply(table[text], factor)
  }
  if (is.null(row.names)) table else name_rows(table, row.names)
}

# Columns of the user's keep their names.
with_status <- function(columns, x, arm) {
  status <- arm_status(x)
  if (all(status == "active")) {
    return(columns)
  }
  names <- make.unique(c(names(columns), "status"))
  structure(c(columns, list(status[arm])), names = names)
}

# As rows_as_they_were() has them, those that were changed among them, each before what stands in
# its place; what, when: NA for what stands.
all_rows <- function(x) {
  stands <- rows_as_they_were(x, seq_along(x$log$arm))
  n <- length(stands$row)
  rows <- Map(c, x$changes[names(stands)], stands)
  rows$what <- c(x$changes$what, rep(NA, n))
  rows$when <- .POSIXct(c(x$changes$when, rep(NA, n)))
  lapply(rows, `[`, order(rows$row))
}

# What methods of as.data.frame() take, and other packages give.
frame_arguments <- c(
  "col.names", "check.names", "fix.empty.names", "cut.names", "make.names", "new.names", "nm"
)

name_rows <- function(table, names) {
  good <- (is.character(names) || is.numeric(names)) && length(names) == nrow(table) &&
    !anyNA(names) && !anyDuplicated(names)
  if (!good) {
    must <- gettextf("NULL or %s, all different", count_of(nrow(table), "name"))
    abort_argument("row.names", "row.names", must, names)
  }
  row.names(table) <- if (is.character(names)) names else as.character(names)
  table
}

# A column for every name that any pull brought, NA for the others.
further_columns <- function(remarks, n) {
  extra <- vector("list", n)
  extra[as.integer(names(remarks))] <- lapply(remarks, `[[`, "extra")
  names <- unique(unlist(lapply(extra, names)))
  columns <- lapply(names, function(name) join_values(lapply(extra, `[[`, name)))
  structure(columns, names = names)
}

# Values of one class as a vector of that class, single values of several as text, others as a list.
join_values <- function(values) {
  missing <- vapply(values, function(v) is.null(v) || identical(unname(v), NA), TRUE)
  there <- lapply(values[!missing], function(v) if (is.null(dim(v))) unname(v) else v)
  if (!all(vapply(there, function(v) is.atomic(v) && is.null(dim(v)) && length(v) == 1L, TRUE))) {
    return(values)
  }
  kinds <- unique(lapply(there, function(v) if (is_plain_number(v)) "number" else class(v)))
  found <- if (!length(there)) {
    NA
  } else if (length(kinds) > 1L) {
    vapply(there, function(v) paste(format_value(v)), "")
  } else if (is.factor(there[[1L]])) {
    join_factors(there)
  } else {
    do.call(c, there)
  }
  found[match(seq_along(values), which(!missing))]
}

is_plain_number <- function(v) is.numeric(v) && !is.object(v)

format_value <- function(v) if (is_plain_number(v)) format(v, digits = 15) else as.character(v)

# Those of one order keep it.
join_factors <- function(values) {
  levels <- unique(lapply(values, levels))
  text <- vapply(values, as.character, "")
  factor(text, unique(unlist(levels)), ordered = is.ordered(values[[1L]]) && length(levels) == 1L)
}
