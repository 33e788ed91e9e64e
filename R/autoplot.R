# Pictures of a run with ggplot2, and the look that all pictures share.

utils::globalVariables(".data")

# ---- Shared looks ----------------------------------------------------------------------------

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

in_order <- function(x) factor(x, unique(x))

# ---- A run -----------------------------------------------------------------------------------

#' Pictures of a run with ggplot2
#'
#' `autoplot()` draws a run with the package ggplot2: what is known of the arms, in which
#' order they were pulled, whether the prior predicts them, what is known of the blocks, or the
#' rewards as they came. Use it where you want to change or save the picture as a ggplot; [plot()
#' ][plot.bayesgap] draws arms, blocks and log, and `plot(predictive_check(x))` the check, without
#' that package.
#'
#' * `"arms"`: posterior means and intervals, the single rewards in grey, and the number of
#'   pulls of each arm along the top; the recommended arm is orange and a diamond. Arms that were
#'   set aside (see [retry_arms()]) or dropped are grey, dashed and hollow.
#' * `"pulls"`: the arms in the order in which they were pulled, the darker the better the
#'   reward; a cross is a pull that failed. The recommended arm has a line.
#' * `"check"`: the averages of the observed arms, and intervals where the prior and the other
#'   arms expect them (see [predictive_check()]), in order of expectation, at most 60 arms; an
#'   average outside its interval is orange and a triangle.
#' * `"blocks"`: the effects of the blocks (see [block_effects()]) with their intervals, and the
#'   number of pulls in each along the top; at most 60 blocks, those with most pulls.
#' * `"log"`: every reward at the number of its pull (or in the order told, where some were made
#'   outside the budget), coloured by its block, or else by its arm if there are few. The
#'   recommended arm is ringed, and a cross at the foot is a pull that failed.
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
#' @usage \method{autoplot}{bayesgap}(object, type = c("arms", "pulls", "check", "blocks", "log"),
#'   ..., level = 0.95)
#' @exportS3Method ggplot2::autoplot
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   x <- bayesgap(8, function(arm) sin(arm) + rnorm(1, sd = 0.5), budget = 30, seed = 1)
#'   ggplot2::autoplot(x)
#'   ggplot2::autoplot(x, "pulls")
#'   ggplot2::autoplot(x, "check")
#' }
autoplot.bayesgap <- function( # nolint: object_name_linter.
    object, type = c("arms", "pulls", "check", "blocks", "log"), ..., level = 0.95) {
  check_dots(...)
  check_installed("ggplot2", "autoplot()")
  type <- check_option(type, "type", c("arms", "pulls", "check", "blocks", "log"))
  level <- check_level(level)
  if (type %in% c("check", "blocks", "log")) {
    return(switch(type,
      check = draw_check(predictive_check(object, level)),
      blocks = draw_blocks(drawn_blocks(object, level), block_title(object)),
      log = draw_log(object)
    ))
  }
  found <- certainty(object)
  arms <- posterior_table(object, level, found)
  arms$arm <- object$model$arms$names
  best <- object$belief$best
  arms$best <- seq_len(nrow(arms)) == best
  pulls <- as.data.frame(object)[c("pull", "y")]
  pulls$arm <- arms$arm[object$log$arm]
  arms <- arms[shown_arms(object), ]
  pulls <- pulls[pulls$arm %in% arms$arm, ]
  pulls$arm <- factor(pulls$arm, arms$arm)
  arms$arm <- factor(arms$arm, arms$arm)
  title <- best_title(object, found)
  picture <- if (type == "arms") draw_arms(arms, pulls) else draw_pulls(arms, pulls, object)
  picture + ggplot2::labs(title = title) + plain_look() +
    ggplot2::theme(plot.margin = ggplot2::margin(6, 6, 6, 16))
}

draw_arms <- function(arms, pulls) {
  aside <- arms$status != "active"
  ggplot2::ggplot(arms, ggplot2::aes(x = .data$arm)) +
    ggplot2::geom_point(
      ggplot2::aes(y = .data$y), data = pulls[!is.na(pulls$y), ], colour = "grey60", size = 1,
      position = ggplot2::position_nudge(x = -0.2)
    ) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper, colour = .data$best),
      data = arms[!aside, ], linewidth = 0.8
    ) +
    ggplot2::geom_point(
      ggplot2::aes(y = .data$mean, colour = .data$best, shape = .data$best, size = .data$best),
      data = arms[!aside, ]
    ) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper), data = arms[aside, ],
      colour = "grey70", linetype = "22"
    ) +
    ggplot2::geom_point(
      ggplot2::aes(y = .data$mean), data = arms[aside, ], colour = "grey60", shape = 1, size = 2.2
    ) +
    marked_arms(arms, 18, 4) +
    ggplot2::labs(
      x = "arm (pulls on top)", y = "reward", caption = if (any(aside)) aside_note
    )
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

draw_blocks <- function(table, title) {
  start <- ggplot2::labs(title = title, x = "block (pulls on top)", y = "effect of the block")
  if (!nrow(table)) {
    return(ggplot2::ggplot() + start + plain_look())
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
    marked_arms(table, 16, 2.2) + start + plain_look() +
    ggplot2::theme(plot.margin = ggplot2::margin(6, 6, 6, 16))
}

draw_log <- function(run) {
  table <- drawn_log(run)
  looks <- log_looks(table)
  worked <- table[!is.na(table$y), ]
  failed <- table[is.na(table$y), ]
  ggplot2::ggplot(worked, ggplot2::aes(x = .data$at, y = .data$y)) +
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
      title = best_title(run, certainty(run)), x = log_axis(run), y = "reward",
      colour = looks$title, shape = looks$title
    ) +
    ggplot2::coord_cartesian(clip = "off") + # crosses stand on the edge
    plain_look()
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
