# log EI by the definition; in the far tail by the integral of the normal tail.
twin_log_ei <- function(z, sd) {
  log_h <- vapply(z, function(z) {
    if (z > -5) {
      return(log(z * pnorm(z) + dnorm(z)))
    }
    # h(z) = phi(z) int_0^Inf u exp(z u - u^2 / 2) du
    dnorm(z, log = TRUE) - 2 * log(-z) +
      log(integrate(function(v) v * exp(-v - v^2 / (2 * z^2)), 0, Inf, rel.tol = 1e-10)$value)
  }, 0)
  log(sd) + log_h
}

xi_a <- function() 0.01 / sqrt(mean(1.5^2 * diag(numbers_matrix("A", "G"))))

test_that("ei reproduces fixture A with each incumbent", {
  names <- c(pulled = "EI_seen", all = "EI_all", observed = "EI_obs")
  for (rule in names(names)) {
    for (t in 2:4) {
      value <- numbers("A", names[[rule]], t)
      x <- fixture_a(t, policy("ei", xi = xi_a(), incumbent = rule))
      expect_equal(ask(x)$arm, which.max(value))
      incumbent <- c(pulled = "seen", all = "all", observed = "obs")[[rule]]
      z <- (numbers("A", "mean", t) - numbers("A", paste0("incumbent_", incumbent), t) - 0.01) /
        numbers("A", "sd", t)
      expect_equal(exp(twin_log_ei(z, numbers("A", "sd", t))), value, tolerance = 1e-8)
    }
  }
  first <- which.max(numbers("A", "EI_all", 1))
  for (rule in names(names)) {
    expect_equal(
      ask(fixture_a(1, policy("ei", xi = xi_a(), incumbent = rule)))$arm, first
    )
  }
})

test_that("ei equals its twin on random problems", {
  set.seed(15)
  compared <- 0
  for (i in 1:300) {
    rule <- sample(c("pulled", "all", "observed"), 1L)
    xi <- sample(c(0, 0.05, 1, 20), 1L)
    s <- halfway(policy("ei", xi = xi, incumbent = rule))
    if (!any(s$open)) {
      next
    }
    z <- z_of(s, rule, xi)
    value <- rep(-Inf, s$p$k)
    value[s$open] <- twin_log_ei(z[s$open], s$sd[s$open])
    best <- clear_best(value, s$open, 1 + max(abs(z[s$open]))^2)
    if (!is.na(best)) {
      expect_equal(ask(s$x)$arm, best)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 200)
})

test_that("ei finds the best of many arms whatever their scales", {
  set.seed(16)
  for (i in 1:60) {
    k <- 400L
    sd <- exp(rnorm(k, sd = sample(c(0.1, 1, 4), 1L)))
    mean <- sample(c(0.1, 1, 30), 1L) * rnorm(k) - sample(c(0, 30), 1L)
    cov <- c(0, sd^2)
    x <- bayesgap(k + 1L, budget = 9, cov = diag(cov), prior_mean = c(max(mean) + 1, mean),
      prior_sd = 1, noise_sd = 1, policy = "ei")
    value <- twin_log_ei((mean - max(mean) - 1) / sd, sd)
    best <- clear_best(value, rep(TRUE, k), abs(max(value)))
    if (!is.na(best)) {
      expect_equal(ask(x)$arm, best + 1L)
    }
  }
})

test_that("ei follows its logarithm where it has long underflowed", {
  far <- function(mean, sd) {
    x <- bayesgap(length(sd), budget = 9, cov = diag(sd^2), prior_mean = mean, prior_sd = 1,
      noise_sd = 1, policy = "ei")
    ask(x)$arm
  }
  # z = -40 and -40.01, -60 and -60.01: EI is 0 for all in double precision
  expect_identical(exp(-40^2 / 2), 0)
  expect_equal(far(c(0, -40, -40.01), c(0, 1, 1)), 2)
  expect_equal(far(c(0, -40.01, -40), c(0, 1, 1)), 3)
  expect_equal(far(c(0, -60.01, -60), c(0, 1, 1)), 3)
  # a larger sd outweighs a lower mean
  expect_equal(far(c(0, -40, -43), c(0, 1, 1.1)), 3)
  expect_equal(far(c(0, -40, -45), c(0, 1, 1.1)), 2)
  # z = -60 and -60.01 with twice the sd: log(2) against 0.6
  expect_equal(far(c(0, -60, -120.02), c(0, 1, 2)), 3)
  # on both sides of the change of formula at z = -50
  expect_equal(far(c(0, -49.9, -50.1), c(0, 1, 1)), 2)
  expect_equal(far(c(0, -1e4, -1.001e4), c(0, 1, 1)), 2)
})

test_that("ei takes tied arms at random", {
  first <- vapply(1:100, function(seed) {
    ask(bayesgap(4, budget = 9, prior_mean = 0, prior_sd = 1, noise_sd = 1, policy = "ei",
      seed = seed))$arm
  }, 0L)
  expect_true(all(tabulate(first, 4) > 10))
})
