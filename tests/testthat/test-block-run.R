# The posterior of arms and blocks by brute force: a joint normal of both, conditioned at once.
twin_blocks <- function(mean, cov, block2, blocks, arm, block, y, noise2) {
  k <- length(mean)
  prior <- matrix(0, k + blocks, k + blocks)
  prior[seq_len(k), seq_len(k)] <- cov
  diag(prior)[k + seq_len(blocks)] <- block2
  h <- matrix(0, length(arm), k + blocks)
  h[cbind(seq_along(arm), arm)] <- 1
  h[cbind(seq_along(arm), k + block)] <- 1
  s <- h %*% prior %*% t(h) + diag(noise2, length(arm))
  gain <- prior %*% t(h) %*% solve(s)
  list(
    mean = c(mean, rep(0, blocks)) + drop(gain %*% (y - mean[arm])),
    cov = prior - gain %*% h %*% prior
  )
}

# Arms that are independent, or correlated by a matrix, features or a kernel, in up to 5 blocks.
random_blocked <- function(kind, blocks = 5L, ...) {
  k <- 7L
  places <- data.frame(u = seq_len(k))
  root <- matrix(rnorm(3 * k), k)
  model <- switch(kind,
    independent = list(), cov = list(cov = exp(-outer(1:k, 1:k, "-")^2 / 4)),
    features = list(features = root), kernel = list(kernel = k_se(~u, lengthscale = 2))
  )
  cov <- switch(kind,
    independent = diag(k), cov = model$cov, features = tcrossprod(root),
    kernel = exp(-outer(1:k, 1:k, "-")^2 / 8)
  )
  x <- do.call(bayesgap, c(
    list(places, budget = 40, prior_mean = 0.5, prior_sd = 1.5, noise_sd = 0.4, seed = 1), model,
    list(...)
  ))
  list(x = x, cov = 1.5^2 * cov, k = k)
}

test_that("arms and blocks are those of the joint posterior", {
  set.seed(1)
  for (kind in c("independent", "cov", "features", "kernel")) {
    p <- random_blocked(kind, block_sd = 2)
    told <- data.frame(
      pull = NA, arm = as.character(sample(p$k, 30, TRUE)), block = sample(c("x", "y", "z"), 30, TRUE),
      y = rnorm(30), se = sample(c(NA, 0.7), 30, TRUE)
    )
    x <- p$x
    for (rows in split(1:30, rep(1:4, c(1, 9, 1, 19)))) {
      x <- tell(x, told[rows, ])
    }
    block <- match(told$block, unique(told$block))
    twin <- twin_blocks(
      rep(0.5, p$k), p$cov, 4, 3, as.integer(told$arm), block, told$y,
      ifelse(is.na(told$se), 0.4, told$se)^2
    )
    arms <- seq_len(p$k)
    expect_equal(means_of(x), twin$mean[arms], tolerance = 1e-8)
    expect_equal(x$belief$block_mean, twin$mean[-arms], tolerance = 1e-8)
    expect_equal(x$belief$var, diag(twin$cov)[arms], tolerance = 1e-8)
    expect_equal(x$belief$block_var, diag(twin$cov)[-arms], tolerance = 1e-8)
    expect_equal(posterior_cov(x), twin$cov[arms, arms], tolerance = 1e-7)
    draws <- as.matrix(simulate(x, 4000, seed = 1))
    expect_lt(max(abs(cov(t(draws)) - twin$cov[arms, arms])), 0.15 * max(diag(twin$cov)))
    direct <- -0.5 * (30 * log(2 * pi) + determinant(
      cov_of <- p$cov[as.integer(told$arm), as.integer(told$arm)] + 4 * outer(block, block, "==") +
        diag(ifelse(is.na(told$se), 0.4, told$se)^2)
    )$modulus + sum((told$y - 0.5) * solve(cov_of, told$y - 0.5)))
    expect_equal(as.double(logLik(x)), as.double(direct), tolerance = 1e-8)
    file <- tempfile()
    save_run(x, file)
    expect_identical(read_run(file)$belief, x$belief)
  }
})

test_that("blocks that are known beforehand are chosen, and no arm is twice in one", {
  for (name in c("bayesgap", "kg", "thompson", "ei", "uniform", "gpucb", "halving")) {
    x <- bayesgap(4, function(arm, pull) arm + 5 * as.integer(pull$block == "b"), budget = 12,
      blocks = c("a", "b", "c"), policy = name, seed = 1, noise_sd = 0.1)
    table <- as.data.frame(x)
    expect_true(all(table$block %in% c("a", "b", "c")))
    expect_identical(anyDuplicated(table[table$arm == best_arm(x), ][1:3, c("arm", "block")]), 0L)
    whole <- bayesgap(4, function(arm, pull) arm, budget = 12, blocks = 3, replace = FALSE,
      policy = name, seed = 1, prior_sd = 1, noise_sd = 1)
    pairs <- as.data.frame(whole)[c("arm", "block")]
    expect_identical(nrow(unique(pairs)), nrow(pairs))
  }
  expect_error(
    bayesgap(4, budget = 13, blocks = 3, replace = FALSE), "times that of blocks",
    class = "bayesgap_error_budget"
  )
})

test_that("the block is the one that tells most of leader and rival", {
  set.seed(3)
  x <- bayesgap(5, budget = 30, blocks = 4, block_sd = 2, prior_mean = 0, prior_sd = 1,
    noise_sd = 0.5, seed = 1)
  arm <- block <- integer()
  y <- double()
  for (t in 1:20) {
    todo <- ask(x)
    if (t > 1) {
      twin <- twin_blocks(rep(0, 5), diag(5), 4, 4, arm, block, y, rep(0.25, t - 1))
      note <- note_of(x)
      new <- setdiff(1:4, block[arm == todo$arm])
      gain <- vapply(if (length(new)) new else 1:4, function(m) {
        h <- replace(double(9), c(todo$arm, 5 + m), 1)
        s <- drop(twin$cov %*% h)
        (s[note$leader] - s[note$rival])^2 / (sum(h * s) + 0.25)
      }, 0)
      expect_identical(as.integer(todo$block), (if (length(new)) new else 1:4)[
        which(gain >= (1 - 1e-6) * max(gain))[1]
      ])
    }
    arm <- c(arm, todo$arm)
    block <- c(block, as.integer(todo$block))
    y <- c(y, rnorm(1) + todo$arm / 3)
    x <- tell(x, y[t])
  }
})

test_that("without information on blocks all is as without them", {
  f <- function(arm, pull) sin(arm) + rnorm(1)
  plain <- bayesgap(6, f, budget = 20, seed = 1)
  none <- bayesgap(6, f, budget = 20, seed = 1, blocks = 20, block_sd = 0)
  one <- bayesgap(6, f, budget = 20, seed = 1, blocks = "all")
  for (x in list(none, one)) {
    expect_identical(x$belief$mean, plain$belief$mean)
    expect_identical(x$belief$var, plain$belief$var)
    expect_identical(as.data.frame(x)$arm, as.data.frame(plain)$arm)
  }
  told <- data.frame(pull = NA, as.data.frame(plain)[c("arm", "y")])
  told$block <- seq_len(nrow(told))
  each <- tell(bayesgap(6, budget = 20, seed = 1), told)
  expect_equal(each$fit$block2, 0)
  expect_equal(
    means_of(each), means_of(tell(bayesgap(6, budget = 20, seed = 1), told[-4])), tolerance = 1e-10
  )
})

test_that("what is learned of blocks is near what they are", {
  set.seed(5)
  effect <- rnorm(30, 0, 3)
  truth <- rnorm(8)
  f <- function(arm, pull) truth[arm] + effect[as.integer(pull$block)] + rnorm(1, 0, 0.5)
  x <- bayesgap(8, f, budget = 200, blocks = 30, policy = "uniform", seed = 2)
  expect_equal(sqrt(x$fit$block2), 3, tolerance = 0.4)
  expect_equal(sqrt(x$fit$noise2[1]), 0.5, tolerance = 0.2)
  used <- unique(x$log$block)
  expect_gt(cor(x$belief$block_mean[used], effect[used]), 0.98)
})

test_that("where the level is learned its doubt is in the intervals, and not in differences", {
  set.seed(6)
  arm <- sample(4, 24, TRUE)
  block <- sample(5, 24, TRUE)
  told <- data.frame(pull = NA, arm = arm, block = block, y = rnorm(24) + 3 * rnorm(5)[block])
  x <- tell(bayesgap(4, budget = 9, prior_sd = 1, noise_sd = 0.5, block_sd = 3, seed = 1), told)
  # By brute force: a level with so wide a prior that it says nothing.
  block <- match(block, unique(block))
  twin <- twin_blocks(
    rep(0, 4), diag(4) + 1e6, 9, 5, arm, block, told$y, rep(0.25, 24)
  )
  table <- posterior(x)
  expect_equal(table$mean, twin$mean[1:4], tolerance = 1e-3)
  expect_equal(table$sd, sqrt(diag(twin$cov)[1:4]), tolerance = 1e-3)
  expect_identical(predict(x)$sd, table$sd)
  draws <- as.matrix(simulate(x, 4000, seed = 1))
  expect_equal(apply(draws, 1, sd), table$sd, tolerance = 0.05, ignore_attr = TRUE)
  apart <- twin$cov[1, 1] + twin$cov[2, 2] - 2 * twin$cov[1, 2]
  expect_equal(var(draws[1, ] - draws[2, ]), apart, tolerance = 0.1)
  given <- update(x, prior_mean = 0)
  expect_identical(posterior(given)$sd, sqrt(given$belief$var))
})

test_that("a control is the first pull of every block", {
  x <- bayesgap(c("std", "a", "b", "c"), budget = 18, control = "std", seed = 1)
  for (plate in c("p1", "p2", "p3")) {
    todo <- ask(x, 5, block = plate)
    expect_identical(todo$arm[1], "std")
    expect_identical(unique(todo$block), plate)
    x <- tell(x, data.frame(todo, y = seq_len(5)))
  }
  f <- function(arm, pull) nchar(arm)
  y <- bayesgap(c("std", "a", "bb"), f, budget = 12, blocks = 4, control = "std", seed = 1)
  first <- !duplicated(as.data.frame(y)$block)
  expect_identical(unique(as.data.frame(y)$arm[first]), "std")
})

test_that("blocks go with batches, failures, resuming and going on", {
  f <- function(arm, pull) {
    if (pull$index == 4) stop("broken plate")
    arm + 2 * (pull$block == "2") + rnorm(1)
  }
  file <- tempfile()
  whole <- bayesgap(6, f, budget = 24, blocks = 4, batch = 3, seed = 1)
  half <- bayesgap(6, f, budget = 12, blocks = 4, batch = 3, seed = 1, checkpoint = file)
  expect_message(
    again <- bayesgap(6, f, budget = 12, blocks = 4, batch = 3, seed = 1, checkpoint = file)
  )
  expect_identical(again, half)
  expect_error(
    bayesgap(6, f, budget = 12, blocks = 5, batch = 3, seed = 1, checkpoint = file), "`blocks`",
    class = "bayesgap_error_checkpoint"
  )
  expect_identical(nobs(whole), 23L)
  more <- bayesgap(half, f, budget = 24)
  expect_identical(more$last, 24L)
  expect_identical(names(ask(bayesgap(6, budget = 5, blocks = 2), 2)), c("pull", "arm", "block"))
})

test_that("a pull that failed keeps its block", {
  at <- character()
  f <- function(arm, pull) {
    at[pull$index] <<- pull$block
    if (pull$index == 1) stop("dropped") else if (pull$index %in% 4:5) NA else arm + rnorm(1)
  }
  file <- tempfile()
  for (batch in c(1, 3)) {
    x <- bayesgap(6, f, budget = 12, blocks = 3, control = 2, batch = batch, seed = 1)
    table <- as.data.frame(x)
    expect_identical(which(!is.na(table$error)), c(1L, 4L, 5L))
    expect_identical(table$block, at)
    # The control of the first block failed, and is not made again.
    expect_identical(unname(c(table(table$block[table$arm == 2]))), rep(1L, 3))
    save_run(x, file)
    expect_identical(read_run(file), x)
  }
  stopped <- tryCatch(
    bayesgap(6, f, budget = 12, blocks = 3, control = 2, batch = 3, on_error = "stop", seed = 1),
    bayesgap_error_objective = function(e) e$run
  )
  expect_identical(stopped$log$pull, 2:3)
  expect_identical(stopped$blocks[c(stopped$open$block, stopped$log$block)], at[1:3])
  again <- bayesgap(stopped, function(arm, pull) arm + (pull$index == 1) * as.integer(pull$block), 3)
  expect_identical(as.data.frame(again)$block, at[c(2, 3, 1)])
})

test_that("wrong blocks are refused, and it is said what to do", {
  fixed <- bayesgap(c("a", "b"), budget = 6, blocks = c("mon", "tue"), seed = 1)
  free <- bayesgap(c("a", "b"), budget = 6, seed = 1)
  free <- tell(free, data.frame(pull = 1, arm = "a", y = 1, block = "p1"))
  plain <- tell(bayesgap(c("a", "b"), budget = 6, seed = 1), 1)
  two <- data.frame(arm = "a", y = 1, block = "p1", block = "p2", check.names = FALSE)
  expect_snapshot(error = TRUE, {
    bayesgap(2, budget = 3, blocks = 0)
    bayesgap(2, budget = 3, blocks = c("a", "a"))
    bayesgap(2, budget = 3, blocks = c("a", NA))
    bayesgap(2, budget = 3, blocks = TRUE)
    bayesgap(2, budget = 3, blocks = 2, block_sd = -1)
    bayesgap(2, budget = 3, blocks = 2, control = "c")
    bayesgap(2, function(arm) arm, budget = 3, control = 1)
    bayesgap(free, function(arm) 1, budget = 6)
    bayesgap(4, budget = 40, blocks = 2, policy = "ugap")
    ask(fixed, block = "wed")
    ask(free)
    ask(free, block = NA)
    ask(free, block = c("p1", "p2"))
    ask(plain, block = "p1")
    ask(plain, pending = data.frame(pull = 2, arm = "a", block = "p1"))
    ask(fixed, pending = data.frame(pull = 1, arm = "a", block = "wed"))
    ask(fixed, pending = data.frame(pull = 1, arm = "a", block = NA))
    tell(free, 1)
    tell(free, data.frame(arm = "a", y = 1))
    tell(free, data.frame(arm = "a", y = 1, block = NA))
    tell(fixed, data.frame(arm = "a", y = 1, block = "wed"))
    tell(fixed, data.frame(pull = 1:2, arm = "a", y = 1, block = c("mon", NA)))
    tell(plain, data.frame(arm = "a", y = 1, block = "p1"))
    tell(free, two)
  })
})

test_that("a control comes besides the initial arms", {
  order <- c("d", "c", "b", "e", "f")
  x <- bayesgap(c("std", letters[2:6]), budget = 30, init = order, control = "std", seed = 1)
  plates <- list()
  for (plate in c("p1", "p2", "p3")) {
    plates[[plate]] <- ask(x, 3, block = plate)
    expect_identical(ask(x, 3, block = plate, batch = "distinct"), plates[[plate]])
    x <- tell(x, data.frame(plates[[plate]], y = 1:3))
  }
  expect_identical(do.call(rbind, plates)$arm[1:8], c("std", "d", "c", "std", "b", "e", "std", "f"))
  # Told in another order, with pulls that are out, and after a control of an earlier day.
  x <- bayesgap(c("std", letters[2:6]), budget = 30, init = order, control = "std", seed = 1)
  todo <- ask(x, 3, block = "p1")
  expect_identical(ask(x, 2, pending = todo, block = "p2")$arm, c("std", "b"))
  later <- tell(x, data.frame(todo[3, ], y = 1))
  expect_identical(ask(later, 2, pending = todo[1:2, ], block = "p1")$arm, c("b", "e"))
  before <- tell(x, data.frame(pull = NA, arm = "std", y = 1, block = "p1"))
  expect_identical(ask(before, 3, block = "p1")$arm, c("d", "c", "b"))
  # A control among the initial arms is pulled as such; blocks are known, arms one at a time.
  f <- function(arm, pull) nchar(arm) + rnorm(1)
  for (batch in c(1, 4)) {
    y <- bayesgap(c("std", letters[2:6]), f, budget = 14, init = 6, blocks = 2, control = "std",
      batch = batch, seed = 1)
    table <- as.data.frame(y)
    expect_setequal(table$arm[1:6], c("std", letters[2:6]))
    expect_identical(unique(table$arm[!duplicated(table$block)]), "std")
  }
})

test_that("plates as they come, no arm twice on one, are begun with a pull an arm", {
  expect_snapshot(error = TRUE, bayesgap(letters[1:4], budget = 12, replace = FALSE))
  x <- bayesgap(letters[1:4], budget = 4, replace = FALSE, seed = 1)
  x <- tell(x, data.frame(ask(x, 3, block = "p1"), y = 1:3))
  x <- bayesgap(x, budget = 12)
  for (plate in c("p2", "p1", "p3")) {
    x <- tell(x, data.frame(ask(x, 9, block = plate), y = 1))
    expect_identical(nrow(ask(x, 9, block = plate)), 0L)
  }
  expect_identical(unname(c(table(as.data.frame(x)[c("arm", "block")]))), rep(1L, 12))
})

test_that("the engine makes the very run of a pool by blocks", {
  set.seed(2)
  pool <- matrix(rnorm(40), 5) + rep(rnorm(8, 0, 3), each = 5)
  model <- arm_model(5, prior_mean = 0, prior_sd = 1, noise_sd = 1, block_sd = 3)
  problem <- problem_pool(pool, model, blocks = TRUE)
  found <- benchmark_policies(problem, c("bayesgap", "uniform", "thompson"), c(20, 40), 5, seed = 1)
  # No ties: the very pulls of a run from R.
  uneven <- arm_model(5, prior_mean = (1:5) / 7, prior_sd = 1, noise_sd = 1, block_sd = 3)
  kept <- benchmark_policies(
    problem_pool(pool, uneven, blocks = TRUE), "bayesgap", 25, 1, seed = 1, keep = "pulls"
  )
  uneven <- arm_model(
    5, prior_mean = (1:5) / 7, prior_sd = 1, noise_sd = 1, block_sd = 3, blocks = 8
  )
  x <- bayesgap(uneven, function(arm, pull) pool[arm, as.integer(pull$block)], 25,
    replace = FALSE, seed = 5)
  expect_identical(kept$pulled[[1]], x$log$arm)
  expect_error(benchmark_policies(problem, "ucbe", 20, 2), class = "bayesgap_error_policy")
  expect_error(
    problem_pool(pool, arm_model(5, prior_mean = 0, prior_sd = 1, noise_sd = 1), blocks = TRUE),
    "block_sd", class = "bayesgap_error_block"
  )
})

test_that("results told by their number go to the arms that were asked in their block", {
  x <- bayesgap(c("std", "a", "b", "c", "d"), budget = 30, control = "std", seed = 1)
  todo <- ask(x, 4, block = "p1")
  whole <- tell(x, data.frame(todo, y = 1:4))
  expect_identical(tell(x, data.frame(todo[c("pull", "block")], y = 1:4)), whole)
  second <- ask(x, 4, pending = todo, block = "p2")
  both <- rbind(todo, second)
  expect_identical(
    tell(x, data.frame(both[c("pull", "block")], y = 1:8)), tell(x, data.frame(both, y = 1:8))
  )
  # Without the number the next pull is found.
  first <- tell(x, data.frame(todo[1, c("arm", "block")], y = 1))
  expect_identical(first$log$pull, 1L)
  # Known beforehand, and asked for one of them.
  fixed <- bayesgap(5, budget = 20, blocks = c("mon", "tue"), control = 3, seed = 1)
  todo <- ask(fixed, 3, block = "tue")
  expect_identical(
    tell(fixed, data.frame(todo[c("pull", "block")], y = 1:3)),
    tell(fixed, data.frame(todo, y = 1:3))
  )
})

test_that("a plate is told in two parts, and read from a file in between", {
  x <- bayesgap(c("std", "a", "b", "c", "d"), budget = 30, control = "std", seed = 1)
  todo <- ask(x, 4, block = "p1")
  x <- tell(x, data.frame(todo[3:4, ], y = 1:2))
  expect_identical(x$open, list(pull = 1:2, arm = match(todo$arm[1:2], x$model$arms$names),
    block = c(1L, 1L)))
  file <- tempfile()
  save_run(x, file)
  expect_identical(read_run(file), x)
  expect_false("std" %in% ask(x, 3, pending = todo[1:2, ], block = "p1")$arm)
  # What is said to be out is believed.
  other <- transform(todo[1:2, ], arm = c("a", "c"), block = "p2")
  expect_identical(ask(x, 1, pending = other, block = "p1")$arm, "std")
  expect_identical(ask(x, 1, pending = other, block = "p2")$arm, "std")
})

test_that("a control is in a block also where arms are distinct", {
  x <- bayesgap(c("std", "a", "b", "c", "d"), budget = 30, control = "std", seed = 1)
  one <- ask(x, 2, block = "p1", batch = "distinct")
  two <- ask(x, 3, pending = one, block = "p2", batch = "distinct")
  expect_identical(c(one$arm[1], two$arm[1]), c("std", "std"))
  expect_identical(anyDuplicated(c(one$arm, two$arm[-1])), 0L)
})

test_that("without replacement initial pulls are not twice in a block, and are read again", {
  x <- bayesgap(c("a", "b", "c"), function(arm, pull) nchar(arm), budget = 6, blocks = 2,
    init = c("a", "a", "a"), replace = FALSE, seed = 1, prior_sd = 1, noise_sd = 1)
  expect_identical(anyDuplicated(as.data.frame(x)[c("arm", "block")]), 0L)
  file <- tempfile()
  save_run(x, file)
  expect_identical(read_run(file), x)
  free <- bayesgap(letters[1:3], budget = 20, control = "b", init = 9, replace = FALSE, seed = 1)
  expect_setequal(ask(free, 8, block = "p1")$arm, c("a", "b", "c"))
})

test_that("a given block_sd leaves the noise to be learned as it is", {
  set.seed(8)
  told <- expand.grid(arm = 1:6, block = 1:8)
  told$y <- told$arm / 2 + 3 * rnorm(8)[told$block] + 0.1 * rnorm(48)
  told$pull <- NA
  for (block_sd in list(NULL, 1, 3, 30)) {
    x <- tell(bayesgap(6, budget = 9, block_sd = block_sd, seed = 1), told)
    expect_equal(sqrt(x$fit$noise2[1]), 0.1, tolerance = 0.25)
  }
  told$y <- told$y + 1e4 * rnorm(8)[told$block]
  far <- tell(bayesgap(6, budget = 9, seed = 1), told)
  expect_equal(sqrt(far$fit$noise2[1]), 0.1, tolerance = 0.25)
  expect_gt(posterior(far)$p_best[6], 0.9)
})

test_that("pulls left open in a run with blocks are told with their arms", {
  x <- bayesgap(letters[1:6], budget = 30, seed = 1)
  first <- ask(x, 4, block = "p2")
  second <- ask(x, 4, pending = first, block = "p1")
  x <- tell(x, data.frame(second, y = 1:4))
  first$y <- 1:4
  expect_error(tell(x, first[c("pull", "block", "y")]), "Keep the column `arm`",
    class = "bayesgap_error_tell")
  expect_error(tell(x, first[c("pull", "y")]), class = "bayesgap_error")
  expect_identical(as.data.frame(tell(x, first))$arm, c(second$arm, first$arm))
  # Their blocks are a guess too, and so are those of results after a gap.
  expect_identical(unique(x$open$block), match("p1", x$blocks))
  for (columns in list(c("pull", "arm", "y"), c("arm", "y"))) {
    expect_error(tell(x, first[columns]), "column `block`", class = "bayesgap_error_block")
    expect_error(tell(x, first[2, columns]), "column `block`", class = "bayesgap_error_block")
  }
  expect_identical(as.data.frame(tell(x, first[2, ]))$block[5], "p2")
  fixed <- bayesgap(letters[1:6], budget = 30, blocks = 3, seed = 1)
  todo <- data.frame(ask(fixed, 6), y = 1:6)
  expect_error(tell(fixed, todo[4:6, c("pull", "arm", "y")]), class = "bayesgap_error_block")
  expect_identical(tell(fixed, todo[c("pull", "arm", "y")]), tell(fixed, todo))
})

test_that("what a benchmark cannot do with blocks is refused", {
  model <- arm_model(4, prior_mean = 0, prior_sd = 1, noise_sd = 1, blocks = 3, block_sd = 1)
  expect_error(problem_gaussian(model), class = "bayesgap_error_block")
  expect_error(problem_pool(matrix(0, 4, 5), model), class = "bayesgap_error_block")
  expect_error(problem_pool(matrix(0, 4, 5), model, blocks = TRUE), "each of the 3 blocks",
    class = "bayesgap_error_block")
})

test_that("exact rewards in blocks need a block_sd, and an arm's column is not a block", {
  f <- function(arm, pull) arm
  expect_error(bayesgap(4, f, 20, blocks = 5, noise_sd = 0, replace = FALSE), "`block_sd`",
    class = "bayesgap_error_block")
  x <- bayesgap(4, f, 20, blocks = 5, noise_sd = 0, block_sd = 1, replace = FALSE, seed = 1)
  expect_gt(nobs(x), 4L)
  expect_error(bayesgap(data.frame(block = 1:3, z = 1:3), budget = 9), "\"block\"",
    class = "bayesgap_error_arms")
})
