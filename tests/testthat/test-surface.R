oven_grid <- expand.grid(temperature = seq(180, 250, by = 10), minutes = seq(20, 50, by = 5))

test_that("the columns are those of the kernel, numbers first, also from a file", {
  columns <- function(data, kernel) surface_columns(arm_model(data, kernel = kernel), NULL)
  data <- data.frame(g = c("a", "b", "a"), u = 1:3, v = c(2, 5, 1), w = c(1, 1, 2))
  expect_identical(columns(data, k_se(~ v + w)), c("v", "w"))
  expect_identical(columns(data, k_by(~g, k_se(~u))), "u")
  expect_identical(columns(data, k_se(~ log(v)) + k_linear(~u)), c("u", "v"))
  expect_identical(columns(data, k_factor(~g)), "g")
  expect_identical(columns(data, NULL), c("u", "v"))
  expect_identical(columns(data, function(a, b) diag(3)), c("u", "v"))
  file <- fresh_file()
  save_run(bayesgap(data, budget = 4, kernel = k_se(~ v + w)), file)
  expect_identical(surface_columns(read_run(file)$model, NULL), c("v", "w"))
})

test_that("what are no columns is refused by class", {
  model <- arm_model(oven_grid)
  for (bad in list(1, character(), NA_character_, c("minutes", "minutes"), letters[1:3])) {
    expect_error(surface_columns(model, bad), class = "bayesgap_error_columns")
  }
  expect_error(surface_columns(model, "minuts"), "Did you mean \"minutes\"", fixed = TRUE,
    class = "bayesgap_error_columns")
  expect_error(surface_columns(arm_model(3), NULL), "no columns", class = "bayesgap_error_surface")
})

test_that("values stand at their numbers, their logarithms, or in order", {
  expect_identical(axis_places(c(3, 1, 2))$at, c(3, 1, 2))
  expect_equal(axis_places(c(0.01, 1, 0.1))$at, c(-2, 0, -1))
  expect_false(axis_places(c(1, 2, 4))$log)
  expect_no_warning(expect_false(axis_places(c(-1, 10, 100))$log))
  expect_identical(axis_places(c("b", "a"))$at, c(2L, 1L))
  expect_identical(axis_places(factor(c("low", "high"), c("low", "mid", "high")))$at, 1:2)
  expect_identical(axis_breaks(axis_places(c(0.01, 1, 0.1)))$labels, c("0.01", "0.1", "1"))
  expect_equal(axis_breaks(axis_places(1:100 / 4))$at, seq(5, 25, by = 5))
  expect_equal(axis_breaks(axis_places(10^(seq(-30, 30) / 10)))$at, -3:3)
  dates <- as.Date("2024-01-01") + 0:2
  expect_identical(axis_breaks(axis_places(dates))$labels, as.character(dates))
})

test_that("cells meet half way", {
  ends <- cell_ends(c(1, 4, 2))
  expect_equal(ends$low, c(0.5, 3, 1.5))
  expect_equal(ends$high, c(1.5, 5, 3))
  expect_equal(cell_ends(c(7, 7)), list(low = c(6.5, 6.5), high = c(7.5, 7.5)))
  expect_true(is_grid(oven_grid$temperature, oven_grid$minutes))
  expect_false(is_grid(1:20, c(3, 1, 2, 4:20)))
})

test_that("every place has one row, the best arm for it and the pulls of all", {
  data <- expand.grid(u = 1:3, v = 1:2, w = 1:12) # too many for panels
  x <- bayesgap(data, budget = 9, prior_mean = 0, prior_sd = 1, noise_sd = 0.1, seed = 1)
  told <- data.frame(u = c(2, 2, 2, 1), v = 1, w = c(3, 5, 5, 1), y = c(1, 2, 2, -1), pull = NA)
  x <- tell(x, told)
  table <- surface_table(x, c("u", "v"), 0.95, certainty(x))
  expect_identical(nrow(table), 6L)
  place <- table[table$u == 2 & table$v == 1, ]
  expect_identical(place$pulls, 3L)
  expect_true(place$best)
  expect_identical(data$w[place$arm], 5L)
  expect_equal(place$mean, posterior(x)$mean[place$arm])
  expect_true(attr(table, "several"))
  expect_identical(attr(table, "hides"), "w")
  expect_gt(table$mean[table$u == 1 & table$v == 1], -0.5) # not the one that was pulled
})

test_that("few values of other columns make panels, in their order", {
  data <- expand.grid(u = 1:3, v = 1:2, g = c("z", "a"))
  panels <- surface_panels(arm_model(data), c("u", "v"))
  expect_identical(levels(panels), c("g = z", "g = a"))
  expect_identical(as.integer(panels), rep(1:2, each = 6))
  expect_identical(nlevels(surface_panels(arm_model(oven_grid), names(oven_grid))), 1L)
})
