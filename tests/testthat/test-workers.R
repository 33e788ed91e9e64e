test_that("a batch's pulls, errors and warnings come back from workers as from here", {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_on_os("windows")
  shift <- 0.5
  odd <- function(arm, pull) {
    if (pull$index == 3) stop("third")
    if (pull$index > 4) warning("late")
    list(y = noisy(arm) + shift, who = letters[pull$index], seed = pull$seed)
  }
  expect_warning(here <- small_run(odd, batch = 2, budget = 8), "The objective warned: late")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  expect_warning(there <- small_run(odd, batch = 2, budget = 8), "The objective warned: late")
  expect_identical(there, here)
  options(future.globals.onReference = "error")
  x <- future::value(future::future(bayesgap::tell(here, data.frame(arm = 1, y = 0)), seed = NULL))
  options(future.globals.onReference = NULL)
  expect_identical(x, tell(here, data.frame(arm = 1, y = 0)))
})
