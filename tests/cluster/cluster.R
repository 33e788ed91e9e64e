# Runs and benchmarks on a real SLURM of one node (see tools/with-slurm.sh), with the template that
# is shipped: they equal those without it, whatever becomes of jobs, the queue and the session.
# Needs: batchtools
source("tests/faults/harness.R")
source("tests/cluster/slurm.R")

# The code in a folder of its own, where future.batchtools keeps its files, with a plan only there.
on_slurm <- function(code, folder = new_folder(), memory = 200) {
  before <- setwd(folder)
  on.exit({
    future::plan(future::sequential)
    unlink(".future", recursive = TRUE) # else the queue is asked at the end for jobs that were lost
    setwd(before)
  })
  slurm(memory)
  quietly(code)
}
# A process that drives a run.
shared <- c(setup, sprintf("source(%s)", deparse(normalizePath("tests/cluster/slurm.R"))))
drive <- function(code, ...) start_r(c(shared, "folder <- getwd()", code), ...)
result_of <- function(driver) {
  await(gone(driver$pid))
  file <- file.path(driver$folder, "result.rds")
  if (!file.exists(file)) stop(paste(readLines(driver$log, warn = FALSE), collapse = "\n"))
  readRDS(file)
}

# The numbers of the jobs in these states; by default of all that are not over.
jobs <- function(states = "PD,R,CG") {
  system2("squeue", c("--noheader", "--format=%i", paste0("--states=", states)), stdout = TRUE)
}
check_none_left <- function() check(await(!length(jobs())), "no job is left")

# Which pulls were made in jobs, and in how many.
pulls_in <- function(folder) {
  sort(as.integer(sub(".*-pull-", "", dir(folder, "^[0-9]+-pull-"))))
}
error_of <- function(x, pull) as.data.frame(x)$error[pull]
failed_pulls <- function(x) which(!is.na(as.data.frame(x)$error))
# The same arms and rewards, where messages may differ.
same_pulls <- function(x, y) {
  identical(x$log[c("arm", "reward")], y$log[c("arm", "reward")]) &&
    identical(best_arm(x), best_arm(y))
}

here <- go(noisy)

case("a batch of pulls: the run equals the sequential one", {
  folder <- new_folder()
  there <- on_slurm(go(seen(folder), checkpoint = "run.bgap"), folder)
  check(identical(there, here), "the same run")
  check(identical(best_arm(there), best_arm(here)), "and recommendation")
  check(identical(read_run(file.path(folder, "run.bgap")), here), "and checkpoint")
  check(identical(pulls_in(folder), 1:6), "every pull was made in a job, once")
  check(!anyDuplicated(sub("-.*", "", dir(folder, "-pull-"))), "each in one of its own")
  check_none_left()
})

case("a benchmark equals the sequential one; lost or refused, it says why", {
  model <- arm_model(8, cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = 0.3)
  compare <- function(policies = c("bayesgap", "uniform")) {
    benchmark_policies(problem_gaussian(model), policies, 12, reps = 4, seed = 5, chunk_size = 2)
  }
  table <- on_slurm(compare())
  check(identical(table, compare()), "the same table")
  known <- system2("scontrol", c("--oneliner", "show", "jobs"), stdout = TRUE)
  check(sum(grepl("JobName=bayesgap-[12] ", known)) == 2L, "made in two jobs")
  e <- tryCatch(on_slurm(compare(), memory = 1e6), error = identity)
  check(inherits(e, "bayesgap_error_worker"), "no node has so much memory")
  check(grepl("Memory specification can not be satisfied", conditionMessage(e)), "which it says")
  check(!grepl("TROUBLESHOOTING", conditionMessage(e)), "and no more")
  deadly <- policy("deadly", choose = function(state) {
    if (nzchar(Sys.getenv("SLURM_JOB_ID"))) tools::pskill(Sys.getpid(), 9)
    1
  })
  check(error_class(on_slurm(compare(list(deadly)))) == "bayesgap_error_worker", "jobs are killed")
  check_none_left()
})

case("jobs that are cancelled or killed in their midst are failed attempts of their pulls alone", {
  # At the first attempt the second pull is cancelled; the third is killed each time.
  deadly <- function(pull) {
    if (pull$index == 2L && pull$attempt == 1L) {
      system2("scancel", Sys.getenv("SLURM_JOB_ID"))
      Sys.sleep(600)
    }
    if (pull$index == 3L) tools::pskill(Sys.getpid(), 9)
  }
  folder <- new_folder()
  there <- on_slurm(go(seen(folder, deadly), retries = 1))
  check(identical(pulls_in(folder), sort(c(1:6, 2:3))), "two are made again")
  check(identical(failed_pulls(there), 3L), "one failed for good")
  check(grepl("its job ended without a result", error_of(there, 3)), "and says why")
  failing <- function(pull) {
    if (pull$index == 3L || (pull$index == 2L && pull$attempt == 1L)) stop("lost")
  }
  check(same_pulls(there, go(seen(folder, failing), retries = 1)), "as if the objective had failed")
  check_none_left()
})

case("a run that stops at a cancelled job goes on from its checkpoint to the same end", {
  deadly <- function(pull) {
    if (pull$index == 2L) {
      system2("scancel", Sys.getenv("SLURM_JOB_ID"))
      Sys.sleep(600)
    }
  }
  folder <- new_folder()
  stop_at <- function(objective) {
    go(objective, on_error = "stop", checkpoint = file.path(folder, "run.bgap"))
  }
  e <- tryCatch(on_slurm(stop_at(seen(folder, deadly))), error = identity)
  check(inherits(e, "bayesgap_error_objective"), "it stops")
  check(grepl("CANCELLED", conditionMessage(e)), "and says what SLURM says")
  saved <- read_run(file.path(folder, "run.bgap"))
  check(saved$observed == 2L && identical(saved, e$run), "what the others observed is kept")
  again <- new_folder()
  check(identical(on_slurm(stop_at(seen(again))), here), "the same run")
  check(identical(pulls_in(again), c(2L, 4:6)), "of which nothing was made twice")
  check_none_left()
})

case("more memory than the node has: the reason, and nothing observed is lost", {
  folder <- new_folder()
  file <- file.path(folder, "run.bgap")
  broken <- function(pull) if (pull$index == 4L) stop("broken")
  stop_at <- function(objective) go(objective, on_error = "stop", checkpoint = file)
  check(error_class(stop_at(seen(folder, broken))) == "bayesgap_error_objective", "begun elsewhere")
  before <- read_run(file)
  check(before$observed == 5L, "with five observations")
  e <- tryCatch(on_slurm(stop_at(seen(folder)), memory = 1e6), error = identity)
  check(inherits(e, "bayesgap_error_workers"), "it stops")
  check(grepl("Memory specification can not be satisfied", conditionMessage(e)), "with the reason")
  check(grepl("No pull was spent", conditionMessage(e)), "and says what it cost")
  check(identical(e$run, before) && identical(last_run(), before), "the run is as it was")
  check(identical(read_run(file), before), "in its checkpoint too")
  check(identical(on_slurm(stop_at(seen(folder))), here), "mended, the same call goes on")
  check(identical(pulls_in(folder), 4L), "with what was left to do")
  check_none_left()
})

case("a job that is cancelled before it begins is a failed pull, and the run goes on", {
  # Nothing else fits beside it.
  full <- system2(
    "sbatch", c("--exclusive", "--mem=0", "--output=/dev/null", "--wrap", shQuote("sleep 600")),
    stdout = TRUE
  )
  full <- sub(".* ", "", full)
  check(await(full %in% jobs("R")), "the node is full")
  driver <- drive(c("slurm_without_logs()", "saveRDS(go(seen(folder)), 'result.rds')"))
  check(await(length(jobs("PD")) == 3L), "three jobs are waiting")
  second <- sort(as.integer(jobs("PD")))[2L]
  system2("scancel", second)
  check(await(!second %in% jobs()), "one is cancelled")
  system2("scancel", full)
  there <- result_of(driver)
  check(identical(pulls_in(driver$folder), c(1L, 3:6)), "its pull is not made")
  check(identical(failed_pulls(there), 2L), "and has failed")
  check(grepl("its job ended without a result, and left no log", error_of(there, 2)), "and says so")
  failing <- function(pull) if (pull$index == 2L) stop("lost")
  check(same_pulls(there, go(seen(driver$folder, failing))), "as if the objective had failed")
  check_none_left()
})

case("the session is killed while jobs are out: the same call goes on to the same end", {
  driver <- drive(c("slurm()", "go(seen(folder, held(folder, 2)), checkpoint = 'run.bgap')"))
  file <- file.path(driver$folder, "run.bgap")
  observed <- function() tryCatch(read_run(file)$observed, error = function(e) 0L)
  check(await(observed() == 2L), "two of three are saved")
  kill(driver$pid)
  check(length(jobs("R")) == 1L, "the third is out")
  folder <- new_folder()
  there <- on_slurm(go(seen(folder), checkpoint = file))
  check(identical(there, here), "the same run")
  check(identical(pulls_in(folder), c(2L, 4:6)), "of which nothing that was saved was made twice")
  check(length(jobs("R")) == 1L, "the job of the dead session is still out")
  file.create(file.path(driver$folder, "go"))
  check_none_left()
  check(identical(read_run(file), here), "and changed nothing")
})

case("the queue does not answer for a while: no pull is lost", {
  # A line for every time that the driver asks in vain, which it soon knows.
  bin <- new_folder()
  conf <- Sys.getenv("SLURM_CONF")
  writeLines(c(readLines(conf), "MessageTimeout=2"), file.path(bin, "slurm.conf"))
  writeLines(c(
    "#!/bin/sh",
    sprintf("SLURM_CONF=%s/slurm.conf %s \"$@\" && exit", bin, Sys.which("squeue")),
    sprintf("echo >> %s/in-vain", bin), "exit 1"
  ), file.path(bin, "squeue"))
  Sys.chmod(file.path(bin, "squeue"), "755")
  path <- paste0("PATH=", shQuote(paste(bin, Sys.getenv("PATH"), sep = ":")))
  driver <- drive(
    c("slurm()", "saveRDS(go(seen(folder, held(folder, 1:3))), 'result.rds')"), environment = path
  )
  check(await(identical(pulls_in(driver$folder), 1:3)), "three jobs are out")
  controller <- as.integer(readLines(file.path(dirname(conf), "slurmctld.pid")))
  tools::pskill(controller)
  check(await(gone(controller)), "the queue is gone")
  file.create(file.path(driver$folder, "go"))
  unlink(file.path(bin, "in-vain"))
  # For each of the three, and for the result of one that were taken for ready.
  check(await(length(lines_of(bin, "in-vain")) >= 5L), "the run asks in vain")
  check(!gone(driver$pid), "and waits")
  system("slurmctld -D > /dev/null 2>&1", wait = FALSE)
  check(await(system2("squeue", stdout = FALSE, stderr = FALSE) == 0L), "the queue is back")
  check(identical(result_of(driver), here), "the same run")
  check(identical(pulls_in(driver$folder), 1:6), "of which nothing was made twice")
  check_none_left()
})

cat(sprintf("%d passed, %d failed, %d skipped\n", passed, failed, skipped))
quit(status = as.integer(failed > 0L))
