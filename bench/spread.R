# Should a run that learns the level of the rewards begin with arms spread over the space? Prior
# mean, prior sd, noise and length scales all learned: the mean regret with an initial spread
# against the same policy without one, on the same truths; the n-th pull of an arm gives all of
# them the same noise. The spreads that did best for bayesgap meet fresh truths and noise, twice.
# Writes the tables of the section "An initial spread" in bench/DEFAULT.md, which keeps the last
# line of those of other policies. Takes about 35 minutes of one core.
# REPS: runs a cell of bayesgap; other policies make fewer, and with fewer spreads.
library(bayesgap)

reps <- as.integer(Sys.getenv("REPS", "200"))
ratios <- c(0.1, 1)
others <- c("ei", "pi", "kg", "bayesucb", "thompson")

# ---- Problems -----------------------------------------------------------------------------------

# The seeds of a run besides that of its truth: of the noise (1) and of the spread (2).
run_seed <- function(rep, use) use * (if (rep > 1000L) 100000L else 1000L) + rep

# A problem: its arms, the kernel that is said, maximise, the truths and the noise of a run, both
# as functions of its number. All truths are in units of the prior sd but those of the wine.
gaussian_problem <- function(arms, told, untold, ratio) {
  k <- if (is.data.frame(arms)) nrow(arms) else arms
  g <- if (is.null(told)) diag(k) else kernel_matrix(told, arms)
  e <- eigen(g, symmetric = TRUE)
  factor <- e$vectors %*% diag(sqrt(pmax(e$values, 0)))
  list(
    arms = arms, names = seq_len(k), columns = setdiff(names(arms), "arm"), kernel = untold, k = k,
    maximise = TRUE,
    truth = function(rep) {
      set.seed(rep)
      drop(factor %*% stats::rnorm(k))
    },
    noise = function(rep, mu, most) {
      set.seed(run_seed(rep, 1L))
      matrix(ratio * stats::rnorm(k * most), k)
    }
  )
}

wine_problem <- function() {
  k <- nrow(wine_models)
  list(
    arms = wine_models, names = wine_models$arm, k = k, maximise = FALSE,
    columns = c("class", "step1", "step2", "step3"),
    kernel = k_by(~class, k_se(~ step1 + step2 + step3)), truth = function(rep) rowMeans(wine_rmse),
    noise = function(rep, mu, most) {
      set.seed(run_seed(rep, 1L))
      t(apply(wine_rmse, 1L, sample, most, replace = TRUE)) - mu
    }
  )
}

grid <- cbind(arm = 1:64, expand.grid(row = 1:8, column = 1:8))
classes <- expand.grid(step = 1:32, class = letters[1:5], stringsAsFactors = FALSE)
classes <- cbind(arm = 1:160, classes)
problems <- list(
  "12 independent arms" = function(ratio) gaussian_problem(12L, NULL, NULL, ratio),
  "8 x 8 grid, smooth" = function(ratio) {
    gaussian_problem(grid, k_se(~ row + column, lengthscale = c(2, 2)), k_se(), ratio)
  },
  "160 arms in five classes" = function(ratio) {
    told <- k_by(~class, k_se(~step, lengthscale = 3))
    gaussian_problem(classes, told, k_by(~class, k_se()), ratio)
  }
)

# ---- Spreads ------------------------------------------------------------------------------------

# Of all that are equally good, one at random.
pick <- function(value) {
  best <- which(value >= max(value) - 1e-9)
  best[sample.int(length(best), 1L)]
}

# n arms, each the one with the largest posterior variance given those before ("variance"), or the
# one that takes the most off the variances of all ("total"), by the kernel where learning starts.
by_prior <- function(problem, n, total) {
  v <- if (is.null(problem$kernel)) diag(problem$k) else start_cov(problem)
  found <- integer()
  while (length(found) < n) {
    s2 <- diag(v) + 0.1
    i <- pick(if (total) colSums(v^2) / s2 else diag(v))
    v <- v - tcrossprod(v[, i]) / s2[i]
    found <- c(found, i)
  }
  found
}

start_cov <- function(problem) unname(kernel_matrix(problem$kernel, problem$arms))

# n arms, each the farthest from those before: columns are standardised, and another class is as
# far as two standard deviations.
by_distance <- function(problem, n) {
  if (is.null(problem$kernel)) {
    return(by_prior(problem, n, FALSE))
  }
  x <- problem$arms[problem$columns]
  numbers <- vapply(x, is.numeric, TRUE)
  d2 <- as.matrix(stats::dist(scale(as.matrix(x[numbers]))))^2
  for (class in x[!numbers]) {
    d2 <- d2 + 4 * outer(class, class, "!=")
  }
  found <- sample.int(problem$k, 1L)
  while (length(found) < n) {
    found <- c(found, pick(apply(d2[, found, drop = FALSE], 1L, min)))
  }
  found
}

five <- function(budget) min(5L, budget %/% 4L)
spreads <- list(
  none = function(problem, budget) integer(),
  "maximin, 5" = function(problem, budget) by_distance(problem, five(budget)),
  "variance, 3" = function(problem, budget) by_prior(problem, 3L, FALSE),
  "variance, 5" = function(problem, budget) by_prior(problem, five(budget), FALSE),
  "variance, sqrt(T)" = function(problem, budget) {
    by_prior(problem, ceiling(sqrt(budget)), FALSE)
  },
  "total, 5" = function(problem, budget) by_prior(problem, five(budget), TRUE)
)

# ---- Runs ---------------------------------------------------------------------------------------

# init: the names of the arms that are pulled first.
regret <- function(problem, policy, init, budget, rep) {
  mu <- problem$truth(rep)
  noise <- problem$noise(rep, mu, budget)
  pulls <- integer(problem$k)
  at <- function(arm) if (is.data.frame(arm)) match(arm$arm, problem$names) else arm
  objective <- function(arm) {
    i <- at(arm)
    pulls[i] <<- pulls[i] + 1L
    mu[i] + noise[i, pulls[i]]
  }
  x <- bayesgap(
    problem$arms, objective, budget, kernel = problem$kernel, maximise = problem$maximise,
    policy = policy, init = if (length(init)) init, progress = FALSE, seed = rep
  )
  sign <- if (problem$maximise) 1 else -1
  max(sign * mu) - sign * mu[at(best_arm(x))]
}

# Runs by spreads. Spreads that are the same arms are run once.
run_cell <- function(cell, runs, some) {
  problem <- if (cell$problem == "wine pool") {
    wine_problem()
  } else {
    problems[[cell$problem]](cell$ratio)
  }
  found <- vapply(runs, function(rep) {
    inits <- lapply(spreads[some], function(spread) {
      set.seed(run_seed(rep, 2L))
      problem$names[spread(problem, cell$budget)]
    })
    each <- unique(inits)
    value <- vapply(each, function(init) {
      regret(problem, cell$policy, init, cell$budget, rep)
    }, 0)
    value[match(inits, each)]
  }, double(length(some)))
  structure(t(found), dimnames = list(NULL, some))
}

cells_of <- function(policy, budgets, some = names(problems), wine = TRUE) {
  cells <- expand.grid(
    budget = budgets, ratio = ratios, problem = some, policy = policy, stringsAsFactors = FALSE
  )
  pool <- data.frame(budget = c(10L, 20L, 40L), ratio = NA, problem = "wine pool", policy = policy)
  rbind(cells, if (wine) pool)
}

# ---- Tables -------------------------------------------------------------------------------------

line <- function(...) cat(sprintf(...), sep = "")

# The mean of the differences to no spread, and its interval; bold where that is without 0.
difference <- function(x, spread) {
  d <- x[, spread] - x[, "none"]
  half <- 1.96 * stats::sd(d) / sqrt(length(d))
  text <- sprintf("%+.4f (%+.4f to %+.4f)", mean(d), mean(d) - half, mean(d) + half)
  if (abs(mean(d)) > half) paste0("**", text, "**") else text
}

# The geometric mean over cells of the ratio of mean regrets, its interval by the delta method,
# and in how many cells the spread is better and worse by more than chance.
overall <- function(found, spread) {
  parts <- vapply(found, function(x) {
    m <- colMeans(x)
    q <- m[[spread]] / m[["none"]]
    d <- x[, spread] - x[, "none"]
    error <- stats::sd(d) / sqrt(nrow(x))
    c(
      log(q), stats::var(x[, spread] / m[[spread]] - x[, "none"] / m[["none"]]) / nrow(x),
      mean(d) < -1.96 * error, mean(d) > 1.96 * error
    )
  }, double(4))
  centre <- mean(parts[1, ])
  half <- 1.96 * sqrt(sum(parts[2, ])) / ncol(parts)
  sprintf(
    "%.2f (%.2f to %.2f); %d, %d", exp(centre), exp(centre - half), exp(centre + half),
    sum(parts[3, ]), sum(parts[4, ])
  )
}

# wine_runs: runs of the wine pool, if others than of the rest.
report <- function(title, cells, runs, some, wine_runs = runs) {
  started <- proc.time()[["elapsed"]]
  shown <- setdiff(some, "none")
  line("\n### %s\n\n| problem | noise | T | none | %s |\n", title, paste(shown, collapse = " | "))
  line("|%s\n", strrep("---|", 4 + length(shown)))
  found <- list()
  for (i in seq_len(nrow(cells))) {
    wine <- cells$problem[i] == "wine pool"
    found[[i]] <- run_cell(cells[i, ], if (wine) wine_runs else runs, some)
    line(
      "| %s | %s | %d | %.4f | %s |\n", cells$problem[i],
      if (wine) "pool" else format(cells$ratio[i]), cells$budget[i],
      mean(found[[i]][, "none"]),
      paste(vapply(shown, difference, "", x = found[[i]]), collapse = " | ")
    )
  }
  line(
    "| all cells: ratio; better, worse | | | | %s |\n",
    paste(vapply(shown, overall, "", found = found), collapse = " | ")
  )
  message(sprintf("%s: %.0f s", title, proc.time()[["elapsed"]] - started))
}

report("bayesgap", cells_of("bayesgap", c(20L, 40L, 100L)), seq_len(reps), names(spreads))

# Runs that no spread was chosen by
correlated <- names(problems)[2:3]
report(
  "bayesgap, fresh runs", cells_of("bayesgap", c(20L, 40L), correlated, wine = FALSE),
  1000L + seq_len(2L * reps), c("none", "variance, 5", "total, 5")
)
report(
  "bayesgap, fresh runs again", cells_of("bayesgap", c(20L, 40L), correlated),
  2000L + seq_len(3L * reps), c("none", "variance, 5"), 2000L + seq_len(reps)
)

for (policy in others) {
  report(
    policy, cells_of(policy, c(20L, 40L)), seq_len(max(2, ceiling(0.4 * reps))),
    c("none", "maximin, 5", "variance, 5", "total, 5")
  )
}
