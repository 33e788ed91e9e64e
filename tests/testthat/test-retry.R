failed_run <- function(budget = 40, ...) quietly(bayesgap(rates, train, budget, seed = 1, ...))

test_that("a failed arm is brought back, by name, number or row, and set aside after three more", {
  x <- failed_run()
  expect_identical(which(posterior(x)$status == "failed"), 5L)
  y <- retry_arms(x)
  expect_identical(posterior(y)$status, rep("active", 8))
  for (arms in list(0.1, "0.1", data.frame(lr = 0.1), data.frame(arm = "0.1", lr = 0.1), c(0.1, 0.1))) {
    again <- retry_arms(x, arms)
    again$changes$when <- y$changes$when
    expect_identical(again, y)
  }
  expect_identical(x, failed_run()) # as it was
  expect_identical(as.data.frame(y)$y, as.data.frame(x)$y)
  said <- messages_of(class = "bayesgap_message_failed", z <- bayesgap(y, train, budget = 60))
  expect_length(said, 1)
  expect_match(said, "Set aside: lr = 0.1 (failed 6 times in a row: loss is NaN).", fixed = TRUE)
  expect_identical(sum(as.data.frame(z)$lr == 0.1), 6L)
  expect_identical(spent(z), 60L)
})

test_that("one that works after that is an arm like any other", {
  mended <- function(arm) rnorm(1, -log10(arm$lr / 0.1)^2, 0.3)
  x <- quietly(bayesgap(retry_arms(failed_run(20)), mended, budget = 60))
  expect_identical(best_arm(x)$lr, 0.1)
  expect_identical(posterior(x)$status, rep("active", 8))
})

test_that("some of several arms can be brought back, and others later", {
  x <- bayesgap(letters[1:4], budget = 60, seed = 1)
  fail <- function(x, arm) tell(x, data.frame(arm = arm, y = NA, pull = NA, failed = TRUE))
  work <- function(x, arm) tell(x, data.frame(arm = arm, y = 1, pull = NA))
  x <- quietly({
    for (arm in c("b", "c")) {
      for (i in 1:3) x <- fail(work(x, "a"), arm)
    }
    x
  })
  expect_identical(failed_arms(x), 2:3)
  y <- retry_arms(x, "c")
  expect_identical(failed_arms(y), 2L)
  expect_identical(y$retried, list(arm = 3L, row = 12L))
  z <- retry_arms(quietly(fail(work(y, "a"), "c")))
  expect_identical(failed_arms(z), integer())
  expect_identical(z$retried, list(arm = 3:2, row = c(12L, 14L)))
  expect_identical(z$failures$own, c(0L, 0L, 1L, 0L))
  # Once more: its row is that of now.
  z <- quietly(fail(fail(work(z, "a"), "c"), "c"))
  expect_identical(retry_arms(z)$retried, list(arm = 2:3, row = c(14L, 17L)))
})

test_that("an arm that is not set aside is an error that says what it is, and none is no change", {
  x <- failed_run()
  expect_error(retry_arms(x, 3), "Arm \"3\" .* is not set aside .* \"active\". .*: \"0.1\"",
               class = "bayesgap_error_arm")
  expect_error(retry_arms(x, c(0.1, 3)), "Arm \"3\"", class = "bayesgap_error_arm")
  expect_error(retry_arms(x, "none"), class = "bayesgap_error_arm")
  expect_error(retry_arms(x, NA), class = "bayesgap_error_arm")
  expect_error(retry_arms(3), class = "bayesgap_error_run")
  expect_error(retry_arms(), class = "bayesgap_error_run")
  good <- finished()
  said <- messages_of(class = "bayesgap_message_failed", same <- retry_arms(good))
  expect_match(said, "No arm is set aside")
  expect_identical(same, good)
  expect_error(retry_arms(good, "home"), "No arm is", class = "bayesgap_error_arm")
})

test_that("failures of a run in which nothing worked are forgotten", {
  x <- bayesgap(2, budget = 20, seed = 1)
  x <- tell(x, data.frame(arm = rep(1:2, 3), y = NA, pull = NA, failed = TRUE))
  expect_identical(x$failures$own, c(3L, 3L))
  expect_identical(retry_arms(x)$failures$own, c(0L, 0L))
  expect_identical(retry_arms(x, 2)$failures$own, c(3L, 0L))
})

test_that("a run that stopped because all other arms are known goes on", {
  x <- quietly(bayesgap(2, function(arm) if (arm == 2) stop("no") else arm, 10, noise_sd = 0,
                        seed = 1))
  expect_identical(x$stopped, "every arm in the race is known")
  y <- bayesgap(retry_arms(x), function(arm) arm, budget = 10)
  expect_identical(y$stopped, "every arm is known")
  expect_identical(best_arm(y), 2L)
})

test_that("a run with retried arms is saved, read and resumed to the last bit, at every t", {
  file <- fresh_file()
  on.exit(unlink(file))
  x <- retry_arms(failed_run(14))
  save_run(x, file)
  expect_identical(read_run(file), x)
  whole <- quietly(bayesgap(x, train, budget = 26))
  expect_gt(sum(whole$log$arm == 5L), 3L)
  for (t in 0:12) {
    made <- 0
    unlink(file)
    callCC(function(out) quietly(bayesgap(x, function(arm) {
      made <<- made + 1
      if (made > t) out(NULL) else train(arm)
    }, budget = 26, checkpoint = file)))
    y <- quietly(bayesgap(x, train, budget = 26, checkpoint = file))
    expect_identical(y, whole)
    expect_identical(read_run(file), whole)
  }
})
