test_that("a run is begun, asked, told and corrected on the page, and is in its file", {
  old <- setwd(tempfile_folder())
  on.exit(setwd(old))
  with_desk(NULL, {
    expect_match(html("work"), "What can be tried")
    expect_match(html("preview"), "What this is for")
    wrong <- request("arms", list(arms = " "))
    expect_identical(wrong$mistakes[[1]]$field, "arms")
    # What is typed is kept until it is of no more use.
    expect_length(wrong$forget, 0L)
    expect_length(request("arms", list(arms = "red\ngreen\nblue"))$forget, 0L)
    expect_match(html("begin"), "Begin the run")
    wrong <- request("begin", list(name = "mine", budget = "x", naming = "arm"))
    expect_identical(wrong$mistakes[[1]]$field, "budget")
    expect_identical(wrong$kind, "bad")
    expect_false(file.exists("mine.bgap"))
    done <- request("begin", list(name = "mine", budget = "9", naming = "arm"))
    expect_identical(done$kind, "good")
    expect_identical(done$forget, list("arms", "begin"))
    expect_match(html("where"), "data-run=\"mine.bgap\"")
    expect_match(html("work"), "part-upload")
    expect_match(html("answer"), "Nothing is known yet")

    expect_identical(request("ask", list(n = "two"))$mistakes[[1]]$field, "n")
    expect_match(request("ask", list(n = "2"))$said, "Trials 1, 2")
    expect_match(html("enter"), "name=\"y.2\"", fixed = TRUE)
    wrong <- request("results", list(y.1 = "1", y.2 = "z"))
    expect_identical(wrong$mistakes, list(list(field = "y.2", text = "\"z\" is no number.")))
    expect_match(wrong$said, "one entry is to be put right")
    expect_match(request("results", list(y.1 = "a", y.2 = "z"))$said, "2 entries")
    expect_match(request("results", list(y.1 = "1", y.2 = "2"))$said, "2 results saved")
    expect_match(html("answer"), "is the best of 3 arms")
    expect_match(html("sight"), "picture_arms")
    expect_match(output$picture_arms$alt, "is the best of 3 arms")

    request("correct", action = "edit", value = "1")
    expect_match(html("correct"), "name=\"y.1\"", fixed = TRUE)
    request("correct", action = "edit", value = "")
    expect_no_match(html("correct"), "name=\"y.1\"", fixed = TRUE)
    request("correct", action = "edit", value = "1")
    expect_match(request("correct", list(y.1 = "5"), value = "1")$said, "is corrected")
    expect_no_match(html("correct"), "name=\"y.1\"", fixed = TRUE)
    expect_identical(as.data.frame(read_run("mine.bgap"))$y, c(5, 2))
    expect_match(html("record"), "was corrected")
    expect_match(html("arms_table"), "Expected")
    expect_match(html("learned"), "A typical result")

    request("ask", list(n = "1"))
    called <- request("results", list(y.3 = "7"), action = "cancel", value = "3")
    expect_match(called$said, "called off")
    expect_length(called$forget, 0L) # what is typed beside other trials is still wanted
    request("drop", list(arm = "red"))
    expect_match(html("arm_list"), "data-form=\"back\"")
    expect_length(request("nonsense")$mistakes, 1L)
    expect_length(request("ask", action = "system", value = "1")$mistakes, 1L)
  })
})

test_that("an uploaded table, a sheet of results and what is wrong with them", {
  old <- setwd(tempfile_folder())
  on.exit(setwd(old))
  with_desk(NULL, {
    session$setInputs(arms_file = uploaded(lines_file("arm,x")))
    expect_identical(sent[[1]]$form, "arms_file")
    expect_match(sent[[1]]$mistakes[[1]]$text, "no row below it")
    session$setInputs(arms_file = uploaded(lines_file("arm;x", "a;1,000", "b;2,000")))
    expect_identical(sent[[2]]$form, "arms_file")
    expect_match(sent[[2]]$mistakes[[1]]$text, "1.000 or 1000", fixed = TRUE)
    asked <- request("arms", list(arms = "arm\tx\na\t1,000\nb\t2,000"))
    expect_identical(asked$mistakes[[1]]$field, "arms")
    expect_identical(request("arms", list(arms = "1,000\n2,000"))$kind, "good") # names
    expect_match(html("preview"), "1,000")
    session$setInputs(arms_file = uploaded(lines_file("arm,x", "a,1", "b,2")))
    expect_match(html("preview"), "2 arms read")
    request("begin", list(name = "r", budget = "9", naming = "arm", matters = list("x")))
    request("ask", list(n = "2"))
    arm <- open_trials("r.bgap")$arm
    bad <- lines_file("trial;arm;result", paste0("1;", arm[1], ";3,5"), "2;z;4")
    session$setInputs(results_file = uploaded(bad))
    expect_match(html("upload"), "arm in row 2")
    last <- sent[[length(sent)]]
    expect_identical(last$form, "review")
    expect_identical(last$mistakes[[1]]$field, "arm.2")
    expect_identical(request("review", list(arm.2 = "y"))$mistakes[[1]]$field, "arm.2")
    expect_match(request("review", list(arm.2 = arm[2]))$said, "2 results saved")
    expect_identical(as.data.frame(read_run("r.bgap"))$y, c(3.5, 4))
    expect_match(html("upload"), "Sheet of results")
    session$setInputs(results_file = uploaded(lines_file("")))
    expect_identical(sent[[length(sent)]]$form, "results_file")
    session$setInputs(results_file = uploaded(bad))
    request("review", action = "leave")
    expect_match(html("upload"), "Sheet of results")
    path <- output$list_csv
    expect_identical(names(utils::read.csv(path)), c("pull", "arm", "x", "y", "failed"))
    expect_identical(utils::read.csv(output$log_csv)$y, c(3.5, 4))
    expect_match(readLines(output$report_html), "<title>r.bgap</title>", all = FALSE, fixed = TRUE)
  })
})

test_that("what others do with the file is seen", {
  file <- desk_run(n = 2L)
  with_desk(file, {
    expect_match(html("enter"), "name=\"y.1\"", fixed = TRUE)
    tell(file, data.frame(pull = 1, y = 3))
    session$elapse(1100)
    expect_no_match(html("enter"), "name=\"y.1\"", fixed = TRUE)
    expect_match(html("answer"), "is the best of")
    bytes <- readBin(file, "raw", 1e5)
    writeBin(rev(bytes), file)
    session$elapse(1100)
    expect_match(html("work"), "cannot be worked with")
    unlink(file)
    session$elapse(1100)
    expect_match(html("work"), "What can be tried")
    writeBin(bytes, file)
    session$elapse(1100)
    expect_match(html("enter"), "name=\"y.2\"", fixed = TRUE)
  })
})

test_that("while another session writes, a request waits and is done then", {
  file <- desk_run()
  with_desk(file, {
    unlock <- lock_file(file)
    waits <- request("ask", list(n = "1"))
    expect_identical(waits$kind, "wait")
    expect_match(waits$said, "Another session is writing")
    expect_match(waits$said, "for half a minute")
    unlock()
    before <- length(sent)
    for (i in 1:40) {
      if (length(sent) > before) break
      Sys.sleep(0.1)
      session$elapse(100)
    }
    expect_identical(sent[[length(sent)]]$kind, "good")
    expect_identical(nrow(open_trials(file)), 1L)
  })
})

test_that("requests that wait do not put each other out, and each is answered", {
  file <- desk_run(n = 3L)
  with_desk(file, {
    unlock <- lock_file(file)
    request("results", list(y.1 = "1"))
    request("results", action = "cancel", value = "2")
    request("plan", list(budget = "25"))
    request("plan", list(budget = "30")) # asked for once more, as it is now
    expect_identical(unique(vapply(sent, `[[`, "", "kind")), "wait")
    expect_length(desk$waiting()$all, 3L)
    unlock()
    before <- length(sent)
    request("drop", list(arm = "std")) # which is done at once, and leaves the others waiting
    for (i in 1:60) {
      if (!length(desk$waiting()$all)) break
      Sys.sleep(0.1)
      session$elapse(100)
    }
    last <- sent[-seq_len(before)]
    form <- vapply(last, `[[`, "", "form")
    expect_identical(sort(form), c("drop", "plan", "results", "results"))
    expect_identical(unique(vapply(last, `[[`, "", "kind")), "good")
    expect_identical(as.data.frame(read_run(file))$y, 1)
    expect_identical(open_trials(file)$pull, 3L)
    expect_equal(read_run(file)$budget, 30)
  })
})

test_that("requests whose errors belong to no field are answered, and the page stays", {
  file <- desk_run(n = 1L)
  with_desk(file, {
    whole <- function(answer) {
      expect_identical(answer$kind, "bad")
      expect_identical(answer$mistakes[[1]]$field, "")
      answer$mistakes[[1]]$text
    }
    expect_match(whole(request("results")), "No result is filled in")
    expect_match(whole(request("results", action = "cancel", value = "7")), "7")
    expect_match(whole(request("correct", list(y.7 = "1"), value = "7")), "row")
    expect_match(whole(request("correct", action = "withdraw", value = "7")), "row")
    unlock <- lock_file(file)
    expect_identical(request("results", list(y.1 = "1"))$kind, "wait")
    expect_identical(request("results", action = "cancel", value = "1")$kind, "wait")
    unlock()
  })
})

test_that("a lock that is never given up ends in an error, after a while", {
  file <- desk_run()
  with_desk(file, {
    unlock <- lock_file(file)
    asked <- list(form = "ask", action = "ask", values = list(n = "1"))
    shiny::isolate(do_request(desk, asked, session, until = now()))
    unlock()
    expect_identical(sent[[length(sent)]]$kind, "bad")
    expect_match(sent[[length(sent)]]$mistakes[[1]]$text, "Another run writes")
  })
})

test_that("runs of the folder are opened by their names, and no others", {
  folder <- tempfile_folder()
  old <- setwd(folder)
  on.exit(setwd(old))
  save_run(open_run(), "one.bgap")
  with_desk(NULL, {
    expect_match(html("work"), "one.bgap")
    expect_identical(request("open", list(name = "../one"))$mistakes[[1]]$field, "name")
    expect_identical(request("open", list(name = "two"))$mistakes[[1]]$field, "name")
    expect_identical(request("open", list(name = "one.bgap"))$kind, "good")
    expect_match(html("where"), "one.bgap: 4 arms, 0 of 8 trials")
  })
})
