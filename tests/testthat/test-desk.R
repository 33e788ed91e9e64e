test_that("the desk is an app, for a file or for none", {
  skip_if_not_installed("shiny")
  skip_if_not_installed("bslib")
  expect_s3_class(bayesgap_desk(), "shiny.appobj")
  expect_s3_class(bayesgap_desk(saved_file()), "shiny.appobj")
  expect_error(bayesgap_desk(1), class = "bayesgap_error_checkpoint")
  expect_error(bayesgap_desk(file.path(tempfile(), "a.bgap")), "does not exist",
    class = "bayesgap_error_checkpoint")
})

test_that("the page is of one language, has its regions, and asks nobody else for anything", {
  skip_if_not_installed("shiny")
  skip_if_not_installed("bslib")
  page <- as.character(desk_page())
  expect_match(page, "aria-live=\"polite\"", fixed = TRUE)
  expect_match(page, "<main", fixed = TRUE)
  expect_match(page, "href=\"#work\"", fixed = TRUE)
  expect_identical(attr(desk_page(), "lang"), "en")
  own <- c(readLines(desk_file("desk.css")), readLines(desk_file("desk.js")), page)
  expect_identical(grep("https?://|//fonts|url\\(", own, value = TRUE), character())
})
