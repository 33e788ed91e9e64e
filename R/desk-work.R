# The column of work: ask for trials, enter their results, correct what was told, change the list of
# arms.

# ---- Ask ----------------------------------------------------------------------------------------

ask_part <- function(x) {
  desk_part(
    "Ask for trials", id = "part-ask", shiny::tags$p(budget_words(x)),
    if (is_spent(x)) {
      plan_form(x)
    } else {
      list(
        desk_form(
          "ask", keep = FALSE,
          shiny::tags$div(
            class = "desk-row",
            desk_field(
              "How many", text_input("n", suggested_number(x), number = TRUE), class = "short"
            ),
            if (is.null(x$model$blocks)) block_field(x),
            send_button("Ask for trials")
          )
        ),
        desk_inner("Plan more trials, or fewer", plan_form(x), id = "inner-plan")
      )
    }
  )
}

desk_inner <- function(title, ..., id) {
  shiny::tags$details(class = "desk-inner", id = id, shiny::tags$summary(title), ...)
}

block_field <- function(x) {
  needed <- has_blocks(x)
  desk_field(
    if (needed) "For which plate or day" else "For plate or day (if any)", text_input("block"),
    if (!needed) "Only if trials of one plate or day share their luck."
  )
}

# What was made of the budget, and what is on the list.
budget_words <- function(x) {
  out <- length(x$open$pull)
  paste0(
    made_text(x), if (is.null(x$model$cost)) " made", if (out) sprintf(", %d on the list", out),
    ".", if (!is.null(x$stopped)) sprintf(" Stopped: %s.", x$stopped)
  )
}

# "8 of 24 trials", without those that are out.
made_text <- function(x) {
  made <- spent(x) - sum(cost_of_arms(x, x$open$arm))
  sub("pulls", "trials", spent_text(x, made), fixed = TRUE)
}

suggested_number <- function(x) if (is.null(x$model$cost)) max(1, min(4, left(x))) else 1

plan_form <- function(x) {
  desk_form(
    "plan", keep = FALSE,
    shiny::tags$div(
      class = "desk-row",
      desk_field(
        if (is.null(x$model$cost)) "Trials in all" else "What may be spent in all",
        text_input("budget", format(x$budget, digits = 15), number = TRUE), class = "short"
      ),
      send_button("Change the plan", "btn-outline-primary")
    )
  )
}

# ---- Enter --------------------------------------------------------------------------------------

result_headings <- c(
  y = "Result", successes = "Successes", trials = "Trials", count = "Count", exposure = "Exposure"
)

enter_part <- function(x) {
  open <- open_trials(x)
  if (!nrow(open)) {
    return(desk_part(
      "Trials to make", id = "part-enter",
      shiny::tags$p("Nothing is on the list. Ask for trials first.")
    ))
  }
  desk_part(
    "Trials to make", id = "part-enter",
    desk_form(
      "results",
      desk_table(entry_columns(x, open), "Trials to make and fields for their results"),
      shiny::tags$p(
        class = "desk-hint desk-screen",
        "Enter what is known and leave the rest empty. A trial that was made and gave no result ",
        "has failed. What is typed stays in this window until it is saved."
      ),
      shiny::tags$div(
        class = "desk-buttons desk-screen", send_button("Save results"),
        download("list_csv", "Download the list (csv)"),
        shiny::tags$button(
          type = "button", class = "btn btn-outline-secondary", `data-print` = "yes",
          "Print the list"
        )
      )
    )
  )
}

entry_columns <- function(x, open) {
  pull <- open$pull
  label <- function(what) sprintf("%s of trial %d, %s", what, pull, open$arm)
  fields <- function(column) sprintf("%s.%d", column, pull)
  inputs <- lapply(result_columns(x), function(column) {
    Map(cell_input, fields(column), label(result_headings[[column]]))
  })
  names(inputs) <- result_headings[result_columns(x)]
  c(
    list(
      Trial = Map(plain_cell, fields("pull"), as.character(pull)),
      Arm = Map(arm_cell, as.character(open$arm), arm_details(x, open))
    ),
    inputs,
    if (!is.null(x$model$cost)) {
      list(Cost = Map(cell_input, fields("cost"), label("Cost"), field_values(open$cost)))
    },
    list(
      Failed = Map(cell_box, fields("failed"), label("Failed")),
      " " = lapply(pull, function(i) {
        other_button("Call off", "cancel", i, sprintf("Call off trial %d", i), "btn-link btn-sm")
      })
    )
  )
}

# An arm, and in small letters what belongs to it.
arm_cell <- function(name, details) {
  shiny::tagList(name, if (nzchar(details)) shiny::tags$div(class = "desk-details", details))
}

# The block of a trial and the columns of its arm, in a line. Arms without names are called by these
# columns already.
arm_details <- function(x, table) {
  columns <- intersect(c("block", if (x$model$arms$named) names(x$model$arms$data)), names(table))
  parts <- lapply(columns, function(name) {
    text <- unlist(shown_values(table[[name]]))
    if (name == "block") text else paste(name, text)
  })
  if (length(parts)) do.call(paste, c(parts, sep = ", ")) else rep("", nrow(table))
}

# ---- A sheet of results -------------------------------------------------------------------------

# Read and looked at before it is saved. Cells that a run knows can be mended here.
review_form <- function(x, sheet) {
  known <- known_columns(x)
  columns <- lapply(names(sheet), function(name) {
    cells <- sheet[[name]]
    field <- sprintf("%s.%d", name, seq_along(cells))
    label <- sprintf("%s in row %d", name, seq_along(cells))
    if (name == "failed") {
      Map(cell_box, field, label, is_yes(cells))
    } else if (name %in% known) {
      Map(cell_input, field, label, cells)
    } else {
      as.list(cells)
    }
  })
  names(columns) <- names(sheet)
  row <- list(Row = as.list(as.character(seq_len(nrow(sheet)))))
  untold <- sum(is_untold(x, sheet))
  desk_form(
    "review", keep = FALSE,
    shiny::tags$p(
      sprintf("%s with a result.", count_of(nrow(sheet) - untold, "row")),
      if (untold) sprintf("%s without one: not saved.", count_of(untold, "row"))
    ),
    desk_table(c(row, columns), "The sheet as it was read"),
    shiny::tags$div(
      class = "desk-buttons", send_button("Save these results"), other_button("Leave it", "leave")
    )
  )
}

# ---- Correct ------------------------------------------------------------------------------------

# The latest first. editing: the row of the log that is being corrected.
correct_part <- function(x, editing = NULL, most = 100L) {
  n <- length(x$log$arm)
  rows <- utils::head(rev(seq_len(n)), most)
  rows <- union(rows, editing)
  desk_fold(
    "Correct or withdraw results", id = "part-correct", open = !is.null(editing),
    if (!n) {
      shiny::tags$p("Nothing was entered yet.")
    } else {
      desk_form("correct", desk_table(
        log_columns(x, rows, editing), "Results that were entered, the latest first"
      ))
    }
  )
}

log_columns <- function(x, rows, editing) {
  table <- as.data.frame(x)[rows, ]
  now <- rows %in% editing
  field <- function(column) sprintf("%s.%d", column, rows)
  cells <- function(column, heading) {
    ifelse(now, Map(
      cell_input, field(column), sprintf("%s of %s", heading, trial_words(x, rows)),
      field_values(table[[column]])
    ), shown_values(table[[column]]))
  }
  result <- result_columns(x)
  arm <- Map(function(name, this, edited) {
    if (!edited) {
      return(name)
    }
    arm_input(this, x$model$arms$names, name, `aria-label` = "Arm")
  }, as.character(table$arm), field("arm"), now)
  failed <- !is.na(table$error) & table$error != withdrawn
  state <- ifelse(failed, "failed", ifelse(is.na(table$error), "", table$error))
  c(
    list(
      Trial = as.list(ifelse(is.na(table$pull), "other", as.character(table$pull))),
      Arm = unname(arm)
    ),
    if (has_blocks(x)) list(Block = cells("block", "Block")),
    structure(
      lapply(result, function(column) cells(column, result_headings[[column]])),
      names = result_headings[result]
    ),
    if (!is.null(x$model$cost)) list(Cost = cells("cost", "Cost")),
    list(
      Failed = Map(function(i, edited, text, this) {
        if (edited) cell_box(this, "Failed", failed[i]) else text
      }, seq_along(rows), now, state, field("failed")),
      " " = Map(correct_buttons, rows, now, trial_words(x, rows))
    )
  )
}

correct_buttons <- function(row, edited, words) {
  if (!edited) {
    return(other_button("Correct", "edit", row, paste("Correct", words), "btn-link btn-sm"))
  }
  shiny::tags$div(
    class = "desk-buttons",
    other_button(
      "Save", "correct", row, paste("Save the correction of", words), "btn-primary btn-sm"
    ),
    other_button(
      "Withdraw", "withdraw", row, paste("Withdraw", words), "btn-outline-danger btn-sm"
    ),
    other_button("Leave it", "edit", "", "Leave it as it is", "btn-link btn-sm")
  )
}

# ---- The list of arms ---------------------------------------------------------------------------

arms_part <- function(x) {
  arms <- arms_by_status(x)
  one <- function(form, label, choices, button) {
    desk_form(
      form, keep = FALSE,
      shiny::tags$div(
        class = "desk-row", desk_field(label, arm_input("arm", choices)),
        send_button(button, "btn-outline-primary")
      )
    )
  }
  desk_fold(
    "Change the list of arms", id = "part-arm-list",
    if (length(arms$active)) one("drop", "Set an arm aside", arms$active, "Set aside"),
    if (length(arms$dropped)) one("back", "Bring an arm back", arms$dropped, "Bring back"),
    if (length(arms$failed)) one("retry", "Arms that failed", arms$failed, "Try again"),
    add_form(x)
  )
}

add_form <- function(x) {
  arms <- x$model$arms
  fields <- switch(arms$kind,
    row = c(
      if (arms$named) list(desk_field("New arm", text_input("arm"))),
      lapply(names(arms$data), function(name) {
        desk_field(name, text_input(
          paste0("column.", name), number = is_plain_number(arms$data[[name]])
        ))
      })
    ),
    name = list(desk_field("New arms, one a line", lines_input("arms", rows = 2L))),
    number = list(desk_field("How many more arms", text_input("arms", number = TRUE)))
  )
  if (is.null(fields)) {
    return(shiny::tags$p(
      "New arms of this kind are added in R, by ", shiny::tags$code("add_arms()"), "."
    ))
  }
  asks_cost <- !is.null(x$model$cost) && is.null(cost_column_of(x$model))
  desk_form(
    "add",
    shiny::tags$div(
      class = "desk-row", fields,
      if (asks_cost) desk_field("What a trial of it costs", text_input("cost", number = TRUE)),
      send_button("Add", "btn-outline-primary")
    )
  )
}
