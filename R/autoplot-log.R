# The picture of the log: rewards as they came.

draw_log <- function(run, level) {
  table <- drawn_log(run)
  table[c("lower", "upper")] <- log_ends(run, level)
  rate <- running_rate(run, level)
  looks <- log_looks(table)
  worked <- table[!is.na(table$y), ]
  failed <- table[is.na(table$y), ]
  ggplot2::ggplot(worked, ggplot2::aes(x = .data$at, y = .data$y)) +
    rate_layers(worked, rate, table$at) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$group, shape = .data$group), size = 1.8) +
    ggplot2::geom_point(data = worked[worked$best, ], shape = 1, size = 3.8, colour = "grey25") +
    ggplot2::geom_point(data = failed, ggplot2::aes(y = -Inf), shape = 4, size = 2.4) +
    ggplot2::scale_colour_manual(values = looks$colour, drop = FALSE, labels = short_names) +
    ggplot2::scale_shape_manual(values = looks$shape, drop = FALSE, labels = short_names) +
    ggplot2::guides(
      colour = if (looks$key) ggplot2::guide_legend() else "none",
      shape = if (looks$key) ggplot2::guide_legend() else "none"
    ) +
    ggplot2::labs(
      title = best_title(run, certainty(run)), x = log_axis(run), colour = looks$title,
      shape = looks$title, y = if (is.null(drawn_family(run))) "reward" else "rate",
      caption = caption_of(
        if (!nrow(table)) "no pulls yet",
        if (!is.null(rate)) "grey: the rate of all trials so far, with its interval"
      )
    ) +
    (if (nrow(table)) pulls_axis(min(table$at, 1), max(table$at, 2))) +
    (if (!nrow(worked)) ggplot2::expand_limits(y = 0:1)) +
    ggplot2::coord_cartesian(clip = "off") + # crosses stand on the edge
    plain_look()
}

# Under the points: the intervals of their rates, or the rate so far of rewards that are 0 or 1.
rate_layers <- function(worked, rate, at) {
  ends <- ggplot2::aes(ymin = .data$lower, ymax = .data$upper)
  if (is.null(rate)) {
    rows <- worked[!is.na(worked$lower), ]
    return(if (nrow(rows)) {
      ggplot2::geom_linerange(
        utils::modifyList(ends, ggplot2::aes(colour = .data$group)), data = rows, alpha = 0.45,
        show.legend = FALSE
      )
    })
  }
  rate <- quick_frame(c(list(at = at[rate$row]), rate[c("y", "lower", "upper")]))
  list(
    ggplot2::geom_ribbon(ends, data = rate, fill = "grey60", alpha = 0.3),
    ggplot2::geom_line(data = rate, colour = "grey45")
  )
}
