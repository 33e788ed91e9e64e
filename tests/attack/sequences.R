# The kinds of cases: what is done with a world, in an order that chance decides.

# The environment variable KIND names the only kind that is to be tried.
run_case <- function(case) {
  begin_program(case)
  kind <- pick(
    by_hand, by_hand, by_hand, with_objective, with_objective, observed, observed, interrupted,
    compared, wrong_arguments, tampered
  )
  only <- Sys.getenv("KIND")
  if (nzchar(only)) get(only)() else kind()
}

# ---- ask() and tell() ---------------------------------------------------------------------------

by_hand <- function() {
  world <- make_world()
  call <- call_of("bayesgap", make_run_arguments(world))
  if (is_refused(act(call, "x", draws = is.null(call$seed)))) {
    return()
  }
  check_sound(world)
  for (step in seq_len(number_between(1L, 7L))) {
    pick(
      step_ask, step_tell_number, step_tell_rows, step_tell_rows, step_tell_rows, step_extend,
      step_continue, step_update, step_look, step_change, step_change, step_file, step_fail,
      step_retry
    )(world)
  }
  check_sound(world)
  check_file()
  check_replay()
  check_twin(world)
}

step_ask <- function(world) {
  before <- snapshot()
  n <- pick(1L, 2L, 5L, 100L)
  block <- make_block(globalenv()$x)
  out <- make_block(globalenv()$x)
  pending <- maybe(0.3, pick(
    call_of("ask", list(quote(x), block = out)), call_of("ask", list(quote(x), 3, block = out)),
    call("[", call_of("ask", list(quote(x), 2, block = out)), 2, quote(expr = ))
  ))
  ask <- call_of("ask", list(
    quote(x), n, pending = pending, batch = maybe(0.5, "distinct"), block = block
  ))
  first <- act(ask)
  expect(identical_values(first, act(ask)), "asked twice, answered differently")
  if (!is_refused(first)) {
    check_asked(first, n, world)
  }
  check_unchanged(before)
}

# Errors of a policy hold the run, in which environments may differ.
identical_values <- function(a, b) (is_refused(a) && is_refused(b)) || identical(a, b)

check_asked <- function(asked, n, world) {
  x <- globalenv()$x
  expect(is.data.frame(asked) && nrow(asked) <= n, "not at most ", n, " rows")
  names <- arms_of()
  expect(all(as.character(asked$arm) %in% names), "asked for an arm that is none")
  expect(!any(asked$arm %in% names[x$dropped]), "asked for an arm that was dropped")
  expect(!anyDuplicated(asked$pull), "asked for a pull twice")
  expect(all(asked$pull > 0L), "asked for a pull without a number")
  costs <- x$model$cost
  if (is.null(costs)) {
    most <- x$budget + x$freed
    expect(all(asked$pull <= most), "asked for a pull outside the budget")
  } else {
    # Pulls that are out are given by the caller, and may be any.
    paid <- bayesgap:::spent(x) + sum(asked$cost)
    most <- max(x$budget, bayesgap:::spent(x))
    expect(paid <= most + 1e-8 * x$budget, "asked for more than is left")
  }
  expect(!any(asked$pull %in% x$log$pull), "asked for a pull that was told")
  again <- if (is.null(asked$block)) {
    match(asked$arm, names) %in% c(x$log$arm, x$open$arm)
  } else {
    told <- paste(names[x$log$arm], x$blocks[x$log$block])
    paste(asked$arm, asked$block) %in% told | duplicated(asked[c("arm", "block")])
  }
  expect(x$replace || !any(again), "asked for an arm again without `replace`")
}

step_tell_number <- function(world) {
  y <- if (!is.null(world$family)) make_hits(world) else pick(
    round(rnorm(1), 3), 0L, 1e6,
    if (world$wild) pick(1e100, -1e100, 1e-90, NA, Inf, "a", TRUE, quote(NULL), c(1, 2))
  )
  tell_judged(call_of("tell", list(quote(x), y)), world)
}

# One result of a run of rates.
make_hits <- function(world) {
  n <- number_between(1L, 30L)
  hits <- sample.int(n + 1L, 1L) - 1L
  pick(
    0, 1, TRUE, bquote(c(successes = .(hits), trials = .(n))),
    bquote(list(count = .(hits), exposure = .(n / 4))), bquote(list(successes = .(hits))),
    if (world$wild) pick(0.5, -1, NA, "a", quote(c(successes = 3, trials = 2)), c(1, 2)) else 1L
  )
}

# The variable `told` as ask() gave it, with results; then changed in some ways.
step_tell_rows <- function(world) {
  ask <- call_of("ask", list(quote(x), pick(1L, 2L, 4L), block = make_block(globalenv()$x)))
  if (is_refused(act(ask, "told"))) {
    return()
  }
  give_results(nrow(globalenv()$told), world)
  say_failed()
  for (change in seq_len(pick(0L, 0L, 1L, 1L, 2L, 3L))) {
    change_rows <- pick(sort_rows, lose_rows, drop_column, more_columns, odd_values, more_rows)
    try_to_prepare(change_rows(world))
  }
  tell_judged(quote(tell(x, told)), world)
}

# What is empty failed; where that is not said it is refused.
say_failed <- function() {
  results <- intersect(c("y", "successes", "count"), names(globalenv()$told))[1L]
  if (anyNA(globalenv()$told[[results]]) && chance(0.9)) {
    prepare(bquote(told$failed <- is.na(told[[.(results)]])))
  }
}

# As numbers, or the columns of the family.
give_results <- function(n, world) {
  if (is.null(world$family) || chance(0.1)) {
    return(prepare(bquote(told$y <- .(make_results(n, world)))))
  }
  size <- sample.int(50L, n, TRUE)
  hits <- rbinom(n, size, runif(1))
  hits[runif(n) < pick(0, 0, 0.3)] <- NA
  if (world$family == "binomial" && chance(0.3)) {
    prepare(bquote(told$y <- .(pick(hits > 5, as.double(hits > 5)))))
  } else if (world$family == "binomial") {
    prepare(bquote(told[c("successes", "trials")] <- list(.(hits), .(size))))
  } else {
    exposure <- size / pick(1, 10, 1e9)
    prepare(bquote(told[c("count", "exposure")] <- list(.(hits), .(exposure))))
  }
}

make_results <- function(n, world) {
  y <- signif(rnorm(n), 3) * (if (world$wild) pick(1, 1, 1e-60, 1e60) else 1)
  y[runif(n) < pick(0, 0, 0.3)] <- NA
  y
}

sort_rows <- function(world) quote(told <- told[rev(seq_len(nrow(told))), ])

lose_rows <- function(world) quote(told <- told[-1, ])

drop_column <- function(world) {
  pick(
    quote(told$pull <- NULL), quote(told$arm <- NULL), quote(told$pull <- NULL),
    quote(told$block <- NULL)
  )
}

# Columns of one name may be of another class every time.
more_columns <- function(world) {
  name <- as.name(pick("se", "note", "note", "error", "sim", "cost"))
  value <- pick(
    0.5, quote(c(NA, 0)), "a", quote(as.Date("2024-02-29")), quote(factor("k")), TRUE, 3L,
    quote(list(1:2)), quote(list(NULL)), quote(as.POSIXct("2024-02-29", tz = "UTC"))
  )
  bquote(told$.(name) <- rep(.(value), length.out = nrow(told)))
}

odd_values <- function(world) {
  pick(
    quote(told$pull <- rep(NA, nrow(told))), quote(told$pull <- told$pull + 1),
    quote(told$pull <- as.character(told$pull)), quote(told$arm <- factor(told$arm)),
    quote(told$arm <- rep("nobody", nrow(told))), quote(told$arm <- rep(NA, nrow(told))),
    quote(told$y <- as.character(told$y)), quote(told$y <- I(as.matrix(told$y))),
    quote(told$y <- I(as.list(told$y))), quote(told$se <- rep(-1, nrow(told))),
    quote(told$pull <- rep(1, nrow(told))), quote(told$pull <- I(matrix(told$pull))),
    quote(told$arm <- I(as.list(told$arm))), quote(told$y <- told$y > 0),
    quote(told$y <- cbind(told$y, told$y)), quote(told$note <- cbind(told$y, told$y)),
    quote(told$arm <- cbind(told$arm, told$arm)), quote(told$se <- data.frame(a = told$y)),
    quote(told$y <- rep(NA, nrow(told))), quote(told$pull <- as.double(told$pull)),
    quote(told$block <- rep("p2", nrow(told))), quote(told$block <- rep(NA, nrow(told))),
    quote(told$block <- seq_len(nrow(told))), quote(told$y <- rep(1e99, nrow(told))),
    quote(told$y <- rep(NaN, nrow(told))), quote(told$successes <- rep(2, nrow(told))),
    quote(told$trials <- rep(1, nrow(told))), quote(told$trials <- NULL),
    quote(told$count <- -1 * seq_len(nrow(told))), quote(told$exposure <- 0 * seq_len(nrow(told))),
    bquote(told$arm <- .(world$names[1L])[rep(1, nrow(told))])
  )
}

more_rows <- function(world) {
  pick(
    quote(told <- rbind(told, told)), bquote(told <- data.frame(
      arm = .(sample(world$names, 3L, TRUE)), y = .(signif(rnorm(3), 3)), pull = NA
    )),
    bquote(told <- data.frame(
      arm = .(sample(world$names, 2L, TRUE)), y = c(1, NA), failed = c(FALSE, TRUE)
    ))
  )
}

# A result leaves the run as it was; a refusal leaves it as it is.
tell_judged <- function(call, world) {
  before <- snapshot()
  new <- act(call, "y")
  check_unchanged(before)
  if (!is_refused(new)) {
    check_sound(world, "y")
    prepare(quote(x <- y))
  }
}

# ---- Changes by hand ----------------------------------------------------------------------------

step_change <- function(world) {
  tell_judged(pick(
    change_result, change_result, change_result, change_arms, change_arms, change_trials
  )(world, quote(x)), world)
}

# x: a run or the name of a file, in code.
change_result <- function(world, x) {
  run <- globalenv()$x
  pull <- some_of(c(run$log$pull, 1L))
  row <- some_of(c(seq_along(run$log$arm), 1L))
  y <- pick(signif(rnorm(1), 3), NA, 1L, if (world$wild) pick(1e100, Inf, "a", 1e-90) else 0)
  data <- pick(
    bquote(data.frame(pull = .(pull), y = .(y))),
    bquote(data.frame(pull = .(pull), arm = .(sample(arms_of(), 1L)))),
    bquote(data.frame(row = .(row), y = NA, error = "spilt")),
    bquote(data.frame(row = .(row), block = .(pick("p1", "p2", "1")))),
    bquote(data.frame(pull = .(pull), se = .(pick(0.5, NA)))),
    bquote(data.frame(row = .(row), failed = .(chance(0.7)))),
    bquote(data.frame(pull = .(pull), successes = 2, trials = .(pick(9, 1)))),
    quote(as.data.frame(x)), quote(as.data.frame(x)[1:2, 1:3]), quote(told)
  )
  if (is.null(globalenv()$told)) prepare(quote(data.frame(pull = 1, y = 1)), "told")
  pick(
    bquote(amend(.(x), .(pull), .(y))), bquote(amend(.(x), row = .(row), y = .(y))),
    bquote(amend(.(x), .(data)))
  )
}

some_of <- function(values) values[sample.int(length(values), 1L)]

change_arms <- function(world, x) {
  run <- globalenv()$x
  columns <- run$model$arms$data
  new <- pick("new", "newer", some_of(arms_of()))
  rows <- if (!is.null(columns)) {
    bquote(data.frame(arm = .(new), .(as.name("x"))$model$arms$data[1, , drop = FALSE]))
  }
  pick(
    bquote(drop_arms(.(x), .(sample(arms_of(), 1L)))),
    bquote(drop_arms(.(x), .(sample(arms_of(), min(2L, length(arms_of())))))),
    bquote(add_arms(.(x), .(new))), bquote(add_arms(.(x), 2)),
    bquote(add_arms(.(x), .(if (is.null(rows)) new else rows))),
    bquote(add_arms(.(x), .(if (is.null(rows)) new else rows), kernel = k_white())),
    bquote(add_arms(.(x), 1, cov = diag(.(length(arms_of()) + 1L)))),
    if (length(run$dropped)) bquote(add_arms(.(x), .(arms_of()[run$dropped[1L]])))
    else bquote(add_arms(.(x), .(new), prior_mean = 0))
  )
}

change_trials <- function(world, x) {
  bquote(cancel(.(x), .(some_of(c(globalenv()$x$open$pull, 1L)))))
}

# The same in a file, which remembers what is asked.
step_file <- function(world) {
  if (!is.null(globalenv()$x$policy$own) || is_refused(act(quote(save_run(x, "live.bgap"))))) {
    return()
  }
  file <- "live.bgap"
  for (step in seq_len(number_between(1L, 4L))) {
    prepare(bquote(read_run(.(file))), "x")
    pick(file_ask, file_ask, file_tell, file_tell, file_change, file_look)(world, file)
  }
  act(bquote(read_run(.(file))), "x")
  check_sound(world)
  expect(!file.exists("live.bgap.lock"), "a lock is left")
}

file_ask <- function(world, file) {
  n <- pick(1L, 2L, 20L)
  block <- make_block(globalenv()$x)
  ask <- call_of("ask", list(file, n, batch = maybe(0.3, "distinct"), block = block))
  asked <- act(ask)
  if (!is_refused(asked)) {
    check_asked(asked, n, world)
    out <- act(call("ask", file, again = TRUE))
    expect(all(asked$pull %in% out$pull), "asked, and not out")
  }
}

file_tell <- function(world, file) {
  if (is_refused(act(call("open_trials", file), "told"))) return()
  give_results(nrow(globalenv()$told), world)
  say_failed()
  for (change in seq_len(pick(0L, 0L, 1L, 2L))) {
    try_to_prepare(pick(sort_rows, lose_rows, drop_column, odd_values)(world))
  }
  told <- globalenv()$told
  before <- tools::md5sum(file)
  if (is_refused(act(bquote(tell(.(file), told))))) {
    expect(identical(tools::md5sum(file), before), "refused, and written")
  }
}

file_change <- function(world, file) {
  act(pick(change_result, change_arms, change_trials)(world, file))
}

file_look <- function(world, file) {
  for (look in c("best_arm", "posterior", "open_trials", "summary", "plot")) {
    act(call(look, file))
  }
}

# One arm, or two by turns, that fail and fail.
step_fail <- function(world) {
  block <- if (bayesgap:::has_blocks(globalenv()$x)) "p1"
  prepare(call_of("data.frame", list(
    arm = rep(sample(arms_of(), min(2L, length(arms_of()))), length.out = pick(3L, 4L, 7L)), y = NA,
    failed = TRUE, pull = NA, block = block
  )), "told")
  if (chance(0.7)) prepare(quote(told$arm <- told$arm[rep(1L, nrow(told))]))
  tell_judged(quote(tell(x, told)), world)
}

step_retry <- function(world) {
  before <- snapshot()
  arms <- maybe(0.5, sample(arms_of(), 1L))
  new <- act(call_of("retry_arms", list(quote(x), arms)), "y")
  check_unchanged(before)
  if (!is_refused(new)) {
    check_sound(world, "y")
    expect(is.null(arms) || !any(globalenv()$y$failures$own[match(arms, arms_of("y"))] > 0L), "not brought back")
    expect(!is.null(arms) || !any(posterior(globalenv()$y)$status == "failed"), "not all brought back")
    prepare(quote(x <- y))
  }
}

step_extend <- function(world) {
  more <- sample.int(5L, 1L)
  act(bquote(bayesgap(x, budget = x$budget + .(more))), "x")
}

step_continue <- function(world) {
  prepare(make_objective(world), "f")
  budget <- bquote(x$budget + .(sample.int(3L, 1L) - 1L))
  before <- snapshot()
  new <- act(call_of("bayesgap", c(list(quote(x), quote(f), budget = budget), make_manner())), "y")
  check_unchanged(before)
  if (is_refused(new)) take_from_error(new) else prepare(quote(x <- y))
  check_sound(world)
}

# How the pulls are carried out.
make_manner <- function() {
  list(
    batch = maybe(0.4, pick(2L, 5L, c(distinct = 3L), c(fantasy = 2))),
    on_error = maybe(0.3, "stop"), retries = maybe(0.2, pick(1L, 3L)),
    time_limit = maybe(0.1, 30), progress = maybe(0.05, TRUE)
  )
}

# What an error of the objective or the policy keeps is a run like any other.
take_from_error <- function(refused) {
  if (inherits(refused$error$run, "bayesgap")) {
    program$lines <- c(program$lines, "x <- the element `run` of this error")
    assign("x", refused$error$run, globalenv())
  }
}

# Another covariance is looked at only; other numbers are gone on with.
step_update <- function(world) {
  before <- snapshot()
  values <- intersect(names(world$given), names(world$prior))
  anew <- !length(values) || chance(0.5)
  prior <- make_prior(world, world$wild && anew)
  changes <- if (anew) prior$prior else prior$given[values]
  new <- act(as.call(c(quote(update), quote(x), changes)), "y")
  check_unchanged(before)
  if (!is_refused(new)) {
    check_sound(world, "y")
    if (!anew) prepare(quote(x <- y))
  }
}

# All that can be asked of a run.
step_look <- function(world) {
  before <- snapshot()
  for (look in sample(looks(world), 5L)) {
    draws <- identical(look[[1L]], as.name("simulate")) && is.null(look$seed)
    act(look, draws = draws)
  }
  check_unchanged(before)
}

looks <- function(world) {
  arm <- sample(world$names, 1L)
  level <- pick(0.5, 0.999, 1e-9)
  list(
    quote(print(x)), quote(summary(x)), quote(print(summary(x))), quote(format(x)),
    quote(as.data.frame(x)), quote(plot(x)), bquote(plot(x, level = .(level))), quote(logLik(x)),
    quote(AIC(x)), quote(nobs(x)), bquote(posterior(x, .(level), draws = .(pick(1, 500)))),
    bquote(predict(x, .(arm), "reward", .(level))), quote(predict(x)),
    bquote(confint(x, .(arm), .(level))), bquote(simulate(x, 3, seed = 1, type = "reward")),
    quote(simulate(x)), quote(predictive_check(x)), quote(print(predictive_check(x))),
    quote(plot(predictive_check(x))), quote(generics::tidy(x)), quote(generics::glance(x)),
    quote(generics::augment(x)), quote(print(x$model)), quote(print(x$policy)),
    bquote(print(ggplot2::autoplot(x, .(pick("arms", "pulls", "check", "blocks", "log"))))),
    quote(print(ggplot2::autoplot(x, "certainty"))), quote(print(ggplot2::autoplot(x, "surface"))),
    quote(print(ggplot2::autoplot(x, "importance"))),
    quote(print(ggplot2::autoplot(x, "compare", x))),
    quote(block_effects(x)), quote(plot(x, "blocks")), quote(plot(x, "log"))
  )
}

# ---- Many observations --------------------------------------------------------------------------

# A prior that is given, from vague to nearly certain, and rewards that it allows, or such as
# contradict one another.
observed <- function() {
  world <- make_world()
  world["family"] <- world$prior["family"] <- list(NULL)
  sizes <- list(
    prior_mean = pick(0, 1, 100), prior_sd = signif(10^runif(1, -4, 8), 3),
    noise_sd = signif(10^runif(1, -4, 4), 3)
  )
  world$prior[names(sizes)] <- sizes
  run <- call_of("bayesgap", c(
    list(world$arms, budget = 99), world$prior, list(maximise = maybe(0.3, FALSE), seed = 1)
  ))
  if (is_refused(act(run, "x"))) {
    return()
  }
  truth <- sizes$prior_mean + pick(0, sizes$prior_sd) * draw_means(world)
  for (part in seq_len(number_between(1L, 3L))) {
    n <- number_between(1L, 20L)
    arm <- sample.int(world$k, n, TRUE)
    se <- pick(NA, NA, signif(sizes$noise_sd * (0.1 + rexp(n)), 3))
    noise <- if (chance(0.3)) sizes$prior_sd else if (anyNA(se)) sizes$noise_sd else se
    prepare(bquote(data.frame(
      arm = .(world$names[arm]), y = .(truth[arm] + noise * rnorm(n)), pull = NA, se = .(se)
    )), "told")
    tell_judged(quote(tell(x, told)), world)
  }
  check_replay()
  check_twin(world)
  check_file()
}

# Of the covariance, where it is known.
draw_means <- function(world) {
  if (is.null(world$root)) {
    return(numeric(world$k))
  }
  root <- root_of(eval(world$root, globalenv()), world$exact)
  drop(root %*% rnorm(ncol(root)))
}

# ---- An objective -------------------------------------------------------------------------------

# The same seed gives the same run, in one go or with a checkpoint.
with_objective <- function() {
  world <- make_world()
  prepare(make_objective(world), "f")
  arguments <- c(make_run_arguments(world), make_manner(), list(objective = quote(f)))
  arguments$seed <- pick(1L, 2L)
  new <- act(call_of("bayesgap", arguments), "x")
  if (is_refused(new)) {
    take_from_error(new)
  }
  if (is.null(globalenv()$x)) {
    return()
  }
  check_sound(world)
  log <- globalenv()$x$log
  again <- anyDuplicated(data.frame(log$arm, log$block)) # in its block, where there are any
  expect(globalenv()$x$replace || !again, "an arm pulled again without `replace`")
  if (!is_refused(new)) {
    if (chance(0.5)) arguments$checkpoint <- "run.bgap"
    if (!is_refused(act(call_of("bayesgap", arguments), "same"))) {
      expect(same_run(globalenv()$x, globalenv()$same), "the same seed gave another run")
    }
  }
  check_file("other.bgap")
  check_replay()
  check_twin(world)
  step_look(world)
  if (length(bayesgap:::failed_arms(globalenv()$x))) {
    step_retry(world)
    step_continue(world)
    check_file("other.rds")
  }
}

# Stopped at some pull, resumed from its checkpoint: the run that would have been.
interrupted <- function() {
  world <- make_world()
  prepare(make_objective(world), "f")
  arguments <- c(
    make_run_arguments(world, number_between(4L, 12L)),
    list(batch = maybe(0.3, 3L), on_error = "stop")
  )
  arguments$seed <- 1L
  arguments$stop_regret <- NULL
  whole <- act(call_of("bayesgap", c(arguments, objective = quote(f))), "whole")
  at <- number_between(1L, arguments$budget)
  prepare(bquote(function(arm, pull) {
    if (broken && pull$index == .(at)) stop("power cut")
    if (length(formals(f)) == 2L) f(arm, pull) else f(arm)
  }), "g")
  prepare(TRUE, "broken")
  resumable <- call_of("bayesgap", c(arguments, objective = quote(g), checkpoint = "run.bgap"))
  act(resumable, "x")
  if (file.exists("run.bgap")) {
    prepare(FALSE, "broken")
    again <- act(resumable, "x")
    expect(is_refused(whole) == is_refused(again), "resumed, and not as it was without")
    if (!is_refused(whole) && !is_refused(again)) {
      expect(
        same_run(as_in_file(globalenv()$whole), as_in_file(globalenv()$x)),
        "resumed, it is another run"
      )
      check_sound(world)
      more <- bquote(bayesgap(x, g, budget = x$budget + .(sample.int(3L, 1L))))
      if (!is_refused(act(more, "x"))) check_sound(world)
    }
  }
}

# ---- A benchmark --------------------------------------------------------------------------------

compared <- function() {
  world <- make_world()
  known <- list(prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
  if (!is.null(world$family)) {
    known <- list(prior_mean = 0.3, prior_sd = 0.1)
  }
  absent <- if (is.null(world$prior$history)) setdiff(names(known), names(world$prior))
  cost <- list(cost = maybe(0.25, make_cost(world)))
  model <- call_of("arm_model", c(list(world$arms), world$prior, known[absent], cost))
  if (is_refused(act(model, "model"))) {
    return()
  }
  k <- world$k
  problem <- if (!is.null(world$family)) make_rate_problem(world) else pick(
    call_of("problem_gaussian", list(
      quote(model), means = pick(NULL, signif(rnorm(k), 3), make_matrix(2L, k)),
      noise_sd = maybe(0.3, 1), maximise = maybe(0.3, FALSE)
    )),
    bquote(problem_pool(.(make_matrix(k, 4L)), model, maximise = .(chance(0.5))))
  )
  if (is_refused(act(problem, "problem"))) {
    return()
  }
  policies <- as.call(c(quote(list), lapply(1:2, function(i) make_policy_code(world$wild))))
  benchmark <- call_of("benchmark_policies", list(
    quote(problem), policies, pick(3L, c(k, 2L * k)), number_between(1L, 4L), 1,
    keep = maybe(0.5, c("pulls", "recommendations")), chunk_size = maybe(0.2, 1)
  ))
  if (is_refused(act(benchmark, "found"))) {
    return()
  }
  check_table(world)
  act(benchmark, "again")
  expect(identical(globalenv()$found, globalenv()$again), "the same seed gave another table")
  act(quote(summary(found)), "table")
  act(quote(print(table)))
  act(quote(print(found)))
  type <- pick("error", "regret", "rate", "boxplot", "allocation")
  act(bquote(print(ggplot2::autoplot(found, .(type)))))
}

make_rate_problem <- function(world) {
  k <- world$k
  call_of(paste0("problem_", world$family), list(
    quote(model), means = pick(NULL, signif(runif(k), 3), call("matrix", signif(runif(2 * k), 3), 2)),
    if (world$family == "binomial") pick(1, 20, 1e6) else pick(1, 0.1, 1e6),
    maximise = maybe(0.3, FALSE)
  ))
}

check_table <- function(world) {
  found <- globalenv()$found
  expect(all(is.finite(found$regret) & found$regret >= 0), "a regret that is none")
  expect(all(as.character(found$arm) %in% world$names), "an arm that is none was kept")
  spent <- if (is.null(found$spent)) found$pulls else found$spent
  expect(all(spent <= found$budget * (1 + 1e-8)), "more spent than the budget")
}

# ---- Wrong arguments ----------------------------------------------------------------------------

wrong_arguments <- function() {
  prepare_calls()
  for (i in 1:8) {
    call <- spoil(fine_calls[[sample.int(length(fine_calls), 1L)]])
    before <- snapshot("run")
    act(call, draws = TRUE)
    check_unchanged(before, "run")
  }
}

# ---- Files that were changed by someone who knows how --------------------------------------------

tampered <- function() {
  world <- make_world(FALSE)
  blocked <- chance(0.6)
  arguments <- if (blocked) make_blocked(world) else make_run_arguments(world)
  call <- call_of("bayesgap", arguments)
  if (is_refused(act(call, "x", draws = TRUE)) || is_refused(act(quote(tell(x, 1)), "x"))) {
    if (!bayesgap:::has_blocks(globalenv()$x)) return()
  }
  if (blocked) work_in_blocks(world)
  for (i in seq_len(pick(0L, 1L, 3L))) step_change(world)
  part <- pick("settings", "facts")
  of <- c(facts = quote(bayesgap:::facts_of(x)), settings = quote(bayesgap:::settings_of(x)))
  prepare(of[[part]], part)
  for (i in seq_len(pick(1L, 1L, 2L))) {
    if (blocked && chance(0.7)) tamper_blocks(part) else tamper(part)
  }
  prepare(make_file_code(part))
  if (!is_refused(act(quote(read_run("run.bgap")), "x"))) {
    check_sound(world)
    check_kept()
    step_look(world)
    step_ask(world)
    step_tell_number(world)
    if (blocked) step_tell_rows(world)
  }
  act(as.call(c(as.list(call), checkpoint = "run.bgap")), draws = TRUE)
}

# A run that has all the fields of blocks: results in some, pulls that are out, and a batch that was
# not finished where the run chooses the blocks itself.
make_blocked <- function(world) {
  arguments <- make_run_arguments(world, number_between(8L, 16L))
  arguments[c("blocks", "block_sd", "block_arm_sd", "control", "replace", "stop_regret")] <- NULL
  arguments$arms <- world$arms
  arguments[names(world$prior)] <- world$prior
  arguments$policy <- pick("bayesgap", "thompson", "ei")
  c(arguments, make_blocks(world))
}

work_in_blocks <- function(world) {
  for (turn in seq_len(number_between(2L, 4L))) {
    fixed <- globalenv()$x$model$blocks
    block <- if (is.null(fixed)) pick("p1", "p2", "p3") else maybe(0.5, sample(fixed, 1L))
    ask <- call_of("ask", list(quote(x), pick(2L, 3L), block = block))
    if (is_refused(act(ask, "told")) || nrow(globalenv()$told) == 0L) return()
    prepare(bquote(told$y <- .(make_results(nrow(globalenv()$told), world))))
    if (chance(0.5)) prepare(lose_rows(world)) # the first is still out
    tell_judged(quote(tell(x, told)), world)
    if (chance(0.5)) step_extend(world)
  }
  if (!is.null(fixed) && chance(0.5)) {
    prepare(quote(x$underway <- c(bayesgap:::ask_rows(unclass(x), 2L), list(results = list()))))
  }
}

# Some element, at any depth, becomes something else.
tamper <- function(part) {
  place <- as.name(part)
  value <- globalenv()[[part]]
  while (is.list(value) && length(value) && (identical(place, as.name(part)) || chance(0.7))) {
    at <- sample.int(length(value), 1L)
    place <- call("[[", place, if (is.null(names(value))) at else names(value)[at])
    inner <- unclass(value)[at]
    if (identical(inner[[1L]], quote(expr = ))) break # a junk list's argument without a value
    value <- inner[[1L]]
  }
  wrong <- junk[[sample.int(length(junk), 1L)]]
  change_place(place, pick(
    wrong, wrong, bquote(rev(.(place))), bquote(.(place)[-1]), bquote(c(.(place), .(place)))
  ))
}

# Through list(), since NULL would remove it.
change_place <- function(place, value) {
  try_to_prepare(call("<-", `[[<-`(place, 1L, as.name("[")), bquote(list(.(value)))))
}

# What says something of blocks becomes what it might have been in another run, or nearly.
tamper_blocks <- function(part) {
  place <- if (part == "settings") {
    pick(
      quote(settings[["blocks"]]), quote(settings[["block_sd"]]), quote(settings[["control"]]),
      quote(settings[["block_arm_sd"]]),
      quote(settings[["replace"]]), quote(settings[["init"]])
    )
  } else {
    pick(
      quote(facts[["blocks"]]), quote(facts[["log"]][["block"]]),
      quote(facts[["epoch"]][["open"]][["block"]]), quote(facts[["underway"]][["block"]]),
      quote(facts[["log"]][["arm"]]), quote(facts[["epoch"]][["rows"]])
    )
  }
  one <- function(...) bquote(replace(.(place), .(pick(1, 2, quote(length(x$log$arm)))), .(pick(...))))
  change_place(place, pick(
    one(0L, NA_integer_, -1L, 1L, 2L, 3L, 99L, .Machine$integer.max), one("p1", "p9", NA, ""),
    bquote(rev(.(place))), bquote(.(place)[-1]), bquote(c(.(place), .(place))),
    bquote(as.double(.(place))), bquote(as.integer(.(place))), bquote(as.character(.(place))),
    bquote(rep(NA_integer_, length(.(place)))), bquote(rep(1L, length(.(place)))),
    bquote(c(.(place), "more")), bquote(structure(.(place), class = "odd")),
    bquote(sample(.(place))), quote(NULL), c("p1", "p2"), 1L, 2L, 0, -1, 1e-200, 1.5, FALSE
  ))
}

# Header, version of the bytes and checksum as they should be, or a wrong header or version.
make_file_code <- function(part) {
  version <- if (chance(0.95)) 2L else 3L
  other <- if (part == "settings") quote(facts <- bayesgap:::facts_of(x)) else
    quote(settings <- bayesgap:::settings_of(x))
  prepare(other)
  prepare(bquote(serialize(settings, NULL, version = .(version))), "bytes")
  length <- if (chance(0.9)) quote(length(bytes)) else pick(0, 1e9, -1, quote(length(bytes) - 9))
  grows <- chance(0.3)
  format <- if (grows) quote(bayesgap:::growing_format) else quote(bayesgap:::format_number)
  prepare(bquote(serialize(facts, NULL, version = .(version))), "facts_bytes")
  prepare(bquote(c(
    charToRaw(sprintf("format %d, version 0.1.0, settings %.0f\n", .(format), .(length))), bytes,
    .(if (grows) quote(charToRaw(sprintf("facts %.0f\n", length(facts_bytes))))), facts_bytes
  )), "body")
  # A record in which nothing is new, once or twice, behind whatever there is.
  for (i in seq_len(if (grows) pick(0L, 1L, 2L) else 0L)) {
    prepare(quote(serialize(bayesgap:::new_facts(x, x), NULL, version = 2L)), "record")
    prepare(quote(c(body, bayesgap:::pack_record(record, bayesgap:::checksum(body)))), "body")
  }
  quote(writeBin(c(
    charToRaw(paste0(bayesgap:::magic, bayesgap:::checksum(body), "\n")), body
  ), "run.bgap"))
}
