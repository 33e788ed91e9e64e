# Rewards that are conversions or counts: what a family is, and how its results are told.

#' Conversions and counts
#'
#' Where a pull shows a page to visitors and some of them buy, or counts calls in an hour, its
#' reward is a rate: successes of so many trials, or a count in so much exposure. A run with
#' `family = "binomial"` or `family = "poisson"` is told both numbers. It knows by itself how noisy
#' a rate is: the less, the more visitors there were, and the less, the nearer the rate is to 0.
#'
#' The model is that of [arm_model()] on the scale of the rate: a pull of `n` trials with `s`
#' successes is the reward `s / n`, with the noise variance `m (1 - m) / n`, where `m` is the arm's
#' own rate as predicted from all arms; so 0 of 20 does not claim to be certain. A count of `c` in
#' the exposure `e` is the reward `c / e` with the noise variance `m / e`. All else is learned as
#' ever, in two passes: with the rate of all arms together, then with that of each. Intervals and
#' means are cut where rates end, at 0 and, for conversions, at 1.
#'
#' @section What an objective returns, and what `tell()` takes:
#' * One trial: `TRUE` or `FALSE`, or 1 or 0; with `"poisson"` a count, for an exposure of 1.
#' * Several: `list(successes = 7, trials = 120)` or `c(successes = 7, trials = 120)`; with
#'   `"poisson"` `count` and `exposure`. A list may hold more, which is kept.
#' * A data frame for [tell()] has the columns `successes` and `trials` (or `count` and `exposure`)
#'   in place of `y`, `NA` where the pull failed; or `y`, for single trials.
#'
#' `as.data.frame(x)` has these columns too. Pulls may differ in size. The budget counts pulls, not
#' trials. A `noise_sd` and standard errors are refused, since the rate tells them.
#'
#' @section When to use it:
#' Trials of an arm are taken to have one rate. Where it varies from pull to pull, such as from day
#' to day, tell the days as [blocks], or tell rates as rewards without a family, whose noise is
#' learned.
#'
#' The normal distribution stands in for the binomial and the Poisson. That is good where arms have
#' some ten successes each; with fewer the answer is rough, as any would be. Where there is no
#' family and rewards are all 0 or 1, a message of class `bayesgap_message_family` says so.
#'
#' @seealso [bayesgap()], [tell()], [problem_binomial()] to plan such an experiment;
#'   `vignette("get-started")`.
#' @name family
#' @examples
#' # Four pages, 20 days, 100 visitors a day
#' rate <- c(a = 0.05, b = 0.08, c = 0.06, d = 0.05)
#' show <- function(arm) c(successes = rbinom(1, 100, rate[[arm]]), trials = 100)
#' x <- bayesgap(names(rate), show, budget = 20, family = "binomial", seed = 1)
#' x
#' head(as.data.frame(x))
#'
#' # Told by hand
#' x <- bayesgap(c("old", "new"), budget = 10, family = "binomial", seed = 1)
#' x <- tell(x, data.frame(arm = c("old", "new"), successes = c(12, 19), trials = c(250, 240)))
#' posterior(x)
NULL

# How a family calls its numbers; most: the largest rate; variance: of one trial, by its rate.
families <- list(
  binomial = list(
    name = "binomial", hits = "successes", size = "trials", most = 1,
    variance = function(rate) rate * (1 - rate)
  ),
  poisson = list(
    name = "poisson", hits = "count", size = "exposure", most = Inf,
    variance = function(rate) rate
  )
)

family_names <- c("gaussian", names(families))

# NULL: rewards are any numbers.
family_of <- function(model) if (!is.null(model$family)) families[[model$family]]

# NULL, or one of the names. given: the other arguments of arm_model(); columns: those of the arms.
check_family <- function(x, given) {
  if (is.null(x) || identical(x, family_names)) {
    return(NULL)
  }
  check_choice(x, "family", family_names)
  if (x == "gaussian") {
    return(x)
  }
  if (!is.null(given$noise_sd)) {
    abort(
      "family", "`noise_sd` must be left out where `family = \"", x, "\"`: the rates tell how ",
      "noisy results are."
    )
  }
  check_rates(given$prior_mean, "prior_mean", families[[x]], "model")
  x
}

check_rates <- function(value, arg, family, what) {
  bad <- value < 0 | value > family$most
  if (any(bad)) {
    must <- if (family$most == 1) "between 0 and 1" else "from 0"
    abort(
      what, "`", arg, "` must be ", must, " where rewards are rates (family \"", family$name,
      "\"), not ", format(value[bad][1L]), "."
    )
  }
  value
}

# Cut to what a rate can be, in the user's sign.
within_range <- function(model, value) {
  family <- family_of(model)
  if (is.null(family)) value else pmin(pmax(value, 0), family$most)
}

# The same of the difference of two rates. Two of counts may differ by any number.
difference_within_range <- function(model, value) {
  family <- family_of(model)
  if (is.null(family)) value else pmin(pmax(value, -family$most), family$most)
}

# The same of the elements mean, lower and upper.
belief_within_range <- function(model, belief) {
  for (name in intersect(c("mean", "lower", "upper"), names(belief))) {
    belief[[name]] <- within_range(model, belief[[name]])
  }
  belief
}

# The columns of a family in the log, in the user's sign: hits and size, NA where a pull failed.
hits_and_size <- function(family, rate, size) {
  size[is.na(rate)] <- NA
  structure(list(round(rate * size), size), names = c(family$hits, family$size))
}

# ---- What is told -------------------------------------------------------------------------------

# Up to here whole numbers are exact, and rates are no larger than rewards may be.
most_hits <- 1e15

# What is wrong with so many hits in so many trials, in words, NA where nothing is.
wrong_hits <- function(hits, size, family) {
  whole <- function(v, from) is.finite(v) & v == floor(v) & v >= from & v <= most_hits
  wrong <- rep(NA_character_, length(hits))
  say <- function(bad, ...) wrong[is.na(wrong) & bad] <<- paste0(...)
  if (family$most == 1) {
    say(!whole(size, 1), "`trials` must be a whole number from 1")
  } else {
    say(!(is.finite(size) & size >= 1e-50 & size <= 1e50), "`exposure` must be a number above 0")
  }
  say(!whole(hits, 0), "`", family$hits, "` must be a whole number from 0")
  if (family$most == 1) {
    say(hits > size, "`successes` must be at most `trials`")
  }
  wrong
}

single_words <- function(family) {
  if (family$most == 1) {
    "0 or 1, TRUE or FALSE; several trials are told as `successes` and `trials`"
  } else {
    "a count, a whole number from 0; an exposure other than 1 is told as `count` and `exposure`"
  }
}

# The numbers of one pull, a list with the family's names or `y`: list(y, size), or what is wrong.
read_hits <- function(parts, family) {
  several <- any(c(family$hits, family$size) %in% names(parts))
  hits <- if (several) parts[[family$hits]] else parts[["y"]]
  size <- if (several) parts[[family$size]] else 1
  if (family$most == 1 && !several && is.logical(hits)) {
    hits <- hits + 0L
  }
  if (several && (!is_number(hits) || !is_number(size))) {
    return(paste0(
      "`", family$hits, "` and `", family$size, "` must be numbers, not ", describe(hits), " and ",
      describe(size)
    ))
  }
  if (!is_number(hits) || (!several && !is.na(wrong_hits(hits, 1, family)))) {
    return(paste0("a result must be ", single_words(family), "; not ", describe(parts[["y"]])))
  }
  wrong <- wrong_hits(hits, size, family)
  if (!is.na(wrong)) {
    return(paste0(wrong, "; they are ", format(hits, digits = 15), " and ",
                  format(size, digits = 15)))
  }
  list(y = hits / size, size = as.double(size))
}

# The two numbers of a result.
pair_names <- function(family) {
  if (is.null(family)) c("y", "se") else c(family$hits, family$size)
}

# A named vector or a list as a list; else it is the reward itself.
result_parts <- function(value, family) {
  named <- length(value) == 2L && is.atomic(value) && setequal(names(value), pair_names(family))
  if (is.list(value) || named) as.list(value) else list(y = value)
}

# What a result has besides, to be kept.
further_remark <- function(parts, family) {
  more <- unclass(parts)[!names(parts) %in% c("y", pair_names(family), "", NA)]
  if (length(more)) list(extra = more)
}

# Of columns that were told: list(y, size).
told_rates <- function(y, family) {
  check_no_se(y[["se"]], family)
  several <- any(pair_names(family) %in% names(y))
  if (several) told_hits(y, family) else told_singles(y[["y"]], family)
}

check_no_se <- function(se, family) {
  if (any(!is.na(se))) {
    abort(
      "family", "`se` must be left out where `family = \"", family$name, "\"`: the rates tell how ",
      "noisy results are."
    )
  }
}

told_singles <- function(y, family) {
  good <- is.numeric(y) || (is.logical(y) && family$most == 1) || all(is.na(y))
  if (!good || is.list(y)) {
    abort("tell", "The column `y` of `y` must hold ", single_words(family), "; not ",
          describe(y), ".")
  }
  y <- as.double(y)
  bad <- which(is.nan(y) | (!is.na(y) & !is.na(wrong_hits(y, rep(1, length(y)), family))))
  if (length(bad)) {
    abort("tell", "The column `y` of `y` must hold ", single_words(family), "; row ", bad[1L],
          " is ", format(y[bad[1L]]), ".")
  }
  list(y = y, size = rep(1, length(y)))
}

told_hits <- function(y, family) {
  for (name in c(family$hits, family$size)) {
    value <- y[[name]]
    if (is.list(value) || is.null(value) || !(is.numeric(value) || all(is.na(value)))) {
      abort(
        "tell", "`y` must have the columns `", family$hits, "` and `", family$size, "`, numbers; `",
        name, "` is ", if (is.null(value)) "not there" else describe(value), "."
      )
    }
  }
  hits <- as.double(y[[family$hits]])
  size <- as.double(y[[family$size]])
  failed <- is.na(hits) & !is.nan(hits)
  wrong <- wrong_hits(hits, size, family)
  wrong[failed] <- NA
  rate <- hits / size
  other <- if (is.null(y[["y"]])) FALSE else is_other_rate(y[["y"]], rate)
  wrong[is.na(wrong) & other] <- paste0(
    "its `y` is not `", family$hits, "` / `", family$size, "`; leave the column `y` out"
  )
  bad <- which(!is.na(wrong))
  if (length(bad)) {
    abort(
      "tell", "Row ", bad[1L], " of `y`: ", wrong[bad[1L]], ". It has ", format(hits[bad[1L]]),
      " and ", format(size[bad[1L]]), "."
    )
  }
  list(y = rate, size = ifelse(failed, 1, size))
}

# Does a column `y`, told besides, say something else? By way of a file it has fewer digits.
is_other_rate <- function(y, rate) {
  if (is.list(y) || !(is.numeric(y) || is.logical(y))) {
    return(rep(TRUE, length(rate)))
  }
  ifelse(is.na(y) | is.na(rate), is.na(y) != is.na(rate), abs(y - rate) > 1e-6 * (1e-9 + rate))
}

# What to add where results have the names of a family that was not given; nothing otherwise.
family_hint <- function(names) {
  meant <- Filter(function(family) any(c(family$hits, family$size) %in% names), families)
  if (length(meant)) paste0("; say `family = \"", meant[[1L]]$name, "\"` for such results") else ""
}

is_flag <- function(y) is.logical(y) && length(y) == 1L && !is.na(y)
