# benchmark_policies(): problems x policies x budgets x replications -> one table.

#' Compare policies on problems whose answer is known
#'
#' `benchmark_policies()` lets policies spend their budgets on simulated problems many times
#' over and tells how much each lost by the arm it kept. Use it to choose a policy or a
#' prior for experiments to come, or to study a policy of your own.
#'
#' Replication `r` has random numbers of its own, which depend on `seed` and `r` alone. All
#' policies start from them: where the truth is drawn from the prior they all meet the same
#' truth, which makes comparisons sharper. The table is therefore the same for any number
#' of workers, any `chunk_size`, and whatever else is compared in the same call; the first
#' replications of a longer benchmark are those of a shorter one.
#'
#' A policy that needs more pulls than a budget allows, or cannot work with the arms of a problem,
#' is left out there, and a message says so; it is an error when nothing is left.
#'
#' Policies whose choices do not depend on the budget (`policies()$anytime`) run once with
#' the largest budget and are asked on their way there; the others run once for every
#' budget. Policies written in R run step by step in R, which takes far longer; on workers
#' they must not use objects of the session.
#'
#' When a [future::plan()] other than sequential is set and the package future.apply is
#' installed, replications are spread over its workers. Progress is reported through the
#' package progressr where its handlers are on (also from the workers), else by a plain bar.
#' The session's random numbers are left as they were.
#'
#' @section Who wins:
#' Mean regret in 500 replications, in brackets half of a 95 % interval, of means drawn from
#' the prior that the policies are told (prior sd 1, noise sd 0.5): 20 arms on a line with 22
#' pulls, and 160 arms in five classes with 40 and with 160 pulls.
#'
#' | policy | 20 arms, T = 22 | 160 arms, T = 40 | 160 arms, T = 160 |
#' |---|---|---|---|
#' | kg | 0.044 (0.008) | 0.145 (0.021) | 0.017 (0.004) |
#' | mes | 0.059 (0.010) | 0.139 (0.020) | 0.018 (0.005) |
#' | gpucb | 0.063 (0.011) | 0.160 (0.022) | 0.028 (0.006) |
#' | bayesgap | 0.066 (0.012) | 0.264 (0.033) | 0.061 (0.014) |
#' | bayes_ucbe | 0.077 (0.012) | 0.194 (0.024) | 0.023 (0.004) |
#' | ttts | 0.083 (0.013) | 0.230 (0.030) | 0.029 (0.006) |
#' | bayesucb | 0.093 (0.017) | 0.309 (0.035) | 0.051 (0.011) |
#' | thompson | 0.094 (0.014) | 0.206 (0.026) | 0.034 (0.008) |
#' | uniform | 0.099 (0.016) | 0.399 (0.038) | 0.111 (0.015) |
#' | ei | 0.111 (0.019) | 0.440 (0.042) | 0.244 (0.032) |
#' | ucbe | 0.150 (0.019) | - | 0.261 (0.026) |
#' | rejects | 0.165 (0.020) | - | 0.261 (0.026) |
#' | ugap | 0.168 (0.023) | - | 0.261 (0.026) |
#' | pi | 0.332 (0.038) | 0.919 (0.058) | 0.611 (0.048) |
#'
#' The knowledge gradient is hard to beat when the prior is right, at a hundred times the cost
#' of a round. BayesGap beats uniform sampling, EI and PI, and with few pulls an arm also the
#' methods that ignore the correlation; it is not the best of the rest. These are model-true problems: with a wrong prior the order may
#' be another. The whole table is `bench/POLICIES.md` in the source repository.
#'
#' @param problems A problem, made by [problem_gaussian()] or [problem_pool()], or a list of
#'   them, best with names.
#' @param policies Names of policies (see [policies()]), a [policy()], or a list of both;
#'   names, where given, replace the policies' own in the table.
#' @param budget Numbers of pulls, one or several.
#' @param reps The number of replications of every problem.
#' @param seed A whole number; the same seed gives the same table. `NULL`: drawn from the
#'   session's generator.
#' @param ... Must be empty.
#' @param keep What to keep besides, any of `"pulls"` and `"recommendations"`; it adds the
#'   list columns `pulled` and `recommended`.
#' @param chunk_size Replications carried out together, of which a worker gets one or more
#'   chunks. `NULL`: about four chunks a worker.
#' @param progress Show a progress bar where progressr shows none (on the message stream)?
#'
#' @return A data frame of class `bayesgap_benchmark` with one row for each problem, policy,
#'   budget and replication that was run:
#'   \item{problem, policy}{names}
#'   \item{budget}{pulls that were allowed}
#'   \item{rep}{number of the replication}
#'   \item{arm}{the arm that was kept: its name, or its number}
#'   \item{regret}{true mean of the best arm minus that of the arm kept (the other way round
#'     when minimising); at least 0, and 0 for differences that are rounding}
#'   \item{error}{was a worse arm kept than the best?}
#'   \item{pulls}{pulls that were made, fewer than the budget when nothing was left to learn}
#'   \item{pulled, recommended}{if kept: the arms pulled, in order; the arms that would have
#'     been kept after 1, 2, ... pulls}
#'   [summary()][summary.bayesgap_benchmark] gives means with intervals,
#'   [autoplot()][autoplot.bayesgap_benchmark] pictures.
#' @seealso [problem_gaussian()], [policies()]
#' @export
#' @examples
#' dial <- 1:20
#' model <- arm_model(20, cov = exp(-outer(dial, dial, "-")^2 / 18),
#'                    prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
#' found <- benchmark_policies(
#'   list(smooth = problem_gaussian(model)),
#'   list("bayesgap", paper = policy("bayesgap", variant = "paper"), "uniform"),
#'   budget = c(25, 50), reps = 40, seed = 1
#' )
#' found
#' summary(found, epsilon = 0.1)
#' head(as.data.frame(found))
benchmark_policies <- function(problems, policies, budget, reps = 100L, seed = NULL, ...,
                               keep = NULL, chunk_size = NULL, progress = interactive()) {
  check_dots(...)
  problems <- as_problems(if (!missing(problems)) problems)
  policies <- as_policies(if (!missing(policies)) policies)
  budget <- check_budgets(if (!missing(budget)) budget)
  reps <- check_count(reps, "reps")
  keep <- check_keep(keep)
  if (!is.null(chunk_size)) {
    chunk_size <- check_count(chunk_size, "chunk_size")
  }
  progress <- check_flag(progress, "progress")
  check_benchmark_memory(problems, length(policies), budget, reps, keep)
  plans <- plan_all(problems, policies, budget)
  streams <- replication_streams(check_seed(seed), reps)
  parallel <- uses_future()
  chunks <- cut_chunks(problems, plans, streams, chunk_size, if (parallel) future::nbrOfWorkers())
  parts <- run_chunks(chunks, keep, progress, parallel)
  at <- vapply(chunks, function(chunk) chunk$number, 1L)
  tables <- lapply(unique(at), function(i) {
    benchmark_columns(names(problems)[i], problems[[i]], plans[[i]]$cells, parts[at == i])
  })
  columns <- lapply(names(tables[[1L]]), function(name) {
    do.call(c, lapply(tables, `[[`, name))
  })
  names(columns) <- names(tables[[1L]])
  as_benchmark(quick_frame(columns), lapply(problems, function(p) p$model$arms$names))
}

# ---- Arguments -------------------------------------------------------------------------------

# A named list of problems. Without a name it goes by its kind.
as_problems <- function(problems) {
  if (inherits(problems, "bayesgap_problem") || !is.list(problems) || !length(problems)) {
    problems <- list(check_problem(problems))
  }
  lapply(problems, check_problem)
  own <- vapply(problems, function(p) p$kind, "")
  name_all(problems, make.unique(own, sep = " "), "problem", "problems")
}

# A named list of policies. Without a name it goes by its text.
as_policies <- function(policies) {
  if (inherits(policies, "bayesgap_policy")) {
    policies <- list(policies)
  }
  if (!is.list(policies) && !is.character(policies) || !length(policies)) {
    abort_argument(
      "policy", "policies", "names of policies, made by policy(), or a list of both", policies
    )
  }
  policies <- lapply(policies, function(p) {
    if (inherits(p, "bayesgap_policy")) p else make_policy(p, list(), "policies")
  })
  own <- vapply(policies, function(p) format(p)[1L], "")
  name_all(policies, own, "policy", "policies")
}

name_all <- function(x, own, what, arg) {
  given <- names(x)
  if (is.null(given)) {
    given <- rep("", length(x))
  }
  blank <- is.na(given) | !nzchar(given)
  given[blank] <- own[blank]
  if (anyDuplicated(given)) {
    abort(
      what, "`", arg, "` must have different names; twice or more: ",
      quoted(unique(given[duplicated(given)])), "."
    )
  }
  names(x) <- given
  x
}

check_budgets <- function(budget) {
  if (!is.numeric(budget) || !length(budget)) {
    abort_argument("budget", "budget", "whole numbers from 1", budget)
  }
  sort(unique(vapply(unname(budget), check_count, 1L, "budget")))
}

check_keep <- function(keep) {
  choices <- c("pulls", "recommendations")
  if (!is.null(keep) && !is.character(keep)) {
    abort_argument("keep", "keep", paste("NULL or any of", quoted(choices)), keep)
  }
  for (one in keep) {
    check_choice(one, "keep", choices)
  }
  keep
}

# The table, while its parts are put together, and one run at a time.
check_benchmark_memory <- function(problems, policies, budget, reps, keep) {
  k <- vapply(problems, function(p) n_arms(p$model$arms), 1L)
  correlated <- vapply(problems, function(p) prior_kind(p$prior) != "independent", TRUE)
  rows <- as.double(length(problems)) * policies * length(budget) * reps
  most <- max(budget)
  kept <- 8 * length(keep) * most
  run <- 50 * most + max(arm_bytes * k + correlated * 16 * pmin(most, k) * k)
  check_memory(
    100 * reps + rows * (300 + kept) + run,
    sprintf(
      "A benchmark of %s with budgets up to %s", count_of(rows, "run"), grouped(most)
    ),
    "Choose fewer `reps` or a smaller `budget`, and put tables together with rbind()."
  )
}

# A run from R, for a policy written in R; it asks the policy once, so that one that cannot
# answer is found at the start.
start_own <- function(problem, policy, budget, seed) {
  new_run(list(
    model = problem$model, policy = policy, budget = budget, maximise = problem$maximise,
    replace = TRUE, stop_regret = NULL, init = NULL, seed = seed
  ))
}

# ---- What is to be run -----------------------------------------------------------------------

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
    together <- if (is_anytime(policy) && length(fits)) list(fits) else fits
    for (after in together) {
      cells <- NROW(plan$cells) + seq_along(after)
      plan$cells <- rbind(plan$cells, data.frame(policy = name, budget = after))
      run <- list(policy = policy, budget = max(after), after = after, cells = cells)
      plan$runs <- c(plan$runs, list(run))
    }
  }
  plan
}

# NULL, or the error that says what is missing.
why_unfit <- function(problem, policy, budget) {
  tryCatch(
    check_policy_fits(problem$prior, problem$fit, policy, list(budget, NULL, NULL)),
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
    lapply(unname(cuts), function(reps) {
      list(
        number = number, problem = problems[[number]], runs = plans[[number]]$runs, reps = reps,
        streams = streams[reps]
      )
    })
  })
  do.call(c, chunks)
}

# ---- The loop --------------------------------------------------------------------------------

run_chunks <- function(chunks, keep, progress, parallel) {
  bar <- benchmark_bar(length(chunks), progress && !parallel)
  on.exit(bar$close())
  if (!parallel) {
    return(lapply(chunks, run_chunk, keep, bar$tick))
  }
  tryCatch(
    future.apply::future_lapply(
      chunks, run_chunk, keep, bar$tick,
      future.seed = NULL, future.chunk.size = 1, future.label = "bayesgap-%d"
    ),
    FutureError = function(e) {
      abort(
        "worker", "A worker was lost: ", conditionMessage(e),
        "\nThe same call with the same `seed` gives the same table; try it again."
      )
    }
  )
}

# The replications of a chunk: matrices of one row a cell and one column a replication.
run_chunk <- function(chunk, keep, tick) {
  runs <- chunk$runs
  cells <- sum(lengths(lapply(runs, `[[`, "cells")))
  reps <- length(chunk$reps)
  best <- pulls <- matrix(0L, cells, reps)
  regret <- matrix(0, cells, reps)
  pulled <- if ("pulls" %in% keep) matrix(list(), cells, reps)
  recommended <- if ("recommendations" %in% keep) matrix(list(), cells, reps)
  problem <- chunk$problem
  for (i in seq_len(reps)) {
    problem$world <- problem_world(problem, chunk$reps[i])
    for (run in runs) {
      after <- if (is.null(recommended)) run$after else seq_len(run$budget)
      got <- run_replication(problem, run$policy, run$budget, after, chunk$streams[[i]])
      at <- match(run$after, after)
      best[run$cells, i] <- got$best[at]
      regret[run$cells, i] <- got$regret[at]
      made <- pmin(run$after, sum(!is.na(got$arm)))
      pulls[run$cells, i] <- made
      if (!is.null(pulled)) {
        pulled[run$cells, i] <- lapply(made, function(n) got$arm[seq_len(n)])
      }
      if (!is.null(recommended)) {
        recommended[run$cells, i] <- lapply(run$after, function(n) got$best[seq_len(n)])
      }
    }
  }
  tick()
  list(best = best, regret = regret, pulls = pulls, pulled = pulled, recommended = recommended)
}

# One run of one policy in problem$world: list(arm, y, best, regret), arm and y of every
# pull (NA: not made), best and regret after so many pulls each. The only place where a
# policy meets a problem.
run_replication <- function(problem, policy, budget, after, stream) {
  if (!is.null(policy$own)) {
    return(run_own(problem, policy, budget, after, stream))
  }
  with_stream(stream, .Call(
    bg_run, problem$prior, problem$fit, policy, list(budget, NULL), problem$world, after
  ))
}

# The same for a policy written in R, step by step. The truth is the one that the others meet;
# the run has streams of its own, since those that follow the replication's belong to the next.
run_own <- function(problem, policy, budget, after, stream) {
  seed <- with_stream(nextRNGSubStream(stream), draw_seed())
  x <- start_own(problem, policy, budget, seed)
  world <- problem$world
  if (is.null(world$mean)) {
    world$mean <- drop(with_stream(
      stream, .Call(bg_draws, problem$prior, problem$fit, x$belief, 1L)
    ))
  }
  best <- integer(length(after))
  while (!is_done(x)) {
    todo <- ask_rows(x, 1L)
    reward <- with_stream(objective_stream(x$stream), pull_world(world, todo$arm))
    x <- learn(x, c(todo, list(reward = reward, se = NA_real_)))
    best[after == x$last] <- x$belief$best
  }
  best[after > x$last] <- x$belief$best
  unmade <- rep(NA, budget - x$last)
  list(
    arm = c(x$log$arm, unmade), y = c(x$log$reward, unmade), best = best,
    regret = max(world$mean) - world$mean[best]
  )
}

pull_world <- function(world, arm) {
  if (is.null(world$pool)) {
    return(world$mean[arm] + world$noise_sd[arm] * stats::rnorm(1L))
  }
  world$pool[arm, 1L + floor(stats::runif(1L) * ncol(world$pool))]
}

# The columns of one problem's part of the table: replications within cells.
benchmark_columns <- function(name, problem, cells, parts) {
  join <- function(what) do.call(cbind, lapply(parts, `[[`, what))
  labelled <- function(at) arm_label(problem$model$arms, at)
  best <- t(join("best"))
  regret <- t(join("regret"))
  regret[regret <= problem$tolerance] <- 0
  reps <- nrow(best)
  rows <- length(best)
  columns <- list(
    problem = rep(name, rows), policy = rep(cells$policy, each = reps),
    budget = rep(cells$budget, each = reps),
    rep = rep(seq_len(reps), length.out = rows), arm = labelled(as.vector(best)),
    regret = as.vector(regret), error = as.vector(regret > 0), pulls = as.vector(t(join("pulls")))
  )
  for (extra in c("pulled", "recommended")) {
    if (!is.null(parts[[1L]][[extra]])) {
      columns[[extra]] <- lapply(as.vector(t(join(extra))), labelled)
    }
  }
  columns
}

# ---- Workers and progress --------------------------------------------------------------------

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

# ---- The table -------------------------------------------------------------------------------

benchmark_names <- c(
  "problem", "policy", "budget", "rep", "arm", "regret", "error", "pulls"
)

# arms: the names of the arms of every problem, in order. A table that lost a column is a
# plain data frame.
as_benchmark <- function(table, arms) {
  whole <- is.data.frame(table) && all(benchmark_names %in% names(table))
  if (whole) {
    attr(table, "arms") <- arms
    class(table) <- c("bayesgap_benchmark", "data.frame")
    return(table)
  }
  if (is.data.frame(table)) plain_frame(table) else table
}

plain_frame <- function(table) {
  attr(table, "arms") <- NULL
  class(table) <- "data.frame"
  table
}

#' @export
`[.bayesgap_benchmark` <- function(x, ...) {
  as_benchmark(NextMethod(), attr(x, "arms"))
}

#' @export
rbind.bayesgap_benchmark <- function(..., deparse.level = 1) { # nolint: object_name_linter.
  tables <- list(...)
  arms <- do.call(c, lapply(tables, attr, "arms"))
  names <- unique(names(arms))
  arms <- lapply(structure(names, names = names), function(name) {
    unique(unlist(arms[names(arms) == name], use.names = FALSE))
  })
  table <- do.call(rbind, lapply(tables, as.data.frame))
  as_benchmark(table, arms)
}

#' @export
as.data.frame.bayesgap_benchmark <- function(x, ...) {
  plain_frame(x)
}

#' @export
format.bayesgap_benchmark <- function(x, ...) {
  head <- sprintf(
    "<benchmark> %s, %s, %s, %s", count_of(length(unique(x$problem)), "problem"),
    count_policies(length(unique(x$policy))), count_of(length(unique(x$budget)), "budget"),
    count_of(nrow(x), "run")
  )
  kept <- intersect(c("pulled", "recommended"), names(x))
  c(
    head, if (length(kept)) paste0("  kept besides: ", paste(kept, collapse = ", ")),
    if (nrow(x)) format(summary(x))
  )
}

count_policies <- function(n) sprintf("%d polic%s", n, if (n == 1L) "y" else "ies")

#' @export
print.bayesgap_benchmark <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

# ---- Its summary -----------------------------------------------------------------------------

#' Means and intervals of a benchmark
#'
#' `summary()` says how much each policy lost on average and how often it kept an arm that
#' is worse than the best by more than `epsilon`, both with confidence intervals. Use it to
#' see whether a difference between policies is more than chance.
#'
#' The interval of the mean regret is Student's t interval (cut at 0), that of the
#' probability is Wilson's, which is honest also for 0 errors in n. The policies met the same
#' truths, so differences between them are known better than the overlap of their intervals
#' suggests; compare `regret` within replications for more.
#'
#' @param object A benchmark, made by [benchmark_policies()].
#' @param ... Must be empty.
#' @param epsilon A regret up to this is no error.
#' @param level The probability of the intervals.
#'
#' @return A data frame of class `summary.bayesgap_benchmark` with one row for each problem,
#'   budget and policy, in that order, the policy with the smallest mean regret first:
#'   `problem`, `policy`, `budget`, `n` (replications), `regret` (its mean), `regret_lower`,
#'   `regret_upper`, `p_error`, `p_lower` and `p_upper`.
#' @export
#' @examples
#' model <- arm_model(10, prior_mean = 0, prior_sd = 1, noise_sd = 1)
#' found <- benchmark_policies(problem_gaussian(model), c("bayesgap", "uniform"),
#'                             budget = 50, reps = 50, seed = 1)
#' summary(found)
#' summary(found, epsilon = 0.2, level = 0.9)
summary.bayesgap_benchmark <- function(object, ..., epsilon = 0, level = 0.95) {
  check_dots(...)
  if (!is_number(epsilon) || epsilon < 0) {
    abort_argument("epsilon", "epsilon", "a number, at least 0", epsilon)
  }
  epsilon <- as.double(epsilon)
  level <- check_level(level)
  key <- paste(object$problem, object$policy, object$budget, sep = "\r")
  group <- match(key, unique(key))
  first <- which(!duplicated(key))
  n <- tabulate(group, length(first))
  regret <- split(object$regret, group)
  mean <- vapply(regret, mean, 0, USE.NAMES = FALSE)
  sd <- vapply(regret, stats::sd, 0, USE.NAMES = FALSE)
  half <- stats::qt((1 + level) / 2, ifelse(n > 1L, n - 1L, NA)) * sd / sqrt(n)
  errors <- vapply(regret, function(x) sum(x > epsilon), 0L, USE.NAMES = FALSE)
  wilson <- wilson_interval(errors, n, level)
  out <- quick_frame(list(
    problem = object$problem[first], policy = object$policy[first],
    budget = object$budget[first], n = n,
    regret = mean, regret_lower = pmax(mean - half, 0), regret_upper = mean + half,
    p_error = errors / n, p_lower = wilson$lower, p_upper = wilson$upper
  ))
  out <- out[order(match(out$problem, unique(out$problem)), out$budget, out$regret), ]
  row.names(out) <- NULL
  structure(out,
    epsilon = epsilon, level = level, class = c("summary.bayesgap_benchmark", "data.frame")
  )
}

# Wilson (1927): the proportions that a score test does not reject.
wilson_interval <- function(errors, n, level) {
  z <- stats::qnorm((1 + level) / 2)
  p <- errors / n
  centre <- (p + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(p * (1 - p) / n + z^2 / (4 * n^2))
  # The ends are 0 and 1 exactly there, which rounding may miss.
  list(
    lower = ifelse(errors == 0, 0, pmax(centre - half, 0)),
    upper = ifelse(errors == n, 1, pmin(centre + half, 1))
  )
}

#' @export
format.summary.bayesgap_benchmark <- function(x, ...) {
  needed <- c(
    "problem", "policy", "budget", "n", "regret", "regret_lower", "regret_upper", "p_error",
    "p_lower", "p_upper"
  )
  if (!all(needed %in% names(x)) || !nrow(x)) {
    return(utils::capture.output(print(as.data.frame(unclass(x)))))
  }
  key <- paste(x$problem, x$budget, sep = "\r")
  blocks <- lapply(split(seq_len(nrow(x)), match(key, unique(key))), function(rows) {
    format_block(x[rows, ])
  })
  epsilon <- attr(x, "epsilon")
  c(
    sprintf(
      "Mean regret and P(regret > %s), in brackets %s%% intervals", format(epsilon),
      format(100 * attr(x, "level"))
    ),
    unlist(blocks, use.names = FALSE)
  )
}

# One problem at one budget.
format_block <- function(x) {
  x <- as.list(x)
  regret <- format_regret(cbind(x$regret, x$regret_lower, x$regret_upper))
  p <- matrix(sprintf("%.3f", c(x$p_error, x$p_lower, x$p_upper)), ncol = 3L)
  interval <- function(m) sprintf("%s [%s, %s]", m[, 1L], m[, 2L], m[, 3L])
  regret <- c("regret", interval(regret))
  p <- c("P(error)", interval(p))
  c(
    sprintf(
      "%s, budget %s, %s", x$problem[1L], format(x$budget[1L]),
      if (min(x$n) == max(x$n)) count_of(x$n[1L], "replication")
      else sprintf("%d to %d replications", min(x$n), max(x$n))
    ),
    sub(" +$", "", paste0(
      "  ", format(c("policy", x$policy)), "  ", format(regret), "  ", format(p)
    ))
  )
}

# All to two digits of the smallest mean that is not 0.
format_regret <- function(x) {
  mean <- x[x[, 1L] > 0, 1L]
  digits <- if (length(mean)) max(0, 1 - floor(log10(min(mean)))) else 2
  shown <- if (digits > 6 || max(abs(x), 0, na.rm = TRUE) >= 1e7) {
    format(signif(x, 3))
  } else {
    formatC(x, digits = digits, format = "f")
  }
  matrix(trimws(shown), ncol = ncol(x))
}

#' @export
print.summary.bayesgap_benchmark <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
