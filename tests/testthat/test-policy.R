test_that("policy() and policies() read the table and check against it", {
  table <- policies()
  expect_true(all(c("bayesgap", "thompson", "uniform") %in% table$policy))
  expect_s3_class(policy("bayesgap", beta = 2), "bayesgap_policy")
  expect_equal(policy("bayesgap", beta = 2)$param[["beta"]], 2)
  expect_output(print(policy("bayesgap", variant = "paper", epsilon = 0.1)),
    "bayesgap (variant = \"paper\", epsilon = 0.1)", fixed = TRUE)
  for (params in table$params) {
    value <- params$default
    expect_true(all(is.nan(value) | (value >= params$lower & value <= params$upper)))
  }
  expect_error(policy("bayesgab"), "not \"bayesgab\". Did you mean \"bayesgap\"?", fixed = TRUE)
  expect_error(policy("something else"), "not \"something else\".$")
  expect_error(policy(3), "`name` must be one of .*, not 3")
  expect_error(bayesgap(3, budget = 2, policy = "x"), "`policy` must be one of")
  expect_snapshot(error = TRUE, {
    policy("bayesgap", bta = 2)
    policy("bayesgap", 2)
    policy("bayesgap", beta = -1)
    policy("bayesgap", beta = NA)
    policy("bayesgap", variant = "papper")
    policy("uniform", beta = 1)
    policy("bayesgap", beta = 1, beta = 2)
  })
  expect_error(policy("bayesgab"), class = "bayesgap_error_policy")
  expect_error(bayesgap(3, budget = 2, policy = 5), class = "bayesgap_error_policy")
})

for (name in policies()$policy) {
  test_that(paste("policy", name, "keeps the contract"), {
    set.seed(5)
    for (i in 1:12) {
      p <- random_problem(k = sample.int(20L, 1L), budget = sample.int(30L, 1L))
      p$budget <- max(p$budget, least_budget(name, p$features, p$noise_sd))
      truth <- rnorm(p$k)
      play <- function() {
        known_run_with(p, name, function(arm) truth[arm] + rnorm(1, sd = p$noise_sd), seed = i)
      }
      x <- play()
      expect_true(all(x$log$arm %in% seq_len(p$k)))
      expect_identical(x$log$pull, seq_along(x$log$arm))
      # exactly the budget, unless nothing is left to learn
      expect_true(nobs_of(x) == p$budget || !is.null(x$stopped))
      expect_true(best_arm(x) %in% seq_len(p$k))
      expect_identical(play(), x)
    }
  })

  test_that(paste("policy", name, "works with one arm, one pull, and known arms"), {
    one <- bayesgap("only", function(arm) 1, budget = 3, policy = name, prior_mean = 0,
      prior_sd = 1, noise_sd = 1, features = matrix(1))
    expect_identical(best_arm(one), "only")
    expect_equal(nobs_of(one), 3)
    expect_equal(posterior(one)$p_best, 1)
    least <- least_budget(name, diag(9))
    single <- bayesgap(9, function(arm) 1,
      budget = least, policy = name, features = diag(9), seed = 1
    )
    expect_equal(nobs_of(single), least)
    if (least > 1) {
      expect_error(
        bayesgap(9, budget = least - 1, policy = name, features = diag(9)),
        paste0("must be at least ", least), class = "bayesgap_error_budget"
      )
    }
    known <- bayesgap(3, function(arm) stop("must not be pulled"),
      budget = 5, policy = name, prior_mean = c(1, 3, 2), prior_sd = 0, noise_sd = 1,
      features = diag(3))
    expect_equal(nobs_of(known), 0)
    expect_equal(best_arm(known), 2)
    # Arm 1 is known: it is never pulled and may be recommended.
    half <- bayesgap(3, function(arm) -10,
      budget = 6, policy = name, features = diag(c(0, 1, 1)), prior_mean = 0, prior_sd = 1,
      noise_sd = 0.5, seed = 1)
    expect_false(1L %in% half$log$arm)
    expect_equal(best_arm(half), 1)
  })

  test_that(paste("policy", name, "pulls no arm twice without replacement"), {
    least <- least_budget(name, diag(6))
    expect_error(
      bayesgap(6, budget = 7, policy = name, replace = FALSE, features = diag(6)),
      class = "bayesgap_error_budget"
    )
    if (least <= 6) {
      x <- bayesgap(6, function(arm) rnorm(1),
        budget = 6, policy = name, replace = FALSE, prior_mean = 0, prior_sd = 1,
        noise_sd = 0.1, features = diag(6), seed = 1)
      expect_setequal(x$log$arm, 1:6)
    }
  })
}

test_that("ties are broken at random, and scale and shift do not change a choice", {
  first <- vapply(1:200, function(seed) {
    ask(bayesgap(5, budget = 9, prior_mean = 0, prior_sd = 1, noise_sd = 1, seed = seed))$arm
  }, 0L)
  expect_true(all(tabulate(first, 5) > 20))
  play <- function(scale, shift, name) {
    bayesgap(6, function(arm) scale * (sin(arm) + rnorm(1)) + shift,
      budget = 25, prior_mean = shift, prior_sd = scale, noise_sd = scale, policy = name,
      features = exp(-outer(1:6, 1:6, "-")^2 / 9), seed = 8
    )$log$arm
  }
  for (name in policies()$policy) {
    expect_identical(play(1e9, 3e9, name), play(1, 0, name))
    expect_identical(play(1e-9, -1e-6, name), play(1, 0, name))
  }
})

test_that("policies that only look at rewards choose the same, whatever arms tell of each other", {
  k <- 12
  means <- sin(1:k)
  run <- function(noise_sd, ...) {
    model <- arm_model(k, prior_mean = 0, prior_sd = 1, noise_sd = noise_sd, ...)
    found <- benchmark_policies(
      problem_gaussian(model, means = means),
      list("ucbe", "ugap", "rejects", policy("halving", by = "all"), policy("halving", by = "round")),
      budget = c(70, 200), reps = 10, seed = 1
    )
    as.data.frame(found)[c("policy", "budget", "rep", "arm", "pulls")]
  }
  alone <- run(0.5)
  expect_identical(run(0.5, cov = exp(-abs(outer(1:k, 1:k, "-")) / 4)), alone)
  expect_identical(run(0.5, features = cbind(1, (1:k) / k)), alone)
  # Without noise two pulls tell a line, and the run is over; with next to none often before its end.
  expect_true(all(run(0, features = cbind(1, (1:k) / k))$pulls <= 3))
  some <- run(1e-9, features = cbind(1, (1:k) / k))
  some <- some[some$policy == "rejects", ]
  expect_gt(mean(some$pulls < some$budget), 0.5)
})
