# Policies written in R: what they are told, and what is made of their answers.

# What a policy written in R may know; rewards are larger the better.
policy_state <- function(x) {
  belief <- x$belief
  arms <- x$model$arms
  good <- !is.na(x$log$reward)
  barred <- barred_arms(x)
  list(
    t = counted(x) + 1L, budget = x$budget, left = left(x), cost = x$model$cost,
    arms = arms$names, data = arms$data,
    mean = replace(means_of(x), arms_out(x), -Inf),
    sd = sqrt(t_variance(x$fit$df) * belief$var), pulls = belief$pulls,
    noise_sd = sqrt(usual_noise2(x)), df = x$fit$df,
    arm = x$log$arm[good], reward = x$log$reward[good],
    block = if (has_blocks(x)) x$blocks[x$log$block[good]],
    open = if (is.null(barred)) rep(TRUE, n_arms(arms)) else !barred,
    cov = function() posterior_cov(x)
  )
}

# The arm that a function of the user's returns.
ask_own <- function(x, what) {
  own <- x$policy$own
  stop_with <- function(...) {
    abort(
      "policy", "The function `", what, "` of policy \"", own$label, "\" ", ...,
      data = list(run = structure(x, class = "bayesgap"))
    )
  }
  if (!is.function(own[[what]])) {
    stop_with(
      "is not here: the run was read from a file, which keeps no functions. Give the policy ",
      "again: read_run(file, policy = )."
    )
  }
  state <- policy_state(x)
  arm <- tryCatch(own[[what]](state), error = function(e) {
    stop_with("failed: ", conditionMessage(e))
  })
  if (is.character(arm)) {
    arm <- match(arm, state$arms)
  }
  if (!is_number(arm) || !arm %in% seq_along(state$arms)) {
    stop_with(
      "must return an arm: a whole number from 1 to ", length(state$arms), " or a name, not ",
      describe(arm), "."
    )
  }
  if (what == "choose" && isTRUE(arms_aside(x)[arm])) {
    return(x$belief$next_arm) # no fault of a policy that goes through all arms
  }
  if (what == "choose" && !state$open[arm]) {
    stop_with(
      "chose arm ", quoted(state$arms[arm]), ", which ",
      if (isTRUE(too_dear(x)[arm])) "costs more than is left." else "has been pulled already."
    )
  }
  as.integer(arm)
}

# The decisions of a policy written in R in place of the C policy's, unless no arm is open
# or the budget is spent.
decide <- function(x) {
  own <- x$policy$own
  pulls <- sum(!is.na(x$log$pull) & (x$count_failures | !is.na(x$log$reward)))
  over <- if (is.null(x$model$cost)) pulls >= x$budget else is_spent(x)
  failed <- NULL
  answer <- function(what, otherwise) {
    tryCatch(
      with_stream(x$stream, ask_kindly(x, what, otherwise)),
      bayesgap_error_policy = function(e) {
        failed <<- if (is.null(failed)) e else failed
        otherwise
      }
    )
  }
  if (!is.na(x$belief$next_arm) && !over) {
    x$belief$next_arm <- answer("choose", x$belief$next_arm)
  }
  if (!is.null(own$recommend)) {
    best <- answer("recommend", x$belief$best)
    x$belief$best <- if (isTRUE(arms_out(x)[best])) x$belief$best else best
  }
  if (!is.null(failed)) {
    # Where one fails the other has answered all the same: so has the run that is kept.
    failed$run <- structure(x, class = "bayesgap")
    stop(failed)
  }
  x
}

# Where observations are to be had again, a policy of the user that fails must not be in the way.
ask_kindly <- function(x, what, otherwise) {
  if (is.null(x$lenient)) {
    return(ask_own(x, what))
  }
  tryCatch(ask_own(x, what), bayesgap_error_policy = function(e) {
    warn("policy", conditionMessage(e), "\nPolicy \"", x$policy$name, "\" answers in its place.")
    otherwise
  })
}

# Says so once.
leniently <- function(make, x) {
  said <- FALSE
  x$lenient <- TRUE
  x <- withCallingHandlers(make(x), bayesgap_warning_policy = function(w) {
    if (said) tryInvokeRestart("muffleWarning")
    said <<- TRUE
  })
  x$lenient <- NULL
  x
}
