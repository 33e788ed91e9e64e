# Progress on the message stream, never on stdout: through progressr where its handlers are on,
# else one line that is written over.

# Are progressr's handlers on, for the session or by with_progress()?
uses_progressr <- function() {
  if (!isNamespaceLoaded("progressr")) {
    return(FALSE)
  }
  if (isTRUE(progressr::handlers(global = NA))) {
    return(TRUE)
  }
  around <- lapply(seq_len(sys.nframe()), sys.function)
  any(vapply(around, identical, TRUE, progressr::with_progress))
}

no_progress <- list(show = function(...) NULL, close = function() NULL)

# The tick goes to the workers with every chunk: a promise in its frame would take the caller's
# frame along, which has all chunks.
benchmark_bar <- function(steps, progress) {
  force(steps)
  force(progress)
  nothing <- function() NULL
  if (uses_progressr()) {
    tick <- progressr::progressor(steps = steps, on_exit = FALSE)
    return(list(tick = function() tick(), close = nothing))
  }
  if (!progress) {
    return(list(tick = nothing, close = nothing))
  }
  bar <- utils::txtProgressBar(0, steps, style = 3, file = stderr())
  done <- 0L
  list(
    tick = function() {
      done <<- done + 1L
      utils::setTxtProgressBar(bar, done)
    },
    close = function() close(bar)
  )
}

# ---- A run ------------------------------------------------------------------------------------

# show(x) after every pull. What stands beside the bar costs joint draws, so it is made anew only
# when that takes less than a tenth of the time since it was.
run_bar <- function(x, progress) {
  if (is_done(x)) {
    return(no_progress)
  }
  say <- if (uses_progressr()) {
    tell_progressr(x)
  } else if (progress) {
    write_line
  } else {
    return(no_progress)
  }
  start <- list(at = now(), done = spent(x))
  lead <- fresh_lead(x)
  say(x, lead$text, "")
  list(
    show = function(x) {
      if (is_done(x) || now() - lead$at > 10 * lead$cost) {
        lead <<- fresh_lead(x)
      }
      say(x, lead$text, time_left(x, start))
    },
    close = if (identical(say, write_line)) end_line else no_progress$close
  )
}

# Who leads, and with what probability; a thousand draws are enough for two digits.
fresh_lead <- function(x) {
  began <- now()
  best <- x$belief$best
  text <- if (x$observed > 0L) {
    sprintf("%s (P %s)", x$model$arms$names[best], best_text(x, certainty(x, 1000L)))
  } else {
    "nothing yet"
  }
  list(text = paste("best:", text), at = now(), cost = max(0.01, now() - began))
}

time_left <- function(x, start) {
  done <- spent(x) - start$done
  if (done <= 0) {
    return("")
  }
  paste(in_words((now() - start$at) / done * max(0, left(x))), "left")
}

in_words <- function(seconds) {
  if (seconds < 60) {
    sprintf("%.0f s", seconds)
  } else if (seconds < 3600) {
    sprintf("%d min %02d s", seconds %/% 60, floor(seconds %% 60))
  } else {
    sprintf("%d h %02d min", seconds %/% 3600, floor(seconds %% 3600 %/% 60))
  }
}

write_line <- function(x, lead, left) {
  share <- min(1, spent(x) / x$budget)
  bar <- paste0(strrep("=", floor(20 * share)), strrep(" ", 20 - floor(20 * share)))
  done <- paste0(amount(spent(x)), "/", amount(x$budget))
  line <- sprintf("[%s] %s  %s  %s", bar, done, lead, left)
  width <- max(40L, getOption("width") - 1L)
  cat("\r", formatC(substr(line, 1L, width), width = -width), file = stderr(), sep = "")
}

end_line <- function() cat("\n", file = stderr())

# In pulls, or in hundredths of what is left to spend.
tell_progressr <- function(x) {
  unit <- if (is.null(x$model$cost)) 1L else left(x) / 100
  tick <- progressr::progressor(steps = left(x) / unit, on_exit = FALSE)
  last <- spent(x)
  function(x, lead, left) {
    tick(message = lead, amount = max(0, spent(x) - last) / unit)
    last <<- spent(x)
  }
}
