# Help pages: what a reader finds on every one of them.

# The pages of this package, as lists of tags; NULL: the installed package has none.
pages <- function() {
  found <- tools::Rd_db("bayesgap")
  if (length(found)) found
}
tags_of <- function(page) vapply(page, function(part) attr(part, "Rd_tag"), "")
text_of <- function(page, tags) paste(unlist(page[tags_of(page) %in% tags]), collapse = "")
has_tag <- function(page, tag) tag %in% tags_of(page)
names_of <- function(pages) sub("[.]Rd$", "", names(pages))

test_that("every page says when to use what it describes", {
  skip_if(is.null(pages()), "the help pages are not installed")
  data <- vapply(pages(), has_tag, NA, "\\format") | names_of(pages()) == "bayesgap-package"
  silent <- Filter(function(page) {
    first <- text_of(page, c("\\description", "\\details", "\\section"))
    !grepl("(^|[.:;]\\s+)(Use|Read|Give)\\s|When to use it", first)
  }, pages()[!data])
  expect_identical(names_of(silent), character())
})

test_that("every page has an example and leads to an article that is there", {
  skip_if(is.null(pages()), "the help pages are not installed")
  root <- source_root()
  bare <- Filter(function(page) !has_tag(page, "\\examples"), pages())
  expect_identical(setdiff(names_of(bare), "bayesgap-package"), character())
  articles <- lapply(pages(), function(page) {
    text <- text_of(page, c("\\description", "\\details", "\\seealso", "\\section"))
    unlist(regmatches(text, gregexpr("vignette\\(\"[a-z-]+\"\\)", text)))
  })
  expect_identical(names_of(Filter(function(found) !length(found), articles)), character())
  skip_if(is.null(root), "the sources are not here")
  named <- gsub("vignette\\(\"|\"\\)", "", unique(unlist(articles)))
  there <- sub("[.]Rmd$", "", list.files(file.path(root, "vignettes"), "[.]Rmd$"))
  expect_identical(setdiff(named, there), character())
})

test_that("the page of bayesgap() can be read to the end", {
  skip_if(is.null(pages()), "the help pages are not installed")
  page <- pages()[["bayesgap.Rd"]]
  words <- strsplit(text_of(page, "\\details"), "\\s+")[[1L]]
  expect_lt(length(words), 300)
  expect_false(has_tag(page, "\\section"))
  for (topic in c("arms", "objective", "blocks", "family", "costs", "batches", "checkpoints")) {
    expect_match(text_of(page, "\\details"), paste0(topic, ":"), label = topic)
  }
})

test_that("the citation has the package and the paper", {
  entries <- utils::citation("bayesgap")
  expect_length(entries, 2L)
  expect_match(entries[[1L]]$title, "bayesgap")
  expect_match(entries[[1L]]$note, as.character(utils::packageVersion("bayesgap")), fixed = TRUE)
  expect_match(format(entries[[2L]], style = "text"), "Hoffman")
})
