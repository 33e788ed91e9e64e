# Saved runs: the layout of a file, the run made again from it, and the checkpoint of a running one.
#
# A file begins with a line of text that holds the checksum of all that follows: a second line
# (format, version, length of the settings), the settings, and the facts; in one that grows, a line
# with their length before these, and records behind. Nothing is parsed before the checksum agrees,
# and nothing is believed before it is checked. The state is rebuilt from the
# facts by the very steps that made it.

format_number <- 6L

# Formats that are read: those of earlier versions too, and files that grow.
read_formats <- 2:growing_format

#' Save a run so that nothing is lost
#'
#' `save_run()` writes a run to a file in such a way that a crash, a full disk or a power cut
#' leaves either the new file or the one that was there before; `read_run()` reads it back and
#' refuses a file that is damaged. Use them between [ask()] and [tell()] when days pass in between,
#' or give these the name of the file ([run_files]); within one call of [bayesgap()], `checkpoint =`
#' saves after every pull.
#'
#' The bytes are written to a temporary file in the same folder, flushed to the disk, read back
#' and compared, and only then renamed. (A `checkpoint` is so written at the beginning, at the end
#' and now and then; in between, what is new is added behind it, flushed and read back, and only
#' then acknowledged in its first line.) The file has a checksum. It does not hold the state but
#' what led to it: the arms, the prior, the policy, the seed, and every result in order. Reading
#' goes through all of that again, so that the run is the same to the last bit. Where the name is
#' that of a link, its target is written; a device or a pipe is refused.
#'
#' Files of earlier versions of this package are read too; those of [saveRDS()] are not, but a run
#' that [readRDS()] gives can be saved. The ending `.bgap` is by custom; any will do.
#'
#' The file can also be read while [bayesgap()] is still running with it as its `checkpoint`: that
#' is a way to look at a long run from another session.
#'
#' @section What is not in the file:
#' A file holds data, no functions and no formulas.
#'
#' * The objective is not saved, and arms that are functions cannot be: give their names as arms,
#'   and let the objective look them up.
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
#' @seealso [run_files]; [bayesgap()] for checkpoints, `vignette("long-runs")`
#' @export
#' @examples
#' file <- tempfile(fileext = ".bgap")
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
  write_or_abort(x, file)
  invisible(x)
}

write_or_abort <- function(x, file) {
  problem <- write_run(pack_run(x, pack_settings(x)), file)
  if (!is.null(problem)) {
    abort("save", "The run could not be saved in \"", file, "\": ", problem, ". ",
          if (file.exists(file)) "The file that was there is unchanged.")
  }
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

# ---- Bytes ------------------------------------------------------------------------------------

# Made once for a running run: list(bytes, sum), the second line and the settings.
pack_settings <- function(x, format = format_number) {
  settings <- settings_bytes(x)
  about <- sprintf(
    "format %d, version %s, settings %.0f\n", format, package_version_now(), length(settings)
  )
  bytes <- c(charToRaw(about), settings)
  list(bytes = bytes, sum = checksum(bytes))
}

pack_run <- function(x, settings) {
  facts <- facts_bytes(x)
  c(opening(checksum(facts, settings$sum)), settings$bytes, facts)
}

package_version_now <- function() as.character(utils::packageVersion("bayesgap"))

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
    refuse(
      file, "is not a run saved by this package. ",
      if (is_rds(bytes)) {
        "It seems to be one of saveRDS(): read it with readRDS(), and save the run with save_run()."
      } else {
        elsewhere
      }
    )
  }
  body <- bytes[-seq_len(head)]
  line <- utils::head(body, 200L)
  end <- match(as.raw(10L), line, nomatch = 1L)
  about <- read_about(line[seq_len(end - 1L)])
  grows <- identical(about[1L], as.character(growing_format))
  grown <- if (grows) split_grown(body, end + as.numeric(about[3L]), bytes[seq_len(head)])
  if (is.null(grown) && !identical(bytes[seq_len(head)], opening(checksum(body)))) {
    refuse(file, "is damaged: its checksum does not agree. Restore a copy, or move it away.")
  }
  if (is.null(about)) {
    refuse(file, "is not a run saved by this package. ", elsewhere)
  }
  if (!about[1L] %in% read_formats) {
    refuse(
      file, "was written by version ", about[2L], " of the package in format ", about[1L],
      "; this version (", package_version_now(), ") reads formats ", min(read_formats), " to ",
      max(read_formats), ". Read it with that version."
    )
  }
  facts <- end + as.numeric(about[3L])
  from_file(file, {
    check_sound(facts > end && facts < length(body), "length")
    saved <- list(
      given = from_bytes(body[(end + 1):facts]),
      facts = if (grows) grown_from(grown) else from_bytes(body[(facts + 1):length(body)]),
      version = about[2L]
    )
    as_of_today(saved, about[1L])
  })
}

grown_from <- function(grown) {
  check_sound(!is.null(grown), "list of records")
  add_records(from_bytes(grown$facts), lapply(grown$records, from_bytes))
}

# As saveRDS() begins a file: compressed in one of three ways, or not.
is_rds <- function(bytes) {
  starts <- list(c(0x1f, 0x8b), c(0x42, 0x5a, 0x68), c(0xfd, 0x37, 0x7a), c(0x58, 0x0a))
  any(vapply(starts, function(s) identical(bytes[seq_along(s)], as.raw(s)), TRUE))
}

# Format, version and length of the settings, as text; NULL: this is something else.
read_about <- function(line) {
  pattern <- "^format ([0-9]+), version ([0-9.-]+), settings ([0-9]+)$"
  text <- if (all(line > 0L)) rawToChar(line) else ""
  found <- regmatches(text, regexec(pattern, text, useBytes = TRUE))[[1L]]
  if (length(found)) found[-1L]
}

# ---- The state again --------------------------------------------------------------------------

# The steps that made the run, taken again: what they had to say was said. Where no function of the
# user's takes part in them, they cannot fail with what a run left.
rebuild_run <- function(settings, saved, file, how = function(make, x) make(x)) {
  again <- function() {
    withCallingHandlers(
      how(function(x) replay(x, saved$facts), blank_run(settings)),
      bayesgap_message = function(m) invokeRestart("muffleMessage")
    )
  }
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
  x$blocks <- met_blocks(x, facts, facts$epoch$rows)
  early <- as.integer(names(facts$remarks)) <= facts$epoch$rows
  kept <- c("dropped", "retried", "asked", "changes")
  x[kept] <- facts[kept]
  x$remarks <- facts$remarks[early]
  x <- keep_rows(x, log_rows(facts$log, seq_len(facts$epoch$rows)))
  x <- count_pulls(x, facts$epoch$last)
  x$open <- facts$epoch$open
  x <- begin(x)
  x$epoch <- facts$epoch
  done <- facts$epoch$rows
  for (n in facts$tells) {
    x <- meet_blocks(x, met_blocks(x, facts, done + n))
    rows <- log_rows(facts$log, done + seq_len(n))
    x <- take_in(x, rows, if (anyNA(rows$reward)) remarks_of(facts, done + seq_len(n)))
    done <- done + n
  }
  x$remarks <- facts$remarks
  x["underway"] <- list(facts$underway)
  x
}

# One a row, NULL where there is none.
remarks_of <- function(facts, rows) unname(facts$remarks[as.character(rows)])

# The blocks that had come up when so many rows were told: with them, or with pulls asked before.
met_blocks <- function(x, facts, rows) {
  fixed <- x$model$blocks
  if (is.null(fixed)) {
    met <- c(facts$log$block[seq_len(rows)], facts$epoch$open$block)
    facts$blocks[seq_len(max(0L, met, na.rm = TRUE))]
  } else {
    fixed
  }
}

# ---- The checkpoint of a running run ----------------------------------------------------------

# The file is ours until close(): list(file, save, close). Saving never stops a run.
open_checkpoint <- function(file) {
  unlock <- lock_file(file)
  unlink(part_files(file))
  settings <- kept <- problem <- NULL
  said <- character()
  list(
    file = file,
    save = function(x) {
      suspendInterrupts({
        kept <<- grow_run(kept, x, file)
        if (is.null(kept)) {
          if (is.null(settings)) settings <<- pack_settings(x, growing_format)
          kept <<- write_to_grow(x, settings, file)
        }
        problem <<- kept$problem
      })
      if (!is.null(problem)) {
        kept <<- NULL
      }
      if (!is.null(problem) && !problem %in% said) {
        said <<- c(said, problem)
        warn_unsaved(
          file, problem, "The run goes on in memory, and saving is tried again after every pull."
        )
      }
    },
    close = function() {
      # Nothing is lost where this fails: what grew is whole.
      if (!is.null(kept)) {
        suspendInterrupts(write_run(pack_run(kept$run, pack_settings(kept$run)), file))
      }
      unlock()
      if (!is.null(problem)) {
        warn_unsaved(file, problem, "Save the run elsewhere with save_run().")
      }
    }
  )
}

# The file of a run that is to grow, written whole: what grow_run() goes on from, or list(problem).
write_to_grow <- function(x, settings, file) {
  facts <- facts_bytes(x)
  rest <- c(charToRaw(sprintf("facts %.0f\n", length(facts))), facts)
  sum <- checksum(rest, settings$sum)
  bytes <- c(opening(sum), settings$bytes, rest)
  problem <- write_run(bytes, file)
  if (is.null(problem)) {
    list(run = x, size = length(bytes), sum = sum, grown = 0)
  } else {
    list(problem = problem)
  }
}

no_checkpoint <- list(save = function(x) NULL, close = function() NULL)

# Whatever the user makes of warnings, this one ends no run.
warn_unsaved <- function(file, problem, advice) {
  warn("checkpoint", "The run could not be saved in \"", file, "\": ", problem, ". ", advice)
}
