# Workers that die, hang or are of another kind. Each plan lives in a process of its own.

worker_setup <- c(
  setup,
  "library(future)",
  "save <- function(x) saveRDS(x, 'result.rds')",
  "timed <- function(code) { took <- system.time(x <- code)[['elapsed']]; list(x = x, took = took) }",
  # The third pull dies, or does not return, at its first attempt.
  "deadly <- function(arm, pull) {",
  "  if (pull$index == 3 && pull$attempt == 1) tools::pskill(Sys.getpid(), 9)",
  "  noisy(arm)",
  "}",
  "hanging <- function(which) function(arm, pull) {",
  "  if (pull$index %in% which) system('exec sleep 300')",
  "  noisy(arm)",
  "}"
)
on_workers <- function(code) {
  p <- run_r(c(worker_setup, code))
  file <- file.path(p$folder, "result.rds")
  if (!file.exists(file)) stop(paste(lines_of(p$folder, basename(p$log)), collapse = "\n"))
  readRDS(file)
}
failed_pulls <- function(x) which(!is.na(as.data.frame(x)$error))

case("a worker is killed: a failed pull, and the run goes on", {
  x <- on_workers(c("plan(multisession, workers = 2)", "save(run(deadly, batch = 2))"))
  check(identical(failed_pulls(x), 3L), "one pull failed")
  check(grepl("the worker failed", as.data.frame(x)$error[3]), "and says why")
  check(x$observed == 11L, "no other is lost")
})

case("a worker is killed, with a retry", {
  r <- on_workers(c(
    "plan(multisession, workers = 2)",
    "file <- 'run.bgap'",
    "save(list(x = run(deadly, batch = 2, retries = 1, checkpoint = file), file = read_run(file)))"
  ))
  check(!length(failed_pulls(r$x)) && r$x$observed == 12L, "no pull failed")
  check(identical(r$file, r$x), "and the checkpoint holds the same")
})

case("workers that hang past time_limit", {
  r <- on_workers(c(
    "plan(multisession, workers = 2)",
    "save(list(one = timed(run(hanging(3), batch = 2, time_limit = 10)),",
    "          both = timed(run(hanging(3:4), batch = 2, time_limit = 10))))"
  ))
  check(identical(failed_pulls(r$one$x), 3L), "one pull failed")
  check(grepl("did not answer within 10 s", as.data.frame(r$one$x)$error[3]), "and says why")
  check(identical(failed_pulls(r$both$x), 3:4), "two pulls failed where both workers hang")
  note("%.0f and %.0f s for workers that hang 300 s", r$one$took, r$both$took)
  check(r$one$took < 250 && r$both$took < 250, "the run does not wait for them")
})

case("a worker of the user's own cluster is killed", {
  for (make in c("parallel::makeCluster(2)", "parallelly::makeClusterPSOCK(2)")) {
    r <- on_workers(c(
      sprintf("nodes <- %s", make), "plan(cluster, workers = nodes)",
      "skip <- run(deadly, batch = 2)",
      # Now its second worker dies too: none is left to take a pull.
      "e <- tryCatch(run(deadly, batch = 2, retries = 2), error = identity)",
      "plan(multisession, workers = 2)",
      "save(list(skip = skip, e = e, rest = bayesgap(e$run, noisy, 12, batch = 2)))"
    ))
    check(r$skip$observed == 11L, paste(make, "one pull failed"))
    check(inherits(r$e, "bayesgap_error_workers"), paste(make, "none is left, and the run stops"))
    check(r$e$run$observed == 2L && !anyNA(r$e$run$log$reward), paste(make, "no pull is spent"))
    check(identical(r$rest, run(noisy, batch = 2)), paste(make, "and it goes on elsewhere"))
  }
})

case("every plan gives the very same run", {
  here <- lapply(list(2, c(distinct = 3)), function(batch) run(noisy, batch = batch, budget = 6))
  plans <- c(
    "plan(multisession, workers = 3)", "plan(multicore, workers = 2)",
    "plan(cluster, workers = parallel::makeCluster(2))", "plan(list(sequential, multisession))",
    "plan(future.batchtools::batchtools_local)"
  )
  code <- "save(lapply(list(2, c(distinct = 3)), function(batch) run(noisy, batch = batch, budget = 6)))"
  for (plan in plans) {
    there <- on_workers(c(plan, code))
    check(identical(there, here), plan)
  }
})

case("1, 2 and 4 workers and any batch give the very same run", {
  sizes <- list(2, 4, c(distinct = 3))
  here <- lapply(sizes, function(batch) run(noisy, batch = batch, budget = 5))
  there <- on_workers(c(
    "nodes <- parallel::makeCluster(4)",
    "sizes <- list(2, 4, c(distinct = 3))",
    "set.seed(6)",
    "before <- .Random.seed",
    "found <- lapply(c(1, 2, 4), function(workers) {",
    "  plan(cluster, workers = nodes[seq_len(workers)])",
    "  lapply(sizes, function(batch) run(noisy, batch = batch, budget = 5))",
    "})",
    "save(list(found = found, seed = identical(.Random.seed, before)))"
  ))
  check(all(vapply(there$found, identical, TRUE, here)), "the same run")
  check(there$seed, "and the session's generator as it was")
  check(!identical(here[[2]]$log$arm, run(noisy, budget = 5)$log$arm), "one at a time is another")
})

case("the block of a pull is there on its worker, and the run in blocks the very same", {
  code <- c(
    "echo <- function(arm, pull) list(y = in_blocks(arm, pull), at = pull$block)",
    "there <- function(arm, pull) list(y = in_blocks(arm, pull), at = pull$block, pid = Sys.getpid())"
  )
  eval(parse(text = code))
  here <- lapply(list(3, c(distinct = 3)), function(batch) run_blocks(echo, batch = batch))
  found <- on_workers(c(
    code,
    "found <- lapply(1:2, function(workers) {",
    "  plan(multisession, workers = workers)",
    "  lapply(list(3, c(distinct = 3)), function(batch) run_blocks(echo, batch = batch))",
    "})",
    "x <- run_blocks(there, batch = 3, checkpoint = 'run.bgap')",
    "save(list(found = found, x = x, file = read_run('run.bgap'), pid = Sys.getpid()))"
  ))
  for (workers in 1:2) {
    check(identical(found$found[[workers]], here), paste("the same run, workers:", workers))
  }
  table <- as.data.frame(found$x)
  check(identical(table$at, table$block) && !anyNA(table$at), "the worker saw the block of its pull")
  check(!any(table$pid == found$pid), "and it was a worker")
  check(identical(found$file, found$x), "the checkpoint holds the same")
  check(blocks_used(found$x) > 1L && begins_with_control(found$x), "blocks were used, control first")
})

case("pulls that fail in blocks on workers: killed, hanging, an error, no number", {
  # The fifth pull is out for ever, and a worker with it.
  r <- on_workers(c(
    "plan(multisession, workers = 2)",
    "bad <- function(arm, pull) {",
    "  switch(as.character(pull$index), '3' = tools::pskill(Sys.getpid(), 9),",
    "    '5' = system('exec sleep 300'), '7' = stop('broken in ', pull$block), '8' = return(NA))",
    "  in_blocks(arm, pull)",
    "}",
    "x <- run_blocks(bad, batch = 2, time_limit = 10, checkpoint = 'run.bgap')",
    "save(list(x = x, file = read_run('run.bgap')))"
  ))
  table <- as.data.frame(r$x)
  check(identical(failed_pulls(r$x), c(3L, 5L, 7L, 8L)), "these four failed")
  check(nrow(table) == 12L && r$x$observed == 8L, "and the run went on to its end")
  check(!anyNA(table$block) && all(table$block %in% 1:5), "every pull has its block")
  check(identical(table$error[7], paste("broken in", table$block[7])), "that of a failed pull too")
  check(identical(r$file, r$x), "and so has the checkpoint")
  pairs <- table[c("arm", "block")]
  check(!anyDuplicated(pairs[pairs$arm == 2L, ]), "a control that failed counts as its block's")
})

# ---- Plans that cannot take a pull --------------------------------------------------------------

# The run stopped with the reason before any pull was spent, and the same call goes on.
check_refused <- function(r, reason, what) {
  check(inherits(r$e, "bayesgap_error_workers"), paste(what, "stops the run:", class(r$e)[1L]))
  check(grepl(reason, conditionMessage(r$e)), paste(what, "with the reason:", conditionMessage(r$e)))
  check(grepl("No pull was spent", conditionMessage(r$e)), paste(what, "and says what it cost"))
  check(identical(r$e$run, r$last) && !length(r$e$run$log$arm), paste(what, "no pull is spent"))
  check(identical(r$e$run, r$file), paste(what, "and none in the checkpoint"))
  check(identical(r$again, run(noisy, batch = 2)), paste(what, "mended, the same call goes on"))
  check(identical(r$again, r$from_last), paste(what, "and so does the last run"))
}
refused_run <- c(
  "e <- tryCatch(run(objective, batch = 2, checkpoint = 'run.rds'), error = identity)",
  "last <- last_run()",
  "file <- read_run('run.rds')",
  "plan(sequential)",
  "again <- run(noisy, batch = 2, checkpoint = 'run.rds')",
  "from_last <- bayesgap(last, noisy, 12, batch = 2)",
  "save(list(e = e, last = last, file = file, again = again, from_last = from_last))"
)

case("a cluster whose workers are all gone before the run", {
  for (make in c("parallel::makeCluster(2)", "parallelly::makeClusterPSOCK(2)")) {
    r <- on_workers(c(
      sprintf("nodes <- %s", make), "plan(cluster, workers = nodes)",
      "for (pid in parallel::clusterEvalQ(nodes, Sys.getpid())) tools::pskill(pid, 9)",
      "objective <- noisy", refused_run
    ))
    check_refused(r, "cluster", make)
  }
})

# A package of one function, in a library that only this session has.
own_package <- c(
  "source <- file.path(tempdir(), 'onlyhere')",
  "dir.create(file.path(source, 'R'), recursive = TRUE)",
  "writeLines(c('Package: onlyhere', 'Version: 1.0', 'Title: One', 'Description: One.',",
  "  'License: GPL-3', 'Author: A', 'Maintainer: A <a@a.org>'), file.path(source, 'DESCRIPTION'))",
  "writeLines('export(one)', file.path(source, 'NAMESPACE'))",
  "writeLines('one <- function() 1', file.path(source, 'R', 'one.R'))",
  "dir.create('library')",
  "system2(file.path(R.home('bin'), 'R'), c('CMD', 'INSTALL', '-l', 'library', source),",
  "        stdout = FALSE, stderr = FALSE)"
)

case("a package that is missing on the workers, attached or named by ::", {
  objectives <- c("function(arm) { one(); noisy(arm) }", "function(arm) noisy(arm) * onlyhere::one()")
  plans <- c(
    "nodes <- parallel::makeCluster(2); plan(cluster, workers = nodes)",
    "plan(future.batchtools::batchtools_local)"
  )
  for (plan in plans) {
    for (objective in objectives) {
      r <- on_workers(c(
        own_package, plan, ".libPaths(c(normalizePath('library'), .libPaths()))",
        "library(onlyhere)", paste("objective <-", objective), refused_run
      ))
      check_refused(r, "onlyhere", paste(plan, objective))
    }
  }
})

case("workers that lack this package", {
  r <- on_workers(c(
    "nodes <- parallel::makeCluster(2)",
    "parallel::clusterEvalQ(nodes, {",
    "  .libPaths(Filter(function(lib) !file.exists(file.path(lib, 'bayesgap')), .libPaths()))",
    "  assign('.lib.loc', .libPaths(), environment(.libPaths))",
    "})",
    "plan(cluster, workers = nodes)", "objective <- noisy", refused_run
  ))
  check_refused(r, "bayesgap", "no bayesgap")
})

case("one of two workers lacks a package: what the other observed is kept", {
  r <- on_workers(c(
    own_package, "nodes <- parallel::makeCluster(2)",
    "parallel::clusterEvalQ(nodes[1], .libPaths(c(normalizePath('library'), .libPaths())))",
    ".libPaths(c(normalizePath('library'), .libPaths()))", "plan(cluster, workers = nodes)",
    "slow <- function(arm) { onlyhere::one(); Sys.sleep(3); noisy(arm) }",
    "e <- tryCatch(run(slow, batch = 2), error = identity)",
    "plan(sequential)",
    "save(list(e = e, rest = bayesgap(last_run(), noisy, 12, batch = 2)))"
  ))
  check(inherits(r$e, "bayesgap_error_workers"), "the run stops")
  check(r$e$run$observed == 1L && length(r$e$run$log$arm) == 1L, "with what was observed")
  check(r$rest$observed == 12L, "and goes on to its end")
})
