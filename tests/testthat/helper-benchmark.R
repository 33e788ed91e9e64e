# A benchmark that takes no time, and parts of it.

smooth_model <- function(k = 6, l = 1, noise_sd = 0.5) {
  arm_model(k,
    cov = exp(-outer(seq_len(k), seq_len(k), "-")^2 / (2 * l^2)), prior_mean = 0, prior_sd = 1,
    noise_sd = noise_sd
  )
}

some_problems <- function() {
  pool <- matrix(sin(1:30), 6)
  list(
    drawn = problem_gaussian(smooth_model()),
    pool = problem_pool(pool, smooth_model(), maximise = FALSE)
  )
}

some_benchmark <- function(..., reps = 7, seed = 1) {
  benchmark_policies(some_problems(), c("bayesgap", "thompson", "uniform"),
    budget = c(9, 4), reps = reps, seed = seed, progress = FALSE, ...
  )
}

rows <- function(table, ...) {
  out <- table[...]
  row.names(out) <- NULL
  out
}
