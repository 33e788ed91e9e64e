# What is not known of the level, by brute force: a prior that adds a constant of enormous variance to
# all arms (and to no block) believes what generalised least squares and its doubt do.
vague_twin <- function(x, big = 1e6) {
  k <- length(x$belief$mean)
  m <- length(x$blocks)
  prior <- matrix(0, k + m, k + m)
  prior[seq_len(k), seq_len(k)] <- x$fit$scale * prior_cov(run_prior(x), seq_len(k)) + big
  if (m) prior[k + seq_len(m), k + seq_len(m)] <- x$fit$block2 * diag(m)
  h <- matrix(0, length(x$log$arm), k + m)
  h[cbind(seq_along(x$log$arm), x$log$arm)] <- 1
  if (m) h[cbind(seq_along(x$log$arm), k + x$log$block)] <- 1
  s <- h %*% prior %*% t(h) + diag(pull_noise2(x))
  prior - prior %*% t(h) %*% solve(s, h %*% prior)
}

test_that("the doubt about a learned level is that of a level of which nothing is known", {
  set.seed(81)
  told <- data.frame(arm = c(1, 2, 2, 4, 5, 5, 5), y = rnorm(7), pull = NA)
  cov <- exp(-outer(1:6, 1:6, "-")^2 / 6)
  for (blocks in list(NULL, c(1, 1, 2, 2, 3, 3, 1))) {
    for (more in list(list(), list(cov = cov), list(features = matrix(rnorm(18), 6)))) {
      x <- do.call(bayesgap, c(
        list(6, budget = 9, prior_sd = 1.5, noise_sd = 0.7, seed = 1),
        if (!is.null(blocks)) list(block_sd = 2), more
      ))
      rows <- told
      rows$block <- blocks
      x <- tell(x, rows)
      twin <- vague_twin(x)
      expect_equal(arm_variances(x), diag(twin)[1:6], tolerance = 1e-4)
      if (!is.null(blocks)) expect_equal(block_variances(x), diag(twin)[7:9], tolerance = 1e-4)
      doubt <- level_doubt(x)
      cov_of <- posterior_cov(x) + doubt$var * tcrossprod(doubt$arms)
      expect_equal(cov_of, twin[1:6, 1:6], tolerance = 1e-4, ignore_attr = TRUE)
    }
  }
})

test_that("a level that is given, or of which nothing was seen, has no doubt", {
  expect_null(level_doubt(bayesgap(3, budget = 3)))
  x <- bayesgap(3, budget = 3, prior_mean = 0)
  expect_null(level_doubt(tell(x, 1)))
  x <- tell(bayesgap(3, budget = 3, prior_sd = 1, noise_sd = 0), 1)
  seen <- x$log$arm
  expect_identical(level_doubt(x)$arms[seen], 0)
  expect_identical(level_doubt(x)$arms[-seen], c(1, 1))
})

test_that("exact rewards that others tell have no column, and tell the level", {
  for (more in list(list(kernel = k_linear(~v)), list(features = matrix(1:6, 6)))) {
    x <- do.call(bayesgap, c(
      list(data.frame(v = 1:6), budget = 20, seed = 1, noise_sd = 0), more
    ))
    x <- tell(x, data.frame(arm = 1:6, y = 2 * (1:6), pull = NA))
    table <- posterior(x)
    expect_lt(max(table$sd), 1e-6)
    expect_equal(table$mean, 2 * (1:6), tolerance = 1e-6)
    expect_identical(table$p_best, c(0, 0, 0, 0, 0, 1))
  }
})

test_that("draws go with the level", {
  told <- data.frame(arm = c(1, 1, 2), y = c(0, 1, 4), pull = NA)
  x <- tell(bayesgap(4, budget = 9, prior_sd = 1, noise_sd = 1, seed = 1), told)
  draws <- as.matrix(simulate(x, 4000, seed = 2))
  doubt <- level_doubt(x)
  cov <- posterior_cov(x) + doubt$var * tcrossprod(doubt$arms)
  expect_equal(unname(var(t(draws))), cov, tolerance = 0.06, ignore_attr = TRUE)
  # Both arms that were never pulled are as good as each other, whatever the level.
  expect_gt(cov[3, 4], 0.5)
})
