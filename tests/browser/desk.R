# bayesgap_desk() in a real browser, as people use it: from a table to the answer, with mistakes, a
# reload, two windows, the keyboard alone, a locked file, and R gone. What the page did is read from
# the file. Pictures of every state are left in build/browser.

shots <- "build/browser"
dir.create(shots, showWarnings = FALSE, recursive = TRUE)
shot <- function(page, name) screenshot(page, file.path(shots, paste0(name, ".png")))

# ---- The page's server --------------------------------------------------------------------------

# In a process of its own: list(url, folder, pid, log). file: the argument of bayesgap_desk().
start_desk <- function(file = "NULL", folder = new_folder()) {
  port <- httpuv::randomPort()
  server <- start_r(c(
    sprintf("desk <- bayesgap_desk(%s)", file),
    sprintf("shiny::runApp(desk, port = %d, host = '127.0.0.1', launch.browser = FALSE)", port)
  ), folder)
  listens <- function() any(grepl("Listening on", readLines(server$log, warn = FALSE)))
  if (!await(listens() || gone(server$pid)) || gone(server$pid)) {
    stop(paste(readLines(server$log, warn = FALSE), collapse = "\n"))
  }
  c(server, url = sprintf("http://127.0.0.1:%d/", port))
}

recipes <- c(
  "arm;catalyst;temperature", "std;none;40", "Pd 20;Pd;20,5", "Pd 40;Pd;40", "Ni 20;Ni;20,5",
  "Ni 40;Ni;40", "Cu 40;Cu;40"
)
recipes_file <- function(folder) {
  writeLines(recipes, file.path(folder, "recipes.csv"))
  file.path(folder, "recipes.csv")
}

# A run in a file, begun in R.
new_run_file <- function(folder, ..., n = 0L) {
  file <- file.path(folder, "run.bgap")
  save_run(bayesgap(c("red", "green", "blue"), budget = 12, seed = 1, ...), file)
  if (n) ask(file, n = n)
  file
}
results <- function(file) as.data.frame(read_run(file))

# Nothing on the page is without a name, too pale, or in the wrong place, and nothing went wrong.
no_axe <- !nzchar(axe_file())
check_sound <- function(page, what) {
  faults <- if (no_axe) nameless_controls(page) else axe_faults(page)
  if (length(faults)) note("%s", faults)
  check(!length(faults), paste("rules of accessibility:", what))
  errors <- console_errors(page)
  if (length(errors)) note("%s", errors)
  check(!length(errors), paste("no errors on the console:", what))
}
if (no_axe) skip("axe-core is not here (npm brings it): labels are looked at, contrast is not")

# The text of the mistake at a field: what a screen reader says of it.
mistake_at <- function(page, label) {
  id <- attribute(page, label, "aria-describedby", "field")
  if (is.null(id)) "" else read_text(page, paste0("[id=", js(id), "]"))
}
# A part that is opened has its content before the next is: it moves what is below.
unfold <- function(page, title, content) {
  click(page, title)
  check(await_page(count_elements(page, content) > 0), paste("opened:", title))
}
said <- function(page) read_text(page, "#desk-said")

# ---- One window ---------------------------------------------------------------------------------

case("from a table to the answer, with mistakes on the way", {
  desk <- start_desk()
  file <- file.path(desk$folder, "catalysts.bgap")
  page <- open_page(browser, desk$url)
  check(await_text(page, "What can be tried"), "it asks for arms")
  check(await_text(page, "What this is for"), "and says what it is")
  check(evaluate(page, "document.documentElement.lang") == "en", "in English")
  check_sound(page, "the start")
  shot(page, "01-start")

  upload(page, "Table of arms", recipes_file(desk$folder))
  check(await_text(page, "6 arms read"), "the table is read")
  check(await_text(page, "20.5", "#part-preview"), "with its decimal commas")
  check(await_text(page, "In which columns?"), "and asked about")
  check(property(page, "catalyst", "checked"), "columns that tell are ticked")
  click(page, "More that may be known")
  choose(page, "A control, or standard", "std")
  check_sound(page, "arms are there")
  shot(page, "02-uploaded")

  type_into(page, "How many trials can you afford in all?", "2,5")
  type_into(page, "Name of the run", "catalysts")
  click(page, "Begin the run")
  budget <- "How many trials can you afford"
  check(await_page(grepl("whole number", mistake_at(page, budget))), "a mistake is at its field")
  check(startsWith(focused(page), budget), "which has the focus")
  check(attribute(page, budget, "aria-invalid") == "true", "and is marked")
  check(grepl("Nothing was saved", said(page)), "which is said")
  check(!file.exists(file), "nothing is saved")
  check_sound(page, "a mistake at the start")
  shot(page, "03-start-mistake")
  type_into(page, budget, "24")
  press(page, "Enter")
  check(await_text(page, "Nothing is known yet."), "the run is begun")
  x <- read_run(file)
  check(x$budget == 24L && x$maximise, "as was said")
  check(identical(x$model$arms$names[x$model$control], "std"), "with its control")
  check(identical(x$model$arms$data$temperature[2], 20.5), "and its numbers")
  check(grepl("temperature", format(x$model$kernel$kernel)), "rows are alike")
  check_sound(page, "a new run")
  shot(page, "04-work")

  type_into(page, "How many", "4")
  click(page, "Ask for trials")
  check(await_page(grepl("block", mistake_at(page, "For which plate"))), "the plate is missing")
  type_into(page, "For which plate or day", "plate 1")
  click(page, "Ask for trials")
  check(await_text(page, "Save results"), "trials are asked")
  check(nrow(open_trials(file)) == 4L, "and are out")
  check(has_text(page, "0 of 24 trials made, 4 on the list."), "which it says")

  type_into(page, "Result of trial 1", "48,3")
  type_into(page, "Result of trial 2", "6o.2")
  type_into(page, "Result of trial 3", "1e200")
  click(page, "Failed of trial 4", "field")
  before <- readBin(file, "raw", 1e6)
  click(page, "Save results")
  check(await_page(grepl("is no number", mistake_at(page, "Result of trial 2"))), "at its cell")
  check(startsWith(focused(page), "Result of trial 2"), "which has the focus")
  check(identical(readBin(file, "raw", 1e6), before), "nothing is saved, not even what is right")
  check(property(page, "Result of trial 1", "value") == "48,3", "and nothing is lost")
  check_sound(page, "a mistake among results")
  shot(page, "05-mistake")
  type_into(page, "Result of trial 2", "60.2")
  click(page, "Save results")
  check(await_page(grepl("1e100", mistake_at(page, "Result of trial 3"))), "the package's words")
  type_into(page, "Result of trial 3", "55")
  press(page, "Enter")
  check(await_text(page, "4 results saved."), "they are saved")
  check(identical(results(file)$y, c(48.3, 60.2, 55, NA)), "as they are")
  check(await_text(page, "is the best of 6 arms with probability"), "there is an answer")
  check(await_text(page, "From std it differs by"), "beside the control")
  check(await_page(count_elements(page, ".desk-picture img") >= 1), "and a picture")
  unfold(page, "All arms in a table", "#fold-arms td")
  unfold(page, "What was learned", "#fold-learned td")
  unfold(page, "The log", "#fold-log td")
  check(await_text(page, "A typical result"), "what was learned")
  check(await_text(page, "told as failed"), "the log")
  best <- read_run(file)
  best <- best$model$arms$names[best$belief$best]
  check(startsWith(read_text(page, "#fold-arms tbody th"), best), "the best arm first")
  check_sound(page, "sight")
  shot(page, "06-sight")

  click(page, "Download all results")
  got <- downloaded(page, "catalysts-results.csv")
  check(!is.null(got) && identical(utils::read.csv(got)$y, results(file)$y), "results as csv")
  if (has_control(page, "Download the report")) {
    click(page, "Download the report")
    got <- downloaded(page, "catalysts-report.html")
    check(!is.null(got) && any(grepl(best, readLines(got, warn = FALSE), fixed = TRUE)), "a report")
  } else {
    skip("there is no report() in this version")
  }

  type_into(page, "How many", "2")
  type_into(page, "For which plate or day", "plate 2")
  click(page, "Ask for trials")
  check(await_text(page, "Save results"), "another plate")
  resize(page, 400, 800)
  type_into(page, "Result of trial 5", "x")
  click(page, "Save results")
  check(await_page(nzchar(mistake_at(page, "Result of trial 5"))), "on a phone too")
  fits <- function() evaluate(page, "document.documentElement.scrollWidth <= 400")
  check(await_page(fits()), "all in its width")
  check_sound(page, "a narrow window")
  shot(page, "07-narrow")
  close_page(page)
  kill(desk$pid)
})

case("what was told is corrected, withdrawn, called off; the list of arms changes", {
  desk <- start_desk("\"run.bgap\"", folder <- new_folder())
  # The page was opened before there was a file.
  page <- open_page(browser, desk$url)
  check(await_text(page, "What can be tried"), "no run yet")
  file <- new_run_file(folder, n = 4L)
  check(await_text(page, "Trials to make"), "one that comes about is opened")
  tell(file, data.frame(open_trials(file)[1:2, ], y = c(1, 200)))
  check(await_text(page, "is the best of 3 arms"), "and looked at again")

  click(page, "Correct or withdraw results")
  click(page, "Correct trial 2")
  check(await_page(startsWith(focused(page), "Result of trial 2")), "a row is being corrected")
  check_sound(page, "a correction")
  shot(page, "08-correct")
  write_text(page, "2,0.0")
  press(page, "Enter")
  check(await_page(grepl("is no number", mistake_at(page, "Result of trial 2"))), "a mistake in it")
  type_into(page, "Result of trial 2", "2,0")
  press(page, "Enter")
  check(await_text(page, "is corrected"), "it is corrected")
  check(identical(results(file)$y, c(1, 2)), "in the file")
  click(page, "The log")
  check(await_text(page, "was corrected", "#fold-log"), "and on record")
  click(page, "Correct trial 1")
  check(await_page(has_control(page, "Withdraw trial 1")), "another row")
  click(page, "Withdraw trial 1")
  check(await_text(page, "is withdrawn"), "is withdrawn")
  check(identical(results(file)$y, c(NA, 2)), "in the file")

  click(page, "Call off trial 3")
  check(await_text(page, "Trial 3 is called off"), "a trial is called off")
  check(identical(open_trials(file)$pull, 4L), "in the file")

  click(page, "Change the list of arms")
  choose(page, "Set an arm aside", "green")
  click(page, "Set aside")
  check(await_text(page, "Bring an arm back"), "an arm is set aside")
  check("dropped" %in% posterior(file)$status, "in the file")
  click(page, "Bring back")
  check(await_text(page, "\"green\" is back"), "and is back")
  type_into(page, "New arms, one a line", "red")
  click(page, "Add")
  check(await_text(page, "is in the run already"), "no arm twice")
  type_into(page, "New arms, one a line", "violet\nwhite")
  check_sound(page, "the list of arms")
  click(page, "Add")
  check(await_text(page, "longer by 2"), "new arms")
  check(identical(posterior(file)$arm, c("red", "green", "blue", "violet", "white")), "in the file")

  click(page, "Plan more trials")
  type_into(page, "Trials in all", "1")
  click(page, "Change the plan")
  check(await_page(grepl("at least", mistake_at(page, "Trials in all"))), "no less than was made")
  type_into(page, "Trials in all", "15")
  click(page, "Change the plan")
  check(await_text(page, "The budget is 15 now"), "more can be planned")
  check(read_run(file)$budget == 15L, "in the file")
  check_sound(page, "many changes")
  close_page(page)
  kill(desk$pid)
})

case("the list goes to the bench and comes back as a sheet", {
  folder <- new_folder()
  file <- new_run_file(folder, n = 3L)
  desk <- start_desk("\"run.bgap\"", folder)
  page <- open_page(browser, desk$url)
  check(await_text(page, "Save results"), "trials are out")
  click(page, "Download the list")
  got <- downloaded(page, "trials.csv")
  sheet <- utils::read.csv(got, colClasses = "character")
  check(identical(sheet$arm, open_trials(file)$arm) && all(sheet$y == ""), "the list")

  # With decimal commas, an arm that is another, and one that is not done yet.
  sheet$y <- c("3,25", "4,5", "")
  other <- setdiff(c("red", "green", "blue"), sheet$arm[2])[1]
  right <- sheet$arm[2]
  sheet$arm[2] <- other
  sheet$remark <- c("fine", "hot", "")
  utils::write.csv2(sheet, file.path(folder, "monday.csv"), row.names = FALSE, quote = FALSE)
  click(page, "Upload results")
  upload(page, "Sheet of results", file.path(folder, "monday.csv"))
  check(await_text(page, "2 rows with a result"), "the sheet is looked at first")
  wrong <- function() grepl("asked for arm", mistake_at(page, "arm in row 2"))
  check(await_page(wrong()), "a mistake, at its cell")
  check_sound(page, "a sheet with a mistake")
  shot(page, "09-sheet")
  check(nrow(results(file)) == 0L, "nothing is saved")
  type_into(page, "arm in row 2", right)
  click(page, "Save these results")
  check(await_text(page, "2 results saved. 1 row without a result left out."), "mended and saved")
  check(identical(results(file)$y, c(3.25, 4.5)), "in the file")
  check(identical(results(file)$remark, c("fine", "hot")), "with what it has besides")
  check(await_page(has_control(page, "Sheet of results")), "another can be uploaded")

  writeLines("\x89PNG", file.path(folder, "no.xlsx"))
  upload(page, "Sheet of results", file.path(folder, "no.xlsx"))
  check(await_text(page, "This is no spreadsheet"), "what is no sheet is refused")
  check(has_control(page, "Sheet of results"), "and another wanted")
  if (requireNamespace("readxl", quietly = TRUE)) {
    # Three results of other arms, as the package ships them
    upload(page, "Sheet of results", system.file("extdata", "week.xlsx", package = "bayesgap"))
    check(await_text(page, "3 rows with a result"), "a spreadsheet")
    check(await_page(nzchar(mistake_at(page, "arm in row 3"))), "of other arms")
    click(page, "Leave it")
    check(await_page(has_control(page, "Sheet of results")), "is left")
  } else {
    skip("readxl is not installed")
  }
  check_sound(page, "sheets")
  close_page(page)
  kill(desk$pid)
})

# ---- More than one window -----------------------------------------------------------------------

case("a reload in the middle loses nothing", {
  desk <- start_desk()
  page <- open_page(browser, desk$url)
  await_text(page, "What can be tried")
  type_into(page, "Or type the arms", "red\ngreen\nblue")
  reload(page)
  typed <- function() property(page, "Or type the arms", "value")
  check(await_page(typed() == "red\ngreen\nblue"), "lines typed")
  click(page, "Use these arms")
  check(await_text(page, "3 arms read"), "are arms")
  click(page, "Smaller ones", "field")
  type_into(page, "Or type the arms", "red\ngreen\nblue\nwhite")
  click(page, "Use these arms")
  check(await_text(page, "4 arms read"), "other arms")
  check(await_page(property(page, "Smaller ones", "checked")), "what was said of the first stays")
  click(page, "Begin the run")
  check(await_text(page, "Nothing is known yet."), "a run of a name that was free")
  file <- file.path(desk$folder, "run.bgap")
  check(!read_run(file)$maximise, "of which less is better")
  check(await_page(grepl("run=run.bgap", evaluate(page, "location.search"))), "is in the address")
  click(page, "Ask for trials")
  check(await_text(page, "Save results"), "with trials")
  type_into(page, "Result of trial 2", "7.5")
  click(page, "Failed of trial 3", "field")
  reload(page)
  check(await_page(property(page, "Result of trial 2", "value") == "7.5"), "what was typed is kept")
  check(property(page, "Failed of trial 3", "checked"), "and what was ticked")
  click(page, "Save results")
  check(await_text(page, "2 results saved."), "and can be saved")
  check(identical(results(file)$y, c(7.5, NA)), "in the file")
  reload(page)
  check(await_page(property(page, "Result of trial 1", "value") == ""), "and is not there again")
  check(await_text(page, "is the best of 4 arms"), "the run is")
  check_sound(page, "after reloads")

  # R is started anew; the page is told, and then goes on.
  kill(desk$pid)
  check(await_text(page, "The connection to R is gone."), "R is gone, which is said")
  close_page(page)
  again <- start_desk(folder = desk$folder)
  page <- open_page(browser, again$url)
  check(await_text(page, "Go on with a run"), "the runs of the folder")
  choose(page, "Runs in this folder", "run.bgap")
  check_sound(page, "runs of a folder")
  shot(page, "10-open")
  click(page, "Open")
  check(await_text(page, "is the best of 4 arms"), "of which one is opened")

  # A name that is taken, and one that is none
  visit(page, again$url)
  check(await_text(page, "Go on with a run"), "the start again")
  type_into(page, "Or type the arms", "a\nb")
  click(page, "Use these arms")
  check(await_page(has_control(page, "Name of the run")), "other arms")
  type_into(page, "Name of the run", "run")
  before <- readBin(file, "raw", 1e6)
  click(page, "Begin the run")
  check(await_page(grepl("already", mistake_at(page, "Name of the run"))), "a name that is taken")
  check(identical(readBin(file, "raw", 1e6), before), "the run is as it was")
  type_into(page, "Name of the run", "../run2")
  click(page, "Begin the run")
  refused <- function() grepl("cannot be the name", mistake_at(page, "Name of the run"))
  check(await_page(refused()), "no other folders")
  check(!file.exists(file.path(dirname(desk$folder), "run2.bgap")), "nothing there")
  close_page(page)
  kill(again$pid)
})

case("two windows and a session of R on one file see each other's results", {
  folder <- new_folder()
  file <- new_run_file(folder, n = 3L)
  desk <- start_desk("\"run.bgap\"", folder)
  other <- start_desk("\"run.bgap\"", folder) # another process, as on another computer
  ann <- open_page(browser, desk$url)
  bob <- open_page(browser, other$url)
  check(await_text(ann, "Save results") && await_text(bob, "Save results"), "two windows")
  type_into(ann, "Result of trial 1", "1.5")
  type_into(bob, "Result of trial 2", "2.5")
  click(bob, "Save results")
  check(await_text(bob, "1 result saved."), "one saves")
  check(await_text(ann, "1 of 12 trials made, 2 on the list."), "the other sees it")
  check(await_text(ann, "is the best of 3 arms"), "and the answer")
  check(property(ann, "Result of trial 1", "value") == "1.5", "what it typed is there")
  check(startsWith(focused(ann), "Result of trial 1"), "with the focus")
  write_text(ann, "5")
  check(await_page(property(ann, "Result of trial 1", "value") == "1.55"), "and is gone on with")

  # Both enter the same trial; the second is told.
  type_into(bob, "Result of trial 1", "9")
  click(ann, "Save results")
  check(await_text(ann, "1 result saved."), "one saves a trial")
  click(bob, "Save results")
  check(await_text(bob, "told already") || await_text(bob, "No result is filled in"), "not twice")
  check(identical(results(file)$y, c(2.5, 1.55)), "in the file")

  tell(file, data.frame(pull = 3, y = 3.5))
  check(await_text(ann, "Nothing is on the list.") && await_text(bob, "Nothing is on the list."),
        "and a session of R")
  check_sound(ann, "two windows")
  check_sound(bob, "the other of two windows")
  close_page(bob)
  kill(other$pid)

  # Another session holds the lock.
  holder <- start_r(c(
    "unlock <- bayesgap:::lock_file('run.bgap')", "file.create('held')",
    "while (!file.exists('let-go')) Sys.sleep(0.05)", "unlock()"
  ), folder)
  check(await(file.exists(file.path(folder, "held"))), "the file is locked")
  click(ann, "Ask for trials")
  check(await_text(ann, "Another session is writing the file."), "which is said")
  check(!nrow(open_trials(file)), "nothing is asked")
  file.create(file.path(folder, "let-go"))
  check(await_text(ann, "Save results"), "and done when it is free")
  check(nrow(open_trials(file)) == 4L, "once")
  check(await(gone(holder$pid)), "the holder is gone")
  check_sound(ann, "a lock")

  # A file that is damaged
  bytes <- readBin(file, "raw", 1e6)
  bytes[200] <- xor(bytes[200], as.raw(1))
  writeBin(bytes, file)
  check(await_text(ann, "This file cannot be worked with"), "a damaged file is not worked with")
  check_sound(ann, "a damaged file")
  shot(ann, "11-damaged")
  close_page(ann)
  kill(desk$pid)
})

# ---- Without a mouse ----------------------------------------------------------------------------

# Is the focus seen? Something is drawn around what has it.
focus_seen <- function(page) {
  evaluate(page, "(() => { const s = getComputedStyle(document.activeElement);
    return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2; })()")
}
reach <- function(page, label) {
  reached <- tab_to(page, label)
  check(!is.na(reached), paste("the keyboard reaches:", label))
  check(focus_seen(page), paste("and it is seen:", label))
}

case("with the keyboard alone", {
  desk <- start_desk()
  file <- file.path(desk$folder, "run.bgap")
  page <- open_page(browser, desk$url)
  await_text(page, "What can be tried")
  press(page, "Tab")
  check(focused(page) == "Skip to the work", "first of all, a way past the head")
  press(page, "Enter")
  reach(page, "Table of arms")
  reach(page, "Or type the arms")
  write_text(page, "red\ngreen\nblue")
  reach(page, "Use these arms")
  press(page, "Enter")
  check(await_page(has_control(page, "Begin the run")), "arms are there")
  reach(page, "Larger ones")
  press(page, "ArrowDown")
  check(property(page, "Smaller ones", "checked"), "arrows choose")
  reach(page, "How many trials can you afford")
  write_text(page, "9")
  reach(page, "More that may be known")
  press(page, "Enter")
  reach(page, "A control, or standard")
  reach(page, "Begin the run")
  press(page, "Space")
  check(await_text(page, "Nothing is known yet."), "the run is begun")
  check(!read_run(file)$maximise && read_run(file)$budget == 9L, "as was said")

  reach(page, "How many")
  write_text(page, "2")
  press(page, "Enter")
  check(await_text(page, "Save results"), "trials are asked")
  reach(page, "Result of trial 1")
  write_text(page, "12.5x")
  reach(page, "Failed of trial 2")
  press(page, "Space")
  reach(page, "Save results")
  press(page, "Enter")
  check(await_page(nzchar(mistake_at(page, "Result of trial 1"))), "a mistake")
  check(startsWith(focused(page), "Result of trial 1"), "which has the focus")
  press(page, "End")
  press(page, "Backspace")
  press(page, "Enter")
  check(await_text(page, "2 results saved."), "and is put right")
  check(identical(results(file)$y, c(12.5, NA)), "in the file")

  reach(page, "Correct or withdraw results")
  press(page, "Enter")
  reach(page, "Correct trial 2")
  reach(page, "Correct trial 1")
  press(page, "Enter")
  check(await_page(startsWith(focused(page), "Result of trial 1")), "a row is being corrected")
  write_text(page, "11")
  press(page, "Enter")
  check(await_text(page, "is corrected"), "and is")
  check(results(file)$y[1] == 11, "in the file")
  reach(page, "Change the list of arms")
  reach(page, "All arms in a table")
  reach(page, "Download all results")
  check_sound(page, "the keyboard alone")
  close_page(page)
  kill(desk$pid)
})
