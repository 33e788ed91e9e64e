# The picture of several runs side by side.

# The runs by their labels. further: runs, or names of files that hold one.
compared_runs <- function(x, further) {
  if (!length(further)) {
    abort(
      "compare", "There is nothing to compare with: give further runs, such as ",
      "autoplot(x, \"compare\", y)."
    )
  }
  further <- lapply(further, function(run) {
    check_run(run, file = TRUE)
    if (is.character(run)) read_run(run) else run
  })
  runs <- c(list(x), further)
  names <- if (is.null(names(runs))) rep("", length(runs)) else names(runs)
  names[!nzchar(names)] <- paste("run", seq_along(runs))[!nzchar(names)]
  names(runs) <- make.unique(names)
  check_comparable(runs)
  runs
}

check_comparable <- function(runs) {
  x <- runs[[1L]]
  for (name in names(runs)[-1L]) {
    other <- runs[[name]]
    if (other$maximise != x$maximise) {
      abort(
        "compare", "The runs cannot be compared: ", quoted(names(runs)[1L]), " looks for ",
        if (x$maximise) "large" else "small", " rewards, and ", quoted(name), " for ",
        if (other$maximise) "large" else "small", " ones."
      )
    }
    if (!any(other$model$arms$names %in% x$model$arms$names)) {
      abort("compare", "The runs cannot be compared: ", quoted(name), " has none of the arms of ",
            quoted(names(runs)[1L]), ".")
    }
  }
}

# One row an arm and run: what is believed of it. said: for the legend, what the run recommends.
compare_table <- function(runs, level) {
  tables <- lapply(names(runs), function(name) {
    x <- runs[[name]]
    found <- certainty(x)
    table <- posterior_table(x, level, found)[c("mean", "lower", "upper", "p_best")]
    table$arm <- x$model$arms$names
    table$best <- seq_len(nrow(table)) == x$belief$best & !nothing_worked(x)
    said <- if (nothing_worked(x)) "nothing worked" else recommended_text(x, found)
    table$said <- paste0(short_names(name, 20L), "\n", said)
    table$run <- name
    table
  })
  do.call(rbind, tables)
}

# What each run recommends, and the arms that any of them thinks likely to be the best; from the
# best by the average of their means on.
compared_arms <- function(table, maximise, most = 12L) {
  likely <- tapply(table$p_best, table$arm, max)
  kept <- unique(c(table$arm[table$best], names(sort(likely, decreasing = TRUE))))
  mean <- tapply(table$mean, table$arm, mean)[utils::head(kept, most)]
  names(sort(mean, decreasing = maximise))
}

draw_compare <- function(x, further, level) {
  runs <- compared_runs(x, further)
  table <- compare_table(runs, level)
  all <- length(unique(table$arm))
  arms <- compared_arms(table, x$maximise)
  table <- table[table$arm %in% arms, ]
  table$arm <- factor(table$arm, arms)
  table$run <- in_order(table$run)
  said <- table$said[match(levels(table$run), table$run)]
  colours <- unname(policy_colours(levels(table$run)))
  panels <- c("posterior mean", "P(best)")
  above <- data.frame(table, value = table$mean, panel = factor(panels[1L], panels))
  below <- data.frame(table, value = table$p_best, panel = factor(panels[2L], panels))
  below[c("lower", "upper")] <- NA_real_
  beside <- ggplot2::position_dodge(width = 0.6)
  ggplot2::ggplot(rbind(above, below), ggplot2::aes(
    x = .data$arm, y = .data$value, colour = .data$run
  )) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper), position = beside, na.rm = TRUE
    ) +
    ggplot2::geom_point(
      ggplot2::aes(shape = .data$best, size = .data$best), position = beside
    ) +
    ggplot2::geom_blank(data = utils::head(transform(below, value = 0), 1L)) +
    ggplot2::facet_grid(ggplot2::vars(.data$panel), scales = "free_y", switch = "y") +
    ggplot2::scale_colour_manual(values = colours, labels = said) +
    ggplot2::scale_shape_manual(values = c("FALSE" = 16, "TRUE" = 18), guide = "none") +
    ggplot2::scale_size_manual(values = c("FALSE" = 1.8, "TRUE" = 4), guide = "none") +
    ggplot2::scale_x_discrete(labels = short_names, guide = ggplot2::guide_axis(
      angle = if (sum(nchar(short_names(arms))) > 50L) 45
    )) +
    ggplot2::labs(
      title = count_of(length(runs), "run"), x = "arm", y = NULL, colour = NULL,
      caption = caption_of(
        left_out(length(arms), all, which = "likeliest"), "diamond: recommended"
      )
    ) +
    outside_strips() + room_for_names() +
    ggplot2::theme(legend.key.height = ggplot2::unit(2.6, "lines"))
}
