# For every t: stopped after t and resumed, the run is the same.

case("for every t, policy and prior: stop after t, resume, identical", {
  stop_after <- function(t, out) {
    made <- 0
    function(arm) {
      made <<- made + 1
      if (made > t) out(NULL) else noisy(arm)
    }
  }
  for (name in policies()$policy) {
    for (learned in c(FALSE, TRUE)) {
      budget <- if (name %in% c("halving", "gse")) 24 else 12
      args <- list(8, budget = budget, policy = name, seed = 3)
      args <- c(args, if (name == "gse") list(features = diag(8)) else list(cov = cov))
      args <- c(args, if (!learned) list(prior_mean = 0, prior_sd = 1, noise_sd = 0.3))
      go <- function(objective, ...) quietly(do.call(bayesgap, c(args, objective = objective, ...)))
      whole <- go(noisy)
      same <- vapply(0:budget, function(t) {
        file <- tempfile(fileext = ".rds")
        on.exit(unlink(file))
        callCC(function(out) go(stop_after(t, out), checkpoint = file))
        y <- go(noisy, checkpoint = file)
        identical(y, whole) && identical(read_run(file), whole)
      }, TRUE)
      check(all(same), paste(name, if (learned) "learned" else "given", "after", toString(which(!same) - 1)))
    }
  }
})
