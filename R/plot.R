# Base graphics of a run and of a check of its prior.

#' Picture of a run
#'
#' `plot()` shows what is known of the arms: the observations, the posterior means with
#' their intervals, and how often each arm was pulled. Use it for a first look.
#'
#' Up to 60 arms are drawn in their own order; of more, the 60 with the highest posterior
#' means, the recommended one first.
#'
#' @param x A run: the result of [bayesgap()] or [tell()].
#' @param level The probability of the intervals.
#' @param ... Graphical parameters for [graphics::plot.default()], such as `main` or `ylim`.
#' @return `x`, invisibly.
#' @export
#' @examples
#' x <- bayesgap(8, function(arm) sin(arm) + rnorm(1, sd = 0.5), budget = 30, seed = 1)
#' plot(x)
plot.bayesgap <- function(x, level = 0.95, ...) {
  check_run(x)
  found <- certainty(x)
  table <- posterior_table(x, check_level(level), found)
  table$name <- x$model$arms$names
  shown <- shown_arms(x)
  table <- table[shown, ]
  pulls <- as.data.frame(x)
  at <- match(x$log$arm, shown)
  best <- match(x$belief$best, shown)
  position <- seq_along(shown)
  settings <- list(
    x = position, y = table$mean, type = "n", xaxt = "n", xlab = "", ylab = "reward",
    xlim = c(0.5, length(shown) + 0.5),
    ylim = range(table$lower, table$upper, pulls$y[!is.na(at)], na.rm = TRUE),
    main = best_title(x, found)
  )
  draw_with(graphics::plot.default, settings, ...)
  colour <- ifelse(position == best, "#B2182B", "#4393C3")
  graphics::points(
    at - 0.15, pulls$y, pch = 16, cex = 0.7, col = grDevices::adjustcolor("black", 0.3)
  )
  graphics::segments(position, table$lower, position, table$upper, col = colour, lwd = 2)
  graphics::points(
    position, table$mean, pch = ifelse(position == best, 18, 19), col = colour,
    cex = ifelse(position == best, 2, 1)
  )
  draw_arm_axes(position, table$name, table$pulls)
  invisible(x)
}

#' @rdname predictive_check
#' @param ... Graphical parameters for [graphics::plot.default()], such as `main` or `ylim`.
#' @section Pictures:
#' `plot()` and `autoplot(x, "check")` show the arms from the least expected reward to the
#' largest: the expected average as a dash, its interval as a bar, and the observed average as
#' a blue point, or as a red triangle where it lies outside. Of more than 60 arms, those are
#' drawn that are the least expected.
#' @export
plot.bayesgap_check <- function(x, ...) {
  table <- drawn_checks(x)
  position <- seq_len(nrow(table))
  settings <- list(
    x = position, y = table$observed, type = "n", xaxt = "n", xlab = "", ylab = "average reward",
    xlim = c(0.5, max(nrow(table), 1L) + 0.5), main = check_title(x),
    ylim = range(table$lower, table$upper, table$observed, if (!nrow(table)) 0:1)
  )
  draw_with(graphics::plot.default, settings, ...)
  if (!nrow(table)) {
    return(invisible(x))
  }
  graphics::segments(
    position, table$lower, position, table$upper, col = "grey75", lwd = 4, lend = "butt"
  )
  graphics::points(position, table$expected, pch = "-", cex = 1.5, col = "grey25")
  out <- table$outside
  graphics::points(
    position, table$observed, pch = ifelse(out, 17, 19), cex = ifelse(out, 1.4, 1),
    col = ifelse(out, "#B2182B", "#4393C3")
  )
  draw_arm_axes(position, as.character(table$arm), table$pulls)
  invisible(x)
}

# Asking for them opens a device, which a picture needs anyway.
graphics_names <- function() names(graphics::par(no.readonly = TRUE))

# A picture by a function of R's, with the user's graphical parameters in place of ours. The data
# and the kind of the picture are not theirs to change.
draw_with <- function(draw, settings, ...) {
  given <- list(...)
  known <- setdiff(
    c(names(formals(draw)), names(formals(graphics::plot.default)), graphics_names()),
    c("x", "y", "z", "type", "...")
  )
  strange <- if (is.null(names(given))) rep("", length(given)) else setdiff(names(given), known)
  if (length(strange)) {
    abort_unknown(strange[1L], known)
  }
  tryCatch(
    do.call(draw, utils::modifyList(settings, given, keep.null = TRUE)),
    error = function(e) abort("plot", "The picture cannot be drawn: ", conditionMessage(e), ".")
  )
}

# Names below, numbers of pulls above, as many as there is room for.
draw_arm_axes <- function(position, names, pulls) {
  names <- encodeString(names)
  long <- nchar(names) > 12L
  end <- substring(names, nchar(names) - 3L)
  names[long] <- paste0(substr(names, 1L, 6L), "..", end)[long]
  graphics::axis(1, position, names, las = if (sum(nchar(names)) > 50L) 2 else 1, cex.axis = 0.8)
  graphics::axis(3, position, pulls, tick = FALSE, line = -1, cex.axis = 0.7, col.axis = "grey40")
  graphics::mtext("pulls", 3, line = 0.2, adj = 0, cex = 0.7, col = "grey40")
}
