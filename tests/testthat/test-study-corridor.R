# ---- A small road --------------------------------------------------------------------------------

# Cells of a tenth of a mile, 3 lanes unless said otherwise; the first has the entrance.
small_road <- function(lanes = rep(3, 20), off = 0 * lanes, ramp = c(9000, 0 * lanes[-1]),
                       merge = 0 * lanes) {
  list(
    cells = list(lanes = lanes, off = off, ramp = ramp, merge = merge), diagram = c(65, 12, 1900),
    length = 0.1, entry = which(ramp > 0)
  )
}

empty_state <- function(road) {
  none <- 0 * road$cells$lanes
  list(vehicles = none, waiting = none, clock = 0)
}

# Vehicles an hour at the entries, one column a slot.
demand_of <- function(demand, slot = 1, incidents = NULL) {
  none <- list(place = integer(), start = double(), end = double(), left = double())
  if (!is.matrix(demand)) {
    demand <- matrix(demand)
  }
  list(slot = slot, demand = demand, incidents = if (is.null(incidents)) none else incidents)
}

# n readings of `steps` steps of 5 seconds, a sensor at every cell.
advance <- function(road, traffic, n = 1, steps = 12, state = empty_state(road)) {
  view <- list(as.integer(n), as.integer(steps), 5 / 3600, seq_along(road$cells$lanes))
  corridor_advance(road, state, traffic, view)
}

# One step, cell by cell, as in Daganzo (1994, 1995).
twin_step <- function(road, vehicles, waiting, open, step) {
  lanes <- road$cells$lanes
  free <- road$diagram[1]
  wave <- road$diagram[2]
  capacity <- road$diagram[3] * lanes * open * step
  jam <- lanes * road$diagram[3] * (1 / free + 1 / wave) * road$length
  sends <- pmin(vehicles * free * step / road$length, capacity)
  takes <- pmin((jam - vehicles) * wave * step / road$length, capacity)
  k <- length(lanes)
  out <- joined <- through <- double(k)
  for (i in seq_len(k)) {
    here <- min(waiting[i], road$cells$ramp[i] * step)
    before <- if (i > 1) sends[i - 1] * (1 - road$cells$off[i - 1]) else 0
    share <- road$cells$merge[i]
    if (here + before <= takes[i]) {
      joined[i] <- here
      through[i] <- before
    } else {
      joined[i] <- median(c(here, takes[i] - before, share * takes[i]))
      through[i] <- median(c(before, takes[i] - here, (1 - share) * takes[i]))
    }
    if (i > 1) out[i - 1] <- through[i] / (1 - road$cells$off[i - 1])
  }
  out[k] <- sends[k]
  list(
    vehicles = vehicles + joined + through - out, waiting = waiting - joined, out = out,
    left = sum(out * road$cells$off) + out[k] * (1 - road$cells$off[k])
  )
}

test_that("one step is that of the cell-transmission model written out", {
  set.seed(1)
  for (i in 1:200) {
    k <- sample(1:9, 1)
    lanes <- as.double(sample(5, k, replace = TRUE))
    ramp <- runif(k, 0, 3000) * c(1, rbinom(k - 1, 1, 0.5))
    road <- small_road(lanes, runif(k, 0, 0.4) * rbinom(k, 1, 0.5), ramp, runif(k))
    road$cells$off[k] <- 0
    jam <- 1900 * (1 / 65 + 1 / 12) * 0.1 * lanes
    state <- list(
      vehicles = jam * sample(c(0, 1, runif(3)), k, replace = TRUE), clock = 0,
      waiting = runif(k, 0, 10) * (ramp > 0)
    )
    place <- sample(k, 2, replace = TRUE)
    demand <- runif(length(road$entry), 0, 4000)
    seen <- advance(road, demand_of(demand, incidents = list(
      place = place, start = c(0, 0), end = c(1, 1), left = c(0.5, 0)
    )), steps = 1, state = state[c("vehicles", "waiting", "clock")])
    open <- rep(1, k)
    open[place[1]] <- 0.5
    open[place[2]] <- 0
    waiting <- state$waiting
    waiting[road$entry] <- waiting[road$entry] + demand * 5 / 3600
    twin <- twin_step(road, state$vehicles, waiting, open, 5 / 3600)
    expect_equal(seen$state$vehicles, twin$vehicles)
    expect_equal(seen$state$waiting, twin$waiting)
    expect_equal(seen$left, twin$left)
    some <- state$vehicles > 0
    speed <- ifelse(some, 0.1 * twin$out / (state$vehicles * 5 / 3600), 65)
    expect_equal(as.vector(seen$speed), speed)
  }
})

test_that("no vehicle is lost, and none is made", {
  set.seed(2)
  road <- small_road(
    lanes = rep(c(3, 2, 4, 2), each = 5), off = c(0, 0, 0.2, rep(0, 9), 0.1, rep(0, 7)),
    ramp = c(9000, rep(0, 5), 1500, rep(0, 13)), merge = rep(0.2, 20)
  )
  demand <- matrix(runif(2 * 12, 0, 6000), 2)
  crash <- list(place = 8L, start = 0.1, end = 0.3, left = 0.2)
  seen <- advance(road, demand_of(demand, 1 / 12, crash), n = 60)
  expect_equal(seen$arrived, as.vector(rep(colSums(demand), each = 5) / 60))
  expect_equal(cumsum(seen$arrived - seen$left), seen$inside, tolerance = 1e-12)
  expect_equal(sum(seen$state$vehicles, seen$state$waiting), seen$inside[60], tolerance = 1e-12)
  expect_equal(seen$state$clock, 1)
  jam <- 1900 * (1 / 65 + 1 / 12) * 0.1 * road$cells$lanes
  expect_true(all(seen$state$vehicles >= 0 & seen$state$vehicles <= jam * (1 + 1e-12)))
  expect_true(all(seen$state$waiting >= 0))
})

test_that("without demand, and with little, traffic is free", {
  road <- small_road()
  none <- advance(road, demand_of(0), n = 3)
  expect_equal(none$speed, matrix(65, 3, 20))
  expect_identical(c(none$arrived, none$left, none$inside), double(9))
  some <- advance(road, demand_of(3000), n = 60)
  expect_equal(some$speed, matrix(65, 60, 20))
  expect_equal(some$left[60], 3000 / 60)
  # Density is flow over speed.
  expect_equal(some$state$vehicles, rep(0.1 * 3000 / 65, 20))
})

test_that("no more than the capacity passes", {
  seen <- advance(small_road(), demand_of(9000), n = 60)
  expect_true(all(seen$left <= 3 * 1900 / 60 + 1e-9))
  expect_equal(seen$left[60], 3 * 1900 / 60)
  # Who has no room waits.
  expect_equal(seen$state$waiting[1], 9000 - 3 * 1900, tolerance = 0.01)
})

test_that("before a bottleneck is a queue and behind it none", {
  road <- small_road(c(rep(3, 15), rep(2, 5)))
  seen <- advance(road, demand_of(4500), n = 60)
  after <- seen$speed[60, ]
  expect_equal(after[16:20], rep(65, 5))
  # The queue moves at the bottleneck's flow, at the density that the diagram gives it.
  density <- 3 * 1900 * (1 / 65 + 1 / 12) - 2 * 1900 / 12
  expect_equal(after[10:14], rep(2 * 1900 / density, 5), tolerance = 1e-6)
  expect_equal(seen$left[60], 2 * 1900 / 60)
  # It grows upstream: its end passes the cells one after another.
  reached <- apply(seen$speed < 40, 2, function(slow) which(slow)[1])[4:14]
  expect_true(all(diff(reached) < 0))
})

test_that("an incident makes a queue, and then the queue dissolves", {
  road <- small_road(rep(3, 40))
  crash <- list(place = 30L, start = 0.1, end = 0.2, left = 0.3)
  seen <- advance(road, demand_of(4000, incidents = crash), n = 60)
  before <- seen$speed[1:6, ]
  expect_equal(before, matrix(65, 6, 40))
  expect_lt(seen$speed[10, 29], 10)
  expect_equal(seen$speed[10, 35], 65)
  # The front leaves at the speed of a wave, 12 mph: two cells a minute.
  expect_equal(seen$speed[16, 29], 65, tolerance = 0.01)
  expect_lt(seen$speed[13, 24], 40)
  expect_equal(seen$speed[60, ], rep(65, 40))
})

test_that("an on-ramp and the road share what room there is", {
  road <- small_road(ramp = replace(c(9000, double(19)), 11, 3000), merge = rep(0.25, 20))
  seen <- advance(road, demand_of(c(6000, 3000)), n = 60)
  start <- advance(road, demand_of(c(6000, 3000)), n = 59)$state$waiting[11]
  # A quarter of 3 x 1900 an hour joins from the ramp.
  expect_equal(start + 3000 / 60 - seen$state$waiting[11], 3 * 1900 / 4 / 60)
  # A ramp with little to send sends it all.
  light <- advance(road, demand_of(c(6000, 300)), n = 60)
  expect_lt(light$state$waiting[11], 0.5)
})

# ---- simulate_corridor() -------------------------------------------------------------------------

seen <- function(...) attr(simulate_corridor(...), "occasions")

test_that("the result has the sizes and names that were asked for", {
  x <- simulate_corridor(sensors = 51, days = 2, every = 600, seed = 1)
  expect_identical(dim(x), c(60L, 51L))
  expect_identical(rownames(x)[c(1, 2, 31)],
                   c("day01 06:00:00", "day01 06:10:00", "day02 06:00:00"))
  expect_identical(colnames(x)[c(1, 51)], c("mp_0.7", "mp_35.7"))
  expect_false(anyDuplicated(colnames(x)) > 0)
  expect_identical(attr(x, "sensors")$sensor, colnames(x))
  expect_named(attr(x, "occasions"), c("day", "time", "arrived", "left", "inside"))
  expect_named(attr(x, "incidents"), c("day", "milepost", "start", "end", "capacity"))
  expect_identical(class(x[1:3, ]), c("matrix", "array"))
  expect_null(attr(x[1:3, ], "occasions"))
  expect_s3_class(arm_model(colnames(x), history = x), "arm_model")
  names <- colnames(simulate_corridor(sensors = 700, days = 1, every = 3600, from = 0, to = 1))
  expect_identical(names[1:2], c("mp_0.05", "mp_0.10"))
  one <- simulate_corridor(sensors = 1, days = 1, every = 18000, seed = 1)
  expect_identical(dim(one), c(1L, 1L))
})

test_that("no vehicle of a day is lost", {
  x <- seen(sensors = 51, days = 3, seed = 3)
  for (day in split(x, x$day)) {
    expect_equal(diff(day$inside), (day$arrived - day$left)[-1], tolerance = 1e-9)
  }
  expect_true(all(x$arrived > 0 & x$left > 0))
  # From an empty road on: what came and has not left is inside.
  night <- seen(sensors = 51, days = 1, from = 0, to = 6, seed = 3)
  expect_equal(cumsum(night$arrived - night$left), night$inside, tolerance = 1e-9)
})

test_that("a seed gives the same speeds, and leaves the session's generator alone", {
  small <- function(...) simulate_corridor(sensors = 40, days = 2, every = 900, ...)
  set.seed(5)
  before <- .Random.seed
  x <- small(seed = 1)
  expect_identical(.Random.seed, before)
  expect_identical(small(seed = 1), x)
  expect_false(identical(small(seed = 2), x))
  set.seed(5)
  a <- small()
  set.seed(5)
  expect_identical(small(), a)
  expect_false(identical(small(), a))
})

test_that("a seed's traffic is the same for other sensors, readings, hours and days", {
  a <- seen(sensors = 51, days = 2, every = 900, seed = 4)
  expect_equal(seen(sensors = 51, days = 1, every = 900, seed = 4), a[a$day == 1, ])
  later <- seen(sensors = 51, days = 2, every = 900, from = 8, seed = 4)
  expect_equal(later$arrived, a$arrived[a$time >= 8])
  expect_equal(later$left, a$left[a$time >= 8], tolerance = 0.01)
  coarse <- seen(sensors = 17, days = 2, every = 1800, seed = 4)
  pairs <- colSums(matrix(a$arrived, 2))
  expect_equal(coarse$arrived, pairs, tolerance = 1e-3)
})

test_that("the defaults have the paper's sizes and about its variance", {
  for (seed in 1:3) {
    x <- simulate_corridor(seed = seed)
    expect_identical(dim(x), c(2520L, 357L))
    variance <- mean(apply(x, 2, var))
    expect_gt(variance, 75)
    expect_lt(variance, 120)
    expect_true(all(x > 0 & x < 80))
    time <- attr(x, "occasions")$time
    # Free before the rush and after it, slow at its height.
    expect_equal(median(x[time < 6.5, ]), 64, tolerance = 0.03)
    slow <- tapply(rowMeans(x < 45), floor(time), mean)
    expect_identical(unname(which.max(slow)), 3L)
    expect_lt(slow[[1]], 0.02)
    expect_lt(slow[[5]], 0.06)
    expect_gt(slow[["8"]], 0.1)
    # Neighbours slow down together, strangers do not.
    near <- vapply(1:356, function(i) cor(x[, i], x[, i + 1]), 1)
    far <- vapply(1:200, function(i) cor(x[, i], x[, i + 157]), 1)
    expect_gt(mean(near), 0.7)
    expect_gt(mean(near), mean(far) + 0.3)
  }
})

test_that("queues stand upstream of the bottlenecks", {
  x <- simulate_corridor(days = 10, seed = 1)
  slow <- colMeans(x < 45)
  mile <- function(miles) paste0("mp_", sprintf("%.1f", miles))
  for (bottleneck in c(7.7, 13.6, 21.7, 29.4)) {
    expect_gt(slow[[mile(bottleneck - 0.1)]], 0.1)
    expect_lt(slow[[mile(bottleneck + 0.6)]], 0.05)
  }
})

test_that("it is shown in words", {
  expect_snapshot(simulate_corridor(sensors = 40, days = 2, every = 900, seed = 1))
})

test_that("bad arguments are refused", {
  expect_snapshot(error = TRUE, {
    simulate_corridor(sensors = 0)
    simulate_corridor(sensors = 2001)
    simulate_corridor(days = 1.5)
    simulate_corridor(every = 0)
    simulate_corridor(every = 18001)
    simulate_corridor(from = -1)
    simulate_corridor(from = "six")
    simulate_corridor(from = 11)
    simulate_corridor(to = 25)
    simulate_corridor(seed = "a")
    simulate_corridor(sensors = 2000, days = 1000)
  })
  expect_error(simulate_corridor(sensors = NA), class = "bayesgap_error_sensors")
  expect_error(simulate_corridor(to = 5), class = "bayesgap_error_to")
})

test_that("no ramp has a demand below nothing, and a day ends as empty as it began", {
  for (sensors in c(2L, 40L, 357L)) {
    expect_true(all(corridor_road(sensors)$peak > 0))
  }
  day <- attr(simulate_corridor(seed = 1, days = 1, from = 0, to = 24, every = 7200), "occasions")
  expect_true(all(day$arrived > 0 & day$left > 0 & day$inside > 0))
  expect_lt(day$inside[12], 2 * day$inside[1])
})

test_that("a corridor that was turned round says so", {
  x <- simulate_corridor(sensors = 10, days = 1, every = 900, seed = 1)
  expect_error(print(t(x)), class = "bayesgap_error_corridor")
  expect_error(plot(t(x)), class = "bayesgap_error_corridor")
  one <- simulate_corridor(sensors = 3, days = 1, every = 3600, from = 7, to = 8, seed = 1)
  expect_false(any(grepl("NA", format(one))))
})

test_that("occasions beyond what memory holds are refused", {
  expect_error(
    simulate_corridor(1, 1000, every = 1, from = 0, to = 24), "bytes",
    class = "bayesgap_error_memory"
  )
})
