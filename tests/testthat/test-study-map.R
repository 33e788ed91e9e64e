draw <- function(...) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  plot_sensors(...)
}

test_that("a map is drawn with or without readings and marks", {
  sensors <- traffic$sensors
  speed <- traffic$speeds[1, ]
  expect_identical(draw(sensors, speed), sensors)
  marks <- c(best = "s001", "s002", "s003")
  expect_silent(draw(sensors, unname(speed), rep(0:10, 29), mark = marks))
  expect_silent(draw(sensors, rep(60, 319), rep(0, 319), mark = "s005"))
  expect_silent(draw(sensors[7, ], 50, 3))
})

test_that("named speeds are matched to the sensors", {
  sensors <- traffic$sensors[1:3, ]
  expect_identical(check_at_sensors(c(s003 = 3, s001 = 1, s002 = 2), "speed", sensors), c(1, 2, 3))
})

test_that("what cannot be drawn is refused", {
  sensors <- traffic$sensors
  speed <- traffic$speeds[1, ]
  expect_error(plot_sensors(), class = "bayesgap_error_sensors")
  expect_error(plot_sensors(sensors["lon"], speed), class = "bayesgap_error_sensors")
  expect_error(plot_sensors(sensors), class = "bayesgap_error_speed")
  expect_error(plot_sensors(sensors, speed[-1]), class = "bayesgap_error_speed")
  expect_error(plot_sensors(sensors, c(a = 1, speed[-1])), class = "bayesgap_error_speed")
  expect_error(plot_sensors(sensors, speed, -speed), class = "bayesgap_error_pulls")
  expect_error(plot_sensors(sensors, speed, mark = "s999"), class = "bayesgap_error_mark")
  expect_error(plot_sensors(sensors, speed, colour = 1), class = "bayesgap_error_argument")
  sensors$lon[3] <- NA
  expect_error(plot_sensors(sensors, speed), class = "bayesgap_error_sensors")
})

test_that("one sensor and equal speeds are drawn, infinite ones are not", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_no_error(plot_sensors(traffic$sensors[1, ], 42.8))
  expect_no_error(plot_sensors(traffic$sensors, rep(62.37, 319)))
  speed <- replace(traffic$speeds[1, ], 1, Inf)
  expect_error(plot_sensors(traffic$sensors, speed), class = "bayesgap_error_speed")
  expect_error(plot_sensors(traffic$sensors, traffic$speeds[1, ], rep(Inf, 319)),
               class = "bayesgap_error_pulls")
  expect_error(plot_sensors(traffic$sensors, traffic$speeds[1, ], main = NULL),
               class = "bayesgap_error_main")
})
