# Files as no run would write them, and how they are refused.

# A file with a right checksum around any bytes.
forge <- function(file, given, facts) {
  about <- sprintf("format %d, version 0.1.0, settings %.0f\n", format_number, length(given))
  body <- c(charToRaw(about), given, facts)
  writeBin(c(charToRaw(paste0(magic, checksum(body), "\n")), body), file)
}

# The run, with its settings or facts changed.
forge_run <- function(x, file, given = identity, facts = identity) {
  forge(file, to_bytes(given(settings_of(x))), to_bytes(facts(facts_of(x))))
}

expect_refused <- function(file, message = "", readers = list(read_run), label = NULL) {
  before <- tools::md5sum(file)
  for (reader in readers) {
    e <- tryCatch(quietly(reader(file)), error = identity)
    if (!inherits(e, "bayesgap_error_checkpoint")) {
      return(fail(paste(label, "was not refused, but gave", class(e)[1])))
    }
    expect_match(conditionMessage(e), message, label = label)
    expect_match(conditionMessage(e), "left as it is", label = label)
  }
  expect_identical(tools::md5sum(file), before)
}

# A small run to be saved, and one that was told something.
three <- function(objective = NULL, ...) {
  bayesgap(3, objective, budget = 6, cov = diag(3) + 0.5, seed = 1, ...)
}
tell_some <- function(x, n) {
  for (i in seq_len(n)) x <- tell(x, sin(i))
  x
}

# A lock whose process lives and is not this one.
lock_of_another <- function(lock) {
  host <- Sys.info()[["nodename"]]
  cat(sprintf("process 1 on %s, since then\nstart %s\n", host, process_start(1L)), file = lock)
}
