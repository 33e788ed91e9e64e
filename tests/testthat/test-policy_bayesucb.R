test_that("bayesucb reproduces fixture A", {
  for (t in 1:4) {
    x <- fixture_a(t, policy("bayesucb"))
    index <- numbers("A", "bayesucb_tplus1", t)
    expect_equal(
      means_of(x) + note_of(x)$beta * sqrt(x$belief$var), index, tolerance = 1e-8
    )
    if (t > 1L) {
      expect_equal(ask(x)$arm, which.max(index))
    }
  }
  # the first level is the median: all means are equal, and so are the arms
  first <- vapply(1:40, function(seed) {
    ask(bayesgap(5, budget = 9, prior_mean = 0, cov = diag(1:5), prior_sd = 1, noise_sd = 1,
      policy = "bayesucb", seed = seed))$arm
  }, 0L)
  expect_setequal(first, 1:5)
})

test_that("bayesucb equals its twin on random problems", {
  set.seed(11)
  compared <- 0
  for (i in 1:250) {
    c <- sample(c(0, 1, 5), 1L)
    s <- halfway(policy("bayesucb", c = c))
    if (!any(s$open)) {
      next
    }
    power <- max(log(s$p$budget)^c, 1)
    beta <- qnorm(1 - 1 / ((s$t + 1) * power))
    expect_equal(note_of(s$x)$beta, beta, tolerance = 1e-8)
    best <- clear_best(s$mean + beta * s$sd, s$open, max(s$sd))
    if (!is.na(best)) {
      expect_equal(ask(s$x)$arm, best)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 200)
})

test_that("bayesucb: budgets of 1 and 2, and a power that overflows", {
  beta <- function(budget, c) {
    note_of(bayesgap(3, budget = budget, prior_mean = 0, prior_sd = 1, noise_sd = 1,
      policy = policy("bayesucb", c = c)))$beta
  }
  expect_equal(beta(1, 5), 0)
  expect_equal(beta(2, 5), 0)
  expect_gt(beta(3, 5), 0)
  expect_true(is.finite(beta(1e6, 1e6)))
})

test_that("bayesucb depends on the budget only through c", {
  expect_false(policies()$anytime[policies()$policy == "bayesucb"])
  expect_error(policy("bayesucb", c = -1), class = "bayesgap_error_policy")
})
