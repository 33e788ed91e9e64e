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

# The quietest of several runs: other work on the machine only ever adds.
report <- function(label, cov, runs = 7L) {
  found <- lapply(seq_len(runs), function(i) {
    set.seed(1)
    time_rounds(cov)
  })
  medians <- vapply(found, function(f) median(f$took), 0)
  took <- found[[which.min(medians)]]$took
  half <- seq_len(rounds / 2)
  cat(sprintf(
    paste(
      "%-16s median %5.1f us a round (other runs up to %5.1f), 95%% %6.1f us;",
      "second half / first half %.2f; %d arms pulled\n"
    ),
    label, min(medians), max(medians), quantile(took, 0.95),
    median(took[-half]) / median(took[half]), found[[1L]]$arms
  ))
}

report("smooth prior", smooth)
report("rough prior", exp(-abs(outer(x, x, "-")) * 5))
report("independent arms", NULL)
