# Which policy finds the best arm? Gaussian process draws, 20 arms on a line and 160 arms in
# five classes, budgets below, near and above the number of arms, every policy. Writes the
# table that is kept in bench/POLICIES.md; takes some minutes on one core, fewer with a
# future::plan().
library(bayesgap)

reps <- as.integer(Sys.getenv("REPS", "500"))
line_cov <- function(k, length) exp(-outer(seq_len(k), seq_len(k), "-")^2 / (2 * length^2))

problem <- function(cov, noise_sd = 0.5) {
  problem_gaussian(arm_model(
    nrow(cov), cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = noise_sd
  ))
}

# Enough pulls for sequential halving, and features for generalised successive elimination.
feature_problem <- function() {
  set.seed(1)
  x <- matrix(stats::rnorm(64 * 5), 64) / sqrt(5)
  problem_gaussian(arm_model(64, features = x, prior_mean = 0, prior_sd = 1, noise_sd = 0.5))
}

studies <- list(
  list(
    label = "20 arms on a line", budget = c(10L, 22L, 60L), problem = problem(line_cov(20, 2))
  ),
  list(
    label = "160 arms in five classes", budget = c(40L, 160L, 320L),
    problem = problem(kronecker(diag(5), line_cov(32, 3)))
  ),
  list(label = "64 arms with 5 features", budget = c(60L, 400L), problem = feature_problem())
)

# Policies that need more pulls than that, or features, cannot take part.
runs_at <- function(name, problem, budget) {
  tryCatch(
    {
      bayesgap(problem$model, budget = budget, policy = name)
      TRUE
    },
    bayesgap_error = function(e) FALSE
  )
}

study_table <- function(study) {
  parts <- lapply(study$budget, function(budget) {
    names <- Filter(function(n) runs_at(n, study$problem, budget), policies()$policy)
    started <- proc.time()[["elapsed"]]
    table <- summary(benchmark_policies(study$problem, names, budget, reps, seed = 2014))
    message(sprintf(
      "%s, T = %d: %.0f s", study$label, budget, proc.time()[["elapsed"]] - started
    ))
    as.data.frame(table)
  })
  do.call(rbind, parts)
}

interval <- function(value, lower, upper) sprintf("%.3f (%.3f to %.3f)", value, lower, upper)

print_study <- function(study) {
  table <- study_table(study)
  cat("\n## ", study$label, "\n", sep = "")
  for (budget in study$budget) {
    rows <- table[table$budget == budget, ]
    cat(sprintf("\nT = %d\n\n| policy | mean regret | P(error) |\n|---|---|---|\n", budget))
    cat(sprintf(
      "| %s | %s | %s |\n", rows$policy,
      interval(rows$regret, rows$regret_lower, rows$regret_upper),
      interval(rows$p_error, rows$p_lower, rows$p_upper)
    ), sep = "")
  }
}

cat(sprintf(
  "# Which policy finds the best arm?\n\n%s; R %s; %s replications a cell, 95 %% intervals.\n",
  format(Sys.Date()), getRversion(), reps
))
cat("Means drawn from the prior that the policies are told; noise sd 0.5, prior sd 1.\n")
invisible(lapply(studies, print_study))
