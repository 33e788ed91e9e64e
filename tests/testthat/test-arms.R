test_that("arms are numbers, names or rows, and come back as they were given", {
  f <- function(arm) 1
  expect_identical(best_arm(bayesgap(1, f, budget = 1)), 1L)
  expect_identical(best_arm(bayesgap("a", f, budget = 1)), "a")
  expect_identical(best_arm(bayesgap(factor("b"), f, budget = 1)), "b")
  row <- best_arm(bayesgap(data.frame(x = 2, z = "u"), f, budget = 1))
  expect_identical(row, data.frame(arm = "1", x = 2, z = "u"))
  named <- data.frame(x = 1:2, row.names = c("low", "high"))
  expect_identical(as_arms(named)$names, c("low", "high"))
  column <- data.frame(x = 1:2, arm = c("p", "q"))
  expect_identical(as_arms(column)$names, c("p", "q"))
  expect_identical(names(as_arms(column)$data), "x")
})

test_that("the objective gets the number, the name or the row", {
  seen <- list()
  keep <- function(arm) {
    seen[[length(seen) + 1L]] <<- arm
    1
  }
  bayesgap(2, keep, budget = 1, seed = 1)
  bayesgap(c("a", "b"), keep, budget = 1, seed = 1)
  bayesgap(data.frame(x = c(5, 6), g = factor(c("u", "v"))), keep, budget = 1, seed = 1)
  expect_true(seen[[1]] %in% 1:2 && is.integer(seen[[1]]))
  expect_true(seen[[2]] %in% c("a", "b"))
  expect_s3_class(seen[[3]], "data.frame")
  expect_equal(nrow(seen[[3]]), 1)
  expect_s3_class(seen[[3]]$g, "factor")
})

test_that("names are kept exactly, in every output", {
  odd <- c("a b", "\u00e4\u00f6\u4e2d", strrep("x", 300), "a,b\"c", "1.0", "NA ")
  x <- bayesgap(odd, function(arm) nchar(arm), budget = 8, seed = 1)
  expect_setequal(unique(as.data.frame(x)$arm), odd[unique(x$log$arm)])
  expect_identical(posterior(x)$arm, odd)
  expect_true(best_arm(x) %in% odd)
  expect_true(ask(tell(bayesgap(odd, budget = 3), 1))$arm %in% odd)
  expect_output(print(x), "6 arms")
})

test_that("bad arms are refused", {
  b <- function(arms) bayesgap(arms, budget = 2)
  expect_snapshot(error = TRUE, {
    bayesgap(budget = 2)
    b(NULL)
    b(character())
    b(c("a", NA))
    b(c("a", ""))
    b(c("a", "b", "a"))
    b(0)
    b(-3)
    b(2.5)
    b(NA)
    b(NA_real_)
    b(Inf)
    b(list(1, 2))
    b(c(1, 2))
    b(data.frame())
    b(data.frame(arm = c("a", "a")))
    b(data.frame(x = I(list(1, 2))))
    b(data.frame(y = 1:2))
  })
  expect_error(b(c("a", "a")), class = "bayesgap_error_arms")
  expect_error(b(c("a", "a")), class = "bayesgap_error")
})

test_that("columns of arms have names of their own and one value a row", {
  bad <- function(...) bayesgap(data.frame(..., check.names = FALSE), budget = 2)
  for (name in list(NA_character_, "")) {
    arms <- structure(list(1:2, 3:4), names = c("u", name), class = "data.frame", row.names = 1:2)
    expect_error(bayesgap(arms, budget = 2), "column 2", class = "bayesgap_error_arms")
  }
  expect_error(bad(u = 1:2, u = 3:4), "\"u\"", class = "bayesgap_error_arms")
  expect_error(bad(u = I(matrix(1:4, 2))), "`u`.*2 x 2", class = "bayesgap_error_arms")
  expect_error(bad(arm = I(list("a", "b"))), "`arm`", class = "bayesgap_error_arms")
})

test_that("names that are not text are refused", {
  skip_if_not(l10n_info()[["UTF-8"]])
  expect_error(bayesgap(c("\xff\xfe", "b"), budget = 3), "arm 1 is not text",
               class = "bayesgap_error_arms")
  x <- bayesgap(c("a", "b"), budget = 3)
  expect_error(tell(x, data.frame(arm = "\xff\xfe", y = 1)), class = "bayesgap_error_arm")
  expect_error(policy("\xff"), class = "bayesgap_error_policy")
  latin <- iconv("\u00e4", "UTF-8", "latin1")
  expect_identical(posterior(bayesgap(c(latin, "b"), budget = 3))$arm[1], "\u00e4")
})

test_that("a data frame of arms is kept in all output", {
  arms <- data.frame(dose = c(1, 2, 4), drug = factor(c("x", "y", "y")))
  x <- bayesgap(arms, budget = 4, seed = 1)
  expect_identical(names(ask(x)), c("pull", "arm", "dose", "drug"))
  todo <- ask(x, 2)
  todo$y <- 1:2
  x <- tell(x, todo)
  expect_identical(names(as.data.frame(x)), c("pull", "arm", "y", "se", "dose", "drug", "error"))
  expect_s3_class(as.data.frame(x)$drug, "factor")
  expect_identical(names(best_arm(x)), c("arm", "dose", "drug"))
})

test_that("names are refused or kept exactly, in print, table and csv", {
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
  names <- c(
    "a,b", "quote\"d", " blank ", "\u00e4\u00f6", "\u65e5\u672c", strrep("long", 500), "NA"
  )
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

# ---- Which arm is meant --------------------------------------------------------------------------

test_that("the arms' columns must agree with `pull` and with `arm`", {
  x <- bayesgap(ligands(), budget = 9, seed = 1)
  x <- tell(x, cbind(ask(x, 3), y = 1:3))
  asked <- ask(x)
  other <- ligands()[if (asked$arm == "9") 1 else 9, ]
  expect_error(
    tell(x, data.frame(pull = 4, other, y = 99)),
    paste0("ligand = ", other$ligand, ", temp = ", other$temp, ".*pull`, 4, asked for arm.*",
      "ligand = ", asked$ligand, ", temp = ", asked$temp), class = "bayesgap_error_arm"
  )
  # Any part of them counts.
  expect_error(tell(x, data.frame(pull = 4, temp = 21, y = 99)), class = "bayesgap_error_arm")
  expect_error(
    tell(x, data.frame(pull = 4, arm = "1", ligand = "C", temp = 60, y = 99)),
    "ligand = C, temp = 60, but its `arm` is \"1\" .ligand = A, temp = 20",
    class = "bayesgap_error_arm"
  )
  told <- tell(x, data.frame(pull = 4, asked[c("ligand", "temp")], y = 99))
  expect_identical(as.data.frame(told)$arm[4], asked$arm)
  expect_identical(tell(x, data.frame(pull = 4, y = 99))$log, told$log)
  missing <- data.frame(pull = 4, arm = asked$arm, ligand = NA, y = 99)
  expect_identical(tell(x, missing)$log, told$log)
  # A pull asked of an earlier state is found by its columns, which is said.
  expect_message(late <- tell(x, data.frame(pull = 6, other, y = 99)), "Pull 6 is taken for arm")
  expect_identical(as.data.frame(late)$arm[4], row.names(other))
  expect_error(
    ask(x, pending = data.frame(pull = 4, arm = "1", ligand = "C")), "ligand = C",
    class = "bayesgap_error_arm"
  )
  same <- ask(x, pending = data.frame(pull = 4, arm = "1"))
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
  other <- ligands()[setdiff(1:9, arms)[1], ]
  expect_error(
    tell(x, data.frame(pull = 4, other, y = 99)), "its `pull`, 4, asked for arm",
    class = "bayesgap_error_arm"
  )
})

test_that("without `pull` and `arm` the arms' columns find the arm", {
  x <- bayesgap(ligands(), budget = 9, seed = 1)
  found <- data.frame(temp = c("40", "20.0"), ligand = c("B", "C"), y = 1:2)
  told <- suppressMessages(tell(x, found))
  expect_identical(as.data.frame(told)$arm, c("5", "7"))
  expect_error(tell(x, data.frame(ligand = "B", y = 1)), "fits 3 arms",
    class = "bayesgap_error_arm")
  expect_error(
    tell(x, data.frame(ligand = "B", temp = 45, y = 1)), "temp = 45.*no arm",
    class = "bayesgap_error_arm"
  )
  expect_identical(predict(x, ligands()[c(5, 2), ])$arm, c("5", "2"))
  expect_error(tell(open_run(), data.frame(ligand = "B", y = 1)), class = "bayesgap_error_tell")
})

test_that("values are the same after a csv file, whatever their class", {
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
