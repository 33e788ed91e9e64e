# A run in a few lines.

#' @export
format.bayesgap <- function(x, ...) {
  found <- certainty(x)
  mean <- mean_belief(x, found)$mean
  format_run(x, posterior_table(x, 0.95, found, printed_arms(x, mean)), found)
}

# The recommended arm and the best of the others that are in the race. mean: as posterior() has it.
printed_arms <- function(x, mean) {
  best <- x$belief$best
  order <- order(reward_sign(x) * mean, decreasing = TRUE)
  c(best, utils::head(order[order != best & arm_status(x)[order] == "active"], 1L))
}

format_run <- function(x, table, found) {
  head <- sprintf(
    "<bayesgap> %s, %s, %s", count_of(nrow(table), "arm"),
    paste0(spent_text(x), if (!is.null(x$model$cost)) {
      paste(" in", count_of(counted(x), "pull"))
    }),
    if (x$maximise) "maximise" else "minimise"
  )
  if (!is.null(family_of(x$model))) {
    head <- paste0(head, ", ", x$model$family)
  }
  c(
    head, format_state(x), format_aside(x), if (length(x$blocks)) format_blocks(x),
    if (!nothing_worked(x)) {
      c(
        format_arms(x, table), if (!is.null(x$model$control)) format_control(x, table),
        format_certainty(x, found)
      )
    }
  )
}

# Arms that fail, and a recommended one that was never seen to work.
format_aside <- function(x) {
  aside <- failed_arms(x)
  best <- x$belief$best
  failed <- sum(failed_rows(x) & x$log$arm == best)
  c(
    if (length(aside)) paste("  set aside:", aside_words(x, utils::head(aside, 3L))),
    if (length(aside) > 3L) {
      sprintf("  set aside: %d more, see posterior(x)$status", length(aside) - 3L)
    },
    if (failed && !x$belief$pulls[best] && x$observed) {
      sprintf(
        "  %s was not seen to work: %s", encodeString(x$model$arms$names[best]),
        if (failed == 1L) "its one pull failed" else sprintf("its %d pulls failed", failed)
      )
    }
  )
}

format_blocks <- function(x) {
  n <- length(x$blocks)
  used <- length(unique(x$log$block))
  sd <- if (block_sd_known(x)) {
    noise <- sprintf("%.2g", sqrt(range(x$fit$noise2 / x$fit$size)))
    by_arm <- if (x$fit$tilt2 > 0) sprintf(", by arm %.2g", sqrt(x$fit$tilt2)) else ""
    noise <- paste(unique(noise), collapse = " to ")
    sprintf("sd %.2g%s (noise sd %s)", sqrt(x$fit$block2), by_arm, noise)
  } else {
    "sd not known yet"
  }
  some <- used < n && used > 0L
  paste0("  ", count_of(n, "block"), ", ", if (some) paste(grouped(used), "of them used, "), sd)
}

# The recommended arm beside the control.
format_control <- function(x, table) {
  name <- encodeString(x$model$arms$names[x$model$control])
  best <- x$belief$best
  if (best == x$model$control) {
    return(sprintf("  against %s  nothing: the best arm is the control itself", name))
  }
  row <- table[best, ]
  ends <- list(row$vs_control, row$vs_lower, row$vs_upper)
  number <- round_to(ends, (row$vs_upper - row$vs_lower) / 4)
  certain <- row$vs_upper == row$vs_lower
  sprintf(
    "  against %s  %s%s (95%% %s to %s)   P(better) %s", name, if (row$vs_control > 0) "+" else "",
    number[[1L]], number[[2L]], number[[3L]], exact_text(row$p_better, certain)
  )
}

# What is unusual about the run, one line each.
format_state <- function(x) {
  earlier <- sum(is.na(x$log$pull))
  error <- remark_errors(x$remarks, length(x$log$arm))
  failed <- which(is.na(x$log$reward) & !error %in% withdrawn)
  back <- sum(error %in% withdrawn)
  c(
    if (!is.null(x$stopped)) paste0("  stopped early: ", x$stopped),
    if (earlier) paste0("  ", count_of(earlier, "further observation")),
    if (length(failed)) {
      paste0("  ", count_of(length(failed), "failed pull"), ", the last: ", error[max(failed)])
    },
    if (back) paste0("  ", count_of(back, "result"), " withdrawn"),
    if (length(x$dropped)) {
      names <- x$model$arms$names[x$dropped]
      paste0("  ", count_of(length(names), "arm"), " dropped: ", quoted(names))
    },
    if (nothing_worked(x)) {
      c("  nothing worked, so there is no answer", paste0("  the first failed: ", first_error(x)))
    } else if (!x$observed) {
      "  nothing observed: this is the prior"
    },
    if (length(x$open$pull)) {
      paste0("  still out: pull ", listed(x$open$pull, 20L))
    }
  )
}

format_arms <- function(x, table) {
  arms <- printed_arms(x, table$mean)
  rows <- table[arms, ]
  numbers <- round_to(rows[c("mean", "lower", "upper")], rows$sd)
  label <- c("best arm", "runner-up")[seq_along(arms)]
  names <- encodeString(x$model$arms$names[arms])
  sprintf(
    "  %-9s  %s   mean %s (95%% %s to %s)   %s", label, format(names), numbers$mean,
    numbers$lower, numbers$upper, vapply(rows$pulls, count_of, "", "pull")
  )
}

format_certainty <- function(x, found) {
  best <- x$belief$best
  regret <- regret_bound(found)
  bound <- if (isTRUE(attr(x$learned, "guess")) && regret > 0) {
    "regret unknown: no rewards to compare"
  } else if (regret > 0) {
    paste("regret below", round_to(list(regret), regret)[[1L]], "with probability 0.95")
  } else {
    "no regret with probability 0.95"
  }
  sprintf(
    "  P(%s is best) %s   %s", encodeString(x$model$arms$names[best]), best_text(x, found), bound
  )
}

#' @export
print.bayesgap <- print_lines
