# Arms are told out of their order, so that sums by arm cannot be right by luck.
told_rates_run <- function(family, ...) {
  x <- bayesgap(c("a", "b", "c"), budget = 9, family = family, seed = 1)
  tell(x, data.frame(arm = c("c", "a", "c"), pull = NA, ...))
}

test_that("successes are drawn as the rate of each arm, with Wilson's interval", {
  x <- told_rates_run("binomial", successes = c(1, 3, 5), trials = c(10, 4, 10))
  seen <- observed_results(x, 0.9)
  seen <- seen[order(seen$arm), ]
  expect_identical(seen$arm, c(1L, 3L))
  expect_equal(seen$y, c(3 / 4, 6 / 20))
  # prop.test() without correction inverts the same test.
  wilson <- stats::prop.test(6, 20, conf.level = 0.9, correct = FALSE)$conf.int
  expect_equal(c(seen$lower[2], seen$upper[2]), as.vector(wilson))
})

test_that("counts are drawn as rates, with the exact interval", {
  x <- told_rates_run("poisson", count = c(4, 0, 2), exposure = c(2, 5, 1))
  seen <- observed_results(x, 0.95)
  seen <- seen[order(seen$arm), ]
  expect_equal(seen$y, c(0, 2))
  for (i in 1:2) {
    exact <- stats::poisson.test(c(0, 6)[i], c(5, 3)[i])$conf.int
    expect_equal(c(seen$lower[i], seen$upper[i]), as.vector(exact))
  }
})

test_that("other rewards are drawn one by one, in the user's sign, failed ones not at all", {
  x <- bayesgap(3, budget = 5, maximise = FALSE)
  failed <- c(FALSE, TRUE, FALSE)
  x <- tell(x, data.frame(arm = c(3, 1, 3), y = c(2, NA, 4), pull = NA, failed = failed))
  seen <- observed_results(x, 0.95)
  expect_identical(seen$arm, c(3L, 3L))
  expect_identical(seen$y, c(2, 4))
  expect_true(all(is.na(seen$lower)))
})

test_that("rewards of 0 and 1 are rates, unless somebody said what they are", {
  told <- data.frame(arm = c(1, 2, 1, 2, 1), y = c(0, 1, 1, 1, 0), pull = NA)
  make <- function(...) quietly(tell(bayesgap(2, budget = 9, ...), told))
  expect_identical(drawn_family(make())$name, "binomial")
  expect_null(drawn_family(make(family = "gaussian")))
  expect_null(drawn_family(make(noise_sd = 1)))
  expect_null(drawn_family(tell(bayesgap(2, budget = 9), told[1:4, ])))
  down <- make(maximise = FALSE)
  expect_equal(observed_results(down, 0.9)$y, c(1 / 3, 1))
})

test_that("the log of single trials has a running rate, that of several an interval each", {
  told <- data.frame(
    arm = c(1, 2, 1, 2, 1), y = c(0, 1, 1, NA, 0), pull = NA, failed = c(0, 0, 0, 1, 0) == 1
  )
  x <- quietly(tell(bayesgap(2, budget = 9, family = "binomial"), told))
  rate <- running_rate(x, 0.95)
  expect_identical(rate$row, c(1L, 2L, 3L, 5L))
  expect_equal(rate$y, c(0, 1 / 2, 2 / 3, 2 / 4))
  expect_equal(rate$upper[4], wilson_interval(2, 4, 0.95)$upper)
  expect_true(all(is.na(log_ends(x, 0.95)$lower)))
  several <- told_rates_run("binomial", successes = c(1, 3, 5), trials = c(10, 4, 10))
  expect_null(running_rate(several, 0.95))
  expect_equal(log_ends(several, 0.9), wilson_interval(c(1, 3, 5), c(10, 4, 10), 0.9))
  expect_null(running_rate(fitted_run(), 0.95))
})
