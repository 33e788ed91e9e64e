# Makes inst/extdata/week.xlsx: a sheet of results as someone filled it in, for the help of tell().
# The numbers of a column in which one cell was typed as text, a day, a row below the last one that
# was filled in. An xlsx file is a zip archive of a few XML files; needs the program zip.

cell <- function(ref, value) {
  if (is.numeric(value)) {
    sprintf('<c r="%s"><v>%s</v></c>', ref, format(value, digits = 15))
  } else {
    sprintf('<c r="%s" t="inlineStr"><is><t>%s</t></is></c>', ref, value)
  }
}
day <- function(ref, date) sprintf('<c r="%s" s="1"><v>%d</v></c>', ref, as.integer(date) + 25569L)
row <- function(i, cells) sprintf('<row r="%d">%s</row>', i, paste(cells, collapse = ""))

results <- data.frame(
  pull = 1:3, arm = c("A", "B", "C"), y = c(4.1, 5.3, 3.9),
  day = as.Date(c("2026-03-02", "2026-03-02", "2026-03-03"))
)
lines <- vapply(1:3, function(i) {
  r <- results[i, ]
  y <- if (i == 2L) format(r$y) else r$y # typed as text
  row(i + 1L, c(
    cell(paste0("A", i + 1L), r$pull), cell(paste0("B", i + 1L), r$arm),
    cell(paste0("C", i + 1L), y), day(paste0("D", i + 1L), r$day)
  ))
}, "")
head <- row(1L, mapply(cell, paste0(LETTERS[1:4], 1), names(results)))
empty <- row(5L, '<c r="B5" t="inlineStr"><is><t></t></is></c>')

xml <- '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
main <- "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
office <- "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
package <- "http://schemas.openxmlformats.org/package/2006"
type <- "application/vnd.openxmlformats-officedocument.spreadsheetml"
parts <- list(
  "[Content_Types].xml" = sprintf(paste0(
    '<Types xmlns="%s/content-types"><Default Extension="rels" ContentType="application/vnd.',
    'openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType=',
    '"application/xml"/><Override PartName="/xl/workbook.xml" ContentType="%s.sheet.main+xml"/>',
    '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="%s.worksheet+xml"/>',
    '<Override PartName="/xl/styles.xml" ContentType="%s.styles+xml"/></Types>'
  ), package, type, type, type),
  "_rels/.rels" = sprintf(paste0(
    '<Relationships xmlns="%s/relationships"><Relationship Id="rId1" Type="%s/officeDocument" ',
    'Target="xl/workbook.xml"/></Relationships>'
  ), package, office),
  "xl/workbook.xml" = sprintf(paste0(
    '<workbook xmlns="%s" xmlns:r="%s"><sheets><sheet name="week 1" sheetId="1" r:id="rId1"/>',
    "</sheets></workbook>"
  ), main, office),
  "xl/_rels/workbook.xml.rels" = sprintf(paste0(
    '<Relationships xmlns="%s/relationships"><Relationship Id="rId1" Type="%s/worksheet" ',
    'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="%s/styles" ',
    'Target="styles.xml"/></Relationships>'
  ), package, office, office),
  "xl/styles.xml" = sprintf(paste0(
    '<styleSheet xmlns="%s"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>',
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>',
    '<cellXfs count="2"><xf/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>'
  ), main),
  "xl/worksheets/sheet1.xml" = sprintf(
    '<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>', main,
    paste(c(head, lines, empty), collapse = "")
  )
)

folder <- tempfile()
for (name in names(parts)) {
  dir.create(dirname(file.path(folder, name)), recursive = TRUE, showWarnings = FALSE)
  writeLines(paste0(xml, parts[[name]]), file.path(folder, name))
  Sys.setFileTime(file.path(folder, name), as.POSIXct("2026-03-06", tz = "UTC"))
}
target <- file.path(normalizePath(file.path("inst", "extdata")), "week.xlsx")
unlink(target)
home <- setwd(folder)
utils::zip(target, names(parts), flags = "-X9q")
setwd(home)
