# Arguments that are wrong: calls that work, one argument of which becomes something else.

junk <- expression(
  NULL, NA, NaN, Inf, -Inf, -1, 0, 0.5, 1.5, 2, 1e10, 1e300, "", "a", "bayesgap", character(),
  numeric(), c(1, NA), 1:3, c(a = 1, b = 2), letters, list(), list(1), list(a = NULL), TRUE,
  c(TRUE, NA), rev, sum, function() 1, function(...) NULL, globalenv(), quote(x), quote(x + y), ~u,
  y ~ u, factor("a"), factor(c("b", "a"), levels = c("b", "a")), as.Date("2024-01-01"),
  Sys.time(), 1i, as.raw(1), matrix(1:4, 2), matrix("a"), matrix(0, 0, 0), array(1, c(1, 1, 1)),
  data.frame(), data.frame(a = 1), data.frame(arm = 1, y = NA), data.frame(pull = 1, y = "a"),
  data.frame(arm = "a", y = I(list(1))), data.frame(y = 1:2, arm = I(matrix(1:4, 2))),
  data.frame(pull = I(matrix(1:2, 1)), arm = 1, y = 1), methods::getClass("numeric"), expression(a),
  as.name("x"), structure(1, class = "odd"), structure(list(), class = "odd"), "\xff\xfe",
  strrep("a", 1e5), c("a", NA), as.POSIXlt("2024-01-01"), k_white(), policy("ei"), 1L, -2147483647L,
  as.difftime(1, units = "hours"), numeric_version("1.0"), table(1:2), ts(1:3),
  baseenv(), stdin(), structure(1, dim = 1L), quote(function(x) 1), alist(a = ), 1e5L,
  .Machine$integer.max
)

# Calls that work. Variables: run, dear (one with costs), failing (one with an arm set aside), out
# (one with a pull that is out), found (a benchmark), model, problem, f (an objective).
fine_calls <- expression(
  bayesgap(arms = 3, budget = 6, seed = 1, cov = diag(3), prior_mean = 0, prior_sd = 1,
           noise_sd = 1, maximise = TRUE, policy = "bayesgap", init = 2, replace = TRUE,
           stop_regret = 0.1, checkpoint = NULL),
  bayesgap(arms = data.frame(u = 1:3), budget = 6, kernel = k_se(~u), seed = 1),
  bayesgap(arms = c("a", "b"), budget = 6, features = diag(2), seed = 1),
  bayesgap(arms = 3, budget = 6, family = "binomial", prior_mean = 0.2, seed = 1),
  bayesgap(arms = 2, budget = 6, history = diag(2), seed = 1),
  bayesgap(arms = run, budget = 30),
  bayesgap(arms = data.frame(u = 1:3, hours = 3:1), budget = 6.5, cost = "hours", seed = 1,
           count_failures = FALSE),
  arm_model(arms = 3, cost = c(1, 2, 0.5)),
  tell(x = dear, y = data.frame(arm = 1, pull = 1, y = 2, cost = 3)),
  bayesgap(arms = 3, objective = f, budget = 4, batch = 2, time_limit = Inf, on_error = "skip",
           retries = 1, checkpoint = "run.bgap", progress = FALSE, seed = 1),
  arm_model(arms = 3, cov = diag(3), prior_mean = 0, prior_sd = 1, noise_sd = 1),
  arm_model(arms = data.frame(arm = c("a", "b"), u = 1:2), kernel = k_white()),
  arm_model(arms = 2, features = diag(2)), arm_model(arms = 2, history = diag(2)),
  ask(x = run, n = 2, pending = ask(run), batch = "fantasy"), tell(x = run, y = 1),
  tell(x = run, y = data.frame(arm = 1, y = 2, se = 1, pull = NA, note = "a")),
  amend(x = run, pull = 1, y = 2, se = 1), amend(x = run, row = 2, y = NA),
  amend(x = run, pull = data.frame(pull = 1, arm = 2)), amend(x = "saved.bgap", pull = 1, y = 2),
  drop_arms(x = run, arms = 2), add_arms(x = run, arms = 1), cancel(x = out, pull = 6),
  open_trials(x = out), ask(x = "saved.bgap", n = 1, batch = "fantasy", again = FALSE, wait = 0),
  tell(x = "saved.bgap", y = data.frame(arm = 1, y = 2, pull = NA), wait = 0),
  drop_arms(x = "saved.bgap", arms = 2, wait = 0), add_arms(x = "saved.bgap", arms = 1, wait = 0),
  cancel(x = "saved.bgap", pull = 6, wait = 0), posterior(x = "saved.bgap", level = 0.9),
  as.data.frame(run, all = TRUE),
  best_arm(x = run), retry_arms(x = failing, arms = 2), posterior(x = run, level = 0.9, draws = 500),
  block_effects(x = run, level = 0.9),
  predictive_check(x = run, level = 0.9), save_run(x = run, file = "run.bgap"),
  read_run(file = "saved.bgap"), summary(run), print(run), plot(run, level = 0.9),
  predict(run, newdata = 1:2, type = "mean", level = 0.9), nobs(run),
  confint(run, parm = 1, level = 0.9), simulate(run, nsim = 2, seed = 1, type = "mean"),
  as.data.frame(run), logLik(run), last_run(),
  update(run, cov = diag(3), prior_mean = 0, prior_sd = 1, noise_sd = 1),
  update(run, features = diag(3)), update(run, history = diag(3)), update(run, kernel = k_white()),
  generics::tidy(run, conf.level = 0.9), generics::glance(run), generics::augment(run),
  ggplot2::autoplot(run, type = "arms", level = 0.9),
  k_se(formula = ~u, lengthscale = 1), k_matern(formula = ~u, nu = 1.5, lengthscale = 1),
  k_linear(formula = ~u), k_factor(formula = ~g, similarity = 0.5), k_const(variance = 1),
  k_by(formula = ~g, kernel = k_white()),
  kernel_matrix(kernel = k_se(~u, 1), arms = data.frame(u = 1:3)),
  policy(name = "ei", xi = 0.1, incumbent = "all"),
  policy(name = "mine", choose = function(s) 1, recommend = function(s) 1), policies(),
  problem_gaussian(model = model, means = 1:3, noise_sd = 1, maximise = TRUE),
  problem_pool(rewards = matrix(1:9, 3), model = model, maximise = TRUE),
  benchmark_policies(problems = problem, policies = "uniform", budget = 4, reps = 2, seed = 1,
                     keep = "pulls", chunk_size = 1, progress = FALSE),
  summary(found, epsilon = 0, level = 0.9), rbind(found, found), print(found),
  ggplot2::autoplot(found, type = "regret", epsilon = 0, level = 0.9),
  simulate_corridor(sensors = 10, days = 2, every = 900, from = 6, to = 8, seed = 1),
  plot_sensors(sensors = traffic$sensors, speed = traffic$speeds[1, ], pulls = NULL,
               mark = c(best = 1), main = "", label = "speed"),
  traffic_problem(speeds = traffic$speeds[, 1:9], split = 1, shrink = TRUE, prior_sd = 1,
                  prior_mean = "history", noise_sd = 1, maximise = TRUE),
  read_pems(files = "pems.txt", from = 6, to = 11, weekdays = 1:5, stations = NULL, freeway = 880,
            direction = "S", lane_type = NULL, min_observed = 0, max_missing = 0.1,
            incomplete = "drop"),
  wine_objective(wines = wine, share = 0.1)
)

# Numbers that would not be refused there, but keep the machine busy for ever.
patient <- list(
  bayesgap = c("arms", "budget", "retries"), arm_model = "arms",
  benchmark_policies = c("budget", "reps"), simulate = "nsim", posterior = "draws",
  kernel_matrix = "arms"
)
is_large <- function(value) is.numeric(value) && length(value) == 1L && isTRUE(value > 1e4)

station_lines <- sprintf(
  "01/02/2023 06:0%d:00,40000%d,4,880,S,ML,.5,50,100,312,.05,6%d.1,10,80,.05,66.1,1",
  c(0L, 0L, 5L, 5L), c(1L, 2L, 1L, 2L), 1:4
)

prepare_calls <- function() {
  prepare(quote(function(arm) arm + rnorm(1)), "f")
  prepare(quote(bayesgap(3, f, budget = 5, seed = 1)), "run")
  prepare(quote(bayesgap(run, budget = 9)), "run")
  prepare(quote(tell(bayesgap(3, budget = 9, seed = 1), data.frame(
    arm = c(1, 2, 2, 2), y = c(1, NA, NA, NA), pull = NA, failed = c(FALSE, TRUE, TRUE, TRUE)
  ))), "failing")
  prepare(quote(bayesgap(3, budget = 6, cost = 1:3, seed = 1)), "dear")
  prepare(quote(tell(run, data.frame(ask(run, 2)[2, ], y = 1))), "out")
  prepare(quote(save_run(out, "saved.bgap")))
  prepare(bquote(writeLines(.(station_lines), "pems.txt")))
  prepare(quote(arm_model(3, prior_mean = 0, prior_sd = 1, noise_sd = 1)), "model")
  prepare(quote(problem_gaussian(model)), "problem")
  prepare(quote(benchmark_policies(problem, c("ei", "uniform"), 4, 3, 1, keep = "pulls")), "found")
}

# With one argument made wrong, left out, misspelt or given besides. What a generic dispatches on
# is not ours where it is wrong.
spoil <- function(call) {
  own <- is.name(call[[1L]]) && as.character(call[[1L]]) %in% getNamespaceExports("bayesgap")
  places <- seq_along(call)[-1L]
  places <- if (own) places else places[-1L]
  if (!length(places) || chance(0.05)) {
    return(as.call(c(as.list(call), pick(list(1), list(strange = 1)))))
  }
  at <- places[sample.int(length(places), 1L)]
  how <- pick("wrong", "wrong", "wrong", "wrong", "wrong", "wrong", "absent", "misspelt")
  if (how == "absent") {
    return(call[-at])
  }
  named <- c(names(call), rep("", length(call)))[seq_along(call)]
  if (how == "misspelt") {
    named[at] <- paste0(named[at], "x")
    return(structure(call, names = named))
  }
  wrong <- junk[[sample.int(length(junk), 1L)]]
  function_name <- as.character(call[[1L]])
  if (named[at] %in% patient[[function_name[length(function_name)]]] &&
    is_large(eval(wrong))) {
    wrong <- quote(-1e10)
  }
  # list() keeps the place of an argument that is NULL.
  parts <- as.list(call)
  parts[at] <- list(wrong)
  as.call(parts)
}
