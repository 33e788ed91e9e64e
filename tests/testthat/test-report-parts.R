# Without the page in the message, should it fail.
expect_says <- function(words, line) {
  expect_true(grepl(escape_html(line), words, fixed = TRUE), label = line)
}

test_that("the answer is told in the words of print() and of the pictures", {
  x <- finished()
  words <- words_of(page_of(x))
  for (line in format(x)) {
    expect_says(words, line)
  }
  expect_match(words, "<p class=\"answer\">Best arm: shop  (P &gt; 0.99)</p>", fixed = TRUE)
})

test_that("what the answer rests on is that of summary()", {
  runs <- reported_runs()
  for (x in runs[c("plain", "grid", "paper", "blocks")]) {
    words <- words_of(page_of(x))
    about <- summary(x)
    said <- format(about)
    chosen <- said[match(TRUE, startsWith(said, "Policy ")):(grep("^Regret of", said) - 1L)]
    for (line in c(trimws(format_model(about), "left"), chosen)) {
      expect_says(words, line)
    }
    for (line in format(predictive_check(x))) {
      expect_says(words, line)
    }
    for (line in format(x$model)) {
      expect_says(words, line)
    }
  }
})

test_that("tables say what they leave out, and the files have it", {
  x <- quietly(bayesgap(319, sin, budget = 410, policy = "uniform", seed = 1))
  page <- page_of(x)
  expect_match(page, "The best 60 of 319 rows are shown here; all of them are in posterior.csv")
  expect_match(page, "The last 400 of 410 rows are shown here; all of them are in log.csv")
  rows <- lengths(regmatches(page, gregexpr("<tr[ >]", page)))
  expect_identical(rows, 1L + 60L + 1L + 400L + 1L + 4L)
  files <- files_of(page)
  table <- utils::read.csv(text = rawToChar(files[["posterior.csv"]]), colClasses = "character")
  expect_identical(table$mean, exact_number(posterior(x)$mean))
  expect_identical(nrow(utils::read.csv(text = rawToChar(files[["log.csv"]]))), 410L)
})

test_that("there are sections for what a run has", {
  runs <- reported_runs()
  titles <- function(x) {
    vapply(matches_of(page_of(x), "<h[23]>([^<]*)</h[23]>"), `[`, "", 2L)
  }
  expect_true("Blocks" %in% titles(runs$blocks))
  expect_false("Blocks" %in% titles(runs$plain))
  expect_false("Pictures" %in% titles(runs$empty))
  file <- fresh_file()
  save_run(open_run(), file)
  ask(file, n = 2)
  expect_true("Trials that are still out" %in% titles(file))
  expect_false("Trials that are still out" %in% titles(runs$plain))
})

test_that("a log that was changed shows what was there before", {
  words <- words_of(page_of(odd_run()))
  expect_match(words, "Rows in italics")
  was <- "<tr class=\"past\"><td[^>]*>2</td><td>a &amp; &quot;b&quot;</td><td[^>]*>20"
  expect_match(words, was)
  expect_match(words, "<td>withdrawn</td>")
  expect_false(grepl("Rows in italics", words_of(page_of(finished()))))
  named <- bayesgap(data.frame(arm = c("a", "b"), change = 1:2), budget = 3, seed = 1)
  expect_false(grepl("class=\"past\"", words_of(page_of(tell(named, 1)))))
})

test_that("of very many blocks those with most pulls are shown, and that is said", {
  x <- quietly(picture_runs()$plates)
  told <- data.frame(pull = NA, arm = 1:2, y = cos(1:100), block = paste("day", 1:50))
  words <- words_of(page_of(tell(x, told)))
  expect_match(words, "The 60 of 75 blocks with most pulls are shown")
  expect_match(words, "<td>day 50</td>|<td>plate 1</td>")
})

test_that("assumptions are those of the model", {
  runs <- reported_runs()
  said <- lapply(runs, function(x) paste(assumptions(x), collapse = " "))
  expect_match(said$plain, "Gaussian noise.*tells nothing about another")
  expect_match(said$rates, "Successes are independent")
  expect_match(said$counts, "Counts are those of")
  expect_match(said$blocks, "share its luck")
  expect_match(said$grid, "resemble each other.*learned from the rewards")
  expect_false(grepl("learned from", said$plain))
})

test_that("where nothing worked there is no answer and no best arm", {
  words <- words_of(page_of(reported_runs()$failed))
  expect_match(words, "<p class=\"answer\">Nothing worked", fixed = TRUE)
  expect_match(words, "it is &lt;broken&gt;", fixed = TRUE)
  expect_match(words, "no rewards to compare")
  expect_false(grepl("<tr class=\"marked\">", words, fixed = TRUE))
})
