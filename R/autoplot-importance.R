# The picture of the columns' importance.

draw_importance <- function(x, level, most = 20L) {
  all <- importance_table(x, level)
  table <- utils::head(all, most)
  table$label <- factor(importance_labels(table), rev(importance_labels(table)))
  ggplot2::ggplot(table, ggplot2::aes(x = .data$importance, y = .data$label)) +
    ggplot2::geom_col(width = 0.6, fill = other_colour, alpha = 0.75) +
    ggplot2::geom_linerange(
      ggplot2::aes(xmin = .data$lower, xmax = .data$upper), colour = "grey15", na.rm = TRUE
    ) +
    ggplot2::scale_x_continuous(
      limits = c(0, 1), breaks = seq(0, 1, by = 0.2), expand = ggplot2::expansion(c(0, 0.02))
    ) +
    ggplot2::labs(
      title = "Importance of the columns, by the kernel", y = NULL,
      x = "share of the differences between arms", caption = caption_of(
        left_out(nrow(table), nrow(all), "column", "most important"),
        if (all(is.na(table$lower))) {
          if (any(kernel_free(x$model))) "nothing was learned yet" else "as it was given"
        }
      )
    ) +
    plain_look() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank())
}

# "minutes" and below it "length scale 12".
importance_labels <- function(table) {
  scale <- ifelse(
    is.na(table$lengthscale), "", sprintf("\n(length scale %s)", signif(table$lengthscale, 3L))
  )
  make.unique(paste0(short_names(table$column), scale))
}
