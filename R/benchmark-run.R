# Runs of policies in problems: which are needed, in chunks, on workers where there are any.

# A run from R, for a policy written in R; it asks the policy once, so that one that cannot
# answer is found at the start.
start_own <- function(problem, policy, budget, seed) {
  new_run(list(
    model = problem$model, policy = policy, budget = budget, maximise = problem$maximise,
    replace = is.null(problem$model$blocks), stop_regret = NULL, init = NULL, seed = seed,
    count_failures = TRUE
  ))
}

# One stream a replication, for every problem and policy.
replication_streams <- function(seed, reps) {
  streams <- vector("list", reps)
  stream <- new_stream(seed)
  for (r in seq_len(reps)) {
    streams[[r]] <- stream
    stream <- nextRNGStream(stream)
  }
  streams
}

# What is run of every problem. What a policy cannot do is left out, with a message.
plan_all <- function(problems, policies, budget) {
  plans <- lapply(problems, plan_runs, policies, budget)
  if (!any(lengths(lapply(plans, `[[`, "runs")))) {
    stop(plans[[1L]]$unfit[[1L]])
  }
  for (i in seq_along(plans)) {
    for (e in plans[[i]]$unfit) {
      message("Left out of problem ", quoted(names(problems)[i]), ": ", conditionMessage(e))
    }
  }
  plans
}

# Of one problem: runs, those of one replication, each list(policy, budget, after, cells); cells,
# which policy at which budget fills a row; unfit, why others do not, as errors. A run fills one
# cell, or those of all budgets when the policy does not look at them.
plan_runs <- function(problem, policies, budget) {
  plan <- list(runs = list(), cells = NULL, unfit = list())
  for (name in names(policies)) {
    policy <- policies[[name]]
    if (!is.null(policy$own)) {
      start_own(problem, policy, max(budget), 1L)
    }
    reasons <- lapply(budget, function(most) why_unfit(problem, policy, most))
    fits <- budget[vapply(reasons, is.null, TRUE)]
    plan$unfit <- c(plan$unfit, Filter(Negate(is.null), reasons))
    # An arm that is not affordable is not pulled: a smaller budget is not the way to a larger one.
    anytime <- is_anytime(policy) && is.null(problem$model$cost)
    together <- if (anytime && length(fits)) list(fits) else fits
    for (after in together) {
      cells <- NROW(plan$cells) + seq_along(after)
      plan$cells <- rbind(plan$cells, data.frame(policy = name, budget = after))
      run <- list(policy = policy, budget = max(after), after = after, cells = cells)
      plan$runs <- c(plan$runs, list(run))
    }
  }
  plan
}

# As run_task() makes it of a run, and, where pulls cost differently, what may be spent, in units of
# the mean cost, and the pulls that may be made.
problem_task <- function(problem, budget) {
  n <- length(problem$model$blocks)
  cost <- problem$model$cost
  relative <- relative_cost(cost)
  list(
    budget_in_pulls(budget, cost), NULL, NULL,
    if (n) list(n, n, NA_integer_, integer(), integer()), NULL, FALSE, relative,
    if (!is.null(relative)) c(budget / mean(cost), pulls_of_problem(problem, budget))
  )
}

# The most that a run may make.
pulls_of_problem <- function(problem, budget) {
  cost <- problem$model$cost
  n <- length(problem$model$blocks) * n_arms(problem$model$arms)
  most <- most_pulls(budget, cost)
  if (is.null(relative_cost(cost))) budget_in_pulls(budget, cost) else if (n) min(most, n) else most
}

# NULL, or the error that says what is missing.
why_unfit <- function(problem, policy, budget) {
  tryCatch(
    check_policy_fits(problem$prior, problem$fit, policy, problem_task(problem, budget)),
    bayesgap_error = identity
  )
}

is_anytime <- function(policy) {
  if (!is.null(policy$own)) {
    return(FALSE)
  }
  table <- policies()
  isTRUE(table$anytime[match(policy$name, table$policy)])
}

# Some replications of one problem each: list(number, problem, runs, reps, streams).
cut_chunks <- function(problems, plans, streams, size, workers) {
  reps <- seq_along(streams)
  if (is.null(size)) {
    pieces <- if (is.null(workers)) 100 else 4 * min(workers, 100)
    size <- ceiling(length(reps) * length(problems) / pieces)
  }
  cuts <- split(reps, (reps - 1L) %/% size)
  worth <- which(lengths(lapply(plans, `[[`, "runs")) > 0L)
  chunks <- lapply(unname(worth), function(number) {
    runs <- plans[[number]]$runs
    problem <- problem_to_send(problems[[number]], runs)
    lapply(unname(cuts), function(reps) {
      list(
        number = number, problem = problem, runs = runs, reps = reps, streams = streams[reps]
      )
    })
  })
  do.call(c, chunks)
}

# The model has the prior once more, which doubles what a worker waits for. Only a policy written
# in R is told the model.
problem_to_send <- function(problem, runs) {
  own <- vapply(runs, function(run) !is.null(run$policy$own), TRUE)
  if (!any(own)) {
    problem$model <- problem$model[c("arms", "blocks", "cost")]
  }
  problem
}

run_chunks <- function(chunks, keep, progress, parallel) {
  bar <- benchmark_bar(length(chunks), progress && !parallel)
  on.exit(bar$close())
  if (!parallel) {
    return(lapply(chunks, run_chunk, keep, bar$tick))
  }
  tryCatch(
    future.apply::future_lapply(
      chunks, run_chunk_there, keep, bar$tick,
      future.seed = NULL, future.chunk.size = 1, future.label = "bayesgap-%d",
      future.packages = "bayesgap"
    ),
    FutureError = function(e) {
      abort(
        "worker", "The workers of your plan() did not carry it out: ",
        plain_reason(conditionMessage(e)),
        "\nWhen that is mended, the same call with the same `seed` gives the same table."
      )
    }
  )
}

# On a worker, which has the package. Functions that are not exported and that this one named would
# be sent with every chunk, one after the other, and the worker would wait for each.
run_chunk_there <- function(chunk, keep, tick) {
  getNamespace("bayesgap")$run_chunk(chunk, keep, tick)
}

# The replications of a chunk: matrices of one row a cell and one column a replication.
run_chunk <- function(chunk, keep, tick) {
  runs <- chunk$runs
  cells <- sum(lengths(lapply(runs, `[[`, "cells")))
  reps <- length(chunk$reps)
  best <- pulls <- matrix(0L, cells, reps)
  regret <- spent <- matrix(0, cells, reps)
  pulled <- if ("pulls" %in% keep) matrix(list(), cells, reps)
  recommended <- if ("recommendations" %in% keep) matrix(list(), cells, reps)
  problem <- chunk$problem
  for (i in seq_len(reps)) {
    problem$world <- problem_world(problem, chunk$reps[i])
    for (run in runs) {
      most <- pulls_of_problem(problem, run$budget)
      ends <- if (is.null(problem$model$cost)) run$after else most
      after <- if (is.null(recommended)) ends else seq_len(most)
      got <- run_replication(problem, run$policy, run$budget, after, chunk$streams[[i]])
      at <- match(ends, after)
      best[run$cells, i] <- got$best[at]
      regret[run$cells, i] <- got$regret[at]
      made <- pmin(ends, sum(!is.na(got$arm)))
      pulls[run$cells, i] <- made
      paid <- sum(problem$model$cost[got$arm], na.rm = TRUE)
      spent[run$cells, i] <- if (is.null(problem$model$cost)) made else paid
      if (!is.null(pulled)) {
        pulled[run$cells, i] <- lapply(made, function(n) got$arm[seq_len(n)])
      }
      if (!is.null(recommended)) {
        asked <- if (is.null(problem$model$cost)) run$after else made
        recommended[run$cells, i] <- lapply(asked, function(n) got$best[seq_len(n)])
      }
    }
  }
  tick()
  list(
    best = best, regret = regret, pulls = pulls, pulled = pulled, recommended = recommended,
    spent = spent
  )
}

# One run of one policy in problem$world: list(arm, y, best, regret), arm and y of every
# pull (NA: not made), best and regret after so many pulls each. The only place where a
# policy meets a problem.
run_replication <- function(problem, policy, budget, after, stream) {
  if (!is.null(policy$own)) {
    return(run_own(problem, policy, budget, after, stream))
  }
  with_stream(stream, .Call(
    bg_run, problem$prior, problem$fit, policy, problem_task(problem, budget), problem$world, after
  ))
}

# The same for a policy written in R, step by step. The truth is the one that the others meet;
# the run has streams of its own, since those that follow the replication's belong to the next.
run_own <- function(problem, policy, budget, after, stream) {
  seed <- with_stream(nextRNGSubStream(stream), draw_seed())
  x <- start_own(problem, policy, budget, seed)
  world <- problem$world
  world$mean <- with_stream(
    stream, .Call(bg_world_mean, problem$prior, problem$fit, problem$world)
  )
  best <- integer(length(after))
  while (!is_done(x)) {
    todo <- ask_rows(x, 1L)
    reward <- with_stream(
      objective_stream(x$stream), pull_world(world, todo$arm, todo$block)
    )
    x <- learn(x, c(todo, list(reward = reward, se = NA_real_)))
    best[after == x$last] <- x$belief$best
  }
  best[after > x$last] <- x$belief$best
  unmade <- rep(NA, max(0L, pulls_of_problem(problem, budget) - x$last))
  list(
    arm = c(x$log$arm, unmade), y = c(x$log$reward, unmade), best = best,
    regret = max(world$mean) - world$mean[best]
  )
}

pull_world <- function(world, arm, block = NA) {
  law <- world$law
  rate <- law$side * world$mean[arm]
  if (law$name == "binomial") {
    return(law$side * stats::rbinom(1L, law$size, rate) / law$size)
  }
  if (law$name == "poisson") {
    return(law$side * stats::rpois(1L, law$size * rate) / law$size)
  }
  if (is.null(world$pool)) {
    return(world$mean[arm] + world$noise_sd[arm] * stats::rnorm(1L))
  }
  if (!is.na(block)) {
    return(world$pool[arm, block])
  }
  world$pool[arm, 1L + floor(stats::runif(1L) * ncol(world$pool))]
}

# Are there workers, and can they be used?
uses_future <- function() {
  if (!has_workers()) {
    return(FALSE)
  }
  found <- requireNamespace("future.apply", quietly = TRUE)
  if (!found) {
    message("To use the workers of your plan(), install the package future.apply.")
  }
  found
}
