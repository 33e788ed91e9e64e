test_that("arms are numbers, names or rows, and come back as they were given", {
  f <- function(arm) 1
  expect_identical(best_arm(bayesgap(1, f, budget = 1)), 1L)
  expect_identical(best_arm(bayesgap("a", f, budget = 1)), "a")
  expect_identical(best_arm(bayesgap(factor("b"), f, budget = 1)), "b")
  row <- best_arm(bayesgap(data.frame(x = 2, z = "u"), f, budget = 1))
  expect_identical(row, data.frame(arm = "2, u", x = 2, z = "u"))
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
    b(TRUE)
    b(list(1, 2))
    b(c(1, NA))
    b(c(1, Inf))
    b(c(0.1, 0.2, 0.1))
    b(factor(c("a", "b", "a")))
    b(as.Date(c("2024-01-01", NA)))
    b(as.difftime(1:2, units = "mins"))
    b(matrix(1:4, 2))
    b(matrix(letters[1:4], 2))
    b(lm(dist ~ speed, cars))
    b(data.frame())
    b(data.frame(arm = c("a", "a")))
    b(data.frame(x = I(list(1, 2))))
    b(data.frame(dose = c(1, 2, 1), drug = "x"))
    b(data.frame(y = 1:2))
    b(data.frame(x = 1:2, y = 1:2, se = 1))
    bayesgap(data.frame(trials = 1:2), budget = 2, family = "binomial")
    b(list())
    b(list(sin, cos))
    b(list(lr = c(0.1, 0.2), depth = 1:3))
    b(list(a = 1, 2))
    b(list(a = 1, b = NULL))
    b(list(a = 1, a = 2))
    b(list(list(lr = 0.1, net = list(1, 2))))
    b(list(c(lr = 0.1), list(lr = 0.1)))
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
    bayesgap(data.frame(u = c(1, NA)), budget = 3, kernel = k_se(~u)), "`u`.*NA for arm \"NA\"",
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

test_that("values are arms: the objective and best_arm() have them as they were given", {
  times <- as.POSIXct("2024-05-01", tz = "UTC") + 3600 * 0:2
  for (arms in list(c(0.1, 0.2, 0.5), 1:4, c(FALSE, TRUE), as.Date("2024-05-01") + 0:2, times)) {
    seen <- list()
    x <- bayesgap(arms, function(arm) {
      seen[[length(seen) + 1L]] <<- arm
      as.numeric(arm) + rnorm(1, sd = 1e-3)
    }, budget = 8, seed = 1, family = "gaussian")
    expect_setequal(unique(do.call(c, seen)), arms)
    expect_identical(best_arm(x), arms[length(arms)])
    expect_identical(as.data.frame(x)$value, do.call(c, seen))
    expect_identical(as.data.frame(x)$arm, value_text(arms)[match(do.call(c, seen), arms)])
    expect_identical(names(ask(bayesgap(arms, budget = 2))), c("pull", "arm", "value"))
  }
  lt <- bayesgap(as.POSIXlt(times), budget = 2)
  expect_identical(lt$model$arms, as_arms(times))
  expect_identical(best_arm(bayesgap(c(low = 1, high = 3), identity, 4, seed = 1, noise_sd = 0)), 3)
  expect_identical(posterior(bayesgap(c(low = 1, high = 3), budget = 4))$arm, c("low", "high"))
  expect_identical(posterior(bayesgap(c(low = 1, high = 1), budget = 4))$arm, c("low", "high"))
})

test_that("a factor's labels are the arms, in the order in which they come", {
  arms <- factor(c("mid", "low", "high"), c("low", "mid", "high", "none"))
  x <- bayesgap(arms, function(arm) nchar(arm), budget = 6, seed = 1)
  expect_identical(best_arm(x), "high")
  expect_identical(posterior(x)$arm, c("mid", "low", "high"))
  expect_s3_class(as.data.frame(x)$value, "factor")
})

test_that("values have a kernel at once", {
  smooth <- function(x) exp(-as.matrix(dist(as.numeric(x)))^2 / 2)
  for (arms in list(1:4, c(TRUE, FALSE), as.Date("2024-05-01") + c(0, 1, 3))) {
    expect_equal(
      kernel_matrix(k_se(~ value, lengthscale = 1), arms), smooth(arms), ignore_attr = TRUE
    )
    expect_equal(
      kernel_matrix(k_matern(), arms), kernel_matrix(k_matern(), data.frame(u = as.numeric(arms))),
      ignore_attr = TRUE
    )
  }
  expect_equal(kernel_matrix(k_factor(), factor(c("b", "a"))), diag(2), ignore_attr = TRUE)
  expect_error(bayesgap(10, budget = 5, kernel = k_se()), "1:10", class = "bayesgap_error_kernel")
  expect_error(
    bayesgap(list(a = sin, b = cos), budget = 5, kernel = k_se()), class = "bayesgap_error_kernel"
  )
})

test_that("elements of a list are arms: functions, settings, or anything else", {
  arms <- list(fast = function(z) z, slow = function(z) z^2)
  x <- bayesgap(arms, function(arm) arm(3), budget = 4, noise_sd = 0, seed = 1)
  expect_identical(best_arm(x), arms$slow)
  expect_identical(posterior(x)$arm, c("fast", "slow"))
  expect_identical(names(as.data.frame(x)), c("pull", "arm", "y", "se", "error"))
  expect_identical(tell(bayesgap(arms, budget = 3), data.frame(arm = "slow", y = 1))$log$arm, 2L)
  settings <- list(list(lr = 0.1, depth = 3), list(lr = 0.2, depth = 1), c(lr = 0.3))
  x <- bayesgap(settings, function(arm) arm[["lr"]], budget = 6, noise_sd = 0, seed = 1)
  expect_identical(best_arm(x), c(lr = 0.3))
  expect_identical(posterior(x)$arm, c("lr = 0.1, depth = 3", "lr = 0.2, depth = 1", "lr = 0.3"))
  tables <- split(cars, cars$speed > 15)
  x <- bayesgap(tables, function(arm) mean(arm$dist), budget = 3, noise_sd = 0, seed = 1)
  expect_identical(best_arm(x), tables$`TRUE`)
  control <- bayesgap(arms, budget = 4, blocks = 2, control = "slow", seed = 1)
  expect_identical(update(control, prior_sd = 2)$model$control, 2L)
})

test_that("what a user has of a table makes arms", {
  table <- data.frame(
    day = as.Date("2024-05-01") + 0:1, drug = factor(c("x", "y")), dose = c(0.5, NA), on = TRUE
  )
  expect_identical(as_arms(table)$names, c("2024-05-01, x, 0.5, TRUE", "2024-05-02, y, NA, TRUE"))
  tibble <- structure(table, class = c("tbl_df", "tbl", "data.frame"))
  expect_identical(as_arms(tibble), as_arms(table))
  other <- structure(table, class = c("data.table", "data.frame")) # by its class
  expect_identical(as_arms(other), as_arms(table))
})

test_that("rows are named by their values in all output", {
  oven <- expand.grid(temperature = c(200, 220), minutes = c(30, 35))
  x <- bayesgap(oven, function(arm) arm$temperature + arm$minutes, budget = 6, noise_sd = 0, seed = 1)
  expect_identical(best_arm(x), data.frame(arm = "220, 35", temperature = 220, minutes = 35))
  named <- c("200, 30", "220, 30", "200, 35", "220, 35")
  expect_identical(posterior(x)$arm, named)
  expect_identical(names(coef(x)), named)
  expect_true(all(as.data.frame(x)$arm %in% named))
  expect_output(print(x), "P(220, 35 is best)", fixed = TRUE)
  # A column `arm`, or row names that are text, are names.
  expect_identical(as_arms(cbind(oven, arm = letters[1:4]))$names, letters[1:4])
  row.names(oven) <- c("101", "102", "103", "104")
  expect_identical(as_arms(oven)$names, row.names(oven))
  expect_identical(as_arms(data.frame(row.names = 1:2))$names, c("1", "2"))
})

test_that("columns that a run has of its own are refused, and the message renames them", {
  refused <- function(name, ...) {
    arms <- structure(data.frame(u = 1:2, v = 3:4), names = c("u", name))
    renamed <- paste0("names(arms)[2] <- \"", name, "_setting\"")
    expect_error(bayesgap(arms, budget = 2, ...), renamed, fixed = TRUE,
                 class = "bayesgap_error_arms")
    eval(str2lang(renamed))
    expect_s3_class(bayesgap(arms, budget = 2, ...), "bayesgap")
  }
  for (name in c("pull", "block", "y", "se", "error")) refused(name)
  for (name in c("size", "successes", "trials")) refused(name, family = "binomial")
  for (name in c("size", "count", "exposure")) refused(name, family = "poisson")
  # Without a family these are names like others.
  x <- bayesgap(data.frame(size = c(1, 4), count = 2, value = 3), budget = 2, seed = 1)
  x <- tell(x, cbind(ask(x), y = 1))
  expect_identical(names(as.data.frame(x))[5:7], c("size", "count", "value"))
})
