test_that("arms whose repeats differ alike have one noise", {
  set.seed(71)
  arm <- rep(1:5, 8)
  expect_identical(noise_shape(arm, rnorm(40), 6)$each, rep(1, 6))
  expect_identical(noise_shape(1:5, rnorm(5), 5)$used, rep(1, 5))
  expect_identical(noise_shape(integer(), double(), 2)$each, c(1, 1))
  expect_identical(noise_shape(c(1, 1, 2, 2), c(3, 3, 4, 4), 2)$each, c(1, 1)) # exact
})

test_that("where they do not, each has its own, shrunk towards the mean of all", {
  y <- c(-3, 3, -1, 1, -0.1, 0.1, -0.2, 0.2)
  arm <- rep(1:2, each = 4)
  squares <- c(20, 0.1)
  found <- noise_shape(arm, y, 3)
  # By hand: two variances of three degrees of freedom; the log of their ratio is 5.3.
  excess <- var(log(squares / 3)) - trigamma(1.5)
  df0 <- 2 * uniroot(function(x) trigamma(x) - excess, c(0.01, 100), tol = 1e-12)$root
  expect_lt(df0, 1)
  mean <- mean(squares / 3)
  own <- (mean + squares) / (1 + 3)
  expect_equal(found$each, c(own / mean, 1))
  wide <- (qt(0.975, c(4, 4, 2)) / qnorm(0.975))^2
  expect_equal(found$used, found$each * wide)
  expect_equal(inverse_trigamma(trigamma(c(0.3))), 0.3)
  expect_equal(inverse_trigamma(trigamma(40)), 40)
})

test_that("a run learns which arms are noisy, in any unit", {
  noise <- c(0.1, 3, 0.1, 3)
  told <- function(unit) {
    set.seed(72)
    y <- c(outer(1:4, rep(1, 10))) + rep(noise, 10) * rnorm(40)
    data.frame(arm = rep(1:4, 10), y = unit * y, pull = NA)
  }
  x <- tell(bayesgap(4, budget = 5, seed = 1), told(1))
  found <- sqrt(x$fit$noise2)
  expect_true(all(found[c(2, 4)] > 3 * found[c(1, 3)]))
  table <- posterior(x)
  expect_true(all(table$sd[c(2, 4)] > 2 * table$sd[c(1, 3)]))
  large <- tell(bayesgap(4, budget = 5, seed = 1), told(1e6))
  expect_equal(posterior(large)$sd, 1e6 * table$sd, tolerance = 1e-6)
  given <- tell(bayesgap(4, budget = 5, seed = 1, noise_sd = 1), told(1))
  expect_identical(given$fit$noise2, rep(1, 4))
})

test_that("repeats that are the same have no variance, whatever the others are", {
  for (seed in 1:4) {
    set.seed(seed)
    y <- c(rep(0.1, 7), round(rnorm(14, 0.3, 0.5), 2), rep(0.7, 7))
    x <- tell(bayesgap(4, budget = 40, seed = 1), data.frame(arm = rep(1:4, each = 7), y = y))
    expect_identical(x$fit$noise2[1], x$fit$noise2[4])
  }
})

test_that("repeats that are the very same are said once, and no more is claimed", {
  f <- function(arm) c(1, 5, 2)[arm]
  expect_message(x <- bayesgap(3, f, budget = 9, seed = 1), "noise_sd = 0",
    class = "bayesgap_message_exact")
  expect_true(x$repeated)
  file <- tempfile()
  save_run(x, file)
  expect_length(messages_of(again <- read_run(file)), 0L)
  expect_identical(again, x)
  # Nor is it said again where the run begins anew.
  expect_length(messages_of(longer <- bayesgap(x, f, budget = 12)), 0L)
  expect_length(messages_of(other <- update(longer, prior_sd = 1)), 0L)
  expect_length(messages_of(quicker <- bayesgap(again, f, budget = 12)), 0L)
  expect_true(longer$repeated && other$repeated && quicker$repeated)
  save_run(other, file)
  expect_length(messages_of(again <- read_run(file)), 0L)
  expect_identical(again, other)
  exact <- function(code) messages_of(code, "bayesgap_message_exact")
  expect_length(exact(bayesgap(3, f, budget = 9, seed = 1, noise_sd = 0)), 0L)
  expect_length(exact(bayesgap(3, function(arm) f(arm) + rnorm(1), budget = 9, seed = 1)), 0L)
  expect_length(quietly(exact(bayesgap(3, function(arm) arm %% 2, budget = 9, seed = 1))), 0L)
})
