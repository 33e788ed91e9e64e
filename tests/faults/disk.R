# Disks that are full, limited or read-only.

# A run whose objective does something to the disk before some pulls; what was warned of, the
# state of the file after every pull, and the run are left in its folder. Runs in a process of its
# own, whose folder for the checkpoint is `place`.
disk_run <- function(actions, place = "place", ...) {
  run_r(c(
    setup,
    sprintf("place <- %s", deparse(place)),
    "dir.create(place, showWarnings = FALSE)",
    "file <- file.path(place, 'run.bgap')",
    "said <- character(); seen <- integer()",
    "look <- function() {",
    "  x <- tryCatch(read_run(file), error = function(e) NULL)",
    "  seen <<- c(seen, if (is.null(x)) -1L else x$observed)",
    "}",
    sprintf("act <- list(%s)", actions),
    "bulky <- function(arm, pull) {",
    "  look()",
    "  do <- act[[as.character(pull$index)]]",
    "  if (!is.null(do)) do()",
    "  list(y = noisy(arm), note = paste(sample(letters, 1500, TRUE), collapse = ''))",
    "}",
    "x <- withCallingHandlers(",
    "  run(bulky, checkpoint = file),",
    "  warning = function(w) { said <<- c(said, conditionMessage(w)); tryInvokeRestart('muffleWarning') }",
    ")",
    "last <- tryCatch(read_run(file), error = function(e) NULL)",
    "left <- list.files(place, 'part$|lock$')",
    "system('rm -f place/filler')",
    "result <- list(",
    "  log = x$log, said = said, seen = seen, kept = last$log, complete = identical(last, x), left = left",
    ")",
    "saveRDS(result, 'result.rds')"
  ), ...)
}
result_of <- function(process) readRDS(file.path(process$folder, "result.rds"))

check_run_whole <- function(r) {
  check(identical(r$log, run(noisy)$log), "the run is that of a good disk")
}

case("a limit on the size of files (ulimit -f)", {
  # 16 blocks of 512 or 1,024 bytes. What R itself writes then is below it.
  p <- disk_run("", prefix = "sh -c 'ulimit -f 16; exec \"$0\" \"$@\"'")
  r <- result_of(p)
  check_run_whole(r)
  check(length(r$said) == 2L, paste("two warnings:", toString(r$said)))
  check(grepl("File too large.*goes on in memory", r$said[1]), "the cause, and that it goes on")
  check(grepl("save_run()", r$said[2], fixed = TRUE), "and at the end what to do")
  n <- length(r$kept$reward)
  check(n > 2L && n < 12L, "the last good file is kept")
  check(identical(r$kept, lapply(r$log, head, n)), "and right")
  check(!length(r$left), "no part and no lock is left")
  note("%d of 12 observations fitted", n)
})

case("the folder is removed and comes back", {
  p <- disk_run(
    "'4' = function() unlink(place, recursive = TRUE), '8' = function() dir.create(place)"
  )
  r <- result_of(p)
  check_run_whole(r)
  check(length(r$said) == 1L && grepl("goes on in memory", r$said), "one warning")
  check(r$complete, "the file is complete when the folder is back")
  check(all(r$seen[5:8] == -1L) && all(r$seen[9:12] == 8:11), "from the next pull on")
})

case("where warnings are errors, a save that fails is none", {
  p <- run_r(c(
    "options(warn = 2)",
    setup,
    "dir.create('place')",
    "x <- run(function(arm, pull) {",
    "  if (pull$index == 3) unlink('place', recursive = TRUE)",
    "  noisy(arm)",
    "}, checkpoint = 'place/run.bgap')",
    "saveRDS(x, 'result.rds')"
  ))
  check(file.exists(file.path(p$folder, "result.rds")), "the run comes to its end")
  check(identical(readRDS(file.path(p$folder, "result.rds")), run(noisy)), "and is whole")
  said <- paste(readLines(p$log), collapse = " ")
  check(grepl("goes on in memory.*save_run\\(\\)", said), "what happened is said")
})

# ---- Mounted disks, where that is permitted -----------------------------------------------------

mounts <- system("unshare -m sh -c 'mount -t tmpfs tmpfs /mnt' > /dev/null 2>&1") == 0
mounted <- function(actions, size) {
  mount <- sprintf(paste(
    "unshare -m sh -c 'mount --make-rprivate / && mkdir -p place &&",
    "mount -t tmpfs -o size=%s tmpfs place && exec \"$0\" \"$@\"'"
  ), size)
  result_of(disk_run(actions, prefix = mount))
}

if (mounts) {
  case("the disk is full, and then there is room again", {
    r <- mounted(paste(
      "'4' = function() system('dd if=/dev/zero of=place/filler bs=4k 2> /dev/null'),",
      "'8' = function() unlink('place/filler')"
    ), "128k")
    check_run_whole(r)
    check(length(r$said) == 1L, paste("one warning:", toString(r$said)))
    check(grepl("No space left on device.*goes on in memory", r$said[1]), "that names the cause")
    check(all(r$seen[5:8] == 3L), "the last good file is kept meanwhile")
    check(r$complete, "the file is complete when there is room")
    check(!length(r$left), "no part and no lock is left")
  })

  case("the disk is full from the first pull to the last", {
    r <- mounted("", "4k")
    check_run_whole(r)
    check(length(r$said) == 2L, paste("two warnings:", toString(r$said)))
    check(!length(r$left), "no part and no lock is left")
  })

  case("the folder becomes read-only, and the disk full after that", {
    r <- mounted(paste(
      "'4' = function() system('mount -o remount,ro place'),",
      "'7' = function() { system('mount -o remount,rw place');",
      "  system('dd if=/dev/zero of=place/filler bs=4k 2> /dev/null') },",
      "'10' = function() unlink('place/filler')"
    ), "128k")
    check_run_whole(r)
    check(length(r$said) == 2L, paste("one warning a cause:", toString(r$said)))
    check(grepl("Read-only file system", r$said[1]) && grepl("No space left", r$said[2]), "by name")
    check(all(r$seen[5:10] == 3L), "the last good file is kept meanwhile")
    check(r$complete, "the file is complete in the end")
  })
} else {
  skip("mounting is not permitted here, so no full and no read-only disk was tried")
}

if (Sys.info()[["effective_user"]] != "root") {
  case("a folder without permission to write", {
    p <- disk_run("'4' = function() Sys.chmod(place, '555'), '8' = function() Sys.chmod(place, '755')")
    r <- result_of(p)
    check_run_whole(r)
    check(length(r$said) == 1L && grepl("Permission denied", r$said), "one warning")
    check(r$complete, "the file is complete in the end")
  })
}
