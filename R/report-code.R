# How to have a run again: its settings as a call, and the files that the call reads.

# list(files, lines): the bytes of files by their names, and R code that makes the run of them. What
# neither holds is named in the code.
reproduction <- function(x) {
  arms <- arms_in_code(x$model$arms)
  run <- run_bytes(x)
  files <- c(
    list("results.csv" = csv_bytes(as.data.frame(x))),
    if (!is.null(arms$table)) list("arms.csv" = csv_bytes(arms$table)),
    if (!is.null(run)) list("run.bgap" = run)
  )
  list(files = files, lines = c(
    "library(bayesgap)", "",
    if (!is.null(run)) {
      own <- if (!is.null(x$policy$own)) ", policy = policy"
      c("# The run itself, to the last bit", paste0("x <- read_run(\"run.bgap\"", own, ")"), "")
    },
    paste0("# ", if (is.null(run)) "From" else "Or from", " its settings and results"),
    arms$lines, call_lines(x, arms$code), results_lines(x), "x"
  ))
}

# NULL where a file cannot hold it, or it is too large for a page.
run_bytes <- function(x, most = 5e6) {
  bytes <- tryCatch(pack_run(x, pack_settings(x)), bayesgap_error_save = function(e) NULL)
  if (length(bytes) <= most) bytes
}

# ---- The arms -----------------------------------------------------------------------------------

# More values than this are not written out in code.
most_written <- 30L

# list(code, lines, table): what the call names as the arms, the lines that make it before, and the
# table that they read.
arms_in_code <- function(arms) {
  few <- n_arms(arms) <= most_written
  if (arms$kind == "number") {
    return(list(code = as.character(n_arms(arms))))
  }
  if (arms$kind == "item") {
    return(list(code = "arms", lines = "# arms: your own list, which a report does not hold"))
  }
  if (arms$kind == "name" && few) {
    return(list(code = written(arms$names)))
  }
  table <- quick_frame(c(
    if (arms$named || arms$kind == "name") list(arm = arms$names), unclass(arms$data)
  ))
  named <- arms$kind == "value" && arms$named
  list(
    code = "arms", table = table,
    lines = c(
      reading_line("arms", "arms.csv", table),
      if (arms$kind == "name") "arms <- arms$arm",
      if (named) "arms <- structure(arms$value, names = arms$arm)",
      if (arms$kind == "value" && !named) "arms <- arms$value"
    )
  )
}

# Classes are said where they cannot be seen: names that look like numbers are to stay text.
reading_line <- function(name, file, table) {
  class <- vapply(table, function(column) class(column)[1L], "")
  said <- class[!class %in% c("numeric", "integer", "logical")]
  said[!said %in% c("factor", "Date", "POSIXct")] <- "character"
  filled(paste0(name, " <- read.csv("), c(
    written(file), if (length(said)) paste("colClasses =", written(said)), "check.names = FALSE",
    "na.strings = \"\"", "encoding = \"UTF-8\""
  ))
}

# ---- The call -----------------------------------------------------------------------------------

# The settings that are not what bayesgap() takes by itself.
call_lines <- function(x, arms) {
  given <- c(
    arms, argument("budget", x$budget), if (!x$maximise) "maximise = FALSE", model_arguments(x),
    if (format(x$policy) != "bayesgap") paste("policy =", policy_in_code(x$policy)),
    if (length(x$init)) argument("init", x$model$arms$names[x$init]),
    if (!x$replace) "replace = FALSE",
    if (!is.null(x$stop_regret)) argument("stop_regret", x$stop_regret),
    if (!x$count_failures) "count_failures = FALSE", argument("seed", x$seed)
  )
  filled("x <- bayesgap(", given)
}

model_arguments <- function(x) {
  model <- x$model
  given <- given_of(model)
  given[model$history$sets] <- list(NULL)
  given["block_arm_sd"] <- list(if (!identical(given$block_arm_sd, 0)) given$block_arm_sd)
  if (identical(given$blocks, as.character(seq_along(given$blocks)))) {
    given$blocks <- length(given$blocks)
  }
  column <- cost_column_of(model)
  if (!is.null(column)) {
    given$cost <- column
  }
  given <- Filter(Negate(is.null), given)
  c(covariance_argument(model), unlist(Map(argument, names(given), given), use.names = FALSE))
}

# The column of the arms that says what they cost.
cost_column_of <- function(model) {
  same <- vapply(model$arms$data, function(column) {
    is.numeric(column) && identical(as.double(column), model$cost)
  }, TRUE)
  if (any(same)) names(model$arms$data)[which(same)[1L]]
}

# Matrices and functions are the user's: they are named, and not written out.
covariance_argument <- function(model) {
  kind <- prior_kind(model$prior)
  if (!is.null(model$history)) {
    "history = history"
  } else if (kind == "kernel") {
    text <- format(model$kernel$kernel)
    paste("kernel =", if (is_code(text)) text else "kernel")
  } else if (kind != "independent") {
    paste(kind, "=", kind)
  }
}

policy_in_code <- function(policy) {
  if (!is.null(policy$own)) {
    return("policy")
  }
  changed <- changed_params(policy)
  if (!length(changed)) {
    return(written(policy$name))
  }
  params <- paste(names(changed), "=", vapply(changed, written, ""), collapse = ", ")
  paste0("policy(", written(policy$name), ", ", params, ")")
}

is_code <- function(text) {
  code <- try(parse(text = text, keep.source = FALSE), silent = TRUE)
  !inherits(code, "try-error") && length(code) == 1L && all(calls_in(code[[1L]]) %in% kernel_calls)
}

# A file is anyone's, and its kernel is text: what else it might call is not written down as code.
kernel_calls <- c(
  "k_se", "k_matern", "k_linear", "k_factor", "k_white", "k_const", "k_by", "~", "+", "-", "*", "/",
  "^", "(", "c", "I", "abs", "exp", "log", "log10", "log1p", "log2", "sqrt"
)

calls_in <- function(e) {
  if (!is.call(e)) {
    return(character())
  }
  head <- if (is.name(e[[1L]])) as.character(e[[1L]]) else "something else"
  c(head, unlist(lapply(as.list(e)[-1L], calls_in)))
}

# A value of the settings, or where it is too long its name.
argument <- function(name, value) {
  paste(name, "=", if (length(value) <= most_written) written(value) else name)
}

# As R reads it again, to the last bit.
written <- function(value) {
  if (is.numeric(value) && is.null(names(value))) {
    number <- exact_number(value)
    return(if (length(number) == 1L) number else paste0("c(", paste(number, collapse = ", "), ")"))
  }
  text <- deparse(value, width.cutoff = 500L, control = c("keepNA", "niceNames"))
  readable(paste(text, collapse = " "))
}

# R reads no code in which a mark turns the direction of writing: such marks stand as their numbers.
readable <- function(text) {
  for (code in c(0x202A:0x202E, 0x2066:0x2069)) {
    text <- gsub(intToUtf8(code), sprintf("\\u%04x", code), text, fixed = TRUE)
  }
  text
}

# A call with its arguments, as many in a line as there is room for.
filled <- function(start, args, width = 84L) {
  one <- paste0(start, paste(args, collapse = ", "), ")")
  if (nchar(one) <= width) {
    return(one)
  }
  lines <- character()
  for (arg in paste0(args, c(rep(",", length(args) - 1L), ""))) {
    last <- length(lines)
    if (last && nchar(lines[last]) + nchar(arg) < width) {
      lines[last] <- paste(lines[last], arg)
    } else {
      lines <- c(lines, paste0("  ", arg))
    }
  }
  c(start, lines, ")")
}

# ---- The results --------------------------------------------------------------------------------

# The columns that tell() learns from, then what was done to arms.
results_lines <- function(x) {
  table <- as.data.frame(x)
  if (!nrow(table)) {
    return(NULL)
  }
  family <- family_of(x$model)
  own <- c(
    "arm", "block", if (is.null(family)) c("y", "se") else c(family$hits, family$size),
    if (!is.null(x$model$cost)) "cost", "error"
  )
  there <- vapply(own, function(name) !all(is.na(table[[name]])), TRUE)
  # Without a number it would be taken for one of the budget, without `y` for no result.
  own <- c("pull", own[there | own == "y"])
  names <- x$model$arms$names
  again <- setdiff(x$retried$arm, which(arm_status(x) != "active"))
  c(
    reading_line("results", "results.csv", table[own]),
    paste0("x <- tell(x, results[", written(unname(own)), "])"),
    if (length(again)) paste0("x <- retry_arms(x, ", written(names[again]), ")"),
    if (length(x$dropped)) paste0("x <- drop_arms(x, ", written(names[x$dropped]), ")")
  )
}
