# What a benchmark gives: a table, its summary, and both in words.

benchmark_names <- c(
  "problem", "policy", "budget", "rep", "arm", "regret", "error", "pulls"
)

# arms: the names of the arms of every problem, in order. A table that lost a column is a
# plain data frame.
as_benchmark <- function(table, arms) {
  whole <- is.data.frame(table) && all(benchmark_names %in% names(table))
  if (whole) {
    attr(table, "arms") <- arms
    class(table) <- c("bayesgap_benchmark", "data.frame")
    return(table)
  }
  if (is.data.frame(table)) plain_frame(table) else table
}

plain_frame <- function(table) {
  attr(table, "arms") <- NULL
  class(table) <- "data.frame"
  table
}

#' @export
`[.bayesgap_benchmark` <- function(x, ...) {
  as_benchmark(NextMethod(), attr(x, "arms"))
}

#' @export
rbind.bayesgap_benchmark <- function(..., deparse.level = 1) { # nolint: object_name_linter.
  tables <- list(...)
  strange <- Filter(function(table) !inherits(table, "bayesgap_benchmark"), tables)
  if (length(strange)) {
    abort("benchmark", "Only benchmarks can be put below a benchmark, not ",
          describe(strange[[1L]]), ".")
  }
  arms <- do.call(c, lapply(tables, attr, "arms"))
  names <- unique(names(arms))
  arms <- lapply(structure(names, names = names), function(name) {
    unique(unlist(arms[names(arms) == name], use.names = FALSE))
  })
  table <- do.call(rbind, lapply(tables, as.data.frame))
  as_benchmark(table, arms)
}

#' @export
as.data.frame.bayesgap_benchmark <- function(x, ...) {
  plain_frame(x)
}

#' @export
format.bayesgap_benchmark <- function(x, ...) {
  head <- sprintf(
    "<benchmark> %s, %s, %s, %s", count_of(length(unique(x$problem)), "problem"),
    count_policies(length(unique(x$policy))), count_of(length(unique(x$budget)), "budget"),
    count_of(nrow(x), "run")
  )
  kept <- intersect(c("pulled", "recommended"), names(x))
  c(
    head, if (length(kept)) paste0("  kept besides: ", paste(kept, collapse = ", ")),
    if (nrow(x)) format(summary(x))
  )
}

count_policies <- function(n) sprintf("%d polic%s", n, if (n == 1L) "y" else "ies")

#' @export
print.bayesgap_benchmark <- print_lines

#' Means and intervals of a benchmark
#'
#' `summary()` says how much each policy lost on average and how often it kept an arm that
#' is worse than the best by more than `epsilon`, both with confidence intervals. Use it to
#' see whether a difference between policies is more than chance.
#'
#' The interval of the mean regret is Student's t interval (cut at 0), that of the
#' probability is Wilson's, which is honest also for 0 errors in n. The policies met the same
#' truths, so differences between them are known better than the overlap of their intervals
#' suggests; compare `regret` within replications for more.
#'
#' @param object A benchmark, made by [benchmark_policies()].
#' @param ... Must be empty.
#' @param epsilon A regret up to this is no error.
#' @param level The probability of the intervals.
#'
#' @return A data frame of class `summary.bayesgap_benchmark` with one row for each problem,
#'   budget and policy, in that order, the policy with the smallest mean regret first:
#'   `problem`, `policy`, `budget`, `n` (replications), `regret` (its mean), `regret_lower`,
#'   `regret_upper`, `p_error`, `p_lower` and `p_upper`.
#' @seealso [benchmark_policies()]; `vignette("traffic")`.
#' @export
#' @examples
#' model <- arm_model(10, prior_mean = 0, prior_sd = 1, noise_sd = 1)
#' found <- benchmark_policies(problem_gaussian(model), c("bayesgap", "uniform"),
#'                             budget = 50, reps = 50, seed = 1)
#' summary(found)
#' summary(found, epsilon = 0.2, level = 0.9)
summary.bayesgap_benchmark <- function(object, ..., epsilon = 0, level = 0.95) {
  check_dots(...)
  if (!is_number(epsilon) || epsilon < 0) {
    abort_argument("epsilon", "epsilon", "a number, at least 0", epsilon)
  }
  epsilon <- as.double(epsilon)
  level <- check_level(level)
  key <- paste(object$problem, object$policy, object$budget, sep = "\r")
  group <- match(key, unique(key))
  first <- which(!duplicated(key))
  n <- tabulate(group, length(first))
  regret <- split(object$regret, group)
  mean <- vapply(regret, mean, 0, USE.NAMES = FALSE)
  sd <- vapply(regret, stats::sd, 0, USE.NAMES = FALSE)
  ends <- t_interval(mean, sd / sqrt(n), ifelse(n > 1L, n - 1L, NA), level)
  errors <- vapply(regret, function(x) sum(x > epsilon), 0L, USE.NAMES = FALSE)
  wilson <- wilson_interval(errors, n, level)
  out <- quick_frame(list(
    problem = object$problem[first], policy = object$policy[first],
    budget = object$budget[first], n = n,
    regret = mean, regret_lower = pmax(ends$lower, 0), regret_upper = ends$upper,
    p_error = errors / n, p_lower = wilson$lower, p_upper = wilson$upper
  ))
  out <- out[order(match(out$problem, unique(out$problem)), out$budget, out$regret), ]
  row.names(out) <- NULL
  structure(out,
    epsilon = epsilon, level = level, class = c("summary.bayesgap_benchmark", "data.frame")
  )
}

#' @export
format.summary.bayesgap_benchmark <- function(x, ...) {
  needed <- c(
    "problem", "policy", "budget", "n", "regret", "regret_lower", "regret_upper", "p_error",
    "p_lower", "p_upper"
  )
  if (!all(needed %in% names(x)) || !nrow(x)) {
    return(utils::capture.output(print(as.data.frame(unclass(x)))))
  }
  key <- paste(x$problem, x$budget, sep = "\r")
  blocks <- lapply(split(seq_len(nrow(x)), match(key, unique(key))), function(rows) {
    format_block(x[rows, ])
  })
  epsilon <- attr(x, "epsilon")
  c(
    sprintf(
      "Mean regret and P(regret > %s), in brackets %s%% intervals", format(epsilon),
      format(100 * attr(x, "level"))
    ),
    unlist(blocks, use.names = FALSE)
  )
}

# One problem at one budget.
format_block <- function(x) {
  x <- as.list(x)
  regret <- format_regret(cbind(x$regret, x$regret_lower, x$regret_upper))
  p <- matrix(sprintf("%.3f", c(x$p_error, x$p_lower, x$p_upper)), ncol = 3L)
  interval <- function(m) sprintf("%s [%s, %s]", m[, 1L], m[, 2L], m[, 3L])
  regret <- c("regret", interval(regret))
  p <- c("P(error)", interval(p))
  c(
    sprintf(
      "%s, budget %s, %s", x$problem[1L], format(x$budget[1L]),
      if (min(x$n) == max(x$n)) count_of(x$n[1L], "replication")
      else sprintf("%d to %d replications", min(x$n), max(x$n))
    ),
    sub(" +$", "", paste0(
      "  ", format(c("policy", x$policy)), "  ", format(regret), "  ", format(p)
    ))
  )
}

# All to two digits of the smallest mean that is not 0.
format_regret <- function(x) {
  mean <- x[x[, 1L] > 0, 1L]
  digits <- if (length(mean)) max(0, 1 - floor(log10(min(mean)))) else 2
  shown <- if (digits > 6 || max(abs(x), 0, na.rm = TRUE) >= 1e7) {
    format(signif(x, 3))
  } else {
    formatC(x, digits = digits, format = "f")
  }
  matrix(trimws(shown), ncol = ncol(x))
}

#' @export
print.summary.bayesgap_benchmark <- print_lines
