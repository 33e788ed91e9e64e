test_that("arms asked together narrow as if pulled, and may repeat when noise is large", {
  x <- open_run(cov = matrix(1, 4, 4) + diag(4))
  several <- ask(x, 3)
  expect_equal(nrow(several), 3)
  one <- tell(x, data.frame(pull = 1, arm = several$arm[1], y = 0))
  # told its expected value, the run goes on as the batch foresaw
  expect_identical(ask(one)$arm, several$arm[2])
  noisy <- bayesgap(2, budget = 50, prior_mean = 0, prior_sd = 1, noise_sd = 10, seed = 1)
  expect_equal(anyDuplicated(ask(noisy, 6)$arm) > 0, TRUE)
})

test_that("results may be told in any order and in parts", {
  x <- open_run(budget = 6)
  todo <- ask(x, 4)
  todo$y <- c(0.1, 0.9, -0.4, 0.3)
  at_once <- tell(x, todo)
  in_parts <- tell(x, todo[3, ])
  expect_equal(in_parts$open$pull, 1:2)
  expect_output(print(in_parts), "still out: pull 1, 2")
  in_parts <- tell(in_parts, todo[c(4, 1), ])
  in_parts <- tell(in_parts, todo[2, ])
  expect_length(in_parts$open$pull, 0)
  expect_equal(means_of(in_parts), means_of(at_once))
  expect_equal(in_parts$belief$var, at_once$belief$var)
  expect_identical(ask(in_parts)$pull, ask(at_once)$pull)
  by_pull <- tell(x, todo[c("pull", "y")])
  expect_identical(by_pull$log, at_once$log)
  by_arm <- tell(x, todo[1, c("arm", "y")])
  expect_identical(by_arm$log$pull, 1L)
})

test_that("a batch that was stopped half way may be told by hand", {
  callCC(function(out) quietly(small_run(until(6, function() out(NULL)), batch = 4)))
  x <- last_run()
  todo <- ask(x, 3)
  expect_identical(todo$pull, 6:8)
  y <- tell(x, cbind(todo, y = 1:3))
  table <- as.data.frame(bayesgap(y, noisy, budget = 12))
  expect_identical(table$pull, 1:12)
  expect_identical(ask(x, 3), todo)
})

# ---- Distinct arms -------------------------------------------------------------------------------

# The published rule of a batch: the leader is the arm not taken yet with the smallest
# B = max U of all other arms - L, its rival the one not taken with the largest U; the less known
# of the two is asked.
twin_distinct <- function(s, n) {
  found <- twin_bayesgap(s$mean, s$sd, s$p$prior_sd^2 * diag(s$p$cov), s$p$noise_sd^2, s$p$budget)
  upper <- s$mean + found$beta * s$sd
  b <- max_of_others(upper) - (s$mean - found$beta * s$sd)
  arms <- integer()
  clear <- TRUE
  while (length(arms) < n) {
    left <- setdiff(seq_along(b), arms)
    leader <- left[which.min(b[left])]
    rivals <- setdiff(left, leader)
    rival <- rivals[which.max(upper[rivals])]
    choice <- if (length(rivals) && s$sd[rival] > s$sd[leader]) rival else leader
    tops <- c(diff(sort(b[left])[1:2]), -diff(sort(upper[rivals], decreasing = TRUE)[1:2]))
    apart <- c(tops, if (length(rivals)) abs(s$sd[rival] - s$sd[leader]))
    clear <- clear && all(apart[!is.na(apart)] > 1e-6) && s$open[choice]
    arms <- c(arms, choice)
  }
  if (clear) arms
}

test_that("distinct arms are those of the published batched BayesGap", {
  set.seed(21)
  compared <- 0
  for (i in 1:60) {
    s <- halfway(policy("bayesgap", variant = "marginal"), k = sample(2:12, 1))
    n <- min(s$p$k, s$p$budget - s$t + 1)
    want <- if (all(diag(s$p$cov) > 1e-6)) twin_distinct(s, n)
    if (is.null(want)) next
    expect_identical(ask(s$x, n, batch = "distinct")$arm, want, label = paste("problem", i))
    compared <- compared + 1
  }
  expect_gt(compared, 15)
})

test_that("distinct: no arm twice, whatever the policy, and fewer rows than asked at the end", {
  own <- policy("mine", choose = function(state) which(state$open)[1])
  for (policy in c(policies()$policy, list(own))) {
    like <- if (identical(policy, "gse")) list(features = diag(6)) else list(cov = diag(6) + 0.5)
    x <- do.call(bayesgap, c(list(6, budget = 30, policy = policy, seed = 2, prior_mean = 0,
      prior_sd = 1, noise_sd = 1), like))
    x <- tell(x, cbind(ask(x, 4), y = c(0.3, -0.2, 0.1, 0)))
    todo <- ask(x, 9, batch = "distinct")
    label <- paste("policy", format(x$policy))
    expect_identical(anyDuplicated(todo$arm), 0L, label = label)
    expect_lte(nrow(todo), 6)
    expect_gt(nrow(todo), 0)
    expect_identical(todo$pull, 4L + seq_len(nrow(todo)), label = label)
    expect_identical(todo[1:2, ], ask(x, 2, batch = "distinct"), label = label)
    expect_identical(todo[1, ], ask(x), label = label)
    # Those that are out count as taken.
    more <- ask(x, 9, pending = todo[1:2, ], batch = "distinct")
    expect_false(any(todo$arm[1:2] %in% more$arm), label = label)
    expect_identical(anyDuplicated(more$arm), 0L, label = label)
    expect_identical(more$pull[1], 7L)
  }
})

test_that("distinct: without replacement, at the end of the budget, and of a run", {
  x <- open_run(replace = FALSE, budget = 4)
  x <- tell(x, 0.5)
  todo <- ask(x, 9, batch = "distinct")
  expect_identical(nrow(todo), 3L)
  expect_setequal(c(todo$arm, as.data.frame(x)$arm), c("a", "b", "c", "d"))
  expect_identical(nrow(ask(open_run(budget = 2), 4, batch = "distinct")), 2L)
  expect_error(ask(x, batch = "other"), class = "bayesgap_error_batch")
  # One posterior for the whole batch: the arms do not depend on the noise of what is out.
  whole <- bayesgap(6, function(arm) -arm, budget = 12, batch = c(distinct = 3), seed = 1)
  expect_true(all(tapply(whole$log$arm, rep(1:4, each = 3), anyDuplicated) == 0))
  x <- bayesgap(6, budget = 12, seed = 1)
  for (i in 1:4) {
    todo <- ask(x, 3, batch = "distinct")
    x <- tell(x, cbind(todo, y = -todo$arm))
  }
  expect_identical(x, whole)
  expect_error(bayesgap(3, budget = 3, batch = c(other = 2)), class = "bayesgap_error_batch")
})

test_that("an initial arm that was told otherwise is not asked again without replacement", {
  x <- bayesgap(4, budget = 4, replace = FALSE, init = c(1, 2, 4, 3), seed = 1)
  x <- tell(x, data.frame(arm = 2, y = 0.5, pull = NA))
  asked <- ask(x, 4)$arm
  expect_false(2 %in% asked)
  expect_setequal(asked, c(1, 3, 4))
})

test_that("pulls that are left of a batch by another rule are the same in a file", {
  # The third of four distinct arms fails: the file must know which one it was.
  stop_at_three <- function(arm, pull) if (pull$index == 3) stop("broken") else pull$index / 10
  x <- tryCatch(
    bayesgap(5, stop_at_three, budget = 12, prior_mean = c(6, 3, 5, 7, 9), prior_sd = 0.02,
      noise_sd = 1, maximise = FALSE, batch = c(distinct = 4), on_error = "stop", seed = 1),
    error = function(e) e$run
  )
  expect_identical(nobs(x), 3L)
  expect_identical(open_trials(x)$pull, 3L)
  expect_false(open_trials(x)$arm %in% x$log$arm)
  file <- fresh_file()
  save_run(x, file)
  expect_identical(read_run(file), x)
})

# ---- A round in one call ------------------------------------------------------------------------

# What the many steps make of a result that the one call takes.
told_slowly <- function(x, y) {
  say_if_failed(say_if_binary(tell_one(unclass(x), y), x$observed), x)
}

test_that("a round in one call is what its many steps are, for every policy", {
  cov <- exp(-outer(1:6, 1:6, "-")^2 / 4)
  for (name in policies()$policy) {
    by_features <- name == "gse"
    x <- bayesgap(6, budget = 40, cov = if (!by_features) cov,
      features = if (by_features) cbind(1, 1:6 / 6), prior_mean = 0, prior_sd = 1, noise_sd = 0.5,
      policy = name, maximise = name != "ei", seed = 2)
    set.seed(8)
    quick <- 0
    while (!is_done(x)) {
      y <- rnorm(1)
      expect_identical(ask_rows(x, 1L)[c("pull", "arm")],
        list(pull = x$last + 1L, arm = next_pull(x)$arm), info = name)
      new <- learn_plainly(x, y)
      slow <- told_slowly(x, y)
      if (!is.null(new)) {
        expect_identical(new, slow, info = name)
        quick <- quick + 1
      }
      x <- slow
    }
    expect_gte(quick, x$observed - 5)
  }
})

test_that("a round in one call learns by the fit that there is, and leaves a fit that is due", {
  x <- bayesgap(data.frame(u = 1:12), budget = 30, seed = 5)
  set.seed(9)
  quick <- logical()
  while (!is_done(x)) {
    y <- sin(x$belief$next_arm) + rnorm(1, sd = 0.2)
    new <- learn_plainly(x, y)
    slow <- told_slowly(x, y)
    quick <- c(quick, !is.null(new))
    if (!is.null(new)) {
      expect_identical(new, slow)
      expect_identical(slow$fitted, x$fitted)
    }
    x <- slow
  }
  expect_true(any(quick) && any(!quick[-(1:5)]))
})

test_that("what is out of the ordinary is no plain round", {
  plain <- function(x) !is.null(.Call(bg_next, x))
  some <- function(...) {
    x <- open_run(budget = 30, ...)
    for (i in 1:6) {
      x <- tell(x, c(1, 2, 1.5)[i %% 3 + 1])
    }
    x
  }
  x <- some()
  expect_true(plain(x) && plain(unclass(x)))
  expect_false(is.null(learn_plainly(x, 0)))
  odd <- list(
    first = open_run(init = "b"), short = some(replace = TRUE, stop_regret = 1e-9),
    own = some(policy = policy(choose = function(state) 1)), costs = some(cost = 1:4),
    failed = tell(x, data.frame(ask(x), y = NA, failed = TRUE)), dropped = drop_arms(x, "b"),
    out = tell(x, data.frame(ask(x, 2)[2, ], y = 1)), strict = `[[<-`(x, "strict", TRUE),
    blocks = bayesgap(3, budget = 9, blocks = c("a", "b"), seed = 1),
    once = open_run(arms = letters, budget = 20, replace = FALSE),
    rates = bayesgap(3, budget = 9, family = "binomial", seed = 1),
    spent = tell(open_run(budget = 1), 1), other = unclass(x)[rev(seq_along(x))],
    nothing = NULL, text = "run", fewer = `[[<-`(x, "log", x$log[1:5]),
    longer = `[[<-`(x, "log", c(x$log, x$log[1])), types = `[[<-`(x, "log", lapply(x$log, as.character)),
    lengths = `[[<-`(x, "log", c(x$log[-7], list(cost = 1)))
  )
  for (name in names(odd)) {
    expect_false(plain(odd[[name]]), info = name)
  }
  for (y in list(1L, NA_real_, NaN, Inf, 2e100, c(y = 1), c(1, 2), double(), "1", NULL, Sys.Date())) {
    expect_null(learn_plainly(x, y))
  }
  # Just below 1e100, and read the same wherever long doubles are no longer than doubles.
  expect_identical(learn_plainly(x, 2^332)$log$reward[7], 2^332)
})
