# Pictures of certainty: how it grew over the pulls.

# P(best) of the leading arms above, the bound on the regret below.
draw_certainty <- function(x, level) {
  path <- certainty_path(x, level)
  panels <- c("P(best)", sprintf("regret (%s %% bound)", format(100 * level)))
  leaders <- leading_arms(path, x$belief$best)
  lines <- leader_table(x, path, leaders, panels)
  bound <- regret_table(x, path, panels)
  looks <- leader_looks(length(leaders), nlevels(lines$arm))
  ggplot2::ggplot(lines, ggplot2::aes(x = .data$at, y = .data$value)) +
    path_layers(lines, bound, length(path$rows)) +
    ggplot2::facet_grid(
      ggplot2::vars(.data$panel), scales = "free_y", switch = "y", drop = FALSE
    ) +
    ggplot2::geom_blank(data = path_limits(bound, panels)) +
    ggplot2::scale_colour_manual(values = looks$colour, labels = short_names) +
    ggplot2::scale_linetype_manual(values = looks$linetype, labels = short_names) +
    pulls_axis(0, max(path$rows, 1)) +
    ggplot2::labs(
      title = best_title(x, path$now), y = NULL, colour = "arm", linetype = "arm",
      x = if (anyNA(x$log$pull)) "results told so far" else "pulls told so far",
      caption = if (!nrow(bound)) "fewer than three rewards tell nothing of a regret"
    ) +
    outside_strips() + ggplot2::theme(legend.key.width = ggplot2::unit(1.8, "lines"))
}

# Lines, the first of them on top, and dots where there is room for them.
path_layers <- function(lines, bound, n) {
  looks <- ggplot2::aes(
    colour = .data$arm, linetype = .data$arm, group = -as.integer(.data$arm)
  )
  list(
    if (n > 1L) ggplot2::geom_line(looks, linewidth = 0.7),
    if (nrow(bound) > 1L) ggplot2::geom_line(data = bound, linewidth = 0.7),
    if (n <= 20L) ggplot2::geom_point(ggplot2::aes(colour = .data$arm), size = 1.6),
    if (n <= 20L) ggplot2::geom_point(data = bound, size = 1.6)
  )
}

# A probability has its whole range, a regret begins at 0; where there is none, it ends at 1.
path_limits <- function(bound, panels) {
  top <- if (any(bound$value > 0)) 0 else 1
  quick_frame(list(
    at = c(0, 0, 0, 0), value = c(0, 1, 0, top), panel = factor(panels[c(1, 1, 2, 2)], panels)
  ))
}

# P(best) of some arms, and of all others together.
leader_table <- function(x, path, arms, panels) {
  value <- path$best[, arms, drop = FALSE]
  rest <- n_arms(x$model$arms) - length(arms)
  names <- x$model$arms$names[arms]
  if (rest) {
    value <- cbind(value, pmax(1 - rowSums(value), 0))
    names <- c(names, sprintf("(%s)", count_of(rest, "other")))
  }
  quick_frame(list(
    at = rep(path$rows, length(names)), value = c(value),
    arm = factor(rep(names, each = length(path$rows)), names),
    panel = factor(rep(panels[1L], length(value)), panels)
  ))
}

# The recommended arm has its colour, the last line, all other arms, is grey.
leader_looks <- function(leaders, n) {
  spare <- hues[hues != best_colour]
  colour <- c(best_colour, spare)[(seq_len(n) - 1L) %% length(hues) + 1L]
  linetype <- strokes[(seq_len(n) - 1L) %% length(strokes) + 1L]
  if (n > leaders) {
    colour[n] <- "grey55"
    linetype[n] <- "13"
  }
  list(colour = colour, linetype = linetype)
}

# Where the size of rewards is learned, two of them hardly tell of it.
regret_table <- function(x, path, panels) {
  known <- path$observed >= if (x$unknowns) 3L else 0L
  quick_frame(list(
    at = path$rows[known], value = path$regret[known],
    panel = factor(rep(panels[2L], sum(known)), panels)
  ))
}
