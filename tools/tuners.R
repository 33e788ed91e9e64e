# The library of what the tests of tuning need as CRAN has it, apart from the user's own, so that other
# parts are tested with what the system has. Prints where it is; installs the packages named that it
# lacks. Remove it to have newer ones.
packages <- commandArgs(TRUE)
about <- paste0("tuners-", getRversion()[, 1:2])
lib <- file.path(tools::R_user_dir("bayesgap", "cache"), about)
absent <- function() Filter(function(p) !dir.exists(file.path(lib, p)), packages)
if (length(absent())) {
  dir.create(lib, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(lib, .libPaths()))
  if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
    utils::chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
  }
  message("Installing from CRAN for the tuners: ", toString(absent()))
  # They are tested once, not used: compiled quickly.
  Sys.setenv(R_MAKEVARS_USER = normalizePath(file.path("tools", "Makevars.quick")))
  utils::install.packages(
    absent(), lib = lib, quiet = TRUE, Ncpus = parallel::detectCores(),
    INSTALL_opts = c("--no-docs", "--no-test-load")
  )
  if (length(absent())) {
    stop("could not install: ", toString(absent()), call. = FALSE)
  }
}
cat(lib)
