# What this process and those that it starts share: the plan, the run, and objectives that leave
# traces. `run` and `noisy` are those of tests/faults/harness.R.

template <- system.file("templates", "slurm.tmpl", package = "bayesgap", mustWork = TRUE)

# memory: megabytes of a job; the node has 2000.
slurm <- function(memory = 200) {
  future::plan(
    future.batchtools::batchtools_slurm, template = template,
    resources = list(walltime = 600, memory = memory, ncpus = 1, partition = "main")
  )
}

# The same for jobs that never begin: their log is looked for during a second, not a minute, which
# is for files that come over a network.
slurm_without_logs <- function() {
  future::plan(
    future.batchtools::batchtools_custom, resources = list(walltime = 600, memory = 200),
    cluster.functions = batchtools::makeClusterFunctionsSlurm(template, fs.latency = 1)
  )
}

go <- function(objective, ...) run(objective, budget = 6, batch = 3, ...)

# Leaves a file in the folder for every job and pull, then does what is to be done in that pull.
seen <- function(folder, then = function(pull) NULL) {
  force(folder)
  force(then)
  function(arm, pull) {
    name <- sprintf("%s-pull-%d", Sys.getenv("SLURM_JOB_ID"), pull$index)
    file.create(file.path(folder, name))
    then(pull)
    noisy(arm)
  }
}

# Some pulls wait until there is a file `go` in the folder.
held <- function(folder, which) {
  function(pull) {
    while (pull$index %in% which && !file.exists(file.path(folder, "go"))) Sys.sleep(0.1)
  }
}
