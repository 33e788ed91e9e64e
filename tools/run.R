# The main example: the fastest of 319 freeway sensors, from 100 noisy readings.
# Prints the answer beside the truth and writes a map. Run it with `make run`.
library(bayesgap)

# The last occasion is the truth, which the search may only read with noise; the other 25
# are what is known beforehand.
speeds <- traffic$speeds
truth <- speeds[nrow(speeds), ]
history <- speeds[-nrow(speeds), ]

# The covariance of 319 sensors from 25 occasions has rank 24: as a prior it would be
# certain of much that is chance. Halfway to its diagonal it is not.
empirical <- cov(history)
shrunk <- 0.5 * empirical + 0.5 * diag(diag(empirical))
noise_sd <- sqrt(0.05 * mean(diag(empirical)))

read_speed <- function(sensor) truth[[sensor]] + rnorm(1, sd = noise_sd)

started <- proc.time()[["elapsed"]]
x <- bayesgap(names(truth), read_speed,
  budget = 100, cov = shrunk, prior_mean = colMeans(history), prior_sd = 1,
  noise_sd = noise_sd, progress = FALSE, seed = 1
)
seconds <- proc.time()[["elapsed"]] - started

# ---- The answer, and the truth that only a test like this one knows ------------------

kept <- best_arm(x)
fastest <- names(which.max(truth))
pulls <- posterior(x)$pulls
regret <- truth[[fastest]] - truth[[kept]]

cat(sprintf(
  "Which of %d freeway sensors is the fastest? %d readings with noise of sd %.1f mph.\n\n",
  length(truth), sum(pulls), noise_sd
))
print(x)
cat(
  "",
  sprintf("recommended  %s, in truth %.1f mph", kept, truth[[kept]]),
  sprintf("fastest      %s, in truth %.1f mph", fastest, truth[[fastest]]),
  sprintf("regret       %.1f mph (a sensor taken at random: %.1f on average)", regret,
          truth[[fastest]] - mean(truth)),
  sprintf("readings     on %d sensors, none on the other %d", sum(pulls > 0), sum(pulls == 0)),
  sprintf("time         %.2f seconds", seconds),
  "",
  sep = "\n"
)

# ---- The map: colour is true speed, size is the number of readings -------------------

# Dark is slow and light is fast, in grey as well.
palette <- hcl.colors(100, "viridis")
slowest <- min(truth)
share <- function(speed) (speed - slowest) / (max(truth) - slowest)
colour_of <- function(speed) palette[1 + round(99 * share(speed))]
# The area grows with the number of readings.
size_of <- function(n) sqrt(0.7 + 1.3 * n)

draw_sensors <- function(x, y, n, colour) {
  read <- n > 0
  points(x, y,
    pch = 21, cex = size_of(n), bg = colour, col = ifelse(read, "black", "grey60"),
    lwd = ifelse(read, 1, 0.4)
  )
}

draw_map <- function(sensors) {
  # Sensors of the two directions share a place: those read most lie on top.
  up <- order(pulls, truth)
  lon <- sensors$lon
  lat <- sensors$lat
  par(mar = c(4.5, 5, 3, 0), las = 1)
  plot(lon, lat,
    type = "n", asp = 1 / cos(mean(lat) * pi / 180), xlab = "longitude", ylab = "",
    main = sprintf("%d readings in search of the fastest of %d sensors", sum(pulls),
                   length(truth))
  )
  mtext("latitude", 2, line = 3.5, las = 0)
  draw_sensors(lon[up], lat[up], pulls[up], colour_of(truth[up]))
  at <- match(c(kept, fastest), sensors$sensor)
  points(lon[at], lat[at], pch = c(0, 5), cex = size_of(max(pulls)) + 1.2, lwd = 2.5)
}

draw_key <- function() {
  par(mar = c(4.5, 0, 3, 0.5))
  plot.new()
  plot.window(c(0, 1), c(0, 1))
  text(0.08, 0.98, "true speed, mph", adj = 0)
  rasterImage(as.raster(matrix(rev(palette))), 0.08, 0.63, 0.22, 0.95)
  ticks <- seq(10 * ceiling(slowest / 10), max(truth), by = 10)
  text(0.28, 0.63 + 0.32 * share(ticks), ticks, adj = 0, cex = 0.9)

  text(0.08, 0.53, "readings", adj = 0)
  n <- unique(c(0, 1, 5, max(pulls)))
  height <- seq(0.48, 0.29, length.out = length(n))
  draw_sensors(rep(0.15, length(n)), height, n, "grey85")
  text(0.3, height, n, adj = 0, cex = 0.9)

  points(c(0.15, 0.15), c(0.16, 0.05), pch = c(0, 5), cex = 3.5, lwd = 2.5)
  label <- sprintf("%s\n%s, %.1f mph", c("recommended", "truly fastest"), c(kept, fastest),
                   truth[c(kept, fastest)])
  text(0.3, c(0.16, 0.05), label, adj = c(0, 0.5), cex = 0.9)
}

file <- file.path("build", "traffic.png")
dir.create("build", showWarnings = FALSE)
png(file, width = 1700, height = 1200, res = 150)
layout(matrix(1:2, 1), widths = c(4, 1))
draw_map(traffic$sensors)
draw_key()
invisible(dev.off())
cat("Map: ", file, "\n", sep = "")
