# Do blocks pay? Plates in a laboratory, the folds of a cross-validation, and what they cost in the
# engine. Everything is learned; with blocks and without are the same runs: the same truth, plates,
# splits and noise. Writes bench/BLOCKS.md; about five minutes on two idle cores, besides the pools
# of bench/pools.R. What is finished is kept in build/blocks/, and a call goes on where it was
# stopped; remove that folder after a change of the package.
# CORES: processes at a time (2). PLATES, WINE, POOLS: runs a cell (1000, 400, 60).
# Needs: e1071, MASS, nnet
library(bayesgap)
source(file.path("bench", "pools.R"))
source(file.path("bench", "racing.R"))

cores <- as.integer(Sys.getenv("CORES", "2"))
runs <- c(
  plates = as.integer(Sys.getenv("PLATES", "1000")), wine = as.integer(Sys.getenv("WINE", "400")),
  pools = as.integer(Sys.getenv("POOLS", "60"))
)
folder <- file.path("build", "blocks")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)

# run(seed), a named vector, for the seeds 1 to n: a matrix of one column a seed, kept by twenties.
kept_runs <- function(name, n, run) {
  parts <- lapply(split(seq_len(n), (seq_len(n) - 1L) %/% 20L), function(seeds) {
    file <- file.path(folder, sprintf("%s-%d-%d.rds", name, min(seeds), max(seeds)))
    if (!file.exists(file)) {
      found <- parallel::mclapply(seeds, run, mc.cores = cores)
      broken <- vapply(found, inherits, TRUE, "try-error")
      if (any(broken)) {
        stop(name, ", seed ", seeds[broken][1L], ": ", found[broken][[1L]])
      }
      saveRDS(do.call(cbind, found), paste0(file, ".part"))
      file.rename(paste0(file, ".part"), file)
    }
    readRDS(file)
  })
  message(name, ": ", n, " runs")
  do.call(cbind, unname(parts))
}

se_of <- function(x) stats::sd(x) / sqrt(length(x))

# ---- Plates ----------------------------------------------------------------------------------

plate_sds <- c(0, 1, 3)
# told: all is known beforehand, to see what learning costs; 200 runs.
plate_ways <- c("blocks", "ignored", "blocks, told")

# 12 arms, 8 plates of 6 wells. The n-th well of a plate has the same noise in every way.
plate_run <- function(seed, plate_sd, way) {
  set.seed(seed)
  truth <- stats::rnorm(12)
  effect <- plate_sd * stats::rnorm(8)
  noise <- matrix(stats::rnorm(48, 0, 0.5), 6)
  told <- if (way == "blocks, told") {
    list(prior_mean = 0, prior_sd = 1, noise_sd = 0.5, block_sd = plate_sd)
  }
  x <- do.call(bayesgap, c(list(12, budget = 48, seed = seed), told))
  for (plate in 1:8) {
    todo <- if (way == "ignored") ask(x, 6) else ask(x, 6, block = paste("plate", plate))
    todo$y <- truth[todo$arm] + effect[plate] + noise[seq_len(nrow(todo)), plate]
    x <- tell(x, todo)
  }
  plate_result(x, truth)
}

# The intervals are judged by the arms' means, and by how far these are from their average.
plate_result <- function(x, truth) {
  best <- best_arm(x)
  known <- posterior(x, draws = 2000)
  draws <- as.matrix(stats::simulate(x, 1000, seed = 1))
  draws <- draws - rep(colMeans(draws), each = nrow(draws))
  ends <- apply(draws, 1, stats::quantile, c(0.025, 0.975), names = FALSE)
  apart <- truth - mean(truth)
  c(
    right = truth[best] == max(truth), said = known$p_best[best], regret = max(truth) - truth[best],
    mean = mean(truth >= known$lower & truth <= known$upper),
    apart = mean(apart >= ends[1, ] & apart <= ends[2, ]),
    block_sd = sqrt(x$fit$block2), noise_sd = sqrt(x$fit$noise2[1]), prior_sd = sqrt(x$fit$scale)
  )
}

plate_study <- function() {
  cells <- expand.grid(way = plate_ways, plate_sd = plate_sds, stringsAsFactors = FALSE)
  found <- Map(function(way, plate_sd) {
    name <- sprintf("plates-%s-%g", gsub("[ ,]+", "-", way), plate_sd)
    n <- runs[["plates"]]
    if (way == "blocks, told") {
      n <- min(n, 200L)
    }
    kept_runs(name, n, function(seed) plate_run(seed, plate_sd, way))
  }, cells$way, cells$plate_sd)
  plain <- found[[which(cells$way == "ignored" & cells$plate_sd == 0)]]
  lines <- Map(function(way, plate_sd, x) {
    less <- x["right", ] - plain["right", seq_len(ncol(x))]
    sprintf(
      paste0(
        "| %g | %s | %.3f (%.3f) | %+.3f (%.3f) | %.3f | %+.3f (%.3f) | ",
        "%.3f (%.3f) | %.3f (%.3f) | %.2f | %.2f |"
      ),
      plate_sd, way, mean(x["right", ]), se_of(x["right", ]), mean(less), se_of(less),
      mean(x["said", ]), mean(x["said", ] - x["right", ]), se_of(x["said", ] - x["right", ]),
      mean(x["mean", ]), se_of(x["mean", ]), mean(x["apart", ]), se_of(x["apart", ]),
      mean(x["block_sd", ]), mean(x["noise_sd", ])
    )
  }, cells$way, cells$plate_sd, found)
  c(
    paste0(
      "| plate sd | plates are | right | more than without plates | P(best) said | said - right | ",
      "intervals of means cover | of differences | plate sd in use | noise sd in use |"
    ),
    "|---|---|---|---|---|---|---|---|---|---|", unlist(lines)
  )
}

# ---- Pools -----------------------------------------------------------------------------------

pool_ways <- c("blocks", "ignored", "in order")

# The regret after `budget` fits on the ten splits that draw_run() gives the races of this seed.
# Blocks: they are told, and the run says which. Ignored: a random one that the model has not had
# (when it has had all, from the first again). In order: each model has the splits in the same
# order, which is what cross-validation on fixed folds does, but that is not told.
pool_run <- function(pool, kernel, seed, budget, way) {
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  drawn <- draw_run(pool)
  errors <- drawn$errors[order(drawn$arms), ]
  k <- nrow(errors)
  had <- integer(k)
  turn <- if (way == "ignored") t(replicate(k, sample.int(10L))) else matrix(1:10, k, 10L, TRUE)
  by_block <- function(arm, pull) errors[arm$arm, as.integer(pull$block)]
  by_turn <- function(arm) {
    i <- match(arm$arm, pool$arms$arm)
    had[i] <<- had[i] + 1L
    errors[i, turn[i, (had[i] - 1L) %% 10L + 1L]]
  }
  common <- list(
    pool$arms, budget = budget, kernel = kernel, maximise = FALSE, seed = seed, progress = FALSE
  )
  x <- do.call(bayesgap, c(common, if (way == "blocks") {
    list(objective = by_block, blocks = 10, replace = FALSE)
  } else {
    list(objective = by_turn)
  }))
  regrets_of(pool)[[match(best_arm(x)$arm, pool$arms$arm)]]
}

# Regrets, ways and races by budgets by runs, and the mean fits of the races.
pool_study <- function(name, pool, kernel, budgets, most, n, ways = pool_ways) {
  regret <- array(NA_real_, c(length(ways) + length(rivals), length(most), n))
  dimnames(regret) <- list(c(ways, names(rivals)), most, NULL)
  for (way in ways) {
    for (budget in budgets) {
      label <- sprintf("%s-%s-%d", name, gsub(" ", "-", way), budget)
      found <- kept_runs(label, n, function(seed) {
        c(regret = pool_run(pool, kernel, seed, budget, way))
      })
      regret[way, as.character(budget), ] <- found["regret", ]
    }
  }
  raced <- race_pool(pool, most, n, 10L, rivals)
  regret[names(rivals), , ] <- raced["regret", , , ]
  list(regret = regret, fits = apply(raced["fits", , , ], 1:2, mean))
}

cell_text <- function(x, unit) {
  if (anyNA(x)) "" else sprintf("%.2f (%.2f)", mean(x) / unit, se_of(x) / unit)
}

regret_table <- function(regret, budgets, unit) {
  rows <- dimnames(regret)[[1]]
  some <- rows[apply(!is.na(regret[, as.character(budgets), 1]), 1, any)]
  c(
    paste0("| | ", paste("T =", budgets, collapse = " | "), " |"),
    paste0("|---|", strrep("---|", length(budgets))),
    vapply(some, function(row) {
      cells <- vapply(as.character(budgets), function(b) cell_text(regret[row, b, ], unit), "")
      paste0("| ", row, " | ", paste(cells, collapse = " | "), " |")
    }, "")
  )
}

# The ratio of two mean regrets over the same runs, by the delta method.
ratio_line <- function(regret, budgets, of, to) {
  cells <- vapply(as.character(budgets), function(b) {
    a <- regret[of, b, ]
    d <- regret[to, b, ]
    q <- mean(a) / mean(d)
    sprintf("%.2f (%.2f)", q, stats::sd(a - q * d) / mean(d) / sqrt(length(a)))
  }, "")
  paste0("| ", of, " / ", to, " | ", paste(cells, collapse = " | "), " |")
}

wine_kernel <- k_by(~class, k_se(~ step1 + step2 + step3))

# The fits that a method needs: the least budget at which the mean regret is at or below a target;
# of a race, which may end early, the fits that it used with that budget.
needed_table <- function(study, targets, unit, most) {
  rows <- dimnames(study$regret)[[1]]
  lines <- vapply(rows, function(row) {
    cells <- vapply(targets * unit, function(target) {
      need <- fits_needed(rowMeans(study$regret[row, , ]), most, target)
      if (is.na(need)) {
        "never"
      } else if (row %in% rownames(study$fits)) {
        sprintf("%.0f", study$fits[row, as.character(need)])
      } else {
        sprintf("%d", need)
      }
    }, "")
    paste0("| ", row, " | ", paste(cells, collapse = " | "), " |")
  }, "")
  c(
    paste0("| mean regret at most | ", paste(targets, collapse = " | "), " |"),
    paste0("|---|", strrep("---|", length(targets))), lines
  )
}

# ---- The engine ------------------------------------------------------------------------------

# Seconds that 1,000 pulls of 357 arms in 40 blocks take, prior told: the median of five.
engine_seconds <- function() {
  set.seed(1)
  places <- data.frame(u = 1:357)
  models <- list(
    "independent" = arm_model(357, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, block_sd = 1),
    "correlated (k_se, length scale 5)" = arm_model(
      places, kernel = k_se(~u, lengthscale = 5), prior_mean = 0, prior_sd = 1, noise_sd = 0.5,
      block_sd = 1
    )
  )
  smooth <- stats::filter(stats::rnorm(357 + 20), rep(1, 21) / sqrt(21), sides = 2)[11:367]
  pool <- smooth + rep(stats::rnorm(40), each = 357) + stats::rnorm(357 * 40, 0, 0.5)
  pool <- matrix(pool, 357)
  vapply(models, function(model) {
    problem <- problem_pool(pool, model, blocks = TRUE)
    took <- vapply(1:5, function(seed) {
      system.time(
        benchmark_policies(problem, "bayesgap", 1000, 1, seed = seed, progress = FALSE)
      )[c("user.self", "elapsed")]
    }, double(2))
    apply(took, 1, stats::median)
  }, double(2))
}

# ---- The report ------------------------------------------------------------------------------

short <- c(10L, 20L, 40L, 80L)
most <- c(10L, 20L, 40L, 80L, 160L, 320L)
races_most <- c(most, 480L, 640L, 1000L, 1600L)
# Of a pool: the unit in which regrets are printed, and three targets in it.
goals <- list(
  svm = list(unit = 0.1, name = "$100", targets = c(2, 1, 0.5)),
  nnet = list(unit = 0.01, name = "0.01", targets = c(0.5, 0.3, 0.2))
)

# What is said above every table: to be read again when the numbers change.
says <- list(
  start = c(
    "# Blocks", "",
    "Made by `bench/blocks.R`. Everything is learned unless it says told. All methods meet the",
    "same runs; standard errors are in brackets, those of differences and ratios are of the",
    "paired runs."
  ),
  plates = c(
    "## Plates", "",
    "12 independent arms of sd 1, noise sd 0.5, 8 plates of 6 wells, asked a plate at a time; 1,000",
    "runs (told: 200). Told of the plates, a run is right about as often as one without plate",
    "effects, whatever their sd; ignored, plates of sd 1 cost 0.14 and of sd 3 0.44. P(best) is",
    "said within 0.03 of what is right. Intervals of the means and of differences (an arm less the",
    "average of all) cover 0.93 to 0.95. Eight plates say little of what plates have in common, which",
    "moves all arms alike, and the weak prior about the noise sd draws their sd down (0.87 and 2.5):",
    "certainty goes by a wider one (with the same for both the means were covered in 0.92 of 500 runs",
    "at plate sd 3)."
  ),
  wine = c(
    "## Wine: ten splits", "",
    "Mean RMSE above that of the best model, in 0.001, 400 runs. Blocks: told. Ignored: each fit",
    "on a random split that the model has not had. In order: each model has the splits in the",
    "same order, and that is not told. Told blocks take a third to a half off what is lost when they",
    "are ignored, and lose less than races of random subsets with as many fits (at T = 40 by less",
    "than the standard errors). The first pulls, eight or half of the budget, are of random models:",
    "without them a run met 1.8 of the five classes in ten pulls and took 0.81 of the regret at",
    "T = 10 (100 runs). Up to T = 40 random models on one split do as well: what helps there is to",
    "compare on one split at all. As hardly a model is fitted twice the noise is learned too small",
    "(sd 0.002 at T = 40; it is 0.006 among the good models), so that one split is believed, which",
    "favours whole classes."
  ),
  wine_races = c("Races and grids that need more fits than that, in the same unit:"),
  svm = c(
    "## Fits needed", "",
    "The least budget of 10, 20, 40, 80, 160, 320 (races and grids: 480, 640, 1000, 1600 too) at",
    "which the mean regret of 60 runs is at or below a target; of a race, the fits that it used.",
    "Below them the mean regrets.", "",
    "With the 90 support vector machines 20 fits with blocks do what takes 40 without, 80 what takes",
    "320, and about 300 in a race (at $50, the last target). At T = 10, half of which are random first",
    "pulls, blocks do not help, and at T = 320 all are alike: ten splits do not tell more. Mind that",
    "these are first crossings of means with standard errors: without blocks T = 160 is at 0.52."
  ),
  nnet = c(
    "With the 72 neural networks, whose errors are noisier, blocks halve what is lost at T = 10 and",
    "take a quarter off at T = 20; from T = 40 on the difference is within the standard errors. 160",
    "fits do what takes 320 without (0.17 against 0.20 at 160), and about 360 in a race. At the first",
    "target races of random subsets, and random search on three splits, need as many fits: about 40."
  ),
  engine = c(
    "## The engine", "",
    "1,000 pulls of 357 arms in 40 blocks, prior told, the median of five: under the 0.2 seconds",
    "that were wanted. The processor was shared, so the clock says more than the work took."
  )
)

if (sys.nframe() == 0L) {
  part <- Sys.getenv("PART", "all") # plates, wine, svm, nnet or engine alone: nothing is written
  wanted <- function(name) part %in% c("all", name)
  tables <- list()
  if (wanted("plates")) {
    tables$plates <- plate_study()
  }
  if (wanted("wine")) {
    wine <- pool_study("wine", wine_pool(), wine_kernel, short, races_most, runs[["wine"]])
    tables$wine <- c(
      regret_table(wine$regret, short, 0.001),
      ratio_line(wine$regret, short, "blocks", "ignored"),
      ratio_line(wine$regret, short, "blocks", "in order")
    )
    tables$wine_races <- regret_table(
      wine$regret[names(rivals), , ], races_most[races_most >= 480], 0.001
    )
  }
  for (name in c("svm", "nnet")[c(wanted("svm"), wanted("nnet"))]) {
    pool <- if (name == "svm") svm_pool() else nnet_pool()
    goal <- goals[[name]]
    study <- pool_study(
      name, pool, pool$kernel, most, races_most, runs[["pools"]], c("blocks", "ignored")
    )
    tables[[name]] <- c(
      sprintf("### %s\n\nRegrets in units of %s.\n", pool$label, goal$name),
      needed_table(study, goal$targets, goal$unit, races_most), "",
      regret_table(study$regret, most, goal$unit),
      ratio_line(study$regret, most, "blocks", "ignored")
    )
  }
  if (wanted("engine")) {
    took <- engine_seconds()
    tables$engine <- c(
      "| arms | seconds of the processor | seconds by the clock |", "|---|---|---|",
      sprintf("| %s | %.2f | %.2f |", colnames(took), took["user.self", ], took["elapsed", ])
    )
  }
  if (part == "all") {
    text <- unlist(lapply(names(says), function(name) {
      c(says[[name]], "", if (!is.null(tables[[name]])) c(tables[[name]], ""))
    }))
    writeLines(text[-length(text)], file.path("bench", "BLOCKS.md"))
  } else {
    cat(unlist(tables), sep = "\n")
  }
}
