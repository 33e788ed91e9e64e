# The lines of R and C and the branches of C that the testthat suite and the core's own tests reach; the
# others, by name, go to build/coverage/uncovered.txt. The suite fails where functions that count their
# lines are no longer as written; that is for `make unit` to judge.
# Needs: covr, jsonlite
out <- file.path(getwd(), "build", "coverage")
package <- file.path(out, "bayesgap")
core <- file.path(out, "core")

# tools/coverage.sh compiles the core in the same way, so that branches have the same order.
flags <- c(CFLAGS = Sys.getenv("COVERAGE_FLAGS"), LDFLAGS = "--coverage")
options(covr.flags = flags)
code <- sprintf("setwd(%s); source('tools/suite.R')", deparse(getwd()))
seen <- covr::package_coverage(package, type = "none", code = code, quiet = TRUE, clean = FALSE)
lines <- covr::tally_coverage(seen, by = "line")
r_lines <- lines[grepl("^R/", lines$filename), ]

# What gcov knows of a folder of objects: a row a line and a row a branch.
gcov <- function(folder) {
  files <- list.files(folder, "[.]gcda$", full.names = TRUE)
  old <- setwd(folder)
  on.exit(setwd(old))
  lines <- branches <- list()
  for (file in files) {
    text <- system2("gcov", c("--stdout", "--json-format", "--branch-probabilities", shQuote(file)), stdout = TRUE)
    for (unit in jsonlite::fromJSON(paste(text, collapse = ""), simplifyVector = FALSE)$files) {
      name <- basename(unit$file)
      if (!grepl("[.]c$", name)) next
      for (line in unit$lines) {
        lines[[length(lines) + 1L]] <- list(name, line$line_number, line$count)
        for (i in seq_along(line$branches)) {
          branches[[length(branches) + 1L]] <- list(name, line$line_number, i, line$branches[[i]]$count)
        }
      }
    }
  }
  table <- function(rows, names) {
    stats::setNames(data.frame(lapply(seq_along(names), function(j) sapply(rows, `[[`, j))), names)
  }
  list(
    lines = table(lines, c("filename", "line", "value")),
    branches = table(branches, c("filename", "line", "branch", "value"))
  )
}
by_package <- gcov(file.path(package, "src"))
by_core <- gcov(core)
both <- function(what, by) {
  rows <- rbind(by_package[[what]], by_core[[what]])
  rows <- rows[rows$filename %in% list.files("src"), ]
  rows <- stats::aggregate(rows["value"], rows[by], sum)
  rows[do.call(order, unname(rows[by])), ]
}
c_lines <- both("lines", c("filename", "line"))
c_branches <- both("branches", c("filename", "line", "branch"))

say <- function(what, rows) {
  sprintf("%-14s %6.2f %%, %d of %d", what, 100 * mean(rows$value > 0), sum(rows$value > 0), nrow(rows))
}
# FILE:LINE and the line itself.
name_lines <- function(rows, folder) {
  rows <- unique(rows[rows$value == 0, c("filename", "line")])
  paths <- if (is.null(folder)) rows$filename else file.path(folder, rows$filename)
  text <- vapply(seq_along(paths), function(i) trimws(readLines(paths[i])[rows$line[i]]), "")
  sprintf("%s:%d: %s", paths, rows$line, text)
}
summary <- c(say("R lines", r_lines), say("C lines", c_lines), say("C branches", c_branches))
file <- file.path(out, "uncovered.txt")
writeLines(c(
  summary, "", "R lines", name_lines(r_lines, NULL), "", "C lines", name_lines(c_lines, "src"),
  "", "Lines of C with a branch that is never taken", name_lines(c_branches, "src")
), file)
writeLines(c(summary, paste("What is not reached:", file)))
