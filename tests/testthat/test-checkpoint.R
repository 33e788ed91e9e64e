# A file is data: whatever it holds, it runs nothing, ends nothing, and is not taken for a run that
# it is not.

quietly <- function(code) suppressMessages(code)
fault <- function(code) tryCatch(quietly(code), bayesgap_error = identity)

# A file with a right checksum around any bytes.
forge <- function(file, given, facts) {
  about <- sprintf("format %d, version 0.1.0, settings %.0f\n", format_number, length(given))
  body <- c(charToRaw(about), given, facts)
  writeBin(c(charToRaw(paste0(magic, checksum(body), "\n")), body), file)
}

# The run, with its settings or facts changed.
forge_run <- function(x, file, given = identity, facts = identity) {
  forge(file, to_bytes(given(settings_of(x))), to_bytes(facts(facts_of(x))))
}

expect_refused <- function(file, message = "", readers = list(read_run), label = NULL) {
  before <- tools::md5sum(file)
  for (reader in readers) {
    e <- tryCatch(quietly(reader(file)), error = identity)
    if (!inherits(e, "bayesgap_error_checkpoint")) {
      return(fail(paste(label, "was not refused, but gave", class(e)[1])))
    }
    expect_match(conditionMessage(e), message, label = label)
    expect_match(conditionMessage(e), "left as it is", label = label)
  }
  expect_identical(tools::md5sum(file), before)
}

three <- function(objective = NULL, ...) {
  bayesgap(3, objective, budget = 6, cov = diag(3) + 0.5, seed = 1, ...)
}
told <- function(x, n) {
  for (i in seq_len(n)) x <- tell(x, sin(i))
  x
}

# ---- What runs code ---------------------------------------------------------------------------

test_that("a file with anything but plain data is refused before R brings it back", {
  file <- tempfile()
  x <- told(three(), 2)
  ran <- FALSE
  active <- new.env()
  makeActiveBinding("a", function() ran <<- TRUE, active)
  promise <- new.env()
  delayedAssign("p", ran <<- TRUE, assign.env = promise)
  mine <- structure(1, class = "mine")
  values <- list(
    closure = function() 1, compiled = compiler::cmpfun(function() 1), builtin = sum,
    special = quote, symbol = quote(x), call = quote(f(x)), formula = y ~ x,
    expression = expression(1), environment = new.env(), active = active, promise = promise,
    global = globalenv(), base = baseenv(), empty = emptyenv(), namespace = asNamespace("stats"),
    package = as.environment("package:stats"), pairs = pairlist(a = 1), s4 = asS4(mine),
    class = methods::getClass("numeric"), pointer = methods::new("externalptr"),
    missing = quote(expr = ), attribute = structure(1, note = sum), model = lm(dist ~ speed, cars)
  )
  for (name in names(values)) {
    add <- function(facts) {
      facts$remarks <- list(`1` = list(extra = list(value = values[[name]])))
      facts
    }
    suppressWarnings(forge_run(x, file, facts = add))
    expect_refused(file, "it holds a function, an environment or another thing", label = name)
  }
  expect_false(ran)
  facts <- to_bytes(facts_of(x))
  forge(file, serialize(settings_of(x), NULL, version = 3L), facts)
  expect_refused(file, "does not begin as data does")
  forge(file, serialize(settings_of(x), NULL, ascii = TRUE, version = 2L), facts)
  expect_refused(file, "does not begin as data does")
})

test_that("what R believes of attributes and lengths is looked at first", {
  file <- tempfile()
  x <- told(three(), 2)
  facts <- to_bytes(facts_of(x))
  # R itself does not make these: the bytes of something whole are changed.
  swap <- function(bytes, from, to) {
    at <- grepRaw(from, bytes, fixed = TRUE)
    bytes[at - 1L + seq_along(to)] <- to
    bytes
  }
  matrix <- to_bytes(matrix(11:16, 2, dimnames = list(NULL, letters[1:3])))
  dims <- to_bytes(c(2L, 3L))
  dims <- dims[length(dims) - 7:0]
  expect_null(.Call(bg_plain, matrix, 9L))
  for (to in list(c(0, 0, 0, 200), c(255, 255, 255, 255), c(0, 0, 0, 1))) {
    bad <- swap(matrix, dims, as.raw(to))
    expect_match(.Call(bg_plain, bad, 9L), "attribute that does not fit")
    forge(file, bad, facts)
    expect_refused(file, "attribute that does not fit")
  }
})

test_that("a policy of the user's is never called from a file", {
  file <- tempfile()
  calls <- 0
  mine <- policy("mine", choose = function(state) {
    calls <<- calls + 1
    state$t %% 3 + 1
  }, recommend = function(state) 2)
  x <- three(function(arm) arm, policy = mine, checkpoint = file)
  calls <- 0
  expect_warning(y <- read_run(file), "\"mine\".*\"uniform\" answers in its place",
    class = "bayesgap_warning_policy")
  expect_identical(calls, 0)
  expect_identical(as.data.frame(y), as.data.frame(x))
  expect_identical(format(y$policy), "mine")
  # Given again, it is the run.
  expect_identical(read_run(file, policy = mine), x)
  expect_gt(calls, 0)
  other <- policy("mine", choose = function(state) 1, recommend = function(state) 2)
  for (policy in list(other, "uniform", policy("mine", choose = mine$own$choose))) {
    e <- fault(read_run(file, policy = policy))
    expect_s3_class(e, "bayesgap_error_checkpoint")
    expect_identical(e$differs, "policy")
  }
  expect_error(read_run(file, policy = "nosuch"), class = "bayesgap_error_policy")
  # Saved again without its functions, it is still known.
  again <- tempfile()
  save_run(y, again)
  expect_identical(read_run(again, policy = mine), x)
  expect_error(read_run(again, policy = other), class = "bayesgap_error_checkpoint")
  # It cannot go on without them, and says how to.
  for (go_on in list(
    function() tell(y, data.frame(arm = 1, y = 0, pull = NA)),
    function() bayesgap(y, function(arm) arm, budget = 6), function() bayesgap(y, budget = 9)
  )) {
    expect_error(go_on(), "read_run(file, policy = )", fixed = TRUE,
      class = "bayesgap_error_policy")
  }
  more <- bayesgap(read_run(file, policy = mine), function(arm) arm, budget = 9)
  expect_identical(more, bayesgap(x, function(arm) arm, budget = 9))
})

test_that("a batch under way is read without the policy that chose it", {
  file <- tempfile()
  mine <- policy("mine", choose = function(state) state$t %% 3 + 1)
  stops <- function(out) function(arm, pull) if (pull$index == 4) out(NULL) else arm
  run <- function(objective) three(objective, policy = mine, batch = 2, checkpoint = file)
  callCC(function(out) quietly(run(stops(out))))
  expect_warning(y <- read_run(file), class = "bayesgap_warning_policy")
  expect_identical(as.data.frame(y)$pull, 1:3)
  whole <- three(function(arm) arm, policy = mine, batch = 2)
  expect_identical(quietly(run(function(arm) arm)), whole)
})

# ---- What could not have been -----------------------------------------------------------------

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
    x <- told(do.call(bayesgap, c(model, budget = 6, seed = 1, init = 2)), 3)
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
  x <- told(x, 1)
  x$underway <- list(pull = c(3L, 6L), arm = 1:2, results = list(
    `6` = list(reward = 1, se = NA_real_, remark = list(extra = list(a = 1)), warnings = "hot")
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

test_that("a header that is none is refused", {
  file <- tempfile()
  x <- three()
  write <- function(about) {
    body <- c(charToRaw(about), to_bytes(settings_of(x)), to_bytes(facts_of(x)))
    writeBin(c(charToRaw(paste0(magic, checksum(body), "\n")), body), file)
  }
  n <- length(to_bytes(settings_of(x)))
  for (about in c(
    "format 2, version 0.1.0\n", "\n", "format x, version 1, settings 9\n", "",
    "format 2, version 0.1.0, settings -5\n", "format 2, version 0.1.0, settings NA\n"
  )) {
    write(about)
    expect_refused(file, "is not a run saved by this package")
  }
  for (length in c(0, 1, n - 1, n + 1, 1e6, 1e300)) {
    write(sprintf("format 2, version 0.1.0, settings %.0f\n", length))
    expect_refused(file, "could have written|is not a run")
  }
  write("format 1, version 0.1.0, settings 9\n")
  expect_refused(file, "was written by version 0.1.0 of the package in format 1")
  writeBin(charToRaw(paste0(magic, checksum(raw()), "\n")), file)
  expect_refused(file, "is not a run saved by this package")
})

# ---- What is kept -----------------------------------------------------------------------------

test_that("every policy comes back with its parameters", {
  file <- tempfile()
  for (made in list(
    policy("bayesgap", variant = "paper"), policy("bayesgap", beta = 2, advice = "mean"),
    policy("ei", xi = 0.1), policy("kg"), policy("ttts", beta = 0.3)
  )) {
    x <- told(three(policy = made), 2)
    save_run(x, file)
    expect_identical(read_run(file), x)
  }
})

test_that("a covariance is in the file once, and its prior is the same to the last bit", {
  set.seed(1)
  for (i in 1:20) {
    k <- sample(2:12, 1)
    cov <- tcrossprod(matrix(rnorm(k * sample(k, 1)), k)) * 10^sample(-90:90, 1)
    p <- dense_prior(check_cov(cov, as_arms(k)))
    expect_identical(bound_cov(p$cov), p$cov)
    expect_identical(diag(p$cov), diag(cov))
    expect_identical(dense_prior(check_cov(p$cov, as_arms(k))), p)
  }
  # Entries that rounding, or the range of numbers, does not carry.
  odd <- list(
    matrix(c(1e-200, 1e-160, 1e-160, 1), 2), diag(c(1, -1e-15)), diag(c(1, 1e-250)),
    matrix(c(1, 1 + 1e-15, 1 + 1e-15, 1), 2), matrix(c(1, 3e-200, 0, 1), 2)
  )
  for (cov in odd) {
    p <- dense_prior(check_cov(cov, as_arms(2)))
    expect_false(anyNA(p$cov))
    expect_true(all(p$diagonal >= 0))
    expect_identical(dense_prior(check_cov(p$cov, as_arms(2))), p)
  }
  file <- tempfile()
  cov <- crossprod(matrix(rnorm(6000), 100))
  save_run(bayesgap(60, budget = 5, cov = cov, seed = 1), file)
  expect_lt(file.size(file), 1.2 * 8 * 60^2)
})

test_that("a kernel is known by its words and its code, and what it made is used", {
  file <- tempfile()
  dial <- data.frame(u = c(1, 2, 4, 8), v = c("x", "y", "x", "y"))
  near <- function(a, b) exp(-abs(outer(a$u, b$u, "-")))
  run <- function(kernel, objective = function(arm) sin(arm$u), ...) {
    quietly(bayesgap(dial, objective, budget = 7, kernel = kernel, seed = 1, ...))
  }
  mixed <- k_by(~ v, k_matern(~ log2(u))) + 0.1 * k_white()
  for (kernel in list(k_se(~ u), mixed, k_se(~ u) + near)) {
    unlink(file)
    whole <- run(kernel)
    callCC(function(out) {
      made <- 0
      run(kernel, function(arm) {
        made <<- made + 1
        if (made == 4) out(NULL) else sin(arm$u)
      }, checkpoint = file)
    })
    expect_identical(run(kernel, checkpoint = file), whole)
    x <- read_run(file)
    expect_identical(format(x$model), format(whole$model))
    expect_identical(capture.output(print(summary(x))), capture.output(print(summary(whole))))
    y <- bayesgap(x, function(arm) sin(arm$u), budget = 9)
    z <- bayesgap(whole, function(arm) sin(arm$u), budget = 9)
    y$model$kernel$kernel <- z$model$kernel$kernel
    expect_identical(y, z)
    # Saved again, it is still the same call's.
    save_run(x, file)
    expect_identical(run(kernel, checkpoint = file), whole)
    expect_error(kernel_matrix(x$model$kernel$kernel, dial), "read from a file",
      class = "bayesgap_error_kernel")
  }
  expect_identical(fault(run(k_se(~ u) + 1, checkpoint = file))$differs, "kernel")
  far <- function(a, b) exp(-abs(outer(a$u, b$u, "-"))) * 1
  expect_identical(fault(run(k_se(~ u) + far, checkpoint = file))$differs, "kernel")
})

test_that("what came with a result is kept as data, or as bytes that are not brought back", {
  file <- tempfile()
  when <- as.POSIXct("2026-03-01 12:00:00", tz = "UTC")
  rich <- function(arm) {
    list(
      y = arm, day = as.Date("2026-03-01"), when = when, took = as.difftime(2, units = "mins"),
      kind = factor("b", levels = c("a", "b")), deep = list(1, list("x", table = head(cars))),
      nothing = NULL, z = 1i
    )
  }
  x <- three(rich, checkpoint = file)
  expect_identical(read_run(file), x)
  fit <- lm(dist ~ speed, cars)
  file <- tempfile()
  x <- three(function(arm) list(y = arm, fit = fit, who = "me", f = mean), checkpoint = file)
  expect_s3_class(as.data.frame(x)$fit[[1]], "lm")
  y <- read_run(file)
  table <- as.data.frame(y)
  expect_identical(table[c("y", "who")], as.data.frame(x)[c("y", "who")])
  expect_s3_class(table$fit[[1]], "bayesgap_bytes")
  expect_s3_class(table$f[[6]], "bayesgap_bytes")
  expect_equal(coef(unserialize(table$fit[[1]])), coef(fit))
  expect_match(capture.output(print(table$fit[[1]])), "bytes> of an object that is not plain data")
  expect_true(any(grepl("<[0-9,]+ bytes>", capture.output(print(table)))))
  # It stays so when it is saved again.
  save_run(y, file)
  expect_identical(read_run(file), y)
  # Lists that are nested without end are no plain data.
  nested <- list()
  for (i in 1:200) nested <- list(nested)
  file <- tempfile()
  x <- three(function(arm) list(y = arm, nested = nested, frame = cars), checkpoint = file)
  expect_s3_class(as.data.frame(read_run(file))$nested[[1]], "bayesgap_bytes")
  expect_identical(as.data.frame(read_run(file))$frame, as.data.frame(x)$frame)
})

test_that("a result that is a data frame, and a batch under way, come back", {
  file <- tempfile()
  x <- three(function(arm) data.frame(y = arm, note = "a"), checkpoint = file)
  expect_identical(read_run(file), x)
  expect_identical(as.data.frame(x)$note, rep("a", 6))
  file <- tempfile()
  callCC(function(out) quietly(three(function(arm, pull) {
    if (pull$index == 3) out(NULL)
    list(y = arm, f = mean)
  }, batch = 3, checkpoint = file)))
  y <- read_run(file)
  expect_identical(as.data.frame(y)$pull, 1:2)
  expect_s3_class(as.data.frame(y)$f[[1]], "bayesgap_bytes")
})

test_that("arms with what cannot be saved are refused before the first pull", {
  table <- structure(data.frame(u = 1:3), spec = globalenv(), class = c("odd", "data.frame"))
  file <- tempfile()
  x <- bayesgap(table, function(arm) arm$u, budget = 3, seed = 1, checkpoint = file)
  expect_identical(read_run(file), x)
  table$u <- structure(1:3, note = globalenv())
  e <- fault(bayesgap(table, function(arm) stop("pulled"), budget = 3, checkpoint = tempfile()))
  expect_s3_class(e, "bayesgap_error_save")
  expect_match(conditionMessage(e), "`arms` holds what is not plain data")
  expect_error(save_run(bayesgap(table, budget = 3), file), class = "bayesgap_error_save")
  expect_identical(read_run(file), x)
})

# ---- The same call ----------------------------------------------------------------------------

test_that("calls are compared exactly, and what differs is named", {
  differs <- function(first, second) {
    file <- tempfile()
    run <- function(args) {
      args <- c(args, list(objective = function(arm) 1, budget = 3, seed = 1, checkpoint = file))
      quietly(do.call(bayesgap, args))
    }
    run(first)
    bytes <- tools::md5sum(file)
    e <- tryCatch(run(second), bayesgap_error_checkpoint = identity)
    expect_identical(tools::md5sum(file), bytes)
    e$differs
  }
  expect_identical(
    differs(list(3, prior_mean = c(1e9, 0, 0)), list(3, prior_mean = c(1e9, 0.9, 0))), "prior_mean"
  )
  times <- function(...) data.frame(time = 1.7e9 + c(...))
  expect_identical(differs(list(times(0, 1, 2, 3)), list(times(0, 1, 2, 1.5))), "arms")
  one_more <- 1 + .Machine$double.eps
  expect_identical(differs(list(3, noise_sd = 1), list(3, noise_sd = one_more)), "noise_sd")
  # A kernel that is the same is not named for the sake of other arms.
  scale <- function(n) k_se(~ time, lengthscale = n)
  expect_identical(
    differs(list(times(0, 1, 2), kernel = scale(1)), list(times(0, 1, 3), kernel = scale(1))),
    "arms"
  )
  expect_identical(
    differs(list(times(0, 1, 2), kernel = scale(1)), list(times(0, 1, 2), kernel = scale(2))),
    "kernel"
  )
  expect_identical(
    differs(list(times(0, 1, 2), kernel = scale(1)), list(times(0, 1, 3), kernel = scale(2))),
    c("arms", "kernel")
  )
  cov <- diag(3) + 0.5
  past <- matrix(c(1, 2, 4, 2, 2, 1, 0, 1, 5), 3)
  expect_identical(differs(list(3, cov = cov), list(3, cov = cov^2)), "cov")
  expect_identical(differs(list(3, cov = cov), list(3)), "cov")
  expect_identical(differs(list(3), list(3, features = cov)), "features")
  expect_identical(differs(list(3, cov = cov), list(3, features = cov)), c("cov", "features"))
  expect_identical(differs(list(3, history = past), list(3, history = past + diag(3))), "history")
  expect_identical(differs(list(3, history = past), list(3)), "history")
  expect_identical(
    differs(list(3, history = past), list(3, history = past, noise_sd = 1)), "noise_sd"
  )
  expect_identical(differs(list(3), list(4)), "arms")
  expect_null(differs(list(3, history = past), list(3, history = past)))
})

test_that("a history that was rounded otherwise elsewhere is still the same call's", {
  file <- tempfile()
  past <- matrix(c(1, 2, 4, 2, 2, 1, 0, 1, 5), 3)
  run <- function() {
    quietly(bayesgap(3, identity, budget = 4, history = past, seed = 1, checkpoint = file))
  }
  x <- run()
  forge_run(x, file, given = function(s) {
    s$cov[1, 1] <- s$cov[1, 1] * (1 + .Machine$double.eps)
    s$prior_mean[1] <- s$prior_mean[1] * (1 + .Machine$double.eps)
    s
  })
  there <- read_run(file)
  expect_false(identical(there$model, x$model))
  expect_identical(run(), there)
})

# ---- Saves that fail --------------------------------------------------------------------------

test_that("with warn = 2 a save that fails ends no run", {
  folder <- tempfile()
  dir.create(folder)
  whole <- three(function(arm) sin(arm))
  old <- options(warn = 2)
  on.exit(options(old))
  said <- character()
  x <- withCallingHandlers(
    three(function(arm, pull) {
      if (pull$index == 3) unlink(folder, recursive = TRUE)
      sin(arm)
    }, checkpoint = file.path(folder, "run.rds")),
    bayesgap_warning_checkpoint = function(w) {
      # Were nobody to take it, it would be an error: in tests/faults nobody does.
      expect_lt(getOption("warn"), 2)
      said <<- c(said, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    }
  )
  expect_identical(x, whole)
  expect_length(said, 2)
  expect_equal(getOption("warn"), 2)
})

test_that("a link that leads nowhere yet is written through; one without end is refused", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(file.path(folder, "far"), recursive = TRUE)
  at <- function(...) file.path(folder, ...)
  file.symlink("far/run.rds", at("link.rds"))
  file.symlink("link.rds", at("second.rds"))
  x <- three(function(arm) arm, checkpoint = at("second.rds"))
  expect_identical(Sys.readlink(at("link.rds")), "far/run.rds")
  expect_identical(Sys.readlink(at("second.rds")), "link.rds")
  expect_identical(read_run(at("far", "run.rds")), x)
  expect_identical(read_run(at("second.rds")), x)
  unlink(at("far", "run.rds"))
  save_run(x, at("link.rds"))
  expect_identical(Sys.readlink(at("link.rds")), "far/run.rds")
  expect_identical(read_run(at("far", "run.rds")), x)
  file.symlink("loop.rds", at("loop.rds"))
  expect_error(save_run(x, at("loop.rds")), "leads back to itself",
    class = "bayesgap_error_checkpoint")
  file.symlink("nowhere/run.rds", at("lost.rds"))
  expect_error(save_run(x, at("lost.rds")), "does not exist", class = "bayesgap_error_checkpoint")
})

test_that("a device or a pipe is refused before anything is run", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  pipe <- file.path(folder, "pipe")
  skip_if_not(system2("mkfifo", pipe, stderr = FALSE) == 0, "no pipes here")
  link <- file.path(folder, "null.rds")
  file.symlink("/dev/null", link)
  x <- three()
  for (file in c("/dev/full", "/dev/null", pipe, link)) {
    if (!file.exists(file)) next
    for (use in list(
      function() three(function(arm) stop("pulled"), checkpoint = file),
      function() three(checkpoint = file), function() save_run(x, file), function() read_run(file)
    )) {
      expect_error(use(), "is a device or a pipe", class = "bayesgap_error_checkpoint")
    }
  }
  expect_setequal(list.files(folder), c("pipe", "null.rds"))
})

test_that("names that no file can have are refused", {
  x <- bayesgap(2, budget = 3, seed = 1)
  for (name in c(strrep("a", 1e5), strrep("a", 250), "\xff\xfe")) {
    expect_error(save_run(x, name), class = "bayesgap_error_checkpoint")
    expect_error(read_run(name), class = "bayesgap_error_checkpoint")
  }
})
