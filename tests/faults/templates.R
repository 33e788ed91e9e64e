# The templates for clusters that are shipped in inst/templates, with stand-ins for the commands of
# SLURM.

breads <- c(plain = 5.2, rye = 6.1, spelt = 5.8, oat = 6.6)

in_folder <- function(code) {
  folder <- tempfile("folder")
  dir.create(folder)
  before <- setwd(folder)
  on.exit(setwd(before))
  force(code)
}

template <- function(...) system.file("templates", ..., package = "bayesgap", mustWork = TRUE)

# Stand-ins for the commands of SLURM: a job is carried out when it is submitted, and its script
# is kept in the working directory.
sbatch <- function() {
  c(
    sprintf("cp \"$1\" \"%s/script.sh\"", getwd()), "sh \"$1\" > /dev/null 2>&1",
    "echo Submitted batch job 1"
  )
}
with_slurm <- function(code, submit = sbatch()) {
  bin <- tempfile("bin")
  dir.create(bin)
  writeLines(c("#!/bin/sh", submit), file.path(bin, "sbatch"))
  writeLines("#!/bin/sh", file.path(bin, "squeue"))
  Sys.chmod(file.path(bin, c("sbatch", "squeue")), "755")
  path <- Sys.getenv("PATH")
  Sys.setenv(PATH = paste(bin, R.home("bin"), path, sep = ":"))
  on.exit(Sys.setenv(PATH = path))
  force(code)
}

case("the SLURM template becomes a job script that carries out a pull", {
  bake <- function(arm) rnorm(1, breads[[arm]], 1)
  here <- bayesgap(names(breads), bake, budget = 2, batch = 2, seed = 1)
  in_folder(with_slurm({
    resources <- list(walltime = 5401, memory = 150000, ncpus = 4, partition = "long")
    future::plan(
      future.batchtools::batchtools_slurm, template = template("slurm.tmpl"),
      resources = resources
    )
    there <- bayesgap(names(breads), bake, budget = 2, batch = 2, seed = 1)
    syntax <- system2("sh", c("-n", "script.sh"))
    script <- readLines("script.sh")
  }))
  future::plan(future::sequential)
  check(identical(there, here), "the job gives what this session gives")
  check(identical(syntax, 0L), "the script is one of the shell")
  check(identical(script[1], "#!/bin/sh"), "it says so")
  options <- grep("^#SBATCH --", script, value = TRUE)
  check(grepl("--job-name=.", options[1]), "job name")
  check(grepl("--output=/.*[.]log$", options[2]), "log file")
  check(identical(options[-(1:2)], paste0("#SBATCH --", c(
    "time=91", "mem=150000M", "nodes=1", "ntasks=1", "cpus-per-task=4", "partition=long",
    "no-requeue"
  ))), "resources")
  check(all(grep("^#SBATCH", script) < min(grep("^[^#]", script))), "options before commands")
})

# Submits the first jobs, and refuses any further.
refusing <- function(accepted) {
  c(
    sprintf("echo job >> \"%s/jobs\"", getwd()),
    sprintf("if [ $(wc -l < \"%s/jobs\") -gt %d ]; then", getwd(), accepted),
    "  echo 'sbatch: error: Memory specification can not be satisfied' >&2",
    "  echo 'sbatch: error: Batch job submission failed' >&2",
    "  exit 1",
    "fi", sbatch()
  )
}

case("a queue that refuses jobs stops the run with its reason, and no pull is spent", {
  bake <- function(arm) rnorm(1, breads[[arm]], 1)
  go <- function(...) bayesgap(names(breads), bake, budget = 6, batch = 2, seed = 1, ...)
  here <- go()
  for (accepted in c(0L, 1L, 3L)) {
    in_folder({
      with_slurm({
        future::plan(
          future.batchtools::batchtools_slurm, template = template("slurm.tmpl"),
          resources = list(walltime = 60, memory = 1e9, ncpus = 1, partition = "long")
        )
        e <- tryCatch(quietly(go(checkpoint = "run.rds")), error = identity)
      }, refusing(accepted))
      last <- last_run()
      file <- read_run("run.rds")
      future::plan(future::sequential)
      again <- quietly(go(checkpoint = "run.rds"))
    })
    what <- sprintf("(%d accepted)", accepted)
    check(inherits(e, "bayesgap_error_workers"), paste("the run stops", what))
    check(grepl("Memory specification", conditionMessage(e)), paste("with the reason", what))
    check(!grepl("TROUBLESHOOTING", conditionMessage(e)), paste("and no more", what))
    check(last$observed == accepted && length(last$log$arm) == accepted, paste("no pull spent", what))
    check(identical(last, e$run) && identical(last, file), paste("everywhere", what))
    check(identical(again, here), paste("the same call goes on", what))
  }
})

case("the folder of csv scripts carries a run to its end, lost jobs included", {
  path <- shQuote(paste(R.home("bin"), Sys.getenv("PATH"), sep = ":"))
  do <- function(command) {
    suppressWarnings(system(sprintf("PATH=%s; export PATH; %s > log.txt 2>&1", path, command)))
  }
  array <- function(jobs) for (i in jobs) do(sprintf("SLURM_ARRAY_TASK_ID=%d sh array.sh", i))
  out <- function() read.csv("todo.csv")$pull
  in_folder({
    file.copy(list.files(template("csv"), full.names = TRUE), ".")
    check(identical(do("Rscript ask.R"), 0L), "a first time")
    check(identical(out(), 1:4), "four pulls")
    array(c(1, 2, 4))
    do("Rscript tell.R")
    do("Rscript tell.R") # a second time changes nothing
    do("Rscript ask.R")
    do("Rscript ask.R")
    check(identical(out(), c(3L, 5:7)), "the lost one again")
    array(1:4)
    do("Rscript tell.R")
    do("Rscript ask.R")
    check(identical(out(), 8:11), "the next four")
    array(c(1, 3, 4))
    result <- readLines("result-10.csv")
    writeLines(sub(",[^,\"]*$", ",Inf", result), "result-10.csv")
    do("Rscript tell.R failed")
    do("Rscript ask.R")
    array(1:4)
    do("Rscript tell.R")
    check(identical(do("Rscript ask.R"), 1L), "nothing is left")
    x <- read_run("oven.bgap")
  })
  told <- as.data.frame(x)
  check(identical(sort(told$pull), 1:12), "every pull was told once")
  check(setequal(told$pull[is.na(told$y)], 9:10), "two of them failed")
})
