known_model <- function(arms = 3, ...) {
  arm_model(arms, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, ...)
}

test_that("a gaussian problem holds its truths, in units of reward", {
  drawn <- problem_gaussian(known_model())
  expect_s3_class(drawn, "bayesgap_problem")
  expect_null(drawn$means)
  expect_identical(drawn$noise_sd, rep(0.5, 3))

  fixed <- problem_gaussian(known_model(), c(1, 3, 2), noise_sd = c(1, 2, 3))
  expect_identical(fixed$means, matrix(c(1, 3, 2), 1))
  expect_identical(fixed$noise_sd, c(1, 2, 3))

  least <- problem_gaussian(known_model(), c(1, 3, 2), maximise = FALSE)
  expect_identical(least$means, -matrix(c(1, 3, 2), 1))
})

test_that("replication r meets row r of the truths, and the first after the last", {
  truths <- rbind(1:3, 4:6)
  problem <- problem_gaussian(known_model(), truths)
  expect_equal(problem_world(problem, 1L)$mean, 1:3)
  expect_equal(problem_world(problem, 2L)$mean, 4:6)
  expect_equal(problem_world(problem, 3L)$mean, 1:3)
})

test_that("named truths and pools are put in the order of the arms", {
  model <- known_model(c("a", "b", "c"))
  expect_equal(problem_gaussian(model, c(c = 3, a = 1, b = 2))$means, matrix(1:3, 1))
  expect_equal(problem_gaussian(model, cbind(b = 2:3, a = 1, c = 3))$means, rbind(1:3, c(1, 3, 3)))
  pool <- rbind(c = 5:6, b = 3:4, a = 1:2)
  expect_equal(problem_pool(pool, model)$pool, rbind(1:2, 3:4, 5:6))
  expect_equal(problem_pool(data.frame(1:3, 4:6), model)$pool, cbind(1:3, 4:6))
})

test_that("the true mean of an arm of a pool is the mean of its row", {
  pool <- matrix(c(1, 2, 3, 5, 6, 10), 3)
  expect_equal(problem_pool(pool, known_model())$means, matrix(rowMeans(pool), 1))
  low <- problem_pool(pool, known_model(), maximise = FALSE)
  expect_equal(low$means, -matrix(rowMeans(pool), 1))
})

test_that("differences that are rounding are below the tolerance", {
  pool <- rbind(c(0.1, 0.2, 0.3), c(0.3, 0.2, 0.1), c(0, 0, 1e-3))
  tolerance <- problem_pool(pool, known_model())$tolerance
  expect_gt(tolerance, abs(diff(rowMeans(pool)[1:2])))
  expect_lt(tolerance, 1e-8)
  far <- problem_gaussian(known_model(), 1e9 + c(0, 1e-3, 2e-3))$tolerance
  expect_gt(far, 2e-7)
  expect_lt(far, 1e-3)
})

test_that("what a model leaves open is refused", {
  open <- arm_model(3, prior_mean = 0, noise_sd = 1)
  expect_error(problem_gaussian(open), "`prior_sd` is NULL", class = "bayesgap_error_model")
  expect_error(problem_gaussian(arm_model(3)), "to arm_model", class = "bayesgap_error_model")
  expect_error(problem_pool(matrix(1, 3, 2), open), class = "bayesgap_error_model")
  expect_error(problem_gaussian(3), class = "bayesgap_error_model")
  expect_error(problem_gaussian(), class = "bayesgap_error_model")
})

test_that("bad truths, pools and settings are refused by class, naming the entry", {
  model <- known_model(c("a", "b", "c"))
  bad_means <- list(1:2, 1:4, matrix(1, 2, 2), "a", list(1, 2, 3), numeric(), array(1, c(1, 3, 1)))
  for (means in bad_means) {
    expect_error(
      problem_gaussian(model, means), "one number an arm", class = "bayesgap_error_means"
    )
  }
  expect_error(
    problem_gaussian(model, rbind(1:3, c(1, NA, 3))), "[2, 2] is NA",
    fixed = TRUE, class = "bayesgap_error_means"
  )
  expect_error(problem_gaussian(model, c(1, Inf, 3)), class = "bayesgap_error_means")
  expect_error(
    problem_gaussian(model, c(a = 1, b = 2, d = 3)), "no arm", class = "bayesgap_error_means"
  )
  expect_error(problem_gaussian(model, noise_sd = -1), class = "bayesgap_error_noise")
  expect_error(problem_gaussian(model, maximise = NA), class = "bayesgap_error_maximise")
  expect_error(problem_gaussian(model, 1:3, 1, TRUE), class = "bayesgap_error_argument")

  pool <- matrix(1:6 / 2, 3)
  pool[2, 1] <- NA
  expect_error(
    problem_pool(pool, model), "[2, 1] is NA", fixed = TRUE, class = "bayesgap_error_rewards"
  )
  for (rewards in list(matrix(1, 2, 3), matrix(1, 3, 0), 1:3, matrix("a", 3, 2), NULL)) {
    expect_error(problem_pool(rewards, model), "3 rows", class = "bayesgap_error_rewards")
  }
  expect_error(problem_pool(model = model), class = "bayesgap_error_rewards")
  expect_error(
    problem_pool(rbind(a = 1:2, b = 1, d = 1), model), "no arm", class = "bayesgap_error_rewards"
  )
})

test_that("problems print themselves in words", {
  expect_output(
    print(problem_gaussian(known_model())), "gaussian, 3 arms, means drawn from the prior"
  )
  expect_output(print(problem_gaussian(known_model(), 1:3)), "1 ground truth, maximise")
  expect_output(
    print(problem_pool(matrix(1:6, 3), known_model(), maximise = FALSE)),
    "pool of 2 draws an arm, minimise"
  )
})

test_that("benchmarks refuse what is to be learned", {
  a <- data.frame(u = 1:4)
  model <- function(kernel) {
    arm_model(a, kernel = kernel, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  }
  expect_snapshot(error = TRUE, problem_gaussian(model(k_se() + k_const(NULL))))
  expect_error(problem_gaussian(model(k_se())), class = "bayesgap_error_model")
  problem <- problem_gaussian(model(k_se(~u, 1)))
  table <- benchmark_policies(problem, c("bayesgap", "thompson"), budget = 5, reps = 3, seed = 1)
  expect_equal(nrow(table), 6)
  expect_true(all(table$regret >= 0))
})
