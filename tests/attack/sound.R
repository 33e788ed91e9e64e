# What holds for every run, whatever led to it. The run is the variable x of the program, or the
# one named.

# A copy that shares no memory with the variable, to compare with later.
snapshot <- function(name = "x") unserialize(serialize(globalenv()[[name]], NULL))

same_run <- function(a, b) identical(a, b, ignore.bytecode = TRUE, ignore.srcref = TRUE)

check_unchanged <- function(before, name = "x") {
  expect(same_run(before, globalenv()[[name]]), "`", name, "` was changed in place")
}

check_sound <- function(world, name = "x") {
  table <- act(call("posterior", as.name(name)))
  best <- act(call("best_arm", as.name(name)))
  if (is_refused(table)) {
    return(problem("a run that answers no questions"))
  }
  x <- globalenv()[[name]]
  failed <- is.na(x$log$reward) & !as.data.frame(x)$error %in% "withdrawn"
  none <- any(failed) && !x$observed
  no_answer <- is_refused(best) && inherits(best$error, "bayesgap_error_nothing_worked")
  expect(no_answer == none && is_refused(best) == none, "an answer from nothing, or none")
  expect(all(is.finite(table$mean)), "posterior means that are no numbers")
  expect(all(is.finite(table$sd) & table$sd >= 0), "posterior sds that are none")
  expect(all(table$lower <= table$mean & table$mean <= table$upper), "means outside intervals")
  expect(abs(sum(table$p_best) - 1) < 1e-6, "P(best) adds up to ", sum(table$p_best))
  if (!is.null(world$family)) {
    most <- if (world$family == "binomial") 1 else Inf
    expect(all(table$lower >= 0 & table$upper <= most), "rates outside their range")
  }
  names <- arms_of(name)
  expect(nrow(table) == length(names), "not one row an arm")
  expect(all(table$status %in% c("active", "failed", "dropped")), "a status that is none")
  out <- table$status == "dropped" | (table$status == "failed" & table$pulls == 0L)
  expect(all(table$p_best[out] == 0), "an arm that is out may be the best")
  if (!is_refused(best)) {
    at <- match(as.character(if (is.data.frame(best)) best$arm else best), names)
    expect(length(at) == 1L && !is.na(at), "a recommended arm that is none")
    expect(!out[at], "a recommended arm that is out")
  }
  check_failing(x, table)
  check_log(x, table)
}

# By a slow and obvious count: an arm that is set aside failed at least three times since it worked,
# and another arm worked.
check_failing <- function(x, table) {
  for (arm in which(table$status == "failed")) {
    own <- x$log$reward[x$log$arm == arm]
    last <- rev(is.na(own))
    expect(match(FALSE, last, length(last) + 1L) > 3L, "an arm set aside that failed less often")
    expect(any(!is.na(x$log$reward[x$log$arm != arm])), "an arm set aside while none worked")
  }
  expect(identical(x$failures, bayesgap:::own_failures(x)), "failures miscounted")
}

# Some may have come in since the world was made.
arms_of <- function(name = "x") globalenv()[[name]]$model$arms$names

check_log <- function(x, table) {
  rows <- lengths(x$log)
  good <- !is.na(x$log$reward)
  expect(length(unique(rows)) == 1L, "a log of unequal columns")
  expect(!anyDuplicated(x$log$pull, incomparables = NA), "a pull twice in the log")
  expect(x$observed == sum(good), "observations miscounted")
  expect(identical(tabulate(x$log$arm[good], nrow(table)), table$pulls), "pulls miscounted")
  if (is.null(x$model$cost)) {
    expect(bayesgap:::spent(x) <= x$budget, "more pulls than the budget")
    expect(all(x$log$cost == 1), "costs where there are none")
  } else {
    numbered <- !is.na(x$log$pull) & (x$count_failures | good)
    expect(isTRUE(all.equal(x$paid, sum(x$log$cost[numbered]))), "costs added up wrongly")
  }
  numbers <- c(x$log$pull, x$open$pull, bayesgap:::cancelled_pulls(x$changes))
  expect(setequal(numbers[!is.na(numbers)], seq_len(x$last)), "a number that is nowhere")
  expect(all(x$dropped %in% seq_along(x$model$arms$names)), "an arm dropped that is none")
  expect(!any(x$open$pull %in% x$log$pull), "a pull that is told and out")
  places <- c(NA, seq_along(x$blocks))
  expect(all(c(x$log$block, x$open$block) %in% places), "a block that is none")
  expect(!anyDuplicated(x$blocks) && !anyNA(x$blocks), "a block twice, or without a name")
}

# ---- The same in another way --------------------------------------------------------------------

# A file keeps the words of a kernel and of a policy of the user's, not their functions, and bytes
# of whatever is not plain data.
as_in_file <- function(x) {
  x$inexact <- NULL # has it been said here?
  if (!is.null(x$model$kernel)) {
    x$model$kernel$kernel <- format(x$model$kernel$kernel)
  }
  if (!is.null(x$policy$own)) {
    x$policy$own <- x$policy$own$label
  }
  x$remarks <- lapply(x$remarks, bayesgap:::plain_remark)
  x
}

check_file <- function(file = "run.bgap") {
  own <- !is.null(globalenv()$x$policy$own)
  read <- if (own) bquote(read_run(.(file), policy = x$policy)) else bquote(read_run(.(file)))
  if (!is_refused(act(bquote(save_run(x, .(file))))) && !is_refused(act(read, "again"))) {
    expect(
      same_run(as_in_file(globalenv()$x), as_in_file(globalenv()$again)),
      "the file holds another run"
    )
  }
}

# What was read is a run like any other: it can be saved and read again.
check_kept <- function() {
  prepare(quote(tempfile()), "kept")
  expect(!is_refused(act(quote(save_run(x, kept)))), "what was read cannot be saved")
  expect(!is_refused(act(quote(read_run(kept)))), "what was read cannot be read again")
}

# Nothing is learned of the prior, so that the order of the observations does not matter. Rewards
# of 1e100 standard deviations from what was expected are cut.
is_comparable <- function(x) {
  !x$unknowns && x$observed > 0L && {
    noise_sd <- sqrt(min(noise_of(x)))
    noise_sd == 0 || surprise_of(x) <= 1e90 * noise_sd
  }
}

surprise_of <- function(x) misfit_of(x, level_of(x))

# The prior means, in units of reward.
level_of <- function(x) x$fit$centre + x$fit$mean

# The log told at once, to a new run.
check_replay <- function() {
  x <- globalenv()$x
  if (!is_comparable(x)) {
    return()
  }
  columns <- c("arm", "y", "se", "error", if (length(x$blocks)) "block")
  prepare(bquote(cbind(as.data.frame(x)[.(columns)], pull = NA)), "log")
  new <- quote(bayesgap(x$model, budget = x$budget, maximise = x$maximise, seed = 1))
  if (!is_refused(act(bquote(tell(.(new), log)), "again"))) {
    again <- globalenv()$again
    compare_beliefs(x, bayesgap:::means_of(again), again$belief$var, "the log told at once")
  }
}

# By another way: the weights of the covariance's root, from a singular value decomposition, which
# loses nothing where the noise is small beside the prior. Not for exact observations.
check_twin <- function(world) {
  x <- globalenv()$x
  if (!is_comparable(x) || is.null(world$root) || any(noise_of(x) == 0) ||
    n_arms_of(x) != world$k) {
    return()
  }
  root <- x$model$prior_sd * root_of(eval(world$root, globalenv()), world$exact)
  mean <- (if (x$maximise) 1 else -1) * rep_len(x$model$prior_mean, world$k)
  good <- !is.na(x$log$reward)
  seen <- root[x$log$arm[good], , drop = FALSE]
  m <- length(x$blocks)
  if (m) {
    in_block <- outer(x$log$block[good], seq_len(m), "==")
    in_block[is.na(in_block)] <- FALSE # pulled in none
    effects <- sqrt(x$fit$block2) * in_block
    seen <- cbind(seen, effects)
    for (j in seq_len(NROW(x$fit$loading))) {
      seen <- cbind(seen, x$fit$loading[j, x$log$arm[good]] * effects)
    }
    root <- cbind(root, matrix(0, world$k, ncol(seen) - ncol(root)))
  }
  twin <- twin_belief(mean, root, seen, x$log$arm[good], x$log$reward[good], noise_of(x))
  compare_beliefs(x, twin$mean, twin$var, "the twin's", isTRUE(world$exact))
}

# The variance of every reward's noise.
noise_of <- function(x) {
  good <- !is.na(x$log$reward)
  given <- rep_len(x$model$noise_sd^2, n_arms_of(x))[x$log$arm[good]]
  ifelse(is.na(x$log$se[good]), given, x$log$se[good]^2) +
    bayesgap:::tilt_rest(x$fit, x$log$arm[good])
}

n_arms_of <- function(x) length(x$belief$mean)

# exact: a root already; else a covariance.
root_of <- function(matrix, exact) {
  if (isTRUE(exact)) {
    return(as.matrix(matrix))
  }
  e <- eigen(matrix, symmetric = TRUE)
  e$vectors %*% diag(sqrt(pmax(e$values, 0)), length(e$values))
}

# seen: the root's row of each reward: its arm's, and its block's effect besides.
twin_belief <- function(mean, root, seen, arm, y, noise2) {
  s <- svd(seen / sqrt(noise2), length(arm), ncol(root))
  d <- c(s$d, rep(0, ncol(root)))[seq_len(ncol(root))]
  rank <- seq_along(s$d)
  weighed <- drop(crossprod(s$u[, rank, drop = FALSE], (y - mean[arm]) / sqrt(noise2)))
  v <- root %*% s$v
  list(
    mean = mean + drop(v[, rank, drop = FALSE] %*% (weighed * s$d / (1 + s$d^2))),
    var = drop(v^2 %*% (1 / (1 + d^2)))
  )
}

# Up to a millionth of the posterior sd, and what double precision loses: where the prior's
# variance is `worst` times that of the noise, as many digits. exact: the prior's root is given and
# keeps them; then a hundredth of the posterior sd is allowed, and a millionth of what rewards
# contradict one another by.
compare_beliefs <- function(x, mean, var, what, exact = FALSE) {
  prior <- max(x$fit$scale * bayesgap:::run_prior(x)$diagonal)
  if (length(x$blocks)) prior <- prior + max(bayesgap:::block_prior_var(x$fit, TRUE))
  worst <- largest(prior / noise_of(x))
  no_digits <- worst > (if (exact) 1e13 else 1e16) && worst < Inf
  if (no_digits || x$inexact) { # and it was said
    return()
  }
  rounding <- if (exact) {
    1e-2 * sqrt(var) + 1e-6 * misfit_of(x, mean)
  } else {
    share <- if (worst < Inf) 1e-14 * (1 + worst) else 1e-6
    1e-6 * sqrt(var) + share * max(surprise_of(x), sqrt(prior))
  }
  allowed <- rounding + 1e-15 * max(abs(level_of(x)), abs(x$log$reward), na.rm = TRUE)
  off <- largest(abs(bayesgap:::means_of(x) - mean) / allowed)
  expect(off <= 1, sprintf("means differ from %s, %.2g times what is allowed", what, off))
  allowed <- if (exact) 1e-2 * var else 1e-6 * var + 1e-12 * prior
  off <- largest(abs(x$belief$var - var) / allowed)
  expect(off <= 1, sprintf("variances differ from %s, %.2g times what is allowed", what, off))
}

# The largest difference of a reward and the mean of its arm.
misfit_of <- function(x, mean) {
  good <- !is.na(x$log$reward)
  max(abs(x$log$reward[good] - mean[x$log$arm[good]]))
}

# 0 / 0 is no difference.
largest <- function(share) max(0, share, na.rm = TRUE)
