# What people wait for beside their trials: calls of the package from R. bench/speed.R runs it.

# Seconds of our own code in one round of ask() and tell(), the median of so many.
hand_rounds <- function(x, rounds) {
  took <- vapply(seq_len(rounds), function(i) {
    start <- Sys.time()
    ask(x)
    x <<- tell(x, stats::rnorm(1))
    as.numeric(Sys.time() - start, units = "secs")
  }, 0)
  list(run = x, seconds = stats::median(took))
}

# Early rounds, and those behind so many results.
by_hand <- function(label, model, late = 20000L) {
  set.seed(1)
  early <- hand_rounds(bayesgap(model, budget = 2L * late, seed = 1), 500L)
  rows <- data.frame(
    pull = NA, arm = posterior(early$run)$arm[sample.int(357L, late, TRUE)], y = stats::rnorm(late)
  )
  later <- hand_rounds(tell(early$run, rows), 200L)
  line("%-28s %5.0f us a round, %5.0f us after %s results", label, 1e6 * early$seconds,
       1e6 * later$seconds, format(late, big.mark = ","))
}

# A run of 357 correlated arms and 400 pulls. known: are prior and noise told?
made_run <- function(known) {
  cov <- smooth_cov(357L)
  model <- if (known) known_model(357L, cov = cov) else arm_model(357L, cov = cov)
  truth <- world_of(357L)[[1L]]
  bayesgap(model, function(arm) truth[arm] + stats::rnorm(1, sd = 0.5), 400L, seed = 1,
           progress = FALSE)
}

quietest <- function(code, times = 5L) {
  call <- substitute(code)
  frame <- parent.frame()
  min(vapply(seq_len(times), function(i) seconds(eval(call, frame)), 0))
}

checkpointed <- function(pulls) {
  file <- tempfile(fileext = ".bgap")
  on.exit(unlink(file))
  go <- function(...) {
    bayesgap(known_model(64L, cov = smooth_cov(64L)), function(arm) stats::rnorm(1), pulls,
             seed = 1, progress = FALSE, ...)
  }
  1000 * (quietest(go(checkpoint = file), 1L) - quietest(go(), 1L)) / pulls
}

calls <- function() {
  heading("What people wait for")
  grid <- expand.grid(u = seq_len(21L), v = seq_len(17L))
  smooth <- function(arms, ...) {
    arm_model(arms, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, ...)
  }
  by_hand("ask + tell, names", smooth(paste0("arm", seq_len(357L)), cov = smooth_cov(357L)))
  by_hand("ask + tell, two columns", smooth(grid, kernel = k_se(~ u + v, lengthscale = 5)))
  line("run of 400 pulls, told prior: %.3f s; learned: %.3f s", quietest(made_run(TRUE)),
       quietest(made_run(FALSE)))
  learned <- made_run(FALSE)
  told <- made_run(TRUE)
  line("print(), K = 357: %.3f s told, %.3f s learned", quietest(utils::capture.output(print(told))),
       quietest(utils::capture.output(print(learned))))
  line("a checkpoint: %.1f ms a pull in 200, %.1f ms in 2,000", checkpointed(200L),
       checkpointed(2000L))
  k <- 100000L
  many <- bayesgap(known_model(k, features = features_of(k)), budget = 400L, seed = 1)
  many <- tell(many, data.frame(arm = sample.int(k, 100L), y = stats::rnorm(100L), pull = NA))
  line("print(), K = 100,000: %.2f s", quietest(utils::capture.output(print(many)), 2L))
  rows <- data.frame(arm = sample.int(1000L, 1e5, TRUE), y = stats::rnorm(1e5), pull = NA)
  wide <- bayesgap(known_model(1000L, features = features_of(1000L)), budget = 10L, seed = 1)
  line("one tell() of 100,000 results of 1,000 arms: %.2f s", quietest(tell(wide, rows), 2L))
  long <- data.frame(arm = sample.int(10L, 1e6, TRUE), y = stats::rnorm(1e6), pull = NA)
  file <- tempfile(fileext = ".bgap")
  on.exit(unlink(file))
  save_run(tell(bayesgap(known_model(10L), budget = 10L, seed = 1), long), file)
  line("a saved run of 1,000,000 results opens in %.2f s", quietest(read_run(file), 2L))
}
