#' Freeway speeds around San Jose
#'
#' Speeds at 319 freeway sensors around San Jose, California, on 26 occasions.
#' Some stretches flow freely and others crawl, and neighbouring sensors slow
#' down together: finding the fastest (or the slowest) sensor from few readings
#' is a best-arm problem with correlated arms.
#'
#' The source gives the occasions no dates and the sensors no station numbers:
#' occasions are numbered, and sensors named, in its order. Every sensor has a
#' speed on every occasion. The coordinates are points of the source's road
#' network; some sensors lie only metres apart.
#'
#' @format A list of two:
#' \describe{
#'   \item{speeds}{A numeric matrix, 26 occasions by 319 sensors: speeds in
#'     miles per hour, to a tenth, from 3.0 to 77.2. The columns are named as in
#'     `sensors$sensor`.}
#'   \item{sensors}{A data frame of 319 rows: `sensor`, the name (`"s001"` to
#'     `"s319"`); `lon` and `lat`, longitude and latitude in degrees (WGS 84), to
#'     six decimals.}
#' }
#'
#' @source The Performance Measurement System (PeMS) of the California
#'   Department of Transportation (Chen et al. 2001), taken from the data set
#'   `pems_repl` of the CRAN package MetricGraph, version 1.6.0, by David Bolin,
#'   Alexandre Simas and Jonas Wallin, licence GPL (>= 2). Road network:
#'   OpenStreetMap contributors. The script that made the data set from that
#'   package is `data-raw/traffic.R` in the source repository.
#'
#' @seealso [traffic_problem()] for the study of the paper, [plot_sensors()] for a map,
#'   [read_pems()] for your own stretch of freeway, [simulate_corridor()] for as many occasions
#'   as you like.
#'
#' @references
#' Chen, C., Petty, K., Skabardonis, A., Varaiya, P. and Jia, Z. (2001).
#' Freeway Performance Measurement System: Mining Loop Detector Data.
#' *Transportation Research Record* 1748, 96--102. \doi{10.3141/1748-12}
#'
#' @examples
#' mean_speed <- colMeans(traffic$speeds)
#' summary(mean_speed)
#'
#' # Where the traffic crawls: dark is slow, light is fast.
#' plot_sensors(traffic$sensors, mean_speed, label = "mean, mph")
"traffic"
