# The scripts of inst/tune, each with the packages it needs beyond this one.
scripts <- list(
  caret = c("caret", "nnet"),
  tidymodels = c("parsnip", "ranger", "rsample", "workflows", "yardstick"),
  mlr3 = c("e1071", "mlr3", "mlr3learners")
)
script_file <- function(name) system.file("tune", paste0(name, ".R"), package = "bayesgap")
assigned <- function(code) {
  named <- Filter(function(e) is.call(e) && identical(e[[1]], as.name("<-")), as.list(code))
  vapply(named, function(e) as.character(e[[2]]), "")
}

test_that("every script of the vignette is known here and defines arms, objective and run", {
  files <- list.files(system.file("tune", package = "bayesgap"), "[.]R$")
  expect_setequal(files, paste0(names(scripts), ".R"))
  for (name in names(scripts)) {
    expect_true(all(c("arms", "objective", "x") %in% assigned(parse(script_file(name)))))
    recorded <- readLines(system.file("tune", paste0(name, ".txt"), package = "bayesgap"))
    expect_match(recorded[2], "^<bayesgap> [0-9]+ arms, 12 of 12 pulls, minimise$")
  }
})

# They take seconds each; CRAN's machines see them in the vignette.
is_installed <- function(package) nzchar(system.file(package = package))
installed <- vapply(scripts, function(needs) all(vapply(needs, is_installed, TRUE)), TRUE)
for (name in names(scripts)[installed & identical(Sys.getenv("NOT_CRAN"), "true")]) {
  test_that(paste("the script runs:", name), {
    before <- search()
    on.exit(for (package in setdiff(search(), before)) detach(package, character.only = TRUE))
    found <- new.env(parent = globalenv())
    suppressPackageStartupMessages(
      capture.output(sys.source(script_file(name), found))
    )
    x <- found$x
    expect_s3_class(x, "bayesgap")
    expect_identical(nobs(x), 12L)
    pulls <- as.data.frame(x)
    expect_true(all(is.na(pulls$error)))
    expect_true(all(pulls$y > 0.5 & pulls$y < 1))
    best <- best_arm(x)
    expect_identical(nrow(merge(best, found$arms)), 1L)
  })
}
