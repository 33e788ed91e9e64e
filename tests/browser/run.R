# Pages in a real browser: every file of this folder, or only the one that BROWSER_ONLY names. The
# last line is the counts.
source("tests/faults/harness.R") # checks that are counted, and processes of R
source("tests/browser/browser.R")

lacks <- browser_lacks()
if (length(lacks)) {
  cat("Not tried, since there is no", paste(lacks, collapse = ", nor "), "here.\n")
  cat("0 passed, 0 failed, 1 skipped\n")
  quit()
}

files <- setdiff(list.files("tests/browser", "[.]R$"), c("run.R", "browser.R"))
only <- Sys.getenv("BROWSER_ONLY")
if (nzchar(only)) {
  files <- intersect(files, paste0(only, ".R"))
}
browser <- start_browser()
for (file in files) {
  # A file that ends in an error has failed; the browser is not left behind.
  tryCatch(source(file.path("tests/browser", file)), error = function(e) {
    check(FALSE, paste0(file, ": error: ", conditionMessage(e)))
  })
}
stop_browser(browser)

cat(sprintf("%d passed, %d failed, %d skipped\n", passed, failed, skipped))
quit(status = as.integer(failed > 0L))
