# Policies: both functions read the C table, and nothing here knows any policy by name.

#' The ways to spend a budget
#'
#' `policies()` lists the policies, `policy()` makes one with parameters of your choice, or
#' one of your own, to be given to [bayesgap()]. Use it to change a parameter or to compare
#' policies; the default policy needs none.
#'
#' @param name The name of a policy, one of `policies()$policy`. With `choose`: any name for
#'   your own policy.
#' @param ... Parameters of the policy by name; `policies()` lists them with their ranges.
#' @param choose A policy of your own: a function of the state of the run that returns the
#'   arm to pull next, its number or its name. See below.
#' @param recommend A function of the state that returns the arm to keep, for a policy of
#'   your own; `NULL`: the arm with the highest posterior mean.
#'
#' @section A policy of your own:
#' `choose(state)` and `recommend(state)` get a list: `t` (the number of the next pull),
#' `budget`, `left` (of it), `cost` (of a pull, one an arm; `NULL`: they have none), `arms` (their
#' names), `data` (their columns, where the arms are a data frame or values), `mean` and `sd` (of
#' the posterior, one an arm), `pulls`, `noise_sd` (one an arm), `df` (of the t distribution of the
#' means; `Inf` when the noise is given), `open` (which arms may be pulled; all, unless `replace =
#' FALSE`, an arm was set aside, or some cost more than is left), `arm` and `reward` (the
#' observations so far, arms by number), and `cov()`, a function that returns the posterior
#' covariance matrix. The mean of an arm that was dropped, or set aside without ever having worked
#' (see [retry_arms()]), is `-Inf`; where an arm that is set aside is chosen all the same, the one
#' with the fewest pulls takes its place. Rewards are
#' such that larger is better: with `maximise = FALSE` they have the other sign. Random numbers are
#' the pull's own. Such a policy runs wherever the others do, but every decision is made in R:
#' expect tens to hundreds of times the time of a policy in C.
#'
#' @section Policies:
#' `r policy_help()`
#'
#' `bayesgap` has three variants. `"joint"`, the default, looks at the difference between the
#' leader and its rival under their joint posterior, and pulls whatever arm tells most about it.
#' It has no width to choose. `"marginal"` is the paper's way, every arm's bounds by themselves,
#' with three corrections. Equation 9 for the width beta sets K pulls aside, one an arm, which
#' leaves nothing when the budget is at most K although no arm has to be pulled:
#' `reserve = "auto"` spends max(T - K, min(T, K)) instead of T - K, the same from T = 2K on. The
#' bound on the gap of the leading arm is made a bound (`delta = "two-sided"`). The
#' recommendation is the arm with the highest posterior mean, and uses the last observation
#' (`advice = "mean"`). `"paper"` is the paper to the letter. `beta`, `decay`, `epsilon`,
#' `reserve` and `delta` are about bounds of single arms: where one of them is given, and no
#' variant, the variant is `"marginal"`. `bench/POLICIES.md` in the source repository compares
#' them with all other policies on problems of many kinds.
#'
#' Where pulls have a `cost` (see [bayesgap()]), a policy that finds a value for every pull goes by
#' that value for its cost, and its entry says that it regards costs: what is taken off the variance
#' of the difference (`bayesgap`, variant `"joint"`), the gain in the highest mean (`kg`), the
#' expected improvement (`ei`), information (`mes`), what is taken off a bound (`pi_bai`,
#' optimised weights). The others have no such value, a probability or the height of a bound, and
#' choose as if all pulls cost the same.
#'
#' @return `policy()`: an object of class `bayesgap_policy`. `policies()`: a data frame with
#'   one row a policy: `policy`, `label`, `recommends`, `anytime` (do its choices not depend
#'   on the budget?), `costs` (does it regard what pulls cost, with the parameters it has by
#'   default?) and the list column `params`, itself a data frame of names, defaults,
#'   ranges and meanings.
#' @seealso [bayesgap()]; `vignette("traffic")`.
#' @export
#' @examples
#' policies()
#' policies()$params[[1]]
#' policy("bayesgap", variant = "paper")
#' policy("bayesgap", beta = 2)
#'
#' # A policy of your own: the least certain arm
#' curious <- policy("curious", choose = function(state) which.max(state$sd))
#' bayesgap(4, function(arm) arm + rnorm(1), budget = 8, policy = curious, seed = 1)
policy <- function(name, ..., choose = NULL, recommend = NULL) {
  if (!is.null(choose) || !is.null(recommend)) {
    check_dots(...)
    return(own_policy(if (missing(name)) "own policy" else name, choose, recommend))
  }
  if (missing(name)) {
    name <- NULL
  }
  make_policy(name, list(...), "name")
}

make_policy <- function(name, given, arg) {
  table <- policy_table()
  name <- check_choice(name, arg, table$policy, "policy")
  params <- table$params[[match(name, table$policy)]]
  if (length(given) && (is.null(names(given)) || any(!nzchar(names(given))))) {
    abort("policy", "The parameters of a policy must be named.")
  }
  if (anyDuplicated(names(given))) {
    twice <- names(given)[duplicated(names(given))][1L]
    abort("policy", "The parameter `", twice, "` is given twice.")
  }
  value <- structure(params$default, names = params$param)
  for (param in names(given)) {
    value[[param]] <- check_param(given[[param]], param, params, name)
  }
  new_policy(name, value, table$draws[match(name, table$policy)])
}

# In the order of enum policy_at; then whether it draws arms' means jointly, and what makes it
# a policy of the user's.
new_policy <- function(name, param, draws, own = NULL) {
  structure(list(name = name, param = param, draws = draws, own = own), class = "bayesgap_policy")
}

# The C side of a policy written in R is one whose choice is not used.
own_policy <- function(name, choose, recommend) {
  if (!is.character(name) || length(name) != 1L || is.na(name)) {
    abort_argument("policy", "name", "a name", name)
  }
  if (!is.function(choose)) {
    abort_argument("policy", "choose", "a function of the state", choose)
  }
  if (!is.null(recommend) && !is.function(recommend)) {
    abort_argument("policy", "recommend", "NULL or a function of the state", recommend)
  }
  new_own_policy(list(label = name, choose = choose, recommend = recommend))
}

# own: list(label, choose, recommend); in place of a function there may be its fingerprint, where
# the run was read from a file.
new_own_policy <- function(own) new_policy("uniform", double(), FALSE, own)

# What makes a policy, as plain data: its name, its parameters in the user's words (all of them, so
# that it stays the same where defaults change), and of a policy of the user's its label and what
# its functions are known by.
policy_given <- function(policy) {
  own <- policy$own
  if (!is.null(own)) {
    own <- list(
      label = as.vector(own$label), choose = function_code(own$choose),
      recommend = function_code(own$recommend)
    )
  }
  list(name = policy$name, given = params_in_words(policy), own = own)
}

# A function, or the fingerprint that a file kept of it.
function_code <- function(f) if (is.function(f)) fingerprint(f) else f

# As policy() takes them; those that the policy finds itself are left out.
params_in_words <- function(policy) {
  params <- policy_params(policy)
  words <- Map(function(value, choices) {
    if (length(choices)) choices[value + 1L] else value
  }, unname(policy$param), params$choices)
  structure(words, names = params$param)[!is.na(policy$param)]
}

changed_params <- function(policy) {
  params <- policy_params(policy)
  same <- mapply(identical, unname(policy$param), params$default)
  params_in_words(policy)[params$param[!same]]
}

policy_params <- function(policy) {
  table <- policy_table()
  table$params[[match(policy$name, table$policy)]]
}

lacks_functions <- function(policy) !is.null(policy$own) && !is.function(policy$own$choose)

as_policy <- function(policy) {
  if (inherits(policy, "bayesgap_policy")) {
    return(policy)
  }
  make_policy(policy, list(), "policy")
}

check_param <- function(x, param, params, policy) {
  at <- match(param, params$param)
  if (is.na(at)) {
    abort(
      "policy", "Policy \"", policy, "\" has no parameter \"", param, "\".",
      suggest(param, params$param),
      if (length(params$param)) c(" It has: ", quoted(params$param, Inf), ".")
    )
  }
  choices <- params$choices[[at]]
  if (length(choices)) {
    return(match(check_choice(x, param, choices, "policy"), choices) - 1)
  }
  lower <- params$lower[at]
  upper <- params$upper[at]
  if (!is_number(x) || x < lower || x > upper || is.infinite(x)) {
    must <- if (is.infinite(upper)) {
      gettextf("a number, at least %s", format(lower))
    } else {
      gettextf("a number from %s to %s", format(lower), format(upper))
    }
    abort_argument("policy", param, must, x)
  }
  as.double(x)
}

#' @rdname policy
#' @export
policies <- function() {
  table <- policy_table()
  table$params <- lapply(table$params, quick_frame)
  table$draws <- table$keeps <- NULL
  out <- quick_frame(table)
  class(out) <- c("bayesgap_policies", class(out))
  out
}

# The C table as plain lists, columns of what policies() returns.
policy_table <- function() {
  table <- .Call(bg_policies)
  params <- lapply(table$params, function(p) {
    choices <- strsplit(p$choices, "|", fixed = TRUE)
    choices[is.na(p$choices)] <- list(character())
    list(
      param = p$name, default = p$default, lower = p$lower, upper = p$upper,
      choices = choices, meaning = p$meaning
    )
  })
  list(
    policy = table$name, label = table$label, recommends = table$recommends,
    anytime = table$anytime, costs = table$costs, draws = table$draws, keeps = table$keeps,
    params = params
  )
}

policy_keeps <- function(policy) {
  table <- policy_table()
  table$keeps[match(policy$name, table$policy)]
}

# "variant = "marginal" ("marginal", "paper", ...): ...", one line a parameter.
param_lines <- function(params) {
  vapply(seq_len(nrow(params)), function(i) {
    choices <- params$choices[[i]]
    default <- params$default[i]
    range <- if (length(choices)) {
      quoted(choices, Inf)
    } else if (is.infinite(params$upper[i])) {
      sprintf("at least %s", format(params$lower[i]))
    } else {
      sprintf("%s to %s", format(params$lower[i]), format(params$upper[i]))
    }
    shown <- if (length(choices)) {
      encodeString(choices[default + 1L], quote = "\"")
    } else if (is.na(default)) {
      "found by the policy"
    } else {
      format(default)
    }
    sprintf("%s = %s (%s): %s", params$param[i], shown, range, params$meaning[i])
  }, "")
}

#' @export
format.bayesgap_policies <- function(x, ...) {
  lines <- Map(function(policy, label, recommends, costs, params) {
    c(
      sprintf("%s: %s%s", policy, label, if (costs) "; regards costs" else ""),
      sprintf("  recommends: %s", recommends),
      if (nrow(params)) paste0("  ", param_lines(params))
    )
  }, x$policy, x$label, x$recommends, x$costs, x$params)
  unlist(lines, use.names = FALSE)
}

#' @export
print.bayesgap_policies <- function(x, ...) {
  if (is.null(x$params) || is.null(x$recommends) || is.null(x$costs)) {
    return(NextMethod())
  }
  cat(format(x), sep = "\n")
  invisible(x)
}

# The help page's list, from the same table.
policy_help <- function() {
  table <- policies()
  items <- Map(function(policy, label, recommends, costs, params) {
    lines <- param_lines(params)
    c(
      sprintf(
        "* `%s`: %s%s. Recommends: %s.", policy, label, if (costs) "; regards costs" else "",
        recommends
      ),
      if (length(lines)) paste0("    * ", sub("^(.*?\\)):", "`\\1`:", lines, perl = TRUE))
    )
  }, table$policy, table$label, table$recommends, table$costs, table$params)
  paste(unlist(items), collapse = "\n")
}

#' @export
format.bayesgap_policy <- function(x, ...) {
  if (!is.null(x$own)) {
    return(x$own$label)
  }
  changed <- changed_params(x)
  text <- vapply(changed, function(value) {
    if (is.character(value)) encodeString(value, quote = "\"") else format(value)
  }, "")
  shown <- if (length(changed)) paste0(names(changed), " = ", text)
  paste0(x$name, if (length(shown)) paste0(" (", paste(shown, collapse = ", "), ")"))
}

#' @export
print.bayesgap_policy <- function(x, ...) {
  cat("<policy> ", format(x), "\n", sep = "")
  invisible(x)
}
