# How often what a run says of itself is true: P(best) against how often the arm is the best, the
# bound on its regret, the intervals, over a grid of worlds in which everything is left to the data;
# then worlds that were told, told wrongly, stopped early, in batches, and conversions. Truths are
# drawn with spread 1. Writes bench/CALIBRATION.md. What is finished is kept in build/calibration/, so
# that a run that was stopped goes on. RUNS: of a cell; ONLY: a pattern of names of cells.
# Needs: future, future.apply
library(bayesgap)

most_runs <- as.integer(Sys.getenv("RUNS", "200"))
only <- Sys.getenv("ONLY", ".")
future::plan(future::multisession, workers = 2L)

# ---- Worlds -------------------------------------------------------------------------------------

# A kind of arms: the arguments that tell of them, and the root of the covariance of their means.
kinds <- list(
  independent = function(k) list(given = list(arms = k), root = diag(k)),
  smooth = function(k) {
    place <- seq_len(k)
    cov <- exp(-outer(place, place, "-")^2 / (2 * (k / 6)^2)) + 1e-9 * diag(k)
    list(
      given = list(arms = data.frame(place = place), kernel = k_se(~place)), root = t(chol(cov))
    )
  },
  classes = function(k) {
    class <- rep(seq_len(k / 4), each = 4)
    cov <- 0.7 * outer(class, class, "==") + 0.3 * diag(k)
    arms <- data.frame(class = factor(class), own = factor(seq_len(k)))
    list(given = list(arms = arms, kernel = k_factor(~class) + k_white()), root = t(chol(cov)))
  }
)

# Half A served to choose the weak prior, half B to judge it.
grid_cells <- function() {
  grid <- expand.grid(
    ratio = c(0.1, 0.3, 1, 3, 10), each = c(1, 2, 5, 20), k = c(2, 4, 12, 64),
    kind = names(kinds), stringsAsFactors = FALSE
  )
  grid <- grid[grid$kind == "independent" | grid$k > 4, ]
  grid$half <- ifelse(seq_len(nrow(grid)) %% 2 == 1, "A", "B")
  # A run of 1,280 pulls takes seconds.
  grid$runs <- ifelse(grid$k * grid$each > 600, pmin(40, most_runs), most_runs)
  grid$name <- with(grid, sprintf("%s-K%d-T%d-noise%g", kind, k, k * each, ratio))
  grid[grepl(only, grid$name), ]
}

# ---- One run ------------------------------------------------------------------------------------

# What is said of a run, and what is true.
judge <- function(x, truth) {
  found <- bayesgap:::certainty(x, 1000L)
  table <- bayesgap:::posterior_table(x, 0.95, found)
  best <- x$belief$best
  regret <- max(truth) - truth[best]
  c(
    said = table$p_best[best], right = regret == 0,
    held = regret <= bayesgap:::regret_bound(found),
    cover = mean(table$lower <= truth & truth <= table$upper), pulls = x$last
  )
}

one_run <- function(world, ratio, budget, seed, more = list()) {
  set.seed(seed)
  truth <- drop(world$root %*% stats::rnorm(nrow(world$root)))
  names(truth) <- seq_along(truth)
  pull <- function(arm) {
    at <- if (is.data.frame(arm)) arm$arm else arm
    truth[[as.character(at)]] + ratio * stats::rnorm(1)
  }
  x <- do.call(bayesgap, c(
    world$given, list(objective = pull, budget = budget, seed = seed, progress = FALSE), more
  ))
  judge(x, truth)
}

kept <- function(name, make) {
  file <- file.path("build", "calibration", paste0(name, ".rds"))
  if (!file.exists(file)) {
    dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
    saveRDS(make(), file)
  }
  readRDS(file)
}

measure <- function(name, world, ratio, budget, runs, more = list()) {
  rows <- kept(name, function() {
    found <- future.apply::future_lapply(seq_len(runs), function(i) {
      one_run(world, ratio, budget, i, more)
    }, future.seed = NULL, future.packages = "bayesgap")
    do.call(rbind, found)
  })
  cat(name, sprintf("%.3f", colMeans(rows)), "\n")
  rows
}
