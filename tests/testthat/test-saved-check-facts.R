test_that("facts that contradict each other are refused, by read_run() and by the same call", {
  file <- tempfile()
  x <- three()
  x <- tell(x, data.frame(ask(x), y = 0.3, note = "a"))
  x <- tell(x, data.frame(pull = 2, y = NA, arm = 1, failed = TRUE))
  x <- tell(x, data.frame(ask(x, 2)[2, ], y = 1)) # the pull before it is still out
  x <- bayesgap(x, budget = 7)
  x <- tell_some(x, 1)
  x$underway <- list(pull = c(3L, 6L), arm = 1:2, block = c(NA, NA) + 0L, results = list(
    `6` = list(
      reward = 1, se = NA_real_, size = 1, cost = NA_real_, remark = list(extra = list(a = 1)),
      warnings = "hot"
    )
  ))
  expect_identical(x$epoch$open$pull, 3L)
  call <- function(file) {
    pull <- function(arm) stop("pulled")
    bayesgap(3, pull, budget = 7, cov = diag(3) + 0.5, seed = 1, checkpoint = file)
  }
  forge_run(x, file)
  expect_identical(as.data.frame(read_run(file))$pull, c(1L, 2L, 4L, 5L, 6L))
  changes <- expression(
    f$extra <- 1, f <- unname(f), f <- NULL, f <- list(), f$log <- NULL, f$log <- unname(f$log),
    f$log$arm <- f$log$arm[-1], f$log <- lapply(f$log, head, 3), f$log <- lapply(f$log, rep, 2),
    f$log$arm[1] <- 99L, f$log$arm[1] <- 0L, f$log$arm[2] <- NA, f$log$arm <- f$log$arm + 0,
    f$log$pull[1] <- 99L, f$log$pull[1] <- 0L, f$log$pull[1] <- 2L,
    f$log$cost[1] <- 2, f$log$cost[1] <- NA, f$log$cost <- NULL, f$log$cost <- f$log$cost[-1],
    f$underway$results[[1]]$cost <- 0, f$underway$results[[1]]$cost <- NULL,
    f$log$pull <- as.character(f$log$pull), f$log$reward[1] <- Inf, f$log$reward[1] <- NaN,
    f$log$reward[1] <- 1e200, f$log$reward <- 1:4, f$log$se[1] <- -1, f$log$se[1] <- 1e-200,
    f$log$se[1] <- NaN, f$log$se <- NULL, names(f$log$arm) <- letters[1:4],
    class(f$log$pull) <- "evil", f$tells <- c(1L, 1L), f$tells <- integer(),
    f$tells <- c(-1L, 2L), f$tells <- NA_integer_, f$tells <- 1, f$tells <- NULL,
    f$tells <- c(0L, 1L), f$tells <- .Machine$integer.max, f$epoch <- NULL, f$epoch$rows <- 99L,
    f$epoch$rows <- -1L, f$epoch$rows <- 2L, f$epoch$rows <- NULL, f$epoch$batches <- -1L,
    f$epoch$batches <- "1", f$epoch$open <- NULL, f$epoch$open$pull <- 1L,
    f$epoch$open$pull <- 99L, f$epoch$open$arm <- 99L, f$epoch$open$arm <- 1:2,
    f$epoch$open$pull <- NA_integer_, f$epoch$open$pull <- 6L, f$epoch$open$arm <- integer(),
    f$remarks <- 1, f$remarks <- unname(f$remarks), names(f$remarks)[1] <- "99",
    names(f$remarks)[1] <- "0", names(f$remarks)[1] <- "one", names(f$remarks) <- rep("1", 2),
    names(f$remarks)[1] <- "01", f$remarks[[1]] <- 1, f$remarks[[1]]$error <- 1,
    f$remarks[[1]]$error <- c("a", "b"), f$remarks[[1]]$error <- NA_character_,
    f$remarks[[1]]$extra <- 1, f$remarks[[1]]$extra <- list(1), f$remarks[[1]]$odd <- 1,
    class(f$remarks[[1]]) <- "evil", class(f$remarks) <- "evil", f$underway <- 1,
    f$underway$pull <- 6L, f$underway$arm <- c(1L, 99L), f$underway$pull <- c(3L, 99L),
    f$underway$pull <- c(6L, 3L), f$underway$pull <- c(6L, 6L), f$underway$pull <- c(1L, 6L),
    f$underway$pull <- c(3L, NA), f$underway <- lapply(f$underway, head, 0),
    f$underway$results <- NULL, f$underway$results <- list(1), names(f$underway$results) <- "4",
    f$underway$results[[1]]$reward <- "1", f$underway$results[[1]]$reward <- Inf,
    f$underway$results[[1]]$reward <- c(1, 2), f$underway$results[[1]]$se <- -1,
    f$underway$results[[1]]$se <- NULL, f$underway$results[[1]] <- 1,
    f$underway$results[[1]]$remark <- 1, f$underway$results[[1]]$remark <- list(error = 1),
    f$underway$results[[1]]$warnings <- 1, f$underway$results[[1]]$warnings <- list("a"),
    f$underway$results <- rep(f$underway$results, 2), class(f$underway$results[[1]]) <- "evil",
    f$next_arm <- 99L, f$next_arm <- 1, f$next_arm <- "a", f$best <- 0L, f$best <- NA_integer_,
    f$best <- NULL
  )
  for (change in changes) {
    forge_run(x, file, facts = function(f) {
      eval(change)
      f
    })
    expect_refused(file, "holds no run that this package could have written", list(read_run, call),
      label = deparse1(change))
  }
  # Settings that no call could have made do not become those of this one.
  for (change in expression(s$seed <- NULL, s$seed <- "1", s$budget <- 0L, s$budget <- "7", s <- 1,
                            s$budget <- structure(7L, class = "evil"))) {
    forge_run(x, file, given = function(s) {
      eval(change)
      s
    })
    expect_refused(file, "holds no run", list(call), label = deparse1(change))
  }
})

test_that("blocks that no run could have had are refused", {
  file <- tempfile()
  arms <- c("std", "a", "b", "c")
  fixed <- bayesgap(arms, budget = 12, blocks = c("mon", "tue"), control = "std", seed = 1)
  plates <- bayesgap(arms, budget = 12, control = "std", block_sd = 1, seed = 1)
  plain <- bayesgap(arms, budget = 12, seed = 1)
  # Two plates, the second with pulls that are out; then another budget, and a third.
  work <- function(x, labels) {
    x <- tell(x, data.frame(ask(x, 3, block = labels[1]), y = 1:3))
    x <- tell(x, data.frame(ask(x, 3, block = labels[2])[3, ], y = 1))
    x <- bayesgap(x, budget = 14)
    tell(x, data.frame(ask(x, 2, block = labels[3]), y = c(1, NA), failed = c(NA, TRUE)))
  }
  runs <- list(
    fixed = work(fixed, c("mon", "tue", "mon")), plates = work(plates, c("p1", "p2", "p3")),
    free = work(plain, c("p1", "p2", "p3")), plain = tell_some(plain, 2)
  )
  runs$fixed$underway <- c(ask_rows(unclass(runs$fixed), 2L), list(results = list()))
  for (x in runs) {
    forge_run(x, file)
    expect_identical(read_run(file), by_hand(x))
  }
  settings <- list(
    fixed = expression(
      s$blocks <- rev(s$blocks), s$blocks <- s$blocks[1], s$blocks <- c("mon", "mon"),
      s$blocks <- c("mon", NA), s$blocks <- c("mon", ""), s$blocks <- character(),
      s$blocks <- 2L, s$blocks <- factor(s$blocks), s$blocks <- NULL,
      s$blocks <- c("mon", "\xff"), s$control <- 9L, s$control <- 0L, s$control <- 1,
      s$control <- c(1L, 2L), s$control <- NA_integer_, s$control <- "std",
      s$control <- structure(1L, class = "evil"), s$block_sd <- -1, s$block_sd <- 1e-200,
      s$block_sd <- 1L, s$block_sd <- c(1, 1), s$block_sd <- NaN, s$block_sd <- "1", s$noise_sd <- 0
    ),
    plates = expression(s$blocks <- "p1", s$block_sd <- Inf, s$policy$name <- "ugap"),
    free = expression(s$blocks <- c("p1", "p2"), s$noise_sd <- 0),
    plain = expression(s$control <- 1L, s$blocks <- c("p1", "p2"))
  )
  both <- expression(
    f$blocks <- NULL, f$blocks <- 1:3, f$blocks <- c(f$blocks, "more"), f$blocks <- f$blocks[-1],
    f$blocks[2] <- f$blocks[1], f$blocks[1] <- NA, f$blocks[1] <- "", f$blocks <- character(),
    f$blocks <- factor(f$blocks), f$log$block[1] <- 0L, f$log$block[1] <- -1L,
    f$log$block[1] <- 99L, f$log$block[1] <- NA, f$log$block <- f$log$block + 0,
    f$log$block <- f$log$block[-1], f$log$block <- NULL, f$log$block[] <- NA_integer_,
    f$log$block <- as.character(f$log$block), f$log$block <- factor(f$log$block),
    f$epoch$open$block[1] <- 0L,
    f$epoch$open$block[1] <- 99L, f$epoch$open$block <- f$epoch$open$block[-1],
    f$epoch$open$block <- f$epoch$open$block + 0, f$epoch$open$block <- NULL
  )
  came <- expression( # in another order, or not at all
    f$log$block <- rev(f$log$block), f$log$block[] <- 1L, f$log$block[1] <- 3L,
    f$log$block[f$log$block == 3L] <- 2L, f$log$block[f$log$block == 1L] <- 3L
  )
  facts <- list(
    fixed = c(both, expression(
      f$blocks <- rev(f$blocks), f$underway$block[1] <- NA, f$underway$block[1] <- 3L,
      f$underway$block <- f$underway$block[-1], f$underway$block <- NULL
    )),
    plates = c(both, came), free = c(both, came),
    plain = expression(f$blocks <- "p1", f$log$block[1] <- 1L, f$log$block[] <- 1L)
  )
  refused <- function(x, change, ...) {
    forge_run(x, file, ...)
    expect_refused(file, "holds no run that this package could have written", label = deparse1(change))
  }
  for (name in names(runs)) {
    for (change in settings[[name]]) {
      refused(runs[[name]], change, given = function(s) {
        eval(change)
        s
      })
    }
    for (change in facts[[name]]) {
      refused(runs[[name]], change, facts = function(f) {
        eval(change)
        f
      })
    }
  }
})

test_that("changes that no run could have had are refused", {
  file <- tempfile()
  x <- three()
  x <- tell(x, data.frame(ask(x, 3)[2:3, ], y = c(0.1, 0.2)))
  x <- drop_arms(amend(cancel(x, 1), 2, NA), 3)
  x <- record_pulls(x, list(pull = 4:5, arm = 1:2, block = c(NA, NA) + 0L))
  forge_run(x, file)
  expect_identical(read_run(file), x)
  changes <- expression(
    f$changes <- NULL, f$changes <- list(), f$changes <- unname(f$changes), f$changes <- 1,
    f$changes$extra <- 1, f$changes$when <- NULL, f$changes$when[1] <- NA,
    f$changes$when[1] <- Inf, f$changes$when <- as.character(f$changes$when),
    class(f$changes$when) <- "POSIXct", f$changes$what[1] <- "eaten", f$changes$what[1] <- NA,
    f$changes$what <- f$changes$what[-1], f$changes$row[2] <- 0L, f$changes$row[2] <- 3L,
    f$changes$row <- as.double(f$changes$row), f$changes$pull[1] <- 0L, f$changes$pull[1] <- NA,
    f$changes$pull[1] <- 2L, f$changes$pull[1] <- 4L, f$changes$pull[1] <- 99L,
    f$changes$arm[1] <- NA, f$changes$arm[1] <- 4L, f$changes$arm[1] <- 0L,
    f$changes$reward[2] <- Inf, f$changes$reward[2] <- NaN, f$changes$se[2] <- -1,
    f$changes$size[2] <- 0, f$changes$size[2] <- NaN, f$changes$size[2] <- Inf,
    f$changes$error <- rep(1, 3), f$changes$what[2] <- "cancelled",
    f$changes$what[1] <- "amended", f$changes <- lapply(f$changes, `[`, -1),
    f$changes <- lapply(f$changes, rep, 2), f$asked <- NULL, f$asked <- 1L, f$asked <- c(4, 5),
    f$asked <- c(4L, 4L), f$asked <- NA_integer_, f$asked <- 6L, f$epoch$last <- 6L,
    f$epoch$last <- 4L, f$epoch$last <- .Machine$integer.max, f$epoch$last <- NULL,
    f$epoch$open$pull <- 6:7, f$epoch$open$pull <- 5:6, f$log$pull[1] <- NA,
    f$log$pull[1] <- 1L, f$dropped <- 4L, f$dropped <- c(3L, 3L)
  )
  if (l10n_info()[["UTF-8"]]) { # elsewhere any byte is text
    changes <- c(changes, expression(f$changes$block[1] <- "\xff"))
  }
  for (change in changes) {
    forge_run(x, file, facts = function(f) {
      eval(change)
      f
    })
    expect_refused(file, label = deparse1(change))
  }
})
