# How fast the engine is: microseconds per round for every policy and size, the paper's
# traffic experiment, many arms, long runs, the same rounds by other means, and what people wait for
# (bench/calls.R). Only ratios
# within one run of this script mean anything. Needs R packages for comparison, where they
# can be had. Under ten minutes on two cores.
# Needs: laGP, hetGP, DiceKriging
library(bayesgap)
source(file.path("bench", "calls.R"))

seconds <- function(code) {
  gc(FALSE)
  system.time(code)[["elapsed"]]
}

line <- function(...) cat(sprintf(...), "\n", sep = "")

heading <- function(text) cat("\n## ", text, "\n\n", sep = "")

# ---- Problems -------------------------------------------------------------------------------

place <- function(k) seq_len(k) / k * 20
smooth_cov <- function(k) exp(-outer(place(k), place(k), "-")^2)
rough_cov <- function(k) exp(-5 * abs(outer(place(k), place(k), "-")))

known_model <- function(k, ...) {
  arm_model(k, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, ...)
}

# Made once: the factor of 5,000 arms' covariance takes ten seconds.
made <- new.env()
smooth_model <- function(k) {
  name <- as.character(k)
  if (is.null(made[[name]])) {
    made[[name]] <- known_model(k, cov = smooth_cov(k))
  }
  made[[name]]
}

# One run in the C engine, from the session's generator.
engine <- function(model, policy, budget, world) {
  fit <- bayesgap:::first_fit(model)
  .Call(bayesgap:::bg_run, model$prior, fit, policy, list(budget, NULL), world, budget)
}

# Gaussian rewards about these means.
world <- function(means, noise_sd) list(means, noise_sd, NULL, list("gaussian", 1, 1))

world_of <- function(k) world(sin(place(k)) + place(k) / 20, rep(0.5, k))

# Microseconds a round: the quietest of several timings.
per_round <- function(model, policy, budget, runs = 5L) {
  truth <- world_of(length(model$prior$diagonal))
  set.seed(1)
  once <- function(times) seconds(for (i in seq_len(times)) engine(model, policy, budget, truth))
  first <- once(1L)
  if (first > 1) {
    return(1e6 * first / budget)
  }
  times <- max(1L, ceiling(0.05 / max(first, 1e-4))) # the clock ticks in milliseconds
  1e6 * min(vapply(seq_len(runs), function(i) once(times), 0)) / times / budget
}

# ---- Rounds ------------------------------------------------------------------------------------

features_of <- function(k, d = 10L) {
  set.seed(1)
  matrix(stats::rnorm(k * d), k) / sqrt(d)
}

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

long_run <- function() {
  heading("T = 10,000 pulls of K = 357 arms: second half against the first")
  model <- smooth_model(357L)
  p <- policy("bayesgap")
  half <- per_round(model, p, 5000L, 3L)
  whole <- per_round(model, p, 10000L, 3L)
  line("first 5,000: %.2f us a round; second 5,000: %.2f us; ratio %.2f", half,
       2 * whole - half, (2 * whole - half) / half)
}

# What a pull costs late in a very long run is what it cost early.
growing <- function() {
  heading("10 correlated arms, microseconds a pull")
  model <- known_model(10L, cov = smooth_cov(10L))
  for (budget in c(1e5, 1e6, 1e7)) {
    took <- seconds(engine(model, policy("bayesgap"), as.integer(budget), world_of(10L)))
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
    share * seconds(for (i in seq_len(reps %/% share)) engine(model, p, 400L, truth))
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
  took <- seconds(engine(model, policy("bayesgap"), 400L, truth))
  line("%.2f s; the columns take %.0f MB", took, 8 * k * 400 / 2^20)
}

# ---- By other means --------------------------------------------------------------------------------

# BayesGap by vectorised R with a dense rank-one update.
r_rounds <- function(k, rounds, cov) {
  mean <- numeric(k)
  truth <- world_of(k)[[1L]]
  noise2 <- 0.25
  others <- function(x) {
    top <- which.max(x)
    out <- rep(x[top], length(x))
    out[top] <- max(x[-top])
    out
  }
  set.seed(1)
  seconds(for (t in seq_len(rounds)) {
    sd <- sqrt(diag(cov))
    u3 <- mean + 3 * sd
    l3 <- mean - 3 * sd
    delta <- pmax(others(u3) - l3, u3 - others(l3))
    beta <- sqrt((k / noise2 + k) / (4 * sum((delta / 2)^-2)))
    u <- mean + beta * sd
    b <- others(u) - (mean - beta * sd)
    leader <- which.min(b)
    u[leader] <- -Inf
    rival <- which.max(u)
    arm <- if (sd[rival] > sd[leader]) rival else leader
    y <- truth[arm] + stats::rnorm(1, sd = 0.5)
    g <- cov[, arm]
    d <- g[arm] + noise2
    mean <- mean + g * (y - mean[arm]) / d
    cov <- cov - tcrossprod(g) / d
  }) / rounds * 1e6
}

# A round by a Gaussian process package: learn one observation, predict all arms.
peer_rounds <- list(
  laGP = function(x, first, y, rounds) {
    gp <- laGP::newGP(x[first, , drop = FALSE], y[seq_along(first)], 1, 0.25)
    on.exit(laGP::deleteGP(gp))
    for (t in seq_len(rounds)) {
      arm <- 1L + (t * 37L) %% nrow(x)
      laGP::updateGP(gp, x[arm, , drop = FALSE], y[length(first) + t])
      laGP::predGP(gp, x, lite = TRUE)
    }
  },
  hetGP = function(x, first, y, rounds) {
    fit <- hetGP::mleHomGP(x[first, , drop = FALSE], y[seq_along(first)],
      known = list(theta = 1, g = 0.25, beta0 = 0))
    for (t in seq_len(rounds)) {
      arm <- 1L + (t * 37L) %% nrow(x)
      fit <- stats::update(fit, Xnew = x[arm, , drop = FALSE], Znew = y[length(first) + t],
        maxit = 0)
      stats::predict(fit, x)
    }
  },
  DiceKriging = function(x, first, y, rounds) {
    fit <- DiceKriging::km(~1, data.frame(x = x[first, ]), y[seq_along(first)],
      covtype = "gauss", coef.trend = 0, coef.cov = 0.7, coef.var = 1,
      noise.var = rep(0.25, length(first)))
    for (t in seq_len(rounds)) {
      arm <- 1L + (t * 37L) %% nrow(x)
      fit <- DiceKriging::update(fit, newX = matrix(x[arm, ], 1, dimnames = list(NULL, "x")),
        newy = y[length(first) + t], newnoise.var = 0.25, cov.reestim = FALSE,
        trend.reestim = FALSE)
      DiceKriging::predict(fit, data.frame(x = x[, 1]), "SK", checkNames = FALSE,
        light.return = TRUE)
    }
  }
)

compare <- function(k = 357L, rounds = 60L) {
  heading(sprintf("One round at K = %d by other means, as a multiple of ours", k))
  ours <- per_round(smooth_model(k), policy("bayesgap"), 400L, 15L)
  line("%-28s %9.2f us", "this engine", ours)
  show <- function(label, us) line("%-28s %9.0f us  %7.0fx", label, us, us / ours)
  show("vectorised R, rank-one", r_rounds(k, 100L, smooth_cov(k)))
  x <- matrix(place(k))
  first <- round(seq(1, k, length.out = 200))
  set.seed(1)
  y <- stats::rnorm(length(first) + rounds)
  for (name in names(peer_rounds)) {
    if (!requireNamespace(name, quietly = TRUE)) {
      line("%-28s not installed", name)
      next
    }
    took <- tryCatch(
      seconds(peer_rounds[[name]](x, first, y, rounds)) / rounds * 1e6,
      error = function(e) NA
    )
    show(paste(name, "(200 observations)"), took)
  }
}

# The folder tells the reference BLAS from others, which share its file's name.
blas_name <- function() {
  file <- normalizePath(sessionInfo()$BLAS)
  file.path(basename(dirname(file)), basename(file))
}

line("bayesgap %s, R %s, %s", utils::packageVersion("bayesgap"), getRversion(), Sys.Date())
line("BLAS %s", blas_name())
parts <- list(
  joint_share, decision_share, rounds_table, long_run, growing, traffic_size, many_arms, calls,
  compare, function() compare(1000L)
)
took <- vapply(parts, function(part) seconds(part()), 0)
line("\nAll of it took %.0f s (%s).", sum(took), paste(round(took), collapse = " + "))
