# Costs of pulls, and failures that do not count: the budget's accounts.

prices <- c(1, 2, 4, 0.5)
costly <- function(..., budget = 10, seed = 1) {
  bayesgap(4, budget = budget, cost = prices, prior_mean = 0, prior_sd = 1, noise_sd = 0.5,
           seed = seed, ...)
}
pay_for <- function(arm) rnorm(1, arm / 4)

test_that("costs are one number, one per arm, or a column of the arms", {
  cost_of <- function(...) arm_model(...)$cost
  expect_identical(cost_of(3, cost = 2), c(2, 2, 2))
  expect_identical(cost_of(3, cost = 3:1), c(3, 2, 1))
  expect_identical(cost_of(c("a", "b"), cost = c(b = 2, a = 1)), c(1, 2))
  rows <- data.frame(u = 1:2, hours = c(5L, 3L), name = "x", cost = c(5, 3), odd = factor(1:2))
  expect_identical(cost_of(rows, cost = "hours"), c(5, 3))
  expect_identical(cost_of(rows, cost = "cost"), c(5, 3))
  expect_null(cost_of(rows))
  expect_match(format(arm_model(2, cost = 1:2)), "cost +1 to 2", all = FALSE)
  for (bad in list(0, -1, NA, Inf, NaN, 1:2, "hours", TRUE, list(1), 1e101, c(1, 2, 0), NA_real_)) {
    expect_error(arm_model(3, cost = bad), class = "bayesgap_error_cost")
  }
  for (bad in list("minutes", "name", "odd", NA_character_, c("hours", "u"), character())) {
    expect_error(arm_model(rows, cost = bad), class = "bayesgap_error_cost")
  }
  expect_error(arm_model(rows, cost = "hour"), "Did you mean \"hours\"")
  expect_error(arm_model(c("a", "b"), cost = c(a = 1, z = 2)), class = "bayesgap_error_cost")
  expect_error(arm_model(rows, cost = "u"), "must not have a column \"cost\"")
  expect_error(bayesgap(arm_model(3), budget = 3, cost = 1), class = "bayesgap_error_model")
})

test_that("with costs the budget is any number that pays for a pull", {
  expect_identical(costly(budget = 2.5)$budget, 2.5)
  expect_identical(costly(budget = 0.5)$budget, 0.5)
  for (bad in list(0.49, 0, -1, Inf, NA, "1", c(1, 2), 1e10)) {
    expect_error(costly(budget = bad), class = "bayesgap_error_budget")
  }
  expect_error(costly(budget = 0.4), "at least 0.5, what a pull of the cheapest arm costs")
  expect_error(bayesgap(3, budget = 2.5), class = "bayesgap_error_budget")
  expect_error(bayesgap(costly(), budget = 0), class = "bayesgap_error_budget")
})

test_that("what is spent is what pulls did cost", {
  x <- costly()
  expect_identical(ask(x)$cost, prices[ask(x)$arm])
  x <- tell(x, data.frame(arm = c(1, 3), pull = 1:2, y = 1:2))
  expect_identical(spent(x), 5)
  x <- tell(x, data.frame(arm = c(2, 4), pull = 3:4, y = 1, cost = c(2.5, NA)))
  expect_identical(spent(x), 8)
  x <- tell(x, data.frame(arm = 1, pull = NA, y = 1, cost = 100)) # not of the budget
  expect_identical(c(spent(x), left(x), counted(x)), c(8, 2, 4))
  expect_identical(as.data.frame(x)$cost, c(1, 4, 2.5, 0.5, 100))
  expect_match(format(x)[1], "8 of 10 spent in 4 pulls", fixed = TRUE)
  glance <- glance.bayesgap(x)
  expect_identical(c(glance$budget, glance$spent, glance$pulls), c(10, 8, 4))
  for (bad in list(0, -1, Inf, "one", list(1))) {
    expect_error(
      tell(x, data.frame(arm = 1, pull = 5, y = 1, cost = I(bad))), class = "bayesgap_error_tell"
    )
  }
  expect_identical(tell(x, c(y = 1, cost = 1.5))$paid, 9.5)
  expect_identical(tell(x, list(y = 1, cost = 1.5, note = "a"))$paid, 9.5)
  expect_error(tell(x, c(y = 1, cost = -1)), class = "bayesgap_error_tell")
  expect_identical(spent(amend(x, data.frame(pull = 3, cost = 2))), 7.5)
  expect_identical(spent(amend(x, 3, cost = 2)), 7.5)
  expect_identical(spent(amend(x, 2, arm = 4)), 8 - 4 + 0.5) # what was assumed goes with the arm
  expect_identical(spent(amend(x, 3, arm = 4)), 8) # what was told does not
  failed <- tell(x, data.frame(ask(x), y = NA, failed = TRUE))
  expect_identical(left(failed), 2 - prices[ask(x)$arm])
})

test_that("nothing is asked that is not affordable, one by one or in batches", {
  for (seed in 1:6) {
    for (rule in batch_rules) {
      x <- costly(seed = seed, budget = 7.25)
      while (nrow(todo <- ask(x, 3, batch = rule))) {
        expect_lte(sum(todo$cost), left(x) + 1e-9)
        todo$y <- sin(todo$arm)
        x <- tell(x, todo)
      }
      expect_lt(left(x), 0.5)
      expect_null(x$stopped)
      expect_true(is_done(x))
    }
  }
  all <- ask(costly(budget = 7.25), 100)
  expect_lte(sum(all$cost), 7.25)
  expect_gt(sum(all$cost), 6.75)
  # What is out counts: told in part, or pending.
  x <- costly(budget = 6)
  two <- ask(x, 2)
  y <- tell(x, data.frame(two[2, ], y = 1))
  expect_identical(spent(y), sum(two$cost))
  expect_lte(sum(ask(y, 100)$cost), 6 - sum(two$cost))
  expect_lte(sum(ask(x, 100, pending = two)$cost), 6 - sum(two$cost))
  expect_error(tell(x, data.frame(arm = 1, pull = 13, y = 1)), "from 1 to 12")
})

test_that("costs that add up to the budget but for rounding are spent", {
  x <- bayesgap(2, pay_for, budget = 0.3, cost = 0.1, seed = 1)
  expect_identical(nobs(x), 3L)
  x <- bayesgap(2, pay_for, budget = 100 * 0.07, cost = c(0.07, 0.07), seed = 1)
  expect_identical(nobs(x), 100L)
})

test_that("a run in which all costs are alike is that of as many pulls", {
  plain <- bayesgap(4, pay_for, budget = 12, seed = 2)
  alike <- bayesgap(4, pay_for, budget = 36, cost = 3, seed = 2)
  expect_identical(alike$log[1:4], plain$log[1:4])
  expect_identical(alike$belief, plain$belief)
  told <- tell(bayesgap(alike, budget = 60), data.frame(arm = 1:2, pull = NA, y = 0))
  expect_identical(nrow(ask(told, 100)), 8L)
})

test_that("the objective may say what a pull did cost", {
  run <- function(value, ...) {
    bayesgap(2, function(arm) value, budget = 2, cost = c(1, 1), seed = 1, progress = FALSE, ...)
  }
  expect_identical(run(c(y = 1, cost = 2))$log$cost, 2)
  expect_identical(run(list(cost = 0.75, y = 1, note = "a"))$log$cost, c(0.75, 0.75))
  expect_identical(run(c(y = 1, se = 0.1, cost = 2))$log$se, 0.1)
  expect_identical(run(1)$log$cost, c(1, 1))
  hits <- run(list(successes = 1, trials = 2, cost = 2), family = "binomial")
  expect_identical(c(hits$log$size, hits$log$cost), c(2, 2))
  expect_identical(run(c(y = 1, cost = NA))$log$cost, c(1, 1)) # nothing is said by it
  expect_identical(run(c(y = 1, cost = 0))$log$cost, c(1, 1))
  bad <- as.data.frame(fault(run(c(y = 1, cost = -1)))$run)
  expect_match(bad$error, "for `cost` where a number above 0 is needed")
  expect_identical(bad$cost, c(1, 1))
  # Without costs it is a column like any other.
  free <- bayesgap(2, function(arm) list(y = 1, cost = 9), budget = 2, seed = 1)
  expect_identical(as.data.frame(free)$cost, c(9, 9))
  expect_identical(free$log$cost, c(1, 1))
})

test_that("an arm's column `cost` is told as it was, or as it came", {
  rows <- data.frame(arm = c("a", "b"), cost = c(2, 3))
  x <- bayesgap(rows, budget = 20, cost = "cost", seed = 1)
  todo <- ask(x, 2)
  expect_identical(names(todo), c("pull", "arm", "cost"))
  todo$y <- 1
  expect_identical(spent(tell(x, todo)), sum(todo$cost))
  todo$cost <- c(7, NA)
  told <- as.data.frame(tell(x, todo))
  expect_identical(told$cost, c(7, rows$cost[match(todo$arm[2], rows$arm)]))
})

test_that("a run stops where the arms that are left cost too much", {
  x <- bayesgap(3, pay_for, budget = 9, cost = c(1, 3, 6), replace = FALSE, seed = 1)
  expect_identical(x$stopped, if (left(x) >= 1) "no arm is left that is affordable")
  x <- bayesgap(2, budget = 3, cost = c(1, 5), replace = FALSE, seed = 1)
  expect_identical(ask(x)$arm, 1L)
  x <- tell(x, 1)
  expect_identical(x$stopped, "no arm is left that is affordable")
  expect_identical(nrow(ask(x)), 0L)
  expect_identical(nrow(ask(bayesgap(x, budget = 6))), 1L)
})

test_that("initial pulls are within the budget", {
  expect_identical(ask(costly(init = c(3, 1)), 2)$arm, c(3L, 1L))
  expect_error(costly(init = c(3, 3, 3)), class = "bayesgap_error_init")
  expect_error(costly(init = 30), class = "bayesgap_error_init")
  # One that became too dear is left to the policy.
  x <- costly(init = c(1, 3))
  x <- tell(x, data.frame(arm = 1, pull = 1, y = 0, cost = 8))
  expect_false(ask(x)$arm == 3)
  rows <- data.frame(u = 1:6)
  dear <- bayesgap(rows, budget = 8, cost = 1, kernel = k_se(~u), blocks = 4, seed = 1)
  expect_identical(length(dear$init), 4L)
  some <- bayesgap(rows, budget = 8, cost = 1:6, kernel = k_se(~u), blocks = 4, seed = 1)
  expect_lte(sum(some$init), 4)
})

test_that("a control that is too dear is left out", {
  x <- bayesgap(3, budget = 8, cost = c(5, 1, 1), control = 1, blocks = 3, replace = FALSE,
                seed = 1)
  todo <- ask(x, 10)
  expect_identical(sum(todo$arm == 1), 1L)
  expect_lte(sum(todo$cost), 8)
})

test_that("a run with costs is resumed to the last bit, and extended", {
  costing <- function(arm) {
    if (runif(1) < 0.2) stop("no")
    c(y = rnorm(1, arm), cost = prices[arm] * runif(1, 0.9, 1.2))
  }
  for (batch in c(1, 3)) {
    for (counts in c(TRUE, FALSE)) {
      whole <- quietly(bayesgap(
        4, costing, budget = 9, cost = prices, batch = batch, count_failures = counts, seed = 4
      ))
      call <- function(f, file, budget = 9) {
        quietly(bayesgap(
          4, f, budget = budget, cost = prices, batch = batch, count_failures = counts, seed = 4,
          checkpoint = file
        ))
      }
      more <- quietly(bayesgap(whole, costing, budget = 12, batch = batch))
      for (at in seq_along(whole$log$arm)) {
        file <- fresh_file()
        callCC(function(out) call(until(at, function() out(NULL), costing), file))
        expect_identical(call(costing, file), whole)
        expect_identical(call(costing, file, 12), more)
        expect_identical(read_run(file), more)
      }
    }
  }
})

test_that("another cost, or other counting, is another call", {
  file <- fresh_file()
  call <- function(...) {
    quietly(bayesgap(4, pay_for, ..., seed = 1, checkpoint = file))
  }
  x <- call(budget = 5, cost = prices)
  differs <- function(...) fault(call(...))$differs
  expect_identical(differs(budget = 5, cost = prices + 1), "cost")
  expect_identical(differs(budget = 5), "cost")
  expect_identical(differs(budget = 5, cost = prices, count_failures = FALSE), "count_failures")
  expect_identical(differs(budget = 4, cost = prices), "budget")
  expect_message(
    bayesgap(4, pay_for, budget = 6, cost = prices, seed = 1, checkpoint = file),
    "Resuming .*: [0-9.]+ of 6 spent[.]"
  )
})

test_that("failures of the control that do not count leave the first arms in their order", {
  f <- function(arm) if (arm == "b") stop("never works") else rnorm(1)
  for (init in list(c("a", "b"), c("a", "c"), 3)) {
    x <- quietly(bayesgap(c("a", "b", "c"), f, 12, blocks = 4, control = "b", init = init,
                          count_failures = FALSE, seed = 1))
    expect_identical(spent(x), 12L)
    expect_identical(nobs(x), 12L)
  }
})

test_that("failures need not count", {
  fails <- function(arm) if (runif(1) < 0.4) stop("no") else arm
  x <- bayesgap(5, fails, budget = 8, count_failures = FALSE, seed = 3)
  failed <- sum(is.na(x$log$reward))
  expect_gt(failed, 0)
  expect_identical(nobs(x), 8L)
  expect_identical(x$log$pull, seq_len(8L + failed))
  expect_identical(c(spent(x), left(x), x$freed), c(8L, 0L, failed))
  counted <- bayesgap(5, fails, budget = 8, seed = 3)
  expect_identical(length(counted$log$arm), 8L)
  # By hand
  x <- bayesgap(3, budget = 2, count_failures = FALSE, seed = 1)
  x <- tell(x, data.frame(ask(x), y = NA, failed = TRUE))
  expect_identical(ask(x, 5)$pull, 2:3)
  x <- tell(x, data.frame(ask(x, 2), y = 1:2))
  expect_true(is_done(x))
  file <- fresh_file()
  save_run(x, file)
  expect_identical(read_run(file), x)
  # Nothing works: it ends all the same.
  broken <- fault(bayesgap(3, function(arm) stop("no"), budget = 5, count_failures = FALSE))
  expect_s3_class(broken, "bayesgap_error_objective")
  expect_error(bayesgap(3, budget = 2, count_failures = NA), class = "bayesgap_error")
})

test_that("what a policy sees of failures that do not count is nothing", {
  for (name in c("bayesgap", "halving", "rejects")) {
    run <- function(...) {
      bayesgap(3, budget = 12, prior_mean = 0, prior_sd = 1, noise_sd = 1, policy = name, seed = 1, ...)
    }
    x <- tell(run(count_failures = FALSE), data.frame(
      arm = 1, pull = 1:3, y = c(NA, NA, 0.3), failed = c(TRUE, TRUE, FALSE)
    ))
    y <- tell(run(), data.frame(arm = 1, pull = 1, y = 0.3))
    expect_identical(x$belief$memory, y$belief$memory)
    expect_identical(x$belief$mean, y$belief$mean)
  }
})

test_that("policies regard costs or say that they do not", {
  table <- policies()
  expect_identical(table$policy[table$costs], c("bayesgap", "ei", "kg", "mes", "pi_bai"))
  for (name in table$policy) {
    said <- FALSE
    model <- arm_model(
      4, features = diag(4), cost = prices, prior_mean = 0, prior_sd = 1, noise_sd = 0.5
    )
    x <- withCallingHandlers(
      bayesgap(model, pay_for, budget = 40, policy = name, seed = 1),
      bayesgap_message_cost = function(m) {
        said <<- TRUE
        invokeRestart("muffleMessage")
      }
    )
    expect_identical(said, !table$costs[table$policy == name], label = name)
    expect_lte(spent(x), 40)
    expect_true(is_done(x))
  }
  expect_message(
    costly(policy = policy("bayesgap", variant = "marginal")), class = "bayesgap_message_cost"
  )
  expect_message(
    costly(policy = policy("pi_bai", weights = "warm-up")), class = "bayesgap_message_cost"
  )
  expect_no_message(bayesgap(4, budget = 10, cost = 2, policy = "uniform", seed = 1))
})

test_that("a policy of the user's sees costs, and may not choose what is too dear", {
  seen <- list()
  cheapest <- policy("cheapest", choose = function(state) {
    seen <<- c(seen, list(state[c("cost", "left", "budget", "t")]))
    which.min(state$cost)
  })
  x <- costly(objective = pay_for, budget = 2, policy = cheapest)
  expect_identical(unique(x$log$arm), 4L)
  expect_identical(seen[[1]], list(cost = prices, left = 2, budget = 2, t = 1L))
  dear <- policy("dear", choose = function(state) 3)
  expect_error(costly(budget = 2, policy = dear), "costs more than is left")
})

# The value of a pull by its cost, where a twin without costs gives the values.
test_that("kg and ei are values by their costs", {
  mean <- c(0.2, 0, 0.1, -0.3)
  kg <- function(a, noise2 = 0.25) {
    s <- 1 / sqrt(1 + noise2)
    gap <- max(mean[-a]) - mean[a]
    z <- abs(gap) / s
    s * (dnorm(z) - z * pnorm(-z))
  }
  ei <- function(a) {
    z <- mean[a] - max(mean)
    z * pnorm(z) + dnorm(z)
  }
  set.seed(5)
  for (n in 1:20) {
    cost <- exp(rnorm(4))
    run <- function(policy) {
      bayesgap(4, budget = 100, cost = cost, prior_mean = mean, prior_sd = 1, noise_sd = 0.5,
               policy = policy, seed = 1)
    }
    expect_identical(ask(run("kg"))$arm, which.max(vapply(1:4, kg, 0) / cost))
    expect_identical(
      ask(run(policy("ei", incumbent = "all")))$arm, which.max(vapply(1:4, ei, 0) / cost)
    )
  }
})

test_that("progress and summary speak of what was spent", {
  x <- costly(objective = pay_for)
  expect_match(summary(x)$run[1], "of 10 spent in", fixed = TRUE)
  said <- capture.output(x <- costly(objective = pay_for, progress = TRUE), type = "message")
  expect_match(paste(said, collapse = ""), "/10 ", fixed = TRUE)
})

test_that("a benchmark spends what it may", {
  model <- arm_model(4, cost = prices, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  own <- policy("own", choose = function(state) which(state$open)[1])
  problem <- problem_gaussian(model)
  found <- quietly(benchmark_policies( # halving needs more than 7.5
    problem, list("bayesgap", "uniform", "halving", own), budget = c(7.5, 20.25), reps = 5,
    seed = 1, keep = c("pulls", "recommendations")
  ))
  paid <- vapply(found$pulled, function(arm) sum(prices[arm]), 0)
  expect_equal(found$spent, paid)
  expect_true(all(found$spent <= found$budget))
  # All is spent but by halving, which ends with one arm.
  ends <- found$policy != "halving"
  expect_true(all(found$budget[ends] - found$spent[ends] < 0.5))
  expect_identical(lengths(found$pulled), found$pulls)
  expect_identical(lengths(found$recommended), found$pulls)
  expect_identical(vapply(found$recommended, function(a) a[length(a)], 1L), found$arm)
  expect_identical(sort(unique(found$budget)), c(7.5, 20.25))
  expect_output(print(found), "budget 7.5")
  alike <- arm_model(4, cost = 2, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  plain <- arm_model(4, prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  a <- benchmark_policies(problem_gaussian(alike), "bayesgap", 20, 5, seed = 1)
  b <- benchmark_policies(problem_gaussian(plain), "bayesgap", 10, 5, seed = 1)
  expect_identical(a$regret, b$regret)
  expect_identical(a$spent, rep(20, 5))
  both <- benchmark_policies(list(a = problem, b = problem_gaussian(plain)), "ei", 8, 3, seed = 1)
  expect_identical(both$spent[both$problem == "b"], rep(8, 3))
  for (bad in list(0.1, -1, 1e12, "a")) {
    expect_error(benchmark_policies(problem, "ei", bad, 2), class = "bayesgap_error_budget")
  }
  expect_error(
    benchmark_policies(list(problem, problem_gaussian(plain)), "ei", 7.5, 2),
    class = "bayesgap_error"
  )
  pool <- matrix(rnorm(40), 4)
  blocked <- arm_model(
    4, cost = prices, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, block_sd = 1
  )
  cut <- benchmark_policies(
    problem_pool(pool, blocked, blocks = TRUE), "bayesgap", c(5, 1000), 3, seed = 1, keep = "pulls"
  )
  expect_true(all(cut$spent <= cut$budget))
  expect_true(all(cut$pulls[cut$budget == 1000] == 40L))
})

test_that("without replacement no more first pulls are taken than there are, whatever they cost", {
  begin <- function(n, ...) bayesgap(5, budget = 5, cost = 0.5, replace = FALSE, init = n, seed = 1, ...)
  expect_error(begin(6), "`init` must be a whole number from 1 to 5, not 6", class = "bayesgap_error_init")
  expect_error(begin(11, blocks = 2), "from 1 to 10", class = "bayesgap_error_init")
  x <- begin(5)
  expect_setequal(x$init, 1:5)
  file <- fresh_file()
  save_run(x, file)
  expect_identical(read_run(file), x)
})
