# Runs that live in files: two processes ask, tell, amend, drop, add and cancel at the same time, and
# are killed at random moments. SEQUENCES (200): how many files, each with some steps of both.

sequences <- as.integer(Sys.getenv("SEQUENCES", "200"))
steps <- 8L

begin_code <- c(
  sprintf("sequences <- %dL; steps <- %dL", sequences, steps),
  "name <- function(i) sprintf('run-%d.bgap', i)",
  "begin <- function(i) switch(i %% 4L + 1L,",
  "  bayesgap(letters[1:4], budget = 9, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, seed = i),",
  "  bayesgap(4, budget = 9, cov = exp(-abs(outer(1:4, 1:4, '-'))), prior_mean = 0, prior_sd = 1,",
  "           noise_sd = 0.5, seed = i),",
  "  bayesgap(letters[1:4], budget = 9, control = 'a', seed = i, prior_mean = 0, prior_sd = 1,",
  "           noise_sd = 0.5, block_sd = 1),",
  "  bayesgap(letters[1:4], budget = 6, seed = i)",
  ")"
)

# What both processes do. They go through the files in the same order, so that they meet; every step
# that was done is a line in a file of their own, written after the call returned.
living_code <- c(
  begin_code,
  "done <- function(i, what, value = 0) {",
  "  cat(sprintf('%d %s %.17g\\n', i, what, value), sep = '', file = me, append = TRUE)",
  "}",
  "count <- length(readLines(me))",
  "number <- function(n) { # that no other result has",
  "  count <<- count + n",
  "  salt + (count - n + seq_len(n)) / 1e6",
  "}",
  "one <- function(v) if (length(v)) v[sample.int(length(v), 1L)] else NA",
  "label <- function(i) if (i %% 4L == 2L) one(c('p1', 'p2', 'p3'))",
  "results <- function(i, table) {",
  "  table$y <- number(nrow(table))",
  "  tell(name(i), table, wait = 600)",
  "  done(i, 'told', table$y)",
  "}",
  "step <- list(",
  "  function(i) {",
  "    asked <- ask(name(i), one(1:3), block = label(i), wait = 600)",
  "    if (nrow(asked)) done(i, 'asked', asked$pull)",
  "  },",
  "  function(i) {",
  "    out <- open_trials(name(i))",
  "    if (nrow(out)) results(i, out[sample.int(nrow(out), one(seq_len(nrow(out)))), ])",
  "  },",
  "  function(i) {",
  "    other <- data.frame(pull = NA, arm = one(read_run(name(i))$model$arms$names))",
  "    other$block <- label(i)",
  "    results(i, other)",
  "  },",
  "  function(i) {",
  "    x <- read_run(name(i))",
  "    row <- one(c(seq_along(x$log$arm), 1L))",
  "    y <- number(1)",
  "    amend(name(i), row = row, y = one(c(NA, y)), wait = 600)",
  "  },",
  "  function(i) cancel(name(i), one(open_trials(name(i))$pull), wait = 600),",
  "  function(i) drop_arms(name(i), one(letters[2:4]), wait = 600),",
  "  function(i) add_arms(name(i), one(letters[2:6]), wait = 600),",
  "  function(i) {",
  "    copy <- paste0(me, '.bgap')",
  "    save_run(read_run(name(i)), copy)",
  "    stopifnot(inherits(read_run(copy), 'bayesgap'))",
  "  }",
  ")",
  "likely <- c(5, 5, 2, 2, 1, 1, 1, 1)",
  "for (i in seq_len(sequences)) {",
  "  while (sum(startsWith(unlist(lapply(both, readLines)), paste0(i, ' step'))) < steps) {",
  "    tryCatch(",
  "      suppressMessages(step[[sample.int(length(step), 1L, prob = likely)]](i)),",
  "      bayesgap_error = function(e) NULL,",
  "      error = function(e) cat(conditionMessage(e), '\\n', file = 'strange', append = TRUE)",
  "    )",
  "    done(i, 'step')",
  "  }",
  "}",
  "file.create(paste0(me, '.end'))"
)

# Every file is made before, so that both find it.
begin_files <- function(folder) {
  run_r(c(begin_code, "for (i in seq_len(sequences)) save_run(begin(i), name(i))"), folder)
}

start_worker <- function(folder, who) {
  start_r(c(
    "both <- c('one', 'two')", sprintf("me <- %s", deparse(who)),
    sprintf("salt <- %d", match(who, c("one", "two"))),
    sprintf("set.seed(%d)", sample.int(1e6, 1L)), living_code
  ), folder)
}

# The state that the facts make in one go, all results told at once.
in_one_go <- function(x) {
  blank <- bayesgap:::blank_run(bayesgap:::run_settings(x))
  bayesgap:::replay(blank, bayesgap:::facts_of(bayesgap:::begin(x)))
}

case(sprintf("%d runs in files, changed by two processes that are killed", sequences), {
  set.seed(11)
  folder <- new_folder()
  begin_files(folder)
  who <- c("one", "two")
  file.create(file.path(folder, who))
  workers <- lapply(who, start_worker, folder = folder)
  kills <- 0L
  ended <- function(name) file.exists(file.path(folder, paste0(name, ".end")))
  while (!all(vapply(who, ended, TRUE))) {
    Sys.sleep(runif(1, 0.1, 2.5))
    at <- sample.int(2L, 1L)
    if (!ended(who[at])) {
      kill(workers[[at]]$pid)
      kills <- kills + 1L
      workers[[at]] <- start_worker(folder, who[at])
    }
  }
  await(all(vapply(workers, function(p) gone(p$pid), TRUE)))
  said <- do.call(rbind, lapply(who, function(name) {
    read.table(file.path(folder, name), col.names = c("run", "what", "value"))
  }))
  note("%d steps, %d results, %d kills", sum(said$what == "step"), sum(said$what == "told"), kills)
  strange <- unique(lines_of(folder, "strange"))
  check(!length(strange), paste(c("errors of others:", strange), collapse = " "))
  lost <- twice <- other <- 0L
  for (i in seq_len(sequences)) {
    x <- read_run(file.path(folder, sprintf("run-%d.bgap", i)))
    of <- said[said$run == i, ]
    told <- of$value[of$what == "told"]
    lost <- lost + sum(!told %in% c(x$log$reward, x$changes$reward))
    twice <- twice + anyDuplicated(of$value[of$what == "asked"])
    other <- other + !identical(bayesgap:::begin(x), in_one_go(x))
  }
  check(kills > 0L, "some were killed")
  check(lost == 0L, sprintf("%d results that were acknowledged are lost", lost))
  check(twice == 0L, "no trial is handed out twice")
  check(other == 0L, sprintf("%d runs are not what their facts make", other))
  left <- list.files(folder, "[.](part|lock)$")
  note("left by kills: %d files", length(left))
})

case("a call that is interrupted gives up the lock and leaves the file", {
  folder <- new_folder()
  file <- file.path(folder, "run.bgap")
  x <- bayesgap(data.frame(u = seq_len(400)), budget = 600, kernel = k_se(~u, 20), prior_mean = 0,
                prior_sd = 1, noise_sd = 1, policy = "kg", seed = 1)
  save_run(x, file)
  before <- tools::md5sum(file)
  p <- start_r("tryCatch(ask('run.bgap', 500), interrupt = function(e) file.create('caught'))", folder)
  lock <- paste0(file, ".lock")
  check(await(file.exists(lock) || gone(p$pid)) && file.exists(lock), "it holds the lock")
  # Another gives up at once, and says who it is.
  e <- tryCatch(ask(file, wait = 0), error = identity)
  check(inherits(e, "bayesgap_error_checkpoint"), "another is refused")
  check(grepl(paste("process", p$pid), conditionMessage(e)), "and told who it is")
  tools::pskill(p$pid, tools::SIGINT)
  await(gone(p$pid))
  check(file.exists(file.path(folder, "caught")), "it was interrupted")
  check(!file.exists(lock), "the lock is gone")
  check(identical(tools::md5sum(file), before), "the file is as it was")
})
