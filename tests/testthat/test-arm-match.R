# Which arm is meant, by name, number or columns; what is given for every arm.

test_that("the arms' columns must agree with `pull` and with `arm`", {
  x <- bayesgap(ligands(), budget = 9, seed = 1)
  x <- tell(x, cbind(ask(x, 3), y = 1:3))
  asked <- ask(x)
  other <- ligands()[if (asked$arm == "C, 60") 1 else 9, ]
  expect_error(
    tell(x, data.frame(pull = 4, other, y = 99)),
    paste0("ligand = ", other$ligand, ", temp = ", other$temp, ".*pull`, 4, asked for arm.*",
      "ligand = ", asked$ligand, ", temp = ", asked$temp), class = "bayesgap_error_arm"
  )
  # Any part of them counts.
  expect_error(tell(x, data.frame(pull = 4, temp = 21, y = 99)), class = "bayesgap_error_arm")
  expect_error(
    tell(x, data.frame(pull = 4, arm = "A, 20", ligand = "C", temp = 60, y = 99)),
    "ligand = C, temp = 60, but its `arm` is \"A, 20\" .ligand = A, temp = 20",
    class = "bayesgap_error_arm"
  )
  told <- tell(x, data.frame(pull = 4, asked[c("ligand", "temp")], y = 99))
  expect_identical(as.data.frame(told)$arm[4], asked$arm)
  expect_identical(tell(x, data.frame(pull = 4, y = 99))$log, told$log)
  missing <- data.frame(pull = 4, arm = asked$arm, ligand = NA, y = 99)
  expect_identical(tell(x, missing)$log, told$log)
  # A pull asked of an earlier state is found by its columns, which is said.
  expect_message(late <- tell(x, data.frame(pull = 6, other, y = 99)), "Pull 6 is taken for arm")
  expect_identical(as.data.frame(late)$arm[4], with(other, paste0(ligand, ", ", temp)))
  expect_error(
    ask(x, pending = data.frame(pull = 4, arm = "A, 20", ligand = "C")), "ligand = C",
    class = "bayesgap_error_arm"
  )
  same <- ask(x, pending = data.frame(pull = 4, arm = "A, 20"))
  expect_identical(ask(x, pending = data.frame(pull = 4, ligand = "A", temp = 20)), same)
})

test_that("of a run that was told nothing, any pull must have the columns of its arm", {
  x <- bayesgap(ligands(), budget = 9, seed = 1)
  for (rule in batch_rules) {
    asked <- ask(x, 5, batch = rule)
    told <- tell(x, data.frame(asked[4, c("pull", "ligand", "temp")], y = 99))
    expect_identical(as.data.frame(told)$arm, asked$arm[4])
  }
  arms <- c(ask(x, 4)$arm[4], ask(x, 4, batch = "distinct")$arm[4])
  named <- with(ligands(), paste0(ligand, ", ", temp))
  other <- ligands()[which(!named %in% arms)[1], ]
  expect_error(
    tell(x, data.frame(pull = 4, other, y = 99)), "its `pull`, 4, asked for arm",
    class = "bayesgap_error_arm"
  )
})

test_that("without `pull` and `arm` the arms' columns find the arm", {
  x <- bayesgap(ligands(), budget = 9, seed = 1)
  found <- data.frame(temp = c("40", "20.0"), ligand = c("B", "C"), y = 1:2)
  told <- suppressMessages(tell(x, found))
  expect_identical(as.data.frame(told)$arm, c("B, 40", "C, 20"))
  expect_error(tell(x, data.frame(ligand = "B", y = 1)), "fits 3 arms",
    class = "bayesgap_error_arm")
  expect_error(
    tell(x, data.frame(ligand = "B", temp = 45, y = 1)), "temp = 45.*no arm",
    class = "bayesgap_error_arm"
  )
  expect_identical(predict(x, ligands()[c(5, 2), ])$arm, c("B, 40", "A, 40"))
  expect_error(tell(open_run(), data.frame(ligand = "B", y = 1)), class = "bayesgap_error_tell")
})

test_that("rows that come again find the same arm, and the first one that fits none is named", {
  arms <- as_arms(data.frame(u = c(0.3, 0.3, 1), v = c("a", "b", "a")))
  rows <- data.frame(u = c(1, 0.1 + 0.2, 0.3, 1, 0.3, 0.3), v = c("a", "a", "b", "a", "a", "b"))
  expect_identical(find_rows(arms, rows, "y"), c(3L, 1L, 2L, 3L, 1L, 2L))
  expect_identical(find_rows(arms, rows, "y", 2:3), 1:2)
  expect_identical(find_rows(arms, rows[0, ], "y"), integer())
  strange <- rbind(rows, data.frame(u = c(2, 1, 2), v = "a"))
  expect_error(
    find_rows(arms, strange, "y"), "Row 7 of `y` .*fits no arm", class = "bayesgap_error_arm"
  )
})

test_that("values are the same after a csv file, whatever their class", {
  skip_if_read_inexactly()
  arms <- data.frame(
    share = c(1 / 3, 2 / 3, 1e-300, 1e9), label = c("T", "F", NA, "007"),
    code = c("01", "02", "03", "4"),
    g = factor(c("10", "9", "8", "7")), flag = c(TRUE, FALSE, NA, TRUE),
    day = as.Date("2020-01-01") + 0:3, at = as.POSIXct("2020-01-01", tz = "UTC") + 3600 * (0:3)
  )
  file <- tempfile(fileext = ".csv")
  x <- bayesgap(arms, budget = 6, seed = 1)
  todo <- ask(x, 4)
  write.csv(cbind(todo, y = 1:4), file, row.names = FALSE)
  read <- read.csv(file)
  told <- tell(x, read)
  expect_identical(as.data.frame(told)$arm, todo$arm)
  read$arm <- NULL
  expect_identical(tell(x, read)$log, told$log)
  read$pull <- NA
  expect_identical(tell(x, read)$log$arm, told$log$arm)
  read$share[1] <- read$share[1] * (1 + 1e-6)
  expect_error(tell(x, read), class = "bayesgap_error_arm")
})

test_that("numbers that name arms are matched as numbers", {
  x <- bayesgap(100001, budget = 3, seed = 1)
  told <- suppressMessages(tell(x, data.frame(arm = c(1e5, 100001), y = 1)))
  expect_identical(as.data.frame(told)$arm, 100000:100001)
  expect_identical(predict(x, 1e5)$arm, 100000L)
  y <- bayesgap(c("01", "02", "1e5", "2", "two"), budget = 3, seed = 1)
  expect_identical(predict(y, c(1, 1e5))$arm, c("01", "1e5"))
  expect_identical(predict(y, 2)$arm, "2")
  expect_error(predict(x, 0.5), class = "bayesgap_error_arm")
  expect_error(predict(x, NaN), class = "bayesgap_error_arm")
})

test_that("names meet arms by one rule, whatever they are the names of", {
  shuffled <- c("c", "a", "b")
  cov <- diag(3:1)
  dimnames(cov) <- list(shuffled, shuffled)
  value <- c(c = 3, a = 1, b = 2)
  past <- matrix(c(1, 2, 4, 0, 1, 0.5, 2, 2, 3), 3, dimnames = list(NULL, shuffled))
  features <- matrix(3:1, 3, dimnames = list(shuffled, NULL))
  named <- c("a", "b", "c")
  expect_equal(diag(arm_model(named, cov = cov)$prior$cov), c(2, 1, 3))
  expect_equal(arm_model(named, prior_mean = value)$prior_mean, 1:3)
  expect_equal(arm_model(named, noise_sd = value)$noise_sd, 1:3)
  expect_equal(arm_model(named, features = features)$prior$factor, matrix(c(2, 1, 3)))
  expect_equal(
    arm_model(named, history = past)$prior_mean, unname(colMeans(past)[c("a", "b", "c")])
  )
  # Arms without names of their own: names say nothing, unless they are their numbers.
  for (arms in list(3, data.frame(u = 1:3))) {
    expect_equal(arm_model(arms, prior_mean = value)$prior_mean, c(3, 1, 2))
    expect_equal(diag(arm_model(arms, cov = cov)$prior$cov), 3:1)
    expect_equal(arm_model(arms, features = features)$prior$factor, matrix(c(3, 2, 1)))
    expect_equal(arm_model(arms, history = past)$prior_mean, unname(colMeans(past)))
    expect_equal(arm_model(arms, prior_mean = c("3" = 30, "1" = 10, "2" = 20))$prior_mean,
                 c(10, 20, 30))
  }
  # The numbers of their rows find them, those of a part of a data frame too.
  part <- data.frame(u = c(0.2, 0.4, 0.6, 0.8))[c(4, 2, 3), , drop = FALSE]
  expect_equal(arm_model(part, features = as.matrix(part[3:1, 1, drop = FALSE]))$prior$factor,
               matrix(c(0.8, 0.4, 0.6)))
  expect_equal(arm_model(part, features = unname(as.matrix(part)))$prior$factor,
               matrix(c(0.8, 0.4, 0.6)))
  # So do their values; one that is wrong is not taken for nothing.
  expect_equal(arm_model(part, prior_mean = c("0.4" = 4, "0.8" = 8, "0.6" = 6))$prior_mean,
               c(8, 4, 6))
  expect_error(arm_model(part, prior_mean = c("0.4" = 4, "0.8" = 8, "0.7" = 7)), "no arm \"0.7\"",
               class = "bayesgap_error_model")
  expect_equal(arm_model(c(3, 1, 2), prior_mean = c("1" = 1, "2" = 2, "3" = 3))$prior_mean,
               c(3, 1, 2))
  expect_equal(arm_model(c(4, 5, 6), prior_mean = c("1" = 1, "2" = 2, "3" = 3))$prior_mean, 1:3)
  # Named arms refuse others' names.
  strange <- structure(1:3, names = c("a", "b", "d"))
  expect_error(arm_model(named, prior_mean = strange), "no arm \"d\"",
               class = "bayesgap_error_model")
  expect_error(arm_model(named, noise_sd = strange), class = "bayesgap_error_noise")
  # A data frame's own numbers are no names.
  expect_equal(
    arm_model(named, features = data.frame(v = 3:1))$prior$factor, matrix(c(3, 2, 1))
  )
})

test_that("rows are known by their names, and by their numbers where no name is a number", {
  x <- bayesgap(ligands(), budget = 9, init = c("C, 60", "A, 20"), seed = 1)
  expect_identical(ask(x, 2)$arm, c("C, 60", "A, 20"))
  expect_identical(bayesgap(ligands(), budget = 9, init = c(9, 1), seed = 1)$init, x$init)
  expect_identical(predict(x, "5")$arm, "B, 40")
  told <- suppressMessages(tell(x, data.frame(arm = 3, y = 1)))
  expect_identical(as.data.frame(told)$arm, "A, 60")
  expect_error(predict(x, 10), "9 arms, named by their values: \"A, 20\"",
    class = "bayesgap_error_arm"
  )
  part <- ligands()[c(8, 2, 5), ]
  expect_identical(predict(bayesgap(part, budget = 3), c(2, 5))$arm, c("A, 40", "B, 40"))
  # 3 would be a dose or a row.
  doses <- bayesgap(data.frame(dose = c(2, 4, 1, 8)), budget = 4, seed = 1)
  expect_identical(predict(doses, 1)$arm, "1")
  expect_error(predict(doses, 3), "There is no arm \"3\"", class = "bayesgap_error_arm")
  expect_error(tell(doses, data.frame(arm = 3, y = 1)), class = "bayesgap_error_arm")
  expect_error(predict(bayesgap(c("a", "b"), budget = 3), 1), class = "bayesgap_error_arm")
})

test_that("values find their arms, however their names are rounded", {
  thirds <- c(1, 2, 4) / 3
  for (arms in list(thirds, data.frame(u = thirds))) {
    x <- bayesgap(arms, budget = 3, seed = 1)
    expect_identical(posterior(x)$arm, c("0.3333", "0.6667", "1.333"))
    expect_identical(predict(x, thirds[3:2])$arm, c("1.333", "0.6667"))
    expect_identical(predict(x, 0.6667)$arm, "0.6667")
    expect_error(predict(x, 0.66), class = "bayesgap_error_arm")
  }
  named <- bayesgap(c(low = 0.1, high = 0.9), budget = 3, seed = 1)
  expect_identical(predict(named, 0.9)$arm, "high")
  expect_identical(predict(named, data.frame(value = 0.9))$arm, "high")
  days <- as.Date("2024-02-28") + 0:2
  x <- bayesgap(days, budget = 3, seed = 1)
  expect_identical(predict(x, days[2])$arm, "2024-02-29")
  times <- as.POSIXct("2024-02-28", tz = "Asia/Tokyo") + 0:2 * 3600
  x <- bayesgap(times, budget = 3, seed = 1)
  expect_identical(predict(x, times[2])$arm, "2024-02-28 01:00:00")
  elsewhere <- as.POSIXct("2024-02-28 01:00", tz = "UTC") # nine hours later
  expect_error(predict(x, elsewhere), class = "bayesgap_error_arm")
  expect_identical(predict(x, elsewhere - 9 * 3600)$arm, "2024-02-28 01:00:00")
  expect_identical(predict(bayesgap(c(FALSE, TRUE), budget = 3), TRUE)$arm, "TRUE")
})

test_that("arms that are values can be told by way of a csv file", {
  kinds <- list(
    c(0.1, 1 / 3, 1e5, 1e-7), c(TRUE, FALSE), as.Date("2024-02-28") + 0:2, factor(c("01", "2")),
    as.POSIXct("2024-02-28 12:00", tz = "Asia/Tokyo") + 0:2 * 3600, c(low = 1, high = 2)
  )
  for (arms in kinds) {
    x <- bayesgap(arms, budget = 4, seed = 1)
    todo <- ask(x, 4)
    file <- tempfile(fileext = ".csv")
    write.csv(cbind(todo, y = 1:4), file, row.names = FALSE)
    told <- tell(x, read.csv(file))
    expect_identical(as.data.frame(told)$arm, todo$arm)
    expect_identical(tell(x, read.csv(file)[c("pull", "value", "y")])$log, told$log)
    expect_identical(tell(x, read.csv(file)[c("pull", "arm", "y")])$log, told$log)
  }
})
