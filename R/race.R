# Who is in the race: arms that fail again and again are set aside, and arms that the user dropped
# are out. Neither is pulled or recommended; what is known of them still tells of their neighbours.

# Failures in a row of its own after which an arm is set aside while others work.
most_own_failures <- 3L

# What is written of a result that was withdrawn: that is no failure of its arm.
withdrawn <- "withdrawn"

# How often each arm failed since it last worked or was brought back; NULL: no pull ever failed.
own_failures <- function(x) {
  if (!anyNA(x$log$reward)) {
    return(NULL)
  }
  failed <- failed_rows(x)
  row <- seq_along(failed)
  since <- integer(n_arms(x$model$arms))
  since[x$retried$arm] <- x$retried$row
  after <- row > since[x$log$arm]
  worked <- pmax(since, largest_row(row[!is.na(x$log$reward)], x$log$arm, length(since)))
  tabulate(x$log$arm[failed & after & row > worked[x$log$arm]], length(since))
}

# Which rows of the log are failures?
failed_rows <- function(x) {
  failed <- is.na(x$log$reward)
  if (any(failed)) failed & !remark_errors(x$remarks, length(failed)) %in% withdrawn else failed
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

is_dropped <- function(x) seq_len(n_arms(x$model$arms)) %in% x$dropped

# Arms that are not to be pulled: dropped, or failing, as long as another is left that does not;
# NULL: there are none.
arms_aside <- function(x) {
  stuck <- is_stuck(x)
  if (!any(stuck) && !length(x$dropped)) {
    return(NULL)
  }
  dropped <- is_dropped(x)
  aside <- dropped | stuck
  if (all(aside)) dropped else aside
}

# Which arms failed so often? FALSE: none ever did.
is_stuck <- function(x) if (is.null(x$failures)) FALSE else x$failures >= most_own_failures

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

arm_statuses <- c("active", "failed", "dropped")

# One an arm.
arm_status <- function(x) {
  status <- rep("active", n_arms(x$model$arms))
  status[arms_out(x)] <- "failed"
  status[x$dropped] <- "dropped"
  status
}

failed_arms <- function(x) {
  if (is.null(x$failures)) integer() else which(arm_status(x) == "failed")
}

# Is all that was told a failure? Then there is no answer, only the prior.
nothing_worked <- function(x) !x$observed && any(failed_rows(x))

# ---- What is said of it -------------------------------------------------------------------------

# Once, when it happens. before: the run as it was.
say_if_failed <- function(x, before) {
  new <- setdiff(failed_arms(x), failed_arms(before))
  if (length(new)) {
    inform(
      "failed", "Set aside: ", paste(utils::head(aside_words(x, new), 5L), collapse = ", "),
      if (length(new) > 5L) c(", and ", length(new) - 5L, " more"),
      ". The run goes on with the other arms; retry_arms() brings ",
      if (length(new) == 1L) "it" else "them", " back."
    )
  }
  x
}

# "lr = 0.1 (failed 3 times in a row: loss is NaN)", one an arm.
aside_words <- function(x, arms) {
  rows <- largest_row(which(failed_rows(x)), x$log$arm, length(x$failures))
  error <- remark_errors(x$remarks, length(x$log$arm))[rows[arms]]
  sprintf(
    "%s (failed %d times in a row: %s)", vapply(arms, arm_words, "", arms = x$model$arms),
    x$failures[arms], first_line(error)
  )
}

# An arm by its name, or, where it has none of its own, by its columns.
arm_words <- function(arms, i) {
  columns <- names(arms$data)
  if (has_names(arms) || !length(columns)) {
    return(encodeString(arms$names[i]))
  }
  text <- row_text(arms$data, i, utils::head(columns, 6L))
  paste0(text, if (length(columns) > 6L) ", ...")
}

first_line <- function(text) sub("\n.*", "", text)

# What is to be told in place of an answer.
nothing_words <- function(x) {
  failed <- which(failed_rows(x))
  first <- failed[1L]
  sprintf(
    "Nothing worked in %s. The first%s was of arm %s and failed: %s",
    count_of(length(failed), "pull"),
    if (is.na(x$log$pull[first])) "" else sprintf(", pull %d,", x$log$pull[first]),
    quoted(x$model$arms$names[x$log$arm[first]]), first_error(x)
  )
}

first_error <- function(x) remark_errors(x$remarks, length(x$log$arm))[failed_rows(x)][1L]
