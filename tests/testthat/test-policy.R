bayesgap_at <- function(case, t, ...) {
  cov <- numbers_matrix("A", "G")
  x <- bayesgap(5,
    budget = numbers("A", "T"), cov = cov, prior_mean = 0,
    prior_sd = numbers("A", "eta"), noise_sd = numbers("A", "sigma"), ...
  )
  seen <- seq_len(t - 1)
  tell(x, data.frame(
    arm = numbers("A", "pull_arm")[seen], y = numbers("A", "pull_y")[seen],
    pull = rep(NA, t - 1)
  ))
}

test_that("bayesgap reproduces the paper's quantities on fixture A", {
  paper <- policy("bayesgap", variant = "paper", epsilon = numbers("A", "epsilon"))
  for (t in 1:4) {
    x <- bayesgap_at("A", t, policy = paper)
    note <- note_of(x)
    expect_equal(note$hardness, numbers("A", "H_paper", t), tolerance = 1e-8)
    expect_equal(note$beta, numbers("A", "beta_paper", t), tolerance = 1e-8)
    expect_equal(note$gap, min(numbers("A", "B", t)), tolerance = 1e-8)
    expect_equal(note$leader, numbers("A", "J", t))
    expect_equal(note$rival, numbers("A", "j", t))
    expect_equal(ask(x)$arm, numbers("A", "a", t))
  }
})

test_that("the reserve and the two sides of delta change beta as the vectors say", {
  epsilon <- numbers("A", "epsilon")
  for (t in 1:4) {
    for (sides in c("one-sided", "two-sided")) {
      quantity <- if (sides == "one-sided") "beta_drop" else "beta_drop_twosided"
      p <- policy("bayesgap", reserve = "none", delta = sides, epsilon = epsilon)
      expect_equal(
        note_of(bayesgap_at("A", t, policy = p))$beta, numbers("A", quantity, t),
        tolerance = 1e-8
      )
    }
    p <- policy("bayesgap", epsilon = epsilon)
    expect_equal(
      note_of(bayesgap_at("A", t, policy = p))$hardness, numbers("A", "H_twosided", t),
      tolerance = 1e-8
    )
  }
})

test_that("fewer pulls than arms: beta as the vectors say, and a refusal for the paper's", {
  cov <- numbers_matrix("A", "G")
  start <- function(...) {
    bayesgap(5, budget = 3, cov = cov, prior_mean = 0, prior_sd = 1.5, noise_sd = 0.5, ...)
  }
  for (t in 1:4) {
    seen <- seq_len(t - 1)
    told <- data.frame(
      arm = numbers("A", "pull_arm")[seen], y = numbers("A", "pull_y")[seen],
      pull = rep(NA, t - 1)
    )
    for (reserve in c("clip", "none")) {
      p <- policy("bayesgap", reserve = reserve, delta = "one-sided", epsilon = 0.1)
      quantity <- if (reserve == "clip") "beta_clip" else "beta_drop"
      expect_equal(
        note_of(tell(start(policy = p), told))$beta, numbers("A_T3", quantity, t),
        tolerance = 1e-8
      )
    }
  }
  # beta^2 of equation 9 is negative there
  expect_true(all(numbers("A_T3", "beta2_paper") < 0))
  expect_error(
    start(policy = policy("bayesgap", variant = "paper")), class = "bayesgap_error_budget"
  )
  expect_snapshot(start(policy = policy("bayesgap", variant = "paper")), error = TRUE)
  # the smallest budget that it names works
  expect_no_error(bayesgap(5,
    budget = 5, cov = cov, prior_mean = 0, prior_sd = 1.5, noise_sd = 0.5,
    policy = policy("bayesgap", variant = "paper")
  ))
})

test_that("a separated leader: the two-sided bound holds where the paper's collapses", {
  hardness <- function(sides, epsilon) {
    x <- bayesgap(3,
      budget = 9, prior_mean = numbers("sep", "mean"), prior_sd = numbers("sep", "sd")[1],
      noise_sd = 1, policy = policy("bayesgap", delta = sides, epsilon = epsilon)
    )
    note_of(x)$hardness
  }
  expect_equal(
    hardness("one-sided", 0.01), numbers("sep", "H_paper_eps0.01"), tolerance = 1e-8
  )
  expect_equal(
    hardness("two-sided", 0), numbers("sep", "H_twosided_eps0"), tolerance = 1e-8
  )
})

run_r8 <- function(case, ...) {
  noise <- numbers("R8", "noise")
  truth <- numbers("R8", "truth")
  budget <- numbers(case, "T")
  x <- bayesgap(8,
    budget = budget, cov = numbers_matrix("R8", "G"), prior_mean = 0, prior_sd = 1,
    noise_sd = numbers("R8", "sigma"),
    policy = policy("bayesgap", epsilon = numbers(case, "epsilon"), ...)
  )
  trace <- list(note_of(x))
  for (t in seq_len(budget)) {
    x <- tell(x, truth[ask(x)$arm] + noise[t])
    trace <- c(trace, list(note_of(x)))
  }
  list(x = x, beta = vapply(trace, `[[`, 0, "beta"), leader = vapply(trace, `[[`, 0, "leader"),
       gap = vapply(trace, `[[`, 0, "gap"), end = trace[[budget + 1]])
}

r8_cases <- list(
  R8_T12_paper = list(variant = "paper"),
  R8_T12_auto2s = list(),
  R8_T12_drop2s = list(reserve = "none"),
  R8_T5_auto2s = list(),
  R8_T5_clip2s = list(reserve = "clip")
)

for (case in names(r8_cases)) {
  test_that(paste("the whole run", case, "is reproduced"), {
    got <- do.call(run_r8, c(case, r8_cases[[case]]))
    expect_equal(as.data.frame(got$x)$arm, numbers(case, "arms"))
    expect_equal(as.data.frame(got$x)$y, numbers(case, "y"), tolerance = 1e-8)
    expect_equal(got$beta, numbers(case, "beta"), tolerance = 1e-8)
    expect_equal(got$leader, numbers(case, "J"))
    expect_equal(got$gap, numbers(case, "BJ"), tolerance = 1e-8)
    expect_equal(means_of(got$x), numbers(case, "final_mean"), tolerance = 1e-8)
    expect_equal(sqrt(got$x$belief$var), numbers(case, "final_sd"), tolerance = 1e-8)
    paper <- identical(r8_cases[[case]]$variant, "paper")
    omega <- if (paper) "rec_paper_tleT" else "rec_paper_incl_last"
    expect_equal(got$end$safest, numbers(case, omega))
    expect_equal(got$end$leader, numbers(case, "rec_finalJ"))
    expect_equal(best_arm(got$x), numbers(case, if (paper) omega else "rec_postmean"))
    for (rule in c(mean = "rec_postmean", omega = omega, last = "rec_finalJ")) {
      name <- c(rec_postmean = "mean", rec_finalJ = "last")[rule]
      name <- if (is.na(name)) "omega" else name[[1]]
      again <- do.call(run_r8, c(case, r8_cases[[case]], advice = name))
      expect_equal(best_arm(again$x), numbers(case, rule))
    }
  })
}

test_that("the C policy equals its twin on random problems", {
  skip_on_cran()
  set.seed(4)
  compared <- 0
  wrong <- character() # one expectation at the end: thousands would take minutes
  note_wrong <- function(ok, what) if (!ok) wrong <<- c(wrong, paste(what, "in problem", i))
  for (i in 1:250) {
    p <- random_problem()
    paper <- runif(1) < 0.3
    epsilon <- if (runif(1) < 0.5) 0 else 0.1
    x <- tryCatch(
      known_run(p, policy = policy("bayesgap",
        variant = if (paper) "paper" else "marginal", epsilon = epsilon
      )),
      bayesgap_error_budget = function(e) NULL
    )
    prior_var <- p$prior_sd^2 * diag(p$cov)
    if (is.null(x)) {
      expect_true(paper)
      expect_lte(
        (p$budget - sum(prior_var > 0)) / p$noise_sd^2 + sum(1 / prior_var[prior_var > 0]), 0
      )
      next
    }
    if (p$k == 1L || all(prior_var == 0)) {
      next
    }
    arm <- integer()
    y <- double()
    for (t in seq_len(min(p$budget, 12L))) {
      belief <- twin_posterior(
        p$mean, p$prior_sd^2 * p$cov, arm, y, rep(p$noise_sd^2, length(arm))
      )
      sd <- sqrt(pmax(diag(belief$cov), 0))
      twin <- twin_bayesgap(
        belief$mean, sd, prior_var, p$noise_sd^2, p$budget, epsilon, paper
      )
      note <- note_of(x)
      note_wrong(abs(note$beta - twin$beta) <= 1e-6 * twin$beta, "beta")
      # rounding in a variance of nothing is a standard deviation of its square root
      rounding <- 1e-6 * abs(twin$gap) + 1e-7 * twin$beta * sqrt(max(prior_var))
      note_wrong(abs(note$gap - twin$gap) <= rounding, "gap")
      if (twin$margin > 1e-6 && sd[twin$arm] > 1e-6 * p$prior_sd) {
        note_wrong(note$leader == twin$leader, "leader")
        note_wrong(note$rival == twin$rival, "rival")
        note_wrong(ask(x)$arm == twin$arm, "arm")
        compared <- compared + 1
      }
      arm <- c(arm, ask(x)$arm)
      y <- c(y, rnorm(1))
      x <- tell(x, y[t])
    }
  }
  expect_identical(wrong, character())
  expect_gt(compared, 200)
})

test_that("beta fixed by the user is used, and decays", {
  x <- bayesgap(4, budget = 3, prior_mean = 0, prior_sd = 1, noise_sd = 1,
    policy = policy("bayesgap", beta = 2, decay = 0.5))
  expect_equal(note_of(x)$beta, 2)
  expect_equal(note_of(tell(x, 1))$beta, 1)
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

test_that("Thompson's choice has the probability of being the best", {
  skip_on_cran()
  cov <- matrix(c(1, 0.9, 0, 0.9, 1, 0, 0, 0, 1), 3)
  run <- function(seed) {
    x <- bayesgap(3,
      budget = 3, cov = cov, prior_mean = c(0.2, 0, 0.1), prior_sd = 1, noise_sd = 0.5,
      policy = "thompson", seed = seed
    )
    tell(x, data.frame(arm = c(1, 3, 3), y = c(0.4, 0.1, 0.5), pull = NA))
  }
  chosen <- vapply(1:2000, function(seed) ask(run(seed))$arm, 0L)
  share <- tabulate(chosen, 3) / 2000
  exact <- certainty(run(1), 100000L)$best
  expect_lt(max(abs(share - exact)), 4 * sqrt(0.25 / 2000))
})

test_that("uniform gives equal shares", {
  x <- bayesgap(7, function(arm) rnorm(1), budget = 23, policy = "uniform", seed = 3)
  expect_lte(diff(range(x$belief$pulls)), 1)
})

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

test_that("the paper's variant goes on when the estimated noise would forbid it", {
  x <- bayesgap(20, function(arm) arm,
    budget = 16, policy = policy("bayesgap", variant = "paper"), seed = 1
  )
  expect_equal(nobs(x), 16)
  expect_false(anyNA(means_of(x)))
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
