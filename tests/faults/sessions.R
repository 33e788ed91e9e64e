# The same run in other sessions: another process, another version, another BLAS, no packages.

case("a run written in one process is read in another", {
  p <- run_r(c(
    setup,
    "future::plan(future::multicore, workers = 2)",
    "x <- run(noisy, checkpoint = 'run.bgap', batch = 2)",
    "u <- data.frame(u = 1:20, class = rep(c('a', 'b'), 10))",
    "f <- function(arm) sin(arm$u / 3)",
    "y <- bayesgap(u, f, budget = 9, kernel = k_by(~class, k_se(~u)), seed = 1, checkpoint = 'kernel.bgap')",
    "saveRDS(list(x, y), 'result.rds')"
  ))
  there <- readRDS(file.path(p$folder, "result.rds"))
  file <- file.path(p$folder, c("run.bgap", "kernel.bgap"))
  check(identical(read_run(file[1]), there[[1]]), "read_run() is the run")
  check(identical(read_run(file[1]), run(noisy, batch = 2)), "and that of this session")
  y <- read_run(file[2])
  kernel <- there[[2]]$model$kernel$kernel
  check(identical(format(y$model$kernel$kernel), format(kernel)), "with a kernel, in words")
  y$model$kernel$kernel <- kernel # a file keeps no formulas
  check(all.equal(y, there[[2]]) && identical(y$log, there[[2]]$log), "and all that it made")
  check(identical(y$belief, there[[2]]$belief), "to the last bit")
  more <- quietly(run(noisy, checkpoint = file[1], batch = 2, budget = 16))
  check(identical(more, bayesgap(there[[1]], noisy, budget = 16, batch = 2)), "it is extended here")
})

case("plates told by hand, in three sessions", {
  # What is done in each; the second plate comes back in two parts, the last wells first.
  days <- list(
    c(
      "x <- bayesgap(c('std', letters[1:6]), budget = 24, control = 'std', init = 3, seed = 5)",
      "todo <- ask(x, 4, block = 'plate 7')",
      "x <- tell(x, cbind(todo, y = c(1, 3, 2, NA), failed = c(FALSE, FALSE, FALSE, TRUE)))"
    ),
    c(
      "todo <- ask(x, 5, block = as.Date('2026-03-01'))",
      "x <- tell(x, cbind(todo, y = c(4, 6, 5, 8, 3), well = letters[1:5])[4:5, ])"
    ),
    c(
      "x <- tell(x, cbind(todo, y = c(4, 6, 5, 8, 3), well = letters[1:5])[1:3, ])",
      "x <- bayesgap(x, budget = 30)",
      "todo <- ask(x, 4, block = 'plate 7')",
      "x <- tell(x, cbind(todo, y = 4:1))"
    )
  )
  here <- new.env()
  folder <- new_folder()
  file <- file.path(folder, "run.bgap")
  for (day in seq_along(days)) {
    eval(parse(text = days[[day]]), here)
    run_r(c(
      if (day > 1L) "x <- read_run('run.bgap'); todo <- readRDS('todo.rds')",
      days[[day]], "save_run(x, 'run.bgap')", "saveRDS(todo, 'todo.rds')"
    ), folder)
    check(identical(readRDS(file.path(folder, "todo.rds")), here$todo), paste("asked on day", day))
    check(identical(read_run(file), here$x), paste("the run of day", day))
    again <- function(x) ask(x, 3, block = "plate 8")
    check(identical(again(read_run(file)), again(here$x)), paste("what is next on day", day))
  }
  table <- as.data.frame(here$x)
  check(identical(unique(table$block), c("plate 7", "2026-03-01")), "with both plates")
  check(sum(table$arm == "std") == 2L, "and a control on each")
})

case("another version of the package, another format", {
  x <- run(noisy)
  file <- tempfile(fileext = ".bgap")
  other <- function(format, version) {
    settings <- bayesgap:::pack_settings(x)
    end <- match(as.raw(10), settings$bytes)
    about <- rawToChar(settings$bytes[seq_len(end)])
    about <- sub("format [0-9]+, version [^,]*", sprintf("format %s, version %s", format, version), about)
    settings$bytes <- c(charToRaw(about), settings$bytes[-seq_len(end)])
    settings$sum <- bayesgap:::checksum(settings$bytes)
    writeBin(bayesgap:::pack_run(x, settings), file)
    process <- run_r(c(
      sprintf("x <- tryCatch(read_run(%s), error = identity)", deparse(file)),
      "saveRDS(x, 'result.rds')"
    ))
    readRDS(file.path(process$folder, "result.rds"))
  }
  now <- bayesgap:::format_number
  check(identical(other(now, "0.2.7"), x), "another minor version is read")
  unknown <- max(bayesgap:::read_formats) + 1L
  e <- other(unknown, "3.1.4")
  check(inherits(e, "bayesgap_error_checkpoint"), "another format is refused")
  said <- sprintf("version 3.1.4 of the package in format %d", unknown)
  check(grepl(said, conditionMessage(e)), "with its version")
})

# ---- BLAS ---------------------------------------------------------------------------------------

# The pulls on the shipped examples.
examples <- c(
  "pulls <- list()",
  "problem <- traffic_problem(traffic$speeds)",
  "truth <- problem$means[1, ]",
  "for (name in c('bayesgap', 'ei', 'kg', 'thompson', 'ttts', 'gpucb')) {",
  "  f <- function(arm) truth[[match(arm, problem$model$arms$names)]] + rnorm(1)",
  "  x <- bayesgap(problem$model, f, budget = 25, policy = name, seed = 1)",
  "  pulls[[paste('traffic', name)]] <- list(x$log$arm, best_arm(x))",
  "}",
  "kernel <- k_by(~class, k_se(~ step1 + step2 + step3, lengthscale = 1 / sqrt(2)))",
  "for (name in c('bayesgap', 'ei', 'kg', 'thompson')) {",
  "  f <- function(arm) sin(arm$step1) + cos(arm$step2 + arm$step3) + rnorm(1, sd = 0.1)",
  "  x <- bayesgap(wine_models, f, budget = 20, kernel = kernel, policy = name, seed = 1)",
  "  pulls[[paste('wine', name)]] <- list(x$log$arm, best_arm(x)$arm)",
  "}",
  "save_run(x, 'run.bgap')",
  "saveRDS(list(pulls = pulls, log = x$log, blas = extSoftVersion()[['BLAS']]), 'result.rds')"
)

# All that there are, and those of the folders named in BLAS_FOLDERS, separated by colons.
folders <- c(
  Sys.glob(c("/usr/lib/*/blas", "/usr/lib/*/openblas-*", "/usr/lib/*/atlas", "/usr/lib/*/blis-*")),
  strsplit(Sys.getenv("BLAS_FOLDERS"), ":")[[1]]
)
folders <- folders[file.exists(file.path(folders, "libblas.so.3"))]
preload <- vapply(folders, function(folder) {
  lapack <- file.path(c(folder, sub("/blas$", "/lapack", folder)), "liblapack.so.3")
  files <- c(file.path(folder, "libblas.so.3"), lapack[file.exists(lapack)][1])
  sprintf("LD_PRELOAD='%s'", paste(files[!is.na(files)], collapse = " "))
}, "", USE.NAMES = FALSE)
threaded <- grep("openblas", preload, value = TRUE)
ways <- c(
  preload, sprintf("OPENBLAS_NUM_THREADS=1 %s", threaded),
  sprintf("OPENBLAS_CORETYPE=Nehalem %s", threaded),
  sprintf("OPENBLAS_CORETYPE=Prescott %s", threaded)
)
if (length(ways) > 1L) {
  case("the same pulls whatever the BLAS and its threads", {
    found <- lapply(ways, function(way) {
      p <- run_r(examples, environment = way)
      c(readRDS(file.path(p$folder, "result.rds")), file = file.path(p$folder, "run.bgap"))
    })
    for (i in seq_along(ways)) {
      check(identical(read_run(found[[i]]$file)$log, found[[i]]$log), "a run is read on this BLAS")
      check(identical(found[[i]]$pulls, found[[1]]$pulls), ways[i])
      note("%s", found[[i]]$blas)
    }
  })
} else {
  skip("there is one BLAS on this machine, so nothing was compared")
}

# ---- No packages --------------------------------------------------------------------------------

case("R without any suggested package", {
  library <- new_folder()
  stopifnot(file.symlink(find.package("bayesgap"), file.path(library, "bayesgap")))
  p <- run_r(
    c(
      setup,
      "done <- character(); said <- list()",
      "works <- function(what, code) { force(code); done <<- c(done, what) }",
      "needs <- function(what, code) {",
      "  said[[what]] <<- tryCatch({ force(code); 'nothing' }, bayesgap_error_package = conditionMessage)",
      "}",
      "pdf(NULL)",
      "works('run', x <- run(noisy, checkpoint = 'run.bgap', progress = TRUE))",
      "works('batch', run(noisy, batch = 3, retries = 1, time_limit = 600))",
      "works('read', stopifnot(identical(read_run('run.bgap'), x)))",
      "works('ask', { y <- run(NULL); y <- tell(y, cbind(ask(y, 2), y = 1:2)); best_arm(y) })",
      "works('words', capture.output(print(x), print(summary(x)), print(posterior(x))))",
      "works('table', as.data.frame(x))",
      "works('plot', plot(x))",
      "works('predict', { predict(x); simulate(x, 2); confint(x); nobs(x); update(x, noise_sd = 1) })",
      "works('kernel', bayesgap(data.frame(u = 1:9), function(arm) arm$u, budget = 5, kernel = k_se()))",
      "model <- arm_model(3, prior_mean = 0, prior_sd = 1, noise_sd = 1)",
      "works('benchmark', { b <- benchmark_policies(problem_gaussian(model), 'uniform', 5, reps = 3); summary(b) })",
      "works('traffic', traffic_problem(traffic$speeds))",
      "works('corridor', plot(simulate_corridor(days = 1, sensors = 5, seed = 1)))",
      "needs('ggplot2', bayesgap:::autoplot.bayesgap(x))",
      "needs('ranger', wine_objective()(wine_models[wine_models$class == 'forest', ][1, ]))",
      "suggested <- c('future', 'ggplot2', 'progressr', 'generics', 'ranger', 'glmnet', 'e1071', 'FNN')",
      "seen <- suggested[nzchar(vapply(suggested, function(p) system.file(package = p), ''))]",
      "saveRDS(list(done = done, said = said, seen = seen), 'result.rds')"
    ),
    environment = c(
      paste0("R_LIBS=", shQuote(library)), "R_LIBS_SITE=/nowhere", "R_LIBS_USER=/nowhere"
    )
  )
  file <- file.path(p$folder, "result.rds")
  check(file.exists(file), paste(c("all calls work:", tail(readLines(p$log), 5)), collapse = "\n"))
  r <- readRDS(file)
  check(!length(r$seen), paste("no suggested package is there:", toString(r$seen)))
  check(length(r$done) == 12L, "all that needs none works")
  for (name in names(r$said)) {
    check(grepl(paste0("needs the package.*", name, ".*install.packages"), r$said[[name]]),
      paste0(name, " is asked for: ", r$said[[name]]))
  }
})
