# Ways of tuning at equal numbers of fits, on six sets of data: what is lost by the candidate that
# each of them chooses. All draw from the same pools of test errors, data-raw/tuning-pools.rds,
# which data-raw/tuning-pools-study.R makes: fifteen repeats of a ten-fold cross-validation, of
# which a run has five; the others judge.
# Writes inst/extdata/tuning-study.csv, which the vignette draws, and build/tuning-costs.csv, with
# budgets of seconds, and prints the tables of bench/TUNING.md; about an hour of two cores. What is
# finished is kept in build/tuning-runs/, and a call goes on where it was stopped; remove that
# folder to start anew.
# CORES: processes at a time (2). RUNS: of each method (50).
# Needs: irace
library(bayesgap)
source(file.path("bench", "racing.R"))

cores <- as.integer(Sys.getenv("CORES", "2"))
runs <- as.integer(Sys.getenv("RUNS", "50"))
folder <- file.path("build", "tuning-runs")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
budgets <- c(50L, 100L, 200L, 400L, 800L, 2000L)
pools <- readRDS(file.path("data-raw", "tuning-pools.rds"))
per_repeat <- 10L
repeats_of_run <- attr(pools, "repeats")[["methods"]]

# ---- One run ----------------------------------------------------------------------------------

# The candidates in random order, the repeats and their folds too; truth: the mean of those that
# judge.
draw_tuning <- function(pool, seed) {
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  arms <- sample.int(nrow(pool$grid))
  all <- seq_len(ncol(pool$errors))
  repeats <- sample(split(all, (all - 1L) %/% per_repeat))[seq_len(repeats_of_run)]
  splits <- unlist(lapply(repeats, sample))
  truth <- rowMeans(pool$errors[arms, -splits])
  list(
    grid = pool$grid[arms, ], errors = pool$errors[arms, splits], seconds = pool$seconds[arms],
    lost = truth - min(truth), seed = seed
  )
}

# ---- Methods: c(arm, fits), or NA where one cannot run with so few -------------------------------

by_errors <- function(method) function(run, fits) method(run$errors, fits)

# finetune::tune_race_win_loss(): who wins how often in pairs, by a Bradley-Terry model; out goes a
# candidate whose interval for its difference from the best lies below 0.
win_loss_survivors <- function(errors, alpha = 0.05) {
  k <- nrow(errors)
  wins <- matrix(0, k, k)
  for (split in seq_len(ncol(errors))) {
    e <- errors[, split]
    wins <- wins + outer(e, e, "<") + 0.5 * outer(e, e, "==")
  }
  diag(wins) <- 0
  found <- bradley_terry(wins)
  kept <- found$ability + stats::qnorm(1 - alpha) * found$sd > 0
  kept[found$best] <- TRUE
  kept
}

# Abilities against that of the best, and their standard errors, by Newton's method.
bradley_terry <- function(wins, steps = 25L) {
  k <- nrow(wins)
  games <- wins + t(wins)
  best <- which.max(rowSums(wins))
  free <- setdiff(seq_len(k), best)
  ability <- double(k)
  for (step in seq_len(steps)) {
    p <- stats::plogis(outer(ability, ability, "-"))
    slope <- rowSums(wins - games * p)[free] - 1e-3 * ability[free]
    weight <- games * p * (1 - p)
    curve <- (diag(rowSums(weight)) - weight)[free, free, drop = FALSE] +
      diag(1e-3, length(free))
    move <- solve(curve, slope)
    ability[free] <- ability[free] + pmax(-2, pmin(2, move))
    if (max(abs(move)) < 1e-6) break
  }
  sd <- double(k)
  sd[free] <- sqrt(diag(solve(curve)))
  list(ability = ability, sd = sd, best = best)
}

# caret's adaptive resampling: from the fifth split on, out goes what is worse by a one-sided
# interval, the splits being random effects.
adaptive_survivors <- function(errors) anova_survivors(errors, alpha = 0.1)

# The whole grid where it can be had, else random candidates, as many as can be compared.
subset_of <- function(survivors, burn_in) {
  function(errors, fits) subset_race(errors, fits, survivors, burn_in)
}

# irace over the values of the grid in their order, of each kind of model its own.
iterated_race <- function(run, fits) {
  grid <- run$grid
  kinds <- unique(grid$kind)
  of_kind <- lapply(stats::setNames(nm = kinds), function(kind) {
    mine <- grid[grid$kind == kind, names(grid) != "kind"]
    lapply(Filter(function(v) !anyNA(v), mine), function(v) sort(unique(v)))
  })
  text <- c(
    sprintf('kind "" c (%s)', paste(kinds, collapse = ", ")),
    unlist(lapply(kinds, function(kind) {
      vapply(names(of_kind[[kind]]), function(name) {
        sprintf('%s_%s "" o (%s) | kind == "%s"', kind, name,
          paste(seq_along(of_kind[[kind]][[name]]), collapse = ", "), kind)
      }, "")
    }))
  )
  parameters <- irace::readParameters(text = paste(text, collapse = "\n"))
  row <- function(found) {
    kind <- as.character(found$kind)
    same <- grid$kind == kind
    for (name in names(of_kind[[kind]])) {
      at <- as.integer(found[[paste(kind, name, sep = "_")]])
      same <- same & grid[[name]] %in% of_kind[[kind]][[name]][at]
    }
    which(same)
  }
  used <- 0L
  scenario <- list(
    targetRunner = function(experiment, scenario) {
      used <<- used + 1L
      list(cost = run$errors[row(experiment$configuration), experiment$id.instance])
    },
    instances = seq_len(ncol(run$errors)), maxExperiments = fits, sampleInstances = FALSE,
    seed = run$seed, logFile = "", debugLevel = 0, deterministic = TRUE
  )
  found <- NULL
  utils::capture.output(found <- tryCatch(
    suppressWarnings(irace::irace(scenario, parameters)), error = function(e) NULL
  ))
  if (is.null(found)) {
    return(c(arm = NA_integer_, fits = NA_integer_))
  }
  c(arm = row(found[1L, ]), fits = used)
}

named_grid <- function(run) cbind(arm = as.character(seq_len(nrow(run$grid))), run$grid)

kernel_of <- function(run) {
  several <- length(unique(run$grid$kind)) > 1L
  bayesgap:::grid_kernel(if (several) run$grid else run$grid[-1L], if (several) "kind")
}

# tune::tune_bayes(): five candidates, then one after another by the expected improvement, each in a
# whole cross-validation. The Gaussian process is ours.
improvement <- function(run, fits) {
  pulls <- min(fits %/% per_repeat, nrow(run$grid))
  if (pulls < 6L) {
    return(c(arm = NA_integer_, fits = NA_integer_))
  }
  means <- rowMeans(run$errors[, seq_len(per_repeat)])
  x <- bayesgap(
    named_grid(run), function(arm) means[as.integer(arm$arm)], pulls, maximise = FALSE,
    kernel = kernel_of(run), policy = "ei", init = 5, replace = FALSE, seed = run$seed,
    progress = FALSE
  )
  log <- as.data.frame(x)
  c(arm = as.integer(log$arm[which.min(log$y)]), fits = per_repeat * pulls)
}

# What tune_bayesgap() does, with errors that are looked up. cost: of every candidate; then `fits`
# is what may be spent. ...: for the run, such as `block_arm_sd = 0`.
tune_looked_up <- function(run, fits, cost = NULL, ...) {
  labels <- sprintf("split %02d", seq_len(ncol(run$errors)))
  several <- length(unique(run$grid$kind)) > 1L
  x <- bayesgap:::run_tuning(list(
    grid = if (several) run$grid else run$grid[-1L], names = as.character(seq_len(nrow(run$grid))),
    labels = labels, marks = labels, fit = function(row, split) list(y = run$errors[row, split]),
    maximise = FALSE, progress = FALSE, by = if (several) "kind"
  ), fits, NULL, seed = run$seed, cost = cost, ...)
  pulled <- as.integer(as.data.frame(x)$arm)
  c(arm = as.integer(best_arm(x)$arm), fits = nobs(x), seconds = sum(run$seconds[pulled]))
}

methods <- list(
  "whole grid" = by_errors(grid_cv),
  "random search" = by_errors(function(errors, fits) random_search(errors, fits, per_repeat)),
  "tune_race_anova" = by_errors(subset_of(anova_survivors, 3L)),
  "tune_race_win_loss" = by_errors(subset_of(win_loss_survivors, 3L)),
  "caret, adaptive" = by_errors(subset_of(adaptive_survivors, 5L)),
  "irace" = iterated_race,
  "expected improvement" = improvement,
  "tune_bayesgap" = tune_looked_up
)
ours <- "tune_bayesgap"

# Budgets of seconds: so many fits of a candidate that costs what they do on average.
with_costs <- list(
  "random search" = function(run, seconds) {
    random_search(run$errors, seconds, per_repeat, run$seconds)
  },
  "tune_race_anova" = function(run, seconds) {
    subset_race(run$errors, seconds, anova_survivors, 3L, run$seconds)
  },
  "tune_bayesgap, fits counted" = function(run, seconds) {
    in_seconds(tune_looked_up(run, max(2L, as.integer(seconds / mean(run$seconds)))))
  },
  "tune_bayesgap, costs told" = function(run, seconds) {
    in_seconds(tune_looked_up(run, seconds, run$seconds))
  }
)

in_seconds <- function(found) replace(found, "fits", found[["seconds"]])

# ---- The study --------------------------------------------------------------------------------

# The longest runs are fewer.
runs_of <- function(budget) if (budget >= 2000L) min(runs, 10L) else runs

# Lost and fits of one method with one budget in every run. The budget is of fits, or, with costs,
# of the seconds that so many take on average.
cell_of <- function(name, method, budget, costs = FALSE) {
  kind <- gsub("[^a-z_]", "", method)
  file <- file.path(folder, sprintf("%s-%s-%s%d.rds", name, kind, if (costs) "s" else "", budget))
  if (!file.exists(file)) {
    found <- parallel::mclapply(seq_len(runs_of(budget)), function(seed) {
      run <- draw_tuning(pools[[name]], seed)
      most <- min(budget, length(run$errors))
      kept <- if (costs) {
        with_costs[[method]](run, most * mean(run$seconds))
      } else {
        methods[[method]](run, most)
      }
      c(lost = run$lost[kept[["arm"]]], fits = kept[["fits"]])
    }, mc.cores = cores)
    broken <- vapply(found, inherits, TRUE, "try-error")
    if (any(broken)) {
      stop(file, ": ", found[broken][[1L]])
    }
    saveRDS(do.call(cbind, found), file)
  }
  readRDS(file)
}

study_table <- function(methods, ours, budgets, costs = FALSE) {
  cells <- expand.grid(
    method = methods, data = names(pools), budget = budgets, stringsAsFactors = FALSE
  )
  rows <- lapply(seq_len(nrow(cells)), function(i) {
    found <- cell_of(cells$data[i], cells$method[i], cells$budget[i], costs)
    mine <- cell_of(cells$data[i], ours, cells$budget[i], costs)
    apart <- mine["lost", ] - found["lost", ]
    n <- length(apart)
    half <- stats::qt(0.975, n - 1) * stats::sd(apart) / sqrt(n)
    data.frame(
      cells[i, ], runs = n, lost = mean(found["lost", ]),
      se = stats::sd(found["lost", ]) / sqrt(n),
      fits = mean(found["fits", ]), apart = mean(apart), lower = mean(apart) - half,
      upper = mean(apart) + half
    )
  })
  do.call(rbind, rows)
}

# ---- In words ---------------------------------------------------------------------------------

# In units of which one is a thousandth of the error, a hundredth for the two regressions of prices
# and strengths.
unit_of <- function(data) ifelse(data %in% c("boston", "concrete"), 0.01, 0.001)

# One table a set of data: what is lost, and its standard error; ">" where ours clearly loses less
# by the 95 % interval of the paired difference, "<" where it clearly loses more.
print_lost <- function(table, ours) {
  for (data in unique(table$data)) {
    part <- table[table$data == data, ]
    cat(sprintf("\n### %s, in %s\n\n", data, unit_of(data)))
    cat("|", paste(c("", unique(part$budget)), collapse = " | "), "|\n")
    cat(strrep("|---", 1L + length(unique(part$budget))), "|\n", sep = "")
    for (method in unique(part$method)) {
      row <- part[part$method == method, ]
      clear <- ifelse(row$upper < 0, " >", ifelse(row$lower > 0, " <", ""))
      text <- sprintf("%.1f (%.1f)%s", row$lost / unit_of(data), row$se / unit_of(data), clear)
      text[is.na(row$lost)] <- "-"
      if (method == ours) text <- sprintf("**%s**", text)
      cat("|", paste(c(method, text), collapse = " | "), "|\n")
    }
  }
}

# Fits with which ours first loses no more than a race, on straight lines over the logarithm of the
# fits: 1 - those / those of the race. Where ours loses no more with the fewest fits, these.
print_saved <- function(table, race, ours, budgets) {
  saved <- sapply(unique(table$data), function(data) {
    mine <- table[table$data == data & table$method == ours, ]
    theirs <- table[table$data == data & table$method == race, ]
    sapply(budgets, function(b) {
      goal <- theirs$lost[theirs$budget == b]
      1 - fits_for(goal, mine$lost, mine$budget) / theirs$fits[theirs$budget == b]
    })
  })
  cat(sprintf("\n| fits of %s |", race), paste(colnames(saved), collapse = " | "), "|\n")
  cat(strrep("|---", 1L + ncol(saved)), "|\n", sep = "")
  for (i in seq_along(budgets)) {
    cat("|", budgets[i], "|", paste(sprintf("%.0f %%", 100 * saved[i, ]), collapse = " | "), "|\n")
  }
  cat(sprintf("\nOn average %.0f %%.\n", 100 * mean(pmax(saved, -1))))
}

fits_for <- function(goal, lost, fits) {
  at <- match(TRUE, lost <= goal)
  if (is.na(at)) {
    return(Inf)
  }
  if (at == 1L) {
    return(fits[1L])
  }
  share <- (lost[at - 1L] - goal) / (lost[at - 1L] - lost[at])
  exp(log(fits[at - 1L]) + share * (log(fits[at]) - log(fits[at - 1L])))
}

if (sys.nframe() == 0L) {
  told <- "tune_bayesgap, costs told"
  costs <- study_table(names(with_costs), told, budgets[1:4], costs = TRUE)
  utils::write.csv(costs, file.path("build", "tuning-costs.csv"), row.names = FALSE)
  table <- study_table(names(methods), ours, budgets)
  keep <- c("data", "method", "budget", "runs", "lost", "se", "fits", "apart", "lower", "upper")
  short <- table[!is.na(table$lost), keep]
  short[-(1:4)] <- signif(short[-(1:4)], 4)
  utils::write.csv(short, file.path("inst", "extdata", "tuning-study.csv"), row.names = FALSE)
  cat("## Lost at equal numbers of fits\n")
  print_lost(table, ours)
  cat("\n## Fits saved for the quality of a race\n")
  print_saved(table, "tune_race_anova", ours, c(100L, 200L, 400L, 800L))
  print_saved(table, "tune_race_win_loss", ours, c(100L, 200L, 400L, 800L))
  cat("\n## Lost at equal budgets of seconds\n")
  print_lost(costs, told)
}
