test_that("every policy has a look of its own, and variants of a policy are told apart", {
  looks <- policy_looks()
  expect_identical(looks$policy, policies()$policy)
  expect_false(anyNA(looks))
  expect_identical(anyDuplicated(looks$colour), 0L)
  all <- policy_looks(rownames(policy_palette))
  expect_identical(anyDuplicated(paste(all$colour, all$shape, all$linetype)), 0L)
  many <- policy_looks(c("bayesgap", sprintf("bayesgap (beta = %d)", 1:16)))
  expect_identical(anyDuplicated(paste(many$colour, many$shape, many$linetype)), 0L)
})

test_that("a policy looks the same in whatever company", {
  alone <- policy_looks("thompson")
  among <- policy_looks(c("mine", "ei", "thompson", "bayesgap"))
  expect_identical(among[3, ], alone, ignore_attr = TRUE)
  expect_identical(among$colour[4], best_colour)
  expect_false(best_colour %in% policy_looks(c("b", "a", letters[3:20]))$colour)
  a <- policy_looks(c("zeta", "alpha"))
  b <- policy_looks(c("alpha", "zeta"))
  expect_identical(a[order(a$policy), -1], b[order(b$policy), -1], ignore_attr = TRUE)
  expect_identical(anyDuplicated(policy_looks(c("run 1", "run 2", "ei", "thompson"))$colour), 0L)
  paper <- policy_looks(c("bayesgap_paper", format(policy("bayesgap", variant = "paper"))))
  expect_identical(paper[1, -1], paper[2, -1], ignore_attr = TRUE)
})

test_that("a name is that of a policy as a whole word, the longest that fits", {
  known <- rownames(policy_palette)
  given <- c("pi", "pi_bai", "pie", "ucbe (a = 1)", "bayes_ucbe", "bayesgap_marginal", "uniformly")
  expect_identical(
    base_policy(given, known),
    c("pi", "pi_bai", NA, "ucbe", "bayes_ucbe", "bayesgap_marginal", NA)
  )
})

test_that("the default is drawn last", {
  names <- c("bayesgap", "ei", "bayesgap_paper", "mine")
  up <- c("ei", "mine", "bayesgap_paper", "bayesgap")
  expect_identical(names[order(drawing_order(names))], up)
})

test_that("what are no names is refused by class", {
  for (bad in list(1, NA_character_, list("ei"), factor("ei"))) {
    expect_error(policy_looks(bad), class = "bayesgap_error_policies")
  }
  expect_identical(nrow(policy_looks(character())), 0L)
})
