# A run of many arms, of which few can be the best.
wide_run <- function(cov = exp(-outer(1:60, 1:60, "-")^2 / 18), ...) {
  set.seed(31)
  truth <- sin(1:60 / 6) + 1:60 / 60
  x <- bayesgap(60, budget = 80, cov = cov, seed = 3, ...)
  arm <- rep(seq(1, 60, by = 3), 4)
  tell(x, data.frame(arm = arm, y = truth[arm] + rnorm(80, sd = 0.3), pull = NA))
}

known <- list(prior_mean = 0, prior_sd = 1, noise_sd = 0.3)

test_that("the chance to be ahead is that of the joint posterior, the level's doubt in it", {
  x <- do.call(wide_run, known)
  mean <- race_means(x)
  top <- which.max(mean)
  cov <- posterior_cov(x)
  sd <- sqrt(diag(cov) + cov[top, top] - 2 * cov[, top])
  chance <- chance_ahead(x, mean, NULL)
  expect_equal(chance[-top], pnorm((mean - mean[top]) / sd)[-top], tolerance = 1e-4)
  expect_equal(apart_from(x, top), sd^2, tolerance = 1e-8)
  learned <- part_of(x <- wide_run(), learned_points(x)[[1]])
  doubt <- level_doubt(learned)
  drawn <- draw_part(learned, 4000L, "mean")
  top <- which.max(race_means(learned))
  share <- rowMeans(drawn > rep(drawn[top, ], each = 60))
  expect_lt(max(abs(chance_ahead(learned, race_means(learned), doubt) - share)[-top]), 0.035)
})

test_that("those that are left out matter in no more than a draw on average", {
  for (x in list(do.call(wide_run, known), wide_run())) {
    part <- part_of(x, learned_points(x)[[1]])
    mean <- race_means(part)
    chance <- chance_ahead(part, mean, level_doubt(part))
    for (draws in c(500, 1e4, 1e7)) {
      rows <- contenders(part, draws)
      expect_lte(sum(chance[-rows]), 1 / draws)
      expect_true(x$belief$best %in% rows)
    }
    expect_gt(length(contenders(part, 1e7)), length(contenders(part, 500)))
    expect_lt(length(contenders(part)), 50)
    expect_identical(contenders(part), contenders(part, most_draws))
  }
})

test_that("P(best) and the regret are those of all arms, but for the draws' own error", {
  skip_long_on_cran()
  for (x in list(do.call(wide_run, known), wide_run(), wide_run(cov = NULL))) {
    found <- certainty(x, 20000L)
    drawn <- as.matrix(simulate(x, 20000L, seed = 9))
    best <- tabulate(max.col(t(drawn), "first"), 60) / 20000
    se <- sqrt(pmax(best * (1 - best), 1e-4) / 20000)
    expect_lt(max(abs(found$best - best) / se), 6)
    regret <- apply(drawn, 2, max) - drawn[x$belief$best, ]
    at <- regret_bound(found)
    expect_lt(abs(mean(regret <= at) - 0.95), 5 * sqrt(2 * 0.05 * 0.95 / 20000))
  }
})

test_that("few arms are all drawn, and arms that are dropped are not in the race", {
  x <- bayesgap(3, budget = 3, prior_mean = c(0, -4, -100), prior_sd = 1, noise_sd = 1)
  expect_identical(contenders(x), 1:2)
  x <- do.call(wide_run, known)
  gone <- order(x$belief$mean, decreasing = TRUE)[1:3]
  expect_length(intersect(contenders(drop_arms(x, gone)), gone), 0)
})

test_that("rounding keeps arms in: what a vague prior leaves of a difference is not believed", {
  x <- wide_run(prior_mean = 0, prior_sd = 1e7, noise_sd = 0.3)
  rounding <- apart_rounding(x, 1L)
  expect_gt(min(rounding), 1e-3)
  chance <- chance_ahead(x, race_means(x), NULL)
  top <- which.max(race_means(x))
  behind <- race_means(x)[top] - race_means(x)
  expect_true(all(chance >= pnorm(-behind / sqrt(64 * apart_rounding(x, top))) - 1e-12))
})

test_that("the least that add up to a total are found", {
  expect_identical(among_least(c(3, 1, 2, 9), 3.5), c(FALSE, TRUE, TRUE, FALSE))
  expect_identical(among_least(c(3, 1), 0.5), c(FALSE, FALSE))
  expect_identical(among_least(c(0, 0, 1), 0), c(TRUE, TRUE, FALSE))
})
