# A random problem after some random pulls, and what its twin believes then.
halfway <- function(policy, k = sample.int(40L, 1L)) {
  p <- random_problem(k = k, budget = sample.int(60L, 1L))
  n <- sample.int(p$budget, 1L) - 1L
  told <- data.frame(pull = seq_len(n), arm = sample.int(k, n, replace = TRUE), y = rnorm(n))
  x <- if (runif(1) < 0.5) {
    known_run(p, policy = policy)
  } else {
    known_run(p, policy = policy, cov = NULL, features = p$features)
  }
  belief <- twin_posterior(
    p$mean, p$prior_sd^2 * p$cov, told$arm, told$y, rep(p$noise_sd^2, n)
  )
  sd <- sqrt(pmax(diag(belief$cov), 0))
  list(
    x = if (n > 0L) tell(x, told) else x, p = p, told = told, t = n + 1L,
    mean = belief$mean, cov = belief$cov, sd = sd, open = sd > 1e-6 * max(sd)
  )
}

# The arm that is clearly the best of those open, or NA.
clear_best <- function(value, open, unit = 1) {
  value[!open] <- -Inf
  top <- sort(value, decreasing = TRUE)
  if (top[1L] == -Inf || (length(top) > 1L && top[1L] - top[2L] < 1e-6 * unit)) {
    return(NA)
  }
  which.max(value)
}

fixture_a <- function(t, policy) {
  x <- bayesgap(5,
    budget = numbers("A", "T"), cov = numbers_matrix("A", "G"), prior_mean = 0,
    prior_sd = numbers("A", "eta"), noise_sd = numbers("A", "sigma"), policy = policy
  )
  seen <- seq_len(t - 1L)
  if (t == 1L) {
    return(x)
  }
  tell(x, data.frame(
    pull = seen, arm = numbers("A", "pull_arm")[seen], y = numbers("A", "pull_y")[seen]
  ))
}

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
