# The main example: the fastest of 319 freeway sensors, from 100 noisy readings.
# Prints the answer beside the truth and writes a map. Run it with `make run`.
library(bayesgap)

# The last occasion is the truth, which the search may only read with noise; the other 25
# are what is known beforehand.
speeds <- traffic$speeds
past <- seq_len(nrow(speeds) - 1)
problem <- traffic_problem(speeds, split = past)
truth <- speeds[nrow(speeds), ]
noise_sd <- problem$model$noise_sd

read_speed <- function(sensor) truth[[sensor]] + rnorm(1, sd = noise_sd)

started <- proc.time()[["elapsed"]]
x <- bayesgap(problem$model, read_speed, budget = 100, progress = FALSE, seed = 1)
seconds <- proc.time()[["elapsed"]] - started

# ---- The answer, and the truth that only a test like this one knows ------------------

kept <- best_arm(x)
fastest <- names(which.max(truth))
belief <- posterior(x)
pulls <- belief$pulls
regret <- truth[[fastest]] - truth[[kept]]

cat(sprintf(
  "Which of %d freeway sensors is the fastest? %d readings with noise of sd %.1f mph.\n\n",
  length(truth), sum(pulls), noise_sd
))
print(x)
cat(
  "",
  sprintf("recommended  %s, in truth %.1f mph", kept, truth[[kept]]),
  sprintf("certainty    it is the fastest with probability %.2f",
          belief$p_best[belief$arm == kept]),
  sprintf("fastest      %s, in truth %.1f mph", fastest, truth[[fastest]]),
  sprintf("regret       %.1f mph (a sensor taken at random: %.1f on average)", regret,
          truth[[fastest]] - mean(truth)),
  sprintf("readings     on %d sensors, none on the other %d", sum(pulls > 0), sum(pulls == 0)),
  sprintf("time         %.2f seconds", seconds),
  "",
  sep = "\n"
)

# ---- The map: colour is true speed, size is the number of readings -------------------

marked <- c(kept, fastest)
names(marked) <- sprintf(
  "%s\n%s, %.1f mph", c("recommended", "truly fastest"), marked, truth[marked]
)
file <- file.path("build", "traffic.png")
dir.create("build", showWarnings = FALSE)
png(file, width = 1700, height = 1200, res = 150)
plot_sensors(traffic$sensors, truth, pulls, marked,
  main = sprintf("%d readings in search of the fastest of %d sensors", sum(pulls), length(truth)),
  label = "true speed, mph"
)
invisible(dev.off())
cat("Map: ", file, "\n", sep = "")
