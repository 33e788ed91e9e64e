test_that("every policy comes back with its parameters", {
  file <- tempfile()
  for (made in list(
    policy("bayesgap", variant = "paper"), policy("bayesgap", beta = 2, advice = "mean"),
    policy("ei", xi = 0.1), policy("kg"), policy("ttts", beta = 0.3)
  )) {
    x <- tell_some(three(policy = made), 2)
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

test_that("settings have the names of the arguments that they were given by", {
  x <- small_run()
  expect_identical(names(settings_of(x)), setting_names)
  expect_true(all(setting_names %in% names(formals(bayesgap))))
  expect_identical(names(facts_of(x)), fact_names)
})
