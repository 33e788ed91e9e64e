# The whole of a run: what the answer rests on.

#' The whole of a run
#'
#' `summary()` tells what the answer rests on: the prior and the noise in use and where they
#' come from, the arms in order of merit, and, where they are not the same, the recommendations
#' that could be made: the arm with the highest mean, the leader of the smallest gap and the last
#' leader. Use it before you act on the answer.
#'
#' `theorem` is the probability that the paper's theorem guarantees for the regret to be
#' within `epsilon`, 1 - K T exp(-beta^2 / 2) with the beta of the last round. It is about bounds
#' of single arms: the variants `"marginal"` and `"paper"` of policy `bayesgap` have it, for all
#' else, the default among them, it is `NA`. It is almost
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
#'   arms known exactly?), `model` (a data frame of prior mean, prior sd, noise sd, the sd of the
#'   effects of blocks where there are any, and
#'   the parameters of a kernel, and where each comes from: the user, or how many
#'   observations), `values` (how many values of what was learned the certainty averages over; 1
#'   when all is given),
#'   `kernel` (in words), `history` (of a model from past occasions: their number,
#'   the intensity of the shrinkage, the missing values, and whether the intensity was raised
#'   for their sake), `recommendations` (the arm with the highest mean, and
#'   for gap-based policies the leader of the smallest gap and the last leader), `regret`
#'   (quantiles of the regret of the recommended arm), `policy`, `beta`, `gap`, `theorem`.
#' @seealso [posterior()], [predictive_check()]; `vignette("get-started")`.
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
      model = fitted_model(x), values = length(found$weight),
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
  mean <- race_means(x)
  best <- x$belief$best
  # As engine_recommend() has it.
  top <- which.max(mean)
  tie <- 1e-9 * sqrt(x$belief$var[top]) + 16 * .Machine$double.eps * abs(mean[top])
  tied <- mean[best] >= mean[top] - tie
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
  blocks <- has_blocks(x)
  by_arm <- blocks && !identical(model$block_arm_sd, 0)
  learned <- c(
    is.null(model$prior_mean), is.null(model$prior_sd), is.null(model$noise_sd),
    if (blocks) is.null(model$block_sd), if (by_arm) is.null(model$block_arm_sd), kernel_free(model)
  )
  from <- ifelse(
    learned, if (x$fitted) count_of(x$fitted, "observation") else "a default", "the user"
  )
  if (!is.null(family_of(model))) {
    from[3L] <- "the rates"
  }
  from[1:3][c("prior_mean", "prior_sd", "noise_sd") %in% model$history$sets] <- "the history"
  if (blocks && !block_sd_known(x)) {
    from[4:(4 + by_arm)] <- "a default"
  }
  one <- function(value) if (length(unique(value)) == 1L) value[1L] else NA_real_
  kernel <- if (!is.null(model$kernel)) kernel_values(model, run_prior(x)$kernel$value)
  data.frame(
    row.names = c("prior mean", "prior sd", "noise sd", if (blocks) "block sd",
      if (by_arm) "  by arm", names(kernel)),
    value = c(
      one(reward_sign(x) * (x$fit$centre + x$fit$mean)), sqrt(x$fit$scale),
      one(sqrt(x$fit$noise2)), if (blocks) sqrt(x$fit$block2),
      if (by_arm) sqrt(x$fit$tilt2), kernel
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
    if (x$values > 1L) {
      sprintf("  these may be wrong: certainty averages over %d sets of such values", x$values)
    },
    if (!is.null(x$history)) format_history(x$history)
  )
}

# How the pulls were chosen, and what that says of the answer.
format_policy_used <- function(x) {
  differ <- length(unique(x$recommendations)) > 1L
  c(
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
    } else if (!is.na(x$gap)) {
      "  the paper's theorem does not cover this rule"
    },
    if (differ) {
      c("  recommendations differ:", sprintf(
        "    %-12s  %s", names(x$recommendations), as.character(x$recommendations)
      ))
    }
  )
}

#' @export
format.summary.bayesgap <- function(x, ...) {
  shown <- utils::head(x$arms, 10L)
  shown$p_best <- probability_text(shown$p_best, x$draws, x$certain)
  if (all(shown$status == "active")) {
    shown$status <- NULL
  }
  if (!is.null(shown$p_better)) {
    exact <- shown$vs_lower == shown$vs_upper
    shown$p_better <- ifelse(is.na(shown$p_better), "", exact_text(shown$p_better, exact))
    shown[c("vs_lower", "vs_upper")] <- NULL # a line of the head has them for the best
  }
  c(
    x$run, "", "Model", format_model(x), "",
    sprintf("Arms, best first%s", if (nrow(x$arms) > 10L) {
      sprintf(" (10 of %s)", grouped(nrow(x$arms)))
    } else {
      ""
    }),
    utils::capture.output(print(shown, digits = 4, row.names = FALSE)), "",
    format_policy_used(x),
    "Regret of the recommended arm, quantiles",
    utils::capture.output(print(signif(x$regret, 3)))
  )
}

format_history <- function(note) {
  c(paste0("  covariance  from ", history_words(note)), history_remark(note))
}

#' @export
print.summary.bayesgap <- print_lines
