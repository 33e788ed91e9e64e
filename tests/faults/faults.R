# Faults that need real processes, files and workers. Those that do not are in tests/testthat.
# Arguments: the files to run, all by default.
# Needs: future, future.apply, future.batchtools, parallelly
source("tests/faults/harness.R")

chosen <- commandArgs(TRUE)
if (!length(chosen)) {
  chosen <- c(
    "interrupts", "kills", "disk", "workers", "templates", "sessions", "resume", "living",
    "calibration"
  )
}
for (path in file.path("tests/faults", paste0(chosen, ".R"))) {
  source(path, local = new.env())
}
cat(sprintf("%d passed, %d failed, %d skipped\n", passed, failed, skipped))
quit(status = as.integer(failed > 0L))
