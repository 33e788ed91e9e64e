# Which pull, arm and block a result belongs to that was told: what it says of itself, and what was
# asked.

# The pull and the arm of every row told: the pull says the arm, or the arm finds its pull
# among those that are out.
place_rows <- function(x, y) {
  arms <- x$model$arms
  numbered <- !is.null(y[["pull"]])
  pull <- rep(NA_integer_, length(y[[1L]]))
  if (numbered) {
    check_asked(x, y[["pull"]])
    pull <- check_pull_numbers(x, y[["pull"]], "y")
  }
  twice <- pull[duplicated(pull) & !is.na(pull)]
  twice <- c(pull[are_told(x, pull)], twice)
  if (length(twice)) {
    abort("tell", "Pull ", twice[1L], " has been told already. A further result of its arm ",
          "can be told with `pull = NA`; amend() corrects the one that was told.")
  }
  block <- told_blocks(x, y, "y", "block")
  check_block_as_asked(x, pull, block)
  whole <- numbered && !is.null(y[["arm"]]) && !anyNA(block)
  asked <- if (isTRUE(x$strict)) {
    lapply(x$open, `[`, order(x$open$pull))
  } else if (whole) {
    asked_again(x, pull, block)
  } else {
    asked_for(x, pull, block)
  }
  if (numbered && is.null(y[["arm"]])) {
    return(list(pull = pull, arm = arms_of_pulls(x, y, pull, asked), asked = asked))
  }
  arm <- match_rows(arms, y, "y")
  check_as_asked(x, pull, arm)
  if (!numbered) {
    pull <- find_pulls(arm, block, asked)
    if (anyNA(pull) && (isTRUE(x$strict) || !all(is.na(pull)))) {
      message(
        sum(is.na(pull)), " of ", length(pull), " results were not asked for by ask(x) and do ",
        "not count against the budget.",
        if (!isTRUE(x$strict)) " Keep the column `pull` of ask(x, n) to count them."
      )
    }
  }
  list(pull = pull, arm = arm, asked = asked)
}

# Numbers that stand for no trial: called off, or none of those that were asked, where all of these
# are known.
check_asked <- function(x, pull) {
  gone <- intersect(pull, cancelled_pulls(x$changes))
  if (length(gone)) {
    abort(
      "tell", "Pull ", gone[1L], " was cancelled, and its place in the budget given back. Tell a ",
      "result that came all the same with `pull = NA` and its `arm`."
    )
  }
  never <- if (isTRUE(x$strict) && is.numeric(pull)) pull[!is.na(pull) & pull > x$last]
  if (length(never)) {
    abort(
      "tell", "Pull ", format(never[1L]), " was never asked. ",
      if (length(x$open$pull)) c("Out are ", open_words(x)) else "No trial is out",
      ". A result of another trial is told with `pull = NA` and its `arm`."
    )
  }
}

# Which trials are out: "pull 3 (arm "a"), pull 4 (arm "c")".
open_words <- function(x, most = 8L) {
  open <- lapply(x$open, `[`, utils::head(order(x$open$pull), most))
  words <- sprintf("pull %d (arm %s)", open$pull, vapply(x$model$arms$names[open$arm], quoted, ""))
  paste0(paste(words, collapse = ", "), if (length(x$open$pull) > most) ", ...")
}

# A trial whose block is on record is not told of another block.
check_block_as_asked <- function(x, pull, block) {
  at <- match(pull, x$open$pull)
  bad <- which(pull %in% x$asked & x$open$block[at] != block)
  if (length(bad)) {
    row <- bad[1L]
    abort(
      "block", "Row ", row, " of `y` says block ", quoted(x$blocks[block[row]]), ", but pull ",
      pull[row], " was asked for block ", quoted(x$blocks[x$open$block[at[row]]]), ". Where it ",
      "was made in the other, tell() it as it was asked and amend() it."
    )
  }
}

# A trial whose arm is on record is not told of another arm.
check_as_asked <- function(x, pull, arm) {
  at <- match(pull, x$open$pull)
  bad <- which(pull %in% x$asked & x$open$arm[at] != arm)
  if (length(bad)) {
    row <- bad[1L]
    names <- x$model$arms$names
    abort(
      "arm", "Row ", row, " of `y` says arm ", quoted(names[arm[row]]), ", but its `pull`, ",
      pull[row], ", asked for arm ", quoted(names[x$open$arm[at[row]]]), ". Correct the one or ",
      "the other; the result of a trial that was not asked is told with `pull = NA`."
    )
  }
}

# Pulls that are out, but of which arm and in which block is a guess.
guessed <- function(x) setdiff(x$open$pull, x$asked)

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
  unsure <- has_blocks(x) & pull %in% guessed(x)
  arm[unsure] <- NA
  if (any(unsure) && !described) {
    abort(
      "tell", "Pull ", pull[unsure][1L], " is told without its `arm`, after pulls that were asked ",
      "later. Keep the column `arm` that ask() gave."
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
  block[told$pull %in% c(guessed(x), after_gap(x, told$pull))] <- NA
  if (anyNA(block)) {
    abort_no_block()
  }
  block
}

abort_no_block <- function() {
  abort(
    "block", "The results of this run have blocks: tell them as a data frame with a column ",
    "`block`, such as the one that ask(x, n, block = ) gave."
  )
}
