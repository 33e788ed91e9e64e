#' bayesgap: find the best of a finite list with a fixed number of noisy trials
#'
#' You have a finite list of things to try (arms), each trial (pull) is noisy and
#' expensive, you can afford a fixed number of them (the budget), and similar things give
#' similar results. [bayesgap()] spends the budget and returns the arm to keep, with an
#' honest statement of how sure it is.
#'
#' * [bayesgap()] runs an R function to the end in one call.
#' * [ask()] and [tell()] drive the same run by hand, one experiment at a time; [run_files] tells of
#'   runs that live in a file for weeks, [amend()] of results that were wrong, [add_arms()] of arms
#'   that come and go. `vignette("in-the-lab")` shows all three.
#' * [arm_model()] says what is believed of the arms beforehand; [predictive_check()] tells
#'   whether the rewards agree.
#' * [policy()] and [policies()] choose how the pulls are spent.
#' * [benchmark_policies()] compares policies on problems whose answer is known.
#' * [best_arm()] and [posterior()] give the answer.
#'
#' @references
#' Hoffman, M. W., Shahriari, B. and de Freitas, N. (2014). On correlation and budget
#' constraints in model-based bandit optimization with application to automatic machine
#' learning. *Proceedings of the 17th International Conference on Artificial Intelligence
#' and Statistics*, PMLR 33, 365-374.
#'
#' @importFrom parallel nextRNGStream nextRNGSubStream
#' @useDynLib bayesgap, .registration = TRUE
#' @name bayesgap-package
#' @docType package
NULL
