# Random calls of the whole interface: every one ends with a result that is sound or with an error
# of the package's own. The number of a case is its seed. Cases run in processes of their own, so
# that a crash ends one case only.
# Environment: CASES (how many), FROM (the first), ATTACK_CASE (just this one), JOBS (processes),
# KIND (all of this kind: the name of a function in sequences.R, such as tampered).
source("tests/faults/harness.R")

setting <- function(name, default) {
  value <- Sys.getenv(name)
  if (nzchar(value)) as.integer(value) else default
}
only <- setting("ATTACK_CASE", NA)
first <- if (is.na(only)) setting("FROM", 1L) else only
last <- if (is.na(only)) first + setting("CASES", 300L) - 1L else only
jobs <- setting("JOBS", 2L)
at_most <- 100L   # cases a process
hanging <- 180    # seconds without a new case
megabytes <- 6000 # of memory a process; a sanitizer maps far more than it uses

# ---- Processes ----------------------------------------------------------------------------------

start_block <- function(block) {
  limit <- if (!nzchar(Sys.getenv("ASAN_OPTIONS"))) sprintf("ulimit -v %d; ", megabytes * 1024L)
  process <- start_r(
    c(
      sprintf("root <- %s", deparse(getwd())), "source(file.path(root, 'tests/attack/cases.R'))",
      sprintf("attack$run_cases(%d, %d)", block[1L], block[2L])
    ),
    prefix = sprintf("sh -c %s sh", shQuote(paste0(limit, "exec \"$@\""))),
    environment = sprintf("R_MAX_VSIZE=%dMb", megabytes)
  )
  c(process, list(block = block))
}

# Words and numbers: "began 17", then "passed 17 12 3 0.4" (calls, refused, seconds) and the like.
said_by <- function(process) {
  strsplit(trimws(lines_of(process$folder, "cases.txt")), " ")
}

is_hanging <- function(process) {
  file <- file.path(process$folder, "cases.txt")
  began <- if (file.exists(file)) file.mtime(file) else file.mtime(process$log)
  as.numeric(Sys.time() - began, units = "secs") > hanging
}

# ---- Counts -------------------------------------------------------------------------------------

calls <- refused <- 0
failures <- character()
seconds <- numeric()

# What a process that is gone has done; returns the cases that it left, NULL if none.
settle <- function(process, hung) {
  for (words in said_by(process)) {
    count_case(words)
  }
  text <- lines_of(process$folder, "report.txt")
  cat(text, sep = "\n")
  failures <<- c(failures, grep("^  after line", text, value = TRUE))
  began <- Filter(function(words) words[1L] == "began", said_by(process))
  ended <- length(said_by(process)) - length(began)
  now <- process$block[1L] + length(began) - 1L
  if (length(began) > ended || !length(began)) {
    count_crash(process, max(now, process$block[1L]), hung)
    if (length(began) && now < process$block[2L]) c(now + 1L, process$block[2L])
  }
}

count_case <- function(words) {
  case <- words[2L]
  switch(words[1L],
    passed = check(TRUE, ""),
    failed = check(FALSE, paste("case", case)),
    slow = skip(sprintf("case %s is slow", case))
  )
  if (words[1L] != "began") {
    calls <<- calls + as.integer(words[3L])
    refused <<- refused + as.integer(words[4L])
    seconds[case] <<- as.numeric(words[5L])
  }
}

count_crash <- function(process, case, hung) {
  what <- if (hung) sprintf("hung for %g s", hanging) else "ended its process"
  cat(sprintf("\nCase %d %s:\n", case, what))
  log <- lines_of(process$folder, basename(process$log))
  fault <- c(grep("^ [*]{3} caught|runtime error:|ERROR: ", log), length(log) - 10L)[1L]
  cat(utils::head(log[seq_along(log) >= fault], 10L), sep = "\n")
  cat(lines_of(process$folder, "program.txt"), sep = "\n")
  failures <<- c(failures, sprintf("  a case %s", what))
  check(FALSE, sprintf("case %d", case))
}

# The same message at other numbers is the same mistake.
summarise_failures <- function() {
  kinds <- table(gsub("[0-9][0-9.e+-]*", "#", sub("^  after line [0-9]+: ", "", failures)))
  for (kind in names(sort(kinds, decreasing = TRUE))) {
    cat(sprintf("%5d  %s\n", kinds[[kind]], kind))
  }
}

# ---- The attack ---------------------------------------------------------------------------------

starts <- seq.int(first, last, by = min(at_most, ceiling((last - first + 1) / jobs)))
waiting <- Map(c, starts, c(starts[-1L] - 1L, last))
running <- list()
while (length(waiting) || length(running)) {
  while (length(waiting) && length(running) < jobs) {
    running <- c(running, list(start_block(waiting[[1L]])))
    waiting <- waiting[-1L]
  }
  Sys.sleep(0.1)
  for (process in running) {
    hung <- is_hanging(process)
    if (hung) kill(process$pid)
    if (gone(process$pid)) {
      left <- settle(process, hung)
      if (!is.null(left)) waiting <- c(list(left), waiting)
      running <- Filter(function(other) other$pid != process$pid, running)
    }
  }
}
summarise_failures()
slowest <- utils::head(sort(seconds, decreasing = TRUE), 3L)
cat(sprintf(
  "%d calls, %d of them refused; the slowest cases: %s\n", calls, refused,
  paste0(names(slowest), " (", slowest, " s)", collapse = ", ")
))
cat(sprintf("%d passed, %d failed, %d skipped\n", passed, failed, skipped))
quit(status = as.integer(failed > 0L))
