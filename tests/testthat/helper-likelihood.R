# The gradient of explain() at some values is that by differences of its value.
expect_numerical_gradient <- function(task, par) {
  numeric <- vapply(seq_along(par), function(i) {
    step <- replace(0 * par, i, 1e-5)
    (explain(task, par + step)$value - explain(task, par - step)$value) / 2e-5
  }, 0)
  expect_equal(unname(explain(task, par)$gradient), numeric, tolerance = 1e-5)
}
