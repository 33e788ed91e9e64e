# What can go wrong, provoked for real. The numbers are those of the list of cases that the package
# promises to survive; cases that need processes of their own are in tests/faults.

# A run that a test stops, resumes and compares.
cov8 <- exp(-outer(1:8, 1:8, "-")^2 / 8)
noisy <- function(arm) sin(arm) + rnorm(1, sd = 0.3)
small_run <- function(objective = noisy, ..., budget = 12, seed = 3) {
  bayesgap(8, objective, budget = budget, cov = cov8, seed = seed, ...)
}
fresh_file <- function() tempfile(fileext = ".rds")

# The objective until `calls` were made, then something else.
until <- function(calls, then, objective = noisy) {
  made <- 0
  function(arm) {
    made <<- made + 1
    if (made == calls) then() else objective(arm)
  }
}

# The error, with what was said on the way left out.
fault <- function(code) {
  tryCatch(suppressMessages(code), bayesgap_error = identity)
}
quietly <- function(code) suppressMessages(code)

# ---- The objective ------------------------------------------------------------------------------

test_that("case 1: an error at pull 37 of 40 with \"stop\" hands over 36 observations", {
  file <- fresh_file()
  broken <- until(37, function() stop("the lamp broke"))
  e <- fault(small_run(broken, budget = 40, on_error = "stop", checkpoint = file))
  expect_s3_class(e, "bayesgap_error_objective")
  expect_match(conditionMessage(e), "Pull 37 .*the lamp broke")
  expect_equal(nobs_of(e$run), 36)
  expect_identical(last_run(), e$run)
  expect_identical(read_run(file), e$run)
  expect_false(file.exists(paste0(file, ".lock")))
  whole <- small_run(budget = 40)
  expect_identical(bayesgap(e$run, noisy, budget = 40), whole)
  expect_identical(quietly(small_run(budget = 40, checkpoint = file)), whole)
})

test_that("case 2: the same with \"skip\" costs that pull and nothing else", {
  file <- fresh_file()
  given <- list(8, budget = 40, cov = cov8, prior_mean = 0, prior_sd = 1, noise_sd = 0.3)
  broken <- until(37, function() stop("the lamp broke"))
  x <- do.call(bayesgap, c(given, objective = broken, checkpoint = file))
  table <- as.data.frame(x)
  expect_equal(nrow(table), 40)
  expect_equal(nobs_of(x), 39)
  expect_identical(which(!is.na(table$error)), 37L)
  expect_identical(table$error[37], "the lamp broke")
  expect_identical(read_run(file), x)
  # The belief is that of the 39 others.
  others <- data.frame(arm = table$arm, y = table$y, pull = NA)[-37, ]
  y <- tell(do.call(bayesgap, given), others)
  expect_equal(means_of(y), means_of(x))
})

test_that("case 3: what is not a reward is a failed pull that says what came back", {
  returned <- list(
    list(NA, "NA"), list(NaN, "NaN"), list(Inf, "Inf"), list(NULL, "NULL"), list("a", "\"a\""),
    list(TRUE, "TRUE"), list(c(1, 2), "length 2"), list(list(1), "without an element `y`"),
    list(c(y = 1, se = -1), "-1 for `se`"), list(c(y = 1, se = NA), "NA for `se`"),
    list(list(y = NULL), "without an element `y`"), list(list(y = list(1)), "length 1")
  )
  for (case in returned) {
    x <- small_run(function(arm) case[[1]], budget = 2)
    expect_equal(nobs_of(x), 0)
    expect_match(as.data.frame(x)$error[1], case[[2]], fixed = TRUE)
    e <- fault(small_run(function(arm) case[[1]], budget = 2, on_error = "stop"))
    expect_s3_class(e, "bayesgap_error_objective")
    expect_match(conditionMessage(e), case[[2]], fixed = TRUE)
  }
})

test_that("case 4: an objective that warns, prints and changes the session does the run no harm", {
  plain <- small_run()
  here <- getwd()
  old <- options(digits = 7)
  on.exit({
    setwd(here)
    options(old)
  })
  set.seed(4, "Wichmann-Hill")
  before <- .Random.seed
  file <- file.path(basename(tempfile("run", ".")), "run.rds")
  setwd(tempdir())
  dir.create(dirname(file))
  rude <- function(arm) {
    y <- noisy(arm)
    cat("noise\n")
    warning("hot")
    set.seed(1)
    RNGkind("Mersenne-Twister")
    assign(".Random.seed", 1:3, globalenv())
    options(digits = 3, OutDec = ",")
    setwd("/")
    y
  }
  said <- character()
  out <- capture.output(withCallingHandlers(
    x <- small_run(rude, checkpoint = file),
    warning = function(w) {
      said <<- c(said, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    }
  ))
  expect_identical(x, plain)
  expect_identical(.Random.seed, before)
  expect_identical(said, "The objective warned: hot")
  expect_length(out, 12)
  setwd(tempdir())
  expect_identical(read_run(file), plain)
  RNGkind("default", "default", "default")
})

test_that("case 5: when every pull fails the run stops after ten, says so and can go on", {
  file <- fresh_file()
  e <- fault(small_run(function(arm) stop("no"), budget = 25, checkpoint = file))
  expect_match(conditionMessage(e), "10 pulls in a row failed")
  expect_equal(nrow(as.data.frame(e$run)), 10)
  rest <- quietly(small_run(budget = 25, checkpoint = file))
  expect_equal(nobs_of(rest), 15)
  expect_identical(rest, bayesgap(e$run, noisy, budget = 25))
  # In batches, and with retries, too.
  calls <- 0
  e <- fault(small_run(function(arm) {
    calls <<- calls + 1
    stop("no")
  }, budget = 40, batch = 4, retries = 2))
  expect_match(conditionMessage(e), "12 pulls in a row failed")
  expect_equal(calls, 36)
})

test_that("retries: every attempt has numbers of its own, and a success counts", {
  tried <- integer()
  x <- small_run(function(arm, pull) {
    tried <<- c(tried, pull$attempt)
    if (pull$attempt < 3) stop("not yet") else runif(1)
  }, budget = 4, retries = 2)
  expect_equal(nobs_of(x), 4)
  expect_equal(tried, rep(1:3, 4))
  expect_equal(anyDuplicated(as.data.frame(x)$y), 0L)
})

test_that("time_limit: a pull that takes too long has failed, and says so", {
  x <- small_run(function(arm, pull) {
    if (pull$index == 2) repeat Sys.sleep(0.01)
    noisy(arm)
  }, budget = 3, time_limit = 2)
  expect_match(as.data.frame(x)$error[2], "did not return within 2 s")
  expect_equal(nobs_of(x), 2)
  # No limit is left behind.
  expect_no_error(for (i in 1:22) Sys.sleep(0.1))
})

# ---- Checkpoints --------------------------------------------------------------------------------

test_that("case 10: no damaged file is read, and none is changed", {
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

test_that("case 10: whatever else stands in the checkpoint's place is refused and left alone", {
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
  expect_error(again(file.path(tempfile(), "run.rds")), "does not exist",
    class = "bayesgap_error_checkpoint")
  for (name in list(NA, 1, "", c("a", "b"), character())) {
    expect_error(again(name), class = "bayesgap_error_checkpoint")
    expect_error(save_run(x, name), class = "bayesgap_error_checkpoint")
  }
})

test_that("case 11: the checkpoint of another call is refused, naming what differs", {
  file <- fresh_file()
  settings <- list(
    arms = 8, objective = noisy, budget = 6, cov = cov8, prior_mean = 0, prior_sd = 1e-11,
    noise_sd = 1e-12, policy = "ei", init = 2:1, seed = 2e9, checkpoint = file
  )
  run <- function(...) do.call(bayesgap, utils::modifyList(settings, list(...), keep.null = TRUE))
  x <- run()
  bytes <- readBin(file, "raw", 1e5)
  differs <- function(what, ...) {
    e <- fault(run(...))
    expect_s3_class(e, "bayesgap_error_checkpoint")
    expect_identical(e$differs, what)
    expect_identical(readBin(file, "raw", 1e5), bytes)
  }
  differs("arms", arms = letters[1:8], init = c("b", "a"))
  differs("cov", cov = cov8^2)
  differs("prior_mean", prior_mean = 1e-12)
  differs("prior_sd", prior_sd = 2e-11)
  differs("noise_sd", noise_sd = 2e-12)
  differs("noise_sd", noise_sd = NULL)
  differs("policy", policy = "pi")
  differs("policy", policy = policy("ei", xi = 0.1))
  differs("budget", budget = 5)
  differs("maximise", maximise = FALSE)
  differs("replace", replace = FALSE)
  differs("stop_regret", stop_regret = 1e-20)
  differs("init", init = 3)
  differs("seed", seed = 2e9 + 1)
  differs(c("policy", "seed"), policy = "kg", seed = 1)
  # The same call again, or with a larger budget, goes on; the seed need not be given again.
  again <- function(arm) stop("no pull is made")
  expect_identical(quietly(run(objective = again)), x)
  expect_identical(quietly(run(objective = again, seed = NULL)), x)
  more <- quietly(run(budget = 9))
  expect_identical(more, bayesgap(x, noisy, budget = 9))
  expect_identical(read_run(file), more)
})

test_that("case 12: a checkpoint in use is refused, by pid and time; stale locks are recognised", {
  skip_on_os("windows")
  file <- fresh_file()
  lock <- paste0(file, ".lock")
  seen <- NULL
  inner <- NULL
  x <- bayesgap(2, function(arm, pull) {
    if (pull$index == 1) {
      seen <<- readLines(lock)
      inner <<- fault(bayesgap(2, function(arm) 0, budget = 2, seed = 1, checkpoint = file))
    }
    arm
  }, budget = 2, seed = 1, checkpoint = file)
  expect_match(seen[1], paste0("^process ", Sys.getpid(), " on .*, since 20.* UTC$"))
  expect_s3_class(inner, "bayesgap_error_checkpoint")
  expect_match(conditionMessage(inner), "Another run writes .*process [0-9]+ on .*remove the file")
  expect_false(file.exists(lock))
  resume <- function() quietly(bayesgap(2, function(arm) arm, budget = 2, seed = 1, checkpoint = file))
  host <- Sys.info()[["nodename"]]
  alive <- sprintf("process 1 on %s, since then\nstart %s\n", host, process_start(1L))
  # A lock of this very session that no run of it holds is what an interrupt left.
  own <- sprintf("process %d on %s, since then\nstart %s\n", Sys.getpid(), host,
    process_start(Sys.getpid()))
  text <- c(
    stale = "", stale = "process", stale = "process 1 on", stale = own,
    stale = sub("process [0-9]+", "process 99999999", alive),
    live = alive, live = sub(host, "elsewhere", alive, fixed = TRUE), live = "no lock of ours\n"
  )
  # A number that belongs to another process by now can be told where the system tells starts.
  if (file.exists("/proc/self/stat")) text <- c(text, stale = sub("start .*", "start 5\n", alive))
  for (i in seq_along(text)) {
    cat(text[[i]], file = lock)
    if (names(text)[i] == "stale") {
      expect_identical(resume(), x)
      expect_false(file.exists(lock))
    } else {
      expect_error(resume(), class = "bayesgap_error_checkpoint")
      expect_identical(readChar(lock, 1000), text[[i]])
    }
  }
})

test_that("case 9: a folder that goes away stops no run, and is said once", {
  folder <- tempfile()
  dir.create(folder)
  file <- file.path(folder, "run.rds")
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

test_that("case 8: a save that stops before the renaming leaves the file as it was", {
  file <- fresh_file()
  x <- small_run()
  save_run(x, file)
  bytes <- readBin(file, "raw", 1e5)
  local_mocked <- function(problem) {
    write <- write_run
    environment(write) <- list2env(list(replace_file = function(part, file) problem),
      parent = asNamespace("bayesgap"))
    write(as.raw(1:10), file)
  }
  expect_identical(local_mocked("it could not be renamed"), "it could not be renamed")
  expect_identical(readBin(file, "raw", 1e5), bytes)
  expect_length(list.files(dirname(file), paste0(basename(file), ".*part")), 0)
  # Parts that a killed process left are removed, those of a neighbour are not.
  parts <- paste0(file, c(".12ab.part", ".2.12ab.part", ".notes.part"))
  file.create(parts)
  quietly(small_run(checkpoint = file))
  expect_identical(file.exists(parts), c(FALSE, TRUE, TRUE))
  unlink(parts)
})

test_that("case 22: a file says which version wrote it, and one of another format is refused", {
  file <- fresh_file()
  x <- small_run()
  other <- function(format, version) {
    settings <- pack_settings(x)
    end <- match(as.raw(10), settings$bytes)
    about <- sub("format 2, version [^,]*", sprintf("format %d, version %s", format, version),
      rawToChar(settings$bytes[seq_len(end)]))
    settings$bytes <- c(charToRaw(about), settings$bytes[-seq_len(end)])
    settings$sum <- checksum(settings$bytes)
    writeBin(pack_run(x, settings), file)
    bytes <- readBin(file, "raw", 1e5)
    found <- fault(read_run(file))
    expect_identical(readBin(file, "raw", 1e5), bytes)
    found
  }
  expect_identical(other(2, "0.0.9"), x)
  expect_identical(other(2, "9.9.9"), x)
  for (format in c(1, 3)) {
    e <- other(format, "9.9.9")
    expect_s3_class(e, "bayesgap_error_checkpoint")
    expect_match(conditionMessage(e), paste("written by version 9.9.9 .* in format", format))
  }
})

test_that("for every t and policy: stopped after t, resumed, the run is the same", {
  # With learned priors for one t here; for every t in tests/faults. Some need a pull of every arm.
  full <- c("rejects", "ucbe", "ugap")
  for (name in policies()$policy) {
    for (learned in c(FALSE, TRUE)) {
      budget <- if (name %in% c("halving", "gse")) 24 else if (name %in% full) 8 else 6
      args <- list(8, budget = budget, policy = name, seed = 3)
      args <- c(args, if (name == "gse") list(features = diag(8)) else list(cov = cov8))
      args <- c(args, if (!learned) list(prior_mean = 0, prior_sd = 1, noise_sd = 0.3))
      run <- function(objective, ...) quietly(do.call(bayesgap, c(args, objective = objective, ...)))
      whole <- run(noisy)
      stops <- if (learned) 3 else if (budget == 24) c(1, 5, 12, 23) else 0:budget
      same <- vapply(stops, function(t) {
        file <- fresh_file()
        on.exit(unlink(file))
        callCC(function(out) run(until(t + 1, function() out(NULL)), checkpoint = file))
        y <- run(noisy, checkpoint = file)
        identical(y, whole) && identical(read_run(file), whole)
      }, TRUE)
      expect_identical(stops[!same], stops[0], label = paste(name, learned))
    }
  }
})

test_that("batches: stopped anywhere and resumed, the run is the same", {
  for (batch in list(3, c(distinct = 3))) {
    whole <- small_run(batch = batch)
    for (t in c(0, 1, 2, 4, 8, 11)) {
      file <- fresh_file()
      callCC(function(out) quietly(
        small_run(until(t + 1, function() out(NULL)), batch = batch, checkpoint = file)
      ))
      calls <- 0
      y <- quietly(small_run(function(arm) {
        calls <<- calls + 1
        noisy(arm)
      }, batch = batch, checkpoint = file))
      expect_identical(y, whole)
      expect_equal(calls, 12 - t)
    }
  }
})

test_that("a batch that was stopped half way may be told by hand", {
  callCC(function(out) quietly(small_run(until(6, function() out(NULL)), batch = 4)))
  x <- last_run()
  todo <- ask(x, 3)
  expect_identical(todo$pull, 6:8)
  y <- tell(x, cbind(todo, y = 1:3))
  table <- as.data.frame(bayesgap(y, noisy, budget = 12))
  expect_identical(table$pull, 1:12)
  expect_identical(ask(x, 3), todo)
})

test_that("resume of a finished run evaluates nothing", {
  file <- fresh_file()
  x <- small_run(checkpoint = file)
  expect_message(
    y <- small_run(function(arm) stop("no pull"), checkpoint = file), "12 of 12 pulls done"
  )
  expect_identical(y, x)
})

test_that("non-local exits leave a run that goes on", {
  whole <- small_run()
  ways <- list(
    function() invokeRestart("leave"),
    function() signalCondition(structure(class = c("leave", "condition"), list(message = "")))
  )
  for (way in ways) {
    set.seed(1)
    before <- .Random.seed
    file <- fresh_file()
    withRestarts(
      tryCatch(quietly(small_run(until(5, way), checkpoint = file)), leave = function(c) NULL),
      leave = function() NULL
    )
    expect_identical(.Random.seed, before)
    expect_identical(last_run()$observed, 4L)
    expect_identical(bayesgap(last_run(), noisy, budget = 12), whole)
    expect_identical(quietly(small_run(checkpoint = file)), whole)
  }
})

# ---- Workers ------------------------------------------------------------------------------------

test_that("case 14: a batch's pulls, errors and warnings come back from workers as from here", {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_on_os("windows")
  shift <- 0.5
  odd <- function(arm, pull) {
    if (pull$index == 3) stop("third")
    if (pull$index > 4) warning("late")
    list(y = noisy(arm) + shift, who = letters[pull$index], seed = pull$seed)
  }
  expect_warning(here <- small_run(odd, batch = 2, budget = 8), "The objective warned: late")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  expect_warning(there <- small_run(odd, batch = 2, budget = 8), "The objective warned: late")
  expect_identical(there, here)
  options(future.globals.onReference = "error")
  x <- future::value(future::future(bayesgap::tell(here, data.frame(arm = 1, y = 0)), seed = NULL))
  options(future.globals.onReference = NULL)
  expect_identical(x, tell(here, data.frame(arm = 1, y = 0)))
})

# ---- ask() and tell() ---------------------------------------------------------------------------

test_that("case 15: tell() twice, never asked, of no arm, NA, in any order, of no rows", {
  x <- small_run(NULL)
  todo <- cbind(ask(x, 3), y = c(0.1, 0.2, 0.3))
  told <- tell(x, todo)
  before <- serialize(told, NULL)
  expect_error(tell(told, todo[2, ]), "told already", class = "bayesgap_error_tell")
  expect_error(tell(x, todo[c(1, 1), ]), class = "bayesgap_error_tell")
  history <- tell(told, data.frame(arm = 8, y = 1, pull = NA))
  expect_equal(nobs_of(history), 4)
  expect_identical(ask(history)$pull, 4L)
  expect_error(tell(told, data.frame(arm = 9, y = 1)), class = "bayesgap_error_arm")
  expect_error(tell(told, NA), class = "bayesgap_error_tell")
  expect_error(tell(told, NaN), class = "bayesgap_error_tell")
  failed <- tell(told, data.frame(pull = 4, y = NA))
  expect_equal(nobs_of(failed), 3)
  expect_identical(means_of(failed), means_of(told))
  backwards <- tell(x, todo[3:1, ])
  expect_equal(means_of(backwards), means_of(told))
  expect_identical(tell(told, todo[0, ]), told)
  # None of this changed the run.
  expect_identical(serialize(told, NULL), before)
  expect_identical(ask(told, 2), ask(told, 2))
})

# ---- Models and numbers -------------------------------------------------------------------------

test_that("case 16: a covariance that is none is refused, naming it and the entry", {
  refused <- function(cov, message, arms = c("a", "b")) {
    e <- fault(arm_model(arms, cov = cov))
    expect_s3_class(e, "bayesgap_error_cov")
    expect_match(conditionMessage(e), message)
  }
  m <- function(...) matrix(c(...), 2)
  refused(matrix(1, 2, 3), "`cov` must be a symmetric 2 x 2")
  refused(diag(3), "`cov` must be a symmetric 2 x 2")
  refused(m(1, 0.5, 0.2, 1), "entry \\[2, 1\\] is 0.5 and \\[1, 2\\] is 0.2")
  refused(m(1, 2, 2, 1), "`cov` must be positive semi-definite, .* eigenvalue is -1")
  refused(diag(c(1, -1)), "`cov`.*\\[2, 2\\]")
  refused(m(1, NA, NA, 1), "entry \\[2, 1\\] is NA")
  refused(m(1, 0, 0, Inf), "entry \\[2, 2\\] is Inf")
  refused(diag(c(1, 1e300)), "entry \\[2, 2\\] is 1e\\+300")
  refused(diag(1e-300, 2), "at least 1e-100")
  refused(m("1", "0", "0", "1"), "character matrix")
  refused(matrix(c(1, 0, 0, 1), 2, dimnames = list(c("a", "c"), NULL)), "no arm \"c\"")
  legal <- list(
    diag(c(0, 1)), matrix(1, 2, 2), matrix(0, 2, 2), m(1L, 0L, 0L, 1L), diag(c(1, 1e-300)),
    m(1, 0.5, 0.5 + 1e-14, 1)
  )
  for (cov in legal) {
    x <- bayesgap(c("a", "b"), function(arm) rnorm(1), budget = 5, cov = cov, seed = 1)
    expect_false(anyNA(posterior(x)))
  }
})

test_that("case 17: one arm, two, 100,000; one pull, fewer than arms, a million", {
  expect_identical(best_arm(bayesgap(1, function(arm) 0, budget = 3)), 1L)
  expect_equal(nobs_of(bayesgap(2, function(arm) 0, budget = 1)), 1)
  for (budget in c(7, 8)) {
    expect_equal(nobs_of(small_run(budget = budget)), budget)
  }
  many <- bayesgap(1e5, function(arm) -arm, budget = 3, seed = 1)
  expect_equal(nobs_of(many), 3)
  long <- bayesgap(2, function(arm) stop("enough"), budget = 1, seed = 1)
  expect_equal(bayesgap(long, budget = 1e6)$budget, 1e6L)
  for (budget in list(0, 2.5, -1, NA, "10", 1e12, Inf, NaN, NULL, 1:2, TRUE)) {
    expect_error(bayesgap(3, budget = budget), "whole number from 1 to 2,147,483,647",
      class = "bayesgap_error_budget")
  }
  for (arms in list(0, 1.5, -3, 46341^2, Inf)) {
    expect_error(bayesgap(arms, budget = 3), class = "bayesgap_error_arms")
  }
})

test_that("case 17: a million pulls are made, learned and told in C", {
  skip_on_cran()
  model <- arm_model(2, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  problem <- problem_gaussian(model, means = rbind(c(0, 0.1)))
  found <- benchmark_policies(problem, "uniform", 1e6, reps = 1, seed = 1)
  expect_false(found$error)
})

test_that("case 18: noise 0, tiny and huge; prior sd 0; an arm without variance", {
  f <- function(arm) arm^2
  exact <- bayesgap(4, f, budget = 10, noise_sd = 0, seed = 1)
  expect_equal(posterior(exact)$mean, (1:4)^2)
  expect_equal(posterior(exact)$sd, rep(0, 4))
  for (noise_sd in c(0, 1e-12, 1e12)) {
    for (prior_sd in list(NULL, 1, 1e-9, 1e9)) {
      x <- bayesgap(4, f, budget = 10, noise_sd = noise_sd, prior_sd = prior_sd, seed = 1)
      expect_false(anyNA(posterior(x)))
      expect_true(all(is.finite(means_of(x))))
    }
  }
  known <- bayesgap(3, f, budget = 5, prior_sd = 0, prior_mean = c(1, 3, 2), noise_sd = 1)
  expect_equal(nobs_of(known), 0)
  expect_identical(best_arm(known), 2L)
  expect_error(bayesgap(3, f, budget = 5, prior_sd = -1), class = "bayesgap_error_model")
  expect_error(bayesgap(3, f, budget = 5, noise_sd = -1), class = "bayesgap_error_noise")
  x <- bayesgap(3, function(arm) rnorm(1), budget = 8, cov = diag(c(1, 0, 1)),
    prior_mean = c(0, 5, 0), prior_sd = 1, noise_sd = 1, seed = 1)
  expect_false(2 %in% as.data.frame(x)$arm)
  expect_identical(best_arm(x), 2L)
})

test_that("case 19: equal, huge, tiny and far-off rewards give no NaN and no false certainty", {
  for (reward in c(0, 7, 1e-300, -1e99, .Machine$integer.max)) {
    x <- bayesgap(3, function(arm) reward, budget = 9, seed = 1)
    expect_equal(nobs_of(x), 9)
    expect_false(anyNA(posterior(x)))
    expect_lt(max(posterior(x)$p_best), 0.6)
  }
  x <- bayesgap(3, function(arm) 1e300, budget = 9, seed = 1)
  expect_equal(nobs_of(x), 0)
  expect_match(as.data.frame(x)$error[1], "up to 1e100")
  # An offset of 1e9 leaves six digits of differences of a thousandth.
  far <- function(offset) {
    bayesgap(4, function(arm) offset + 1e-3 * (arm + rnorm(1)), budget = 30, seed = 1)
  }
  expect_identical(far(1e9)$log$arm[1:5], far(0)$log$arm[1:5])
  expect_equal(posterior(far(1e9))$mean - 1e9, 1e-3 * 1:4, tolerance = 0.5)
  expect_equal(nobs_of(bayesgap(2, function(arm) .Machine$integer.max, budget = 5)), 5)
})

test_that("case 20: names are refused or kept exactly, in print, table and csv", {
  bad <- list(
    c("a", "a"), c("a", ""), c("a", NA), character(), data.frame(),
    data.frame(l = I(list(1, 2))), factor(c("a", "a"))
  )
  for (arms in bad) {
    expect_error(bayesgap(arms, budget = 3), class = "bayesgap_error_arms")
  }
  expect_error(
    bayesgap(data.frame(u = c(1, NA)), budget = 3, kernel = k_se(~u)), "`u`.*NA for arm \"2\"",
    class = "bayesgap_error_kernel"
  )
  # Elsewhere R itself writes and prints codes in place of letters that the locale does not have.
  utf8 <- l10n_info()[["UTF-8"]]
  names <- c("a,b", "quote\"d", " blank ", "\u00e4\u00f6", "\u65e5\u672c", strrep("long", 500), "NA")
  for (arms in list(names, factor(names), data.frame(arm = names, u = 1:7))) {
    x <- bayesgap(arms, function(arm) 1, budget = 7, init = 7, seed = 1)
    table <- as.data.frame(x)
    expect_setequal(as.character(table$arm), names)
    expect_identical(as.character(posterior(x)$arm), names)
    file <- tempfile(fileext = ".csv")
    write.csv(table, file, row.names = FALSE, fileEncoding = "UTF-8")
    back <- read.csv(file, fileEncoding = "UTF-8", na.strings = "", colClasses = "character")
    told <- as.character(table$arm)
    plain <- utf8 | !grepl("[^ -~]", told)
    expect_identical(enc2utf8(back$arm)[plain], enc2utf8(told)[plain])
    best <- best_arm(x)
    best <- if (is.data.frame(best)) best$arm else as.character(best)
    shown <- if (utf8) best else encodeString(best)
    expect_match(paste(format(x), collapse = "\n"), substr(shown, 1, 5), fixed = TRUE)
    saved <- fresh_file()
    save_run(x, saved)
    expect_identical(read_run(saved), x)
  }
})

test_that("case 21: a kernel or policy of the user that misbehaves is named, the run is safe", {
  kernel <- function(f, message) {
    e <- fault(arm_model(3, kernel = f))
    expect_s3_class(e, "bayesgap_error_kernel")
    expect_match(conditionMessage(e), message)
  }
  kernel(function(a, b) stop("broke"), "kernel function\\(a, b\\) failed: broke")
  kernel(function(a, b) matrix(1, 2, 2), "kernel function.*3 x 3")
  kernel(function(a, b) matrix(runif(9), 3), "must be symmetric")
  whole <- small_run(policy = "uniform")
  own <- function(message, choose) {
    e <- fault(small_run(policy = policy("mine", choose = choose)))
    expect_s3_class(e, "bayesgap_error_policy")
    expect_match(conditionMessage(e), paste0("policy \"mine\" .*", message))
  }
  own("failed: broke", function(state) stop("broke"))
  own("not a numeric vector of length 2", function(state) 1:2)
  own("not 9", function(state) 9)
  own("not NULL", function(state) NULL)
  # It breaks in the middle: nothing is lost, and once it is mended the run goes on.
  broken <- TRUE
  fragile <- policy("mine", choose = function(state) {
    if (state$t == 5 && broken) stop("broke") else state$t %% 8 + 1
  })
  file <- fresh_file()
  expect_message(
    tryCatch(small_run(policy = fragile, checkpoint = file), bayesgap_error_policy = identity),
    "stopped after 4 observations"
  )
  broken <- FALSE
  rest <- quietly(small_run(policy = fragile, checkpoint = file))
  expect_identical(rest, small_run(policy = fragile))
  # One that is not deterministic: the observations are there, the difference is told.
  calls <- 0
  fickle <- policy("mine", choose = function(state) {
    calls <<- calls + 1
    calls %% 8 + 1
  })
  file <- fresh_file()
  callCC(function(out) quietly(
    small_run(until(5, function() out(NULL)), policy = fickle, checkpoint = file)
  ))
  calls <- 100
  expect_warning(
    y <- read_run(file, policy = fickle), "goes on differently here",
    class = "bayesgap_warning_checkpoint"
  )
  expect_identical(y$log, last_run()$log)
})

test_that("case 24: what memory cannot hold is refused beforehand, in bytes, with what to do", {
  e <- fault(arm_model(data.frame(u = 1:1e6), kernel = function(a, b) outer(a$u, b$u)))
  expect_s3_class(e, "bayesgap_error_memory")
  expect_match(conditionMessage(e), "8,000,000,000,000 bytes.*k_\\*\\(\\), and `features`")
  expect_no_error(arm_model(data.frame(u = 1:1e5), kernel = k_se(~u, lengthscale = 3)))
})

test_that("case 25: gc torture, deep recursion and runs within runs", {
  plain <- bayesgap(3, noisy, budget = 2, seed = 1, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  deep <- function(n) if (n == 0) 0 else deep(n - 1)
  x <- bayesgap(3, function(arm) noisy(arm) + deep(500), budget = 2, seed = 1, prior_mean = 0,
    prior_sd = 1, noise_sd = 1)
  expect_identical(x, plain)
  endless <- function() endless()
  x <- bayesgap(3, function(arm, pull) if (pull$index == 1) endless() else 1, budget = 2, seed = 1)
  expect_equal(nobs_of(x), 1)
  inner <- fresh_file()
  x <- small_run(function(arm) {
    quietly(bayesgap(3, noisy, budget = 3, seed = 2, checkpoint = inner, time_limit = 600))
    noisy(arm)
  }, checkpoint = fresh_file())
  expect_identical(x, small_run())
  expect_identical(read_run(inner), bayesgap(3, noisy, budget = 3, seed = 2))
})

test_that("case 25: the store's routines under gc torture", {
  skip_on_cran()
  file <- fresh_file()
  x <- bayesgap(2, budget = 2, seed = 1)
  on.exit(gctorture(FALSE))
  packed <- pack_run(x, pack_settings(x))
  gctorture(TRUE)
  problem <- .Call(bg_write, file, packed, FALSE)
  sum <- .Call(bg_checksum, "0", packed)
  gctorture(FALSE)
  expect_null(problem)
  expect_identical(sum, checksum(packed))
  expect_identical(read_run(file), x)
})

test_that("case 26: what needs a suggested package names it", {
  expect_error(check_installed("nosuchpackage", "This"), "needs the package nosuchpackage.*install",
    class = "bayesgap_error_package")
})

test_that("case 27: decimal commas, time zones, warn = 2 and blanks in file names do not matter", {
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
  file <- file.path(folder, "my run +1.rds")
  callCC(function(out) quietly(small_run(until(5, function() out(NULL)), checkpoint = file)))
  expect_identical(quietly(small_run(checkpoint = file)), plain)
  expect_identical(read_run(file), plain)
  expect_identical(list.files(folder), "my run +1.rds")
})

test_that("the session's generator may be of any kind, or unused", {
  plain <- small_run()
  file <- fresh_file()
  kind <- suppressWarnings(RNGkind("Wichmann-Hill", "Box-Muller", "Rounding"))
  on.exit(RNGkind(kind[1], kind[2], kind[3]))
  set.seed(1)
  before <- .Random.seed
  expect_identical(small_run(checkpoint = file), plain)
  expect_identical(.Random.seed, before)
  rm(".Random.seed", envir = globalenv())
  expect_identical(quietly(small_run(checkpoint = file)), plain)
  expect_identical(read_run(file), plain)
  expect_false(exists(".Random.seed", globalenv()))
})

test_that("a batch that stopped at a failure is resumed as if nothing had failed", {
  broken <- TRUE
  bake <- function(arm, pull) {
    if (broken && pull$index == 6) stop("the oven is broken")
    arm + rnorm(1)
  }
  for (batch in list(4, c(distinct = 4))) {
    whole <- bayesgap(5, function(arm) arm + rnorm(1), budget = 12, batch = batch, seed = 1)
    file <- tempfile()
    broken <- TRUE
    e <- expect_error(
      bayesgap(5, bake, budget = 12, batch = batch, seed = 1, on_error = "stop", checkpoint = file),
      "Pull 6 .* the oven is broken\nThe 7 observations", class = "bayesgap_error_objective"
    )
    expect_identical(sort(as.data.frame(e$run)$pull), c(1:5, 7:8))
    expect_identical(e$run, last_run())
    broken <- FALSE
    expect_message(
      x <- bayesgap(5, bake, budget = 12, batch = batch, seed = 1, checkpoint = file),
      "7 of 12 pulls done"
    )
    expect_identical(x, whole)
  }
})

test_that("case 21: a policy that fails takes no observation with it, and invents none", {
  rewards <- double()
  honest <- function(arm) {
    rewards <<- c(rewards, arm + rnorm(1))
    rewards[length(rewards)]
  }
  failing <- policy(choose = function(state) if (state$t >= 5) stop("no idea") else state$t)
  file <- fresh_file()
  e <- quietly(fault(
    bayesgap(6, honest, budget = 9, policy = failing, seed = 1, checkpoint = file)
  ))
  expect_s3_class(e, "bayesgap_error_policy")
  expect_length(rewards, 4)
  expect_identical(as.data.frame(e$run)$y, rewards)
  expect_warning(last <- last_run(), "no idea", class = "bayesgap_warning_policy")
  expect_identical(as.data.frame(last)$y, rewards)
  expect_warning(
    read <- read_run(file, policy = failing), "no idea", class = "bayesgap_warning_policy"
  )
  expect_identical(as.data.frame(read)$y, rewards)

  # In a batch the policy is asked of states that did not happen.
  rewards <- double()
  e <- quietly(fault(bayesgap(6, honest, budget = 9, batch = 3, policy = failing, seed = 1)))
  expect_s3_class(e, "bayesgap_error_policy")
  expect_identical(as.data.frame(e$run)$y, rewards)
})

test_that("pulls that are out have the arms that the user says", {
  smooth <- exp(-outer(1:12, 1:12, "-")^2 / 18)
  for (seed in 1:20) {
    x <- bayesgap(12, budget = 12, cov = smooth, replace = FALSE, seed = seed)
    out <- ask(x, 3)
    x <- tell(x, data.frame(out[1, ], y = sin(out$arm[1])))
    out <- rbind(out[-1, ], ask(x, pending = out[-1, ]))
    x <- tell(x, data.frame(out[3, ], y = sin(out$arm[3])))
    expect_false(ask(x, pending = out[1:2, ])$arm %in% out$arm)
    expect_false(any(ask(x, 3, pending = out[1:2, ], batch = "distinct")$arm %in% out$arm))
  }
})

test_that("with \"stop\" a pull that failed is still to be made, whatever comes next", {
  file <- fresh_file()
  mended <- FALSE
  made <- integer()
  callCC(function(out) quietly(bayesgap(5, function(arm, pull) {
    if (pull$index == 3) out("interrupted")
    if (pull$index == 2) stop("broken") else arm
  }, budget = 8, batch = 4, seed = 1, on_error = "stop", checkpoint = file)))
  expect_identical(as.data.frame(read_run(file))$pull, 1L)
  expect_identical(as.data.frame(last_run())$pull, 1L)
  x <- quietly(bayesgap(5, function(arm, pull) {
    made <<- c(made, pull$index)
    arm
  }, budget = 8, batch = 4, seed = 1, on_error = "stop", checkpoint = file))
  expect_identical(made, 2:8)
  expect_identical(x, bayesgap(5, function(arm) arm, budget = 8, batch = 4, seed = 1))
})

test_that("an error without a message is a failure, one with two is told as one", {
  odd <- function(message) {
    function(arm, pull) {
      if (pull$index == 2) {
        stop(structure(class = c("my", "error", "condition"), list(message = message, call = NULL)))
      }
      arm
    }
  }
  x <- bayesgap(2, odd(NULL), budget = 3, seed = 1)
  expect_identical(as.data.frame(x)$error, c(NA, "an error without a message", NA))
  x <- bayesgap(2, odd(c("this", "that")), budget = 3, seed = 1)
  expect_identical(as.data.frame(x)$error, c(NA, "this that", NA))
})

test_that("a link stays a link, a file keeps its mode, and a run is not saved over a running one", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  target <- file.path(folder, "target.rds")
  link <- file.path(folder, "link.rds")
  save_run(small_run(NULL), target)
  Sys.chmod(target, "600")
  file.symlink(target, link)
  x <- small_run()
  save_run(x, link)
  expect_identical(normalizePath(link), normalizePath(target))
  expect_identical(read_run(target), x)
  expect_identical(format(file.mode(target)), "600")
  inner <- NULL
  y <- quietly(bayesgap(2, function(arm) {
    inner <<- fault(save_run(x, file.path(folder, "run.rds")))
    arm
  }, budget = 2, seed = 1, checkpoint = file.path(folder, "run.rds")))
  expect_s3_class(inner, "bayesgap_error_checkpoint")
  expect_identical(read_run(file.path(folder, "run.rds")), y)
})

test_that("the number of a batch counts what was learned together", {
  numbers <- integer()
  note <- function(arm, pull) {
    numbers <<- c(numbers, pull$batch)
    arm
  }
  x <- bayesgap(3, note, budget = 7, batch = c(distinct = 5), seed = 1)
  expect_identical(numbers, c(1L, 1L, 1L, 2L, 2L, 2L, 3L))
  bayesgap(x, note, budget = 9)
  expect_identical(numbers[8:9], 4:5)
})
