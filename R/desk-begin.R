# A run begun at the desk: a sheet or lines become arms, what is known becomes arguments of
# bayesgap(), and the run its file.

# ---- Where the run is kept ----------------------------------------------------------------------

# The path of a run by its name, in a folder; nothing above or below it.
desk_path <- function(name, folder) {
  name <- trimws(name)
  if (!nzchar(name)) {
    abort("name", "Give the run a name, such as \"run.bgap\".")
  }
  if (grepl("[/\\\\:*?\"<>|[:cntrl:]]", name) || startsWith(name, ".") || nchar(name) > 100L) {
    abort(
      "name", quoted(name), " cannot be the name of a run: letters, digits, blanks and dashes are ",
      "welcome, folders are not."
    )
  }
  file.path(folder, if (is_run_name(name)) name else paste0(name, ".bgap"))
}

# Names of the runs in a folder, the one that was changed last first.
desk_runs <- function(folder) {
  files <- list.files(folder, "[.]bgap$", ignore.case = TRUE)
  files[order(file.mtime(file.path(folder, files)), decreasing = TRUE)]
}

# One that is not taken yet.
free_name <- function(folder) {
  names <- c("run.bgap", sprintf("run-%d.bgap", 2:1000))
  setdiff(names, desk_runs(folder))[1L]
}

# What changes whenever the file does: its first line has the checksum of the rest, and what comes
# by other ways than ours has another time. "" without a file.
file_stamp <- function(file) {
  if (is.null(file) || !file.exists(file)) {
    return("")
  }
  start <- tryCatch(suppressWarnings(readBin(file, "raw", 80L)), error = function(e) raw())
  at <- format(as.double(file.mtime(file)), digits = 20)
  paste(c(format(start), file.size(file), at), collapse = " ")
}

# ---- The arms -----------------------------------------------------------------------------------

# Lines as they were typed: an arm each; or, with tabs between its cells, a table.
sheet_of_lines <- function(text) {
  if (grepl("\t", text, fixed = TRUE)) {
    return(arms_sheet(sheet_from_text(text)))
  }
  lines <- entered_lines(text)
  if (!length(lines)) {
    abort("sheet", "Name at least one arm, each in a line of its own.")
  }
  quick_frame(list(arm = lines))
}

# A sheet whose numbers can be read; names may look like anything.
arms_sheet <- function(sheet) {
  typed_sheet(sheet[!is_called_name(names(sheet))])
  sheet
}

is_called_name <- function(names) tolower(names) %in% c("arm", "name", "id")

# Which column names the arms, as far as can be guessed; "": none does.
naming_column <- function(sheet) {
  names <- names(sheet)
  called <- names[is_called_name(names)]
  text <- Filter(function(name) is_name_like(sheet[[name]]), names)
  c(called, text, "")[[1L]]
}

is_name_like <- function(cells) {
  all(nzchar(cells)) && !anyDuplicated(cells) && is.character(typed_column(cells))
}

# Columns by which rows may be alike: they differ, and are no further names.
telling_columns <- function(sheet, naming) {
  telling <- vapply(sheet, function(cells) {
    length(unique(cells)) > 1L && !is_name_like(cells)
  }, TRUE)
  setdiff(names(sheet)[telling], naming)
}

# As bayesgap() takes them.
arms_of_sheet <- function(sheet, naming) {
  if (!naming %in% names(sheet)) {
    return(typed_sheet(sheet))
  }
  others <- sheet[names(sheet) != naming]
  names <- sheet[[naming]]
  if (length(others)) quick_frame(c(list(arm = names), typed_sheet(others))) else names
}

# ---- What is known ------------------------------------------------------------------------------

# The field of the form that an error of bayesgap() is about.
begin_fields <- c(
  sheet = "arms", arms = "arms", arm = "arms", budget = "budget", control = "control",
  block = "blocks", cost = "cost", kernel = "matters", family = "family", name = "name",
  checkpoint = "name", save = "name", memory = "arms"
)

# "" , "10", or names with commas or semicolons between them.
entered_blocks <- function(text) {
  if (!nzchar(text)) {
    return(NULL)
  }
  if (grepl("^[0-9]+$", text)) as.numeric(text) else trimws(strsplit(text, "[,;\n]")[[1L]])
}

# The run that a form describes.
run_of_form <- function(values, sheet) {
  if (is.null(sheet)) {
    abort("sheet", "There are no arms yet: upload a table, or type them.")
  }
  budget <- entered_number(values, "budget", "How many trials can you afford in all?")
  arms <- arms_of_sheet(sheet, entry(values, "naming"))
  costs <- entry(values, "cost")
  matters <- intersect(entries(values, "matters"), setdiff(names(arms), "arm"))
  bayesgap(
    arms, budget = budget, maximise = entry(values, "better") != "smaller",
    kernel = if (length(matters)) desk_kernel(arms[matters], nzchar(costs)),
    family = if (nzchar(entry(values, "family"))) entry(values, "family") else "gaussian",
    control = if (nzchar(entry(values, "control"))) entry(values, "control"),
    blocks = entered_blocks(entry(values, "blocks")), cost = if (nzchar(costs)) costs
  )
}

# Rows that are near in these columns are alike: numbers by their values, all else by category. Each
# arm has a small part of its own, as in a tuning. It is written as an R user may write it, so that
# what a file or a report says of it can be used. NULL: no column differs.
desk_kernel <- function(columns, costs) {
  differ <- Filter(function(v) length(unique(v)) > 1L, as.list(columns))
  number <- vapply(differ, is.numeric, TRUE)
  terms <- Map(column_term, names(differ), differ)
  parts <- c(
    if (any(number)) list(k_matern(formula_of_terms(terms[number]))),
    if (!all(number)) list(k_factor(formula_of_terms(terms[!number]), similarity = NULL))
  )
  if (!length(parts)) {
    return(NULL)
  }
  kernel <- Reduce(`*`, parts)
  if (costs) kernel else kernel + k_const(own_share) * k_white()
}

# What goes over orders of magnitude, such as a dose, is alike by its logarithm.
column_term <- function(name, value) {
  wide <- is.numeric(value) && all(is.finite(value) & value > 0) && max(value) >= 100 * min(value)
  if (wide) call("log10", as.name(name)) else as.name(name)
}

formula_of_terms <- function(terms) {
  sum <- Reduce(function(a, b) call("+", a, b), unname(terms))
  stats::as.formula(call("~", sum), topenv())
}

# Never in place of a file that is there.
begin_run <- function(file, values, sheet) {
  x <- run_of_form(values, sheet)
  suspendInterrupts({
    unlock <- lock_file(file, desk_wait)
    on.exit(unlock())
  })
  if (file.exists(file)) {
    abort(
      "name", "There is a file \"", basename(file), "\" already. Open it, or give another name."
    )
  }
  suspendInterrupts(write_or_abort(x, file))
  invisible(x)
}
