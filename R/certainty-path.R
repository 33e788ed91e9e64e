# How certainty grew: what was believed of the arms after so many observations, one row of the log
# after another.

# The run as it was after the first rows of its log, for what it believes: it decides nothing. What
# was left to the data is learned from these rows alone. Arms that are dropped now are so all along.
run_after <- function(x, rows) {
  x <- unclass(x)
  x$remarks <- x$remarks[as.integer(names(x$remarks)) <= rows]
  x$withdrawn <- x$withdrawn[x$withdrawn <= rows]
  x$retried <- lapply(x$retried, `[`, x$retried$row <= rows)
  x$open <- no_pulls
  x$log <- log_rows(x$log, seq_len(rows))
  x$observed <- sum(!is.na(x$log$reward))
  x$last <- max(0L, x$log$pull, na.rm = TRUE)
  x$freed <- x$last - sum(!is.na(x$log$pull))
  x$paid <- 0
  x <- pay(x, x$log$pull, is.na(x$log$reward), x$log$cost)
  x["failures"] <- list(own_failures(x))
  if (is.null(x$model$blocks)) {
    x$blocks <- x$blocks[seq_len(max(0L, x$log$block, na.rm = TRUE))]
  }
  x$unknowns <- has_unknowns(x$model, x$blocks)
  found <- fit_run(x)
  x["learned"] <- list(found$learned)
  x <- part_of(x, found)
  x$belief$best <- which.max(race_means(x))
  x
}

# After how many rows certainty is worked out: evenly over the log, its end among them. Where blocks
# and their size are learned of many correlated arms, one takes half a second, and there are fewer.
path_rows <- function(x, most) {
  n <- length(x$log$arm)
  slow <- has_blocks(x) && x$unknowns && prior_kind(x$model$prior) != "independent" &&
    as.double(n) * n_arms(x$model$arms) > 2e4
  most <- if (slow) min(most, 12L) else most
  unique(round(seq(0, n, length.out = min(n + 1L, most))))
}

# list(rows, observed, best, regret, now): after so many rows of the log and so many rewards,
# P(best), one column an arm, and what keeping the arm with the highest mean loses at most with
# probability `level`; at the end it is the arm recommended. now: certainty() of the run.
certainty_path <- function(x, level = 0.95, most = 40L, draws = 2000L) {
  rows <- path_rows(x, most)
  now <- certainty(x)
  draws <- min(draws, now$draws)
  best <- matrix(0, length(rows), n_arms(x$model$arms))
  regret <- double(length(rows))
  observed <- cumsum(c(0L, !is.na(x$log$reward)))[rows + 1L]
  for (i in seq_along(rows)) {
    last <- i == length(rows)
    if (!last) {
      before <- run_after(x, rows[i])
      x["learned"] <- before["learned"] # where the next search begins
    }
    found <- if (last) now else certainty(before, draws)
    best[i, ] <- found$best
    regret[i] <- regret_bound(found, level)
  }
  list(rows = rows, observed = observed, best = best, regret = regret, now = now)
}

# The arms that were most likely to be the best over the run, the one recommended first. One arm
# more than `most` is not left out alone.
leading_arms <- function(path, best, most = 5L) {
  share <- colMeans(path$best)
  order <- order(share, decreasing = TRUE)
  utils::head(unique(c(best, order)), if (length(share) == most + 1L) most + 1L else most)
}
