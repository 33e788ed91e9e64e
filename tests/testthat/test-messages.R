# Messages can be translated: their pieces are in po/, and are looked up when something is said.

test_that("po/ has the pieces of all messages", {
  root <- source_root()
  skip_if(is.null(root) || !file.exists(file.path(root, "tools", "messages.R")), "no sources")
  tool <- new.env()
  sys.source(file.path(root, "tools", "messages.R"), tool)
  texts <- tool$catalogue(root)
  expect_true(all(c("` must be", "Unknown argument `", "a whole number from 1 to %s") %in% texts))
  expect_identical(
    readLines(file.path(root, "po", "R-bayesgap.pot")), tool$as_pot(texts),
    info = "`make docs` writes it anew"
  )
})

test_that("the tool finds what is said and nothing else", {
  root <- source_root()
  skip_if(is.null(root) || !file.exists(file.path(root, "tools", "messages.R")), "no sources")
  tool <- new.env()
  sys.source(file.path(root, "tools", "messages.R"), tool)
  code <- quote({
    must <- sprintf("one of %d", n)
    if (bad == "no words") abort("class", "The ", if (x == "y z") c("first", name), paste0("or ", "b"))
    check(x, "arg", must = "a list")
    key <- "no message"
  })
  expect_identical(tool$found(code), c("one of %d", "The ", "first", "or ", "a list"))
})

test_that("a message is said in the language of the session, where it has a translation", {
  skip_if(Sys.which("msgfmt") == "", "msgfmt is not there")
  skip_if(Sys.getlocale("LC_MESSAGES") %in% c("C", "POSIX"), "the locale has no messages")
  folder <- tempfile("po")
  messages <- file.path(folder, "xx", "LC_MESSAGES")
  dir.create(messages, recursive = TRUE)
  source <- tempfile(fileext = ".po")
  writeLines(c(
    "msgid \"\"", "msgstr \"\"", "\"Content-Type: text/plain; charset=UTF-8\\n\"",
    "msgid \"` must be\"", "msgstr \"` muss sein:\"",
    "msgid \"a whole number from 1 to %s\"", "msgstr \"eine ganze Zahl von 1 bis %s\"",
    "msgid \", not\"", "msgstr \", nicht\""
  ), source)
  expect_identical(
    system2( # which is not ours to be looked at where sanitizers are
      "msgfmt", c("-o", shQuote(file.path(messages, "R-bayesgap.mo")), shQuote(source)),
      env = "LD_PRELOAD="
    ),
    0L
  )
  before <- Sys.getenv("LANGUAGE")
  on.exit({
    Sys.setenv(LANGUAGE = before)
    bindtextdomain("R-bayesgap", system.file("po", package = "bayesgap"))
    unlink(c(folder, source), recursive = TRUE)
  })
  Sys.setenv(LANGUAGE = "xx")
  bindtextdomain("R-bayesgap", folder)
  expect_error(ask(bayesgap(2, budget = 3, seed = 1), 0.5), fixed = TRUE,
               "`n` muss sein: eine ganze Zahl von 1 bis 2,147,483,647, nicht 0.5.")
})
