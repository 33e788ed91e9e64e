# SIGKILL, which no program can catch.

# Kills the run at random moments until it was killed so often, each time resuming it; the run
# that is finished at last. A run that comes to its end before that is begun again.
kill_often <- function(code, times) {
  folder <- new_folder()
  set.seed(7)
  kills <- 0
  repeat {
    file.remove(Sys.glob(file.path(folder, "there*")))
    p <- start_r(code, folder)
    if (kills < times) {
      await(file.exists(file.path(folder, "there")) || gone(p$pid))
      Sys.sleep(runif(1, 0, 0.15))
    } else {
      await(gone(p$pid))
    }
    if (!gone(p$pid)) {
      kill(p$pid)
      kills <- kills + 1
    } else if (kills >= times) {
      return(list(folder = folder, run = read_run(file.path(folder, "run.bgap"))))
    } else {
      unlink(file.path(folder, "run.bgap"))
    }
  }
}

case("SIGKILL at 20 random moments, resumed each time", {
  found <- kill_often(c(
    setup,
    "slow <- function(arm) {",
    "  file.create('there'); cat('x\\n', file = 'calls', append = TRUE)",
    "  Sys.sleep(0.005)",
    "  noisy(arm)",
    "}",
    "run(slow, budget = 150, checkpoint = 'run.bgap')"
  ), 20)
  check(identical(found$run, run(noisy, budget = 150)), "identical to the run without kills")
  # What the last process leaves, which has no pulls to make where the one before was killed at its end.
  left <- list.files(found$folder, all.files = TRUE, no.. = TRUE)
  left <- setdiff(grep("^script", left, value = TRUE, invert = TRUE), "there")
  check(
    setequal(left, c("run.bgap", "calls")), paste(c("nothing is left behind but", left), collapse = " ")
  )
  note("%d pulls were begun for 150", length(lines_of(found$folder, "calls")))
})

case("SIGKILL at 10 random moments of a run in batches on workers", {
  found <- kill_often(c(
    setup,
    "future::plan(future::multisession, workers = 2)",
    "slow <- function(arm) {",
    "  Sys.sleep(0.005)",
    "  noisy(arm)",
    "}",
    "file.create('there')",
    "run(slow, budget = 40, batch = 2, checkpoint = 'run.bgap')"
  ), 10)
  check(identical(found$run, run(noisy, budget = 40, batch = 2)), "identical to the run without kills")
})

case("SIGKILL at 8 random moments of runs in blocks with a control", {
  for (batch in c(1, 4)) {
    found <- kill_often(c(
      setup,
      "slow <- function(arm, pull) {",
      "  file.create('there'); Sys.sleep(0.005)",
      "  in_blocks(arm, pull)",
      "}",
      sprintf("run_blocks(slow, budget = 80, batch = %d, checkpoint = 'run.bgap')", batch)
    ), 4)
    whole <- run_blocks(in_blocks, budget = 80, batch = batch)
    check(identical(found$run, whole), paste("identical to the run without kills, batch", batch))
    check(blocks_used(whole) > 1L && begins_with_control(whole), "blocks were used, control first")
  }
})

case("SIGKILL between writing and renaming", {
  p <- run_r(c(
    setup,
    "saves <- 0",
    "rename <- bayesgap:::replace_file",
    "deadly <- function(part, file) {",
    "  saves <<- saves + 1",
    "  if (saves == 7) { file.copy(file, 'before'); tools::pskill(Sys.getpid(), 9) }",
    "  rename(part, file)",
    "}",
    "assignInNamespace('replace_file', deadly, 'bayesgap')",
    "assignInNamespace('grow_run', function(...) NULL, 'bayesgap')", # every save writes all of it
    "run(noisy, checkpoint = 'run.bgap')"
  ))
  file <- file.path(p$folder, "run.bgap")
  parts <- function() list.files(p$folder, "part$")
  check(length(parts()) == 1L, "the part that was written is there")
  before <- tools::md5sum(file.path(p$folder, "before"))
  check(unname(tools::md5sum(file)) == before, "the checkpoint before it is intact")
  x <- read_run(file)
  kept <- x$observed
  check(kept >= 3L, "and holds what was observed")
  check(file.exists(paste0(file, ".lock")), "and so is the lock")
  calls <- 0
  y <- quietly(run(function(arm) {
    calls <<- calls + 1
    noisy(arm)
  }, checkpoint = file))
  check(identical(y, run(noisy)), "resumed, the same run")
  check(calls == 12L - kept, "only what was lost is pulled again")
  check(!length(parts()) && !file.exists(paste0(file, ".lock")), "what was left is removed")
})

case("SIGKILL while a result is learned", {
  folder <- new_folder()
  code <- c(
    setup,
    "slow <- policy('slow', choose = function(state) {",
    "  if (state$t == 6) { file.create('there'); Sys.sleep(600) }",
    "  state$t %% 8 + 1",
    "})",
    "run(noisy, policy = slow, checkpoint = 'run.bgap')"
  )
  p <- start_r(code, folder)
  await(file.exists(file.path(folder, "there")))
  kill(p$pid)
  saved <- bayesgap:::unpack_run(readBin(file.path(folder, "run.bgap"), "raw", 1e7), "run.bgap")
  kept <- length(saved$facts$log$reward) + length(saved$facts$underway$results)
  check(kept == 5L, paste("all five results are in the file, not", kept))
})

case("two processes on one checkpoint", {
  p <- start_r(c(
    setup,
    "run(function(arm) { file.create('there'); Sys.sleep(600); 1 }, checkpoint = 'run.bgap')"
  ))
  await(file.exists(file.path(p$folder, "there")))
  file <- file.path(p$folder, "run.bgap")
  bytes <- readBin(file, "raw", 1e6)
  e <- tryCatch(run(noisy, checkpoint = file), bayesgap_error_checkpoint = identity)
  check(inherits(e, "bayesgap_error_checkpoint"), "the second refuses")
  check(grepl(paste0("process ", p$pid, " on "), conditionMessage(e)), "and says who has it")
  check(identical(readBin(file, "raw", 1e6), bytes), "the file is as it was")
  check(inherits(read_run(file), "bayesgap"), "it can be read meanwhile")
  kill(p$pid)
  check(file.exists(paste0(file, ".lock")), "a killed process leaves its lock")
  check(identical(quietly(run(noisy, checkpoint = file)), run(noisy)), "which is known to be stale")
  check(!file.exists(paste0(file, ".lock")), "and removed")
})

case("several processes that begin at once, on a stale lock", {
  folder <- new_folder()
  stale <- sprintf("process 99999999 on %s, since then\nstart 5\n", Sys.info()[["nodename"]])
  cat(stale, file = file.path(folder, "run.bgap.lock"))
  code <- c(
    setup,
    "me <- paste0('said', Sys.getpid())",
    "while (!file.exists('go')) Sys.sleep(0.001)",
    # The one that runs is at it until the others have been refused.
    "end <- Sys.time() + 300",
    "refused <- function() length(list.files(pattern = '^said')) == 2 || Sys.time() > end",
    "said <- tryCatch({",
    "  run(function(arm) { while (!refused()) Sys.sleep(0.01); noisy(arm) }, checkpoint = 'run.bgap')",
    "  'ran'",
    "}, bayesgap_error_checkpoint = function(e) 'refused')",
    "cat(said, file = me)"
  )
  started <- lapply(1:3, function(i) start_r(code, folder))
  file.create(file.path(folder, "go"))
  for (p in started) await(gone(p$pid))
  said <- vapply(started, function(p) lines_of(folder, paste0("said", p$pid)), "")
  check(identical(sort(said), c("ran", "refused", "refused")), paste("one runs:", toString(said)))
  check(identical(read_run(file.path(folder, "run.bgap")), run(noisy)), "and its run is whole")
})
