# What the files of this folder share: checks that are counted, and R processes that are watched,
# interrupted and killed. Sourced by faults.R.
library(bayesgap)

passed <- 0L
failed <- 0L
skipped <- 0L

check <- function(ok, what) {
  if (isTRUE(ok)) {
    passed <<- passed + 1L
  } else {
    failed <<- failed + 1L
    cat("failed:", what, "\n")
  }
}

# One case: an error in it is a failure of it, not the end.
case <- function(name, code) {
  began <- proc.time()[["elapsed"]]
  tryCatch(force(code), error = function(e) {
    check(FALSE, paste0(name, ": error: ", conditionMessage(e)))
  })
  cat(sprintf("%s (%.0f s)\n", name, proc.time()[["elapsed"]] - began))
}

# What this machine does not allow to be tried is counted too.
skip <- function(what) {
  skipped <<- skipped + 1L
  note("%s", what)
}

note <- function(...) cat("  ", sprintf(...), "\n", sep = "")

# The class of the error, or "none".
error_class <- function(code) {
  tryCatch({
    suppressMessages(code)
    "none"
  }, error = function(e) class(e)[1])
}

new_folder <- function() {
  folder <- tempfile("fault")
  dir.create(folder)
  normalizePath(folder)
}

# ---- Processes ----------------------------------------------------------------------------------

rscript <- file.path(R.home("bin"), "Rscript")
library_path <- paste(.libPaths(), collapse = .Platform$path.sep)

# Starts R with this code in a folder, and does not wait: list(folder, pid). prefix: words of the
# shell before the command; environment: NAME=value.
start_r <- function(code, folder = new_folder(), prefix = "", environment = character()) {
  script <- tempfile("script", folder, ".R")
  pid_file <- sub("[.]R$", ".pid", script)
  writeLines(c(
    "library(bayesgap)",
    sprintf("cat(Sys.getpid(), file = %s)", deparse(paste0(pid_file, ".new"))),
    sprintf("invisible(file.rename(%s, %s))", deparse(paste0(pid_file, ".new")), deparse(pid_file)),
    code
  ), script)
  environment <- c(paste0("R_LIBS=", shQuote(library_path)), environment)
  log <- shQuote(sub("[.]R$", ".log", script))
  system(sprintf(
    "cd %s && %s %s %s --vanilla %s > %s 2>&1", shQuote(folder),
    paste(environment, collapse = " "), prefix, shQuote(rscript), shQuote(script), log
  ), wait = FALSE)
  await(file.exists(pid_file))
  list(folder = folder, pid = as.integer(readLines(pid_file, warn = FALSE)), log = sub("[.]R$", ".log", script))
}

# Waits until it ended.
run_r <- function(code, ...) {
  process <- start_r(code, ...)
  if (!await(gone(process$pid))) kill(process$pid)
  process
}

# Minutes, so that a busy machine is no failure; what is waited for comes long before.
await <- function(condition, seconds = 600) {
  condition <- substitute(condition)
  frame <- parent.frame()
  end <- Sys.time() + seconds
  while (!(done <- isTRUE(eval(condition, frame))) && Sys.time() < end) Sys.sleep(0.005)
  done
}

# One that ended and was not waited for still has its number.
gone <- function(pid) {
  state <- tryCatch(
    suppressWarnings(readLines(sprintf("/proc/%d/stat", pid), 1L)), error = function(e) NULL
  )
  if (length(state)) grepl("\\) [ZX] ", state) else !tools::pskill(pid, 0L)
}

kill <- function(pid) {
  tools::pskill(pid, tools::SIGKILL)
  await(gone(pid))
}

# ---- A run --------------------------------------------------------------------------------------

# The same in this process and in others: `setup` is its code.
setup <- c(
  "cov <- exp(-outer(1:8, 1:8, '-')^2 / 8)",
  "noisy <- function(arm) sin(arm) + rnorm(1, sd = 0.3)",
  "run <- function(objective, ..., budget = 12) {",
  "  bayesgap(8, objective, budget = budget, cov = cov, seed = 3, ...)",
  "}",
  # The same in five blocks that differ more than arms do, each of which begins with arm 2.
  "in_blocks <- function(arm, pull) noisy(arm) + 3 * cos(2 * as.integer(pull$block))",
  "run_blocks <- function(objective, ...) run(objective, ..., blocks = 5, control = 2)"
)
eval(parse(text = setup))

# The blocks that a run used, and whether each begins with the control.
blocks_used <- function(x) length(unique(x$log$block))
begins_with_control <- function(x) all(x$log$arm[!duplicated(x$log$block)] == 2L)
quietly <- function(code) suppressMessages(code)
lines_of <- function(folder, file) {
  path <- file.path(folder, file)
  if (file.exists(path)) readLines(path, warn = FALSE) else character()
}
