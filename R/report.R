# report(): a run as one page that can be sent to others.

#' A run as a page for others
#'
#' `report()` writes one HTML file that tells all about a run: the answer and how sure it is, what
#' it rests on, pictures, blocks, the log, what was assumed and whether that holds, and how to have
#' the run again. Use it to send a result to people who do not use R, or to keep it with the data.
#'
#' Everything is inside of the file, pictures and tables too; nothing is fetched when it is opened,
#' and nothing in it can be run. It needs no other program to be made, and prints on paper. The
#' words about certainty are those of `print(x)`. What is known of the arms, the results, and the
#' run itself are in it as files that a click saves, with the R code that makes the run of them.
#'
#' Pictures are those of [autoplot()][autoplot.bayesgap] where the package ggplot2 is installed,
#' else those of [plot()][plot.bayesgap]. Tables show the 60 best arms, 60 blocks and the last 400
#' results at most, and say what they leave out; the files have all of it.
#'
#' The report of a tuning is that of its run, `report(tuning_run(tuned))`.
#'
#' @param x A run: the result of [bayesgap()] or [tell()]; or the name of a file that holds one.
#' @param file The name of the file that is written. Its folder must exist. A report that is there
#'   is replaced; any other file is left as it is, and an error says so.
#' @param title What stands on top. `NULL`: the name of the run's file, or a few words.
#' @return The name of the file with its folder, invisibly.
#' @seealso [summary()][summary.bayesgap] for the same in R, [save_run()] for the run alone;
#'   `vignette("in-the-lab")`.
#' @export
#' @examples
#' x <- bayesgap(c("red", "green", "blue"), budget = 8, seed = 1)
#' x <- tell(x, data.frame(pull = 1:4, arm = c("red", "blue", "green", "blue"),
#'                         y = c(0.7, 1.2, 0.4, 1.5)))
#' file <- report(x, tempfile(fileext = ".html"), title = "Colours")
#' file.size(file)
#' if (interactive()) browseURL(file)
report <- function(x, file = "report.html", title = NULL) {
  check_run(x, file = TRUE)
  if (is.null(title)) {
    title <- if (is.character(x)) basename(x) else "A run of bayesgap"
  }
  title <- check_title_text(title)
  if (is.character(x)) {
    x <- look_at_run(x)
  }
  file <- check_report_file(file)
  page <- charToRaw(report_page(x, title))
  problem <- write_run(page, file)
  if (!is.null(problem)) {
    abort("report", "The report could not be written to \"", file, "\": ", problem, ".")
  }
  invisible(file)
}

check_title_text <- function(title) {
  if (!is.character(title) || length(title) != 1L || is.na(title) || !validEnc(title)) {
    abort_argument("title", "title", "a text, or NULL", title)
  }
  title
}

# A report may be made again; nothing else is lost to a name that was mistyped.
check_report_file <- function(file) {
  file <- check_file(file, "file")
  if (dir.exists(file)) {
    abort("report", "`file` must be the name of a file, but \"", file, "\" is a folder.")
  }
  if (file.exists(file) && file.size(file) > 0 && !is_report(file)) {
    abort(
      "report", "The file \"", file, "\" is there, and is no report: it was left as it is. Give ",
      "another name, or move it away."
    )
  }
  file
}

is_report <- function(file) {
  start <- tryCatch(
    suppressWarnings(readLines(file, 5L, warn = FALSE)), error = function(e) character()
  )
  length(start) == 5L && startsWith(start[5L], report_mark)
}

report_page <- function(x, title) {
  found <- certainty(x)
  table <- posterior_table(x, 0.95, found)
  sections <- list(
    "The answer" = answer_section(x, table, found),
    "What it rests on" = ground_section(x, table, found),
    "Pictures" = pictures_section(x),
    "Blocks" = blocks_section(x),
    "The log" = log_section(x),
    "What was assumed, and the check of it" = check_section(x),
    "How to have it again" = reproduce_section(x, table)
  )
  about <- paste0(
    "Made ", format(Sys.time(), "%Y-%m-%d %H:%M %Z"), " by bayesgap ", package_version_now(),
    " in R ", getRversion()
  )
  head <- tag("header", tag("h1", title), tag("p", about))
  html_page(title, head, Filter(Negate(is.null), sections))
}
