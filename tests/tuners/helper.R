# Where SLURM is installed and not set up, as make cluster leaves it, parallelly would ask it, and warn.
options(parallelly.slurm_expand_nodelist.manual = TRUE)

# What the tests of tuning share. `make tuners` installs what they need from CRAN in a library of its
# own.
# Needs: caret, future, ggplot2, glmnet, kernlab, ranger, rpart
# From CRAN: checkmate, dials, hardhat, lgr, mlr3, mlr3learners, mlr3pipelines, mlr3tuning, paradox
# From CRAN: parsnip, recipes, rsample, tune, workflows, workflowsets, yardstick

cars_folds <- function(seed = 1, v = 5, ...) {
  set.seed(seed)
  rsample::vfold_cv(mtcars, v = v, ...)
}

# Twelve penalised regressions.
penalised <- function() {
  model <- parsnip::linear_reg(penalty = tune::tune(), mixture = tune::tune())
  workflows::workflow(mpg ~ ., parsnip::set_engine(model, "glmnet"))
}

penalties <- function() expand.grid(penalty = c(0.001, 0.1, 1, 3), mixture = c(0, 0.5, 1))


# Runs R code in a process of its own with this library; returns its exit status.
run_process <- function(code, ...) {
  file <- tempfile(fileext = ".R")
  values <- list(...)
  for (name in names(values)) {
    code <- gsub(paste0("<", name, ">"), values[[name]], code, fixed = TRUE)
  }
  writeLines(code, file)
  suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), shQuote(file), stdout = FALSE, stderr = FALSE,
    env = paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
  ))
}

# The messages of these classes, muffled.
said <- function(code, class = "bayesgap_message") {
  found <- character()
  withCallingHandlers(code, message = function(m) {
    if (inherits(m, class)) found <<- c(found, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  found
}
