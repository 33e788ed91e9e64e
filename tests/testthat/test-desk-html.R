html_of <- function(tags) as.character(shiny::tagList(tags))

test_that("a field is within its label, and what was typed by others is text", {
  skip_if_not_installed("shiny")
  html <- html_of(desk_field("<b>", text_input("n", "<i>\"", number = TRUE), "a hint"))
  expect_match(html, "<label>")
  expect_match(html, "&lt;b&gt;", fixed = TRUE)
  expect_match(html, "value=\"&lt;i&gt;&quot;\"", fixed = TRUE)
  expect_match(html, "inputmode=\"decimal\"", fixed = TRUE)
  expect_match(html, "a hint")
  expect_match(html_of(lines_input("l", "<x>")), "&lt;x&gt;", fixed = TRUE)
})

test_that("of choices the chosen ones are marked", {
  skip_if_not_installed("shiny")
  html <- html_of(select_input("s", same_names(c("a", "b")), "b"))
  expect_match(html, "<option value=\"b\" selected>b</option>", fixed = TRUE)
  expect_match(html, "<option value=\"a\">a</option>", fixed = TRUE)
  html <- html_of(choice_group("Which?", "m", same_names(c("a", "b")), "a", "checkbox"))
  expect_identical(lengths(regmatches(html, gregexpr("checked", html))), 1L)
  expect_match(html, "<legend class=\"desk-label\">Which?</legend>", fixed = TRUE)
  expect_match(html, "data-many", fixed = TRUE)
})

test_that("of many arms one is named, not looked for in a list", {
  skip_if_not_installed("shiny")
  expect_match(html_of(arm_input("arm", c("a", "b"), "b")), "<option value=\"b\" selected>")
  many <- html_of(arm_input("arm", paste("arm", 1:501), "arm 7", `aria-label` = "Arm"))
  expect_match(many, "<input type=\"text\"[^>]*value=\"arm 7\"")
  expect_no_match(many, "<option")
})

test_that("a table has its headings, and a region that the keyboard can scroll", {
  skip_if_not_installed("shiny")
  html <- html_of(desk_table(list(A = list("x", "y"), " " = list("1", "2")), "What it is"))
  expect_match(html, "<caption class=\"visually-hidden\">What it is</caption>", fixed = TRUE)
  expect_match(html, "tabindex=\"0\"", fixed = TRUE)
  expect_identical(lengths(regmatches(html, gregexpr("scope=\"row\"", html, fixed = TRUE))), 2L)
  expect_match(html, "What to do") # no heading is empty
  expect_match(html_of(cell_input("y.1", "Result of trial 1")), "aria-label=\"Result of trial 1\"")
})

test_that("values are shown as they are read", {
  expect_identical(shown_values(c(20.5, NA, 1 / 3)), list("20.5", "", "0.3333333"))
  expect_identical(shown_values(factor(c("a", NA))), list("a", ""))
  expect_identical(field_values(c(20.5, NA, 0.123456789, 3)), list("20.5", "", "0.123456789", "3"))
  expect_identical(field_values(factor(c("a", NA))), list("a", ""))
})
