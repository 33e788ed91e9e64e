# The wine study behind vignette("wine"): which policy finds a good model in few tests?
# From the repository root, with the package installed: Rscript data-raw/wine-study.R
# Writes inst/extdata/wine-study.csv and inst/extdata/wine-allocation.csv. About ten minutes on one
# core; what is finished is kept in build/wine-study/, so that a run that was stopped goes on.
# Remove that folder to start afresh, for instance after a change of the package or of the pool.
library(bayesgap)

folder <- file.path("build", "wine-study")
results <- file.path("inst", "extdata", c("wine-study.csv", "wine-allocation.csv"))
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
dir.create(dirname(results[1]), recursive = TRUE, showWarnings = FALSE)

# ---- What is compared ------------------------------------------------------------------------

eight <- c("bayesgap", "thompson", "ei", "pi", "gpucb", "bayesucb", "kg", "uniform")
# To the letter but for equation 9, which has no value when there are fewer pulls than arms.
as_in_paper <- policy("bayesgap", variant = "paper", reserve = "auto")
policies <- c(lapply(structure(eight, names = eight), policy), list(
  bayesgap_marginal = policy("bayesgap", variant = "marginal"), bayesgap_paper = as_in_paper
))
budgets <- c(10, 20, 40)

# One test of a model: two splits differ by about this much.
noise_sd <- 0.025
spread <- apply(wine_rmse, 1, sd)
stopifnot("noise as in the pool" = abs(median(spread) - noise_sd) < 0.1 * noise_sd)

# From the zero mean, which the paper's figures imply, one thing at a time; then nothing told.
# Where they differ by little there are more runs.
priors <- list(
  zero = list(prior_mean = 0, prior_sd = 1, noise_sd = noise_sd),
  centred = list(prior_mean = 0.75, prior_sd = 1, noise_sd = noise_sd),
  told = list(prior_mean = 0.75, prior_sd = 0.05, noise_sd = noise_sd),
  learned = list()
)
reps <- c(zero = 100, centred = 100, told = 100, learned = 400)
nearby <- k_by(~ class, k_se(~ step1 + step2 + step3, lengthscale = 1 / sqrt(2)))

# ---- One run ---------------------------------------------------------------------------------

# A pull is a random entry of the model's row, with the random numbers of the pull's own.
draw <- function(arm) sample(wine_rmse[arm$arm, ], 1)

# kept: the arm that the policy recommends; tried: the one that has the best posterior mean of
# those that were pulled. Arms are numbers, the rows of wine_models.
one_run <- function(prior, policy, budget, rep) {
  model <- do.call(arm_model, c(list(wine_models, kernel = nearby), priors[[prior]]))
  x <- bayesgap(
    model, draw, budget, maximise = FALSE, policy = policies[[policy]], progress = FALSE, seed = rep
  )
  pulled <- match(as.data.frame(x)$arm, wine_models$arm)
  mean <- predict(x)$mean
  mean[-pulled] <- Inf
  kept <- match(best_arm(x)$arm, wine_models$arm)
  # Of several with the best mean: the one kept, if it is among them.
  tried <- if (kept %in% pulled && mean[kept] == min(mean)) kept else which.min(mean)
  list(kept = kept, tried = tried, pulled = pulled)
}

# All budgets and replications of a policy under a prior.
run_piece <- function(piece) {
  cases <- expand.grid(rep = seq_len(reps[[piece$prior]]), budget = budgets)
  runs <- Map(one_run, piece$prior, piece$policy, cases$budget, cases$rep)
  found <- data.frame(prior = piece$prior, policy = piece$policy, cases)
  found$kept <- vapply(runs, `[[`, 0L, "kept")
  found$tried <- vapply(runs, `[[`, 0L, "tried")
  found$pulled <- lapply(unname(runs), `[[`, "pulled")
  found
}

# ---- Run what is not finished ----------------------------------------------------------------

# Of the processor, which others may use as well.
seconds_so_far <- function() sum(proc.time()[c("user.self", "sys.self")])

# The runs of a piece, and the seconds that they took.
finish <- function(piece) {
  file <- file.path(folder, sprintf("%s-%s.rds", piece$prior, piece$policy))
  if (!file.exists(file)) {
    started <- seconds_so_far()
    found <- run_piece(piece)
    saveRDS(list(found = found, seconds = seconds_so_far() - started), paste0(file, ".part"))
    file.rename(paste0(file, ".part"), file)
  }
  readRDS(file)
}

pieces <- expand.grid(
  policy = names(policies), prior = names(priors), stringsAsFactors = FALSE
)
done <- vector("list", nrow(pieces))
for (i in seq_along(done)) {
  done[[i]] <- finish(pieces[i, ])
  message(sprintf(
    "%2d of %d  %-8s %-15s %4.0f s  %4d runs", i, length(done), pieces$prior[i],
    pieces$policy[i], done[[i]]$seconds, nrow(done[[i]]$found)
  ))
}
found <- do.call(rbind, lapply(done, `[[`, "found"))

# ---- The tables ------------------------------------------------------------------------------

# One row a run of every policy: the arm that it keeps; then, for the zero prior, the one that it
# would keep of those tried.
wide <- function(found, advice) {
  cases <- unique(found[c("prior", "budget", "rep")])
  key <- function(x) paste(x$prior, x$budget, x$rep)
  arms <- lapply(structure(names(policies), names = names(policies)), function(policy) {
    rows <- found[found$policy == policy, ]
    rows[[advice]][match(key(cases), key(rows))]
  })
  data.frame(cases["prior"], advice = advice, cases[c("budget", "rep")], arms)
}
table <- rbind(wide(found, "kept"), wide(found[found$prior == "zero", ], "tried"))
stopifnot("complete" = !anyNA(table), "as many as asked" = nrow(table) == 3 * (sum(reps) + 100))
write.csv(table, results[1], row.names = FALSE, quote = FALSE)

# Over the first hundred runs with the largest budget: how often an arm was pulled, in how many
# runs, and in how many it was kept. Arms that none of it happened to are left out.
allocate <- function(rows) {
  k <- nrow(wine_models)
  counts <- data.frame(
    prior = rows$prior[1], policy = rows$policy[1], arm = seq_len(k),
    pulls = tabulate(unlist(rows$pulled), k),
    runs = tabulate(unlist(lapply(rows$pulled, unique)), k),
    kept = tabulate(rows$kept, k)
  )
  counts[counts$pulls + counts$kept > 0, ]
}
last <- found[found$budget == max(budgets) & found$rep <= 100, ]
last <- last[last$prior == "learned" & last$policy %in% c("bayesgap", "ei", "pi"), ]
parts <- split(last, paste(match(last$prior, names(priors)), match(last$policy, names(policies))))
write.csv(do.call(rbind, lapply(parts, allocate)), results[2], row.names = FALSE, quote = FALSE)

stopifnot("small" = file.size(results) < 150e3)
seconds <- sum(vapply(done, `[[`, 0, "seconds"))
message(sprintf(
  "%s: %d runs, %.1f minutes", paste(results, collapse = ", "), nrow(found), seconds / 60
))
