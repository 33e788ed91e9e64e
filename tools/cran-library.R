# A library of packages as CRAN has them, apart from the user's own, so that other parts are tested with
# what the system has. Usage: Rscript tools/cran-library.R NAME [PACKAGE...], where NAME is "tuners",
# for the tests of tuning, or "peers", for what bench/peers.R compares with. Prints where it is;
# installs the packages named that it lacks. Remove it to have newer ones.
arguments <- commandArgs(TRUE)
name <- arguments[1L]
packages <- arguments[-1L]
about <- paste0(name, "-", getRversion()[, 1:2])
lib <- file.path(tools::R_user_dir("bayesgap", "cache"), about)
absent <- function() Filter(function(p) !dir.exists(file.path(lib, p)), packages)
if (length(absent())) {
  dir.create(lib, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(lib, .libPaths()))
  if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
    utils::chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
  }
  message("Installing from CRAN for the ", name, ": ", toString(absent()))
  # What is tested once is compiled quickly; what is timed, as users have it.
  if (name == "tuners") {
    Sys.setenv(R_MAKEVARS_USER = normalizePath(file.path("tools", "Makevars.quick")))
  }
  utils::install.packages(
    absent(), lib = lib, quiet = TRUE, Ncpus = parallel::detectCores(),
    INSTALL_opts = c("--no-docs", "--no-test-load")
  )
  if (length(absent())) {
    stop("could not install: ", toString(absent()), call. = FALSE)
  }
}
cat(lib)
