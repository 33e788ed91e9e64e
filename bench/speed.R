# How fast the engine is: microseconds a round for every policy and size, the paper's traffic
# experiment, many arms, long runs; what people wait for (bench/calls.R); another BLAS and a second
# worker (bench/machine.R); and what other packages need for the same (bench/peers.R). Only ratios
# within one run of this script mean anything. Whatever cannot be had is said to be missing. Under
# ten minutes on two idle cores.
for (name in c("engine", "calls", "machine", "peers")) {
  source(file.path("bench", paste0(name, ".R")))
}

# ---- Rounds ------------------------------------------------------------------------------------

rounds_table <- function(sizes = c(160L, 357L, 1000L, 5000L)) {
  heading("Microseconds a round in the engine (choose, pull, learn), T = 400, smooth prior")
  line("| policy | %s |", paste("K =", sizes, collapse = " | "))
  line("|---|%s|", paste(rep("---", length(sizes)), collapse = "|"))
  for (name in policies()$policy) {
    line("| %s | %s |", name, paste(vapply(sizes, one_cell, "", name = name), collapse = " | "))
  }
  line("")
  line("*: the first few rounds only, while there are few columns; f: from 10 features, which gse")
  line("needs; -: needs more than %d pulls.", most_pulls)
}

most_pulls <- 4000L

# Policies of which 400 rounds take minutes: those that look at all pairs of arms, and draws of the
# maximum at 5,000 arms.
few_rounds <- function(name, k) {
  switch(name,
    kg = if (k >= 5000L) 2L else if (k >= 1000L) 20L else 100L,
    pi_bai = if (k >= 5000L) 1L else if (k >= 1000L) 4L else 100L,
    mes = if (k >= 1000L) 20L else 100L,
    400L
  )
}

# Policies that need too many pulls are left out.
one_cell <- function(k, name) {
  model <- if (name == "gse") known_model(k, features = features_of(k)) else smooth_model(k)
  p <- policy(name)
  rounds <- few_rounds(name, k)
  mark <- if (name == "gse") " f" else if (rounds < 400L) " *" else ""
  tryCatch(
    {
      budget <- fits(model, p, rounds)
      if (budget > most_pulls) "-" else paste0(format(signif(per_round(model, p, budget), 3)), mark)
    },
    bayesgap_error = function(e) "-"
  )
}

fits <- function(model, p, budget) {
  fit <- bayesgap:::first_fit(model)
  least <- .Call(bayesgap:::bg_least, model$prior, fit, p, list(budget, NULL))
  if (is.character(least)) {
    stop(structure(list(message = least, call = NULL),
      class = c("bayesgap_error", "error", "condition")))
  }
  max(budget, least)
}

# ---- The decision alone: an engine without anything to learn (independent arms) ----------------

decision_share <- function() {
  heading("BayesGap round against its decision alone (independent arms: no columns to read)")
  p <- policy("bayesgap")
  for (k in c(357L, 1000L, 5000L)) {
    alone <- per_round(known_model(k), p, 400L, 15L)
    smooth <- per_round(smooth_model(k), p, 400L, 15L)
    rough <- per_round(known_model(k, cov = rough_cov(k)), p, 400L, 15L)
    line(
      "K = %5d: decision %6.2f us, round %6.2f us smooth (%.1fx), %6.2f us rough (%.1fx)",
      k, alone, smooth, smooth / alone, rough, rough / alone
    )
  }
}

# ---- The joint rule ------------------------------------------------------------------------------

matern <- function(r) (1 + sqrt(5) * r + 5 * r^2 / 3) * exp(-sqrt(5) * r)

# 17 x 21 arms on a square with sides of six length scales.
grid_distance <- function() {
  as.matrix(stats::dist(expand.grid(x = seq_len(17L) / 17 * 6, y = seq_len(21L) / 21 * 6)))
}

# A model and worlds drawn from it.
believed <- function(cov, worlds = 8L) {
  set.seed(99)
  e <- eigen(cov, symmetric = TRUE)
  factor <- e$vectors %*% diag(sqrt(pmax(e$values, 0)))
  k <- nrow(cov)
  list(
    model = known_model(k, cov = cov),
    worlds = lapply(seq_len(worlds), function(i) {
      world(drop(factor %*% stats::rnorm(k)), rep(0.5, k))
    })
  )
}

san_jose <- function() {
  problem <- traffic_problem(traffic$speeds, split = 1)
  fit <- bayesgap:::first_fit(problem$model)
  list(
    model = problem$model,
    worlds = lapply(problem$split$truth, function(i) {
      world(unname(traffic$speeds[i, ]), sqrt(fit$noise2))
    })
  )
}

# Microseconds a round of each policy: the quietest timing of each world, one policy after the
# other every time.
alternate <- function(case, policies, runs = 25L, budget = 400L) {
  once <- function(p, truth) {
    set.seed(1)
    start <- Sys.time()
    engine(case$model, p, budget, truth)
    as.numeric(Sys.time() - start, units = "secs")
  }
  quietest <- vapply(case$worlds, function(truth) {
    took <- replicate(runs, vapply(policies, once, 0, truth = truth))
    apply(took, 1L, min)
  }, double(length(policies)))
  1e6 * rowMeans(quietest) / budget
}

joint_share <- function() {
  heading("Joint round over marginal round, T = 400, K = 357 (San Jose: 319), worlds of the prior")
  policies <- lapply(c("marginal", "joint"), function(v) policy("bayesgap", variant = v))
  cases <- list(
    "smooth, 1 dimension" = believed(smooth_cov(357L)),
    "smooth, 2 dimensions" = believed(exp(-grid_distance()^2)),
    "rough" = believed(rough_cov(357L)),
    "Matern grid" = believed(matern(grid_distance())),
    "San Jose" = san_jose()
  )
  line("| prior | marginal, us | joint, us | ratio |")
  line("|---|---|---|---|")
  for (name in names(cases)) {
    us <- alternate(cases[[name]], policies)
    line("| %s | %.2f | %.2f | %.2f |", name, us[1L], us[2L], us[2L] / us[1L])
  }
}

# Runs differ in how many arms they pull, by more than their halves do: the first half is the very run
# that the whole one begins with, from the same random numbers, and there are several of them.
long_run <- function(seeds = 6L, runs = 3L) {
  heading("T = 10,000 pulls of K = 357 arms: second half against the first")
  model <- smooth_model(357L)
  p <- policy("bayesgap")
  truth <- world_of(357L)
  once <- function(seed, budget) {
    set.seed(seed)
    cpu_seconds(engine(model, p, budget, truth))
  }
  mean_round <- function(budget) {
    quietest <- function(seed) min(replicate(runs, once(seed, budget)))
    1e6 * mean(vapply(seq_len(seeds), quietest, 0)) / budget
  }
  half <- mean_round(5000L)
  whole <- mean_round(10000L)
  line("first 5,000: %.2f us a round; second 5,000: %.2f us; ratio %.2f", half,
       2 * whole - half, (2 * whole - half) / half)
}

# What a pull costs late in a very long run is what it cost early.
growing <- function() {
  heading("10 correlated arms, microseconds a pull")
  model <- known_model(10L, cov = smooth_cov(10L))
  for (budget in c(1e5, 1e6, 1e7)) {
    took <- cpu_seconds(engine(model, policy("bayesgap"), as.integer(budget), world_of(10L)))
    line("%11s pulls: %.2f us", format(budget, big.mark = ",", scientific = FALSE),
         1e6 * took / budget)
  }
}

# ---- The paper's traffic experiment --------------------------------------------------------------

traffic_size <- function(reps = 840L, share = 4L) {
  heading(sprintf(
    "The paper's traffic size: K = 357, T = 400, %d replications on one core (%d of them, times %d)",
    reps, reps %/% share, share
  ))
  model <- smooth_model(357L)
  truth <- world_of(357L)
  eight <- c("bayesgap", "ucbe", "ugap", "bayesucb", "gpucb", "thompson", "pi", "ei")
  took <- vapply(eight, function(name) {
    p <- policy(name)
    set.seed(1)
    share * cpu_seconds(for (i in seq_len(reps %/% share)) engine(model, p, 400L, truth))
  }, 0)
  for (name in eight) {
    line("%-10s %6.2f s", name, took[[name]])
  }
  line("%-10s %6.2f s", "all", sum(took))
}

# ---- Many arms ------------------------------------------------------------------------------------

many_arms <- function() {
  heading("K = 100,000 arms from 50 features, T = 400")
  k <- 100000L
  set.seed(1)
  x <- matrix(stats::rnorm(k * 50L), k) / sqrt(50)
  truth <- world(drop(x %*% stats::rnorm(50)), rep(0.5, k))
  model <- known_model(k, features = x)
  took <- cpu_seconds(engine(model, policy("bayesgap"), 400L, truth))
  line("%.2f s; the columns take %.0f MB", took, 8 * k * 400 / 2^20)
}

line("bayesgap %s, R %s, %s", utils::packageVersion("bayesgap"), getRversion(), Sys.Date())
line("BLAS %s; load of the machine %s", blas_name(), machine_load())
parts <- list(
  joint = joint_share, decision = decision_share, rounds = rounds_table, long = long_run,
  growing = growing, traffic = traffic_size, many = many_arms, calls = calls, BLAS = blas_table,
  workers = workers_table, "K = 357" = compare, "K = 1,000" = function() compare(1000L),
  searches = search_table
)
took <- vapply(parts, function(part) seconds(part()), 0)
line("\nAll of it took %.0f s: %s. Load of the machine now %s.", sum(took),
  paste(names(took), round(took), collapse = ", "), machine_load())
