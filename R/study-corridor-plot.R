# Pictures of a corridor: speeds over time and place.

#' Pictures of a simulated freeway
#'
#' `plot()` draws the speeds over time and place, one panel a day: queues are red, and grow
#' upstream, that is downwards. Use it to see where they begin and when they dissolve.
#'
#' @param x Speeds, made by [simulate_corridor()].
#' @param days The days to draw.
#' @param ... Graphical parameters for the panels, such as `main` or `xlim`.
#' @return `x`, invisibly.
#' @seealso [simulate_corridor()]; `vignette("traffic")`.
#' @export
#' @examples
#' plot(simulate_corridor(sensors = 120, days = 2, seed = 1), days = 1:2)
plot.bayesgap_corridor <- function(x, days = 1, ...) {
  check_corridor(x)
  occasions <- attr(x, "occasions")
  there <- unique(occasions$day)
  if (!is.numeric(days) || !length(days) || !all(days %in% there)) {
    must <- sprintf("days of the simulation, which are 1 to %d", max(there))
    abort_argument("days", "days", must, days)
  }
  panels <- rev(grDevices::n2mfrow(length(days)))
  numbers <- c(seq_along(days), rep(0L, prod(panels) - length(days)))
  before <- graphics::par(no.readonly = TRUE)
  on.exit(graphics::par(before))
  graphics::layout(
    cbind(matrix(numbers, panels[1L], byrow = TRUE), length(days) + 1L),
    widths = c(rep(1, panels[2L]), graphics::lcm(2.4))
  )
  graphics::par(mar = c(4, 4, 2, 0.5), las = 1, cex = 0.8)
  for (day in days) {
    draw_day(x[occasions$day == day, , drop = FALSE], day, x, ...)
  }
  draw_speed_key()
  invisible(x)
}

# Red is slow and blue is fast; above 70 mph all is the same blue.
speed_colours <- function() grDevices::hcl.colors(70L, "RdYlBu")

speed_limits <- c(0, 70)

draw_day <- function(speeds, day, x, ...) {
  time <- attr(x, "occasions")$time[seq_len(nrow(speeds))]
  milepost <- attr(x, "sensors")$milepost
  settings <- list(
    x = edges(time, 24 / nrow(speeds), 0), y = edges(milepost, max(milepost), 1),
    z = pmin(unclass(speeds), speed_limits[2L]), zlim = speed_limits, col = speed_colours(),
    xlab = "time of day", ylab = "milepost", main = paste("day", day), useRaster = TRUE
  )
  draw_with(graphics::image.default, settings, ...)
  graphics::box()
}

# The ends of the cells of a picture; `side` is 0 where `at` are the first ends, and 1 where
# they are the last. A single cell is as wide as `alone`.
edges <- function(at, alone, side) {
  width <- if (length(at) > 1L) at[2L] - at[1L] else alone
  if (side == 0) c(at, at[length(at)] + width) else c(at[1L] - width, at)
}

draw_speed_key <- function() {
  graphics::par(mar = c(4, 0.5, 2, 3))
  speed <- seq(speed_limits[1L], speed_limits[2L], length.out = 71L)
  graphics::image(
    c(0, 1), speed, matrix(speed[-1L], 1L), col = speed_colours(), axes = FALSE, xlab = "",
    ylab = "", useRaster = TRUE
  )
  graphics::axis(4)
  graphics::box()
  graphics::mtext("mph", 3, line = 0.4, cex = 0.7)
}
