# The pulls of a batch: which arms they get, which are out, and their results taken in.

# What is made of the arms that a batch has already: as if pulled, or not to be pulled again.
batch_rules <- c("fantasy", "distinct")

# The next n pulls: list(pull, arm).
ask_rows <- function(x, n, pending = no_pulls, rule = batch_rules[1L]) {
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
    next_arms(x, n, out, if (rule == "distinct") set_aside else pretend),
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

next_arm <- function(x) {
  if (x$last < length(x$init)) x$init[x$last + 1L] else x$belief$next_arm
}

# The arm is out: its variance shrinks as if it had returned its mean.
pretend <- function(x, arm) {
  log <- x$log
  log$pull <- c(log$pull, x$last)
  log$arm <- c(log$arm, arm)
  log$reward <- c(log$reward, means_of(x, arm))
  log$se <- c(log$se, NA_real_)
  x$log <- log
  advance(x)
}

# The arm is not to be asked again in this batch; the belief stays as it is.
set_aside <- function(x, arm) {
  x$taken <- c(x$taken, arm)
  advance(x)
}

# Rows that were told together. asked: the pulls that were out, the next ones up to the highest
# told among them.
take_in <- function(x, rows, remarks = NULL, asked = asked_again(x, rows$pull)) {
  learn(leave_open(x, rows$pull, asked), rows, remarks)
}

# Where every pull up to the highest told is told, none is left open whose arm were to be found.
asked_again <- function(x, pull) {
  new <- x$last + seq_len(max(0L, pull - x$last, na.rm = TRUE))
  if (all(new %in% pull)) x$open else asked_up_to(x, pull)
}

asked_up_to <- function(x, pull) {
  Map(c, x$open, ask_rows(x, max(1L, pull - x$last, na.rm = TRUE)))
}

# Pulls below the highest told, and not told themselves, are still out.
leave_open <- function(x, pull, asked) {
  out <- asked$pull < max(x$last + 1L, pull, na.rm = TRUE) & !asked$pull %in% pull &
    asked$pull > x$last
  x$open <- list(pull = c(x$open$pull, asked$pull[out]), arm = c(x$open$arm, asked$arm[out]))
  x
}

# A batch is learned as one, in the order of its pulls, so that it does not matter which came
# first. A pull that has no result is still out.
learn_batch <- function(x) {
  batch <- x$underway
  came <- as.character(batch$pull) %in% names(batch$results)
  results <- unname(batch$results[as.character(batch$pull[came])])
  x["underway"] <- list(NULL)
  if (!any(came)) {
    return(x)
  }
  rows <- list(
    pull = batch$pull[came], arm = batch$arm[came],
    reward = vapply(results, `[[`, 0, "reward"), se = vapply(results, `[[`, 0, "se")
  )
  take_in(x, rows, lapply(results, `[[`, "remark"), Map(c, x$open, batch[names(x$open)]))
}

# A batch that was stopped half way will not be finished by the objective: what came of it is told.
by_hand <- function(x) {
  # Without a look for methods, since every ask() and tell() comes here.
  if (is.null(.subset2(x, "underway"))) x else leniently(learn_batch, x)
}
