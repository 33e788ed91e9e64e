# ---- Files as PeMS writes them -----------------------------------------------------------------

pems_line <- function(time, station, speed, observed = 100, freeway = 880, direction = "S",
                      lane_type = "ML") {
  paste(
    time, station, 4, freeway, direction, lane_type, ".5", 50, observed, 312, ".05", speed, 10, 80,
    ".05", speed, 1, sep = ","
  )
}

# Stations 400 and 99, five minutes apart, on a Monday.
monday <- c(
  pems_line("01/02/2023 06:05:00", 400, 60.5), pems_line("01/02/2023 06:05:00", 99, 50),
  pems_line("01/02/2023 06:00:00", 400, 61), pems_line("01/02/2023 06:00:00", 99, 51.25)
)

pems_file <- function(lines, compress = FALSE) {
  path <- tempfile(fileext = if (compress) ".txt.gz" else ".txt")
  connection <- if (compress) gzfile(path, "w") else file(path, "w")
  writeLines(lines, connection)
  close(connection)
  path
}

test_that("times are rows and stations columns, both in order", {
  expected <- rbind(
    "2023-01-02 06:00:00" = c("99" = 51.25, "400" = 61),
    "2023-01-02 06:05:00" = c("99" = 50, "400" = 60.5)
  )
  for (compress in c(FALSE, TRUE)) {
    expect_silent(x <- read_pems(pems_file(monday, compress)))
    expect_identical(x, expected)
  }
  # With fewer or more lanes, in pieces, with a blank line, with Windows' ends of lines.
  twelve <- sub(",10,80.*", "", monday)
  expect_identical(read_pems(pems_file(twelve)), expected)
  lanes <- c(monday[1:2], paste0(monday[3:4], ",1,2,,"))
  expect_identical(read_pems(pems_file(lanes)), expected)
  expect_identical(read_pems(pems_file(c(monday[1], "", monday[2:4], ""))), expected)
  expect_identical(read_pems(pems_file(paste0(twelve, "\r"))), expected)
})

test_that("pieces of a file are bound together", {
  keep <- list(hours = c(0, 24), weekdays = 1:7)
  file <- pems_file(c(monday, "", "", "", monday[1]))
  for (lines in 1:6) {
    expect_identical(read_station_file(file, keep, lines)$speed, c(60.5, 50, 61, 51.25, 60.5))
  }
})

test_that("hours, weekdays, stations and roads are chosen", {
  at <- function(time, ...) pems_line(time, 1, 60, ...)
  times <- c(
    "01/06/2023 05:55:00", "01/06/2023 06:00:00", "01/06/2023 10:55:00", "01/06/2023 11:00:00",
    "01/07/2023 06:00:00", "01/08/2023 06:00:00", "01/09/2023 06:00:00"
  )
  file <- pems_file(at(times))
  rows <- function(...) rownames(read_pems(file, ...))
  expect_identical(rows(), paste0("2023-01-", c("06 06:00:00", "06 10:55:00", "09 06:00:00")))
  expect_identical(rows(weekdays = 6:7), paste0("2023-01-0", 7:8, " 06:00:00"))
  expect_identical(rows(from = 5, to = 6), "2023-01-06 05:55:00")
  expect_identical(rows(from = 10 + 11 / 12, to = 11), "2023-01-06 10:55:00")
  expect_length(rows(from = 0, to = 24, weekdays = 1:7), 7)

  time <- "01/02/2023 06:00:00"
  file <- pems_file(c(
    pems_line(time, 1, 61), pems_line(time, 2, 62, direction = "N"),
    pems_line(time, 3, 63, lane_type = "HV"), pems_line(time, 4, 64, freeway = 101),
    pems_line(time, "100000", 65)
  ))
  columns <- function(...) colnames(read_pems(file, ...))
  expect_identical(columns(), c("1", "2", "3", "4", "100000"))
  expect_identical(columns(stations = c(3, 100000)), c("3", "100000"))
  expect_identical(columns(stations = "4"), "4")
  expect_identical(columns(freeway = 880, direction = "S", lane_type = "ML"), c("1", "100000"))
})

test_that("several files become one matrix", {
  tuesday <- gsub("01/02/2023", "01/03/2023", monday)
  x <- read_pems(c(pems_file(tuesday), pems_file(monday, TRUE)))
  expect_identical(rownames(x), paste0("2023-01-0", c(2, 2, 3, 3), " 06:0", c(0, 5, 0, 5), ":00"))
  expect_identical(x[3, ], x[1, ])
})

test_that("what is missing is dropped or kept, as wanted", {
  times <- sprintf("01/02/2023 06:%02d:00", seq(0, 45, by = 5))
  one <- pems_line(times, 1, 61)
  gap <- pems_line(times, 2, ifelse(seq_along(times) == 3, "", 62))
  blank <- pems_line(times, 3, "")
  late <- pems_line(times[1:4], 4, 64)
  file <- pems_file(c(one, gap, blank, late))
  expect_message(x <- read_pems(file), "2 of 4 stations, and then 1 of 10 occasions")
  expect_identical(dimnames(x), list(sub(".* ", "2023-01-02 ", times[-3]), c("1", "2")))
  expect_false(anyNA(x))
  kept <- suppressMessages(read_pems(file, incomplete = "keep"))
  expect_identical(dim(kept), c(10L, 2L))
  expect_identical(unname(is.na(kept[, "2"])), seq_len(10) == 3)
  expect_identical(colnames(suppressMessages(read_pems(file, max_missing = 0))), "1")
  all <- read_pems(file, max_missing = 1, incomplete = "keep")
  expect_identical(unname(colSums(is.na(all))), c(0, 1, 10, 6))
  # A history may have gaps.
  gaps <- kept + sin(seq_along(kept))
  expect_s3_class(arm_model(colnames(gaps), history = gaps), "arm_model")
})

test_that("speeds of which too little was observed count as missing", {
  times <- sprintf("01/02/2023 06:%02d:00", c(0, 5))
  file <- pems_file(c(
    pems_line(times, 1, 61, observed = c(100, 40)), pems_line(times, 2, 62, observed = c(50, "")),
    pems_line(times, 3, 63)
  ))
  x <- read_pems(file, max_missing = 1, incomplete = "keep", min_observed = 50)
  expect_identical(as.vector(is.na(x)), c(FALSE, TRUE, FALSE, TRUE, FALSE, FALSE))
  expect_false(anyNA(read_pems(file, max_missing = 1, incomplete = "keep")))
})

test_that("speeds of the same station and time are averaged", {
  again <- c(monday, pems_line("01/02/2023 06:05:00", 400, 70.5),
             pems_line("01/02/2023 06:05:00", 99, ""))
  x <- read_pems(pems_file(again))
  expect_identical(x["2023-01-02 06:05:00", ], c("99" = 50, "400" = 65.5))
  file <- pems_file(monday)
  expect_identical(read_pems(c(file, file)), read_pems(file))
})

test_that("times are taken as written, whatever the time zone and the language", {
  # Daylight saving began on 12 March 2023 at 2: this hour was skipped.
  file <- pems_file(pems_line(c("03/12/2023 02:30:00", "03/12/2023 03:00:00"), 1, 60))
  for (zone in c("America/Los_Angeles", "UTC", "Asia/Kolkata")) {
    old <- Sys.getenv("TZ", NA)
    Sys.setenv(TZ = zone)
    x <- read_pems(file, from = 2, to = 4, weekdays = 7)
    if (is.na(old)) Sys.unsetenv("TZ") else Sys.setenv(TZ = old)
    expect_identical(rownames(x), c("2023-03-12 02:30:00", "2023-03-12 03:00:00"))
  }
})

test_that("files that are no PeMS files are refused, and told where", {
  show <- function(text) gsub("\"[^\"]*[/\\\\][^\"/\\\\]*\\.(txt|gz|rds)\"", "\"<file>\"", text)
  bad <- function(...) read_pems(pems_file(c(...)))
  expect_snapshot(error = TRUE, transform = show, {
    bad(character())
    bad("", "")
    bad("Timestamp,Station,District", monday)
    bad("a", "b")
    bad(monday, "", "01/02/2023 06:00:00,400,4,880,S")
    bad(monday[1], "", sub("01/02", "13/02", monday[2], fixed = TRUE))
    bad(sub("/2023 06:05:00", "/23 6:05", monday[1], fixed = TRUE))
    bad(monday, pems_line("01/02/2023 06:10:00", "x1", 60))
    bad(monday, pems_line("01/02/2023 06:10:00", 400, "fast"))
    bad(monday, pems_line("01/02/2023 06:10:00", 400, 60, observed = "all"))
  })
  expect_error(bad("a"), class = "bayesgap_error_format")
  expect_error(bad(character()), class = "bayesgap_error_files")
  binary <- tempfile(fileext = ".rds")
  writeBin(as.raw(c(0:255, 10, 0:9)), binary)
  expect_error(read_pems(binary), class = "bayesgap_error_format")
})

test_that("when nothing is left, it is said why", {
  file <- pems_file(monday)
  expect_snapshot(error = TRUE, {
    read_pems(file, weekdays = 6)
    read_pems(file, stations = 7)
    read_pems(pems_file(sub(",[0-9.]*,10,80.*", ",", monday)))
    read_pems(pems_file(monday[c(1, 4)]), max_missing = 0.5)
  })
  expect_error(read_pems(c(file, file), freeway = 5), class = "bayesgap_error_pems")
})

test_that("bad arguments are refused", {
  file <- pems_file(monday)
  expect_snapshot(error = TRUE, {
    read_pems()
    read_pems(1)
    read_pems("no/such/file.txt")
    read_pems(file, speed = 1)
    read_pems(file, weekdays = 0)
    read_pems(file, weekdays = "Monday")
    read_pems(file, from = 12)
    read_pems(file, stations = NA)
    read_pems(file, min_observed = 101)
    read_pems(file, max_missing = -1)
    read_pems(file, incomplete = "impute")
  })
  expect_error(read_pems(tempdir()), class = "bayesgap_error_files")
})

test_that("a file that was cut off is refused", {
  many <- rep(monday, 500)
  path <- pems_file(sprintf("%s,%d", many, sample.int(1e6, length(many))), TRUE)
  expect_no_error(suppressMessages(read_pems(path)))
  bytes <- readBin(path, "raw", file.size(path))
  for (kept in c(length(bytes) - 20, length(bytes) %/% 2)) {
    writeBin(bytes[seq_len(kept)], path)
    expect_error(suppressMessages(read_pems(path)), "cut off", class = "bayesgap_error_files")
  }
  # Two compressed files in one are one
  both <- tempfile(fileext = ".gz")
  halves <- lapply(list(monday[1:2], monday[3:4]), function(lines) {
    one <- pems_file(lines, TRUE)
    readBin(one, "raw", file.size(one))
  })
  writeBin(do.call(c, halves), both)
  expect_identical(read_pems(both), read_pems(pems_file(monday)))
})

test_that("odd times, speeds and places are told", {
  odd <- function(line) read_pems(pems_file(c(monday, line)))
  expect_error(odd(pems_line("01/02/2023 24:00:00", 400, 60)), class = "bayesgap_error_format")
  expect_error(odd(pems_line("01/02/2023 06:00:60", 400, 60)), class = "bayesgap_error_format")
  expect_error(odd(pems_line("01/02/2023 06:00:00", 400, -5)), class = "bayesgap_error_format")
  spaced <- pems_file(c("  ", monday, pems_line("x", 400, 60)))
  expect_error(read_pems(spaced), "line 6", class = "bayesgap_error_format")
  expect_message(read_pems(pems_file(monday), stations = c(400, 7)), "\"7\"")
  expect_identical(colnames(suppressMessages(read_pems(pems_file(monday), stations = c(400, 7.5)))),
                   "400")
  expect_error(read_pems(tempdir()), "folder", class = "bayesgap_error_files")
})

test_that("paths that no file can have are refused", {
  expect_error(read_pems(strrep("a", 1e5)), "too long", class = "bayesgap_error_files")
})
