test_that("tidy(), glance() and augment() give tidy tables", {
  x <- bayesgap(c("a", "b"), function(arm) nchar(arm) + (arm == "b"),
    budget = 6, prior_mean = 1, prior_sd = 1, noise_sd = 0.5, seed = 1
  )
  table <- tidy.bayesgap(x)
  expect_equal(table$estimate, posterior(x)$mean)
  expect_equal(table$p.best, posterior(x)$p_best)
  one <- glance.bayesgap(x)
  expect_equal(nrow(one), 1)
  expect_equal(one$best, "b")
  expect_equal(one$nobs, 6)
  rows <- augment.bayesgap(x)
  expect_equal(rows$.fitted + rows$.resid, rows$y)
  expect_error(tidy.bayesgap(x, what = 1), class = "bayesgap_error_argument")
  skip_if_not_installed("generics")
  expect_identical(generics::tidy(x), table)
  expect_identical(generics::glance(x), one)
  expect_identical(generics::augment(x), rows)
})

test_that("tables of runs with blocks and a control have what these add", {
  f <- function(arm, pull) nchar(arm) + 3 * (pull$block == "2") + sin(pull$index)
  x <- bayesgap(c("std", "b"), f, budget = 12, blocks = 3, control = "std", seed = 1)
  expect_equal(tidy.bayesgap(x)$p.better, posterior(x)$p_better)
  expect_equal(tidy.bayesgap(x)$vs.high, posterior(x)$vs_upper)
  expect_identical(glance.bayesgap(x)$blocks, 3L)
  expect_equal(glance.bayesgap(x)$block.sd, sqrt(x$fit$block2))
  expect_identical(glance.bayesgap(bayesgap(2, budget = 2))$block.sd, NA_real_)
  rows <- augment.bayesgap(x)
  effect <- block_effects(x)
  means <- posterior(x)
  expect_identical(rows$block, as.data.frame(x)$block)
  expect_equal(
    rows$.fitted, means$mean[match(rows$arm, means$arm)] + effect$effect[as.integer(rows$block)]
  )
})

test_that("the standard error of a fit is that of arm and block together", {
  x <- bayesgap(2, budget = 5, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, block_sd = 2)
  x <- tell(x, data.frame(pull = NA, arm = 1, block = c("a", "b", "b"), y = 1:3))
  h <- cbind(1, c(1, 0, 0), c(0, 1, 1))
  prior <- diag(c(1, 4, 4))
  cov <- prior - prior %*% t(h) %*% solve(h %*% prior %*% t(h) + 0.25 * diag(3)) %*% h %*% prior
  expect_equal(augment.bayesgap(x)$.se.fit, sqrt(diag(h %*% cov %*% t(h))))
})

test_that("where nothing worked, the glance has no best arm", {
  skip_if_not_installed("generics")
  x <- bayesgap(c("a", "b"), budget = 9)
  x <- tell(x, data.frame(arm = "a", y = NA, pull = NA, failed = TRUE))
  row <- generics::glance(x)
  expect_identical(row$best, NA_character_)
  expect_identical(c(row$p.best, row$regret), c(NA_real_, NA_real_))
})
