# Real freeway speeds: one row per occasion, one column per sensor.
# From the repository root: Rscript data-raw/traffic.R

# The source package is read as an archive; it need not be installed.
if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
  utils::chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
}
folder <- tempfile("MetricGraph-")
dir.create(folder)
tarball <- utils::download.packages("MetricGraph", folder, type = "source")[1, 2]
utils::untar(tarball, exdir = folder)

source <- new.env()
load(file.path(folder, "MetricGraph", "data", "pems_repl.rda"), source)
# Dropping the classes makes plain columns of what would need package sf.
columns <- c("y", "repl", ".coord_x", ".coord_y")
long <- as.data.frame(unclass(source$pems_repl$data)[columns])

occasions <- 26
sensors <- 319
first <- long[seq_len(sensors), ]
stopifnot(
  "every sensor on every occasion" = nrow(long) == occasions * sensors,
  "occasion after occasion" = identical(long$repl, rep(seq_len(occasions), each = sensors)),
  "sensors in one order" = all(long$.coord_x == first$.coord_x),
  "sensors in one order" = all(long$.coord_y == first$.coord_y),
  "nothing missing" = !anyNA(long),
  "miles an hour" = all(long$y > 0 & long$y < 100),
  "given to a tenth" = all(abs(long$y - round(long$y, 1)) < 1e-9),
  "longitudes of San Jose" = all(first$.coord_x > -122.2 & first$.coord_x < -121.7),
  "latitudes of San Jose" = all(first$.coord_y > 37.2 & first$.coord_y < 37.5)
)

sensor <- sprintf("s%03d", seq_len(sensors))
traffic <- list(
  speeds = matrix(
    long$y, occasions, sensors, byrow = TRUE,
    dimnames = list(occasion = seq_len(occasions), sensor = sensor)
  ),
  # Six decimals of a degree are a tenth of a metre.
  sensors = data.frame(
    sensor = sensor,
    lon = round(first$.coord_x, 6),
    lat = round(first$.coord_y, 6)
  )
)
stopifnot(
  "no two sensors in one place" = !anyDuplicated(traffic$sensors[c("lon", "lat")]),
  "no occasion twice" = !anyDuplicated(traffic$speeds)
)

dir.create("data", showWarnings = FALSE)
save(traffic, file = file.path("data", "traffic.rda"), compress = "xz", version = 2)
stopifnot("small" = file.size(file.path("data", "traffic.rda")) < 150e3)
