# ask(): which arms to pull next, one or several at a time, with regard to those that are out.

#' Ask for the next pulls and tell their results
#'
#' `ask()` says which arms to pull next, `tell()` takes the results and returns the new
#' state of the run. Use them when the trials happen outside R: in a laboratory, on a web
#' site, in a queue; days may pass between the two. A run that lives for weeks is best kept in a
#' file, whose name both take in place of the run: see [run_files].
#'
#' A run is a value: `ask()` does not change it, and asking again gives the same arms.
#' `tell()` returns a new run and leaves the old one as it was. The recommendation is
#' `best_arm(x)` at any time.
#'
#' When several arms are asked at once, each is chosen as if those before it had been pulled
#' and had returned just what is expected of them: that narrows the intervals without moving
#' the means, and is exact for the widths as long as the noise is known. That is the rule
#' `"fantasy"`, which may ask an arm more than once. With the rule `"distinct"` the belief
#' stays as it is, and an arm that was asked is set aside until the next results: no arm is
#' asked twice (except by `init`), and fewer are returned when fewer arms are left. Attia,
#' Grover et al. (2020) chose batches of battery tests so. Either is done for pulls that are still
#' out as well: give their rows as `pending` when the next is wanted before they return.
#'
#' @param x A run, made by [bayesgap()] or [tell()]; or the name of a file that holds one, see
#'   [run_files].
#' @param n How many pulls to ask for. Fewer are returned when fewer are left, or, where pulls have
#'   costs, affordable together. What else may go together in one batch cannot be said.
#' @param pending Pulls asked earlier whose results are not told yet: rows of the data frame
#'   that `ask()` returned. Give all of them, every time: the run itself only knows that these
#'   pulls are out, not always of which arms.
#' @param block The block in which these pulls will be made, a label: for blocks that are not known
#'   beforehand, such as plates or days (see [blocks]). `NULL`: where the run was made with
#'   `blocks`, it says which in the column `block`.
#' @param batch How the arms of several pulls are kept apart: `"fantasy"` or `"distinct"`.
#' @param y The results. One number for the one pull asked by `ask(x)`, or what an objective may
#'   return for it: `c(y = , se = )`, or a list with `y`, perhaps `se`, and whatever else is to be
#'   kept. Or a data frame with
#'   the column `y` and a column `pull` or `arm` (or both), perhaps `se`, the standard error
#'   of this result, `block`, the block in which it was made (see [blocks]), and `cost`, what it did
#'   cost, where pulls have costs (`NA`: what they are to cost). A pull that failed
#'   has no `y`; the column `failed` is `TRUE` there, or `error` says what went wrong (an arm that
#'   does so three times in a row is set aside, see [retry_arms()]). With a
#'   [family], `successes` and `trials` (or `count` and `exposure`) are told in place of `y`, or
#'   `y` for single trials. Further
#'   columns are kept, one value a row. Rows may come in any order and in several
#'   parts. Simplest is the data frame that `ask()` gave, with `y` filled in.
#'   Keep both `pull` and `arm`, and `block`, where parts of it are told: the number alone
#'   finds its arm only as long as nothing was told since it was asked. Where arms have columns
#'   of their own, these must agree with `arm`, or with what the pull asked for; without both
#'   `pull` and `arm` they find the arm, if they are those of one arm only. Other observations are
#'   learned too and do not count as the budget's pulls: rows with `pull = NA`, and, where
#'   there is no column `pull`, rows of another arm than that of `ask(x)`. What
#'   `as.data.frame()` gave of another run of the same arms can be told as it is, also by way of
#'   a csv file.
#' @param ... Must be empty.
#'
#' @section Results from a spreadsheet:
#' What `read.csv()` or `readxl::read_excel()` gives of a sheet can be told as it is. Rows below the
#' last one that is filled in are left out. A row whose `y` is empty is an error, since nobody knows
#' whether the trial failed or is not done yet: leave it out, or say `failed`. Numbers that came as
#' text, as those of a column in which some cell is no number, are read as numbers, with a decimal
#' point; a cell that is none is named. Dates are welcome as labels of blocks, and in columns that
#' are kept.
#'
#' @return `ask()`: a data frame with the columns `pull` (the number of the pull), `arm`, `block`
#'   where there are blocks, `cost` where pulls have costs, and those of the arm, one row a pull; no
#'   rows when the budget is spent. `tell()`: the new run.
#' @seealso [bayesgap()]; [run_files] and [save_run()]; [amend()] for results that were told
#'   wrongly, [open_trials()] for those that are out; `vignette("in-the-lab")`, and
#'   `vignette("long-runs")` for results that come late, in another order, or not at all.
#' @references Attia, Grover et al. (2020). Closed-loop optimization of fast-charging protocols
#'   for batteries with machine learning. *Nature* 578, 397-402.
#' @export
#' @examples
#' x <- bayesgap(c("red", "green", "blue"), budget = 5, seed = 1)
#' ask(x)
#' x <- tell(x, 0.7)
#'
#' # Two at a time, told as a data frame
#' todo <- ask(x, n = 2)
#' todo$y <- c(0.2, 1.1)
#' x <- tell(x, todo)
#'
#' # A trial that failed
#' x <- tell(x, data.frame(ask(x), y = NA, failed = TRUE))
#'
#' # Results from a csv file
#' sheet <- tempfile(fileext = ".csv")
#' write.csv(data.frame(arm = c("red", "blue"), y = c(0.6, 1), day = Sys.Date()), sheet)
#' x <- tell(x, data.frame(read.csv(sheet), pull = NA))
#'
#' # An xlsx file as someone filled it in: a number typed as text, an empty row at the end
#' file <- system.file("extdata", "week.xlsx", package = "bayesgap")
#' if (requireNamespace("readxl", quietly = TRUE)) {
#'   week <- readxl::read_excel(file)
#'   print(week)
#'   print(tell(bayesgap(c("A", "B", "C"), budget = 9, seed = 1), week))
#' }
#'
#' # Something measured last year
#' x <- tell(x, data.frame(arm = "blue", y = 0.9, pull = NA))
#' x
#'
#' # Two trials a day, and days differ
#' x <- bayesgap(c("red", "green", "blue"), budget = 6, seed = 1)
#' todo <- ask(x, n = 2, block = "monday")
#' todo$y <- c(0.7, 0.9)
#' x <- tell(x, todo)
#' ask(x, n = 2, block = "tuesday")
ask <- function(x, ...) {
  check_run(x, file = TRUE)
  UseMethod("ask")
}

#' @rdname ask
#' @export
ask.bayesgap <- function(x, n = 1L, pending = NULL, batch = c("fantasy", "distinct"), ..., # nolint
                         block = NULL) {
  if (...length()) {
    check_dots(...)
  }
  rule <- if (missing(batch)) batch_rules[1L] else check_rule(batch)
  asked <- choose_pulls(x, n, pending, rule, block)
  trial_table(asked$run, asked$pulls)
}

check_rule <- function(batch) check_option(batch, "batch", batch_rules)

# list(run, pulls): the run that knows the block asked for, and the pulls that are chosen.
choose_pulls <- function(x, n, pending, rule, block) {
  x <- unclass(by_hand(x))
  if (!identical(n, 1L)) {
    n <- check_count(n, "n")
  }
  if (is.null(pending)) {
    pending <- no_pulls
  } else {
    if (is.data.frame(pending) && !is.null(pending[["block"]])) {
      label <- block_labels(pending[["block"]], "pending$block", "pending")
      x <- meet_blocks(x, label, "pending$block")
    }
    pending <- check_pending(x, pending)
    x <- trust_pending(x, pending)
    pending <- lapply(pending, `[`, !pending$pull %in% x$open$pull)
  }
  if (!is.null(block) || has_blocks(x)) {
    x <- in_block(x, block)
  }
  list(run = x, pulls = ask_rows(x, n, pending, rule))
}

# Pulls for the user, one a row.
trial_table <- function(x, pulls) {
  model <- unclass(x$model)
  columns <- list(pull = pulls$pull, arm = arm_label(model$arms, pulls$arm))
  if (length(x$blocks)) {
    columns$block <- x$blocks[pulls$block]
  }
  columns$cost <- model$cost[pulls$arm]
  if (!is.null(model$arms$data)) {
    columns <- c(columns, further_arm_columns(model$arms, pulls$arm, names(columns)))
  }
  quick_frame(columns)
}

# The run that is asked for pulls in a block.
in_block <- function(x, block) {
  if (is.null(block)) {
    if (is.null(x$model$blocks)) {
      abort(
        "block", "`block` must be given: in which block the pulls will be made, such as ",
        "ask(x, n = 6, block = \"plate 1\")."
      )
    }
    return(x)
  }
  label <- block_labels(block, "block", "block")
  if (length(label) != 1L) {
    abort_argument("block", "block", "one label", block)
  }
  x <- meet_blocks(x, label)
  x$asking <- match(label, x$blocks)
  advance(x)
}

check_pending <- function(x, pending) {
  must <- "NULL or rows of the data frame that ask() gave"
  if (!is.data.frame(pending) || is.null(pending[["pull"]])) {
    abort_argument("pending", "pending", must, pending)
  }
  rows <- check_columns(pending, "pending", "pending")
  pull <- check_pull_numbers(x, rows[["pull"]], "pending")
  if (anyNA(pull)) {
    abort_argument("pending", "pending", must, pending)
  }
  arm <- match_rows(x$model$arms, rows, "pending")
  block <- told_blocks(x, rows, "pending", "pending")
  new <- !are_told(x, pull) & !duplicated(pull)
  list(pull = pull[new], arm = arm[new], block = block[new])
}

# The arms and blocks of pulls that are out are a guess where several were asked and some told; the
# user knows.
trust_pending <- function(x, pending) {
  at <- match(x$open$pull, pending$pull)
  known <- !is.na(at)
  told <- !is.na(pending$block[at])
  guess <- x$open
  x$open$arm[known] <- pending$arm[at[known]]
  x$open$block[told] <- pending$block[at[told]]
  matters <- !x$replace || has_blocks(x) || !is.null(x$model$cost)
  if (!identical(x$open, guess) && matters) advance(x) else x
}

# The blocks of rows that were told, NA where the run has none or the row does not say. Labels that
# are new to the run have no place yet: NA too.
told_blocks <- function(x, rows, arg, what) {
  if (!has_blocks(x) || is.null(rows[["block"]])) {
    return(rep(NA_integer_, length(rows[[1L]])))
  }
  match(block_labels(rows[["block"]], paste0(arg, "$block"), what), x$blocks)
}

check_pull_numbers <- function(x, pull, arg) {
  number <- is.numeric(pull)
  most <- last_number(x)
  bad <- !is.na(pull) & if (number) pull != floor(pull) | pull < 1 | pull > most else TRUE
  if (is.list(pull) || any(bad)) {
    abort(
      if (arg == "pending") "pending" else "tell", "The column `pull` of `", arg,
      "` must hold whole numbers from 1 to ", most, " (or NA: not one of the budget's), not ",
      describe(if (is.list(pull)) pull else as.vector(pull)[bad][1L]), "."
    )
  }
  as.integer(pull)
}
