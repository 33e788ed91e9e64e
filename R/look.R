# What pictures with ggplot2 share: their look, and how names fit into them.

utils::globalVariables(".data")

plain_look <- function() {
  list(
    ggplot2::theme_bw(),
    ggplot2::theme(
      panel.grid.minor = ggplot2::element_blank(),
      strip.background = ggplot2::element_rect(fill = "grey92", colour = NA),
      panel.border = ggplot2::element_rect(fill = NA, colour = "grey70"),
      panel.spacing = ggplot2::unit(0.9, "lines"), # labels at the ends of two axes do not meet
      plot.title = ggplot2::element_text(size = 12), plot.title.position = "plot",
      plot.caption = ggplot2::element_text(colour = "grey30")
    )
  )
}

# Turned names of arms begin left of the panel.
room_for_names <- function() ggplot2::theme(plot.margin = ggplot2::margin(6, 6, 6, 16))

in_order <- function(x) factor(x, unique(x))

# A picture of nothing, with its reason.
draw_nothing <- function(reason) {
  ggplot2::ggplot() + ggplot2::labs(title = reason) + plain_look()
}

# As many labels as there is room for.
thin_out <- function(labels, most = 30L) {
  step <- max(ceiling(length(labels) / most), 1)
  labels[(seq_along(labels) - 1L) %% step == 0L]
}

# The beginning and the end of long names, where numbers are.
short_names <- function(names, most = 24L) {
  n <- nchar(names)
  long <- n > most
  ends <- paste0(substr(names, 1L, most - 10L), "..", substr(names, n - 7L, n))
  ifelse(long, ends, names)
}

# An axis of pulls: whole numbers.
pulls_axis <- function(from, to) {
  at <- pretty(c(from, to))
  ggplot2::scale_x_continuous(limits = c(from, to), breaks = at[at == round(at) & at <= to])
}

# Under a picture, what it leaves out and what its marks mean; NULL: nothing.
caption_of <- function(...) {
  said <- c(...)
  if (length(said)) paste(said, collapse = "\n")
}

# Panels above each other, whose strips stand for the titles of their axes.
outside_strips <- function() {
  list(plain_look(), ggplot2::theme(
    strip.placement = "outside", strip.background = ggplot2::element_blank(),
    strip.text = ggplot2::element_text(size = 10)
  ))
}
