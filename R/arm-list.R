# The list of arms while a run goes on: some are taken out, others come in.

#' Take arms out of a run, or bring others in
#'
#' `drop_arms()` takes arms out of the race: they are neither pulled nor recommended any more.
#' `add_arms()` brings new arms in, or those back that were dropped. Use them when the list of
#' candidates changes while a run goes on: a supplier fails, a new recipe comes up.
#'
#' What is known of an arm that was dropped still tells of its neighbours, and its results stay in
#' the log; one of its trials that is out can still be told. New arms come after the old ones.
#' Everything is learned anew from the log either way, and `as.data.frame(x, all = TRUE)` shows
#' what was changed and when.
#'
#' The prior has to cover the new arms. Where arms are independent, or a kernel says how they are
#' correlated, it does by itself; but a file keeps no kernel, so that of a run that was read from
#' one the `kernel` must be given again. A `cov`, `features` or `history` is to be given again, for
#' all arms in order, those that were dropped too; likewise a `prior_mean` or `noise_sd` of one
#' number an arm, and a `cost`.
#'
#' @param x A run, made by [bayesgap()] or [tell()], or the name of a file that holds one.
#' @param arms Arms of the run, by name or number. For `add_arms()`: the names of new arms; rows
#'   with the columns of the arms, where these are a data frame; or, where arms are numbers, how
#'   many more. Names of arms that were dropped bring these back.
#' @param ... For a file, `wait`: the seconds to wait for another session that is changing it.
#' @param kernel,cov,features,history,prior_mean,noise_sd,cost What is believed of all arms, as in
#'   [arm_model()], where it must be said again.
#' @return The new run, invisibly where `x` is a file.
#' @seealso [amend()] for results; [run_files]; `vignette("in-the-lab")`.
#' @export
#' @examples
#' x <- bayesgap(c("red", "green", "blue"), budget = 9, seed = 1)
#' x <- tell(x, data.frame(pull = 1:3, arm = c("red", "green", "blue"), y = c(0.7, 1.1, 0.9)))
#' x <- drop_arms(x, "green")
#' x <- add_arms(x, "violet")
#' posterior(x)
#' x <- add_arms(x, "green") # back again
#'
#' # Rows of a data frame; the kernel says how they resemble the others
#' dial <- data.frame(position = c(1, 3, 5))
#' x <- bayesgap(dial, budget = 9, kernel = k_se(), seed = 1)
#' add_arms(x, data.frame(position = c(2, 4)))
drop_arms <- function(x, arms = NULL, ...) {
  check_run(x, file = TRUE)
  UseMethod("drop_arms")
}

#' @export
drop_arms.bayesgap <- function(x, arms = NULL, ...) { # nolint: object_name_linter.
  check_dots(...)
  x <- by_hand(x)
  at <- unique(match_arms(x$model$arms, arms, "arms"))
  names <- x$model$arms$names
  if (any(at %in% x$dropped)) {
    abort("arms", "Arm ", quoted(names[at[at %in% x$dropped][1L]]), " was dropped before.")
  }
  if (any(at %in% x$model$control)) {
    abort(
      "arms", "Arm ", quoted(names[x$model$control]), " is the control of the run, with which all ",
      "others are compared: it cannot be dropped."
    )
  }
  if (length(at) + length(x$dropped) == length(names)) {
    abort("arms", "No arm would be left: keep at least one.")
  }
  if (!length(at)) {
    return(x)
  }
  x$dropped <- c(x$dropped, at)
  begin(note_change(x, "dropped", list(arm = at)))
}

#' @rdname drop_arms
#' @export
add_arms <- function(x, arms = NULL, ...) {
  check_run(x, file = TRUE)
  UseMethod("add_arms")
}

#' @rdname drop_arms
#' @export
add_arms.bayesgap <- function(x, arms = NULL, ..., kernel, cov, features, history, prior_mean, # nolint
                              noise_sd, cost) {
  check_dots(...)
  named <- setdiff(names(match.call(expand.dots = FALSE)), c("", "x", "arms", "..."))
  changes <- mget(named)
  x <- by_hand(x)
  old <- x$model$arms
  new <- longer_arms(old, arms, x$dropped)
  back <- attr(new, "back")
  attr(new, "back") <- NULL
  fresh <- n_arms(old) + seq_len(n_arms(new) - n_arms(old))
  if (length(fresh)) {
    x$model <- widen_model(x$model, new, changes)
  } else if (length(changes)) {
    abort(
      "arms", "No new arm comes in, so that `", named[1L], "` is not needed: update() changes ",
      "what is believed."
    )
  }
  if (length(fresh) && length(x$log$arm) && policy_keeps(x$policy)) {
    inform(
      "arms", "Policy ", format(x$policy), " decides in stages: an arm that comes later may never ",
      "be pulled. Other policies try it."
    )
  }
  x$dropped <- setdiff(x$dropped, back)
  begin(note_change(x, "added", list(arm = c(back, fresh))))
}

# The arms with others behind them; back: as an attribute, those of the old that are named again.
longer_arms <- function(old, given, dropped) {
  more <- new_arms_of(old, given)
  at <- match(more$names, old$names)
  here <- which(!is.na(at) & !at %in% dropped)
  if (length(here)) {
    abort("arms", "Arm ", quoted(more$names[here[1L]]), " is in the run already.")
  }
  back <- at[!is.na(at)]
  if (length(back) && !is.null(more$data)) {
    check_rows_agree(old, as.list(more$data[!is.na(at), , drop = FALSE]), back, "arms",
                     function(row) "the arm that was dropped is ")
  }
  fresh <- is.na(at)
  if (any(fresh) && more$kind != old$kind) {
    abort(
      "arms", "Arm ", quoted(more$names[fresh][1L]), " is new, so it must be given as the others ",
      "were: ", arms_must(old), "."
    )
  }
  names <- check_arm_names(c(old$names, more$names[fresh]))
  data <- if (any(fresh) && !is.null(old$data)) {
    join_rows(old$data, more$data[fresh, , drop = FALSE])
  } else {
    old$data
  }
  structure(
    new_arms(old$kind, names, old$named, data, c(old$items, more$items[fresh])), back = back
  )
}

# What was given, as arms; names alone may be of arms that were dropped.
new_arms_of <- function(old, given) {
  if (inherits(given, "POSIXlt")) {
    given <- as.POSIXct(given)
  }
  more <- if (is.data.frame(given) && old$kind == "row") {
    arms_from_rows(given)
  } else if (is_number(given) && old$kind == "number") {
    more_numbers(old, given)
  } else if (old$kind == "value" && is.atomic(given) && !is.character(given) && length(given)) {
    arms_from_values(given)
  } else if (old$kind == "item" && is.list(given) && !is.object(given) && length(given)) {
    arms_from_list(given)
  } else if ((is.character(given) || is.factor(given)) && length(given)) {
    new_arms("name", check_arm_names(as.character(given)), TRUE)
  } else {
    abort_argument("arms", "arms", arms_must(old), given)
  }
  if (old$kind == "number" && !all(more$names %in% old$names) && more$named) {
    abort(
      "arms", "The arms of this run are numbers: give the number of new arms, or, as text, the ",
      "numbers of arms that were dropped."
    )
  }
  if (old$named && !more$named) {
    abort(
      "arms", "The arms of this run have names, so that new ones must have one too: ",
      if (old$kind == "row") "in a column `arm` of `arms`." else "names(arms)."
    )
  }
  more
}

arms_must <- function(old) {
  switch(old$kind,
    number = "the number of new arms",
    name = "the names of new arms",
    row = paste("a data frame of new arms with the columns", quoted(names(old$data), Inf)),
    value = "the values of new arms",
    item = "a list of new arms"
  )
}

more_numbers <- function(old, given) {
  k <- n_arms(old)
  more <- check_count(given, "arms", .Machine$integer.max - k)
  check_memory(arm_bytes * (k + more), count_of(k + more, "arm"), "Give fewer.")
  new_arms("number", as.character(k + seq_len(more)), FALSE)
}

# Rows below rows, of the same columns.
join_rows <- function(data, more) {
  other <- c(setdiff(names(data), names(more)), setdiff(names(more), names(data)))
  if (length(other)) {
    abort(
      "arms", "`arms` must have the columns of the run's arms, ", quoted(names(data), Inf), "; ",
      if (other[1L] %in% names(data)) "it lacks " else "it also has ", quoted(other), "."
    )
  }
  columns <- lapply(names(data), function(name) join_column(data[[name]], more[[name]], name))
  quick_frame(structure(columns, names = names(data)))
}

# Values of one kind; a factor gets the levels that are new.
join_column <- function(old, new, name) {
  if (is.factor(old) && (is.factor(new) || is.character(new))) {
    levels <- union(levels(old), as.character(new))
    return(factor(c(as.character(old), as.character(new)), levels, ordered = is.ordered(old)))
  }
  alike <- (is_plain_kind(old, is.numeric) && is_plain_kind(new, is.numeric)) ||
    identical(class(old), class(new)) || all(is.na(new))
  if (!alike) {
    abort(
      "arms", "The column `", name, "` of `arms` must be of class ", class(old)[1L],
      ", as in the run, not ", class(new)[1L], "."
    )
  }
  c(old, new)
}

is_plain_kind <- function(value, is_kind) is_kind(value) && !is.object(value)

# The model for more arms; changes: what of it is said again.
widen_model <- function(model, arms, changes) {
  if (!any(c("kernel", "cov", "features", "history") %in% names(changes))) {
    check_widens(model)
    changes["kernel"] <- list(model$kernel$kernel) # NULL: arms are independent
  }
  per_arm <- Filter(function(name) length(model[[name]]) > 1L, c("prior_mean", "noise_sd"))
  missing <- setdiff(per_arm, c(names(changes), model$history$sets))
  if (length(missing)) {
    abort(
      "arms", "`", missing[1L], "` must be given again: the run has one number for each of ",
      count_of(n_arms(model$arms), "arm"), ", and there will be ", grouped(n_arms(arms)), "."
    )
  }
  check_cost_given(model, arms, changes$cost)
  model$arms <- arms
  update_model(model, changes)
}

check_cost_given <- function(model, arms, cost) {
  if (is.null(model$cost) && !is.null(cost)) {
    abort("cost", "The pulls of this run have no costs: `cost` must be left out.")
  }
  if (!is.null(model$cost) && is.null(cost)) {
    abort(
      "cost", "`cost` must be given again for all arms, of which there will be ",
      grouped(n_arms(arms)), ": a number, one per arm, or the name of a column."
    )
  }
}

check_widens <- function(model) {
  own <- if (!is.null(model$history)) "history" else prior_kind(model$prior)
  if (own %in% c("cov", "features", "history")) {
    abort(
      "arms", "`", own, "` must be given again for all arms, the new ones last: add_arms(x, arms, ",
      own, " = )."
    )
  }
  if (own == "kernel" && model$kernel$kernel$op == "saved") {
    abort(
      "arms", "`kernel` must be given again, since a file keeps what it made of the arms only: ",
      "add_arms(x, arms, kernel = ", format(model$kernel$kernel), ")."
    )
  }
}
