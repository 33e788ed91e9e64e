# tell(): results in any form and order become rows of the log: which pull, which arm, what was
# told.

#' @rdname ask
#' @export
tell <- function(x, y, ...) {
  check_run(x, file = TRUE)
  UseMethod("tell")
}

#' @rdname ask
#' @export
tell.bayesgap <- function(x, y, ...) { # nolint: object_name_linter.
  if (...length()) {
    check_dots(...)
  }
  if (missing(y)) {
    abort("tell", "`y` must be given: a number, or a data frame with `y` and `arm` or `pull`.")
  }
  new <- if (is.double(y)) learn_plainly(x, y)
  if (!is.null(new)) {
    return(new)
  }
  x <- by_hand(x)
  new <- if (is.data.frame(y)) tell_frame(x, y) else tell_one(unclass(x), y)
  say_if_failed(say_if_binary(new, x$observed), x)
}

tell_one <- function(x, y) {
  asked <- if (isTRUE(x$strict)) the_open_one(x) else ask_rows(x, 1L)
  if (!length(asked$pull)) {
    abort("tell", "No pull is open: ", if (is.null(x$stopped)) "the budget is spent"
          else x$stopped, ". Tell further results as a data frame with `arm` and `y`.")
  }
  family <- family_of(x$model)
  cost <- if (!is.null(x$model$cost) && "cost" %in% names(y)) y[["cost"]]
  if (!is.null(cost)) {
    y <- y[names(y) != "cost"]
  }
  parts <- result_parts(y, family)
  check_no_place(x, names(parts)[!names(parts) %in% c("y", pair_names(family))])
  told <- if (is.null(family)) told_reward(y, parts, asked) else told_rate(parts, family)
  if (has_blocks(x) && is.na(asked$block)) {
    abort_no_block()
  }
  remark <- further_remark(parts, family)
  learn(x, list(
    pull = asked$pull, arm = asked$arm, block = asked$block,
    reward = reward_sign(x) * told$y, se = told$se, size = told$size,
    cost = check_told_costs(x, asked$arm, cost)
  ), if (!is.null(remark)) list(remark))
}

# A single result is that of the next pull: what says otherwise is not to be overlooked.
check_no_place <- function(x, names) {
  if (!length(names)) {
    return()
  }
  place <- intersect(names, c("pull", "arm", "block", "failed", "error", names(x$model$arms$data)))
  if (length(place)) {
    abort(
      "tell", "`y` is a list with `", place[1L], "`: results that say which pull they are of, or ",
      "what went wrong, are told as a data frame."
    )
  }
}

# Where every pull that is out is known, a number alone is the result of the only one.
the_open_one <- function(x) {
  n <- length(x$open$pull)
  if (n != 1L) {
    abort(
      "tell", if (n) c(grouped(n), " trials are out: ", open_words(x)) else "No trial is out",
      ". ", if (n) "Tell results as a data frame with `pull` or `arm`, and `y`."
      else "Ask for one with ask(); tell other results as a data frame with `arm` and `y`."
    )
  }
  x$open
}

# Of one pull: list(y, se, size).
told_reward <- function(y, parts, asked) {
  if (is.list(y) && is.null(parts[["y"]])) {
    abort(
      "tell", "`y` is a list without an element `y`, the reward", family_hint(names(y)), "."
    )
  }
  if (!is_reward(parts[["y"]])) {
    abort_reward(parts[["y"]], asked)
  }
  se <- parts[["se"]]
  if (!is.null(se) && !is_se(se)) {
    abort("tell", "The element `se` of `y` must be a number from 0, not ", describe(se), ".")
  }
  list(y = as.double(parts[["y"]]), se = if (is.null(se)) NA_real_ else as.double(se), size = 1)
}

told_rate <- function(parts, family) {
  check_no_se(parts[["se"]], family)
  found <- read_hits(parts, family)
  if (is.character(found)) {
    abort(
      "tell", "Of `y`, ", found, ". A pull that failed is told as a data frame with `y = NA` and ",
      "`failed = TRUE`."
    )
  }
  list(y = found$y, se = NA_real_, size = found$size)
}

abort_reward <- function(y, asked) {
  if (length(y) != 1L && is.numeric(y)) {
    abort(
      "tell", "`y` must be one number, the result of pull ", asked$pull, ", not ",
      describe(y), ". To tell more, give a data frame with the columns `arm` and `y`, ",
      "such as the one that ask() gave."
    )
  }
  abort(
    "tell", "`y` must be a number (up to 1e100), not ", describe(y),
    ". A pull that failed is told as a data frame with `y = NA` and `failed = TRUE`.",
    if (is_flag(y)) " For successes and failures, say `family = \"binomial\"`."
  )
}

# Columns of the run's own, as as.data.frame() gives them: all others are kept as they are.
own_columns <- function(family) {
  c("pull", "arm", "block", "y", "se", "failed", "error", family$hits, family$size)
}

# Below, y is the list of the columns that were told.
tell_frame <- function(x, y) {
  arms <- x$model$arms
  family <- family_of(x$model)
  results <- c("y", family$hits, family$size)
  placed <- any(names(y) %in% c("pull", "arm", names(arms$data)))
  if (!any(results %in% names(y)) || !placed) {
    abort("tell", "`y` must have a column `y`",
          if (!is.null(family)) {
            gettextf(" or the columns `%s` and `%s`,", family$hits, family$size)
          },
          " and a column `arm` or `pull`", if (length(arms$data)) " or those of the arms",
          "; it has ", if (length(y)) quoted(names(y), Inf) else "none", family_hint(names(y)), ".")
  }
  y <- without_empty_end(check_columns(y, "y", "tell"))
  told <- told_results(x, y)
  told_cost <- y[["cost"]]
  if (!is.null(x$model$cost)) {
    y[["cost"]] <- NULL # which may be that of the arms too, and need not be the same
  }
  if (!length(told$reward)) {
    return(x)
  }
  if (!is.null(y[["block"]])) {
    x <- meet_blocks(unclass(x), block_labels(y[["block"]], "y$block", "block"), "y$block")
  }
  placed <- place_rows(x, y)
  rows <- c(
    placed[c("pull", "arm")], told[c("reward", "se", "size")],
    list(block = blocks_of_rows(x, y, placed)),
    if (!is.null(x$model$cost)) list(cost = check_told_costs(x, placed$arm, told_cost))
  )
  own <- c(own_columns(family), if (all(y[["status"]] %in% arm_statuses)) "status")
  further <- y[setdiff(names(y), c(own, names(arms$data)))]
  take_in(x, rows, told_remarks(further, told$error), placed$asked)
}

# Spreadsheets have rows below the last one that was filled in.
without_empty_end <- function(y) {
  empty <- Reduce(`&`, lapply(y, function(column) {
    if (is.list(column)) {
      lengths(column) == 0L
    } else if (is.character(column)) {
      is.na(column) | !nzchar(column)
    } else {
      is.na(column)
    }
  }))
  full <- max(0L, which(!empty))
  if (full < length(empty)) lapply(y, `[`, seq_len(full)) else y
}

# ---- What was told ------------------------------------------------------------------------------

# list(reward, se, size, error): error says what went wrong, NA where nothing did. empty: what is
# made of a result that is not there and of which nothing is said; NULL: that is not allowed.
told_results <- function(x, y, empty = NULL) {
  family <- family_of(x$model)
  for (column in intersect(names(y), c("y", "se", family$hits, family$size))) {
    y[[column]] <- without_text(y[[column]], column)
  }
  rate <- if (!is.null(family)) told_rates(y, family)
  if (!is.null(rate)) {
    y[["y"]] <- rate$y
  }
  missing <- is.na(y[["y"]])
  reward <- check_told(
    y[["y"]], missing, "y", function(v) abs(v) <= 1e100, "numbers up to 1e100, or NA"
  )
  se <- if (is.null(y[["se"]])) {
    rep(NA_real_, length(reward))
  } else {
    check_told(
      y[["se"]], is.na(y[["se"]]), "se", function(v) v == 0 | (v >= 1e-100 & v <= 1e100),
      "numbers from 0, or NA"
    )
  }
  list(
    reward = reward_sign(x) * reward, se = se,
    size = if (is.null(family)) rep(1, length(reward)) else rate$size,
    error = told_errors(y, missing, empty)
  )
}

# Numbers that came as text, as a spreadsheet gives a column in which one cell is no number.
without_text <- function(value, column) {
  if (!is.character(value) && !is.factor(value)) {
    return(value)
  }
  text <- trimws(as.character(value))
  text[!nzchar(text)] <- NA
  plain <- grepl("^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$", text)
  bad <- which(!is.na(text) & text != "NA" & !plain)
  if (length(bad)) {
    comma <- grepl("^[-+]?[0-9]+,[0-9]+$", text[bad[1L]])
    abort(
      "tell", "The column `", column, "` of `y` must hold numbers; row ", bad[1L], " is ",
      quoted(text[bad[1L]]), ".",
      if (comma) {
        c(" With decimal commas: as.numeric(sub(\",\", \".\", ", column, ", fixed = TRUE)).")
      } else if (!column %in% c("se", "cost")) {
        " Leave the row out, or say that the pull failed: `y = NA`, `failed = TRUE`."
      }
    )
  }
  text[!plain] <- NA
  as.double(text)
}

# What results did cost; where they do not say it, what they were to.
check_told_costs <- function(x, arm, cost) {
  if (is.null(cost)) {
    return(cost_of_arms(x, arm))
  }
  cost <- without_text(cost, "cost")
  true_costs(x, arm, check_told(
    cost, is.na(cost), "cost", function(v) v > 0 & v <= 1e100, "numbers above 0, or NA"
  ))
}

check_told <- function(value, missing, column, valid, must) {
  if (is.list(value) || (!is.numeric(value) && !all(missing))) {
    abort("tell", "The column `", column, "` of `y` must hold ", must, ", not ",
          describe(value), ".", if (is.logical(value) && column == "y") {
            " For successes and failures, say `family = \"binomial\"`."
          })
  }
  value <- as.double(value)
  bad <- is.nan(value) | (!missing & !valid(value))
  if (any(bad)) {
    abort("tell", "The column `", column, "` of `y` must hold ", must, "; row ",
          which(bad)[1L], " is ", format(value[bad][1L]), ".")
  }
  value
}

# What went wrong, NA where there is a result. That a pull failed is said by the column `failed`, or
# by `error`, which says why; a result that is only not known yet is none.
told_errors <- function(y, missing, empty = NULL) {
  failed <- told_failed(y)
  said <- rep(NA_character_, length(missing))
  if (!is.null(y[["error"]])) {
    check_plain(y, "error", "y", "tell")
    said <- as.character(y[["error"]])
    said[!nzchar(said)] <- NA
  }
  both <- which(!missing & (failed | !is.na(said)))
  if (length(both)) {
    abort_failed_result(both[1L], said[both[1L]])
  }
  silent <- which(missing & !failed & is.na(said))
  if (length(silent) && is.null(empty)) {
    abort(
      "tell", if (length(silent) == 1L) "Row " else "Rows ", listed(silent), " of `y` ",
      if (length(silent) == 1L) "has" else "have", " no result. Leave out what is not known yet; ",
      "a pull that failed has `y = NA` and `failed = TRUE`, or a column `error` that says why."
    )
  }
  said[failed & is.na(said)] <- "told as failed"
  said[silent] <- empty
  said
}

told_failed <- function(y) {
  failed <- y[["failed"]]
  if (is.null(failed)) {
    return(FALSE)
  }
  if (!is.logical(failed) && !all(is.na(failed))) {
    abort(
      "tell", "The column `failed` of `y` must hold TRUE where a pull failed, or FALSE, not ",
      describe(failed), "."
    )
  }
  failed %in% TRUE
}

abort_failed_result <- function(row, said) {
  abort(
    "tell", "Row ", row, " of `y` has a result, but ",
    if (is.na(said)) "`failed` is TRUE there" else c("its column `error` says ", quoted(said)),
    ": these are for pulls that failed, whose `y` is NA. Give a further column another name."
  )
}

listed <- function(numbers, most = 8L) {
  paste0(paste(utils::head(numbers, most), collapse = ", "), if (length(numbers) > most) ", ...")
}

# One remark a row, NULL where nothing is to be said. further: columns that are kept.
told_remarks <- function(further, error) {
  if (!length(further) && all(is.na(error))) {
    return(NULL)
  }
  further <- lapply(further, function(v) if (inherits(v, "POSIXlt")) as.POSIXct(v) else v)
  lapply(seq_along(error), function(i) {
    failed <- !is.na(error[i])
    if (failed || length(further)) {
      list(
        error = if (failed) error[i], extra = if (length(further)) lapply(further, `[[`, i)
      )
    }
  })
}
