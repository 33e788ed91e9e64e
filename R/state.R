# The run as a value: a plain list, made anew by every observation. What it holds, and what is asked
# of it everywhere.

# settings: what makes a run, as run_settings() gives it:
#   model        arms and prior, made by arm_model()
#   policy       how the budget is spent, made by policy()
#   budget       pulls in all; where the model has costs, what may be spent in all
#   maximise     are larger rewards better?
#   replace      may an arm be pulled twice?
#   stop_regret  the regret that ends the run early; NULL: none does
#   init         arms of the first pulls
#   seed         of the run's random numbers
#   count_failures  do pulls that failed count against the budget?
# The log speaks of rewards, the larger the better. A saved run holds the settings and the facts
# (blocks, log, dropped, retried, asked, changes, remarks, epoch, tells, underway); all else follows
# from them. Five fields live within a call only: taken (pulls that the batch being asked has
# already), promised (what they cost), asking (the block that it is asked for), lenient (a policy
# that fails is not to be in the way) and strict (every pull that was asked is recorded, as in a
# file).
#
# The order is that of enum run_at in C. `$` goes through the names one by one: what every round
# asks for stands first.
blank_run <- function(settings) {
  state <- list(
    blocks = as.character(settings$model$blocks), # labels of the blocks known so far
    belief = NULL,         # what is known of the arms and decided, as bg_advance() gives it
    stopped = NULL,        # why the run ended before its budget
    last = 0L,             # the highest pull number told, or known to be asked
    freed = 0L,            # numbers up to it that do not count against the budget
    open = no_pulls,       # pulls up to it that are out: not told yet
    underway = NULL,       # the batch that is being carried out, with the results that came
    failures = NULL,       # as own_failures() has them; NULL: none failed
    dropped = integer(),   # arms that the user took out
    fit = NULL,            # in use: prior mean, scale and noise, as new_fit() has them
    prior = NULL,          # in use; NULL: the model's
    observed = 0L,         # rewards in the log
    stream = new_stream(settings$seed), # the random numbers of pull last + 1
    log = list(            # one row an observation, in the order told
      pull = integer(),    # its number; NA outside the budget
      arm = integer(),     # its place among the arms
      reward = double(),   # NA: the pull failed
      se = double(),       # its own standard error; NA: the model's noise
      block = integer(),   # its block's place among the labels; NA: there are no blocks
      size = double(),     # trials or exposure behind the rate; 1 where there is no family
      cost = double()      # what it did cost; 1 where there are no costs
    ),
    tells = integer(),     # how many rows were told at a time since the belief was begun
    unknowns = has_unknowns(settings$model, settings$model$blocks), # is anything left to the data?
    inexact = FALSE,       # has it been said that rounding tells?
    learned = NULL,        # what of prior and noise was learned, on the log scale
    doubtful = FALSE,      # did that ever fail?
    repeated = FALSE,      # has it been said that repeats are the same?
    fitted = 0L,           # rewards that the fit was made from
    paid = 0,              # what the pulls told did cost, where the model has costs
    retried = list(arm = integer(), row = integer()), # from which row on their failures count
    withdrawn = integer(), # rows of the log that are no failures, though they have no reward
    asked = integer(),     # those of the open pulls that ask() recorded: their arms are no guess
    changes = no_changes,  # what was in the log before it was changed, and when
    remarks = list(),      # by row number: what went wrong, or was returned besides the reward
    epoch = NULL           # when the belief was begun: rows of the log, last, open, batches before
  )
  structure(c(settings, state), class = "bayesgap")
}

# What makes a run.
run_settings <- function(x) {
  unclass(x)[c(
    "model", "policy", "budget", "maximise", "replace", "stop_regret", "init", "seed",
    "count_failures"
  )]
}

no_pulls <- list(pull = integer(), arm = integer(), block = integer())

# file: may it be the name of a file that holds one?
check_run <- function(x, file = FALSE) {
  if (!missing(x) && (inherits(x, "bayesgap") || (file && is.character(x)))) {
    return(invisible())
  }
  other <- if (file) ", or the name of a file that holds one"
  must <- paste0("a run, made by bayesgap() or tell()", other)
  if (missing(x)) {
    abort("run", "`x` must be given: ", must, ".")
  }
  abort_argument("run", "x", must, x)
}

run_prior <- function(x) if (is.null(x$prior)) x$model$prior else x$prior

reward_sign <- function(x) if (x$maximise) 1 else -1

# The posterior means of some arms, in units of reward.
means_of <- function(x, arms = TRUE) x$fit$centre + x$belief$mean[arms]

log_rows <- function(log, rows) lapply(log, `[`, rows)

# New rows of the log, not learned yet.
# withdrawn: of which of them it is known that they are no failures of their arm.
keep_rows <- function(x, rows, withdrawn = FALSE) {
  n <- length(rows$arm)
  reward <- as.double(rows$reward)
  cost <- if (is.null(rows$cost)) cost_of_arms(x, rows$arm) else rows$cost
  before <- length(x$log$arm)
  # c() would copy all of it.
  x$log <- .Call(bg_append, x$log, list(
    as.integer(rows$pull), as.integer(rows$arm), reward, as.double(rows$se),
    if (is.null(rows$block)) rep(NA_integer_, n) else as.integer(rows$block),
    if (is.null(rows$size)) rep(1, n) else as.double(rows$size), as.double(cost)
  ))
  failed <- is.na(reward)
  worked <- n - sum(failed)
  if (worked < n || !is.null(x$model$cost)) {
    x <- pay(x, rows$pull, failed, cost)
  }
  x$observed <- x$observed + worked
  if (worked < n && is.null(x$failures)) {
    x$failures <- no_failures(n_arms(x$model$arms), x$log$arm[seq_len(before)])
  }
  if (!is.null(x$failures)) {
    new <- before + seq_along(failed)
    x$withdrawn <- c(x$withdrawn, new[failed & withdrawn])
    x$failures <- add_failures(x$failures, x$log, new, x$withdrawn)
  }
  count_pulls(x, rows$pull)
}

# What new rows take of the budget: those outside it nothing, nor failed ones that do not count.
pay <- function(x, pull, failed, cost) {
  free <- failed & !x$count_failures & !is.na(pull)
  if (any(free)) {
    x$freed <- x$freed + sum(free)
  }
  if (!is.null(x$model$cost)) {
    x$paid <- add_costs(x$paid, cost[!is.na(pull) & !free])
  }
  x
}

# How many rows were told, after those told before.
add_tell <- function(tells, n) .Call(bg_append, list(tells), list(n))[[1L]]

# remarks: of the rows that follow on so many. As a part of the run, since `$<-` would go through
# all of them, and all they hold, in search of the run itself.
add_remarks <- function(x, remarks, rows) {
  new <- number_remarks(remarks, rows)
  if (length(new)) {
    x["remarks"] <- .Call(bg_append, list(x$remarks), list(new))
  }
  x
}

# One remark a row, NULL where there is none: kept under the row's number in the log.
number_remarks <- function(remarks, rows) {
  names(remarks) <- rows + seq_along(remarks)
  Filter(Negate(is.null), remarks)
}

# Told pulls are not open any more; the stream moves on with the highest number.
count_pulls <- function(x, pull) {
  if (length(x$open$pull)) {
    x$open <- lapply(x$open, `[`, !x$open$pull %in% pull)
  }
  last <- x$last
  highest <- if (length(pull) == 1L && !is.na(pull)) pull else max(last, pull, na.rm = TRUE)
  if (last < highest) {
    x$stream <- later_stream(x$stream, highest - last)
    x$last <- as.integer(highest)
  }
  x
}

# Which pulls have been told? A number up to the highest is told, out or cancelled.
are_told <- function(x, pull) {
  !is.na(pull) & pull <= x$last & !pull %in% c(x$open$pull, cancelled_pulls(x$changes))
}

# Arms that may not be pulled; NULL: all may.
barred_arms <- function(x) {
  barred <- if (has_blocks(x)) barred_in_blocks(x) else barred_by_pulls(x)
  either(either(barred, arms_aside(x)), too_dear(x))
}

# One of two flags an arm; NULL: none has it.
either <- function(a, b) if (is.null(a) || is.null(b)) c(a, b) else a | b

# x$taken: pulls that the batch being asked has already.
barred_by_pulls <- function(x) {
  if (!x$replace || !is.null(x$taken)) {
    pulled <- if (!x$replace) c(x$log$arm, x$open$arm)
    seq_len(n_arms(x$model$arms)) %in% c(pulled, x$taken$arm)
  }
}

# A control is one in every block.
has_blocks <- function(x) length(x$blocks) > 0L || !is.null(x$model$control)

# Without `replace` no arm is twice in one block. With it, in a block that is known beforehand, none
# is as long as another is not.
barred_in_blocks <- function(x) {
  none <- logical(n_arms(x$model$arms))
  free <- x$replace && (is.null(x$model$blocks) || is.null(x$asking))
  been <- if (free) none else been_in_blocks(x)
  if (x$replace && all(been)) {
    been <- none
  }
  out <- been | seq_along(been) %in% x$taken$arm
  if (any(out)) out
}

# Has each arm been in the block asked for, or else in every block that there is?
been_in_blocks <- function(x) {
  arms <- seq_len(n_arms(x$model$arms))
  arm <- c(x$log$arm, x$open$arm)
  block <- c(x$log$block, x$open$block)
  if (!is.null(x$asking)) {
    arms %in% arm[block == x$asking]
  } else if (!is.null(x$model$blocks)) {
    tabulate(arm[!duplicated(block * (length(arms) + 1) + arm)], length(arms)) >= length(x$blocks)
  } else {
    rep(FALSE, length(arms))
  }
}

is_done <- function(x) {
  !is.null(x$stopped) || (is_spent(x) && !length(x$open$pull))
}

session <- new.env(parent = emptyenv())
