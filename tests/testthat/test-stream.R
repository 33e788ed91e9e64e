test_that("the session's generator is left as it was", {
  set.seed(1)
  before <- .Random.seed
  x <- bayesgap(4, function(arm) rnorm(1), budget = 6, seed = 2)
  x <- tell(bayesgap(4, budget = 6, seed = 2), 1)
  posterior(x)
  expect_identical(.Random.seed, before)
  RNGkind("Wichmann-Hill")
  on.exit(RNGkind("default", "default", "default"))
  set.seed(1)
  before <- .Random.seed
  other <- tell(bayesgap(4, budget = 6, seed = 2), 1)
  expect_identical(.Random.seed, before)
  expect_identical(RNGkind()[1], "Wichmann-Hill")
  expect_identical(other, x)
})

test_that("a generator that was never used stays unused, of its kind", {
  keep <- .Random.seed
  on.exit(assign(".Random.seed", keep, globalenv()))
  kind <- RNGkind()
  rm(".Random.seed", envir = globalenv())
  tell(bayesgap(4, budget = 6, seed = 2), 1)
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
  expect_identical(RNGkind(), kind)
})

test_that("set.seed() governs a run without a seed", {
  run <- function() bayesgap(9, function(arm) arm + rnorm(1), budget = 12)
  set.seed(3)
  a <- run()
  set.seed(3)
  expect_identical(run(), a)
  expect_false(identical(run()$log, a$log))
})

test_that("the objective's random numbers are its own and reproducible", {
  quiet <- bayesgap(5, function(arm) rnorm(1), budget = 10, seed = 4)
  loud <- bayesgap(5, function(arm) {
    y <- rnorm(1)
    set.seed(99)
    runif(1000)
    RNGkind("Wichmann-Hill")
    y
  }, budget = 10, seed = 4)
  RNGkind("default", "default", "default")
  expect_identical(loud$log, quiet$log)
  expect_identical(loud$belief, quiet$belief)
})

test_that("bad seeds are refused", {
  for (seed in list("a", 1.5, NA, c(1, 2), Inf, 1e12)) {
    expect_error(bayesgap(2, budget = 1, seed = seed), class = "bayesgap_error_seed")
  }
})

test_that("the session's generator may be of any kind, or unused", {
  plain <- small_run()
  file <- fresh_file()
  kind <- suppressWarnings(RNGkind("Wichmann-Hill", "Box-Muller", "Rounding"))
  on.exit(RNGkind(kind[1], kind[2], kind[3]))
  set.seed(1)
  before <- .Random.seed
  expect_identical(small_run(checkpoint = file), plain)
  expect_identical(.Random.seed, before)
  rm(".Random.seed", envir = globalenv())
  expect_identical(quietly(small_run(checkpoint = file)), plain)
  expect_identical(read_run(file), plain)
  expect_false(exists(".Random.seed", globalenv()))
})

test_that("streams are those of the package parallel", {
  for (seed in c(1, 77, -5)) {
    stream <- new_stream(seed)
    expect_identical(later_stream(stream), parallel::nextRNGStream(stream))
    later <- Reduce(function(s, i) parallel::nextRNGStream(s), 1:40, stream)
    expect_identical(later_stream(stream, 40), later)
    expect_identical(later_stream(stream, 0L), stream)
  }
  # All bits set, and none but one.
  high <- c(10407L, -210L, -210L, -210L, -22854L, -22854L, -22854L)
  low <- c(10407L, 0L, 0L, 1L, 0L, 0L, 1L)
  expect_identical(later_stream(high), parallel::nextRNGStream(high))
  expect_identical(later_stream(low), parallel::nextRNGStream(low))
})

test_that("a round in one call leaves the session's generator as it was", {
  x <- open_run(budget = 40)
  for (i in 1:6) {
    x <- tell(x, i)
  }
  set.seed(4)
  before <- .Random.seed
  y <- tell(x, 2)
  expect_identical(.Random.seed, before)
  on.exit(set.seed(4))
  kind <- RNGkind()
  rm(".Random.seed", envir = globalenv())
  expect_identical(tell(x, 2), y)
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
  expect_identical(RNGkind(), kind)
})
