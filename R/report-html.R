# A page of HTML in a few functions: what is not marked as HTML is text, and is escaped.

new_html <- function(text) structure(paste(text, collapse = "\n"), class = "bayesgap_html")

# Text as a page shows it: what HTML means otherwise is escaped, and characters that it does not
# allow are told by their number.
escape_html <- function(text) {
  text <- show_controls(enc2utf8(as.character(text)))
  for (mark in names(html_marks)) {
    text <- gsub(mark, html_marks[[mark]], text, fixed = TRUE)
  }
  text
}

# The ampersand first: the others are written with one.
html_marks <- c("&" = "&amp;", "<" = "&lt;", ">" = "&gt;", "\"" = "&quot;", "'" = "&#39;")

show_controls <- function(text) {
  for (i in grep("[\u0001-\u0008\u000b-\u001f\u007f-\u009f]", text)) {
    code <- utf8ToInt(text[i])
    bad <- (code < 32 & code != 9 & code != 10) | (code >= 127 & code <= 159)
    parts <- vapply(code, intToUtf8, "")
    parts[bad] <- sprintf("<%02X>", code[bad])
    text[i] <- paste(parts, collapse = "")
  }
  text
}

as_html <- function(x) if (inherits(x, "bayesgap_html")) unclass(x) else escape_html(x)

# tag("p", class = "note", "text", tag("b", "more")): named arguments are attributes, of which NULL
# is none; the others are what it holds, one after another.
tag <- function(element, ...) {
  given <- list(...)
  named <- if (is.null(names(given))) rep(FALSE, length(given)) else nzchar(names(given))
  attributes <- Filter(Negate(is.null), given[named])
  shown <- sprintf(" %s=\"%s\"", names(attributes), vapply(attributes, escape_html, ""))
  open <- paste0("<", element, paste(shown, collapse = ""), ">")
  held <- paste(unlist(lapply(given[!named], as_html)), collapse = "")
  new_html(if (element %in% void_tags) open else paste0(open, held, "</", element, ">"))
}

void_tags <- c("img", "meta", "br")

# Pieces of a page, one under another; NULL is none.
join_html <- function(...) new_html(unlist(lapply(Filter(Negate(is.null), list(...)), as_html)))

lines_of <- function(text) tag("pre", paste(text, collapse = "\n"))

note_of <- function(...) tag("p", class = "note", paste0(...))

# ---- Tables -------------------------------------------------------------------------------------

# frame: a data frame; label: what it is, for those who cannot see it; marked, past: rows that stand
# out, and those that stand back. More columns or rows than there is room for are reached by
# scrolling, and are all there on paper.
html_table <- function(frame, label, marked = FALSE, past = FALSE) {
  number <- vapply(frame, is.numeric, TRUE)
  cells <- Map(table_cells, lapply(frame, column_text), number)
  start <- ifelse(
    rep_len(marked, nrow(frame)), "<tr class=\"marked\">",
    ifelse(rep_len(past, nrow(frame)), "<tr class=\"past\">", "<tr>")
  )
  head <- paste0(
    "<th scope=\"col\"", ifelse(number, " class=\"number\"", ""), ">", escape_html(names(frame)),
    "</th>"
  )
  rows <- paste0(start, do.call(paste0, unname(cells)), "</tr>", recycle0 = TRUE)
  tag(
    "div", class = "box", tabindex = "0", role = "region", "aria-label" = label,
    new_html(c(
      "<table><thead><tr>", head, "</tr></thead>", "<tbody>", rows, "</tbody></table>"
    ))
  )
}

# Words stay whole but in texts that are long.
table_cells <- function(text, number) {
  class <- if (number) "number" else ifelse(nchar(text) > 30L, "long", "")
  class <- ifelse(nzchar(class), paste0(" class=\"", class, "\""), "")
  paste0("<td", class, ">", escape_html(text), "</td>", recycle0 = TRUE)
}

# What stands in the cells of a column, of whatever class it is.
column_text <- function(column) {
  text <- if (is.list(column)) {
    vapply(column, item_text, "")
  } else if (is.character(column) && !is.object(column)) {
    column
  } else if (is.numeric(column) && !is.object(column)) {
    format(column, digits = 4)
  } else {
    tryCatch(as.character(format(column)), error = function(e) rep("?", length(column)))
  }
  text <- shorten_cells(trimws(text))
  text[if (is.list(column)) lengths(column) == 0L else is.na(column)] <- ""
  text
}

item_text <- function(item) {
  plain <- is.atomic(item) && length(item) == 1L && !is.object(item)
  if (plain) paste(format_value(item)) else describe(item)
}

shorten_cells <- function(text, most = 200L) {
  text <- enc2utf8(text)
  long <- nchar(text, "chars", allowNA = TRUE) > most
  text[long %in% TRUE] <- paste0(substr(text[long %in% TRUE], 1L, most), " ...")
  text
}

# ---- What is inside of the page -----------------------------------------------------------------

base64_letters <- charToRaw("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

# Three bytes are four letters of six bits each.
base64 <- function(bytes) {
  fill <- -length(bytes) %% 3L
  b <- matrix(as.integer(c(bytes, raw(fill))), 3L)
  at <- rbind(
    b[1L, ] %/% 4L, b[1L, ] %% 4L * 16L + b[2L, ] %/% 16L,
    b[2L, ] %% 16L * 4L + b[3L, ] %/% 64L, b[3L, ] %% 64L
  )
  letters <- base64_letters[at + 1L]
  letters[length(letters) + 1L - seq_len(fill)] <- charToRaw("=")
  rawToChar(letters)
}

data_uri <- function(bytes, type) paste0("data:", type, ";base64,", base64(bytes))

# A file that the page holds, as a link that saves it.
download_link <- function(name, bytes, type = "text/csv;charset=utf-8") {
  tag(
    "a", class = "download", download = name, href = data_uri(bytes, type),
    name, tag("span", paste0(" (", size_text(length(bytes)), ")"))
  )
}

size_text <- function(bytes) {
  if (bytes < 1000) count_of(bytes, "byte") else paste(grouped(ceiling(bytes / 1000)), "kB")
}

# Comma separated values by which numbers come back to the last bit; what is missing is empty.
csv_bytes <- function(frame) {
  columns <- lapply(unname(as.list(frame)), csv_cells)
  head <- paste(csv_quoted(names(frame)), collapse = ",")
  rows <- do.call(paste, c(columns, sep = ","))
  charToRaw(enc2utf8(paste0(c(head, rows, ""), collapse = "\n")))
}

csv_cells <- function(column) {
  if (is.numeric(column) && !is.object(column)) {
    text <- exact_number(column)
  } else if (is.logical(column)) {
    text <- as.character(column)
  } else if (is.list(column)) {
    text <- csv_quoted(vapply(column, item_text, ""))
  } else {
    text <- csv_quoted(as.character(column))
  }
  text[if (is.list(column)) lengths(column) == 0L else is.na(column)] <- ""
  text
}

exact_number <- function(x) {
  text <- sprintf("%.15g", x)
  long <- !is.na(x)
  long[long] <- as.numeric(text[long]) != x[long]
  text[long] <- sprintf("%.17g", x[long])
  text
}

csv_quoted <- function(text) {
  paste0("\"", gsub("\"", "\"\"", enc2utf8(text), fixed = TRUE), "\"", recycle0 = TRUE)
}

# ---- The page -----------------------------------------------------------------------------------

# By which a file is known to be a report: how its fifth line begins.
report_mark <- "<meta name=\"generator\" content=\"bayesgap "

# Nothing is fetched, and nothing on the page can be run.
report_policy <- "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

# sections: pieces of HTML, by the titles that they have.
html_page <- function(title, head, sections) {
  id <- paste0("part-", seq_along(sections))
  parts <- Map(function(id, title, held) {
    tag("section", id = id, new_html(c("", as_html(tag("h2", title)), held, "")))
  }, id, names(sections), sections)
  items <- Map(function(id, title) {
    tag("li", tag("a", href = paste0("#", id), title))
  }, id, names(sections))
  style <- readLines(system.file("report", "style.css", package = "bayesgap"), encoding = "UTF-8")
  join_html(
    new_html(c(
      "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
      paste0(report_mark, package_version_now(), "\">")
    )),
    tag("meta", "http-equiv" = "Content-Security-Policy", content = report_policy),
    tag("meta", name = "viewport", content = "width=device-width, initial-scale=1"),
    tag("title", title), new_html(c("<style>", style, "</style>", "</head>", "<body>")),
    head, tag("nav", "aria-label" = "Sections", tag("ul", do.call(join_html, unname(items)))),
    new_html("<main>"), do.call(join_html, unname(parts)),
    new_html(c("</main>", "</body>", "</html>", ""))
  )
}
