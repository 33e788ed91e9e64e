# Who writes a file: a lock beside it, and whether its owner still lives.

# A file beside the run's says who writes it. Returns the function that removes it. Where it cannot
# be written, the run cannot be either, which is said when that is tried. wait: the seconds that
# another may take to be done.
lock_file <- function(file, wait = 0) {
  lock <- paste0(file, ".lock")
  mine <- lock_text()
  until <- now() + wait
  broken <- absent <- 0L
  repeat {
    if (is.null(.Call(bg_write, lock, charToRaw(mine), TRUE))) {
      # Two may have removed the same stale lock, one of them the other's new one with it.
      if (broken > 0L) Sys.sleep(0.2)
      if (identical(read_lock(lock), mine)) {
        return(hold_lock(lock, mine))
      }
    }
    theirs <- read_whole_lock(lock)
    if (!file.exists(lock)) {
      # It was given up meanwhile; where it never is there, it cannot be written.
      absent <- absent + 1L
      if (absent > 10L) {
        return(function() NULL)
      }
      # On Windows one that is being removed can for a moment neither be seen nor written.
      Sys.sleep(0.01)
    } else if (broken < 3L && is_stale(theirs, lock)) {
      if (identical(read_lock(lock), theirs)) .Call(bg_remove, lock)
      broken <- broken + 1L
    } else if (now() >= until) {
      abort_locked(file, lock, theirs)
    } else {
      allowInterrupts(Sys.sleep(0.05))
    }
  }
}

# Returns the function that gives it up.
hold_lock <- function(lock, text) {
  session$locks <- c(session$locks, lock)
  function() {
    session$locks <- setdiff(session$locks, lock)
    if (identical(read_lock(lock), text)) .Call(bg_remove, lock)
  }
}

abort_locked <- function(file, lock, theirs) {
  abort(
    "checkpoint", "Another run writes \"", file, "\" (", sub("\n.*", "", theirs), "). If that ",
    "is not so, remove the file \"", lock, "\"."
  )
}

lock_text <- function() {
  sprintf(
    "process %d on %s, since %s\nstart %s\n", Sys.getpid(), Sys.info()[["nodename"]],
    format(Sys.time(), "%Y-%m-%d %H:%M:%S UTC", tz = "UTC"), process_start(Sys.getpid())
  )
}

read_lock <- function(lock) {
  bytes <- try_read(lock)
  if (is.null(bytes)) "" else rawToChar(bytes[bytes != 0L])
}

# A lock that is being written is empty for a moment.
read_whole_lock <- function(lock) {
  for (i in 1:20) {
    text <- read_lock(lock)
    if (endsWith(text, "\n") || !file.exists(lock)) break
    Sys.sleep(0.02)
  }
  text
}

# Its process is gone, or its number belongs to another by now. What another computer does
# cannot be seen from here.
is_stale <- function(text, lock) {
  pattern <- "^process (\\d{1,9}) on (.*), since .*\nstart (\\S*)\n$"
  found <- regmatches(text, regexec(pattern, text))[[1L]]
  if (!length(found)) {
    # Half a lock is one whose process died; anything else is not ours.
    return(startsWith("process ", text) || startsWith(text, "process "))
  }
  process <- as.integer(found[2L])
  if (found[3L] != Sys.info()[["nodename"]]) {
    return(FALSE)
  }
  starts <- c(found[4L], process_start(process))
  ended <- !.Call(bg_alive, process) || (starts[1L] != starts[2L] && !"unknown" %in% starts)
  # An interrupt may have left a lock of this very session.
  ended || (process == Sys.getpid() && !lock %in% session$locks)
}

# When a process began, where the system tells, which it may not do for another user's: numbers of
# processes are used again.
process_start <- function(process) {
  began <- .Call(bg_began, process)
  if (began > 0) sprintf("%.0f", began) else "unknown"
}
