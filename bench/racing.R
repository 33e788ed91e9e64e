# What a pool's best model costs without bayesgap: races, whole-grid cross-validation and random
# search. source() it from the repository root for the functions; run, it writes the mean regret
# of each method on the pools of bench/pools.R to build/racing.csv, half a minute of one core once
# the pools are there.
# RUNS: runs a pool (200); BLOCKS: splits that a run may use (10).
# Needs: e1071, MASS, nnet

# A run is a table of errors, arms by blocks, both in random order: a method sees blocks from the
# left, and its random arms are the first ones. A method takes that table and a number of fits and
# returns c(arm = its row in the table, fits = those used); NA, where it cannot run. Where fits have
# a price, one number an arm, `fits` is what may be spent, and what was.
draw_run <- function(pool, blocks = 10L) {
  arms <- sample.int(nrow(pool$rewards))
  list(arms = arms, errors = pool$rewards[arms, sample.int(ncol(pool$rewards), blocks)])
}

# What is lost by each arm, over all splits of the pool.
regrets_of <- function(pool) {
  means <- rowMeans(pool$rewards)
  means - min(means)
}

# ---- Races -----------------------------------------------------------------------------------

# All arms on `burn_in` blocks, then a block at a time on those that the test leaves. A block that
# not all of them can have is not begun, as in irace: some fits may stay unused.
race <- function(errors, fits, survivors, burn_in = 3L, price = rep(1, nrow(errors))) {
  alive <- seq_len(nrow(errors))
  seen <- burn_in
  used <- burn_in * sum(price)
  if (used > fits || burn_in > ncol(errors)) {
    return(c(arm = NA_integer_, fits = NA_integer_))
  }
  repeat {
    if (length(alive) > 1L) {
      alive <- alive[survivors(errors[alive, seq_len(seen), drop = FALSE])]
    }
    if (length(alive) == 1L || seen == ncol(errors) || used + sum(price[alive]) > fits) {
      break
    }
    seen <- seen + 1L
    used <- used + sum(price[alive])
  }
  means <- rowMeans(errors[alive, seq_len(seen), drop = FALSE])
  c(arm = alive[which.min(means)], fits = used)
}

# The race for budgets that do not cover the grid: as many random arms as have the burn-in and one
# block more each, which is how irace sizes its first race.
subset_race <- function(errors, fits, survivors, burn_in = 3L, price = rep(1, nrow(errors))) {
  first <- seq_len(max(2L, sum(cumsum(price) * (burn_in + 1L) <= fits)))
  race(errors[first, , drop = FALSE], fits, survivors, burn_in, price[first])
}

# The test of finetune::tune_race_anova(): error ~ arm + (1 | block) by REML, and out goes an arm
# whose Wald interval for its difference from the best lies above 0. Its alpha is called one-sided,
# but the interval is two-sided of level 1 - alpha; so it is here. The table is complete, hence
# REML has a closed form: the residual mean square, or, where blocks vary less than that, the mean
# square within arms. finetune's tie-break after ten rounds of two arms cannot come in ten blocks.
anova_survivors <- function(errors, alpha = 0.05) {
  k <- nrow(errors)
  n <- ncol(errors)
  arm <- rowMeans(errors)
  block <- colMeans(errors)
  rest <- sum((errors - outer(arm, block, "+") + mean(arm))^2)
  between <- k * sum((block - mean(block))^2)
  variance <- rest / ((k - 1) * (n - 1))
  if (between / (n - 1) < variance) {
    variance <- (rest + between) / (k * (n - 1))
  }
  kept <- arm - min(arm) < stats::qnorm(1 - alpha / 2) * sqrt(2 * variance / n)
  kept[which.min(arm)] <- TRUE
  kept
}

# The test of irace: Friedman's, and if that finds a difference, out goes an arm whose sum of ranks
# is further from the least than Conover's t allows. Two arms: see pair_survivors().
friedman_survivors <- function(errors, alpha = 0.05) {
  k <- nrow(errors)
  n <- ncol(errors)
  if (k == 2L) {
    return(pair_survivors(errors[1, ], errors[2, ], alpha))
  }
  ranks <- apply(errors, 2, rank)
  total <- rowSums(ranks)
  # Friedman's statistic with ties: their correction is what they take from the sum of squares.
  statistic <- (k - 1) * sum((total - n * (k + 1) / 2)^2) / sum((ranks - (k + 1) / 2)^2)
  p <- stats::pchisq(statistic, k - 1, lower.tail = FALSE)
  if (is.nan(p) || p >= alpha) {
    return(rep(TRUE, k))
  }
  df <- (n - 1) * (k - 1)
  spread <- max(0, 2 * (n * sum(ranks^2) - sum(total^2)) / df)
  total - min(total) <= stats::qt(1 - alpha / 2, df) * sqrt(spread)
}

# One that is nowhere worse wins at once (the first, if they are the same), else Wilcoxon decides.
pair_survivors <- function(a, b, alpha) {
  if (all(a <= b)) {
    return(c(TRUE, FALSE))
  }
  if (all(b <= a)) {
    return(c(FALSE, TRUE))
  }
  # Ties and zeros: the normal approximation, without a word.
  found <- suppressWarnings(stats::wilcox.test(a, b, paired = TRUE))
  if (found$p.value >= alpha) {
    return(c(TRUE, TRUE))
  }
  found <- suppressWarnings(stats::wilcox.test(a, b, paired = TRUE, conf.int = TRUE))
  first <- found$estimate[[1]] <= 0
  c(first, !first)
}

# ---- Without elimination ---------------------------------------------------------------------

# The first `size` arms, all on as many blocks as the fits pay for.
compare <- function(errors, fits, size, price = rep(1, nrow(errors))) {
  each <- sum(price[seq_len(size)])
  blocks <- if (size > 0L) min(ncol(errors), fits %/% each) else 0L
  if (blocks == 0L) {
    return(c(arm = NA_integer_, fits = NA_integer_))
  }
  means <- rowMeans(errors[seq_len(size), seq_len(blocks), drop = FALSE])
  c(arm = which.min(means)[[1]], fits = each * blocks)
}

grid_cv <- function(errors, fits) compare(errors, fits, nrow(errors))

# As many random arms as can have `blocks` blocks each; the whole grid, once that can.
random_search <- function(errors, fits, blocks = ncol(errors), price = rep(1, nrow(errors))) {
  compare(errors, fits, sum(cumsum(price) * blocks <= fits), price)
}

# ---- The study -------------------------------------------------------------------------------

rivals <- list(
  "ANOVA race" = function(errors, fits) race(errors, fits, anova_survivors),
  "Friedman race" = function(errors, fits) race(errors, fits, friedman_survivors),
  # irace's own burn-in
  "Friedman race, burn-in 5" = function(errors, fits) race(errors, fits, friedman_survivors, 5L),
  "ANOVA race, random subset" = function(errors, fits) subset_race(errors, fits, anova_survivors),
  "Friedman race, random subset" = function(errors, fits) {
    subset_race(errors, fits, friedman_survivors)
  },
  "grid CV" = grid_cv,
  "random search, all blocks" = random_search,
  "random search, 3 blocks" = function(errors, fits) random_search(errors, fits, 3L),
  "random search, 1 block" = function(errors, fits) random_search(errors, fits, 1L)
)

# The least number of fits at which the mean regret is at or below a target; NA: never.
# regrets: mean regrets, one a budget, or a matrix, runs by budgets.
fits_needed <- function(regrets, budgets, target) {
  means <- if (is.matrix(regrets)) colMeans(regrets) else regrets
  enough <- budgets[!is.na(means) & means <= target]
  if (length(enough)) min(enough) else NA
}

# Every method at every budget on the same runs: array of (regret, fits) by methods, budgets, runs.
race_pool <- function(pool, budgets, runs, blocks, methods) {
  regret <- regrets_of(pool)
  found <- vapply(seq_len(runs), function(seed) {
    set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
    run <- draw_run(pool, blocks)
    vapply(budgets, function(fits) {
      vapply(methods, function(method) {
        kept <- method(run$errors, fits)
        c(regret[run$arms[kept[["arm"]]]], kept[["fits"]])
      }, double(2), USE.NAMES = FALSE)
    }, matrix(0, 2, length(methods)))
  }, array(0, c(2, length(methods), length(budgets))))
  dimnames(found) <- list(c("regret", "fits"), names(methods), budgets, NULL)
  found
}

race_table <- function(name, found) {
  regret <- found["regret", , , ]
  cells <- expand.grid(
    method = dimnames(found)[[2]], budget = as.integer(dimnames(found)[[3]]),
    stringsAsFactors = FALSE
  )
  runs <- dim(regret)[3]
  data.frame(
    pool = name, cells, runs = runs,
    regret = c(apply(regret, 1:2, mean)), se = c(apply(regret, 1:2, stats::sd)) / sqrt(runs),
    right = c(apply(regret == 0, 1:2, mean)), fits = c(apply(found["fits", , , ], 1:2, mean))
  )
}

if (sys.nframe() == 0L) {
  source(file.path("bench", "pools.R"))
  budgets <- c(10L, 20L, 40L, 80L, 160L, 320L, 480L, 640L, 1000L, 1600L)
  runs <- as.integer(Sys.getenv("RUNS", "200"))
  blocks <- as.integer(Sys.getenv("BLOCKS", "10"))
  all <- pools()
  print(do.call(rbind, lapply(all, parts_of)), digits = 3)
  tables <- lapply(names(all), function(name) {
    started <- proc.time()[["elapsed"]]
    found <- race_pool(all[[name]], budgets, runs, blocks, rivals)
    message(sprintf("%s: %.0f s", name, proc.time()[["elapsed"]] - started))
    cat(sprintf("\n## %s: mean regret\n\n", all[[name]]$label))
    print(signif(apply(found["regret", , , ], 1:2, mean), 3))
    race_table(name, found)
  })
  utils::write.csv(do.call(rbind, tables), file.path("build", "racing.csv"), row.names = FALSE)
}
