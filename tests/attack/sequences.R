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
      step_continue, step_update, step_look, step_fail, step_retry
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
  expect(all(as.character(asked$arm) %in% world$names), "asked for an arm that is none")
  expect(!anyDuplicated(asked$pull), "asked for a pull twice")
  expect(all(asked$pull > 0L & asked$pull <= x$budget), "asked for a pull outside the budget")
  expect(!any(asked$pull %in% x$log$pull), "asked for a pull that was told")
  again <- if (is.null(asked$block)) {
    match(asked$arm, world$names) %in% c(x$log$arm, x$open$arm)
  } else {
    told <- paste(world$names[x$log$arm], x$blocks[x$log$block])
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
  for (change in seq_len(pick(0L, 0L, 1L, 1L, 2L, 3L))) {
    change_rows <- pick(sort_rows, lose_rows, drop_column, more_columns, odd_values, more_rows)
    try_to_prepare(change_rows(world))
  }
  tell_judged(quote(tell(x, told)), world)
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
  name <- as.name(pick("se", "note", "note", "error", "sim"))
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
    bquote(told <- data.frame(arm = .(sample(world$names, 2L, TRUE)), y = c(1, NA)))
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

# One arm, or two by turns, that fail and fail.
step_fail <- function(world) {
  block <- if (bayesgap:::has_blocks(globalenv()$x)) "p1"
  prepare(call_of("data.frame", list(
    arm = rep(sample(world$names, min(2L, world$k)), length.out = pick(3L, 4L, 7L)), y = NA,
    pull = NA, block = block
  )), "told")
  if (chance(0.7)) prepare(quote(told$arm <- told$arm[rep(1L, nrow(told))]))
  tell_judged(quote(tell(x, told)), world)
}

step_retry <- function(world) {
  before <- snapshot()
  arms <- maybe(0.5, sample(world$names, 1L))
  new <- act(call_of("retry_arms", list(quote(x), arms)), "y")
  check_unchanged(before)
  if (!is_refused(new)) {
    check_sound(world, "y")
    expect(is.null(arms) || !any(globalenv()$y$failures[match(arms, world$names)] > 0L), "not brought back")
    expect(!is.null(arms) || all(globalenv()$y$failures < 3L), "not all brought back")
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
    bquote(print(ggplot2::autoplot(x, .(pick("arms", "pulls", "check"))))),
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
    if (chance(0.5)) arguments$checkpoint <- "run.rds"
    if (!is_refused(act(call_of("bayesgap", arguments), "same"))) {
      expect(same_run(globalenv()$x, globalenv()$same), "the same seed gave another run")
    }
  }
  check_file("other.rds")
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
  resumable <- call_of("bayesgap", c(arguments, objective = quote(g), checkpoint = "run.rds"))
  act(resumable, "x")
  if (file.exists("run.rds")) {
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
  model <- as.call(c(quote(arm_model), world$arms, world$prior, known[absent]))
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
  expect(all(found$pulls <= found$budget), "more pulls than the budget")
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
  part <- pick("settings", "facts")
  of <- c(facts = quote(bayesgap:::facts_of(x)), settings = quote(bayesgap:::settings_of(x)))
  prepare(of[[part]], part)
  for (i in seq_len(pick(1L, 1L, 2L))) {
    if (blocked && chance(0.7)) tamper_blocks(part) else tamper(part)
  }
  prepare(make_file_code(part))
  if (!is_refused(act(quote(read_run("run.rds")), "x"))) {
    check_sound(world)
    check_kept()
    step_look(world)
    step_ask(world)
    step_tell_number(world)
    if (blocked) step_tell_rows(world)
  }
  act(as.call(c(as.list(call), checkpoint = "run.rds")), draws = TRUE)
}

# A run that has all the fields of blocks: results in some, pulls that are out, and a batch that was
# not finished where the run chooses the blocks itself.
make_blocked <- function(world) {
  arguments <- make_run_arguments(world, number_between(8L, 16L))
  arguments[c("blocks", "block_sd", "control", "replace", "stop_regret")] <- NULL
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
  prepare(bquote(c(
    charToRaw(sprintf(
      "format %d, version 0.1.0, settings %.0f\n", bayesgap:::format_number, .(length)
    )), bytes,
    serialize(facts, NULL, version = .(version))
  )), "body")
  quote(writeBin(c(
    charToRaw(paste0(bayesgap:::magic, bayesgap:::checksum(body), "\n")), body
  ), "run.rds"))
}
