# The pulls of a batch: which arms they get, which are out, and their results taken in.

# What is made of the arms that a batch has already: as if pulled, or not to be pulled again.
batch_rules <- c("fantasy", "distinct")

# The next n pulls: list(pull, arm).
ask_rows <- function(x, n, pending = no_pulls, rule = batch_rules[1L]) {
  plain <- if (n == 1L && !length(pending$pull)) .Call(bg_next, x)
  if (!is.null(plain)) {
    return(plain)
  }
  if (!is.null(x$stopped) || is_spent(x)) {
    return(no_pulls)
  }
  if (n == 1L && !length(x$open$pull) && !length(pending$pull)) {
    return(c(list(pull = x$last + 1L), next_pull(x)))
  }
  first <- max(x$last, pending$pull) + 1L
  if (is.null(x$model$cost)) {
    n <- min(n, left(x) - (first - 1L - x$last))
  }
  if (n < 1L) {
    return(no_pulls)
  }
  real <- x
  out <- Map(c, x$open, pending)
  if (first > x$last + 1L) {
    x <- count_pulls(x, first - 1L)
  }
  x$promised <- sum(x$model$cost[pending$arm])
  found <- tryCatch(
    next_pulls_of(x, n, out, if (rule == "distinct") set_aside else pretend),
    bayesgap_error_policy = function(e) {
      e$run <- structure(real, class = "bayesgap")
      stop(e)
    }
  )
  c(list(pull = first - 1L + seq_along(found$arm)), found)
}

# take: what is made of a pull that is out already.
next_pulls_of <- function(x, n, out, take) {
  for (i in seq_along(out$arm)) {
    x <- take(x, out$arm[i], out$block[i])
  }
  found <- no_pulls[c("arm", "block")]
  while (length(found$arm) < n && !anyNA(found$arm) && !is_spent(x)) {
    last <- next_pull(x)
    found <- Map(c, found, last)
    if (length(found$arm) < n && !is.na(last$arm)) {
      x$promised <- x$promised + sum(x$model$cost[last$arm])
      x <- take(count_pulls(x, x$last + 1L), last$arm, last$block)
    }
  }
  lapply(found, `[`, !is.na(found$arm))
}

# The pull is out: its variance shrinks as if it had returned its mean. Nothing worked by that: arms
# that are set aside stay so.
pretend <- function(x, arm, block) {
  shift <- if (is.na(block)) 0 else block_belief(x)$mean[block]
  x$log <- .Call(bg_append, x$log, list(
    x$last, as.integer(arm), means_of(x, arm) + shift, NA_real_, as.integer(block),
    as.double(x$fit$size), 1
  ))
  advance(x)
}

# The arm is not to be asked again in this batch; the belief stays as it is.
set_aside <- function(x, arm, block) {
  x$taken <- list(arm = c(x$taken$arm, arm), block = c(x$taken$block, block))
  advance(x)
}

# Rows that were told together. asked: the pulls that were out, the next ones up to the highest
# told among them.
take_in <- function(x, rows, remarks = NULL, asked = asked_again(x, rows$pull, rows$block)) {
  learn(leave_open(x, rows$pull, asked), rows, remarks)
}

# What learn() makes of the next pull's reward, in one call, where nothing is out of the ordinary,
# as in most rounds; NULL where something is.
learn_plainly <- function(x, y) {
  x <- unclass(x)
  due <- x$unknowns && estimate_due(x$fitted, x$observed + 1L, left(x) < 2)
  if (due || !is.null(attributes(y))) {
    return(NULL)
  }
  seed <- globalenv()$.Random.seed
  new <- if (is.null(seed)) {
    with_stream(x$stream, .Call(bg_round, x, y, x$stream))
  } else {
    .Call(bg_round, x, y, seed)
  }
  if (is.null(new)) {
    return(NULL)
  }
  if (is.na(new$belief$next_arm) || new$belief$loss > most_loss) {
    new <- stop_if_done(say_if_inexact(new))
  }
  class(new) <- "bayesgap"
  new
}

# Where every pull up to the highest told is told, none is left open whose arm were to be found.
asked_again <- function(x, pull, block) {
  new <- x$last + seq_len(max(0L, pull - x$last, na.rm = TRUE))
  if (all(new %in% pull)) x$open else asked_for(x, pull, block)
}

# What ask() gave for pulls that are told in these blocks (NA: none is said). Where the run chooses
# blocks, and these are others, it was asked for them.
asked_for <- function(x, pull, block) {
  if (anyNA(block)) {
    return(asked_up_to(x, pull))
  }
  if (!is.null(x$model$blocks)) {
    asked <- asked_up_to(x, pull)
    if (all(asked$block[match(pull, asked$pull)] == block, na.rm = TRUE)) {
      return(asked)
    }
  }
  asked_in_blocks(x, pull, block)
}

asked_up_to <- function(x, pull) {
  Map(c, x$open, ask_rows(x, max(1L, pull - x$last, na.rm = TRUE)))
}

# A pull that is not told was asked for the block of the next that is.
asked_in_blocks <- function(x, pull, block) {
  new <- x$last + seq_len(max(1L, pull - x$last, na.rm = TRUE))
  where <- if (any(pull > x$last, na.rm = TRUE)) block[match(new, pull)] else block[1L]
  for (i in rev(seq_along(where))) {
    where[i] <- if (is.na(where[i])) where[i + 1L] else where[i]
  }
  out <- no_pulls
  runs <- rle(where)
  for (i in seq_along(runs$values)) {
    x$asking <- runs$values[i]
    out <- Map(c, out, ask_rows(advance(x), runs$lengths[i], out)[names(no_pulls)])
  }
  Map(c, x$open, out)
}

# Pulls below the highest told, and not told themselves, are still out.
leave_open <- function(x, pull, asked) {
  out <- asked$pull < max(x$last + 1L, pull, na.rm = TRUE) & !asked$pull %in% pull &
    asked$pull > x$last
  x$open <- Map(c, x$open, lapply(asked[names(no_pulls)], `[`, out))
  x
}

# A batch is learned as one, in the order of its pulls, so that it does not matter which came
# first. A pull that has no result is still out.
learn_batch <- function(x) {
  batch <- x$underway
  came <- as.character(batch$pull) %in% names(batch$results)
  results <- unname(batch$results[as.character(batch$pull[came])])
  x["underway"] <- list(NULL)
  if (!any(came)) {
    return(x)
  }
  rows <- list(
    pull = batch$pull[came], arm = batch$arm[came], block = batch$block[came],
    reward = vapply(results, `[[`, 0, "reward"), se = vapply(results, `[[`, 0, "se"),
    size = vapply(results, `[[`, 0, "size")
  )
  rows$cost <- true_costs(x, rows$arm, vapply(results, `[[`, 0, "cost"))
  take_in(x, rows, lapply(results, `[[`, "remark"), Map(c, x$open, batch[names(x$open)]))
}

# A batch that was stopped half way will not be finished by the objective: what came of it is told.
by_hand <- function(x) {
  # Without a look for methods, since every ask() and tell() comes here.
  if (is.null(.subset2(x, "underway"))) x else leniently(learn_stopped, x)
}

# Pulls of it that are still out were chosen by its rule, perhaps not as they would be guessed from
# what was told: then they are put on record by a new beginning.
learn_stopped <- function(x) {
  new <- learn_batch(x)
  came <- length(new$log$arm) - length(x$log$arm)
  if (!came) {
    return(new)
  }
  told <- log_rows(new$log, length(x$log$arm) + seq_len(came))
  guessed <- leave_open(x, told$pull, asked_again(x, told$pull, told$block))$open
  if (identical(guessed, new$open)) new else begin(new)
}
