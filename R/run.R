# The state machine: a run begins, learns what is told, fits what it was not told, decides, and
# stops.

# settings: those of run_settings(), but init as the user gave it.
new_run <- function(settings) {
  x <- blank_run(settings)
  x$init <- initial_pulls(x, settings$init)
  say_if_no_regard(begin(x))
}

# The belief begun anew from the settings and the log alone: nothing learned before is kept.
begin <- function(x) {
  said <- x$repeated
  x <- settle_blocks(x)
  x["learned"] <- list(NULL)
  x$doubtful <- x$inexact <- x$repeated <- FALSE
  x$epoch <- list(
    rows = length(x$log$arm), last = x$last, open = x$open,
    batches = sum(x$epoch$batches, length(x$tells))
  )
  x$tells <- integer()
  x["failures"] <- list(own_failures(x))
  x$withdrawn <- withdrawn_rows(x)
  x$asked <- intersect(x$asked, x$open$pull)
  x$freed <- x$last - sum(!is.na(x$log$pull)) - length(x$open$pull)
  x$paid <- 0
  x <- pay(x, x$log$pull, is.na(x$log$reward), x$log$cost)
  check_enough_arms(x)
  if (has_blocks(x)) {
    check_exact_blocks(x$model)
  }
  kind <- if (has_blocks(x)) "blocks" else prior_kind(x$model$prior)
  entries <- n_arms(x$model$arms) + length(x$blocks) * widest_block(x$model)
  check_run_memory(entries, pulls_of_run(x), kind)
  x <- refit(x, said)
  check_policy_fits(run_prior(x), x$fit, x$policy, run_task(x))
  stop_if_done(say_if_inexact(advance(x, NULL)))
}

# Blocks that come as they come are those of the results and then of the pulls that are out, in
# their order: what was changed by hand may have left others behind.
settle_blocks <- function(x) {
  if (is.null(x$model$blocks)) {
    used <- unique(c(x$log$block, x$open$block))
    used <- used[!is.na(used)]
    x$blocks <- x$blocks[used]
    x$log$block <- match(x$log$block, used, incomparables = NA)
    x$open$block <- match(x$open$block, used, incomparables = NA)
  }
  x$unknowns <- has_unknowns(x$model, x$blocks)
  x
}

# T.
pulls_of_run <- function(x) budget_in_pulls(x$budget, x$model$cost)

# Without `replace`: every arm once, or once in every block that is known.
pulls_there_are <- function(x) {
  blocks <- length(x$model$blocks)
  free <- x$replace || (has_blocks(x) && !blocks)
  if (free) Inf else n_arms(x$model$arms) * max(blocks, 1)
}

# What may be spent need not be.
check_enough_arms <- function(x) {
  k <- n_arms(x$model$arms)
  blocks <- length(x$model$blocks)
  if (is.null(x$model$cost) && x$budget > pulls_there_are(x)) {
    abort(
      "budget", "`budget` must be at most the number of arms (", grouped(k), ")",
      if (blocks) c(" times that of blocks (", grouped(blocks), ")"),
      " when `replace = FALSE`, not ", x$budget, ".",
      if (!blocks) {
        c(
          " Where pulls share blocks, and no arm is to be twice in one, give `blocks`; if these ",
          "come as they come, begin with a budget of ", grouped(k), ", and raise it by ",
          "bayesgap(x, budget = ", x$budget, ") when the first results are told with their block."
        )
      }
    )
  }
}

# Of a run that makes all its pulls: its log, and of arms that are correlated a column for each
# that was pulled.
check_run_memory <- function(k, budget, kind) {
  columns <- if (kind == "independent") 0 else if (kind == "blocks") budget else min(budget, k)
  check_memory(
    arm_bytes * k + 100 * budget + 8 * columns * k,
    gettextf("A run of %s and %s", count_of(k, "arm"), count_of(budget, "pull")),
    "Choose a smaller `budget`; a run can be continued with a larger one."
  )
}

initial_pulls <- function(x, init) {
  if (is.null(init)) {
    return(within_half(x, random_arms(x, spread_pulls(x), cheap_arms(x))))
  }
  if (is_number(init) && init == 0) {
    return(integer())
  }
  if (is_number(init) && !inherits(init, "factor")) {
    n <- check_count(init, "init", min(most_pulls(x$budget, x$model$cost), pulls_there_are(x)))
    return(check_init_cost(x, random_arms(x, n)))
  }
  at <- match_arms(x$model$arms, init, "init")
  check_init_cost(x, at)
  if (length(at) > most_pulls(x$budget, x$model$cost) ||
    (!x$replace && !has_blocks(x) && anyDuplicated(at))) {
    abort_argument("init", "init", "arms within the budget, none twice without `replace`", init)
  }
  at
}

# n of these arms in random order, every one before any comes again.
random_arms <- function(x, n, arms = seq_len(n_arms(x$model$arms))) {
  if (!n) {
    return(integer())
  }
  k <- length(arms)
  rounds <- with_stream(x$stream, replicate(ceiling(n / k), sample.int(k), FALSE))
  arms[unlist(rounds)[seq_len(n)]]
}

# What a first look may cost: arms dearer than the mean wait for a reason.
cheap_arms <- function(x) {
  cost <- cost_of_arms(x, seq_len(n_arms(x$model$arms)))
  which(cost <= mean(cost) * (1 + cent))
}

check_init_cost <- function(x, at) {
  needed <- sum(x$model$cost[at])
  if (needed > x$budget * (1 + cent)) {
    abort(
      "init", "`init` must be within the budget of ", amount(x$budget), "; these ",
      count_of(length(at), "pull"), " cost ", amount(needed), "."
    )
  }
  at
}

# The first of these pulls that cost no more than half of the budget.
within_half <- function(x, at) {
  cost <- x$model$cost
  if (is.null(cost)) at else at[cumsum(cost[at]) <= x$budget / 2]
}

# First pulls of arms at random where correlated arms are compared in one block and the level is
# learned: a block's rewards hardly differ by chance, so that what is first found good would be
# believed, and its neighbours tried before all else (bench/BLOCKS.md).
spread_pulls <- function(x) {
  model <- x$model
  alone <- prior_kind(model$prior) == "independent"
  none <- is.null(model$blocks) || !is.null(model$prior_mean) || alone
  if (none) 0L else min(8L, pulls_of_run(x) %/% 2L)
}

# The run that knows these blocks. With the first of them the prior is another.
meet_blocks <- function(x, label, arg = "block", what = "block") {
  first <- !length(x$blocks)
  x$blocks <- join_blocks(x, label, arg, what)
  x$unknowns <- has_unknowns(x$model, x$blocks)
  if (first && length(x$blocks)) advance(refit(x), NULL) else x
}

# In the order of enum task_at: budget in pulls, arms that may not be pulled (NULL: all may), a
# policy's memory that is to be kept (NULL: none), the blocks (NULL: none), the arms that are
# out of the race (NULL: none), whether failed pulls are free, and the costs (NULL: all alike).
run_task <- function(x, memory = NULL) {
  list(
    pulls_of_run(x), barred_arms(x), memory, block_task(x), arms_out(x), !x$count_failures,
    relative_cost(x$model$cost)
  )
}

# The belief brought up to date with the log, from the prior or from where it is.
advance <- function(x, from = x$belief, memory = NULL) {
  x$belief <- with_stream(
    x$stream,
    .Call(bg_advance, run_prior(x), x$fit, x$policy, run_task(x, memory), from, x$log)
  )
  if (is.null(x$policy$own)) x else decide(x)
}

# said: has it been said before that repeats are the same?
refit <- function(x, said = FALSE) {
  found <- fit_run(x)
  x$fit <- found$fit
  prior <- if (x$policy$draws) drawable(found$prior) else found$prior
  x["prior"] <- list(if (!identical(prior, x$model$prior)) prior)
  x["learned"] <- list(found$learned)
  if (isTRUE(attr(found$learned, "failed")) && !x$doubtful) {
    x$doubtful <- TRUE
    warn(
      "fit", "The prior could not be learned from the ", x$observed, " observations so far",
      ": the run goes on with the values it had. summary() shows them."
    )
  }
  x$fitted <- x$observed
  say_if_exact(x, said)
}

# Three repeats that are the very same, and none that is not, are hardly chance where rewards are
# numbers; where they are 0 or 1 they are. Said once a run, also where it begins anew.
say_if_exact <- function(x, said) {
  if (x$repeated || !is.null(x$model$noise_sd) || !is.null(family_of(x$model))) {
    return(x)
  }
  good <- !is.na(x$log$reward)
  reward <- x$log$reward[good]
  place <- paste(x$log$arm, x$log$block)[good]
  first <- !duplicated(place)
  same <- reward == reward[first][match(place, place[first])]
  if (sum(!first) >= 3L && all(same) && !all((reward_sign(x) * reward) %in% 0:1)) {
    x$repeated <- TRUE
    if (!said) {
      inform(
        "exact", "All ", sum(!first), " repeats gave the very same reward as the first time. ",
        "Should pulls have no noise at all, `noise_sd = 0` saves the repeats."
      )
    }
  }
  x
}

# Once a run: when so many rewards have come that are 0 or 1, all of them, and nobody said what
# they are. before: how many had come.
say_if_binary <- function(x, before) {
  if (before >= 5L || x$observed < 5L) {
    return(x)
  }
  seen <- reward_sign(x) * x$log$reward[!is.na(x$log$reward)]
  told <- !is.null(x$model$family) || !is.null(x$model$noise_sd) || any(!is.na(x$log$se))
  if (!told && all(seen == 0 | seen == 1)) {
    inform(
      "family", "All ", length(seen), " rewards so far are 0 or 1. If they are successes and ",
      "failures, make the run with `family = \"binomial\"`, or make it one by update(x, ",
      "family = \"binomial\"): the noise is then known from the rates. ",
      "`family = \"gaussian\"` says that they are not."
    )
  }
  x
}

# Policies that cannot work with these arms, or with so few pulls, say so.
check_policy_fits <- function(prior, fit, policy, task) {
  least <- .Call(bg_least, prior, fit, policy, task)
  if (is.character(least)) {
    abort("policy", "Policy ", format(policy), " ", least, ".")
  }
  if (task[[1L]] < least) {
    costs <- length(task) > 6L && !is.null(task[[7L]])
    abort(
      "budget", "`budget` must be ", if (costs) "enough for ", "at least ", least,
      if (costs) " pulls of arms that cost the mean,", " for policy ", format(policy),
      " with these arms, not ", task[[1L]], "."
    )
  }
}

# The fit made anew, and the belief with it. A policy goes through the past again; one whose memory
# holds decisions sees the new rows under the old fit, and keeps it.
renew <- function(x) {
  memory <- if (policy_keeps(x$policy)) advance(x)$belief$memory
  advance(refit(x), NULL, memory)
}

# New rows of the log, learned. Here and in what it calls a run may come without its class:
# every `$` on an object with a class looks for a method first.
learn <- function(x, rows, remarks = NULL) {
  x <- unclass(x)
  if (!is.null(remarks)) {
    x <- add_remarks(x, remarks, length(x$log$arm))
  }
  x$tells <- add_tell(x$tells, length(rows$arm))
  x <- keep_rows(x, rows, are_withdrawn(remarks))
  due <- x$unknowns && estimate_due(x$fitted, x$observed, is_spent(x))
  x <- stop_if_done(say_if_inexact(if (due) renew(x) else advance(x)))
  class(x) <- "bayesgap"
  x
}

# From here on rounding may matter.
most_loss <- 1e-4

# Where the noise is all but nothing beside the prior's size, and arms are correlated, what
# is left after the subtractions is rounding. Said once, when it may matter.
say_if_inexact <- function(x) {
  if (x$belief$loss > most_loss && !x$inexact) {
    x$inexact <- TRUE
    warn(
      "precision", "The noise is so small beside the prior's size, or beside what the rewards ",
      "do, that rounding tells: the means may be off by about ",
      format(sqrt(x$belief$loss), digits = 1), " of their standard deviations by now, and by more ",
      "later. ", precision_remedy(family_of(x$model))
    )
  }
  x
}

precision_remedy <- function(family) {
  if (is.null(family)) {
    return("Give a larger `noise_sd`, or 0 where rewards are exact.")
  }
  c(
    "With so large `", family$size, "` rates are all but exact: tell them as rewards without a ",
    "`family`, and give a larger `noise_sd`."
  )
}

stop_if_done <- function(x) {
  if (is.na(x$belief$next_arm) || !is.null(x$stop_regret) || !is.null(x$stopped)) {
    x["stopped"] <- list(stop_reason(x))
  }
  x
}

# Rewards before a bound on the regret is acted upon: the size of a regret is a guess while that
# of the rewards is.
least_observed <- function(model) {
  if (is.null(model$prior_sd) && is.null(model$noise_sd)) 10L else 1L
}

stop_reason <- function(x) {
  if (is_spent(x)) {
    NULL
  } else if (is.na(x$belief$next_arm)) {
    barred <- barred_arms(x)
    if (any(too_dear(x))) {
      "no arm is left that is affordable"
    } else if (!is.null(barred) && all(barred)) {
      "no arm is left"
    } else if (is.null(arms_aside(x))) {
      "every arm is known"
    } else {
      "every arm in the race is known"
    }
  } else if (!is.null(x$stop_regret) && x$observed >= least_observed(x$model) &&
    regret_bound(certainty(x, 2000L)) <= x$stop_regret) {
    "the regret is small enough"
  }
}

# An earlier run with another budget. The policy's view of the past depends on the budget,
# so the belief is built anew.
extend_run <- function(x, budget, settings = NULL) {
  if (length(settings)) {
    abort(
      "argument", "`arms` is an earlier run, which keeps its settings: `", settings[1L],
      "` cannot be changed."
    )
  }
  # What was spent may be more than was allowed, where a pull did cost more than was said.
  if (budget < min(spent(x), x$budget)) {
    abort(
      "budget", "`budget` must be at least ", format(spent(x), digits = 15), ", ",
      if (is.null(x$model$cost)) "the pulls made" else "what was spent", " so far, not ",
      format(budget, digits = 15), "."
    )
  }
  if (lacks_functions(x$policy)) {
    abort(
      "policy", "The run was read from a file without its policy \"", x$policy$own$label,
      "\": files keep no functions. Give the policy again: read_run(file, policy = )."
    )
  }
  if (budget == x$budget) {
    return(x)
  }
  x$budget <- budget
  begin(x)
}

check_stop_regret <- function(x) {
  if (!is.null(x) && (!is_number(x) || x < 0)) {
    abort_argument("stop_regret", "stop_regret", "NULL or a number, at least 0", x)
  }
  if (is.null(x)) NULL else as.double(x)
}
