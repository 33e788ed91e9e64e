# Obvious twins of the kernels, from matrices of columns.

twin_r2 <- function(x, scale) {
  x <- unname(as.matrix(x))
  total <- matrix(0, nrow(x), nrow(x))
  for (j in seq_len(ncol(x))) {
    total <- total + (outer(x[, j], x[, j], "-") / rep_len(scale, ncol(x))[j])^2
  }
  total
}
twin_se <- function(x, scale) exp(-twin_r2(x, scale) / 2)
twin_matern <- function(x, nu, scale) {
  s <- sqrt(2 * nu * twin_r2(x, scale))
  exp(-s) * switch(as.character(nu), `0.5` = 1, `1.5` = 1 + s, `2.5` = 1 + s + s^2 / 3)
}
twin_differ <- function(x) {
  Reduce(`+`, lapply(x, function(column) outer(as.character(column), as.character(column), "!=")))
}

some_arms_of <- function(k) {
  data.frame(
    u = rnorm(k, 5, 3), v = runif(k), flag = runif(k) < 0.5, g = sample(c("x", "y", "z"), k, TRUE),
    h = factor(sample(c("p", "q"), k, TRUE)), stringsAsFactors = FALSE
  )
}
matrix_of <- function(kernel, arms) unname(kernel_matrix(kernel, arms))
standard <- function(x) {
  x <- unname(as.matrix(x))
  sweep(sweep(x, 2, colMeans(x)), 2, apply(x, 2, sd), "/")
}
