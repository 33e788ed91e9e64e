# What tune_bayesgap() of a workflow returns: the fits in the form of tune_grid(), and what tune's
# functions do with it.

# Of the fits of these arms, as tune_grid() gives them.
plan_results <- function(run, plan, task, arms) {
  log <- as.data.frame(run)
  config <- config_names(length(arms))
  log$at <- match(log$arm, run$model$arms$names[arms])
  log <- log[!is.na(log$at), ]
  log$resample <- if (is.null(log$block)) 1L else match(log$block, task$label)
  of_split <- function(f, ...) {
    fill_empty(lapply(seq_along(task$label), function(i) {
      f(log[log$resample == i, ], plan, config, ...)
    }))
  }
  out <- tibble::as_tibble(unclass(task$resamples)[c("splits", task$ids)])[task$used, ]
  out$.metrics <- of_split(bind_results, ".metrics")
  out$.notes <- of_split(bind_notes)
  for (more in intersect(c(".extracts", ".predictions"), names(log))) {
    out[[more]] <- of_split(bind_results, more)
  }
  first <- Filter(Negate(is.null), log$.metrics)
  structure(
    out, parameters = plan$pset, metrics = plan$metrics, rset_info = rset_info(task$resamples),
    outcomes = if (length(first)) attr(first[[1L]], "outcomes") else character(),
    workflow = plan$object, candidates = cbind(plan$grid, .config = config), arms = arms,
    bayesgap_run = run, class = c("bayesgap_tune", "tune_results", class(out))
  )
}

config_names <- function(n) sprintf("candidate%0*d", nchar(n), seq_len(n))

# Resamples without a fit have a table without rows.
fill_empty <- function(tables) {
  empty <- vapply(tables, is.null, TRUE)
  known <- tables[!empty]
  tables[empty] <- list(if (length(known)) known[[1L]][0L, ] else tibble::tibble())
  tables
}

# The fits of one resample, one under another, each with its candidate.
bind_results <- function(log, plan, config, name) {
  log <- log[!vapply(log[[name]], is.null, TRUE), ]
  parts <- lapply(seq_len(nrow(log)), function(i) {
    found <- log[[name]][[i]]
    candidate <- plan$grid[rep(log$at[i], nrow(found)), , drop = FALSE]
    cbind(candidate, found, .config = rep(config[log$at[i]], nrow(found)), row.names = NULL)
  })
  if (length(parts)) tibble::as_tibble(do.call(rbind, parts))
}

bind_notes <- function(log, plan, config) {
  log <- log[!is.na(log$error), ]
  tibble::tibble(
    location = config[log$at], type = rep("error", nrow(log)), note = log$error,
    trace = rep(list(NULL), nrow(log))
  )
}

# As tune keeps it: what kind of resamples these are.
rset_info <- function(resamples) {
  kept <- attributes(resamples)
  kept <- kept[setdiff(names(kept), c("names", "row.names"))]
  kept$class <- setdiff(kept$class, c("rset", "tbl_df", "tbl", "data.frame"))
  label <- tryCatch(pretty(resamples), error = function(e) NA_character_)
  list(att = kept, label = label)
}

# ---- What tune's functions do with them ---------------------------------------------------------

#' @export
print.bayesgap_tune <- function(x, ...) {
  print(tuning_run(x))
  NextMethod()
}

# Is it the metric that was optimised?
is_optimised <- function(x, metric) {
  is.null(metric) || identical(metric, tibble::as_tibble(attr(x, "metrics"))$metric[1L])
}

by_means <- function(metric) {
  inform("metric", "By the means of the fits: what was optimised is not ", quoted(metric), ".")
}

#' @exportS3Method tune::show_best
show_best.bayesgap_tune <- function(x, ..., metric = NULL, n = 5) { # nolint
  if (!is_optimised(x, metric)) {
    by_means(metric)
    return(NextMethod())
  }
  n <- if (identical(n, Inf)) n else check_count(n, "n")
  run <- tuning_run(x)
  found <- ranked_candidates(run)
  arms <- attr(x, "arms")
  found <- found[found$row %in% arms, ]
  found <- found[seq_len(min(n, nrow(found))), ]
  first <- tibble::as_tibble(attr(x, "metrics"))[1L, ]
  candidates <- attr(x, "candidates")[match(found$row, arms), , drop = FALSE]
  config <- candidates$.config
  candidates$.config <- NULL
  measured <- do.call(rbind, x$.metrics)
  tibble::as_tibble(cbind(
    candidates, .metric = rep(first$metric, nrow(found)),
    .estimator = measured$.estimator[match(first$metric, measured$.metric)],
    mean = found$mean, n = found$pulls, std_err = found$sd, .config = config,
    p_best = found$p_best, regret = found$regret
  ))
}

# Where few fits decide whose mean is lowest.
#' @exportS3Method tune::select_by_one_std_err
select_by_one_std_err.bayesgap_tune <- function(x, ...) { # nolint
  abort(
    "select", "select_by_one_std_err() and select_by_pct_loss() compare means over all resamples, ",
    "and not all were fitted. show_best(x, n = Inf) has what keeping each candidate may lose, in ",
    "its column `regret`."
  )
}

#' @exportS3Method tune::select_by_pct_loss
select_by_pct_loss.bayesgap_tune <- select_by_one_std_err.bayesgap_tune # nolint

#' @exportS3Method tune::select_best
select_best.bayesgap_tune <- function(x, ..., metric = NULL) { # nolint
  if (!is_optimised(x, metric)) {
    by_means(metric)
    return(NextMethod())
  }
  best <- show_best.bayesgap_tune(x, n = 1L)
  best[names(attr(x, "candidates"))]
}
