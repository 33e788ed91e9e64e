# The intensity from sums over occasions written out; two common occasions count as error.
twin_history <- function(x) {
  k <- ncol(x)
  mean <- apply(x, 2, mean, na.rm = TRUE)
  cov <- matrix(0, k, k)
  error <- signal <- 0
  for (i in seq_len(k)) {
    for (j in seq_len(k)) {
      w <- double()
      for (t in seq_len(nrow(x))) {
        if (!is.na(x[t, i]) && !is.na(x[t, j])) {
          w <- c(w, (x[t, i] - mean[i]) * (x[t, j] - mean[j]))
        }
      }
      n <- length(w)
      cov[i, j] <- if (n > 1) sum(w) / (n - 1) else 0
      if (i != j) {
        signal <- signal + cov[i, j]^2
        error <- error + if (n > 2) n / (n - 1)^3 * sum((w - mean(w))^2) else cov[i, j]^2
      }
    }
  }
  list(mean = mean, cov = cov, intensity = min(1, error / signal))
}

shrunk <- function(cov, intensity) (1 - intensity) * cov + intensity * diag(diag(cov))

# Columns that go along with one another.
common <- function(n, k, own = 1) matrix(rnorm(n * k, sd = own), n) + rnorm(n)

read <- function(history, arms = ncol(history)) read_history(history, as_arms(arms))

smallest <- function(cov) min(eigen(cov, symmetric = TRUE)$values)

with_missing <- function(x, share) {
  x[sample(length(x), share * length(x))] <- NA
  x
}

test_that("mean, covariance and intensity are those of the formula written out", {
  set.seed(1)
  for (n in c(3, 4, 12, 40)) {
    x <- common(n, 6) + 10
    got <- read(x)
    twin <- twin_history(x)
    expect_equal(twin$cov, cov(x))
    expect_equal(got$mean, twin$mean)
    expect_equal(got$note$intensity, twin$intensity)
    expect_equal(got$cov, shrunk(cov(x), twin$intensity))
    expect_equal(got$noise_sd^2, 0.05 * mean(diag(cov(x))))
    expect_identical(got$note[c("occasions", "missing", "raised")],
                     list(occasions = as.integer(n), missing = 0L, raised = FALSE))
  }
})

test_that("moments do not depend on how many columns are taken at a time", {
  set.seed(2)
  for (x in list(common(5, 7), with_missing(common(9, 7), 0.3))) {
    whole <- pair_moments(x, 100)
    for (size in c(1, 2, 3, 7)) {
      expect_equal(pair_moments(x, size), whole)
    }
  }
  # Arms of which none varies with another: exactly nothing
  expect_identical(pair_moments(rbind(diag(2), -diag(2)), 1)$signal, 0)
})

test_that("what a history of numbers to check by hand gives", {
  x <- cbind(c(0, 2, 4), c(1, 1, 4))
  # Deviations (-2, 0, 2) and (-1, -1, 2): products 2, 0, 4; covariance 3.
  # Var = 3 / 8 * (0 + 4 + 4) = 3, so the intensity is 3 / 9.
  got <- read(x)
  expect_equal(got$mean, c(2, 2))
  expect_equal(got$note$intensity, 1 / 3)
  expect_equal(got$cov, matrix(c(4, 2, 2, 3), 2))
})

test_that("much evidence is left alone and none is shrunk away", {
  set.seed(2)
  expect_lt(read(common(20000, 5))$note$intensity, 0.001)
  expect_gt(read(matrix(rnorm(200 * 20), 200))$note$intensity, 0.8)
  # Nothing varies together: nothing to shrink
  expect_equal(read(cbind(c(1, -1, 1, -1), c(1, 1, -1, -1)))$note$intensity, 1)
  expect_equal(read(cbind(c(1, -1, 3)))$note$intensity, 1)
  expect_equal(read(cbind(c(1, -1, 3), 7))$note$intensity, 1)
})

test_that("two occasions work and tell nothing of correlation", {
  got <- read(rbind(c(1, 2, 3), c(3, 2.5, 7)))
  expect_equal(got$mean, c(2, 2.25, 5))
  expect_equal(got$cov, diag(c(2, 0.125, 8)))
  expect_equal(got$note$intensity, 1)
})

test_that("fewer occasions than arms give a definite matrix", {
  set.seed(3)
  x <- common(5, 40)
  expect_lt(smallest(cov(x)), 1e-10)
  expect_gt(smallest(read(x)$cov), 1e-3)
  expect_equal(ncol(arm_model(40, history = x)$prior$factor), 40)
})

test_that("the unit and the origin of the history do not matter", {
  set.seed(4)
  x <- common(8, 5)
  got <- read(x)
  for (unit in c(1e-40, 1e-9, 1e9, 1e40)) {
    other <- read(x * unit)
    expect_equal(other$note$intensity, got$note$intensity)
    expect_equal(other$cov / unit^2, got$cov)
    expect_equal(other$noise_sd / unit, got$noise_sd)
  }
  far <- read(x + 1e9)
  expect_equal(far$note$intensity, got$note$intensity, tolerance = 1e-5)
  expect_equal(far$cov, got$cov, tolerance = 1e-5)
})

test_that("columns of very different size keep their correlations", {
  set.seed(5)
  for (missing in c(0, 0.1)) {
    x <- with_missing(common(12, 4, 0.3), missing)
    sizes <- c(1e9, 1, 1e-9, 1e-9)
    mixed <- x * rep(sizes, each = nrow(x))
    got <- read(mixed)
    expect_equal(got$note$intensity, twin_history(mixed)$intensity)
    expect_equal(got$cov / outer(sizes, sizes), shrunk(twin_history(x)$cov, got$note$intensity))
    expect_no_error(arm_model(4, history = mixed))
  }
})

test_that("columns are matched to the arms by name", {
  set.seed(6)
  x <- common(9, 3)
  colnames(x) <- c("c", "a", "b")
  got <- read(x, c("a", "b", "c"))
  expect_equal(got$mean, unname(colMeans(x)[c("a", "b", "c")]))
  expect_equal(got$cov, read(x[, c("a", "b", "c")])$cov)
  expect_identical(read(as.data.frame(x), c("a", "b", "c")), got)
  expect_identical(read(x, data.frame(arm = c("a", "b", "c"), size = 1:3)), got)
  # Without names on either side the columns are in order
  expect_identical(read(unname(x), c("c", "a", "b")), read(x))
  expect_identical(read(as.data.frame(x), 3), read(x))
  expect_identical(read(ts(x)), read(x))
  expect_equal(read(matrix(c(1L, 2L, 4L, 3L), 2))$mean, c(1.5, 3.5))
})

test_that("arms that never varied are known: not pulled, but they may be best", {
  set.seed(7)
  x <- cbind(common(9, 3), 0.1, 50)
  got <- read(x)
  expect_identical(got$cov[4:5, ], matrix(0, 2, 5))
  expect_equal(got$cov[1:3, 1:3], read(x[, 1:3])$cov)
  expect_equal(got$noise_sd, read(x[, 1:3])$noise_sd)
  # Equal up to rounding
  expect_identical(read(cbind(x[, 1], rep_len(c(0.1 + 0.2, 0.3), 9)))$cov[2, ], c(0, 0))
  run <- bayesgap(5, function(arm) rnorm(1), budget = 12, history = x, seed = 1)
  expect_false(any(run$log$arm %in% 4:5))
  expect_equal(best_arm(run), 5)
})

test_that("missing values leave out the occasions of a pair, not of all", {
  set.seed(8)
  for (share in c(0.02, 0.1, 0.3)) {
    x <- with_missing(common(40, 6), share)
    got <- read(x)
    twin <- twin_history(x)
    expect_equal(got$mean, twin$mean)
    expect_equal(got$note$missing, sum(is.na(x)))
    expect_false(got$note$raised)
    expect_equal(got$note$intensity, twin$intensity)
    expect_equal(got$cov, shrunk(twin$cov, twin$intensity))
  }
  x[is.na(x)] <- NaN
  expect_identical(read(x), got)
  # An arm seen on two occasions only, and two arms never seen together
  x <- common(12, 4)
  x[3:12, 1] <- NA
  x[1:3, 2] <- NA
  expect_equal(read(x)$note$intensity, twin_history(x)$intensity)
  expect_equal(read(x)$cov[1, 2], 0)
  frame <- data.frame(a = c(1, 2, 4), b = c(NA, 3, 5))
  expect_equal(read(frame)$mean, c(7 / 3, 4))
})

test_that("covariances that contradict one another are shrunk until they do not", {
  # Each pair of three arms on occasions of its own: 1 goes with 2, 2 with 3, and 3 against 1
  u <- rep_len(c(1, -1), 10)
  x <- rbind(cbind(u, u, NA), cbind(NA, u, u), cbind(u, NA, -u))
  twin <- twin_history(x)
  least <- shrunk(twin$cov, twin$intensity)
  expect_lt(smallest(least), -0.5)
  expect_error(factor_cov(least), class = "bayesgap_error_cov")
  got <- read(x)
  expect_true(got$note$raised)
  expect_gt(smallest(got$cov), 0)
  expect_lt(smallest(shrunk(twin$cov, got$note$intensity - 0.001)), 0)
  expect_equal(diag(got$cov), diag(twin$cov))
  expect_no_error(model <- arm_model(3, history = x))
  expect_snapshot(model)
  # Sizes do not matter for it, nor do arms that never varied
  sizes <- rep(c(1, 1e-6, 1e3), each = 30)
  mixed <- read(cbind(x * sizes, 2))
  expect_true(mixed$note$raised)
  expect_no_error(factor_cov(mixed$cov))
  # Many arms, few occasions, many gaps
  set.seed(9)
  x <- with_missing(common(12, 50, 0.3), 0.3)
  twin <- twin_history(x)
  expect_lt(smallest(shrunk(twin$cov, twin$intensity)), -0.1)
  expect_true(read(x)$note$raised)
  expect_no_error(arm_model(50, history = x))
})

test_that("with a history nothing is left to the data, unless something is given", {
  set.seed(10)
  x <- common(9, 3)
  model <- arm_model(3, history = x)
  past <- read(x)
  expect_false(has_unknowns(model))
  expect_equal(model$prior_mean, colMeans(x))
  expect_equal(model$prior_sd, 1)
  expect_equal(model$noise_sd, past$noise_sd)
  expect_equal(model$prior$cov, past$cov)
  own <- arm_model(3, history = x, prior_mean = 7, prior_sd = 2, noise_sd = 3)
  expect_equal(unclass(own)[c("prior_mean", "prior_sd", "noise_sd")],
               list(prior_mean = 7, prior_sd = 2, noise_sd = 3))
  expect_equal(own$prior$cov, past$cov)
  expect_identical(bayesgap(3, budget = 4, history = x)$model, model)
  expect_error(bayesgap(model, budget = 4, history = x), class = "bayesgap_error_model")
})

test_that("small rewards are sought among past rewards as they were", {
  x <- rbind(c(5, 1, 3), c(5.5, 1.5, 3.1), c(4.8, 1.3, 3.6))
  start <- bayesgap(3, budget = 4, history = x, maximise = FALSE)
  expect_equal(best_arm(start), 2)
  expect_equal(posterior(start)$mean, colMeans(x))
  expect_equal(best_arm(bayesgap(3, budget = 4, history = x)), 1)
  told <- data.frame(arm = c(1, 3), y = c(6, 2), pull = NA)
  mirror <- tell(bayesgap(3, budget = 4, history = -x), transform(told, y = -y))
  expect_equal(posterior(tell(start, told))$mean, -posterior(mirror)$mean)
})

test_that("a history is told in words", {
  x <- rbind(c(5, 1, 3), c(5.5, 1.5, 3.1), c(4.8, 1.3, 3.6), c(NA, 1, 3))
  run <- bayesgap(3, budget = 4, history = x, noise_sd = 0.5, seed = 1)
  found <- summary(run)
  expect_equal(found$history$intensity, read(x)$note$intensity)
  expect_equal(found$model$from, c("the history", "the history", "the user"))
  expect_null(summary(bayesgap(3, budget = 4))$history)
  expect_snapshot({
    arm_model(3, history = x[1:3, ])
    writeLines(format(found)[7:12])
  })
})

test_that("bad histories are refused", {
  m <- function(history, arms = 2) arm_model(arms, history = history)
  x <- matrix(c(1, 2, 3, 4, 6, 5), 3)
  named <- function(...) matrix(c(1, 2, 3, 4, 6, 5), 3, dimnames = list(NULL, c(...)))
  expect_snapshot(error = TRUE, {
    m(x, 3)
    m(x, c("a", "b", "c"))
    m(x[1, , drop = FALSE])
    m(1:4)
    m(matrix("1", 2, 2))
    m(data.frame(day = c("Mon", "Tue"), a = 1:2))
    m(named("a", "z"), c("a", "b"))
    m(named("a", "b"), c("a", "b", "c"))
    m(named("a", "a"), c("a", "b"))
    m(replace(x, 5, Inf))
    m(replace(x, 5, -1e60))
    m(replace(x, 1:2, NA))
    m(data.frame(a = NA, b = 1:3), c("a", "b"))
    m(matrix(NA_real_, 3, 2), c("a", "b"))
    m(matrix(0.1, 3, 2))
    m(x * 1e-60)
    m(matrix(0, 2, 20001), 20001)
    arm_model(2, history = x, cov = diag(2))
    arm_model(2, history = x, features = diag(2))
  })
  expect_error(m(x, 3), class = "bayesgap_error_history")
  expect_error(m(named("a", "z"), c("a", "b")), class = "bayesgap_error_history")
  expect_error(m(matrix(0.1, 3, 2)), class = "bayesgap_error_history")
  expect_error(m(replace(x, 1:2, NA)), class = "bayesgap_error_history")
  expect_error(m(matrix(0, 2, 20001), 20001), class = "bayesgap_error_history")
  expect_error(arm_model(2, history = x, cov = diag(2)), class = "bayesgap_error_model")
})

test_that("past speeds find fast sensors, and without shrinkage are trusted too far", {
  past <- traffic$speeds[1:17, ]
  sensors <- colnames(past)
  noise_sd <- read(past)$noise_sd
  # Regret, what picking at random would cost, and the truths within their 95 % intervals
  study <- function(truth, ...) {
    x <- bayesgap(sensors, function(arm) rnorm(1, truth[[arm]], noise_sd),
      budget = 100, noise_sd = noise_sd, ..., seed = 1
    )
    belief <- posterior(x)
    c(
      regret = max(truth) - truth[[best_arm(x)]], random = max(truth) - mean(truth),
      within = mean(truth >= belief$lower & truth <= belief$upper)
    )
  }
  truths <- asplit(traffic$speeds[seq(18, 26, 2), ], 1)
  shrunk <- rowMeans(vapply(truths, study, double(3), history = past))
  plain <- rowMeans(vapply(truths, study, double(3),
    cov = var(past), prior_mean = colMeans(past), prior_sd = 1
  ))
  expect_lt(shrunk[["regret"]], shrunk[["random"]] / 5)
  expect_gt(shrunk[["within"]], 0.75)
  expect_lt(plain[["within"]], 0.6)
})
