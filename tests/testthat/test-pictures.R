# Pictures as they look, one of each kind; `make snapshots` accepts those that changed on purpose.
# Where they cannot be drawn they are announced all the same: testthat deletes what no test speaks of.
can_draw <- requireNamespace("ggplot2", quietly = TRUE) && requireNamespace("vdiffr", quietly = TRUE)

looks_as_before <- function(name, ...) {
  announce_snapshot_file(name = paste0(gsub("[^a-z0-9]+", "-", name), ".svg"))
  if (can_draw) {
    vdiffr::expect_doppelganger(name, ggplot2::autoplot(...))
  }
}

test_that("pictures of a run look as before", {
  few <- finished()
  for (type in c("arms", "pulls", "certainty", "check", "log", "blocks")) {
    looks_as_before(paste("three arms", type), few, type)
  }
  grid <- expand.grid(heat = 1:8, time = 1:7)
  worth <- function(arm) -(arm$heat - 5)^2 - (arm$time - 3)^2
  x <- bayesgap(grid, worth, budget = 20, prior_mean = -10, prior_sd = 10, noise_sd = 0.5, seed = 1,
    kernel = k_se(~ heat + time, lengthscale = c(2, 2)))
  for (type in c("arms", "pulls", "certainty", "surface", "importance")) {
    looks_as_before(paste("56 on a grid", type), x, type)
  }
  looks_as_before("56 on a grid sd", x, "surface", show = "sd")
  looks_as_before("56 on a grid one column", x, "surface", columns = "heat")
  looks_as_before("two runs compared", few, "compare", thompson = finished(policy = "thompson"))
  known <- list(prior_sd = 1, noise_sd = 1, seed = 1)
  many <- do.call(bayesgap, c(list(319, budget = 9, prior_mean = -(1:319) / 100), known))
  looks_as_before("319 before the first pull", many)
  long <- bayesgap(paste("a name so long that it must be cut", 1:6), budget = 9, prior_mean = 1:6,
    prior_sd = 1, noise_sd = 1, seed = 1)
  one <- data.frame(arm = long$model$arms$names[2], y = 3, pull = 1)
  looks_as_before("long names", tell(long, one))
  plates <- do.call(bayesgap, c(list(2, budget = 2, block_sd = 1, prior_mean = 0), known))
  told <- data.frame(pull = NA, arm = 1:2, y = sin(1:40), block = paste("plate", rep(1:20, 2)))
  looks_as_before("blocks", tell(plates, told), "blocks")
  skip_if_not(can_draw, "ggplot2 and vdiffr draw them")
})

test_that("pictures of rates look as before", {
  x <- bayesgap(c("a", "b", "c"), budget = 9, family = "binomial", prior_mean = 0.3, prior_sd = 0.1,
    seed = 1)
  x <- tell(x, data.frame(arm = c("c", "a", "c"), successes = c(9, 2, 7), trials = 20, pull = NA))
  looks_as_before("rates", x, "arms")
  looks_as_before("rates as they came", x, "log")
  skip_if_not(can_draw, "ggplot2 and vdiffr draw them")
})

test_that("pictures of a benchmark look as before", {
  model <- arm_model(4, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  found <- benchmark_policies(problem_gaussian(model), c("bayesgap", "ei", "uniform"), c(5, 10),
    reps = 10, seed = 1, keep = "pulls")
  for (type in c("error", "regret", "boxplot", "allocation")) {
    looks_as_before(paste("benchmark", type), found, type)
  }
  skip_if_not(can_draw, "ggplot2 and vdiffr draw them")
})
