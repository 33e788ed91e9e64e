# Ctrl-C, sent to a process of its own.

# Interrupts it `after` seconds past the moment it says that it is there; returns the seconds of
# processor time that it took until it had control back, which do not depend on what else the
# machine does.
interrupt <- function(process, after = 0.1) {
  await(file.exists(file.path(process$folder, "there")))
  Sys.sleep(after)
  before <- cpu_seconds(process$pid)
  tools::pskill(process$pid, tools::SIGINT)
  back <- file.path(process$folder, "back")
  await(file.exists(back) || gone(process$pid))
  if (!file.exists(back)) {
    kill(process$pid)
    return(Inf)
  }
  as.numeric(readLines(back)) - before
}
caught <- function(call) {
  sprintf("tryCatch(%s, interrupt = function(i) {
    writeLines(format(sum(proc.time()[1:2])), 'back.new')
    invisible(file.rename('back.new', 'back'))
  })", call)
}
# Where the system does not tell it, only that control comes back at all counts.
cpu_seconds <- function(pid) {
  stat <- tryCatch(readLines(sprintf("/proc/%d/stat", pid), 1L), error = function(e) NULL,
                   warning = function(w) NULL)
  if (is.null(stat)) return(NA)
  fields <- strsplit(sub("^.*[)] ", "", stat), " ")[[1L]]
  ticks <- as.numeric(system("getconf CLK_TCK", intern = TRUE))
  sum(as.numeric(fields[12:13])) / ticks
}
check_soon <- function(took) {
  note("control back after %.2f s of processor time", took)
  check(is.na(took) || took < 1, "control is back soon")
}

case("SIGINT inside the objective", {
  p <- start_r(c(
    setup,
    "set.seed(1); before <- .Random.seed",
    "slow <- function(arm, pull) {",
    "  if (pull$index == 5) { file.create('there'); repeat Sys.sleep(0.01) }",
    "  noisy(arm)",
    "}",
    caught("run(slow, checkpoint = 'run.bgap')"),
    "saveRDS(list(last = last_run(), kept = identical(.Random.seed, before)), 'after.rds')"
  ))
  took <- interrupt(p)
  check_soon(took)
  await(gone(p$pid))
  after <- readRDS(file.path(p$folder, "after.rds"))
  file <- file.path(p$folder, "run.bgap")
  check(after$kept, "the session's generator is as it was")
  check(identical(read_run(file), after$last), "the file holds what last_run() holds")
  check(after$last$observed == 4L, "four observations")
  check(!file.exists(paste0(file, ".lock")), "the lock is removed")
  check(identical(quietly(run(noisy, checkpoint = file)), run(noisy)), "resumed, the same run")
  check(identical(bayesgap(after$last, noisy, budget = 12), run(noisy)), "from last_run() too")
})

# What one call takes long over: the session answers, and is of use after.
long_calls <- list(
  "a choice of kg among many arms" = c(
    "set.seed(2); k <- 50000; x <- matrix(rnorm(20 * k), k)",
    "long <- quote(ask(bayesgap(k, features = x, prior_mean = 0, prior_sd = 1, noise_sd = 1,",
    "                           policy = 'kg', budget = 5, seed = 1)))"
  ),
  "a choice of pi_bai among many arms" = c(
    "set.seed(2); k <- 50000; x <- matrix(rnorm(20 * k), k)",
    "long <- quote(ask(bayesgap(k, features = x, prior_mean = 0, prior_sd = 1, noise_sd = 1,",
    "                           policy = 'pi_bai', budget = 5, seed = 1)))"
  ),
  "choices of mes and ttts among many arms" = c(
    "set.seed(2); k <- 50000; x <- matrix(rnorm(20 * k), k)",
    "f <- function(name) ask(bayesgap(k, features = x, prior_mean = 0, prior_sd = 1, noise_sd = 1,",
    "                                 policy = name, budget = 5, seed = 1), 3)",
    "long <- quote(repeat { f('mes'); f('ttts') })"
  ),
  "a covariance matrix" = c(
    "k <- 4000; cov <- exp(-abs(outer(1:k, 1:k, '-')) / 100)",
    "long <- quote(repeat arm_model(k, cov = cov))"
  ),
  "a covariance matrix that is refused" = c(
    "k <- 2000; cov <- exp(-abs(outer(1:k, 1:k, '-')) / 100) - diag(0.5, k)",
    "long <- quote(repeat try(arm_model(k, cov = cov), silent = TRUE))"
  ),
  "a history with missing values" = c(
    "set.seed(2); k <- 3000; x <- matrix(rnorm(50 * k), 50); x[sample(50 * k, k)] <- NA",
    "long <- quote(repeat arm_model(k, history = x))"
  )
)
for (what in names(long_calls)) {
  case(paste("SIGINT inside", what), {
    p <- start_r(c(
      long_calls[[what]],
      "set.seed(1); before <- .Random.seed",
      caught("{ file.create('there'); eval(long) }"),
      "after <- bayesgap(3, function(arm) arm, budget = 6, seed = 1)",
      "saveRDS(list(after = after, kept = identical(.Random.seed, before)), 'after.rds')"
    ))
    took <- interrupt(p, 3)
    check_soon(took)
    await(gone(p$pid))
    found <- readRDS(file.path(p$folder, "after.rds"))
    check(found$kept, "the session's generator is as it was")
    check(identical(found$after, bayesgap(3, function(arm) arm, budget = 6, seed = 1)),
          "the session goes on as if nothing had been")
  })
}

case("SIGINT inside the C engine", {
  p <- start_r(c(
    "set.seed(2); k <- 6000; x <- matrix(rnorm(20 * k), k)",
    "f <- function(arm, pull) {",
    "  if (pull$index == 2) file.create('there')",
    "  cat(pull$index, '\\n', file = 'calls', append = TRUE)",
    "  sin(arm)",
    "}",
    caught(paste(
      "bayesgap(k, f, budget = 500, features = x, prior_mean = 0, prior_sd = 1,",
      "noise_sd = 1, policy = 'kg', seed = 1, checkpoint = 'run.bgap')"
    ))
  ))
  took <- interrupt(p, 0.3)
  check_soon(took)
  await(gone(p$pid))
  x <- read_run(file.path(p$folder, "run.bgap"))
  seen <- as.integer(lines_of(p$folder, "calls"))
  kept <- x$observed
  note("%d pulls were made, %d are in the file", length(seen), kept)
  check(kept %in% c(length(seen), length(seen) - 1L) && kept >= 1L, "what was returned is kept")
  check(!anyDuplicated(seen) && identical(x$log$reward, sin(x$log$arm)), "and right")
  check(!file.exists(file.path(p$folder, "run.bgap.lock")), "the lock is removed")
})

case("SIGINT while an expensive belief is learned", {
  p <- start_r(c(
    "u <- data.frame(u = seq_len(400) / 10, v = cos(1:400))",
    "f <- function(arm, pull) {",
    "  if (pull$index == 12) file.create('there')",
    "  cat(pull$index, '\\n', file = 'calls', append = TRUE)",
    "  sin(arm$u)",
    "}",
    caught(paste(
      "bayesgap(u, f, budget = 5000, kernel = k_se(), seed = 1, checkpoint = 'run.bgap')"
    ))
  ))
  took <- interrupt(p, 0.5)
  check_soon(took)
  await(gone(p$pid))
  x <- read_run(file.path(p$folder, "run.bgap"))
  kept <- x$observed
  check(length(lines_of(p$folder, "calls")) - kept <= 1, "what was returned is kept")
  check(kept >= 11, "and it is all of it")
})

case("SIGINT inside a benchmark", {
  p <- start_r(c(
    "set.seed(1); before <- .Random.seed",
    "model <- arm_model(50, features = diag(50), prior_mean = 0, prior_sd = 1, noise_sd = 1)",
    caught(paste(
      "{ file.create('there');",
      "benchmark_policies(problem_gaussian(model), 'thompson', 1e5, reps = 1000, seed = 1) }"
    )),
    "cat(identical(.Random.seed, before), file = 'kept')"
  ))
  took <- interrupt(p, 0.3)
  check_soon(took)
  await(gone(p$pid))
  check(identical(lines_of(p$folder, "kept"), "TRUE"), "the session's generator is as it was")
})
