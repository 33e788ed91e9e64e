# Pulls on the workers of a future::plan(): whatever becomes of a worker, it costs its own pull
# only.

# Has the user set a plan with workers?
has_workers <- function() {
  asked <- isNamespaceLoaded("future") || nzchar(Sys.getenv("R_FUTURE_PLAN"))
  asked && requireNamespace("future", quietly = TRUE) && !inherits(future::plan(), "sequential")
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
    return(failed_attempt(sprintf("the worker did not answer within %g s", limit)))
  }
  tryCatch(
    if (inherits(task$future, "Future")) future::value(task$future) else stop(task$future),
    error = function(e) {
      # The rest is for those who look after the workers.
      rest <- "\n.*|[.] (Post-mortem|The total size|The three largest).*"
      reason <- sub(rest, "", conditionMessage(e))
      started <- inherits(task$future, "Future") || inherits(e, "FutureError")
      what <- if (started) "the worker failed: " else "no worker could be given the pull: "
      failed_attempt(paste0(what, reason))
    }
  )
}
