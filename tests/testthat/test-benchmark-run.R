test_that("the same seed gives the same table, and the session's generator is left alone", {
  set.seed(11)
  before <- .Random.seed
  found <- some_benchmark()
  expect_identical(.Random.seed, before)
  expect_identical(some_benchmark(), found)
  expect_false(identical(some_benchmark(seed = 2)$regret, found$regret))
  expect_identical(
    {
      set.seed(3)
      some_benchmark(seed = NULL)
    },
    {
      set.seed(3)
      some_benchmark(seed = NULL)
    }
  )
})

test_that("a replication does not depend on chunks, other problems, policies or replications", {
  found <- some_benchmark()
  for (size in c(1, 3, 7, 100)) {
    expect_identical(some_benchmark(chunk_size = size), found)
  }
  longer <- some_benchmark(reps = 12)
  expect_identical(rows(longer, longer$rep <= 7, ), found)
  alone <- benchmark_policies(some_problems()["pool"], "thompson", c(4, 9), reps = 7, seed = 1)
  expect_identical(
    as.data.frame(alone),
    as.data.frame(rows(found, found$problem == "pool" & found$policy == "thompson", ))
  )
})

test_that("workers give the very same table", {
  skip_long_on_cran()
  skip_if_read_inexactly() # as workers read
  skip_if_not_installed("future.apply")
  here <- some_benchmark(keep = c("pulls", "recommendations"))
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  expect_true(uses_future())
  set.seed(5)
  before <- .Random.seed
  expect_silent(two <- some_benchmark(keep = c("pulls", "recommendations")))
  expect_identical(two, here)
  expect_identical(.Random.seed, before)
  for (size in c(1, 2, 7)) {
    expect_identical(some_benchmark(keep = c("pulls", "recommendations"), chunk_size = size), here)
  }
})

test_that("so they do for costs, blocks and policies written in R, with any plan", {
  skip_long_on_cran()
  skip_if_read_inexactly() # as workers read
  skip_if_not_installed("future.apply")
  inside <- 0.5
  greedy <- policy("greedy", choose = function(state) which.max(state$mean + inside * state$sd))
  plain <- list(plain = problem_gaussian(smooth_model()))
  costly <- arm_model(3, prior_mean = 0, prior_sd = 1, noise_sd = 1, cost = 1:3)
  blocked <- arm_model(6, prior_mean = 0, prior_sd = 1, noise_sd = 1, blocks = 4, block_sd = 1)
  blocks <- list(blocks = problem_pool(matrix(sin(1:24), 6), blocked, blocks = TRUE))
  run <- function() {
    list(
      benchmark_policies(plain, list("uniform", greedy), 9, reps = 5, seed = 1),
      benchmark_policies(problem_gaussian(costly), "uniform", 9, reps = 5, seed = 1),
      benchmark_policies(blocks, c("bayesgap", "uniform"), 9, reps = 5, seed = 1)
    )
  }
  here <- run()
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  expect_identical(run(), here)
  skip_if_not(future::supportsMulticore())
  future::plan("multicore", workers = 2)
  expect_identical(run(), here)
})

test_that("a chunk goes to a worker with what it needs, and nothing else of the package", {
  skip_if_not_installed("future")
  run <- run_chunk_there
  sent <- future::getGlobalsAndPackages(quote(run()), envir = environment())
  expect_named(sent$globals, "run")
  cut <- function(...) {
    problems <- as_problems(problem_gaussian(smooth_model(100)))
    plans <- plan_all(problems, as_policies(list(...)), 9L)
    cut_chunks(problems, plans, replication_streams(1, 4), NULL, 2)
  }
  size <- function(x) length(serialize(x, NULL))
  chunks <- cut("bayesgap", "uniform")
  expect_length(chunks, 4)
  expect_lt(size(chunks[[1L]]), 1.2 * size(chunks[[1L]]$problem$prior))
  # A policy written in R is told the model.
  own <- policy("own", choose = function(state) 1)
  expect_s3_class(cut("uniform", own)[[1L]]$problem$model, "arm_model")
})

test_that("a lost worker is an error that says what to do", {
  skip_long_on_cran()
  skip_if_not_installed("future.apply")
  skip_on_os("windows")
  # It is asked once in this session first, before the first pull.
  deadly <- policy("deadly", choose = function(state) {
    if (state$t > 1) tools::pskill(Sys.getpid(), 9)
    1
  })
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  expect_error(
    suppressWarnings(benchmark_policies(some_problems()[1], list(deadly), 2, reps = 2, seed = 1)),
    "same table", class = "bayesgap_error_worker"
  )
})

test_that("policies that do not look at the budget, read off on the way, equal separate runs", {
  expect_true(is_anytime(policy("thompson")) && is_anytime(policy("uniform")))
  expect_false(is_anytime(policy("bayesgap")))
  # Independent arms and few pulls: the best means are often tied.
  models <- list(
    tied = arm_model(20, prior_mean = 0, prior_sd = 1, noise_sd = 0.5), smooth = smooth_model(20)
  )
  problems <- lapply(models, problem_gaussian)
  run <- function(budget, ...) {
    benchmark_policies(problems, c("thompson", "uniform"), budget, reps = 30, seed = 4, ...)
  }
  together <- run(c(2, 5, 12, 40))
  for (budget in c(2, 5, 12, 40)) {
    expect_identical(rows(together, together$budget == budget, ), run(budget))
  }
  kept <- run(c(2, 5, 12, 40), keep = c("pulls", "recommendations"))
  expect_identical(as.data.frame(kept)[names(together)], as.data.frame(together))
})

test_that("so do all policies that say so", {
  problem <- problem_gaussian(smooth_model(6))
  fits <- function(name) {
    tryCatch(
      {
        check_policy_fits(problem$prior, problem$fit, policy(name), list(12L, NULL))
        TRUE
      },
      bayesgap_error = function(e) FALSE
    )
  }
  anytime <- Filter(fits, policies()$policy[policies()$anytime])
  run <- function(budget) benchmark_policies(problem, anytime, budget, reps = 5, seed = 4)
  together <- run(c(12, 20, 31))
  for (budget in c(12, 20, 31)) {
    expect_identical(rows(together, together$budget == budget, ), run(budget))
  }
})

test_that("recommendations and pulls are kept in full and agree with the table", {
  found <- some_benchmark(keep = c("recommendations", "pulls"))
  plain <- some_benchmark()
  expect_identical(as.data.frame(found)[names(plain)], as.data.frame(plain))
  expect_identical(lengths(found$pulled), found$pulls)
  expect_identical(lengths(found$recommended), found$budget)
  last <- mapply(function(arms, n) arms[n], found$recommended, found$budget)
  expect_identical(last, found$arm)
  uniform <- found[found$policy == "uniform" & found$budget == 9, ]
  expect_true(all(vapply(uniform$pulled, function(arms) max(tabulate(arms, 6)), 1) <= 2))
  expect_named(some_benchmark(keep = "pulls"), c(names(plain), "pulled"))
})

test_that("regrets are those of the kept arms, for fixed truths and pools, either way round", {
  truths <- matrix(sin(1:12), 2)
  noise <- smooth_model()
  pool <- matrix(cos(1:42), 6)
  found <- benchmark_policies(
    list(
      high = problem_gaussian(noise, truths),
      low = problem_gaussian(noise, truths, maximise = FALSE),
      pool_high = problem_pool(pool, noise), pool_low = problem_pool(pool, noise, maximise = FALSE)
    ),
    c("thompson", "bayesgap"), 8, reps = 10, seed = 2
  )
  row_means <- rbind(rowMeans(pool))
  means <- list(high = truths, low = -truths, pool_high = row_means, pool_low = -row_means)
  expected <- mapply(function(problem, rep, arm) {
    mean <- means[[problem]][(rep - 1) %% nrow(means[[problem]]) + 1, ]
    max(mean) - mean[arm]
  }, found$problem, found$rep, found$arm, USE.NAMES = FALSE)
  expect_equal(found$regret, expected, tolerance = 1e-12)
  expect_gt(length(unique(found$arm)), 2)
})

test_that("pulls follow the pool, the world's noise and the truth", {
  noise_sd <- c(0.1, 2)
  model <- arm_model(2, prior_mean = 0, prior_sd = 10, noise_sd = 1)
  run <- function(problem, stream) {
    problem$world <- problem_world(problem, 1L)
    run_replication(problem, policy("uniform"), 2000L, 2000L, stream)
  }
  found <- run(problem_gaussian(model, c(5, -5), noise_sd), new_stream(1))
  expect_equal(as.vector(tapply(found$y, found$arm, mean)), c(5, -5), tolerance = 0.05)
  expect_equal(as.vector(tapply(found$y, found$arm, sd)), noise_sd, tolerance = 0.08)
  pool <- rbind(c(1, 2, 4), c(-1, -2, -4))
  found <- run(problem_pool(pool, model), new_stream(1))
  counts <- table(found$arm, found$y)
  expect_identical(colnames(counts), c("-4", "-2", "-1", "1", "2", "4"))
  expect_gt(chisq.test(counts[1, 4:6])$p.value, 1e-3)
  found <- run(problem_pool(pool, model, maximise = FALSE), new_stream(1))
  expect_setequal(found$y[found$arm == 1], c(-1, -2, -4))
})

test_that("all policies of a replication meet the same truth", {
  # Nothing can be learned and arm 1 is kept: the regret shows the truth.
  model <- smooth_model(6, noise_sd = 1e6)
  model$prior_mean <- c(1e-3, 0, 0, 0, 0, 0)
  several <- c("thompson", "uniform", "bayesgap")
  found <- benchmark_policies(problem_gaussian(model), several, 3, reps = 20, seed = 1)
  first <- found[found$arm == 1, ]
  each <- tapply(first$regret, first$rep, function(x) diff(range(x)))
  expect_gt(length(each), 15)
  expect_equal(max(each), 0)
  expect_gt(sd(first$regret), 0.1)
})

test_that("ties are no errors", {
  pool <- rbind(c(0.1, 0.2, 0.3), c(0.3, 0.2, 0.1), c(0.2, 0.3, 0.1))
  model <- arm_model(3, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  found <- benchmark_policies(problem_pool(pool, model), "uniform", 3, reps = 20, seed = 1)
  expect_identical(found$regret, numeric(20))
  expect_false(any(found$error))
})

test_that("runs end when everything is known", {
  model <- arm_model(3, prior_mean = 0, prior_sd = 1, noise_sd = 0)
  found <- benchmark_policies(problem_gaussian(model), "uniform", c(2, 50), reps = 4, seed = 1,
    keep = c("pulls", "recommendations")
  )
  expect_identical(found$pulls, rep(c(2L, 3L), each = 4))
  expect_identical(found$regret[found$budget == 50], numeric(4))
  expect_identical(lengths(found$pulled), found$pulls)
})

test_that("a million pulls are made, learned and told in C", {
  skip_long_on_cran()
  model <- arm_model(2, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  problem <- problem_gaussian(model, means = rbind(c(0, 0.1)))
  found <- benchmark_policies(problem, "uniform", 1e6, reps = 1, seed = 1)
  expect_false(found$error)
})

test_that("a policy written in R meets the same problems", {
  model <- smooth_model()
  fixed <- policy("fixed", choose = function(state) 1, recommend = function(state) 1)
  greedy <- policy("greedy", choose = function(state) which.max(state$mean + state$sd))
  run <- function(policies, budget = c(3, 9), ...) {
    benchmark_policies(problem_gaussian(model), policies, budget, reps = 6, seed = 1, ...)
  }
  found <- run(list(fixed, greedy, "uniform"), keep = c("pulls", "recommendations"))
  expect_identical(unlist(found$pulled[found$policy == "fixed"]), rep(1L, 72))
  expect_true(all(found$arm[found$policy == "fixed"] == 1))
  expect_identical(lengths(found$recommended), found$budget)
  last <- found[found$policy == "greedy" & found$budget == 9, ]
  expect_identical(run(list(greedy), 9)$arm, last$arm)
  # The truth is the C policies': where they keep arm 1 as well, the regret is the same.
  fixed_at <- found[found$policy == "fixed" & found$budget == 9, ]
  other <- benchmark_policies(problem_gaussian(model), "uniform", 1:9, reps = 6, seed = 1)
  other <- other[other$arm == 1, ]
  expect_gt(nrow(other), 0)
  expect_equal(other$regret, fixed_at$regret[other$rep])
  pool <- problem_pool(matrix(1:12, 6), model, maximise = FALSE)
  on_pool <- benchmark_policies(pool, list(fixed), 4, reps = 2, seed = 1)
  expect_identical(on_pool$regret, numeric(2))
})

test_that("a policy written in R that cannot answer is found before anything runs", {
  problem <- problem_gaussian(arm_model(3, prior_mean = 0, prior_sd = 1, noise_sd = 1))
  asked <- 0
  good <- policy("good", choose = function(state) {
    asked <<- asked + 1
    1
  })
  bad <- policy("bad", choose = function(state) 99)
  expect_error(
    benchmark_policies(problem, list(bad, good), 5, 2), class = "bayesgap_error_policy"
  )
  expect_equal(asked, 0)
})

test_that("what a policy cannot do is left out, and a message names it", {
  problems <- list(
    few = problem_gaussian(smooth_model(3)), many = problem_gaussian(smooth_model(9)),
    apart = problem_gaussian(arm_model(3, features = diag(3), prior_mean = 0, prior_sd = 1,
      noise_sd = 1))
  )
  run <- function(policies, budget) {
    benchmark_policies(problems, policies, budget, reps = 2, seed = 1)
  }
  said <- capture_messages(found <- run(c("uniform", "rejects", "gse"), c(4, 20)))
  cells <- unique(as.data.frame(found)[c("problem", "policy", "budget")])
  expect_setequal(
    paste(cells$problem, cells$policy, cells$budget),
    c(
      paste(rep(c("few", "many", "apart"), each = 2), "uniform", c(4, 20)),
      paste(rep(c("few", "apart"), each = 2), "rejects", c(4, 20)), "many rejects 20",
      "apart gse 20"
    )
  )
  expect_match(said, "Left out of problem \"many\": `budget` must be at least 9.*rejects",
    all = FALSE)
  expect_match(said, "Left out of problem \"few\": Policy gse", all = FALSE)
  # What is left is what it would be alone.
  alone <- suppressMessages(run("uniform", c(4, 20)))
  rows <- function(x) `rownames<-`(as.data.frame(x), NULL)
  expect_identical(rows(found[found$policy == "uniform", ]), rows(alone))
  expect_no_error(format(summary(found)))
  # A problem with nothing left.
  said <- capture_messages(found <- run("rejects", 4))
  expect_setequal(found$problem, c("few", "apart"))
  expect_error(
    benchmark_policies(problems$many, "rejects", 4), class = "bayesgap_error_budget"
  )
})

test_that("an interrupt comes through and leaves the session as it was", {
  skip_long_on_cran()
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  script <- file.path(folder, "script.R")
  out <- file.path(folder, "out")
  writeLines(c(
    "library(bayesgap)",
    "set.seed(1); before <- .Random.seed",
    "model <- arm_model(50, features = diag(50), prior_mean = 0, prior_sd = 1, noise_sd = 1)",
    "tryCatch({",
    "  cat(Sys.getpid(), file = 'pid.part'); invisible(file.rename('pid.part', 'pid'))",
    "  benchmark_policies(problem_gaussian(model), 'thompson', 1e5, reps = 1000, seed = 1)",
    "}, interrupt = function(i) cat(identical(.Random.seed, before)))"
  ), script)
  rscript <- shQuote(file.path(R.home("bin"), "Rscript"))
  libs <- shQuote(paste(.libPaths(), collapse = .Platform$path.sep))
  system(
    sprintf("cd %s && R_LIBS=%s %s script.R > out 2> err", shQuote(folder), libs, rscript),
    wait = FALSE
  )
  pid <- file.path(folder, "pid")
  wait_for <- function(done) {
    end <- Sys.time() + 600
    while (!done() && Sys.time() < end) {
      Sys.sleep(0.02)
    }
    done()
  }
  expect_true(wait_for(function() file.exists(pid)))
  Sys.sleep(0.5)
  tools::pskill(as.integer(readLines(pid, warn = FALSE)), tools::SIGINT)
  expect_true(wait_for(function() file.size(out) > 0))
  expect_identical(readLines(out, warn = FALSE), "TRUE")
})
