# The prior as an object: what is believed of the arms before the first pull.

#' What is believed of the arms beforehand
#'
#' `arm_model()` states the prior of a run: which arms resemble each other, how good they
#' are expected to be, and how noisy a pull is. Use it when several runs share one prior, or
#' to look at the prior before it is used; [bayesgap()] takes the same arguments directly.
#'
#' The true means of the arms are taken to be Gaussian with mean `prior_mean` and covariance
#' `prior_sd^2 * G`. `G` is what the `kernel` says of the arms' columns, or `cov`, or
#' `features %*% t(features)`, or the covariance of a `history`. Give at most one of them;
#' without any, `G` is the identity: the arms are independent and nothing is learned of one
#' arm from another. `G` may be singular; it is never inverted. A pull of an arm returns its
#' mean plus Gaussian noise of standard deviation `noise_sd`.
#'
#' @section What is learned:
#' What is left `NULL` is learned from the rewards, and so are parameters of a kernel that are
#' not given. It is learned again after 1, 2, 3, 4, 5, 8, 12, 17, 26, 38, 57, 86, 172, ...
#' observations, and when the budget is spent unless that was just done. Multiplying all
#' rewards by a constant, or adding one, changes no decision.
#'
#' * The prior mean is one constant, by generalised least squares.
#' * The ratio of noise to prior variance and the parameters of a kernel are those that
#'   maximise the marginal likelihood of the rewards (their analytic gradient, and the method
#'   L-BFGS-B of [optim()]) together with weak priors, so that three observations do not break
#'   it: the logarithm of that ratio is normal about 0 with standard deviation 2; that of a
#'   length scale is normal about the logarithm of 0.3 standard deviations of the column (times
#'   the square root of the number of columns) with standard deviation 0.6. Standard errors
#'   that come with rewards tell the noise besides.
#' * The size of both is integrated out (normal-inverse-gamma), so that the means of the
#'   arms have Student's t distributions: the fewer the observations, the wider the bounds that
#'   policies work with.
#' * The prior variance is then taken one standard error larger: to take it for too small
#'   costs more.
#' * How far a block moves arms from one another, where it is left open (`block_arm_sd = NULL`), is
#'   expected to be less than the arms differ: the log of the ratio of the two variances is normal
#'   about -2 with standard deviation 1.
#' * Where repeated pulls say that the noise differs between arms (Bartlett's test at the level
#'   0.01), each has its own, shrunk towards the mean of all. Without blocks only.
#'
#' Pulls go by these values; what [posterior()], `print()`, [predict.bayesgap()] and `stop_regret`
#' say does not take them for the truth. It averages over values that explain the rewards as well
#' or nearly so: nine along the one that is learned, or 24 where there are several, weighted by the
#' marginal likelihood and the weak priors (that on the ratio of noise to prior variance with
#' standard deviation 3, which admits that arms hardly differ, or noise hardly matters). The doubt
#' about a learned prior mean is in it too. `bench/CALIBRATION.md` in the source repository tells
#' how often what is said is true.
#'
#' Of correlated arms at most 200 averages are used for this, evenly over those observed. Should
#' no values be found, the run goes on with the last ones and warns once. [summary.bayesgap()]
#' tells what was learned and from how much.
#'
#' @section A history:
#' With a `history` the prior comes from past occasions on which all arms were observed, and
#' nothing is left to be set from the data. The prior mean is the mean of each arm. The
#' covariance is that of the occasions, shrunk: every covariance of two arms is multiplied by
#' 1 - intensity, the variances are kept. The intensity is the sum of the estimated
#' variances of the covariances over the sum of their squares, between 0 and 1 (Ledoit and
#' Wolf 2004; Schaefer and Strimmer 2005, target D): 0 when covariances are known well, 1 when
#' they may all be chance. A covariance from two occasions counts as chance. `prior_sd` is 1,
#' as the covariance has its own units, and the noise variance is 5 % of the mean variance of
#' the arms that vary. Any of the three may be given instead.
#'
#' Shrinkage matters: fewer occasions than arms leave directions without any variance, and a
#' model that takes them for certain is wrong with confidence. With 17 of the occasions in
#' [traffic] for a history of 319 arms and 100 pulls on another occasion, the posterior's 95 %
#' intervals held 90 % of the true speeds, but 39 % when `cov = var(history)` was used as it
#' is (means over six splits, nine occasions each).
#'
#' Missing values are left out of the arm's mean and of its covariances; two arms that were
#' never seen together twice count as uncorrelated. Covariances from different occasions may
#' contradict one another. Then the intensity is raised until they form a covariance matrix,
#' which may be far when there are more arms than occasions and many gaps; `print()` says so.
#' An arm that had the same value on all occasions is taken to be known: it is never pulled,
#' but it may be recommended.
#'
#' @param arms The arms: a number of arms, a vector of names or of values, a data frame with one
#'   row an arm, or a list, see [arms].
#' @param ... Must be empty.
#' @param kernel A kernel such as [k_se()], or an R function of two data frames of arms: arms
#'   with similar columns have similar means. See [kernels].
#' @param cov A covariance (or correlation) matrix of the arms' means: symmetric, positive
#'   semi-definite, one row and column an arm. Names, where it has any, must be the arms'. (Here
#'   and below, those of arms that you did not name yourself count only where they are all there.)
#' @param features A numeric matrix or data frame with one row an arm: means are a linear
#'   function of the features, with independent standard normal weights. No matrix of all
#'   pairs of arms is formed, so that 100,000 arms are possible.
#' @param history A numeric matrix or data frame of past rewards, rows occasions (at least
#'   two), columns arms; `NA` where an arm was not observed. Where arms and columns have
#'   names, these must be the same, in any order. For at most 20,000 arms. At most one of
#'   `kernel`, `cov`, `features` and `history` may be given.
#' @param prior_mean The expected mean, one number or one per arm; `NULL`: learned from the data,
#'   or the history.
#' @param prior_sd The factor by which the covariance is scaled, the paper's eta; `NULL`:
#'   learned from the data, or 1 with a history.
#' @param noise_sd The standard deviation of a pull, one number or one per arm, the paper's
#'   sigma; 0 for exact observations; `NULL`: learned from the data, or the history. Where it is
#'   above 0 but so small beside the prior (a millionth of `prior_sd` or less, for correlated
#'   arms) that rounding may move a mean by more than a hundredth of its standard deviation, a
#'   warning of class `bayesgap_warning_precision` says so.
#' @param family What rewards are: `"gaussian"`, any numbers; `"binomial"`, successes of so many
#'   trials; `"poisson"`, counts in so much exposure. With the last two the rates tell the noise,
#'   and `noise_sd` is left out. See [family].
#' @param blocks,block_sd,block_arm_sd,control Pulls that share their luck, such as tests on one
#'   fold or trials on one plate; see [blocks]. `blocks`: their number or names, where they are
#'   known beforehand. `block_sd`: the standard deviation of their effects; `NULL`: learned from the
#'   data, 0: there are none. `block_arm_sd`: the size of what a block adds to some arms and takes
#'   from others, similar arms alike, which scales their covariance as `prior_sd` does; 0: it moves
#'   all arms by the same, `NULL`: learned from the data. `control`: an arm that is the first pull
#'   of every block.
#' @param cost What a pull of each arm costs: one number, one per arm, or the name of a column of
#'   the arms. The `budget` of a run is then what may be spent in all. `NULL`: every pull counts as
#'   one. See [costs].
#'
#' @return An object of class `arm_model`, a list. `print()` shows it in words.
#' @references
#' Ledoit, O. and Wolf, M. (2004). A well-conditioned estimator for large-dimensional
#' covariance matrices. *Journal of Multivariate Analysis* 88, 365--411.
#' \doi{10.1016/S0047-259X(03)00096-4}
#'
#' Schaefer, J. and Strimmer, K. (2005). A shrinkage approach to large-scale covariance matrix
#' estimation and implications for functional genomics. *Statistical Applications in Genetics
#' and Molecular Biology* 4, article 32. \doi{10.2202/1544-6115.1175}
#' @seealso [bayesgap()], [kernels]; `vignette("say-what-you-know")`.
#' @export
#' @examples
#' # Ten settings of a dial: neighbours behave alike (the paper's figure 1)
#' dial <- 1:10
#' arm_model(paste0("dial", dial), cov = exp(-outer(dial, dial, "-")^2),
#'           prior_mean = 0, prior_sd = 1, noise_sd = 0.1)
#'
#' # A linear effect of two ingredients
#' mixtures <- expand.grid(sugar = 0:3, salt = 0:2)
#' arm_model(mixtures, features = mixtures)
#'
#' # A smooth effect of them
#' arm_model(mixtures, kernel = k_se(~ sugar + salt))
#'
#' # Speeds on 25 past occasions; which sensor is the fastest on the 26th?
#' past <- traffic$speeds[-26, ]
#' model <- arm_model(colnames(past), history = past)
#' model
#' today <- traffic$speeds[26, ]
#' bayesgap(model, function(arm) today[[arm]], budget = 40, seed = 1)
arm_model <- function(arms, ..., kernel = NULL, cov = NULL, features = NULL, history = NULL,
                      prior_mean = NULL, prior_sd = NULL, noise_sd = NULL,
                      family = c("gaussian", "binomial", "poisson"),
                      blocks = NULL, block_sd = NULL, block_arm_sd = 0, control = NULL,
                      cost = NULL) {
  check_dots(...)
  if (missing(arms)) {
    arms <- NULL
  }
  ways <- list(kernel = kernel, cov = cov, features = features, history = history)
  given <- list(
    prior_mean = prior_mean, prior_sd = prior_sd, noise_sd = noise_sd, family = family,
    blocks = blocks, block_sd = block_sd, block_arm_sd = block_arm_sd, control = control,
    cost = cost
  )
  make_model(as_arms(arms), ways, given)
}

# ways: kernel, cov, features and history, at most one of them not NULL.
make_model <- function(arms, ways, given) {
  check_at_most_one(ways)
  given <- check_given(arms, given)
  if (!is.null(ways$history)) {
    return(model_from_history(arms, read_history(ways$history, arms), given))
  }
  if (!is.null(ways$kernel)) {
    kernel <- as_kernel(ways$kernel)
    compiled <- compile_kernel(kernel, arms)
    about <- list(kernel = kernel, params = compiled$params)
    return(new_arm_model(arms, kernel_prior(compiled$tree), given, about))
  }
  new_arm_model(arms, prior_covariance(arms, ways$cov, ways$features), given)
}

# As list(...) makes them, NULL for what is left to the data.
check_given <- function(arms, given) {
  numbers <- list(
    prior_mean = check_prior_mean(given$prior_mean, arms),
    prior_sd = check_model_sd(given$prior_sd, "prior_sd"),
    noise_sd = check_model_sd(given$noise_sd, "noise_sd", arms)
  )
  family <- check_family(given$family, numbers)
  check_family_columns(arms, family_of(list(family = family)))
  c(numbers, list(
    family = family,
    blocks = check_blocks(given$blocks), block_sd = check_block_sd(given$block_sd),
    block_arm_sd = check_block_arm_sd(given$block_arm_sd, given$block_sd),
    control = check_control(given$control, arms), cost = check_cost(given$cost, arms)
  ))
}

# The tables of a run have the family's numbers.
check_family_columns <- function(arms, family) {
  if (!is.null(family)) {
    who <- gettextf("a run with `family = \"%s\"`", family$name)
    check_not_taken(arms$data, c("size", family$hits, family$size), who)
  }
}

# What arm_model() takes besides the covariance, by name: numbers of the prior, and all of it.
prior_names <- c("prior_mean", "prior_sd", "noise_sd")
given_names <- c(prior_names, "family", "blocks", "block_sd", "block_arm_sd", "control", "cost")

# As arm_model() takes them.
given_of <- function(model) {
  given <- unclass(model)[given_names]
  if (!is.null(given$control)) {
    given$control <- model$arms$names[given$control]
  }
  given
}

# The model with some of the arguments of arm_model() changed; those set by a history that is
# given up are left to the data again.
update_model <- function(model, changes) {
  ways <- c("kernel", "cov", "features", "history")
  values <- c(prior_names, "family", "block_sd", "block_arm_sd", "cost")
  given <- given_of(model)
  anew <- any(ways %in% names(changes))
  if (anew) {
    given[model$history$sets] <- list(NULL)
  }
  rates <- is.character(changes$family) && any(changes$family %in% names(families))
  if (rates && "noise_sd" %in% model$history$sets) { # they tell it instead of the history
    given["noise_sd"] <- list(NULL)
    model$history$sets <- setdiff(model$history$sets, "noise_sd")
  }
  given[intersect(values, names(changes))] <- changes[intersect(values, names(changes))]
  if (anew) {
    return(make_model(model$arms, structure(changes[ways], names = ways), given))
  }
  history <- model$history
  history$sets <- setdiff(history$sets, names(changes))
  new_arm_model(
    model$arms, model$prior, check_given(model$arms, given), model$kernel,
    if (!is.null(model$history)) history
  )
}

# prior: as the C core reads it, learned parameters of a kernel where they start; kernel: NULL,
# or the kernel as it was given, and a table of its parameters; history: NULL, or what is to be
# told of it; given: prior_mean, prior_sd, noise_sd, block_sd and block_arm_sd, NULL where left to
# the data;
# family, NULL where nothing is said of the rewards;
# blocks, the labels of those known beforehand; control, its place among the arms; cost, one number
# an arm, or NULL.
new_arm_model <- function(arms, prior, given, kernel = NULL, history = NULL) {
  structure(
    c(
      list(arms = arms, prior = prior, kernel = kernel, history = history),
      given[given_names]
    ),
    class = "arm_model"
  )
}

# Nothing is left to the data: the covariance has its own units.
model_from_history <- function(arms, past, given) {
  family <- family_of(given)
  left <- names(Filter(is.null, given[prior_names]))
  if (!is.null(family)) {
    check_rates(past$mean, "history", family, "history")
    left <- setdiff(left, "noise_sd")
  }
  given[left] <- list(prior_mean = past$mean, prior_sd = 1, noise_sd = past$noise_sd)[left]
  new_arm_model(
    arms, dense_prior(past$cov), given, history = c(past$note, list(sets = left))
  )
}

check_at_most_one <- function(ways) {
  given <- names(Filter(Negate(is.null), ways))
  if (length(given) > 1L) {
    every <- paste0("`", names(ways), "`")
    abort(
      "model", "Give at most one of ", paste(every[-length(every)], collapse = ", "), " and ",
      every[length(every)], ", not `", given[1L], "` and `", given[2L], "`."
    )
  }
}

# An arm_model, or arms with the arguments that make one.
as_arm_model <- function(arms, ..., block_arm_sd = 0) {
  if (!inherits(arms, "arm_model")) {
    return(arm_model(arms, ..., block_arm_sd = block_arm_sd))
  }
  given <- c(
    names(Filter(Negate(is.null), list(...))),
    if (!(is_number(block_arm_sd) && block_arm_sd == 0)) "block_arm_sd"
  )
  if (length(given)) {
    abort(
      "model", "`arms` is an arm_model() already: give `", given[1L],
      "` to arm_model(), not to bayesgap()."
    )
  }
  arms
}

check_prior_mean <- function(x, arms) {
  if (is.null(x)) {
    return(NULL)
  }
  must <- "NULL, a number, or one number per arm, each between -1e100 and 1e100"
  x <- check_per_arm(x, "prior_mean", "model", must, arms)
  if (any(abs(x) > 1e100)) {
    abort_argument("model", "prior_mean", must, x[abs(x) > 1e100][1L])
  }
  x
}

check_model_sd <- function(x, arg, arms = NULL) {
  what <- if (arg == "noise_sd") "noise" else "model"
  if (is.null(x)) NULL else check_sd(x, arg, what, arms)
}

# ---- In words ----------------------------------------------------------------------------------

#' @export
format.arm_model <- function(x, ...) {
  kind <- prior_kind(x$prior)
  rank <- ncol(x$prior$factor)
  k <- n_arms(x$arms)
  relation <- switch(kind,
    independent = "independent",
    cov = if (is.null(x$history)) {
      sprintf("correlated by a covariance matrix of rank %d", rank)
    } else {
      paste("correlated by", history_words(x$history))
    },
    features = sprintf("correlated by %d feature%s", rank, if (rank == 1L) "" else "s"),
    kernel = "correlated by a kernel"
  )
  number <- function(value) {
    if (is.null(value)) {
      return("from the data")
    }
    range <- format(unique(range(value)), digits = 4)
    if (length(range) == 1L) range else paste(range, collapse = " to ")
  }
  c(
    sprintf("<arm_model> %d arm%s, %s", k, if (k == 1L) "" else "s", relation),
    if (!is.null(x$history)) history_remark(x$history),
    if (kind == "kernel") format_kernel_of(x),
    paste0("  prior mean  ", number(x$prior_mean)),
    paste0("  prior sd    ", number(x$prior_sd)),
    paste0("  noise sd    ", if (is.null(family_of(x))) number(x$noise_sd) else "from the rates"),
    if (!is.null(x$family)) paste0("  family      ", x$family),
    if (!is.null(c(x$blocks, x$block_sd, x$control)) || !identical(x$block_arm_sd, 0)) {
      blocks <- if (is.null(x$blocks)) "as they come" else grouped(length(x$blocks))
      c(
        paste0("  blocks      ", blocks), paste0("  block sd    ", number(x$block_sd)),
        if (!identical(x$block_arm_sd, 0)) paste0("    by arm    ", number(x$block_arm_sd)),
        if (!is.null(x$control)) paste0("  control     ", encodeString(x$arms$names[x$control]))
      )
    },
    if (!is.null(x$cost)) paste0("  cost        ", number(x$cost))
  )
}

# The kernel, and how much of it is learned.
format_kernel_of <- function(model) {
  free <- sum(kernel_free(model))
  c(
    paste0("  kernel      ", format(model$kernel$kernel)),
    if (free) {
      sprintf("              %d parameter%s from the data", free, if (free == 1L) "" else "s")
    }
  )
}

#' @export
print.arm_model <- print_lines

# blocks: labels, if there are any.
has_unknowns <- function(model, blocks = NULL) {
  is.null(model$prior_mean) || is.null(model$prior_sd) || is.null(model$noise_sd) ||
    (length(blocks) > 0L && (is.null(model$block_sd) || is.null(model$block_arm_sd))) ||
    any(kernel_free(model))
}
