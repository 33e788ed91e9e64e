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

test_that("no change of a byte behind a right checksum ends R or passes for another error", {
  file <- tempfile()
  dial <- data.frame(arm = c("a", "b", "c"), u = c(1, 2, 4), v = factor(c("x", "y", "x")))
  x <- bayesgap(dial, budget = 6, kernel = k_factor(~ v) + k_se(~ u), seed = 1, init = 2)
  told <- data.frame(ask(x, 2), y = c(0.1, NA), failed = c(FALSE, TRUE), at = as.Date("2026-01-01"))
  x <- tell(x, told)
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
