# The belief over one or two columns of the arms, as tables to be drawn.

# The columns of the arms that the kernel's formulas name; all of them where there is no kernel, or
# where it does not say. It is read from the kernel's text, which is all that a file keeps of it.
modelled_columns <- function(model) {
  all <- names(model$arms$data)
  if (is.null(model$kernel)) {
    return(all)
  }
  code <- tryCatch(
    parse(text = format(model$kernel$kernel), keep.source = FALSE), error = function(e) NULL
  )
  named <- all.vars(code)
  used <- if ("." %in% named) all else intersect(all, named)
  if (length(used)) used else all
}

is_scale <- function(value) {
  is.numeric(value) || inherits(value, c("Date", "POSIXct"))
}

# Names of one or two columns: given, or the first two with numbers that the kernel uses.
surface_columns <- function(model, given) {
  data <- model$arms$data
  if (!length(data)) {
    abort(
      "surface", "There is no surface: the arms have no columns. Give `arms` as a data frame with ",
      "one row an arm, or as values; type = \"arms\" draws arms without columns."
    )
  }
  if (!is.null(given)) {
    return(check_surface_columns(given, data))
  }
  used <- modelled_columns(model)
  numeric <- used[vapply(unclass(data)[used], is_scale, TRUE)]
  found <- utils::head(if (length(numeric)) numeric else used, 2L)
  varying <- vapply(unclass(data)[found], function(value) length(unique(value)) > 1L, TRUE)
  if (any(varying)) found[varying] else found
}

check_surface_columns <- function(given, data) {
  good <- is.character(given) && length(given) %in% 1:2 && !anyNA(given) && !anyDuplicated(given)
  if (!good) {
    abort_argument("columns", "columns", "the names of one or two columns of the arms", given)
  }
  strange <- setdiff(given, names(data))
  if (length(strange)) {
    abort(
      "columns", "`columns` names ", quoted(strange[1L]), ", which is no column of the arms. ",
      "They have ", quoted(names(data), 10L), ".", suggest(strange[1L], names(data))
    )
  }
  given
}

# ---- Where a value stands on its axis -----------------------------------------------------------

# list(at, values, log, discrete): the places of the arms, the distinct values in order, and whether
# places are logarithms or, of categories, numbers from 1.
axis_places <- function(value) {
  if (!is_scale(value)) {
    values <- if (is.factor(value)) levels(droplevels(value)) else sort(unique(value))
    at <- match(as.character(value), as.character(values))
    return(list(at = at, values = values, log = FALSE, discrete = TRUE))
  }
  values <- sort(unique(value))
  log <- is.numeric(value) && is_log_spaced(values)
  at <- as.double(if (log) log10(value) else value)
  list(at = at, values = values, log = log, discrete = FALSE)
}

# Values over more than a factor of 30 whose ratios are more alike than their differences.
is_log_spaced <- function(values) {
  uneven <- function(x) stats::sd(diff(x)) / mean(diff(x))
  length(values) > 2L && values[1L] > 0 && values[length(values)] > 30 * values[1L] &&
    isTRUE(uneven(log(values)) < uneven(values))
}

# Breaks at the values themselves where these are few or no numbers, else at round ones, and their
# labels.
axis_breaks <- function(place, few = 12L) {
  values <- place$values
  numbers <- is.numeric(values) && length(values) > few
  at <- if (numbers && place$log) {
    ends <- log10(range(values))
    powers <- seq(ceiling(ends[1L] - 1e-9), floor(ends[2L] + 1e-9))
    thin_out(powers, few)
  } else if (numbers) {
    round_at <- pretty(values, 6L)
    round_at[round_at >= min(values) & round_at <= max(values)]
  }
  if (length(at) > 1L) {
    return(list(at = at, labels = value_text(if (place$log) 10^at else at)))
  }
  values <- thin_out(values, few)
  at <- if (place$discrete) {
    match(values, place$values)
  } else if (place$log) {
    log10(values)
  } else {
    as.double(values)
  }
  list(at = at, labels = short_names(value_text(values), 16L))
}

# The ends of the cell about each place: half way to the next.
cell_ends <- function(at) {
  places <- sort(unique(at))
  gap <- if (length(places) > 1L) diff(places) else 1
  middle <- places[-1L] - gap / 2
  low <- c(places[1L] - gap[1L] / 2, if (length(places) > 1L) middle)
  high <- c(if (length(places) > 1L) middle, places[length(places)] + gap[length(gap)] / 2)
  i <- match(at, places)
  list(low = low[i], high = high[i])
}

# Do the places fill a good part of a grid, so that cells can be drawn?
is_grid <- function(u, v) {
  cells <- as.double(length(unique(u))) * length(unique(v))
  length(unique(paste(u, v))) >= 0.6 * cells
}

# ---- The table ----------------------------------------------------------------------------------

# Panels are drawn up to here; beyond, the best of all arms at a place stands for them.
most_panels <- 9L

# "class = forest": what the other columns say of each arm, one a line; "" where that is not to be
# seen apart.
surface_panels <- function(model, columns) {
  data <- model$arms$data
  k <- n_arms(model$arms)
  rest <- setdiff(modelled_columns(model), columns)
  rest <- rest[vapply(unclass(data)[rest], function(value) length(unique(value)) > 1L, TRUE)]
  if (!length(rest)) {
    return(factor(rep("", k)))
  }
  parts <- lapply(rest, function(name) short_names(paste(name, "=", value_text(data[[name]]))))
  text <- do.call(paste, c(parts, sep = "\n"))
  if (length(unique(text)) > most_panels) {
    return(structure(factor(rep("", k)), hides = rest))
  }
  in_order_of <- do.call(order, unname(lapply(rest, function(name) data[[name]])))
  factor(text, unique(text[in_order_of]))
}

# One row a place: u, v (or only u), panel, the arm that stands for it (the best of those there),
# its mean, sd, lower, upper, status and whether it is recommended, and the pulls of all arms there.
surface_table <- function(x, columns, level, found) {
  arms <- x$model$arms
  places <- lapply(unclass(arms$data)[columns], axis_places)
  table <- posterior_table(x, level, found)
  cells <- quick_frame(list(
    arm = seq_len(n_arms(arms)), u = places[[1L]]$at,
    v = if (length(columns) > 1L) places[[2L]]$at else rep(0, n_arms(arms)),
    panel = surface_panels(x$model, columns), mean = table$mean, sd = table$sd,
    lower = table$lower, upper = table$upper, pulls = table$pulls,
    status = table$status, best = seq_len(n_arms(arms)) == x$belief$best
  ))
  hides <- attr(cells$panel, "hides")
  key <- paste(cells$u, cells$v, as.integer(cells$panel))
  pulls <- tapply(cells$pulls, key, sum)
  worth <- race_means(x)
  worth[x$belief$best] <- Inf
  cells <- cells[order(worth, decreasing = TRUE), ]
  key <- key[cells$arm]
  several <- anyDuplicated(key) > 0L
  cells <- cells[!duplicated(key), ]
  cells$pulls <- as.vector(pulls[unique(key)])
  structure(cells, places = places, several = several, hides = hides)
}
