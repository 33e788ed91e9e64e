# bayesgap(): the door. Its arguments, and where they go.

#' Find the best arm with a fixed number of pulls
#'
#' `bayesgap()` spends a budget of noisy, expensive trials (pulls) on a finite list of
#' alternatives (arms) and returns the one to keep, with how sure that is. Use it with an
#' `objective` to run to the end in one call; without one it returns the state of a new run
#' for [ask()] and [tell()].
#'
#' Everything but `arms` and `budget` may be left alone: prior mean, prior scale and noise
#' are then set from the rewards as they come (see [arm_model()]), so rewards may be of any
#' size. With `prior_mean`, `prior_sd` and `noise_sd` given, nothing is estimated.
#'
#' The budget may be smaller than the number of arms. Say which arms resemble each other by
#' a `kernel`, `cov`, `features` or a `history`, so that a pull of one tells about others.
#'
#' What is longer than a sentence has a page of its own:
#'
#' * [arms]: what can be an arm, and how arms are called.
#' * [objective]: what it gets and may return, and what happens when it fails.
#' * [blocks]: trials that share their luck, such as folds, plates and days.
#' * [family]: conversions and counts.
#' * [costs]: trials that cost differently.
#' * [batches]: several pulls at a time, on workers or a cluster.
#' * [checkpoints]: runs that outlive a crash.
#' * [ask()] and [run_files]: trials that happen outside R.
#'
#' Ties are broken at random, with random numbers of the run's own, one stream a pull; the
#' objective has another stream, set before each pull. So the same seed gives the same run
#' whatever the objective does with random numbers, and a run that was stopped, saved and
#' continued equals one that was not.
#'
#' @param arms The arms: a number of arms, a vector of names or of values (numbers, logicals,
#'   dates, times), a data frame with one row an arm, a list, or an [arm_model()]; see
#'   [arms]. Or an earlier run, which is continued up to the given budget.
#' @param objective A function that carries out one pull and returns its reward; `NULL` to
#'   get a new run for [ask()] and [tell()]. See [objective].
#' @param budget The number of pulls, the paper's T; with `cost`, what may be spent in all.
#' @param ... Must be empty.
#' @param maximise `FALSE` when smaller rewards are better.
#' @param kernel,cov,features,history,prior_mean,prior_sd,noise_sd What is believed of the arms
#'   beforehand, see [arm_model()].
#' @param family What rewards are: `"gaussian"`, any numbers; `"binomial"`, successes of so many
#'   trials, such as conversions; `"poisson"`, counts in so much exposure. See [family].
#' @param blocks,block_sd,block_arm_sd,control Pulls that share their luck, such as tests on one
#'   fold or trials on one plate; see [blocks]. `blocks`: their number or names, where they are
#'   known beforehand; an `objective` needs that, and finds the block of a pull in `pull$block`.
#'   `block_sd`: the standard deviation of their effects; `NULL`: learned from the data, 0: there
#'   are none. `block_arm_sd`: that of what a block adds to some arms and takes from others; 0: it
#'   moves all by the same, `NULL`: learned. `control`: an arm that is the first pull of every
#'   block.
#' @param cost What a pull of each arm costs, where that differs: one number per arm (or one for
#'   all), or the name of a column of the arms. See [costs].
#' @param policy How the budget is spent: a name from [policies()], or made by [policy()].
#' @param init Pulls made before the policy decides: a number of pulls, on arms chosen at
#'   random and spread evenly, 0 for none, or the arms themselves in order. `NULL`: none, but
#'   where `blocks` are known beforehand, the arms correlated and `prior_mean` learned, eight (at
#'   most half of the budget; with `cost`, of arms no dearer than the mean, and for at most half
#'   of it). Without blocks the default policy gains nothing from them that could be measured;
#'   `"pi"` and `"ei"` do where `prior_mean` is learned: give them about five arms, far from each
#'   other (`bench/DEFAULT.md` in the source repository).
#' @param batch How many pulls are chosen and carried out at a time, see [batches]. The
#'   name of the number, `c(distinct = 8)`, says by which rule.
#' @param replace `FALSE` when no arm may be pulled twice; with `blocks`, not twice in one block.
#' @param stop_regret Stop before the budget is spent when keeping the recommended arm
#'   loses less than this with probability 0.95, but not before the tenth observation where
#'   both `prior_sd` and `noise_sd` are learned. It is judged after every pull, which takes
#'   some hundredths of a second where anything is learned. `NULL`: spend it all.
#' @param time_limit The seconds that an attempt at a pull may take.
#' @param on_error What to do with a pull that fails: `"skip"` it or `"stop"`; see
#'   [objective].
#' @param retries How often a pull that failed is tried again before it counts as failed.
#' @param count_failures `FALSE` when pulls that failed do not count against the budget.
#' @param checkpoint The name of a file in which the run is kept while it goes on, and from
#'   which the same call resumes it, see [checkpoints]. `NULL`: none.
#' @param progress Show how far the run is, who leads and how long it will take, on the
#'   message stream? Where the handlers of the package progressr are on, they show it instead,
#'   whatever is said here.
#' @param seed A whole number; the same seed gives the same run. `NULL`: drawn from the
#'   session's generator, so that [set.seed()] works as well.
#'
#' @return An object of class `bayesgap`, a plain list that can be saved with [save_run()].
#'   `print()` gives the answer, [best_arm()] the arm, [posterior()] what is known of all
#'   arms, `as.data.frame()` one row a pull, `summary()` the whole, `plot()` a picture.
#' @seealso [retry_arms()], [last_run()] and [save_run()]; `vignette("get-started")` to begin with,
#'   `vignette("long-runs")` for checkpoints, failures, batches and clusters.
#' @references Hoffman, Shahriari and de Freitas (2014), see [bayesgap-package].
#' @export
#' @examples
#' # Which of six pages do visitors like best? Sixty visitors.
#' likes <- c(home = 2, shop = 2.5, blog = 1, docs = 3, jobs = 0.5, help = 2.7)
#' x <- bayesgap(names(likes), function(arm) rnorm(1, likes[[arm]], 1), budget = 60, seed = 1)
#' x
#' best_arm(x)
#'
#' # Which page sells? A hundred visitors a pull.
#' rate <- c(a = 0.05, b = 0.08, c = 0.06)
#' show <- function(arm) c(successes = rbinom(1, 100, rate[[arm]]), trials = 100)
#' bayesgap(names(rate), show, budget = 30, family = "binomial", seed = 1)
#'
#' # Forty dial settings, ten trials: neighbours behave alike, smaller is better.
#' dial <- data.frame(position = 1:40)
#' bayesgap(dial, function(arm) (arm$position - 27)^2 / 100 + rnorm(1, sd = 0.1),
#'          budget = 10, kernel = k_se(~ position, lengthscale = 5), maximise = FALSE, seed = 1)
bayesgap <- function(arms, objective = NULL, budget, ...,
                     maximise = TRUE,
                     kernel = NULL, cov = NULL, features = NULL, history = NULL,
                     prior_mean = NULL, prior_sd = NULL, noise_sd = NULL,
                     family = c("gaussian", "binomial", "poisson"),
                     blocks = NULL, block_sd = NULL, block_arm_sd = 0, control = NULL, cost = NULL,
                     policy = "bayesgap",
                     init = NULL, batch = 1L, replace = TRUE,
                     stop_regret = NULL, time_limit = Inf,
                     on_error = c("skip", "stop"), retries = 0L, count_failures = TRUE,
                     checkpoint = NULL, progress = interactive(), seed = NULL) {
  check_dots(...)
  if (missing(arms)) {
    arms <- NULL
  }
  if (!is.null(objective) && !is.function(objective)) {
    abort_argument("objective", "objective", "a function of one arm, or NULL", objective)
  }
  if (missing(budget)) {
    abort("budget", "`budget` must be given: the number of pulls, a whole number from 1.")
  }
  how <- list(
    batch = check_count(unname(batch), "batch"), rule = check_batch_rule(batch),
    time_limit = check_time_limit(time_limit),
    on_error = check_option(on_error, "on_error", c("skip", "stop")),
    retries = check_retries(retries), progress = check_flag(progress, "progress")
  )
  if (!is.null(seed)) {
    seed <- check_seed(seed)
  }
  start <- if (inherits(arms, "bayesgap")) {
    settings <- setdiff(
      names(match.call()), c("", "arms", "objective", "budget", "checkpoint", names(how))
    )
    budget <- check_budget(budget, arms$model$cost)
    function(seed) extend_run(arms, budget, settings)
  } else {
    model <- as_arm_model(
      arms, kernel = kernel, cov = cov, features = features, history = history,
      prior_mean = prior_mean, prior_sd = prior_sd, noise_sd = noise_sd,
      family = if (!missing(family)) family,
      blocks = blocks, block_sd = block_sd,
      block_arm_sd = block_arm_sd, control = control, cost = cost
    )
    budget <- check_budget(budget, model$cost)
    function(seed) {
      new_run(list(
        model = model, policy = as_policy(policy), budget = budget,
        maximise = check_flag(maximise, "maximise"), replace = check_flag(replace, "replace"),
        stop_regret = check_stop_regret(stop_regret), init = init, seed = check_seed(seed),
        count_failures = check_flag(count_failures, "count_failures")
      ))
    }
  }
  if (is.null(checkpoint)) {
    x <- start(seed)
    if (is.null(objective)) {
      return(x)
    }
    return(run_objective(check_blocks_known(x), objective, how, no_checkpoint))
  }
  file <- check_file(checkpoint, "checkpoint")
  if (is.null(objective)) {
    return(by_hand(resume_run(file, seed, start)))
  }
  suspendInterrupts({
    store <- open_checkpoint(file)
    on.exit(store$close())
  })
  x <- check_blocks_known(check_savable(resume_run(file, seed, start)))
  run_objective(x, objective, how, store)
}

# Only ask() can be told block by block where a pull will be made.
check_blocks_known <- function(x) {
  said <- !is.null(x$model$block_sd) || any(x$model$block_arm_sd > 0)
  if (is.null(x$model$blocks) && (has_blocks(x) || said)) {
    abort(
      "block", "`blocks` must be given where an objective is: their number or names. Blocks that ",
      "are not known beforehand are for ask(x, n, block = ) and tell()."
    )
  }
  x
}

# How the arms of a batch are chosen is the name of its size: c(distinct = 8).
check_batch_rule <- function(batch) {
  if (is.null(names(batch))) batch_rules[1L] else check_choice(names(batch), "batch", batch_rules)
}

check_time_limit <- function(x) {
  if (!is_number(x) || x <= 0) {
    abort_argument("time_limit", "time_limit", "a number of seconds above 0, or Inf", x)
  }
  as.double(x)
}

check_retries <- function(x) {
  if (!is_number(x) || x != floor(x) || x < 0 || x > 1000) {
    abort_argument("retries", "retries", "a whole number from 0 to 1000", x)
  }
  as.integer(x)
}
