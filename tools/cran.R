# Installs the named packages from CRAN into the user's own library.
packages <- commandArgs(TRUE)
if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
  utils::chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
}
lib <- .libPaths()[1]
if (file.access(lib, 2) != 0) {
  lib <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][1]
  dir.create(lib, recursive = TRUE, showWarnings = FALSE)
  .libPaths(lib)
}
utils::install.packages(packages, lib = lib, quiet = TRUE)
absent <- packages[!nzchar(vapply(packages, function(p) system.file(package = p), ""))]
if (length(absent) > 0) {
  stop("could not install: ", toString(absent), call. = FALSE)
}
