test_that("what was given is described in a few words", {
  expect_snapshot(cat(vapply(
    list(NULL, 1, "a", NA, mean, 1:3, matrix(1, 2, 2), data.frame(a = 1), list(1), factor("a"),
         as.Date("2020-02-29"), quote(x)),
    describe, ""
  ), sep = "\n"))
})

test_that("the nearest name is suggested only when it is near", {
  expect_match(suggest("bayesgab", c("bayesgap", "uniform")), "bayesgap")
  expect_equal(suggest("zzzzzz", c("bayesgap", "uniform")), "")
  expect_equal(suggest("a", character()), "")
})

test_that("every error is of the package's classes and has no call", {
  e <- tryCatch(abort("thing", "one ", 2, data = list(more = 3)), error = identity)
  expect_s3_class(e, c("bayesgap_error_thing", "bayesgap_error", "error", "condition"), exact = TRUE)
  expect_identical(conditionMessage(e), "one 2")
  expect_identical(e$more, 3)
})

test_that("a package that is not installed is named", {
  expect_error(
    check_installed("nosuchpackage", "autoplot()"),
    "autoplot() needs the package nosuchpackage", fixed = TRUE, class = "bayesgap_error_package"
  )
  expect_no_error(check_installed("stats", "anything"))
  expect_error(
    check_installed(c("nosuchpackage", "stats", "norme"), "wine_objective()"),
    paste0(
      "wine_objective\\(\\) needs the packages nosuchpackage, norme, which are not installed. ",
      "Install them with install.packages\\(c\\(\"nosuchpackage\", \"norme\"\\)\\)."
    ),
    class = "bayesgap_error_package"
  )
})
