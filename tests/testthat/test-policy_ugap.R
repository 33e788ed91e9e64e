# Fixture B after its first t - 1 observations, none of them one of the budget's pulls.
ugap_b <- function(t, ...) {
  arm <- c(rep(1:5, each = 2), numbers("B", "extra_arm"))
  y <- c(numbers("B", "init_y"), numbers("B", "extra_y"))
  x <- bayesgap(5,
    budget = numbers("B", "n"), prior_mean = 0.5, prior_sd = 1, noise_sd = 0.3, seed = 1,
    policy = policy("ugap", scale = numbers("B", "b"), ...)
  )
  seen <- seq_len(t - 1)
  tell(x, data.frame(arm = arm[seen], y = y[seen], pull = NA))
}

test_that("ugap reproduces fixture B with Hoeffding's and Bernstein's bounds", {
  a <- numbers("B", "a")
  forms <- list(
    H = list(a = a), V = list(a = a, bound = "bernstein"),
    adapt = list(epsilon = numbers("B", "epsilon"))
  )
  for (t in 11:14) {
    for (form in names(forms)) {
      x <- do.call(ugap_b, c(t, forms[[form]]))
      note <- note_of(x)
      quantity <- function(what) {
        name <- if (form == "adapt") "ugap_adapt_" else paste0("ugap_", form, "_")
        numbers("B", paste0(name, what), t)
      }
      upper <- quantity("U")
      lower <- quantity("L")
      expect_equal(max_of_others(upper) - lower, quantity("B"), tolerance = 1e-8)
      expect_equal(note$gap, min(quantity("B")), tolerance = 1e-8)
      expect_equal(note$leader, quantity("J"))
      expect_equal(note$rival, quantity("u"))
      expect_equal(ask(x)$arm, quantity("pull"))
    }
    # the last of the three forms: its a and its hardness
    expect_equal(note$hardness, numbers("B", "ugap_adapt_H", t), tolerance = 1e-8)
    expect_equal((note$beta / 2)^2, numbers("B", "ugap_adapt_a", t), tolerance = 1e-8)
  }
})

test_that("a known hardness gives the published a", {
  note <- note_of(ugap_b(11, hardness = 40))
  expect_equal((note$beta / 2)^2, (30 - 5) / (4 * 40))
  note <- note_of(ugap_b(11, hardness = 40, bound = "bernstein"))
  expect_equal(note$beta^2 / 2, (30 - 10) / (4 * 40))
  # in units of reward: ten times the rewards, a hundredth of the hardness
  x <- bayesgap(2, budget = 12, prior_mean = 0, prior_sd = 10, noise_sd = 10,
    policy = policy("ugap", hardness = 0.05))
  x <- tell(x, data.frame(arm = 1:2, y = c(3, -4), pull = NA))
  expect_equal((note_of(x)$beta / 2)^2, (12 - 2) / (4 * 20^2 * 0.05))
})

twin_ugap <- function(k, budget, range, epsilon, bernstein, arm, y) {
  first <- if (bernstein) 2 else 1
  each <- function(f) vapply(seq_len(k), function(i) f(y[arm == i]), 0)
  n <- tabulate(arm, k)
  mean <- each(mean)
  if (any(n < first)) {
    return(list(first = which(n == min(n)), mean = mean))
  }
  half <- pmax((abs(max_of_others(mean) - mean) + range * sqrt(1 / (2 * n)) + epsilon) / 2, epsilon)
  if (bernstein) {
    var <- each(var)
    hard <- sum((sqrt(var) + sqrt(var + 16 / 3 * range * half))^2 / half^2)
    a <- (budget - 2 * k) / (4 * hard)
    width <- sqrt(2 * a * var / n) + 7 * a * range / (3 * (n - 1))
  } else {
    hard <- sum(range^2 / half^2)
    a <- (budget - k) / (4 * hard)
    width <- range * sqrt(a / n)
  }
  upper <- mean + width
  b <- max_of_others(upper) - (mean - width)
  leader <- which.min(b)
  rivals <- upper
  rivals[leader] <- -Inf
  rival <- which.max(rivals)
  clear <- abs(width[leader] - width[rival])
  list(
    mean = mean, leader = leader, rival = rival, gap = b[leader], a = a,
    arm = if (width[rival] > width[leader] * (1 + 1e-9)) rival else leader,
    margin = min(
      diff(sort(b)[1:2]), if (k > 2) -diff(sort(rivals, decreasing = TRUE)[1:2]),
      if (bernstein && clear > 0) clear
    )
  )
}

test_that("adaptive ugap equals its twin over whole runs", {
  skip_long_on_cran()
  set.seed(12)
  compared <- 0
  for (i in 1:25) {
    p <- random_problem(k = 1L + sample.int(24L, 1L))
    p$cov <- tcrossprod(p$features) + diag(0.1, p$k)
    bernstein <- runif(1) < 0.5
    p$budget <- (1L + bernstein) * p$k - 1L + sample.int(2L * p$k + 21L, 1L)
    epsilon <- if (runif(1) < 0.5) 0 else 0.2
    x <- known_run(p, cov = if (i %% 2) p$cov, policy = policy("ugap",
      bound = if (bernstein) "bernstein" else "hoeffding", epsilon = epsilon
    ))
    truth <- rnorm(p$k)
    gaps <- double()
    leaders <- integer()
    agrees <- TRUE
    for (t in seq_len(p$budget + 1L)) {
      twin <- twin_ugap(
        p$k, p$budget, 2 * p$noise_sd, epsilon, bernstein, x$log$arm, x$log$reward
      )
      note <- note_of(x)
      chosen <- ask(x)$arm
      if (is.null(twin$gap)) {
        agrees <- agrees && chosen %in% twin$first && is.na(note$leader)
      } else {
        a <- if (bernstein) note$beta^2 / 2 else (note$beta / 2)^2
        agrees <- agrees && isTRUE(all.equal(c(note$gap, a), c(twin$gap, twin$a)))
        if (twin$margin > 1e-7) {
          agrees <- agrees && note$leader == twin$leader && note$rival == twin$rival &&
            (t > p$budget || chosen == twin$arm)
          compared <- compared + 1
        }
        gaps <- c(gaps, twin$gap)
        leaders <- c(leaders, note$leader)
        agrees <- agrees && best_arm(x) == leaders[which.min(gaps)]
      }
      if (t <= p$budget) {
        x <- tell(x, truth[chosen] + rnorm(1, sd = p$noise_sd))
      }
    }
    expect_true(agrees)
    expect_equal(note$safest, leaders[which.min(gaps)])
    expect_equal(nobs_of(x), p$budget)
  }
  expect_gt(compared, 400)
})

test_that("the last reward counts in the recommendation", {
  x <- bayesgap(2, budget = 3, prior_mean = 0, prior_sd = 1, noise_sd = 1, seed = 1,
    policy = policy("ugap", a = 0.1))
  x <- tell(x, data.frame(arm = 1:2, y = c(0, 0.1), pull = 1:2))
  expect_equal(best_arm(x), 2)
  x <- tell(x, data.frame(arm = 1, y = 100, pull = 3))
  expect_equal(best_arm(x), 1)
})

test_that("ugap refuses a budget that does not reach", {
  expect_error(
    bayesgap(7, budget = 6, policy = "ugap"), "at least 7", class = "bayesgap_error_budget"
  )
  expect_error(
    bayesgap(7, budget = 13, policy = policy("ugap", bound = "bernstein")), "at least 14",
    class = "bayesgap_error_budget"
  )
  x <- bayesgap(7, function(arm) arm + rnorm(1), budget = 14, seed = 1,
    policy = policy("ugap", bound = "bernstein"))
  expect_equal(tabulate(x$log$arm), rep(2L, 7))
  # a known arm needs no pull
  cov <- diag(c(0, rep(1, 6)))
  expect_no_error(bayesgap(7, budget = 6, policy = "ugap", cov = cov))
})

test_that("a known arm has no width and makes nothing harder", {
  x <- bayesgap(3, budget = 12, cov = diag(c(0, 1, 1)), prior_mean = c(0.4, 0, 0),
    prior_sd = 1, noise_sd = 1, policy = policy("ugap", scale = 1))
  x <- tell(x, data.frame(arm = 2:3, y = c(0.1, 0.6), pull = NA))
  half <- (c(0.5, 0.2) + sqrt(1 / 2)) / 2
  width <- sqrt((12 - 2) / (4 * sum(half^-2)))
  expect_equal(note_of(x)$hardness, sum(half^-2))
  expect_equal((note_of(x)$beta / 2)^2, width^2)
  b <- max_of_others(c(0.4, 0.1 + width, 0.6 + width)) - c(0.4, 0.1 - width, 0.6 - width)
  expect_equal(note_of(x)$gap, min(b))
  expect_equal(note_of(x)$leader, which.min(b))
  # arm 2 lies 5 above arm 1, and so is known after one exact reward
  cov <- matrix(c(1, 1, 0, 1, 1, 0, 0, 0, 1), 3)
  x <- bayesgap(3, budget = 12, cov = cov, prior_mean = c(0, 5, 0), prior_sd = 1,
    noise_sd = c(0, 1, 1), policy = policy("ugap", a = 1e-6))
  x <- tell(x, data.frame(arm = c(1, 3), y = c(-3, 4), pull = NA))
  expect_equal(note_of(x)$leader, 3)
  expect_equal(note_of(x)$rival, 2)
  expect_equal(note_of(x)$gap, 2 - 4, tolerance = 1e-2)
})

test_that("ugap: equal rewards, exact rewards, known arms and failed pulls", {
  for (bound in c("hoeffding", "bernstein")) {
    play <- function(objective, budget = 30, noise_sd = 1, ...) {
      bayesgap(3, objective, budget = budget, policy = policy("ugap", bound = bound, ...),
        prior_mean = 0, prior_sd = 1, noise_sd = noise_sd, seed = 2)
    }
    expect_equal(nobs_of(play(function(arm) 1)), 30)
    equal <- play(function(arm) 1, scale = 0)
    expect_equal(nobs_of(equal), 30)
    expect_equal(note_of(equal)$gap, 0)
    expect_false(is.nan(note_of(equal)$beta))
    exact <- play(function(arm) c(1, 3, 2)[arm], noise_sd = 0)
    expect_equal(sort(exact$log$arm), 1:3)
    expect_equal(best_arm(exact), 2)
    # one arm is exact: it is pulled once and stands with its reward
    mixed <- play(function(arm) c(1, 3, 2)[arm] + rnorm(1, sd = 0.1), noise_sd = c(0.1, 0, 0.1))
    expect_equal(sum(mixed$log$arm == 2), 1)
    expect_equal(best_arm(mixed), 2)
    failing <- play(function(arm) if (runif(1) < 0.4) stop("no") else 3 * arm)
    expect_length(failing$log$arm, 30)
    expect_equal(best_arm(failing), 3)
  }
})
