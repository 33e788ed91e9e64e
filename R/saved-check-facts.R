# The facts that a file says, checked field by field, against the settings and against each other,
# before they are believed.

# Numbers of pulls, none twice; NA: outside the budget.
is_pulls <- function(pull, budget, n = length(pull)) {
  is_bare(pull, "integer", n) && all(is.na(pull) | (pull >= 1L & pull <= budget)) &&
    !anyDuplicated(pull[!is.na(pull)])
}

is_rewards <- function(y, n) {
  is_bare(y, "double", n) && !any(is.nan(y)) && all(is.na(y) | abs(y) <= 1e100)
}

is_errors <- function(se, n) {
  is_bare(se, "double", n) && !any(is.nan(se)) &&
    all(is.na(se) | se == 0 | (se >= 1e-100 & se <= 1e100))
}

# settings: as read_settings() gives them.
check_facts <- function(facts, settings) {
  k <- n_arms(settings$model$arms)
  check_sound(is_record(facts, fact_names), "list of facts")
  blocks <- check_facts_blocks(facts$blocks, settings$model)
  rows <- check_log(facts$log, k, blocks)
  check_sound(is_sized(facts$log, settings), "log")
  check_sound(is_paid(facts$log$cost, rows, settings$model$cost), "log")
  check_changes(facts$changes, k, rows)
  cancelled <- cancelled_pulls(facts$changes)
  most <- most_number(settings, facts$log) + length(cancelled)
  check_sound(is_pulls(facts$log$pull, most, rows), "log")
  check_epoch(facts$epoch, facts$log, settings, blocks)
  check_met_blocks(facts, blocks, settings$model)
  check_numbers(facts, cancelled, most)
  check_aside(facts, k, rows)
  tells <- facts$tells
  check_sound(
    is_bare(tells, "integer") && !anyNA(tells) && all(tells >= 1L) &&
      facts$epoch$rows + sum(as.double(tells)) == rows, "number of results"
  )
  check_remarks(facts$remarks, rows)
  if (!is.null(facts$underway)) {
    check_underway(facts$underway, facts$log, k, most, blocks)
    check_sound(all(vapply(facts$underway$results, is_sized, TRUE, settings)), "batch")
  }
  if (is.null(settings$policy$own) || !is.null(c(facts$best, facts$next_arm))) {
    check_sound(is_arms(facts$best, k, 1L), "recommended arm")
    none <- identical(facts$next_arm, NA_integer_)
    check_sound(none || is_arms(facts$next_arm, k, 1L), "next arm")
  }
}

# The highest number that a pull may have, but for those cancelled: pulls that do not count, or were
# cheaper than was said, come on top of the budget, and are in the log.
most_number <- function(settings, log) {
  cost <- settings$model$cost
  more <- if (settings$count_failures && is.null(cost)) 0 else length(log$pull)
  most_pulls(settings$budget, cost) + as.double(more)
}

# What pulls did cost; 1 where there are no costs.
is_paid <- function(cost, n, given) {
  is_bare(cost, "double", n) && !anyNA(cost) &&
    all(if (is.null(given)) cost == 1 else cost > 0 & cost <= 1e100)
}

# Their number. Labels are those given, or came up with the results.
check_facts_blocks <- function(saved, model) {
  good <- is_bare(saved, "character") && !anyNA(saved) && all(nzchar(saved)) &&
    all(validEnc(saved)) && !anyDuplicated(saved)
  check_sound(good && (is.null(model$blocks) || identical(saved, model$blocks)), "list of blocks")
  length(saved)
}

# Every pull has one of so many blocks, or, where there are none, NA.
is_blocks <- function(block, blocks, n) {
  is_bare(block, "integer", n) &&
    all(if (blocks) !is.na(block) & block >= 1L & block <= blocks else is.na(block))
}

# The number of its rows.
check_log <- function(log, k, blocks) {
  names <- c("pull", "arm", "reward", "se", "block", "size", "cost")
  check_sound(is_record(log, names) && is_arms(log$arm, k), "log")
  n <- length(log$arm)
  check_sound(is_rewards(log$reward, n) && is_errors(log$se, n), "log")
  check_sound(is_blocks(log$block, blocks, n), "log")
  n
}

# Do rewards, errors and sizes fit together? A family's are hits of so many trials.
is_sized <- function(told, settings) {
  family <- family_of(settings$model)
  good <- !is.na(told$reward)
  size <- told$size
  if (!is_bare(size, "double", length(good)) || !all(is.finite(size) & size > 0)) {
    return(FALSE)
  }
  if (is.null(family)) {
    return(all(size == 1))
  }
  rate <- (if (settings$maximise) 1 else -1) * told$reward[good]
  hits <- rate * size[good]
  near <- abs(hits - round(hits)) <= 1e-9 * pmax(1, abs(hits))
  all(is.na(told$se)) && all(size[!good] == 1) && all(near) &&
    all(is.na(wrong_hits(round(hits), size[good], family)))
}

# Where they were not given, each has come up with a result or with a pull that was asked, and they
# are in that order; with a control no result is without.
check_met_blocks <- function(facts, blocks, model) {
  free <- is.null(model$blocks) && (blocks || !is.null(model$control))
  early <- seq_along(facts$log$block) <= facts$epoch$rows
  open <- facts$epoch$open$block
  met <- unique(c(facts$log$block[early], open[!is.na(open)], facts$log$block[!early]))
  check_sound(!free || identical(met, seq_len(blocks)), "list of blocks")
}

# Of the results, arms and trials that were changed by hand.
check_changes <- function(changes, k, rows) {
  check_sound(is_record(changes, names(no_changes)), "list of changes")
  n <- length(changes$what)
  kinds <- vapply(no_changes, typeof, "")
  check_sound(all(mapply(is_bare, changes, kinds, n)), "list of changes")
  text <- c(changes$block, changes$error)
  sizes <- c(changes$size, changes$cost)
  check_sound(
    all(changes$what %in% change_kinds) && all(is.finite(changes$when)) &&
      all(is.na(changes$row) | (changes$row >= 1L & changes$row <= rows)) &&
      all(is.na(changes$pull) | changes$pull >= 1L) && is_arms(changes$arm, k) &&
      is_rewards(changes$reward, n) && is_errors(changes$se, n) &&
      all((is.na(sizes) & !is.nan(sizes)) | (is.finite(sizes) & sizes > 0)) &&
      all(validEnc(text)),
    "list of changes"
  )
}

# Every number up to the last was told, is out or was cancelled: so a file cannot ask for more work
# than it has lines.
check_numbers <- function(facts, cancelled, most) {
  epoch <- facts$epoch
  told <- facts$log$pull[seq_len(epoch$rows)]
  used <- c(told[!is.na(told)], epoch$open$pull)
  check_sound(
    length(used) + length(cancelled) == epoch$last && epoch$last <= most &&
      setequal(c(used, cancelled), seq_len(epoch$last)), "pull numbers"
  )
}

check_epoch <- function(epoch, log, settings, blocks) {
  check_sound(is_record(epoch, c("rows", "last", "open", "batches")), "beginning")
  count <- function(x) is_bare(x, "integer", 1L) && !is.na(x) && x >= 0L
  check_sound(count(epoch$rows) && count(epoch$last) && count(epoch$batches), "beginning")
  check_sound(epoch$rows <= length(log$arm), "beginning")
  open <- epoch$open
  told <- log$pull[seq_len(epoch$rows)]
  last <- epoch$last
  check_sound(last >= max(0L, told, na.rm = TRUE), "beginning")
  k <- n_arms(settings$model$arms)
  check_sound(
    is_record(open, names(no_pulls)) && is_arms(open$arm, k) &&
      is_pulls(open$pull, epoch$last, length(open$arm)) && !anyNA(open$pull) &&
      !any(open$pull %in% told) && is_open_blocks(open$block, blocks, length(open$arm)),
    "list of open pulls"
  )
}

# Arms that were dropped, and those that were brought back, with the row of the log at that time;
# pulls that ask() recorded.
check_aside <- function(facts, k, rows) {
  retried <- facts$retried
  asked <- facts$asked
  check_sound(
    is_bare(asked, "integer") && !anyDuplicated(asked) && all(asked %in% facts$epoch$open$pull),
    "list of open pulls"
  )
  check_sound(is_arms(facts$dropped, k) && !anyDuplicated(facts$dropped), "list of dropped arms")
  check_sound(
    is_record(retried, c("arm", "row")) && is_arms(retried$arm, k) &&
      !anyDuplicated(retried$arm) && is_bare(retried$row, "integer", length(retried$arm)) &&
      !anyNA(retried$row) && all(retried$row >= 0L & retried$row <= rows), "list of retried arms"
  )
}

# A pull that is out need not have its block yet.
is_open_blocks <- function(block, blocks, n) {
  is_bare(block, "integer", n) && all(is.na(block) | (block >= 1L & block <= blocks))
}

check_remarks <- function(remarks, rows) {
  check_sound(is_named_list(remarks), "list of remarks")
  at <- match(names(remarks), as.character(seq_len(rows)))
  check_sound(!anyNA(at) && !anyDuplicated(at), "list of remarks")
  check_sound(all(vapply(remarks, is_remark, TRUE)), "list of remarks")
}

is_remark <- function(remark) {
  is_named_list(remark) && all(names(remark) %in% c("error", "extra")) &&
    !anyDuplicated(names(remark)) && (is.null(remark$error) || is_string(remark$error)) &&
    (is.null(remark$extra) || is_named_list(remark$extra))
}

check_underway <- function(underway, log, k, budget, blocks) {
  check_sound(is_record(underway, c("pull", "arm", "block", "results")), "batch")
  pull <- underway$pull
  check_sound(
    is_pulls(pull, budget) && length(pull) > 0L && !anyNA(pull) && !is.unsorted(pull) &&
      is_arms(underway$arm, k, length(pull)) && !any(pull %in% log$pull) &&
      is_blocks(underway$block, blocks, length(pull)), "batch"
  )
  results <- underway$results
  check_sound(
    is_named_list(results) && all(names(results) %in% as.character(pull)) &&
      !anyDuplicated(names(results)) && all(vapply(results, is_result, TRUE)), "batch"
  )
}

is_result <- function(result) {
  is_record(result, c("reward", "se", "size", "cost", "remark", "warnings")) &&
    is_rewards(result$reward, 1L) && is_errors(result$se, 1L) &&
    is_bare(result$cost, "double", 1L) && !is.nan(result$cost) &&
    (is.na(result$cost) || (result$cost > 0 && result$cost <= 1e100)) &&
    (is.null(result$remark) || is_remark(result$remark)) &&
    is_bare(result$warnings, "character")
}
