# Trials asked for and called off, a larger budget, and the list of arms: what the desk does with
# the file besides results.

# ---- Trials -------------------------------------------------------------------------------------

ask_trials <- function(file, values) {
  n <- entered_number(values, "n", "How many trials?")
  block <- entry(values, "block")
  todo <- suppressMessages( # which are for those who write R
    ask(file, n = n, block = if (nzchar(block)) block, wait = desk_wait),
    classes = "bayesgap_message_ask"
  )
  if (nrow(todo)) {
    inform("desk", if (nrow(todo) == 1L) "Trial " else "Trials ", listed(todo$pull), " to be made.")
  } else {
    inform("desk", why_no_trial(look_at_run(file)))
  }
}

# Of a run that was asked and named none.
why_no_trial <- function(x) {
  if (length(x$open$pull)) {
    return("No further trial is left: all that are planned are on the list.")
  }
  reason <- if (is.null(x$stopped)) "the budget is spent" else x$stopped
  sprintf("There is nothing more to ask: %s.", reason)
}

call_off <- function(file, pull) {
  cancel(file, suppressWarnings(as.integer(pull)), wait = desk_wait)
  inform("desk", "Trial ", pull, " is called off, and its place in the budget is free again.")
}

# Under the lock, so that nothing that is told meanwhile is lost.
plan_more <- function(file, values) {
  budget <- entered_number(values, "budget", "How many trials in all?")
  change_run(file, desk_wait, function(x) bayesgap(x, budget = budget))
  inform("desk", "The budget is ", format(budget, digits = 15), " now.")
}

# ---- Arms ---------------------------------------------------------------------------------------

# Arms of a run by what they are now; names.
arms_by_status <- function(x) {
  status <- arm_status(x)
  control <- seq_along(status) %in% x$model$control
  names <- x$model$arms$names
  list(
    active = names[status == "active" & !control], dropped = names[x$dropped],
    failed = names[failing_arms(x)]
  )
}

put_aside <- function(file, values) {
  arm <- entry(values, "arm")
  drop_arms(file, chosen_arm(arm), wait = desk_wait)
  inform("desk", "Arm ", quoted(arm), " is set aside: it is neither tried nor recommended.")
}

bring_back <- function(file, values) {
  arm <- chosen_arm(entry(values, "arm"))
  add_arms(file, arm, wait = desk_wait)
  inform("desk", "Arm ", quoted(arm), " is back.")
}

try_again <- function(file, values) {
  arm <- chosen_arm(entry(values, "arm"))
  retry_arms(file, arm, wait = desk_wait)
  inform("desk", "Arm ", quoted(arm), " is tried again.")
}

chosen_arm <- function(arm) {
  if (!nzchar(arm)) {
    abort("arms", "Choose an arm.")
  }
  arm
}

# New arms, as the run has them: names in lines, or one row of a table, a field each column.
add_typed <- function(file, values) {
  x <- look_at_run(file)
  new <- typed_arms(x, values)
  given <- list(arms = new)
  kernel <- kernel_again(x)
  if (!is.null(kernel)) given$kernel <- kernel
  costs <- costs_again(x, new, values)
  if (!is.null(costs)) given$cost <- costs
  do.call(add_arms, c(list(file), given, list(wait = desk_wait)))
  inform("desk", "The list of arms is longer by ", typed_count(new), ".")
}

typed_count <- function(new) {
  if (is.data.frame(new)) nrow(new) else if (is.character(new)) length(new) else new
}

typed_arms <- function(x, values) {
  arms <- x$model$arms
  switch(arms$kind,
    row = typed_row(arms, values),
    name = typed_names(values),
    number = entered_number(values, "arms", "How many more arms?"),
    abort("arms", "Arms of this kind are added in R, by add_arms().")
  )
}

typed_names <- function(values) {
  names <- entered_lines(entry(values, "arms"))
  if (!length(names)) {
    abort_mistakes(c(arms = "Name at least one arm, each in a line of its own."))
  }
  names
}

# Of a field for each column of the arms, "column.temperature".
typed_row <- function(arms, values) {
  fields <- paste0("column.", names(arms$data))
  cells <- lapply(fields, function(field) entry(values, field))
  number <- vapply(arms$data, is_plain_number, TRUE)
  read <- lapply(cells[number], read_numbers)
  problem <- vapply(read, `[[`, "", "problem")
  problem[!nzchar(unlist(cells[number]))] <- "A number is wanted here."
  mistakes <- structure(problem, names = fields[number])
  if (arms$named && !nzchar(entry(values, "arm"))) {
    mistakes <- c(arm = "The arms of this run have names: give this one a name too.", mistakes)
  }
  stop_if_mistakes(mistakes[!is.na(mistakes)])
  cells[number] <- lapply(read, `[[`, "value")
  row <- structure(cells, names = names(arms$data))
  quick_frame(if (arms$named) c(list(arm = entry(values, "arm")), row) else row)
}

# ---- What a file does not keep ------------------------------------------------------------------

# The kernel that the desk gave a run, which its file has the text of; NULL: arms are independent,
# or the kernel is another, of which add_arms() says what is to be done.
kernel_again <- function(x) {
  text <- kernel_text(x)
  if (is.null(text)) {
    return(NULL)
  }
  columns <- kernel_columns(x)
  if (!length(columns)) {
    return(NULL)
  }
  kernel <- desk_kernel(x$model$arms$data[columns], !is.null(x$model$cost))
  if (!is.null(kernel) && identical(format(kernel), text)) kernel
}

kernel_text <- function(x) if (!is.null(x$model$kernel)) format(x$model$kernel$kernel)

# The columns of the arms that the text of a kernel names. It is looked through, not run.
kernel_columns <- function(x) {
  words <- tryCatch(all.vars(str2lang(kernel_text(x))), error = function(e) character())
  intersect(names(x$model$arms$data), words)
}

# The costs of all arms with those of new ones: from the column that had them, or as typed.
costs_again <- function(x, new, values) {
  cost <- x$model$cost
  if (is.null(cost)) {
    return(NULL)
  }
  column <- cost_column_of(x$model)
  if (!is.null(column)) {
    return(column)
  }
  more <- entered_number(values, "cost", "What does a trial of it cost?")
  c(cost, rep(more, typed_count(new)))
}
