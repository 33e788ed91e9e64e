test_that("a csv is read whatever stands between its cells", {
  expected <- data.frame(arm = c("a", "b"), x = c("1", "2"))
  expect_identical(read_sheet(lines_file("arm,x", "a,1", "b,2")), expected)
  expect_identical(read_sheet(lines_file("arm;x", "a;1", "b;2")), expected)
  expect_identical(read_sheet(lines_file("arm\tx", "a\t1", "b\t2", ending = ".tsv")), expected)
  expect_identical(sheet_from_text("arm\tx\r\na\t1\r\nb\t2\r\n"), expected)
  # Marks in quotes are no separators.
  expect_identical(
    sheet_from_text("\"a,b;c\";x\n\"1,5;2\";3"),
    structure(list("1,5;2", "3"), names = c("a,b;c", "x"), row.names = c(NA, -1L),
      class = "data.frame")
  )
  expect_identical(sheet_from_text("arm,x\n\"a\nb\",1")$arm, "a\nb")
})

test_that("empty rows and columns without a name are left out, gaps are not", {
  sheet <- sheet_from_text("arm;x;;\na;1;;\n;;;\nb;;;\n;;;\n")
  expect_identical(names(sheet), c("arm", "x"))
  expect_identical(sheet$arm, c("a", "b")) # a line of separators alone is no row
  expect_identical(sheet$x, c("1", ""))
  expect_identical(names(sheet_from_text("arm,\na,1")), c("arm", ""))
  expect_identical(sheet_from_text("arm,x\na")$x, "")
})

test_that("text is read as it was written, by whatever program", {
  latin <- tempfile(fileext = ".csv")
  writeBin(c(charToRaw("arm,x\nb"), as.raw(0xe9), charToRaw(",1\n")), latin)
  expect_identical(read_sheet(latin)$arm, "b\u00e9")
  marked <- tempfile(fileext = ".csv")
  writeBin(c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw("arm,x\nb\u00e9,1\n")), marked)
  expect_identical(read_sheet(marked), data.frame(arm = "b\u00e9", x = "1"))
  wide <- tempfile(fileext = ".txt")
  bytes <- iconv("arm\tx\nb\u00e9\t1\n", "UTF-8", "UTF-16LE", toRaw = TRUE)[[1L]]
  writeBin(c(as.raw(c(0xff, 0xfe)), bytes), wide)
  expect_identical(read_sheet(wide), data.frame(arm = "b\u00e9", x = "1"))
})

test_that("what is no table says so", {
  refused <- function(file) expect_error(read_sheet(file), class = "bayesgap_error_sheet")
  expect_match(conditionMessage(refused(lines_file("arm,x", "a,1,5"))), "Row 1 has 3 cells")
  expect_match(conditionMessage(refused(lines_file("arm,x"))), "no row below it")
  expect_match(conditionMessage(refused(lines_file(""))), "nothing in it")
  expect_match(conditionMessage(refused(lines_file(",,", ",,"))), "nothing in it")
  packed <- tempfile(fileext = ".csv")
  writeBin(as.raw(c(0x50, 0x4b, 3, 4, 0, 0)), packed)
  expect_match(conditionMessage(refused(packed)), "ending, .xlsx")
  picture <- tempfile(fileext = ".csv")
  writeBin(as.raw(c(0x89, 0, 1)), picture)
  expect_match(conditionMessage(refused(picture)), "no table")
})

test_that("a spreadsheet is read with its numbers and dates", {
  skip_if_not_installed("readxl")
  sheet <- read_sheet(system.file("extdata", "week.xlsx", package = "bayesgap"))
  expect_identical(names(sheet), c("pull", "arm", "y", "day"))
  expect_identical(sheet$y, c("4.1", "5.3", "3.9"))
  expect_identical(sheet$day[1], "2026-03-02")
  expect_error(read_sheet(lines_file("a", ending = ".xlsx")), "no spreadsheet",
    class = "bayesgap_error_sheet")
  time <- as.POSIXct("2026-03-02 10:30:00", "UTC")
  expect_identical(cell_text(c(time, NA)), c("2026-03-02 10:30:00", ""))
  expect_identical(cell_text(c(0.1 + 0.2, 1e6, NA)), c("0.3", "1000000", ""))
})

test_that("numbers are understood with points and commas, and doubts are told", {
  read <- read_numbers(c("1.5", "-2", "", "NA", "1e-3", ".5", "+7", " 3 "))
  expect_identical(read$value, c(1.5, -2, NA, NA, 1e-3, 0.5, 7, 3))
  expect_true(all(is.na(read$problem)))
  expect_identical(read_numbers("12,5")$value, 12.5)
  expect_identical(read_numbers(c("1 234,5", "\u22123"))$value, c(1234.5, -3))
  expect_match(read_numbers("1,234")$problem, "1.234 or 1234", fixed = TRUE)
  # Other cells of the column say which it is.
  expect_identical(read_numbers(c("1,234", "0,5"))$value, c(1.234, 0.5))
  strange <- read_numbers(c("1o2", "1.2.3", "Inf", "1,2,3", "0x1A", "TRUE"))
  expect_true(all(is.na(strange$value)))
  expect_match(strange$problem, "is no number")
})

test_that("columns of arms are numbers where all their cells are", {
  sheet <- typed_sheet(data.frame(
    a = c("1", "2,5"), b = c("1", "x"), c = c("", "3"), d = c("", "")
  ))
  expect_identical(
    lapply(sheet, identity),
    list(a = c(1, 2.5), b = c("1", "x"), c = c(NA, 3), d = c(NA_character_, NA))
  )
  found <- expect_error(
    typed_sheet(data.frame(a = c("1", "2"), dose = c("20", "1,000"))),
    class = "bayesgap_error_sheet"
  )
  expect_match(conditionMessage(found), "\"dose\": Is 1,000 the number 1.000 or 1000", fixed = TRUE)
  # What is no column of numbers is no question.
  expect_identical(typed_sheet(data.frame(a = c("x", "1,000")))$a, c("x", "1,000"))
  expect_identical(typed_sheet(data.frame(a = c("0,5", "1,000")))$a, c(0.5, 1))
  yes <- is_yes(c("TRUE", "x", " Yes ", "", "no", "0", NA))
  expect_identical(yes, rep(c(TRUE, FALSE), c(3, 4)))
})
