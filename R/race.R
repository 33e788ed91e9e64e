# Who is in the race: arms that fail again and again are set aside, and arms that the user dropped
# are out. Neither is pulled or recommended; what is known of them still tells of their neighbours.

# Failures in a row of its own after which an arm is set aside while others work.
most_own_failures <- 3L

# What is written of a result that was withdrawn: that is no failure of its arm.
withdrawn <- "withdrawn"

# How often each arm failed since it last worked or was brought back; NULL: no pull ever failed.
own_failures <- function(x) {
  failed <- is.na(x$log$reward)
  if (!any(failed)) {
    return(NULL)
  }
  row <- seq_along(failed)
  failed <- failed & !remark_errors(x$remarks, length(row)) %in% withdrawn
  since <- integer(n_arms(x$model$arms))
  since[x$retried$arm] <- x$retried$row
  after <- row > since[x$log$arm]
  worked <- pmax(since, largest_row(row[!is.na(x$log$reward)], x$log$arm, length(since)))
  tabulate(x$log$arm[failed & after & row > worked[x$log$arm]], length(since))
}

# Of these rows the last of each of k arms, 0 where it has none.
largest_row <- function(rows, arm, k) {
  last <- integer(k)
  last[arm[rows]] <- rows # of several, the last stands
  last
}

# The same after new rows, one at a time.
count_failures <- function(failures, k, arm, failed) {
  if (is.null(failures)) {
    if (!any(failed)) {
      return(NULL)
    }
    failures <- integer(k)
  }
  for (i in seq_along(arm)) {
    failures[arm[i]] <- if (failed[i]) failures[arm[i]] + 1L else 0L
  }
  failures
}

# What went wrong in each of n rows; NA: nothing.
remark_errors <- function(remarks, n) {
  error <- rep(NA_character_, n)
  for (row in names(remarks)) {
    said <- remarks[[row]][["error"]]
    if (!is.null(said)) {
      error[as.integer(row)] <- said
    }
  }
  error
}

# remarks: one a row, NULL where there is none, or no remarks at all.
are_withdrawn <- function(remarks) {
  if (is.null(remarks)) FALSE else vapply(remarks, function(r) identical(r$error, withdrawn), TRUE)
}

is_dropped <- function(x) seq_len(n_arms(x$model$arms)) %in% x$dropped

# Arms that are not to be pulled: dropped, or failing, as long as another is left that does not;
# NULL: there are none.
arms_aside <- function(x) {
  stuck <- !is.null(x$failures) && any(x$failures >= most_own_failures)
  if (!stuck && !length(x$dropped)) {
    return(NULL)
  }
  dropped <- is_dropped(x)
  aside <- dropped | (if (stuck) x$failures >= most_own_failures else FALSE)
  if (all(aside)) dropped else aside
}

# Those that are not to be recommended either; NULL: all may be. While nothing ever worked there is
# no telling whose fault it is.
arms_out <- function(x) {
  out <- if (x$observed) arms_aside(x) else if (length(x$dropped)) is_dropped(x)
  if (any(out) && !all(out)) out
}

# The means with those of arms that are out far below all others.
race_means <- function(x) {
  mean <- x$belief$mean
  out <- arms_out(x)
  if (!is.null(out)) {
    far <- diff(range(mean)) + sqrt(max(x$belief$var))
    mean[out] <- min(mean) - 1e6 * far - 1e-9 * max(abs(mean))
  }
  mean
}

# "active", "failed" or "dropped", one an arm.
arm_status <- function(x) {
  status <- rep("active", n_arms(x$model$arms))
  status[arms_out(x)] <- "failed"
  status[x$dropped] <- "dropped"
  status
}
