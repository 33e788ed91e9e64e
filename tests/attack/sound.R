# What holds for every run, whatever led to it. The run is the variable x of the program, or the
# one named.
sys.source(file.path(root, "tests/testthat/helper-reference.R"), environment())

# A copy that shares no memory with the variable, to compare with later.
snapshot <- function(name = "x") unserialize(serialize(globalenv()[[name]], NULL))

same_run <- function(a, b) identical(a, b, ignore.bytecode = TRUE, ignore.srcref = TRUE)

check_unchanged <- function(before, name = "x") {
  expect(same_run(before, globalenv()[[name]]), "`", name, "` was changed in place")
}

check_sound <- function(world, name = "x") {
  table <- act(call("posterior", as.name(name)))
  best <- act(call("best_arm", as.name(name)))
  if (is_refused(table) || is_refused(best)) {
    return(problem("a run that answers no questions"))
  }
  expect(all(is.finite(table$mean)), "posterior means that are no numbers")
  expect(all(is.finite(table$sd) & table$sd >= 0), "posterior sds that are none")
  expect(all(table$lower <= table$mean & table$mean <= table$upper), "means outside intervals")
  expect(abs(sum(table$p_best) - 1) < 1e-6, "P(best) adds up to ", sum(table$p_best))
  expect(nrow(table) == world$k, "not one row an arm")
  known <- as.character(if (is.data.frame(best)) best$arm else best) %in% world$names
  expect(length(known) == 1L && known, "a recommended arm that is none")
  check_log(globalenv()[[name]], table)
}

check_log <- function(x, table) {
  rows <- lengths(x$log)
  good <- !is.na(x$log$reward)
  expect(length(unique(rows)) == 1L, "a log of unequal columns")
  expect(!anyDuplicated(x$log$pull, incomparables = NA), "a pull twice in the log")
  expect(x$observed == sum(good), "observations miscounted")
  expect(identical(tabulate(x$log$arm[good], nrow(table)), table$pulls), "pulls miscounted")
  expect(x$last <= x$budget, "more pulls than the budget")
  expect(!any(x$open$pull %in% x$log$pull), "a pull that is told and out")
  told <- c(x$log$arm[!is.na(x$log$pull)], x$open$arm)
  expect(x$replace || !anyDuplicated(told), "an arm pulled twice without `replace`")
}

# ---- The same in another way --------------------------------------------------------------------

check_file <- function(file = "run.rds") {
  if (!is_refused(act(bquote(save_run(x, .(file))))) &&
    !is_refused(act(bquote(read_run(.(file))), "again"))) {
    expect(same_run(globalenv()$x, globalenv()$again), "the file holds another run")
  }
}

# Nothing is learned of the prior, so that the order of the observations does not matter.
is_given <- function(x) !x$estimates

# The log told at once, to a new run.
check_replay <- function() {
  x <- globalenv()$x
  if (!is_given(x) || !x$observed) {
    return()
  }
  prepare(quote(cbind(as.data.frame(x)[c("arm", "y", "se")], pull = NA)), "log")
  new <- quote(bayesgap(x$model, budget = x$budget, maximise = x$maximise, seed = 1))
  if (!is_refused(act(bquote(tell(.(new), log)), "again"))) {
    again <- globalenv()$again
    compare_beliefs(x, again$belief$mean, again$belief$var, "the log told at once")
  }
}

# By the textbook's formula, where that can be trusted: no exact or nearly exact observations, and
# variances of like size.
check_twin <- function(world) {
  x <- globalenv()$x
  if (!is_given(x) || is.null(world$dense) || !x$observed) {
    return()
  }
  cov <- x$model$prior_sd^2 * eval(world$dense, globalenv())
  good <- !is.na(x$log$reward)
  arm <- x$log$arm[good]
  noise2 <- ifelse(
    is.na(x$log$se[good]), rep_len(x$model$noise_sd^2, world$k)[arm], x$log$se[good]^2
  )
  varies <- diag(cov)[diag(cov) != 0]
  if (!length(varies) || min(noise2) < 1e-6 * max(varies) || min(varies) < 1e-6 * max(varies)) {
    return()
  }
  sign <- if (x$maximise) 1 else -1
  mean <- sign * rep_len(x$model$prior_mean, world$k)
  twin <- twin_posterior(mean, cov, arm, x$log$reward[good], noise2)
  compare_beliefs(x, twin$mean, diag(twin$cov), "the textbook's formula")
}

# Up to a millionth of the posterior sd, and rounding of what went in.
compare_beliefs <- function(x, mean, var, what) {
  sd <- sqrt(pmax(x$belief$var, 0))
  prior <- sqrt(x$fit$scale * bayesgap:::run_prior(x)$diagonal)
  size <- max(0, abs(x$log$reward), abs(x$fit$mean), na.rm = TRUE)
  allowed <- 1e-6 * sd + 1e-7 * prior + 1e-11 * size
  off <- max(abs(x$belief$mean - mean) / allowed, 0, na.rm = TRUE)
  expect(off <= 1, sprintf("means differ from %s, %.2g times what is allowed", what, off))
  off <- max(abs(sd - sqrt(pmax(var, 0))) / (1e-6 * sd + 1e-6 * prior), 0, na.rm = TRUE)
  expect(off <= 1, sprintf("sds differ from %s, %.2g times what is allowed", what, off))
}
