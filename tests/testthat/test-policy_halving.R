# How often each arm was pulled from pull `from` to pull `to`.
pulls_in <- function(x, from, to) tabulate(x$log$arm[from:to], n_arms(x$model$arms))

test_that("the stages of halving are those of the vectors, and the last takes the rest", {
  for (case in list(c(5, 30), c(8, 100), c(160, 1600))) {
    label <- sprintf("K%d_T%d", case[1], case[2])
    size <- numbers("SH", paste0("size_", label))
    each <- numbers("SH", paste0("pulls_", label))
    last <- length(size)
    for (by in if (case[1] < 100) c("posterior", "all", "round") else "posterior") {
      x <- bayesgap(case[1], function(arm) arm + rnorm(1), budget = case[2], seed = 1,
        prior_mean = 0, prior_sd = 100, noise_sd = 1, policy = policy("halving", by = by))
      end <- c(0, cumsum(size * each))
      for (stage in seq_len(last - 1)) {
        made <- pulls_in(x, end[stage] + 1, end[stage + 1])
        expect_equal(sort(made[made > 0]), rep(each[stage], size[stage]))
      }
      made <- pulls_in(x, end[last] + 1, case[2])
      expect_equal(sum(made > 0), size[last])
      expect_lte(diff(range(made[made > 0])), 1)
      expect_equal(sum(made), case[2] - end[last])
      expect_equal(best_arm(x), case[1])
    }
  }
})

# The arms still in after these pulls, from the beginning, and the merit they have now.
twin_halving <- function(p, cov, by, arm, y) {
  rounds <- max(1, ceiling(log2(p$k)))
  pulls <- seq_along(arm)
  merit <- function(to, from) {
    use <- pulls <= to
    if (by == "posterior") {
      noise2 <- rep(p$noise_sd^2, sum(use))
      return(twin_posterior(p$mean, p$prior_sd^2 * cov, arm[use], y[use], noise2)$mean)
    }
    if (by == "round") {
      use <- use & pulls > from
    }
    vapply(seq_len(p$k), function(i) mean(y[use & arm == i]), 0)
  }
  now <- list(arms = seq_len(p$k), margin = Inf)
  end <- 0
  for (stage in seq_len(rounds)) {
    from <- end
    size <- length(now$arms)
    end <- if (stage < rounds) end + size * floor(p$budget / (size * rounds)) else p$budget
    now$merit <- merit(min(end, length(arm)), from)[now$arms]
    if (length(arm) < end) {
      break
    }
    keep <- ceiling(size / 2)
    ranked <- sort(now$merit, decreasing = TRUE)
    if (keep < size) {
      now$margin <- min(now$margin, ranked[keep] - ranked[keep + 1])
    }
    now$arms <- now$arms[order(now$merit, decreasing = TRUE)[seq_len(keep)]]
    from <- end
  }
  made <- tabulate(arm[pulls > from], p$k)[now$arms]
  now$next_arms <- now$arms[made == min(made)]
  now
}

test_that("halving equals its twin over whole runs", {
  skip_long_on_cran()
  set.seed(13)
  compared <- 0
  for (i in 1:24) {
    p <- random_problem(k = 1L + sample.int(24L, 1L))
    p$cov <- tcrossprod(p$features) + diag(0.1, p$k)
    cov <- if (i %% 2) p$cov else diag(p$k)
    by <- c("posterior", "all", "round")[i %% 3 + 1]
    p$budget <- as.integer(p$k * max(1, ceiling(log2(p$k)))) + sample.int(p$k + 21L, 1L) - 1L
    x <- known_run(p, cov = cov, policy = policy("halving", by = by))
    truth <- rnorm(p$k)
    agrees <- TRUE
    for (t in seq_len(p$budget)) {
      chosen <- ask(x)$arm
      if (t %% 3 == 0) {
        twin <- twin_halving(p, cov, by, x$log$arm, x$log$reward)
        agrees <- agrees && (twin$margin < 1e-6 || chosen %in% twin$next_arms)
        made <- length(x$log$arm)
        if (by != "round" && made > p$k) {
          agrees <- agrees &&
            (twin$margin < 1e-6 || best_arm(x) == twin$arms[which.max(twin$merit)])
        }
      }
      x <- tell(x, truth[chosen] + rnorm(1, sd = p$noise_sd))
    }
    twin <- twin_halving(p, cov, by, x$log$arm, x$log$reward)
    expect_true(agrees)
    expect_equal(nobs_of(x), p$budget)
    if (twin$margin > 1e-6) {
      expect_equal(best_arm(x), twin$arms)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 15)
})

test_that("the three ways to judge differ where they should", {
  # Two arms, one stage; all rewards but those of the stage were told beforehand.
  run <- function(by) {
    x <- bayesgap(4, budget = 8, prior_mean = c(9, 0, 0, 0), prior_sd = 1, noise_sd = 1,
      policy = policy("halving", by = by), seed = 1)
    x <- tell(x, data.frame(arm = 1:4, y = c(1, 1.4, 0, 0), pull = 1:4))
    x <- tell(x, data.frame(arm = c(1, 1, 2, 2), y = c(1, 1, 0.9, 0.9), pull = 5:8))
    best_arm(x)
  }
  expect_equal(run("posterior"), 1)
  expect_equal(run("all"), 2)
  expect_equal(run("round"), 1)
})

test_that("a stage ends by the pulls made, failed ones included", {
  x <- bayesgap(4, function(arm, pull) if (pull$index %in% 1:3) stop("no") else arm,
    budget = 16, prior_mean = 0, prior_sd = 10, noise_sd = 1, seed = 3,
    policy = policy("halving", by = "all"))
  expect_length(x$log$arm, 16)
  expect_length(unique(x$log$arm[9:16]), 2)
  expect_equal(best_arm(x), 4)
  # an arm that only fails comes last, and is not in the second stage
  dead <- bayesgap(4, function(arm) if (arm == 4) stop("no") else arm, budget = 16,
    prior_mean = 100, prior_sd = 10, noise_sd = 1, seed = 3,
    policy = policy("halving", by = "all"))
  expect_setequal(dead$log$arm[9:16], 2:3)
  expect_equal(best_arm(dead), 3)
})

test_that("shares are equal within a stage, whatever there was before", {
  x <- bayesgap(4, budget = 16, prior_mean = 0, prior_sd = 10, noise_sd = 1, seed = 1,
    policy = "halving")
  x <- tell(x, data.frame(arm = rep(4, 10), y = 4, pull = NA))
  while (nrow(ask(x))) {
    x <- tell(x, as.double(ask(x)$arm))
  }
  counted <- x$log$arm[!is.na(x$log$pull)]
  expect_equal(tabulate(counted[9:16], 4), c(0, 0, 4, 4))
})

test_that("halving refuses a budget that does not reach", {
  expect_error(
    bayesgap(5, budget = 14, policy = "halving"), "at least 15",
    class = "bayesgap_error_budget"
  )
  expect_no_error(bayesgap(5, budget = 15, policy = "halving"))
  expect_error(
    bayesgap(8, budget = 23, policy = "halving"), "at least 24",
    class = "bayesgap_error_budget"
  )
  expect_no_error(bayesgap(1, budget = 1, policy = "halving"))
  expect_no_error(bayesgap(2, budget = 2, policy = "halving"))
  # a known arm needs no pull, and may be the best
  cov <- diag(c(0, 1, 1, 1, 1))
  known <- bayesgap(5, function(arm) -arm, budget = 8, policy = "halving", cov = cov,
    prior_mean = 0, prior_sd = 10, noise_sd = 1)
  expect_false(1 %in% known$log$arm)
  expect_equal(best_arm(known), 1)
  # nor does it take another's place
  known <- bayesgap(5, function(arm) arm, budget = 8, policy = "halving", cov = cov,
    prior_mean = -100, prior_sd = 100, noise_sd = 1)
  expect_setequal(known$log$arm[5:8], 4:5)
  expect_error(
    bayesgap(5, budget = 7, policy = "halving", cov = cov), "at least 8",
    class = "bayesgap_error_budget"
  )
})

test_that("what is known through other arms counts as known", {
  for (by in c("posterior", "all", "round")) {
    # arm 2 lies 5 above arm 1, whose rewards are exact
    cov <- matrix(c(1, 1, 0, 1, 1, 0, 0, 0, 1), 3)
    x <- bayesgap(3, budget = 9, cov = cov, prior_mean = c(0, 5, 0), prior_sd = 1,
      noise_sd = c(0, 1, 1), policy = policy("halving", by = by))
    x <- tell(x, data.frame(arm = 1, y = -3, pull = NA))
    while (nrow(ask(x))) {
      expect_equal(ask(x)$arm, 3)
      x <- tell(x, 0)
    }
    expect_equal(best_arm(x), 2)
    # two exact rewards tell a line
    line <- bayesgap(9, function(arm) 0.3 * arm, budget = 50, noise_sd = 0,
      features = cbind(1, 1:9), prior_mean = 0, prior_sd = 1,
      policy = policy("halving", by = by))
    expect_equal(nobs_of(line), 2)
    expect_equal(best_arm(line), 9)
  }
})

test_that("halving with exact rewards stops when all is known", {
  x <- bayesgap(4, function(arm) arm, budget = 20, policy = "halving", prior_mean = 0,
    prior_sd = 1, noise_sd = 0)
  expect_equal(sort(x$log$arm), 1:4)
  expect_equal(best_arm(x), 4)
})

test_that("arms that a policy dropped stay out when the prior is estimated anew", {
  # stages of 48 pulls of 8 arms: 16 pulls of 8, of 4, of 2
  for (seed in 1:10) {
    for (by in c("posterior", "all", "round")) {
      x <- bayesgap(8, function(arm) as.numeric(runif(1) < arm / 10),
        budget = 48, policy = policy("halving", by = by), seed = seed
      )
      stages <- lapply(1:3, function(s) unique(x$log$arm[16 * (s - 1) + 1:16]))
      expect_identical(lengths(stages), c(8L, 4L, 2L))
      expect_true(all(stages[[2]] %in% stages[[1]]) && all(stages[[3]] %in% stages[[2]]))
      expect_true(best_arm(x) %in% stages[[3]])
    }
  }
})
