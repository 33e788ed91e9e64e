# For every t: stopped after t and resumed, the run is the same. With priors that are given, this is
# in tests/testthat, each with the file of R/ that it tests.

case("for every t and policy, all learned: stop after t, resume, identical", {
  stop_after <- function(t, out) {
    made <- 0
    function(arm) {
      made <<- made + 1
      if (made > t) out(NULL) else noisy(arm)
    }
  }
  for (name in policies()$policy) {
    budget <- if (name %in% c("halving", "gse")) 24 else 10
    args <- list(8, budget = budget, policy = name, seed = 3)
    args <- c(args, if (name == "gse") list(features = diag(8)) else list(cov = cov))
    go <- function(objective, ...) quietly(do.call(bayesgap, c(args, objective = objective, ...)))
    whole <- go(noisy)
    stops <- if (budget == 24) seq(0, 24, by = 2) else 0:budget
    same <- vapply(stops, function(t) {
      file <- tempfile(fileext = ".rds")
      on.exit(unlink(file))
      callCC(function(out) go(stop_after(t, out), checkpoint = file))
      y <- go(noisy, checkpoint = file)
      identical(y, whole) && identical(read_run(file), whole)
    }, TRUE)
    check(all(same), paste(name, "after", toString(stops[!same])))
  }
})
