# The loop over the user's objective: ask, carry out, learn, save. Whatever the objective does,
# what was observed is kept.

most_failures <- 10L

# how: batch, spread, time_limit, on_error, retries, progress. store: where the run is saved.
run_objective <- function(x, objective, how, store) {
  bar <- run_bar(x, how$progress)
  settled <- FALSE
  on.exit({
    if (!settled) keep_last(x, store)
    bar$close()
  })
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
    suspendInterrupts(carry_out(work, done$results, how, function(results) {
      done$results <<- results
      # Where the run is to stop, a pull that failed is still to be made.
      x$underway$results <<- if (how$on_error == "stop") Filter(has_worked, results) else results
      if (length(results) < length(work) || !at_once) store$save(x)
    }))
    failed <- which(!vapply(done$results[as.character(done$pull)], has_worked, TRUE))
    stops <- how$on_error == "stop" && length(failed) > 0L
    if (!stops) {
      began <- now()
      x <- learn_batch(x)
      took <- now() - began
    }
    store$save(x)
    said <- pass_on(done$results, said)
    settled <- TRUE # what is said of the run from here on is enough
    if (stops) {
      abort_objective(x, done, failed[1L])
    }
    check_failures(x, done)
    settled <- FALSE
    bar$show(x)
  }
  settled <- TRUE
  x
}

# A result need not be saved before it is learned where that takes no time: no fit is made, and no
# function of the user is called.
learned_at_once <- function(x) {
  n <- length(x$underway$pull)
  fits <- x$estimates && estimate_due(x$fitted, x$observed + n, x$last + n >= x$budget)
  !fits && is.null(x$policy$own)
}

# Pulls that are still out come first.
next_pulls <- function(x, how) {
  if (length(x$open$pull)) {
    first <- utils::head(order(x$open$pull), how$batch)
    lapply(x$open, `[`, first)
  } else {
    ask_rows(x, how$batch, spread = how$spread)
  }
}

# A batch is learned as one, in the order of its pulls, so that it does not matter which came
# first. A pull that has no result is still out.
learn_batch <- function(x) {
  batch <- x$underway
  came <- as.character(batch$pull) %in% names(batch$results)
  results <- unname(batch$results[as.character(batch$pull[came])])
  x["underway"] <- list(NULL)
  if (!any(came)) {
    return(x)
  }
  rows <- list(
    pull = batch$pull[came], arm = batch$arm[came],
    reward = vapply(results, `[[`, 0, "reward"), se = vapply(results, `[[`, 0, "se")
  )
  take_in(x, rows, lapply(results, `[[`, "remark"))
}

has_failed <- function(result) !is.null(result$remark$error)
has_worked <- function(result) !has_failed(result)

# A run that could not finish, whatever the reason, is kept for last_run().
keep_last <- function(x, store) {
  suspendInterrupts({
    store$save(x)
    session$last <- x
    message(
      "The run stopped after ", count_of(all_observed(x), "observation"), ". ",
      if (is.null(store$file)) "bayesgap(last_run(), objective, budget) goes on."
      else "The same call goes on from its checkpoint."
    )
  })
}

# With those of a batch that is not learned yet.
all_observed <- function(x) {
  x$observed + sum(vapply(x$underway$results, has_worked, TRUE))
}

session <- new.env(parent = emptyenv())

#' The run that was stopped
#'
#' `last_run()` gives the last run of this session that did not reach its end: because its
#' objective failed, because of an interrupt (Ctrl-C), or because of an error elsewhere. Use it
#' when [bayesgap()] stopped and what it had observed is to be kept.
#'
#' @return A run, which `bayesgap(last_run(), objective, budget)` continues.
#' @seealso [bayesgap()]; its `checkpoint` survives the end of the session too.
#' @export
#' @examples
#' calls <- 0
#' fragile <- function(arm) {
#'   calls <<- calls + 1
#'   if (calls == 4) stop("out of paper") else nchar(arm)
#' }
#' try(bayesgap(c("a", "bb", "ccc"), fragile, budget = 6, on_error = "stop", seed = 1))
#' last_run()
#' bayesgap(last_run(), fragile, budget = 6)
last_run <- function() {
  if (is.null(session$last)) {
    abort("run", "No run of this session was stopped.")
  }
  by_hand(session$last)
}

# ---- One pull ---------------------------------------------------------------------------------

# All that it takes to carry out the pulls, here or on a worker, by pull number.
pull_work <- function(x, objective, how) {
  batch <- x$underway
  streams <- pull_streams(x, batch$pull)
  work <- lapply(seq_along(batch$pull), function(i) {
    list(
      objective = objective, arm = arm_value(x$model$arms, batch$arm[i]), pull = batch$pull[i],
      batch = x$epoch$batches + length(x$tells) + 1L, stream = streams[[i]],
      sign = reward_sign(x), time_limit = how$time_limit, strict = getOption("warn") >= 2L
    )
  })
  names(work) <- batch$pull
  work
}

# The random numbers of these pulls, in rising order.
pull_streams <- function(x, pull) {
  at <- if (pull[1L] > x$last) x$last + 1L else 1L
  stream <- if (pull[1L] > x$last) x$stream else new_stream(x$seed)
  lapply(pull, function(to) {
    while (at < to) {
      stream <<- nextRNGStream(stream)
      at <<- at + 1L
    }
    stream
  })
}

# One attempt: list(reward, se, remark, warnings). Every attempt has random numbers of its own.
attempt_pull <- function(work, attempt) {
  stream <- work$stream
  for (i in seq_len(attempt)) {
    stream <- objective_stream(stream)
  }
  args <- list(work$arm)
  if ("pull" %in% names(formals(args(work$objective)))) {
    seed <- abs(stream[4L]) %% .Machine$integer.max
    args$pull <- list(index = work$pull, seed = seed, batch = work$batch, attempt = attempt)
  }
  warnings <- character()
  value <- with_stream(stream, withCallingHandlers(
    within_time(do.call(work$objective, args, quote = TRUE), work$time_limit),
    warning = function(w) {
      # Where the user wants warnings to be errors, they are, on a worker too.
      if (!work$strict) {
        warnings <<- c(warnings, conditionMessage(w))
        tryInvokeRestart("muffleWarning")
      }
    }
  ))
  result <- if (inherits(value, "failed_pull")) value else read_reward(value, work$sign)
  c(unclass(result), list(warnings = warnings))
}

# The value of the objective, or how it failed. R looks at the limit now and then, not while it
# waits in compiled code; what comes too late is told in the message, so that it is not lost.
within_time <- function(code, limit) {
  began <- now()
  late <- function() now() - began > limit
  if (is.finite(limit)) {
    setTimeLimit(elapsed = limit, transient = TRUE)
    on.exit(setTimeLimit())
  }
  tryCatch(
    {
      value <- code
      if (late()) {
        failed_pull(sprintf(
          "the objective returned %s after %.3g s, past the limit of %g s", describe(value),
          now() - began, limit
        ))
      } else {
        value
      }
    },
    error = function(e) {
      failed_pull(
        if (late()) sprintf("the objective did not return within %g s", limit)
        else conditionMessage(e)
      )
    }
  )
}

failed_pull <- function(message) {
  message <- paste(message, collapse = " ")
  if (!nzchar(message)) {
    message <- "an error without a message"
  }
  structure(
    list(reward = NA_real_, se = NA_real_, remark = list(error = message)),
    class = "failed_pull"
  )
}

# What the objective returned: a number, c(y = , se = ), or a list with y.
read_reward <- function(value, sign) {
  remark <- NULL
  if (is.list(value)) {
    if (is.null(value[["y"]])) {
      return(failed_pull("the objective returned a list without an element `y`"))
    }
    more <- unclass(value)[setdiff(names(value), c("y", "se", "", NA))]
    remark <- if (length(more)) list(extra = more)
    y <- value[["y"]]
    se <- value[["se"]]
  } else if (length(value) == 2L && setequal(names(value), c("se", "y"))) {
    y <- value[["y"]]
    se <- value[["se"]]
  } else {
    y <- value
    se <- NULL
  }
  if (!is_reward(y)) {
    return(failed_pull(paste0(
      "the objective returned ", describe(y), " where a number up to 1e100 is needed"
    )))
  }
  if (!is.null(se) && !is_se(se)) {
    return(failed_pull(paste0(
      "the objective returned ", describe(se), " for `se` where a number from 0 is needed"
    )))
  }
  list(
    reward = sign * as.double(y), se = if (is.null(se)) NA_real_ else as.double(se),
    remark = remark
  )
}

is_reward <- function(y) is_number(y) && abs(y) <= 1e100

is_se <- function(se) is_number(se) && (se == 0 || (se >= 1e-100 && se <= 1e100))

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
    results[[name]] <- result
    arrive(results)
  }
}

# A worker that dies, or does not answer in time, is a failed attempt of its own pull alone.
carry_out_futures <- function(left, results, how, arrive) {
  waiting <- lapply(left, function(work) list(work = work, attempt = 1L))
  running <- list()
  revived <- FALSE
  finish <- function(name, task) {
    if (!is_ready(task)) {
      session$stuck <- c(session$stuck, list(task))
    }
    result <- collect(task, how$time_limit)
    if (has_failed(result) && task$attempt <= how$retries) {
      waiting[[name]] <<- list(work = task$work, attempt = task$attempt + 1L)
    } else {
      results[[name]] <<- result
      arrive(results)
    }
  }
  while (length(waiting) || length(running)) {
    if (!length(running) && all_stuck()) {
      allowInterrupts(revive_workers())
    }
    while (length(waiting) && (!length(running) || future::nbrOfFreeWorkers() > 0)) {
      name <- names(waiting)[1L]
      task <- allowInterrupts(launch(waiting[[1L]]))
      lost <- inherits(task$future, "FutureError")
      if (lost && length(running)) {
        break # until the other workers are done
      } else if (lost && !revived) {
        allowInterrupts(revive_workers())
        revived <- TRUE
      } else {
        waiting[[name]] <- NULL
        if (inherits(task$future, "Future")) running[[name]] <- task else finish(name, task)
      }
    }
    for (name in allowInterrupts(wait_for(running, how$time_limit))) {
      task <- running[[name]]
      running[[name]] <- NULL
      finish(name, task)
    }
  }
}

# The objective is named in the expression so that the objects it uses are found and sent along.
launch <- function(task) {
  objective <- task$work$objective
  work <- task$work[names(task$work) != "objective"]
  attempt <- task$attempt
  future <- tryCatch(
    future::future(attempt_pull(c(list(objective = objective), work), attempt), seed = NULL),
    error = identity
  )
  c(task, list(future = future, since = now()))
}

# Are there no workers left but such that did not answer in time? To wait for one of them may be
# to wait for ever.
all_stuck <- function() {
  session$stuck <- Filter(Negate(is_ready), session$stuck)
  length(session$stuck) > 0L && future::nbrOfFreeWorkers() < 1
}

# A plan keeps a worker that died, and fails with it again and again. None is busy now.
revive_workers <- function() {
  message("A worker was lost: the workers of your plan() are started again.")
  session$stuck <- list()
  plan <- future::plan("list")
  future::plan(future::sequential)
  future::plan(plan)
}

# The names of those that are ready or overdue, at least one where there is any.
wait_for <- function(running, limit) {
  pause <- 0.001
  while (length(running)) {
    ready <- vapply(running, function(task) is_ready(task) || is_overdue(task, limit), TRUE)
    if (any(ready)) {
      return(names(running)[ready])
    }
    Sys.sleep(pause)
    pause <- min(2 * pause, 0.1)
  }
}

is_ready <- function(task) {
  !inherits(task$future, "Future") ||
    tryCatch(future::resolved(task$future), error = function(e) TRUE)
}

# A worker stops its objective by itself; this is for one that cannot. Jobs of a scheduler may
# wait in its queue, so they are left to it.
patience <- 5

is_overdue <- function(task, limit) {
  !inherits(task$future, "BatchtoolsFuture") && now() - task$since > limit + patience
}

collect <- function(task, limit) {
  if (!is_ready(task)) {
    return(failed_pull(sprintf("the worker did not answer within %g s", limit)))
  }
  tryCatch(
    if (inherits(task$future, "Future")) future::value(task$future) else stop(task$future),
    error = function(e) {
      # The rest is for those who look after the workers.
      rest <- "\n.*|[.] (Post-mortem|The total size|The three largest).*"
      reason <- sub(rest, "", conditionMessage(e))
      started <- inherits(task$future, "Future") || inherits(e, "FutureError")
      what <- if (started) "the worker failed: " else "no worker could be given the pull: "
      failed_pull(paste0(what, reason))
    }
  )
}

# Has the user set a plan with workers?
has_workers <- function() {
  asked <- isNamespaceLoaded("future") || nzchar(Sys.getenv("R_FUTURE_PLAN"))
  asked && requireNamespace("future", quietly = TRUE) && !inherits(future::plan(), "sequential")
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
  row <- failures_in_row(x)
  before <- max(0L, row - length(done$pull))
  if (row %/% most_failures > before %/% most_failures && !is_done(x)) {
    abort_objective(x, done, length(done$pull), sprintf("%d pulls in a row failed", row))
  }
}

# At the end of the log.
failures_in_row <- function(x) {
  match(FALSE, rev(is.na(x$log$reward)), nomatch = length(x$log$reward) + 1L) - 1L
}

abort_objective <- function(x, done, at, what = NULL) {
  session$last <- x
  run <- last_run()
  pull <- done$pull[at]
  abort(
    "objective", if (is.null(what)) "Pull " else c(what, "; the last was pull "), pull,
    " (arm \"", x$model$arms$names[done$arm[at]], "\"): ",
    done$results[[as.character(pull)]]$remark$error,
    "\nThe ", count_of(run$observed, "observation"), " so far ",
    if (run$observed == 1L) "is" else "are",
    " in the element `run` of this error, and in last_run().",
    data = list(run = run)
  )
}
