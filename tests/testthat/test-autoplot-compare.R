skip_if_not_installed("ggplot2")

test_that("runs are compared under their names, also from a file", {
  close <- on_a_device()
  on.exit(close())
  x <- small_run()
  y <- small_run(seed = 5, policy = "thompson")
  file <- fresh_file()
  save_run(y, file)
  expect_named(compared_runs(x, list(y, thompson = file)), c("run 1", "run 2", "thompson"))
  expect_no_warning(built <- drawn(x, "compare", y, thompson = file))
  looks <- policy_looks(c("run 1", "run 2", "thompson"))
  expect_setequal(unique(built$data[[2]]$colour), looks$colour)
  points <- built$data[[2]]
  top <- points[points$PANEL == 1, ]
  expect_equal(sort(top$y), sort(c(posterior(x)$mean, rep(posterior(y)$mean, 2))))
  expect_identical(sum(top$shape == 18), 3L)
  expect_no_warning(drawn(file, "compare", x))
})

test_that("the arms are what any run recommends or thinks likely, the best first", {
  table <- data.frame(
    arm = rep(letters[1:4], 2), mean = c(4:1, 4:1), p_best = c(0.7, 0.3, 0, 0, 0.2, 0.1, 0.7, 0),
    best = c(TRUE, FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, FALSE)
  )
  expect_identical(compared_arms(table, TRUE, 3L), c("a", "b", "c"))
  expect_identical(compared_arms(table, FALSE, 3L), c("c", "b", "a"))
  many <- bayesgap(40, budget = 5, seed = 1)
  expect_match(drawn(many, "compare", many)$plot$labels$caption, "the likeliest 12 of 40 arms")
})

test_that("what cannot be compared is refused by class", {
  x <- bayesgap(3, budget = 3)
  compare <- function(...) ggplot2::autoplot(x, "compare", ...)
  expect_error(compare(), "nothing to compare", class = "bayesgap_error_compare")
  small <- bayesgap(3, budget = 3, maximise = FALSE)
  expect_error(compare(other = small), "for large rewards, and \"other\" for small ones",
    class = "bayesgap_error_compare")
  expect_error(ggplot2::autoplot(small, "compare", other = x),
    "for small rewards, and \"other\" for large ones", class = "bayesgap_error_compare")
  expect_error(compare(bayesgap(letters[1:3], budget = 3)), "none of the arms",
    class = "bayesgap_error_compare")
  expect_error(compare(3), class = "bayesgap_error_run")
  expect_error(ggplot2::autoplot(x, "arms", x), class = "bayesgap_error_argument")
})
