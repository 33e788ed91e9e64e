# Rscript ask.R: fills todo.csv up to four pulls, one row for each job of the array. Pulls whose
# results are missing stay in it. Ends with status 1 when there is nothing left to do.
library(bayesgap)

if (!file.exists("oven.bgap")) {
  oven <- expand.grid(temperature = seq(180, 250, by = 10), minutes = seq(20, 50, by = 5))
  x <- bayesgap(oven, budget = 12, kernel = k_se(~ temperature + minutes),
                maximise = FALSE, seed = 1)
  save_run(x, "oven.bgap")
}

room <- 4 - nrow(open_trials("oven.bgap"))
if (room > 0) {
  ask("oven.bgap", n = room)
}
todo <- open_trials("oven.bgap")
write.csv(todo, "todo.csv", row.names = FALSE)
quit(status = if (nrow(todo)) 0 else 1)
