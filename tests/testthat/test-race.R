# A run whose best arm by far is "c".
told_run <- function(policy = "bayesgap", ..., arms = letters[1:5]) {
  x <- bayesgap(arms, budget = 60, prior_mean = 0, prior_sd = 2, noise_sd = 0.5, seed = 1,
                policy = policy, ...)
  tell(x, data.frame(
    pull = 1:10, arm = rep(arms[1:5], 2), y = c(0, 1, 9, 2, -1, 0.2, 1.1, 9.2, 1.8, -1.2)
  ))
}

without <- function(x, arm) {
  x$dropped <- match(arm, x$model$arms$names)
  begin(x)
}

test_that("an arm that is out is neither asked nor recommended, by any policy", {
  smooth <- exp(-abs(outer(1:5, 1:5, "-")) / 2)
  for (name in policies()$policy) {
    prior <- if (name == "gse") list(features = diag(5)) else list(cov = smooth)
    x <- do.call(told_run, c(list(name), prior))
    expect_identical(best_arm(x), "c", label = name)
    y <- without(x, "c")
    expect_identical(best_arm(y), "d", label = name)
    expect_false("c" %in% ask(y, n = 12)$arm, label = name)
    expect_identical(posterior(y)$mean, posterior(x)$mean)
    again <- tell(y, data.frame(pull = 11:14, arm = c("a", "b", "d", "e"), y = 0:3))
    expect_false(best_arm(again) == "c", label = name)
  }
})

test_that("what is said of the best is said of those in the race", {
  y <- without(told_run(), "c")
  table <- posterior(y)
  expect_identical(table$status, c("active", "active", "dropped", "active", "active"))
  expect_identical(table$p_best[3], 0)
  expect_equal(sum(table$p_best), 1)
  expect_gt(table$p_best[4], 0.9)
  expect_lt(regret_bound(certainty(y)), 1)
  shown <- paste(format(y), collapse = "\n")
  expect_match(shown, "best arm +d ")
  expect_match(shown, "runner-up +b ")
})

test_that("race means leave the others as they are", {
  x <- told_run()
  expect_identical(race_means(x), x$belief$mean)
  y <- without(x, "c")
  expect_identical(race_means(y)[-3], y$belief$mean[-3])
  expect_lt(race_means(y)[3], min(y$belief$mean) - 1e5)
})

test_that("failures of its own in a row set an arm aside while others work", {
  x <- bayesgap(3, budget = 30, seed = 1)
  fail <- function(x, arm) tell(x, data.frame(arm = arm, y = NA, pull = NA, failed = TRUE))
  work <- function(x, arm) tell(x, data.frame(arm = arm, y = arm, pull = NA))
  x <- fail(fail(fail(x, 2), 2), 2)
  expect_identical(x$failures$own, c(0L, 3L, 0L))
  expect_identical(arms_aside(x), c(FALSE, TRUE, FALSE)) # others are tried first,
  expect_null(arms_out(x)) # but nothing ever worked
  x <- work(x, 1)
  expect_identical(arm_status(x), c("active", "failed", "active"))
  expect_identical(arm_status(work(x, 2)), rep("active", 3))
  # Where all are like that none is set aside.
  for (arm in c(1, 3)) {
    x <- fail(fail(fail(x, arm), arm), arm)
  }
  expect_null(arms_out(x))
  expect_identical(arm_status(x), rep("active", 3))
})

# Failures in a row of each arm's own, row by row.
plain_own <- function(x) {
  own <- integer(length(x$model$arms$names))
  arm <- x$log$arm
  failed <- is.na(x$log$reward)
  for (row in seq_along(arm)) {
    if (row %in% x$withdrawn) next
    if (failed[row]) {
      own[arm[row]] <- own[arm[row]] + 1L
      next
    }
    first <- max(0L, which(!failed[seq_len(row - 1L)])) + 1L
    just <- arm[setdiff(seq_len(row - first) + first - 1L, x$withdrawn)]
    several <- length(unique(just)) > 1L
    for (a in unique(just)[several]) {
      if (own[a] <= sum(just == a)) own[a] <- min(own[a], 2L)
    }
    own[arm[row]] <- 0L
  }
  own
}

# The slow and obvious counts of what else failures tell.
obvious_failures <- function(x) {
  y <- x$log$reward
  arm <- x$log$arm
  failed <- setdiff(which(is.na(y)), x$withdrawn)
  later <- function(row) any(arm[-seq_len(row)] == arm[row] & !is.na(y[-seq_len(row)]))
  recovered <- vapply(failed, later, TRUE)
  list(
    worked = seq_along(x$model$arms$names) %in% arm[!is.na(y)],
    failed = seq_along(x$model$arms$names) %in% arm[is.na(y)],
    since = tabulate(arm[failed[!recovered]], length(x$model$arms$names)),
    recovered = sum(recovered)
  )
}

test_that("failures are counted alike row by row and from the log", {
  set.seed(2)
  x <- bayesgap(4, budget = 200, seed = 1)
  for (i in 1:60) {
    n <- sample(c(1:3, 20), 1)
    y <- ifelse(runif(n) < 0.5, NA, rnorm(n))
    error <- ifelse(is.na(y), sample(c("no", withdrawn), n, TRUE, c(3, 1)), NA)
    x <- tell(x, data.frame(arm = sample(4, n, TRUE), y = y, pull = NA, error = error))
    expect_identical(own_failures(x), x$failures)
    expect_identical(x$failures$own, if (!is.null(x$failures)) plain_own(x))
    obvious <- obvious_failures(x)
    expect_identical(x$failures[names(obvious)], if (!is.null(x$failures)) obvious)
  }
  # What worked before anything failed is known as well.
  y <- tell(bayesgap(3, budget = 9, seed = 1), data.frame(arm = c(1, 3), y = 1, pull = NA))
  y <- tell(y, data.frame(arm = 2, y = NA, pull = NA, failed = TRUE))
  expect_identical(y$failures, own_failures(y))
  expect_identical(y$failures$worked, c(TRUE, FALSE, TRUE))
})

test_that("a withdrawn result is no failure, and a retried arm begins anew", {
  x <- bayesgap(2, budget = 30, seed = 1)
  x <- tell(x, data.frame(
    arm = c(1, 2, 2, 2), y = c(1, NA, NA, NA), pull = NA, error = c(NA, "no", "withdrawn", "no")
  ))
  expect_identical(own_failures(x)$own, c(0L, 2L))
  x$retried <- list(arm = 2L, row = 2L)
  expect_identical(own_failures(x)$own, c(0L, 1L))
})

fail <- function(x, ...) tell(x, data.frame(arm = c(...), y = NA, pull = NA, failed = TRUE))
work <- function(x, ...) tell(x, data.frame(arm = c(...), y = c(...), pull = NA))

test_that("where several arms fail at once, as in an outage, none is set aside for that", {
  new <- bayesgap(4, budget = 60, seed = 1)
  # Before anything worked, and in the midst of a run.
  for (x in list(new, work(new, 1, 2, 3, 4))) {
    x <- quietly(fail(x, 1, 1, 2, 1, 2, 2, 3, 3, 3, 4))
    expect_identical(x$failures$own, c(3L, 3L, 3L, 1L))
    expect_identical(arms_aside(x), c(TRUE, TRUE, TRUE, FALSE)) # until something works
    said <- messages_of(class = "bayesgap_message_failed", x <- work(x, 4))
    expect_identical(x$failures$own, c(2L, 2L, 2L, 0L))
    expect_identical(arm_status(x), rep("active", 4))
    expect_identical(own_failures(x), x$failures)
    # One that fails again, while others worked in between, is set aside.
    x <- quietly(fail(work(x, 4, 4, 4), 2))
    expect_identical(failed_arms(x), 2L)
    # That of two such arms each excuses the other does not go on for ever.
    x <- quietly(work(fail(x, 3), 4))
    expect_identical(failed_arms(x), 2:3)
    expect_identical(own_failures(x), x$failures)
  }
  expect_match(said, "Back in the race: 1, 2, 3. Other arms failed as well", fixed = TRUE)
})

test_that("an arm that is set aside is in no batch: what is out has not worked", {
  for (policy in c("bayesgap", "ei", "gpucb")) {
    x <- bayesgap(4, budget = 30, prior_mean = 0, prior_sd = 1, noise_sd = 1, policy = policy, seed = 1)
    x <- quietly(work(fail(x, 2, 2, 2), 1))
    x <- quietly(work(fail(work(fail(x, 3, 3), 1), 4, 4), 1))
    expect_identical(failed_arms(x), 2L)
    expect_setequal(setdiff(ask(x, 8)$arm, 1L), 3:4)
    expect_false(2L %in% ask(x, 4, pending = ask(x, 3))$arm)
  }
})

test_that("an arm set aside is said once, with its error and what to do, when it happens", {
  x <- bayesgap(rates, budget = 60, seed = 1)
  told <- function(row, y, error = NA) {
    data.frame(rates[row, , drop = FALSE], y = y, failed = is.na(y), error = error)
  }
  expect_length(messages_of(class = "bayesgap_message_failed", {
    x <- tell(x, rbind(told(1, 1), told(5, NA, "one"), told(5, NA, "two")))
  }), 0)
  said <- messages_of(class = "bayesgap_message_failed", {
    x <- tell(x, told(5, NA, "loss is NaN\nat step 3"))
  })
  expect_identical(said, paste0(
    "Set aside: lr = 0.1 (failed 3 times in a row: loss is NaN). The run goes on with the other ",
    "arms; retry_arms() brings it back.\n"
  ))
  expect_length(messages_of(class = "bayesgap_message_failed", x <- tell(x, told(5, NA))), 0)
  expect_length(messages_of(class = "bayesgap_message_failed", x <- tell(x, told(2, 0))), 0)
  # One number may be what shows that others work.
  x <- bayesgap(2, budget = 9, seed = 1)
  x <- quietly(fail(x, rep(ask(x)$arm %% 2 + 1, 3)))
  expect_match(messages_of(class = "bayesgap_message_failed", tell(x, 1)), "Set aside: ")
  # Many at a time are counted.
  x <- bayesgap(12, budget = 99, seed = 1)
  said <- messages_of(class = "bayesgap_message_failed", tell(x, data.frame(
    arm = as.vector(rbind(1, rep(2:9, 3))), y = rep(c(1, NA), 24), pull = NA, failed = rep(c(FALSE, TRUE), 24)
  )))
  expect_match(said, "Set aside: 2 \\(.*, 6 \\(.*\\), and 3 more\\. .* brings them back")
})

test_that("arms are named by what tells them apart", {
  expect_identical(arm_words(as_arms(c("a", "b\n")), 2L), "b\\n")
  expect_identical(arm_words(as_arms(4), 3L), "3")
  rows <- data.frame(u = 1:2, g = c("x", "y"))
  expect_identical(arm_words(as_arms(rows), 2L), "u = 2, g = y")
  expect_identical(arm_words(as_arms(data.frame(arm = c("p", "q"), rows)), 2L), "q")
  wide <- as.data.frame(matrix(1:14, 2))
  expect_match(arm_words(as_arms(wide), 1L), "V6 = 11, ...", fixed = TRUE)
})

test_that("an arm that always fails is set aside under every policy, which spends its budget", {
  smooth <- exp(-abs(outer(1:8, 1:8, "-")) / 2)
  for (name in policies()$policy) {
    for (batch in list(1, 4, c(distinct = 3))) {
      prior <- if (name == "gse") list(features = diag(8)) else list(cov = smooth)
      x <- quietly(do.call(bayesgap, c(
        list(rates, train, 36, policy = name, batch = batch, seed = 2), prior
      )))
      said <- paste(name, toString(batch))
      failed <- sum(x$log$arm == 5L)
      expect_identical(spent(x), 36L, label = said)
      expect_lte(failed, if (batch == 4) 6 else 4, label = said)
      expect_identical(posterior(x)$status[5], if (failed < 3) "active" else "failed", label = said)
      expect_false(best_arm(x)$lr == 0.1 && failed >= 3, label = said)
    }
  }
})

test_that("with blocks a control that always fails is set aside, and blocks begin without it", {
  objective <- function(arm, pull) {
    if (arm == "std") stop("no standard") else nchar(arm) + as.integer(pull$block) + rnorm(1)
  }
  x <- quietly(bayesgap(c("std", "a", "bb", "ccc"), objective, 24, blocks = 8, control = "std",
                        seed = 1))
  expect_identical(spent(x), 24L)
  expect_identical(sum(x$log$arm == 1L), 3L)
  expect_identical(posterior(x)$status, c("failed", "active", "active", "active"))
  expect_output(print(x), "set aside: std \\(failed 3 times in a row: no standard\\)")
  expect_false(best_arm(x) == "std")
})

test_that("without `replace` a failed arm is not pulled again; told failures set it aside", {
  x <- quietly(bayesgap(rates, train, 8, replace = FALSE, seed = 1))
  expect_identical(sort(x$log$arm), 1:8)
  expect_identical(posterior(x)$status, rep("active", 8))
  x <- quietly(bayesgap(rates, train, 32, blocks = 4, replace = FALSE, seed = 1))
  expect_identical(sum(x$log$arm == 5L), 3L)
  expect_identical(x$stopped, "no arm is left")
  expect_identical(spent(x), 31L)
})

test_that("a run with a failing arm is resumed to the last bit, at every t", {
  file <- fresh_file()
  on.exit(unlink(file))
  settings <- list(list(), list(batch = 3), list(kernel = k_se(~ log10(lr))), list(blocks = 4))
  for (given in settings) {
    go <- function(objective, ...) {
      quietly(do.call(bayesgap, c(list(rates, objective, 14, seed = 3, ...), given)))
    }
    whole <- go(train)
    expect_identical(posterior(whole)$status[5], "failed")
    for (t in 0:14) {
      made <- 0
      unlink(file)
      callCC(function(out) go(function(arm) {
        made <<- made + 1
        if (made > t) out(NULL) else train(arm)
      }, checkpoint = file))
      expect_identical(go(train, checkpoint = file), whole)
    }
  }
})

test_that("the only arm that ever worked stays the answer; others are tried", {
  new <- bayesgap(2, budget = 9, seed = 1, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  x <- quietly(fail(work(new, 2), 2, 2, 2))
  expect_identical(arms_aside(x), c(FALSE, TRUE))
  expect_identical(arm_status(x), c("active", "active"))
  expect_identical(best_arm(x), 2L)
  expect_identical(unique(ask(x, 5)$arm), 1L)
  x <- quietly(work(x, 1))
  expect_identical(arm_status(x), c("active", "failed"))
  expect_identical(best_arm(x), 2L) # it did work, and better
})

test_that("where pulls fail by chance more failures in a row are needed", {
  rows <- function(y) {
    x <- bayesgap(2, budget = 90, seed = 1)
    quietly(tell(x, data.frame(arm = 1, y = as.double(y), pull = NA, failed = is.na(y))))
  }
  expect_identical(own_limit(rows(NA)), 3)
  expect_identical(own_limit(rows(rep(1, 50))), 3)
  expect_identical(own_limit(rows(c(1, NA, NA, NA))), 3) # for a reason, for all that is known
  half <- rows(rep(c(NA, 1), 20))
  expect_equal(own_limit(half), ceiling(log(0.005) / log(20.5 / 44)))
  # A flaky objective loses no good arm: three in a row are no rarity where four in ten fail.
  lost <- vapply(1:40, function(seed) {
    flaky <- function(arm) if (runif(1) < 0.4) stop("no") else arm + rnorm(1, sd = 0.3)
    x <- quietly(bayesgap(3, flaky, budget = 40, seed = seed))
    posterior(x)$status[3] != "active"
  }, TRUE)
  expect_lte(sum(lost), 2)
})

test_that("an arm that was only seen to fail is no answer where it will not be pulled again", {
  d <- data.frame(p = 1:12)
  f <- function(a) if (a$p == 6) stop("NaN") else -(a$p - 6)^2 / 10 + rnorm(1, sd = 0.05)
  x <- quietly(bayesgap(d, f, 12, kernel = k_se(), replace = FALSE, seed = 1))
  expect_true(best_arm(x)$p %in% c(5, 7))
  expect_identical(posterior(x)$p_best[6], 0)
  # Until then it may have been chance.
  x <- bayesgap(c("a", "b"), budget = 9, prior_mean = c(0, 5), prior_sd = 1, noise_sd = 1, seed = 1)
  x <- tell(x, data.frame(arm = c("a", "b"), y = c(0, NA), pull = NA, failed = c(FALSE, TRUE)))
  expect_identical(best_arm(x), "b")
  x <- tell(x, data.frame(arm = "a", y = 0, pull = 1:9))
  expect_identical(best_arm(x), "a")
})

test_that("an objective that fails with the word for what people withdraw has failed", {
  x <- fault(bayesgap(3, function(arm) stop("withdrawn"), 5))
  expect_s3_class(x, "bayesgap_error_nothing_worked")
  expect_identical(sum(x$run$failures$own), 5L)
})

test_that("trials of an arm that was dropped are not made by an objective", {
  x <- bayesgap(c("a", "b", "c"), budget = 9, seed = 1)
  x <- tell(x, data.frame(ask(x, 3)[3, ], y = 1))
  out <- x$model$arms$names[x$open$arm[1]]
  z <- bayesgap(drop_arms(x, out), function(arm) rnorm(1), 9)
  expect_false(out %in% as.data.frame(z)$arm)
  expect_identical(spent(z), 9L)
})
