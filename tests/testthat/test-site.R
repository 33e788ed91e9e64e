# The site's table of contents: no help page and no article is left out of it.

# What stands under `contents:` in a part of _pkgdown.yml.
site_contents <- function(lines, part) {
  starts <- grep("^[a-z]+:", lines)
  from <- which(lines == paste0(part, ":"))
  to <- c(starts[starts > from], length(lines) + 1L)[1L] - 1L
  sub("^  - ", "", grep("^  - ", lines[from:to], value = TRUE))
}

test_that("every help page and every article has its place in the site, and one only", {
  root <- source_root()
  skip_if(is.null(root) || !file.exists(file.path(root, "_pkgdown.yml")), "the sources are not here")
  lines <- readLines(file.path(root, "_pkgdown.yml"))
  topics <- sub("[.]Rd$", "", list.files(file.path(root, "man"), "[.]Rd$"))
  listed <- site_contents(lines, "reference")
  expect_identical(setdiff(topics, listed), character())
  expect_identical(listed[duplicated(listed)], character())
  articles <- list.files(file.path(root, "vignettes"), "[.]Rmd$", recursive = TRUE)
  listed <- site_contents(lines, "articles")
  expect_identical(setdiff(sub("[.]Rmd$", "", articles), listed), character())
  expect_identical(listed[duplicated(listed)], character())
})

test_that("what is left out of a table of contents is found", {
  lines <- c("articles:", "- title: A", "  contents:", "  - one", "reference:", "  - two", "  - three")
  expect_identical(site_contents(lines, "articles"), "one")
  expect_identical(site_contents(lines, "reference"), c("two", "three"))
})
