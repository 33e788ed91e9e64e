# Runs the testthat suite, or that of another folder of tests/, SUITE, against the installed package, or
# only its files that a pattern finds, SUITE_FILTER; the last line is its counts.
# The suite runs in a copy, so that a new or changed snapshot fails until `make snapshots` accepts it.
options(warn = 1)
Sys.setenv(NOT_CRAN = Sys.getenv("NOT_CRAN", "true"))
folder <- file.path("build", Sys.getenv("SUITE_FOLDER", "tests"))
unlink(folder, recursive = TRUE)
dir.create(folder, recursive = TRUE)
suite <- Sys.getenv("SUITE", "testthat")
stopifnot(file.copy(file.path("tests", suite), folder, recursive = TRUE))

# Counts what happens inside and outside of test_that() alike.
Counter <- R6::R6Class("Counter",
  inherit = testthat::Reporter,
  public = list(
    counts = c(success = 0, failure = 0, error = 0, warning = 0, skip = 0),
    add_result = function(context, test, result) {
      type <- sub("^expectation_", "", class(result)[1])
      self$counts[[type]] <- self$counts[[type]] + 1
    }
  )
)
snapshots <- function() {
  files <- list.files(file.path(folder, suite, "_snaps"), recursive = TRUE, full.names = TRUE)
  tools::md5sum(files)
}

filter <- Sys.getenv("SUITE_FILTER")
counter <- Counter$new()
before <- snapshots()
testthat::test_dir(
  file.path(folder, suite),
  package = "bayesgap",
  filter = if (nzchar(filter)) filter,
  load_package = "installed",
  reporter = testthat::MultiReporter$new(list(testthat::CheckReporter$new(), counter)),
  stop_on_failure = FALSE
)
after <- snapshots()

files <- union(names(before), names(after))
changed <- files[is.na(before[files]) | is.na(after[files]) | !before[files] %in% after[files]]
if (length(changed) > 0) {
  cat("Snapshots that are not as stored (`make snapshots` accepts them):", changed, sep = "\n  ")
  cat("\n")
}
counts <- counter$counts
cat(sprintf(
  "%d passed, %d failed, %d skipped\n",
  counts[["success"]],
  sum(counts[c("failure", "error", "warning")], length(changed) > 0),
  counts[["skip"]]
))
