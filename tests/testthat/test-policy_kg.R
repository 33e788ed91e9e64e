# KG of every arm: E max(mean + b Z) - max mean, integrated between all crossings.
twin_kg <- function(mean, cov, noise2) {
  vapply(seq_along(mean), function(x) {
    b <- cov[, x] / sqrt(cov[x, x] + noise2)
    if (cov[x, x] <= 0) {
      return(0)
    }
    crossing <- outer(mean, mean, "-") / -outer(b, b, "-")
    kinks <- sort(unique(round(crossing[is.finite(crossing) & abs(crossing) < 12], 9)))
    gain <- function(z) {
      vapply(z, function(z) max(mean + b * z) - max(mean), 0) * dnorm(z)
    }
    edges <- c(-12, kinks, 12)
    sum(vapply(seq_along(edges[-1L]), function(i) {
      integrate(gain, edges[i], edges[i + 1L],
        rel.tol = 1e-9, abs.tol = 1e-12, stop.on.error = FALSE)$value
    }, 0))
  }, 0)
}

# log KG by sorting the lines and scanning, as Frazier's code does it.
twin_log_kg <- function(mean, cov, noise2) {
  log_h <- function(x) {
    ratio <- exp(pnorm(x, lower.tail = FALSE, log.p = TRUE) - dnorm(x, log = TRUE))
    far <- log1p(-3 / x^2 + 15 / x^4) - 2 * log(x)
    dnorm(x, log = TRUE) + ifelse(x > 60, far, log1p(-pmin(x, 60) * ratio))
  }
  vapply(seq_along(mean), function(x) {
    if (cov[x, x] <= 0) {
      return(-Inf)
    }
    b <- cov[, x] / sqrt(cov[x, x] + noise2)
    b[abs(b) < 1e-12 * max(abs(b))] <- 0
    order <- order(b, mean)
    b <- b[order]
    a <- mean[order]
    keep <- c(diff(b) > 1e-12 * max(abs(b)), TRUE)
    b <- b[keep]
    a <- a[keep]
    stack <- 1L
    from <- -Inf
    for (i in seq_along(b)[-1L]) {
      repeat {
        last <- stack[length(stack)]
        c <- (a[last] - a[i]) / (b[i] - b[last])
        if (length(stack) > 1L && c <= from[length(from)]) {
          stack <- stack[-length(stack)]
          from <- from[-length(from)]
        } else {
          break
        }
      }
      stack <- c(stack, i)
      from <- c(from, c)
    }
    if (length(stack) == 1L) {
      return(-Inf)
    }
    terms <- log(diff(b[stack])) + log_h(abs(from[-1L]))
    max(terms) + log(sum(exp(terms - max(terms))))
  }, 0)
}

test_that("kg reproduces fixture A, and so do its twins", {
  for (t in 1:4) {
    x <- fixture_a(t, "kg")
    expect_equal(ask(x)$arm, numbers("A", "kg_arm", t))
    seen <- seq_len(t - 1L)
    belief <- twin_posterior(
      rep(0, 5), 1.5^2 * numbers_matrix("A", "G"), numbers("A", "pull_arm")[seen],
      numbers("A", "pull_y")[seen], rep(0.25, t - 1L)
    )
    value <- numbers("A", "kg", t)
    expect_equal(exp(twin_log_kg(belief$mean, belief$cov, 0.25)), value, tolerance = 1e-8)
    expect_equal(twin_kg(belief$mean, belief$cov, 0.25), value, tolerance = 1e-7)
  }
})

test_that("kg equals its integral on small random problems", {
  set.seed(17)
  compared <- 0
  for (i in 1:90) {
    s <- halfway("kg", k = 1L + sample.int(5L, 1L))
    value <- twin_kg(s$mean, s$cov, s$p$noise_sd^2)
    if (!any(s$open) || max(value) < 1e-6 * max(s$sd)) {
      next
    }
    best <- clear_best(value, s$open, max(value))
    if (!is.na(best)) {
      expect_equal(ask(s$x)$arm, best)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 35)
})

test_that("kg equals its twin on random problems", {
  set.seed(18)
  compared <- 0
  for (i in 1:300) {
    s <- halfway("kg")
    if (!any(s$open)) {
      next
    }
    value <- twin_log_kg(s$mean, s$cov, s$p$noise_sd^2)
    # below that the twin's covariances are rounding
    if (max(value) < log(max(s$sd)) - 25) {
      next
    }
    best <- clear_best(value, s$open)
    if (!is.na(best)) {
      expect_equal(ask(s$x)$arm, best)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 200)
})

test_that("kg follows its logarithm where it has long underflowed", {
  far <- function(mean, sd, noise = 1) {
    ask(bayesgap(length(sd), budget = 9, cov = diag(sd^2), prior_mean = mean, prior_sd = 1,
      noise_sd = noise, policy = "kg"))$arm
  }
  # independent arms: the slope is sd^2 / sqrt(sd^2 + noise^2), the crossing 40 of them away
  expect_equal(far(c(0, -40, -40.01), c(0, 1, 1), 1e-3), 2)
  expect_equal(far(c(0, -40.01, -40), c(0, 1, 1), 1e-3), 3)
  expect_equal(far(c(0, -40, -43), c(0, 1, 1.1), 1e-3), 3)
  expect_equal(far(c(0, -40, -45), c(0, 1, 1.1), 1e-3), 2)
  mean <- c(1, -44, -60, -90)
  sd <- c(0, 1, 1.4, 2)
  expect_equal(
    far(mean, sd), which.max(twin_log_kg(mean, diag(sd^2), 1))
  )
})

test_that("kg with nothing to gain pulls the arm known least", {
  # two arms that move together: no pull can change which is the better one
  same <- matrix(c(1, 1, 1, 1), 2)
  x <- bayesgap(2, function(arm) 0, budget = 3, cov = same, prior_mean = c(0, 1),
    prior_sd = 1, noise_sd = 1, policy = "kg", seed = 1)
  expect_equal(nobs_of(x), 3)
  y <- bayesgap(3, budget = 3, cov = tcrossprod(c(1, 1, 0)), prior_mean = c(0, 1, 0.5),
    prior_sd = 1, noise_sd = 1, policy = "kg")
  # here the known arm 3 can be beaten, and both pulls tell the same
  expect_true(ask(y)$arm %in% 1:2)
  one <- bayesgap(1, budget = 3, prior_mean = 0, prior_sd = 1, noise_sd = 1, policy = "kg")
  expect_equal(ask(one)$arm, 1)
})

test_that("the last pull by kg is the best there is for the expected mean of the choice", {
  set.seed(19)
  p <- list(k = 3, budget = 1, mean = c(0, 0.3, 0.2), prior_sd = 1, noise_sd = 0.7,
    cov = matrix(c(1, 0.5, 0.1, 0.5, 0.6, 0, 0.1, 0, 1.2), 3))
  gain <- vapply(1:3, function(x) {
    b <- p$cov[, x] / sqrt(p$cov[x, x] + p$noise_sd^2)
    z <- qnorm(ppoints(20000))
    mean(pmax(p$mean[1] + b[1] * z, p$mean[2] + b[2] * z, p$mean[3] + b[3] * z))
  }, 0)
  expect_equal(ask(known_run(p, policy = "kg"))$arm, which.max(gain))
})
