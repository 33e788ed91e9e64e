# Arms that come back from a file as they were.

kinds <- function() {
  list(
    4, c("a", "b"), data.frame(arm = c("p", "q"), u = 1:2), ligands(), ligands()[c(8, 2, 5), ],
    c(0.1, 0.2, 0.5), 1:4, c(low = 0.1, high = 1 / 3), c(TRUE, FALSE), as.Date("2024-05-01") + 0:2,
    as.POSIXct("2024-05-01", tz = "Asia/Tokyo") + 0:2 * 3600, factor(c("mid", "low", "high")),
    factor(c("mid", "low"), c("low", "mid"), ordered = TRUE),
    list(fast = 1, slow = list(a = "x", b = 1:3)), list(c(lr = 0.1), c(lr = 0.2)),
    data.frame(row.names = 1:3)
  )
}

test_that("arms of every kind come back, and the same call goes on", {
  for (arms in kinds()) {
    file <- fresh_file()
    once <- function(...) 2
    x <- bayesgap(arms, once, budget = 2, checkpoint = file, seed = 1)
    expect_identical(read_run(file)$model$arms, x$model$arms)
    longer <- quietly(bayesgap(arms, once, budget = 3, checkpoint = file, seed = 1))
    expect_identical(longer$log$pull, 1:3)
    save_run(x, other <- fresh_file())
    expect_identical(read_run(other), x)
    expect_error(
      bayesgap(c("other", "arms"), once, budget = 2, checkpoint = file, seed = 1), "`arms`",
      class = "bayesgap_error_checkpoint"
    )
  }
})

test_that("names made of times are those of the zone in which the run was made", {
  old <- Sys.getenv("TZ", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("TZ") else Sys.setenv(TZ = old))
  Sys.setenv(TZ = "Europe/Berlin")
  x <- bayesgap(as.POSIXct("2024-05-01 12:00") + 0:1 * 3600, budget = 2, seed = 1)
  save_run(x, file <- fresh_file())
  Sys.setenv(TZ = "America/New_York")
  expect_identical(posterior(read_run(file))$arm, c("2024-05-01 12:00:00", "2024-05-01 13:00:00"))
})

test_that("rows that were numbered in a file are numbered when they are read", {
  saved <- data.frame(arm = c("1", "2"), dose = c(5, 7))
  arms <- read_arms(saved)
  expect_identical(arms$names, c("1", "2"))
  expect_false(has_names(arms))
  expect_identical(given_arms(arms), saved)
  # The same rows without names go on from such a file.
  once <- function(arm) arm$temp
  for (rows in list(1:9, c(8, 2, 5))) {
    rows <- ligands()[rows, ]
    file <- fresh_file()
    x <- bayesgap(
      cbind(arm = row.names(rows), rows), once, budget = 3, seed = 1, checkpoint = file
    )
    y <- quietly(bayesgap(rows, once, budget = 5, seed = 1, checkpoint = file))
    expect_identical(y$log, bayesgap(rows, once, budget = 5, seed = 1)$log)
    expect_identical(y$log$arm[1:3], x$log$arm)
    rows$temp <- rev(rows$temp) + 1
    expect_error(
      bayesgap(rows, once, budget = 5, seed = 1, checkpoint = file), "`arms`",
      class = "bayesgap_error_checkpoint"
    )
  }
})

test_that("what is no list of arms is refused", {
  tamper <- function(arms, ...) {
    expect_error(read_arms(utils::modifyList(as_arms(arms), list(...), keep.null = TRUE)))
  }
  values <- c(0.1, 0.2)
  expect_identical(read_arms(as_arms(values)), as_arms(values))
  tamper(values, names = c("0.1", "0.1"))
  tamper(values, names = "0.1")
  tamper(values, named = NA)
  tamper(values, kind = "name")
  tamper(values, kind = "item")
  tamper(values, items = list(1, 2))
  read <- as_arms(values)
  for (value in list(
    c(0.1, NA), c("a", "b"), list(1, 2), structure(values, class = "other"), 1:3,
    structure(values, class = c("other", "Date")), matrix(values), c(1i, 2i),
    structure(1:2, class = "factor", levels = "a")
  )) {
    read$data <- structure(list(value = value), class = "data.frame", row.names = 1:2)
    expect_error(read_arms(read))
  }
  rows <- as_arms(ligands()[1:2, ])
  for (bad in list(
    structure(rows$data, row.names = c(1L, 1L)), structure(rows$data, row.names = 1:3),
    structure(rows$data, note = 1), cbind(rows$data, y = 1), cbind(rows$data, arm = 1:2),
    structure(rows$data, class = c("other", "data.frame")), NULL, 1
  )) {
    expect_error(read_arms(replace(rows, "data", list(bad))))
  }
  expect_error(read_arms(replace(rows, "named", TRUE)))
  items <- as_arms(list(a = 1, b = 2))
  for (bad in list(list(1), list(1, NULL), list(1, 2:3), c(1, 2), NULL, list(x = 1, y = 2))) {
    expect_error(read_arms(replace(items, "items", list(bad))))
  }
})

test_that("functions end in no file, and the message says what to do", {
  arms <- list(fast = sin, slow = cos)
  x <- bayesgap(arms, function(arm) arm(1), budget = 3, seed = 1)
  expect_snapshot(error = TRUE, {
    save_run(x, tempfile())
    bayesgap(arms, function(arm) arm(1), budget = 3, checkpoint = tempfile())
    save_run(bayesgap(list(a = list(f = sin), b = 1), budget = 3), tempfile())
  })
})
