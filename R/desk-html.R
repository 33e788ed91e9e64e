# The parts that the page is built of: forms that are sent as a whole, fields with their labels,
# tables whose cells can be fields. Plain HTML; desk.js sends it and shows what comes back.

# name: what the form asks for, see desk_actions; keep: is what was typed and not sent to be kept
# over a reload?
desk_form <- function(name, ..., keep = TRUE) {
  shiny::tags$form(
    class = "desk-form", `data-form` = name, `data-keep` = if (keep) "yes", novalidate = NA,
    autocomplete = "off", ...,
    shiny::tags$div(class = "desk-mistake desk-whole", hidden = NA)
  )
}

# What stands outside of forms and has mistakes of its own, such as a file that is uploaded.
desk_box <- function(name, ...) {
  shiny::tags$div(
    `data-form` = name, ..., shiny::tags$div(class = "desk-mistake desk-whole", hidden = NA)
  )
}

sheet_input <- function(id, label) {
  desk_box(id, shiny::fileInput(
    id, label, accept = c(".csv", ".tsv", ".txt", ".xlsx", ".xls"), width = "100%"
  ))
}

# A field within its label, and a hint below it.
desk_field <- function(label, input, hint = NULL, class = NULL) {
  shiny::tags$div(
    class = paste(c("desk-field", class), collapse = " "),
    shiny::tags$label(shiny::tags$span(class = "desk-label", label), input),
    if (!is.null(hint)) shiny::tags$p(class = "desk-hint", hint)
  )
}

text_input <- function(name, value = "", ..., number = FALSE) {
  shiny::tags$input(
    type = "text", class = "form-control", name = name, value = value, spellcheck = "false",
    inputmode = if (number) "decimal", ...
  )
}

lines_input <- function(name, value = "", rows = 5L, ...) {
  shiny::tags$textarea(
    class = "form-control", name = name, rows = rows, spellcheck = "false", ..., value
  )
}

# choices: values, named by what is shown.
select_input <- function(name, choices, chosen = choices[1L], ...) {
  options <- lapply(seq_along(choices), function(i) {
    shiny::tags$option(
      value = choices[[i]], selected = if (choices[[i]] %in% chosen) NA, names(choices)[i]
    )
  })
  shiny::tags$select(class = "form-select", name = name, ..., options)
}

# One of the arms: of many, by its name.
arm_input <- function(name, arms, chosen = arms[1L], ...) {
  if (length(arms) > 500L) {
    return(text_input(name, if (is.na(chosen)) "" else chosen, ...))
  }
  select_input(name, same_names(arms), chosen, ...)
}

# kind: "radio" or "checkbox"; a group of which one or several are chosen.
choice_group <- function(legend, name, choices, chosen, kind = "radio", hint = NULL) {
  shiny::tags$fieldset(
    class = "desk-field", shiny::tags$legend(class = "desk-label", legend),
    lapply(seq_along(choices), function(i) {
      shiny::tags$label(
        class = "form-check", shiny::tags$input(
          type = kind, class = "form-check-input", name = name, value = choices[[i]],
          `data-many` = if (kind == "checkbox") "yes", checked = if (choices[[i]] %in% chosen) NA
        ),
        shiny::tags$span(class = "form-check-label", names(choices)[i])
      )
    }),
    if (!is.null(hint)) shiny::tags$p(class = "desk-hint", hint)
  )
}

same_names <- function(x) structure(as.list(x), names = x)

send_button <- function(text, class = "btn-primary") {
  shiny::tags$button(type = "submit", class = paste("btn", class), text)
}

# A button that asks for something else than its form; label: said of it where its text alone would
# not tell what it is about.
other_button <- function(text, action, value = NULL, label = NULL,
                         class = "btn-outline-secondary") {
  shiny::tags$button(
    type = "button", class = paste("btn", class), `data-send` = action, `data-value` = value,
    `aria-label` = label, text
  )
}

download <- function(id, text) {
  shiny::downloadLink(id, text, class = "btn btn-outline-secondary")
}

# A part of a column, with its heading.
desk_part <- function(title, ..., id = NULL) {
  shiny::tags$section(
    class = "desk-part", id = id, `aria-label` = title, shiny::tags$h3(title), ...
  )
}

# One that is opened when it is wanted.
desk_fold <- function(title, ..., open = FALSE, id = NULL) {
  shiny::tags$details(
    class = "desk-part desk-fold", id = id, open = if (open) NA,
    shiny::tags$summary(shiny::tags$h3(title)), ...
  )
}

# The call by which an R user has the same.
r_call <- function(...) {
  shiny::tags$p(class = "desk-r", "In R: ", shiny::tags$code(paste0(...)))
}

# ---- Tables -------------------------------------------------------------------------------------

# columns: lists of cells, text or tags, named by their headings; heads: which is the heading of its
# row.
desk_table <- function(columns, caption, heads = 1L, class = NULL) {
  n <- length(columns[[1L]])
  headings <- lapply(names(columns), function(name) {
    shiny::tags$th(scope = "col", if (name == " ") unseen("What to do") else name)
  })
  rows <- lapply(seq_len(n), function(i) {
    shiny::tags$tr(lapply(seq_along(columns), function(j) {
      cell <- columns[[j]][[i]]
      if (j == heads) shiny::tags$th(scope = "row", cell) else shiny::tags$td(cell)
    }))
  })
  shiny::tags$div(
    class = "desk-scroll", tabindex = "0", role = "region", `aria-label` = caption,
    shiny::tags$table(
      class = paste(c("table desk-table", class), collapse = " "),
      shiny::tags$caption(class = "visually-hidden", caption),
      shiny::tags$thead(shiny::tags$tr(headings)), shiny::tags$tbody(rows)
    )
  )
}

# For those who listen.
unseen <- function(text) shiny::tags$span(class = "visually-hidden", text)

# A field in a table; label: its column and row in words.
cell_input <- function(field, label, value = "") {
  shiny::tags$input(
    type = "text", class = "form-control form-control-sm", name = field, value = value,
    `aria-label` = label, inputmode = "decimal", spellcheck = "false"
  )
}

cell_box <- function(field, label, ticked = FALSE) {
  shiny::tags$input(
    type = "checkbox", class = "form-check-input", name = field, value = "yes",
    `aria-label` = label, checked = if (ticked) NA
  )
}

# Where a mistake about a cell without a field is shown.
plain_cell <- function(field, text) shiny::tags$span(`data-cell` = field, text)

# Values of fields: what is sent back unchanged is what it was, to the last digit.
field_values <- function(value) {
  text <- if (is_plain_number(value)) exact_number(value) else as.character(value)
  text[is.na(value)] <- ""
  as.list(text)
}

# Values of a table as they are read, not computed with.
shown_values <- function(value) {
  text <- if (is_plain_number(value)) {
    vapply(value, function(v) format(signif(v, 7), digits = 7), "")
  } else {
    as.character(value)
  }
  text[is.na(value)] <- ""
  as.list(text)
}
