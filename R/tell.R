# tell(): results in any form and order become rows of the log: which pull, which arm, what was
# told.

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
