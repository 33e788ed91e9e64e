# Rscript tell.R: tells the results that are there. Where one is missing, the pull stays in
# todo.csv and is carried out again.
# Rscript tell.R failed: a missing result is a pull that failed, as one that is no number always is.
library(bayesgap)

x <- read_run("oven.rds")
todo <- read.csv("todo.csv", colClasses = c(arm = "character"))
todo <- todo[!todo$pull %in% as.data.frame(x)$pull, c("pull", "arm")]

files <- sprintf("result-%d.csv", todo$pull)
there <- file.exists(files)
results <- lapply(files[there], read.csv, colClasses = c(arm = "character"))
if ("failed" %in% commandArgs(TRUE) && !all(there)) {
  results <- c(results, list(data.frame(todo[!there, ], y = NA)))
}
if (length(results)) {
  results <- do.call(rbind, results)
  results$y[!is.finite(results$y)] <- NA
  x <- tell(x, results)
  save_run(x, "oven.rds")
}
print(x)
