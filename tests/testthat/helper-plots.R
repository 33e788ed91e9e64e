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
