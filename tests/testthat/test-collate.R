# A file uses only what comes before it in the list of DESCRIPTION: data flows one way.

# A package of a few lines in a folder of its own: files by their paths.
tiny_package <- function(...) {
  root <- tempfile("package")
  files <- list(...)
  for (path in names(files)) {
    dir.create(file.path(root, dirname(path)), showWarnings = FALSE, recursive = TRUE)
    writeLines(files[[path]], file.path(root, path))
  }
  root
}

test_that("a file of R/ uses only what comes before it, no name is defined twice, none is long", {
  skip_if_not_installed("codetools")
  root <- source_root()
  skip_if(is.null(root), "the sources are not here")
  expect_identical(order_faults(root), character())
})

test_that("only the binding says SEXP, and no file of src/ is long", {
  root <- source_root()
  skip_if(is.null(root) || !dir.exists(file.path(root, "src")), "the sources are not here")
  expect_identical(core_faults(root), character())
})

test_that("what goes against the order is found and named", {
  skip_if_not_installed("codetools")
  root <- tiny_package(
    DESCRIPTION = c(
      "Package: tiny", "Collate:", "    'empty.R'", "    'one.R'", "    'two.R'", "    'gone.R'"
    ),
    NAMESPACE = c("S3method(print, thing)", "S3method(other::tidy, thing)", "export(first)"),
    "R/empty.R" = "# Nothing but words.",
    "R/one.R" = c(
      "first <- function(x, y = limit) second(x)",
      "table <- list(limit, 1)",
      # Names of its own, methods, and what comes before are all fair.
      "local <- function(second) {", "  limit <- second", "  limit + helper()", "}",
      "show <- function(x) print.thing(tidy.thing(x))",
      "helper <- function() 1"
    ),
    "R/two.R" = c(
      "second <- function(x) first(x)", "limit <- 3", "helper <- function() 2",
      "print.thing <- function(x, ...) x", "tidy.thing <- function(x, ...) x"
    ),
    "R/new.R" = rep("# A line.", 400)
  )
  expect_setequal(order_faults(root), c(
    "new.R is in R/, not in Collate", "gone.R is in Collate, not in R/",
    "helper of two.R is defined in one.R already",
    "first of one.R uses second of two.R, a later file",
    "first of one.R uses limit of two.R, a later file",
    "table of one.R uses limit of two.R, a later file",
    "new.R has 400 lines, 400 or more"
  ))
})

test_that("a core that knows R's objects is found and named", {
  root <- tiny_package(
    "src/binding_this.c" = "SEXP f(SEXP x);", "src/binding.h" = "SEXP f(SEXP x);",
    "src/init.c" = "SEXP f(SEXP x);", "src/core.c" = "int f(SEXP x);", "src/core.h" = "int SEXPS;",
    "src/long.c" = rep("int x;", 500), "src/short.c" = rep("int x;", 499)
  )
  expect_setequal(core_faults(root), c("core.c says SEXP", "long.c has 500 lines, 500 or more"))
})

test_that("the sources are looked for from a folder upwards", {
  root <- tiny_package(DESCRIPTION = "Package: tiny", "R/one.R" = "1", "tests/testthat/test.R" = "")
  expect_identical(source_root(file.path(root, "tests", "testthat")), normalizePath(root, "/"))
  bare <- tiny_package("tests/testthat/test.R" = "")
  expect_identical(source_root(file.path(bare, "tests", "testthat")), source_root(tempdir()))
})
