# Reports taken apart: the files inside of a page, its words, and whether its tags fit.

# By a table of letters, apart from the package's way.
decode64 <- function(text) {
  letters <- c(LETTERS, letters, 0:9, "+", "/")
  at <- match(strsplit(sub("=+$", "", text), "")[[1L]], letters) - 1L
  bits <- vapply(at, function(i) as.integer(intToBits(i))[6:1], integer(6L))
  whole <- length(bits) %/% 8L
  bytes <- matrix(bits[seq_len(8L * whole)], 8L)
  as.raw(colSums(bytes * 2^(7:0)))
}

page_of <- function(x, ...) {
  file <- tempfile(fileext = ".html")
  report(x, file, ...)
  text <- rawToChar(readBin(file, "raw", file.size(file)))
  Encoding(text) <- "UTF-8"
  text
}

matches_of <- function(text, pattern) {
  found <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1L]]
  regmatches(found, regexec(pattern, found, perl = TRUE))
}

# The bytes of the files that a page holds, by name.
files_of <- function(page) {
  found <- matches_of(page, "download=\"([^\"]*)\" href=\"data:[^,\"]*;base64,([^\"]*)\"")
  structure(lapply(found, function(m) decode64(m[3L])), names = vapply(found, `[`, "", 2L))
}

pictures_of <- function(page) {
  lapply(matches_of(page, "src=\"data:image/png;base64,([^\"]*)\""), function(m) decode64(m[2L]))
}

# Without pictures and files, which are long.
words_of <- function(page) gsub("base64,[^\"]*", "base64,", page)

# Tags that are closed by others than opened them, or not at all.
tag_faults <- function(page) {
  page <- sub("(?s)<style>.*</style>", "", words_of(page), perl = TRUE)
  tags <- matches_of(page, "<(/?)([a-z][a-z0-9]*)((?:\\s+[a-z-]+=\"[^\"<>]*\")*)>")
  open <- faults <- character()
  for (found in tags) {
    name <- found[3L]
    if (name %in% c("meta", "img", "br")) next
    if (found[2L] == "") {
      open <- c(open, name)
    } else if (identical(utils::tail(open, 1L), name)) {
      open <- utils::head(open, -1L)
    } else {
      faults <- c(faults, name)
    }
  }
  # A mark that belongs to no tag is text that was not escaped.
  bare <- gsub("<(/?)([a-z][a-z0-9]*)((?:\\s+[a-z-]+=\"[^\"<>]*\")*)>", "", page, perl = TRUE)
  c(faults, open, if (grepl("[<>]", sub("<!DOCTYPE html>", "", bare))) "a stray mark")
}

# Runs of all kinds that a report has to tell of.
reported_runs <- function() quietly({
  plate <- function(arm, pull) match(arm, letters) / 4 + nchar(pull$block) + rnorm(1, sd = 0.3)
  sell <- function(arm) c(successes = rbinom(1, 50, c(old = 0.1, new = 0.3)[[arm]]), trials = 50)
  test <- function(arm) rnorm(1, sqrt(arm$hours), 0.5)
  machines <- data.frame(arm = c("small", "large"), hours = c(1, 5))
  broken <- function(arm) stop("it is <broken>")
  list(
    plain = finished(), empty = bayesgap(3, budget = 4, seed = 1), odd = odd_run(),
    one = tell(bayesgap(3, budget = 4, seed = 1), 2),
    single = bayesgap(1, function(arm) 1, budget = 2, noise_sd = 0.1, seed = 1),
    many = bayesgap(319, sin, budget = 20, seed = 1),
    rates = bayesgap(c("old", "new"), sell, budget = 8, family = "binomial", seed = 1),
    counts = bayesgap(2, function(arm) c(count = rpois(1, 50), exposure = 5), budget = 6,
      family = "poisson", maximise = FALSE, seed = 1),
    blocks = bayesgap(letters[1:4], plate, budget = 16, blocks = c("a", "bc", "def"), control = "a",
      seed = 1),
    cost = bayesgap(machines, test, budget = 20, cost = "hours", seed = 1),
    grid = quietly(bayesgap(rates, train, budget = 20, kernel = k_se(~ log10(lr)), seed = 1)),
    failed = fault(bayesgap(3, broken, budget = 4, seed = 1))$run,
    items = bayesgap(list(mean = mean, median = median), function(f) f(rnorm(5)), budget = 6,
      maximise = FALSE, seed = 1),
    own = bayesgap(4, sin, budget = 6, policy = policy(choose = function(state) 1L), seed = 1),
    dates = bayesgap(as.Date("2024-01-01") + 0:3, as.numeric, budget = 6, noise_sd = 1, seed = 1),
    paper = bayesgap(c(0.1, 1 / 3, 2 / 3), sin, budget = 6, prior_mean = c(0.1, 0.2, 1 / 3),
      prior_sd = 1, noise_sd = 0.1, policy = policy("bayesgap", variant = "paper"), seed = 1)
  )
})

# Names and words that mean something in HTML, and a log that was changed.
odd_names <- c("caf\u00e9 <b>", "a & \"b\"", paste(rep("long", 80), collapse = " "), "d'oh \u0007")

odd_run <- function() {
  x <- bayesgap(data.frame(arm = odd_names, dose = 1:4), budget = 12, seed = 1)
  x <- tell(x, data.frame(pull = 1:4, arm = odd_names, y = c(1, 20, 3, 2)))
  x <- amend(amend(x, 2, y = 2.1), 3, y = NA)
  x <- drop_arms(x, odd_names[4])
  tell(x, data.frame(
    pull = 5:7, arm = odd_names[c(1, 2, 1)], y = c(1.2, 2.2, NA), failed = c(NA, NA, TRUE),
    note = c("<script>alert(1)</script>", NA, "x")
  ))
}
