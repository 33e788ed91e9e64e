# The vectors have an absolute xi of 0.01.
xi_a <- function() 0.01 / sqrt(mean(1.5^2 * diag(numbers_matrix("A", "G"))))

test_that("pi reproduces fixture A with each incumbent", {
  names <- c(pulled = "PI_seen", all = "PI_all", observed = "PI_obs")
  for (rule in names(names)) {
    for (t in 2:4) {
      x <- fixture_a(t, policy("pi", xi = xi_a(), incumbent = rule))
      expect_equal(ask(x)$arm, which.max(numbers("A", names[[rule]], t)))
    }
  }
  # before the first observation every rule takes the highest prior mean
  first <- which.max(numbers("A", "PI_all", 1))
  for (rule in names(names)) {
    expect_equal(
      ask(fixture_a(1, policy("pi", xi = xi_a(), incumbent = rule)))$arm, first
    )
  }
})

test_that("pi equals its twin on random problems", {
  set.seed(14)
  compared <- 0
  for (i in 1:300) {
    rule <- sample(c("pulled", "all", "observed"), 1L)
    xi <- sample(c(0, 0.05, 1), 1L)
    s <- halfway(policy("pi", xi = xi, incumbent = rule))
    if (!any(s$open)) {
      next
    }
    z <- z_of(s, rule, xi)
    best <- clear_best(z, s$open, max(1, abs(z[s$open])))
    if (!is.na(best)) {
      expect_equal(ask(s$x)$arm, best)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 200)
})

test_that("pi follows z where the probability has long underflowed", {
  # z about -40 and below: every probability is 0 in double precision
  mean <- c(0, -4.1, -4, -4.2)
  x <- bayesgap(4, budget = 9, cov = diag(c(0, 0.01, 0.01, 0.0121)), prior_mean = mean,
    prior_sd = 1, noise_sd = 1, policy = policy("pi", xi = 0))
  z <- mean / c(0, 0.1, 0.1, 0.11)
  expect_true(all(pnorm(z[-1]) == 0 | z[-1] > -39))
  expect_equal(ask(x)$arm, 4)
  x <- bayesgap(4, budget = 9, cov = diag(c(0, 0.01, 0.01, 0.0101)), prior_mean = mean,
    prior_sd = 1, noise_sd = 1, policy = policy("pi", xi = 0))
  expect_equal(ask(x)$arm, 3)
})

test_that("pi: a lucky reward raises the bar only where it is the incumbent", {
  pick <- function(rule) {
    x <- bayesgap(2, budget = 9, prior_mean = c(0, 0.8), prior_sd = 1, noise_sd = 1,
      policy = policy("pi", xi = 0, incumbent = rule))
    ask(tell(x, data.frame(pull = 1, arm = 1, y = 2)))$arm
  }
  # arm 1 has mean 1 and variance 1/2 now: z = 0 against -0.2, or, with the reward as the
  # incumbent, -1.41 against -1.2
  expect_equal(pick("pulled"), 1)
  expect_equal(pick("all"), 1)
  expect_equal(pick("observed"), 2)
})

test_that("pi: an arm known from the start is an incumbent, an unknown one is not", {
  pick <- function(var) {
    x <- bayesgap(3, budget = 9, cov = diag(c(var, 1, 4)), prior_mean = c(3, 0, -1),
      prior_sd = 1, noise_sd = 1, policy = policy("pi", xi = 0))
    ask(tell(x, data.frame(pull = 1, arm = 2, y = 0)))$arm
  }
  # against the known 3: arm 2 with -3 / 0.71, arm 3 with -4 / 2; against its own mean of 0
  # arm 2 would be ahead
  expect_equal(pick(0), 3)
  # against that 0: arm 1 with 3 / 0.1
  expect_equal(pick(0.01), 1)
})
