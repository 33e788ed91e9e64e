# The run as a value: a plain list, made anew by every observation. What it holds, and what is asked
# of it everywhere.

# unknowns: is anything left to the data; prior, fit: in use (prior NULL: the model's, which a
# saved run need not hold twice); learned: what of them was, and doubtful: did that ever fail;
# inexact: has it been said that rounding tells;
# observed: rewards in the log, fitted: how many of them the fit was made from; last: the highest
# pull number told; open: pulls asked before it and not told yet; stream: the random numbers of
# pull last + 1; remarks: of some rows of the log, what went wrong or was returned besides the
# reward, by row number; epoch, tells: the rows of the log that were there when the belief was
# begun, the pulls open then and the batches before, and how many rows were told at a time since;
# underway: the batch that is being carried out, with the results that came. The log speaks of
# rewards, the larger the better; a pull outside the budget has no number.
blank_run <- function(settings) {
  structure(
    c(settings, list(
      unknowns = has_unknowns(settings$model), prior = NULL, fit = NULL, learned = NULL,
      doubtful = FALSE, inexact = FALSE, fitted = 0L, observed = 0L, last = 0L, open = no_pulls,
      stream = new_stream(settings$seed),
      log = list(pull = integer(), arm = integer(), reward = double(), se = double()),
      remarks = list(), epoch = NULL, tells = integer(), underway = NULL, belief = NULL,
      stopped = NULL
    )),
    class = "bayesgap"
  )
}

# What makes a run.
run_settings <- function(x) {
  unclass(x)[c(
    "model", "policy", "budget", "maximise", "replace", "stop_regret", "init", "seed"
  )]
}

no_pulls <- list(pull = integer(), arm = integer())

check_run <- function(x) {
  if (missing(x)) {
    abort("run", "`x` must be given: a run, made by bayesgap() or tell().")
  }
  if (!inherits(x, "bayesgap")) {
    abort_argument("run", "x", "a run, made by bayesgap() or tell()", x)
  }
}

run_prior <- function(x) if (is.null(x$prior)) x$model$prior else x$prior

reward_sign <- function(x) if (x$maximise) 1 else -1

# The posterior means of some arms, in units of reward.
means_of <- function(x, arms = TRUE) x$fit$centre + x$belief$mean[arms]

log_rows <- function(log, rows) lapply(log, `[`, rows)

# New rows of the log, not learned yet.
keep_rows <- function(x, rows) {
  log <- x$log
  x$log <- list(
    pull = c(log$pull, rows$pull), arm = c(log$arm, rows$arm),
    reward = c(log$reward, rows$reward), se = c(log$se, rows$se)
  )
  x$observed <- x$observed + sum(!is.na(rows$reward))
  count_pulls(x, rows$pull)
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
  highest <- if (length(pull) == 1L && !is.na(pull)) pull else max(x$last, pull, na.rm = TRUE)
  while (x$last < highest) {
    x$last <- x$last + 1L
    x$stream <- nextRNGStream(x$stream)
  }
  x
}

# NULL: none is. x$taken: arms that the batch being asked has already.
barred_arms <- function(x) {
  if (!x$replace || !is.null(x$taken)) {
    pulled <- if (!x$replace) c(x$log$arm, x$open$arm)
    seq_len(n_arms(x$model$arms)) %in% c(pulled, x$taken)
  }
}

is_done <- function(x) {
  !is.null(x$stopped) || (x$last >= x$budget && !length(x$open$pull))
}

has_failed <- function(result) !is.null(result$remark$error)

has_worked <- function(result) !has_failed(result)

session <- new.env(parent = emptyenv())
