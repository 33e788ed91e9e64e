# Base graphics of a run and of a check of its prior.

#' Picture of a run
#'
#' `plot()` shows what is known of the arms: the observations, the posterior means with
#' their intervals, and how often each arm was pulled; or what is known of the blocks, or the
#' observations one after another. Use it for a first look.
#'
#' * `"arms"`: up to 30 arms are drawn in their own order; more from the highest posterior mean on,
#'   at most 60, the recommended one first. Arms that were set aside (see [retry_arms()]) or
#'   dropped are grey, dotted and hollow. Successes and counts are drawn as the rate of each arm
#'   with its interval.
#' * `"blocks"`: the effects of the blocks (see [block_effects()]) with their intervals, and the
#'   number of pulls in each. Of more than 60 blocks, the 60 with most pulls are drawn.
#' * `"log"`: every reward at the number of its pull (or in the order told, where some were made
#'   outside the budget), coloured by its block, or else by its arm if there are few. The
#'   recommended arm is ringed, and a cross at the foot is a pull that failed. Rates have intervals;
#'   of single trials that are 0 or 1, a grey line is the rate of all so far.
#'
#' @param x A run: the result of [bayesgap()] or [tell()].
#' @param type The kind of picture.
#' @param level The probability of the intervals.
#' @param ... Graphical parameters for [graphics::plot.default()], such as `main` or `ylim`.
#' @return `x`, invisibly.
#' @seealso [autoplot()][autoplot.bayesgap] for more kinds, with ggplot2;
#'   `vignette("get-started")`.
#' @export
#' @examples
#' x <- bayesgap(8, function(arm) sin(arm) + rnorm(1, sd = 0.5), budget = 30, seed = 1)
#' plot(x)
#' plot(x, "log")
plot.bayesgap <- function(x, type = c("arms", "blocks", "log"), ..., level = 0.95) {
  check_run(x)
  type <- check_option(type, "type", c("arms", "blocks", "log"))
  level <- check_level(level)
  draw <- switch(type, arms = plot_arms, blocks = plot_blocks, log = plot_log)
  draw(x, level, ...)
  invisible(x)
}

plot_arms <- function(x, level, ...) {
  found <- certainty(x)
  table <- posterior_table(x, level, found)
  table$name <- x$model$arms$names
  shown <- shown_arms(x)
  table <- table[shown, ]
  seen <- observed_results(x, level)
  seen <- seen[seen$arm %in% shown, ]
  at <- match(seen$arm, shown) - 0.15
  best <- match(x$belief$best, shown)
  position <- seq_along(shown)
  settings <- list(
    x = position, y = table$mean, type = "n", xaxt = "n", xlab = "",
    ylab = if (is.null(drawn_family(x))) "reward" else "rate", xlim = c(0.5, length(shown) + 0.5),
    ylim = range(table$lower, table$upper, seen$y, seen$lower, seen$upper, na.rm = TRUE),
    main = best_title(x, found), cex.main = 1.1
  )
  draw_with(graphics::plot.default, settings, ...)
  aside <- table$status != "active"
  colour <- ifelse(aside, "grey70", ifelse(position == best, best_colour, other_colour))
  grey <- grDevices::adjustcolor("black", 0.3)
  graphics::points(at, seen$y, pch = 16, cex = 0.7, col = grey)
  graphics::segments(at, seen$lower, at, seen$upper, col = grey)
  graphics::segments(
    position, table$lower, position, table$upper, col = colour, lwd = 2, lty = ifelse(aside, 3, 1)
  )
  graphics::points(
    position, table$mean, pch = ifelse(aside, 1, ifelse(position == best, 18, 19)), col = colour,
    cex = ifelse(position == best, 2, 1)
  )
  draw_arm_axes(position, table$name, table$pulls)
  note <- c(left_out(length(shown), n_arms(x$model$arms)), if (any(aside)) aside_note)
  if (length(note)) {
    note <- paste(note, collapse = "; ")
    graphics::mtext(note, 4, line = 0.2, adj = 0, cex = 0.7, col = "grey40")
  }
}

plot_blocks <- function(x, level, ...) {
  table <- drawn_blocks(x, level)
  position <- seq_len(nrow(table))
  settings <- list(
    x = position, y = table$effect, type = "n", xaxt = "n", xlab = "", ylab = "effect of the block",
    xlim = c(0.5, max(nrow(table), 1L) + 0.5), main = block_title(x), cex.main = 1.1,
    ylim = range(table$lower, table$upper, table$effect, if (!nrow(table)) c(-1, 1), na.rm = TRUE)
  )
  draw_with(graphics::plot.default, settings, ...)
  graphics::abline(h = 0, lty = 2, col = "grey60")
  if (nrow(table)) {
    graphics::segments(position, table$lower, position, table$upper, col = other_colour, lwd = 2)
    graphics::points(position, table$effect, pch = 19, col = other_colour)
    draw_arm_axes(position, table$block, table$pulls)
  }
}

plot_log <- function(x, level, ...) {
  table <- drawn_log(x)
  ends <- log_ends(x, level)
  looks <- log_looks(table)
  worked <- !is.na(table$y)
  # The key stands in a strip of its own, right of the last pull.
  room <- if (looks$key) 0.06 + 0.014 * max(nchar(key_names(looks$names))) else 0
  last <- max(table$at, 1)
  settings <- list(
    x = table$at, y = table$y, type = "n", xlab = log_axis(x),
    ylab = if (is.null(drawn_family(x))) "reward" else "rate",
    xlim = c(1, max(last + room * last, 2)), main = best_title(x, certainty(x)), cex.main = 1.1,
    ylim = if (any(worked)) range(table$y, unlist(ends), na.rm = TRUE) else 0:1
  )
  draw_with(graphics::plot.default, settings, ...)
  rate <- running_rate(x, level)
  if (!is.null(rate)) {
    lines <- do.call(cbind, rate[c("y", "lower", "upper")])
    graphics::matlines(table$at[rate$row], lines, lty = c(1, 3, 3), col = "grey55")
  }
  look <- as.integer(table$group)
  graphics::segments(table$at, ends$lower, table$at, ends$upper, col = looks$colour[look])
  graphics::points(
    table$at, table$y, pch = looks$shape[look], col = looks$colour[look], cex = 1
  )
  ring <- worked & table$best
  graphics::points(table$at[ring], table$y[ring], pch = 1, cex = 2.1, col = "grey25")
  foot <- rep(graphics::par("usr")[3L], sum(!worked))
  graphics::points(table$at[!worked], foot, pch = 4, xpd = NA)
  if (looks$key) {
    graphics::legend(
      "topright", key_names(looks$names), pch = looks$shape, col = looks$colour, bty = "n",
      cex = 0.8, title = looks$title
    )
  }
}

# ---- What pictures of base graphics and of ggplot2 share ---------------------------------------

# "the best 60 of 319 arms"; NULL: all are there.
left_out <- function(shown, all, what = "arm", which = "best") {
  if (shown < all) sprintf("the %s %d of %s", which, shown, count_of(all, what))
}

# Under pictures in which arms are grey.
aside_note <- "grey: set aside or dropped"

# Effects of at most 60 blocks, those with most pulls, in their own order.
drawn_blocks <- function(x, level, most = 60L) {
  table <- block_effects(x, level)
  table[sort(utils::head(order(table$pulls, decreasing = TRUE), most)), ]
}

block_title <- function(x) {
  if (length(x$blocks)) trimws(format_blocks(x)) else "No blocks"
}

# One row an observation: where it stands, its reward, the block or arm that gives it its colour,
# and whether its arm is the recommended one.
drawn_log <- function(x) {
  log <- x$log
  arms <- x$model$arms$names
  by <- if (length(x$blocks)) {
    list("block", x$blocks[sort(unique(log$block))], x$blocks[log$block])
  } else if (length(unique(log$arm)) <= 7L) {
    list("arm", arms[sort(unique(log$arm))], arms[log$arm])
  } else {
    list("", "", rep("", length(log$arm)))
  }
  table <- quick_frame(list(
    at = if (anyNA(log$pull)) seq_along(log$pull) else log$pull,
    y = reward_sign(x) * log$reward, group = factor(by[[3L]], by[[2L]]),
    best = log$arm == x$belief$best
  ))
  structure(table, by = by[[1L]])
}

log_axis <- function(x) if (anyNA(x$log$pull)) "observation, in the order told" else "pull"

# Colours go round and the symbol changes each time; there is a key as long as there is room. The
# recommended arm has the colour that it has in other pictures.
log_looks <- function(table) {
  n <- nlevels(table$group)
  place <- seq_len(n) - 1L
  colour <- hues[place %% length(hues) + 1L]
  best <- if (attr(table, "by") == "arm") unique(as.integer(table$group[table$best]))
  if (length(best)) {
    colour[colour == best_colour] <- colour[best]
    colour[best] <- best_colour
  }
  list(
    names = levels(table$group), colour = colour,
    shape = symbols[(place %/% length(hues)) %% length(symbols) + 1L],
    key = n > 1L && n <= 21L, title = attr(table, "by")
  )
}

key_names <- function(names) shortened(encodeString(names), 6L)

#' @rdname predictive_check
#' @param ... Graphical parameters for [graphics::plot.default()], such as `main` or `ylim`.
#' @section Pictures:
#' `plot()` and `autoplot(x, "check")` show the arms from the least expected reward to the
#' largest: the expected average as a dash, its interval as a bar, and the observed average as
#' a blue point, or as an orange triangle where it lies outside. Of more than 60 arms, those are
#' drawn that are the least expected.
#' @export
plot.bayesgap_check <- function(x, ...) {
  table <- drawn_checks(x)
  position <- seq_len(nrow(table))
  settings <- list(
    x = position, y = table$observed, type = "n", xaxt = "n", xlab = "", ylab = "average reward",
    xlim = c(0.5, max(nrow(table), 1L) + 0.5), main = check_title(x), cex.main = 1.1,
    ylim = range(table$lower, table$upper, table$observed, if (!nrow(table)) 0:1)
  )
  draw_with(graphics::plot.default, settings, ...)
  if (!nrow(table)) {
    return(invisible(x))
  }
  graphics::segments(
    position, table$lower, position, table$upper, col = "grey75", lwd = 4, lend = "butt"
  )
  graphics::points(position, table$expected, pch = "-", cex = 1.5, col = "grey25")
  out <- table$outside
  graphics::points(
    position, table$observed, pch = ifelse(out, 17, 19), cex = ifelse(out, 1.4, 1),
    col = ifelse(out, best_colour, other_colour)
  )
  draw_arm_axes(position, names_of_checks(table), table$pulls)
  invisible(x)
}

# An arm is once in the picture for each of its blocks.
names_of_checks <- function(table) {
  if (is.null(table$block)) as.character(table$arm) else paste(table$arm, "in", table$block)
}

# Asking for them opens a device, which a picture needs anyway.
graphics_names <- function() names(graphics::par(no.readonly = TRUE))

# A picture by a function of R's, with the user's graphical parameters in place of ours. The data
# and the kind of the picture are not theirs to change.
draw_with <- function(draw, settings, ...) {
  given <- list(...)
  known <- setdiff(
    c(names(formals(draw)), names(formals(graphics::plot.default)), graphics_names()),
    c("x", "y", "z", "type", "...")
  )
  strange <- if (is.null(names(given))) rep("", length(given)) else setdiff(names(given), known)
  if (length(strange)) {
    abort_unknown(strange[1L], known)
  }
  tryCatch(
    do.call(draw, utils::modifyList(settings, given, keep.null = TRUE)),
    error = function(e) abort("plot", "The picture cannot be drawn: ", conditionMessage(e), ".")
  )
}

# Names below, numbers of pulls above, as many as there is room for.
draw_arm_axes <- function(position, names, pulls) {
  names <- shortened(encodeString(names), 6L)
  graphics::axis(1, position, names, las = if (sum(nchar(names)) > 50L) 2 else 1, cex.axis = 0.8)
  graphics::axis(3, position, pulls, tick = FALSE, line = -1, cex.axis = 0.7, col.axis = "grey40")
  graphics::mtext("pulls", 3, line = 0.2, adj = 0, cex = 0.7, col = "grey40")
}
