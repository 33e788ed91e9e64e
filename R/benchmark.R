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
#' budget, and so do all where pulls have costs. Policies written in R run step by step in R, which
#' takes far longer; on workers they must not use objects of the session.
#'
#' When a [future::plan()] other than sequential is set and the package future.apply is
#' installed, replications are spread over its workers. Progress is reported through the
#' package progressr where its handlers are on (also from the workers), else by a plain bar.
#' The session's random numbers are left as they were.
#'
#' @section Who wins:
#' Mean regret in 200 replications (fewer for slow policies), in brackets half of a 95 % interval,
#' of means drawn from the prior that the policies are told (prior sd 1, noise sd 0.5): 20 arms on a
#' line with 60 pulls, and 160 arms in five classes with 40 and with 160 pulls.
#'
#' | policy | 20 arms, T = 60 | 160 arms, T = 40 | 160 arms, T = 160 |
#' |---|---|---|---|
#' | rue | 0.034 (0.013) | 0.146 (0.033) | 0.017 (0.005) |
#' | kg | 0.018 (0.007) | 0.117 (0.028) | 0.018 (0.006) |
#' | bayesgap | 0.020 (0.007) | 0.113 (0.026) | 0.020 (0.007) |
#' | bayes_ucbe | 0.023 (0.008) | 0.233 (0.044) | 0.020 (0.008) |
#' | mes | 0.026 (0.009) | 0.138 (0.035) | 0.022 (0.007) |
#' | ttts | 0.026 (0.010) | 0.222 (0.041) | 0.026 (0.008) |
#' | gpucb | 0.026 (0.009) | 0.162 (0.035) | 0.030 (0.009) |
#' | thompson | 0.017 (0.007) | 0.215 (0.046) | 0.030 (0.009) |
#' | t3c | 0.042 (0.015) | 0.322 (0.056) | 0.049 (0.014) |
#' | bayesgap, marginal | 0.037 (0.013) | 0.249 (0.048) | 0.051 (0.015) |
#' | bayesucb | 0.033 (0.011) | 0.307 (0.060) | 0.053 (0.022) |
#' | pi_bai | 0.050 (0.015) | 0.368 (0.054) | 0.104 (0.041) |
#' | uniform | 0.050 (0.015) | 0.508 (0.074) | 0.107 (0.022) |
#' | bayes_elim | 0.047 (0.019) | 0.505 (0.079) | 0.110 (0.033) |
#' | ei | 0.070 (0.021) | 0.416 (0.064) | 0.213 (0.043) |
#' | rejects | 0.036 (0.009) | - | 0.237 (0.038) |
#' | ucbe | 0.039 (0.011) | - | 0.237 (0.038) |
#' | ugap | 0.046 (0.012) | - | 0.237 (0.038) |
#' | pi | 0.268 (0.059) | 0.929 (0.092) | 0.615 (0.074) |
#'
#' The knowledge gradient is hard to beat when the prior is right, at a hundred times the cost of a
#' round; the default, `bayesgap`, is level with it. These are model-true problems: with a wrong
#' prior the order may be another. The whole table, with many more problems, is `bench/POLICIES.md`
#' in the source repository.
#'
#' @param problems A problem, made by [problem_gaussian()], [problem_binomial()],
#'   [problem_poisson()] or [problem_pool()], or a list of them, best with names.
#' @param policies Names of policies (see [policies()]), a [policy()], or a list of both;
#'   names, where given, replace the policies' own in the table.
#' @param budget Numbers of pulls, one or several. Where the models of all problems have a `cost`
#'   (see [arm_model()]), what may be spent.
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
#'   \item{spent}{where a model has a `cost`: what these pulls cost}
#'   \item{pulled, recommended}{if kept: the arms pulled, in order; the arms that would have
#'     been kept after 1, 2, ... pulls}
#'   [summary()][summary.bayesgap_benchmark] gives means with intervals,
#'   [autoplot()][autoplot.bayesgap_benchmark] pictures.
#' @seealso [problem_gaussian()], [policies()]; `vignette("traffic")`.
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
  budget <- check_budgets(if (!missing(budget)) budget, problems)
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
  costs <- !all(vapply(problems, function(p) is.null(p$model$cost), TRUE))
  tables <- lapply(unique(at), function(i) {
    benchmark_columns(names(problems)[i], problems[[i]], plans[[i]]$cells, parts[at == i], costs)
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

# Numbers of pulls; where all problems have costs, what may be spent.
check_budgets <- function(budget, problems) {
  if (!is.numeric(budget) || !length(budget)) {
    abort_argument("budget", "budget", "whole numbers from 1", budget)
  }
  costs <- lapply(problems, function(p) p$model$cost)
  checked <- lapply(costs, function(cost) lapply(unname(budget), check_budget, cost))
  pulls <- match(TRUE, vapply(costs, is.null, TRUE), nomatch = 1L)
  sort(unique(unlist(checked[[pulls]])))
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
  most <- max(vapply(problems, function(p) as.double(pulls_of_problem(p, max(budget))), 0))
  kept <- 8 * length(keep) * most
  run <- 50 * most + max(arm_bytes * k + correlated * 16 * pmin(most, k) * k)
  check_memory(
    100 * reps + rows * (300 + kept) + run,
    sprintf(
      "A benchmark of %s with budgets up to %s", count_of(rows, "run"), grouped(max(budget))
    ),
    "Choose fewer `reps` or a smaller `budget`, and put tables together with rbind()."
  )
}

# The columns of one problem's part of the table: replications within cells. costs: has a problem
# any?
benchmark_columns <- function(name, problem, cells, parts, costs) {
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
  if (costs) {
    columns$spent <- as.vector(t(join("spent")))
  }
  for (extra in c("pulled", "recommended")) {
    if (!is.null(parts[[1L]][[extra]])) {
      columns[[extra]] <- lapply(as.vector(t(join(extra))), labelled)
    }
  }
  columns
}
