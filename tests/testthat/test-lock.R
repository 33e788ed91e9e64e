test_that("a checkpoint in use is refused, by pid and time; stale locks are recognised", {
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
  resume <- function() {
    quietly(bayesgap(2, function(arm) arm, budget = 2, seed = 1, checkpoint = file))
  }
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

test_that("a lock is held until it is given up, and only one's own is removed", {
  file <- fresh_file()
  lock <- paste0(file, ".lock")
  give_up <- lock_file(file)
  expect_match(read_lock(lock), paste("^process", Sys.getpid(), "on"))
  expect_false(is_stale(read_lock(lock), lock))
  expect_error(lock_file(file), "Another run writes", class = "bayesgap_error_checkpoint")
  give_up()
  expect_false(file.exists(lock))
  give_up <- lock_file(file)
  cat("somebody else's\n", file = lock)
  give_up()
  expect_identical(read_lock(lock), "somebody else's\n")
  unlink(lock)
  # Given up, it can be taken again.
  lock_file(file)()
  expect_false(file.exists(lock))
})

test_that("where no lock can be written there is none to be removed", {
  give_up <- lock_file(file.path(tempfile(), "run.bgap"))
  expect_null(give_up())
})

test_that("half a lock is stale, another's and another computer's are not", {
  expect_true(is_stale("", "lock"))
  expect_true(is_stale("proc", "lock"))
  expect_true(is_stale("process 12 on here", "lock"))
  expect_false(is_stale("mine, do not touch\n", "lock"))
  expect_false(is_stale("process 99999999 on elsewhere, since then\nstart 1\n", "lock"))
})

test_that("a start that is not known tells nothing; a number that no process has is stale", {
  skip_on_os("windows")
  text <- "process %s on %s, since then\nstart %s\n"
  host <- Sys.info()[["nodename"]]
  expect_false(is_stale(sprintf(text, 1L, host, "unknown"), "lock"))
  expect_false(is_stale(sprintf(text, 1L, host, process_start(1L)), "lock"))
  unseen <- is_stale
  environment(unseen) <- list2env(list(process_start = function(process) "unknown"),
    parent = asNamespace("bayesgap"))
  expect_false(unseen(sprintf(text, 1L, host, "5"), "lock"))
  expect_silent(stale <- is_stale(sprintf(text, "99999999999", host, "5"), "lock"))
  expect_true(stale)
})

test_that("a lock that is given up meanwhile is waited for", {
  skip_on_os("windows")
  file <- fresh_file()
  lock <- paste0(file, ".lock")
  lock_of_another(lock)
  # Another process ends while this one waits.
  code <- sprintf("sleep 0.3; rm %s", shQuote(lock))
  system2("sh", c("-c", shQuote(code)), wait = FALSE)
  give_up <- lock_file(file, wait = 600)
  expect_match(read_lock(lock), paste("^process", Sys.getpid(), "on"))
  give_up()
})
