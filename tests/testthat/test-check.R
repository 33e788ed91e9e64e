test_that("what was given is described in a few words", {
  expect_snapshot(cat(vapply(
    list(NULL, 1, "a", NA, mean, 1:3, matrix(1, 2, 2), data.frame(a = 1), list(1), factor("a"),
         as.Date("2020-02-29"), quote(x)),
    describe, ""
  ), sep = "\n"))
})

test_that("the nearest name is suggested only when it is near", {
  expect_match(suggest("bayesgab", c("bayesgap", "uniform")), "bayesgap")
  expect_equal(suggest("zzzzzz", c("bayesgap", "uniform")), "")
  expect_equal(suggest("a", character()), "")
})

test_that("every error is of the package's classes and has no call", {
  e <- tryCatch(abort("thing", "one ", 2, data = list(more = 3)), error = identity)
  expect_s3_class(e, c("bayesgap_error_thing", "bayesgap_error", "error", "condition"),
    exact = TRUE)
  expect_identical(conditionMessage(e), "one 2")
  expect_identical(e$more, 3)
})

test_that("a package that is not installed is named", {
  expect_error(
    check_installed("nosuchpackage", "autoplot()"),
    "autoplot() needs the package nosuchpackage", fixed = TRUE, class = "bayesgap_error_package"
  )
  expect_no_error(check_installed("stats", "anything"))
  expect_error(
    check_installed(c("nosuchpackage", "stats", "norme"), "wine_objective()"),
    paste0(
      "wine_objective\\(\\) needs the packages nosuchpackage, norme, which are not installed. ",
      "Install them with install.packages\\(c\\(\"nosuchpackage\", \"norme\"\\)\\)."
    ),
    class = "bayesgap_error_package"
  )
})

test_that("what needs a suggested package names it", {
  expect_error(check_installed("nosuchpackage", "This"), "needs the package nosuchpackage.*install",
    class = "bayesgap_error_package")
})

test_that("numbers are printed to the digits they deserve", {
  expect_equal(round_to(list(0.041234), 0.001)[[1]], "0.0412")
  expect_equal(round_to(list(1234.5), 100)[[1]], "1234")
  expect_equal(round_to(list(3e9), 1e7)[[1]], "3e+09")
  expect_equal(round_to(list(0), 0)[[1]], "0.000")
  expect_equal(round_to(list(1e15 + 123456), 1000)[[1]], "1000000000123456")
})

test_that("a misspelt argument is named, with what was meant", {
  f <- function(arm) 1
  expect_error(bayesgap(2, f, 3, maximize = FALSE), "`maximize`. Did you mean `maximise`?",
    fixed = TRUE, class = "bayesgap_error_argument")
  expect_error(bayesgap(2, f, 3, minimise = TRUE), "`minimise`. Use `maximise = FALSE`.",
    fixed = TRUE, class = "bayesgap_error_argument")
  expect_error(bayesgap(2, f, 3, minimize = TRUE), "Use `maximise = FALSE`", fixed = TRUE)
  expect_error(arm_model(2, noise_std = 1), "Did you mean `noise_sd`?", fixed = TRUE)
  x <- bayesgap(2, budget = 3)
  expect_error(ask(x, 1, pendng = NULL), "Did you mean `pending`?", fixed = TRUE,
    class = "bayesgap_error_argument")
  expect_error(tell(x, 1, yy = 1), "`yy`", class = "bayesgap_error_argument")
  problem <- problem_gaussian(arm_model(2, prior_mean = 0, prior_sd = 1, noise_sd = 1))
  expect_error(benchmark_policies(problem, "uniform", 2, 2, progess = FALSE),
    "Did you mean `progress`?", fixed = TRUE, class = "bayesgap_error_argument")
  expect_error(problem_gaussian(problem$model, minimise = TRUE), "Use `maximise = FALSE`",
    fixed = TRUE, class = "bayesgap_error_argument")
  expect_error(policy("mine", choose = f, recomend = f), "Did you mean `recommend`?", fixed = TRUE,
    class = "bayesgap_error_argument")
})

# ---- Every argument of every function ------------------------------------------------------------

nasty_values <- function() {
  list(
    "NULL" = NULL, "function" = function(...) stop("no"), builtin = sum, list = list(),
    "list of 1" = list(1),
    environment = new.env(), formula = ~a, "two-sided" = y ~ x, name = quote(a), call = quote(f(a)),
    expression = expression(a), character = character(), text = "zz", "two texts" = c("a", "zz"),
    "missing text" = NA_character_, empty = "", factor = factor("zz"), "no factor" = factor(),
    numeric = numeric(), "two numbers" = c(1, 2), "not whole" = 1.5, negative = -1, zero = 0,
    huge = 1e300, "missing number" = NA_real_, "NaN" = NaN, "Inf" = Inf, complex = 1i,
    raw = as.raw(1), "NA" = NA, "TRUE" = TRUE, "two flags" = c(TRUE, FALSE),
    Date = as.Date("2020-02-29"), POSIXlt = as.POSIXlt("2020-02-29", tz = "UTC"),
    matrix = matrix(1:4, 2), "text matrix" = matrix("a", 1, 1), array = array(1, c(1, 1, 1)),
    "no data" = data.frame(), "no rows" = data.frame(arm = character(), y = numeric()),
    data = data.frame(a = 1), "matrix column" = data.frame(arm = "a", y = I(matrix(1, 1, 2))),
    "blank name" = structure(list(1, 2), names = c("y", NA), class = "data.frame", row.names = 1L),
    S4 = methods::getClass("numeric"), "class of another" = structure(list(), class = "zz")
  )
}

# A call that works, with every argument named, for each function.
good_calls <- function() {
  arms <- data.frame(u = 1:3, g = c("p", "p", "q"))
  x <- bayesgap(arms, function(arm) arm$u,
    budget = 4, seed = 1, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  open <- bayesgap(arms, budget = 4, seed = 1)
  failing <- suppressMessages(tell(open, data.frame(
    arm = c("1, p", "2, p", "2, p", "2, p"), y = c(1, NA, NA, NA), pull = NA,
    failed = c(FALSE, TRUE, TRUE, TRUE)
  )))
  model <- arm_model(3, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  problem <- problem_gaussian(model)
  rates <- arm_model(3, prior_mean = 0.4, prior_sd = 0.1, family = "binomial")
  counts <- arm_model(3, prior_mean = 4, prior_sd = 1, family = "poisson")
  table <- benchmark_policies(problem, "uniform", 3, reps = 2, seed = 1, keep = "pulls")
  file <- tempfile(fileext = ".bgap")
  save_run(open, file)
  out <- tell(open, data.frame(ask(open, 2)[2, ], y = 1))
  speeds <- matrix(60 + sin(1:24), 6, dimnames = list(NULL, letters[1:4]))
  sensors <- data.frame(sensor = letters[1:4], lon = 1:4, lat = 1:4)
  list(
    bayesgap = list(
      bayesgap, arms = arms, objective = function(arm) 1, budget = 2, maximise = TRUE,
      kernel = NULL, cov = NULL, features = NULL, history = NULL, prior_mean = 0,
      prior_sd = 1, noise_sd = 1, policy = "uniform", init = NULL, batch = 1, replace = TRUE,
      stop_regret = NULL, time_limit = Inf, on_error = "skip", retries = 0, checkpoint = NULL,
      progress = FALSE, seed = 1
    ),
    arm_model = list(
      arm_model, arms = arms, kernel = NULL, cov = NULL, features = NULL, history = NULL,
      prior_mean = 0, prior_sd = 1, noise_sd = 1
    ),
    ask = list(ask, x = open, n = 2, pending = NULL, batch = "fantasy"),
    tell = list(tell, x = open, y = 1),
    open_trials = list(open_trials, x = open), cancel = list(cancel, x = out, pull = 1),
    amend = list(amend, x = x, pull = 1, y = 2, se = 1),
    "amend a row" = list(amend, x = x, row = 1, y = 2, arm = 1),
    drop_arms = list(drop_arms, x = x, arms = 1),
    add_arms = list(add_arms, x = x, arms = data.frame(u = 4, g = "q")),
    "ask a file" = list(ask, x = file, n = 1, batch = "fantasy", again = FALSE, wait = 0),
    "tell a file" = list(tell, x = file, y = data.frame(arm = 1, y = 2, pull = NA), wait = 0),
    bayesgap_desk = list(bayesgap_desk, file = file),
    best_arm = list(best_arm, x = x),
    retry_arms = list(retry_arms, x = failing, arms = 2),
    posterior = list(posterior, x = x, level = 0.9, draws = 10),
    block_effects = list(block_effects, x = x, level = 0.9),
    predictive_check = list(predictive_check, x = x, level = 0.9),
    policy = list(policy, name = "bayesgap", beta = 1, variant = "paper"),
    "own policy" = list(policy, name = "mine", choose = function(state) 1, recommend = NULL),
    k_se = list(k_se, formula = ~u, lengthscale = 1),
    k_matern = list(k_matern, formula = ~u, nu = 1.5, lengthscale = 1),
    k_linear = list(k_linear, formula = ~u),
    k_factor = list(k_factor, formula = ~g, similarity = 0.5),
    k_const = list(k_const, variance = 1),
    k_by = list(k_by, formula = ~g, kernel = k_se(~u)),
    "kernels added" = list(function(a) a + k_white(), a = k_white()),
    "kernels multiplied" = list(function(a) k_white() * a, a = 2),
    kernel_matrix = list(kernel_matrix, kernel = k_se(~u), arms = arms),
    problem_gaussian = list(
      problem_gaussian, model = model, means = NULL, noise_sd = NULL, maximise = TRUE
    ),
    problem_binomial = list(
      problem_binomial, model = rates, means = NULL, trials = 10, maximise = TRUE
    ),
    problem_poisson = list(
      problem_poisson, model = counts, means = NULL, exposure = 2, maximise = TRUE
    ),
    problem_pool = list(problem_pool, rewards = matrix(1:6, 3), model = model, maximise = TRUE),
    benchmark_policies = list(
      benchmark_policies, problems = problem, policies = "uniform", budget = 2, reps = 2, seed = 1,
      keep = NULL, chunk_size = NULL, progress = FALSE
    ),
    save_run = list(save_run, x = x, file = file),
    read_run = list(read_run, file = file),
    report = list(report, x = x, file = file.path(new_folder(), "report.html"), title = "a"),
    simulate_corridor = list(
      simulate_corridor, sensors = 3, days = 1, every = 3600, from = 6, to = 7, seed = 1
    ),
    read_pems = list(
      read_pems, files = tempfile(), from = 6, to = 7, weekdays = 1, stations = NULL,
      freeway = NULL, direction = NULL, lane_type = NULL, min_observed = 0, max_missing = 0.1,
      incomplete = "drop"
    ),
    traffic_problem = list(
      traffic_problem, speeds = speeds, split = 1, shrink = TRUE, prior_mean = 0, prior_sd = 1,
      noise_sd = 1, maximise = TRUE
    ),
    plot_sensors = list(
      plot_sensors, sensors = sensors, speed = 1:4, pulls = NULL, mark = NULL, main = "", label = ""
    ),
    wine_objective = list(wine_objective, wines = wine, share = 0.1),
    tune_bayesgap = list(tune_bayesgap, object = "a method"),
    tuning_run = list(tuning_run, x = with_run(list(), x)),
    print = list(print, x = x),
    as.data.frame = list(as.data.frame, x = x, row.names = NULL, stringsAsFactors = FALSE),
    summary = list(summary, object = x),
    predict = list(predict, object = x, newdata = NULL, type = "mean", level = 0.9),
    confint = list(confint, object = x, parm = NULL, level = 0.9),
    simulate = list(simulate, object = x, nsim = 2, seed = 1, type = "mean"),
    coef = list(coef, object = x), fitted = list(fitted, object = x), nobs = list(nobs, object = x),
    update = list(
      update, object = x, kernel = NULL, cov = NULL, features = NULL, history = NULL,
      prior_mean = 0, prior_sd = 1, noise_sd = 1
    ),
    logLik = list(logLik, object = x),
    plot = list(plot, x = x, level = 0.9, main = "", xlab = ""),
    "plot of a check" = list(plot, x = predictive_check(x)),
    "plot of a corridor" = list(
      plot, x = simulate_corridor(sensors = 3, days = 1, every = 3600, to = 7, seed = 1), days = 1
    ),
    "summary of a benchmark" = list(summary, object = table, epsilon = 0, level = 0.9),
    tidy = list(tidy.bayesgap, x = x, conf.level = 0.9),
    policy_looks = list(policy_looks, policies = "ei"),
    autoplot = list(autoplot.bayesgap, object = x, type = "arms", level = 0.9),
    "autoplot of a surface" = list(
      autoplot.bayesgap, object = x, type = "surface", level = 0.9, columns = "u", show = "mean"
    ),
    "autoplot of a benchmark" = list(
      autoplot.bayesgap_benchmark, object = table, type = "error", epsilon = 0, level = 0.9
    )
  )
}

# Those that take an argument.
expect_functions_listed <- function(calls) {
  exported <- setdiff(getNamespaceExports("bayesgap"), c("k_white", "last_run", "policies"))
  expect_identical(setdiff(exported, names(calls)), character())
}

new_folder <- function() {
  folder <- tempfile()
  dir.create(folder)
  folder
}

# What was said instead of a result or an error of ours, if anything was.
misbehaviour <- function(call) {
  tryCatch(
    {
      force(withCallingHandlers(
        do.call(call[[1L]], call[-1L], quote = TRUE),
        warning = function(w) if (inherits(w, "bayesgap_warning")) invokeRestart("muffleWarning")
      ))
      NULL
    },
    bayesgap_error = function(e) NULL,
    error = function(e) paste("error:", conditionMessage(e)),
    warning = function(w) paste("warning:", conditionMessage(w))
  )
}

test_that("whatever is given, there is a result or an error of ours", {
  skip_long_on_cran()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  old <- setwd(new_folder())
  on.exit(setwd(old), add = TRUE)
  calls <- good_calls()
  expect_functions_listed(calls)
  if (!has_wine_packages()) calls$wine_objective <- NULL
  if (!requireNamespace("ggplot2", quietly = TRUE)) {
    calls[c("autoplot", "autoplot of a surface", "autoplot of a benchmark")] <- NULL
  }
  generics <- c(
    "print", "as.data.frame", "summary", "predict", "confint", "simulate", "coef", "fitted", "nobs",
    "update", "logLik", "plot", "plot of a check", "plot of a corridor", "summary of a benchmark",
    "tidy", "autoplot", "autoplot of a surface", "autoplot of a benchmark"
  )
  found <- character()
  for (name in names(calls)) {
    call <- calls[[name]]
    # The first argument of a method is of its class.
    nasty <- nasty_values()
    if (startsWith(name, "kernels")) {
      nasty <- Filter(Negate(is.object), nasty) # R does not ask us about sums of those
    }
    varied <- setdiff(names(call)[-1L], if (name %in% generics) names(call)[2L])
    for (arg in c("", varied)) {
      for (kind in if (nzchar(arg)) names(nasty) else "as it is") {
        if (arg == "progress" && kind == "TRUE") next # that writes
        given <- call
        if (nzchar(arg)) given[arg] <- nasty[kind]
        utils::capture.output(said <- suppressMessages(misbehaviour(given)))
        if (!is.null(said)) {
          found <- c(found, sprintf("%s(%s = <%s>): %s", name, arg, kind, said))
        }
      }
    }
  }
  expect_identical(found, character())
})

test_that("no name is taken for another that begins like it", {
  old <- options(
    warnPartialMatchDollar = TRUE, warnPartialMatchArgs = TRUE, warnPartialMatchAttr = TRUE,
    warn = 2
  )
  # R goes on warning where such an option is unset again; it has to be off first.
  on.exit({
    options(
      warnPartialMatchDollar = FALSE, warnPartialMatchArgs = FALSE, warnPartialMatchAttr = FALSE
    )
    options(old)
  })
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off(), add = TRUE)
  arms <- data.frame(u = 1:5, g = c("a", "b", "a", "b", "a"))
  models <- list(
    list(), list(kernel = k_se(~u) * k_factor(~g)), list(features = cbind(1, 1:5)),
    list(prior_mean = 0, prior_sd = 1, noise_sd = 1), list(history = matrix(sin(1:20), 4))
  )
  tour <- function(given) {
    objective <- function(arm) list(y = sin(arm$u), who = "me")
    x <- do.call(bayesgap, c(list(arms, objective, 8, seed = 1), given))
    lapply(list(print, summary, format, posterior, predict, simulate, coef, fitted, residuals,
      logLik, AIC, predictive_check, as.data.frame, plot, best_arm, tidy.bayesgap, glance.bayesgap,
      augment.bayesgap), function(f) f(x))
    print(summary(x))
    print(predictive_check(x))
    x <- do.call(bayesgap, c(list(arms, budget = 8, seed = 1, init = 2), given))
    tell(x, data.frame(ask(x, 2), y = 1:2))
  }
  expect_no_error(utils::capture.output(lapply(models, tour)))
})

test_that("a number with dimensions is that number", {
  one <- structure(0.5, dim = 1L)
  expect_identical(check_between(one, "max_missing", 1), 0.5)
  expect_identical(check_time_limit(one), 0.5)
  expect_identical(k_factor(~g, similarity = one), k_factor(~g, similarity = 0.5))
  expect_identical(check_level(one), 0.5)
})
