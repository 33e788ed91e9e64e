# For every t: stopped after t and resumed, the run is the same. With priors that are given, this is
# in tests/testthat, each with the file of R/ that it tests.

stop_after <- function(t, out, objective = function(arm, pull) noisy(arm)) {
  made <- 0
  function(arm, pull) {
    made <<- made + 1
    if (made > t) out(NULL) else objective(arm, pull)
  }
}

case("for every t and policy, all learned: stop after t, resume, identical", {
  for (name in policies()$policy) {
    budget <- if (name %in% c("halving", "gse")) 24 else 10
    args <- list(8, budget = budget, policy = name, seed = 3)
    args <- c(args, if (name == "gse") list(features = diag(8)) else list(cov = cov))
    go <- function(objective, ...) quietly(do.call(bayesgap, c(args, objective = objective, ...)))
    whole <- go(noisy)
    stops <- if (budget == 24) seq(0, 24, by = 2) else 0:budget
    same <- vapply(stops, function(t) {
      file <- tempfile(fileext = ".bgap")
      on.exit(unlink(file))
      callCC(function(out) go(stop_after(t, out), checkpoint = file))
      y <- go(noisy, checkpoint = file)
      identical(y, whole) && identical(read_run(file), whole)
    }, TRUE)
    check(all(same), paste(name, "after", toString(stops[!same])))
  }
})

# For every t in tests/testthat, with the default policy.
case("with an arm that always fails, for every policy: stop after t, resume, identical", {
  failing <- function(arm, pull) if (arm == 2) stop("no") else noisy(arm)
  for (name in policies()$policy) {
    budget <- if (name %in% c("halving", "gse")) 24 else 14
    args <- list(8, budget = budget, policy = name, seed = 3, init = c(2, 5, 2, 6, 2))
    args <- c(args, if (name == "gse") list(features = diag(8)) else list(cov = cov))
    go <- function(objective, ...) quietly(do.call(bayesgap, c(args, objective = objective, ...)))
    whole <- go(failing)
    stops <- seq(1, budget, by = 4)
    same <- vapply(stops, function(t) {
      file <- tempfile(fileext = ".rds")
      on.exit(unlink(file))
      callCC(function(out) go(stop_after(t, out, failing), checkpoint = file))
      y <- go(failing, checkpoint = file)
      identical(y, whole) && identical(read_run(file), whole)
    }, TRUE)
    check(all(same), paste(name, "after", toString(stops[!same])))
    check(identical(posterior(whole)$status[2], "failed"), paste(name, "sets the arm aside"))
    check(whole$last == budget && sum(whole$log$arm == 2) == 3L, paste(name, "spends its budget"))
  }
})

case("in blocks with a control, for every t: stop after t, resume or extend, identical", {
  sizes <- c(bayesgap = 1, thompson = 3)
  for (name in names(sizes)) {
    batch <- sizes[[name]]
    go <- function(objective, budget = 9, ...) {
      quietly(run_blocks(objective, budget = budget, policy = name, batch = batch, ...))
    }
    stopped <- function(t, ...) callCC(function(out) go(stop_after(t, out, in_blocks), ...))
    whole <- go(in_blocks)
    same <- vapply(0:9, function(t) {
      files <- tempfile(c("same", "more", "again"), fileext = ".bgap")
      on.exit(unlink(files))
      stopped(t, checkpoint = files[1])
      file.copy(files[1], files[2])
      file.copy(files[1], files[3])
      same <- go(in_blocks, checkpoint = files[1])
      more <- go(in_blocks, 15, checkpoint = files[2])
      # Extended, stopped once more, and resumed.
      stopped(2, 15, checkpoint = files[3])
      again <- go(in_blocks, 15, checkpoint = files[3])
      begun <- seq_len(min(9, t + 1)) # what is under way when it is stopped stays what it was
      identical(same, whole) && identical(read_run(files[1]), whole) &&
        identical(more$log$arm[begun], whole$log$arm[begun]) &&
        identical(more$log$block[begun], whole$log$block[begun]) && more$last == 15L &&
        identical(again, more) && identical(read_run(files[2]), more) &&
        (t < 9 || identical(more, bayesgap(whole, in_blocks, 15, batch = batch)))
    }, TRUE)
    check(all(same), paste(name, "batch", batch, "after", toString((0:9)[!same])))
    check(blocks_used(whole) > 1L && begins_with_control(whole), "blocks were used, control first")
  }
})
