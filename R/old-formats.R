# Files of earlier versions: what they say, in the words of today, one step a format. What they hold
# is checked afterwards, like that of any file; here it only has to be in the old form.

# saved: list(given, facts, version), as a file of this format says it.
as_of_today <- function(saved, format) {
  steps <- list("2" = from_2_to_3, "3" = from_3_to_4, "4" = from_4_to_5, "5" = from_5_to_6)
  for (step in steps[names(steps) >= format]) {
    saved[c("given", "facts")] <- step(saved$given, saved$facts)
  }
  saved
}

# Without a class, which could call a method, and with these elements.
check_old <- function(x, names, what) check_sound(is_record(x, names), what)

# A list with further elements, in an order.
with_new <- function(x, new, order) c(x, new)[order]

# What there was in format 4.
settings_of_4 <- c(
  "arms", "kernel", "cov", "features", "history", "prior_mean", "prior_sd", "noise_sd", "family",
  "blocks", "block_sd", "control", "policy", "budget", "maximise", "replace", "stop_regret", "init",
  "seed"
)
facts_of_4 <- c("epoch", "tells", "blocks", "log", "remarks", "underway", "next_arm", "best")

# Blocks came with format 3.
from_2_to_3 <- function(given, facts) {
  none <- list(blocks = NULL, block_sd = NULL, control = NULL)
  check_old(given, setdiff(settings_of_4, c("family", names(none))), "list of settings")
  check_old(facts, setdiff(facts_of_4, "blocks"), "list of facts")
  check_old(facts$log, c("pull", "arm", "reward", "se"), "log")
  check_old(facts$epoch, c("rows", "open", "batches"), "beginning")
  check_old(facts$epoch$open, c("pull", "arm"), "list of open pulls")
  no_block <- function(rows) list(block = rep(NA_integer_, length(rows$arm)))
  facts$log <- c(facts$log, no_block(facts$log))
  facts$epoch$open <- c(facts$epoch$open, no_block(facts$epoch$open))
  if (!is.null(facts$underway)) {
    check_old(facts$underway, c("pull", "arm", "results"), "batch")
    order <- c("pull", "arm", "block", "results")
    facts$underway <- with_new(facts$underway, no_block(facts$underway), order)
  }
  list(
    with_new(given, none, setdiff(settings_of_4, "family")),
    with_new(facts, list(blocks = character()), facts_of_4)
  )
}

# Families came with format 4.
from_3_to_4 <- function(given, facts) {
  check_old(given, setdiff(settings_of_4, "family"), "list of settings")
  check_old(facts, facts_of_4, "list of facts")
  check_old(facts$log, c("pull", "arm", "reward", "se", "block"), "log")
  facts$log <- c(facts$log, list(size = rep(1, length(facts$log$arm))))
  if (!is.null(facts$underway)) {
    check_old(facts$underway, c("pull", "arm", "block", "results"), "batch")
    check_sound(is_named_list(facts$underway$results), "batch")
    facts$underway$results <- lapply(facts$underway$results, function(result) {
      check_old(result, c("reward", "se", "remark", "warnings"), "batch")
      with_new(result, list(size = 1), c("reward", "se", "size", "remark", "warnings"))
    })
  }
  list(with_new(given, list(family = NULL), settings_of_4), facts)
}

# Changes by hand and costs came with format 5. Before, the last number was that of a pull told or
# out.
from_4_to_5 <- function(given, facts) {
  check_old(given, settings_of_4, "list of settings")
  check_old(facts, facts_of_4, "list of facts")
  epoch <- facts$epoch
  check_old(epoch, c("rows", "open", "batches"), "beginning")
  check_old(epoch$open, names(no_pulls), "list of open pulls")
  check_sound(is_record(facts$log, c("pull", "arm", "reward", "se", "block", "size")), "log")
  check_sound(is_bare(epoch$rows, "integer", 1L) && epoch$rows %in% 0:length(facts$log$pull), "log")
  used <- c(0L, facts$log$pull[seq_len(epoch$rows)], epoch$open$pull)
  check_sound(is_bare(used, "integer"), "list of open pulls")
  last <- list(last = max(used, na.rm = TRUE))
  facts$epoch <- with_new(epoch, last, c("rows", "last", "open", "batches"))
  new <- list(
    dropped = integer(), retried = list(arm = integer(), row = integer()), asked = integer(),
    changes = no_changes
  )
  facts$log <- c(facts$log, list(cost = rep(1, length(facts$log$arm))))
  if (!is.null(facts$underway)) {
    check_old(facts$underway, c("pull", "arm", "block", "results"), "batch")
    check_sound(is_named_list(facts$underway$results), "batch")
    facts$underway$results <- lapply(facts$underway$results, function(result) {
      check_old(result, c("reward", "se", "size", "remark", "warnings"), "batch")
      order <- c("reward", "se", "size", "cost", "remark", "warnings")
      with_new(result, list(cost = NA_real_), order)
    })
  }
  new_settings <- list(cost = NULL, count_failures = TRUE)
  given <- with_new(given, new_settings, setdiff(setting_names, "block_arm_sd"))
  list(given, with_new(facts, new, fact_names))
}

# Blocks that move some arms more than others came with format 6.
from_5_to_6 <- function(given, facts) {
  check_old(given, setdiff(setting_names, "block_arm_sd"), "list of settings")
  list(with_new(given, list(block_arm_sd = 0), setting_names), facts)
}
