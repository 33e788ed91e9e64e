# What the page shows and what it asks for: a run that is read again whenever its file changed, and
# requests that are done on the file.

desk_server <- function(folder, fixed) {
  function(input, output, session) {
    desk <- new_desk(folder, fixed)
    watch_file(desk, session)
    show_start(desk, input, output)
    show_work(desk, input, output)
    show_sight(desk, output)
    shiny::observeEvent(input$desk, take_request(desk, input$desk, session))
    try_waiting(desk, session)
  }
}

# What one window knows besides the file: which file it is, the sheets that were uploaded and not
# used yet, the row that is being corrected, and requests that wait for another session.
new_desk <- function(folder, fixed) {
  desk <- list(
    folder = folder, fixed = fixed, file = shiny::reactiveVal(fixed),
    stamp = shiny::reactiveVal(file_stamp(fixed)), sheet = shiny::reactiveVal(),
    results = shiny::reactiveVal(), editing = shiny::reactiveVal(), waiting = shiny::reactiveVal(),
    uploads = shiny::reactiveVal(0L)
  )
  desk$found <- shiny::reactive(found_in(desk$stamp(), shiny::isolate(desk$file())))
  desk$stage <- shiny::reactive(desk$found()$stage)
  desk$run <- shiny::reactive({
    shiny::req(desk$stage() == "work")
    desk$found()$run
  })
  desk$words <- shiny::reactive(answer_words(desk$run()))
  desk
}

# list(stage, run, problem): is there a run to work with?
found_in <- function(stamp, file) {
  if (!nzchar(stamp)) {
    return(list(stage = "start"))
  }
  problem <- NULL
  run <- tryCatch(suppressWarnings(read_run(file)), error = function(e) {
    problem <<- conditionMessage(e)
    NULL
  })
  list(stage = if (is.null(run)) "broken" else "work", run = run, problem = problem)
}

# A second after the file was changed, by whomever, it is read again. A file that is named in the
# page's address is opened: so a page that is loaded again shows the same run.
watch_file <- function(desk, session, every = 1000) {
  shiny::observe({
    shiny::invalidateLater(every, session)
    look_again(desk)
  })
  if (is.null(desk$fixed)) {
    shiny::observeEvent(session$clientData$url_search, once = TRUE, {
      name <- shiny::parseQueryString(session$clientData$url_search)$run
      if (!is.null(name)) {
        attempt(open_run(desk, name))
      }
    })
  }
}

look_again <- function(desk) desk$stamp(file_stamp(shiny::isolate(desk$file())))

open_run <- function(desk, name) {
  file <- desk_path(name, desk$folder)
  if (!file.exists(file)) {
    abort("name", "There is no file \"", basename(file), "\" in ", desk$folder, ".")
  }
  use_file(desk, file)
}

use_file <- function(desk, file) {
  desk$editing(NULL)
  desk$results(NULL)
  desk$file(file)
  look_again(desk)
}

# ---- What is shown ------------------------------------------------------------------------------

show_start <- function(desk, input, output) {
  output$where <- shiny::renderUI({
    file <- desk$file()
    stage <- desk$stage()
    shiny::tags$p(
      id = "desk-run", `data-run` = if (stage == "work") basename(file) else "",
      if (stage == "work") {
        paste0(basename(file), ": ", run_words(desk$run()))
      } else {
        "No run is open."
      }
    )
  })
  output$begin <- shiny::renderUI({
    shiny::req(desk$sheet())
    begin_form(desk$sheet(), desk$folder, desk$fixed)
  })
  output$preview <- shiny::renderUI({
    if (is.null(desk$sheet())) welcome() else sheet_preview(desk$sheet())
  })
  shiny::observeEvent(input$arms_file, {
    file <- input$arms_file
    outcome <- attempt(desk$sheet(arms_sheet(read_sheet(file$datapath, file$name))))
    reply(shiny::getDefaultReactiveDomain(), "arms_file", outcome)
  })
}

run_words <- function(x) {
  sprintf("%s, %s", count_of(n_arms(x$model$arms), "arm"), made_text(x))
}

show_work <- function(desk, input, output) {
  output$work <- shiny::renderUI(switch(desk$stage(),
    start = start_page(desk$folder, desk$fixed),
    broken = broken_page(shiny::isolate(desk$found()$problem)),
    work = work_page()
  ))
  output$ask <- shiny::renderUI(ask_part(desk$run()))
  output$enter <- shiny::renderUI(enter_part(desk$run()))
  output$correct <- shiny::renderUI(correct_part(desk$run(), desk$editing()))
  output$arm_list <- shiny::renderUI(arms_part(desk$run()))
  output$upload <- shiny::renderUI({
    desk$uploads()
    if (is.null(desk$results())) {
      sheet_input("results_file", "Sheet of results (csv or xlsx)")
    } else {
      review_form(desk$run(), desk$results())
    }
  })
  output$list_csv <- shiny::downloadHandler(
    function() "trials.csv", function(path) write_list(desk$run(), path)
  )
  shiny::observeEvent(input$results_file, {
    domain <- shiny::getDefaultReactiveDomain()
    file <- input$results_file
    x <- desk$run()
    outcome <- attempt(desk$results(results_sheet(read_sheet(file$datapath, file$name), x)))
    if (outcome$done) {
      domain$onFlushed(function() shiny::isolate(show_sheet_mistakes(desk, domain)), once = TRUE)
    } else {
      reply(domain, "results_file", outcome)
    }
  })
}

# The list that goes to the bench and comes back filled in.
write_list <- function(x, path) {
  open <- open_trials(x)
  for (column in c(result_columns(x), "failed")) open[[column]] <- rep("", nrow(open))
  utils::write.csv(open, path, row.names = FALSE, fileEncoding = "UTF-8")
}

# At once, and not only when it is to be saved.
show_sheet_mistakes <- function(desk, session) {
  mistakes <- sheet_mistakes(desk$run(), desk$results())
  if (length(mistakes)) {
    reply(session, "review", list(
      done = FALSE, said = character(), mistakes = mistakes, busy = FALSE
    ))
  }
}

work_page <- function() {
  list(
    shiny::uiOutput("ask"), shiny::uiOutput("enter"),
    desk_fold(
      "Upload results", id = "part-upload",
      shiny::tags$p(
        "A csv or xlsx file with a column ", shiny::tags$code("y"), " (or ",
        shiny::tags$code("result"), ") and the columns of the list, such as the list itself, ",
        "filled in."
      ),
      shiny::uiOutput("upload")
    ),
    shiny::uiOutput("correct"), shiny::uiOutput("arm_list")
  )
}

broken_page <- function(problem) {
  desk_part("This file cannot be worked with", id = "part-broken", shiny::tags$p(problem))
}

show_sight <- function(desk, output) {
  kinds <- shiny::reactiveVal(character())
  shiny::observe(kinds(desk_pictures(desk$run()))) # which changes less often than the run
  output$sight <- shiny::renderUI(switch(desk$stage(),
    start = shiny::uiOutput("preview"), broken = welcome(),
    work = sight_page(kinds(), basename(shiny::isolate(desk$file())))
  ))
  output$answer <- shiny::renderUI(answer_part(desk$words()))
  for (type in names(picture_titles)) local({
    type <- type
    output[[paste0("picture_", type)]] <- shiny::renderPlot(
      draw_picture(desk$run(), type), res = 96,
      alt = shiny::reactive(picture_alt(type, desk$words()$head))
    )
  })
  output$arms_table <- shiny::renderUI(desk_table(arms_columns(desk$run()), "The arms, best first"))
  output$record <- shiny::renderUI({
    desk_table(record_columns(desk$run()), "Every result and every change, the latest first", 2L)
  })
  output$learned <- shiny::renderUI({
    shiny::req(desk$run()$observed)
    desk_table(learned_columns(desk$run()), "What was learned")
  })
  name <- function(ending) {
    function() paste0(sub("[.][^.]*$", "", basename(desk$file())), ending)
  }
  output$log_csv <- shiny::downloadHandler(name("-results.csv"), function(path) {
    utils::write.csv(as.data.frame(desk$run()), path, row.names = FALSE, fileEncoding = "UTF-8")
  })
  output$report_html <- shiny::downloadHandler(name("-report.html"), function(path) {
    report(desk$run(), path, basename(desk$file()))
  })
}

# ---- What is asked for --------------------------------------------------------------------------

# What is done on the file, by the name of the request: a function of the file, the values of the
# form and the value of the button; and which fields its errors belong to.
desk_actions <- list(
  ask = list(
    does = function(file, values, value) ask_trials(file, values), n = "n", block = "block"
  ),
  plan = list(does = function(file, values, value) plan_more(file, values), budget = "budget"),
  results = list(does = function(file, values, value) tell_typed(file, values)),
  cancel = list(does = function(file, values, value) call_off(file, value)),
  correct = list(does = function(file, values, value) correct_result(file, values, value)),
  withdraw = list(does = function(file, values, value) withdraw_result(file, value)),
  drop = list(does = function(file, values, value) put_aside(file, values), arms = "arm"),
  back = list(does = function(file, values, value) bring_back(file, values), arms = "arm"),
  retry = list(does = function(file, values, value) try_again(file, values), arm = "arm"),
  add = list(does = function(file, values, value) add_typed(file, values), cost = "cost")
)

# What a window asks for: list(form, action, value, values), as desk.js sends it.
take_request <- function(desk, request, session) {
  action <- entry(request, "action")
  if (action == "edit") {
    edit_row(desk, entry(request, "value"), session)
  } else if (action == "leave") {
    leave_sheet(desk)
  } else {
    do_request(desk, request, session)
  }
}

# until: when it is given up, if another session still writes then.
do_request <- function(desk, request, session, until = now() + most_wait) {
  force(until) # counted from now, and not from when it was tried
  action <- entry(request, "action")
  outcome <- switch(action,
    arms = attempt(desk$sheet(sheet_of_lines(entry(request$values, "arms"))), c(sheet = "arms")),
    open = attempt(open_named(desk, entry(request$values, "name"), session), c(name = "name")),
    begin = begin_asked(desk, request$values, session),
    review = review_asked(desk, request$values),
    on_file(desk, action, request)
  )
  outcome$busy <- outcome$busy && now() < until
  keep_waiting(desk, request, if (outcome$busy) list(request = request, until = until))
  reply(session, entry(request, "form"), outcome, used_forms(action, entry(request, "form")))
}

# Forms of which what was typed is of no use any more when the request is done. Arms that are typed
# are, until the run is begun.
used_forms <- function(action, form) {
  switch(action, arms = , cancel = character(), begin = c("arms", "begin"), form)
}

on_file <- function(desk, action, request) {
  todo <- desk_actions[[action]]
  file <- desk$file()
  if (is.null(todo) || is.null(file)) {
    return(attempt(abort("request", "There is nothing to be done by this name.")))
  }
  fields <- unlist(todo[names(todo) != "does"])
  outcome <- attempt(todo$does(file, request$values, entry(request, "value")), fields, file)
  if (outcome$done) {
    desk$editing(NULL)
    look_again(desk)
  }
  outcome
}

open_named <- function(desk, name, session) {
  open_run(desk, name)
  in_address(session, desk$file())
}

# So that a page that is loaded again, or sent to a colleague, opens the same run.
in_address <- function(session, file) {
  query <- paste0("?run=", utils::URLencode(basename(file), reserved = TRUE))
  shiny::updateQueryString(query, "replace", session)
}

begin_asked <- function(desk, values, session) {
  file <- NULL
  outcome <- attempt(
    {
      file <- if (is.null(desk$fixed)) desk_path(entry(values, "name"), desk$folder) else desk$fixed
      begin_run(file, values, desk$sheet())
      inform("desk", "The run is begun. It is kept in ", basename(file), ".")
    },
    begin_fields, file
  )
  if (outcome$done) {
    use_file(desk, file)
    if (is.null(desk$fixed)) in_address(session, file)
  }
  outcome
}

review_asked <- function(desk, values) {
  sheet <- changed_sheet(desk$results(), values)
  outcome <- attempt(tell_sheet(desk$file(), sheet), file = desk$file())
  if (outcome$done) {
    leave_sheet(desk)
    look_again(desk)
  }
  outcome
}

leave_sheet <- function(desk) {
  desk$results(NULL)
  desk$uploads(shiny::isolate(desk$uploads()) + 1L)
}

edit_row <- function(desk, row, session) {
  row <- suppressWarnings(as.integer(row))
  x <- desk$run()
  if (is.na(row) || !row %in% seq_along(x$log$arm)) {
    desk$editing(NULL)
  } else {
    desk$editing(row)
    session$sendCustomMessage("desk-focus", list(
      form = "correct", field = paste0(result_columns(x)[1L], ".", row)
    ))
  }
  reply(session, "correct", attempt(NULL))
}

# Another session was writing the file: a request waits until its time has come again, beside those
# that wait already. The same button again is the same request, with what its form says now.
# wait: NULL where it waits no more.
keep_waiting <- function(desk, request, wait) {
  waiting <- shiny::isolate(desk$waiting())
  asked <- vapply(c("form", "action", "value"), function(part) entry(request, part), "")
  waiting$all[[paste(asked, collapse = " ")]] <- wait
  if (!is.null(wait)) {
    waiting$at <- now() + 1
  }
  desk$waiting(waiting)
}

# The first of them. If the file is still written all wait on, since a page that tries one after
# the other answers nobody; otherwise the next has its turn.
try_waiting <- function(desk, session) {
  shiny::observe({
    waiting <- desk$waiting()
    shiny::req(length(waiting$all) > 0L)
    left <- waiting$at - now()
    if (left > 0) {
      shiny::invalidateLater(1000 * left, session)
    } else {
      first <- waiting$all[[1L]]
      shiny::isolate(do_request(desk, first$request, session, first$until))
    }
  })
}

# Seconds for which a request is tried again. What is said of it has the same.
most_wait <- 30
