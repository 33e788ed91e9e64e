# Ctrl-C, sent to a process of its own.

# Interrupts it `after` seconds past the moment it says that it is there; returns the seconds
# until it had control back.
interrupt <- function(process, after = 0.1) {
  await(file.exists(file.path(process$folder, "there")), 60)
  Sys.sleep(after)
  began <- Sys.time()
  tools::pskill(process$pid, tools::SIGINT)
  back <- await(file.exists(file.path(process$folder, "back")), 30)
  took <- as.numeric(Sys.time() - began, units = "secs")
  if (!back) kill(process$pid)
  took
}
caught <- function(call) {
  sprintf("tryCatch(%s, interrupt = function(i) invisible(file.create('back')))", call)
}

case("case 6: SIGINT inside the objective", {
  p <- start_r(c(
    setup,
    "set.seed(1); before <- .Random.seed",
    "slow <- function(arm, pull) {",
    "  if (pull$index == 5) { file.create('there'); repeat Sys.sleep(0.01) }",
    "  noisy(arm)",
    "}",
    caught("run(slow, checkpoint = 'run.rds')"),
    "saveRDS(list(last = last_run(), kept = identical(.Random.seed, before)), 'after.rds')"
  ))
  took <- interrupt(p)
  note("control back after %.2f s", took)
  check(took < 5, "control is back soon")
  await(gone(p$pid), 20)
  after <- readRDS(file.path(p$folder, "after.rds"))
  file <- file.path(p$folder, "run.rds")
  check(after$kept, "the session's generator is as it was")
  check(identical(read_run(file), after$last), "the file holds what last_run() holds")
  check(after$last$observed == 4L, "four observations")
  check(!file.exists(paste0(file, ".lock")), "the lock is removed")
  check(identical(quietly(run(noisy, checkpoint = file)), run(noisy)), "resumed, the same run")
  check(identical(bayesgap(after$last, noisy, budget = 12), run(noisy)), "from last_run() too")
})

case("case 6: SIGINT inside the C engine", {
  p <- start_r(c(
    "set.seed(2); k <- 6000; x <- matrix(rnorm(20 * k), k)",
    "f <- function(arm, pull) {",
    "  if (pull$index == 2) file.create('there')",
    "  cat(pull$index, '\\n', file = 'calls', append = TRUE)",
    "  sin(arm)",
    "}",
    caught(paste(
      "bayesgap(k, f, budget = 500, features = x, prior_mean = 0, prior_sd = 1,",
      "noise_sd = 1, policy = 'kg', seed = 1, checkpoint = 'run.rds')"
    ))
  ))
  took <- interrupt(p, 0.3)
  note("control back after %.2f s", took)
  check(took < 5, "control is back soon")
  await(gone(p$pid), 20)
  x <- read_run(file.path(p$folder, "run.rds"))
  seen <- as.integer(lines_of(p$folder, "calls"))
  kept <- x$observed
  note("%d pulls were made, %d are in the file", length(seen), kept)
  check(kept %in% c(length(seen), length(seen) - 1L) && kept >= 1L, "what was returned is kept")
  check(!anyDuplicated(seen) && identical(x$log$reward, sin(x$log$arm)), "and right")
  check(!file.exists(file.path(p$folder, "run.rds.lock")), "the lock is removed")
})

case("case 6: SIGINT while an expensive belief is learned", {
  p <- start_r(c(
    "u <- data.frame(u = seq_len(400) / 10, v = cos(1:400))",
    "f <- function(arm, pull) {",
    "  if (pull$index == 12) file.create('there')",
    "  cat(pull$index, '\\n', file = 'calls', append = TRUE)",
    "  sin(arm$u)",
    "}",
    caught(paste(
      "bayesgap(u, f, budget = 5000, kernel = k_se(), seed = 1, checkpoint = 'run.rds')"
    ))
  ))
  took <- interrupt(p, 0.5)
  note("control back after %.2f s", took)
  check(took < 5, "control is back soon")
  await(gone(p$pid), 20)
  x <- read_run(file.path(p$folder, "run.rds"))
  kept <- x$observed
  check(length(lines_of(p$folder, "calls")) - kept <= 1, "what was returned is kept")
  check(kept >= 11, "and it is all of it")
})

case("case 6: SIGINT inside a benchmark", {
  p <- start_r(c(
    "set.seed(1); before <- .Random.seed",
    "model <- arm_model(50, features = diag(50), prior_mean = 0, prior_sd = 1, noise_sd = 1)",
    "file.create('there')",
    caught("benchmark_policies(problem_gaussian(model), 'thompson', 1e5, reps = 1000, seed = 1)"),
    "cat(identical(.Random.seed, before), file = 'kept')"
  ))
  took <- interrupt(p, 0.3)
  note("control back after %.2f s", took)
  check(took < 5, "control is back soon")
  await(gone(p$pid), 20)
  check(identical(lines_of(p$folder, "kept"), "TRUE"), "the session's generator is as it was")
})
