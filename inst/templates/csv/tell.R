# Rscript tell.R: tells the results that are there. Where one is missing, the pull stays in
# todo.csv and is carried out again.
# Rscript tell.R failed: a missing result is a pull that failed, as one that is no number always is.
library(bayesgap)

todo <- open_trials("oven.bgap")
files <- sprintf("result-%d.csv", todo$pull)
there <- file.exists(files)
results <- lapply(files[there], read.csv, colClasses = c(arm = "character"))
if ("failed" %in% commandArgs(TRUE) && !all(there)) {
  results <- c(results, list(data.frame(todo[!there, c("pull", "arm")], y = NA)))
}
if (length(results)) {
  results <- do.call(rbind, results)
  results$failed <- !is.finite(results$y)
  results$y[results$failed] <- NA
  tell("oven.bgap", results)
}
print(read_run("oven.bgap"))
