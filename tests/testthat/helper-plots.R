# Pictures that are built and thrown away.

drawn <- function(...) {
  picture <- ggplot2::autoplot(...)
  expect_s3_class(picture, "ggplot")
  ggplot2::ggplot_build(picture)
}

# A device that writes nothing; returns what closes it.
on_a_device <- function() {
  grDevices::pdf(NULL)
  device <- grDevices::dev.cur()
  function() grDevices::dev.off(device)
}

# Runs whose blocks and logs look different: with failures, without blocks, with very many, ...
picture_runs <- function() {
  fail <- function(arm, pull) {
    if (pull$index == 4) stop("broken") else arm + 2 * (pull$block == "2")
  }
  plates <- bayesgap(2, budget = 2, block_sd = 1, prior_mean = 0, prior_sd = 1, noise_sd = 1)
  told <- data.frame(pull = NA, arm = 1:2, y = sin(1:50), block = paste("plate", rep(1:25, 2)))
  list(
    blocked = bayesgap(4, fail, budget = 12, blocks = 3, maximise = FALSE, seed = 1),
    few = bayesgap(c("a", "b"), function(arm) nchar(arm), budget = 5, seed = 1),
    many = bayesgap(30, sin, budget = 20, seed = 1),
    plates = tell(plates, told),
    outside = tell(bayesgap(3, budget = 4), data.frame(pull = NA, arm = 1:3, y = 1:3)),
    new = bayesgap(3, budget = 4), new_blocked = bayesgap(3, budget = 4, blocks = 2)
  )
}
