page_of <- function(tags) as.character(shiny::tagList(tags))

test_that("runs of the folder can be opened, unless the file is given", {
  skip_if_not_installed("shiny")
  folder <- tempfile()
  dir.create(folder)
  expect_no_match(page_of(start_page(folder, NULL)), "Go on with a run")
  file.create(file.path(folder, "old.bgap"))
  expect_match(page_of(start_page(folder, NULL)), "<option value=\"old.bgap\" selected>")
  expect_no_match(page_of(start_page(folder, file.path(folder, "new.bgap"))), "Go on with a run")
})

test_that("what is known is asked for the columns that are there", {
  skip_if_not_installed("shiny")
  html <- page_of(begin_form(recipe_sheet(), tempdir(), NULL))
  expect_match(html, "name=\"matters\" value=\"catalyst\"", fixed = TRUE)
  expect_match(html, "name=\"cost\"", fixed = TRUE)
  expect_match(html, "<option value=\"Pd 40\">Pd 40</option>", fixed = TRUE)
  expect_match(html, "name=\"name\"", fixed = TRUE)
  names <- page_of(begin_form(data.frame(arm = c("a", "b")), tempdir(), "/x/given.bgap"))
  expect_no_match(names, "name=\"matters\"", fixed = TRUE)
  expect_no_match(names, "name=\"cost\"", fixed = TRUE)
  expect_no_match(names, "name=\"name\"", fixed = TRUE)
  expect_match(names, "given.bgap")
})

test_that("a control among many arms is typed", {
  skip_if_not_installed("shiny")
  expect_match(page_of(control_input(c("a", "b"))), "<select")
  expect_no_match(page_of(control_input(paste("arm", 1:501))), "<select")
})

test_that("a budget is suggested that is no census of many arms", {
  expect_identical(vapply(c(2, 20, 50, 1000), suggested_budget, 0), c(6, 60, 60, 500))
})

test_that("what was read is shown as it was understood", {
  skip_if_not_installed("shiny")
  html <- page_of(sheet_preview(recipe_sheet(), most = 3L))
  expect_match(html, "4 arms read")
  expect_match(html, "<td>20.5</td>", fixed = TRUE)
  expect_match(html, "and 1 more")
})
