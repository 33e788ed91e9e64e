# Blocks within a run: which there are, in which the next pull is made, and what is known of them.

# For the C core, in the order of enum blocks_at: blocks that tell anything, those that may be
# chosen, the one asked for, and the pulls that are out. NULL: the run has none.
block_task <- function(x) {
  if (has_blocks(x)) {
    list(
      if (x$fit$block2 > 0) length(x$blocks) else 0L, length(x$model$blocks),
      if (is.null(x$asking)) NA_integer_ else x$asking, x$open$arm, x$open$block
    )
  }
}

# By the values in use, or others.
blocks_tell <- function(x, fit = x$fit) has_blocks(x) && fit$block2 > 0

# The labels of the run's blocks with these among them. Where the blocks are known beforehand no
# others come up; a run begins with blocks or has none.
join_blocks <- function(x, label, arg, what) {
  fixed <- x$model$blocks
  if (!is.null(fixed)) {
    bad <- which(!label %in% fixed)
    if (length(bad)) {
      abort(
        what, "There is no block ", quoted(label[bad[1L]]), ": the run was made with `blocks` ",
        quoted(fixed), ".", suggest(label[bad[1L]], fixed), " Give one of these; a run made ",
        "without `blocks` takes any."
      )
    }
  } else if (!has_blocks(x) && length(x$log$arm) && length(label)) {
    abort(
      what, "`", arg, "` names a block, but the ", count_of(length(x$log$arm), "result"),
      " told before ", if (length(x$log$arm) == 1L) "has" else "have", " none. Begin a new run, ",
      "and tell all results with their block."
    )
  }
  if (length(label)) {
    check_exact_blocks(x$model)
  }
  unique(c(x$blocks, label))
}

# After exact rewards in one block all arms seem to be known, though nothing is of other blocks.
check_exact_blocks <- function(model) {
  exact <- !is.null(model$noise_sd) && all(model$noise_sd == 0)
  if (exact && is.null(model$block_sd)) {
    abort(
      "block", "`block_sd` must be given where `noise_sd = 0`: from exact rewards in one block it ",
      "cannot be told how far others are. Or leave `noise_sd` to be learned."
    )
  }
}

# The next pull: list(arm, block).
next_pull <- function(x) {
  arm <- if (length(x$init)) initial_arm(x) else NA
  initial <- !is.na(arm)
  if (!initial) {
    arm <- x$belief$next_arm
  }
  if (!has_blocks(x) || is.na(arm)) {
    return(list(arm = arm, block = NA_integer_))
  }
  block <- if (!is.null(x$asking)) {
    x$asking
  } else if (is.null(x$model$blocks)) {
    NA_integer_
  } else if (initial || !is.null(x$policy$own)) {
    fullest_new_block(x, arm)
  } else {
    x$belief$next_block
  }
  if (lacks_control(x, block)) {
    arm <- x$model$control
  }
  list(arm = arm, block = block)
}

# Of the next initial pull; NA: the policy decides. The control of a block takes the place of no
# initial arm; one that is the control is pulled as such.
initial_arm <- function(x) {
  init <- x$init
  at <- counted(x) + 1L
  if (!is.null(x$model$control)) {
    init <- init[init != x$model$control]
    at <- at - length(control_blocks(x))
  }
  arm <- init[at]
  if (is.na(arm) || is_used_up(x, arm)) NA else arm
}

# The blocks in which the control is one of the budget's pulls.
control_blocks <- function(x) {
  counts <- !is.na(x$log$pull) & (x$count_failures | !is.na(x$log$reward))
  arm <- c(x$log$arm[counts], x$open$arm, x$taken$arm)
  block <- c(x$log$block[counts], x$open$block, x$taken$block)
  unique(block[arm == x$model$control & !is.na(block)])
}

# An initial pull is not made of an arm that is set aside or costs more than is left, nor, without
# `replace`, of one that was told otherwise, or in a block that has it: the policy's choice is.
is_used_up <- function(x, arm) {
  if (isTRUE(arms_aside(x)[arm]) || isTRUE(too_dear(x)[arm])) {
    TRUE
  } else if (x$replace) {
    FALSE
  } else if (has_blocks(x)) {
    been_in_blocks(x)[arm]
  } else {
    arm %in% c(x$log$arm, x$open$arm, x$taken$arm)
  }
}

# Of the blocks in which the arm has not been (of all, if there is none) the one with most pulls.
fullest_new_block <- function(x, arm) {
  block <- c(x$log$block, x$open$block)
  been <- block[c(x$log$arm, x$open$arm) == arm]
  open <- setdiff(seq_along(x$blocks), been)
  if (!length(open)) {
    open <- seq_along(x$blocks)
  }
  open[which.max(tabulate(block, length(x$blocks))[open])]
}

# The control comes first in every block, as long as it may be pulled.
lacks_control <- function(x, block) {
  control <- x$model$control
  if (is.null(control) || is.na(block) || isTRUE(arms_aside(x)[control]) ||
    isTRUE(too_dear(x)[control])) {
    return(FALSE)
  }
  here <- c(x$log$block, x$open$block, x$taken$block) == block
  !any(c(x$log$arm, x$open$arm, x$taken$arm)[here] == control, na.rm = TRUE)
}

# The posterior means of the blocks' effects, in units of reward, and their variances.
block_belief <- function(x) {
  n <- length(x$blocks)
  none <- is.null(x$belief$block_mean)
  list(
    mean = if (none) double(n) else common_to_arms(x$fit, x$belief$block_mean),
    var = if (none) double(n) else common_var(x$fit, x$belief)
  )
}

# What each row of the log has of its block, 0 where it is in none.
by_row <- function(x, of_blocks) {
  out <- double(length(x$log$arm))
  at <- which(!is.na(x$log$block))
  out[at] <- seen_of_blocks(x$fit, x$log$arm[at], x$log$block[at], of_blocks)
  out
}

# What each row's block adds to the mean of its arm.
block_shift <- function(x) {
  if (is.null(x$belief$block_mean)) 0 else by_row(x, x$belief$block_mean)
}
