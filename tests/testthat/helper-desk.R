# What tests of the desk share: sheets, a run of recipes, and the page's server without a browser.

# A file with these lines.
lines_file <- function(..., ending = ".csv") {
  file <- tempfile(fileext = ending)
  writeLines(c(...), file, useBytes = TRUE)
  file
}

recipe_sheet <- function() {
  sheet_from_text(paste(c(
    "arm;catalyst;temperature", "std;none;40", "Pd 20;Pd;20,5", "Pd 40;Pd;40", "Ni 20;Ni;20,5"
  ), collapse = "\n"))
}

# A run that was begun in R.
saved_file <- function(x = open_run()) {
  file <- fresh_file()
  save_run(x, file)
  file
}

# A run as the desk begins it. ...: further values of the form.
desk_run <- function(..., sheet = recipe_sheet(), n = 0L) {
  file <- fresh_file()
  given <- utils::modifyList(list(budget = "20", naming = "arm", better = "larger"), list(...))
  begin_run(file, given, sheet)
  if (n) ask(file, n)
  file
}

# The server of a page, and what it sends, `sent`: request(form, values, action, value) returns the
# reply, uploaded(path) is what a browser sends of a file, and html(name) what is shown.
with_desk <- function(file, code) {
  skip_if_not_installed("shiny")
  skip_if_not_installed("bslib")
  code <- substitute(code)
  server <- desk_server(if (is.null(file)) getwd() else dirname(file), file)
  shiny::testServer(server, {
    sent <- list()
    session$sendCustomMessage <- function(type, message) {
      sent[[length(sent) + 1L]] <<- c(message, type = type)
    }
    count <- 0
    request <- function(form, values = list(), action = form, value = "") {
      count <<- count + 1
      session$setInputs(desk = list(
        form = form, action = action, value = value, values = values, count = count
      ))
      sent[[length(sent)]]
    }
    uploaded <- function(path) list(datapath = path, name = basename(path))
    html <- function(name) as.character(output[[name]]$html)
    eval(code)
  })
}

# expect_match() computes what it is given more than once.
expect_said <- function(said, pattern, ...) {
  force(said)
  expect_match(said, pattern, ...)
}

tempfile_folder <- function() {
  folder <- tempfile()
  dir.create(folder)
  folder
}
