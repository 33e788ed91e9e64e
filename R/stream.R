# Random numbers: a run has a stream of its own for every pull, derived from its seed, and
# leaves the session's generator as it found it.

# The streams are R's own (L'Ecuyer-CMRG with its default normal and sampling kinds).
new_stream <- function(seed) {
  with_stream(NULL, {
    set.seed(seed, "L'Ecuyer-CMRG", "Inversion", "Rejection")
    get(".Random.seed", globalenv())
  })
}

# A seed from the session's generator, so that set.seed() governs runs without a seed.
draw_seed <- function() {
  as.integer(stats::runif(1L) * .Machine$integer.max)
}

check_seed <- function(seed) {
  if (is.null(seed)) {
    return(draw_seed())
  }
  if (!is_number(seed) || seed != floor(seed) || abs(seed) > .Machine$integer.max) {
    abort_argument("seed", "seed", "NULL or a whole number", seed)
  }
  as.integer(seed)
}

# Evaluates `code` with the session's generator set to `stream` (NULL: as it is), and puts
# the generator back. Where it was never used there is no seed to put back, only its kind.
with_stream <- function(stream, code) {
  session <- globalenv()
  seed <- session$.Random.seed
  if (is.null(seed)) {
    kind <- RNGkind()
    on.exit({
      RNGkind(kind[1L], kind[2L], kind[3L])
      rm(".Random.seed", envir = session)
    })
  } else {
    on.exit(session$.Random.seed <- seed)
  }
  if (!is.null(stream)) {
    session$.Random.seed <- stream
  }
  code
}

# The stream of the pull so many numbers later: nextRNGStream() as often.
later_stream <- function(stream, n = 1L) .Call(bg_later_stream, stream, as.integer(n))

# The objective's own numbers, apart from the policy's.
objective_stream <- function(stream) {
  nextRNGSubStream(stream)
}
