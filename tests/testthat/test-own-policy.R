test_that("a policy written in R runs everywhere and repeats what C would do", {
  greedy <- policy("greedy", choose = function(state) which.max(state$mean + 2 * state$sd))
  fixed <- policy("bayesgap", beta = 2)
  expect_output(print(greedy), "<policy> greedy")
  play <- function(p, ...) {
    bayesgap(5, function(arm) arm / 5 + rnorm(1, sd = 0.5),
      budget = 12, policy = p, seed = 4, prior_mean = 0:4 / 10, prior_sd = 1, noise_sd = 0.5,
      ...
    )
  }
  x <- play(greedy)
  expect_equal(nobs(x), 12)
  expect_identical(play(greedy)$log, x$log)
  by_hand <- bayesgap(5,
    budget = 12, policy = greedy, seed = 4, prior_mean = 0:4 / 10, prior_sd = 1, noise_sd = 0.5
  )
  for (y in as.data.frame(x)$y) {
    expect_equal(ask(by_hand)$arm, which.max(means_of(by_hand) + 2 * sqrt(by_hand$belief$var)))
    by_hand <- tell(by_hand, y)
  }
  expect_identical(by_hand$log, x$log)
  # BayesGap in R, with a fixed beta, is BayesGap in C
  twin <- policy("twin", choose = function(state) {
    u <- state$mean + 2 * state$sd
    b <- max_of_others(u) - (state$mean - 2 * state$sd)
    leader <- which.min(b)
    u[leader] <- -Inf
    rival <- which.max(u)
    if (state$sd[rival] > state$sd[leader]) rival else leader
  })
  expect_identical(play(twin)$log$arm, play(fixed)$log$arm)
  first <- policy(choose = function(state) state$arms[1], recommend = function(state) 2)
  x <- play(first)
  expect_equal(unique(x$log$arm), 1)
  expect_equal(best_arm(x), 2)
})

test_that("a policy written in R sees the state it was promised", {
  seen <- NULL
  p <- policy(choose = function(state) {
    seen <<- state
    1
  })
  x <- bayesgap(data.frame(z = 1:3), function(arm) 7,
    budget = 3, policy = p, maximise = FALSE, cov = diag(3) + 1, prior_mean = 5, prior_sd = 1,
    noise_sd = 2
  )
  expect_equal(seen$t, 3)
  expect_equal(seen$budget, 3)
  expect_equal(seen$data, data.frame(z = 1:3))
  expect_equal(seen$reward, c(-7, -7))
  expect_equal(seen$noise_sd, rep(2, 3))
  expect_equal(sqrt(diag(seen$cov())), seen$sd)
})

test_that("a policy written in R that misbehaves is named, and the run is kept", {
  bad <- list(
    function(state) 99, function(state) "nobody", function(state) NULL,
    function(state) c(1, 2), function(state) NA, function(state) stop("out of ideas")
  )
  for (choose in bad) {
    late <- function(state) if (state$t > 3) choose(state) else 1
    e <- tryCatch(
      bayesgap(2, function(arm) 1, budget = 5, policy = policy("mine", choose = late)),
      bayesgap_error_policy = identity
    )
    expect_s3_class(e, "bayesgap_error_policy")
    expect_match(conditionMessage(e), "choose.*mine")
    expect_equal(nobs(e$run), 3)
  }
  expect_error(policy("mine", choose = 3), class = "bayesgap_error_policy")
  expect_error(policy("mine", recommend = mean), class = "bayesgap_error_policy")
  expect_error(policy(3, choose = mean), class = "bayesgap_error_policy")
  expect_error(policy("mine", choose = mean, beta = 2), class = "bayesgap_error_argument")
})

test_that("a policy of the user that misbehaves is named, and the run goes on once it is mended", {
  own <- function(message, choose) {
    e <- fault(small_run(policy = policy("mine", choose = choose)))
    expect_s3_class(e, "bayesgap_error_policy")
    expect_match(conditionMessage(e), paste0("policy \"mine\" .*", message))
  }
  own("failed: broke", function(state) stop("broke"))
  own("not a numeric vector of length 2", function(state) 1:2)
  own("not 9", function(state) 9)
  own("not NULL", function(state) NULL)
  # It breaks in the middle: nothing is lost, and once it is mended the run goes on.
  broken <- TRUE
  fragile <- policy("mine", choose = function(state) {
    if (state$t == 5 && broken) stop("broke") else state$t %% 8 + 1
  })
  file <- fresh_file()
  expect_message(
    tryCatch(small_run(policy = fragile, checkpoint = file), bayesgap_error_policy = identity),
    "stopped after 4 observations"
  )
  broken <- FALSE
  rest <- quietly(small_run(policy = fragile, checkpoint = file))
  expect_identical(rest, small_run(policy = fragile))
  # One that is not deterministic: the observations are there, the difference is told.
  calls <- 0
  fickle <- policy("mine", choose = function(state) {
    calls <<- calls + 1
    calls %% 8 + 1
  })
  file <- fresh_file()
  callCC(function(out) quietly(
    small_run(until(5, function() out(NULL)), policy = fickle, checkpoint = file)
  ))
  calls <- 100
  expect_warning(
    y <- read_run(file, policy = fickle), "goes on differently here",
    class = "bayesgap_warning_checkpoint"
  )
  expect_identical(y$log, last_run()$log)
})

test_that("a policy that fails takes no observation with it, and invents none", {
  rewards <- double()
  honest <- function(arm) {
    rewards <<- c(rewards, arm + rnorm(1))
    rewards[length(rewards)]
  }
  failing <- policy(choose = function(state) if (state$t >= 5) stop("no idea") else state$t)
  file <- fresh_file()
  e <- quietly(fault(
    bayesgap(6, honest, budget = 9, policy = failing, seed = 1, checkpoint = file)
  ))
  expect_s3_class(e, "bayesgap_error_policy")
  expect_length(rewards, 4)
  expect_identical(as.data.frame(e$run)$y, rewards)
  expect_warning(last <- last_run(), "no idea", class = "bayesgap_warning_policy")
  expect_identical(as.data.frame(last)$y, rewards)
  expect_warning(
    read <- read_run(file, policy = failing), "no idea", class = "bayesgap_warning_policy"
  )
  expect_identical(as.data.frame(read)$y, rewards)

  # In a batch the policy is asked of states that did not happen.
  rewards <- double()
  e <- quietly(fault(bayesgap(6, honest, budget = 9, batch = 3, policy = failing, seed = 1)))
  expect_s3_class(e, "bayesgap_error_policy")
  expect_identical(as.data.frame(e$run)$y, rewards)
})

test_that("a policy written in R may not pull an arm twice without replacement", {
  stubborn <- policy("stubborn", choose = function(state) 1L)
  expect_error(
    bayesgap(3, function(arm) 1, budget = 3, replace = FALSE, policy = stubborn),
    "pulled already", class = "bayesgap_error_policy"
  )
  fair <- policy("fair", choose = function(state) which(state$open)[1])
  x <- bayesgap(3, function(arm) 1, budget = 3, replace = FALSE, policy = fair)
  expect_identical(x$log$arm, 1:3)
  expect_error(bayesgap(x, budget = 6), class = "bayesgap_error_budget")
})

test_that("where choose() fails, what recommend() says is kept", {
  half <- policy("half", choose = function(s) stop("no"), recommend = function(s) length(s$arms))
  e <- tryCatch(bayesgap(4, budget = 5, policy = half, prior_mean = 4:1, seed = 1), error = identity)
  expect_s3_class(e, "bayesgap_error_policy")
  expect_equal(best_arm(e$run), 4)
  file <- tempfile()
  save_run(e$run, file)
  expect_warning(again <- read_run(file, policy = half), class = "bayesgap_warning_policy")
  expect_equal(best_arm(again), 4)
})

test_that("a policy that goes through all arms goes on where one is set aside", {
  turns <- policy("turns", choose = function(state) (state$t - 1) %% length(state$arms) + 1)
  curious <- policy("curious", choose = function(state) which.max(state$sd))
  for (own in list(turns, curious)) {
    x <- quietly(bayesgap(rates, train, 40, policy = own, seed = 1))
    expect_identical(spent(x), 40L)
    expect_identical(sum(x$log$arm == 5L), 3L)
    expect_identical(failed_arms(x), 5L)
  }
})
