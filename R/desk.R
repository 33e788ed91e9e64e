# bayesgap_desk(): the door to a page for those who do not program. The page is a face of the
# functions that work with the file of a run, and keeps nothing of its own.

#' A page for those who do not program
#'
#' `bayesgap_desk()` opens a page in the browser on which a run is worked with from its beginning
#' to its end: list what can be tried, ask for trials, enter their results, correct them, and see
#' which to keep and how sure that is. Use it where the people who make the trials do not write R;
#' in a session of your own [ask()] and [tell()] do the same.
#'
#' The page has one column of work and one of sight.
#'
#' * To begin: arms come from a csv or xlsx file (the latter with the package readxl), from lines
#'   that are typed or from rows that are copied from a spreadsheet. All else may be left alone:
#'   which results are better, the budget, in which columns similar rows behave alike, a control,
#'   blocks, costs, the [family]. Of the columns a kernel is made: [k_matern()] of numbers (of their
#'   logarithms, where they go over a factor of 100) times [k_factor()] of all else, and a small
#'   part of each arm's own.
#' * Work: ask for trials, for a plate or a day where there are any; print or download the list;
#'   enter results in its fields, or upload the sheet with a column `y`. Results are corrected or
#'   withdrawn, trials called off, arms set aside, brought back and added, and the budget is
#'   changed. A mistake is shown at its cell, in the words of the error that the function
#'   gives, and nothing is saved before all is right. A decimal comma is understood; `1,234`, which
#'   may be two numbers, is asked about, in results as in tables of arms.
#' * Sight: the answer with its certainty, the pictures, the arms, the log, what was learned; below
#'   each, the call that gives the same in R.
#'
#' The run is in its file at any moment, as for all [run_files]: the page can be closed, another
#' browser opened, a session of R can work with the file at the same time, and each sees what the
#' others do within a second. What was typed and not saved is kept by the browser, in its window,
#' until the window is closed. While another session writes, the page says so and tries again.
#'
#' @section Who can see it:
#' The page is served on this computer and for it alone, as [shiny::runApp()] does by default.
#' Whoever can open it can read and change runs in the working directory; a name with a folder in it
#' is refused.
#'
#' @param file The name of the file in which the run is kept, or is to be. `NULL`: the page lists
#'   the runs of the working directory and asks for the name of a new one.
#' @return A Shiny app, which opens when it is printed; [shiny::runApp()] takes it too. The page
#'   needs the packages shiny and bslib; pictures are those of ggplot2 where it is installed.
#' @seealso `vignette("desk")`; [run_files], [ask()], [amend()], [drop_arms()], and
#'   `vignette("in-the-lab")` for the same work in R.
#' @export
#' @examples
#' if (interactive()) {
#'   bayesgap_desk()
#' }
#'
#' # A run that was begun in R is worked with on the page, and the other way round
#' file <- tempfile(fileext = ".bgap")
#' save_run(bayesgap(c("red", "green", "blue"), budget = 8, seed = 1), file)
#' if (interactive()) {
#'   bayesgap_desk(file)
#' }
bayesgap_desk <- function(file = NULL) {
  check_installed(c("shiny", "bslib"), "bayesgap_desk()")
  folder <- getwd()
  if (!is.null(file)) {
    file <- check_file(file, "file")
    folder <- dirname(file)
  }
  shiny::shinyApp(desk_page(), desk_server(folder, file))
}

desk_page <- function() {
  shiny::bootstrapPage(
    title = "bayesgap desk", lang = "en", theme = bslib::bs_theme(version = 5, primary = "#0b5394"),
    shiny::tags$head(
      shiny::tags$link(rel = "icon", href = "data:,"),
      shiny::tags$meta(name = "viewport", content = "width=device-width, initial-scale=1"),
      shiny::includeCSS(desk_file("desk.css")), shiny::includeScript(desk_file("desk.js"))
    ),
    shiny::tags$a(class = "desk-skip", href = "#work", "Skip to the work"),
    shiny::tags$header(
      class = "desk-head", shiny::tags$h1("bayesgap desk"), shiny::uiOutput("where", inline = TRUE)
    ),
    shiny::tags$div(id = "desk-said", class = "desk-said", role = "status", `aria-live` = "polite"),
    shiny::tags$main(
      class = "desk-columns",
      shiny::tags$section(
        class = "desk-work", id = "work", `aria-label` = "Work", tabindex = "-1",
        shiny::tags$h2("Work"), shiny::uiOutput("work")
      ),
      shiny::tags$section(
        class = "desk-sight", id = "sight", `aria-label` = "Sight",
        shiny::tags$h2("Sight"), shiny::uiOutput("sight")
      )
    )
  )
}

desk_file <- function(name) system.file("desk", name, package = "bayesgap", mustWork = TRUE)
