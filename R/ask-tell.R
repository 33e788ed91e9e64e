# ask(), tell(), best_arm(): the same run, driven by hand.

#' Ask for the next pulls and tell their results
#'
#' `ask()` says which arms to pull next, `tell()` takes the results and returns the new
#' state of the run. Use them when the trials happen outside R: in a laboratory, on a web
#' site, in a queue; days may pass between the two, and the run can be kept in a file with
#' [save_run()] meanwhile.
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
#' Grover et al. (2020) chose batches of battery tests so. Either is done for pulls that are still out as well:
#' give their rows as `pending` when the next is wanted before they return.
#'
#' @param x A run, made by [bayesgap()] or [tell()].
#' @param n How many pulls to ask for. Fewer are returned when fewer are left.
#' @param pending Pulls asked earlier whose results are not told yet: rows of the data frame
#'   that `ask()` returned. Give all of them, every time: the run itself only knows that these
#'   pulls are out, not always of which arms.
#' @param batch How the arms of several pulls are kept apart: `"fantasy"` or `"distinct"`.
#' @param y The results. One number for the one pull asked by `ask(x)`. Or a data frame with
#'   the column `y` and a column `pull` or `arm` (or both), perhaps `se`, the standard error
#'   of this result, and `error`, what went wrong where `y` is `NA`: a pull that failed. Further
#'   columns are kept, one value a row. Rows may come in any order and in several
#'   parts. Simplest is the data frame that `ask()` gave, with `y` filled in.
#'   Keep both `pull` and `arm` where parts of it are told: the number alone
#'   finds its arm only as long as nothing was told since it was asked. Where arms have columns
#'   of their own, these must agree with `arm`, or with what the pull asked for; without both
#'   `pull` and `arm` they find the arm, if they are those of one arm only. Other observations are
#'   learned too and do not count as the budget's pulls: rows with `pull = NA`, and, where
#'   there is no column `pull`, rows of another arm than that of `ask(x)`. What
#'   `as.data.frame()` gave of another run of the same arms can be told as it is, also by way of
#'   a csv file.
#' @param ... Must be empty.
#'
#' @return `ask()`: a data frame with the columns `pull` (the number of the pull), `arm` and
#'   those of the arm, one row a pull; no rows when the budget is spent. `tell()`: the new
#'   run.
#' @seealso [bayesgap()]; [save_run()]; `vignette("long-runs")` for results that come late, in
#'   another order, or not at all.
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
#' # Something measured last year
#' x <- tell(x, data.frame(arm = "blue", y = 0.9, pull = NA))
#' x
ask <- function(x, n = 1L, pending = NULL, batch = c("fantasy", "distinct"), ...) {
  if (...length()) {
    check_dots(...)
  }
  check_run(x)
  x <- unclass(by_hand(x))
  if (!identical(n, 1L)) {
    n <- check_count(n, "n")
  }
  spread <- if (missing(batch)) spreads[1L] else check_option(batch, "batch", spreads)
  if (is.null(pending)) {
    pending <- no_pulls
  } else {
    pending <- check_pending(x, pending)
    x <- trust_pending(x, pending)
    pending <- lapply(pending, `[`, !pending$pull %in% x$open$pull)
  }
  asked <- ask_rows(x, n, pending, spread)
  arms <- unclass(x$model)$arms
  columns <- list(pull = asked$pull, arm = arm_label(arms, asked$arm))
  quick_frame(if (is.null(arms$data)) columns else c(columns, arm_columns(arms, asked$arm)))
}

# A batch that was stopped half way will not be finished by the objective: what came of it is told.
by_hand <- function(x) {
  # Without a look for methods, since every ask() and tell() comes here.
  if (is.null(.subset2(x, "underway"))) x else leniently(learn_batch, x)
}

# What is made of the arms that a batch has already: as if pulled, or not to be pulled again.
spreads <- c("fantasy", "distinct")

# The next n pulls: list(pull, arm).
ask_rows <- function(x, n, pending = no_pulls, spread = spreads[1L]) {
  if (!is.null(x$stopped) || x$last >= x$budget) {
    return(no_pulls)
  }
  if (n == 1L && !length(x$open$pull) && !length(pending$pull)) {
    return(list(pull = x$last + 1L, arm = next_arm(x)))
  }
  first <- max(x$last, pending$pull) + 1L
  n <- min(n, x$budget - first + 1L)
  if (n < 1L) {
    return(no_pulls)
  }
  real <- x
  out <- c(x$open$arm, pending$arm)
  if (first > x$last + 1L) {
    x <- count_pulls(x, first - 1L)
  }
  arms <- tryCatch(
    next_arms(x, n, out, if (spread == "distinct") set_aside else pretend),
    bayesgap_error_policy = function(e) {
      e$run <- structure(real, class = "bayesgap")
      stop(e)
    }
  )
  list(pull = first - 1L + seq_along(arms), arm = arms)
}

# take: what is made of an arm that is out already.
next_arms <- function(x, n, out, take) {
  for (arm in out) {
    x <- take(x, arm)
  }
  arms <- next_arm(x)
  while (length(arms) < n && !anyNA(arms)) {
    x <- take(count_pulls(x, x$last + 1L), arms[length(arms)])
    arms <- c(arms, next_arm(x))
  }
  arms[!is.na(arms)]
}

# The arm is not to be asked again in this batch; the belief stays as it is.
set_aside <- function(x, arm) {
  x$taken <- c(x$taken, arm)
  advance(x)
}

next_arm <- function(x) {
  if (x$last < length(x$init)) x$init[x$last + 1L] else x$belief$next_arm
}

# The arm is out: its variance shrinks as if it had returned its mean.
pretend <- function(x, arm) {
  log <- x$log
  log$pull <- c(log$pull, x$last)
  log$arm <- c(log$arm, arm)
  log$reward <- c(log$reward, x$belief$mean[arm])
  log$se <- c(log$se, NA_real_)
  x$log <- log
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
  new <- !pull %in% x$log$pull & !duplicated(pull)
  list(pull = pull[new], arm = arm[new])
}

# The arms of pulls that are out are a guess where several were asked and some told; the user knows.
trust_pending <- function(x, pending) {
  at <- match(x$open$pull, pending$pull)
  known <- !is.na(at)
  if (any(x$open$arm[known] != pending$arm[at[known]])) {
    x$open$arm[known] <- pending$arm[at[known]]
    if (!x$replace) {
      x <- advance(x)
    }
  }
  x
}

check_pull_numbers <- function(x, pull, arg) {
  number <- is.numeric(pull)
  bad <- !is.na(pull) & if (number) pull != floor(pull) | pull < 1 | pull > x$budget else TRUE
  if (is.list(pull) || any(bad)) {
    abort(
      if (arg == "pending") "pending" else "tell", "The column `pull` of `", arg,
      "` must hold whole numbers from 1 to ", x$budget, " (or NA: not one of the budget's), not ",
      describe(if (is.list(pull)) pull else as.vector(pull)[bad][1L]), "."
    )
  }
  as.integer(pull)
}

#' @rdname ask
#' @export
tell <- function(x, y, ...) {
  check_run(x)
  if (...length()) {
    check_dots(...)
  }
  if (missing(y)) {
    abort("tell", "`y` must be given: a number, or a data frame with `y` and `arm` or `pull`.")
  }
  x <- by_hand(x)
  if (is.data.frame(y)) tell_frame(x, y) else tell_number(unclass(x), y)
}

tell_number <- function(x, y) {
  asked <- ask_rows(x, 1L)
  if (!length(asked$pull)) {
    abort("tell", "No pull is open: ", if (is.null(x$stopped)) "the budget is spent"
          else x$stopped, ". Tell further results as a data frame with `arm` and `y`.")
  }
  if (!is_reward(y)) {
    abort_reward(y, asked)
  }
  learn(x, list(
    pull = asked$pull, arm = asked$arm, reward = reward_sign(x) * as.double(y), se = NA_real_
  ))
}

abort_reward <- function(y, asked) {
  if (length(y) != 1L && is.numeric(y)) {
    abort(
      "tell", "`y` must be one number, the result of pull ", asked$pull, ", not ",
      describe(y), ". To tell more, give a data frame with the columns `arm` and `y`, ",
      "such as the one that ask() gave."
    )
  }
  abort(
    "tell", "`y` must be a number (up to 1e100), not ", describe(y),
    ". A pull that failed is told as a data frame with `y = NA`."
  )
}

# Columns of the run's own, as as.data.frame() gives them: all others are kept as they are.
own_columns <- c("pull", "arm", "y", "se", "error")

# Below, y is the list of the columns that were told.
tell_frame <- function(x, y) {
  arms <- x$model$arms
  if (is.null(y[["y"]]) || !any(names(y) %in% c("pull", "arm", names(arms$data)))) {
    abort("tell", "`y` must have a column `y` and a column `arm` or `pull`",
          if (length(arms$data)) " or those of the arms", "; it has ",
          if (length(y)) quoted(names(y), Inf) else "none", ".")
  }
  y <- check_columns(y, "y", "tell")
  if (!length(y[["y"]])) {
    return(x)
  }
  told <- place_rows(x, y)
  failed <- is.na(y[["y"]])
  reward <- check_told(
    y[["y"]], failed, "y", function(v) abs(v) <= 1e100, "numbers up to 1e100, or NA"
  )
  se <- if (is.null(y[["se"]])) {
    rep(NA_real_, length(reward))
  } else {
    check_told(
      y[["se"]], is.na(y[["se"]]), "se", function(v) v == 0 | (v >= 1e-100 & v <= 1e100),
      "numbers from 0, or NA"
    )
  }
  rows <- list(
    pull = told$pull, arm = told$arm, reward = reward_sign(x) * reward, se = se
  )
  further <- y[setdiff(names(y), c(own_columns, names(arms$data)))]
  take_in(x, rows, told_remarks(further, told_errors(y, failed)), told$asked)
}

# Rows that were told together. asked: the pulls that were out, the next ones up to the highest
# told among them.
take_in <- function(x, rows, remarks = NULL, asked = asked_up_to(x, rows$pull)) {
  learn(leave_open(x, rows$pull, asked), rows, remarks)
}

asked_up_to <- function(x, pull) {
  Map(c, x$open, ask_rows(x, max(1L, pull - x$last, na.rm = TRUE)))
}

check_told <- function(value, missing, column, valid, must) {
  if (is.list(value) || (!is.numeric(value) && !all(missing))) {
    abort("tell", "The column `", column, "` of `y` must hold ", must, ", not ",
          describe(value), ".")
  }
  value <- as.double(value)
  bad <- is.nan(value) | (!missing & !valid(value))
  if (any(bad)) {
    abort("tell", "The column `", column, "` of `y` must hold ", must, "; row ",
          which(bad)[1L], " is ", format(value[bad][1L]), ".")
  }
  value
}

# What went wrong in rows without a reward: the column `error` says it, if there is one.
told_errors <- function(y, failed) {
  error <- rep(NA_character_, length(failed))
  error[failed] <- "told as failed"
  if (is.null(y[["error"]])) {
    return(error)
  }
  check_plain(y, "error", "y", "tell")
  told <- as.character(y[["error"]])
  said <- !is.na(told) & nzchar(told)
  if (any(said & !failed)) {
    at <- which(said & !failed)[1L]
    abort(
      "tell", "Row ", at, " of `y` has a reward, but its column `error` says ", quoted(told[at]),
      ": that column is for what went wrong with a pull that failed, whose `y` is NA. Give a ",
      "further column another name."
    )
  }
  error[said] <- told[said]
  error
}

# One remark a row, NULL where nothing is to be said. further: columns that are kept.
told_remarks <- function(further, error) {
  if (!length(further) && all(is.na(error))) {
    return(NULL)
  }
  further <- lapply(further, function(v) if (inherits(v, "POSIXlt")) as.POSIXct(v) else v)
  lapply(seq_along(error), function(i) {
    failed <- !is.na(error[i])
    if (failed || length(further)) {
      list(
        error = if (failed) error[i], extra = if (length(further)) lapply(further, `[[`, i)
      )
    }
  })
}

# The pull and the arm of every row told: the pull says the arm, or the arm finds its pull
# among those that are out.
place_rows <- function(x, y) {
  arms <- x$model$arms
  numbered <- !is.null(y[["pull"]])
  pull <- rep(NA_integer_, length(y[["y"]]))
  if (numbered) {
    pull <- check_pull_numbers(x, y[["pull"]], "y")
  }
  twice <- pull[duplicated(pull) & !is.na(pull)]
  twice <- c(pull[!is.na(pull) & pull %in% x$log$pull], twice)
  if (length(twice)) {
    abort("tell", "Pull ", twice[1L], " has been told already. A further result of its arm ",
          "can be told with `pull = NA`.")
  }
  asked <- asked_up_to(x, pull)
  if (numbered && is.null(y[["arm"]])) {
    return(list(pull = pull, arm = arms_of_pulls(x, y, pull, asked), asked = asked))
  }
  arm <- match_rows(arms, y, "y")
  if (!numbered) {
    pull <- find_pulls(arm, asked)
    if (anyNA(pull) && !all(is.na(pull))) {
      message(
        sum(is.na(pull)), " of ", length(pull), " results were not asked for by ask(x) and do ",
        "not count against the budget. Keep the column `pull` of ask(x, n) to count them."
      )
    }
  }
  list(pull = pull, arm = arm, asked = asked)
}

# Rows without the column `arm`: what was asked, with which the arms' own columns must agree. Where
# that is not known, these columns find the arm.
arms_of_pulls <- function(x, y, pull, asked) {
  arms <- x$model$arms
  described <- length(shared_columns(arms, y)) > 0L
  if (!described) {
    check_no_gap(x, pull)
  }
  arm <- asked$arm[match(pull, asked$pull)]
  arm[pull %in% after_gap(x, pull)] <- NA
  lost <- is.na(arm)
  if (any(lost) && !described) {
    abort("tell", "Row ", which(lost)[1L], " of `y` has no `arm`, and its `pull` (",
          pull[lost][1L], ") was not asked.")
  }
  if (described) {
    arm[lost] <- find_rows(arms, y, "y", which(lost))
    check_rows_agree(
      arms, y, arm, "y", function(row) paste0("its `pull`, ", pull[row], ", asked for arm "),
      " Where it was asked of an earlier state of the run, keep the column `arm` that ask() gave."
    )
  }
  arm
}

# Without their arms, pulls are those that ask(x, n) names now. One beyond the next, told alone, was
# asked of an earlier state, which may have named another arm.
check_no_gap <- function(x, pull) {
  late <- after_gap(x, pull)
  if (length(late)) {
    abort(
      "tell", "Pull ", max(late), " is told without its `arm`, and pull ",
      setdiff(seq_len(max(late)), c(seq_len(x$last), pull))[1L], " is not told before it. Keep ",
      "the column `arm` that ask() gave."
    )
  }
}

# Pulls after one that is not asked yet and not told with them.
after_gap <- function(x, pull) {
  new <- pull[!is.na(pull) & pull > x$last]
  sort(new)[sort(new) != x$last + seq_along(new)]
}

find_pulls <- function(arm, asked) {
  pull <- rep(NA_integer_, length(arm))
  for (i in seq_along(arm)) {
    at <- match(arm[i], asked$arm)
    if (!is.na(at)) {
      pull[i] <- asked$pull[at]
      asked$arm[at] <- NA
    }
  }
  pull
}

# Pulls below the highest told, and not told themselves, are still out.
leave_open <- function(x, pull, asked) {
  out <- asked$pull < max(x$last + 1L, pull, na.rm = TRUE) & !asked$pull %in% pull &
    asked$pull > x$last
  x$open <- list(pull = c(x$open$pull, asked$pull[out]), arm = c(x$open$arm, asked$arm[out]))
  x
}

#' The arm to keep
#'
#' `best_arm()` gives the arm that the run recommends after the observations so far. Use it
#' for the answer itself; `print(x)` says how sure it is.
#'
#' For the default policy this is the arm with the highest posterior mean, whether it was
#' pulled or not: under the model no other choice loses less on average. Before the first
#' observation it is the arm with the highest prior mean. Ties are broken at random.
#'
#' @param x A run: the result of [bayesgap()] or [tell()].
#' @return The arm as the arms were given: its number, its name, or its row (a data frame of
#'   one row, the name in the column `arm`).
#' @seealso [posterior()] for all arms.
#' @export
#' @examples
#' x <- bayesgap(c("a", "b"), function(arm) if (arm == "a") 1 else 2, budget = 4, noise_sd = 0)
#' best_arm(x)
best_arm <- function(x) {
  check_run(x)
  arm_value(x$model$arms, x$belief$best)
}
