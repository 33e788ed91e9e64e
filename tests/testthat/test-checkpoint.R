test_that("no damaged file is read, and none is changed", {
  file <- fresh_file()
  x <- bayesgap(3, function(arm) arm, budget = 2, seed = 1, checkpoint = file)
  good <- readBin(file, "raw", 1e5)
  expect_identical(read_run(file), x)
  refused <- function(bytes) {
    writeBin(bytes, file)
    outcome <- tryCatch({
      read_run(file)
      "read"
    }, error = function(e) class(e)[1])
    outcome == "bayesgap_error_checkpoint" && identical(readBin(file, "raw", 1e5), bytes)
  }
  flipped <- vapply(seq_along(good), function(i) {
    bad <- good
    bad[i] <- xor(bad[i], as.raw(2^(i %% 8)))
    refused(bad)
  }, TRUE)
  expect_identical(which(!flipped), integer())
  lengths <- unique(c(0:80, seq(81, length(good) - 1, by = 7), length(good) - 1))
  cut <- vapply(lengths, function(n) refused(good[seq_len(n)]), TRUE)
  expect_identical(lengths[!cut], numeric())
  expect_true(refused(c(good, as.raw(0))))
  expect_true(refused(c(good, good)))
})

test_that("whatever else stands in the checkpoint's place is refused and left alone", {
  again <- function(file) bayesgap(3, function(arm) stop("pulled"), budget = 2, checkpoint = file)
  refuses <- function(file, message) {
    before <- if (dir.exists(file)) list.files(file) else tools::md5sum(file)
    for (reader in list(again, read_run)) {
      e <- fault(reader(file))
      expect_s3_class(e, "bayesgap_error_checkpoint")
      expect_match(conditionMessage(e), message)
    }
    expect_identical(if (dir.exists(file)) list.files(file) else tools::md5sum(file), before)
    expect_false(file.exists(paste0(file, ".lock")))
  }
  file <- fresh_file()
  file.create(file)
  refuses(file, "is empty.*left as it is")
  saveRDS(1:10, file)
  refuses(file, "is not a run saved by this package")
  writeLines("Dear diary", file)
  refuses(file, "is not a run saved by this package")
  x <- bayesgap(3, function(arm) arm, budget = 2, seed = 1)
  save_run(x, file)
  good <- readBin(file, "raw", 1e5)
  writeBin(head(good, -1), file)
  refuses(file, "is damaged: its checksum does not agree")
  folder <- tempfile()
  dir.create(folder)
  refuses(folder, "is a folder")
  expect_error(read_run(tempfile()), class = "bayesgap_error_checkpoint")
  expect_error(again(file.path(tempfile(), "run.bgap")), "does not exist",
    class = "bayesgap_error_checkpoint")
  for (name in list(NA, 1, "", c("a", "b"), character())) {
    expect_error(again(name), class = "bayesgap_error_checkpoint")
    expect_error(save_run(x, name), class = "bayesgap_error_checkpoint")
  }
})

test_that("a header that is none is refused", {
  file <- tempfile()
  x <- three()
  write <- function(about) {
    body <- c(charToRaw(about), to_bytes(settings_of(x)), to_bytes(facts_of(x)))
    writeBin(c(charToRaw(paste0(magic, checksum(body), "\n")), body), file)
  }
  n <- length(to_bytes(settings_of(x)))
  for (about in c(
    "format 6, version 0.1.0\n", "\n", "format x, version 1, settings 9\n", "",
    "format 6, version 0.1.0, settings -5\n", "format 6, version 0.1.0, settings NA\n"
  )) {
    write(about)
    expect_refused(file, "is not a run saved by this package")
  }
  for (length in c(0, 1, n - 1, n + 1, 1e6, 1e300)) {
    write(sprintf("format 6, version 0.1.0, settings %.0f\n", length))
    expect_refused(file, "could have written|is not a run")
  }
  write("format 1, version 0.1.0, settings 9\n")
  expect_refused(file, "was written by version 0.1.0 of the package in format 1")
  writeBin(charToRaw(paste0(magic, checksum(raw()), "\n")), file)
  expect_refused(file, "is not a run saved by this package")
})

test_that("a file says which version wrote it, and one of another format is refused", {
  file <- fresh_file()
  x <- small_run()
  other <- function(format, version) {
    settings <- pack_settings(x)
    end <- match(as.raw(10), settings$bytes)
    about <- sub("format 6, version [^,]*", sprintf("format %d, version %s", format, version),
      rawToChar(settings$bytes[seq_len(end)]))
    settings$bytes <- c(charToRaw(about), settings$bytes[-seq_len(end)])
    settings$sum <- checksum(settings$bytes)
    writeBin(pack_run(x, settings), file)
    bytes <- readBin(file, "raw", 1e5)
    found <- fault(read_run(file))
    expect_identical(readBin(file, "raw", 1e5), bytes)
    found
  }
  expect_identical(other(6, "0.0.9"), x)
  expect_identical(other(6, "9.9.9"), x)
  for (format in c(1, 8, 9)) {
    e <- other(format, "9.9.9")
    expect_s3_class(e, "bayesgap_error_checkpoint")
    expect_match(conditionMessage(e), paste("written by version 9.9.9 .* in format", format))
  }
})

test_that("a policy of the user's is never called from a file", {
  file <- tempfile()
  calls <- 0
  mine <- policy("mine", choose = function(state) {
    calls <<- calls + 1
    state$t %% 3 + 1
  }, recommend = function(state) 2)
  x <- three(function(arm) arm, policy = mine, checkpoint = file)
  calls <- 0
  expect_warning(y <- read_run(file), "\"mine\".*\"uniform\" answers in its place",
    class = "bayesgap_warning_policy")
  expect_identical(calls, 0)
  expect_identical(as.data.frame(y), as.data.frame(x))
  expect_identical(format(y$policy), "mine")
  # Given again, it is the run.
  expect_identical(read_run(file, policy = mine), x)
  expect_gt(calls, 0)
  other <- policy("mine", choose = function(state) 1, recommend = function(state) 2)
  for (policy in list(other, "uniform", policy("mine", choose = mine$own$choose))) {
    e <- fault(read_run(file, policy = policy))
    expect_s3_class(e, "bayesgap_error_checkpoint")
    expect_identical(e$differs, "policy")
  }
  expect_error(read_run(file, policy = "nosuch"), class = "bayesgap_error_policy")
  # Saved again without its functions, it is still known.
  again <- tempfile()
  save_run(y, again)
  expect_identical(read_run(again, policy = mine), x)
  expect_error(read_run(again, policy = other), class = "bayesgap_error_checkpoint")
  # It cannot go on without them, and says how to.
  for (go_on in list(
    function() tell(y, data.frame(arm = 1, y = 0, pull = NA)),
    function() bayesgap(y, function(arm) arm, budget = 6), function() bayesgap(y, budget = 9)
  )) {
    expect_error(go_on(), "read_run(file, policy = )", fixed = TRUE,
      class = "bayesgap_error_policy")
  }
  more <- bayesgap(read_run(file, policy = mine), function(arm) arm, budget = 9)
  expect_identical(more, bayesgap(x, function(arm) arm, budget = 9))
})

test_that("a batch under way is read without the policy that chose it", {
  file <- tempfile()
  mine <- policy("mine", choose = function(state) state$t %% 3 + 1)
  stops <- function(out) function(arm, pull) if (pull$index == 4) out(NULL) else arm
  run <- function(objective) three(objective, policy = mine, batch = 2, checkpoint = file)
  callCC(function(out) quietly(run(stops(out))))
  expect_warning(y <- read_run(file), class = "bayesgap_warning_policy")
  expect_identical(as.data.frame(y)$pull, 1:3)
  whole <- three(function(arm) arm, policy = mine, batch = 2)
  expect_identical(quietly(run(function(arm) arm)), whole)
})

# ---- Saves that fail -----------------------------------------------------------------------------

test_that("a folder that goes away stops no run, and is said once", {
  folder <- tempfile()
  dir.create(folder)
  file <- file.path(folder, "run.bgap")
  said <- character()
  x <- withCallingHandlers(
    small_run(function(arm, pull) {
      if (pull$index == 3) unlink(folder, recursive = TRUE)
      if (pull$index == 6) dir.create(folder)
      if (pull$index == 9) unlink(folder, recursive = TRUE)
      noisy(arm)
    }, checkpoint = file),
    bayesgap_warning_checkpoint = function(w) {
      said <<- c(said, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    }
  )
  expect_identical(x, small_run())
  expect_length(said, 2)
  expect_match(said[1], "goes on in memory, and saving is tried again")
  expect_match(said[2], "Save the run elsewhere with save_run()", fixed = TRUE)
  expect_error(save_run(x, file), class = "bayesgap_error")
})

test_that("with warn = 2 a save that fails ends no run", {
  folder <- tempfile()
  dir.create(folder)
  whole <- three(function(arm) sin(arm))
  old <- options(warn = 2)
  on.exit(options(old))
  said <- character()
  x <- withCallingHandlers(
    three(function(arm, pull) {
      if (pull$index == 3) unlink(folder, recursive = TRUE)
      sin(arm)
    }, checkpoint = file.path(folder, "run.bgap")),
    bayesgap_warning_checkpoint = function(w) {
      # Were nobody to take it, it would be an error: in tests/faults nobody does.
      expect_lt(getOption("warn"), 2)
      said <<- c(said, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    }
  )
  expect_identical(x, whole)
  expect_length(said, 2)
  expect_equal(getOption("warn"), 2)
})

test_that("decimal commas, time zones, warn = 2 and blanks in file names do not matter", {
  plain <- small_run()
  old <- options(OutDec = ",", warn = 2, digits = 3, scipen = -5)
  zone <- Sys.getenv("TZ", NA)
  Sys.setenv(TZ = "Pacific/Auckland")
  locale <- Sys.getlocale("LC_NUMERIC")
  on.exit({
    options(old)
    if (is.na(zone)) Sys.unsetenv("TZ") else Sys.setenv(TZ = zone)
    suppressWarnings(Sys.setlocale("LC_NUMERIC", locale))
  })
  suppressWarnings(Sys.setlocale("LC_NUMERIC", "de_DE.UTF-8"))
  letter <- if (l10n_info()[["UTF-8"]]) "\u00e4" else "a"
  folder <- file.path(tempdir(), paste("a folder, with blanks [x] (y) 100%", letter))
  dir.create(folder, showWarnings = FALSE)
  file <- file.path(folder, "my run +1.bgap")
  callCC(function(out) quietly(small_run(until(5, function() out(NULL)), checkpoint = file)))
  expect_identical(quietly(small_run(checkpoint = file)), plain)
  expect_identical(read_run(file), plain)
  expect_identical(list.files(folder), "my run +1.bgap")
})

test_that("a file of saveRDS() is told from one of save_run()", {
  file <- fresh_file()
  for (way in list(TRUE, FALSE, "bzip2", "xz")) {
    saveRDS(open_run(), file, compress = way)
    expect_error(read_run(file), "readRDS\\(\\), and save the run with save_run\\(\\)",
      class = "bayesgap_error_checkpoint")
    expect_error(ask(file), "saveRDS", class = "bayesgap_error_checkpoint")
  }
  cat("some text that is no run and long enough to have been one", file = file)
  expect_error(read_run(file), "Give another file name", class = "bayesgap_error_checkpoint")
})
