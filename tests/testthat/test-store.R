test_that("a save that stops before the renaming leaves the file as it was", {
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

test_that("a link stays a link, a file keeps its mode, and a run is not saved over a running one", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  target <- file.path(folder, "target.bgap")
  link <- file.path(folder, "link.bgap")
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
    inner <<- fault(save_run(x, file.path(folder, "run.bgap")))
    arm
  }, budget = 2, seed = 1, checkpoint = file.path(folder, "run.bgap")))
  expect_s3_class(inner, "bayesgap_error_checkpoint")
  expect_identical(read_run(file.path(folder, "run.bgap")), y)
})

test_that("a link that leads nowhere yet is written through; one without end is refused", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(file.path(folder, "far"), recursive = TRUE)
  at <- function(...) file.path(folder, ...)
  file.symlink("far/run.bgap", at("link.bgap"))
  file.symlink("link.bgap", at("second.bgap"))
  x <- three(function(arm) arm, checkpoint = at("second.bgap"))
  expect_identical(Sys.readlink(at("link.bgap")), "far/run.bgap")
  expect_identical(Sys.readlink(at("second.bgap")), "link.bgap")
  expect_identical(read_run(at("far", "run.bgap")), x)
  expect_identical(read_run(at("second.bgap")), x)
  unlink(at("far", "run.bgap"))
  save_run(x, at("link.bgap"))
  expect_identical(Sys.readlink(at("link.bgap")), "far/run.bgap")
  expect_identical(read_run(at("far", "run.bgap")), x)
  file.symlink("loop.bgap", at("loop.bgap"))
  expect_error(save_run(x, at("loop.bgap")), "leads back to itself",
    class = "bayesgap_error_checkpoint")
  file.symlink("nowhere/run.bgap", at("lost.bgap"))
  expect_error(save_run(x, at("lost.bgap")), "does not exist", class = "bayesgap_error_checkpoint")
})

test_that("a device or a pipe is refused before anything is run", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  pipe <- file.path(folder, "pipe")
  skip_if_not(system2("mkfifo", pipe, stderr = FALSE) == 0, "no pipes here")
  link <- file.path(folder, "null.bgap")
  file.symlink("/dev/null", link)
  x <- three()
  for (file in c("/dev/full", "/dev/null", pipe, link)) {
    if (!file.exists(file)) next
    for (use in list(
      function() three(function(arm) stop("pulled"), checkpoint = file),
      function() three(checkpoint = file), function() save_run(x, file), function() read_run(file)
    )) {
      expect_error(use(), "is a device or a pipe", class = "bayesgap_error_checkpoint")
    }
  }
  expect_setequal(list.files(folder), c("pipe", "null.bgap"))
})

test_that("a file has one name before and after it is there", {
  skip_if_not(l10n_info()[["UTF-8"]], "no such letters here")
  folder <- tempfile("two words \u00e4\u6771 ")
  dir.create(folder)
  file <- file.path(folder, "run \u00f6\u4eac.bgap")
  before <- check_file(file, "file")
  x <- small_run()
  save_run(x, file)
  expect_identical(check_file(file, "file"), before)
  expect_identical(read_run(file), x)
  expect_identical(list.files(folder), basename(file))
  old <- setwd(folder)
  on.exit(setwd(old))
  expect_identical(check_file(basename(file), "file"), before)
  file.create("run \u00f6\u4eac.bgap.12.part")
  expect_length(part_files(before), 1)
})

test_that("names that no file can have are refused", {
  x <- bayesgap(2, budget = 3, seed = 1)
  for (name in c(strrep("a", 1e5), strrep("a", 250), if (l10n_info()[["UTF-8"]]) "\xff\xfe")) {
    expect_error(save_run(x, name), class = "bayesgap_error_checkpoint")
    expect_error(read_run(name), class = "bayesgap_error_checkpoint")
  }
})

test_that("the store's routines under gc torture", {
  skip_long_on_cran()
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
