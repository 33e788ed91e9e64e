# What a scheduler carries out.

breads <- c(plain = 5.2, rye = 6.1, spelt = 5.8, oat = 6.6)

in_folder <- function(code) {
  folder <- tempfile("folder")
  dir.create(folder)
  before <- setwd(folder)
  on.exit(setwd(before))
  force(code)
}

test_that("jobs of future.batchtools give the run that this session gives", {
  skip_on_cran()
  skip_if_not_installed("future.batchtools")
  bake <- function(arm) rnorm(1, breads[[arm]], 1)
  here <- bayesgap(names(breads), bake, budget = 4, batch = 2, seed = 1)
  before <- future::plan(future.batchtools::batchtools_local)
  on.exit(future::plan(before))
  there <- in_folder(bayesgap(
    names(breads), bake, budget = 4, batch = 2, checkpoint = "run.rds", seed = 1
  ))
  expect_identical(there, here)
})

# ---- Templates --------------------------------------------------------------------------------

template <- function(...) system.file("templates", ..., package = "bayesgap", mustWork = TRUE)

# Stand-ins for the commands of SLURM: a job is carried out when it is submitted, and its script
# is kept in the working directory.
with_slurm <- function(code) {
  bin <- tempfile("bin")
  dir.create(bin)
  writeLines(c(
    "#!/bin/sh", sprintf("cp \"$1\" \"%s/script.sh\"", getwd()),
    "sh \"$1\" > /dev/null 2>&1", "echo Submitted batch job 1"
  ), file.path(bin, "sbatch"))
  writeLines("#!/bin/sh", file.path(bin, "squeue"))
  Sys.chmod(file.path(bin, c("sbatch", "squeue")), "755")
  path <- Sys.getenv("PATH")
  Sys.setenv(PATH = paste(bin, R.home("bin"), path, sep = ":"))
  on.exit(Sys.setenv(PATH = path))
  force(code)
}

test_that("the SLURM template becomes a job script that carries out a pull", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("future.batchtools")
  bake <- function(arm) rnorm(1, breads[[arm]], 1)
  here <- bayesgap(names(breads), bake, budget = 2, batch = 2, seed = 1)
  before <- future::plan()
  on.exit(future::plan(before))
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
  expect_identical(there, here)
  expect_identical(syntax, 0L)
  expect_identical(script[1], "#!/bin/sh")
  options <- grep("^#SBATCH --", script, value = TRUE)
  expect_match(options[1], "--job-name=.")
  expect_match(options[2], "--output=/.*[.]log$")
  expect_identical(options[-(1:2)], paste0("#SBATCH --", c(
    "time=91", "mem=150000M", "nodes=1", "ntasks=1", "cpus-per-task=4", "partition=long",
    "no-requeue"
  )))
  # Options are read up to the first command.
  expect_true(all(grep("^#SBATCH", script) < min(grep("^[^#]", script))))
})

test_that("the folder of csv scripts carries a run to its end, lost jobs included", {
  skip_on_cran()
  skip_on_os("windows")
  path <- Sys.getenv("PATH")
  Sys.setenv(PATH = paste(R.home("bin"), path, sep = ":"))
  on.exit(Sys.setenv(PATH = path))
  do <- function(command) suppressWarnings(system(paste(command, "> log.txt 2>&1")))
  array <- function(jobs) for (i in jobs) do(sprintf("SLURM_ARRAY_TASK_ID=%d sh array.sh", i))
  out <- function() read.csv("todo.csv")$pull
  in_folder({
    file.copy(list.files(template("csv"), full.names = TRUE), ".")
    expect_identical(do("Rscript ask.R"), 0L)
    expect_identical(out(), 1:4)
    array(c(1, 2, 4))
    do("Rscript tell.R")
    do("Rscript tell.R") # a second time changes nothing
    do("Rscript ask.R")
    do("Rscript ask.R")
    expect_identical(out(), c(3L, 5:7))
    array(1:4)
    do("Rscript tell.R")
    do("Rscript ask.R")
    expect_identical(out(), 8:11)
    array(c(1, 3, 4))
    result <- readLines("result-10.csv")
    writeLines(sub(",[^,\"]*$", ",Inf", result), "result-10.csv")
    do("Rscript tell.R failed")
    do("Rscript ask.R")
    array(1:4)
    do("Rscript tell.R")
    expect_identical(do("Rscript ask.R"), 1L)
    x <- read_run("oven.rds")
  })
  told <- as.data.frame(x)
  expect_identical(sort(told$pull), 1:12)
  expect_setequal(told$pull[is.na(told$y)], 9:10)
})
