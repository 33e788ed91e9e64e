# Installs the named packages from CRAN into the user's own library.
packages <- commandArgs(TRUE)
if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
  utils::chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
}
source("tools/user-library.R")
lib <- user_library()
.libPaths(lib)
utils::install.packages(packages, lib = lib, quiet = TRUE)
absent <- packages[!nzchar(vapply(packages, function(p) system.file(package = p), ""))]
if (length(absent) > 0) {
  stop("could not install: ", toString(absent), call. = FALSE)
}
