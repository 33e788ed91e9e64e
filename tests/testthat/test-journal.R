# The file of a running run as it was before every pull, and after the last; and the run.
grown_files <- function(..., budget = 12, returns = noisy) {
  file <- fresh_file()
  seen <- list()
  look <- function() seen[[length(seen) + 1L]] <<- readBin(file, "raw", 1e6)
  x <- quietly(small_run(function(arm) {
    look()
    returns(arm)
  }, budget = budget, checkpoint = file, ...))
  list(seen = seen, last = readBin(file, "raw", 1e6), run = x)
}

put_bytes <- function(bytes) {
  file <- fresh_file()
  writeBin(bytes, file)
  file
}

# The run that these bytes hold, or the class of the error.
held <- function(bytes) {
  tryCatch(read_run(put_bytes(bytes)), error = function(e) class(e)[1])
}
is_refused <- function(bytes) identical(held(bytes), "bayesgap_error_checkpoint")

opening_bytes <- nchar(magic) + 17L

# The records of a growing file, each with its line.
records_of <- function(bytes) {
  at <- grepRaw("more [0-9]+ [0-9a-f]{16}\n", bytes, all = TRUE)
  Map(function(from, to) bytes[from:to], at, c(at[-1] - 1L, length(bytes)))
}

# The bytes of a growing file after every tell(), from none on, and the runs that it held.
told_files <- function(n = 5) {
  file <- fresh_file()
  x <- open_run(arms = 8, budget = 12, cov = cov8)
  kept <- write_to_grow(x, pack_settings(x, growing_format), file)
  seen <- list(readBin(file, "raw", 1e6))
  runs <- list(x)
  for (i in seq_len(n)) {
    x <- tell(x, sin(i))
    kept <- grow_run(kept, x, file)
    seen[[i + 1L]] <- readBin(file, "raw", 1e6)
    runs[[i + 1L]] <- x
  }
  list(seen = seen, runs = runs)
}

# A whole part, with records of these facts behind it.
forge_grown <- function(x, facts = list(), sum_of = identity) {
  settings <- pack_settings(x, growing_format)
  whole <- facts_bytes(x)
  body <- c(settings$bytes, charToRaw(sprintf("facts %d\n", length(whole))), whole)
  for (new in facts) {
    body <- c(body, pack_record(to_bytes(new), checksum(body)))
  }
  c(opening(checksum(sum_of(body))), body)
}

test_that("a running run's file grows, holds all that was told, and is an ordinary one then", {
  files <- grown_files()
  sizes <- lengths(files$seen)
  expect_true(all(diff(sizes) > 0))
  expect_true(all(diff(sizes) < 3000))
  for (i in seq_along(files$seen)) {
    expect_match(rawToChar(files$seen[[i]][opening_bytes + 1:8]), "format 7", fixed = TRUE)
    x <- held(files$seen[[i]])
    expect_identical(x$log, log_rows(files$run$log, seq_len(i - 1L)))
  }
  copy <- fresh_file()
  save_run(files$run, copy)
  expect_identical(files$last, readBin(copy, "raw", 1e6))
  expect_match(rawToChar(files$last[opening_bytes + 1:8]), "format 6", fixed = TRUE)
})

# What a file keeps of calls are their bytes.
without_calls <- function(x) {
  x$remarks <- lapply(x$remarks, function(r) r$extra$note)
  x
}

test_that("a run goes on from a file that grew, in batches, in blocks, with what results bring", {
  more <- function(arm) list(y = noisy(arm), note = paste("of", arm), f = quote(a + b))
  for (how in list(
    list(), list(batch = 3), list(returns = more), list(returns = more, batch = 4),
    list(blocks = c("u", "v"), block_sd = 1), list(noise_sd = 0.3, prior_sd = 1, prior_mean = 0)
  )) {
    files <- do.call(grown_files, how)
    how$objective <- if (is.null(how$returns)) noisy else how$returns
    how$returns <- NULL
    for (at in c(2L, 7L, 12L)) {
      again <- quietly(do.call(small_run, c(how, checkpoint = put_bytes(files$seen[[at]]))))
      expect_identical(without_calls(again), without_calls(files$run))
    }
  }
})

test_that("a growing file that is damaged anywhere is refused", {
  good <- told_files()$seen[[6]]
  expect_length(records_of(good), 5)
  expect_s3_class(held(good), "bayesgap")
  flipped <- vapply(seq_along(good), function(i) {
    bad <- good
    bad[i] <- xor(bad[i], as.raw(2^(i %% 8)))
    is_refused(bad)
  }, TRUE)
  expect_identical(which(!flipped), integer())
  ends <- cumsum(lengths(records_of(good)))
  boundaries <- length(good) - max(ends) + c(0, ends[-5])
  cuts <- unique(c(0:80, boundaries, boundaries + 1, seq(81, length(good) - 1, by = 17)))
  expect_identical(cuts[!vapply(cuts, function(n) is_refused(good[seq_len(n)]), TRUE)], numeric())
  expect_true(is_refused(c(good, good)))
  expect_true(is_refused(c(good, charToRaw("mere words"))))
  # Without one in the middle, and in another order, under a right checksum.
  start <- good[opening_bytes + seq_len(boundaries[1] - opening_bytes)]
  parts <- records_of(good)
  for (order in list(c(1, 3:5), c(2:5), c(1, 3, 2, 4, 5), c(1:5, 5))) {
    body <- c(start, unlist(parts[order]))
    expect_true(is_refused(c(opening(checksum(body)), body)))
    # A record too many is none that anyone acknowledged.
    if (length(order) <= 5) expect_true(is_refused(c(good[seq_len(opening_bytes)], body)))
  }
})

test_that("a record that was being written when the computer stopped is no damage", {
  files <- told_files()
  old <- files$seen[[5]]
  new <- files$seen[[6]]
  before <- files$runs[[5]]
  after <- files$runs[[6]]
  expect_identical(held(old), before)
  expect_identical(held(new), after)
  # The disk had it, but the first line was not written anew.
  late <- c(old[seq_len(opening_bytes)], new[-seq_len(opening_bytes)])
  expect_identical(held(late), after)
  lengths <- c(length(old) + 1:60, seq(length(old) + 61, length(new) - 1, by = 13), length(new) - 1)
  for (n in lengths) {
    expect_identical(held(late[seq_len(n)]), before)
  }
  # Its length, and some of it.
  for (n in c(0, 3, 10, 30, 100, 300)) {
    holes <- late
    holes[(length(old) + n + 1):length(late)] <- as.raw(0)
    expect_identical(held(holes), before)
  }
  # Its end and not its beginning, or a hole in its first line.
  for (n in c(0, 3, 30)) {
    for (to in c(n + 1, 40, 100, 300)) {
      holes <- late
      holes[(length(old) + n + 1):(length(old) + to)] <- as.raw(0)
      # A byte of it may be 0 of its own.
      expect_identical(held(holes), if (identical(holes, late)) after else before)
    }
  }
  # But nothing was ever written behind half a record, nor two after the first line.
  expect_true(is_refused(c(late[seq_len(length(new) - 5)], records_of(new)[[1]])))
  expect_true(is_refused(c(late, charToRaw("words"))))
})

test_that("a file that does not grow takes nothing behind it for a record", {
  x <- small_run()
  file <- fresh_file()
  save_run(x, file)
  bytes <- readBin(file, "raw", 1e6)
  for (more in list(as.raw(0), raw(50), charToRaw("more "), pack_record(to_bytes(1), "0"))) {
    expect_true(is_refused(c(bytes, more)))
  }
})

test_that("records are believed no more than any file", {
  x <- tell_some(three(), 2)
  y <- tell(x, 5)
  new <- new_facts(y, x)
  expect_identical(held(forge_grown(x)), x)
  expect_identical(held(forge_grown(x, list(new))), y)
  expect_identical(held(forge_grown(x, list(new, new_facts(tell(y, 6), y)))), tell(y, 6))
  # By one who read the first line while more was written behind it.
  size <- length(forge_grown(x)) - opening_bytes
  expect_identical(held(forge_grown(x, list(new), function(body) body[seq_len(size)])), y)
  with <- function(name, value) {
    new[name] <- list(value)
    new
  }
  odd <- list(
    twice = list(new, new), nothing = list(NULL), text = list("a"), short = list(new[-1]),
    order = list(rev(new)), more = list(c(new, a = 1)), classed = list(structure(new, class = "b")),
    log = list(with("log", 1)), empty = list(with("log", list())),
    columns = list(with("log", new$log[-1])), column = list(with("log", rev(new$log))),
    dates = list(with("log", lapply(new$log, structure, class = "Date"))),
    lengths = list(with("log", replace(new$log, "arm", list(1:2)))),
    arm = list(with("log", replace(new$log, "arm", 9L))),
    pull = list(with("log", replace(new$log, "pull", 1L))),
    tells = list(with("tells", 7L)), kind = list(with("tells", 1)),
    none = list(with("tells", NULL)),
    remarks = list(with("remarks", list(1))), names = list(with("remarks", list(`99` = list()))),
    batch = list(with("underway", 1)), next_arm = list(with("next_arm", "a")),
    blocks = list(with("blocks", 3))
  )
  for (name in names(odd)) {
    expect_true(is_refused(forge_grown(x, odd[[name]])), label = name)
  }
  # Lines that say what cannot be.
  bytes <- forge_grown(x, list(new))
  body <- bytes[-seq_len(opening_bytes)]
  for (line in c("facts 999999", "facts 0", "facts -1", "facts x", "fact 10", "facts 1e9", "")) {
    text <- charToRaw(paste0(line, "\n"))
    start <- grepRaw("facts [0-9]+\n", body)
    end <- start + match(as.raw(10), body[-seq_len(start)])
    changed <- c(body[seq_len(start - 1)], text, body[-seq_len(end)])
    expect_true(is_refused(c(opening(checksum(changed)), changed)), label = line)
  }
  # What does not grow, under the number of what does.
  settings <- pack_settings(x, growing_format)
  expect_true(is_refused(pack_run(x, settings)))
  # Code is not run.
  expect_true(is_refused(forge_grown(x, list(with("remarks", list(`3` = function() 1))))))
})

test_that("a run that did not only grow, or has grown enough, is written whole", {
  x <- tell_some(three(), 2)
  expect_null(new_facts(drop_arms(x, 1), x))
  expect_null(new_facts(amend(x, data.frame(pull = 1, y = 9)), x))
  expect_null(new_facts(bayesgap(x, budget = 9), x))
  file <- fresh_file()
  kept <- write_to_grow(x, pack_settings(x, growing_format), file)
  expect_null(grow_run(NULL, x, file))
  y <- tell(x, 3)
  expect_null(grow_run(replace(kept, "grown", 2 * least_growth), y, file))
  grown <- grow_run(kept, y, file)
  expect_equal(grown$size, file.size(file))
  expect_identical(read_run(file), y)
  # Another wrote it meanwhile, or nobody has it any more.
  expect_null(grow_run(kept, y, file))
  expect_identical(read_run(file), y)
  save_run(x, file)
  expect_null(grow_run(grown, tell(y, 4), file))
  expect_identical(read_run(file), x)
  unlink(file)
  expect_null(grow_run(grown, tell(y, 4), file))
  expect_false(file.exists(file))
})

test_that("a long run is written whole now and then, and resumed from whatever there is", {
  package <- environment(grow_run)
  grow <- grow_run
  environment(grow) <- list2env(list(least_growth = 3000), parent = package)
  file <- fresh_file()
  x <- tell_some(three(), 1)
  x <- bayesgap(x, budget = 60)
  settings <- pack_settings(x, growing_format)
  kept <- NULL
  whole <- 0
  for (i in 1:40) {
    x <- tell(x, i)
    kept <- grow(kept, x, file)
    if (is.null(kept)) {
      kept <- write_to_grow(x, settings, file)
      whole <- whole + 1
    }
    expect_identical(read_run(file), x)
  }
  expect_gt(whole, 4)
  expect_lt(whole, 20)
})
