pages <- c(a = 0.05, b = 0.3, c = 0.1)
convert <- function(n = 40) {
  function(arm) c(successes = rbinom(1, n, pages[[arm]]), trials = n)
}
sell <- function(objective = convert(), ..., budget = 12, seed = 3) {
  bayesgap(names(pages), objective, budget = budget, family = "binomial", seed = seed, ...)
}
calls <- c(a = 2, b = 6, c = 3)
ring <- function(arm) list(count = rpois(1, 4 * calls[[arm]]), exposure = 4)
told <- function(...) data.frame(arm = c("a", "b", "c"), ..., pull = NA)
said <- function(code) {
  found <- character()
  withCallingHandlers(code, bayesgap_message_family = function(m) {
    found <<- c(found, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  found
}

test_that("a run of conversions finds the page, keeps its numbers and stays within 0 and 1", {
  x <- sell(budget = 20)
  expect_identical(best_arm(x), "b")
  expect_true(all(x$log$size == 40))
  expect_identical(x$fit$size, 40)
  expect_identical(x$fit$df, Inf)
  table <- as.data.frame(x)
  expect_named(table, c("pull", "arm", "y", "successes", "trials", "error"))
  expect_equal(table$y, table$successes / 40)
  expect_identical(format(x)[1], "<bayesgap> 3 arms, 20 of 20 pulls, maximise, binomial")
  expect_identical(fitted_model(x)["noise sd", "from"], "the rates")
  expect_match(format(x$model), "noise sd    from the rates", all = FALSE)
})

test_that("small rates: means, intervals and draws are cut where rates end", {
  x <- sell(NULL)
  x <- tell(x, told(successes = c(0, 1, 0), trials = c(3, 3, 3)))
  for (found in list(posterior(x), predict(x), predict(x, type = "reward"), predictive_check(x))) {
    expect_true(all(found$lower >= 0 & found$upper <= 1))
    expect_true(any(found$lower == 0))
  }
  expect_true(all(confint(x) >= 0 & confint(x) <= 1))
  expect_true(all(coef(x) >= 0))
  expect_true(all(fitted(x) >= 0))
  draws <- as.matrix(simulate(x, 200, seed = 1))
  expect_true(all(draws >= 0 & draws <= 1))
  expect_setequal(unlist(simulate(x, 200, seed = 1, type = "reward")), 0:1)
  expect_lte(max(certainty(x)$regret), 1)
})

test_that("counts: any rate from 0", {
  x <- bayesgap(names(calls), ring, budget = 15, family = "poisson", seed = 1)
  expect_identical(best_arm(x), "b")
  table <- as.data.frame(x)
  expect_identical(names(table)[3:5], c("y", "count", "exposure"))
  expect_equal(table$count, 4 * table$y)
  expect_identical(simulate(x, 50, seed = 1, type = "reward") %% 1 == 0, simulate(x, 50) > -1)
  expect_true(all(posterior(x)$lower >= 0))
  few <- bayesgap(2, budget = 4, family = "poisson", seed = 1)
  few <- tell(tell(few, 0), 2)
  expect_identical(as.data.frame(few)$exposure, c(1, 1))
  expect_true(all(posterior(few, 0.999)$lower == 0))
})

test_that("one trial is TRUE or FALSE, 1 or 0, and all forms are the same run", {
  hit <- function(arm) runif(1) < pages[[arm]]
  x <- sell(hit)
  forms <- list(
    function(arm) as.numeric(hit(arm)), function(arm) as.integer(hit(arm)),
    function(arm) list(successes = hit(arm) + 0, trials = 1), function(arm) list(y = hit(arm)),
    function(arm) c(trials = 1L, successes = as.integer(hit(arm)))
  )
  for (form in forms) {
    expect_identical(sell(form), x)
  }
  more <- sell(function(arm) list(successes = 2, trials = 9, day = "mon", y = 3))
  expect_identical(as.data.frame(more)$day, rep("mon", 12))
  expect_equal(as.data.frame(more)$y, rep(2 / 9, 12))
})

test_that("results are told in columns, and what as.data.frame() gave can be told again", {
  x <- sell(NULL)
  todo <- ask(x, 3)
  todo$successes <- c(1, 3, NA)
  todo$trials <- c(20, 22, 10)
  x <- tell(x, todo)
  expect_equal(x$log$reward, c(1 / 20, 3 / 22, NA))
  expect_identical(x$log$size, c(20, 22, 1))
  expect_identical(as.data.frame(x)$trials, c(20, 22, NA))
  x <- tell(x, data.frame(ask(x, 2), y = c(TRUE, FALSE), note = "one"))
  expect_identical(x$log$size, c(20, 22, 1, 1, 1))
  x <- tell(x, TRUE)
  x <- tell(x, c(successes = 3, trials = 50))
  x <- tell(x, list(successes = 4, trials = 50))
  expect_identical(tail(as.data.frame(x)$successes, 3), c(1, 3, 4))
  again <- tell(sell(NULL), as.data.frame(x))
  expect_identical(again$log, x$log)
  file <- tempfile()
  write.csv(as.data.frame(x), file, row.names = FALSE)
  expect_equal(tell(sell(NULL), read.csv(file))$log, x$log)
  expect_identical(tell(x, data.frame(arm = character(), y = double())), x)
  # An arm's own columns, and a column that only a family calls its own
  g <- bayesgap(2, budget = 3, prior_mean = 0, prior_sd = 1, noise_sd = 1, seed = 1)
  g <- tell(g, data.frame(arm = 1, y = 0.3, trials = 7))
  expect_identical(as.data.frame(g)$trials, 7)
})

test_that("the order of results, and how trials are put together, makes no difference", {
  one <- tell(sell(NULL), told(successes = c(4, 9, 2), trials = c(50, 60, 40)))
  parts <- data.frame(
    arm = c("c", "a", "b", "b", "a"), successes = c(2, 1, 5, 4, 3),
    trials = c(40, 20, 20, 40, 30), pull = NA
  )
  two <- tell(sell(NULL), parts)
  # But for what is learned, which is rounded.
  same <- c("mean", "scale", "noise2")
  expect_equal(two$fit[same], one$fit[same], tolerance = 1e-3)
  expect_equal(two$belief$mean, one$belief$mean, tolerance = 1e-3)
  expect_equal(posterior(two)[1:5], posterior(one)[1:5], tolerance = 1e-3)
})

test_that("to minimise is to maximise the mirrored rates", {
  x <- sell(NULL, maximise = FALSE)
  x <- tell(x, told(successes = c(4, 30, 8), trials = c(100, 100, 100)))
  y <- tell(sell(NULL), told(successes = c(96, 70, 92), trials = c(100, 100, 100)))
  expect_identical(best_arm(x), "a")
  expect_equal(posterior(x)$mean, 1 - posterior(y)$mean)
  expect_equal(x$fit$noise2, y$fit$noise2)
  expect_true(all(posterior(x)$lower >= 0))
  expect_identical(as.data.frame(x)$successes, c(4, 30, 8))
  z <- bayesgap(names(calls), ring, budget = 15, family = "poisson", maximise = FALSE, seed = 1)
  expect_identical(best_arm(z), "a")
  expect_true(all(posterior(z)$lower >= 0))
})

test_that("stopped and resumed, in batches, extended and from a file, it is the same run", {
  for (batch in c(1, 3)) {
    whole <- sell(batch = batch)
    file <- fresh_file()
    callCC(function(out) {
      sell(until(6, function() out(NULL), convert()), batch = batch, checkpoint = file)
    })
    expect_identical(quietly(sell(batch = batch, checkpoint = file)), whole)
    expect_identical(read_run(file), whole)
    longer <- bayesgap(whole, convert(), budget = 15)
    expect_identical(longer$log$size, rep(40, 15))
    expect_identical(quietly(sell(batch = batch, budget = 15, checkpoint = file))$log$pull, 1:15)
  }
  x <- tell(sell(NULL), told(successes = c(0, 3, NA), trials = c(11, 12, 13)))
  save_run(x, file)
  expect_identical(read_run(file), x)
  e <- fault(bayesgap(names(pages), convert(), 12, seed = 3, checkpoint = file))
  expect_identical(e$differs, "family")
})

test_that("blocks, kernels, histories and controls go with a family", {
  day <- c(mon = -0.02, tue = 0, wed = 0.05)
  show <- function(arm, pull) {
    c(successes = rbinom(1, 400, pages[[arm]] + day[[pull$block]]), trials = 400)
  }
  x <- sell(show, blocks = names(day), control = "a", budget = 18)
  expect_identical(best_arm(x), "b")
  expect_true(diff(block_effects(x)$effect)[2] > 0)
  expect_equal(dim(posterior(x)), c(3, 11))
  dial <- data.frame(u = 1:8)
  x <- bayesgap(dial, function(arm) list(successes = rbinom(1, 30, arm$u / 10), trials = 30),
                budget = 20, kernel = k_se(~u), family = "binomial", seed = 1)
  expect_gte(best_arm(x)$u, 7)
  past <- cbind(a = c(0.04, 0.06, 0.05), b = c(0.3, 0.35, 0.28), c = c(0.1, 0.12, 0.09))
  x <- sell(history = past)
  expect_identical(fitted_model(x)$from, c("the history", "the history", "the rates"))
  expect_identical(x$model$history$sets, c("prior_mean", "prior_sd"))
})

test_that("what speaks against a family is refused, by class", {
  refused <- function(code, class, message) {
    e <- fault(code)
    expect_s3_class(e, paste0("bayesgap_error_", class))
    expect_match(conditionMessage(e), message)
  }
  refused(bayesgap(2, budget = 2, family = "binomal"), "family", "Did you mean \"binomial\"")
  refused(bayesgap(2, budget = 2, family = binomial), "family", "must be one of")
  refused(sell(NULL, noise_sd = 1), "family", "`noise_sd` must be left out")
  refused(update(sell(NULL), noise_sd = 1), "family", "`noise_sd` must be left out")
  refused(arm_model(2, family = "poisson", noise_sd = 1), "family", "must be left out")
  refused(sell(NULL, prior_mean = 1.5), "model", "between 0 and 1")
  refused(sell(NULL, history = matrix(c(3, 4, 5, 6, 7, 8), 2)), "history", "between 0 and 1")
  refused(bayesgap(arm_model(2), budget = 2, family = "poisson"), "model", "`family`")
  x <- sell(NULL)
  frame <- function(...) tell(x, told(...))
  refused(frame(successes = c(1, 2, 9), trials = c(5, 5, 5)), "tell", "Row 3.*at most `trials`")
  refused(frame(successes = c(1, 0, 0), trials = c(5, 0, 5)), "tell", "Row 2.*`trials` must be")
  refused(frame(successes = c(1, 0, 0), trials = c(5, 5, -5)), "tell", "Row 3.*`trials` must be")
  refused(frame(successes = c(1, 0, 0), trials = c(5, 5, NA)), "tell", "Row 3.*`trials` must be")
  refused(frame(successes = c(1.5, 0, 0), trials = 5), "tell", "Row 1.*whole number from 0")
  refused(frame(successes = -1, trials = 5), "tell", "whole number from 0")
  refused(frame(successes = NaN, trials = 5), "tell", "whole number from 0")
  refused(frame(successes = 1), "tell", "`trials` is not there")
  refused(frame(trials = 1), "tell", "`successes` is not there")
  refused(frame(successes = "1", trials = 5), "tell", "numbers; `successes` is")
  refused(frame(successes = 1, trials = 5, y = 0.9), "tell", "leave the column `y` out")
  refused(frame(successes = 1, trials = 5, y = "a"), "tell", "leave the column `y` out")
  refused(frame(successes = 1, trials = 5, se = 0.1), "family", "`se` must be left out")
  refused(frame(y = c(0, 1, 0.4)), "tell", "0 or 1, TRUE or FALSE.*row 3 is 0.4")
  refused(frame(y = c(0, 1, 2)), "tell", "row 3 is 2")
  refused(frame(y = c("0", "1", "0")), "tell", "0 or 1")
  refused(frame(count = 1), "tell", "or the columns `successes` and `trials`")
  refused(tell(x, 0.4), "tell", "0 or 1, TRUE or FALSE")
  refused(tell(x, NA), "tell", "0 or 1, TRUE or FALSE")
  refused(tell(x, c(successes = 2, trials = 1)), "tell", "at most `trials`; they are 2 and 1")
  refused(tell(x, list(successes = 2)), "tell", "must be numbers")
  refused(tell(x, list(successes = 2, trials = 3, se = 1)), "family", "`se`")
  p <- bayesgap(3, budget = 3, family = "poisson", seed = 1)
  refused(tell(p, -1), "tell", "a count, a whole number from 0")
  refused(tell(p, TRUE), "tell", "a count, a whole number from 0")
  refused(tell(p, c(count = 3, exposure = 0)), "tell", "`exposure` must be a number above 0")
  refused(tell(p, c(count = -3, exposure = 1)), "tell", "`count` must be a whole number from 0")
})

test_that("an objective's wrong results are failed pulls that say why", {
  says <- function(value, family = "binomial") {
    e <- fault(bayesgap(2, function(arm) value, budget = 1, family = family, seed = 1))
    as.data.frame(e$run)$error
  }
  expect_match(says(c(successes = 5, trials = 4)), "at most `trials`; they are 5 and 4")
  expect_match(says(0.5), "0 or 1, TRUE or FALSE; several trials .* not 0.5")
  expect_match(says("a"), "not \"a\"")
  expect_match(says(NULL), "not NULL")
  expect_match(says(NA), "not NA")
  expect_match(says(list(successes = 1)), "must be numbers, not 1 and NULL")
  expect_match(says(list(y = 1, se = 1)), "no use for")
  expect_match(says(-1, "poisson"), "a whole number from 0")
  expect_match(says(TRUE, "gaussian"), "say `family = \"binomial\"`")
  expect_match(says(list(successes = 1, trials = 2), "gaussian"), "say `family = \"binomial\"`")
  expect_match(says(c(count = 1, exposure = 2), "gaussian"), "say `family = \"poisson\"`")
})

test_that("rewards of 0 and 1 without a family are remarked upon once", {
  x <- bayesgap(3, budget = 20, seed = 1)
  five <- function(x, n = 5) {
    said(for (i in seq_len(n)) x <- tell(x, i %% 2))
  }
  expect_length(five(x, 4), 0L)
  expect_match(five(x), "All 5 rewards so far are 0 or 1.*family = \"binomial\"")
  expect_length(five(x, 12), 1L)
  expect_length(said(tell(x, data.frame(arm = c(1:3, 1:3), y = 0:1, pull = NA))), 1L)
  expect_length(said(tell(x, data.frame(arm = 1:3, y = c(0, 1, 0.5), pull = NA))), 0L)
  coin <- function(arm) round(runif(1))
  expect_length(said(bayesgap(3, coin, budget = 12, seed = 1)), 1L)
  expect_length(said(bayesgap(3, coin, budget = 12, batch = 3, seed = 1)), 1L)
  expect_length(said(bayesgap(3, coin, budget = 12, maximise = FALSE, seed = 1)), 1L)
  expect_length(said(bayesgap(3, coin, budget = 12, family = "gaussian", seed = 1)), 0L)
  expect_length(said(bayesgap(3, coin, budget = 12, family = "binomial", seed = 1)), 0L)
  expect_length(said(bayesgap(3, coin, budget = 12, noise_sd = 0.5, seed = 1)), 0L)
  file <- fresh_file()
  x <- quietly(bayesgap(3, coin, budget = 12, seed = 1, checkpoint = file))
  expect_length(said(read_run(file)), 0L)
})

test_that("a default, a NULL and the word for it are one", {
  x <- bayesgap(3, noisy, budget = 6, seed = 1)
  expect_identical(bayesgap(3, noisy, budget = 6, seed = 1, family = NULL), x)
  expect_null(arm_model(3)$family)
  y <- bayesgap(3, noisy, budget = 6, seed = 1, family = "gaussian")
  expect_identical(y$belief, x$belief)
  expect_identical(as.data.frame(y), as.data.frame(x))
})

test_that("files whose sizes are not in order are refused", {
  file <- tempfile()
  x <- tell(sell(NULL), told(successes = c(0, 3, NA), trials = c(11, 12, 13)))
  x$underway <- list(pull = 1L, arm = 1L, block = NA_integer_, results = list(
    `1` = list(reward = 0.5, se = NA_real_, size = 2, remark = NULL, warnings = character())
  ))
  forge_run(x, file)
  expect_identical(read_run(file)$log$size, c(11, 12, 1, 2))
  for (change in expression(
    f$log$size[1] <- 0, f$log$size[1] <- -1, f$log$size[1] <- NA, f$log$size[1] <- Inf,
    f$log$size[2] <- 11, f$log$size[1] <- 11.5, f$log$size[3] <- 2, f$log$size <- 1:3,
    f$log$size <- NULL, f$log$size <- c(11, 12), f$log$reward[1] <- 0.3, f$log$reward[1] <- -1,
    f$log$reward[1] <- 2, f$log$se[1] <- 0.1, f$underway$results[[1]]$size <- 3,
    f$underway$results[[1]]$size <- NULL, f$underway$results[[1]]$size <- "2"
  )) {
    forge_run(x, file, facts = function(f) {
      eval(change)
      f
    })
    expect_refused(file, label = deparse1(change))
  }
  for (family in list("gaussian", NULL, "odd", 1, c("binomial", "poisson"))) {
    forge_run(x, file, given = function(g) {
      g["family"] <- list(family)
      g
    })
    expect_refused(file, label = deparse1(family))
  }
  g <- three()
  g <- tell_some(g, 2)
  forge_run(g, file, facts = function(f) {
    f$log$size[1] <- 2
    f
  })
  expect_refused(file)
})

test_that("rates that are the same tell how much others may differ", {
  upper <- function(successes) {
    x <- bayesgap(3, budget = 9, family = "binomial", seed = 1)
    x <- tell(x, data.frame(arm = 1:2, successes = successes, trials = 100, pull = NA))
    posterior(x)$upper
  }
  same <- upper(c(5, 5))
  other <- upper(c(5, 6))
  expect_gt(same[3], same[1]) # an arm never pulled is known less
  expect_lt(abs(same[3] / other[3] - 1), 0.3) # by one success there is no jump
  expect_gt(upper(c(0, 0))[3], upper(c(0, 0))[1])
})

test_that("rewards of -1 and 1 are no successes, and an empty table is welcome", {
  expect_no_message(bayesgap(3, function(arm) -1 + 2 * (runif(1) < 0.5), budget = 8, seed = 1),
    class = "bayesgap_message_family")
  x <- bayesgap(3, budget = 4, family = "binomial", seed = 1)
  file <- tempfile()
  write.csv(as.data.frame(x), file, row.names = FALSE)
  expect_identical(tell(x, read.csv(file)), x)
})
