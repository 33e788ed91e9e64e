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
  skip_long_on_cran()
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

test_that("the paper's variant goes on when the estimated noise would forbid it", {
  x <- bayesgap(20, function(arm) arm,
    budget = 16, policy = policy("bayesgap", variant = "paper"), seed = 1
  )
  expect_equal(nobs(x), 16)
  expect_false(anyNA(means_of(x)))
})

test_that("the joint rule is the default, and a number for bounds means the marginal one", {
  pulls <- function(...) {
    as.data.frame(bayesgap(
      20, function(arm) sin(arm) + rnorm(1), budget = 30, cov = exp(-outer(1:20, 1:20, "-")^2 / 8),
      prior_mean = 0, prior_sd = 1, noise_sd = 1, seed = 1, policy = policy("bayesgap", ...)
    ))$arm
  }
  joint <- pulls(variant = "joint")
  expect_identical(pulls(), joint)
  expect_identical(pulls(advice = "omega"), joint)
  expect_false(identical(pulls(variant = "marginal"), joint))
  for (given in list(
    list(beta = 2), list(beta = 2, decay = 0.9), list(epsilon = 0.1), list(reserve = "none"),
    list(delta = "one-sided")
  )) {
    expect_identical(do.call(pulls, given), do.call(pulls, c(given, variant = "marginal")))
    expect_error(do.call(pulls, c(given, variant = "joint")), class = "bayesgap_error_policy")
  }
  expect_snapshot(pulls(variant = "joint", beta = 2), error = TRUE)
})
