# The loop over the user's objective: ask, carry out, learn, save. Whatever the objective does, what
# was observed is kept.

most_failures <- 10L

# how: batch, rule, time_limit, on_error, retries, progress. store: where the run is saved.
run_objective <- function(x, objective, how, store) {
  bar <- run_bar(x, how$progress)
  settled <- FALSE
  on.exit({
    if (!settled) keep_last(x, store)
    bar$close()
  })
  gone <- x$open$pull[x$open$arm %in% x$dropped]
  if (length(gone)) {
    x <- cancel(x, gone) # nobody is to make them
  }
  said <- character()
  took <- Inf
  store$save(x)
  while (!is_done(x)) {
    if (is.null(x$underway)) {
      x$underway <- c(next_pulls(x, how), list(results = list()))
    }
    work <- pull_work(x, objective, how)
    at_once <- took < 0.05 && learned_at_once(x)
    # Interrupts are taken while an objective runs, not between its return and the saving.
    done <- x$underway
    arrive <- function(results) {
      done$results <<- results
      # Where the run is to stop, a pull that failed is still to be made.
      x$underway$results <<- if (how$on_error == "stop") Filter(has_worked, results) else results
      if (length(results) < length(work) || !at_once) store$save(x)
    }
    tryCatch(
      suspendInterrupts(carry_out(work, done$results, how, arrive)),
      bayesgap_error_workers = function(e) {
        settled <<- TRUE
        abort_workers(x, store, conditionMessage(e))
      }
    )
    failed <- which(!vapply(done$results[as.character(done$pull)], has_worked, TRUE))
    stops <- how$on_error == "stop" && length(failed) > 0L
    if (!stops) {
      began <- now()
      before <- x
      x <- learn_batch(x)
      took <- now() - began
    }
    store$save(x)
    said <- pass_on(done$results, said)
    if (!stops) {
      say_if_failed(say_if_binary(x, before$observed), before)
    }
    settled <- TRUE # what is said of the run from here on is enough
    if (stops) {
      abort_objective(x, done, failed[1L])
    }
    check_failures(x, done)
    settled <- FALSE
    bar$show(x)
  }
  settled <- TRUE
  check_worked(x)
  x
}

# A result need not be saved before it is learned where that takes no time: no fit is made, and no
# function of the user is called.
learned_at_once <- function(x) {
  n <- length(x$underway$pull)
  x$promised <- sum(x$model$cost[x$underway$arm])
  last <- if (is.null(x$model$cost)) left(x) <= n else is_spent(x)
  fits <- x$unknowns && estimate_due(x$fitted, x$observed + n, last)
  !fits && is.null(x$policy$own)
}

# Pulls that are still out come first.
next_pulls <- function(x, how) {
  if (length(x$open$pull)) {
    first <- utils::head(order(x$open$pull), how$batch)
    lapply(x$open, `[`, first)
  } else {
    ask_rows(x, how$batch, rule = how$rule)
  }
}

# ---- A batch ----------------------------------------------------------------------------------

# Carries out the pulls that have no result, each with its retries; arrive() gets all results so
# far, by pull number, whenever one came.
carry_out <- function(work, results, how, arrive) {
  left <- work[setdiff(names(work), names(results))]
  if (how$batch > 1L && has_workers()) {
    return(carry_out_futures(left, results, how, arrive))
  }
  for (name in names(left)) {
    for (attempt in seq_len(how$retries + 1L)) {
      result <- allowInterrupts(attempt_pull(left[[name]], attempt))
      if (!has_failed(result)) break
    }
    results[[name]] <- without_absent(result)
    arrive(results)
  }
}

# ---- What is said -----------------------------------------------------------------------------

# Each of the objective's warnings once a run. Returns all that were said.
pass_on <- function(results, said) {
  new <- setdiff(unlist(lapply(results, `[[`, "warnings")), said)
  for (message in new) {
    warning("The objective warned: ", message, call. = FALSE)
  }
  c(said, new)
}

# done: the batch that was just carried out.
check_failures <- function(x, done) {
  told <- length(x$log$arm)
  now <- failures_in_row(x, told)
  before <- failures_in_row(x, told - length(done$pull))
  before <- if (now$pulls > length(done$pull)) before$weight else 0L
  if (now$weight %/% most_failures > before %/% most_failures && !is_done(x)) {
    abort_objective(x, done, length(done$pull), gettextf("%d pulls in a row failed", now$pulls))
  }
}

# After so many rows of the log, since when no arm worked: how many pulls failed in a row, and what
# they weigh. Where others worked before, an arm that never did counts once: neighbours may fail for
# the same reason.
failures_in_row <- function(x, rows) {
  log <- x$log
  failed <- arms_just_failed(log, rows + 1L, x$withdrawn)
  if (!length(failed)) {
    return(list(pulls = 0L, weight = 0L))
  }
  known <- which(x$failures$worked)
  new <- failed[!failed %in% known]
  # Beyond what sets it aside every failure counts: all arms fail then.
  arms <- unique(new)
  spared <- sum(pmin(tabulate(match(new, arms)), most_own_failures)) - length(arms)
  weight <- if (length(known)) length(failed) - spared else length(failed)
  list(pulls = length(failed), weight = weight)
}

# An answer that rests on failures alone would be the prior's.
check_worked <- function(x) {
  if (nothing_worked(x)) {
    session$last <- x
    abort(
      c("nothing_worked", "objective"), nothing_words(x), "\nThe run is in the element `run` of ",
      "this error, and in last_run(). When the objective is mended, begin anew (with a ",
      "checkpoint, in another file), or go on with a larger budget: ",
      "bayesgap(last_run(), objective, budget).",
      data = list(run = x)
    )
  }
}

# What came of the batch is kept; its other pulls are still to be made.
abort_workers <- function(x, store, reason) {
  store$save(x)
  session$last <- x
  abort(
    "workers", "The workers of your plan() cannot take a pull: ", reason,
    "\nNo pull was spent on that. When it is mended, ",
    if (is.null(store$file)) "bayesgap(last_run(), objective, budget) goes on."
    else "the same call goes on; the run is also in last_run().",
    data = list(run = last_run())
  )
}

abort_objective <- function(x, done, at, what = NULL) {
  session$last <- x
  run <- last_run()
  pull <- done$pull[at]
  error <- done$results[[as.character(pull)]]$remark$error
  first <- if (nothing_worked(x)) first_error(x)
  abort(
    c(if (!is.null(first)) "nothing_worked", "objective"),
    if (is.null(what)) "Pull " else c(what, "; the last was pull "), pull,
    " (arm \"", x$model$arms$names[done$arm[at]], "\"): ", error,
    if (!is.null(first)) "\nNothing worked so far.",
    if (!is.null(first) && first != error) c(" The first failed: ", first),
    "\nThe ", count_of(run$observed, "observation"), " so far ",
    if (run$observed == 1L) "is" else "are",
    " in the element `run` of this error, and in last_run().",
    data = list(run = run)
  )
}
