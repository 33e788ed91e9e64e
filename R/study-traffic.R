# The traffic study as a problem: some occasions are the history, the others ground truths.

#' A traffic study as a problem
#'
#' `traffic_problem()` makes of recorded speeds a problem for [benchmark_policies()]: two thirds
#' of the occasions are the history that the policies are told, and each of the others is a
#' truth in which the fastest sensor is to be found from noisy readings. Use it to repeat the
#' traffic study of Hoffman, Shahriari and de Freitas (2014, section 6.1), or to see what a
#' prior from the past is worth on speeds of your own.
#'
#' The noise variance of a reading is 5 % of the mean variance of the sensors in the history,
#' as in the paper, unless `noise_sd` is given. The defaults of the other arguments are those of
#' `arm_model(history = )`. The paper's own prior is
#' `shrink = FALSE, prior_mean = 0, prior_sd = 20`; `vignette("traffic")` shows what both do.
#'
#' @param speeds A numeric matrix or data frame of speeds, one row an occasion (at least 3), one
#'   column a sensor: `traffic$speeds`, or what [simulate_corridor()] or [read_pems()] return.
#'   Occasions with missing values may be history when `shrink` is `TRUE`, but never a truth.
#' @param split Which occasions are history. One whole number is a seed, under which a third of
#'   the occasions (rounded up), taken at random from those without missing values, become the
#'   truths. Several are the row numbers of the history, and all other rows are truths.
#' @param ... Must be empty.
#' @param shrink Shrink the covariance towards its diagonal (see [arm_model()])? `FALSE` takes
#'   the empirical covariance for the truth.
#' @param prior_mean `"history"`: the mean of each sensor in the history. Or one number, or one
#'   per sensor.
#' @param prior_sd The factor by which the covariance is scaled, the paper's eta.
#' @param noise_sd The standard deviation of a reading; `NULL`: from the history.
#' @param maximise `FALSE` to look for the slowest sensor.
#'
#' @return A problem, as [problem_gaussian()] makes it. Its further element `split` is a list of
#'   the row numbers that are `history` and `truth`: replication `r` of a benchmark meets row
#'   `truth[r]`, and after the last comes the first again. Truths that were taken at random are
#'   in random order.
#' @seealso [benchmark_policies()], [traffic], [simulate_corridor()], [read_pems()];
#'   `vignette("traffic")`.
#' @references
#' Hoffman, M. W., Shahriari, B. and de Freitas, N. (2014). On correlation and budget
#' constraints in model-based bandit optimization with application to automatic machine
#' learning. *Proceedings of the 17th International Conference on Artificial Intelligence
#' and Statistics*, PMLR 33, 365-374.
#' @export
#' @examples
#' problem <- traffic_problem(traffic$speeds, split = 1)
#' problem
#' benchmark_policies(problem, c("bayesgap", "ei", "uniform"), budget = 50, reps = 9, seed = 1)
#'
#' # The first five mornings are the history of the sixth
#' speeds <- simulate_corridor(sensors = 40, days = 6, every = 900, seed = 1)
#' past <- which(attr(speeds, "occasions")$day <= 5)
#' traffic_problem(speeds, split = past)$model
traffic_problem <- function(speeds, split = 1, ..., shrink = TRUE, prior_mean = "history",
                            prior_sd = 1, noise_sd = NULL, maximise = TRUE) {
  check_dots(...)
  speeds <- check_speeds(if (!missing(speeds)) speeds)
  split <- split_occasions(split, rowSums(is.na(speeds)) == 0)
  shrink <- check_flag(shrink, "shrink")
  past <- speeds[split$history, , drop = FALSE]
  given <- list(
    prior_mean = check_traffic_mean(prior_mean),
    prior_sd = if (is.null(prior_sd)) 1 else prior_sd, noise_sd = noise_sd, block_arm_sd = 0
  )
  arms <- as_arms(if (is.null(colnames(speeds))) ncol(speeds) else colnames(speeds))
  model <- if (shrink) {
    make_model(arms, list(history = past), given)
  } else {
    unshrunk_model(arms, past, given)
  }
  problem <- problem_gaussian(
    model, means = speeds[split$truth, , drop = FALSE], maximise = maximise
  )
  problem$split <- split
  problem
}

# The same numbers as with a history, but for the covariance.
unshrunk_model <- function(arms, past, given) {
  if (anyNA(past)) {
    abort(
      "history", "Without shrinkage the history must have no gaps, but ",
      count_of(sum(is.na(past)), "value"), " of it ", if (sum(is.na(past)) == 1L) "is" else "are",
      " missing: their covariances need not fit together. Use `shrink = TRUE`, or leave these ",
      "occasions or sensors out."
    )
  }
  found <- read_history(past, arms)
  if (is.null(given$prior_mean)) {
    given$prior_mean <- found$mean
  }
  if (is.null(given$noise_sd)) {
    given$noise_sd <- found$noise_sd
  }
  make_model(arms, list(cov = stats::var(past)), given)
}

# ---- What may be given ------------------------------------------------------------------------

check_speeds <- function(speeds) {
  if (is.data.frame(speeds) && all(vapply(speeds, is.numeric, TRUE))) {
    speeds <- as.matrix(speeds)
  }
  if (!is.matrix(speeds) || !is.numeric(speeds) || nrow(speeds) < 3L || ncol(speeds) < 1L) {
    must <- "a numeric matrix of at least 3 rows (one an occasion), one column a sensor"
    abort_argument("speeds", "speeds", must, speeds)
  }
  bad <- is.infinite(speeds) | abs(speeds) > 1e50
  if (any(bad, na.rm = TRUE)) {
    at <- which(bad, arr.ind = TRUE)[1L, ]
    abort("speeds", gettextf(
      "The entries of `speeds` must be NA or numbers up to 1e50; entry [%d, %d] is %s.",
      at[1L], at[2L], format(speeds[at[1L], at[2L]])
    ))
  }
  matrix(speeds, nrow(speeds), dimnames = list(NULL, colnames(speeds)))
}

# NULL stands for the history's own mean.
check_traffic_mean <- function(prior_mean) {
  if (identical(prior_mean, "history")) {
    return(NULL)
  }
  if (!is.numeric(prior_mean)) {
    abort_argument(
      "model", "prior_mean", "\"history\", a number, or one number per sensor", prior_mean
    )
  }
  prior_mean
}

# complete: which occasions have no gaps. Returns list(history, truth), row numbers.
split_occasions <- function(split, complete) {
  rows <- seq_along(complete)
  split <- check_split(split, length(rows))
  if (length(split) == 1L) {
    truth <- random_truths(split, complete)
    return(list(history = setdiff(rows, truth), truth = truth))
  }
  truth <- setdiff(rows, split)
  gaps <- truth[!complete[truth]]
  if (length(gaps)) {
    abort(
      "split", "A ground truth must have no gaps, but occasion ", gaps[1L], " has missing ",
      "values. Make it history, or leave it out."
    )
  }
  list(history = sort(split), truth = truth)
}

check_split <- function(split, n) {
  whole <- is.numeric(split) && length(split) && !anyNA(split) && all(split == floor(split))
  seed <- whole && length(split) == 1L && abs(split) <= .Machine$integer.max
  rows <- whole && length(split) > 1L && all(split >= 1 & split <= n) &&
    !anyDuplicated(split) && length(split) < n
  if (!seed && !rows) {
    must <- gettextf("a seed, or 2 to %d different row numbers from 1 to %d", n - 1L, n)
    abort_argument("split", "split", must, split)
  }
  as.integer(split)
}

# In random order, so that the first ones are a sample of all.
random_truths <- function(seed, complete) {
  n <- ceiling(length(complete) / 3)
  whole <- which(complete)
  if (length(whole) < n) {
    abort(
      "split", "A third of the ", length(complete), " occasions must be without gaps, to be ",
      "ground truths, but only ", length(whole), if (length(whole) == 1L) " is" else " are",
      ". Leave out the sensors or occasions with most gaps, or give the rows of the history as ",
      "`split`."
    )
  }
  whole[with_stream(new_stream(seed), sample.int(length(whole), n))]
}
