# Ten occasions of four sensors.
few <- function() {
  set.seed(1)
  matrix(60 + rnorm(40, sd = 5) + rnorm(10), 10, dimnames = list(NULL, letters[1:4]))
}

test_that("a third of the occasions become truths, the others the history", {
  speeds <- few()
  problem <- traffic_problem(speeds, split = 3)
  split <- problem$split
  expect_length(split$truth, 4)
  expect_identical(sort(c(split$history, split$truth)), 1:10)
  expect_identical(problem$means, unname(speeds[split$truth, ]))
  past <- speeds[split$history, ]
  expect_equal(problem$model$prior_mean, unname(colMeans(past)))
  expect_equal(problem$model$noise_sd^2, 0.05 * mean(apply(past, 2, var)))
  expect_equal(problem$noise_sd, rep(problem$model$noise_sd, 4))
  expect_identical(problem$model, arm_model(letters[1:4], history = past, prior_sd = 1))
})

test_that("the paper's numbers of history and truths", {
  problem <- traffic_problem(matrix(rnorm(2520 * 2), 2520))
  expect_identical(lengths(problem$split), c(history = 1680L, truth = 840L))
  expect_identical(lengths(traffic_problem(traffic$speeds)$split), c(history = 17L, truth = 9L))
})

test_that("a seed gives the same split, another seed another, and the session keeps its own", {
  speeds <- few()
  set.seed(5)
  before <- .Random.seed
  one <- traffic_problem(speeds, split = 1)
  expect_identical(.Random.seed, before)
  expect_identical(traffic_problem(speeds, split = 1), one)
  expect_identical(traffic_problem(speeds)$split, one$split)
  splits <- lapply(1:20, function(seed) sort(traffic_problem(speeds, split = seed)$split$truth))
  expect_gt(length(unique(splits)), 10)
})

test_that("row numbers say what is history", {
  speeds <- few()
  problem <- traffic_problem(speeds, split = c(9, 2, 4))
  expect_identical(problem$split$history, c(2L, 4L, 9L))
  expect_identical(problem$split$truth, c(1L, 3L, 5:8, 10L))
  expect_equal(problem$model$prior_mean, unname(colMeans(speeds[c(2, 4, 9), ])))
})

test_that("without shrinkage the covariance is the empirical one", {
  speeds <- few()
  plain <- traffic_problem(speeds, split = 1:6, shrink = FALSE)
  shrunk <- traffic_problem(speeds, split = 1:6)
  expect_equal(plain$model$prior$cov, unname(var(speeds[1:6, ])))
  expect_false(isTRUE(all.equal(shrunk$model$prior$cov, plain$model$prior$cov)))
  same <- c("prior_mean", "prior_sd", "noise_sd")
  expect_equal(unclass(plain$model)[same], unclass(shrunk$model)[same])
  expect_identical(plain$means, shrunk$means)
})

test_that("prior mean, scale and noise may be given", {
  for (shrink in c(TRUE, FALSE)) {
    given <- list(prior_mean = 0, prior_sd = 20, noise_sd = 3)
    model <- do.call(traffic_problem, c(list(few(), shrink = shrink), given))$model
    expect_identical(unclass(model)[names(given)], given)
  }
  expect_identical(traffic_problem(few(), prior_mean = 1:4)$model$prior_mean, c(1, 2, 3, 4))
})

test_that("the slowest may be looked for", {
  found <- benchmark_policies(
    traffic_problem(few(), maximise = FALSE, noise_sd = 0.01), "bayesgap", 200, 4, seed = 1
  )
  expect_false(any(found$error))
  truth <- traffic_problem(few())$split$truth
  expect_identical(found$arm, letters[apply(few()[truth, ], 1, which.min)])
})

test_that("replication r meets truth r", {
  problem <- traffic_problem(traffic$speeds, split = 2, noise_sd = 0.001)
  found <- benchmark_policies(problem, "ucbe", 400, 9, seed = 1)
  truth <- traffic$speeds[problem$split$truth, ]
  loss <- apply(truth, 1, max) - truth[cbind(1:9, match(found$arm, colnames(truth)))]
  expect_equal(found$regret, unname(loss))
})

test_that("speeds may be a corridor, a data frame or have no names", {
  corridor <- simulate_corridor(sensors = 5, days = 2, every = 1800, seed = 1)
  problem <- traffic_problem(corridor)
  expect_identical(problem$model$arms$names, colnames(corridor))
  expect_identical(traffic_problem(as.data.frame(few())), traffic_problem(few()))
  expect_identical(traffic_problem(unname(few()))$means, traffic_problem(few())$means)
})

test_that("speeds may come from station files, with gaps", {
  file <- tempfile(fileext = ".txt")
  on.exit(unlink(file))
  cells <- expand.grid(station = 400001:400003, minute = seq(0, 55, by = 5))
  speed <- sprintf("%.1f", 55 + 3 * sin(seq_len(nrow(cells))) + cells$station %% 10)
  speed[5] <- ""
  writeLines(sprintf(
    "01/02/2023 06:%02d:00,%d,4,880,S,ML,.5,50,100,312,.05,%s", cells$minute, cells$station, speed
  ), file)
  speeds <- read_pems(file, incomplete = "keep")
  problem <- traffic_problem(speeds, split = 4)
  expect_identical(problem$model$arms$names, c("400001", "400002", "400003"))
  expect_identical(problem$model$history$missing, 1L)
  expect_true(2L %in% problem$split$history)
})

test_that("occasions with gaps are history only", {
  speeds <- few()
  speeds[c(1, 4, 7), 2] <- NA
  for (seed in 1:10) {
    expect_length(intersect(traffic_problem(speeds, split = seed)$split$truth, c(1, 4, 7)), 0)
  }
  expect_error(traffic_problem(speeds, shrink = FALSE), class = "bayesgap_error_history")
  expect_error(traffic_problem(speeds, split = c(2, 4, 7)), class = "bayesgap_error_split")
  expect_no_error(traffic_problem(speeds, split = c(1, 4, 7, 8, 9)))
  speeds[1:7, 3] <- NA
  expect_error(traffic_problem(speeds), class = "bayesgap_error_split")
})

test_that("what cannot be used is refused", {
  speeds <- few()
  expect_error(traffic_problem(), class = "bayesgap_error_speeds")
  expect_error(traffic_problem("a"), class = "bayesgap_error_speeds")
  expect_error(traffic_problem(speeds[1:2, ]), class = "bayesgap_error_speeds")
  expect_error(traffic_problem(speeds, spilt = 1), class = "bayesgap_error_argument")
  for (bad in list(NULL, "1", 1.5, NA, c(1, 1), 0:3, 1:10, 8:11, c(1.5, 2), c(TRUE, FALSE))) {
    expect_error(traffic_problem(speeds, split = bad), class = "bayesgap_error_split")
  }
  expect_error(traffic_problem(speeds, shrink = 0.5), class = "bayesgap_error_shrink")
  expect_error(traffic_problem(speeds, prior_mean = "zero"), class = "bayesgap_error_model")
  expect_error(traffic_problem(speeds, prior_sd = -1), class = "bayesgap_error_model")
  speeds[1, 1] <- Inf
  expect_error(traffic_problem(speeds, split = 1:6), "\\[1, 1\\]", class = "bayesgap_error_speeds")
  expect_error(traffic_problem(speeds, split = 5:10), "\\[1, 1\\]", class = "bayesgap_error_speeds")
})

test_that("its messages", {
  speeds <- few()
  expect_snapshot(error = TRUE, {
    traffic_problem(1:3)
    traffic_problem(speeds, split = 1:10)
    traffic_problem(speeds, prior_mean = "zero")
  })
  speeds[1:7, 3] <- NA
  expect_snapshot(error = TRUE, {
    traffic_problem(speeds)
    traffic_problem(speeds, split = c(1:3, 8:10))
    traffic_problem(speeds, split = 1:9, shrink = FALSE)
  })
})

# ---- The cached study -------------------------------------------------------------------------

test_that("the study's table is whole", {
  file <- system.file("extdata", "traffic-study.csv", package = "bayesgap")
  table <- read.csv(file)
  expect_equal(table$p_error, table$errors / table$n, tolerance = 1e-3)
  expect_true(all(table$p_lower <= table$p_error & table$p_error <= table$p_upper))
  cell <- c("study", "shrink", "prior_mean", "prior_sd", "policy", "budget")
  expect_false(any(duplicated(table[cell])))
  studies <- c("san_jose", "san_jose_few", "corridor", "corridor_few", "corridor_by_day")
  expect_setequal(table$study, studies)
  expect_true(all(sub("_marginal|_paper|_tuned", "", table$policy) %in% policies()$policy))
})
