# The problems and clocks that bench/speed.R and the files that it runs have in common.
library(bayesgap)

seconds <- function(code) {
  gc(FALSE)
  system.time(code)[["elapsed"]]
}

# Processor time: other processes lengthen it less.
cpu_seconds <- function(code) {
  gc(FALSE)
  sum(system.time(code)[1:2])
}

line <- function(...) cat(sprintf(...), "\n", sep = "")

heading <- function(text) cat("\n## ", text, "\n\n", sep = "")

# ---- Problems -------------------------------------------------------------------------------

place <- function(k) seq_len(k) / k * 20
smooth_cov <- function(k) exp(-outer(place(k), place(k), "-")^2)
rough_cov <- function(k) exp(-5 * abs(outer(place(k), place(k), "-")))

known_model <- function(k, ...) {
  arm_model(k, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, ...)
}

# Made once: the factor of 5,000 arms' covariance takes ten seconds.
made <- new.env()
smooth_model <- function(k) {
  name <- as.character(k)
  if (is.null(made[[name]])) {
    made[[name]] <- known_model(k, cov = smooth_cov(k))
  }
  made[[name]]
}

features_of <- function(k, d = 10L) {
  set.seed(1)
  matrix(stats::rnorm(k * d), k) / sqrt(d)
}

# One run in the C engine, from the session's generator.
engine <- function(model, policy, budget, world) {
  fit <- bayesgap:::first_fit(model)
  .Call(bayesgap:::bg_run, model$prior, fit, policy, list(budget, NULL), world, budget)
}

# Gaussian rewards about these means.
world <- function(means, noise_sd) list(means, noise_sd, NULL, list("gaussian", 1, 1))

world_of <- function(k) world(sin(place(k)) + place(k) / 20, rep(0.5, k))

# Microseconds a round: the quietest of several timings of the same runs. What a policy draws decides
# what its rounds cost, so that there are several runs, if one does not take too long.
per_round <- function(model, policy, budget, runs = 5L) {
  truth <- world_of(length(model$prior$diagonal))
  once <- function(times) {
    set.seed(1)
    cpu_seconds(for (i in seq_len(times)) engine(model, policy, budget, truth))
  }
  first <- once(1L)
  if (first > 1) {
    return(1e6 * first / budget)
  }
  times <- max(if (first < 0.2) 8L else 1L, ceiling(0.05 / max(first, 1e-4))) # the clock ticks in ms
  1e6 * min(vapply(seq_len(runs), function(i) once(times), 0)) / times / budget
}


# ---- Other sessions ---------------------------------------------------------------------------

# A session beside this one, or several, that start under other environment variables and read these
# files of bench/.
session <- function(files, ..., sessions = 1L) {
  new <- list(...)
  old <- Sys.getenv(names(new), NA, names = TRUE)
  do.call(Sys.setenv, new)
  on.exit({
    Sys.unsetenv(names(old)[is.na(old)])
    lapply(names(old)[!is.na(old)], function(name) do.call(Sys.setenv, as.list(old[name])))
  })
  cluster <- parallel::makePSOCKcluster(sessions)
  there(cluster, function(files) for (file in files) source(file), file.path("bench", files))
  cluster
}

# What all sessions do, and the first one returns.
there <- function(session, f, ...) parallel::clusterCall(session, f, ...)[[1L]]
