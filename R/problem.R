# Problems for studies: worlds whose truth is known, simulated in C.

#' Worlds to compare policies in
#'
#' A problem is a set of arms whose true means are known, and what a policy is told of them
#' beforehand. `problem_gaussian()` makes pulls that are Gaussian about the true means;
#' `problem_binomial()` and `problem_poisson()` make conversions and counts (see [family]);
#' `problem_pool()` draws pulls from rewards that were recorded before. Use them with
#' [benchmark_policies()].
#'
#' The policies see the model only: its arms, its prior and its noise. What they meet may
#' be something else (`means`, `noise_sd`, `rewards`), which is how a prior that is wrong is
#' studied. Nothing is learned of the prior within a benchmark, so `prior_mean`, `prior_sd`
#' and `noise_sd` of the model must all be given, and its kernel, if it has one, must leave
#' no parameter to be learned.
#'
#' A pull of `problem_binomial()` is the share of successes in so many trials, one of
#' `problem_poisson()` a count by its exposure. The policies take the noise for that of the
#' `prior_mean`, so that the model has no `noise_sd`. Means that are drawn from the prior are cut
#' to what a rate can be.
#'
#' @param model An [arm_model()] with `prior_mean`, `prior_sd` and `noise_sd`; for rates without
#'   `noise_sd`.
#' @param means The true means. `NULL`: drawn from the prior, anew in every replication. A
#'   vector with one number an arm: the same in all replications. A matrix with one column
#'   an arm: one row a ground truth, replication `r` meets row `r`, and after the last row
#'   comes the first again. Names, where there are any, must be the arms'.
#' @param noise_sd The standard deviation of a pull in the world, one number or one per arm;
#'   `NULL`: the model's.
#' @param rewards A matrix of rewards with one row an arm, one column a draw, no gaps: a
#'   pull of an arm is a random entry of its row, with replacement, and its true mean the
#'   mean of the row. Row names, where there are any, must be the arms'.
#' @param ... Must be empty.
#' @param blocks Are the columns of `rewards` blocks (see [blocks]), such as splits of the data that
#'   all arms were tested on? A pull is then made in a block that the policy did not have the arm
#'   in, and returns the entry of that column; no entry is had twice. The model must have a
#'   `block_sd`.
#' @param maximise `FALSE` when smaller rewards are better, such as prediction errors. The
#'   regret is then the true mean of the arm kept minus the smallest, at least 0 as ever.
#'
#' @return An object of class `bayesgap_problem`, a plain list: `kind` (`"gaussian"`, `"binomial"`,
#'   `"poisson"` or `"pool"`), `model`, `maximise`, and what the simulation needs. `print()` shows
#'   it in words.
#' @seealso [benchmark_policies()]; `vignette("traffic")`.
#' @export
#' @examples
#' # Twenty settings of a dial, neighbours alike; a new truth in every replication
#' dial <- 1:20
#' model <- arm_model(20, cov = exp(-outer(dial, dial, "-")^2 / 18),
#'                    prior_mean = 0, prior_sd = 1, noise_sd = 0.5)
#' problem_gaussian(model)
#'
#' # One truth; pulls are noisier than the policies are told
#' problem_gaussian(model, means = sin(dial / 3), noise_sd = 1)
#'
#' # Test errors of three methods on eight splits, the smaller the better
#' errors <- rbind(tree = c(7, 8, 6, 9, 7, 8, 8, 7), lm = c(6, 6, 5, 7, 6, 6, 7, 5), knn = 8:1)
#' model <- arm_model(rownames(errors), prior_mean = 6, prior_sd = 2, noise_sd = 1)
#' problem_pool(errors, model, maximise = FALSE)
#'
#' # Four pages that convert 5 to 8 of 100 visitors, 100 visitors a pull
#' pages <- arm_model(4, prior_mean = 0.065, prior_sd = 0.01, family = "binomial")
#' problem <- problem_binomial(pages, trials = 100)
#' summary(benchmark_policies(problem, c("bayesgap", "uniform"), budget = 20, reps = 50, seed = 1))
problem_gaussian <- function(model, means = NULL, noise_sd = NULL, ..., maximise = TRUE) {
  check_dots(...)
  arms <- check_known_model(model)$arms
  check_no_blocks(model, "Use problem_pool(blocks = TRUE).")
  maximise <- check_flag(maximise, "maximise")
  if (!is.null(means)) {
    means <- check_means(means, arms)
  }
  noise_sd <- if (is.null(noise_sd)) {
    model$noise_sd
  } else {
    check_sd(noise_sd, "noise_sd", "noise", arms)
  }
  new_problem("gaussian", model, maximise, means = means, noise_sd = noise_sd)
}

#' @rdname problem_gaussian
#' @export
problem_pool <- function(rewards, model, ..., maximise = TRUE, blocks = FALSE) {
  check_dots(...)
  arms <- check_known_model(model)$arms
  blocks <- check_flag(blocks, "blocks")
  maximise <- check_flag(maximise, "maximise")
  if (missing(rewards)) {
    rewards <- NULL
  }
  rewards <- check_rewards(rewards, arms)
  if (blocks) {
    model <- with_pool_blocks(model, ncol(rewards))
  } else {
    check_no_blocks(model, "Say `blocks = TRUE` where the columns of `rewards` are these.")
  }
  new_problem(
    "pool", model, maximise,
    means = matrix(rowMeans(rewards), 1L), noise_sd = model$noise_sd, pool = rewards
  )
}

check_no_blocks <- function(model, advice) {
  if (!is.null(c(model$blocks, model$control))) {
    abort("block", "`model` must not have `blocks` or a `control` here. ", advice)
  }
}

# The columns of a pool as the blocks of the model.
with_pool_blocks <- function(model, n) {
  if (!is.null(model$control)) {
    abort("block", "`model` must not have a `control`: a benchmark has none.")
  }
  left <- Filter(function(name) is.null(model[[name]]), c("block_sd", "block_arm_sd"))
  if (length(left)) {
    abort(
      "block", "`model` must have a `", left[1L], "` where `blocks = TRUE`: nothing is learned ",
      "within a benchmark."
    )
  }
  if (!is.null(model$blocks) && length(model$blocks) != n) {
    abort(
      "block", "`rewards` must have a column for each of the ",
      count_of(length(model$blocks), "block"), " of `model`, not ", n, "."
    )
  }
  model$blocks <- if (is.null(model$blocks)) check_blocks(n) else model$blocks
  model
}

# prior, fit: as the C core reads them; means: one row a ground truth, or NULL; pool: arms x
# draws, or NULL; law: what rewards are, in the order of enum law_at: the name of the family, by
# which C finds it, the size of a pull, and the sign of rates; tolerance: a smaller regret is
# rounding. fit, means and pool are in units of reward, the larger the better.
new_problem <- function(kind, model, maximise, means, noise_sd, pool = NULL) {
  sign <- if (maximise) 1 else -1
  # The world's rewards come as they are.
  block <- if (!is.null(model$blocks)) integer()
  fit <- uncentred(first_fit(model, sign, block))
  structure(
    list(
      kind = kind, model = model, maximise = maximise, prior = drawable(model$prior),
      fit = fit,
      means = if (!is.null(means)) sign * means,
      noise_sd = rep_len(noise_sd, n_arms(model$arms)),
      pool = if (!is.null(pool)) sign * pool, law = list(name = "gaussian", size = 1, side = 1),
      tolerance = regret_tolerance(model, means)
    ),
    class = "bayesgap_problem"
  )
}

# Means that differ by less are the same mean but for rounding.
regret_tolerance <- function(model, means) {
  if (is.null(means)) {
    spread <- model$prior_sd * sqrt(max(model$prior$diagonal))
    size <- max(abs(model$prior_mean)) + spread
  } else {
    spread <- max(means) - min(means)
    size <- max(abs(means))
  }
  1e-9 * spread + 16 * .Machine$double.eps * size
}

# What replication `rep` meets. In the order of enum world_at: mean, noise_sd, pool, law.
problem_world <- function(problem, rep) {
  means <- problem$means
  mean <- if (!is.null(means)) means[(rep - 1L) %% nrow(means) + 1L, ]
  list(mean = mean, noise_sd = problem$noise_sd, pool = problem$pool, law = problem$law)
}

check_problem <- function(x, arg = "problems") {
  if (!inherits(x, "bayesgap_problem")) {
    abort_argument(
      "problem", arg,
      "a problem, made by problem_gaussian() or problem_pool(), or a list of problems", x
    )
  }
  x
}

check_model <- function(model) {
  if (!inherits(model, "arm_model")) {
    abort_argument("model", "model", "made by arm_model()", model)
  }
  model
}

check_known_model <- function(model) {
  check_model(if (!missing(model)) model)
  family <- family_of(model)
  if (!is.null(family)) {
    abort(
      "family", "`model` has `family = \"", family$name, "\"`: use problem_", family$name, "()."
    )
  }
  left <- c("prior_mean", "prior_sd", "noise_sd")
  left <- left[vapply(left, function(name) is.null(model[[name]]), TRUE)]
  if (length(left)) {
    abort(
      "model", "`model` must have a `prior_mean`, a `prior_sd` and a `noise_sd`, but `",
      left[1L], "` is NULL. Nothing is learned of the prior within a benchmark: give ",
      paste0("`", left, "`", collapse = ", "), " to arm_model()."
    )
  }
  check_known_kernel(model)
  model
}

check_known_kernel <- function(model) {
  free <- kernel_free(model)
  if (any(free)) {
    abort(
      "model", "The kernel of `model`, ", format(model$kernel$kernel), ", has parameters to be ",
      "learned: ", quoted(model$kernel$params$name[free]), ". Nothing is learned within a ",
      "benchmark: give them numbers."
    )
  }
}

# A matrix with one row a ground truth.
check_means <- function(means, arms) {
  k <- n_arms(arms)
  must <- gettextf(
    "NULL, one number an arm (%d), or a matrix of %d column%s, one row a ground truth",
    k, k, if (k == 1L) "" else "s"
  )
  if (is.data.frame(means)) {
    means <- as.matrix(means)
  }
  if (!is.numeric(means) || !length(means) || length(dim(means)) > 2L) {
    abort_argument("means", "means", must, means)
  }
  if (!is.matrix(means)) {
    if (length(means) != k) {
      abort_argument("means", "means", must, means)
    }
    means <- matrix(means, 1L, dimnames = list(NULL, names(means)))
  }
  if (ncol(means) != k) {
    abort_argument("means", "means", must, means)
  }
  check_finite_entries(means, "means")
  order <- match_to_arms(colnames(means), arms, "means", "means")
  plain_matrix(if (is.null(order)) means else means[, order, drop = FALSE])
}

check_rewards <- function(rewards, arms) {
  k <- n_arms(arms)
  must <- gettextf("a numeric matrix of %d row%s, one an arm, and one column a draw",
                  k, if (k == 1L) "" else "s")
  if (is.data.frame(rewards)) {
    rewards <- as.matrix(rewards)
  }
  if (!is.matrix(rewards) || !is.numeric(rewards) || nrow(rewards) != k || !ncol(rewards)) {
    abort_argument("rewards", "rewards", must, rewards)
  }
  check_finite_entries(rewards, "rewards")
  order <- match_to_arms(rownames(rewards), arms, "rewards", "rewards")
  plain_matrix(if (is.null(order)) rewards else rewards[order, , drop = FALSE])
}

check_finite_entries <- function(x, arg) {
  bad <- !is.finite(x) | abs(x) > 1e100
  if (any(bad)) {
    at <- which(bad, arr.ind = TRUE)[1L, ]
    abort(arg, gettextf(
      "`%s` must be numbers between -1e100 and 1e100 without gaps; entry [%d, %d] is %s.",
      arg, at[1L], at[2L], format(x[at[1L], at[2L]])
    ))
  }
}

plain_matrix <- function(x) {
  dimnames(x) <- NULL
  storage.mode(x) <- "double"
  x
}

# ---- In words ----------------------------------------------------------------------------------

#' @export
format.bayesgap_problem <- function(x, ...) {
  truths <- nrow(x$means)
  source <- if (!is.null(x$pool)) {
    sprintf("pulls from a pool of %s an arm", count_of(ncol(x$pool), "draw"))
  } else if (is.null(truths)) {
    "means drawn from the prior"
  } else {
    count_of(truths, "ground truth")
  }
  c(
    sprintf(
      "<problem> %s, %s, %s, %s", x$kind, count_of(n_arms(x$model$arms), "arm"), source,
      if (x$maximise) "maximise" else "minimise"
    ),
    format(x$model)
  )
}

#' @export
print.bayesgap_problem <- print_lines
