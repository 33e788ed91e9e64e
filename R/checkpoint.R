# Saved runs: an atomic, verified write, a verified read, and the checkpoint of a running one.
#
# A file begins with a line of text that holds the checksum of all that follows: a second line
# (format, version, length of the settings), the settings, and the facts, both plain data. Nothing
# is parsed before the checksum agrees. The facts are what was told, in order; the state is rebuilt
# from them by the very steps that made it.

format_number <- 2L
magic <- "bayesgap run, checksum "

#' Save a run so that nothing is lost
#'
#' `save_run()` writes a run to a file in such a way that a crash, a full disk or a power cut
#' leaves either the new file or the one that was there before; `read_run()` reads it back and
#' refuses a file that is damaged. Use them between [ask()] and [tell()] when days pass in between;
#' within one call of [bayesgap()], `checkpoint =` saves after every pull.
#'
#' The bytes are written to a temporary file in the same folder, flushed to the disk, read back
#' and compared, and only then renamed. The file has a checksum. It does not hold the state but
#' what led to it: the arms, the prior, the policy, the seed, and every result in order. Reading
#' goes through all of that again, so that the run is the same to the last bit. Where the name is
#' that of a link, its target is written; a device or a pipe is refused.
#'
#' The file can also be read while [bayesgap()] is still running with it as its `checkpoint`: that
#' is a way to look at a long run from another session.
#'
#' @section What is not in the file:
#' A file holds data, no functions and no formulas.
#'
#' * The objective is not saved.
#' * Of a policy of your own, its name and a fingerprint of the code of its functions are kept.
#'   Give the policy again as `policy` to go on with the run. Without it the run is read with a
#'   warning and all observations are there: they can be looked at and saved again, but nothing can
#'   be told, for what the policy decides is not known.
#' * Of a kernel, what it made of the arms is kept, so that the run goes on without it; and its text
#'   and a fingerprint of its code, by which [bayesgap()] knows the call again. To use the kernel
#'   for other arms, make it again.
#' * What a result brought besides `y` and `se` is kept where it is plain data: vectors, such as
#'   dates and factors, data frames, and lists of them. Anything else (a fitted model, a formula, a
#'   function) comes back as the raw bytes of its serialization, of class `bayesgap_bytes`;
#'   `unserialize()` gives the object back. Do that only with files that you trust.
#'
#' @section Files from others:
#' The checksum finds damage; it is no signature. So `read_run()`, and [bayesgap()] with a
#' `checkpoint`, take a file for what anyone may have written, and promise this:
#'
#' * No code is run from it. Its bytes are looked through before R reads them, and are refused if
#'   they hold anything but plain data: functions, promises, environments, calls, byte code,
#'   pointers, objects of S4, other forms of vectors, or lengths and attributes that do not fit.
#' * Every field is checked as the arguments of a call are, and against the other fields, before
#'   anything is computed from it. A file that could not have been written by this package is an
#'   error of class `bayesgap_error_checkpoint`, and is left as it is.
#' * The memory that reading takes grows with the size of the file and with the work of its run.
#'
#' This remains: a file may tell results that were never observed, may be the run of another
#' problem than you think, and may take long to read. Columns of the arms and of the results keep
#' their classes, so that printing them calls the methods which your packages have for these
#' classes. And `unserialize()` of the bytes above is your own decision.
#'
#' @param x A run, made by [bayesgap()] or [tell()].
#' @param file The name of the file. Its folder must exist.
#' @param policy The policy of the run, where it is one of your own, made by [policy()] with the
#'   same name and functions of the same code.
#' @return `save_run()`: the run, invisibly. `read_run()`: the run.
#' @seealso [bayesgap()] for checkpoints, `vignette("long-runs")`
#' @export
#' @examples
#' file <- tempfile(fileext = ".rds")
#' x <- bayesgap(c("red", "green", "blue"), budget = 5, seed = 1)
#' x <- tell(x, 0.7)
#' save_run(x, file)
#'
#' # Days later
#' x <- read_run(file)
#' ask(x)
save_run <- function(x, file) {
  check_run(x)
  file <- check_file(if (!missing(file)) file, "file")
  lock <- paste0(file, ".lock")
  if (file.exists(lock) && !is_stale(theirs <- read_whole_lock(lock), lock)) {
    abort_locked(file, lock, theirs)
  }
  problem <- write_run(pack_run(x, pack_settings(x)), file)
  if (!is.null(problem)) {
    abort("save", "The run could not be saved in \"", file, "\": ", problem, ". ",
          if (file.exists(file)) "The file that was there is unchanged.")
  }
  invisible(x)
}

#' @rdname save_run
#' @export
read_run <- function(file, policy = NULL) {
  file <- check_file(if (!missing(file)) file, "file")
  if (!file.exists(file)) {
    abort("checkpoint", "There is no file \"", file, "\".")
  }
  saved <- unpack_run(read_bytes(file), file)
  settings <- from_file(file, read_settings(saved$given))
  from_file(file, check_facts(saved$facts, settings))
  if (!is.null(policy)) {
    settings$policy <- check_same_policy(as_policy(policy), saved$given$policy, file)
  }
  if (lacks_functions(settings$policy)) {
    return(read_without_policy(settings, saved, file))
  }
  by_hand(rebuild_run(settings, saved, file, leniently))
}

check_same_policy <- function(policy, saved, file) {
  if (!identical(policy_given(policy), saved)) {
    abort(
      "checkpoint", "The run in \"", file, "\" was made with another policy than ",
      format(policy), ": the names, the parameters or the code of the functions differ.",
      data = list(differs = "policy")
    )
  }
  policy
}

# The observations can be had without the policy's decisions.
read_without_policy <- function(settings, saved, file) {
  own <- settings$policy$own
  settings$policy["own"] <- list(NULL)
  saved$facts[c("next_arm", "best")] <- list(NULL)
  x <- by_hand(rebuild_run(settings, saved, file))
  x$policy["own"] <- list(own)
  warn(
    "policy", "A file keeps no functions, so that the policy \"", own$label, "\" of the run in \"",
    file, "\" is not there. Policy \"", x$policy$name, "\" answers in its place; ",
    "read_run(file, policy = ) takes yours."
  )
  x
}

check_file <- function(file, arg) {
  if (!is.character(file) || length(file) != 1L || is.na(file) || !nzchar(file)) {
    abort_argument("checkpoint", arg, "the name of a file", file)
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
  if (file.exists(file)) normalizePath(file) else file.path(normalizePath(folder), basename(file))
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

# ---- Bytes ------------------------------------------------------------------------------------

# Made once for a running run: list(bytes, sum), the second line and the settings.
pack_settings <- function(x) {
  settings <- settings_bytes(x)
  about <- sprintf(
    "format %d, version %s, settings %.0f\n", format_number, package_version_now(),
    length(settings)
  )
  bytes <- c(charToRaw(about), settings)
  list(bytes = bytes, sum = checksum(bytes))
}

pack_run <- function(x, settings) {
  facts <- facts_bytes(x)
  c(charToRaw(paste0(magic, checksum(facts, settings$sum), "\n")), settings$bytes, facts)
}

package_version_now <- function() as.character(utils::packageVersion("bayesgap"))

# NULL, or what went wrong, in words. The file is replaced only by bytes that the disk has.
write_run <- function(bytes, file) {
  folder <- dirname(file)
  part <- tempfile(paste0(basename(file), "."), folder, ".part")
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
    unlink(part)
  }
  problem
}

replace_file <- function(part, file) {
  tryCatch(
    if (!file.rename(part, file)) "it could not be renamed",
    warning = function(w) sub(".*reason '(.*)'$", "\\1", conditionMessage(w))
  )
}

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
  bytes <- try_read(file)
  if (is.null(bytes)) {
    abort("checkpoint", "The file \"", file, "\" cannot be read.")
  }
  bytes
}

# The file is never changed.
refuse <- function(file, ...) {
  abort("checkpoint", "The file \"", file, "\" ", ..., " It was left as it is.")
}

# What was made of a file that may have been written by anyone.
from_file <- function(file, code) {
  tryCatch(code, error = function(e) {
    refuse(
      file, "holds no run that this package could have written: ",
      sub("[.]$", "", conditionMessage(e)), ". Restore a copy, or move it away."
    )
  })
}

# list(given, facts, version): plain data, of which nothing else is known yet. Or an error that says
# what the file is.
unpack_run <- function(bytes, file) {
  elsewhere <- "Give another file name, or move it away."
  head <- nchar(magic) + 17L
  if (!length(bytes)) {
    refuse(file, "is empty: whatever wrote it did not finish. Move it away, or restore a copy.")
  }
  if (length(bytes) < head || !identical(bytes[seq_len(nchar(magic))], charToRaw(magic))) {
    refuse(file, "is not a run saved by this package. ", elsewhere)
  }
  body <- bytes[-seq_len(head)]
  sum <- charToRaw(paste0(checksum(body), "\n"))
  if (!identical(bytes[nchar(magic) + 1:17], sum)) {
    refuse(file, "is damaged: its checksum does not agree. Restore a copy, or move it away.")
  }
  line <- utils::head(body, 200L)
  end <- match(as.raw(10L), line, nomatch = 1L)
  about <- read_about(line[seq_len(end - 1L)])
  if (is.null(about)) {
    refuse(file, "is not a run saved by this package. ", elsewhere)
  }
  if (about[1L] != format_number) {
    refuse(
      file, "was written by version ", about[2L], " of the package in format ", about[1L],
      "; this version (", package_version_now(), ") reads format ", format_number,
      ". Read it with that version."
    )
  }
  facts <- end + as.numeric(about[3L])
  from_file(file, {
    check_sound(facts > end && facts < length(body), "length")
    list(
      given = from_bytes(body[(end + 1):facts]),
      facts = from_bytes(body[(facts + 1):length(body)]), version = about[2L]
    )
  })
}

# Format, version and length of the settings, as text; NULL: this is something else.
read_about <- function(line) {
  pattern <- "^format ([0-9]+), version ([0-9.-]+), settings ([0-9]+)$"
  text <- if (all(line > 0L)) rawToChar(line) else ""
  found <- regmatches(text, regexec(pattern, text, useBytes = TRUE))[[1L]]
  if (length(found)) found[-1L]
}

# ---- The state again --------------------------------------------------------------------------

# The steps that made the run, taken again. Where no function of the user's takes part in them, they
# cannot fail with what a run left.
rebuild_run <- function(settings, saved, file, how = function(make, x) make(x)) {
  again <- function() how(function(x) replay(x, saved$facts), blank_run(settings))
  x <- if (is.null(settings$policy$own)) from_file(file, again()) else again()
  told <- c(saved$facts$next_arm, saved$facts$best)
  if (length(told) && !identical(c(x$belief$next_arm, x$belief$best), told)) {
    warn(
      "checkpoint", "The run in \"", file, "\", written by version ", saved$version,
      ", goes on differently here: the next or the recommended arm is another than when it ",
      "was saved. Its observations are all there."
    )
  }
  x
}

replay <- function(x, facts) {
  x$open <- facts$epoch$open
  x <- keep_rows(x, log_rows(facts$log, seq_len(facts$epoch$rows)))
  x <- begin(x)
  x$epoch <- facts$epoch
  done <- facts$epoch$rows
  for (n in facts$tells) {
    x <- take_in(x, log_rows(facts$log, done + seq_len(n)))
    done <- done + n
  }
  x$remarks <- facts$remarks
  x["underway"] <- list(facts$underway)
  x
}

log_rows <- function(log, rows) lapply(log, `[`, rows)

# ---- The checkpoint of a running run ----------------------------------------------------------

# The file is ours until close(): list(file, save, close). Saving never stops a run.
open_checkpoint <- function(file) {
  unlock <- lock_file(file)
  unlink(part_files(file))
  settings <- NULL
  said <- character()
  problem <- NULL
  list(
    file = file,
    save = function(x) {
      if (is.null(settings)) {
        settings <<- pack_settings(x)
      }
      problem <<- suspendInterrupts(write_run(pack_run(x, settings), file))
      if (!is.null(problem) && !problem %in% said) {
        said <<- c(said, problem)
        warn_unsaved(
          file, problem, "The run goes on in memory, and saving is tried again after every pull."
        )
      }
    },
    close = function() {
      unlock()
      if (!is.null(problem)) {
        warn_unsaved(file, problem, "Save the run elsewhere with save_run().")
      }
    }
  )
}

no_checkpoint <- list(save = function(x) NULL, close = function() NULL)

# Whatever the user makes of warnings, this one ends no run.
warn_unsaved <- function(file, problem, advice) {
  old <- options(warn = min(getOption("warn"), 1L))
  on.exit(options(old))
  warn("checkpoint", "The run could not be saved in \"", file, "\": ", problem, ". ", advice)
}

# What a killed process left behind.
part_files <- function(file) {
  parts <- list.files(dirname(file), "\\.part$", full.names = TRUE, all.files = TRUE)
  start <- paste0(basename(file), ".")
  ours <- startsWith(basename(parts), start)
  # Not those of another checkpoint whose name goes on where this one ends.
  parts[ours & grepl("^[0-9a-f]+\\.part$", substring(basename(parts), nchar(start) + 1L))]
}

# A file beside the checkpoint says who writes it. Returns the function that removes it. Where it
# cannot be written, the checkpoint cannot be either, which is said when that is tried.
lock_file <- function(file) {
  lock <- paste0(file, ".lock")
  mine <- lock_text()
  for (try in 1:2) {
    problem <- .Call(bg_write, lock, charToRaw(mine), TRUE)
    if (is.null(problem)) {
      # Two runs may have removed the same stale lock, one of them the other's new one with it.
      if (try == 2L) Sys.sleep(0.2)
      if (try == 1L || identical(read_lock(lock), mine)) {
        return(hold_lock(lock, mine))
      }
    }
    if (!file.exists(lock)) {
      return(function() NULL)
    }
    theirs <- read_whole_lock(lock)
    if (try == 2L || !is_stale(theirs, lock)) {
      abort_locked(file, lock, theirs)
    }
    if (identical(read_lock(lock), theirs)) unlink(lock)
  }
}

# Returns the function that gives it up.
hold_lock <- function(lock, text) {
  session$locks <- c(session$locks, lock)
  function() {
    session$locks <- setdiff(session$locks, lock)
    if (identical(read_lock(lock), text)) unlink(lock)
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
  pattern <- "^process (\\d+) on (.*), since .*\nstart (\\S*)\n$"
  found <- regmatches(text, regexec(pattern, text))[[1L]]
  if (!length(found)) {
    # Half a lock is one whose process died; anything else is not ours.
    return(startsWith("process ", text) || startsWith(text, "process "))
  }
  process <- as.integer(found[2L])
  if (found[3L] != Sys.info()[["nodename"]]) {
    return(FALSE)
  }
  ended <- !.Call(bg_alive, process) || found[4L] != process_start(process)
  # An interrupt may have left a lock of this very session.
  ended || (process == Sys.getpid() && !lock %in% session$locks)
}

# When a process began, where the system tells: numbers of processes are used again. One that
# ended and was not waited for still has its number.
process_start <- function(process) {
  file <- sprintf("/proc/%d/stat", process)
  line <- tryCatch(suppressWarnings(readLines(file, 1L)), error = function(e) character())
  if (!length(line)) {
    return("unknown")
  }
  fields <- strsplit(sub(".*\\) ", "", line), " ")[[1L]]
  if (fields[1L] %in% c("Z", "X")) "ended" else fields[20L]
}

# ---- The same call again ----------------------------------------------------------------------

# The run to go on with: what the file holds if it is of this call, else `start(seed)`. seed: NULL
# where the user gave none. Functions and all else that makes the run are those of the call.
resume_run <- function(file, seed, start) {
  if (!file.exists(file)) {
    return(start(seed))
  }
  saved <- unpack_run(read_bytes(file), file)
  given <- saved$given
  from_file(file, {
    check_settings_list(given)
    check_sound(is_bare(given$seed, "integer", 1L), "seed")
    check_sound(is_bare(given$budget, "integer", 1L), "budget")
  })
  asked <- start(if (is.null(seed)) given$seed else seed)
  check_same_call(settings_of(asked), given, file)
  settings <- settings_of_call(asked, given, file)
  from_file(file, check_facts(saved$facts, settings))
  check_same_past(asked$log, saved$facts$log, file)
  x <- rebuild_run(settings, saved, file)
  if (asked$budget > x$budget) {
    x <- extend_run(x, asked$budget)
  }
  done <- x$last - length(x$open$pull) + length(x$underway$results)
  message(sprintf("Resuming %s: %d of %d pulls done.", basename(file), done, x$budget))
  x
}

# What came of a history may have been rounded otherwise on another computer: then it is as it was.
settings_of_call <- function(asked, given, file) {
  settings <- run_settings(asked)
  settings$budget <- from_file(file, check_count(given$budget, "budget"))
  if (!identical(settings_of(asked)$cov, given$cov)) {
    settings$model <- from_file(file, read_model(given))
  }
  settings
}

check_same_call <- function(asked, saved, file) {
  differs <- from_file(file, setting_differences(asked, saved))
  what <- vapply(differs, function(name) difference(name, asked[[name]], saved[[name]]), "")
  if (length(what)) {
    abort(
      "checkpoint", "The file \"", file, "\" belongs to another call, which differs in: ",
      paste(what, collapse = "; "), ". Make the same call again (the budget may be larger), or ",
      "give another file name.",
      data = list(differs = differs)
    )
  }
}

# The arguments that differ, to the last bit.
setting_differences <- function(asked, saved) {
  same_arms <- identical(asked$arms, saved$arms)
  a <- as_given(asked, same_arms)
  b <- as_given(saved, same_arms)
  differs <- setting_names[!mapply(identical, a[setting_names], b[setting_names])]
  c(setdiff(differs, "budget"), if (asked$budget < saved$budget) "budget")
}

# What was set by a history is no argument of the call; of a kernel, what it made of other arms is
# not either.
as_given <- function(settings, same_arms) {
  history <- settings$history
  if (!is.null(history)) {
    settings[c("cov", history$sets)] <- NULL
    settings$history <- history$code
  }
  if (!same_arms) {
    settings$kernel <- settings$kernel$code
  }
  settings
}

# Where the call continues an earlier run, the file must have all of it.
check_same_past <- function(asked, saved, file) {
  if (!identical(asked, log_rows(saved, seq_along(asked$arm)))) {
    abort(
      "checkpoint", "The file \"", file, "\" does not hold all observations of the run given as ",
      "`arms`. Continue the one or the other: the file with read_run(), the run with another ",
      "file name."
    )
  }
}

difference <- function(name, asked, saved) {
  short <- function(v) is.null(v) || (is.atomic(v) && is.null(attributes(v)) && length(v) == 1L)
  values <- if (short(asked) && short(saved)) {
    sprintf(" (%s there, %s now)", describe(saved), describe(asked))
  }
  paste0("`", name, "`", values)
}
