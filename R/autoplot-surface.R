# Pictures of the belief over the columns of the arms: a heat map of two, a curve of one.

draw_surface <- function(x, level, columns, show) {
  columns <- surface_columns(x$model, columns)
  found <- certainty(x)
  table <- surface_table(x, columns, level, found)
  picture <- if (length(columns) == 1L) {
    draw_curve(table, columns, curve_results(x, table, level), show)
  } else {
    draw_heat(table, columns, show, x$maximise)
  }
  picture + surface_facets(table) +
    ggplot2::labs(title = best_title(x, found), caption = surface_note(table)) +
    plain_look() +
    ggplot2::theme(
      panel.grid = ggplot2::element_blank(), panel.spacing.x = ggplot2::unit(1.6, "lines")
    ) +
    room_for_names()
}

surface_facets <- function(table) {
  if (nlevels(table$panel) > 1L) ggplot2::facet_wrap(ggplot2::vars(.data$panel))
}

surface_note <- function(table) {
  hides <- attr(table, "hides")
  caption_of(
    if (attr(table, "several")) {
      paste0(
        "of the arms at one place",
        if (length(hides)) paste0(" (they differ in ", listed(hides), ")"), " the best is drawn"
      )
    },
    if (any(table$status != "active")) "cross: set aside or dropped"
  )
}

# An axis of a column. Labels for which there is no room are turned or left out.
surface_axis <- function(table, i, name, scale, room = 0.03) {
  place <- attr(table, "places")[[i]]
  breaks <- axis_breaks(place)
  turned <- place$discrete && i == 1L && sum(nchar(breaks$labels)) > 24L
  scale(
    name = name, breaks = breaks$at, labels = breaks$labels,
    expand = if (place$discrete) ggplot2::expansion(add = 0.1) else c(room, 0),
    guide = ggplot2::guide_axis(check.overlap = !turned, angle = if (turned) 45)
  )
}

surface_fill <- function(show, maximise) {
  colours <- if (show == "sd") {
    grDevices::hcl.colors(64L, "Purples 3", rev = TRUE)
  } else if (maximise) {
    pale_to_dark
  } else {
    rev(pale_to_dark)
  }
  ggplot2::scale_fill_gradientn(
    name = if (show == "sd") "posterior\nsd" else "posterior\nmean", colours = colours
  )
}

draw_heat <- function(table, columns, show, maximise) {
  table$value <- table[[show]]
  pulled <- table[table$pulls > 0, ]
  grid <- is_grid(table$u, table$v)
  room <- if (grid) 0.01 else 0.07
  filled <- if (grid) {
    u <- cell_ends(table$u)
    v <- cell_ends(table$v)
    table[c("u1", "u2", "v1", "v2")] <- c(u, v)
    list(
      ggplot2::geom_rect(data = table, ggplot2::aes(
        xmin = .data$u1, xmax = .data$u2, ymin = .data$v1, ymax = .data$v2, fill = .data$value
      )),
      ggplot2::geom_point(
        data = pulled, ggplot2::aes(size = .data$pulls), shape = 21, fill = "white",
        colour = "grey20"
      )
    )
  } else {
    list(
      ggplot2::geom_point(ggplot2::aes(fill = .data$value), shape = 21, size = 1.6, stroke = 0.2),
      ggplot2::geom_point(
        data = pulled, ggplot2::aes(fill = .data$value, size = .data$pulls), shape = 21,
        colour = "grey20"
      )
    )
  }
  ggplot2::ggplot(table, ggplot2::aes(x = .data$u, y = .data$v)) +
    filled +
    ggplot2::geom_point(data = table[table$status != "active", ], shape = 4, size = 2) +
    ggplot2::geom_point(
      data = table[table$best, ], shape = 5, size = 5.5, stroke = 1.3, colour = best_colour
    ) +
    ggplot2::scale_size_area(max_size = 5, breaks = pulls_key(table$pulls)) +
    surface_fill(show, maximise) +
    surface_axis(table, 1L, columns[1L], ggplot2::scale_x_continuous, room) +
    surface_axis(table, 2L, columns[2L], ggplot2::scale_y_continuous, room) +
    ggplot2::guides(
      fill = ggplot2::guide_colourbar(order = 1),
      size = if (nrow(pulled)) ggplot2::guide_legend(order = 2) else "none"
    )
}

# A few whole numbers up to the largest.
pulls_key <- function(pulls) {
  most <- max(pulls, 1)
  unique(c(1, round(most / 2), most))
}

# ---- One column ---------------------------------------------------------------------------------

# What was observed at each place, in its panel.
curve_results <- function(x, table, level) {
  seen <- observed_results(x, level)
  places <- attr(table, "places")
  seen$u <- places[[1L]]$at[seen$arm]
  seen$panel <- surface_panels(x$model, names(places))[seen$arm]
  seen
}

draw_curve <- function(table, column, seen, show) {
  table <- table[order(table$u), ]
  table$value <- table[[show]]
  discrete <- attr(table, "places")[[1L]]$discrete
  line <- if (discrete) {
    ggplot2::geom_point(colour = other_colour, size = 2.2)
  } else {
    ggplot2::geom_line(ggplot2::aes(group = .data$panel), colour = other_colour, linewidth = 0.8)
  }
  band <- if (show == "sd") {
    NULL
  } else if (discrete) {
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper), colour = other_colour
    )
  } else {
    ggplot2::geom_ribbon(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper, group = .data$panel),
      fill = other_colour, alpha = 0.2
    )
  }
  ggplot2::ggplot(table, ggplot2::aes(x = .data$u, y = .data$value)) +
    band +
    (if (show == "mean") observed_layers(seen, ggplot2::aes(x = .data$u))) +
    line +
    ggplot2::geom_point(data = table[table$status != "active", ], shape = 4, size = 2) +
    ggplot2::geom_point(
      data = table[table$best, ], shape = 18, size = 4.5, colour = best_colour
    ) +
    surface_axis(table, 1L, column, ggplot2::scale_x_continuous) +
    ggplot2::labs(y = if (show == "sd") "posterior sd" else "reward")
}
