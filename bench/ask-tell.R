# Time of a round of ask() and tell() driven by hand, 357 arms, 1,000 rounds: the median of
# our own code in microseconds, and whether it grows with the number of pulls.
library(bayesgap)

k <- 357L
rounds <- 1000L
x <- seq_len(k) / k * 20
smooth <- exp(-outer(x, x, "-")^2)

time_rounds <- function(cov, noise_sd = 0.5) {
  truth <- sin(x) + x / 20
  state <- bayesgap(
    paste0("arm", seq_len(k)), budget = rounds, cov = cov,
    prior_mean = 0, prior_sd = 1, noise_sd = noise_sd, seed = 1
  )
  reward <- rnorm(rounds, sd = noise_sd)
  took <- numeric(rounds)
  for (t in seq_len(rounds)) {
    start <- Sys.time()
    todo <- ask(state)
    asked <- Sys.time()
    y <- truth[match(todo$arm, state$model$arms$names)] + reward[t]
    back <- Sys.time()
    state <- tell(state, y)
    took[t] <- as.numeric(Sys.time() - back) + as.numeric(asked - start)
  }
  list(took = 1e6 * took, arms = length(unique(state$log$arm)))
}

report <- function(label, cov) {
  set.seed(1)
  time_rounds(cov) # warm up: byte-compile, page in
  set.seed(1)
  found <- time_rounds(cov)
  took <- found$took
  half <- seq_len(rounds / 2)
  cat(sprintf(
    "%-22s median %5.1f us a round, 95%% %6.1f us; second half / first half %.2f; %d arms pulled\n",
    label, median(took), quantile(took, 0.95), median(took[-half]) / median(took[half]),
    found$arms
  ))
}

report("smooth prior", smooth)
report("rough prior", exp(-abs(outer(x, x, "-")) * 5))
report("independent arms", NULL)
