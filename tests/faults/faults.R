# Faults that need real processes, files and workers: every case is named after its number in the
# list of what the package promises to survive. The others are in tests/testthat/test-reliability.R.
# Arguments: the files to run, all by default.
# Needs: future, future.apply, future.batchtools, parallelly
source("tests/faults/harness.R")

chosen <- commandArgs(TRUE)
if (!length(chosen)) {
  chosen <- c(
    "interrupts", "kills", "disk", "workers", "templates", "sessions", "resume", "calibration"
  )
}
for (path in file.path("tests/faults", paste0(chosen, ".R"))) {
  source(path, local = new.env())
}
cat(sprintf("%d passed, %d failed, %d skipped\n", passed, failed, skipped))
quit(status = as.integer(failed > 0L))
