test_that("every kind of run has a page that is whole, without warnings", {
  for (x in reported_runs()) {
    expect_no_warning(page <- page_of(x))
    expect_identical(tag_faults(page), character())
    expect_true(validUTF8(page))
  }
})

test_that("HTML Tidy finds nothing to say", {
  tidy <- Sys.which("tidy")
  skip_if(!nzchar(tidy), "tidy is not installed")
  skip_if_not(any(grepl("HTML5|version 5", system2(tidy, "-v", stdout = TRUE))))
  for (x in reported_runs()[c("odd", "blocks", "failed", "empty")]) {
    file <- report(x, tempfile(fileext = ".html"))
    arguments <- c("-e", "-q", shQuote(file))
    said <- suppressWarnings(system2(tidy, arguments, stdout = TRUE, stderr = TRUE))
    expect_identical(as.character(said), character())
  }
})

test_that("nothing is fetched or run, and pictures and files are inside", {
  page <- page_of(odd_run())
  expect_match(page, "default-src &#39;none&#39;", fixed = TRUE)
  outside <- matches_of(words_of(page), "(?:src|href)=\"(?!data:|#)([^\"]*)\"")
  expect_identical(outside, list())
  expect_false(grepl("<script|<b>|url\\(|@import|javascript:", words_of(page)))
  expect_match(page, "&lt;script&gt;alert(1)&lt;/script&gt;", fixed = TRUE)
  expect_setequal(
    names(files_of(page)), c("results.csv", "arms.csv", "run.bgap", "posterior.csv", "log.csv")
  )
  if (capabilities("png")) {
    expect_gte(length(pictures_of(page)), 3L)
  }
})

test_that("the file is written in UTF-8 in any locale", {
  old <- Sys.getlocale("LC_CTYPE")
  on.exit(Sys.setlocale("LC_CTYPE", old))
  suppressWarnings(Sys.setlocale("LC_CTYPE", "C"))
  file <- tempfile(fileext = ".html")
  suppressWarnings(report(odd_run(), file, title = "caf\u00e9"))
  Sys.setlocale("LC_CTYPE", old)
  page <- readBin(file, "raw", file.size(file))
  expect_true(validUTF8(rawToChar(page)))
  expect_match(rawToChar(page), "<h1>caf\xc3\xa9</h1>", fixed = TRUE, useBytes = TRUE)
})

test_that("a run file is reported by its name, and its path is returned invisibly", {
  file <- fresh_file()
  x <- finished()
  save_run(x, file)
  out <- tempfile(fileext = ".html")
  expect_invisible(report(file, out))
  expect_identical(report(file, out), normalizePath(out, "/"))
  page <- readLines(out, encoding = "UTF-8")
  expect_match(page, paste0("<h1>", basename(file), "</h1>"), fixed = TRUE, all = FALSE)
  expect_match(page_of(x), "<h1>A run of bayesgap</h1>", fixed = TRUE)
  mine <- page_of(x, title = "Mine & <yours>")
  expect_match(mine, "<h1>Mine &amp; &lt;yours&gt;</h1>", fixed = TRUE)
  folder <- tempfile()
  dir.create(folder)
  old <- setwd(folder)
  on.exit(setwd(old))
  report(x)
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), "report.html")
})

test_that("a report is replaced, and nothing else is", {
  x <- finished()
  file <- tempfile(fileext = ".html")
  report(x, file, title = "first")
  report(x, file, title = "second")
  expect_match(readLines(file), "second", all = FALSE)
  cat("", file = file)
  expect_no_error(report(x, file))
  for (text in c("my notes", "<!DOCTYPE html>\n<html>\n\n\n\n\n</html>")) {
    writeLines(text, file)
    expect_error(report(x, file), "is no report", class = "bayesgap_error_report")
    expect_identical(paste(readLines(file), collapse = "\n"), text)
  }
  saved <- fresh_file()
  save_run(x, saved)
  expect_error(report(saved, saved), class = "bayesgap_error_report")
  expect_s3_class(read_run(saved), "bayesgap")
  expect_error(report(x, tempdir()), "folder", class = "bayesgap_error_report")
})

test_that("arguments are checked by name", {
  expect_error(report(3), class = "bayesgap_error_run")
  expect_error(report(), class = "bayesgap_error_run")
  expect_error(report(tempfile()), class = "bayesgap_error_checkpoint")
  x <- finished()
  expect_error(report(x, 3), "`file`", class = "bayesgap_error_checkpoint")
  expect_error(report(x, file.path(tempfile(), "x.html")), class = "bayesgap_error_checkpoint")
  no_text <- "\xff"
  Encoding(no_text) <- "UTF-8"
  for (title in list(3, NA_character_, c("a", "b"), no_text)) {
    expect_error(report(x, tempfile(), title = title), "`title`", class = "bayesgap_error_title")
  }
})
