png_start <- as.raw(c(0x89, 0x50, 0x4e, 0x47))

test_that("a picture is drawn beside the user's device", {
  skip_if_not(capabilities("png"))
  close <- on_a_device()
  on.exit(close())
  mine <- grDevices::dev.cur()
  bytes <- picture_bytes(function() graphics::plot(1), "png")
  expect_identical(bytes[1:4], png_start)
  expect_identical(grDevices::dev.cur(), mine)
  devices <- grDevices::dev.list()
  expect_error(picture_bytes(function() stop("no"), "png"), "no")
  expect_identical(grDevices::dev.list(), devices)
  expect_identical(grDevices::dev.cur(), mine)
})

test_that("an svg is drawn where there is no png", {
  skip_if_not(capabilities("cairo"))
  bytes <- picture_bytes(function() graphics::plot(1), "svg")
  expect_match(rawToChar(bytes), "<svg")
})

test_that("every kind of picture has words, and is a figure or nothing", {
  skip_if_not_installed("ggplot2")
  skip_if_not(capabilities("png"))
  types <- setdiff(eval(formals(autoplot.bayesgap)$type), "compare")
  expect_identical(setdiff(types, names(picture_words)), character())
  figure <- as_html(figure_of(finished(), "arms"))
  expect_identical(tag_faults(figure), character())
  expect_identical(pictures_of(figure)[[1L]][1:4], png_start)
  expect_null(figure_of(finished(), "no such picture"))
})

# A function of the package that finds others in place of some that it uses.
among <- function(f, ...) {
  environment(f) <- list2env(list(...), parent = asNamespace("bayesgap"))
  f
}

test_that("what cannot be drawn is left out or told", {
  figure <- function(problem) {
    ways <- function() list(types = "arms", draw = function(x, type) problem())
    among(figure_of, picture_ways = ways)(finished(), "arms")
  }
  expect_null(figure(function() abort("type", "not of this run")))
  skip_if_not(capabilities("png"))
  expect_match(
    as_html(figure(function() stop("no fonts <here>"))), "could not be drawn: no fonts &lt;here&gt;"
  )
  expect_null(among(figure_of, picture_kinds = function() NULL)(finished(), "arms"))
})

test_that("without ggplot2 base graphics draw, and without a device it is said", {
  ways <- among(picture_ways, requireNamespace = function(...) FALSE)()
  expect_identical(ways$types, c("arms", "blocks", "log", "check"))
  expect_match(
    as_html(among(no_pictures_note, picture_kinds = function() NULL)()), "neither PNG nor SVG"
  )
  skip_if_not(capabilities("png"))
  expect_null(no_pictures_note())
  blocked <- quietly(picture_runs()$blocked)
  for (type in ways$types) {
    bytes <- picture_bytes(function() ways$draw(blocked, type), "png")
    expect_gt(length(bytes), 2000)
  }
})
