# Is bayesgap() good when it is told nothing? Problems drawn from known truths: the mean regret
# with prior mean, prior sd, noise and length scales all learned, against the same policy told
# the truth, and against uniform pulls. Writes the tables that are kept in bench/DEFAULT.md;
# takes a quarter of an hour on two cores. REPS: replications a cell.
library(bayesgap)

reps <- as.integer(Sys.getenv("REPS", "300"))
budgets <- c(20L, 40L, 100L)
ratios <- c(0.1, 1, 3)
scales <- c(1e-6, 1, 1e6)
offsets <- c(0, 100, -100)

grid <- cbind(arm = 1:64, expand.grid(row = 1:8, column = 1:8))
classes <- expand.grid(step = 1:32, class = letters[1:5], stringsAsFactors = FALSE)
classes <- cbind(arm = 1:160, classes)

# told: what the truth is drawn from; untold: what is said when nothing is known of it.
problems <- list(
  "12 independent arms" = list(arms = 12, told = NULL, untold = NULL),
  "8 x 8 grid, smooth" = list(
    arms = grid, told = k_se(~ row + column, lengthscale = c(2, 2)), untold = k_se()
  ),
  "160 arms in five classes" = list(
    arms = classes, told = k_by(~class, k_se(~step, lengthscale = 3)),
    untold = k_by(~class, k_se())
  )
)

truths <- function(problem) {
  k <- if (is.data.frame(problem$arms)) nrow(problem$arms) else problem$arms
  g <- if (is.null(problem$told)) diag(k) else kernel_matrix(problem$told, problem$arms)
  e <- eigen(g, symmetric = TRUE)
  factor <- e$vectors %*% diag(sqrt(pmax(e$values, 0)))
  function(rep) {
    set.seed(rep)
    drop(factor %*% stats::rnorm(k))
  }
}

# One run: its regret in units of the prior sd, its certainty, and its pulls.
run <- function(problem, mu, ratio, budget, seed, how, scale = 1, offset = 0) {
  at <- function(arm) if (is.data.frame(arm)) as.integer(arm$arm) else arm
  objective <- function(arm) scale * (offset + mu[at(arm)] + ratio * stats::rnorm(1))
  args <- list(
    problem$arms, objective, budget, seed = seed,
    policy = if (how == "uniform") "uniform" else "bayesgap",
    kernel = if (how == "told") problem$told else problem$untold
  )
  if (how == "told") {
    args <- c(args, list(
      prior_mean = scale * offset, prior_sd = scale, noise_sd = scale * ratio
    ))
  }
  x <- do.call(bayesgap, args)
  best <- at(best_arm(x))
  c(
    regret = max(mu) - mu[best], right = mu[best] == max(mu),
    p_best = posterior(x, draws = 1000)$p_best[best],
    pulls = sum(as.double(at(as.data.frame(x))) * seq_len(budget))
  )
}

cell <- function(problem, draw, ratio, budget) {
  hows <- c("learned", "told", "uniform")
  found <- parallel::mclapply(seq_len(reps), function(rep) {
    mu <- draw(rep)
    vapply(hows, function(how) run(problem, mu, ratio, budget, rep, how), double(4))
  }, mc.cores = 2L)
  array(unlist(found), c(4, 3, reps), list(names(found[[1]][, 1]), hows, NULL))
}

# The same pulls whatever the scale and the offset? The count of runs compared and of those
# that differed.
invariance <- function(problem, draw, reps = 10L) {
  others <- merge(scales, offsets)
  others <- others[others$x != 1 | others$y != 0, ]
  same <- unlist(lapply(ratios, function(ratio) {
    parallel::mclapply(seq_len(reps), function(rep) {
      mu <- draw(rep)
      plain <- run(problem, mu, ratio, 40L, rep, "learned")[["pulls"]]
      mapply(function(scale, offset) {
        run(problem, mu, ratio, 40L, rep, "learned", scale, offset)[["pulls"]] == plain
      }, others$x, others$y)
    }, mc.cores = 2L)
  }))
  c(compared = length(same), differed = sum(!same))
}

line <- function(...) cat(sprintf(...), sep = "")

for (name in names(problems)) {
  problem <- problems[[name]]
  draw <- truths(problem)
  started <- proc.time()[["elapsed"]]
  line("## %s\n\n", name)
  line("| noise / prior sd | T | learned | told the truth | ratio (95 %% interval) | uniform | ")
  line("P(best) said | right | told: said | right |\n|---|---|---|---|---|---|---|---|---|---|\n")
  for (ratio in ratios) {
    for (budget in budgets) {
      x <- cell(problem, draw, ratio, budget)
      regret <- x["regret", , ]
      m <- rowMeans(regret)
      # The ratio of two means over the same truths, by the delta method
      q <- m[["learned"]] / m[["told"]]
      se <- stats::sd(regret["learned", ] - q * regret["told", ]) / m[["told"]] / sqrt(reps)
      p <- rowMeans(x["p_best", , ])
      right <- rowMeans(x["right", , ])
      line(
        "| %g | %d | %.4f | %.4f | %.2f (%.2f to %.2f) | %.4f | %.2f | %.2f | %.2f | %.2f |\n",
        ratio, budget, m[["learned"]], m[["told"]], q, q - 1.96 * se, q + 1.96 * se,
        m[["uniform"]], p[["learned"]], right[["learned"]], p[["told"]], right[["told"]]
      )
    }
  }
  same <- invariance(problem, draw)
  line(
    "\nScales %s and offsets %s: %d runs compared with scale 1 and offset 0, %d pulled otherwise.\n\n",
    paste(format(scales), collapse = ", "), paste(offsets, collapse = ", "),
    same[["compared"]], same[["differed"]]
  )
  message(sprintf("%s: %.0f s", name, proc.time()[["elapsed"]] - started))
}
