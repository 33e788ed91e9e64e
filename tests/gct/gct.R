# Every registered C routine, called once plainly and once with a garbage collection at each
# allocation: the value and the random numbers used must be the same, and the arguments
# unchanged. A missing PROTECT gives wrong numbers rather than a crash, so values are compared,
# with vectors of several sizes: memory is reused by size. An unbalanced one is reported on
# stderr only, so nothing may be written there.
options(warn = 2)
package <- loadNamespace("bayesgap")
passed <- 0L
failed <- 0L

reports <- tempfile()
report_file <- file(reports, "w")
sink(report_file, type = "message")
reported <- function() {
  sink(type = "message")
  close(report_file)
  readLines(reports)
}
options(error = quote({
  cat(reported(), sep = "\n")
  quit(status = 1)
}))

check <- function(ok, what) {
  if (isTRUE(ok)) {
    passed <<- passed + 1L
  } else {
    failed <<- failed + 1L
    cat("failed:", what, "\n")
  }
}

# ---- Calls --------------------------------------------------------------------------------------

covered <- character()

# The value, or the error.
call_routine <- function(routine, args, torture) {
  call <- as.call(c(list(.Call, package[[routine]]), args))
  set.seed(1)
  on.exit(gctorture(FALSE))
  value <- tryCatch(
    {
      gctorture(torture)
      eval(call)
    },
    error = identity
  )
  gctorture(FALSE)
  list(value = value, seed = .Random.seed)
}

# Version 2 writes the elements of a vector whatever form it is kept in.
bytes <- function(x) serialize(x, NULL, version = 2L)

# Calls a routine both ways; returns its value. What outlived a few collections is spared by
# most of those that follow, so a loss in the middle of a long call shows only now and then:
# such calls are made several times.
torture <- function(what, routine, ..., error = FALSE, times = 1L) {
  args <- list(...)
  before <- bytes(args)
  plain <- call_routine(routine, args, FALSE)
  kept <- bytes(plain)
  tortured <- lapply(seq_len(times), function(i) call_routine(routine, args, TRUE))
  what <- paste0(routine, ", ", what)
  if (inherits(plain$value, "error") != error) {
    stop(what, ": ", if (error) "no error" else conditionMessage(plain$value))
  }
  for (other in tortured) {
    check(identical(plain$value, other$value), paste0(what, ": same value"))
    check(identical(plain$seed, other$seed), paste0(what, ": same random numbers"))
  }
  check(identical(bytes(args), before), paste0(what, ": arguments unchanged"))
  check(identical(bytes(plain), kept), paste0(what, ": earlier value unchanged"))
  covered <<- union(covered, routine)
  invisible(plain$value)
}

# ---- Input --------------------------------------------------------------------------------------

# k arms: independent, with a singular covariance, with features, with a kernel that has all
# that a kernel can have, one ready to be drawn from.
models <- function(k) {
  positions <- ceiling(seq_len(k) / 2)
  kernel <- bayesgap::arm_model(
    data.frame(arm = seq_along(positions), u = positions, class = positions %% 2),
    kernel = bayesgap::k_by(~class, bayesgap::k_se(~u)) + 0.1 * bayesgap::k_white() +
      function(a, b) outer(a$u, b$u)
  )
  kernel$prior <- package$drawable(kernel$prior)
  list(
    independent = bayesgap::arm_model(k),
    cov = bayesgap::arm_model(k, cov = exp(-outer(positions, positions, "-")^2)),
    features = bayesgap::arm_model(k, features = cbind(1, positions, sin(positions))),
    kernel = kernel
  )
}
# The usual pull has two trials where arms are odd in number.
fit <- function(k) package$new_fit(cos(seq_len(k)), 1.5, 0.25, Inf, k, size = 1 + k %% 2)

# Pulls of arms in turn: some failed, some outside the budget, some with a standard error.
pulls <- function(n, arms) {
  i <- seq_len(n)
  log <- list(
    pull = i, arm = rep_len(as.integer(arms), n), reward = sin(i), se = i / 100,
    block = rep(NA_integer_, n), size = 1 + i %% 3
  )
  log$pull[i %% 11L == 5L] <- NA
  log$reward[i %% 7L == 3L] <- NA
  log$se[i %% 5L != 2L] <- NA
  log
}

default <- bayesgap::policy("bayesgap")
policies <- c(
  lapply(bayesgap::policies()$policy, bayesgap::policy),
  list(
    bayesgap::policy("bayesgap", variant = "paper"),
    bayesgap::policy("bayesgap", beta = 2, decay = 0.9)
  )
)
kinds <- c("independent", "cov", "features", "kernel")
five <- models(5L)
sizes <- c(1:4, 7L)

# ---- bg_least -----------------------------------------------------------------------------------

# The kinds of arms that a policy can work with, given 60 pulls.
fitting <- lapply(policies, function(policy) {
  Filter(function(kind) {
    least <- .Call(package$bg_least, five[[kind]]$prior, fit(5L), policy, list(60L, NULL))
    is.numeric(least) && least <= 60
  }, kinds)
})
for (i in seq_along(policies)) {
  what <- format(policies[[i]])
  check(length(fitting[[i]]) > 0L, paste(what, "can work with some kind of arms"))
  for (kind in c("independent", "features")) {
    torture(
      paste0(what, ", ", kind), "bg_least", five[[kind]]$prior, fit(5L), policies[[i]],
      list(60L, NULL)
    )
  }
}

# ---- bg_advance ---------------------------------------------------------------------------------

advance <- function(what, model, policy, before, log, barred = NULL, ...) {
  k <- length(model$arms$names)
  task <- list(60L, barred, NULL)
  torture(what, "bg_advance", model$prior, fit(k), policy, task, before, log, ...)
}

# From the prior, on from there, with nothing new, and with arms that may not be pulled.
advance_all <- function(what, model, policy) {
  k <- length(model$arms$names)
  first <- advance(paste0(what, ", start"), model, policy, NULL, pulls(0L, 1L))
  then <- advance(paste0(what, ", on"), model, policy, first, pulls(3L, seq_len(k)))
  advance(paste0(what, ", nothing new"), model, policy, then, pulls(3L, seq_len(k)))
  barred <- seq_len(k) %% 2L == 0L
  advance(paste0(what, ", barred"), model, policy, then, pulls(5L, seq_len(k)), barred)
}

# So many pulls of three arms that their columns become three with the last one.
advance_long <- function(kind, k) {
  model <- models(k)[[kind]]
  what <- paste0(kind, ", ", k, " arms")
  log <- pulls(44L, 1:3)
  before <- advance(paste0(what, ", long"), model, default, NULL, lapply(log, head, 38L))
  after <- advance(paste0(what, ", compacted"), model, default, before, log, times = 10L)
  if (kind != "independent") {
    check(length(before$columns) > 30L, "many columns before compacting")
    check(length(after$columns) <= 3L, "few columns after compacting")
  }
}

for (kind in kinds) {
  advance_all(paste0(kind, ", bayesgap"), five[[kind]], default)
  advance_long(kind, 4L)
}
advance_long("cov", 3L)
for (k in sizes) {
  advance_all(paste(k, "arms"), models(k)$cov, default)
}
for (i in seq_along(policies)) {
  kind <- fitting[[i]][length(fitting[[i]])]
  what <- paste0(format(policies[[i]]), ", ", kind)
  then <- advance(paste0(what, ", log"), five[[kind]], policies[[i]], NULL, pulls(7L, 1:5))
  advance(paste0(what, ", on"), five[[kind]], policies[[i]], then, pulls(9L, 1:5), 1:5 > 3)
}
nobody <- list(name = "nobody", param = double())
advance("no such policy", five$cov, nobody, NULL, pulls(0L, 1L), error = TRUE)

# ---- bg_believe, bg_certainty, bg_draws ---------------------------------------------------------------------

for (k in sizes) {
  for (kind in kinds) {
    prior <- models(k)[[kind]]$prior
    rows <- seq_len(max(1L, k - 1L))
    belief <- .Call(
      package$bg_advance, prior, fit(k), default, list(60L, NULL, NULL), NULL, pulls(9L, rows)
    )
    what <- paste0(k, " arms, ", kind)
    believed <- torture(what, "bg_believe", prior, fit(k), 0L, pulls(9L, rows))
    check(
      isTRUE(all.equal(believed[c("mean", "var")], belief[c("mean", "var")])),
      paste(what, "the same without a policy")
    )
    longer <- torture(what, "bg_append", pulls(9L, rows), pulls(3L * k, rows))
    check(identical(longer, Map(c, pulls(9L, rows), pulls(3L * k, rows))), paste(what, "rows"))
    torture(what, "bg_certainty", prior, fit(k), belief, NULL, k, 40L)
    torture(what, "bg_certainty", prior, fit(k), believed, sin(seq_len(k)), k, 40L)
    torture(what, "bg_draws", prior, fit(k), belief, NULL, 1L, times = 2L)
    torture(what, "bg_draws", prior, fit(k), belief, sin(seq_len(k)), k)
    # The arms observed are enough to go on with.
    torture(
      paste0(what, ", some"), "bg_certainty", package$race_prior(prior, rows),
      fit(length(rows)), package$race_belief(belief, rows), NULL, 1L, 40L
    )
  }
}

# ---- bg_next, bg_round, bg_later_stream, and columns that grow ------------------------------------

for (k in sizes) {
  x <- package$bayesgap(
    k, budget = 40, prior_mean = 0, prior_sd = 1, noise_sd = 0.5, cov = diag(k) + 0.5, seed = k
  )
  for (i in 1:6) x <- package$tell(x, sin(i))
  what <- paste0(k, " arms")
  following <- torture(what, "bg_next", x)
  check(identical(following, package$ask_rows(x, 1L)), paste(what, "next"))
  learned <- torture(what, "bg_round", x, 0.25, .Random.seed, times = 3L)
  check(identical(learned$log$reward, c(sin(1:6), 0.25)), paste(what, "round"))
  check(is.null(torture(what, "bg_round", x, 1L, .Random.seed)), paste(what, "no round"))
  check(
    identical(torture(what, "bg_later_stream", x$stream, k), package$later_stream(x$stream, k)),
    paste(what, "stream")
  )
  # Behind a column that has room, and behind one that has not.
  more <- list(1:3, c(0.5, NA), list(a = 1))
  once <- torture(what, "bg_append", list(x$log$pull, x$log$reward, list(b = 2)), more)
  twice <- torture(what, "bg_append", once, more)
  check(identical(twice[[1L]], c(1:6, 1:3, 1:3)), paste(what, "numbers"))
  check(identical(twice[[2L]], c(sin(1:6), 0.5, NA, 0.5, NA)), paste(what, "doubles"))
  check(identical(twice[[3L]], list(b = 2, a = 1, a = 1)), paste(what, "lists"))
}

# ---- bg_run, bg_world_mean ----------------------------------------------------------------------

gaussian <- list("gaussian", 1, 1)

run <- function(what, k, kind, policy, budget, barred = NULL, world = list()) {
  given <- list(mean = sin(seq_len(k)), noise_sd = rep(0.5, k), pool = NULL, law = gaussian)
  given[names(world)] <- world
  after <- unique(c(1L, budget))
  prior <- models(k)[[kind]]$prior
  torture(what, "bg_run", prior, fit(k), policy, list(budget, barred), given, after)
  torture(what, "bg_world_mean", prior, fit(k), given)
}

for (i in seq_along(policies)) {
  for (kind in fitting[[i]]) {
    run(paste0(format(policies[[i]]), ", ", kind), 5L, kind, policies[[i]], 60L)
  }
}
for (kind in kinds) {
  run(paste0(kind, ", barred"), 5L, kind, default, 7L, 1:5 > 2)
  run(paste0(kind, ", exact"), 5L, kind, default, 7L, world = list(noise_sd = rep(0, 5)))
  run(paste0(kind, ", a pool"), 5L, kind, default, 7L, world = list(pool = matrix(1:20 / 3, 5)))
  run(paste0(kind, ", drawn"), 5L, kind, default, 7L, world = list(mean = NULL))
  for (law in c("binomial", "poisson")) {
    rates <- list(mean = NULL, law = list(law, 3, 1 - 2 * (kind == "cov")))
    run(paste0(kind, ", rates"), 5L, kind, default, 7L, world = rates)
  }
}
for (k in sizes) {
  for (budget in 1:3) {
    run(paste0(k, " arms, budget ", budget), k, "cov", default, budget)
  }
}
for (i in seq_along(policies)) {
  cost <- c(0.25, 0.5, 1, 1.25, 2)
  task <- list(12L, NULL, NULL, NULL, NULL, FALSE, cost, c(12, 48))
  world <- list(mean = sin(1:5), noise_sd = rep(0.5, 5), pool = NULL, law = gaussian)
  torture(
    paste0(format(policies[[i]]), ", costs"), "bg_run", models(5L)[[fitting[[i]][1]]]$prior, fit(5L),
    policies[[i]], task, world, c(1L, 48L)
  )
  torture(paste0(format(policies[[i]]), ", costs"), "bg_regards_costs", policies[[i]])
}

# ---- Blocks -------------------------------------------------------------------------------------

# known: blocks that tell anything; open: those to choose from; given: the one asked for.
block_task <- function(known, open, given = NA_integer_, budget = 60L) {
  list(budget, NULL, NULL, list(known, open, given, c(1L, 2L), c(1L, NA)))
}
block_fit <- function(k) package$new_fit(cos(seq_len(k)), 1.5, 0.25, Inf, k, block2 = 2)
in_blocks <- function(n, arms, blocks) modifyList(pulls(n, arms), list(block = rep_len(blocks, n)))

for (i in seq_along(policies)) {
  for (kind in if (i == 1L) kinds else kinds[1L + i %% 4L]) {
    k <- 5L
    prior <- five[[kind]]$prior
    policy <- policies[[i]]
    what <- paste0("blocks, ", format(policy), ", ", kind)
    least <- torture(what, "bg_least", prior, block_fit(k), policy, block_task(2L, 4L))
    if (is.character(least) || least > 60) {
      next
    }
    step <- function(name, task, before, log, ...) {
      torture(paste0(what, name), "bg_advance", prior, block_fit(k), policy, task, before, log, ...)
    }
    first <- step(", start", block_task(1L, 4L), NULL, in_blocks(0L, 1L, 1L))
    then <- step(", on", block_task(2L, 4L), first, in_blocks(4L, 1:5, 1:2))
    # More blocks than the belief before had, and one that is given.
    more <- step(
      ", more blocks", block_task(4L, 0L, 4L), then, in_blocks(9L, 1:5, c(1:2, 1:2, 3:4)),
      times = 3L
    )
    check(all(lengths(more$columns) == k + 4L), paste(what, "longer columns"))
    at_once <- .Call(package$bg_advance, prior, block_fit(k), policy, block_task(4L, 0L, 4L), NULL,
      in_blocks(9L, 1:5, c(1:2, 1:2, 3:4)))
    check(
      isTRUE(all.equal(at_once[c("mean", "var", "block_mean", "block_var")],
        more[c("mean", "var", "block_mean", "block_var")])), paste(what, "the same at once")
    )
    torture(what, "bg_believe", prior, block_fit(k), 4L, in_blocks(9L, 1:5, c(1:2, 1:2, 3:4)))
    torture(what, "bg_certainty", prior, block_fit(k), more, sin(1:5), 2L, 40L)
    torture(what, "bg_draws", prior, block_fit(k), more, NULL, 3L)
    torture(what, "bg_posterior_factor", prior, block_fit(k), more, seq_len(k), 1e-12, k)
    torture(
      paste0(what, ", some"), "bg_certainty", package$race_prior(prior, 1:4),
      package$new_fit(cos(1:4), 1.5, 0.25, Inf, 4L, block2 = 2), package$race_belief(
        .Call(package$bg_advance, prior, block_fit(k), policy, block_task(4L, 0L, 4L), NULL,
          in_blocks(9L, 1:4, 1:4)), 1:4), NULL, 1L, 40L
    )
    world <- list(mean = sin(1:5), noise_sd = rep(0.5, 5), pool = matrix(sin(1:20), 5), law = gaussian)
    task <- block_task(4L, 4L, budget = 12L)
    torture(what, "bg_run", prior, block_fit(k), policy, task, world, c(1L, 12L))
  }
}

# ---- bg_kernel_*, bg_posterior_* ----------------------------------------------------------------

for (k in sizes) {
  prior <- models(k)$kernel$prior
  what <- paste(k, "arms")
  torture(what, "bg_kernel_diagonal", prior$kernel)
  torture(what, "bg_kernel_matrix", prior$kernel, seq_len(k), seq_len(k))
  torture(paste(what, "some"), "bg_kernel_matrix", prior$kernel, k:1, 1L)
  torture(paste(what, "whole"), "bg_kernel_factor", prior$kernel, 1e-12, k)
  torture(paste(what, "cut short"), "bg_kernel_factor", prior$kernel, 1e-12, 1L)
  torture(paste(what, "nothing"), "bg_kernel_factor", prior$kernel, 1e12, k)
  some <- c(seq_len(k), 1L)
  weight <- outer(some, some)
  torture(what, "bg_kernel_gradient", prior$kernel, some, weight + t(weight))
  prior[c("factor", "rest")] <- list(NULL)
  belief <- .Call(
    package$bg_advance, prior, fit(k), default, list(60L, NULL, NULL), NULL, pulls(9L, seq_len(k))
  )
  for (limit in unique(c(1L, k))) {
    torture(what, "bg_posterior_factor", prior, fit(k), belief, rev(seq_len(k)), 1e-12, limit)
    torture(what, "bg_posterior_column", prior, fit(k), belief, limit)
  }
}

# ---- bg_evidence --------------------------------------------------------------------------------

for (k in sizes) {
  y <- sin(seq_len(k))
  g <- exp(-outer(seq_len(k), seq_len(k), "-")^2)
  for (free in c(TRUE, FALSE)) {
    for (df in c(0, k + 2)) {
      what <- paste(k, "averages, free mean", free, "df", df)
      torture(what, "bg_evidence", list(y, g, 1.5, y^2 + 0.1, free, df, 1))
      torture(what, "bg_evidence", list(y, diag(g), 1.5, y^2 + 0.1, free, df, 1))
      torture(what, "bg_evidence", list(y, g, 1.5, y^2 + 0.1, free, df, 1, FALSE))
      torture(what, "bg_evidence", list(y, diag(g), 1.5, y^2 + 0.1, free, df, 1, FALSE))
    }
  }
  torture("singular", "bg_evidence", list(y, 0 * g, 1.5, 0 * y, TRUE, 0, 0))
}

# ---- bg_factor, bg_smallest_eigenvalue, bg_policies, bg_kernels --------------------------------

for (k in 1:8) {
  torture(paste("full rank", k), "bg_factor", diag(k), 1e-12)
  torture(paste("rank 1 of", k), "bg_factor", matrix(2, k, k), 1e-12)
  torture(paste("rank 0 of", k), "bg_factor", matrix(0, k, k), 1e-12)
  torture(paste("identity", k), "bg_smallest_eigenvalue", diag(k))
}

torture("the table", "bg_policies")
torture("the table", "bg_kernels")

# ---- bg_corridor --------------------------------------------------------------------------------

for (sensors in c(1L, 2L, 7L, 40L)) {
  road <- package$corridor_road(sensors)
  none <- 0 * road$cells$lanes
  state <- list(vehicles = none + 3, waiting = none, clock = 7)
  incidents <- list(place = c(2L, 90L), start = c(7, 7.1), end = c(8, 8), left = c(0.5, 0.2))
  traffic <- list(slot = 1, demand = outer(road$peak, 1:9 / 9), incidents = incidents)
  for (n in 1:3) {
    view <- list(n, 5L, 0.0014, as.integer(road$sensor))
    torture(paste(sensors, "sensors,", n, "readings"), "bg_corridor", road, state, traffic, view)
  }
  traffic$incidents <- lapply(incidents, head, 0L)
  torture("no sensor", "bg_corridor", road, state, traffic, list(1L, 5L, 0.0014, integer()))
}

# ---- bg_write, bg_replace, bg_remove, bg_settle, bg_checksum, bg_plain, bg_kind ------------------

for (n in c(0L, 1L, 7L, 1000L)) {
  some <- as.raw(seq_len(n) %% 256L)
  file <- tempfile()
  what <- paste(n, "bytes")
  torture(what, "bg_write", file, some, FALSE)
  check(identical(readBin(file, "raw", 2L * n + 1L), some), paste("bg_write,", what, "are there"))
  torture(paste(what, "in a new file"), "bg_write", file, some, TRUE)
  torture(paste(what, "nowhere"), "bg_write", file.path(file, "below"), some, FALSE)
  torture(what, "bg_checksum", "0", some)
  torture(paste(what, "more"), "bg_checksum", "995dc9bbdf1939fa", some)
}
sum <- .Call(package$bg_checksum, "0", charToRaw("123456789"))
check(identical(sum, "995dc9bbdf1939fa"), "bg_checksum, the published value")
at <- tempfile(c("part", "whole"))
check(is.character(torture("nothing", "bg_replace", at[1], at[2])), "bg_replace, nothing")
check(is.character(torture("nothing", "bg_remove", at[1])), "bg_remove, nothing")
check(all(file.create(at)), "two files")
check(is.null(torture("a file by itself", "bg_replace", at[1], at[1])), "bg_replace, by itself")
check(is.null(.Call(package$bg_replace, at[1], at[2])), "bg_replace")
check(identical(file.exists(at), c(FALSE, TRUE)), "bg_replace, it moved")
check(is.null(.Call(package$bg_remove, at[2])) && !file.exists(at[2]), "bg_remove")
torture("a folder", "bg_settle", tempdir())
torture("no folder", "bg_settle", tempfile())
check(is.null(torture("data", "bg_plain", bytes(list(a = 1, b = letters)), 9L)), "bg_plain, data")
check(is.character(torture("a function", "bg_plain", bytes(check), 9L)), "bg_plain, a function")
check(identical(torture("a folder", "bg_kind", tempdir()), "folder"), "bg_kind, a folder")
check(identical(torture("nothing", "bg_kind", tempfile()), "nothing"), "bg_kind, nothing")

# ---- bg_grow --------------------------------------------------------------------------------------

growing <- tempfile()
cat("abcdef", file = growing)
a <- charToRaw("ab")
check(is.null(torture("the same again", "bg_grow", growing, 6, a, a, raw())), "bg_grow")
check(torture("another file", "bg_grow", growing, 5, a, a, a) != "", "bg_grow, another file")
check(identical(readLines(growing, warn = FALSE), "abcdef"), "bg_grow, what there is")

# ---- bg_alive, bg_began -------------------------------------------------------------------------

check(torture("this process", "bg_alive", Sys.getpid()), "bg_alive, this process")
check(!torture("no process", "bg_alive", .Machine$integer.max), "bg_alive, no process")
began <- torture("this process", "bg_began", Sys.getpid())
check(identical(began > 0, file.exists("/proc/self/stat")), "bg_began, this process")
check(torture("no process", "bg_began", .Machine$integer.max) == 0, "bg_began, no process")

# ---- Is there a case for every routine? ---------------------------------------------------------

registered <- getDLLRegisteredRoutines("bayesgap")
for (routine in unlist(lapply(registered, names))) {
  check(routine %in% covered, paste0(routine, " has a case here"))
}

said <- reported()
check(!length(said), paste(c("nothing is reported on stderr", said), collapse = "\n"))
cat(sprintf("%d passed, %d failed, 0 skipped\n", passed, failed))
quit(status = as.integer(failed > 0L))
