# A simulated freeway: the road and its days are made here, its cells run in C.

#' Speeds on a simulated freeway
#'
#' `simulate_corridor()` simulates the morning rush on a freeway of 35.7 miles, day by day, and
#' returns what speed sensors along it would have read. Use it for a traffic study with as
#' many occasions as you like: the defaults have the sizes of Hoffman, Shahriari and de Freitas
#' (2014, section 6.1), whose data are not public, and about the variance that they report. The
#' result is a history for [arm_model()]. For real speeds see [traffic] and [read_pems()].
#'
#' @section The model:
#' The road is cut into cells of about a tenth of a mile, and time into steps of about five
#' seconds, in which nobody drives further than a cell (the cell-transmission model, Daganzo
#' 1994). In every step a cell sends on the least of what it holds, as far as it gets at free
#' speed, and of its capacity; the next cell takes the least of its capacity and of what a
#' queue lets in. Both follow from a triangular fundamental diagram per lane: free speed 65
#' mph, capacity 1,900 vehicles an hour, queues that grow upstream at up to 12 mph.
#'
#' There are 24 interchanges. At an off-ramp a fixed share leaves, and those who want to leave
#' wait with the others; at an on-ramp that finds no room for all, ramp and road share the
#' room (Daganzo 1995), and who must wait waits at the ramp. Lanes drop from 5 to 4 at miles
#' 13.6 and 21.7 and from 4 to 3 at mile 29.4; a busy on-ramp joins at mile 7.8. There demand
#' is above capacity in the rush, about 7:15 to 8:30, and queues form on most days.
#'
#' Days differ: in the scale and the timing of demand, in factors of the ramps that are like
#' their neighbours', in five-minute fluctuations, and in the weather, which slows down free
#' traffic. Incidents close a part of the capacity at a random place, on average 7 in 24 hours,
#' most likely when demand is high: 10 to 60 % of the capacity for some minutes up to an hour.
#'
#' A sensor reads the distance driven over the time spent in the cell that ends at it, times a
#' factor of its own that stays (standard deviation 2 %), times one of the reading (2 %). The
#' road is the same in every call: seeds and days differ in the traffic only. The same seed
#' gives the same traffic for other `sensors`, `every` or `to`, up to the length of a step.
#'
#' @param sensors The number of sensors, spread evenly over the road, up to 2,000.
#' @param days The number of days, up to 1,000.
#' @param every Seconds between two readings, each of which covers that time.
#' @param from,to Hours of the day at which the readings begin and end, such as 6.5 for half
#'   past six. A day starts with an empty road at 5, or an hour before a `from` below 6, but
#'   not before midnight.
#' @param seed A whole number: the same seed gives the same speeds. `NULL`: drawn from R's
#'   generator, so that [set.seed()] governs it.
#'
#' @return A matrix of class `bayesgap_corridor`: speeds in miles per hour, one row an occasion
#'   (`"day01 06:02:30"` is the beginning of the reading), one column a sensor (`"mp_12.3"` is
#'   at milepost 12.3; traffic flows from 0 to 35.7). Rows or columns taken out of it are a
#'   plain matrix. Three data frames are attributes of it:
#'   \describe{
#'     \item{occasions}{One row an occasion: `day`, `time` (hours since midnight), and the
#'       vehicles that `arrived` at the entrance and the on-ramps and `left` by the off-ramps
#'       and the end during the reading, and were `inside`, on the road or waiting at a ramp,
#'       at its end. From one reading to the next of a day, the change of `inside` is `arrived`
#'       minus `left`.}
#'     \item{sensors}{One row a sensor: `sensor`, `milepost`, `lanes`.}
#'     \item{incidents}{One row an incident that began before the last reading ended: `day`,
#'       `milepost`, `start` and `end` in hours since midnight, and `capacity`, the share left.}
#'   }
#'   `print()` shows it in words, `plot()` as pictures.
#' @seealso [plot.bayesgap_corridor()], [read_pems()], [traffic]; `vignette("traffic")`.
#' @references
#' Daganzo, C. F. (1994). The cell transmission model: a dynamic representation of highway
#' traffic consistent with the hydrodynamic theory. *Transportation Research Part B* 28,
#' 269--287. \doi{10.1016/0191-2615(94)90002-7}
#'
#' Daganzo, C. F. (1995). The cell transmission model, part II: network traffic. *Transportation
#' Research Part B* 29, 79--93. \doi{10.1016/0191-2615(94)00022-R}
#'
#' Hoffman, M. W., Shahriari, B. and de Freitas, N. (2014). On correlation and budget
#' constraints in model-based bandit optimization with application to automatic machine
#' learning. *Proceedings of the 17th International Conference on Artificial Intelligence
#' and Statistics*, PMLR 33, 365-374.
#' @export
#' @examples
#' speeds <- simulate_corridor(sensors = 40, days = 3, seed = 1)
#' speeds
#'
#' # Which sensor is the fastest on the last morning? The other mornings are the history.
#' day <- attr(speeds, "occasions")$day
#' truth <- colMeans(speeds[day == 3, ])
#' model <- arm_model(colnames(speeds), history = speeds[day < 3, ])
#' x <- bayesgap(model, function(sensor) truth[[sensor]] + rnorm(1, sd = 2), budget = 20, seed = 1)
#' best_arm(x)
simulate_corridor <- function(sensors = 357, days = 21, every = 150, from = 6, to = 11,
                              seed = NULL) {
  sensors <- check_count(sensors, "sensors", 2000)
  days <- check_count(days, "days", 1000)
  hours <- check_hours(from, to)
  every <- check_every(every, hours)
  seed <- check_seed(seed)
  stream <- new_stream(seed)
  road <- corridor_road(sensors)
  view <- corridor_view(road, every, hours)
  check_corridor_size(view$n, days, sensors)
  gain <- with_stream(stream, exp(stats::rnorm(sensors, sd = detector_sd[["gain"]])))
  seen <- vector("list", days)
  for (day in seq_len(days)) {
    stream <- nextRNGStream(stream)
    seen[[day]] <- with_stream(stream, corridor_day(road, view, gain))
  }
  new_corridor(seen, road, view)
}

# ---- The road --------------------------------------------------------------------------------

# Per lane: mph, mph, vehicles an hour.
diagram <- c(free = 65, wave = 12, capacity = 1900)

road_miles <- 35.7

# From these miles on there are so many lanes. Where they become fewer, a queue may begin.
lane_miles <- c(0, 8.2, 13.6, 19, 21.7, 29.4)

lane_counts <- c(4, 5, 4, 5, 4, 3)

# Interchanges: an off-ramp at mile `at`, which the share `off` takes, and an on-ramp 0.4 miles
# on. `flow`: the vehicles an hour that want to pass behind it at the height of the rush. The
# first is the entrance.
interchanges <- data.frame(
  at = c(
    -0.4, 1.3, 2.6, 4.2, 5.5, 7.4, 9.1, 10.3, 11.8, 12.9, 14.5, 15.8, 17.2, 18.4, 20.2, 21.2,
    22.9, 24.1, 25.7, 27.0, 28.3, 30.2, 31.4, 32.9, 34.1
  ),
  off = c(
    0, 8, 10, 7, 12, 6, 9, 10, 8, 5, 12, 10, 11, 6, 7, 5, 12, 11, 10, 9, 14, 15, 10, 12, 22
  ) / 100,
  flow = 100 * c(
    57, 60, 65, 67, 69, 81, 79, 82, 82, 84, 76, 73, 69, 79, 82, 84, 75, 71, 69, 67, 64, 57, 58,
    61, 50
  )
)

# The same road for any number of sensors, in cells of about a tenth of a mile. entry: the
# cells with an on-ramp; peak: what comes there at the height of the rush, vehicles an hour.
corridor_road <- function(sensors) {
  each <- ceiling(10 * road_miles / sensors)
  cells <- each * sensors
  miles <- road_miles / cells
  end <- seq_len(cells) * miles
  at <- function(mile) as.integer(pmax(1, ceiling(mile / miles - 1e-9)))
  flow <- interchanges$flow
  before <- c(0, flow[-length(flow)])
  peak <- flow - before * (1 - interchanges$off)
  entry <- at(interchanges$at + 0.4)
  off <- ramp <- merge <- double(cells)
  off[at(interchanges$at)] <- interchanges$off
  ramp[entry] <- 1.5 * peak
  merge[entry] <- peak / flow
  list(
    cells = list(
      lanes = lane_counts[findInterval(end - miles / 2, lane_miles)], off = off, ramp = ramp,
      merge = merge
    ),
    diagram = unname(diagram), length = miles, entry = entry, peak = peak,
    sensor = each * seq_len(sensors), milepost = end[each * seq_len(sensors)]
  )
}

# ---- A day ------------------------------------------------------------------------------------

# Demand by the clock, as a share of the height of the morning rush.
rush <- function(clock) {
  hour <- c(0, 3, 4.5, 5.5, 6.5, 7.25, 7.75, 8.25, 9, 10, 12, 15, 16.5, 17.5, 18.5, 20, 24)
  percent <- c(15, 10, 20, 50, 77, 93, 100, 95, 77, 66, 62, 66, 77, 80, 72, 50, 15)
  stats::approx(hour, percent / 100, clock, rule = 2)$y
}

# Demand is constant for five minutes.
slot_hours <- 1 / 12

# Standard deviations of what varies from day to day, on a logarithmic scale but for the hours
# by which the rush is early or late.
day_sd <- c(scale = 0.02, shift = 0.2, weather = 0.03, ramp = 0.04, slot = 0.15)

# And of what a detector makes of a speed: a factor of its own for good, another in each reading.
detector_sd <- c(gain = 0.02, reading = 0.02)

# Incidents a day.
incident_rate <- 7

# Entries x slots, vehicles an hour: the day's scale and timing, one factor a ramp that is like
# its neighbours', and one a slot that is like the slot before.
draw_demand <- function(peak) {
  slots <- as.integer(24 / slot_hours)
  clock <- (seq_len(slots) - 0.5) * slot_hours
  scale <- stats::rnorm(1L, sd = day_sd[["scale"]])
  shift <- stats::rnorm(1L, sd = day_sd[["shift"]])
  ramp <- day_sd[["ramp"]] * draw_chain(length(peak), 0.7)
  slot <- vapply(peak, function(...) day_sd[["slot"]] * draw_chain(slots, 0.5), double(slots))
  outer(peak * exp(scale + ramp), rush(clock - shift)) * exp(t(slot))
}

# A stationary series of variance 1, each value correlated with the one before.
draw_chain <- function(n, correlation) {
  z <- stats::rnorm(n)
  z[-1L] <- sqrt(1 - correlation^2) * z[-1L]
  as.vector(stats::filter(z, correlation, "recursive"))
}

draw_incidents <- function(cells) {
  n <- stats::rpois(1L, incident_rate)
  minute <- seq(0, 24, by = 1 / 60)
  start <- sample(minute, n, replace = TRUE, prob = rush(minute))
  hours <- pmin(1, stats::rlnorm(n, log(0.25), 0.7))
  list(
    place = as.integer(ceiling(cells * stats::runif(n))), start = start, end = start + hours,
    left = stats::runif(n, 0.4, 0.9)
  )
}

# A day begins with an empty road before its morning rush, and an hour before its first reading.
corridor_day <- function(road, view, gain) {
  weather <- exp(-abs(stats::rnorm(1L, sd = day_sd[["weather"]])))
  road$diagram[1L] <- weather * road$diagram[1L]
  traffic <- list(
    slot = slot_hours, demand = draw_demand(road$peak),
    incidents = draw_incidents(length(road$cells$lanes))
  )
  empty <- double(length(road$cells$lanes))
  state <- list(vehicles = empty, waiting = empty, clock = view$begin)
  if (view$from > view$begin) {
    state <- corridor_advance(road, state, traffic, view$before)$state
  }
  seen <- corridor_advance(road, state, traffic, view$during)
  noise <- exp(stats::rnorm(length(seen$speed), sd = detector_sd[["reading"]]))
  seen$speed <- seen$speed * noise * rep(gain, each = nrow(seen$speed))
  seen$incidents <- traffic$incidents
  seen
}

# road, state, traffic, view: lists in the order of enum road_at, state_at, traffic_at, view_at.
corridor_advance <- function(road, state, traffic, view) {
  .Call(bg_corridor, road, state, traffic, view)
}

# before, during: what C is asked for, up to the first reading and from there on.
corridor_view <- function(road, every, hours) {
  begin <- max(0, min(5, hours[1L] - 1))
  n <- floor(diff(hours) * 3600 / every + 1e-9)
  list(
    begin = begin, from = hours[1L], to = hours[1L] + n * every / 3600, every = every, n = n,
    before = view_of(road, 1, hours[1L] - begin, integer()),
    during = view_of(road, n, every / 3600, as.integer(road$sensor))
  )
}

# n readings of `hours` each. In one step nobody drives further than a cell.
view_of <- function(road, n, hours, sensor) {
  steps <- max(1, ceiling(hours * diagram[["free"]] / road$length))
  list(as.integer(n), as.integer(steps), hours / steps, sensor)
}

check_corridor_size <- function(readings, days, sensors) {
  n <- readings * days * sensors
  if (n > 1e8) {
    abort(
      "corridor", grouped(n), " speeds are more than the ",
      "100,000,000 that simulate_corridor() makes: choose fewer `sensors`, fewer `days` or a ",
      "larger `every`."
    )
  }
  # Four copies of the speeds on the way, and the names and the table of the occasions.
  check_memory(
    readings * days * (300 + 4 * 8 * sensors), count_of(readings * days, "occasion"),
    "Choose fewer `days` or a larger `every`."
  )
}

# ---- The result --------------------------------------------------------------------------------

new_corridor <- function(seen, road, view) {
  day <- rep(seq_along(seen), each = view$n)
  time <- rep(view$from + view$every / 3600 * (seq_len(view$n) - 1), length(seen))
  sensor <- paste0("mp_", short_numbers(road$milepost))
  all <- function(name) unlist(lapply(seen, `[[`, name))
  speeds <- do.call(rbind, lapply(seen, `[[`, "speed"))
  dimnames(speeds) <- list(sprintf("day%02d %s", day, clock_text(time)), sensor)
  structure(
    speeds,
    occasions = data.frame(
      day = day, time = time, arrived = all("arrived"), left = all("left"), inside = all("inside")
    ),
    sensors = data.frame(
      sensor = sensor, milepost = road$milepost, lanes = road$cells$lanes[road$sensor]
    ),
    incidents = incident_table(lapply(seen, `[[`, "incidents"), road, view$to),
    class = c("bayesgap_corridor", "matrix", "array")
  )
}

# The incidents of all days that began before `to`, in order.
incident_table <- function(days, road, to) {
  day <- rep(seq_along(days), vapply(days, function(x) length(x$place), 1L))
  all <- function(name) unlist(lapply(days, `[[`, name))
  table <- data.frame(
    day = day, milepost = (all("place") - 0.5) * road$length, start = all("start"),
    end = all("end"), capacity = all("left")
  )
  table <- table[table$start < to, ]
  table <- table[order(table$day, table$start), ]
  row.names(table) <- NULL
  table
}

# "06:02:30" of 6.04166...
clock_text <- function(hours) {
  second <- round(3600 * hours)
  sprintf("%02d:%02d:%02d", second %/% 3600, second %/% 60 %% 60, second %% 60)
}

# As few decimals as tell the numbers apart, at least one.
short_numbers <- function(x) {
  for (decimals in 1:4) {
    shown <- sprintf("%.*f", decimals, x)
    if (!anyDuplicated(shown)) {
      break
    }
  }
  shown
}

# ---- In words and in pictures ------------------------------------------------------------------

# Transposed, or made of several, it is one in name only.
check_corridor <- function(x) {
  if (!identical(dim(x), c(nrow(attr(x, "occasions")), nrow(attr(x, "sensors"))))) {
    abort(
      "corridor", "This is not a simulated freeway any more, one row an occasion and one column a ",
      "sensor: use unclass() to see it as a matrix."
    )
  }
}

#' @export
format.bayesgap_corridor <- function(x, ...) {
  check_corridor(x)
  occasions <- attr(x, "occasions")
  c(
    sprintf(
      "<corridor> %s of %s, %s along %.1f miles",
      count_of(max(occasions$day), "day"),
      count_of(sum(occasions$day == 1L), "reading"), count_of(ncol(x), "sensor"),
      max(attr(x, "sensors")$milepost)
    ),
    sprintf("  speed      mean %.1f mph, from %.1f to %.1f", mean(x), min(x), max(x)),
    sprintf("  slow       %.1f %% of the readings are below 45 mph", 100 * mean(x < 45)),
    if (nrow(x) > 1L) {
      sprintf("  variance   %.1f, the mean over the sensors", mean(apply(x, 2L, stats::var)))
    },
    sprintf("  incidents  %d", nrow(attr(x, "incidents")))
  )
}

#' @export
print.bayesgap_corridor <- print_lines
