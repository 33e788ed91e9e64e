# The information for given maxima, by the definition.
twin_gibbon <- function(mean, sd, noise2, most) {
  rho2 <- sd^2 / (sd^2 + noise2)
  rowMeans(vapply(most, function(y) {
    gamma <- (y - mean) / sd
    r <- dnorm(gamma) / pnorm(gamma)
    -0.5 * log(1 - rho2 * r * (gamma + r))
  }, mean))
}

draw_maxima <- function(s, n) {
  e <- eigen(s$cov, symmetric = TRUE)
  root <- e$vectors %*% (sqrt(pmax(e$values, 0)) * t(e$vectors))
  apply(s$mean + root %*% matrix(rnorm(s$p$k * n), s$p$k), 2L, max)
}

test_that("the twin of mes reproduces fixture A", {
  for (t in 1:4) {
    expect_equal(
      twin_gibbon(numbers("A", "mean", t), numbers("A", "sd", t), 0.25,
                  numbers("A", "mes_ystar", t)),
      numbers("A", "gibbon", t), tolerance = 1e-8
    )
  }
})

test_that("mes with many draws equals its twin where the best arm is clear", {
  set.seed(20)
  compared <- 0
  for (i in 1:220) {
    s <- halfway(policy("mes", draws = 300), k = 1L + sample.int(39L, 1L))
    if (!any(s$open)) {
      next
    }
    value <- rep(0, s$p$k)
    value[s$open] <- twin_gibbon(
      s$mean[s$open], s$sd[s$open], s$p$noise_sd^2, draw_maxima(s, 2000)
    )
    top <- sort(value, decreasing = TRUE)
    if (isTRUE(top[1L] > 1e-8 && top[1L] - top[2L] > 0.1 * top[1L])) {
      expect_equal(ask(s$x)$arm, which.max(value))
      compared <- compared + 1
    }
  }
  expect_gt(compared, 60)
})

test_that("mes knows of noise: an arm better known than the noise is left alone", {
  # arms 1 and 2 contend; arm 2 is far noisier, and a pull of it tells little
  x <- bayesgap(2, budget = 9, prior_mean = 0, prior_sd = 1, noise_sd = c(0.1, 10),
    policy = "mes", seed = 1)
  expect_equal(ask(x)$arm, 1)
})

test_that("mes follows its logarithm where the information underflows", {
  pick <- function(mean) {
    ask(bayesgap(3, budget = 9, cov = diag(c(0, 1, 1)), prior_mean = mean, prior_sd = 1,
      noise_sd = 1, policy = "mes", seed = 1))$arm
  }
  expect_identical(dnorm(45), 0)
  expect_equal(pick(c(0, -45, -45.1)), 2)
  expect_equal(pick(c(0, -45.1, -45)), 3)
})

test_that("mes takes from one to a thousand draws", {
  for (draws in c(1, 1000)) {
    x <- bayesgap(2, budget = 2, prior_mean = 0, prior_sd = 1, noise_sd = 1,
      policy = policy("mes", draws = draws), seed = 1)
    expect_true(ask(x)$arm %in% 1:2)
  }
  expect_error(policy("mes", draws = 0), class = "bayesgap_error_policy")
  expect_error(policy("mes", draws = 1001), class = "bayesgap_error_policy")
})
