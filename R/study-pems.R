# Speeds from the station files of the Californian freeway detectors.

#' Speeds from PeMS station files
#'
#' `read_pems()` reads speeds from the "Station 5-Minute" text files of the Performance
#' Measurement System (PeMS) of the California Department of Transportation, for chosen hours
#' and weekdays, into a matrix with one row an occasion and one column a station. Use it to
#' make a history for [arm_model()] of your own stretch of freeway.
#'
#' @section The files:
#' The Data Clearinghouse of PeMS offers, free after registration, one file a district and day
#' (`d04_text_station_5min_2023_01_02.txt.gz`). A line is a station and five minutes, its fields
#' separated by commas, without a header: timestamp (`MM/DD/YYYY HH:MM:SS`, the beginning of the
#' five minutes), station, district, freeway, direction, lane type, station length, samples,
#' percentage observed, total flow, average occupancy, average speed (mph), and then five
#' fields a lane, which are not read. Values that were not observed are PeMS's own estimates,
#' or blank.
#'
#' Times are taken as they are written, without a time zone: nothing is shifted where daylight
#' saving begins or ends. Where a station has the same time twice, as in the hour after
#' daylight saving ends or when a file is given twice, its speeds are averaged.
#'
#' @param files Paths of one or more files, plain or compressed (`.gz`).
#' @param from,to Hours of the day, such as 6.5 for half past six: times from `from` on and
#'   before `to` are kept.
#' @param weekdays The days of the week to keep, 1 for Monday to 7 for Sunday.
#' @param ... Must be empty.
#' @param stations,freeway,direction,lane_type What to keep: station numbers, freeway numbers
#'   (880), directions (`"N"`, `"S"`, `"E"`, `"W"`), lane types (`"ML"` is the main line,
#'   `"HV"` a lane for high occupancy; ramps have no speeds). `NULL` keeps all.
#' @param min_observed A speed counts as missing when less than this percentage of its samples
#'   was observed.
#' @param max_missing A station is dropped when more than this share of its occasions is
#'   missing.
#' @param incomplete What becomes of occasions at which some of the stations left have no
#'   speed: `"drop"`, or `"keep"` them with `NA`, which a history may have.
#'
#' @return A matrix of speeds in miles per hour: one row an occasion, in order of time, named
#'   `"2023-01-02 06:05:00"`; one column a station, in order of its number, which is its name.
#'   A message tells how many stations and occasions were left out for missing values.
#' @source The format: PeMS Data Clearinghouse, Station 5-Minute,
#'   <https://pems.dot.ca.gov/?dnode=Clearinghouse>.
#' @references
#' Chen, C., Petty, K., Skabardonis, A., Varaiya, P. and Jia, Z. (2001).
#' Freeway Performance Measurement System: Mining Loop Detector Data.
#' *Transportation Research Record* 1748, 96--102. \doi{10.3141/1748-12}
#' @seealso [arm_model()], [traffic], [simulate_corridor()]; `vignette("traffic")`.
#' @export
#' @examples
#' # Two stations on a Monday morning, in a file as PeMS writes it
#' file <- tempfile(fileext = ".txt")
#' writeLines(c(
#'   "01/02/2023 06:00:00,400001,4,880,S,ML,.5,50,100,312,.05,66.1,10,80,.05,66.1,1",
#'   "01/02/2023 06:00:00,400002,4,880,S,ML,.4,50,100,298,.07,58.9,10,75,.07,58.9,1",
#'   "01/02/2023 06:05:00,400001,4,880,S,ML,.5,50,100,330,.06,65.2,10,84,.06,65.2,1",
#'   "01/02/2023 06:05:00,400002,4,880,S,ML,.4,50,100,305,.08,51.3,10,77,.08,51.3,1"
#' ), file)
#' read_pems(file, from = 6, to = 11, freeway = 880, direction = "S")
read_pems <- function(files, from = 6, to = 11, weekdays = 1:5, ..., stations = NULL,
                      freeway = NULL, direction = NULL, lane_type = NULL, min_observed = 0,
                      max_missing = 0.1, incomplete = c("drop", "keep")) {
  check_dots(...)
  files <- check_files(if (missing(files)) NULL else files)
  keep <- list(
    hours = check_hours(from, to), weekdays = check_weekdays(weekdays),
    station = check_kept(stations, "stations"), freeway = check_kept(freeway, "freeway"),
    direction = check_kept(direction, "direction"),
    lane_type = check_kept(lane_type, "lane_type")
  )
  min_observed <- check_between(min_observed, "min_observed", 100)
  max_missing <- check_between(max_missing, "max_missing", 1)
  incomplete <- check_option(incomplete, "incomplete", c("drop", "keep"))
  table <- do.call(rbind, lapply(files, read_station_file, keep = keep))
  if (!nrow(table)) {
    abort(
      "pems", "Nothing is left: no line is of these hours, weekdays, stations, freeway, ",
      "direction and lane type."
    )
  }
  lost <- setdiff(keep$station, table$station)
  if (length(lost)) {
    message("No line is of ", count_of(length(lost), "station"), " asked for: ", quoted(lost), ".")
  }
  if (min_observed > 0) {
    table$speed[is.na(table$observed) | table$observed < min_observed] <- NA
  }
  drop_missing(speed_matrix(table), max_missing, incomplete == "drop")
}

# ---- One file ----------------------------------------------------------------------------------

# The first fields of a line, of which some are read; lanes follow.
pems_fields <- c(
  "timestamp", "station", "district", "freeway", "direction", "lane_type", "length", "samples",
  "observed", "flow", "occupancy", "speed"
)
wanted_fields <- c(
  "timestamp", "station", "freeway", "direction", "lane_type", "observed", "speed"
)

# A data frame: time, station, observed, speed. A file of a district and day has more than a
# million lines: they come in pieces, of which only what is wanted is kept.
read_station_file <- function(file, keep, lines = 1e5) {
  check_whole(file)
  connection <- tryCatch(file(file, "r"), error = identity, warning = identity)
  if (inherits(connection, "condition")) {
    abort("files", shown_file(file), " cannot be read: ", conditionMessage(connection), ".")
  }
  on.exit(close(connection))
  pieces <- list()
  before <- 0
  repeat {
    text <- readLines(connection, lines, warn = FALSE)
    if (!length(text)) {
      break
    }
    pieces[[length(pieces) + 1L]] <- parse_lines(text, keep, file, before)
    before <- before + length(text)
  }
  table <- do.call(rbind, pieces)
  if (is.null(table)) {
    abort("files", shown_file(file), " is empty.")
  }
  table
}

# The lines that are wanted, after all have been checked; NULL where all are blank. before: the
# lines of earlier pieces.
parse_lines <- function(text, keep, file, before) {
  line <- grep("[^ \t\r]", text, useBytes = TRUE)
  if (!length(line)) {
    return(NULL)
  }
  fields <- split_fields(text[line], file, before + line)
  parse_fields(fields, keep, file, before + line)
}

# The fields that are read, a list of vectors.
split_fields <- function(text, file, line) {
  # Not as a string of the package, which R could not load without a warning in a C locale
  mark <- rawToChar(as.raw(c(0xef, 0xbb, 0xbf)))
  text[1L] <- sub(paste0("^", mark), "", text[1L], useBytes = TRUE)
  enough <- sprintf("^([^,]*,){%d}", length(pems_fields) - 1L)
  short <- which(!grepl(enough, text, perl = TRUE, useBytes = TRUE))
  if (length(short)) {
    commas <- gregexpr(",", text[short[1L]], fixed = TRUE, useBytes = TRUE)[[1L]]
    abort("format", gettextf(
      "%s is not a PeMS Station 5-Minute file: line %d has %s where at least %d are needed.",
      shown_file(file), line[short[1L]], count_of(1L + sum(commas > 0), "field"),
      length(pems_fields)
    ))
  }
  # What scan() might stumble over has been seen to: it does not give back its memory then.
  what <- structure(vector("list", length(pems_fields)), names = pems_fields)
  what[wanted_fields] <- ""
  scan(
    text = text, what = what, sep = ",", quote = "", flush = TRUE, multi.line = FALSE,
    strip.white = TRUE, na.strings = character(), quiet = TRUE
  )
}

parse_fields <- function(fields, keep, file, line) {
  refuse <- function(bad, name, must) {
    if (any(bad)) {
      at <- which(bad)[1L]
      abort("format", gettextf(
        "%s is not a PeMS Station 5-Minute file: field %d (%s) of line %d must be %s, not %s.",
        shown_file(file), match(name, pems_fields), name, line[at], must,
        describe(fields[[name]][at])
      ))
    }
  }
  pattern <- "^[0-9]{2}/[0-9]{2}/[0-9]{4} ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$"
  time <- by_value(fields$timestamp, function(text) {
    text[!grepl(pattern, text, useBytes = TRUE)] <- NA
    as.double(as.POSIXct(strptime(text, "%m/%d/%Y %H:%M:%S", tz = "UTC")))
  })
  refuse(is.na(time), "timestamp", "a time such as 01/31/2023 06:05:00")
  refuse(!grepl("^[0-9]+$", fields$station, useBytes = TRUE), "station", "a whole number")
  number <- function(name) {
    value <- by_value(fields[[name]], function(text) suppressWarnings(as.double(text)))
    bad <- nzchar(fields[[name]]) & !(is.finite(value) & value >= 0)
    refuse(bad, name, "a number from 0, or blank")
    value
  }
  observed <- number("observed")
  speed <- number("speed")
  wanted <- in_hours(time, keep$hours) & weekday_of(time) %in% keep$weekdays
  for (name in c("station", "freeway", "direction", "lane_type")) {
    wanted <- wanted & (is.null(keep[[name]]) | fields[[name]] %in% keep[[name]])
  }
  data.frame(
    time = time[wanted], station = fields$station[wanted], observed = observed[wanted],
    speed = speed[wanted]
  )
}

# f(x), computed once for each value.
by_value <- function(x, f) {
  values <- unique(x)
  f(values)[match(x, values)]
}

in_hours <- function(time, hours) {
  ends <- round(3600 * hours)
  second <- time %% 86400
  second >= ends[1L] & second < ends[2L]
}

# 1 for Monday; the first of January 1970 was a Thursday.
weekday_of <- function(time) {
  (time %/% 86400 + 3) %% 7 + 1
}

shown_file <- function(file) {
  paste0("File ", encodeString(file, quote = "\""))
}

# ---- All of them -------------------------------------------------------------------------------

# Occasions x stations; NA where there is no speed.
speed_matrix <- function(table) {
  times <- sort(unique(table$time))
  stations <- unique(table$station)
  stations <- stations[order(as.double(stations))]
  cell <- match(table$time, times) + length(times) * (match(table$station, stations) - 1)
  seen <- !is.na(table$speed)
  cell <- cell[seen]
  speed <- table$speed[seen]
  if (anyDuplicated(cell)) {
    cells <- unique(cell)
    group <- match(cell, cells)
    speed <- as.vector(rowsum(speed, group)) / tabulate(group)
    cell <- cells
  }
  names <- format(.POSIXct(times, "UTC"), "%Y-%m-%d %H:%M:%S")
  x <- matrix(NA_real_, length(times), length(stations), dimnames = list(names, stations))
  x[cell] <- speed
  x
}

drop_missing <- function(x, max_missing, complete) {
  share <- colMeans(is.na(x))
  kept <- share <= max_missing
  if (!any(kept)) {
    abort("pems", gettextf(
      paste(
        "No station is left: each is missing at least %.0f %% of %s, and `max_missing`",
        "allows %s %%. Allow more, or choose other hours or a smaller `min_observed`."
      ),
      floor(100 * min(share)), count_of(nrow(x), "occasion"), format(100 * max_missing)
    ))
  }
  full <- !complete | rowSums(is.na(x[, kept, drop = FALSE])) == 0
  if (!any(full)) {
    abort(
      "pems", "No occasion is left at which all of ", count_of(sum(kept), "station"),
      " have a speed. Use incomplete = \"keep\", or a smaller `max_missing`."
    )
  }
  if (!all(kept, full)) {
    message(gettextf(
      "Left out for missing values: %d of %s, and then %d of %s.", sum(!kept),
      count_of(length(kept), "station"), sum(!full), count_of(length(full), "occasion")
    ))
  }
  x[full, kept, drop = FALSE]
}

# ---- What may be given -------------------------------------------------------------------------

check_files <- function(files) {
  if (!is.character(files) || !length(files) || anyNA(files)) {
    abort_argument("files", "files", "the paths of one or more files", files)
  }
  if (!all(is_path(files))) {
    abort("files", "`files` must be the paths of files; number ", which(!is_path(files))[1L],
          " is too long, or not text.")
  }
  lost <- files[!file.exists(files) | dir.exists(files)]
  if (length(lost)) {
    abort(
      "files", "There is no file ", quoted(lost), ".",
      if (any(dir.exists(lost))) " To read a folder, give list.files(folder, full.names = TRUE)."
    )
  }
  files
}

# A compressed file ends with the size of what is in it; of one that was cut off the last bytes
# are anything, and what is there is read without a word.
check_whole <- function(file) {
  raw <- readBin(file, "raw", 2L)
  if (!identical(raw, as.raw(c(0x1f, 0x8b)))) {
    return()
  }
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  read <- 0
  while (length(piece <- readBin(connection, "raw", 1e7))) {
    read <- read + length(piece)
  }
  if (last_size(file) > read) {
    abort("files", shown_file(file), " is cut off: not all of it was copied or downloaded.")
  }
}

last_size <- function(file) {
  connection <- file(file, "rb", raw = TRUE)
  on.exit(close(connection))
  seek(connection, file.size(file) - 4)
  sum(as.integer(readBin(connection, "raw", 4L)) * 256^(0:3))
}

check_weekdays <- function(weekdays) {
  if (!is.numeric(weekdays) || !length(weekdays) || !all(weekdays %in% 1:7)) {
    must <- "whole numbers from 1 (Monday) to 7 (Sunday)"
    abort_argument("weekdays", "weekdays", must, weekdays)
  }
  weekdays
}

# As they are written in the files.
check_kept <- function(x, arg) {
  if (is.null(x)) {
    return(NULL)
  }
  if (!(is.numeric(x) || is.character(x) || is.factor(x)) || !length(x) || anyNA(x)) {
    abort_argument(arg, arg, "NULL or one or more values to keep", x)
  }
  if (is.numeric(x)) {
    return(vapply(x, format, "", scientific = FALSE, trim = TRUE, digits = 15))
  }
  as.character(x)
}

check_between <- function(x, arg, most) {
  if (!is_number(x) || x < 0 || x > most) {
    abort_argument(arg, arg, gettextf("a number from 0 to %d", most), x)
  }
  as.double(x)
}
