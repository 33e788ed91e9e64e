# Pictures with ggplot2, which is named in this file only.

utils::globalVariables(".data")

#' Pictures of a benchmark
#'
#' `autoplot()` draws the table of [benchmark_policies()] with the package ggplot2. Use it to
#' see at a glance which policy lost least, and where it spent its pulls.
#'
#' * `"error"`: bars of the probability of keeping a wrong arm (by more than `epsilon`), the
#'   best policy on top, with intervals; one panel a problem and budget.
#' * `"regret"` and `"rate"`: the mean regret, or that probability, over the budget, with
#'   intervals. Colours and symbols go together, so that the curves can be told apart in
#'   grey; the legend lists the policies as they end at the largest budget, worst first.
#' * `"boxplot"`: boxplots of the regret with its mean as a white diamond.
#' * `"allocation"`: a heat map of the share of pulls that each arm got from each policy at
#'   the largest budget; a ring marks the arm that was kept most often. The benchmark must
#'   have been made with `keep = "pulls"`.
#'
#' To draw a part of the table, take it first: `autoplot(x[x$budget == 50, ])`.
#'
#' @param object A benchmark, made by [benchmark_policies()].
#' @param type The kind of picture.
#' @param ... Must be empty.
#' @param epsilon,level See [summary.bayesgap_benchmark()].
#'
#' @return A ggplot object, to which scales, titles and themes can be added.
#' @seealso [benchmark_policies()]
#' @usage \method{autoplot}{bayesgap_benchmark}(object,
#'   type = c("error", "regret", "rate", "boxplot", "allocation"), ..., epsilon = 0, level = 0.95)
#' @exportS3Method ggplot2::autoplot
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   dial <- 1:20
#'   model <- arm_model(20, cov = exp(-outer(dial, dial, "-")^2 / 18),
#'                      prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
#'   found <- benchmark_policies(problem_gaussian(model), c("bayesgap", "thompson", "uniform"),
#'                               budget = c(10, 20, 40), reps = 30, seed = 1)
#'   ggplot2::autoplot(found, "regret")
#' }
autoplot.bayesgap_benchmark <- function( # nolint: object_name_linter.
    object, type = c("error", "regret", "rate", "boxplot", "allocation"), ...,
    epsilon = 0, level = 0.95) {
  check_dots(...)
  check_installed("ggplot2", "autoplot()")
  types <- c("error", "regret", "rate", "boxplot", "allocation")
  type <- check_option(type, "type", types)
  if (!nrow(object)) {
    abort("benchmark", "There is nothing to draw: the table has no rows.")
  }
  table <- summary(object, epsilon = epsilon, level = level)
  switch(type,
    error = draw_bars(table, epsilon),
    regret = draw_curves(table, c("regret", "regret_lower", "regret_upper"), "mean regret"),
    rate = draw_curves(table, c("p_error", "p_lower", "p_upper"), error_label(epsilon)),
    boxplot = draw_boxes(object, table),
    allocation = draw_allocation(object)
  )
}

# ---- Shared looks ----------------------------------------------------------------------------

# Okabe and Ito's colours, distinct for all kinds of colour vision, the light yellow left out.
hues <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
symbols <- c(16, 17, 15, 5, 1, 2, 0, 8, 3, 4, 6, 7, 9, 10, 18)
strokes <- c("solid", "42", "22", "6222", "62")

plain_look <- function() {
  list(
    ggplot2::theme_bw(),
    ggplot2::theme(
      panel.grid.minor = ggplot2::element_blank(),
      strip.background = ggplot2::element_rect(fill = "grey92", colour = NA),
      panel.border = ggplot2::element_rect(fill = NA, colour = "grey70")
    )
  )
}

error_label <- function(epsilon) {
  if (epsilon > 0) sprintf("P(regret > %s)", format(epsilon)) else "P(error)"
}

# The policies as a factor: the one with the least average `value` is the last level, which
# is the top of a vertical axis.
rank_policies <- function(policy, value) {
  average <- tapply(value, policy, mean)
  factor(policy, names(sort(average, decreasing = TRUE)))
}

in_order <- function(x) factor(x, unique(x))

# One panel a problem and budget, as far as there are several.
panels <- function(table, budgets = TRUE, scales = "fixed") {
  table$problem <- in_order(table$problem)
  several <- length(unique(table$problem)) > 1L
  budgets <- budgets && length(unique(table$budget)) > 1L
  label <- ggplot2::as_labeller(function(budget) paste("budget", budget))
  if (several && budgets) {
    ggplot2::facet_grid(
      ggplot2::vars(.data$problem), ggplot2::vars(.data$budget), scales = scales,
      labeller = ggplot2::labeller(budget = label)
    )
  } else if (several) {
    ggplot2::facet_wrap(ggplot2::vars(.data$problem), scales = scales)
  } else if (budgets) {
    ggplot2::facet_wrap(ggplot2::vars(.data$budget), scales = scales, labeller = label)
  }
}

# ---- A benchmark -----------------------------------------------------------------------------

draw_bars <- function(table, epsilon) {
  table <- as.data.frame(unclass(table))
  table$policy <- rank_policies(table$policy, table$p_error)
  table$problem <- in_order(table$problem)
  ggplot2::ggplot(table, ggplot2::aes(x = .data$p_error, y = .data$policy)) +
    ggplot2::geom_col(width = 0.7, fill = "#56B4E9") +
    ggplot2::geom_errorbar(
      ggplot2::aes(xmin = .data$p_lower, xmax = .data$p_upper), width = 0.25, colour = "grey15"
    ) +
    panels(table) +
    ggplot2::scale_x_continuous(
      limits = c(0, NA), expand = ggplot2::expansion(mult = c(0, 0.05))
    ) +
    ggplot2::labs(x = error_label(epsilon), y = NULL) +
    plain_look() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank())
}

# columns: the value and the ends of its interval.
draw_curves <- function(table, columns, label) {
  table <- as.data.frame(unclass(table))
  table[c("value", "lower", "upper")] <- table[columns]
  last <- table$budget == max(table$budget)
  ranked <- levels(rank_policies(table$policy[last], table$value[last]))
  table$policy <- factor(table$policy, unique(c(ranked, table$policy)))
  table$problem <- in_order(table$problem)
  n <- nlevels(table$policy)
  look <- function(values) rep_len(values, n)
  budgets <- sort(unique(table$budget))
  wide <- max(budgets) > 8 * min(budgets)
  steps <- diff(if (wide) log10(budgets) else budgets)
  apart <- if (length(steps)) min((0.01 + 0.002 * n) * sum(steps), min(steps) / 2) else 0.5
  beside <- ggplot2::position_dodge(width = apart)
  axis <- if (wide) ggplot2::scale_x_log10 else ggplot2::scale_x_continuous
  breaks <- if (length(budgets) <= 8L) budgets else ggplot2::waiver()
  curves <- if (length(budgets) > 1L) {
    ggplot2::geom_line(ggplot2::aes(linetype = .data$policy), position = beside)
  }
  ggplot2::ggplot(table, ggplot2::aes(
    x = .data$budget, y = .data$value, colour = .data$policy, group = .data$policy
  )) +
    curves +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper), position = beside, na.rm = TRUE,
      alpha = if (n > 6L) 0.3 else 0.6, show.legend = FALSE
    ) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$policy), size = 2.3, position = beside) +
    panels(table, budgets = FALSE, scales = "free_y") +
    axis(breaks = breaks) +
    ggplot2::scale_y_continuous(
      limits = c(0, NA), expand = ggplot2::expansion(mult = c(0.02, 0.05))
    ) +
    ggplot2::scale_colour_manual(values = look(hues)) +
    ggplot2::scale_shape_manual(values = look(symbols)) +
    ggplot2::scale_linetype_manual(values = look(strokes)) +
    ggplot2::labs(
      x = "budget", y = label, colour = NULL, shape = NULL, linetype = NULL
    ) +
    plain_look() +
    ggplot2::theme(legend.key.width = ggplot2::unit(2.4, "lines"))
}

draw_boxes <- function(object, table) {
  order <- levels(rank_policies(table$policy, table$regret))
  object <- as.data.frame(object)[c("problem", "policy", "budget", "regret")]
  object$policy <- factor(object$policy, order)
  object$problem <- in_order(object$problem)
  ggplot2::ggplot(object, ggplot2::aes(x = .data$regret, y = .data$policy)) +
    ggplot2::geom_boxplot(
      width = 0.6, fill = "#56B4E9", colour = "grey15", outlier.size = 0.7, outlier.alpha = 0.4
    ) +
    ggplot2::stat_summary(
      fun = mean, geom = "point", orientation = "y", shape = 23, size = 2.4, fill = "white"
    ) +
    panels(object, scales = "free_x") +
    ggplot2::labs(x = "regret (diamond: mean)", y = NULL) +
    plain_look() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank())
}

draw_allocation <- function(object) {
  if (is.null(object$pulled)) {
    abort(
      "benchmark", "The pulls were not kept: make the benchmark with `keep = \"pulls\"` to ",
      "draw their allocation."
    )
  }
  most <- max(object$budget)
  cells <- allocation_table(object[object$budget == most, ])
  ggplot2::ggplot(cells, ggplot2::aes(x = .data$policy, y = .data$arm)) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data$share)) +
    ggplot2::geom_point(
      data = cells[cells$favourite, ], shape = 21, size = 2.2, stroke = 0.9, fill = "white"
    ) +
    panels(cells, budgets = FALSE, scales = "free_y") +
    # By the square root, so that small shares differ from none.
    ggplot2::scale_fill_gradientn(
      colours = pale_to_dark, values = seq(0, 1, length.out = 64L)^2, limits = c(0, NA)
    ) +
    ggplot2::scale_x_discrete(
      expand = c(0, 0), guide = ggplot2::guide_axis(angle = if (nlevels(cells$policy) > 4L) 45)
    ) +
    ggplot2::scale_y_discrete(
      expand = c(0, 0), breaks = function(arms) thin_out(rev(arms)), labels = short_names
    ) +
    ggplot2::labs(
      x = NULL, y = "arm", fill = "share of\npulls",
      caption = sprintf("budget %d; ring: the arm kept most often", most)
    ) +
    plain_look() +
    ggplot2::theme(panel.grid = ggplot2::element_blank())
}

pale_to_dark <- grDevices::hcl.colors(64L, "Blues 3", rev = TRUE)

# As many labels as there is room for.
thin_out <- function(labels, most = 30L) {
  step <- max(ceiling(length(labels) / most), 1)
  labels[(seq_along(labels) - 1L) %% step == 0L]
}

# The beginning and the end of long names, where numbers are.
short_names <- function(names, most = 24L) {
  n <- nchar(names)
  long <- n > most
  ends <- paste0(substr(names, 1L, most - 10L), "..", substr(names, n - 7L, n))
  ifelse(long, ends, names)
}

# One row a problem, policy and arm: the share of the pulls that it got, and whether it is
# the arm that was kept most often.
allocation_table <- function(object) {
  cells <- lapply(unique(object$problem), function(problem) {
    of <- object$problem == problem
    arms <- attr(object, "arms")[[problem]]
    if (is.null(arms)) {
      arms <- as.character(sort(unique(c(object$arm[of], unlist(object$pulled[of])))))
    }
    one <- lapply(unique(object$policy[of]), function(policy) {
      rows <- which(of & object$policy == policy)
      at <- match(as.character(unlist(object$pulled[rows])), arms)
      kept <- tabulate(match(as.character(object$arm[rows]), arms), length(arms))
      data.frame(
        problem = problem, policy = policy, arm = arms,
        share = tabulate(at, length(arms)) / max(length(at), 1L),
        favourite = seq_along(arms) == which.max(kept)
      )
    })
    do.call(rbind, one)
  })
  cells <- do.call(rbind, cells)
  cells$problem <- in_order(cells$problem)
  cells$policy <- in_order(cells$policy)
  cells$arm <- factor(cells$arm, rev(unique(cells$arm)))
  cells
}

# ---- A run -----------------------------------------------------------------------------------

#' Pictures of a run with ggplot2
#'
#' `autoplot()` draws a run with the package ggplot2: what is known of the arms, in which
#' order they were pulled, or whether the prior predicts them. Use it where you want to change
#' or save the picture as a ggplot; `plot(x)` and `plot(predictive_check(x))` draw the first
#' and the last without that package.
#'
#' * `"arms"`: posterior means and intervals, the single rewards in grey, and the number of
#'   pulls of each arm along the top; the recommended arm is orange and a diamond.
#' * `"pulls"`: the arms in the order in which they were pulled, the darker the better the
#'   reward; a cross is a pull that failed. The recommended arm has a line.
#' * `"check"`: the averages of the observed arms, and intervals where the prior and the other
#'   arms expect them (see [predictive_check()]), in order of expectation, at most 60 arms; an
#'   average outside its interval is orange and a triangle.
#'
#' Up to 60 arms are drawn in their own order; of more, the 60 with the best posterior
#' means, best first.
#'
#' @param object A run: the result of [bayesgap()] or [tell()].
#' @param type The kind of picture.
#' @param ... Must be empty.
#' @param level The probability of the intervals.
#'
#' @return A ggplot object, to which scales, titles and themes can be added.
#' @seealso [plot.bayesgap()]
#' @usage \method{autoplot}{bayesgap}(object, type = c("arms", "pulls", "check"), ..., level = 0.95)
#' @exportS3Method ggplot2::autoplot
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   x <- bayesgap(8, function(arm) sin(arm) + rnorm(1, sd = 0.5), budget = 30, seed = 1)
#'   ggplot2::autoplot(x)
#'   ggplot2::autoplot(x, "pulls")
#'   ggplot2::autoplot(x, "check")
#' }
autoplot.bayesgap <- function( # nolint: object_name_linter.
    object, type = c("arms", "pulls", "check"), ..., level = 0.95) {
  check_dots(...)
  check_installed("ggplot2", "autoplot()")
  type <- check_option(type, "type", c("arms", "pulls", "check"))
  if (type == "check") {
    return(draw_check(predictive_check(object, level)))
  }
  found <- certainty(object)
  arms <- posterior_table(object, check_level(level), found)
  arms$arm <- object$model$arms$names
  best <- object$belief$best
  arms$best <- seq_len(nrow(arms)) == best
  pulls <- as.data.frame(object)[c("pull", "y")]
  pulls$arm <- arms$arm[object$log$arm]
  if (nrow(arms) > 60L) {
    order <- order(reward_sign(object) * arms$mean, decreasing = TRUE)
    arms <- arms[utils::head(unique(c(best, order)), 60L), ]
  }
  pulls <- pulls[pulls$arm %in% arms$arm, ]
  pulls$arm <- factor(pulls$arm, arms$arm)
  arms$arm <- factor(arms$arm, arms$arm)
  title <- best_title(object, found)
  picture <- if (type == "arms") draw_arms(arms, pulls) else draw_pulls(arms, pulls, object)
  picture + ggplot2::labs(title = title) + plain_look() +
    ggplot2::theme(plot.margin = ggplot2::margin(6, 6, 6, 16))
}

draw_arms <- function(arms, pulls) {
  ggplot2::ggplot(arms, ggplot2::aes(x = .data$arm)) +
    ggplot2::geom_point(
      ggplot2::aes(y = .data$y), data = pulls[!is.na(pulls$y), ], colour = "grey60", size = 1,
      position = ggplot2::position_nudge(x = -0.2)
    ) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper, colour = .data$best), linewidth = 0.8
    ) +
    ggplot2::geom_point(
      ggplot2::aes(y = .data$mean, colour = .data$best, shape = .data$best, size = .data$best)
    ) +
    marked_arms(arms, 18, 4) +
    ggplot2::labs(x = "arm (pulls on top)", y = "reward")
}

# Axes of arms with their pulls on top; colour, shape and size are TRUE for arms of note, which
# have this symbol.
marked_arms <- function(arms, shape, size) {
  long <- sum(nchar(short_names(levels(arms$arm)))) > 60L
  list(
    ggplot2::geom_text(
      ggplot2::aes(y = Inf, label = .data$pulls), vjust = 1.4, size = 2.8, colour = "grey35"
    ),
    ggplot2::scale_colour_manual(values = c("FALSE" = "#0072B2", "TRUE" = "#D55E00")),
    ggplot2::scale_shape_manual(values = c("FALSE" = 16, "TRUE" = shape)),
    ggplot2::scale_size_manual(values = c("FALSE" = 2.2, "TRUE" = size)),
    ggplot2::scale_x_discrete(
      drop = FALSE, breaks = thin_out(levels(arms$arm)), labels = short_names,
      guide = ggplot2::guide_axis(angle = if (long) 45)
    ),
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(mult = c(0.05, 0.12))),
    ggplot2::guides(colour = "none", shape = "none", size = "none")
  )
}

draw_check <- function(check) {
  table <- drawn_checks(check)
  table$arm <- in_order(as.character(table$arm))
  if (!nrow(table)) {
    return(ggplot2::ggplot() + ggplot2::labs(title = check_title(check)) + plain_look())
  }
  ggplot2::ggplot(table, ggplot2::aes(x = .data$arm)) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper), linewidth = 1.6, colour = "grey75"
    ) +
    ggplot2::geom_point(ggplot2::aes(y = .data$expected), shape = "-", size = 5) +
    ggplot2::geom_point(ggplot2::aes(
      y = .data$observed, colour = .data$outside, shape = .data$outside, size = .data$outside
    )) +
    marked_arms(table, 17, 3) +
    ggplot2::labs(
      title = check_title(check), x = "arm, in order of what is expected (pulls on top)",
      y = "average reward"
    ) +
    plain_look() +
    ggplot2::theme(plot.margin = ggplot2::margin(6, 6, 6, 16))
}

draw_pulls <- function(arms, pulls, run) {
  earlier <- is.na(pulls$pull)
  pulls$pull[earlier] <- 0L
  failed <- is.na(pulls$y)
  downward <- rev(levels(arms$arm))
  best <- match(as.character(arms$arm[arms$best]), downward)
  colours <- if (run$maximise) pale_to_dark else rev(pale_to_dark)
  ggplot2::ggplot(pulls[!failed, ], ggplot2::aes(x = .data$pull, y = .data$arm)) +
    ggplot2::geom_hline(yintercept = best, colour = "#D55E00", linewidth = 0.8) +
    ggplot2::geom_point(
      ggplot2::aes(fill = .data$y), shape = 21, size = 2.6, colour = "grey25", stroke = 0.3
    ) +
    ggplot2::geom_point(data = pulls[failed, ], shape = 4, size = 2.4) +
    ggplot2::scale_fill_gradientn(colours = colours) +
    ggplot2::scale_x_continuous(limits = c(if (any(earlier)) 0 else 1, max(run$last, 1L))) +
    ggplot2::scale_y_discrete(
      limits = downward, breaks = thin_out(levels(arms$arm)), labels = short_names
    ) +
    ggplot2::labs(
      x = if (any(earlier)) "pull (0: outside the budget)" else "pull", y = "arm",
      fill = "reward"
    )
}
