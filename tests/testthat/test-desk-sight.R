test_that("the answer is a sentence with its certainty, in the numbers of print()", {
  x <- finished()
  words <- answer_words(x)
  found <- certainty(x)
  p <- probability_words(best_text(x, found))
  sentence <- sprintf("%s is the best of 3 arms with probability %s.", best_arm(x), p)
  expect_identical(words$head, sentence)
  printed <- format(x)
  regret <- sub(".*regret below (\\S+) .*", "\\1", printed[length(printed)])
  expected <- if (regret_bound(found) > 0) regret else "nothing is lost"
  expect_match(words$more[1], expected, fixed = TRUE)
  expect_match(
    regret_words(x, list(regret = c(1, 1))), "^With probability 0.95, keeping it loses less than 1"
  )
  expect_match(words$more[2], "^Its mean result is .* with probability 0.95\\), from [0-9]+ trials")
  expect_identical(
    probability_words(c("> 0.99", "< 0.01", "0.50")), c("more than 0.99", "less than 0.01", "0.50")
  )
})

test_that("a run that goes on says so, and one without results has no answer", {
  x <- open_run()
  expect_match(answer_words(x)$head, "Nothing is known yet")
  x <- tell(x, data.frame(arm = c("a", "b", "a"), y = c(1, 2, 1.1), pull = NA))
  one <- tell(bayesgap(letters[1:4], budget = 8, seed = 1), 1)
  expect_match(answer_words(one)$more[1], "too few results to compare")
  expect_match(answer_words(x)$head, "^So far, b is the best of 4 arms with probability")
  expect_match(regret_words(finished(), list(regret = c(0, 0))), "nothing is lost by keeping it")
  failed <- data.frame(arm = "a", y = NA, error = "leaked", pull = NA)
  failed <- suppressMessages(tell(open_run(), failed))
  expect_match(answer_words(failed)$head, "no answer")
  expect_match(answer_words(failed)$more, "leaked")
})

test_that("the best arm stands beside the control", {
  x <- open_run(control = "a")
  x <- tell(x, data.frame(
    arm = c("a", "b", "a", "b"), y = c(1, 3, 1.1, 3.2), block = c(1, 1, 2, 2), pull = NA
  ))
  table <- posterior_table(x, 0.95, certainty(x))
  words <- control_words(x, table)
  expect_match(words, "^From a it differs by [0-9.]+ \\(")
  expect_match(words, "better with probability")
  x <- tell(x, data.frame(arm = "a", y = 30, block = 2, pull = NA))
  expect_match(control_words(x, posterior_table(x, 0.95, certainty(x))), "the control")
  expect_null(control_words(open_run(), NULL))
})

test_that("an arm that fails is named", {
  x <- suppressMessages(tell(open_run(), data.frame(
    arm = c("a", "b", "b", "b"), y = c(1, NA, NA, NA), failed = c(FALSE, TRUE, TRUE, TRUE),
    pull = NA
  )))
  expect_match(set_aside_words(x), "b")
  expect_null(set_aside_words(finished()))
  many <- bayesgap(letters[1:6], budget = 40, seed = 1)
  many <- suppressMessages(tell(many, data.frame(
    arm = rep(letters[1:6], c(1, 3, 3, 3, 3, 3)), y = c(1, rep(NA, 15)),
    failed = rep(c(FALSE, TRUE), c(1, 15)), pull = NA
  )))
  words <- set_aside_words(many)
  expect_length(words, 1L)
  expect_match(words, "^Set aside, since they fail: b \\(.*, c \\(.*, d \\(.*\\), and 2 more[.]$")
})

test_that("there are pictures of what is known, and each is drawn", {
  expect_identical(desk_pictures(open_run()), character())
  x <- finished()
  types <- desk_pictures(x)
  expect_true(all(c("arms", "log") %in% types))
  expect_false("blocks" %in% types)
  expect_false(can_draw(x, "surface"))
  expect_true(can_draw(bayesgap(ridge, budget = 9, seed = 1), "surface"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (type in types) {
    expect_null(draw_picture(x, type))
    expect_match(picture_alt(type, "The answer."), "[.] The answer[.]$")
  }
  # What cannot be drawn says why in its place.
  expect_no_error(draw_picture(x, "nothing of the kind"))
})

test_that("the tables say what the functions do", {
  x <- finished()
  arms <- arms_columns(x)
  expect_identical(unlist(arms$Arm), as.character(summary(x)$arms$arm))
  expect_identical(unlist(arms$Trials), as.character(summary(x)$arms$pulls))
  expect_null(arms$Status)
  dropped <- drop_arms(open_run(), "b")
  expect_true("set aside" %in% unlist(arms_columns(dropped)$Status))
  expect_identical(unique(unlist(arms_columns(dropped)$Expected)), "")
  log <- record_columns(amend(x, 1, y = 3))
  expect_identical(length(log$Trial), 13L)
  expect_identical(sum(unlist(log$Remark) == "was corrected"), 1L)
  rates <- tell(
    bayesgap(c("a", "b"), budget = 9, family = "binomial", seed = 1),
    data.frame(arm = "a", successes = 1, trials = 3, pull = NA)
  )
  expect_identical(
    unlist(record_columns(rates)[c("Successes", "Trials")]), c(Successes = "1", Trials = "3")
  )
})

test_that("what was learned is told in words", {
  file <- desk_run(matters = list("catalyst", "temperature"), n = 4L)
  suppressMessages(tell_typed(file, list(y.1 = "1", y.2 = "2", y.3 = "3", y.4 = "2")))
  learned <- learned_columns(read_run(file))
  words <- unlist(learned$What)
  expect_true("A typical result" %in% words)
  expect_true("How far likeness reaches in temperature" %in% words)
  expect_true("How alike arms are that differ in catalyst (0 to 1)" %in% words)
  expect_false("constant" %in% words)
  expect_identical(unique(unlist(learned$From)), "4 results")
})

test_that("the column has its parts", {
  skip_if_not_installed("shiny")
  html <- as.character(shiny::tagList(sight_page(c("arms", "log"), "run.bgap")))
  expect_match(html, "picture_arms")
  expect_match(html, "posterior(\"run.bgap\")", fixed = TRUE)
  before <- as.character(shiny::tagList(sight_page(character(), "run.bgap")))
  expect_no_match(before, "picture_")
  expect_match(before, "log_csv")
})
