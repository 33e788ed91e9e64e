# A run in words and tables.

#' @export
format.bayesgap <- function(x, ...) {
  found <- certainty(x)
  format_run(x, posterior_table(x, 0.95, found), found)
}

format_run <- function(x, table, found) {
  head <- sprintf(
    "<bayesgap> %s, %d of %d pulls, %s", count_of(nrow(table), "arm"), x$last, x$budget,
    if (x$maximise) "maximise" else "minimise"
  )
  c(head, format_state(x), format_arms(x, table), format_certainty(x, found))
}

count_of <- function(n, what) {
  sprintf("%s %s%s", grouped(n), what, if (n == 1) "" else "s")
}

# What is unusual about the run, one line each.
format_state <- function(x) {
  earlier <- sum(is.na(x$log$pull))
  failed <- sum(is.na(x$log$reward))
  errors <- unlist(lapply(x$remarks, `[[`, "error"))
  c(
    if (!is.null(x$stopped)) paste0("  stopped early: ", x$stopped),
    if (earlier) paste0("  ", count_of(earlier, "further observation")),
    if (failed) {
      paste0("  ", count_of(failed, "failed pull"), ", the last: ", errors[length(errors)])
    },
    if (!x$observed) "  nothing observed: this is the prior",
    if (length(x$open$pull)) {
      paste0("  still out: pull ", paste(x$open$pull, collapse = ", "))
    }
  )
}

format_arms <- function(x, table) {
  best <- x$belief$best
  order <- order(reward_sign(x) * table$mean, decreasing = TRUE)
  second <- order[order != best][1L]
  rows <- table[c(best, if (!is.na(second)) second), ]
  numbers <- round_to(rows[c("mean", "lower", "upper")], rows$sd)
  label <- c("best arm", "runner-up")[seq_len(nrow(rows))]
  names <- encodeString(x$model$arms$names[c(best, second)][seq_len(nrow(rows))])
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
  sprintf("  P(%s is best) %.2f   %s", encodeString(x$model$arms$names[best]), found$best[best], bound)
}

# Columns of numbers to two digits of a size that matters.
round_to <- function(columns, size) {
  size <- size[is.finite(size) & size > 0]
  digits <- if (length(size)) 1 - floor(log10(min(size))) else 3
  lapply(columns, function(value) {
    if (digits > 8 || any(abs(value) >= 1e7)) {
      figures <- digits + ceiling(log10(max(abs(value), 1e-300)))
      format(value, digits = min(15, max(3, figures)))
    } else {
      formatC(value, digits = max(0, digits), format = "f")
    }
  })
}

#' @export
print.bayesgap <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

#' Pulls of a run as a data frame
#'
#' `as.data.frame()` gives what was observed, one row a pull in the order told. Use it to
#' save the observations, to plot them, or to analyse them otherwise.
#'
#' @param x A run: the result of [bayesgap()] or [tell()].
#' @param row.names,optional,... As in [base::as.data.frame()]; not used.
#' @return A data frame with the columns `pull` (its number; `NA` for an observation outside
#'   the budget), `arm`, `y`, `se` (`NA`: the model's noise), the columns of the arm, those
#'   that the objective returned besides, and `error`, the message of a pull that failed.
#' @export
#' @examples
#' x <- bayesgap(c("a", "b"), function(arm) list(y = nchar(arm), at = "noon"), budget = 3)
#' as.data.frame(x)
as.data.frame.bayesgap <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_dots(...)
  log <- x$log
  arms <- x$model$arms
  columns <- c(
    list(
      pull = log$pull, arm = arm_label(arms, log$arm), y = reward_sign(x) * log$reward,
      se = log$se
    ),
    arm_columns(arms, log$arm), remark_columns(x$remarks, length(log$arm))
  )
  names(columns) <- make.unique(names(columns))
  quick_frame(columns)
}

# A column for every name that any pull brought, NA for the others, and their errors.
remark_columns <- function(remarks, n) {
  extra <- error <- vector("list", n)
  rows <- as.integer(names(remarks))
  extra[rows] <- lapply(remarks, `[[`, "extra")
  error[rows] <- lapply(remarks, `[[`, "error")
  names <- unique(unlist(lapply(extra, names)))
  columns <- lapply(names, function(name) flatten(lapply(extra, `[[`, name)))
  error[lengths(error) == 0L] <- NA_character_
  c(structure(columns, names = names), list(error = as.character(error)))
}

# A plain vector where every value is one, else a list.
flatten <- function(values) {
  there <- lengths(values) > 0L
  plain <- vapply(values[there], function(v) is.atomic(v) && length(v) == 1L, TRUE)
  if (!all(plain)) {
    return(values)
  }
  found <- do.call(c, unname(lapply(values[there], unname)))
  out <- found[rep(NA_integer_, length(values))]
  out[there] <- found
  out
}

#' The whole of a run
#'
#' `summary()` tells what the answer rests on: the prior and the noise in use and where they
#' come from, all arms in order of merit, and the three recommendations that could be made.
#' Use it before you act on the answer.
#'
#' `theorem` is the probability that the paper's theorem guarantees for the regret to be
#' within `epsilon`, 1 - K T exp(-beta^2 / 2) with the beta of the last round (for policy
#' `bayesgap`; `NA` for others). It is almost
#' always zero or less, that is, no guarantee; the probabilities from the posterior are what
#' to go by. `gap` is the bound that the policy itself works with; it is a trace of its
#' thinking, not a confidence statement.
#'
#' @param object A run: the result of [bayesgap()] or [tell()].
#' @param ... Must be empty.
#' @return A list of class `summary.bayesgap`: `run` (the first lines of `print()`), `arms`
#'   (as [posterior()], best first), `model` (a data frame of prior mean, prior sd, noise sd and
#'   the parameters of a kernel, and where each comes from: the user, or how many
#'   observations), `df` (of the arms' t distributions; `Inf` when the noise is given),
#'   `kernel` (in words), `history` (of a model from past occasions: their number,
#'   the intensity of the shrinkage, the missing values, and whether the intensity was raised
#'   for their sake), `recommendations` (the arm with the highest mean, and
#'   for gap-based policies the leader of the smallest gap and the last leader), `regret`
#'   (quantiles of the regret of the recommended arm), `policy`, `beta`, `gap`, `theorem`.
#' @export
#' @examples
#' x <- bayesgap(5, function(arm) arm + rnorm(1), budget = 20, seed = 1)
#' summary(x)
summary.bayesgap <- function(object, ...) {
  check_dots(...)
  x <- object
  found <- certainty(x)
  table <- posterior_table(x, 0.95, found)
  text <- format_run(x, table, found)
  note <- structure(as.list(x$belief$note), names = note_names)
  sign <- reward_sign(x)
  order <- order(sign * table$mean, decreasing = TRUE)
  table <- table[c(x$belief$best, setdiff(order, x$belief$best)), ]
  row.names(table) <- NULL
  structure(
    list(
      run = text, arms = table, model = fitted_model(x), df = x$fit$df,
      kernel = if (!is.null(x$model$kernel)) format(x$model$kernel$kernel),
      history = x$model$history, recommendations = recommendations(x, note),
      regret = stats::quantile(found$regret, c(0.5, 0.8, 0.95, 0.99), type = 1),
      policy = format(x$policy), beta = note$beta, gap = note$gap,
      theorem = if (x$observed) note$theorem else NA_real_
    ),
    class = "summary.bayesgap"
  )
}

# In the order that the C binding packs them.
note_names <- c("leader", "rival", "safest", "gap", "beta", "hardness", "theorem")

recommendations <- function(x, note) {
  mean <- x$belief$mean
  best <- x$belief$best
  tied <- mean[best] >= max(mean) - 1e-9 * sqrt(x$belief$var[best])
  highest <- if (tied) best else which.max(mean)
  at <- c(
    recommended = x$belief$best, "highest mean" = highest,
    "smallest gap" = note$safest, "last leader" = note$leader
  )
  at <- at[!is.na(at)]
  structure(arm_label(x$model$arms, as.integer(at)), names = names(at))
}

# What the run works with now, in the user's units.
fitted_model <- function(x) {
  model <- x$model
  learned <- c(
    is.null(model$prior_mean), is.null(model$prior_sd), is.null(model$noise_sd),
    kernel_free(model)
  )
  from <- ifelse(
    learned, if (x$fitted) count_of(x$fitted, "observation") else "a default", "the user"
  )
  from[1:3][c("prior_mean", "prior_sd", "noise_sd") %in% model$history$sets] <- "the history"
  one <- function(value) if (length(unique(value)) == 1L) value[1L] else NA_real_
  kernel <- if (!is.null(model$kernel)) kernel_values(model, run_prior(x)$kernel$value)
  data.frame(
    row.names = c("prior mean", "prior sd", "noise sd", names(kernel)),
    value = c(
      one(reward_sign(x) * (x$fit$centre + x$fit$mean)), sqrt(x$fit$scale), one(sqrt(x$fit$noise2)), kernel
    ),
    from = from
  )
}

format_model <- function(x) {
  value <- vapply(x$model$value, format, "", digits = 4)
  value[is.na(x$model$value)] <- "one per arm"
  c(
    if (!is.null(x$kernel)) paste0("  kernel ", x$kernel),
    sprintf("  %s  %s   from %s", format(row.names(x$model)), format(value), x$model$from),
    if (is.finite(x$df)) {
      sprintf("  intervals by Student's t with %s degrees of freedom", format(x$df))
    },
    if (!is.null(x$history)) format_history(x$history)
  )
}

#' @export
format.summary.bayesgap <- function(x, ...) {
  shown <- utils::head(x$arms, 10L)
  shown$p_best <- round(shown$p_best, 3)
  differ <- length(unique(x$recommendations)) > 1L
  c(
    x$run, "", "Model", format_model(x), "",
    sprintf("Arms, best first%s", if (nrow(x$arms) > 10L) {
      sprintf(" (10 of %s)", grouped(nrow(x$arms)))
    } else {
      ""
    }),
    utils::capture.output(print(shown, digits = 4, row.names = FALSE)), "",
    paste0("Policy ", x$policy),
    if (!is.na(x$beta)) {
      paste0(sprintf("  beta %.3g", x$beta), if (!is.na(x$gap)) {
        sprintf(", gap %.3g (a trace, not a confidence statement)", x$gap)
      })
    },
    if (!is.na(x$theorem)) {
      sprintf(
        "  the theorem guarantees probability %.3g%s", max(x$theorem, 0),
        if (x$theorem <= 0) " (that is, nothing)" else " (if beta were not adaptive)"
      )
    },
    if (differ) {
      c("  recommendations differ:", sprintf(
        "    %-12s  %s", names(x$recommendations), as.character(x$recommendations)
      ))
    },
    "Regret of the recommended arm, quantiles",
    utils::capture.output(print(signif(x$regret, 3)))
  )
}

format_history <- function(note) {
  c(paste0("  covariance  from ", history_words(note)), history_remark(note))
}

#' @export
print.summary.bayesgap <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
