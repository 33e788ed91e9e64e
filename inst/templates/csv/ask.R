# Rscript ask.R: fills todo.csv up to four pulls, one row for each job of the array. Pulls whose
# results are missing stay in it. Ends with status 1 when there is nothing left to do.
library(bayesgap)

if (!file.exists("oven.rds")) {
  oven <- expand.grid(temperature = seq(180, 250, by = 10), minutes = seq(20, 50, by = 5))
  x <- bayesgap(oven, budget = 12, kernel = k_se(~ temperature + minutes),
                maximise = FALSE, seed = 1)
  save_run(x, "oven.rds")
}
x <- read_run("oven.rds")

todo <- NULL
if (file.exists("todo.csv")) {
  todo <- read.csv("todo.csv", colClasses = c(arm = "character"))
  todo <- todo[!todo$pull %in% as.data.frame(x)$pull, ]
}
room <- 4 - NROW(todo)
if (room > 0) {
  todo <- rbind(todo, ask(x, n = room, pending = todo))
}
write.csv(todo, "todo.csv", row.names = FALSE)
quit(status = if (nrow(todo)) 0 else 1)
