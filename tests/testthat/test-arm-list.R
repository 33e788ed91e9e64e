same_after_saving <- function(x) {
  file <- fresh_file()
  save_run(x, file)
  expect_identical(read_run(file), x)
}
worked <- function(..., arms = c("a", "b", "c", "d")) {
  tell(open_run(arms = arms, ...), data.frame(pull = 1:4, arm = arms[1:4], y = c(1, 3, 2, 0)))
}

test_that("an arm that is dropped is out, and what it told stays", {
  x <- worked(cov = exp(-abs(outer(1:4, 1:4, "-"))))
  y <- drop_arms(x, "b")
  expect_identical(best_arm(y), "c")
  expect_false("b" %in% ask(y, 4)$arm)
  expect_identical(posterior(y)$mean, posterior(begin(x))$mean)
  expect_identical(y$changes$what, "dropped")
  expect_output(print(y), "1 arm dropped: \"b\"")
  same_after_saving(y)
  expect_identical(drop_arms(drop_arms(x, "b"), "d")$dropped, drop_arms(x, c("b", "d"))$dropped)
  back <- add_arms(y, "b")
  expect_identical(best_arm(back), "b")
  expect_identical(back$model, x$model)
  expect_identical(back$changes$what, c("dropped", "added"))
  expect_identical(back$belief, begin(x)$belief)
})

test_that("new arms come last, and the log stays what it was", {
  x <- worked()
  y <- add_arms(x, c("e", "f"))
  expect_identical(y$model$arms$names, letters[1:6])
  expect_identical(y$log, x$log)
  expect_identical(y$changes$arm, 5:6)
  expect_true(all(c("e", "f") %in% ask(y, 4, batch = "distinct")$arm))
  # The same as a run that had them from the beginning, but for its choices.
  whole <- begin(worked(arms = letters[1:6]))
  expect_identical(means_of(y), means_of(whole))
  expect_identical(y$belief$next_arm, whole$belief$next_arm)
  same_after_saving(y)
  y <- tell(y, data.frame(ask(y), y = 9))
  same_after_saving(y)
  both <- add_arms(drop_arms(x, c("a", "b")), c("z", "b"))
  expect_identical(arm_status(both), c("dropped", rep("active", 4)))
  expect_identical(both$model$arms$names, c(letters[1:4], "z"))
})

test_that("arms that are numbers are more; as text they are those that were dropped", {
  x <- tell(bayesgap(3, budget = 9, seed = 1), data.frame(pull = 1:3, arm = 1:3, y = 1:3))
  y <- add_arms(x, 2)
  expect_identical(posterior(y)$arm, 1:5)
  expect_identical(arm_status(add_arms(drop_arms(y, 2), "2")), rep("active", 5))
  expect_error(add_arms(x, "9"), "arms of this run are numbers", class = "bayesgap_error_arms")
  expect_error(add_arms(x, "2"), "in the run already", class = "bayesgap_error_arms")
})

test_that("rows come with the same columns, and a kernel covers them", {
  dial <- data.frame(position = c(1, 3, 5), kind = factor(c("u", "v", "u")))
  start <- function(data) {
    bayesgap(data, budget = 9, kernel = k_se(~ position), seed = 1)
  }
  more <- data.frame(position = c(2L, 4L), kind = c("v", "w"))
  x <- tell(start(dial), data.frame(pull = 1:3, arm = 1:3, y = c(1, 2, 1)))
  y <- add_arms(x, more)
  all <- data.frame(position = c(1, 3, 5, 2, 4), kind = factor(c("u", "v", "u", "v", "w")))
  expect_identical(y$model$arms$data, all)
  whole <- begin(tell(start(all), data.frame(pull = 1:3, arm = 1:3, y = c(1, 2, 1))))
  expect_identical(y$belief, whole$belief)
  expect_identical(y$model$prior, whole$model$prior)
  # A file has no kernel to make more of.
  file <- fresh_file()
  save_run(x, file)
  expect_error(add_arms(read_run(file), more), "kernel = k_se\\(~position\\)",
    class = "bayesgap_error_arms")
  again <- add_arms(read_run(file), more, kernel = k_se(~ position))
  expect_identical(again$belief, y$belief)
  named <- bayesgap(data.frame(arm = c("p", "q"), u = 1:2), budget = 4, seed = 1)
  expect_identical(
    add_arms(named, data.frame(arm = "r", u = 9))$model$arms$names, c("p", "q", "r")
  )
  gone <- drop_arms(named, "p")
  expect_identical(arm_status(add_arms(gone, "p")), rep("active", 2))
  expect_identical(arm_status(add_arms(gone, data.frame(arm = "p", u = 1))), rep("active", 2))
  expect_error(add_arms(gone, data.frame(arm = "p", u = 7)), "was dropped is \"p\"",
    class = "bayesgap_error_arm")
  refused <- function(given, message) {
    expect_error(add_arms(named, given), message, class = "bayesgap_error_arms")
  }
  refused("r", "a data frame of new arms with the columns \"u\"")
  refused(2, "a data frame of new arms")
  refused(data.frame(u = 3), "column `arm`")
  refused(data.frame(arm = "r"), "lacks \"u\"")
  refused(data.frame(arm = "r", u = 1, w = 2), "also has \"w\"")
  refused(data.frame(arm = "r", u = "high"), "column `u`.*integer")
  refused(data.frame(arm = "p", u = 1), "in the run already")
})

test_that("values and elements of a list come as they did", {
  x <- bayesgap(c(0.1, 0.2, 0.5), budget = 9, seed = 1)
  x <- tell(x, data.frame(arm = c(0.1, 0.2, 0.5), y = c(1, 3, 2), pull = NA))
  y <- add_arms(x, 0.8)
  expect_identical(y$model$arms, as_arms(c(0.1, 0.2, 0.5, 0.8)))
  same_after_saving(y)
  expect_identical(arm_status(add_arms(drop_arms(y, "0.2"), "0.2")), rep("active", 4))
  expect_error(add_arms(x, 0.2), "in the run already", class = "bayesgap_error_arms")
  expect_error(add_arms(x, "high"), "the values of new arms", class = "bayesgap_error_arms")
  expect_error(add_arms(x, as.Date("2026-01-01")), "column `value`", class = "bayesgap_error_arms")
  named <- bayesgap(c(low = 1, high = 2), budget = 4, seed = 1)
  expect_identical(add_arms(named, c(top = 3))$model$arms$names, c("low", "high", "top"))
  expect_error(add_arms(named, 3), "must have one too", class = "bayesgap_error_arms")
  steps <- bayesgap(list(fast = mean, slow = median), budget = 4, seed = 1)
  steps <- add_arms(steps, list(odd = max))
  expect_identical(steps$model$arms$items[[3]], max)
  expect_error(add_arms(steps, list(min)), "must have names", class = "bayesgap_error_arms")
  # Rows without names of their own have those of their values.
  grid <- bayesgap(data.frame(u = c(220, 240), v = c(35, 40)), budget = 4, seed = 1)
  expect_identical(
    add_arms(grid, data.frame(u = 260, v = 35))$model$arms$names, c("220, 35", "240, 40", "260, 35")
  )
})

test_that("a prior that is given for every arm is given again", {
  x <- worked(cov = diag(4) + 0.5)
  expect_error(add_arms(x, "e"), "`cov` must be given again", class = "bayesgap_error_arms")
  y <- add_arms(x, "e", cov = diag(5) + 0.5)
  expect_identical(means_of(y), means_of(begin(worked(arms = letters[1:5], cov = diag(5) + 0.5))))
  same_after_saving(y)
  line <- bayesgap(4, budget = 9, features = cbind(1, 1:4), seed = 1)
  expect_error(add_arms(line, 1), "`features` must", class = "bayesgap_error_arms")
  expect_identical(n_arms(add_arms(line, 1, features = cbind(1, 1:5))$model$arms), 5L)
  set.seed(1)
  past <- matrix(rnorm(60), 12)
  old <- bayesgap(4, budget = 9, history = past[, 1:4], seed = 1)
  expect_error(add_arms(old, 1), "`history` must", class = "bayesgap_error_arms")
  expect_identical(
    add_arms(old, 1, history = past)$model, bayesgap(5, budget = 9, history = past, seed = 1)$model
  )
  each <- bayesgap(2, budget = 9, prior_mean = 1:2, noise_sd = c(1, 2), seed = 1)
  expect_error(add_arms(each, 1), "`prior_mean` must be given", class = "bayesgap_error_arms")
  expect_error(add_arms(each, 1, prior_mean = 1:3), "`noise_sd` must be given",
    class = "bayesgap_error_arms")
  y <- add_arms(each, 1, prior_mean = 1:3, noise_sd = 2)
  expect_identical(y$model$prior_mean, c(1, 2, 3))
  expect_error(add_arms(each, 1, prior_mean = 1:2, noise_sd = 2), class = "bayesgap_error_model")
  expect_error(add_arms(drop_arms(each, 1), "1", prior_mean = 3), "update\\(\\)",
    class = "bayesgap_error_arms")
})

test_that("policies that decide in stages say that they may not try a new arm", {
  for (name in c("halving", "bayesgap")) {
    x <- worked(policy = name, budget = 40)
    said <- messages_of(add_arms(x, "e"), "bayesgap_message_arms")
    expect_length(said, as.integer(name == "halving"))
  }
})

test_that("new arms have a cost where pulls have", {
  x <- bayesgap(3, budget = 9, cost = c(1, 2, 3), seed = 1)
  x <- tell(x, data.frame(arm = 1:2, pull = 1:2, y = 1:2, cost = c(NA, 2.5)))
  expect_error(add_arms(x, 1), "`cost` must be given again", class = "bayesgap_error_cost")
  y <- add_arms(x, 1, cost = c(1, 2, 3, 0.5))
  expect_identical(y$model$cost, c(1, 2, 3, 0.5))
  expect_identical(c(spent(y), left(y)), c(3.5, 5.5))
  same_after_saving(y)
  same <- bayesgap(3, budget = 9, cost = 2, seed = 1)
  expect_error(add_arms(same, 1), "`cost` must be given again", class = "bayesgap_error_cost")
  expect_identical(add_arms(same, 1, cost = 2)$model$cost, rep(2, 4))
  ovens <- data.frame(arm = c("a", "b"), hours = c(1L, 3L))
  z <- bayesgap(ovens, budget = 9, cost = "hours", seed = 1)
  z <- add_arms(z, data.frame(arm = "c", hours = 2), cost = "hours")
  expect_identical(z$model$cost, c(1, 3, 2))
  expect_error(add_arms(open_run(), "e", cost = 2), "have no costs", class = "bayesgap_error_cost")
  expect_error(add_arms(x, 1, cost = 1:3), class = "bayesgap_error_cost")
})

test_that("the race is never left without an arm or its control", {
  x <- open_run(control = "a")
  refused <- function(arms, message, class = "bayesgap_error_arms") {
    expect_error(drop_arms(x, arms), message, class = class)
  }
  refused("a", "is the control")
  refused("z", "no arm \"z\"", "bayesgap_error_arm")
  refused(NULL, "by number or by name", "bayesgap_error_arm")
  expect_error(drop_arms(drop_arms(x, "b"), "b"), "dropped before", class = "bayesgap_error_arms")
  expect_error(drop_arms(open_run(), letters[1:4]), "keep at least one",
    class = "bayesgap_error_arms")
  expect_error(add_arms(x), class = "bayesgap_error_arms")
  expect_error(add_arms(x, character()), class = "bayesgap_error_arms")
  expect_error(add_arms(x, c("e", "e")), "different names", class = "bayesgap_error_arms")
  expect_error(add_arms(x, data.frame(arm = "e")), "the names of new arms", class = "bayesgap_error_arms")
  expect_error(add_arms(x, "e", budget = 4), "Unknown argument", class = "bayesgap_error_argument")
  y <- add_arms(x, "e")
  expect_identical(y$model$control, 1L)
})
