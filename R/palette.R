# The colours, symbols and lines of all pictures. A policy has the same ones wherever it is drawn.

# Okabe and Ito's colours, distinct for all kinds of colour vision, the light yellow left out.
hues <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

symbols <- c(16, 17, 15, 5, 1, 2, 0, 8, 3, 4, 6, 7, 9, 10, 18)

strokes <- c("solid", "42", "22", "6222", "62")

# What is recommended, and what is not.
best_colour <- "#D55E00"
other_colour <- "#0072B2"

pale_to_dark <- grDevices::hcl.colors(64L, "Blues 3", rev = TRUE)

# ---- Policies -----------------------------------------------------------------------------------

# Policies of one family have one hue, of which each has a shade, a symbol and a line of its own, so
# that they can be told apart in grey as well: gaps red, posterior draws green, expected gains blue,
# upper bounds purple, rewards alone or stages amber, shares made beforehand grey.
policy_palette <- rbind(
  bayesgap = c("#D55E00", "16", "solid"),
  bayesgap_marginal = c("#8C3D00", "17", "42"),
  bayesgap_paper = c("#F2A36B", "15", "22"),
  thompson = c("#009E73", "17", "solid"),
  ttts = c("#00573F", "2", "42"),
  t3c = c("#6CCBAA", "6", "22"),
  ei = c("#0072B2", "15", "solid"),
  pi = c("#56B4E9", "0", "42"),
  kg = c("#00395A", "7", "22"),
  mes = c("#8FA8E0", "12", "6222"),
  gpucb = c("#CC79A7", "18", "solid"),
  bayesucb = c("#7D3C63", "5", "42"),
  bayes_ucbe = c("#E8BDD4", "9", "22"),
  rue = c("#A8578A", "23", "6222"),
  ugap = c("#E69F00", "1", "solid"),
  ugap_tuned = c("#C08500", "13", "62"),
  ucbe = c("#8A6100", "10", "42"),
  ucbe_tuned = c("#6E5A2E", "8", "62"),
  rejects = c("#F0C561", "3", "22"),
  halving = c("#B98A2E", "4", "6222"),
  gse = c("#5E4400", "11", "solid"),
  bayes_elim = c("#D9B26A", "14", "42"),
  uniform = c("#7F7F7F", "4", "22"),
  pi_bai = c("#333333", "8", "42")
)

#' The colours of the policies
#'
#' `policy_looks()` tells the colour, symbol and line type that a policy has in every picture of
#' this package. Use it so that pictures of your own agree with them.
#'
#' The colours are made from those of Okabe and Ito, which all kinds of colour vision tell apart.
#' Policies of one family share a hue, of which each has a shade, and differ by symbol and line. A
#' policy with parameters, as [benchmark_policies()] calls it, has a shade of the policy's own
#' colour. Names that are those of no policy take what is left, in alphabetical order.
#'
#' @param policies Names of policies, or of what is compared with them. `NULL`: all that there are.
#' @return A data frame with one row a name: `policy`, `colour`, `shape` (a plotting symbol, see
#'   [graphics::points()]) and `linetype`.
#' @seealso [policies()]; [autoplot.bayesgap_benchmark()]; `vignette("traffic")`.
#' @export
#' @examples
#' looks <- policy_looks(c("bayesgap", "thompson", "uniform"))
#' looks
#' barplot(3:1, names.arg = looks$policy, col = looks$colour)
policy_looks <- function(policies = NULL) {
  if (is.null(policies)) {
    policies <- policies()$policy
  }
  if (!is.character(policies) || anyNA(policies) || !all(validEnc(policies))) {
    abort_argument("policies", "policies", "NULL or names of policies", policies)
  }
  names <- unique(as.vector(policies))
  known <- rownames(policy_palette)
  own <- match(variant_name(names), known)
  base <- match(base_policy(names, known), known)
  looks <- quick_frame(list(
    policy = names, colour = unname(policy_palette[own, 1L]),
    shape = as.integer(policy_palette[own, 2L]), linetype = unname(policy_palette[own, 3L])
  ))
  of_look <- c("colour", "shape", "linetype")
  for (of in unique(base[is.na(own) & !is.na(base)])) {
    rows <- which(is.na(own) & base %in% of)
    looks[rows, of_look] <- shades_of(policy_palette[of, 1L], length(rows))
  }
  strange <- which(is.na(base))
  strange <- strange[order(names[strange])]
  taken <- looks$colour[!is.na(base)]
  looks[strange, of_look] <- spare_looks(length(strange), taken)
  looks
}

# bayesgap (variant = "paper") is what studies call bayesgap_paper.
variant_name <- function(names) {
  sub("^bayesgap \\(variant = \"(marginal|paper)\"\\)$", "bayesgap_\\1", names)
}

# The longest name of a policy that each begins with as a word; NA: none.
base_policy <- function(names, known) {
  vapply(names, function(name) {
    rest <- substring(name, nchar(known) + 1L)
    fits <- known[startsWith(name, known) & !grepl("^[[:alnum:]]", rest)]
    if (length(fits)) fits[which.max(nchar(fits))] else NA_character_
  }, "", USE.NAMES = FALSE)
}

# n looks about a colour, darker and lighter in turn, none the colour itself.
shades_of <- function(colour, n) {
  towards <- function(end, share) {
    mixed <- (1 - share) * grDevices::col2rgb(colour) + share * grDevices::col2rgb(end)
    grDevices::rgb(t(mixed), maxColorValue = 255)
  }
  i <- seq_len(n)
  share <- 0.6 * ((i + 1L) %/% 2L) / max((n + 1L) %/% 2L, 1L)
  list(
    colour = vapply(i, function(j) towards(if (j %% 2L) "black" else "white", share[j]), ""),
    shape = as.integer(symbols[i %% length(symbols) + 1L]),
    linetype = strokes[i %% length(strokes) + 1L]
  )
}

# Colours go round, symbols and lines with them; those that policies have in the same picture, and
# that of the default, are theirs alone.
spare_looks <- function(n, taken) {
  place <- seq_len(n) - 1L
  spare <- setdiff(hues, c(best_colour, taken))
  list(
    colour = spare[place %% length(spare) + 1L],
    shape = as.integer(symbols[place %% length(symbols) + 1L]),
    linetype = strokes[(place + place %/% length(spare)) %% length(strokes) + 1L]
  )
}

# One look of each of these policies, named by them.
policy_colours <- function(names) policy_look(names, "colour")

policy_look <- function(names, what) {
  looks <- policy_looks(names)
  structure(looks[[what]], names = looks$policy)
}

# The place of each policy in the order of drawing: what comes last lies on top, and that is the
# default.
drawing_order <- function(names) {
  base <- base_policy(names, rownames(policy_palette))
  rank(2 * (names == "bayesgap") + (startsWith(base, "bayesgap") %in% TRUE), ties.method = "first")
}
