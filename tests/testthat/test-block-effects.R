test_that("effects are the posterior of the blocks, in the user's sign", {
  told <- data.frame(
    pull = NA, arm = c(1, 2, 1, 2, 3), block = c("x", "x", "y", "y", "y"), y = c(1, 2, 4, 5, 3)
  )
  for (maximise in c(TRUE, FALSE)) {
    x <- bayesgap(3, budget = 5, prior_mean = 3, prior_sd = 1, noise_sd = 0.5, block_sd = 2,
      maximise = maximise)
    x <- tell(x, told)
    h <- cbind(outer(told$arm, 1:3, "=="), outer(told$block, c("x", "y"), "==")) + 0
    prior <- diag(c(1, 1, 1, 4, 4))
    gain <- prior %*% t(h) %*% solve(h %*% prior %*% t(h) + 0.25 * diag(5))
    found <- block_effects(x, 0.9)
    sd <- sqrt(diag(prior - gain %*% h %*% prior))[4:5]
    expect_identical(found$block, c("x", "y"))
    expect_equal(found$effect, drop(gain %*% (told$y - 3))[4:5])
    expect_equal(found$sd, sd)
    expect_equal(found$upper, found$effect + qnorm(0.95) * sd)
    expect_equal(found$lower, found$effect - qnorm(0.95) * sd)
    expect_identical(found$pulls, 2:3)
  }
})

test_that("what was learned is in doubt in the intervals, and failures do not count", {
  f <- function(arm, pull) if (pull$index == 3) stop("no") else arm + 3 * (pull$block == "b")
  x <- bayesgap(3, f, budget = 12, blocks = c("a", "b", "c"), seed = 1)
  found <- block_effects(x)
  mixture <- over_points(x, function(part) {
    list(mean = block_belief(part)$mean, scale = sqrt(block_variances(part)), df = part$fit$df)
  })
  expect_gt(length(mixture$weight), 5L)
  share <- function(end) {
    Reduce(`+`, Map(function(w, p) w * pt((end - p$mean) / p$scale, p$df), mixture$weight, mixture$parts))
  }
  expect_equal(share(found$upper), rep(0.975, 3), tolerance = 1e-6)
  expect_equal(share(found$lower), rep(0.025, 3), tolerance = 1e-6)
  expect_identical(sum(found$pulls), 11L)
})

test_that("a run without blocks has a table without rows, and one that knows nothing says so", {
  none <- block_effects(bayesgap(3, function(arm) arm, budget = 4, seed = 1))
  expect_identical(nrow(none), 0L)
  expect_named(none, c("block", "effect", "sd", "lower", "upper", "pulls"))
  expect_type(none$block, "character")
  x <- bayesgap(2, budget = 4, seed = 1)
  x <- tell(x, data.frame(pull = 1, arm = ask(x)$arm, block = "p1", y = 3))
  expect_identical(block_effects(x)$effect, 0)
  expect_identical(block_effects(x)$sd, NA_real_)
  given <- bayesgap(2, budget = 4, blocks = 2, block_sd = 3, seed = 1)
  expect_gt(block_effects(given)$sd[1], 0)
  expect_identical(block_effects(given)$effect, c(0, 0))
})

test_that("one block of correlated arms, or blocks that are told to be alike, tell nothing", {
  smooth <- exp(-abs(outer(1:4, 1:4, "-")))
  x <- bayesgap(4, budget = 8, cov = smooth, seed = 1)
  x <- tell(x, data.frame(arm = 1:3, y = c(1, 3, 2), block = "p1", pull = NA))
  expect_identical(block_effects(x)$effect, 0)
  expect_identical(block_effects(x)$lower, NA_real_)
  x <- bayesgap(4, budget = 8, cov = smooth, seed = 1, block_sd = 0)
  told <- data.frame(arm = c(1:3, 1L), y = c(1, 3, 2, 1.5), block = c("p", "p", "q", "q"), pull = NA)
  x <- tell(x, told)
  expect_identical(block_effects(x)$effect, c(0, 0))
  expect_identical(block_effects(x)$upper, c(0, 0))
})

test_that("wrong arguments are refused", {
  expect_error(block_effects(1), class = "bayesgap_error_run")
  expect_error(block_effects(bayesgap(2, budget = 2), 95), class = "bayesgap_error_level")
})
