# A file with a run in it.
run_file <- function(x = open_run()) {
  file <- fresh_file()
  save_run(x, file)
  file
}
# The state in a file is the one that its facts make: written again, it is the very same file.
expect_settled <- function(file) {
  copy <- fresh_file()
  save_run(read_run(file), copy)
  expect_identical(read_run(copy), read_run(file))
}

test_that("a file remembers what is out, and a second ask goes on behind it", {
  file <- run_file()
  first <- ask(file, n = 2)
  second <- ask(file, n = 3)
  expect_identical(c(first$pull, second$pull), 1:5)
  expect_identical(open_trials(file), rbind(first, second))
  expect_identical(ask(file, again = TRUE), rbind(first, second))
  expect_settled(file)
  expect_message(expect_identical(nrow(rbind(ask(file, 9), ask(file))), 3L), "8 trials .* still out")
  # As fresh as a run in memory that was told of them.
  x <- open_run()
  expect_identical(first, ask(x, 2))
})

test_that("what is told finds its trial by its number, its arm, or both", {
  file <- run_file()
  todo <- ask(file, 4)
  tell(file, data.frame(pull = todo$pull[3], y = 1))
  expect_identical(read_run(file)$log$arm, match(todo$arm[3], letters))
  tell(file, data.frame(arm = todo$arm[1], y = 2))
  tell(file, data.frame(todo[4, ], y = 3))
  expect_identical(as.data.frame(read_run(file))$pull, c(3L, 1L, 4L))
  expect_error(
    tell(file, data.frame(pull = 2, arm = setdiff(letters[1:4], todo$arm[2])[1], y = 1)),
    "asked for arm", class = "bayesgap_error_arm"
  )
  x <- tell(file, 5)
  expect_identical(as.data.frame(x)$pull, c(3L, 1L, 4L, 2L))
  expect_identical(x, read_run(file))
  expect_error(tell(file, 5), "No trial is out", class = "bayesgap_error_tell")
  ask(file, 2)
  expect_error(tell(file, 5), "2 trials are out: pull 5", class = "bayesgap_error_tell")
  expect_error(tell(file, data.frame(pull = 15, y = 1)), "Pull 15 was never asked. Out are pull 5",
    class = "bayesgap_error_tell")
  expect_error(tell(file, data.frame(pull = 7, arm = "a", y = 1)), "never asked",
    class = "bayesgap_error_tell")
  before <- read_run(file)
  tell(file, data.frame(pull = NA, arm = "a", y = 1))
  expect_identical(nobs(read_run(file)), nobs(before) + 1L)
  expect_identical(spent(read_run(file)), spent(before))
  expect_settled(file)
})

test_that("an arm that is out twice is told in turn, in its block first", {
  x <- bayesgap(c("a", "b"), budget = 12, seed = 1, control = "a", prior_mean = 0, prior_sd = 1,
                noise_sd = 0.1)
  file <- run_file(x)
  ask(file, 2, block = "p1")
  ask(file, 2, block = "p2")
  expect_identical(read_run(file)$blocks, c("p1", "p2"))
  expect_settled(file)
  tell(file, data.frame(arm = "a", block = "p2", y = 1))
  expect_identical(as.data.frame(read_run(file))$pull, 3L)
  expect_settled(file)
  tell(file, data.frame(pull = 1, y = 2)) # its block is on record
  expect_identical(as.data.frame(read_run(file))$block, c("p2", "p1"))
  expect_settled(file)
  cancel(file, open_trials(file)$pull)
  expect_settled(file)
  ask(file, block = "p3")
  cancel(file, 5)
  expect_identical(read_run(file)$blocks, c("p2", "p1"))
  expect_error(ask(file), "`block` must be given", class = "bayesgap_error_block")
  expect_settled(file)
})

test_that("all that changes a run changes it in its file", {
  file <- run_file()
  tell(file, data.frame(ask(file, 2), y = c(1, 2)))
  expect_identical(amend(file, 2, y = 3), read_run(file))
  expect_identical(as.data.frame(read_run(file))$y, c(1, 3))
  expect_identical(drop_arms(file, "d"), read_run(file))
  expect_identical(add_arms(file, c("d", "e")), read_run(file))
  ask(file)
  expect_identical(cancel(file, 3), read_run(file))
  expect_identical(read_run(file)$changes$what, c("amended", "dropped", "added", "added", "cancelled"))
  expect_invisible(amend(file, 1, NA))
  expect_invisible(tell(file, data.frame(arm = "a", y = 1, pull = NA)))
  expect_visible(ask(file))
  expect_settled(file)
  expect_identical(list.files(dirname(file), basename(file)), basename(file))
})

test_that("what looks at a run looks into its file", {
  file <- run_file(finished())
  x <- finished()
  expect_identical(best_arm(file), best_arm(x))
  expect_identical(posterior(file, 0.5), posterior(x, 0.5))
  expect_identical(summary(file), summary(x))
  expect_identical(nrow(open_trials(file)), 0L)
  picture <- tempfile(fileext = ".pdf")
  pdf(picture)
  plot(file)
  plot(file, "log")
  dev.off()
  expect_gt(file.size(picture), 1000)
  skip_if_not_installed("ggplot2")
  expect_identical(ggplot2::autoplot(file)$data, ggplot2::autoplot(x)$data)
})

test_that("other text is summed up and drawn as ever", {
  expect_identical(summary(c("a", "b")), summary.default(c("a", "b")))
  expect_identical(summary("a.rds"), summary.default("a.rds"))
  expect_identical(summary(c(x = "a.bgap")), summary.default(c(x = "a.bgap")))
  expect_error(suppressWarnings(plot("a")), "finite|xlim")
  expect_error(summary("not there.bgap"), "no file", class = "bayesgap_error_checkpoint")
})

test_that("a refused call leaves the file and no lock", {
  file <- run_file()
  before <- tools::md5sum(file)
  fault(tell(file, data.frame(pull = 1, y = "x")))
  fault(ask(file, 0))
  fault(amend(file, 1, 1))
  fault(cancel(file, 1))
  fault(drop_arms(file, "z"))
  fault(tell(file))
  expect_error(tell(file, stop("no result")), "no result")
  ask(file, again = TRUE)
  expect_identical(tools::md5sum(file), before)
  expect_false(file.exists(paste0(file, ".lock")))
  expect_error(ask(tempfile()), "There is no file.*save_run", class = "bayesgap_error_checkpoint")
  expect_error(ask(c("a", "b")), class = "bayesgap_error_checkpoint")
  expect_error(ask(NA_character_), class = "bayesgap_error_checkpoint")
  expect_error(ask(file, wait = -1), class = "bayesgap_error_wait")
  expect_error(ask(open_run(), wait = 3), "`wait`", class = "bayesgap_error_argument")
  expect_error(ask(file, pending = 3), "`pending`", class = "bayesgap_error_argument")
})

test_that("while another changes the file one waits, and then says who it is", {
  skip_on_os("windows")
  file <- run_file()
  lock <- paste0(file, ".lock")
  lock_of_another(lock)
  host <- Sys.info()[["nodename"]]
  expect_error(ask(file, wait = 0), paste0("Another run writes.*process 1 on ", host),
    class = "bayesgap_error_checkpoint")
  expect_identical(nrow(open_trials(file)), 0L) # looking needs no lock
  # A lock whose process died is none.
  cat(sprintf("process 99999999 on %s, since then\nstart 1\n", host), file = lock)
  expect_identical(ask(file)$pull, 1L)
  expect_false(file.exists(lock))
})

test_that("a file of a run that was stopped half way is gone on with by hand", {
  file <- fresh_file()
  f <- function(arm, pull) if (pull$index == 6) stop("power cut") else arm
  fault(bayesgap(3, f, budget = 9, batch = 3, on_error = "stop", seed = 1, checkpoint = file))
  todo <- ask(file, 2)
  expect_identical(nobs(read_run(file)), 5L)
  expect_identical(anyDuplicated(c(as.data.frame(read_run(file))$pull, todo$pull)), 0L)
  tell(file, data.frame(todo, y = 1:2))
  out <- ask(file)
  # The same call goes on with what is out.
  x <- quietly(bayesgap(3, function(arm) arm, budget = 9, seed = 1, checkpoint = file))
  expect_true(out$pull %in% as.data.frame(x)$pull)
  expect_identical(sort(as.data.frame(x)$pull), 1:9)
  expect_identical(ask(file), ask(x))
})

test_that("a policy of the user's own is not replaced behind his back", {
  x <- open_run(policy = policy("mine", choose = function(state) 2))
  file <- run_file(x)
  expect_error(ask(file), "read_run\\(file, policy = \\)", class = "bayesgap_error_policy")
  expect_error(tell(file, 1), class = "bayesgap_error_policy")
  expect_warning(best_arm(file), class = "bayesgap_warning_policy")
})

test_that("a file name in a data frame is summarised as the text that it is", {
  table <- data.frame(file = "campaign.bgap")
  expect_identical(c(summary(table)), c(summary(data.frame(file = "campaign.txt"))))
  folder <- tempfile()
  dir.create(folder)
  old <- setwd(folder)
  on.exit(setwd(old))
  save_run(open_run(), "campaign.bgap")
  expect_identical(c(summary(table)), c(summary(data.frame(file = "campaign.txt"))))
  expect_s3_class(summary("campaign.bgap"), "summary.bayesgap")
})

test_that("what was asked otherwise, or not at all, is not taken in silence", {
  file <- fresh_file()
  save_run(open_run(), file)
  asked <- ask(file, 2)
  said <- messages_of(tell(file, data.frame(arm = setdiff(letters[1:4], asked$arm)[1], y = 3)))
  expect_match(said, "1 of 1 results were not asked for", all = FALSE)
  expect_identical(nrow(open_trials(file)), 2L)
  save_run(open_run(), file)
  asked <- ask(file, 2, block = "x")
  asked$block <- c("x", "y")
  expect_error(tell(file, data.frame(asked, y = 1)), "asked for block \"x\"",
               class = "bayesgap_error_block")
})
