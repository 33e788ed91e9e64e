test_that("the recursion gives the posterior of the vectors (fixture A)", {
  cov <- numbers_matrix("A", "G")
  x <- bayesgap(5,
    budget = numbers("A", "T"), cov = cov, prior_mean = 0,
    prior_sd = numbers("A", "eta"), noise_sd = numbers("A", "sigma")
  )
  arm <- numbers("A", "pull_arm")
  y <- numbers("A", "pull_y")
  for (t in 1:4) {
    expect_equal(means_of(x), numbers("A", "mean", t), tolerance = 1e-8)
    expect_equal(sqrt(x$belief$var), numbers("A", "sd", t), tolerance = 1e-8)
    if (t <= 3) {
      x <- tell(x, data.frame(arm = arm[t], y = y[t], pull = NA))
    }
  }
})

test_that("the C posterior equals its twin on random problems", {
  skip_long_on_cran()
  set.seed(1)
  for (i in 1:200) {
    p <- random_problem()
    n <- p$budget
    arm <- sample.int(p$k, n, replace = TRUE)
    y <- rnorm(n)
    se <- if (runif(1) < 0.3) exp(rnorm(n, -1)) else rep(p$noise_sd, n)
    told <- data.frame(arm = arm, y = y, pull = NA, se = se)
    by_features <- runif(1) < 0.3
    x <- if (by_features) {
      bayesgap(p$k,
        budget = n, features = p$features, prior_mean = p$mean, prior_sd = p$prior_sd,
        noise_sd = p$noise_sd
      )
    } else {
      known_run(p)
    }
    x <- tell(x, told)
    twin <- twin_posterior(p$mean, p$prior_sd^2 * p$cov, arm, y, se^2)
    expect_equal(means_of(x), twin$mean, tolerance = 1e-7, label = paste("mean", i))
    expect_lt(
      max(abs(x$belief$var - diag(twin$cov))), 1e-8 * p$prior_sd^2 * max(diag(p$cov), 1e-8)
    )
  }
})

test_that("independent arms need no columns and agree with an identity covariance", {
  set.seed(2)
  told <- data.frame(arm = sample.int(7, 40, TRUE), y = rnorm(40), pull = NA)
  free <- bayesgap(7, budget = 5, prior_mean = 1, prior_sd = 2, noise_sd = 0.5, seed = 1)
  same <- bayesgap(7,
    budget = 5, prior_mean = 1, prior_sd = 2, noise_sd = 0.5, seed = 1, cov = diag(7)
  )
  free <- tell(free, told)
  same <- tell(same, told)
  expect_length(free$belief$columns, 0)
  expect_equal(means_of(free), means_of(same))
  expect_equal(free$belief$var, same$belief$var)
})

test_that("many pulls of few arms are kept in few columns, and the belief stays exact", {
  set.seed(3)
  p <- random_problem(k = 9L, budget = 300L)
  x <- known_run(p)
  arm <- sample.int(4, 300, TRUE)
  y <- rnorm(300)
  for (i in 1:300) {
    x <- tell(x, data.frame(arm = arm[i], y = y[i], pull = NA))
    expect_lte(length(x$belief$columns), 2 * 4 + 32)
  }
  twin <- twin_posterior(p$mean, p$prior_sd^2 * p$cov, arm, y, rep(p$noise_sd^2, 300))
  expect_equal(means_of(x), twin$mean, tolerance = 1e-9)
  expect_equal(x$belief$var, diag(twin$cov), tolerance = 1e-8)
  expect_equal(x$belief$pulls, tabulate(arm, 9))
})

test_that("exact observations: no NaN, known arms stay known, repeats change nothing", {
  cov <- exp(-outer(1:6, 1:6, "-")^2 / 8)
  cov <- cov[c(1:6, 1), c(1:6, 1)] # arm 7 is arm 1
  x <- bayesgap(7, budget = 20, cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = 0)
  x <- tell(x, data.frame(arm = c(1, 3, 3, 7), y = c(0.5, -1, -1, 0.5), pull = NA))
  expect_equal(means_of(x)[c(1, 3, 7)], c(0.5, -1, 0.5))
  expect_equal(x$belief$var[c(1, 3, 7)], c(0, 0, 0))
  expect_true(all(is.finite(means_of(x))))
  # A contradiction is not spread over the other arms.
  y <- tell(x, data.frame(arm = 7, y = 0.6, pull = NA))
  expect_equal(means_of(y), means_of(x))
})

test_that("tiny noise is averaged, not lost", {
  x <- bayesgap(2,
    budget = 9, cov = matrix(c(1, 0.5, 0.5, 1), 2), prior_mean = 0, prior_sd = 1,
    noise_sd = 1e-9
  )
  x <- tell(x, data.frame(arm = c(1, 1), y = c(1, 1 + 2e-9), pull = NA))
  expect_equal(means_of(x)[1] - 1, 1e-9, tolerance = 1e-5)
  expect_equal(x$belief$var[1], 5e-19, tolerance = 1e-6)
})

test_that("P(best) and the regret agree with the exact answer for two arms", {
  rho <- 0.8
  x <- bayesgap(c("a", "b"),
    budget = 4, cov = matrix(c(1, rho, rho, 1), 2), prior_mean = c(0.3, 0), prior_sd = 1,
    noise_sd = 1
  )
  sd <- sqrt(2 - 2 * rho)
  found <- certainty(x, 40000L)
  expect_equal(found$best, pnorm(c(0.3, -0.3) / sd), tolerance = 0.02)
  expect_equal(sum(found$best), 1)
  expect_equal(regret_bound(found), qnorm(0.95, -0.3, sd), tolerance = 0.03)
})

test_that("joint draws have the exact posterior covariance", {
  skip_long_on_cran()
  # P(i beats j) for all pairs tells means, variances and covariances (fixture A).
  cov <- numbers_matrix("A", "G")
  pairs <- numbers_matrix("A", "prob_gt")
  told <- data.frame(
    arm = numbers("A", "pull_arm"), y = numbers("A", "pull_y"), pull = NA
  )
  for (i in 1:4) {
    for (j in (i + 1):5) {
      x <- bayesgap(5,
        budget = 12, cov = cov, prior_mean = 0, prior_sd = 1.5, noise_sd = 0.5, seed = 5
      )
      x <- tell(x, told)
      # Only these two arms in the race: the others are put far below.
      x$belief$mean[-c(i, j)] <- -1000
      x$belief$best <- i
      expect_lt(abs(certainty(x, 20000L)$best[i] - pairs[i, j]), 4 * sqrt(0.25 / 20000))
    }
  }
})

test_that("P(best) is calibrated under the model", {
  skip_long_on_cran()
  set.seed(11)
  cov <- exp(-outer(1:8, 1:8, "-")^2 / 4)
  root <- t(chol(cov + 1e-10 * diag(8)))
  said <- right <- numeric(300)
  for (i in seq_along(said)) {
    truth <- drop(root %*% rnorm(8))
    x <- bayesgap(8, function(arm) truth[arm] + rnorm(1, sd = 0.7),
      budget = 10, cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = 0.7
    )
    found <- certainty(x, 1000L)
    said[i] <- found$best[best_arm(x)]
    right[i] <- which.max(truth) == best_arm(x)
  }
  se <- sqrt(mean(said * (1 - said)) / length(said))
  expect_lt(abs(mean(said) - mean(right)), 3 * se)
})

test_that("posterior() is in the user's units and order", {
  x <- bayesgap(c("b", "a"), budget = 3, maximise = FALSE, prior_mean = c(b = 1, a = 5),
    prior_sd = 1, noise_sd = 1)
  table <- posterior(x)
  expect_equal(table$arm, c("b", "a"))
  expect_equal(table$mean, c(1, 5))
  expect_equal(table$upper - table$lower, 2 * qnorm(0.975) * c(1, 1))
  expect_gt(table$p_best[1], 0.99)
  expect_identical(posterior(x), table)
  expect_error(posterior(x, level = 1), class = "bayesgap_error_level")
  expect_error(posterior(1), class = "bayesgap_error_run")
  expect_error(posterior(x, draws = 0), class = "bayesgap_error_draws")
})

test_that("the belief about arms out of the race does not matter to P(best)", {
  x <- bayesgap(3, budget = 3, prior_mean = c(0, 0, -100), prior_sd = 1, noise_sd = 1)
  expect_equal(posterior(x)$p_best, c(0.5, 0.5, 0), tolerance = 0.05)
})

test_that("the posterior covariance is that of the twin", {
  x <- fitted_run()
  cov <- 4 * exp(-outer(1:5, 1:5, "-")^2 / 4)
  twin <- twin_posterior(rep(1, 5), cov, c(1, 3, 3), c(0, 2, 3), rep(0.25, 3))
  expect_equal(posterior_cov(x), twin$cov)
})

test_that("a probability is not said to be 0 or 1", {
  expect_identical(probability_text(c(0.5, 0.994, 0.9949, 0.995, 0.9971, 1), 10000),
    c("0.50", "0.99", "0.99", "> 0.99", "> 0.99", "> 0.99"))
  expect_identical(probability_text(c(0.0051, 0.005, 0.003, 0), 10000),
    c("0.01", "0.01", "< 0.01", "< 0.01"))
  # So few draws do not show that it is above 0.99, or below 0.01.
  expect_identical(probability_text(c(1, 0), 100), c("0.99", "0.01"))
  expect_identical(probability_text(c(1, 0.996, 0.004), 500), c("> 0.99", "0.99", "0.01"))
  expect_identical(probability_text(c(1, 0), 10000, certain = TRUE), c("1.00", "0.00"))
  sure <- bayesgap(c("a", "b"), function(arm) match(arm, c("a", "b")), budget = 20, noise_sd = 0.1,
    seed = 1)
  expect_output(print(sure), "P(b is best) > 0.99", fixed = TRUE)
  known <- bayesgap(2, function(arm) arm, budget = 4, noise_sd = 0, seed = 1)
  expect_output(print(known), "P(2 is best) 1.00", fixed = TRUE)
  expect_output(print(bayesgap("only", budget = 2)), "P(only is best) 1.00", fixed = TRUE)
})

# ---- Priors and noise of any size ----------------------------------------------------------------

test_that("a vague prior neither ends a run nor decides for it", {
  rates <- c(0.040, 0.0425, 0.045, 0.0475, 0.050)
  for (seed in 1:5) {
    x <- bayesgap(5, function(arm) rnorm(1, rates[arm], 0.001), budget = 60, prior_mean = 0,
                  prior_sd = 1e7, noise_sd = 0.001, seed = seed)
    table <- posterior(x)
    expect_equal(nobs(x), 60)
    expect_equal(best_arm(x), which.max(table$mean))
    expect_gt(table$p_best[best_arm(x)], 0.5)
  }
})

test_that("the prior's size does not change how many pulls are made", {
  pulls <- function(prior_sd, ...) {
    nobs(bayesgap(5, function(arm) rnorm(1, arm, 1), budget = 50, prior_mean = 0,
                  prior_sd = prior_sd, noise_sd = 1, seed = 1, ...))
  }
  expect_equal(vapply(c(1, 1e6, 1e7, 1e9), pulls, 0), rep(50, 4))
  expect_equal(vapply(c(1, 1e6, 1e7), pulls, 0, cov = diag(5)), rep(50, 3))
})

test_that("one vague arm does not make the others known", {
  for (name in c("bayesgap", "ei", "kg", "ttts", "bayes_ucbe", "gpucb")) {
    x <- bayesgap(4, function(arm) rnorm(1, arm, 1), budget = 30, cov = diag(c(1e18, 1, 1, 1)),
                  prior_mean = 0, prior_sd = 1, noise_sd = 1, policy = name, seed = 1)
    expect_equal(nobs(x), 30)
    table <- posterior(x)
    expect_equal(best_arm(x), which.max(table$mean))
    expect_gt(table$pulls[best_arm(x)], 0)
  }
})

test_that("what is nothing beside other arms, but not beside its noise, is not known", {
  # The prior's pulls of equation 9 count every arm that can be learned.
  summary_of <- function(cov) {
    x <- bayesgap(3, budget = 20, cov = cov, prior_mean = 0, prior_sd = 1, noise_sd = 1, seed = 1)
    summary(tell(x, data.frame(arm = 1, y = 0, pull = NA)))$beta
  }
  expect_gt(summary_of(diag(c(1e18, 1, 1))), 0)
  expect_equal(summary_of(diag(c(1, 1e-20, 1))), summary_of(diag(c(1, 0, 1))))
})

test_that("digits are not lost to a large level of the rewards", {
  set.seed(2)
  S <- exp(-outer(1:12, 1:12, "-")^2 / 8)
  arm <- sample(12, 40, TRUE)
  y <- 1e9 + 1e-3 * rnorm(40) # as doubles hold it
  x <- bayesgap(12, budget = 1, cov = S, prior_mean = 1e9, prior_sd = 1e-3, noise_sd = 1e-4)
  x <- tell(x, data.frame(arm = arm, y = y, pull = NA))
  twin <- bayesgap(12, budget = 1, cov = S, prior_mean = 0, prior_sd = 1e-3, noise_sd = 1e-4)
  twin <- tell(twin, data.frame(arm = arm, y = y - 1e9, pull = NA))
  expect_equal(x$belief$mean, twin$belief$mean, tolerance = 1e-12)
  expect_equal(posterior(x)$p_best, posterior(twin)$p_best)
  expect_equal(posterior(x)$mean, 1e9 + posterior(twin)$mean)
})

test_that("rewards about a level, a level about them: all that is shown has the level", {
  rewards <- data.frame(arm = c(1, 2, 3, 1, 2, 3), y = c(1, 2, 3, 1.1, 2.2, 3.3), pull = NA)
  run <- function(level) {
    x <- bayesgap(3, budget = 6, prior_mean = level + c(0, 1, 2), prior_sd = 1, noise_sd = 0.5,
                  maximise = FALSE, seed = 1)
    tell(x, transform(rewards, y = y + level))
  }
  x <- run(0)
  y <- run(1000)
  expect_equal(posterior(y)$mean, 1000 + posterior(x)$mean)
  expect_equal(predict(y, type = "reward")$upper, 1000 + predict(x, type = "reward")$upper)
  expect_equal(simulate(y, 2, seed = 1)[[2]], 1000 + simulate(x, 2, seed = 1)[[2]])
  expect_equal(predictive_check(y)$expected, 1000 + predictive_check(x)$expected)
  expect_equal(as.numeric(logLik(y)), as.numeric(logLik(x)))
  expect_equal(ask(y, 3)$arm, ask(x, 3)$arm)
})

test_that("noise that is lost beside the prior is said to be, once", {
  set.seed(1)
  X <- matrix(rnorm(120), 40)
  told <- data.frame(arm = rep(1:40, 2), y = X %*% c(1, -1, 0.5), pull = NA)
  run <- function(noise_sd) {
    bayesgap(40, budget = 1, features = X, prior_mean = 0, prior_sd = 1, noise_sd = noise_sd)
  }
  expect_no_warning(tell(run(1e-3), told))
  expect_no_warning(tell(run(0), told))
  expect_warning(x <- tell(run(1e-7), told), class = "bayesgap_warning_precision")
  expect_no_warning(tell(x, told))
})

test_that("of exact rewards that contradict each other the first stands, however many follow", {
  X <- rbind(a = c(1, 0), b = c(1, 0), c = c(0, 1), d = c(0.5, 1))
  x <- bayesgap(rownames(X), budget = 1, features = X, prior_mean = 0, prior_sd = 1,
                noise_sd = 0.5)
  exact <- data.frame(arm = c("a", "b", "a"), y = c(1, 2, 1), se = 0, pull = NA)
  x <- tell(x, exact)
  expect_equal(posterior(x)$mean[1:2], c(1, 1))
  columns <- integer()
  for (i in 1:60) {
    x <- tell(x, data.frame(arm = c("c", "d")[1 + i %% 2], y = 0.3, pull = NA))
    columns <- c(columns, length(x$belief$columns))
    expect_equal(posterior(x, draws = 10)$mean[1:2], c(1, 1))
  }
  expect_true(any(diff(columns) < 0)) # they have been compacted
})

test_that("noise 0, tiny and huge; prior sd 0; an arm without variance", {
  f <- function(arm) arm^2
  exact <- bayesgap(4, f, budget = 10, noise_sd = 0, seed = 1)
  expect_equal(posterior(exact)$mean, (1:4)^2)
  expect_equal(posterior(exact)$sd, rep(0, 4))
  for (noise_sd in c(0, 1e-12, 1e12)) {
    for (prior_sd in list(NULL, 1, 1e-9, 1e9)) {
      x <- bayesgap(4, f, budget = 10, noise_sd = noise_sd, prior_sd = prior_sd, seed = 1)
      expect_false(anyNA(posterior(x)))
      expect_true(all(is.finite(means_of(x))))
    }
  }
  known <- bayesgap(3, f, budget = 5, prior_sd = 0, prior_mean = c(1, 3, 2), noise_sd = 1)
  expect_equal(nobs_of(known), 0)
  expect_identical(best_arm(known), 2L)
  expect_error(bayesgap(3, f, budget = 5, prior_sd = -1), class = "bayesgap_error_model")
  expect_error(bayesgap(3, f, budget = 5, noise_sd = -1), class = "bayesgap_error_noise")
  x <- bayesgap(3, function(arm) rnorm(1), budget = 8, cov = diag(c(1, 0, 1)),
    prior_mean = c(0, 5, 0), prior_sd = 1, noise_sd = 1, seed = 1)
  expect_false(2 %in% as.data.frame(x)$arm)
  expect_identical(best_arm(x), 2L)
})

test_that("draws have the posterior's standard deviations, however vague or uneven the prior", {
  rates <- c(0.0400, 0.0499, 0.0498, 0.0497, 0.05)
  worlds <- list(
    white = list(data.frame(u = 1:5), kernel = k_white(), prior_sd = 1e7, noise_sd = 0.001),
    smooth = list(data.frame(u = 1:5), kernel = k_se(lengthscale = 1), prior_sd = 1e4,
                  noise_sd = 0.001),
    cov = list(5, cov = diag(5), prior_sd = 1e7, noise_sd = 0.001),
    none = list(5, prior_sd = 1e7, noise_sd = 0.001),
    uneven = list(5, cov = diag(c(1e18, 1, 1, 1, 1)), prior_sd = 1, noise_sd = 1),
    features = list(5, features = diag(c(1e9, 1, 1, 1, 1)), prior_sd = 1, noise_sd = 1),
    kernel = list(data.frame(u = 1:5), kernel = function(a, b) diag(c(1e18, 1, 1, 1, 1)),
                  prior_sd = 1, noise_sd = 1),
    linear = list(data.frame(arm = 1:5, u = c(0, 0, 1e-9, 1, 2)), kernel = k_linear() + k_white() * 1e-12,
                  prior_sd = 1, noise_sd = 1)
  )
  for (name in names(worlds)) {
    visit <- function(arm) {
      at <- if (is.data.frame(arm)) match(arm$arm, 1:5) else arm
      rnorm(1, rates[at], worlds[[name]]$noise_sd)
    }
    more <- list(objective = visit, budget = 12, prior_mean = 0, seed = 1)
    x <- withCallingHandlers( # rounding tells of some of them
      do.call(bayesgap, c(worlds[[name]], more)),
      bayesgap_warning_precision = function(w) tryInvokeRestart("muffleWarning")
    )
    drawn <- apply(simulate(x, 2000, seed = 1), 1, sd)
    expect_equal(unname(drawn) / posterior(x)$sd, rep(1, 5), tolerance = 0.1, label = name)
  }
  # The same data, the same certainty.
  sure <- function(...) {
    x <- bayesgap(data.frame(u = 1:5), budget = 20, prior_mean = 0, prior_sd = 1e7,
                  noise_sd = 0.001, ...)
    told <- data.frame(arm = rep(1:5, 2), y = rep(rates, 2), pull = NA)
    posterior(tell(x, told))$p_best
  }
  expect_equal(sure(kernel = k_white()), sure(cov = diag(5)), tolerance = 0.05)
})

test_that("no run stops, and no policy settles, on draws that lost an arm", {
  uneven <- function(...) {
    bayesgap(4, function(arm) rnorm(1, c(-5, 0, 1, 2)[arm]), cov = diag(c(1e18, 1, 1, 1)),
             prior_mean = 0, prior_sd = 1, noise_sd = 1, budget = 60, seed = 1, ...)
  }
  expect_true(all(posterior(uneven(stop_regret = 0.1))$pulls > 0))
  for (name in c("thompson", "ttts", "t3c", "mes")) {
    expect_true(all(posterior(uneven(policy = name))$pulls > 0), label = name)
  }
})

test_that("arms are compared with the control by their joint posterior", {
  set.seed(4)
  for (kind in c("independent", "cov", "features", "kernel")) {
    for (maximise in c(TRUE, FALSE)) {
      root <- matrix(rnorm(18), 6)
      model <- switch(kind,
        independent = list(), cov = list(cov = exp(-outer(1:6, 1:6, "-")^2 / 4)),
        features = list(features = root), kernel = list(kernel = k_se(~u, lengthscale = 2))
      )
      x <- do.call(bayesgap, c(
        list(data.frame(u = 1:6), budget = 9, control = "3", seed = 1, maximise = maximise), model
      ))
      told <- data.frame(
        pull = NA, arm = as.character(sample(6, 20, TRUE)), block = rep(1:4, each = 5), y = rnorm(20)
      )
      for (x in list(x, tell(x, told))) {
        table <- posterior(x, 0.9)
        sign <- reward_sign(x)
        mixture <- over_points(x, function(part) {
          doubt <- level_doubt(part)
          cov <- posterior_cov(part) / t_variance(part$fit$df)
          if (!is.null(doubt)) cov <- cov + doubt$var * tcrossprod(doubt$arms)
          scale <- sqrt(diag(cov) + cov[3, 3] - 2 * cov[, 3])[-3]
          mean <- sign * (part$belief$mean - part$belief$mean[3])[-3]
          function(at) pt((at - mean) / scale, part$fit$df)
        })
        share <- function(at) {
          Reduce(`+`, Map(function(w, below) w * below(at), mixture$weight, mixture$parts))
        }
        expect_equal(table$vs_control[-3], (table$mean - table$mean[3])[-3])
        expect_equal(share(table$vs_upper[-3]), rep(0.95, 5), tolerance = 1e-6)
        expect_equal(share(table$vs_lower[-3]), rep(0.05, 5), tolerance = 1e-6)
        better <- if (maximise) 1 - share(0) else share(0)
        expect_equal(table$p_better[-3], better, tolerance = 1e-6)
        itself <- unlist(table[3, c("vs_control", "vs_lower", "vs_upper", "p_better")])
        expect_identical(unname(itself), c(0, 0, 0, NA))
      }
    }
  }
  expect_null(posterior(bayesgap(3, budget = 2))$vs_control)
})

test_that("exact arms are better than the control or not, without doubt", {
  x <- bayesgap(3, budget = 5, control = 1, block_sd = 0, prior_mean = 0, prior_sd = 1, noise_sd = 0)
  x <- tell(x, data.frame(pull = NA, arm = 1:3, y = c(2, 1, 3), block = 1))
  expect_identical(posterior(x)$p_better, c(NA, 0, 1))
  expect_true("  against 1  +1.000 (95% 1.000 to 1.000)   P(better) 1.00" %in% format(x))
})

test_that("a control among 100,000 arms needs no matrix of all pairs", {
  places <- data.frame(arm = 1:1e5, u = seq(0, 1, length.out = 1e5))
  x <- bayesgap(places, budget = 5, control = "1", kernel = k_se(~u, lengthscale = 0.1), seed = 1,
    prior_mean = 0, prior_sd = 1, noise_sd = 0.1, block_sd = 1)
  x <- tell(x, data.frame(pull = NA, arm = c("1", "70000", "1", "500"), block = c(1, 1, 2, 2), y = 1:4))
  found <- ahead_of_control(x)
  expect_length(found$apart, 1e5)
  expect_identical(sum(found$apart == 0), 1L)
})

test_that("what all parts of a mixture agree on is kept to the last bit", {
  weight <- c(0.3, 0.3, 0.4) * (1 - 2^-50) # as rounding leaves them
  for (value in c(1, 0.1, -1.1972712868961874e+37)) {
    found <- mixed(matrix(value, 1, 3), matrix(0, 1, 3), rep(Inf, 3), weight, 0.95)
    expect_identical(found, list(mean = value, sd = 0, lower = value, upper = value))
  }
  # An arm that cannot differ from its prior mean, in a run whose blocks are learned.
  x <- bayesgap(3, budget = 16, cov = diag(c(1, 1, 0)), prior_mean = 1, prior_sd = 1,
    noise_sd = 0.1, blocks = 3, seed = 1)
  for (i in 1:8) x <- tell(x, data.frame(ask(x), y = sin(3 * i)))
  expect_identical(unlist(posterior(x)[3, c("mean", "sd", "lower", "upper")], use.names = FALSE),
    c(1, 0, 1, 1))
})

test_that("where nothing worked there is no best arm, but an error with the first message", {
  x <- bayesgap(3, budget = 9, seed = 1)
  expect_true(best_arm(x) %in% 1:3) # the prior's, before anything is told
  x <- tell(x, data.frame(arm = c(2, 1), y = NA, pull = 1:2, error = c("wet", "dry")))
  expect_error(
    best_arm(x), "Nothing worked in 2 pulls. The first, pull 1, was of arm \"2\" .*: wet\n",
    class = "bayesgap_error_nothing_worked"
  )
  expect_identical(best_title(x, certainty(x)), "Nothing worked: this is the prior")
  expect_equal(sum(posterior(x)$p_best), 1)
  expect_identical(best_arm(tell(x, 1)), best_arm(tell(x, 1)))
  # What is withdrawn did not fail.
  x <- tell(bayesgap(3, budget = 9), data.frame(arm = 1, y = NA, pull = NA, error = withdrawn))
  expect_true(best_arm(x) %in% 1:3)
})

test_that("the posterior is factorised for draws where that makes them cheaper", {
  k <- 9
  alone <- arm_model(k)$prior
  expect_false(pays_to_factorise(alone, 3, 0, 100))
  expect_true(pays_to_factorise(alone, 3, 50, 100)) # pulls share blocks
  few <- arm_model(k, features = cbind(1, 1:k))$prior
  expect_true(pays_to_factorise(few, k, 50, 100))
  expect_false(pays_to_factorise(few, k, 0, 100)) # there is nothing to save
  rough <- arm_model(k, cov = exp(-abs(outer(1:k, 1:k, "-"))))$prior
  expect_false(pays_to_factorise(rough, k, 2, 100))
  expect_true(pays_to_factorise(rough, k, 50, 100))
  expect_false(pays_to_factorise(rough, k, 50, k - 1)) # not affordable
  kernel <- arm_model(data.frame(u = 1:k), kernel = k_se(~u, 2))$prior
  expect_true(pays_to_factorise(kernel, k, 0, 1)) # no other way
})
