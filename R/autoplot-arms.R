# Pictures of the arms: what is known of them, in which order they were pulled, whether the prior
# predicts them; and of the blocks, which look like them.

# Axes of arms with their pulls on top; colour, shape and size are TRUE for arms of note, which
# have this symbol. Of very many names those are left out that would lie on others.
marked_arms <- function(arms, shape, size) {
  n <- nlevels(arms$arm)
  many <- n > most_in_own_order
  long <- sum(nchar(short_names(levels(arms$arm)))) > 60L
  list(
    ggplot2::geom_text(
      ggplot2::aes(y = Inf, label = .data$pulls), vjust = 1.4, size = if (many) 2 else 2.8,
      colour = "grey35", check_overlap = TRUE
    ),
    ggplot2::scale_colour_manual(values = c("FALSE" = other_colour, "TRUE" = best_colour)),
    ggplot2::scale_shape_manual(values = c("FALSE" = 16, "TRUE" = shape)),
    ggplot2::scale_size_manual(values = c("FALSE" = if (many) 1.6 else 2.2, "TRUE" = size)),
    ggplot2::scale_x_discrete(
      drop = FALSE, labels = short_names,
      guide = ggplot2::guide_axis(
        angle = if (many) 90 else if (long) 45, check.overlap = TRUE
      )
    ),
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(mult = c(0.05, 0.12))),
    ggplot2::guides(colour = "none", shape = "none", size = "none")
  )
}

# After the complete theme, which would undo it.
arm_look <- function(arms) {
  many <- nlevels(arms$arm) > most_in_own_order
  list(
    plain_look(), room_for_names(),
    if (many) ggplot2::theme(axis.text.x = ggplot2::element_text(size = 6.5))
  )
}

# ---- Arms ---------------------------------------------------------------------------------------

draw_arms <- function(x, level) {
  found <- certainty(x)
  arms <- posterior_table(x, level, found)
  arms$arm <- x$model$arms$names
  arms$best <- seq_len(nrow(arms)) == x$belief$best
  shown <- shown_arms(x)
  arms <- arms[shown, ]
  arms$arm <- in_order(arms$arm)
  seen <- observed_results(x, level)
  seen <- seen[seen$arm %in% shown, ]
  seen$arm <- arms$arm[match(seen$arm, shown)]
  aside <- arms$status != "active"
  ggplot2::ggplot(arms, ggplot2::aes(x = .data$arm)) +
    observed_layers(seen, ggplot2::aes(x = .data$arm), -0.2) +
    arm_layers(arms[!aside, ], arms[aside, ]) +
    marked_arms(arms, 18, 4) +
    ggplot2::labs(
      title = best_title(x, found), x = "arm (pulls on top)",
      y = if (is.null(drawn_family(x))) "reward" else "rate",
      caption = caption_of(
        left_out(length(shown), n_arms(x$model$arms)), if (any(aside)) aside_note,
        if (any(!is.na(seen$lower))) "grey: observed rates with their intervals"
      )
    ) +
    arm_look(arms)
}

arm_layers <- function(active, aside) {
  ends <- ggplot2::aes(ymin = .data$lower, ymax = .data$upper)
  list(
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper, colour = .data$best), data = active,
      linewidth = 0.8
    ),
    ggplot2::geom_point(
      ggplot2::aes(y = .data$mean, colour = .data$best, shape = .data$best, size = .data$best),
      data = active
    ),
    ggplot2::geom_linerange(ends, data = aside, colour = "grey70", linetype = "22"),
    ggplot2::geom_point(
      ggplot2::aes(y = .data$mean), data = aside, colour = "grey60", shape = 1, size = 2.2
    )
  )
}

# Single rewards as grey dots, rates as grey bars with their intervals; `at` says where they stand,
# `by` how far beside that.
observed_layers <- function(seen, at, by = 0) {
  rates <- seen[!is.na(seen$lower), ]
  beside <- ggplot2::position_nudge(x = by)
  ends <- ggplot2::aes(ymin = .data$lower, ymax = .data$upper)
  list(
    ggplot2::geom_point(
      utils::modifyList(at, ggplot2::aes(y = .data$y)), data = seen, inherit.aes = FALSE,
      colour = "grey60", size = 1, position = beside
    ),
    if (nrow(rates)) {
      ggplot2::geom_linerange(
        utils::modifyList(at, ends), data = rates, inherit.aes = FALSE, colour = "grey65",
        position = beside
      )
    }
  )
}

# ---- Pulls --------------------------------------------------------------------------------------

# Of many arms those that were pulled, at most 40, those with most pulls, and the recommended one;
# the best first.
pulled_arms <- function(x, most = 40L) {
  shown <- shown_arms(x, Inf)
  if (length(shown) <= most_in_own_order) {
    return(shown)
  }
  pulls <- tabulate(x$log$arm, length(shown))
  often <- order(pulls, decreasing = TRUE)
  kept <- unique(c(x$belief$best, utils::head(often[pulls[often] > 0L], most)))
  shown[shown %in% utils::head(kept, most)]
}

draw_pulls <- function(x) {
  names <- x$model$arms$names
  shown <- pulled_arms(x)
  pulls <- as.data.frame(x)[c("pull", "y")]
  pulls <- pulls[x$log$arm %in% shown, ]
  downward <- rev(names[shown])
  pulls$arm <- factor(names[x$log$arm[x$log$arm %in% shown]], downward)
  earlier <- is.na(pulls$pull)
  pulls$pull[earlier] <- 0L
  failed <- is.na(pulls$y)
  colours <- if (x$maximise) pale_to_dark else rev(pale_to_dark)
  ggplot2::ggplot(pulls[!failed, ], ggplot2::aes(x = .data$pull, y = .data$arm)) +
    ggplot2::geom_hline(
      yintercept = match(names[x$belief$best], downward), colour = best_colour, linewidth = 0.8
    ) +
    ggplot2::geom_point(
      ggplot2::aes(fill = .data$y), shape = 21, size = 2.6, colour = "grey25", stroke = 0.3
    ) +
    ggplot2::geom_point(data = pulls[failed, ], shape = 4, size = 2.4) +
    ggplot2::scale_fill_gradientn(colours = colours) +
    pulls_axis(if (any(earlier) || x$last < 2L) 0 else 1, max(x$last, 1L)) +
    ggplot2::scale_y_discrete(limits = downward, labels = short_names) +
    ggplot2::labs(
      title = best_title(x, certainty(x)), y = "arm", fill = "reward",
      x = if (any(earlier)) "pull (0: outside the budget)" else "pull",
      caption = pulls_note(x, shown)
    ) +
    plain_look() +
    (if (length(shown) > 20L) ggplot2::theme(axis.text.y = ggplot2::element_text(size = 6.5)))
}

pulls_note <- function(x, shown) {
  left <- setdiff(seq_len(n_arms(x$model$arms)), shown)
  pulled <- intersect(x$log$arm, left)
  if (!length(x$log$arm)) {
    "no pulls yet"
  } else if (length(left)) {
    sprintf(
      "%s, the best on top; not drawn: %s, %s",
      if (length(pulled)) "the arms with most pulls" else "the arms that were pulled",
      count_of(length(left), "arm"),
      if (length(pulled)) sprintf("%d of them pulled", length(pulled)) else "never pulled"
    )
  }
}

# ---- Checks and blocks ---------------------------------------------------------------------------

draw_check <- function(check) {
  table <- drawn_checks(check)
  table$arm <- in_order(names_of_checks(table))
  if (!nrow(table)) {
    return(draw_nothing(check_title(check)))
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
      y = "average reward",
      caption = left_out(nrow(table), nrow(check), "arm", "least expected")
    ) +
    arm_look(table)
}

draw_blocks <- function(x, level) {
  table <- drawn_blocks(x, level)
  title <- block_title(x)
  if (!nrow(table)) {
    return(draw_nothing(title))
  }
  table$arm <- in_order(table$block)
  table$marked <- FALSE
  ggplot2::ggplot(table, ggplot2::aes(x = .data$arm)) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey60", linetype = "42") +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper, colour = .data$marked),
      linewidth = 0.8, na.rm = TRUE
    ) +
    ggplot2::geom_point(ggplot2::aes(
      y = .data$effect, colour = .data$marked, shape = .data$marked, size = .data$marked
    )) +
    marked_arms(table, 16, 2.2) +
    ggplot2::labs(
      title = title, x = "block (pulls on top)", y = "effect of the block",
      caption = left_out(nrow(table), length(x$blocks), "block", "most used")
    ) +
    arm_look(table)
}
