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
  sprintf(
    "  P(%s is best) %s   %s", encodeString(x$model$arms$names[best]), best_text(x, found), bound
  )
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
#' @param row.names,optional,stringsAsFactors,... As in [base::as.data.frame()].
#' @return A data frame with the columns `pull` (its number; `NA` for an observation outside
#'   the budget), `arm`, `y`, `se` (`NA`: the model's noise), the columns of the arm, those
#'   that the objective returned besides or that were told, and `error`, the message of a pull
#'   that failed. A further column whose values are all of one class has that class (of factors,
#'   with the levels of all); numbers are numbers. Where single values differ in class they are
#'   text, as they print; where some are not single values the column is a list. `NULL` and plain
#'   `NA` are missing values of any class. One that has the name of a column of the run gets
#'   another.
#' @export
#' @examples
#' x <- bayesgap(c("a", "b"), function(arm) list(y = nchar(arm), at = "noon"), budget = 3)
#' as.data.frame(x)
as.data.frame.bayesgap <- function(x, row.names = NULL, optional = FALSE, ...,
                                   stringsAsFactors = FALSE) { # nolint: object_name_linter.
  check_dots(..., usual = frame_arguments)
  log <- x$log
  arms <- x$model$arms
  own <- c(
    list(
      pull = log$pull, arm = arm_label(arms, log$arm), y = reward_sign(x) * log$reward,
      se = log$se
    ),
    arm_columns(arms, log$arm)
  )
  error <- list(error = remark_errors(x$remarks, length(log$arm)))
  further <- further_columns(x$remarks, length(log$arm))
  taken <- names(c(own, error))
  names(further) <- make.unique(c(taken, names(further)))[length(taken) + seq_along(further)]
  table <- quick_frame(c(own, further, error))
  if (check_flag(stringsAsFactors, "stringsAsFactors")) {
    text <- vapply(table, is.character, TRUE)
    table[text] <- lapply(table[text], factor)
  }
  if (is.null(row.names)) table else name_rows(table, row.names)
}

# What methods of as.data.frame() take, and other packages give.
frame_arguments <- c(
  "col.names", "check.names", "fix.empty.names", "cut.names", "make.names", "new.names", "nm"
)

name_rows <- function(table, names) {
  good <- (is.character(names) || is.numeric(names)) && length(names) == nrow(table) &&
    !anyNA(names) && !anyDuplicated(names)
  if (!good) {
    must <- sprintf("NULL or %s, all different", count_of(nrow(table), "name"))
    abort_argument("row.names", "row.names", must, names)
  }
  row.names(table) <- if (is.character(names)) names else as.character(names)
  table
}

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

# A column for every name that any pull brought, NA for the others.
further_columns <- function(remarks, n) {
  extra <- vector("list", n)
  extra[as.integer(names(remarks))] <- lapply(remarks, `[[`, "extra")
  names <- unique(unlist(lapply(extra, names)))
  columns <- lapply(names, function(name) join_values(lapply(extra, `[[`, name)))
  structure(columns, names = names)
}

# Values of one class as a vector of that class, single values of several as text, others as a list.
join_values <- function(values) {
  missing <- vapply(values, function(v) is.null(v) || identical(unname(v), NA), TRUE)
  there <- lapply(values[!missing], function(v) if (is.null(dim(v))) unname(v) else v)
  if (!all(vapply(there, function(v) is.atomic(v) && is.null(dim(v)) && length(v) == 1L, TRUE))) {
    return(values)
  }
  kinds <- unique(lapply(there, function(v) if (is_plain_number(v)) "number" else class(v)))
  found <- if (!length(there)) {
    NA
  } else if (length(kinds) > 1L) {
    vapply(there, function(v) paste(format_value(v)), "")
  } else if (is.factor(there[[1L]])) {
    join_factors(there)
  } else {
    do.call(c, there)
  }
  found[match(seq_along(values), which(!missing))]
}

is_plain_number <- function(v) is.numeric(v) && !is.object(v)

format_value <- function(v) if (is_plain_number(v)) format(v, digits = 15) else as.character(v)

# Those of one order keep it.
join_factors <- function(values) {
  levels <- unique(lapply(values, levels))
  text <- vapply(values, as.character, "")
  factor(text, unique(unlist(levels)), ordered = is.ordered(values[[1L]]) && length(levels) == 1L)
}

#' The whole of a run
#'
#' `summary()` tells what the answer rests on: the prior and the noise in use and where they
#' come from, the arms in order of merit, and, where they are not the same, the recommendations
#' that could be made: the arm with the highest mean, the leader of the smallest gap and the last
#' leader. Use it before you act on the answer.
#'
#' `theorem` is the probability that the paper's theorem guarantees for the regret to be
#' within `epsilon`, 1 - K T exp(-beta^2 / 2) with the beta of the last round (for policy
#' `bayesgap`; `NA` for others). It is almost
#' always zero or less, that is, no guarantee; the probabilities from the posterior are what
#' to go by. `gap` is the bound that the policy itself works with; it is a trace of its
#' thinking, not a confidence statement.
#'
#' Probabilities are printed to two digits. One that would be 0.00 or 1.00 is a bound instead,
#' `< 0.01` or `> 0.99`, unless there is one arm only or all are known exactly.
#'
#' @param object A run: the result of [bayesgap()] or [tell()].
#' @param ... Must be empty.
#' @return A list of class `summary.bayesgap`: `run` (the first lines of `print()`), `arms`
#'   (as [posterior()], best first), `draws` (joint draws behind its `p_best`), `certain` (are all
#'   arms known exactly?), `model` (a data frame of prior mean, prior sd, noise sd and
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
      run = text, arms = table, draws = found$draws, certain = is_certain(x),
      model = fitted_model(x), df = x$fit$df,
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
  tied <- mean[best] >= max(mean) - 1e-9 * (max(mean) - min(mean))
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
      one(reward_sign(x) * x$fit$mean), sqrt(x$fit$scale), one(sqrt(x$fit$noise2)), kernel
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
  shown$p_best <- probability_text(shown$p_best, x$draws, x$certain)
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
