test_that("ask() is pure: the same run gives the same arms", {
  x <- open_run()
  expect_identical(ask(x), ask(x))
  expect_identical(ask(x, 3), ask(x, 3))
  expect_identical(ask(x, 3)[1, ], ask(x))
  expect_identical(names(ask(x)), c("pull", "arm"))
  expect_identical(ask(x, 3)$pull, 1:3)
  expect_equal(nrow(ask(x, 100)), 8)
})

test_that("pending pulls are taken into account and numbered on from", {
  x <- open_run(budget = 20)
  todo <- ask(x, 3)
  more <- ask(x, 2, pending = todo)
  expect_identical(more$pull, 4:5)
  expect_identical(more$arm, ask(x, 5)$arm[4:5])
  part <- tell(x, cbind(todo[1, ], y = 1))
  expect_identical(ask(part, 1, pending = todo)$pull, 4L)
  expect_identical(ask(x, 1, pending = todo[0, ])$pull, 1L)
})

test_that("pulls that are out have the arms that the user says", {
  smooth <- exp(-outer(1:12, 1:12, "-")^2 / 18)
  for (seed in 1:20) {
    x <- bayesgap(12, budget = 12, cov = smooth, replace = FALSE, seed = seed)
    out <- ask(x, 3)
    x <- tell(x, data.frame(out[1, ], y = sin(out$arm[1])))
    out <- rbind(out[-1, ], ask(x, pending = out[-1, ]))
    x <- tell(x, data.frame(out[3, ], y = sin(out$arm[3])))
    expect_false(ask(x, pending = out[1:2, ])$arm %in% out$arm)
    expect_false(any(ask(x, 3, pending = out[1:2, ], batch = "distinct")$arm %in% out$arm))
  }
})

test_that("pending pulls, and arms named by a data frame, have one value a row", {
  x <- open_run()
  pending <- ask(x, 2)
  pending$pull <- I(matrix(1:4, 2))
  expect_error(ask(x, pending = pending), "`pull`", class = "bayesgap_error_pending")
  pending <- ask(x, 2)
  pending$arm <- I(list("a", "b"))
  expect_error(ask(x, pending = pending), "`arm`", class = "bayesgap_error")
  named <- data.frame(arm = 1:2)
  named$arm <- I(matrix(c("a", "b", "c", "d"), 2))
  expect_error(open_run(init = named), "`arm`", class = "bayesgap_error")
  expect_error(predict(x, named), "`arm`", class = "bayesgap_error")
  expect_error(open_run(init = matrix("a", 1, 1)), class = "bayesgap_error_arm")
})
