# The traffic study behind vignette("traffic"): which policy finds the fastest sensor?
# From the repository root, with the package installed: Rscript data-raw/traffic-study.R
# Writes inst/extdata/traffic-study.csv. Less than half an hour on one core; what is finished is kept
# in build/traffic-study/, so that a run that was stopped goes on. Remove that folder to start
# afresh, for instance after a change of the package.
library(bayesgap)

folder <- file.path("build", "traffic-study")
result <- file.path("inst", "extdata", "traffic-study.csv")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
dir.create(dirname(result), recursive = TRUE, showWarnings = FALSE)

# ---- What is compared ------------------------------------------------------------------------

# The paper's eight, and later ones. Sequential halving would need 2,871 pulls of 319 arms and
# generalised successive elimination arms with features: both are refused.
eight <- c("bayesgap", "ucbe", "ugap", "bayesucb", "gpucb", "thompson", "pi", "ei")
later <- c("bayes_ucbe", "rejects", "uniform")
# A run of these takes as long as thirty to three hundred of the others: they get fewer.
slow <- c("ttts", "mes", "kg")
# These pull every arm once and are refused when there are fewer pulls than arms.
each_once <- c("ucbe", "ugap", "rejects")
six <- c("bayesgap", "ei", "gpucb", "ucbe", "ugap", "thompson")
# The best of several fixed explorations, in hindsight: what these two can do at most.
tuned <- list(ucbe_tuned = policy("ucbe", a = 0.5), ugap_tuned = policy("ugap", a = 1))
# BayesGap with bounds of single arms: ours, and the paper's to the letter.
marginal <- list(bayesgap_marginal = policy("bayesgap", variant = "marginal"))
to_the_letter <- c(marginal, list(bayesgap_paper = policy("bayesgap", variant = "paper")))

# Nine truths a split: 94 splits are 846 runs, 20 are 180.
splits <- list(all = seq_len(94), few = seq_len(20))
most <- 400
budgets <- c(50, 100, 200, most)
corridor_slow_reps <- 60

settings <- expand.grid(
  shrink = c(TRUE, FALSE), prior_mean = c("history", "0"), prior_sd = c(1, 20),
  stringsAsFactors = FALSE
)
shipped <- list(shrink = TRUE, prior_mean = "history", prior_sd = 1)
unshrunk <- list(shrink = FALSE, prior_mean = "history", prior_sd = 1)
literal <- list(shrink = FALSE, prior_mean = "0", prior_sd = 20)
# As if the data had been centred, of which the paper says nothing.
centred <- list(shrink = FALSE, prior_mean = "history", prior_sd = 20)

same <- function(a, b) all(unlist(a) == unlist(b))

# ---- One piece of the study ------------------------------------------------------------------

problem_of <- function(speeds, split, setting) {
  mean <- setting$prior_mean
  traffic_problem(
    speeds, split = split, shrink = setting$shrink,
    prior_mean = if (mean == "history") mean else as.numeric(mean),
    prior_sd = setting$prior_sd
  )
}

# Every truth of every split once (or the first `reps` of them). The seed of a split differs
# from that of its runs, so that these do not start with the numbers that split it.
run_piece <- function(piece) {
  several <- length(piece$splits) > 1
  bar <- if (several) txtProgressBar(0, length(piece$splits), style = 3, file = stderr())
  parts <- lapply(seq_along(piece$splits), function(i) {
    split <- piece$splits[[i]]
    problem <- problem_of(piece$speeds, split, piece$setting)
    reps <- min(piece$reps, length(problem$split$truth))
    found <- benchmark_policies(
      problem, piece$policies, piece$budget, reps, seed = 10000 + split[1], progress = !several
    )
    if (several) setTxtProgressBar(bar, i)
    found$group <- piece$group[problem$split$truth[found$rep]]
    found
  })
  if (several) close(bar)
  do.call(rbind, parts)
}

# Wilson's interval takes all runs for independent. Runs on one occasion, or on one day of the
# corridor, are not: beside it stands the standard error from the means of these groups.
summarise <- function(found, piece) {
  table <- as.data.frame(unclass(summary(found)))
  key <- function(x) paste(x$policy, x$budget)
  by_group <- tapply(found$error, list(key(found), found$group), mean)[key(table), , drop = FALSE]
  groups <- rowSums(!is.na(by_group))
  data.frame(
    study = piece$study, piece$setting, table[c("policy", "budget", "n")],
    errors = round(table$n * table$p_error), table[c("p_error", "p_lower", "p_upper")],
    groups = groups, se_groups = apply(by_group, 1, sd, na.rm = TRUE) / sqrt(groups),
    table[c("regret", "regret_lower", "regret_upper")]
  )
}

# ---- The pieces ------------------------------------------------------------------------------

san_jose <- function(name, setting, policies, budget, which = "all") {
  list(
    name = name, study = "san_jose", speeds = traffic$speeds, setting = setting,
    policies = policies, budget = budget, splits = splits[[which]], reps = Inf,
    group = seq_len(nrow(traffic$speeds))
  )
}

san_jose_pieces <- function() {
  pieces <- list(
    san_jose("policies", shipped, c(as.list(c(eight, later)), to_the_letter), most),
    san_jose("tuned", shipped, tuned, most),
    san_jose(
      "curves", shipped, c(as.list(setdiff(c(eight, later), each_once)), marginal),
      setdiff(budgets, most)
    )
  )
  # One piece each, for these take minutes; and beside them BayesGap in the very same runs.
  for (name in slow) {
    pieces <- c(pieces, list(san_jose(name, shipped, name, budgets, "few")))
  }
  beside <- san_jose("beside", shipped, "bayesgap", budgets, "few")
  beside$study <- "san_jose_few"
  pieces <- c(pieces, list(beside))
  for (i in seq_len(nrow(settings))) {
    setting <- as.list(settings[i, ])
    policies <- if (same(setting, literal)) c(as.list(eight), to_the_letter) else c(as.list(six), marginal)
    if (!same(setting, shipped)) {
      pieces <- c(pieces, list(san_jose(sprintf("setting-%d", i), setting, policies, most)))
    }
  }
  pieces
}

# The paper's sizes: 357 sensors, 2,520 signals, of which 840 are truths. By day: the last seven
# days are the truths, so that no truth has its own morning in the history.
corridor_pieces <- function() {
  speeds <- simulate_corridor(seed = 1)
  day <- attr(speeds, "occasions")$day
  by_day <- which(day <= 14)
  piece <- function(name, study, setting, policies, split, reps = Inf) {
    list(
      name = name, study = study, speeds = speeds, setting = setting, policies = policies,
      budget = most, splits = list(split), reps = reps, group = day
    )
  }
  all <- c(as.list(c(eight, later)), to_the_letter)
  pieces <- list(
    piece("corridor", "corridor", shipped, all, 1),
    piece("corridor-tuned", "corridor", shipped, tuned, 1),
    piece("corridor-unshrunk", "corridor", unshrunk, c(as.list(six), marginal), 1),
    piece("corridor-letter", "corridor", literal, c(as.list(eight), to_the_letter), 1),
    piece("corridor-centred", "corridor", centred, c(as.list(eight), to_the_letter), 1),
    piece("corridor-by-day", "corridor_by_day", shipped, all, by_day),
    piece("corridor-by-day-letter", "corridor_by_day", literal, c(as.list(eight), to_the_letter),
          by_day)
  )
  for (name in slow) {
    pieces <- c(pieces, list(
      piece(paste0("corridor-", name), "corridor", shipped, name, 1, corridor_slow_reps)
    ))
  }
  c(pieces, list(
    piece("corridor-beside", "corridor_few", shipped, "bayesgap", 1, corridor_slow_reps)
  ))
}

# ---- Run what is not finished ----------------------------------------------------------------

# Of the processor, which others may use as well.
seconds_so_far <- function() sum(proc.time()[c("user.self", "sys.self")])

# The summary of a piece, and the seconds that it took.
finish <- function(piece) {
  file <- file.path(folder, paste0(piece$name, ".rds"))
  if (!file.exists(file)) {
    message(piece$name)
    started <- seconds_so_far()
    found <- run_piece(piece)
    done <- list(table = summarise(found, piece), seconds = seconds_so_far() - started)
    saveRDS(done, paste0(file, ".part"))
    file.rename(paste0(file, ".part"), file)
  }
  readRDS(file)
}

pieces <- c(san_jose_pieces(), corridor_pieces())
done <- vector("list", length(pieces))
for (i in seq_along(pieces)) {
  done[[i]] <- finish(pieces[[i]])
  message(sprintf(
    "%2d of %d  %-24s %5.0f s  %6d runs", i, length(pieces), pieces[[i]]$name, done[[i]]$seconds,
    sum(done[[i]]$table$n)
  ))
}

table <- do.call(rbind, lapply(done, `[[`, "table"))
table <- table[order(
  table$study != "san_jose", table$study, table$prior_sd, table$prior_mean != "history",
  !table$shrink, table$budget, table$p_error
), ]
numbers <- vapply(table, is.double, TRUE)
table[numbers] <- lapply(table[numbers], signif, 4)
write.csv(table, result, row.names = FALSE, quote = FALSE)
stopifnot("small" = file.size(result) < 100e3)
seconds <- sum(vapply(done, `[[`, 0, "seconds"))
message(sprintf(
  "%s: %d rows, %d runs, %.1f minutes", result, nrow(table), sum(table$n), seconds / 60
))
