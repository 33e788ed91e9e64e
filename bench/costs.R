# Do costs pay? The 160 wine models, whose fits take from 0.002 to 1.3 seconds: told of that, and
# not. Everything is learned; both ways are the same runs: the same splits and seeds. Writes
# bench/COSTS.md; about forty minutes of one core. What is finished is kept in build/costs/, and a
# call goes on where it was stopped; remove that folder after a change of the package.
# The seconds of a fit are in bench/wine-seconds.csv. They are measured where that file is not there,
# in three minutes: processor time, the median of five measurements.
# CORES: processes at a time (2). RUNS: runs a cell with blocks (300), and without (120).
# Needs: e1071, FNN, glmnet, ranger
source(file.path("bench", "blocks.R")) # kept_runs(), pools, races
folder <- file.path("build", "costs")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
runs <- as.integer(strsplit(Sys.getenv("RUNS", "300 120"), " ")[[1L]])
# The rule for costs was chosen on the seeds 1 to 120, so it is not judged by them.
first_seed <- 1001L
budgets <- c(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20) # in seconds
counts <- c(8L, 12L, 16L, 24L, 32L, 48L, 64L, 96L) # in pulls

# ---- What a fit costs ------------------------------------------------------------------------

processor_time <- function() sum(proc.time()[c(1, 2, 4, 5)], na.rm = TRUE)

# Of a model: fits until a tenth of a second is spent, so that the clock's steps do not matter.
measure_fit <- function(fit, model) {
  n <- 0
  began <- processor_time()
  while ((took <- processor_time() - began) < 0.1) {
    fit(model)
    n <- n + 1
  }
  took / n
}

fit_seconds <- function() {
  file <- file.path("bench", "wine-seconds.csv")
  if (!file.exists(file)) {
    fit <- wine_objective()
    set.seed(1)
    fit(wine_models[1, ]) # loads the packages
    seconds <- vapply(seq_len(nrow(wine_models)), function(i) {
      stats::median(replicate(5, measure_fit(fit, wine_models[i, ])))
    }, 0)
    utils::write.csv(
      data.frame(arm = wine_models$arm, seconds = signif(seconds, 3)), file, row.names = FALSE
    )
  }
  found <- utils::read.csv(file)
  stopifnot(identical(found$arm, as.character(wine_models$arm)))
  found$seconds
}

# ---- Runs ------------------------------------------------------------------------------------

# The errors of the splits of this run; told: are these blocks of the run, ten of them?
draw_errors <- function(pool, seed, told) {
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  drawn <- draw_run(pool, if (told) 10L else ncol(pool$rewards))
  drawn$errors[order(drawn$arms), ]
}

arguments_of <- function(pool, seed, told) {
  c(
    list(pool$arms, kernel = wine_kernel, maximise = FALSE, seed = seed),
    if (told) list(blocks = 10, replace = FALSE)
  )
}

regret_of <- function(x, pool) {
  regrets_of(pool)[[match(best_arm(x)$arm, pool$arms$arm)]]
}

# One result of the pull that is asked for.
pull_wine <- function(x, errors) {
  todo <- ask(x)
  split <- if (is.null(todo$block)) sample.int(ncol(errors), 1L) else as.integer(todo$block)
  todo$y <- rep(errors[todo$arm, split], nrow(todo))
  todo
}

# With costs: a run for every budget.
run_with_costs <- function(pool, seconds, seed, told) {
  errors <- draw_errors(pool, seed, told)
  found <- vapply(budgets, function(budget) {
    set.seed(seed)
    x <- do.call(bayesgap, c(
      arguments_of(pool, seed, told), list(budget = budget, cost = seconds)
    ))
    while (nrow(todo <- pull_wine(x, errors))) {
      x <- tell(x, todo)
    }
    c(regret_of(x, pool), nobs(x))
  }, double(2))
  named_by_budget(found)
}

# The budget is so many pulls: regret, and the seconds that they take.
run_by_counts <- function(pool, seconds, seed, told) {
  errors <- draw_errors(pool, seed, told)
  found <- vapply(counts, function(count) {
    set.seed(seed)
    x <- do.call(bayesgap, c(arguments_of(pool, seed, told), list(budget = count)))
    spent <- 0
    while (nrow(todo <- pull_wine(x, errors))) {
      spent <- spent + seconds[match(todo$arm, pool$arms$arm)]
      x <- tell(x, todo)
    }
    c(regret_of(x, pool), spent)
  }, double(2))
  stats::setNames(c(found), paste(c("regret", "seconds"), rep(counts, each = 2)))
}

# Pulls are counted and nobody knows how many it will be: one run, which is stopped before the
# seconds are up, and then learns from all.
run_by_pulls <- function(pool, seconds, seed, told) {
  errors <- draw_errors(pool, seed, told)
  set.seed(seed)
  x <- do.call(bayesgap, c(arguments_of(pool, seed, told), list(budget = 1000)))
  spent <- 0
  found <- vapply(budgets, function(budget) {
    while (nrow(todo <- pull_wine(x, errors))) {
      cost <- seconds[match(todo$arm, pool$arms$arm)]
      if (spent + cost > budget) break
      spent <<- spent + cost
      x <<- tell(x, todo)
    }
    made <- max(nobs(x), 1L)
    c(regret_of(bayesgap(x, budget = made), pool), nobs(x))
  }, double(2))
  named_by_budget(found)
}

named_by_budget <- function(found) {
  stats::setNames(c(found), paste(c("regret", "pulls"), rep(budgets, each = 2)))
}

ways <- list("counts" = run_by_counts, "pulls" = run_by_pulls, "costs" = run_with_costs)

# Regrets and pulls, ways by budgets by runs.
wine_study <- function(told) {
  pool <- wine_pool()
  seconds <- fit_seconds()
  lapply(stats::setNames(nm = names(ways)), function(way) {
    name <- sprintf("%s-%s", if (told) "blocks" else "splits", way)
    kept_runs(name, runs[[if (told) 1L else 2L]], function(run) {
      ways[[way]](pool, seconds, first_seed + run - 1L, told)
    })
  })
}

rows_of <- function(found, what, at = budgets) found[paste(what, at), , drop = FALSE]

# The mean regrets and seconds of one way, in some of the runs.
curve_of <- function(study, way, runs) {
  found <- study[[way]][, runs, drop = FALSE]
  if (way == "counts") {
    list(
      regret = rowMeans(rows_of(found, "regret", counts)),
      seconds = rowMeans(rows_of(found, "seconds", counts))
    )
  } else {
    list(regret = rowMeans(rows_of(found, "regret")), seconds = budgets)
  }
}

# ---- Arms drawn from the prior ---------------------------------------------------------------

funds <- c(5, 10, 20, 40, 60) # in units of the mean cost
drawn_kinds <- c("smooth", "independent")

# Twenty arms, all told of the prior; costs are lognormal. Regrets with costs told, and not.
drawn_run <- function(seed, kind) {
  set.seed(seed)
  place <- 1:20
  cov <- if (kind == "smooth") exp(-outer(place, place, "-")^2 / 18) else diag(20)
  mean <- drop(t(chol(cov + 1e-9 * diag(20))) %*% stats::rnorm(20))
  cost <- exp(stats::rnorm(20))
  cost <- cost / mean(cost)
  given <- list(20, cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, seed = seed)
  pull <- function(arm) stats::rnorm(1, mean[arm], 0.5)
  lost <- function(x) max(mean) - mean[best_arm(x)]
  told <- vapply(funds, function(most) {
    lost(do.call(bayesgap, c(given, list(objective = pull, budget = most, cost = cost))))
  }, 0)
  set.seed(seed)
  x <- do.call(bayesgap, c(given, list(budget = 1000)))
  spent <- 0
  counted <- vapply(funds, function(most) {
    while (spent + cost[arm <- ask(x)$arm] <= most) {
      spent <<- spent + cost[arm]
      x <<- tell(x, pull(arm))
    }
    lost(x)
  }, 0)
  stats::setNames(c(counted, told), paste(rep(c("pulls", "costs"), each = length(funds)), funds))
}

drawn_table <- function() {
  lines <- lapply(drawn_kinds, function(kind) {
    found <- kept_runs(kind, 200L, function(seed) drawn_run(seed, kind))
    told <- found[paste("costs", funds), ]
    counted <- found[paste("pulls", funds), ]
    line <- function(label, x) {
      cells <- sprintf("%.3f (%.3f)", rowMeans(x), apply(x, 1, se_of))
      paste0("| ", kind, ", ", label, " | ", paste(cells, collapse = " | "), " |")
    }
    c(
      line("pulls counted", counted), line("costs told", told), line("difference", told - counted)
    )
  })
  c(
    paste0("| to spend | ", paste(funds, collapse = " | "), " |"),
    paste0("|---|", strrep("---|", length(funds))), unlist(lines)
  )
}

# ---- The report ------------------------------------------------------------------------------

# The seconds at which the mean regret first falls to a level, on straight lines between them.
seconds_needed <- function(curve, level) {
  at <- match(TRUE, curve$regret <= level)
  if (is.na(at) || at == 1L) {
    return(NA_real_)
  }
  share <- (curve$regret[at - 1L] - level) / (curve$regret[at - 1L] - curve$regret[at])
  curve$seconds[at - 1L] + share * (curve$seconds[at] - curve$seconds[at - 1L])
}

# The part of the seconds of another way that costs save, and its standard error, from runs drawn
# again.
saving <- function(study, way, level) {
  part <- function(runs) {
    1 - seconds_needed(curve_of(study, "costs", runs), level) /
      seconds_needed(curve_of(study, way, runs), level)
  }
  n <- ncol(study$costs)
  set.seed(1)
  again <- replicate(400, part(sample.int(n, replace = TRUE)))
  c(part(seq_len(n)), stats::sd(again, na.rm = TRUE))
}

table_line <- function(label, cells) paste0("| ", label, " | ", paste(cells, collapse = " | "), " |")

regret_cells <- function(regret) {
  sprintf("%.2f (%.2f)", 1000 * rowMeans(regret), 1000 * apply(regret, 1, se_of))
}

mean_cells <- function(x, digits) sprintf("%.*f", digits, rowMeans(x))

count_table <- function(study) {
  c(
    table_line("budget in pulls", counts), paste0("|---|", strrep("---|", length(counts))),
    table_line("regret", regret_cells(rows_of(study$counts, "regret", counts))),
    table_line("seconds spent", mean_cells(rows_of(study$counts, "seconds", counts), 1))
  )
}

curve_table <- function(study) {
  c(
    table_line("seconds", budgets), paste0("|---|", strrep("---|", length(budgets))),
    table_line("costs told", regret_cells(rows_of(study$costs, "regret"))),
    table_line("stopped", regret_cells(rows_of(study$pulls, "regret"))),
    table_line("fits, costs told", mean_cells(rows_of(study$costs, "pulls"), 0)),
    table_line("fits, stopped", mean_cells(rows_of(study$pulls, "pulls"), 0))
  )
}

saving_table <- function(study, levels) {
  n <- seq_len(ncol(study$costs))
  lines <- vapply(levels / 1000, function(level) {
    need <- vapply(names(ways), function(way) seconds_needed(curve_of(study, way, n), level), 0)
    saved <- vapply(c("counts", "pulls"), function(way) saving(study, way, level), double(2))
    text <- function(x) if (is.na(x[1L])) "" else sprintf("%.0f %% (%.0f)", 100 * x[1L], 100 * x[2L])
    table_line(format(1000 * level), c(
      ifelse(is.na(need), "", sprintf("%.1f", need)), apply(saved, 2, text)
    ))
  }, "")
  c(
    table_line("mean regret", c(
      "a budget of pulls", "stopped", "costs told", "less time than a budget of pulls", "than stopped"
    )),
    "|---|---|---|---|---|---|", lines
  )
}

levels_of <- c(7, 6, 5, 4.5, 4, 3.5, 3, 2.5, 2)

says <- list(
  start = c(
    "# Costs", "",
    "Made by `bench/costs.R`: the 160 wine models and the processor seconds that a fit of each takes",
    "(`bench/wine-seconds.csv`: from 0.002, lasso, to 1.3, forests of a thousand trees; the mean is",
    "0.14). Everything is learned; the splits and seeds are the same for all ways, and others than",
    "those on which the rule was chosen. *Costs told*: the budget is so many seconds. *A budget of",
    "pulls*: pulls are counted, and take as long as they take. *Stopped*: pulls are counted too, with",
    "no end in sight, and the run is stopped before the seconds are up. Regret is the RMSE above that",
    "of the best model, in 0.001; standard errors in brackets."
  ),
  blocks = c(sprintf("## Ten splits, told as blocks: %d runs", runs[[1L]]), ""),
  splits = c(sprintf("## A random split every time: %d runs", runs[[2L]]), ""),
  drawn = c(
    "## Arms drawn from the prior", "",
    "Twenty arms, on a line (squared exponential, length scale 3) or independent, of sd 1, noise sd",
    "0.5, all of it told; costs are lognormal (sd of the logarithm 1), in units of their mean. Mean",
    "regret in 200 runs.", ""
  )
)

if (sys.nframe() == 0L) {
  text <- says$start
  for (told in c(TRUE, FALSE)) {
    study <- wine_study(told)
    text <- c(
      text, "", says[[if (told) "blocks" else "splits"]], count_table(study), "", curve_table(study),
      "", "Seconds at which the mean regret first falls to a level, on straight lines between these:",
      "", saving_table(study, levels_of)
    )
  }
  text <- c(text, "", says$drawn, drawn_table())
  writeLines(text, file.path("bench", "COSTS.md"))
}
