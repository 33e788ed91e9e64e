# The files and the code of a report, carried out: what is in the code's hands afterwards.
carried_out <- function(x, run = FALSE, ...) {
  again <- reproduction(x)
  folder <- tempfile()
  dir.create(folder)
  old <- setwd(folder)
  on.exit(setwd(old))
  for (name in names(again$files)) writeBin(again$files[[name]], name)
  from <- grep("x <- read_run", again$lines, fixed = TRUE)
  at <- seq_along(again$lines)
  lines <- again$lines[if (run) at <= from else !at %in% from]
  env <- list2env(list(...), parent = globalenv())
  quietly(eval(parse(text = lines), env))
  env$x
}

# What was learned at other times may differ in the last digits.
expect_alike <- function(x, y) {
  expect_identical(run_settings(y)[-(1:2)], run_settings(x)[-(1:2)])
  columns <- intersect(c("pull", "arm", "y", "block", "successes", "cost", "error"), names(x))
  expect_equal(as.data.frame(y)[columns], as.data.frame(x)[columns])
  expect_identical(y$model$arms$names, x$model$arms$names)
  expect_identical(y$dropped, x$dropped)
  expect_equal(posterior(y)$mean, posterior(x)$mean, tolerance = 0.05)
  expect_equal(posterior(y)$status, posterior(x)$status)
}

test_that("the code makes the run again, from its file and from its results", {
  runs <- reported_runs()
  runs$own <- NULL # whose ties are broken at random
  for (name in names(runs)) {
    x <- runs[[name]]
    items <- if (name == "items") list(mean = mean, median = median)
    expect_alike(x, carried_out(x, arms = items))
    if (name != "items") {
      expect_identical(posterior(carried_out(x, run = TRUE)), posterior(x))
    }
  }
})

test_that("what was given is said, to the last bit", {
  skip_if_read_inexactly()
  cov <- diag(3) + 1 / 3
  x <- bayesgap(
    c("1", "02", "NA"), budget = 9, cov = cov, prior_mean = 1 / 3, prior_sd = 2, noise_sd = 0.1,
    block_sd = 0.2, control = "02", policy = "kg", init = "NA", replace = FALSE,
    stop_regret = 1e-3, count_failures = FALSE, seed = 11, maximise = FALSE
  )
  x <- tell(x, data.frame(pull = c(1, NA), arm = c("02", "NA"), y = 1:2 / 7, block = c("007", "8")))
  y <- carried_out(x, cov = cov)
  expect_alike(x, y)
  expect_identical(posterior(y), posterior(x))
  expect_identical(y$policy, x$policy)
  expect_identical(y$blocks, x$blocks)
})

test_that("a policy, a kernel and a list of the user's are named", {
  x <- quietly(bayesgap(4, sin, budget = 6, policy = policy(choose = function(state) 1L), seed = 1))
  expect_identical(as.data.frame(carried_out(x, policy = x$policy)), as.data.frame(x))
  expect_identical(posterior(carried_out(x, run = TRUE, policy = x$policy)), posterior(x))
  near <- function(a, b) exp(-outer(a$u, b$u, "-")^2)
  x <- bayesgap(data.frame(u = 1:40), function(arm) arm$u, budget = 5, kernel = near, seed = 1)
  expect_match(reproduction(x)$lines, "kernel = (kernel|near)", all = FALSE)
  expect_null(reproduction(bayesgap(list(f = sin), budget = 2))$files[["run.bgap"]])
})

test_that("arms that were retried or dropped are so again", {
  x <- open_run()
  failed <- data.frame(pull = c(1:3, 4), arm = c("a", "a", "a", "b"), y = c(NA, NA, NA, 1),
    failed = c(TRUE, TRUE, TRUE, NA))
  x <- quietly(tell(x, failed[c(4, 1:3), ]))
  expect_identical(posterior(x)$status[1], "failed")
  expect_alike(x, carried_out(x))
  expect_alike(drop_arms(retry_arms(x, "a"), c("c", "d")), carried_out(
    drop_arms(retry_arms(x, "a"), c("c", "d"))
  ))
})

test_that("a call is laid out in lines that fit", {
  expect_identical(filled("f(", c("a", "b")), "f(a, b)")
  long <- filled("f(", rep("an_argument = 1", 9))
  expect_true(all(nchar(long) <= 84))
  expect_identical(sum(lengths(strsplit(long, "an_argument")) - 1), 9)
  expect_no_error(parse(text = long))
  expect_identical(written(c(0.1, 1 / 3)), "c(0.1, 0.33333333333333331)")
  expect_identical(written("a\"b"), "\"a\\\"b\"")
  expect_identical(argument("noise_sd", seq_len(31)), "noise_sd = noise_sd")
})

test_that("a kernel that calls something else is not written down as code", {
  for (text in c("k_se(~u) * k_factor(~v) + 0.1 * k_white()", "k_se(~log10(u), lengthscale = c(1, 2))")) {
    expect_true(is_code(text))
  }
  for (text in c("{k_se()}", "system('ls')", "k_se(lengthscale = q())", "k_se(); 1", "k_se(", "(f)()",
                 "base::q()", "function(a, b) 1")) {
    expect_false(is_code(text))
  }
})

test_that("names that turn the direction of writing are still read", {
  skip_if_not(l10n_info()[["UTF-8"]], "no such letters here")
  name <- paste0("a", intToUtf8(0x202e), "b")
  expect_identical(eval(parse(text = written(c(name, "c")))), c(name, "c"))
})
