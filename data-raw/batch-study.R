# What batches cost, for vignette("long-runs"): the regret of batches at one and the same budget.
# From the repository root, with the package installed: Rscript data-raw/batch-study.R
# Writes inst/extdata/batch-study.csv. A few minutes on one core; what is finished is kept in
# build/batch-study/, so that a run that was stopped goes on. Remove that folder to start afresh,
# for instance after a change of the package.
library(bayesgap)

folder <- file.path("build", "batch-study")
result <- file.path("inst", "extdata", "batch-study.csv")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
dir.create(dirname(result), recursive = TRUE, showWarnings = FALSE)

runs <- 400
budgets <- c(24, 48)
batches <- list(1, 4, c(distinct = 4), 8, c(distinct = 8))

# ---- The problems ----------------------------------------------------------------------------

# Twelve arms that have nothing to do with each other, and nothing known beforehand; and sixty on
# a grid whose neighbours are alike, with the noise and the length scale known. The means are
# drawn with the standard deviation 1.
twelve <- list(
  name = "12 unrelated arms", arms = 12, noise = 1, settings = list(), root = diag(12)
)

grid <- expand.grid(across = 1:10, down = 1:6)
kernel <- k_se(~ across + down, lengthscale = 2)
parts <- eigen(kernel_matrix(kernel, grid), symmetric = TRUE)
sixty <- list(
  name = "60 arms on a grid", arms = grid, noise = 0.5,
  settings = list(kernel = kernel, noise_sd = 0.5),
  root = parts$vectors %*% diag(sqrt(pmax(parts$values, 0)))
)

# ---- One run ---------------------------------------------------------------------------------

# Run i has the same means for every batch, and pull j of it the same noise.
regret <- function(problem, budget, batch, i) {
  set.seed(i)
  means <- drop(problem$root %*% rnorm(nrow(problem$root)))
  number <- function(arm) if (is.data.frame(arm)) (arm$down - 1) * 10 + arm$across else arm
  x <- do.call(bayesgap, c(problem$settings, list(
    problem$arms, function(arm) means[number(arm)] + problem$noise * rnorm(1), budget,
    batch = batch, progress = FALSE, seed = 10000 + i
  )))
  max(means) - means[number(best_arm(x))]
}

# ---- All of them -----------------------------------------------------------------------------

rule_of <- function(batch) {
  if (batch == 1) "one at a time" else if (is.null(names(batch))) "fantasy" else names(batch)
}

run_piece <- function(problem, budget, batch) {
  name <- gsub("\\W+", "-", sprintf("%s %d %s %d", problem$name, budget, rule_of(batch), batch))
  file <- file.path(folder, paste0(name, ".rds"))
  if (!file.exists(file)) {
    message(name)
    found <- vapply(seq_len(runs), function(i) regret(problem, budget, batch, i), 0)
    saveRDS(found, paste0(file, ".part"))
    file.rename(paste0(file, ".part"), file)
  }
  readRDS(file)
}

# The runs are paired, so that the excess over one pull at a time is known better than either.
summarise <- function(problem, budget) {
  found <- lapply(batches, function(batch) run_piece(problem, budget, batch))
  excess <- lapply(found, function(regret) regret - found[[1]])
  se <- function(v) sd(v) / sqrt(length(v))
  data.frame(
    problem = problem$name, budget = budget, batch = unlist(batches, use.names = FALSE),
    rule = vapply(batches, rule_of, ""), runs = runs, regret = vapply(found, mean, 0),
    se = vapply(found, se, 0), excess = vapply(excess, mean, 0),
    excess_se = vapply(excess, se, 0),
    best_found = vapply(found, function(regret) mean(regret == 0), 0)
  )
}

tables <- lapply(list(twelve, sixty), function(problem) {
  do.call(rbind, lapply(budgets, function(budget) summarise(problem, budget)))
})
table <- do.call(rbind, tables)
numbers <- c("regret", "se", "excess", "excess_se", "best_found")
table[numbers] <- lapply(table[numbers], signif, 4)
write.csv(table, result, row.names = FALSE)
print(table, digits = 2)
