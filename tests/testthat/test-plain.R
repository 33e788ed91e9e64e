test_that("a file with anything but plain data is refused before R brings it back", {
  file <- tempfile()
  x <- tell_some(three(), 2)
  ran <- FALSE
  active <- new.env()
  makeActiveBinding("a", function() ran <<- TRUE, active)
  promise <- new.env()
  delayedAssign("p", ran <<- TRUE, assign.env = promise)
  mine <- structure(1, class = "mine")
  values <- list(
    closure = function() 1, compiled = compiler::cmpfun(function() 1), builtin = sum,
    special = quote, symbol = quote(x), call = quote(f(x)), formula = y ~ x,
    expression = expression(1), environment = new.env(), active = active, promise = promise,
    global = globalenv(), base = baseenv(), empty = emptyenv(), namespace = asNamespace("stats"),
    package = as.environment("package:stats"), pairs = pairlist(a = 1), s4 = asS4(mine),
    class = methods::getClass("numeric"), pointer = methods::new("externalptr"),
    missing = quote(expr = ), attribute = structure(1, note = sum), model = lm(dist ~ speed, cars)
  )
  for (name in names(values)) {
    add <- function(facts) {
      facts$remarks <- list(`1` = list(extra = list(value = values[[name]])))
      facts
    }
    suppressWarnings(forge_run(x, file, facts = add))
    expect_refused(file, "it holds a function, an environment or another thing", label = name)
  }
  expect_false(ran)
  facts <- to_bytes(facts_of(x))
  forge(file, serialize(settings_of(x), NULL, version = 3L), facts)
  expect_refused(file, "does not begin as data does")
  forge(file, serialize(settings_of(x), NULL, ascii = TRUE, version = 2L), facts)
  expect_refused(file, "does not begin as data does")
})

test_that("what R believes of attributes and lengths is looked at first", {
  file <- tempfile()
  x <- tell_some(three(), 2)
  facts <- to_bytes(facts_of(x))
  # R itself does not make these: the bytes of something whole are changed.
  swap <- function(bytes, from, to) {
    at <- grepRaw(from, bytes, fixed = TRUE)
    bytes[at - 1L + seq_along(to)] <- to
    bytes
  }
  matrix <- to_bytes(matrix(11:16, 2, dimnames = list(NULL, letters[1:3])))
  dims <- to_bytes(c(2L, 3L))
  dims <- dims[length(dims) - 7:0]
  expect_null(.Call(bg_plain, matrix, 9L))
  for (to in list(c(0, 0, 0, 200), c(255, 255, 255, 255), c(0, 0, 0, 1))) {
    bad <- swap(matrix, dims, as.raw(to))
    expect_match(.Call(bg_plain, bad, 9L), "attribute that does not fit")
    forge(file, bad, facts)
    expect_refused(file, "attribute that does not fit")
  }
})

test_that("plain data comes back as it was, up to a depth", {
  values <- list(
    NULL, TRUE, 1:3, c(a = 0.1, b = NA), "\u00e4", 1i, as.raw(1:3), list(1, list("x")),
    factor("a"), as.Date("2026-01-01"), head(cars), matrix(1:4, 2)
  )
  for (value in values) {
    expect_identical(from_bytes(to_bytes(value)), value)
  }
  nested <- function(n) Reduce(function(inner, i) list(inner), seq_len(n), 1)
  expect_true(is_plain(to_bytes(nested(5)), 6L))
  expect_false(is_plain(to_bytes(nested(9)), 6L))
  expect_error(from_bytes(to_bytes(mean)), "it holds a function")
  expect_error(from_bytes(raw()), "^it ")
})
