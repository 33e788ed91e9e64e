# Tables as people have them: csv with commas or semicolons, xlsx, lines from a spreadsheet; numbers
# with decimal points or commas. Read as the text that stands there, so that a mistake can be shown
# where it was made.

# A data frame of text, one column each of the sheet; "" where a cell is empty. name: of the file,
# whose ending tells what it is.
read_sheet <- function(path, name = path) {
  ending <- tolower(sub(".*[.]", "", name))
  sheet <- if (ending %in% c("xlsx", "xls")) {
    sheet_from_excel(path)
  } else {
    sheet_from_text(read_as_text(path))
  }
  if (!nrow(sheet)) {
    abort("sheet", "There is a heading in \"", basename(name), "\" at most, and no row below it.")
  }
  sheet
}

# Of the first sheet. Numbers have all their digits; midnights are dates.
sheet_from_excel <- function(path) {
  check_installed("readxl", "Reading a spreadsheet")
  found <- tryCatch(
    suppressMessages(readxl::read_excel(path, .name_repair = "minimal")),
    error = function(e) abort("sheet", "This is no spreadsheet: ", conditionMessage(e))
  )
  new_sheet(lapply(found, cell_text), names(found))
}

cell_text <- function(value) {
  text <- if (inherits(value, c("POSIXct", "Date"))) {
    date_text(value)
  } else if (is_plain_number(value)) {
    number_labels(value)
  } else {
    as.character(value)
  }
  text[is.na(value)] <- ""
  trimws(text)
}

date_text <- function(value) {
  day <- format(value, "%Y-%m-%d")
  time <- format(value, "%H:%M:%S")
  if (all(is.na(value) | time == "00:00:00")) day else paste(day, time)
}

# Text in UTF-8, whatever wrote it: spreadsheets put a mark before it, or write UTF-16 or Latin-1.
read_as_text <- function(path) {
  bytes <- readBin(path, "raw", file.size(path))
  starts <- function(...) identical(utils::head(bytes, ...length()), as.raw(c(...)))
  if (starts(0x50, 0x4b, 0x03, 0x04)) {
    abort("sheet", "This is a packed file, not a csv: give a spreadsheet its ending, .xlsx.")
  }
  text <- if (starts(0xff, 0xfe)) {
    iconv(list(bytes[-(1:2)]), "UTF-16LE", "UTF-8")
  } else if (any(bytes == 0L)) {
    NA_character_
  } else {
    rawToChar(if (starts(0xef, 0xbb, 0xbf)) bytes[-(1:3)] else bytes)
  }
  if (is.na(text)) {
    abort("sheet", "This is no table: a csv or xlsx file is wanted.")
  }
  if (validUTF8(text)) `Encoding<-`(text, "UTF-8") else iconv(text, "latin1", "UTF-8")
}

# Lines of cells, the first of which are headings.
sheet_from_text <- function(text) {
  lines <- strsplit(gsub("\r\n?", "\n", text), "\n", fixed = TRUE)[[1L]]
  lines <- lines[grepl("[^\\s,;]", lines, perl = TRUE)]
  if (!length(lines)) {
    abort("sheet", "There is nothing in it.")
  }
  mark <- separator(lines[1L])
  cells <- read_cells(lines, mark)
  new_sheet(lapply(cells, `[`, -1L), vapply(cells, `[`, "", 1L, USE.NAMES = FALSE))
}

read_cells <- function(lines, mark) {
  connection <- textConnection(lines, encoding = "UTF-8")
  on.exit(close(connection))
  widths <- utils::count.fields(connection, mark, "\"", comment.char = "")
  check_widths(widths[!is.na(widths)], mark) # NA: a cell that goes on in the next line
  cells <- utils::read.table(
    text = lines, sep = mark, quote = "\"", header = FALSE, colClasses = "character", fill = TRUE,
    na.strings = character(), comment.char = "", strip.white = TRUE, encoding = "UTF-8",
    col.names = seq_len(widths[!is.na(widths)][1L]), check.names = FALSE
  )
  unclass(cells)
}

# What stands between cells: of those in the heading, outside quotes, the most frequent one.
separator <- function(heading) {
  marks <- c("\t", ";", ",")
  bare <- gsub("\"[^\"]*\"", "", heading)
  count <- vapply(marks, function(mark) lengths(regmatches(bare, gregexpr(mark, bare))), 0L)
  marks[which.max(count)]
}

check_widths <- function(widths, mark) {
  long <- which(widths > widths[1L])
  if (length(long)) {
    abort(
      "sheet", "Row ", long[1L] - 1L, " has ", widths[long[1L]], " cells, but the heading ",
      widths[1L], ".",
      if (mark == ",") " Numbers with decimal commas need a csv with semicolons, or an xlsx file."
    )
  }
}

# Without columns that have neither name nor values, and without the empty rows at the end.
new_sheet <- function(columns, names) {
  names <- trimws(names)
  columns <- lapply(columns, function(column) replace(trimws(column), is.na(column), ""))
  full <- nzchar(names) | vapply(columns, function(column) any(nzchar(column)), TRUE)
  columns <- structure(columns[full], names = names[full])
  if (!length(columns)) {
    abort("sheet", "There is nothing in it.")
  }
  filled <- Reduce(`|`, lapply(columns, nzchar))
  quick_frame(lapply(columns, `[`, seq_len(max(0L, which(filled)))))
}

# ---- Numbers ------------------------------------------------------------------------------------

point_number <- "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$"
comma_number <- "^[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?$"
# 1,234 may be either.
either_number <- "^[-+]?[0-9]{1,3},[0-9]{3}$"

# Cells of one column as numbers: list(value, problem, doubt), a problem in words, NA where there is
# none; doubt: may a cell be two numbers? Empty cells are NA. A comma is a decimal one; where three
# digits follow it that must be seen from other cells of the column.
read_numbers <- function(text) {
  text <- gsub("[\u00a0\u202f ]", "", trimws(text))
  text <- sub("^[\u2212\u2013]", "-", text)
  empty <- !nzchar(text) | text == "NA"
  comma <- grepl(comma_number, text)
  unsure <- grepl(either_number, text)
  sure <- any(comma & !unsure)
  number <- grepl(point_number, text) | (comma & (sure | !unsure))
  value <- rep(NA_real_, length(text))
  value[number] <- as.double(sub(",", ".", text[number], fixed = TRUE))
  problem <- rep(NA_character_, length(text))
  strange <- !empty & !number
  problem[strange] <- sprintf("%s is no number.", vapply(text[strange], quoted, ""))
  doubt <- strange & unsure
  problem[doubt] <- sprintf(
    "Is %s the number %s or %s? Write it with a decimal point, or without the comma.",
    text[doubt], sub(",", ".", text[doubt], fixed = TRUE), sub(",", "", text[doubt], fixed = TRUE)
  )
  list(value = value, problem = problem, doubt = doubt)
}

# A column of a sheet as numbers where all its cells are, or else as text; NA where it is empty.
typed_column <- function(text) {
  numbers <- read_numbers(text)
  if (all(is.na(numbers$problem)) && any(!is.na(numbers$value))) {
    return(numbers$value)
  }
  replace(text, !nzchar(text), NA)
}

# A column of numbers, some of which may be two, is asked about: as text it would be categories.
typed_sheet <- function(sheet) {
  for (name in names(sheet)) {
    read <- read_numbers(sheet[[name]])
    if (any(read$doubt) && all(is.na(read$problem) | read$doubt)) {
      abort("sheet", "Column ", quoted(name), ": ", read$problem[read$doubt][1L])
    }
  }
  quick_frame(lapply(sheet, typed_column))
}

# Is a cell a yes? Cells of forms and sheets say it in many ways.
is_yes <- function(text) {
  tolower(trimws(text)) %in% c("true", "t", "yes", "y", "x", "1", "on", "failed", "ja", "oui", "si")
}
