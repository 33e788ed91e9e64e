# A map of sensors.

#' A map of sensors
#'
#' `plot_sensors()` draws sensors where they stand, coloured by their speed: dark is slow and
#' light is fast. The size of a dot can show how often a sensor was read, and chosen sensors can
#' be marked. Use it to see where a search went.
#'
#' @param sensors A data frame with one row a sensor: `sensor`, its name, and the coordinates
#'   `lon` and `lat` in degrees, such as `traffic$sensors`.
#' @param speed One number a sensor: in the order of `sensors`, or named by them.
#' @param pulls How often each sensor was read, in the same form; `NULL`: not shown. Those read
#'   most lie on top.
#' @param mark Names of up to three sensors to mark, with the labels of the legend as its names.
#'   A line break in a label is kept.
#' @param ... Must be empty.
#' @param main The title.
#' @param label What `speed` is, for the legend.
#'
#' @return `sensors`, invisibly.
#' @seealso [traffic]; `vignette("traffic")`.
#' @export
#' @examples
#' plot_sensors(traffic$sensors, colMeans(traffic$speeds), label = "mean, mph")
#'
#' # Where are the readings taken? The last occasion is the truth, the others the history.
#' truth <- traffic$speeds[26, ]
#' x <- bayesgap(names(truth), function(sensor) truth[[sensor]] + rnorm(1, sd = 2), budget = 40,
#'               history = traffic$speeds[-26, ], noise_sd = 2, seed = 1)
#' plot_sensors(traffic$sensors, truth, posterior(x)$pulls, mark = c(recommended = best_arm(x)))
plot_sensors <- function(sensors, speed, pulls = NULL, mark = NULL, ..., main = "",
                         label = "speed, mph") {
  check_dots(...)
  sensors <- check_sensors(if (!missing(sensors)) sensors)
  speed <- check_at_sensors(if (!missing(speed)) speed, "speed", sensors)
  if (!is.null(pulls)) {
    pulls <- check_at_sensors(pulls, "pulls", sensors)
  }
  mark <- check_mark(mark, sensors)
  main <- check_text(main, "main")
  label <- check_text(label, "label")
  before <- graphics::par(no.readonly = TRUE)
  on.exit(graphics::par(before))
  graphics::layout(matrix(1:2, 1L), widths = c(3, 1))
  draw_map(sensors, speed, pulls, mark, main)
  draw_map_key(speed, pulls, mark, label)
  invisible(sensors)
}

# ---- What may be given ------------------------------------------------------------------------

check_sensors <- function(sensors) {
  must <- "a data frame with the columns `sensor`, `lon` and `lat`"
  if (!is.data.frame(sensors) || !all(c("sensor", "lon", "lat") %in% names(sensors)) ||
    !nrow(sensors)) {
    abort_argument("sensors", "sensors", must, sensors)
  }
  if (!all(is.finite(c(sensors$lon, sensors$lat)))) {
    abort("sensors", "The coordinates of `sensors` must be finite numbers.")
  }
  sensors$sensor <- as.character(sensors$sensor)
  sensors
}

check_at_sensors <- function(x, arg, sensors) {
  n <- nrow(sensors)
  if (!is.numeric(x) || length(x) != n || !all(is.finite(x)) || arg == "pulls" && any(x < 0)) {
    must <- sprintf(
      "one finite number a sensor (%d)%s", n, if (arg == "pulls") ", each at least 0" else ""
    )
    abort_argument(arg, arg, must, x)
  }
  if (is.null(names(x))) {
    return(as.double(x))
  }
  check_same_names(names(x), sensors$sensor, arg, arg)
  as.double(x[sensors$sensor])
}

check_text <- function(x, arg) {
  if (!is.character(x) || length(x) != 1L || is.na(x)) {
    abort_argument(arg, arg, "a text", x)
  }
  x
}

# The rows of the marked sensors, named by what the legend is to say.
check_mark <- function(mark, sensors) {
  if (is.null(mark)) {
    return(integer())
  }
  if (!is.character(mark) || !length(mark) %in% 1:3 || !all(mark %in% sensors$sensor)) {
    abort_argument("mark", "mark", "the names of up to three of the sensors", mark)
  }
  labels <- if (is.null(names(mark))) mark else names(mark)
  structure(match(mark, sensors$sensor), names = labels)
}

# ---- The picture ------------------------------------------------------------------------------

map_palette <- function() grDevices::hcl.colors(100L, "viridis")

map_colours <- function(speed, limits = range(speed)) {
  share <- (speed - limits[1L]) / max(diff(limits), .Machine$double.xmin)
  map_palette()[1 + round(99 * share)]
}

# The area grows with the number of readings.
dot_size <- function(pulls) sqrt(0.7 + 1.3 * pulls)

draw_dots <- function(x, y, pulls, colour) {
  read <- pulls > 0
  graphics::points(x, y,
    pch = 21, cex = dot_size(pulls), bg = colour, col = ifelse(read, "black", "grey60"),
    lwd = ifelse(read, 1, 0.4)
  )
}

mark_symbols <- c(0, 5, 2)

# Sensors of the two directions share a place: those read most lie on top.
draw_map <- function(sensors, speed, pulls, mark, main) {
  graphics::par(mar = c(4.5, 5, if (nzchar(main)) 3 else 0.5, 0), las = 1)
  graphics::plot(sensors$lon, sensors$lat,
    type = "n", asp = 1 / cos(mean(sensors$lat) * pi / 180), xlab = "longitude", ylab = "",
    main = main
  )
  graphics::mtext("latitude", 2, line = 3.5, las = 0)
  size <- if (is.null(pulls)) rep(0.5, length(speed)) else pulls
  up <- order(size, speed)
  draw_dots(sensors$lon[up], sensors$lat[up], size[up], map_colours(speed)[up])
  graphics::points(
    sensors$lon[mark], sensors$lat[mark], pch = mark_symbols, cex = dot_size(size[mark]) + 1.5,
    lwd = 2
  )
}

draw_map_key <- function(speed, pulls, mark, label) {
  graphics::par(mar = c(4.5, 0, 0.5, 0.2))
  graphics::plot.new()
  graphics::plot.window(c(0, 1), c(0, 1))
  graphics::text(0.06, 0.98, label, adj = 0, cex = 0.9)
  bar <- grDevices::as.raster(matrix(rev(map_palette())))
  graphics::rasterImage(bar, 0.06, 0.63, 0.18, 0.94)
  ticks <- pretty(speed, 5)
  ticks <- ticks[ticks >= min(speed) & ticks <= max(speed)]
  if (!length(ticks)) {
    ticks <- unique(signif(range(speed), 4))
  }
  height <- 0.63 + 0.31 * (ticks - min(speed)) / max(diff(range(speed)), .Machine$double.xmin)
  graphics::text(0.22, height, ticks, adj = 0, cex = 0.8)
  if (!is.null(pulls)) {
    graphics::text(0.06, 0.54, "readings", adj = 0, cex = 0.9)
    shown <- sort(unique(c(0, 1, round(max(pulls) / 3), max(pulls))))
    size <- dot_size(shown)
    apart <- c(0, cumsum(size[-1L] + size[-length(size)]))
    height <- 0.49 - 0.22 * apart / max(apart, 1)
    draw_dots(rep(0.12, length(shown)), height, shown, "grey85")
    graphics::text(0.25, height, shown, adj = 0, cex = 0.8)
  }
  height <- seq(0.17, by = -0.11, length.out = length(mark))
  graphics::points(rep(0.12, length(mark)), height, pch = mark_symbols, cex = 2.2, lwd = 2)
  graphics::text(0.25, height, names(mark), adj = c(0, 0.5), cex = 0.8)
}
