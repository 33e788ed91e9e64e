# One pull of an objective: its attempts and random numbers, its limits, and what it returned.

# All that it takes to carry out the pulls, here or on a worker, by pull number.
pull_work <- function(x, objective, how) {
  batch <- x$underway
  streams <- pull_streams(x, batch$pull)
  work <- lapply(seq_along(batch$pull), function(i) {
    list(
      objective = objective, arm = arm_value(x$model$arms, batch$arm[i]), pull = batch$pull[i],
      block = if (has_blocks(x)) x$blocks[batch$block[i]],
      batch = x$epoch$batches + length(x$tells) + 1L, stream = streams[[i]],
      sign = reward_sign(x), family = family_of(x$model), costs = !is.null(x$model$cost),
      time_limit = how$time_limit,
      strict = getOption("warn") >= 2L
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

# One attempt: list(reward, se, size, cost, remark, warnings), and `absent` where a package was not
# found. Each has random numbers of its own.
attempt_pull <- function(work, attempt) {
  stream <- work$stream
  for (i in seq_len(attempt)) {
    stream <- objective_stream(stream)
  }
  args <- list(work$arm)
  if ("pull" %in% names(formals(args(work$objective)))) {
    seed <- abs(stream[4L]) %% .Machine$integer.max
    args$pull <- list(index = work$pull, seed = seed, batch = work$batch, attempt = attempt)
    args$pull$block <- work$block
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
  failed <- inherits(value, "failed_pull")
  result <- if (failed) value else read_result(value, work)
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
      if (late()) {
        failed_pull(sprintf("the objective did not return within %g s", limit))
      } else {
        failed_pull(conditionMessage(e), if (inherits(e, "packageNotFoundError")) e$package)
      }
    }
  )
}

# absent: a package that was not found.
failed_pull <- function(message, absent = NULL) {
  message <- paste(message, collapse = " ")
  if (!nzchar(message)) {
    message <- "an error without a message"
  } else if (message == withdrawn) { # which is what people do with results, not objectives
    message <- "an error that says \"withdrawn\""
  }
  failed <- list(
    reward = NA_real_, se = NA_real_, size = 1, cost = NA_real_, remark = list(error = message)
  )
  structure(c(failed, if (!is.null(absent)) list(absent = absent)), class = "failed_pull")
}

# A run keeps the message only.
without_absent <- function(result) result[names(result) != "absent"]

# As attempt_pull() gives it.
failed_attempt <- function(message) c(unclass(failed_pull(message)), list(warnings = character()))

# What the objective returned, and, where pulls have costs, what it says of them; NA: nothing.
read_result <- function(value, work) {
  cost <- if (work$costs && "cost" %in% names(value)) value[["cost"]]
  if (is.null(cost)) {
    return(read_reward(value, work$sign, work$family))
  }
  if (length(cost) == 1L && (is.na(cost) || (is.numeric(cost) && cost == 0))) {
    cost <- NA_real_ # nothing is said by it: what was given counts
  } else if (!is_number(cost) || cost <= 0 || cost > 1e100) {
    return(failed_pull(paste0(
      "the objective returned ", describe(cost), " for `cost` where a number above 0 is needed"
    )))
  }
  result <- read_reward(value[names(value) != "cost"], work$sign, work$family)
  if (!inherits(result, "failed_pull")) {
    result$cost <- as.double(cost)
  }
  result
}

# What the objective returned: a number, c(y = , se = ), or a list with y; or what a family has.
read_reward <- function(value, sign, family = NULL) {
  if (!is.null(family)) {
    return(read_rate(value, sign, family))
  }
  parts <- result_parts(value, NULL)
  y <- parts[["y"]]
  se <- parts[["se"]]
  if (is.list(value) && is.null(y)) {
    return(failed_pull(paste0(
      "the objective returned a list without an element `y`", family_hint(names(value))
    )))
  }
  if (!is_reward(y)) {
    return(failed_pull(paste0(
      "the objective returned ", describe(y), " where a number up to 1e100 is needed",
      family_hint(if (is_flag(y)) "successes" else names(y))
    )))
  }
  if (!is.null(se) && !is_se(se)) {
    return(failed_pull(paste0(
      "the objective returned ", describe(se), " for `se` where a number from 0 is needed"
    )))
  }
  list(
    reward = sign * as.double(y), se = if (is.null(se)) NA_real_ else as.double(se), size = 1,
    cost = NA_real_, remark = further_remark(parts, NULL)
  )
}

read_rate <- function(value, sign, family) {
  parts <- result_parts(value, family)
  if (!is.null(parts[["se"]])) {
    return(failed_pull(paste0(
      "the objective returned `se`, which `family = \"", family$name, "\"` has no use for"
    )))
  }
  found <- read_hits(parts, family)
  if (is.character(found)) {
    return(failed_pull(paste0("of what the objective returned, ", found)))
  }
  list(
    reward = sign * found$y, se = NA_real_, size = found$size, cost = NA_real_,
    remark = further_remark(parts, family)
  )
}

has_failed <- function(result) !is.null(result$remark$error)

has_worked <- function(result) !has_failed(result)
