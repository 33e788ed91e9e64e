# What a file says, checked field by field and against each other before it is believed: it may come
# from anywhere, and C trusts what it gets.

check_sound <- function(ok, what) {
  if (!isTRUE(ok)) {
    stop("its ", what, " is not in order")
  }
}

check_settings_list <- function(saved) {
  check_sound(is_record(saved, setting_names), "list of settings")
}

# What bayesgap() makes of these arguments, as run_settings() has it; a policy of the user's
# without its functions.
read_settings <- function(saved) {
  check_settings_list(saved)
  model <- read_model(saved)
  for (name in plain_settings) {
    check_sound(is.null(attributes(saved[[name]])), name)
  }
  check_sound(is_saved_budget(saved$budget), "budget")
  budget <- check_budget(saved$budget, model$cost)
  replace <- check_flag(saved$replace, "replace")
  init <- saved$init
  check_sound(is_arms(init, n_arms(model$arms)), "init")
  enough <- if (is.null(model$cost)) length(init) else sum(model$cost[init]) / (1 + cent)
  check_sound(enough <= budget, "init")
  blocked <- !is.null(model$blocks) || !is.null(model$control)
  check_sound(replace || blocked || !anyDuplicated(init), "init")
  check_sound(!is.null(saved$seed), "seed")
  list(
    model = model, policy = read_policy(saved$policy), budget = budget,
    maximise = check_flag(saved$maximise, "maximise"), replace = replace,
    stop_regret = check_stop_regret(saved$stop_regret), init = init, seed = check_seed(saved$seed),
    count_failures = check_flag(saved$count_failures, "count_failures")
  )
}

# Pulls, or, with costs, what may be spent.
is_saved_budget <- function(x) is_bare(x, "integer", 1L) || is_bare(x, "double", 1L)

read_model <- function(saved) {
  check_at_most_one(saved[c("kernel", "cov", "features")])
  arms <- read_arms(saved$arms)
  values <- saved[c(prior_names, "block_sd", "cost")]
  for (name in names(values)) {
    check_sound(is.null(values[[name]]) || is_bare(values[[name]], "double"), name)
  }
  check_sound(is.null(saved$family) || is_string(saved$family), "family")
  given <- check_given(arms, c(values, list(
    family = saved$family, blocks = read_labels(saved$blocks)
  )))
  check_sound(is.null(saved$control) || is_arms(saved$control, n_arms(arms), 1L), "control")
  given["control"] <- list(saved$control)
  if (!is.null(saved$kernel)) {
    check_sound(is.null(saved$history), "history")
    found <- read_kernel(saved$kernel, arms)
    return(new_arm_model(arms, kernel_prior(found$tree), given, found$about))
  }
  k <- n_arms(arms)
  features <- saved$features
  d <- attr(features, "dim")[2L]
  check_sound(is.null(saved$cov) || is_matrix_of(saved$cov, k, k), "covariance")
  check_sound(is.null(features) || is_matrix_of(features, k, d), "matrix of features")
  if (!is.null(saved$history)) {
    check_sound(!is.null(saved$cov), "covariance")
    check_history_note(saved$history, given)
  }
  prior <- prior_covariance(arms, saved$cov, features)
  new_arm_model(arms, prior, given, history = saved$history)
}

# Of blocks that are known beforehand; NULL: they come as they come.
read_labels <- function(saved) {
  good <- is.null(saved) || (is_bare(saved, "character") && length(saved) && all(validEnc(saved)))
  check_sound(good, "list of blocks")
  saved
}

read_arms <- function(saved) {
  if (typeof(saved) == "list") {
    check_sound(
      length(saved) > 0L && identical(class(saved), "data.frame") &&
        setequal(names(attributes(saved)), c("names", "class", "row.names")), "table of arms"
    )
    columns <- as.list(saved)
    check_sound(is_arm_names(columns[[1L]]) && names(columns)[1L] == "arm", "table of arms")
    for (column in columns) {
      check_sound(is_arm_column(column, length(columns[[1L]])), "table of arms")
    }
    return(as_arms(quick_frame(columns)))
  }
  check_sound(is_arm_names(saved) || identical(saved, seq_along(saved)), "list of arms")
  as_arms(if (is.character(saved)) saved else length(saved))
}

is_arm_names <- function(x) is_bare(x, "character") && length(x) > 0L && all(validEnc(x))

is_arm_column <- function(x, k) {
  plain <- is.atomic(x) && !is.null(x) && is.null(attr(x, "dim")) && length(unclass(x)) == k
  plain && (!inherits(x, "factor") || is_factor(x))
}

is_factor <- function(x) {
  levels <- attr(x, "levels")
  code <- as.vector(unclass(x))
  typeof(x) == "integer" && is.character(levels) && !anyDuplicated(levels) &&
    all(is.na(code) | (code >= 1L & code <= length(levels)))
}

check_history_note <- function(note, given) {
  names <- c("occasions", "intensity", "missing", "raised", "code", "sets")
  check_sound(is_record(note, names), "history")
  check_sound(
    is_bare(note$occasions, "integer", 1L) && note$occasions >= 2L &&
      is_bare(note$intensity, "double", 1L) && note$intensity >= 0 && note$intensity <= 1 &&
      is_bare(note$missing, "integer", 1L) && note$missing >= 0L &&
      is_bare(note$raised, "logical", 1L) && !is.na(note$raised) && is_string(note$code) &&
      is_bare(note$sets, "character") && all(note$sets %in% names(Filter(Negate(is.null), given))),
    "history"
  )
}

read_policy <- function(saved) {
  check_sound(is_record(saved, c("name", "given", "own")) && is_string(saved$name), "policy")
  own <- saved$own
  if (!is.null(own)) {
    check_sound(is_record(own, c("label", "choose", "recommend")), "policy")
    check_sound(is_string(own$label) && is_string(own$choose), "policy")
    check_sound(is.null(own$recommend) || is_string(own$recommend), "policy")
    check_sound(!length(saved$given), "policy")
    return(new_own_policy(own))
  }
  check_sound(is_named_list(saved$given), "policy")
  check_sound(all(vapply(saved$given, function(value) is.null(attributes(value)), TRUE)), "policy")
  make_policy(saved$name, saved$given, "policy")
}

# list(tree, about), as compile_kernel() and make_model() have them.
read_kernel <- function(saved, arms) {
  check_sound(is_record(saved, c("text", "code", "params", "tree")), "kernel")
  check_sound(is_string(saved$text) && is_string(saved$code), "kernel")
  tree <- saved$tree
  names <- c("op", "column", "columns", "param", "x", "value", "matrices")
  check_sound(is_record(tree, names), "kernel")
  check_nodes(tree)
  place <- place_nodes(tree$op + 1L, tree$columns)
  check_sound(
    identical(tree$column, place$column) && identical(tree$param, place$param) &&
      is_matrix_of(tree$x, n_arms(arms), sum(tree$columns)) &&
      all(is.finite(tree$x)) && all(abs(tree$x) <= 1e100), "kernel"
  )
  params <- read_params(saved$params, place$types)
  check_sound(identical(tree$value, params$start), "kernel")
  tree$matrices <- read_matrices(tree, arms)
  kernel <- saved_kernel(saved$text, saved$code)
  check_variances(.Call(bg_kernel_diagonal, tree), kernel)
  list(tree = tree, about = list(kernel = kernel, params = params))
}

# An operator finds two operands on the stack, and one value is left at the end.
check_nodes <- function(tree) {
  names <- .Call(bg_kernels)$name
  check_sound(is_bare(tree$op, "integer") && all(tree$op %in% (seq_along(names) - 1L)), "kernel")
  at <- tree$op + 1L
  nodes <- length(at)
  check_sound(nodes >= 1L && nodes <= most_nodes, "kernel")
  waiting <- operands_waiting(at)
  check_sound(all(waiting >= 1L) && waiting[nodes] == 1L, "kernel")
  check_depth(at)
  reads <- vapply(kernel_kinds[names[at]], `[[`, TRUE, "reads")
  columns <- tree$columns
  check_sound(
    is_bare(columns, "integer", nodes) && !anyNA(columns) && all(columns[reads] >= 1L) &&
      all(columns[!reads] == 0L), "kernel"
  )
}

read_params <- function(saved, types) {
  n <- length(types)
  kinds <- vapply(no_params, typeof, "")
  check_sound(is_record(saved, names(kinds)), "kernel")
  check_sound(all(mapply(is_bare, saved, kinds, n)) && identical(saved$type, types), "kernel")
  check_sound(!any(vapply(saved, anyNA, TRUE)) && !anyDuplicated(saved$name), "kernel")
  given <- types == "similarity" & !saved$free # minus the logarithm of a number from 0 to 1
  size <- saved$start[!given]
  check_sound(all(saved$start >= 0) && all(size >= 1e-100 & size <= 1e100), "kernel")
  check_sound(all(is.finite(saved$centre) & saved$spread > 0 & saved$unit > 0), "kernel")
  quick_frame(saved)
}

read_matrices <- function(tree, arms) {
  k <- n_arms(arms)
  n <- sum(.Call(bg_kernels)$name[tree$op + 1L] == "matrix")
  check_sound(is_bare(tree$matrices, "list", n), "kernel")
  lapply(tree$matrices, function(cov) {
    check_sound(is_matrix_of(cov, k, k), "kernel")
    arg <- "A matrix of its kernel"
    bound_and_factor(check_cov(cov, arms, arg, "kernel"), arg, "kernel")$cov
  })
}

is_arms <- function(arm, k, n = length(arm)) {
  is_bare(arm, "integer", n) && !anyNA(arm) && all(arm >= 1L & arm <= k)
}

# Numbers of pulls, none twice; NA: outside the budget.
is_pulls <- function(pull, budget, n = length(pull)) {
  is_bare(pull, "integer", n) && all(is.na(pull) | (pull >= 1L & pull <= budget)) &&
    !anyDuplicated(pull[!is.na(pull)])
}

is_rewards <- function(y, n) {
  is_bare(y, "double", n) && !any(is.nan(y)) && all(is.na(y) | abs(y) <= 1e100)
}

is_errors <- function(se, n) {
  is_bare(se, "double", n) && !any(is.nan(se)) &&
    all(is.na(se) | se == 0 | (se >= 1e-100 & se <= 1e100))
}

# settings: as read_settings() gives them.
check_facts <- function(facts, settings) {
  k <- n_arms(settings$model$arms)
  check_sound(is_record(facts, fact_names), "list of facts")
  blocks <- check_facts_blocks(facts$blocks, settings$model)
  most <- most_number(settings, facts$log)
  check_log(facts$log, k, most, blocks)
  check_sound(is_sized(facts$log, settings), "log")
  check_sound(is_paid(facts$log$cost, length(facts$log$arm), settings$model$cost), "log")
  check_met_blocks(facts$log$block, blocks, settings$model)
  check_epoch(facts$epoch, facts$log, settings, blocks, most)
  rows <- length(facts$log$arm)
  check_aside(facts, k, rows)
  tells <- facts$tells
  check_sound(
    is_bare(tells, "integer") && !anyNA(tells) && all(tells >= 1L) &&
      facts$epoch$rows + sum(as.double(tells)) == rows, "number of results"
  )
  check_sound(is_bare(facts$changes, "list", 0L), "list of changes")
  check_remarks(facts$remarks, rows)
  if (!is.null(facts$underway)) {
    check_underway(facts$underway, facts$log, k, most, blocks)
    check_sound(all(vapply(facts$underway$results, is_sized, TRUE, settings)), "batch")
  }
  if (is.null(settings$policy$own) || !is.null(c(facts$best, facts$next_arm))) {
    check_sound(is_arms(facts$best, k, 1L), "recommended arm")
    none <- identical(facts$next_arm, NA_integer_)
    check_sound(none || is_arms(facts$next_arm, k, 1L), "next arm")
  }
}

# The highest number that a pull may have: pulls that do not count, or were cheaper than was said,
# come on top of the budget, and are in the log.
most_number <- function(settings, log) {
  cost <- settings$model$cost
  more <- if (settings$count_failures && is.null(cost)) 0 else length(log$pull)
  most_pulls(settings$budget, cost) + as.double(more)
}

# What pulls did cost; 1 where there are no costs.
is_paid <- function(cost, n, given) {
  is_bare(cost, "double", n) && !anyNA(cost) &&
    all(if (is.null(given)) cost == 1 else cost > 0 & cost <= 1e100)
}

# Their number. Labels are those given, or came up with the results.
check_facts_blocks <- function(saved, model) {
  good <- is_bare(saved, "character") && !anyNA(saved) && all(nzchar(saved)) &&
    all(validEnc(saved)) && !anyDuplicated(saved)
  check_sound(good && (is.null(model$blocks) || identical(saved, model$blocks)), "list of blocks")
  length(saved)
}

# Every pull has one of so many blocks, or, where there are none, NA.
is_blocks <- function(block, blocks, n) {
  is_bare(block, "integer", n) &&
    all(if (blocks) !is.na(block) & block >= 1L & block <= blocks else is.na(block))
}

check_log <- function(log, k, budget, blocks) {
  names <- c("pull", "arm", "reward", "se", "block", "size", "cost")
  check_sound(is_record(log, names) && is_arms(log$arm, k), "log")
  n <- length(log$arm)
  check_sound(is_pulls(log$pull, budget, n), "log")
  check_sound(is_rewards(log$reward, n) && is_errors(log$se, n), "log")
  check_sound(is_blocks(log$block, blocks, n), "log")
}

# Do rewards, errors and sizes fit together? A family's are hits of so many trials.
is_sized <- function(told, settings) {
  family <- family_of(settings$model)
  good <- !is.na(told$reward)
  size <- told$size
  if (!is_bare(size, "double", length(good)) || !all(is.finite(size) & size > 0)) {
    return(FALSE)
  }
  if (is.null(family)) {
    return(all(size == 1))
  }
  rate <- (if (settings$maximise) 1 else -1) * told$reward[good]
  hits <- rate * size[good]
  near <- abs(hits - round(hits)) <= 1e-9 * pmax(1, abs(hits))
  all(is.na(told$se)) && all(size[!good] == 1) && all(near) &&
    all(is.na(wrong_hits(round(hits), size[good], family)))
}

# Where they were not given, each has come up with a result, and they are in that order; with a
# control no result is without.
check_met_blocks <- function(block, blocks, model) {
  free <- is.null(model$blocks) && (blocks || !is.null(model$control))
  check_sound(!free || identical(unique(block), seq_len(blocks)), "list of blocks")
}

check_epoch <- function(epoch, log, settings, blocks, most) {
  check_sound(is_record(epoch, c("rows", "last", "open", "batches")), "beginning")
  count <- function(x) is_bare(x, "integer", 1L) && !is.na(x) && x >= 0L
  check_sound(count(epoch$rows) && count(epoch$last) && count(epoch$batches), "beginning")
  check_sound(epoch$rows <= length(log$arm), "beginning")
  open <- epoch$open
  told <- log$pull[seq_len(epoch$rows)]
  last <- epoch$last
  check_sound(last >= max(0L, told, na.rm = TRUE) && last <= most, "beginning")
  k <- n_arms(settings$model$arms)
  if (is.null(settings$model$blocks)) {
    blocks <- max(0L, log$block[seq_len(epoch$rows)], na.rm = TRUE)
  }
  check_sound(
    is_record(open, names(no_pulls)) && is_arms(open$arm, k) &&
      is_pulls(open$pull, epoch$last, length(open$arm)) && !anyNA(open$pull) &&
      !any(open$pull %in% told) && is_open_blocks(open$block, blocks, length(open$arm)),
    "list of open pulls"
  )
}

# Arms that were dropped, and those that were brought back, with the row of the log at that time.
check_aside <- function(facts, k, rows) {
  retried <- facts$retried
  check_sound(is_arms(facts$dropped, k) && !anyDuplicated(facts$dropped), "list of dropped arms")
  check_sound(
    is_record(retried, c("arm", "row")) && is_arms(retried$arm, k) &&
      !anyDuplicated(retried$arm) && is_bare(retried$row, "integer", length(retried$arm)) &&
      !anyNA(retried$row) && all(retried$row >= 0L & retried$row <= rows), "list of retried arms"
  )
}

# A pull that is out need not have its block yet.
is_open_blocks <- function(block, blocks, n) {
  is_bare(block, "integer", n) && all(is.na(block) | (block >= 1L & block <= blocks))
}

check_remarks <- function(remarks, rows) {
  check_sound(is_named_list(remarks), "list of remarks")
  at <- match(names(remarks), as.character(seq_len(rows)))
  check_sound(!anyNA(at) && !anyDuplicated(at), "list of remarks")
  check_sound(all(vapply(remarks, is_remark, TRUE)), "list of remarks")
}

is_remark <- function(remark) {
  is_named_list(remark) && all(names(remark) %in% c("error", "extra")) &&
    !anyDuplicated(names(remark)) && (is.null(remark$error) || is_string(remark$error)) &&
    (is.null(remark$extra) || is_named_list(remark$extra))
}

check_underway <- function(underway, log, k, budget, blocks) {
  check_sound(is_record(underway, c("pull", "arm", "block", "results")), "batch")
  pull <- underway$pull
  check_sound(
    is_pulls(pull, budget) && length(pull) > 0L && !anyNA(pull) && !is.unsorted(pull) &&
      is_arms(underway$arm, k, length(pull)) && !any(pull %in% log$pull) &&
      is_blocks(underway$block, blocks, length(pull)), "batch"
  )
  results <- underway$results
  check_sound(
    is_named_list(results) && all(names(results) %in% as.character(pull)) &&
      !anyDuplicated(names(results)) && all(vapply(results, is_result, TRUE)), "batch"
  )
}

is_result <- function(result) {
  is_record(result, c("reward", "se", "size", "cost", "remark", "warnings")) &&
    is_rewards(result$reward, 1L) && is_errors(result$se, 1L) &&
    is_bare(result$cost, "double", 1L) && !is.nan(result$cost) &&
    (is.na(result$cost) || (result$cost > 0 && result$cost <= 1e100)) &&
    (is.null(result$remark) || is_remark(result$remark)) &&
    is_bare(result$warnings, "character")
}
