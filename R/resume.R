# The same call again: is the file of this call, and where does it go on?

# The run to go on with: what the file holds if it is of this call, else `start(seed)`. seed: NULL
# where the user gave none. Functions and all else that makes the run are those of the call.
resume_run <- function(file, seed, start) {
  if (!file.exists(file)) {
    return(start(seed))
  }
  saved <- unpack_run(read_bytes(file), file)
  given <- saved$given
  from_file(file, {
    check_settings_list(given)
    check_sound(is_bare(given$seed, "integer", 1L), "seed")
    check_sound(is_saved_budget(given$budget), "budget")
  })
  asked <- as_begun(start(if (is.null(seed)) given$seed else seed), given$init)
  check_same_call(settings_of(asked), given, file)
  settings <- settings_of_call(asked, given, file)
  from_file(file, check_facts(saved$facts, settings))
  check_same_past(asked$log, saved$facts$log, file)
  x <- rebuild_run(settings, saved, file)
  if (asked$budget > x$budget) {
    x <- extend_run(x, asked$budget)
  }
  message("Resuming ", basename(file), ": ", spent_text(x, done_of(x)), if (is.null(x$model$cost)) {
    " done"
  }, ".")
  x
}

# Of the budget, by results alone: those told, and those of the batch that is being carried out.
done_of <- function(x) {
  open <- cost_of_arms(x, x$open$arm)
  came <- x$underway$results
  if (!x$count_failures) {
    came <- Filter(has_worked, came)
  }
  at <- match(names(came), x$underway$pull)
  new <- true_costs(x, x$underway$arm[at], vapply(came, `[[`, 0, "cost"))
  spent(x) - sum(open) + sum(new)
}

# Where `init` was left out, the number of first pulls is that of the budget with which the run was
# begun: since then it may have been extended, by this call or by earlier ones.
as_begun <- function(asked, init) {
  left_out <- identical(asked$init, initial_pulls(asked, NULL))
  if (left_out && identical(init, utils::head(asked$init, length(init)))) {
    asked$init <- init
  }
  asked
}

# What came of a history may have been rounded otherwise on another computer: then it is as it was.
settings_of_call <- function(asked, given, file) {
  settings <- run_settings(asked)
  settings$budget <- from_file(file, check_budget(given$budget, settings$model$cost))
  if (!identical(settings_of(asked)$cov, given$cov)) {
    settings$model <- from_file(file, read_model(given))
  }
  settings
}

check_same_call <- function(asked, saved, file) {
  differs <- from_file(file, setting_differences(asked, saved))
  what <- vapply(differs, function(name) difference(name, asked[[name]], saved[[name]]), "")
  if (length(what)) {
    abort(
      "checkpoint", "The file \"", file, "\" belongs to another call, which differs in: ",
      paste(what, collapse = "; "), ". Make the same call again (the budget may be larger), or ",
      "give another file name.",
      data = list(differs = differs)
    )
  }
}

# The arguments that differ, to the last bit.
setting_differences <- function(asked, saved) {
  if (is_by_number(saved$arms, asked$arms)) {
    saved$arms <- asked$arms
  }
  same_arms <- identical(asked$arms, saved$arms)
  a <- as_given(asked, same_arms)
  b <- as_given(saved, same_arms)
  differs <- setting_names[!mapply(identical, a[setting_names], b[setting_names])]
  c(setdiff(differs, "budget"), if (asked$budget < saved$budget) "budget")
}

# Are rows that the call names by their values those that the file names by their numbers?
is_by_number <- function(saved, asked) {
  made <- is_record(asked, arm_fields) && asked$kind == "row"
  made && identical(saved, quick_frame(c(
    list(arm = as.character(row_numbers(asked))), unclass(asked$data)
  )))
}

# What was set by a history is no argument of the call; of a kernel, what it made of other arms is
# not either.
as_given <- function(settings, same_arms) {
  history <- settings$history
  if (!is.null(history)) {
    settings[c("cov", history$sets)] <- NULL
    settings$history <- history$code
  }
  if (!same_arms) {
    settings$kernel <- settings$kernel$code
  }
  settings
}

# Where the call continues an earlier run, the file must have all of it.
check_same_past <- function(asked, saved, file) {
  if (!identical(asked, log_rows(saved, seq_along(asked$arm)))) {
    abort(
      "checkpoint", "The file \"", file, "\" does not hold all observations of the run given as ",
      "`arms`. Continue the one or the other: the file with read_run(), the run with another ",
      "file name."
    )
  }
}

difference <- function(name, asked, saved) {
  short <- function(v) is.null(v) || (is.atomic(v) && is.null(attributes(v)) && length(v) == 1L)
  values <- if (short(asked) && short(saved)) {
    gettextf(" (%s there, %s now)", describe(saved), describe(asked))
  }
  paste0("`", name, "`", values)
}
