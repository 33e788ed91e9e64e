# Random numbers: a run has a stream of its own for every pull, derived from its seed, and
# leaves the session's generator as it found it.

# The streams are R's own (L'Ecuyer-CMRG with its default normal and sampling kinds).
new_stream <- function(seed) {
  keep_seed({
    set.seed(seed, "L'Ecuyer-CMRG", "Inversion", "Rejection")
    get_seed()
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

get_seed <- function() {
  get0(".Random.seed", envir = globalenv(), inherits = FALSE)
}

put_seed <- function(seed) {
  assign(".Random.seed", seed, envir = globalenv())
}

# Evaluates `code` and puts the session's generator back. Where it was never used there is
# no seed to put back, only the kind of generator.
keep_seed <- function(code) {
  seed <- get_seed()
  kind <- if (is.null(seed)) RNGkind()
  on.exit(if (is.null(seed)) {
    do.call(RNGkind, as.list(kind))
    rm(".Random.seed", envir = globalenv())
  } else {
    put_seed(seed)
  })
  code
}

with_stream <- function(stream, code) {
  keep_seed({
    put_seed(stream)
    code
  })
}

# The objective's own numbers, apart from the policy's.
objective_stream <- function(stream) {
  parallel::nextRNGSubStream(stream)
}
