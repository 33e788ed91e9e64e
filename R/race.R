# Who is in the race: arms that fail again and again are set aside, and arms that the user dropped
# are out. Neither is pulled, nor recommended unless it failed after it had worked; what is known of
# them still tells of their neighbours.

# Failures in a row of its own after which an arm is set aside while others work: at least so many,
# and no more likely by chance than this.
most_own_failures <- 3L
chance_of_failures <- 0.005

# What is written of a result that was withdrawn: that is no failure of its arm.
withdrawn <- "withdrawn"

# What is known of failures of k arms of which some worked before any failed. It grows with the log,
# which is not to be read again for every pull.
no_failures <- function(k, worked = integer()) {
  none <- logical(k)
  list(
    own = integer(k),    # in a row of each arm's own, since it last worked or was brought back
    since = integer(k),  # since it last worked
    worked = replace(none, worked, TRUE), # did it ever?
    failed = none,       # is there no reward of some pull of it?
    recovered = 0L       # failures of arms that worked later
  )
}

# From the whole log; NULL: no pull ever failed.
own_failures <- function(x) {
  if (!anyNA(x$log$reward)) {
    return(NULL)
  }
  withdrawn <- withdrawn_rows(x)
  failures <- no_failures(n_arms(x$model$arms))
  done <- 0L
  for (row in sort(unique(c(x$retried$row, length(x$log$arm))))) {
    failures <- add_failures(failures, x$log, done + seq_len(row - done), withdrawn)
    failures$own[x$retried$arm[x$retried$row == row]] <- 0L
    done <- row
  }
  failures
}

withdrawn_rows <- function(x) {
  which(remark_errors(x$remarks, length(x$log$arm)) %in% withdrawn & is.na(x$log$reward))
}

# Which rows of the log are failures?
failed_rows <- function(x) {
  failed <- is.na(x$log$reward)
  if (any(failed)) replace(failed, withdrawn_rows(x), FALSE) else failed
}

# With those of further rows of the log, one after the other: pulls that failed right behind each
# other are gone through together, and so are those that worked. withdrawn: rows that are no
# failures.
add_failures <- function(failures, log, rows, withdrawn) {
  missing <- is.na(log$reward[rows])
  arm <- log$arm[rows]
  counts <- !rows %in% withdrawn
  own <- failures$own
  since <- failures$since
  runs <- rle(missing)
  end <- cumsum(runs$lengths)
  for (i in seq_along(end)) {
    part <- seq.int(to = end[i], length.out = runs$lengths[i])
    pulled <- arm[part[counts[part]]]
    arms <- unique(pulled)
    if (runs$values[i]) {
      n <- tabulate(match(pulled, arms), length(arms))
      own[arms] <- own[arms] + n
      since[arms] <- since[arms] + n
    } else {
      own <- excuse_arms(own, arms_just_failed(log, rows[part[1L]], withdrawn))
      failures$recovered <- failures$recovered + sum(since[arms])
      own[arms] <- since[arms] <- 0L
    }
  }
  failures$own <- own
  failures$since <- since
  failures$worked[arm[!missing]] <- TRUE
  failures$failed[arm[missing]] <- TRUE
  failures
}

# The arms of the failures right before a row, as often as they failed.
arms_just_failed <- function(log, row, withdrawn) {
  first <- row
  while (first > 1L && is.na(log$reward[first - 1L])) {
    first <- first - 1L
  }
  log$arm[setdiff(first - 1L + seq_len(row - first), withdrawn)]
}

# Where several arms failed one after another until something worked, it may have been the disk or
# the network. Unless it had failed before, an arm has another try then.
excuse_arms <- function(own, just_failed) {
  arms <- unique(just_failed)
  if (length(arms) > 1L) {
    new <- arms[own[arms] <= tabulate(match(just_failed, arms))]
    own[new] <- pmin(own[new], most_own_failures - 1L)
  }
  own
}

# What went wrong in each of n rows; NA: nothing.
remark_errors <- function(remarks, n) {
  error <- rep(NA_character_, n)
  error[as.integer(names(remarks))] <- vapply(remarks, function(remark) {
    said <- remark[["error"]]
    if (is.null(said)) NA_character_ else said
  }, "", USE.NAMES = FALSE)
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
  stuck <- is_stuck(x)
  if (!any(stuck) && !length(x$dropped)) {
    return(NULL)
  }
  dropped <- is_dropped(x)
  aside <- dropped | stuck
  if (all(aside)) dropped else aside
}

# Which arms failed too often? FALSE: none ever did.
is_stuck <- function(x) {
  own <- x$failures$own
  if (any(own >= most_own_failures)) own >= own_limit(x) else FALSE
}

# Pulls that failed though their arm worked later tell how often pulls fail by chance; an eighth is
# thought of it beforehand, as if from four pulls. An arm that does so for a reason is not counted.
own_limit <- function(x) {
  recovered <- x$failures$recovered
  rate <- (recovered + 0.5) / (x$observed + recovered + 4)
  max(most_own_failures, ceiling(log(chance_of_failures) / log(rate)))
}

# Those that are not to be recommended either: dropped, or only seen to fail, while others work, and
# not to be pulled again; NULL: all may be. One that did work and then fails may still be the best.
arms_out <- function(x) {
  if (!length(x$dropped) && is.null(x$failures)) {
    return(NULL)
  }
  known <- x$failures
  only_failed <- if (is.null(known)) FALSE else known$failed & !known$worked
  aside <- arms_aside(x)
  last <- is_spent(x) || (!x$replace && !length(x$blocks))
  for_good <- if (last || is.null(aside)) last else aside
  out <- is_dropped(x) | (x$observed > 0L & only_failed & for_good)
  if (any(out) && !all(out)) out
}

# The means with those of arms that are out far below all others.
race_means <- function(x) {
  mean <- x$belief$mean
  out <- arms_out(x)
  if (!is.null(out)) {
    size <- diff(range(mean)) + sqrt(max(x$belief$var)) + 1e-12 * max(abs(mean))
    mean[out] <- min(mean) - 1e6 * (if (size > 0) size else 1)
  }
  mean
}

arm_statuses <- c("active", "failed", "dropped")

# One an arm.
arm_status <- function(x) {
  status <- rep("active", n_arms(x$model$arms))
  aside <- arms_aside(x)
  # Where no other arm worked there is no telling whose fault it is.
  if (!is.null(aside) && any(x$failures$worked & !aside)) {
    status[aside] <- "failed"
  }
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
  if (is.null(x$failures) && is.null(before$failures)) {
    return(x)
  }
  new <- setdiff(failed_arms(x), failed_arms(before))
  if (length(new)) {
    inform(
      "failed", "Set aside: ", paste(aside_words(x, utils::head(new, 5L)), collapse = ", "),
      if (length(new) > 5L) c(", and ", length(new) - 5L, " more"),
      ". The run goes on with the other arms; retry_arms() brings ",
      if (length(new) == 1L) "it" else "them", " back."
    )
  }
  back <- setdiff(failed_arms(before), failed_arms(x))
  back <- back[x$failures$own[back] > 0L] # not by what they did themselves
  if (length(back)) {
    inform(
      "failed", "Back in the race: ",
      paste(vapply(utils::head(back, 5L), arm_words, "", arms = x$model$arms), collapse = ", "),
      if (length(back) > 5L) c(", and ", length(back) - 5L, " more"),
      ". Other arms failed as well, so that something else may be wrong."
    )
  }
  x
}

# "lr = 0.1 (failed 3 times in a row: loss is NaN)", one an arm.
aside_words <- function(x, arms) {
  error <- remark_errors(x$remarks, length(x$log$arm))
  failed <- which(failed_rows(x))
  vapply(arms, function(arm) {
    worked <- which(x$log$arm == arm & !is.na(x$log$reward))
    rows <- failed[x$log$arm[failed] == arm & failed > max(0L, worked)]
    gettextf(
      "%s (failed %d times in a row: %s)", arm_words(x$model$arms, arm), length(rows),
      first_line(error[rows[length(rows)]])
    )
  }, "")
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
  gettextf(
    "Nothing worked in %s. The first%s was of arm %s and failed: %s",
    count_of(length(failed), "pull"),
    if (is.na(x$log$pull[first])) "" else sprintf(", pull %d,", x$log$pull[first]),
    quoted(x$model$arms$names[x$log$arm[first]]), first_error(x)
  )
}

first_error <- function(x) remark_errors(x$remarks, length(x$log$arm))[failed_rows(x)][1L]
