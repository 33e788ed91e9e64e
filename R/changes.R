# What was changed by hand: the log keeps what stands, and this record what was there before, and
# when. It is a list of columns, one entry a change, the oldest first.

# What a change can be: of results, of the list of arms, and of trials that were out.
change_kinds <- c("amended", "withdrawn", "dropped", "added", "retried", "cancelled")

no_changes <- list(
  when = double(),      # seconds since 1970, UTC
  what = character(),   # one of change_kinds
  row = integer(),      # of the log, where it was a result
  pull = integer(),     # its number, where it had one
  arm = integer(),      # its place among the arms
  reward = double(),    # what was there before, all of it as in the log, but the block by its label
  se = double(),
  block = character(),
  size = double(),
  cost = double(),
  error = character()
)

# x with changes of one kind noted. was: what was there, by the names of the columns above; what is
# not named is not known.
note_change <- function(x, what, was, when = as.numeric(Sys.time())) {
  n <- length(was$arm)
  new <- lapply(no_changes, function(column) rep(column[NA_integer_], n))
  new[names(was)] <- was
  new$when <- rep(when, n)
  new$what <- rep(what, length.out = n)
  x$changes <- Map(c, x$changes, new)
  x
}

# Numbers of pulls that were asked and called off: they are not used again.
cancelled_pulls <- function(changes) changes$pull[changes$what == "cancelled"]
