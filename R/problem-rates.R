# Problems whose rewards are conversions or counts.

#' @rdname problem_gaussian
#' @param trials,exposure How many trials, or how much exposure, a pull has.
#' @export
problem_binomial <- function(model, means = NULL, trials = 1L, ..., maximise = TRUE) {
  check_dots(...)
  trials <- check_count(trials, "trials")
  rate_problem(families$binomial, if (!missing(model)) model, means, trials, maximise)
}

#' @rdname problem_gaussian
#' @export
problem_poisson <- function(model, means = NULL, exposure = 1, ..., maximise = TRUE) {
  check_dots(...)
  if (!is_number(exposure) || exposure < 1e-50 || exposure > 1e50) {
    abort_argument("exposure", "exposure", "a number above 0", exposure)
  }
  rate_problem(families$poisson, if (!missing(model)) model, means, exposure, maximise)
}

rate_problem <- function(family, model, means, size, maximise) {
  maximise <- check_flag(maximise, "maximise")
  model <- known_rates(model, family, size)
  check_no_blocks(model, "Rates in blocks can be told to bayesgap(), but not simulated.")
  if (!is.null(means)) {
    means <- check_rates(check_means(means, model$arms), "means", family, "means")
  }
  problem <- new_problem(family$name, model, maximise, means, model$noise_sd)
  problem$law <- list(name = family$name, size = size, side = if (maximise) 1 else -1)
  problem
}

# What policies know: the noise of a pull whose rate is the prior mean.
known_rates <- function(model, family, size) {
  check_model(model)
  if (!is.null(model$noise_sd) || !(is.null(model$family) || model$family == family$name)) {
    abort(
      "family", "`model` must have `family = \"", family$name, "\"`, or no family and no ",
      "`noise_sd`: the rates tell how noisy pulls are."
    )
  }
  model["family"] <- list(NULL)
  model$noise_sd <- 1
  check_known_model(model)
  check_rates(model$prior_mean, "prior_mean", family, "model")
  noise2 <- family$variance(model$prior_mean) / size
  if (any(noise2 <= 0)) {
    abort(
      "model", "`prior_mean` must be above 0", if (family$most == 1) " and below 1",
      " in a problem of rates: with none at all pulls would have no noise."
    )
  }
  model$noise_sd <- sqrt(noise2)
  model
}
