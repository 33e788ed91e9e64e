# Files that earlier versions of the package wrote, with what they held.
old_files <- function() {
  files <- list.files(test_path("fixtures"), "^format-[0-9]-.*[.]bgap$", full.names = TRUE)
  split(files, sub("^format-[0-9]-(.*)[.]bgap$", "\\1", basename(files)))
}

# Several formats of the same run. answer: the best arm, and the number and the arm of the next pull.
expect_held <- function(files, ..., answer) {
  log <- list(...)
  for (file in files) {
    x <- expect_silent(read_run(file))
    expect_identical(x$log[names(log)], log, label = file)
    asked <- if (has_blocks(x)) ask(x, block = "p9") else ask(x)
    expect_identical(list(best_arm(x), asked$pull, as.character(asked$arm)), answer, label = file)
    # Saved again it is a file of today.
    copy <- fresh_file()
    save_run(x, copy)
    expect_identical(read_run(copy), x, label = file)
  }
}

test_that("files of earlier versions open with the same log and the same answer", {
  files <- old_files()
  expect_identical(lengths(files), c(
    batch = 6L, blocks = 4L, costs = 2L, kernel = 5L, plain = 5L, rates = 3L
  ))
  expect_held(
    files$plain, pull = c(1L, 2L, 4L, NA, 6L), arm = c(3L, 1L, 3L, 3L, 1L),
    reward = c(1, NA, 2, 1.5, 0.5), answer = list("c", 7L, "b")
  )
  row <- data.frame(arm = "4", position = 7)
  expect_held(files$kernel, arm = c(1L, 4L, 3L), reward = c(-3, -1, -2), answer = list(row, 4L, "4"))
  expect_held(
    files$batch, pull = c(1:3, 5:6), reward = c(1, 1.5, 0.5, 1, 1.5),
    answer = list(3L, integer(), character())
  )
  expect_held(
    files$blocks, pull = c(1L, 3L, 4L, 6L), block = c(1L, 1L, 2L, 2L), arm = c(1L, 2L, 1L, 3L),
    answer = list("a", 7L, "std")
  )
  expect_held(files$rates, reward = c(0.3, 0.5), size = c(10, 10), answer = list("b", 3L, "b"))
  expect_held(files$costs, cost = c(1, 1, 2), answer = list("b", 4L, "c"))
  for (file in files$plain) {
    table <- as.data.frame(read_run(file))
    expect_identical(table$error[2], "wet")
    expect_identical(table$note[1:3], rep("n", 3))
    expect_identical(table$se[4], 0.5)
    expect_identical(open_trials(read_run(file))$pull, c(3L, 5L))
  }
})

test_that("a run of an earlier version goes on by hand in its file, and by the same call", {
  for (from in old_files()$batch) {
    file <- fresh_file()
    file.copy(from, file)
    if (grepl("format-2", from)) { # of a time when the default policy was another
      expect_error(three(noisy, checkpoint = file), "policy", class = "bayesgap_error_checkpoint")
      next
    }
    x <- quietly(bayesgap(3, function(arm) arm / 2, budget = 6, batch = 3, on_error = "stop",
      seed = 3, cov = diag(3) + 0.5, checkpoint = file))
    expect_identical(sort(x$log$pull), 1:6)
    file.copy(from, file, overwrite = TRUE)
    tell(file, data.frame(open_trials(file), y = 1))
    expect_identical(sort(read_run(file)$log$pull), 1:6)
  }
})

test_that("what is not in the form of its format is refused", {
  file <- tempfile()
  set.seed(2)
  for (from in unlist(old_files())) {
    bytes <- readBin(from, "raw", 1e5)
    body <- bytes[-seq_len(nchar(magic) + 17L)]
    start <- match(as.raw(10), body)
    outcomes <- character()
    for (i in 1:60) {
      changed <- body
      at <- start + sample(length(body) - start, 1L)
      changed[at] <- as.raw(sample(c(0:20, 99L, 127:129, 253:255), 1L))
      writeBin(c(charToRaw(paste0(magic, checksum(changed), "\n")), changed), file)
      outcomes[i] <- tryCatch(
        class(suppressWarnings(read_run(file)))[1], error = function(e) class(e)[1]
      )
    }
    expect_true(all(outcomes %in% c("bayesgap", "bayesgap_error_checkpoint")), label = from)
  }
  # Another format's form.
  for (format in 1:4) {
    x <- three()
    forge_run(x, file)
    bytes <- readBin(file, "raw", 1e5)
    body <- bytes[-seq_len(nchar(magic) + 17L)]
    body[8] <- charToRaw(as.character(format))
    writeBin(c(charToRaw(paste0(magic, checksum(body), "\n")), body), file)
    expect_refused(file)
  }
})
