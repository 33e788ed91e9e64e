# The settings that a file says, checked field by field before they are believed: a file may come
# from anywhere, and C trusts what it gets.

is_arms <- function(arm, k, n = length(arm)) {
  is_bare(arm, "integer", n) && !anyNA(arm) && all(arm >= 1L & arm <= k)
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
  values <- saved[c(prior_names, "block_sd", "block_arm_sd", "cost")]
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
