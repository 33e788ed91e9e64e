# The page before a run is there: open one, or say what the arms are and what is known of them.
# Everything but the arms and the budget may be left as it is.

start_page <- function(folder, fixed) {
  runs <- if (is.null(fixed)) desk_runs(folder)
  list(
    if (length(runs)) open_form(runs),
    desk_part(
      "1. What can be tried", id = "part-arms",
      shiny::tags$p(
        "An arm is one of the things that you can try: a recipe, a setting, a supplier. Give a ",
        "table with one row for each and a heading above it, or type their names."
      ),
      sheet_input("arms_file", "Table of arms (csv or xlsx)"),
      desk_form(
        "arms", keep = TRUE,
        desk_field(
          "Or type the arms, one a line", lines_input("arms"),
          "Rows that are copied from a spreadsheet, with their heading, will do as well."
        ),
        send_button("Use these arms", "btn-outline-primary")
      )
    ),
    shiny::uiOutput("begin")
  )
}

open_form <- function(runs) {
  desk_part(
    "Go on with a run", id = "part-open",
    desk_form(
      "open", keep = FALSE,
      desk_field("Runs in this folder", select_input("name", same_names(runs))),
      send_button("Open", "btn-outline-primary")
    )
  )
}

# What is known, asked when there are arms.
begin_form <- function(sheet, folder, fixed) {
  naming <- naming_column(sheet)
  telling <- telling_columns(sheet, naming)
  desk_form(
    "begin",
    desk_part(
      "2. What is known", id = "part-known",
      choice_group(
        "Which results are better?", "better",
        list("Larger ones" = "larger", "Smaller ones" = "smaller"), "larger"
      ),
      desk_field(
        "How many trials can you afford in all?",
        text_input("budget", suggested_budget(nrow(sheet)), number = TRUE),
        "More can be planned later. Where trials cost differently: what may be spent in all."
      ),
      if (length(sheet) > 1L) known_columns_fields(sheet, naming, telling),
      more_known(sheet, naming)
    ),
    desk_part(
      "3. Begin", id = "part-begin",
      if (is.null(fixed)) {
        desk_field(
          "Name of the run", text_input("name", free_name(folder)),
          paste0("The run is kept in a file of this name in ", folder, ".")
        )
      } else {
        shiny::tags$p("The run is kept in ", shiny::tags$code(basename(fixed)), ".")
      },
      send_button("Begin the run")
    )
  )
}

# A few trials for each arm; of many arms a fraction is tried.
suggested_budget <- function(arms) min(3 * arms, max(60, arms %/% 2))

known_columns_fields <- function(sheet, naming, telling) {
  list(
    desk_field(
      "Which column names the arms?",
      select_input(
        "naming", c(same_names(names(sheet)), list("none: they are called by their values" = "")),
        naming
      )
    ),
    if (length(telling)) {
      choice_group(
        "Rows that are similar behave alike. In which columns?", "matters", same_names(telling),
        telling, "checkbox",
        paste(
          "A trial of one arm then tells about arms that are near in these columns. How near is",
          "learned."
        )
      )
    }
  )
}

more_known <- function(sheet, naming) {
  arms <- if (nzchar(naming)) sheet[[naming]] else character()
  costs <- names(Filter(function(cells) is.numeric(typed_column(cells)), as.list(sheet)))
  desk_fold(
    "More that may be known", id = "part-more",
    if (length(arms)) {
      desk_field(
        "A control, or standard", control_input(arms),
        "It is tried first on every plate or day, and all others are compared with it."
      )
    },
    desk_field(
      "Blocks that are known beforehand", text_input("blocks"),
      paste(
        "Ten folds: 10. Three judges: Ann, Bob, Cleo. Plates or days that come as they come are",
        "not said here: you name them when you ask for trials."
      )
    ),
    if (length(costs)) {
      desk_field(
        "What a trial costs", select_input(
          "cost", c(list("the same for all" = ""), same_names(setdiff(costs, naming)))
        )
      )
    },
    desk_field("What a result is", select_input("family", list(
      "a number, such as a yield, a time or a score" = "gaussian",
      "successes out of so many trials" = "binomial", "a count, in so much time or area" = "poisson"
    )))
  )
}

control_input <- function(arms) {
  if (length(arms) > 500L) {
    return(text_input("control"))
  }
  select_input("control", c(list(none = ""), same_names(arms)))
}

# What was read, for the column of sight.
sheet_preview <- function(sheet, most = 12L) {
  shown <- utils::head(sheet, most)
  desk_part(
    sprintf("%s read", count_of(nrow(sheet), "arm")), id = "part-preview",
    desk_table(lapply(lapply(shown, typed_column), shown_values), "The arms as they were read"),
    if (nrow(sheet) > most) {
      shiny::tags$p(class = "desk-hint", sprintf("and %s more.", grouped(nrow(sheet) - most)))
    }
  )
}

welcome <- function() {
  desk_part(
    "What this is for", id = "part-welcome",
    shiny::tags$p(
      "You have a list of things to try, trials are few and their results vary by chance. The ",
      "desk says which to try next, learns from what you enter, and at any time names the one to ",
      "keep and how sure that is."
    ),
    shiny::tags$ol(
      shiny::tags$li("List what can be tried."),
      shiny::tags$li("Ask for trials, make them, enter the results; again and again."),
      shiny::tags$li("Look here: the answer, and what it rests on.")
    ),
    shiny::tags$p(
      "Everything is kept in one file as soon as it is entered, and the page can be closed at any ",
      "time."
    )
  )
}
