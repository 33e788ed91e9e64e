# Pulls on the workers of a future::plan(): whatever becomes of a worker, it costs its own pull
# only; what cannot be begun costs none.

# Has the user set a plan with workers?
has_workers <- function() {
  asked <- isNamespaceLoaded("future") || nzchar(Sys.getenv("R_FUTURE_PLAN"))
  asked && requireNamespace("future", quietly = TRUE) && !inherits(future::plan(), "sequential")
}

# A worker that dies, or does not answer in time, is a failed attempt of its own pull alone. Where
# the plan cannot take a pull, none is spent: what is running comes to its end, then the run stops.
carry_out_futures <- function(left, results, how, arrive) {
  waiting <- lapply(left, function(work) list(work = work, attempt = 1L))
  running <- list()
  revived <- FALSE
  refused <- NULL # why
  finish <- function(name, task) {
    if (is_late(task)) {
      session$stuck <- c(session$stuck, list(task))
    }
    result <- collect(task, how$time_limit)
    if (is_silent(result)) {
      running[[name]] <<- task
    } else if (is_refusal(result)) {
      refused <<- result$refused
      waiting[[name]] <<- task
    } else if (has_failed(result) && task$attempt <= how$retries) {
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
    while (may_launch(waiting, running, refused)) {
      name <- names(waiting)[1L]
      task <- allowInterrupts(launch(waiting[[1L]]))
      if (inherits(task$future, "Future")) {
        waiting[[name]] <- NULL
        running[[name]] <- task
      } else if (length(running)) {
        break # until the other workers are done
      } else if (!revived && may_revive(task$future)) {
        refused <- allowInterrupts(revive_workers())
        revived <- TRUE
      } else {
        refused <- conditionMessage(task$future)
      }
    }
    if (!is.null(refused) && !length(running)) {
      abort("workers", plain_reason(refused))
    }
    for (name in allowInterrupts(wait_for(running, how$time_limit))) {
      task <- running[[name]]
      running[[name]] <- NULL
      finish(name, task)
    }
  }
}

may_launch <- function(waiting, running, refused) {
  length(waiting) && is.null(refused) && (!length(running) || future::nbrOfFreeWorkers() > 0)
}

# A queue has no workers of its own that could have died.
may_revive <- function(error) {
  inherits(error, "FutureError") && !inherits(error, "BatchtoolsFutureError")
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

# A plan keeps a worker that died, and fails with it again and again. None is busy now. Returns why
# it could not be done, NULL if it could.
revive_workers <- function() {
  message("A worker was lost: the workers of your plan() are started again.")
  session$stuck <- list()
  plan <- future::plan("list")
  future::plan(future::sequential)
  tryCatch({
    future::plan(plan)
    NULL
  }, error = conditionMessage)
}

# The names of those that are ready or overdue, at least one where there is any.
wait_for <- function(running, limit) {
  pause <- 0.001
  longest <- longest_pause(running)
  while (length(running)) {
    ready <- vapply(running, function(task) is_ready(task) || is_overdue(task, limit), TRUE)
    if (any(ready)) {
      return(names(running)[ready])
    }
    Sys.sleep(pause)
    pause <- min(2 * pause, longest)
  }
}

# Seconds. A queue is asked for each of its jobs, and many people ask it.
longest_pause <- function(running) if (any(vapply(running, is_job, TRUE))) 5 else 0.1

is_job <- function(task) inherits(task$future, "BatchtoolsFuture")

is_ready <- function(task) {
  if (!inherits(task$future, "Future")) {
    return(TRUE)
  }
  tryCatch({
    ready <- future::resolved(task$future)
    session$silent <- NULL
    ready
  }, error = function(e) {
    silent <- is_silence(e)
    if (silent) {
      say_if_silent_long()
    }
    !silent
  })
}

# Did the queue not say which jobs it has? They go on without it, so it is asked again.
is_silence <- function(e) startsWith(conditionMessage(e), "Listing of jobs failed")

# Once a silence. session$silent: since when; Inf: it has been said.
say_if_silent_long <- function() {
  if (is.null(session$silent)) {
    session$silent <- now()
  } else if (now() - session$silent > 60) {
    session$silent <- Inf
    inform(
      "workers", "The queue has not answered for a minute. The run waits for the jobs that are ",
      "out, and asks again."
    )
  }
}

is_silent <- function(result) isTRUE(result$silent)

# A worker stops its objective by itself; this is for one that cannot. Jobs of a scheduler may
# wait in its queue, so they are left to it.
patience <- 5

is_overdue <- function(task, limit) {
  !is_job(task) && now() - task$since > limit + patience
}

is_late <- function(task) !is_job(task) && !is_ready(task)

# The result, list(refused = why) where the worker could not do what is asked of all, or
# list(silent = TRUE) where it is to be asked for again.
collect <- function(task, limit) {
  if (is_late(task)) {
    return(failed_attempt(sprintf("the worker did not answer within %g s", limit)))
  }
  result <- tryCatch(
    future::value(task$future),
    error = function(e) {
      if (is_silence(e)) list(silent = TRUE) else worker_error(e, task$future$packages)
    }
  )
  if (is_here(result$absent)) list(refused = result$remark$error) else without_absent(result)
}

# What becomes of a pull that was given to a worker and of which no result came.
worker_error <- function(e, packages) {
  reason <- first_line(conditionMessage(e))
  lost <- lost_job(conditionMessage(e))
  if (!is.null(lost)) {
    failed_attempt(paste0("the worker failed: ", lost))
  } else if (names_package(reason, packages)) {
    list(refused = reason)
  } else {
    # The rest is for those who look after the workers.
    failed_attempt(paste0("the worker failed: ", sub("[.] Post-mortem.*", "", reason)))
  }
}

# Of a job that is gone, by what future.batchtools says: where its files are, and the last that its
# log has of the reason. NULL: something else happened.
lost_job <- function(message) {
  lines <- strsplit(message, "\n", fixed = TRUE)[[1L]]
  if (grepl("^Log file .* not available", lines[1L])) {
    return("its job ended without a result, and left no log")
  }
  found <- "^BatchtoolsExpiration: .*[(]registry path (.*)[)][.].*"
  if (grepl(found, lines[1L])) {
    why <- utils::tail(grep("error|killed", lines[-1L], ignore.case = TRUE, value = TRUE), 1L)
    where <- sub(found, "\\1", lines[1L])
    paste(c(sprintf("its job ended without a result (files in %s)", where), why), collapse = ": ")
  }
}

is_refusal <- function(result) !is.null(result$refused)

# Packages that the objective needs are attached before it is called. The message of a worker that
# lacks one has its name, in the words and the language of whatever says so; that of one that died
# may have it in a path.
names_package <- function(message, packages) {
  name <- gsub(".", "[.]", packages, fixed = TRUE)
  any(vapply(sprintf("(^|[^/[:alnum:]._-])%s([^/[:alnum:]._-]|$)", name), grepl, TRUE, message))
}

# A package that an objective did not find on a worker.
is_here <- function(package) {
  is.character(package) && length(package) == 1L && nzchar(system.file(package = package))
}

# Without advice for those who look after the workers.
plain_reason <- function(message) {
  rest <- "\nTROUBLESHOOTING.*|[.] (Post-mortem|The total size|The three largest).*"
  trimws(sub(rest, "", message))
}
