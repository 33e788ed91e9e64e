# What a file keeps of a run: its settings, by the names of the arguments of bayesgap(), and the
# facts, what was told, in order. Both are plain data.

# ---- To be saved ------------------------------------------------------------------------------

# By the names of the arguments of bayesgap(). A covariance is kept without its factor, a kernel as
# the tree that was made of it.
settings_of <- function(x) {
  model <- x$model
  prior <- model$prior
  c(
    list(
      arms = given_arms(model$arms), kernel = kernel_given(model), cov = prior$cov,
      features = if (prior_kind(prior) == "features") prior$factor, history = model$history
    ),
    unclass(model)[given_names],
    list(policy = policy_given(x$policy)),
    lapply(unclass(x)[plain_settings], as.vector)
  )
}

plain_settings <- c(
  "budget", "maximise", "replace", "stop_regret", "init", "seed", "count_failures"
)

setting_names <- c(
  "arms", "kernel", "cov", "features", "history", given_names, "policy", plain_settings
)

kernel_given <- function(model) {
  if (is.null(model$kernel)) {
    return(NULL)
  }
  kernel <- model$kernel$kernel
  list(
    text = format(kernel), code = kernel_code(kernel), params = as.list(model$kernel$params),
    tree = model$prior$kernel
  )
}

# epoch: where the belief was last begun; tells: the rows that were told together since; underway:
# the batch that is being carried out, with the results that came. next_arm and best, by which a run
# is known to go on as it did, are NULL where the policy that says them is not there.
facts_of <- function(x) {
  belief <- if (!lacks_functions(x$policy)) x$belief
  c(
    unclass(x)[c("epoch", "tells", "blocks")], list(log = lapply(x$log, as.vector)),
    unclass(x)[c("dropped", "retried", "asked", "changes", "remarks", "underway")],
    list(next_arm = belief$next_arm, best = belief$best)
  )
}

fact_names <- c(
  "epoch", "tells", "blocks", "log", "dropped", "retried", "asked", "changes", "remarks",
  "underway", "next_arm", "best"
)

# What an objective returns besides the reward may be anything.
plain_facts <- function(facts) {
  facts$remarks <- lapply(facts$remarks, plain_remark)
  if (!is.null(facts$underway)) {
    facts$underway$results <- lapply(facts$underway$results, function(result) {
      result["remark"] <- list(plain_remark(result$remark))
      result
    })
  }
  facts
}

plain_remark <- function(remark) {
  if (!is.null(remark$extra)) {
    remark$extra <- lapply(remark$extra, function(value) {
      bytes <- to_bytes(value)
      if (is_plain(bytes, value_depth)) value else structure(bytes, class = "bayesgap_bytes")
    })
  }
  remark
}

settings_bytes <- function(x) {
  settings <- settings_of(x)
  bytes <- to_bytes(settings)
  if (!is_plain(bytes)) {
    bad <- Filter(function(name) !is_plain(to_bytes(settings[[name]])), setting_names)
    if (bad[1L] == "arms" && x$model$arms$kind == "item") {
      abort_items_unsaved(x$model$arms)
    }
    abort(
      "save", "The run cannot be saved: `", bad[1L], "` holds what is not plain data, such as a ",
      "function, an environment or an object of S4. Leave it out, or turn it into plain vectors."
    )
  }
  bytes
}

# Of arms that are elements of a list.
abort_items_unsaved <- function(arms) {
  bad <- which(!vapply(arms$items, function(item) is_plain(to_bytes(item)), TRUE))[1L]
  abort(
    "save", "The run cannot be saved: a file keeps plain data, and the arm ",
    quoted(arms$names[bad]), if (is.function(arms$items[[bad]])) " is a function"
    else " holds something else, such as a function or an environment",
    ". Give the names of the arms as text, and let the objective look up the rest."
  )
}

# Before a run is begun that is to be kept in a file.
check_savable <- function(x) {
  settings_bytes(x)
  x
}

facts_bytes <- function(x) plain_bytes(facts_of(x))

plain_bytes <- function(facts) {
  bytes <- to_bytes(facts)
  if (is_plain(bytes)) bytes else to_bytes(plain_facts(facts))
}
