test_that("the table has one row for every problem, policy, budget and replication", {
  found <- some_benchmark()
  expect_s3_class(found, c("bayesgap_benchmark", "data.frame"), exact = TRUE)
  expect_named(found, c("problem", "policy", "budget", "rep", "arm", "regret", "error", "pulls"))
  cells <- expand.grid(
    rep = 1:7, budget = c(4L, 9L), policy = c("bayesgap", "thompson", "uniform"),
    problem = c("drawn", "pool"), stringsAsFactors = FALSE
  )
  for (column in names(cells)) {
    expect_identical(found[[column]], cells[[column]])
  }
  expect_identical(found$pulls, found$budget)
  expect_true(all(found$arm %in% 1:6))
  expect_identical(found$error, found$regret > 0)
  expect_true(all(found$regret >= 0))
})

test_that("policies and problems are named by the user or by themselves", {
  model <- smooth_model()
  found <- benchmark_policies(
    list(problem_gaussian(model), two = problem_gaussian(model), problem_gaussian(model)),
    list("uniform", policy("bayesgap", beta = 2), mine = policy("bayesgap", variant = "paper")),
    8, reps = 1, seed = 1
  )
  expect_identical(unique(found$problem), c("gaussian", "two", "gaussian 2"))
  expect_identical(unique(found$policy), c("uniform", "bayesgap (beta = 2)", "mine"))
  named <- arm_model(c("x", "y"), prior_mean = 0, prior_sd = 1, noise_sd = 1)
  found <- benchmark_policies(problem_gaussian(named), policy("uniform"), 4, reps = 3, seed = 1)
  expect_true(all(found$arm %in% c("x", "y")))
})

test_that("bad input is refused before anything runs", {
  problem <- problem_gaussian(smooth_model())
  run <- function(problems = problem, policies = "uniform", budget = 5, reps = 2, seed = 1, ...) {
    benchmark_policies(problems, policies, budget, reps, seed, ...)
  }
  for (bad in list(NULL, 3, list(problem, 3), smooth_model(), list())) {
    expect_error(run(bad), class = "bayesgap_error_problem")
  }
  expect_error(run(list(a = problem, a = problem)), "twice", class = "bayesgap_error_problem")
  expect_error(
    run(policies = c("uniform", "unifrom", "thompson")), "not \"unifrom\"..*mean \"uniform\"",
    class = "bayesgap_error_policy"
  )
  expect_error(run(policies = list("uniform", 3)), class = "bayesgap_error_policy")
  expect_error(run(policies = 3), class = "bayesgap_error_policy")
  expect_error(run(policies = character()), class = "bayesgap_error_policy")
  expect_error(run(policies = c("uniform", "uniform")), "twice", class = "bayesgap_error_policy")
  for (bad in list(0, -1, 2.5, NA, "10", 1e12, numeric(), NULL, c(5, 0))) {
    expect_error(run(budget = bad), class = "bayesgap_error_budget")
  }
  for (bad in list(0, -1, 2.5, NA, "10", 1:2, NULL)) {
    expect_error(run(reps = bad), class = "bayesgap_error_reps")
  }
  expect_error(run(seed = "a"), class = "bayesgap_error_seed")
  expect_error(run(keep = "all"), class = "bayesgap_error_keep")
  expect_error(run(chunk_size = 0), class = "bayesgap_error_chunk_size")
  expect_error(run(progress = 1), class = "bayesgap_error_progress")
  expect_error(run(extra = 1), class = "bayesgap_error_argument")
  # The paper sets K pulls aside.
  exact <- problem_gaussian(smooth_model(noise_sd = 0.1))
  expect_error(
    run(exact, list(policy("bayesgap", variant = "paper")), budget = 5),
    "at least [67] for policy bayesgap.*not 5", class = "bayesgap_error_budget"
  )
})

test_that("a benchmark that fits in no memory is refused", {
  problem <- problem_gaussian(smooth_model(4))
  run <- function(...) benchmark_policies(problem, c("uniform", "ei"), ..., seed = 1)
  expect_error(run(5, reps = 1e9), "bytes", class = "bayesgap_error_memory")
  expect_error(run(2147483647, reps = 1), class = "bayesgap_error_memory")
  expect_error(run(1e6, reps = 1e5, keep = "pulls"), class = "bayesgap_error_memory")
  many <- rep(list(problem), 500)
  expect_error(
    check_benchmark_memory(many, 15, 1:100, 1000, NULL), class = "bayesgap_error_memory"
  )
})

test_that("correlation and gaps pay: bayesgap beats uniform on a smooth function", {
  problem <- problem_gaussian(smooth_model(20, noise_sd = 1))
  found <- benchmark_policies(problem, c("uniform", "bayesgap"), 30, reps = 200, seed = 1)
  table <- summary(found)
  expect_identical(table$policy, c("bayesgap", "uniform"))
  expect_lt(table$regret_upper[1], table$regret_lower[2])
})
