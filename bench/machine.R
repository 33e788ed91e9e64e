# The same work with another BLAS, and with a second worker. bench/speed.R runs it.
# BENCH_OPENBLAS: the folder of an OpenBLAS that is neither where Debian has it nor where tools/need.sh
# unpacks it.
# Needs: future, future.apply

# How many processes wanted to run, over the last minute; "unknown" where the system does not tell.
machine_load <- function() {
  tryCatch(scan("/proc/loadavg", "", n = 1L, quiet = TRUE), error = function(e) "unknown",
    warning = function(w) "unknown")
}

# ---- BLAS ---------------------------------------------------------------------------------------

# The folder tells the reference BLAS from others, which share its file's name.
blas_name <- function() {
  file <- normalizePath(sessionInfo()$BLAS)
  file.path(basename(dirname(file)), basename(file))
}

# The two libraries of a BLAS in the first folders that have them; NULL: nowhere.
blas_files <- function(blas, lapack = blas) {
  files <- Map(c, file.path(blas, "libblas.so.3"), file.path(lapack, "liblapack.so.3"))
  Find(function(pair) all(file.exists(pair)), files)
}

blas_found <- function() {
  given <- Sys.getenv("BENCH_OPENBLAS")
  lib <- dirname(Sys.glob("/usr/lib*/*/libc.so*"))
  unpacked <- file.path(tools::R_user_dir("bayesgap", "cache"), "openblas", lib)
  openblas <- outer(c(lib, unpacked), c("openblas-pthread", "openblas-serial"), file.path)
  list(
    reference = blas_files(file.path(lib, "blas"), file.path(lib, "lapack")),
    openblas = blas_files(c(given[nzchar(given)], openblas))
  )
}

# Runs of the paper's eight methods, of policies that draw or look at all pairs of arms, and what
# people wait for.
blas_runs <- c(
  bayesgap = 400L, ucbe = 400L, ugap = 400L, bayesucb = 400L, gpucb = 400L, thompson = 400L,
  pi = 400L, ei = 400L, ttts = 400L, t3c = 400L, mes = 100L, kg = 100L
)
blas_calls <- list(
  "R's own product of 1,000 x 1,000" = function() {
    x <- matrix(1 / seq_len(1e6), 1000L)
    x %*% x
    NULL
  },
  "a learned run" = function() as.data.frame(made_run(FALSE))["arm"],
  "arm_model(), K = 1,000" = function() {
    known_model(1000L, cov = smooth_cov(1000L))
    NULL
  },
  "its posterior()" = function() {
    x <- bayesgap(smooth_model(1000L), budget = 400L, seed = 1)
    x <- tell(x, data.frame(arm = 1:100, y = sin(1:100), pull = NA))
    posterior(x)
    NULL
  }
)

blas_once <- function(work) {
  if (work %in% names(blas_calls)) {
    return(blas_calls[[work]]())
  }
  set.seed(1)
  engine(smooth_model(357L), policy(work), blas_runs[[work]], world_of(357L))
}

# Milliseconds of processor time that a piece of work takes here, and the arms that it pulled.
blas_time <- function(work) {
  ms <- function(times) 1000 * cpu_seconds(for (i in seq_len(times)) blas_once(work)) / times
  arm <- blas_once(work)$arm
  list(ms = ms(ceiling(50 / max(ms(1L), 1))), arm = arm) # the clock ticks in milliseconds
}

# The quietest of several timings in either session, one after the other every time.
blas_row <- function(work, sessions, runs = 5L) {
  got <- replicate(runs, lapply(sessions, there, blas_time, work))
  ms <- apply(got, 1L, function(cells) min(vapply(cells, `[[`, 0, "ms")))
  arms <- lapply(got[, 1L], `[[`, "arm")
  c(ms, same = if (is.null(arms[[1L]])) NA else identical(arms[[1L]], arms[[2L]]))
}

blas_table <- function() {
  heading("The reference BLAS and OpenBLAS, one thread: milliseconds of a run, K = 357")
  found <- blas_found()
  absent <- names(found)[lengths(found) == 0L]
  if (length(absent) > 0L) {
    return(line("not found: %s", toString(absent)))
  }
  sessions <- lapply(found, function(files) {
    session(c("engine.R", "calls.R", "machine.R"),
      LD_PRELOAD = paste(files, collapse = " "), OPENBLAS_NUM_THREADS = "1")
  })
  on.exit(lapply(sessions, parallel::stopCluster))
  for (name in names(sessions)) {
    line("%s: %s", name, there(sessions[[name]], blas_name))
  }
  line("\n| | reference | OpenBLAS | ratio |\n|---|---|---|---|")
  work <- c(names(blas_runs), names(blas_calls))
  rows <- t(vapply(work, blas_row, double(3L), sessions = sessions))
  show <- function(label, ms) {
    line("| %s | %.2f | %.2f | %.2f |", label, ms[[1L]], ms[[2L]], ms[[1L]] / ms[[2L]])
  }
  for (label in work) {
    show(label, rows[label, ])
  }
  show("the eight methods together", colSums(rows[seq_len(8L), ]))
  line("\nThe same pulls with both in %d of %d.", sum(rows[, "same"], na.rm = TRUE),
    sum(!is.na(rows[, "same"])))
}

# ---- Workers ------------------------------------------------------------------------------------

# Processor time that each of two workers has used, by their process; each is asked while the other
# one is busy.
worker_seconds <- function() {
  asked <- lapply(1:2, function(i) {
    future::future({
      Sys.sleep(1)
      c(Sys.getpid(), sum(proc.time()[1:2]))
    })
  })
  got <- vapply(asked, future::value, double(2L))
  got[2L, order(got[1L, ])]
}

# The workers have been started and have loaded the package before anything is timed: the target is
# about work. All that a call does besides is timed: sending, waiting, gathering. Replications enough
# for so many seconds of one, so that either of two has more than five. The clock tells the gain where
# two cores are idle. Elsewhere processor time tells what two idle cores could gain at most: nobody's
# waiting is in it.
workers_table <- function(least = 12) {
  heading("benchmark_policies(), K = 357, T = 400: one worker and two")
  absent <- Filter(function(p) !requireNamespace(p, quietly = TRUE), c("future", "future.apply"))
  if (length(absent) > 0L) {
    return(line("not installed: %s", toString(absent)))
  }
  problem <- problem_gaussian(smooth_model(357L))
  go <- function(reps) {
    benchmark_policies(problem, c("bayesgap", "thompson", "ei", "t3c"), 400L, reps, seed = 1,
      progress = FALSE)
  }
  reps <- max(8L, ceiling(least * 20 / cpu_seconds(go(20L))))
  one <- system.time(alone <- go(reps))
  old <- future::plan("multisession", workers = 2L)
  on.exit(future::plan(old))
  go(8L) # the workers start, and load the package
  before <- worker_seconds()
  two <- system.time(shared <- go(reps))
  busier <- max(worker_seconds() - before)
  line("%d replications, %s table; this session alone, and two workers that have been used before",
    reps, if (identical(alone, shared)) "the same" else "ANOTHER")
  line("by the clock: %.1f s with one, %.1f s with two, %.2f times as fast", one[["elapsed"]],
    two[["elapsed"]], one[["elapsed"]] / two[["elapsed"]])
  cpu <- sum(one[1:2])
  here <- sum(two[1:2])
  line("by processor time: %.1f s with one; with two %.1f s in the busier one and %.1f s here,",
    cpu, busier, here)
  line("so that two idle cores would be at most %.2f times as fast; waiting is not in it",
    cpu / busier)
}
