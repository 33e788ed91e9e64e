# Runs that several files of tests stop, resume, ask and tell. What goes wrong is provoked for real;
# what needs processes of its own for that is in tests/faults.

# A run that a test stops, resumes and compares.
cov8 <- exp(-outer(1:8, 1:8, "-")^2 / 8)
noisy <- function(arm) sin(arm) + rnorm(1, sd = 0.3)
small_run <- function(objective = noisy, ..., budget = 12, seed = 3) {
  bayesgap(8, objective, budget = budget, cov = cov8, seed = seed, ...)
}
fresh_file <- function() tempfile(fileext = ".bgap")

# The objective until `calls` were made, then something else.
until <- function(calls, then, objective = noisy) {
  made <- 0
  function(arm) {
    made <<- made + 1
    if (made == calls) then() else objective(arm)
  }
}

# A run to be asked and told, with everything known.
open_run <- function(arms = c("a", "b", "c", "d"), budget = 8, ...) {
  bayesgap(arms, budget = budget, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, seed = 9, ...)
}

ligands <- function() {
  data.frame(ligand = rep(c("A", "B", "C"), each = 3), temp = rep(c(20, 40, 60), 3))
}

# A run that is over and clear.
finished <- function(...) {
  worth <- function(arm) nchar(arm) + match(arm, c("blog", "home", "shop"))
  bayesgap(c("home", "shop", "blog"), worth,
    budget = 12, prior_mean = 5, prior_sd = 2, noise_sd = 0.5, seed = 1, ...
  )
}

# Arms of two numbers and a class.
ridge <- expand.grid(u = 1:6, v = c(0.1, 1, 10), g = c("a", "b"))

# A run that was told of some arms, for what is made of its belief.
fitted_run <- function(...) {
  cov <- exp(-outer(1:5, 1:5, "-")^2 / 4)
  x <- bayesgap(letters[1:5],
    budget = 9, cov = cov, prior_mean = 1, prior_sd = 2, noise_sd = 0.5, seed = 1, ...
  )
  tell(x, data.frame(arm = c("a", "c", "c"), y = c(0, 2, 3), pull = NA))
}

# The error, with what was said on the way left out.
fault <- function(code) {
  tryCatch(suppressMessages(code), bayesgap_error = identity)
}
quietly <- function(code) suppressMessages(code)

# What code says, by the class of the messages. expect_no_message() of testthat 3.1.6 never fails.
messages_of <- function(code, class = "message") {
  found <- character()
  withCallingHandlers(code, message = function(m) {
    if (inherits(m, class)) {
      found <<- c(found, conditionMessage(m))
      invokeRestart("muffleMessage")
    }
  })
  found
}

# Learning rates, of which one, the fifth, always fails.
rates <- data.frame(lr = c(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3))
train <- function(arm) {
  if (arm$lr == 0.1) stop("loss is NaN")
  rnorm(1, -log10(arm$lr / 0.01)^2, 0.3)
}

# Where long doubles are doubles R itself reads some numbers a bit off.
skip_if_read_inexactly <- function() {
  skip_if(as.numeric("0.33333333333333331") != 1 / 3, "R reads numbers inexactly here")
}

# Tests that take long are not for CRAN. Under valgrind they are wanted, and snapshots are not.
skip_long_on_cran <- function() if (!nzchar(Sys.getenv("LONG_TESTS"))) skip_on_cran()
