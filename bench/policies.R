# Which policy finds the best arm? Problems of many kinds, every policy: mean regret, its ratio to
# the best policy of the cell, and the default against each policy on the same truths. Half A of
# the cells served to choose the joint rule, half B to judge it. Then the same where everything is
# learned. Writes bench/POLICIES.md; less than half an hour on two cores. What is finished is kept in
# build/policies/, so that a run that was stopped goes on. REPS: runs a cell.
# Needs: future, future.apply
library(bayesgap)

reps <- as.integer(Sys.getenv("REPS", "200"))
learned_reps <- ceiling(reps / 5)
future::plan(future::multisession, workers = 2L)

# ---- Problems -----------------------------------------------------------------------------------

known <- function(cov, noise_sd = 0.5) {
  problem_gaussian(arm_model(
    nrow(cov), cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = noise_sd
  ))
}

line_cov <- function(k, length) exp(-outer(seq_len(k), seq_len(k), "-")^2 / (2 * length^2))
class_cov <- kronecker(diag(5), line_cov(32, 3))
alike_cov <- kronecker(diag(10), matrix(0.9, 8, 8) + diag(0.1, 8))
matern_cov <- function(side, length) {
  kernel_matrix(
    k_matern(~ row + column, nu = 2.5, lengthscale = c(length, length)),
    expand.grid(row = seq_len(side), column = seq_len(side))
  )
}

feature_problem <- function() {
  set.seed(1)
  x <- matrix(stats::rnorm(64 * 5), 64) / sqrt(5)
  problem_gaussian(arm_model(64, features = x, prior_mean = 0, prior_sd = 1, noise_sd = 0.5))
}

# Nine truths a split; other splits for the two halves.
san_jose <- function(splits) {
  lapply(splits, function(split) traffic_problem(traffic$speeds, split = split))
}

wine_problem <- function() {
  model <- arm_model(
    wine_models,
    kernel = k_by(~class, k_se(~ step1 + step2 + step3, lengthscale = 1 / sqrt(2))),
    prior_mean = 0.75, prior_sd = 0.05, noise_sd = 0.025
  )
  problem_pool(wine_rmse, model, maximise = FALSE)
}

cell <- function(label, half, problems, budget, seed = 1L, runs = reps) {
  problems <- if (inherits(problems, "bayesgap_problem")) list(problems) else problems
  names(problems) <- seq_along(problems)
  list(
    label = sprintf("%s, T = %d", label, budget), half = half, problems = problems,
    budget = budget, seed = if (half == "A") seed else 100L + seed, runs = runs
  )
}

all_cells <- function() {
  jose <- list(A = san_jose(1:40), B = san_jose(41:80))
  line <- function(noise) known(line_cov(20, 2), noise)
  matern <- function(noise) known(matern_cov(12, 3), noise)
  few <- max(ceiling(reps / 5), 2L)
  list(
    cell("20 on a line, noise .5", "A", line(0.5), 10L),
    cell("20 on a line, noise .5", "B", line(0.5), 60L),
    cell("20 on a line, noise .1", "B", line(0.1), 10L),
    cell("20 on a line, noise .1", "A", line(0.1), 20L),
    cell("five classes, noise .5", "B", known(class_cov), 40L),
    cell("five classes, noise .5", "A", known(class_cov), 160L),
    cell("five classes, noise .1", "A", known(class_cov, 0.1), 40L),
    cell("5 features", "A", feature_problem(), 20L),
    cell("5 features", "B", feature_problem(), 60L),
    cell("Matern grid, noise 1", "B", matern(1), 30L),
    cell("Matern grid, noise 1", "A", matern(1), 100L),
    cell("Matern grid, noise .1", "B", matern(0.1), 30L),
    cell("ten groups of eight", "A", known(alike_cov), 40L),
    cell("ten groups of eight", "B", known(alike_cov), 120L),
    cell("30 independent", "B", known(diag(30)), 30L),
    cell("30 independent", "A", known(diag(30)), 90L),
    cell("40 on a line, noise 3", "A", known(line_cov(40, 4), 3), 40L),
    cell("40 on a line, noise 3", "B", known(line_cov(40, 4), 3), 200L),
    cell("wine pool", "A", wine_problem(), 10L),
    cell("wine pool", "B", wine_problem(), 40L),
    cell("San Jose", "A", jose$A, 50L, runs = 9L),
    cell("San Jose", "B", jose$B, 100L, runs = 9L),
    cell("San Jose", "A", jose$A, 200L, runs = 9L),
    cell("San Jose", "B", jose$B, 400L, runs = 9L),
    cell("1,000 on a line, noise .5", "B", known(line_cov(1000, 20)), 100L, runs = few),
    cell("1,000 on a line, noise .5", "A", known(line_cov(1000, 20)), 400L, runs = few),
    cell("1,024 Matern grid, noise .5", "A", known(matern_cov(32, 4)), 100L, runs = few),
    cell("1,024 Matern grid, noise .5", "B", known(matern_cov(32, 4)), 400L, runs = few)
  )
}

# ---- Runs ---------------------------------------------------------------------------------------

marginal <- policy("bayesgap", variant = "marginal")
compared <- c(
  stats::setNames(as.list(policies()$policy), policies()$policy), list(bayesgap_marginal = marginal)
)

# Seconds that a round of the slow policies takes: they get as many runs as `patience` seconds allow,
# and none where that is fewer than ten (one a split).
round_seconds <- list(
  kg = function(k) 3e-8 * k^2, mes = function(k) 3e-6 * k, ttts = function(k) 1e-6 * k + 2e-9 * k^2,
  t3c = function(k) 3e-9 * k^2, pi_bai = function(k) 1.5e-7 * k^2
)

runs_of <- function(name, cell, patience = 40) {
  seconds <- round_seconds[[name]]
  if (is.null(seconds)) {
    return(cell$runs)
  }
  k <- length(cell$problems[[1]]$model$prior$diagonal)
  most <- floor(patience / (cell$budget * seconds(k) * length(cell$problems)))
  least <- if (length(cell$problems) > 1) 1 else 10
  if (most < least) 0 else min(cell$runs, most)
}

# One row a run: policy, cluster (runs of one split go together), run, regret, error.
run_cell <- function(cell) {
  runs <- vapply(names(compared), runs_of, 0, cell)
  parts <- lapply(setdiff(runs, 0), function(n) {
    table <- tryCatch(
      suppressMessages(benchmark_policies(
        cell$problems, compared[runs == n], cell$budget, n, seed = cell$seed
      )),
      bayesgap_error = function(e) NULL # all of them need more pulls, or features
    )
    if (!is.null(table)) {
      as.data.frame(table)[c("problem", "policy", "rep", "regret", "error")]
    }
  })
  out <- do.call(rbind, parts)
  out$cluster <- if (length(cell$problems) > 1) out$problem else out$rep
  out$run <- paste(out$problem, out$rep)
  out
}

# The default minus a policy on the runs that both made: list(mean, se), by clusters.
paired <- function(table, name, value = "regret", base = "bayesgap") {
  a <- table[table$policy == base, ]
  b <- table[table$policy == name, ]
  a <- a[match(b$run, a$run), ]
  difference <- tapply(a[[value]] - b[[value]], b$cluster, mean)
  list(
    difference = mean(difference), se = stats::sd(difference) / sqrt(length(difference)),
    base = mean(tapply(a[[value]], b$cluster, mean)), runs = nrow(b),
    other = mean(tapply(b[[value]], b$cluster, mean))
  )
}

# Every policy's mean regret over that of the best, both over the default's on common runs.
ratios_of <- function(table) {
  names <- unique(as.character(table$policy))
  over <- vapply(names, function(name) {
    p <- paired(table, name)
    p$other / p$base
  }, 0)
  over / min(over)
}

# ---- Tables -------------------------------------------------------------------------------------

line <- function(...) cat(sprintf(...), "\n", sep = "")
row <- function(...) line("| %s |", paste(c(...), collapse = " | "))

ratio_table <- function(cells, found, half) {
  at <- which(vapply(cells, `[[`, "", "half") == half)
  ratios <- lapply(found[at], ratios_of)
  names <- unique(unlist(lapply(ratios, names)))
  whole <- vapply(ratios, `[`, double(length(names)), names)
  dimnames(whole) <- list(names, NULL)
  mean <- exp(rowMeans(log(whole), na.rm = TRUE))
  worst <- apply(whole, 1, max, na.rm = TRUE)
  absent <- rowSums(is.na(whole))
  order <- order(absent > 0, mean)
  line("\n## Half %s: regret over that of the best policy of the cell\n", half)
  for (i in seq_along(at)) line("%d. %s", i, cells[[at[i]]]$label)
  line("")
  row("policy", "geometric mean", "worst", seq_along(at))
  row(rep("---", length(at) + 3))
  for (i in order) {
    row(
      names[i], sprintf("%.2f%s", mean[i], if (absent[i]) "*" else ""), sprintf("%.2f", worst[i]),
      ifelse(is.na(whole[i, ]), "-", sprintf("%.2f", whole[i, ]))
    )
  }
  line("\n\\* Not in all cells: it needs more pulls there, or features, or minutes.")
}

pair_table <- function(cells, found) {
  line("\n## The default against each policy: difference of mean regrets, 95 %% interval\n")
  line("Below 0: the default loses less. Bold: the interval excludes 0.")
  for (i in seq_along(cells)) {
    table <- found[[i]]
    others <- setdiff(unique(as.character(table$policy)), "bayesgap")
    text <- vapply(others, function(name) {
      p <- paired(table, name)
      sure <- abs(p$difference) > 1.96 * p$se
      sprintf(
        if (sure) "%s **%+.4f** (%.4f)" else "%s %+.4f (%.4f)", name, p$difference, 1.96 * p$se
      )
    }, "")
    own <- mean(table$regret[table$policy == "bayesgap"])
    line("\n%s (half %s): %.4f. %s", cells[[i]]$label, cells[[i]]$half, own,
         paste(text, collapse = "; "))
  }
}

error_table <- function(label, table, names) {
  line("\n%s\n", label)
  row("policy", "P(error)", "default minus it (95 % interval)", "runs")
  row(rep("---", 4))
  for (name in intersect(c("bayesgap", names), as.character(table$policy))) {
    p <- paired(table, name, "error")
    row(name, sprintf("%.3f", p$other), if (name == "bayesgap") "" else sprintf(
      "%+.3f (%+.3f to %+.3f)", p$difference, p$difference - 1.96 * p$se,
      p$difference + 1.96 * p$se
    ), p$runs)
  }
}

# ---- Everything learned -------------------------------------------------------------------------

grid <- cbind(arm = 1:64, expand.grid(row = 1:8, column = 1:8))
classes <- expand.grid(step = 1:32, class = letters[1:5], stringsAsFactors = FALSE)
classes <- cbind(arm = 1:160, classes)
worlds <- list(
  "12 independent" = list(arms = 12L, told = NULL, untold = NULL),
  "8 x 8 grid" = list(
    arms = grid, told = k_se(~ row + column, lengthscale = c(2, 2)), untold = k_se()
  ),
  "five classes" = list(
    arms = classes, told = k_by(~class, k_se(~step, lengthscale = 3)),
    untold = k_by(~class, k_se())
  )
)
learners <- c(
  list(bayesgap_marginal = marginal),
  stats::setNames(nm = c("bayesgap", "kg", "gpucb", "thompson", "ei", "uniform"))
)

# The regrets of one truth, one a policy.
learned_run <- function(world, factor, noise, budget, rep) {
  set.seed(rep)
  mu <- drop(factor %*% stats::rnorm(nrow(factor)))
  at <- function(arm) if (is.data.frame(arm)) as.integer(arm$arm) else arm
  vapply(learners, function(policy) {
    x <- bayesgap(
      world$arms, function(arm) mu[at(arm)] + noise * stats::rnorm(1), budget,
      kernel = world$untold, policy = policy, seed = rep
    )
    max(mu) - mu[at(best_arm(x))]
  }, 0)
}

learned_table <- function() {
  line("\n## Everything learned: mean regret in units of the prior sd, %d runs a cell\n", learned_reps)
  row("problem", "noise", "T", names(learners), "default minus marginal (95 % interval)")
  row(rep("---", 4 + length(learners)))
  over <- list()
  for (name in names(worlds)) {
    world <- worlds[[name]]
    k <- if (is.data.frame(world$arms)) nrow(world$arms) else world$arms
    e <- eigen(if (k == 12L) diag(k) else kernel_matrix(world$told, world$arms), symmetric = TRUE)
    factor <- e$vectors %*% diag(sqrt(pmax(e$values, 0)))
    for (noise in c(0.1, 1, 3)) {
      for (budget in c(20L, 40L, 100L)) {
        regret <- do.call(rbind, future.apply::future_lapply(
          seq_len(learned_reps), function(rep) learned_run(world, factor, noise, budget, rep),
          future.seed = NULL, future.packages = "bayesgap"
        ))
        mean <- colMeans(regret)
        difference <- regret[, "bayesgap"] - regret[, "bayesgap_marginal"]
        half <- 1.96 * stats::sd(difference) / sqrt(learned_reps)
        row(name, noise, budget, sprintf("%.3f", mean),
            sprintf("%+.3f (%.3f)", mean(difference), half))
        if (min(mean) >= 0.003) over <- c(over, list(mean / min(mean)))
      }
    }
  }
  line(
    "\nGeometric mean of the ratios to the best of each cell (%d cells whose best is at least 0.003): %s.",
    length(over), paste(sprintf(
      "%s %.2f", names(learners), exp(rowMeans(log(do.call(cbind, over))))
    ), collapse = ", ")
  )
}

# ---- All of it ----------------------------------------------------------------------------------

started <- proc.time()[["elapsed"]]
cells <- all_cells()
folder <- file.path("build", "policies")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
found <- lapply(cells, function(cell) {
  file <- file.path(folder, paste0(make.names(paste(cell$label, reps)), ".rds"))
  if (!file.exists(file)) {
    saveRDS(run_cell(cell), file)
  }
  table <- readRDS(file)
  message(sprintf("%s: %.0f s so far", cell$label, proc.time()[["elapsed"]] - started))
  table
})

sink(file.path("bench", "POLICIES.md"), split = TRUE)
line("# Which policy finds the best arm?\n")
line("Made by `Rscript bench/policies.R`, %s, R %s. Means are drawn from the prior that the", Sys.Date(),
     getRversion())
line("policies are told, prior sd 1 (San Jose: real speeds of other days than the prior's; wine: a pool")
line("of test errors). %d runs a cell (San Jose 360, K = 1,000 %d), fewer for the slow policies; every", reps,
     ceiling(reps / 5))
line("policy meets the same truths. `bayesgap` is the joint rule, the default. The best of many policies")
line("in a cell is partly luck: a rule as good as the best would show about 1.05 to 1.1.")
for (half in c("A", "B")) ratio_table(cells, found, half)
jose <- grep("San Jose", vapply(cells, `[[`, "", "label"))
line("\n## San Jose: probability of error\n")
eight <- c("bayesgap_marginal", "ucbe", "ugap", "bayesucb", "gpucb", "thompson", "pi", "ei")
for (i in jose[order(vapply(cells[jose], `[[`, 0L, "budget"))]) {
  error_table(cells[[i]]$label, found[[i]], eight)
}
learned_table()
pair_table(cells, found)
line("\n%.0f minutes.", (proc.time()[["elapsed"]] - started) / 60)
sink()
