# Bytes on a disk: names of files, an atomic, verified write, and reading.

check_file <- function(file, arg) {
  if (!is.character(file) || length(file) != 1L || is.na(file) || !nzchar(file)) {
    abort_argument("checkpoint", arg, "the name of a file", file)
  }
  if (!is_path(file) || nchar(basename(file), "bytes") > 200L) {
    abort(
      "checkpoint", "`", arg, "` must be the name of a file, text of at most 200 bytes, in a ",
      "folder; it has ", grouped(nchar(file, "bytes")), " bytes."
    )
  }
  file <- follow_link(path.expand(file), arg)
  folder <- dirname(file)
  if (!dir.exists(folder)) {
    abort("checkpoint", "`", arg, "` is in a folder that does not exist: \"", folder, "\".")
  }
  if (.Call(bg_kind, file) == "other") {
    abort("checkpoint", "`", arg, "` must be a file, but \"", file, "\" is a device or a pipe.")
  }
  # Absolute, since an objective may change the working directory; where it is a link, the target.
  # The same text before and after the file is there, since locks are known by it.
  if (file.exists(file)) {
    normalizePath(file, "/")
  } else {
    file.path(normalizePath(folder, "/"), basename(file))
  }
}

# The target of a link need not be there yet.
follow_link <- function(file, arg) {
  for (i in 1:40) {
    to <- Sys.readlink(file)
    if (is.na(to) || !nzchar(to)) {
      return(file)
    }
    file <- if (startsWith(to, "/")) to else file.path(dirname(file), to)
  }
  abort("checkpoint", "`", arg, "` is a link that leads back to itself: \"", file, "\".")
}

# NULL, or what went wrong, in words. The file is replaced only by bytes that the disk has.
write_run <- function(bytes, file) {
  folder <- dirname(file)
  # tempfile() itself has not every letter of a folder on Windows before R 4.2.
  part <- paste0(file, ".", basename(tempfile("")), ".part")
  problem <- .Call(bg_write, part, bytes, FALSE)
  if (is.null(problem) && !identical(try_read(part), bytes)) {
    problem <- "the file does not read back as it was written"
  }
  if (is.null(problem)) {
    if (file.exists(file)) Sys.chmod(part, file.mode(file), use_umask = FALSE)
    problem <- replace_file(part, file)
  }
  if (is.null(problem)) {
    .Call(bg_settle, folder)
  } else {
    # It may have the mode of a file that is only to be read, which Windows does not remove.
    unlink(part, force = TRUE)
  }
  problem
}

replace_file <- function(part, file) .Call(bg_replace, part, file)

# Opened once: the file may be replaced by another meanwhile.
try_read <- function(file) {
  tryCatch(suppressWarnings({
    connection <- file(file, "rb")
    on.exit(close(connection))
    parts <- list()
    while (length(part <- readBin(connection, "raw", 2^22))) {
      parts <- c(parts, list(part))
    }
    if (length(parts)) do.call(c, parts) else raw()
  }), error = function(e) NULL)
}

read_bytes <- function(file) {
  if (dir.exists(file)) {
    abort("checkpoint", "\"", file, "\" is a folder, not a saved run.")
  }
  # On Windows a file that is being replaced cannot be opened for a moment.
  for (i in 1:5) {
    if (!is.null(bytes <- try_read(file))) break
    Sys.sleep(0.02)
  }
  if (is.null(bytes)) {
    abort("checkpoint", "The file \"", file, "\" cannot be read.")
  }
  bytes
}

# The file is never changed.
refuse <- function(file, ...) {
  abort("checkpoint", "The file \"", file, "\" ", ..., " It was left as it is.")
}

# What a killed process left behind.
part_files <- function(file) {
  parts <- list.files(dirname(file), "\\.part$", full.names = TRUE, all.files = TRUE)
  start <- paste0(basename(file), ".")
  ours <- startsWith(basename(parts), start)
  # Not those of another checkpoint whose name goes on where this one ends.
  parts[ours & grepl("^[0-9a-f]+\\.part$", substring(basename(parts), nchar(start) + 1L))]
}
