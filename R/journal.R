# A file that grows: what a run was told since its file was written is added behind it, a record at
# a time, so that a save takes no longer in a long run than in a short one.
#
# The first line of such a file holds the checksum of all that follows, as that of any file does,
# and is written anew when the disk has the record. Where that did not come about any more, the file
# ends with what the first line does not know of: a record that is whole, by a checksum of its own,
# is taken; half a one was never acknowledged.

magic <- "bayesgap run, checksum "

opening <- function(sum) charToRaw(paste0(magic, sum, "\n"))

# Files that grow have a format of their own; a run that is over leaves one of format_number.
growing_format <- 7L

# The file is written whole again when its records have so many bytes, and more than all else in it.
least_growth <- 2^18

# ---- To be written -------------------------------------------------------------------------------

# What tells of a run that only grew: what is new of these, and what is now of those.
grown_facts <- c("log", "tells", "remarks")
current_facts <- c("blocks", "underway", "next_arm", "best")

# The facts of a run, which was `before` when it was last saved, that are new; NULL: others changed.
new_facts <- function(x, before) {
  fixed <- c("epoch", "dropped", "retried", "asked", "changes")
  if (!identical(unclass(x)[fixed], unclass(before)[fixed])) {
    return(NULL)
  }
  facts <- facts_of(x)
  new <- function(now, then) now[length(then) + seq_len(length(now) - length(then))]
  facts$log <- Map(new, facts$log, before$log)
  facts$tells <- new(facts$tells, before$tells)
  facts$remarks <- new(facts$remarks, before$remarks)
  facts[c(grown_facts, current_facts)]
}

# A record of these bytes, behind what has the checksum `before`.
pack_record <- function(bytes, before) {
  c(charToRaw(sprintf("more %.0f %s\n", length(bytes), checksum(bytes, before))), bytes)
}

# kept: what the file holds, list(run, size, sum, grown), its bytes, checksum, and bytes of records.
# The same of the new run, or NULL: it has to be written whole.
grow_run <- function(kept, x, file) {
  if (is.null(kept) || kept$grown > max(least_growth, kept$size / 2)) {
    return(NULL)
  }
  facts <- new_facts(x, kept$run)
  if (is.null(facts)) {
    return(NULL)
  }
  record <- pack_record(plain_bytes(facts), kept$sum)
  sum <- checksum(record, kept$sum)
  problem <- .Call(bg_grow, file, kept$size, opening(kept$sum), opening(sum), record)
  if (is.null(problem)) {
    n <- length(record)
    list(run = x, size = kept$size + n, sum = sum, grown = kept$grown + n)
  }
}

# ---- As it was read ------------------------------------------------------------------------------

# body: all behind the first line, of which `start` bytes are read; said: the first line. The bytes
# of the facts, and of the records behind them; NULL: the first line is of something else.
split_grown <- function(body, start, said) {
  line <- read_line(body, start, "^facts ([0-9]{1,15})$")
  end <- line$end + as.numeric(line$found)
  if (is.null(line) || end > length(body)) {
    return(NULL)
  }
  sum <- checksum(body[seq_len(end)])
  known <- identical(opening(sum), said)
  facts <- body[line$end + seq_len(end - line$end)]
  records <- list()
  while (!is.null(record <- read_record(body, end, sum))) {
    records <- c(records, list(record$bytes))
    sum <- checksum(body[(end + 1):record$end], sum)
    end <- record$end
    known <- known || identical(opening(sum), said)
  }
  if (known && is_torn(body, end)) list(facts = facts, records = records)
}

# The line that begins behind so many bytes: what the pattern finds in it, and where it ends.
read_line <- function(body, start, pattern) {
  text <- body[start + seq_len(max(0, min(60, length(body) - start)))]
  n <- match(as.raw(10L), text)
  if (is.na(n) || any(text[seq_len(n)] == 0L)) {
    return(NULL)
  }
  found <- regmatches(
    line <- rawToChar(text[seq_len(n - 1L)]), regexec(pattern, line, useBytes = TRUE)
  )[[1L]]
  if (length(found)) list(found = found[-1L], end = start + n)
}

record_line <- "^more ([0-9]{1,15}) ([0-9a-f]{16})$"

# list(bytes, end), or NULL: there is no whole record.
read_record <- function(body, start, sum) {
  line <- read_line(body, start, record_line)
  n <- as.numeric(line$found[1L])
  if (is.null(line) || line$end + n > length(body)) {
    return(NULL)
  }
  bytes <- body[line$end + seq_len(n)]
  if (checksum(bytes, sum) == line$found[2L]) list(bytes = bytes, end = line$end + n)
}

# Is the rest behind so many bytes nothing, or what is left of a record that was being written when
# the computer stopped? Of that the disk may have any part, or nothing but its length: where a part
# is missing there are zeros, whatever follows.
is_torn <- function(body, end) {
  rest <- body[end + seq_len(length(body) - end)]
  line <- read_line(rest, 0, record_line)
  if (!is.null(line)) {
    return(length(rest) <= line$end + as.numeric(line$found[1L]))
  }
  written <- match(as.raw(0L), rest, nomatch = length(rest) + 1L) - 1L
  begins <- charToRaw("more ")
  written < 40L && identical(rest[seq_len(min(written, 5L))], utils::head(begins, written))
}

# Facts with those of records, all of them plain data that may be anything.
add_records <- function(facts, records) {
  check_sound(is_record(facts, fact_names), "list of facts")
  check_growing(facts)
  for (record in records) {
    check_sound(is_record(record, c(grown_facts, current_facts)), "record")
    check_growing(record)
    check_sound(identical(names(record$log), names(facts$log)), "log")
  }
  if (!length(records)) {
    return(facts)
  }
  all <- c(list(facts), records)
  of_all <- function(name) lapply(all, `[[`, name)
  facts$log <- do.call(Map, c(list(c), of_all("log")))
  facts$tells <- unlist(of_all("tells"))
  facts$remarks <- do.call(c, of_all("remarks"))
  facts[current_facts] <- records[[length(records)]][current_facts]
  facts
}

# Of no class that had a method for putting them together.
check_growing <- function(facts) {
  log <- facts$log
  check_sound(typeof(log) == "list" && identical(names(attributes(log)), "names"), "log")
  bare <- vapply(log, function(v) is_bare(v, "integer") || is_bare(v, "double"), TRUE)
  check_sound(all(bare) && length(unique(lengths(log))) == 1L, "log")
  check_sound(is_bare(facts$tells, "integer"), "list of tells")
  check_sound(is_named_list(facts$remarks), "list of remarks")
}
