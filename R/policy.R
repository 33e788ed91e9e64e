# Policies: both functions read the C table, and nothing here knows any policy by name.

#' The ways to spend a budget
#'
#' `policies()` lists the policies, `policy()` makes one with parameters of your choice, to
#' be given to [bayesgap()]. Use it to change a parameter or to compare policies; the
#' default policy needs none.
#'
#' @param name The name of a policy, one of `policies()$policy`.
#' @param ... Parameters of the policy by name; `policies()` lists them with their ranges.
#'
#' @section Policies:
#' `r policy_help()`
#'
#' The default variant of `bayesgap` differs from the paper in three places. Equation 9
#' for the width beta sets K pulls aside, one an arm, which leaves nothing when the budget is
#' at most K although no arm has to be pulled: `reserve = "auto"` spends
#' max(T - K, min(T, K)) instead of T - K, the same from T = 2K on. The bound on the gap of
#' the leading arm is made a bound (`delta = "two-sided"`). The recommendation is the arm
#' with the highest posterior mean, and uses the last observation
#' (`advice = "mean"`). `variant = "paper"` is the paper to the letter.
#'
#' @return `policy()`: an object of class `bayesgap_policy`. `policies()`: a data frame with
#'   one row a policy: `policy`, `label`, `recommends` and the list column `params`, itself
#'   a data frame of names, defaults, ranges and meanings.
#' @seealso [bayesgap()]
#' @export
#' @examples
#' policies()
#' policies()$params[[1]]
#' policy("bayesgap", variant = "paper")
#' policy("bayesgap", beta = 2)
policy <- function(name, ...) {
  if (missing(name)) {
    name <- NULL
  }
  make_policy(name, list(...), "name")
}

make_policy <- function(name, given, arg) {
  table <- policies()
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
  new_policy(name, value)
}

# In the order of enum policy_at.
new_policy <- function(name, param) {
  structure(list(name = name, param = param), class = "bayesgap_policy")
}

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
      if (nrow(params)) c(" It has: ", quoted(params$param, Inf), ".")
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
      sprintf("a number, at least %s", format(lower))
    } else {
      sprintf("a number from %s to %s", format(lower), format(upper))
    }
    abort_argument("policy", param, must, x)
  }
  as.double(x)
}

#' @rdname policy
#' @export
policies <- function() {
  table <- .Call(bg_policies)
  params <- lapply(table$params, function(p) {
    choices <- strsplit(p$choices, "|", fixed = TRUE)
    choices[is.na(p$choices)] <- list(character())
    out <- data.frame(
      param = p$name, default = p$default, lower = p$lower, upper = p$upper
    )
    out$choices <- choices
    out$meaning <- p$meaning
    out
  })
  out <- data.frame(policy = table$name, label = table$label, recommends = table$advice)
  out$params <- params
  class(out) <- c("bayesgap_policies", class(out))
  out
}

# "variant = "default" ("default", "paper"): ...", one line a parameter.
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
  lines <- Map(function(policy, label, recommends, params) {
    c(
      sprintf("%s: %s", policy, label), sprintf("  recommends: %s", recommends),
      if (nrow(params)) paste0("  ", param_lines(params))
    )
  }, x$policy, x$label, x$recommends, x$params)
  unlist(lines, use.names = FALSE)
}

#' @export
print.bayesgap_policies <- function(x, ...) {
  if (is.null(x$params) || is.null(x$recommends)) {
    return(NextMethod())
  }
  cat(format(x), sep = "\n")
  invisible(x)
}

# The help page's list, from the same table.
policy_help <- function() {
  table <- policies()
  items <- Map(function(policy, label, recommends, params) {
    lines <- param_lines(params)
    c(
      sprintf("* `%s`: %s. Recommends: %s.", policy, label, recommends),
      if (length(lines)) paste0("    * ", sub("^(.*?\\)):", "`\\1`:", lines, perl = TRUE))
    )
  }, table$policy, table$label, table$recommends, table$params)
  paste(unlist(items), collapse = "\n")
}

#' @export
format.bayesgap_policy <- function(x, ...) {
  table <- policies()
  params <- table$params[[match(x$name, table$policy)]]
  changed <- which(!mapply(identical, unname(x$param), params$default))
  shown <- vapply(changed, function(i) {
    choices <- params$choices[[i]]
    value <- x$param[[i]]
    text <- if (length(choices)) {
      encodeString(choices[value + 1L], quote = "\"")
    } else {
      format(value)
    }
    paste0(params$param[i], " = ", text)
  }, "")
  paste0(x$name, if (length(shown)) paste0(" (", paste(shown, collapse = ", "), ")"))
}

#' @export
print.bayesgap_policy <- function(x, ...) {
  cat("<policy> ", format(x), "\n", sep = "")
  invisible(x)
}
