# Pictures of a benchmark.

#' Pictures of a benchmark
#'
#' `autoplot()` draws the table of [benchmark_policies()] with the package ggplot2. Use it to
#' see at a glance which policy lost least, and where it spent its pulls.
#'
#' * `"error"`: bars of the probability of keeping a wrong arm (by more than `epsilon`), the
#'   best policy on top, with intervals; one panel a problem and budget.
#' * `"regret"` and `"rate"`: the mean regret, or that probability, over the budget, with
#'   intervals. The legend lists the policies as they end at the largest budget, worst first.
#' * `"boxplot"`: boxplots of the regret with its mean as a white diamond.
#' * `"allocation"`: a heat map of the share of pulls that each arm got from each policy at
#'   the largest budget; a ring marks the arm that was kept most often. The benchmark must
#'   have been made with `keep = "pulls"`.
#'
#' A policy has the same colour, symbol and kind of line in all pictures, whatever it is compared
#' with, and the default lies on top. Policies of one family share a hue, and can be told apart in
#' grey.
#'
#' To draw a part of the table, take it first: `autoplot(x[x$budget == 50, ])`.
#'
#' @param object A benchmark, made by [benchmark_policies()].
#' @param type The kind of picture.
#' @param ... Must be empty.
#' @param epsilon,level See [summary.bayesgap_benchmark()].
#'
#' @return A ggplot object, to which scales, titles and themes can be added.
#' @seealso [benchmark_policies()]; `vignette("traffic")`.
#' @usage \method{autoplot}{bayesgap_benchmark}(object,
#'   type = c("error", "regret", "rate", "boxplot", "allocation"), ...,
#'   epsilon = 0, level = 0.95)
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

error_label <- function(epsilon) {
  if (epsilon > 0) sprintf("P(regret > %s)", format(epsilon)) else "P(error)"
}

# The policies as a factor: the one with the least average `value` is the last level, which
# is the top of a vertical axis.
rank_policies <- function(policy, value) {
  average <- tapply(value, policy, mean)
  factor(policy, names(sort(average, decreasing = TRUE)))
}

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

draw_bars <- function(table, epsilon) {
  table <- as.data.frame(unclass(table))
  table$policy <- rank_policies(table$policy, table$p_error)
  table$problem <- in_order(table$problem)
  ggplot2::ggplot(table, ggplot2::aes(x = .data$p_error, y = .data$policy)) +
    ggplot2::geom_col(ggplot2::aes(fill = .data$policy), width = 0.7, show.legend = FALSE) +
    ggplot2::geom_errorbar(
      ggplot2::aes(xmin = .data$p_lower, xmax = .data$p_upper), width = 0.25, colour = "grey15"
    ) +
    panels(table) +
    ggplot2::scale_fill_manual(values = policy_colours(levels(table$policy))) +
    ggplot2::scale_x_continuous(
      limits = c(0, NA), expand = ggplot2::expansion(mult = c(0, 0.05)), n.breaks = 4
    ) +
    short_policies() +
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
  up <- drawing_order(levels(table$policy))
  table$up <- up[as.integer(table$policy)]
  table <- table[order(table$up), ]
  budgets <- sort(unique(table$budget))
  beside <- ggplot2::position_dodge(width = dodge_width(budgets, n))
  curves <- if (length(budgets) > 1L) {
    ggplot2::geom_line(
      ggplot2::aes(linetype = .data$policy, linewidth = .data$policy == "bayesgap"),
      position = beside
    )
  }
  ggplot2::ggplot(table, ggplot2::aes(
    x = .data$budget, y = .data$value, colour = .data$policy, group = .data$up
  )) +
    curves +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper), position = beside, na.rm = TRUE,
      alpha = if (n > 6L) 0.4 else 0.7, show.legend = FALSE
    ) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$policy), size = 2.3, position = beside) +
    panels(table, budgets = FALSE, scales = "free_y") +
    budget_axis(budgets) +
    ggplot2::scale_y_continuous(
      limits = c(0, NA), expand = ggplot2::expansion(mult = c(0.02, 0.05))
    ) +
    policy_scales(levels(table$policy)) +
    ggplot2::labs(x = "budget", y = label, colour = NULL, shape = NULL, linetype = NULL) +
    plain_look() +
    ggplot2::theme(legend.key.width = ggplot2::unit(2.4, "lines"))
}

# Curves lie side by side, but not so far that budgets mix.
dodge_width <- function(budgets, n) {
  steps <- diff(if (is_wide(budgets)) log10(budgets) else budgets)
  if (length(steps)) min((0.01 + 0.002 * n) * sum(steps), min(steps) / 2) else 0.5
}

is_wide <- function(budgets) max(budgets) > 8 * min(budgets)

budget_axis <- function(budgets) {
  axis <- if (is_wide(budgets)) ggplot2::scale_x_log10 else ggplot2::scale_x_continuous
  axis(
    breaks = if (length(budgets) <= 8L) budgets else ggplot2::waiver(),
    guide = ggplot2::guide_axis(check.overlap = TRUE)
  )
}

# Every policy as it is everywhere, the default thicker than the others.
policy_scales <- function(policies) {
  list(
    ggplot2::scale_colour_manual(values = policy_look(policies, "colour"), labels = short_names),
    ggplot2::scale_shape_manual(values = policy_look(policies, "shape"), labels = short_names),
    ggplot2::scale_linetype_manual(
      values = policy_look(policies, "linetype"), labels = short_names
    ),
    ggplot2::scale_discrete_manual(
      "linewidth", values = c("FALSE" = 0.5, "TRUE" = 0.9), guide = "none"
    )
  )
}

short_policies <- function() ggplot2::scale_y_discrete(labels = short_names)

draw_boxes <- function(object, table) {
  order <- levels(rank_policies(table$policy, table$regret))
  object <- as.data.frame(object)[c("problem", "policy", "budget", "regret")]
  object$policy <- factor(object$policy, order)
  object$problem <- in_order(object$problem)
  ggplot2::ggplot(object, ggplot2::aes(x = .data$regret, y = .data$policy)) +
    ggplot2::geom_boxplot(
      ggplot2::aes(fill = .data$policy), width = 0.6, colour = "grey15", outlier.size = 0.7,
      outlier.alpha = 0.4, show.legend = FALSE
    ) +
    ggplot2::stat_summary(
      fun = mean, geom = "point", orientation = "y", shape = 23, size = 2.4, fill = "white"
    ) +
    panels(object, scales = "free_x") +
    ggplot2::scale_fill_manual(values = policy_colours(levels(object$policy))) +
    ggplot2::scale_x_continuous(n.breaks = 4) +
    short_policies() +
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
      expand = c(0, 0), labels = short_names,
      guide = ggplot2::guide_axis(angle = name_angle(nlevels(cells$policy)))
    ) +
    ggplot2::scale_y_discrete(
      expand = c(0, 0), breaks = function(arms) thin_out(rev(arms)), labels = short_names
    ) +
    ggplot2::labs(
      x = NULL, y = "arm", fill = "share of\npulls",
      caption = sprintf("budget %s; ring: the arm kept most often", format(most))
    ) +
    plain_look() +
    ggplot2::theme(panel.grid = ggplot2::element_blank())
}

name_angle <- function(n) if (n > 10L) 90 else if (n > 4L) 45

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
