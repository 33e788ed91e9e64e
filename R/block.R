# Blocks: what pulls share besides their arm, such as a fold, a plate or a day. Their labels, and
# what is said of them beforehand.

#' Trials that share their luck
#'
#' A block is a group of pulls that have something in common besides their arms: a fold of a
#' cross-validation, a plate in the laboratory, a day, a judge. A run that is told of its blocks
#' separates the luck of a block from the merit of the arms in it, and chooses pulls that can be
#' compared. Without, the arms of a lucky block are taken for good ones. Use blocks wherever trials
#' are made in groups that may differ for a reason of their own.
#'
#' The model is that of [arm_model()] with one term more: reward = mean of the arm + effect of the
#' block + noise. The effects are independent, normal with mean 0 and standard deviation
#' `block_sd`. They are learned together with the arms, exactly; [block_effects()] gives them, and
#' [posterior()] is about the arms alone. `block_sd` is learned from the rewards unless it is given.
#' As long as there is one block only, or no two pulls in one, nothing can be told of blocks, and
#' all is as without them.
#'
#' @section Two ways:
#' * Blocks that are known beforehand, such as ten folds: `bayesgap(..., blocks = 10)`, or their
#'   names. The run says in which block every pull is to be made. The objective finds it as
#'   `pull$block`, always text (`as.integer(pull$block)` is the number of the fold), and [ask()]
#'   gives it in the column `block`. No arm is pulled twice in a block while there is another in
#'   which it has not been. Of those, the block is chosen that tells most about the best arm and
#'   its rival. Where the same arm gives the very same result in the same block, as a model does on
#'   a fold, say `replace = FALSE`: no pair of arm and block is tried twice.
#' * Blocks that come as they come, such as plates or days: `ask(x, n = 12, block = "plate 7")`
#'   asks for twelve pulls in that block, and `tell()` takes their results with the column `block`.
#'   Any label is welcome, a number or a date too. All results must be told with one. With
#'   `replace = FALSE` no arm is twice in one block. A run without a `control` learns that it has
#'   blocks from its first results: begin it with a budget of one pull an arm, and raise that by
#'   `bayesgap(x, budget = )` then.
#'
#' @section A control:
#' With `control = "std"` that arm is the first pull of every block. It is a pull of the budget, and
#' takes the place of no initial arm (`init`). [posterior()] then compares
#' every arm with it, and `print()` the recommended one. Results of earlier days, told with their
#' block, count too.
#'
#' @section Blocks that move some arms more than others:
#' A fold may be kind to flexible models, a day to the recipes with much water: what a block does to
#' an arm, it does to similar ones. With `block_arm_sd = NULL` the model has a term for that,
#' reward = mean of the arm + effect of the block + what the block does to this arm + noise; the new
#' one is correlated between arms as their means are, by the `kernel`, `cov`, `features` or
#' `history`, and independent from block to block. Its standard deviation is learned, or given as
#' `block_arm_sd`. Without it, what one fold says of ten neighbours of a grid counts as ten
#' independent hints, and a run may leave the best arms for good after one unlucky fold.
#' [tune_bayesgap()] learns it unless you give it (`bench/TUNING.md` in the source repository has
#' what that saves). In `bayesgap()` it is off, since it makes a pull slower and needs several
#' blocks in which there are several arms to be learned.
#'
#' The correlations of the term are kept to 24 dimensions. What is beyond them, or below a hundredth
#' of the variance, and all of it for more than 24 independent arms, counts as noise, anew in every
#' pull.
#'
#' @section Limits:
#' The policies `ucbe`, `ugap`, `rejects`, and `gse` and `halving` where they go by averages, are
#' refused: they compare averages of rewards, and the average of an arm that was in lucky blocks is
#' too high. All policies that go by the posterior can do with blocks.
#'
#' With blocks that tell anything, a column is kept for every pull, one number an arm and a block:
#' memory grows as arms times pulls, and time for a pull likewise, also where arms are independent.
#' What is common to all arms and what is common to all blocks cannot be told apart, except that
#' effects are about 0. Where `prior_mean` is learned, that doubt is in the intervals of arms' means
#' and of blocks' effects: with few blocks that differ much they are wide. In simulations with 8
#' blocks, everything learned, they held 92 to 95 % of the true values (`bench/BLOCKS.md` in the
#' source repository). Differences between arms do not depend on it, and `p_best` and the regret
#' rest on differences.
#'
#' Unless `block_arm_sd` says otherwise an effect is the same for all arms in the block; that some
#' arms suffer more from a bad day than others is then noise to the model.
#'
#' @seealso [bayesgap()], [ask()], [block_effects()]; `plot(x, "blocks")` and `plot(x, "log")`;
#'   `vignette("blocks")`.
#' @name blocks
#' @examples
#' # Four recipes, baked on three days that differ more than they do; each once a day
#' day <- c(mon = -2, tue = 0, wed = 3)
#' bake <- function(arm, pull) arm / 2 + day[[pull$block]] + rnorm(1, sd = 0.2)
#' x <- bayesgap(4, bake, budget = 12, blocks = names(day), replace = FALSE, seed = 1)
#' x
#' block_effects(x)
#'
#' # Plates, as they come, with a standard on each
#' x <- bayesgap(c("std", "a", "b", "c"), budget = 12, control = "std", seed = 1)
#' todo <- ask(x, n = 4, block = "plate 1")
#' todo
#' todo$y <- c(5.1, 6.2, 5.0, 4.8)
#' x <- tell(x, todo)
#' todo <- ask(x, n = 4, block = "plate 2")
#' todo$y <- c(8.0, 9.3, 8.8, 9.1)
#' x <- tell(x, todo)
#' posterior(x)
NULL

# NULL, or the labels of blocks that are known beforehand.
check_blocks <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  must <- "NULL, a whole number from 1, or the names of the blocks, none twice"
  if (is_number(x) && !is.factor(x)) {
    if (x != floor(x) || x < 1 || x > 1e6) {
      abort_argument("block", "blocks", must, x)
    }
    return(as.character(seq_len(x)))
  }
  if (is.logical(x) && !anyNA(x)) {
    abort(
      "block", "`blocks` must be ", must, ", not ", describe(x), ". Blocks that come as they come ",
      "are not said beforehand: leave `blocks` out, and name them in ask(x, n, block = )."
    )
  }
  label <- block_labels(x, "blocks", "block")
  if (!length(label) || anyDuplicated(label)) {
    abort_argument("block", "blocks", must, if (length(label)) label[duplicated(label)][1L] else x)
  }
  label
}

# Labels as text: names, factors, numbers and dates are, and none is missing.
block_labels <- function(x, arg, what) {
  good <- (is.atomic(x) || is.factor(x)) && !is.null(x) && is.null(dim(x))
  if (!good) {
    abort_argument(what, arg, "labels of blocks, one a row", x)
  }
  label <- if (is.numeric(x) && !is.object(x)) {
    number_labels(x)
  } else {
    as.character(x)
  }
  bad <- is.na(x) | is.na(label) | !nzchar(label)
  if (any(bad)) {
    abort(
      what, "`", arg, "` must name a block everywhere; entry ", which(bad)[1L], " is missing. ",
      "A pull in no block with others has a block of its own: give it a name that no other has."
    )
  }
  label
}

# Each by itself, so that a number has one label whatever others it comes with.
number_labels <- function(x) {
  value <- unique(x)
  label <- vapply(value, format, "", digits = 15, trim = TRUE, scientific = FALSE)
  label[match(x, value)]
}

check_block_sd <- function(x, arg = "block_sd") {
  if (is.null(x)) NULL else check_sd(x, arg, "block")
}

# A share of the blocks' own effects: where these are nothing there are no blocks.
check_block_arm_sd <- function(x, block_sd) {
  x <- check_block_sd(x, "block_arm_sd")
  if (is.null(x) || x == 0 || is.null(block_sd)) {
    return(x)
  }
  if (x > 1e6 * block_sd) {
    abort(
      "block", "`block_arm_sd` must be at most a million times `block_sd`, which is ",
      format(block_sd), ", not ", format(x), ". Give a `block_sd` above 0, or leave it to be ",
      "learned."
    )
  }
  x
}

# NULL, or the place of the arm that is pulled first in every block.
check_control <- function(x, arms) {
  if (is.null(x)) {
    return(NULL)
  }
  at <- tryCatch(match_arms(arms, x, "control"), bayesgap_error = function(e) {
    abort("control", "`control` must be one of the arms: ", conditionMessage(e))
  })
  if (length(at) != 1L) {
    abort_argument("control", "control", "one of the arms", x)
  }
  at
}
