test_that("`.` is all columns, inside k_by() all but the class", {
  set.seed(3)
  a <- some_arms_of(9)
  numbers <- a[c("u", "v", "flag")]
  expect_equal(matrix_of(k_se(lengthscale = 1), numbers), twin_se(numbers, 1))
  expect_equal(
    matrix_of(k_by(~g, k_se(~., 1)), cbind(numbers, g = a$g)),
    (twin_differ(a["g"]) == 0) * twin_se(numbers, 1)
  )
  nested <- k_by(~g, k_by(~h, k_se(~., 1)))
  expect_equal(matrix_of(k_by(~ g + h, k_se(~., 1)), a), matrix_of(nested, a))
  expect_equal(
    matrix_of(k_by(~g, k_factor(~., 0.5)), cbind(arm = 1:9, a[c("g", "h", "flag")])),
    (twin_differ(a["g"]) == 0) * 0.5^twin_differ(a[c("h", "flag")])
  )
  expect_equal(matrix_of(k_se(~ . - flag, 1), numbers), twin_se(a[c("u", "v")], 1))
  expect_error(kernel_matrix(k_by(~g, k_se()), cbind(arm = 1:9, a["g"])), class = "bayesgap_error_kernel")
  # A column that is called arm names the arms and is no feature.
  named <- data.frame(arm = c("a", "b", "c"), x = 1:3)
  expect_equal(unname(kernel_matrix(k_se(~., 1), named)), twin_se(1:3, 1))
  expect_equal(rownames(kernel_matrix(k_se(~., 1), named)), c("a", "b", "c"))
})

test_that("formulas transform columns, with variables of their environment", {
  set.seed(4)
  a <- some_arms_of(10)
  unit <- 3
  x <- cbind(log10(a$v), a$u / 3)
  expect_equal(matrix_of(k_se(~ log10(v) + I(u / unit), 1), a), twin_se(x, 1))
  p <- stats::poly(a$u, 2)
  expect_equal(matrix_of(k_se(~ poly(u, 2) + v, c(1, 2, 3)), a), twin_se(cbind(p, a$v), 1:3))
  expect_equal(
    matrix_of(k_se(~ poly(u, 2) + v, c(v = 3, `poly(u, 2)` = 2)), a),
    twin_se(cbind(p, a$v), c(2, 2, 3))
  )
  odd <- data.frame(`two words` = 1:3, check.names = FALSE)
  expect_equal(matrix_of(k_se(~`two words`, 1), odd), twin_se(1:3, 1))
  expect_equal(matrix_of(k_se(lengthscale = c(`two words` = 2)), odd), twin_se(1:3, 2))
  expect_equal(matrix_of(k_se(lengthscale = 1), odd), twin_se(1:3, 1))
  expect_equal(matrix_of(k_se(~ v + u, c(u = 5, v = 2)), a), twin_se(a[c("v", "u")], c(2, 5)))
})

test_that("columns with a learned length scale are standardised, others not", {
  set.seed(5)
  a <- some_arms_of(10)
  model <- arm_model(a, kernel = k_se(~ u + v, c(2, NA)))
  expect_equal(model$prior$kernel$x[, 1], a$u)
  expect_equal(model$prior$kernel$x[, 2], drop(standard(a$v)))
  params <- model$kernel$params
  expect_equal(params$name, c("lengthscale of u", "lengthscale of v"))
  expect_equal(params$free, c(FALSE, TRUE))
  expect_equal(params$start, c(2, 0.3 * sqrt(2)))
  expect_equal(params$centre[2], log(0.3 * sqrt(2)))
  expect_equal(params$unit, c(1, sd(a$v)))
  expect_equal(unname(kernel_values(model, c(2, 1))), c(2, sd(a$v)))
  named <- arm_model(a, kernel = k_se(~ u + v, c(v = 0.5)))
  expect_equal(named$kernel$params$free, c(TRUE, FALSE))
  # Units do not matter to what is learned.
  b <- transform(a, u = 1e6 * u + 1e7)
  expect_equal(matrix_of(k_matern(~ u + v), a), matrix_of(k_matern(~ u + v), b), tolerance = 1e-6)
  # A constant column says nothing, whatever rounding makes of it.
  same <- data.frame(arm = letters[1:10], x = rep(c(0.3, 0.1 * 3), 5))
  expect_equal(matrix_of(k_se(), same), matrix(1, 10, 10))
  expect_lt(max(abs(matrix_of(k_linear(), same))), 1e-20)
  expect_equal(matrix_of(k_se(), data.frame(x = 3)), matrix(1))
})

test_that("dates are days and times seconds", {
  a <- data.frame(day = as.Date("2024-01-01") + c(0, 1, 5))
  a$time <- as.POSIXct("2024-01-01", tz = "UTC") + c(0, 60, 90)
  expect_equal(
    kernel_matrix(k_se(~ day + time, c(2, 30)), a),
    kernel_matrix(k_se(~ day + time, c(2, 30)), transform(a, day = c(0, 1, 5), time = c(0, 60, 90))),
    ignore_attr = TRUE
  )
})

test_that("kernels that do not fit the arms are refused", {
  a <- data.frame(
    cost = c(1, 10, 100), gamma = 1:3, kind = c("p", "q", "p"), gap = c(1, NA, 2),
    wait = as.difftime(c(1, 2, 5), units = "mins")
  )
  row.names(a) <- c("first", "second", "third")
  m <- function(kernel, arms = a) arm_model(arms, kernel = kernel)
  z <- 1:3
  expect_snapshot(error = TRUE, {
    m(k_se(~cots))
    m(k_se(~ log10(Cost) + gamma))
    m(k_se(~z))
    m(k_se(~1))
    m(k_se(~ cost:gamma))
    m(k_se(~ cost * gamma))
    m(k_se(~ sqrt(cost, 1, 2)))
    m(k_se(~ cost[1:2]))
    m(k_se(~kind))
    m(k_linear(~ cost + factor(kind)))
    m(k_se())
    m(k_se(~wait))
    m(k_se(~gap))
    m(k_factor(~gap))
    m(k_se(~ log(gamma - 1)))
    m(k_se(~ cost + gamma, c(1, 2, 3)))
    m(k_se(~ cost + gamma, c(cots = 1)))
    m(k_by(~kind, k_se()), a["kind"])
    m(k_se(~cost), 3)
    m(k_factor(), c("p", "q"))
    m("k_se")
    arm_model(a, kernel = k_white(), cov = diag(3))
    bayesgap(a, budget = 3, kernel = k_white(), features = diag(3))
  })
  expect_error(m(k_se(~cots)), class = "bayesgap_error_kernel")
  expect_error(m(k_se(~day), data.frame(day = as.Date(c("2024-01-01", NA)))), "`day`.*NA",
               class = "bayesgap_error_kernel")
  expect_no_error(m(k_white() + k_const(), 3))
})
