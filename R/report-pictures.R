# Pictures inside of a page: drawn to a file, and kept in the page as text.

# The kinds of files that this R can draw to and a browser shows, the best first.
picture_kinds <- function() {
  can <- capabilities(c("png", "cairo"))
  c(if (can[["png"]]) "png", if (can[["cairo"]]) "svg")
}

open_picture <- function(kind, file, height) {
  if (kind == "png") {
    type <- if (capabilities("cairo")) "cairo" else getOption("bitmapType")
    args <- list(file, width = picture_width, height = height, units = "in", res = 144)
    do.call(grDevices::png, c(args, if (!is.null(type)) list(type = type)))
  } else {
    grDevices::svg(file, width = picture_width, height = height)
  }
}

picture_width <- 7.5

# The bytes of a file in which draw() drew. The user's device is the current one afterwards, too.
picture_bytes <- function(draw, kind, height = 4) {
  file <- tempfile(fileext = paste0(".", kind))
  before <- grDevices::dev.cur()
  open_picture(kind, file, height)
  device <- grDevices::dev.cur()
  on.exit({
    if (device %in% grDevices::dev.list()) grDevices::dev.off(device)
    if (before > 1L) grDevices::dev.set(before)
    unlink(file)
  })
  draw()
  grDevices::dev.off(device)
  try_read(file)
}

picture_media <- c(png = "image/png", svg = "image/svg+xml")

# The kinds of pictures of a run, and what is said below them.
picture_words <- c(
  arms = paste(
    "What is known of the arms: posterior means with 95 % intervals, the rewards behind them, and",
    "the number of pulls along the top."
  ),
  certainty = "How certainty grew: what was said after so many pulls.",
  surface = "What is expected over the columns of the arms.",
  importance = "How much the columns of the arms matter, by the kernel in use.",
  pulls = "Which arm was pulled when.",
  blocks = "The effects of the blocks, with 95 % intervals, and the number of pulls in each.",
  log = "Every reward, in the order in which they came; the recommended arm is ringed.",
  check = paste(
    "The averages of the observed arms, and the intervals where the prior and the other arms",
    "expect them."
  )
)

# Those that can be had: of ggplot2 all that autoplot() knows, else what plot() draws.
picture_ways <- function() {
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    types <- eval(formals(autoplot.bayesgap)$type)
    draw <- function(x, type) print(autoplot.bayesgap(x, type))
  } else {
    types <- c("arms", "blocks", "log", "check")
    draw <- function(x, type) {
      if (type == "check") plot.bayesgap_check(predictive_check(x)) else plot.bayesgap(x, type)
    }
  }
  list(types = types, draw = draw)
}

# One of them as a figure. NULL: there is none of this kind, or not of this run, which is an error
# of this package. What else goes wrong is said in its place.
figure_of <- function(x, type) {
  kinds <- picture_kinds()
  ways <- picture_ways()
  if (!length(kinds) || !type %in% ways$types) {
    return(NULL)
  }
  tryCatch(
    {
      bytes <- picture_bytes(function() ways$draw(x, type), kinds[1L])
      words <- picture_words[[type]]
      tag(
        "figure",
        tag("img", src = data_uri(bytes, picture_media[[kinds[1L]]]), alt = words),
        tag("figcaption", words)
      )
    },
    bayesgap_error = function(e) NULL,
    error = function(e) {
      note_of("The picture \"", type, "\" could not be drawn: ", conditionMessage(e))
    }
  )
}

# Where no picture can be had at all.
no_pictures_note <- function() {
  if (!length(picture_kinds())) {
    note_of("There are no pictures: this R can draw neither PNG nor SVG files.")
  }
}
