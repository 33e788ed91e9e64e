# Names made of values: short, and different wherever the arms are.

test_that("numbers have the digits that they were typed with, or as many as are needed", {
  expect_identical(value_text(c(0.1, 0.25, 100000, 1e9, -0, 1e-5)),
                   c("0.1", "0.25", "100000", "1000000000", "0", "1e-05"))
  expect_identical(value_text(c(12345678L, NA)), c("12345678", "NA"))
  expect_identical(value_text(c(0.123456, 220.125)), c("0.123456", "220.125"))
  expect_identical(value_text(0.1 + 0.2), "0.3")
  expect_identical(value_text(10^c(-1.5, -0.5)), c("0.03162", "0.3162"))
  expect_identical(value_text(1 / 3 + c(0, 1e-6)), c("0.333333", "0.333334"))
  expect_identical(value_text(c(123456.789012, 2)), c("123457", "2"))
  near <- 1 / 3 + (0:1) * 1e-16
  expect_identical(value_text(near), rep("0.3333", 2))
  old <- options(OutDec = ",", digits = 3, scipen = -9)
  on.exit(options(old))
  expect_identical(value_text(c(0.5, 1234.5)), c("0.5", "1234.5"))
})

test_that("values of other classes read as they print", {
  expect_identical(value_text(c(TRUE, NA)), c("TRUE", "NA"))
  expect_identical(value_text(c("a", "", NA)), c("a", "\"\"", "NA"))
  expect_identical(value_text(factor(c("b", "a"))), c("b", "a"))
  expect_identical(value_text(as.Date("2024-05-01") + 0:1), c("2024-05-01", "2024-05-02"))
  noon <- as.POSIXct("2024-05-01 12:00", tz = "UTC")
  expect_identical(value_text(noon + c(0, 30)), c("2024-05-01 12:00:00", "2024-05-01 12:00:30"))
  twice <- as.POSIXct("2024-10-27 00:30", tz = "UTC") + c(0, 3600)
  attr(twice, "tzone") <- "Europe/Berlin"
  expect_length(unique(value_text(twice)), 2)
})

test_that("names that are long or read alike have the row's number", {
  long <- data.frame(a = strrep("a", 80), b = 1:2)
  expect_identical(names_by_value(long), paste0(strrep("a", 50), "... #", 1:2))
  expect_identical(names_by_value(data.frame(a = strrep("a", 60))), strrep("a", 60))
  alike <- data.frame(a = c("p, q", "p", "p"), b = c("r", "q, r", "r"))
  expect_identical(names_by_value(alike), c("p, q, r... #1", "p, q, r... #2", "p, r"))
  expect_error(
    names_by_value(data.frame(a = c(2, 1, 0.3, 0.1 + 0.2), b = "x")),
    "Rows 3 and 4 .*a = 0.3, b = x", class = "bayesgap_error_arms"
  )
  arms <- expand.grid(rep(list(seq(0.125, 0.875, by = 0.25)), 7))
  expect_false(anyDuplicated(names_by_value(arms[1:500, ])) > 0)
})

test_that("settings are said by name", {
  expect_identical(setting_text(list(lr = 0.1, net = c(64, 32), kind = "a")),
                   "lr = 0.1, net = c(64, 32), kind = a")
  expect_identical(setting_text(c(lr = 0.1, depth = 3)), "lr = 0.1, depth = 3")
  for (item in list(list(), list(1), list(a = 1, 2), list(a = list(1)), list(a = sin), sin, 1)) {
    expect_null(setting_text(item))
  }
})
