# What others do: the same rounds by other R packages, and the same search from beginning to end by
# packages for Bayesian optimisation, with what each recommends. bench/speed.R runs it.
# PEER_WORLDS: worlds in which they search (5; bench/RESULTS.md has 10, which take twice as long).
# Needs: laGP, hetGP, DiceKriging, ranger
# What ParBayesianOptimization uses and CRAN has for newer versions of R and ggplot2 only:
# Needs: dbscan, patchwork
# From CRAN: ParBayesianOptimization, checkmate, mlr3mbo, mlr3learners, rgenoud

# ---- One round ---------------------------------------------------------------------------------

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
  cpu_seconds(for (t in seq_len(rounds)) {
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
  # What R does here is the marginal rule.
  marginal <- per_round(smooth_model(k), policy("bayesgap", variant = "marginal"), 400L, 15L)
  line("%-28s %9.2f us", "this engine", ours)
  line("%-28s %9.2f us", "its marginal rule", marginal)
  show <- function(label, us, by = ours) line("%-28s %9.0f us  %7.0fx", label, us, us / by)
  show("vectorised R, rank-one", r_rounds(k, 100L, smooth_cov(k)), marginal)
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
      cpu_seconds(peer_rounds[[name]](x, first, y, rounds)) / rounds * 1e6,
      error = function(e) NA
    )
    show(paste(name, "(200 observations)"), took)
  }
}

# ---- A whole search ----------------------------------------------------------------------------

search_budget <- 40L
search_noise <- 0.5
search_grid <- expand.grid(row = 1:8, column = 1:8)
arm_at <- function(row, column) as.integer(round(row) + 8 * (round(column) - 1))

# A world is a smooth surface over 64 arms. The first trial of an arm has one noise, the second
# another, the same for whoever makes them.
search_world <- function(seed) {
  set.seed(seed)
  cov <- kernel_matrix(k_se(~ row + column, lengthscale = c(2, 2)), search_grid)
  e <- eigen(cov, symmetric = TRUE)
  mean <- drop(e$vectors %*% (sqrt(pmax(e$values, 0)) * stats::rnorm(64L)))
  noise <- matrix(stats::rnorm(64L * search_budget, sd = search_noise), 64L)
  made <- integer(64L)
  list(
    mean = mean,
    made = function() made,
    trial = function(row, column) {
      arm <- arm_at(row, column)
      made[arm] <<- made[arm] + 1L
      mean[arm] + noise[arm, made[arm]]
    }
  )
}

# Each returns the arms that it recommends, by the rules that it offers, and is called as its own
# pages tell, with its defaults but for two things. The others search the square about the grid, and
# what they ask for is rounded, so that they can try an arm again: told that both dials are whole
# numbers, ParBayesianOptimization stops when its next arm was tried before, and the search of
# mlr3mbo for its next arm fails, so that it takes one at random. And ParBayesianOptimization looks
# for its next arm from 10 starts instead of 100, which take minutes a search.
square <- c(0.51, 8.49)
searches <- list(
  bayesgap = function(world) {
    trial <- function(arm) world$trial(arm$row, arm$column)
    x <- bayesgap(search_grid, trial, search_budget, kernel = k_se(), seed = 1, progress = FALSE)
    best <- best_arm(x)
    c("highest posterior mean" = arm_at(best$row, best$column))
  },
  ParBayesianOptimization = function(world) {
    x <- ParBayesianOptimization::bayesOpt(
      function(row, column) list(Score = world$trial(row, column)),
      bounds = list(row = square, column = square), initPoints = 4L, iters.n = search_budget - 4L,
      gsPoints = 10L, verbose = 0
    )
    best <- ParBayesianOptimization::getBestPars(x)
    c("best observed" = arm_at(best$row, best$column))
  },
  mlr3mbo = function(world) {
    dial <- paradox::p_dbl(square[1L], square[2L])
    objective <- bbotk::ObjectiveRFun$new(
      function(xs) list(y = world$trial(xs$row, xs$column)),
      domain = paradox::ps(row = dial, column = dial),
      codomain = paradox::ps(y = paradox::p_dbl(tags = "maximize")), properties = "noisy"
    )
    instance <- bbotk::OptimInstanceBatchSingleCrit$new(
      objective, terminator = bbotk::trm("evals", n_evals = search_budget)
    )
    bbotk::opt("mbo")$optimize(instance)
    observed <- instance$result
    # What its pages advise where there is noise.
    mlr3mbo::ResultAssignerSurrogate$new()$assign_result(instance)
    c(
      "best observed" = arm_at(observed$row, observed$column),
      "surrogate's best mean" = arm_at(instance$result$row, instance$result$column)
    )
  }
)

# What a package needs besides itself.
search_needs <- list(mlr3mbo = c("mlr3learners", "DiceKriging", "rgenoud", "ranger"))

# One search: its processor time, its trials, the arms among them, and what is lost by each rule.
search_once <- function(name, seed) {
  world <- search_world(seed)
  set.seed(seed)
  took <- cpu_seconds(arms <- suppressWarnings(searches[[name]](world)))
  made <- world$made()
  list(
    seconds = took, trials = sum(made), arms = sum(made > 0L),
    regret = max(world$mean) - vapply(arms, function(arm) world$mean[arm], 0)
  )
}

# All searches of one package in a session of its own; NULL where it cannot be loaded. What it loads
# is not timed, and no other package makes its garbage collections longer: ParBayesianOptimization
# has two a trial.
search_all <- function(name, worlds) {
  loads <- function(package) suppressWarnings(requireNamespace(package, quietly = TRUE))
  if (!all(vapply(c(name, search_needs[[name]]), loads, NA))) {
    return(NULL)
  }
  if (name == "mlr3mbo") {
    lgr::get_logger("mlr3")$set_threshold("error")
  }
  lapply(seq_len(worlds), search_once, name = name)
}

# One package: a row for each way to recommend.
search_rows <- function(name, found, ours) {
  column <- function(what) vapply(found, `[[`, 0, what)
  regret <- do.call(rbind, lapply(found, `[[`, "regret"))
  took <- stats::median(column("seconds"))
  for (rule in colnames(regret)) {
    lost <- regret[, rule]
    line("| %s | %s | %.3f (%.3f) | %.0f %% | %.1f | %.1f | %.2f | %.0f |", name, rule, mean(lost),
      stats::sd(lost) / sqrt(length(lost)), 100 * mean(lost == 0), mean(column("trials")),
      mean(column("arms")), took, took / ours)
  }
}

search_table <- function(worlds = as.integer(Sys.getenv("PEER_WORLDS", "5"))) {
  heading(sprintf("64 arms on a grid, %d trials with noise %g of the prior sd, %d worlds",
    search_budget, search_noise, worlds))
  library <- system2("Rscript", c(file.path("tools", "cran-library.R"), "peers"), stdout = TRUE)
  sessions <- session(c("engine.R", "peers.R"), sessions = length(searches),
    R_LIBS = paste(library, Sys.getenv("R_LIBS"), sep = .Platform$path.sep))
  on.exit(parallel::stopCluster(sessions))
  found <- parallel::clusterApply(sessions, names(searches), search_all, worlds)
  names(found) <- names(searches)
  for (name in names(searches)[lengths(found) == 0L]) {
    line("%s: not installed, or not all that it needs", name)
  }
  line("| package | recommends | mean regret (se) | best arm | trials | arms | s | times ours |")
  line("|---|---|---|---|---|---|---|---|")
  ours <- stats::median(vapply(found$bayesgap, `[[`, 0, "seconds"))
  for (name in names(searches)[lengths(found) > 0L]) {
    search_rows(name, found[[name]], ours)
  }
}
