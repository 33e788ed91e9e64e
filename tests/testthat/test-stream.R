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

test_that("a fast stream follows from another and leaves the session as it was", {
  stream <- new_stream(5)
  set.seed(1)
  before <- .Random.seed
  fast <- fast_stream(stream)
  expect_identical(.Random.seed, before)
  expect_identical(fast_stream(stream), fast)
  expect_false(identical(fast_stream(new_stream(6)), fast))
  z <- with_stream(fast, rnorm(20000))
  expect_lt(abs(mean(z)), 4 / sqrt(20000))
  expect_gt(ks.test(z, "pnorm")$p.value, 1e-3)
  expect_identical(.Random.seed, before)
})
