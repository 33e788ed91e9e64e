# Help pages on what several functions share; no code.

#' What can be an arm
#'
#' The arms are the finite list of things to try. Read this when your alternatives are more than a
#' few names: what is given as `arms` to [bayesgap()] or [arm_model()] says what the objective gets
#' for an arm, and what [best_arm()] returns.
#'
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
#' @seealso [bayesgap()]; [kernels] for arms that resemble each other; [add_arms()] and
#'   [drop_arms()] while a run goes on; `vignette("get-started")`.
#' @name arms
#' @examples
#' # Values
#' response <- function(dose) dose * (1 - dose) + rnorm(1, sd = 0.05)
#' best_arm(bayesgap(c(0.1, 0.2, 0.5, 0.9), response, budget = 20, seed = 1))
#'
#' # Rows of a data frame
#' oven <- expand.grid(temperature = c(200, 220, 240), minutes = c(30, 35))
#' bake <- function(arm) -abs(arm$temperature - 220) / 10 - abs(arm$minutes - 35) + rnorm(1)
#' best_arm(bayesgap(oven, bake, budget = 20, seed = 1))
#'
#' # Elements of a list: which estimator of a middle errs least?
#' middle <- list(mean = mean, median = median, midrange = function(z) mean(range(z)))
#' miss <- function(estimate) estimate(rnorm(20))^2
#' bayesgap(middle, miss, budget = 60, maximise = FALSE, seed = 1)
NULL

#' The objective, and pulls that fail
#'
#' The objective is the function that carries out one pull. Read this before you write one that
#' takes hours, may fail, or returns more than a number.
#'
#' `objective(arm)` or `objective(arm, pull)` carries out one pull. `arm` is the arm, in the
#' form that [arms] tells. An argument called `pull` gets a list with `index`
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
#' @seealso [bayesgap()]; [checkpoints], [batches]; [retry_arms()] and [last_run()];
#'   `vignette("long-runs")`.
#' @name objective
#' @examples
#' # A standard error of its own, something to keep, and a pull that fails now and then
#' measure <- function(arm, pull) {
#'   if (runif(1) < 0.1) stop("the sample was lost")
#'   y <- rnorm(5, mean = arm)
#'   list(y = mean(y), se = sd(y) / sqrt(5), least = min(y), attempt = pull$attempt)
#' }
#' x <- bayesgap(3, measure, budget = 8, retries = 1, seed = 1)
#' as.data.frame(x)
NULL

#' Trials that cost differently
#'
#' Where pulls cost differently, in money, hours or material, give `cost` to [bayesgap()] or
#' [arm_model()]: what a pull of each arm is to cost. `budget` is then what may be spent in all, in
#' the same unit, any number above 0. Use it where a dear trial is worth several cheap ones, or is
#' not.
#'
#' The default policy, and those with `policies()$costs`, go by what a pull is worth for its cost;
#' the others choose as if all cost the same, and the run says so in a message. Policies that need a
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
#' @seealso [bayesgap()]; [policies()], whose column `costs` says which policies regard them;
#'   `vignette("get-started")`.
#' @name costs
#' @examples
#' # Tests of some machines cost more than those of others; 30 may be spent.
#' machines <- data.frame(arm = c("small", "middle", "large"), hours = c(1, 2, 5))
#' test <- function(arm) rnorm(1, sqrt(arm$hours), 0.5)
#' bayesgap(machines, test, budget = 30, cost = "hours", seed = 1)
NULL

#' Runs that are kept in a file while they go on
#'
#' A checkpoint is a file from which a run goes on after a crash. Use one for every run that you
#' would not like to begin again.
#'
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
#' @seealso [bayesgap()]; [save_run()] and [read_run()]; [run_files] for runs that are asked and
#'   told by hand; [last_run()]; `vignette("long-runs")`.
#' @name checkpoints
#' @examples
#' file <- tempfile(fileext = ".bgap")
#' visit <- function(arm) rnorm(1, c(home = 2, shop = 2.5, blog = 1)[[arm]])
#' pages <- c("home", "shop", "blog")
#' x <- bayesgap(pages, visit, budget = 12, checkpoint = file, seed = 1)
#'
#' # The same call with a larger budget goes on from there.
#' x <- bayesgap(pages, visit, budget = 20, checkpoint = file, seed = 1)
NULL

#' Several pulls at a time
#'
#' A batch is a number of pulls that are chosen together, before any of them has a result. Use
#' batches where pulls can be carried out side by side, on the cores of a computer or the nodes of a
#' cluster.
#'
#' `batch = 4` chooses four pulls at a time, as `ask(x, n = 4)` does, and learns from them
#' together: each is chosen with regard to those before it in the batch, but without their
#' results. `batch = c(distinct = 4)` chooses by the rule `"distinct"` of [ask()].
#' `vignette("long-runs")` measures what batches cost.
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
#' @seealso [bayesgap()]; [ask()] for batches that are carried out outside R;
#'   `vignette("long-runs")`, also for a cluster's queue.
#' @name batches
#' @examples
#' visit <- function(arm) rnorm(1, c(home = 2, shop = 2.5, blog = 1)[[arm]])
#' x <- bayesgap(c("home", "shop", "blog"), visit, budget = 12, batch = 4, seed = 1)
#' as.data.frame(x)
NULL
