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
#' Ties are broken at random, with random numbers of the run's own, one stream a pull; the
#' objective has another stream, set before each pull. So the same seed gives the same run
#' whatever the objective does with random numbers, and a run that was stopped, saved and
#' continued equals one that was not.
#'
#' @section The arms:
#' What is given as `arms` says what the objective gets for an arm, and [best_arm()] returns:
#'
#' * `12`: a number from 1 to 12. A single number is always the number of arms.
#' * `c("red", "blue")`, or a factor: the name, as text.
#' * `c(0.1, 0.2, 0.5)`, `1:4`, `c(TRUE, FALSE)`, dates or times: the value. The arms are called by
#'   their values, or by the names of the vector, `c(low = 0.1, high = 0.5)`.
#' * A data frame with one row an arm: the row, with the name in a first column `arm`. Names are a
#'   column `arm`, or row names that are text; where there are none, rows are called by their
#'   values, such as `"220, 35"`.
#' * `list(fast = f1, slow = f2)`: the element itself, a function, settings or anything else.
#'   Settings without names are called by their values, such as `"lr = 0.1, depth = 3"`.
#'
#' In the tables of a run, those of [ask()] and `as.data.frame()`, values are a column `value`,
#' which a `kernel` can use at once: `bayesgap(1:40, f, 10, kernel = k_se())`. Settings that a
#' kernel is to use are a data frame, such as one of [expand.grid()].
#'
#' In names that are made of values, numbers stand as they were typed, or, where they have more than
#' seven digits, with as few as tell them apart; names of more than 60 characters are cut, and end
#' with the number of their row. Values and rows that are the same are refused, unless they have
#' names. To say which arm is meant, in [tell()] or `init` for instance, give its name or its value.
#' The number of a row will do where no name is a number.
#'
#' A data frame of arms must not have columns that the tables of a run have of their own: `pull`,
#' `block`, `y`, `se` and `error`; with a `family` also `size` and the two that it tells.
#'
#' @section The objective:
#' `objective(arm)` or `objective(arm, pull)` carries out one pull. `arm` is the arm, as
#' told above. An argument called `pull` gets a list with `index`
#' (the number of the pull), `seed` (a whole number for generators outside R), `batch` (the
#' number of its batch: 1 + how often results were learned before), `attempt` (1, or more
#' when the pull is tried again) and, where there are `blocks`, `block`, the label of the one in
#' which the pull is to be made, as text. It returns the reward, one number; or `c(y = , se = )`
#' when the standard error of this reward is known, which then replaces `noise_sd` for this pull;
#' or a list with an element `y`, perhaps `se`, and whatever else is to be kept as a column of
#' `as.data.frame(x)`. With a `family` it returns successes and trials, or a count and its exposure
#' (see [family]). Where pulls have a `cost`, an element `cost` says what this one did cost, as in
#' `c(y = 3.1, cost = 12)`. Its warnings are passed on, each once a run.
#'
#' @section Pulls that fail:
#' An attempt that throws an error, returns something else or takes longer than `time_limit`
#' has failed, and is made again up to `retries` times, with other random numbers. When all
#' have failed the pull has. With `on_error = "skip"` it counts as a pull that taught nothing
#' (`count_failures = FALSE`: it does not count)
#' and its message is kept in the column `error`. With `"stop"` the run stops at the first failure,
#' when the other pulls of its batch are made, and the pull that failed is still to be made.
#'
#' * An arm that fails three times in a row of its own, while others work, is set aside: it is
#'   pulled no more, and, unless it worked before, not recommended; the run goes on with the others.
#'   Where pulls fail now and then, and work the next time, it takes as many in a row as come by
#'   chance once in 200 times: six, where four pulls in ten fail. That is said once, by a
#'   message of class `bayesgap_message_failed`; `print()` shows it, and `posterior(x)$status` is
#'   `"failed"`. [retry_arms()] brings it back. That its neighbours might fail too is not assumed:
#'   they are tried. Where several arms fail one right after another, until one works, that may
#'   have another reason, and each has another try.
#' * After ten failures in a row the run stops: something else is wrong. (Where other arms worked
#'   before, one that never did counts once, until all fail.) When it is mended, the run goes on
#'   with all arms.
#' * A run that ends without a pull that worked is an error, of class
#'   `bayesgap_error_nothing_worked`, with the first message, and not an answer.
#'
#' A run that stops does so with an error of class `bayesgap_error_objective` whose element `run`
#' holds everything observed so far: `bayesgap(e$run, objective, budget)` goes on from there. After
#' an interrupt (Ctrl-C), or an error elsewhere, the run is [last_run()]. A `time_limit` takes the
#' place of a limit that you have set with [setTimeLimit()].
#'
#' R looks at the time limit now and then, but not in the midst of compiled code or of
#' [Sys.sleep()]: such an attempt is not cut short, but has failed when it returns; where it
#' returned a value the message tells it. A worker that does not answer at all is given up
#' five seconds after the limit; it stays busy with what it does, and when all do the workers
#' of the plan are started again. To jobs of a scheduler this does not apply, since they may
#' wait in a queue: limit them there.
#'
#' @section Costs:
#' Where pulls cost differently, in money, hours or material, give `cost`: what a pull of each arm
#' is to cost. `budget` is then what may be spent in all, in the same unit, any number above 0. The
#' default policy, and those with `policies()$costs`, go by what a pull is worth for its cost; the
#' others choose as if all cost the same, and the run says so in a message. Policies that need a
#' number of pulls take it to be the budget divided by the mean cost of the arms.
#'
#' An arm that costs more than is left is not asked for, a batch costs at most what is left, and
#' the run is done when nothing is affordable. What a pull really did cost is what counts as spent:
#' it may be returned by the objective, or told in a column `cost`; where nothing is said it is the
#' cost given. So the last pull may spend more than was left. Nothing is learned about costs:
#' decisions go by those given. Pulls that are out count with the cost given, and a failed pull
#' counts with it too, unless `count_failures = FALSE`.
#'
#' With `count_failures = FALSE` a pull that failed, or whose result was withdrawn, takes nothing of
#' the budget; the numbers of pulls then go beyond it. Such a run ends all the same: an arm that
#' fails again and again is set aside, and ten failures in a row stop the run.
#'
#' What may go together in one batch cannot be said: batches are limited by their size and cost
#' alone.
#'
#' @section Checkpoints:
#' With `checkpoint = "run.bgap"` the run is saved after every pull, in such a way that the
#' file is whole at any moment ([save_run()] tells how). After a crash, a kill or an
#' interrupt, make the same call again: it goes on from the file, with the pulls that have no
#' result yet, and ends with the very run that would have been without the interruption. Of a
#' batch, the results that had come are kept. When the run was finished, nothing is carried
#' out. A larger `budget` extends the run, as `bayesgap(x, objective, budget)` does.
#'
#' The call must be of the same arms, prior, `family`, blocks, `cost`, policy, `maximise`,
#' `replace`, `stop_regret`, `init`, `count_failures` and `seed` (a `seed` that is not given is
#' taken from the file), or there is an error that names what differs. Numbers are compared to the
#' last bit; functions, of a policy or a kernel, by their code: the file holds none, and those of
#' the call are used. The objective is not saved and not compared, and `batch`, `time_limit`,
#' `on_error` and `retries` may be others. A file that is damaged, or is something else, is
#' refused and left as it is. While the run goes on, [read_run()] may look at the file from
#' another session, but no other run may write it: beside it stands a file with the ending
#' `.lock`. When it cannot be written, because the disk is full for instance, the run warns, goes
#' on in memory and tries again after the next pull. This warning is never turned into an error,
#' not even by `options(warn = 2)`. Values that the objective returns besides the reward are saved
#' as plain data; [save_run()] tells what becomes of others.
#'
#' Without an `objective` the call returns the run that is in the file, or a new one if there
#' is no file, and saves nothing.
#'
#' @section Batches and workers:
#' `batch = 4` chooses four pulls at a time, as `ask(x, n = 4)` does, and learns from them
#' together: each is chosen with regard to those before it in the batch, but without their
#' results. `batch = c(distinct = 4)` chooses by the rule `"distinct"` of [ask()]. Batches
#' save time where pulls can be carried out side by side; `vignette("long-runs")` measures
#' what they cost.
#'
#' A batch is carried out with the package future, one future for each pull, on the workers
#' that you have set up with [future::plan()]; without a plan its pulls are carried out one
#' after another, and so they are with `batch = 1`. The result is the same for any number of
#' workers. They need this package installed; objects that the code of the objective names
#' are found by future and sent along. A worker that dies is a failed attempt at the pull
#' that it was carrying out, and the run goes on; its plan's workers are started again where that
#' is possible.
#'
#' Where the plan cannot take a pull at all, none is spent on it. A queue that refuses the job,
#' a cluster whose workers are gone, objects too large to be sent, or a package that is installed
#' here and not on the workers stop the run, when the pulls that are being carried out have
#' returned, with an error of class `bayesgap_error_workers` that has the reason. When it is mended,
#' the same call goes on from its checkpoint, or `bayesgap(last_run(), objective, budget)`.
#'
#' @param arms The arms: a number of arms, a vector of names or of values (numbers, logicals,
#'   dates, times), a data frame with one row an arm, a list, or an [arm_model()]; see the section
#'   on arms. Or an earlier run, which is continued up to the given budget.
#' @param objective A function that carries out one pull and returns its reward; `NULL` to
#'   get a new run for [ask()] and [tell()].
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
#'   all), or the name of a column of the arms. See the section on costs.
#' @param policy How the budget is spent: a name from [policies()], or made by [policy()].
#' @param init Pulls made before the policy decides: a number of pulls, on arms chosen at
#'   random and spread evenly, 0 for none, or the arms themselves in order. `NULL`: none, but
#'   where `blocks` are known beforehand, the arms correlated and `prior_mean` learned, eight (at
#'   most half of the budget; with `cost`, of arms no dearer than the mean, and for at most half
#'   of it). Without blocks the default policy gains nothing from them that could be measured;
#'   `"pi"` and `"ei"` do where `prior_mean` is learned: give them about five arms, far from each
#'   other (`bench/DEFAULT.md` in the source repository).
#' @param batch How many pulls are chosen and carried out at a time, see the section on
#'   batches. The name of the number, `c(distinct = 8)`, says by which rule.
#' @param replace `FALSE` when no arm may be pulled twice; with `blocks`, not twice in one block.
#' @param stop_regret Stop before the budget is spent when keeping the recommended arm
#'   loses less than this with probability 0.95, but not before the tenth observation where
#'   both `prior_sd` and `noise_sd` are learned. It is judged after every pull, which takes
#'   some hundredths of a second where anything is learned. `NULL`: spend it all.
#' @param time_limit The seconds that an attempt at a pull may take.
#' @param on_error What to do with a pull that fails: `"skip"` it or `"stop"`; see the section on
#'   pulls that fail.
#' @param retries How often a pull that failed is tried again before it counts as failed.
#' @param count_failures `FALSE` when pulls that failed do not count against the budget.
#' @param checkpoint The name of a file in which the run is kept while it goes on, and from
#'   which the same call resumes it. `NULL`: none.
#' @param progress Show how far the run is, who leads and how long it will take, on the
#'   message stream? Where the handlers of the package progressr are on, they show it instead,
#'   whatever is said here.
#' @param seed A whole number; the same seed gives the same run. `NULL`: drawn from the
#'   session's generator, so that [set.seed()] works as well.
#'
#' @return An object of class `bayesgap`, a plain list that can be saved with [save_run()].
#'   `print()` gives the answer, [best_arm()] the arm, [posterior()] what is known of all
#'   arms, `as.data.frame()` one row a pull, `summary()` the whole, `plot()` a picture.
#' @seealso [blocks], [family]; [retry_arms()], [last_run()] and [save_run()];
#'   `vignette("long-runs")` shows checkpoints, failures, batches and clusters.
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
#' # Which dose? The arms are the values themselves.
#' response <- function(dose) dose * (1 - dose) + rnorm(1, sd = 0.05)
#' best_arm(bayesgap(c(0.1, 0.2, 0.5, 0.9), response, budget = 20, seed = 1))
#'
#' # Which estimator of a middle errs least? Elements of a list are arms as well.
#' middle <- list(mean = mean, median = median, midrange = function(z) mean(range(z)))
#' miss <- function(estimate) estimate(rnorm(20))^2
#' bayesgap(middle, miss, budget = 60, maximise = FALSE, seed = 1)
#'
#' # Forty dial settings, ten trials: neighbours behave alike, smaller is better.
#' dial <- data.frame(position = 1:40)
#' bayesgap(dial, function(arm) (arm$position - 27)^2 / 100 + rnorm(1, sd = 0.1),
#'          budget = 10, kernel = k_se(~ position, lengthscale = 5), maximise = FALSE, seed = 1)
#'
#' # Tests of some machines cost more than those of others; 30 may be spent.
#' machines <- data.frame(arm = c("small", "middle", "large"), hours = c(1, 2, 5))
#' test <- function(arm) rnorm(1, sqrt(arm$hours), 0.5)
#' bayesgap(machines, test, budget = 30, cost = "hours", seed = 1)
#'
#' # Kept in a file while it goes on; four pulls at a time; a larger budget goes on from there.
#' file <- tempfile(fileext = ".bgap")
#' visit <- function(arm) rnorm(1, likes[[arm]], 1)
#' x <- bayesgap(names(likes), visit, budget = 12, batch = 4, checkpoint = file, seed = 1)
#' x <- bayesgap(names(likes), visit, budget = 20, batch = 4, checkpoint = file, seed = 1)
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
