# Faults that need real processes, files and workers: every case is named after its number in the
# list of what the package promises to survive. The others are in tests/testthat/test-reliability.R.
# Needs: future, future.apply, future.batchtools, parallelly
folder <- "tests/faults"
source(file.path(folder, "harness.R"))
chosen <- commandArgs(TRUE)
files <- c("interrupts", "kills", "disk", "workers", "sessions", "resume", "calibration")
for (file in if (length(chosen)) chosen else files) {
  source(file.path(folder, paste0(file, ".R")))
}
cat(sprintf("%d passed, %d failed, 0 skipped\n", passed, failed))
quit(status = as.integer(failed > 0L))
