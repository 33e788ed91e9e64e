# Results as they are typed into a page or come in a sheet: told as a whole or not at all, with
# every mistake at its cell. A field of a form is column.row, such as "y.12" for that of trial 12.

# The columns in which the result of a trial is told.
result_columns <- function(x) {
  family <- family_of(x$model)
  if (is.null(family)) "y" else c(family$hits, family$size)
}

# ---- Cells --------------------------------------------------------------------------------------

# Fields of a form as a sheet: text, one row for each of the numbers that its fields name, which are
# its attribute "row".
cells_of_form <- function(values, columns) {
  pattern <- sprintf("^(%s)[.]([0-9]+)$", paste(columns, collapse = "|"))
  fields <- grep(pattern, names(values), value = TRUE)
  row <- sort(unique(as.integer(sub(pattern, "\\2", fields))))
  cells <- lapply(columns, function(column) {
    vapply(row, function(i) entry(values, paste0(column, ".", i)), "")
  })
  structure(quick_frame(structure(cells, names = columns)), row = row)
}

# Cells as tell() and amend() take them: list(rows, mistakes). row: the numbers of the fields.
typed_results <- function(x, cells, row = attr(cells, "row")) {
  numbers <- intersect(
    c("pull", "y", "se", result_columns(x), "cost", number_columns(x)), names(cells)
  )
  mistakes <- character()
  rows <- lapply(structure(names(cells), names = names(cells)), function(name) {
    text <- cells[[name]]
    if (name == "failed") {
      return(is_yes(text))
    }
    if (!name %in% numbers) {
      return(if (name %in% known_columns(x)) text_cells(text) else typed_column(text))
    }
    read <- read_numbers(text)
    bad <- which(!is.na(read$problem))
    field <- sprintf("%s.%d", rep(name, length(bad)), row[bad])
    mistakes <<- c(mistakes, structure(read$problem[bad], names = field))
    read$value
  })
  list(rows = quick_frame(rows), mistakes = mistakes)
}

text_cells <- function(text) replace(text, !nzchar(text), NA)

number_columns <- function(x) {
  names(Filter(function(column) is_plain_number(column), as.list(x$model$arms$data)))
}

# Columns whose meaning a run knows.
known_columns <- function(x) {
  c("pull", "arm", "block", "y", "se", "failed", "error", result_columns(x), "cost",
    names(x$model$arms$data))
}

# Rows in which nothing is said: not done yet.
is_untold <- function(x, cells) {
  said <- lapply(intersect(c("y", result_columns(x), "error"), names(cells)), function(name) {
    nzchar(cells[[name]]) & cells[[name]] != "NA"
  })
  failed <- if (is.null(cells[["failed"]])) FALSE else is_yes(cells[["failed"]])
  !Reduce(`|`, said, rep(failed, length.out = nrow(cells)))
}

# ---- Results ------------------------------------------------------------------------------------

# The results that were typed beside trials that are out.
tell_typed <- function(file, values) {
  x <- look_at_run(file)
  cells <- cells_of_form(values, c(result_columns(x), "cost", "failed"))
  full <- which(!is_untold(x, cells))
  if (!length(full)) {
    abort("tell", "No result is filled in yet.")
  }
  row <- attr(cells, "row")[full]
  cells <- quick_frame(lapply(cells, `[`, full))
  if (is.null(x$model$cost)) {
    cells$cost <- NULL
  }
  tell_cells(file, x, quick_frame(c(list(pull = as.character(row)), cells)), row)
  inform("desk", saved_words(length(full)))
}

saved_words <- function(n) sprintf("%s saved.", count_of(n, "result"))

# All of them or none. row: by which the fields of the form are numbered.
tell_cells <- function(file, x, cells, row) {
  told <- typed_results(x, cells, row)
  stop_if_mistakes(told$mistakes)
  tryCatch(tell(file, told$rows, wait = desk_wait), bayesgap_error = function(e) {
    if (is_locked(e, file)) stop(e)
    abort_mistakes(find_mistakes(look_at_run(file), told$rows, row, e))
  })
}

# Which of the rows the package refuses, and at which cell; where it is only all of them together,
# what it says of the whole.
find_mistakes <- function(x, rows, row, e) {
  x$strict <- TRUE
  found <- lapply(seq_along(row), function(i) {
    tryCatch({
      suppressWarnings(suppressMessages(tell(x, rows[i, , drop = FALSE])))
      character()
    }, bayesgap_error = function(e) {
      structure(row_words(e), names = paste0(cell_column(e, x, names(rows)), ".", row[i]))
    })
  })
  found <- unlist(found)
  twice <- duplicated(rows[["pull"]]) & !is.na(rows[["pull"]])
  if (length(found)) {
    found
  } else if (any(twice)) {
    structure(
      rep("This trial is here twice: keep one of its rows.", sum(twice)),
      names = paste0("pull.", row[twice])
    )
  } else {
    structure(conditionMessage(e), names = "")
  }
}

# What the package says of a lone row, read at that row.
row_words <- function(e) {
  text <- conditionMessage(e)
  text <- sub("^Row 1 of `y`:? (says|has)", "This row \\1", text)
  text <- sub("^Row 1 of `y`: ", "", text)
  sub("; row 1 is ", "; this is ", text, fixed = TRUE)
}

# The column of a row that an error of tell() is about.
cell_column <- function(e, x, columns) {
  text <- conditionMessage(e)
  named <- regmatches(text, regexec("[Cc]olumn `([^`]+)`|^`y[$]([^`]+)`", text))[[1L]][-1L]
  kind <- switch(error_kind(e), arm = "arm", block = "block", cost = "cost", "")
  about_pull <- grepl("^Pull [0-9]+|column `pull`", text)
  about_hits <- grepl("`(successes|count)` must", text)
  wanted <- c(
    if (about_pull) "pull", named[nzchar(named)], kind,
    if (about_hits) result_columns(x)[1L], rev(result_columns(x)), "y", columns
  )
  intersect(wanted, columns)[1L]
}

# ---- Sheets -------------------------------------------------------------------------------------

# The words of the page are known as well as those of the package. Columns of the arms are theirs,
# whatever they are called.
results_sheet <- function(sheet, x) {
  other <- c(trial = "pull", result = "y", results = "y")
  own <- c("pull", "arm", "block", "y", "se", "failed", "error", "cost")
  meant <- tolower(names(sheet))
  meant <- ifelse(meant %in% names(other), unname(other[meant]), meant)
  new <- meant %in% own & !names(sheet) %in% names(x$model$arms$data)
  meant[!new] <- names(sheet)[!new]
  twice <- intersect(meant[duplicated(meant)], own)
  if (length(twice)) {
    abort(
      "sheet", "Columns ", quoted(names(sheet)[meant == twice[1L]]), " may each be ",
      quoted(twice[1L]), ": keep one, or give the others another name."
    )
  }
  names(sheet) <- meant
  sheet
}

# With what was changed of it on the page.
changed_sheet <- function(sheet, values) {
  for (name in names(sheet)) {
    fields <- paste0(name, ".", seq_len(nrow(sheet)))
    given <- fields %in% names(values)
    sheet[[name]][given] <- vapply(fields[given], function(field) entry(values, field), "")
  }
  if ("failed" %in% names(sheet)) {
    # A box that is not ticked is not sent.
    ticked <- paste0("failed.", seq_len(nrow(sheet))) %in% names(values)
    sheet[["failed"]] <- ifelse(ticked, "TRUE", "")
  }
  sheet
}

# A sheet of results without the rows that are not done yet.
tell_sheet <- function(file, sheet) {
  x <- look_at_run(file)
  full <- which(!is_untold(x, sheet))
  if (!length(full)) {
    abort("tell", "No row has a result in a column ", quoted(c("y", result_columns(x))[1L]), ".")
  }
  cells <- quick_frame(lapply(sheet, `[`, full))
  tell_cells(file, x, cells, full)
  left <- nrow(sheet) - length(full)
  inform("desk", saved_words(length(full)), if (left) {
    sprintf(" %s without a result left out.", count_of(left, "row"))
  })
}

# What would be wrong with it, by field, without telling it.
sheet_mistakes <- function(x, sheet) {
  full <- which(!is_untold(x, sheet))
  if (!length(full)) {
    return(structure("No row has a result in a column \"y\".", names = ""))
  }
  told <- typed_results(x, quick_frame(lapply(sheet, `[`, full)), full)
  if (length(told$mistakes)) {
    return(told$mistakes)
  }
  x$strict <- TRUE
  tryCatch({
    suppressWarnings(suppressMessages(tell(x, told$rows)))
    character()
  }, bayesgap_error = function(e) find_mistakes(x, told$rows, full, e))
}

# ---- What was told is changed -------------------------------------------------------------------

# The result in one row of the log as it is corrected: what was changed on the page, and no more.
correct_result <- function(file, values, row) {
  x <- look_at_run(file)
  row <- check_log_row(x, row)
  cells <- cells_of_form(values, c(result_columns(x), "arm", "block", "cost", "failed"))
  cells <- quick_frame(lapply(cells, `[`, match(row, attr(cells, "row"))))
  if (is_untold(x, cells)) {
    field <- paste0(result_columns(x)[1L], ".", row)
    abort_mistakes(structure(
      "Type the right result, say that the trial failed, or withdraw it.", names = field
    ))
  }
  told <- typed_results(x, cells, row)
  stop_if_mistakes(told$mistakes)
  change <- as.list(told$rows)
  change <- change[!vapply(change, function(value) is.na(value), TRUE) |
    names(change) %in% result_columns(x)]
  if (!has_blocks(x)) change$block <- NULL
  if (is.null(x$model$cost)) change$cost <- NULL
  if (!isTRUE(change$failed)) change$failed <- NULL
  tryCatch(amend(file, quick_frame(c(list(row = row), change)), wait = desk_wait),
    bayesgap_error = function(e) {
      if (is_locked(e, file)) stop(e)
      abort_mistakes(structure(
        row_words(e), names = paste0(cell_column(e, x, names(change)), ".", row)
      ))
    }
  )
  inform("desk", "The result of ", trial_words(x, row), " is corrected.")
}

withdraw_result <- function(file, row) {
  x <- look_at_run(file)
  row <- check_log_row(x, row)
  amend(file, row = row, y = NA, wait = desk_wait)
  inform(
    "desk", "The result of ", trial_words(x, row), " is withdrawn: nothing is learned from it. ",
    "Correct it to bring it back."
  )
}

check_log_row <- function(x, row) {
  check_rows(suppressWarnings(as.integer(row)), length(x$log$arm))
}

# A row of the log, as people call it.
trial_words <- function(x, row) {
  pull <- x$log$pull[row]
  name <- encodeString(x$model$arms$names[x$log$arm[row]])
  ifelse(is.na(pull), sprintf("%s (row %d)", name, row), sprintf("trial %d (%s)", pull, name))
}
