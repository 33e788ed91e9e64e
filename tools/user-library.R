# The first library if it may be written to, or else the user's own, which is made if need be.
user_library <- function() {
  lib <- .libPaths()[1]
  if (file.access(lib, 2) != 0) {
    lib <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][1]
    dir.create(lib, recursive = TRUE, showWarnings = FALSE)
  }
  lib
}
