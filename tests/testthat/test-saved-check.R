# A file is data: whatever it holds, it ends nothing, and is not taken for a run that it is not.

test_that("settings that contradict each other are refused", {
  file <- tempfile()
  dial <- data.frame(
    arm = c("a", "b", "c"), u = c(1, 2, 4), v = factor(c("x", "y", "x")),
    when = as.Date("2026-01-01")
  )
  kernel <- k_by(~ v, k_se(~ u)) + 0.1 * k_white() + function(a, b) outer(a$u, b$u, "==") + 0
  models <- list(
    number = list(3), name = list(c("a", "b", "c")), row = list(dial),
    cov = list(3, cov = diag(3) + 0.5), features = list(3, features = cbind(1:3, 1)),
    history = list(3, history = matrix(c(1, 2, 4, 2, 2, 1, 0, 1, 5), 3)),
    kernel = list(dial, kernel = kernel)
  )
  runs <- lapply(models, function(model) {
    x <- tell_some(do.call(bayesgap, c(model, budget = 6, seed = 1, init = 2)), 3)
    forge_run(x, file)
    back <- read_run(file)
    if (!is.null(x$model$kernel)) back$model$kernel$kernel <- x$model$kernel$kernel
    expect_identical(back, x)
    x
  })
  changes <- list(
    number = expression(
      s$arms <- 0L, s$arms <- c(1L, 3L, 2L), s$arms <- NULL, s$arms <- 3,
      s$arms <- structure(1:3, class = "evil"), s$arms <- integer(), s$extra <- 1,
      s$seed <- NULL, s <- unname(s), s <- 1, s <- rev(s), s$budget <- 0L,
      s$budget <- NA_integer_, s$budget <- 2L, s$budget <- "6", s$maximise <- NA,
      s$maximise <- 1, s$replace <- "no", s$replace <- FALSE, s$stop_regret <- -1,
      s$stop_regret <- "x", s$init <- 99L, s$init <- c(1, 2), s$init <- NA_integer_,
      s$init <- rep(1L, 7), s$seed <- 0.5, s$seed <- NA_integer_,
      s$seed <- structure(1L, class = "evil"), s$prior_mean <- c(1, 2), s$prior_mean <- Inf,
      s$prior_mean <- "1", s$noise_sd <- -1, s$prior_sd <- 1e200, s$policy <- list("bayesgap"),
      s$policy$name <- "nosuch", s$policy$name <- 1, s$policy$given <- list(beta = -1),
      s$policy$given <- list(variant = "odd"), s$policy$given <- list(1),
      s$policy$given <- list(nosuch = 1), s$policy$given <- NULL,
      s$policy$own <- list(label = "a", choose = sum),
      s$policy["own"] <- list(list(label = 1, choose = "a", recommend = NULL)),
      s$policy$name <- "gse"
    ),
    name = expression(
      s$arms <- c("a", "a", "b"), s$arms <- c("a", NA, "b"), s$arms <- c("a", "b"),
      s$arms <- "\xff\xfe"
    ),
    row = expression(
      s$arms$u <- list(1, 2, 3), s$arms$arm <- 1:3, s$arms$y <- 1, s$arms <- unclass(s$arms),
      class(s$arms) <- c("evil", "data.frame"), attr(s$arms, "more") <- 1,
      s$arms <- s$arms[0, ],
      s$arms <- structure(
        list(arm = c("a", "b", "c"), u = 1), class = "data.frame", row.names = 1:3
      ),
      s$arms$v <- structure(c(1L, 2L, 9L), levels = c("x", "y"), class = "factor"),
      s$arms$v <- structure(1:3 + 0, levels = c("x", "y"), class = "factor")
    ),
    cov = expression(
      s$cov <- diag(2), s$cov <- diag(3)[, 1], s$cov[1, 2] <- 9, s$cov[2, 3] <- NA,
      s$cov <- 1:3, s$cov[1:3, 1:3] <- matrix(c(1, 2, 2), 3, 3), s$cov <- "x",
      s$features <- diag(3), s$history <- list(), s$cov <- matrix(1L, 3, 3),
      class(s$cov) <- "evil"
    ),
    features = expression(
      s$features <- diag(2), s$features[1] <- Inf, s$features <- s$features[, 0],
      s$features <- 1
    ),
    history = expression(
      s$cov <- NULL, s$history$intensity <- 2, s$history$sets <- "arms",
      s$history$occasions <- 0L, s$history$code <- 1, s$history$raised <- NA,
      s$history$missing <- NULL
    ),
    kernel = expression(
      s$cov <- diag(3), s$kernel$text <- 1, s$kernel$tree <- NULL, s$kernel$tree$op[1] <- 99L,
      s$kernel$tree$op[1] <- -1L, s$kernel$tree$op[3] <- 0L,
      s$kernel$tree$op <- rev(s$kernel$tree$op), s$kernel$tree$op <- s$kernel$tree$op[-1],
      s$kernel$tree$op <- integer(), s$kernel$tree$op <- rep(1L, 70),
      s$kernel$tree$op <- s$kernel$tree$op + 0, s$kernel$tree$column[2] <- 7L,
      s$kernel$tree$columns[2] <- 9L, s$kernel$tree$columns[1] <- NA,
      s$kernel$tree$param[2] <- 50L, s$kernel$tree$x <- s$kernel$tree$x[1:2, ],
      s$kernel$tree$x[1] <- NaN, s$kernel$tree$x <- s$kernel$tree$x[, 1, drop = FALSE],
      s$kernel$tree$value <- 1, s$kernel$tree$value[1] <- -1, s$kernel$tree$matrices <- list(),
      s$kernel$tree$matrices[[1]] <- diag(2),
      s$kernel$tree$matrices[[1]] <- matrix(c(1, 2, 2), 3, 3), s$kernel$params$start[1] <- 0.5,
      s$kernel$params$free <- NULL, s$kernel$params$type[1] <- "odd",
      s$kernel$params$spread[2] <- 0, s$kernel$params$unit <- 1,
      s$kernel$params$centre[1] <- NA, s$arms$arm <- NULL, s$kernel <- 1, s$kernel <- list()
    )
  )
  for (name in names(changes)) {
    for (change in changes[[name]]) {
      forge_run(runs[[name]], file, given = function(s) {
        eval(change)
        s
      })
      expect_refused(file, "holds no run that this package could have written",
        label = paste(name, deparse1(change)))
    }
  }
})

test_that("facts that contradict each other are refused, by read_run() and by the same call", {
  file <- tempfile()
  x <- three()
  x <- tell(x, data.frame(ask(x), y = 0.3, note = "a"))
  x <- tell(x, data.frame(pull = 2, y = NA, arm = 1))
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
    tell(x, data.frame(ask(x, 2, block = labels[3]), y = c(1, NA)))
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
    f$log$block[f$log$block == 3L] <- 2L, f$epoch$open$block[1] <- 3L
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

test_that("no change of a byte behind a right checksum ends R or passes for another error", {
  file <- tempfile()
  dial <- data.frame(arm = c("a", "b", "c"), u = c(1, 2, 4), v = factor(c("x", "y", "x")))
  x <- bayesgap(dial, budget = 6, kernel = k_factor(~ v) + k_se(~ u), seed = 1, init = 2)
  x <- tell(x, data.frame(ask(x, 2), y = c(0.1, NA), at = as.Date("2026-01-01")))
  parts <- list(to_bytes(settings_of(x)), to_bytes(facts_of(x)))
  forge(file, parts[[1]], parts[[2]])
  outcomes <- character()
  set.seed(1)
  for (i in 1:600) {
    changed <- parts
    at <- sample(2L, 1L)
    place <- sample(length(parts[[at]]), 1L)
    changed[[at]][place] <- as.raw(sample(c(0:20, 99L, 127:129, 253:255), 1L))
    forge(file, changed[[1]], changed[[2]])
    outcome <- tryCatch(class(suppressWarnings(read_run(file)))[1], error = function(e) class(e)[1])
    outcomes <- c(outcomes, outcome)
  }
  expect_setequal(outcomes, c("bayesgap", "bayesgap_error_checkpoint"))
})
