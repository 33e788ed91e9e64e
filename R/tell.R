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
  say_if_binary(if (is.data.frame(y)) tell_frame(x, y) else tell_one(unclass(x), y), x$observed)
}

tell_one <- function(x, y) {
  asked <- ask_rows(x, 1L)
  if (!length(asked$pull)) {
    abort("tell", "No pull is open: ", if (is.null(x$stopped)) "the budget is spent"
          else x$stopped, ". Tell further results as a data frame with `arm` and `y`.")
  }
  told <- told_one(x, y, asked)
  if (has_blocks(x) && is.na(asked$block)) {
    abort_no_block()
  }
  learn(x, list(
    pull = asked$pull, arm = asked$arm, block = asked$block,
    reward = reward_sign(x) * told$y, se = NA_real_, size = told$size
  ))
}

# The reward and its size, as read_hits() gives them.
told_one <- function(x, y, asked) {
  family <- family_of(x$model)
  if (is.null(family)) {
    return(if (is_reward(y)) list(y = as.double(y), size = 1) else abort_reward(y, asked))
  }
  parts <- result_parts(y, family)
  check_no_se(parts[["se"]], family)
  found <- read_hits(parts, family)
  if (is.character(found)) {
    abort(
      "tell", "Of `y`, ", found, ". A pull that failed is told as a data frame with `y = NA`."
    )
  }
  found
}

abort_no_block <- function() {
  abort(
    "block", "The results of this run have blocks: tell them as a data frame with a column ",
    "`block`, such as the one that ask(x, n, block = ) gave."
  )
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
    ". A pull that failed is told as a data frame with `y = NA`.",
    if (is_flag(y)) " For successes and failures, say `family = \"binomial\"`."
  )
}

# Columns of the run's own, as as.data.frame() gives them: all others are kept as they are.
own_columns <- function(family) {
  c("pull", "arm", "block", "y", "se", "error", if (!is.null(family)) {
    c("size", family$hits, family$size)
  })
}

# Below, y is the list of the columns that were told.
tell_frame <- function(x, y) {
  arms <- x$model$arms
  family <- family_of(x$model)
  results <- c("y", family$hits, family$size)
  placed <- any(names(y) %in% c("pull", "arm", names(arms$data)))
  if (!any(results %in% names(y)) || !placed) {
    abort("tell", "`y` must have a column `y`",
          if (!is.null(family)) sprintf(" or the columns `%s` and `%s`,", family$hits, family$size),
          " and a column `arm` or `pull`", if (length(arms$data)) " or those of the arms",
          "; it has ", if (length(y)) quoted(names(y), Inf) else "none", family_hint(names(y)), ".")
  }
  y <- check_columns(y, "y", "tell")
  told_cost <- y[["cost"]]
  if (!is.null(x$model$cost)) {
    y[["cost"]] <- NULL # which may be that of the arms too, and need not be the same
  }
  if (!is.null(family)) {
    y <- with_rates(y, family)
  }
  if (!length(y[["y"]])) {
    return(x)
  }
  if (!is.null(y[["block"]])) {
    x <- meet_blocks(unclass(x), block_labels(y[["block"]], "y$block", "block"), "y$block")
  }
  told <- place_rows(x, y)
  block <- blocks_of_rows(x, y, told)
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
    pull = told$pull, arm = told$arm, reward = reward_sign(x) * reward, se = se, block = block,
    size = if (!is.null(family)) y[["size"]],
    cost = if (!is.null(x$model$cost)) check_told_costs(x, told$arm, told_cost)
  )
  further <- y[setdiff(names(y), c(own_columns(family), names(arms$data)))]
  take_in(x, rows, told_remarks(further, told_errors(y, failed)), told$asked)
}

# What results did cost; where they do not say it, what they were to.
check_told_costs <- function(x, arm, cost) {
  if (is.null(cost)) {
    return(cost_of_arms(x, arm))
  }
  true_costs(x, arm, check_told(
    cost, is.na(cost), "cost", function(v) v > 0 & v <= 1e100, "numbers above 0, or NA"
  ))
}

check_told <- function(value, missing, column, valid, must) {
  if (is.list(value) || (!is.numeric(value) && !all(missing))) {
    abort("tell", "The column `", column, "` of `y` must hold ", must, ", not ",
          describe(value), ".", if (is.logical(value) && column == "y") {
            " For successes and failures, say `family = \"binomial\"`."
          })
  }
  value <- as.double(value)
  bad <- is.nan(value) | (!missing & !valid(value))
  if (any(bad)) {
    abort("tell", "The column `", column, "` of `y` must hold ", must, "; row ",
          which(bad)[1L], " is ", format(value[bad][1L]), ".")
  }
  value
}

# Those told, or else those in which the pulls were asked for, as far as that is known: pulls that
# were left out before, and those after a gap, were asked of an earlier state.
blocks_of_rows <- function(x, y, told) {
  if (!has_blocks(x)) {
    return(rep(NA_integer_, length(told$arm)))
  }
  if (!is.null(y[["block"]])) {
    return(told_blocks(x, y, "y", "block"))
  }
  at <- match(told$pull, told$asked$pull)
  block <- told$asked$block[at]
  block[is.na(at) | told$asked$arm[at] != told$arm] <- NA
  block[told$pull %in% c(x$open$pull, after_gap(x, told$pull))] <- NA
  if (anyNA(block)) {
    abort_no_block()
  }
  block
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
  block <- told_blocks(x, y, "y", "block")
  whole <- numbered && !is.null(y[["arm"]]) && !anyNA(block)
  asked <- if (whole) asked_again(x, pull, block) else asked_for(x, pull, block)
  if (numbered && is.null(y[["arm"]])) {
    return(list(pull = pull, arm = arms_of_pulls(x, y, pull, asked), asked = asked))
  }
  arm <- match_rows(arms, y, "y")
  if (!numbered) {
    pull <- find_pulls(arm, block, asked)
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
  # What was left out when others of its block, or of another, were told is a guess.
  arm[has_blocks(x) & pull %in% x$open$pull] <- NA
  if (has_blocks(x) && any(pull %in% x$open$pull) && !described) {
    abort(
      "tell", "Pull ", pull[pull %in% x$open$pull][1L], " is told without its `arm`, after pulls ",
      "that were asked later. Keep the column `arm` that ask() gave."
    )
  }
  lost <- is.na(arm)
  if (any(lost) && !described) {
    abort("tell", "Row ", which(lost)[1L], " of `y` has no `arm`, and its `pull` (",
          pull[lost][1L], ") was not asked.")
  }
  if (described) {
    check_plain(y, shared_columns(arms, y), "y", "arm")
    late <- which(!lost & pull %in% after_gap(x, pull))
    earlier <- length(x$log$arm) > 0L
    if (length(late) && !earlier) {
      arm <- by_either_rule(x, y, pull, arm, late)
    }
    by_column <- union(which(lost), if (earlier) late)
    arm[by_column] <- find_rows(arms, y, "y", by_column)
    say_if_other(arms, pull, arm, asked, intersect(late, by_column))
    check_rows_agree(
      arms, y, arm, "y", function(row) paste0("its `pull`, ", pull[row], ", asked for arm "),
      " Where it was asked of an earlier state of the run, keep the column `arm` that ask() gave."
    )
  }
  arm
}

# Of a run that was told nothing yet there is no earlier state: what is told beyond the next pull
# was asked of this one, by one rule or the other.
by_either_rule <- function(x, y, pull, arm, late) {
  other <- ask_rows(x, max(pull[late]) - x$last, rule = "distinct")
  there <- match(pull, other$pull)
  late <- late[!is.na(there[late]) & !rows_agree(x$model$arms, y, arm)[late]]
  arm[late] <- other$arm[there[late]]
  arm
}

say_if_other <- function(arms, pull, arm, asked, late) {
  now <- asked$arm[match(pull[late], asked$pull)]
  other <- which(now != arm[late])
  if (length(other)) {
    row <- late[other[1L]]
    message(
      "Pull ", pull[row], " is taken for arm ", quoted(arms$names[arm[row]]), ", as its columns ",
      "say, and not for the arm that ask() names for it now, ",
      quoted(arms$names[now[other[1L]]]), ". Keep the column `arm` of ask() to be sure."
    )
  }
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

find_pulls <- function(arm, block, asked) {
  pull <- rep(NA_integer_, length(arm))
  for (i in seq_along(arm)) {
    same <- is.na(block[i]) | is.na(asked$block) | asked$block == block[i]
    at <- match(TRUE, same & asked$arm == arm[i])
    if (!is.na(at)) {
      pull[i] <- asked$pull[at]
      asked$arm[at] <- NA
    }
  }
  pull
}
