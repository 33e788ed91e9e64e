# The sources of a package as text: which file defines a name, which use it, how long they are.

# The folder with DESCRIPTION and R/ above the tests; NULL where only an installed package is there.
source_root <- function(from = testthat::test_path()) {
  folder <- normalizePath(from, "/")
  while (!file.exists(file.path(folder, "DESCRIPTION")) || !dir.exists(file.path(folder, "R"))) {
    if (dirname(folder) == folder) {
      return(NULL)
    }
    folder <- dirname(folder)
  }
  folder
}

collate_of <- function(root) {
  text <- read.dcf(file.path(root, "DESCRIPTION"), "Collate")[[1]]
  scan(text = text, what = "", quiet = TRUE)
}

# Methods are called by dispatch, from wherever the generic is.
methods_of <- function(root) {
  entries <- as.list(parse(file.path(root, "NAMESPACE"), keep.source = FALSE))
  entries <- Filter(function(e) identical(e[[1]], as.name("S3method")), entries)
  word <- function(x) if (is.call(x)) as.character(x[[3]]) else as.character(x) # pkg::generic
  vapply(entries, function(e) paste(word(e[[2]]), word(e[[3]]), sep = "."), "")
}

# What an expression needs. Of a function all but what it defines itself; what is no function is
# evaluated when the package is loaded.
names_used <- function(e) {
  # By name, since the package that comes with R is not declared for these tests alone.
  find_globals <- getExportedValue("codetools", "findGlobals")
  if (is.call(e) && identical(e[[1]], as.name("function"))) {
    find_globals(eval(e, new.env(parent = globalenv())))
  } else {
    all.names(e)
  }
}

is_definition <- function(e) is.call(e) && identical(e[[1]], as.name("<-")) && is.name(e[[2]])

# One row for every name that a top-level expression defines; `uses` are the names it needs.
top_level <- function(root, files) {
  tables <- lapply(files, function(file) {
    code <- as.list(parse(file.path(root, "R", file), keep.source = FALSE))
    name <- vapply(code, function(e) if (is_definition(e)) as.character(e[[2]]) else "", "")
    uses <- lapply(code, function(e) names_used(if (is_definition(e)) e[[3]] else e))
    data.frame(file = rep(file, length(code)), name = name, uses = I(uses))
  })
  do.call(rbind, tables)
}

too_long <- function(root, folder, files, most) {
  count <- function(file) length(readLines(file.path(root, folder, file), warn = FALSE))
  lines <- vapply(files, count, 0L)
  long <- files[lines >= most]
  sprintf("%s has %d lines, %d or more", long, lines[lines >= most], most)
}

# What is wrong with the order of R/, in words; character() where nothing is.
order_faults <- function(root) {
  collate <- collate_of(root)
  there <- list.files(file.path(root, "R"), "[.]R$")
  files <- intersect(collate, there)
  table <- top_level(root, files)
  defined <- table[nzchar(table$name), ]
  twice <- defined[duplicated(defined$name), ]
  faults <- c(
    sprintf("%s is in R/, not in Collate", setdiff(there, collate)),
    sprintf("%s is in Collate, not in R/", setdiff(collate, there)),
    sprintf("%s of %s is defined in %s already", twice$name, twice$file,
      defined$file[match(twice$name, defined$name)])
  )
  called <- setdiff(defined$name, methods_of(root))
  for (i in seq_len(nrow(table))) {
    used <- intersect(table$uses[[i]], called)
    home <- defined$file[match(used, defined$name)]
    late <- match(home, files) > match(table$file[i], files)
    who <- if (nzchar(table$name[i])) table$name[i] else "a line"
    faults <- c(faults, sprintf(
      "%s of %s uses %s of %s, a later file", who, table$file[i], used[late], home[late]
    ))
  }
  c(faults, too_long(root, "R", there, 400))
}

# What is wrong with src/, in words: only the binding knows R's objects.
core_faults <- function(root) {
  files <- list.files(file.path(root, "src"), "[.][ch]$")
  core <- files[!grepl("^(binding.*|init)[.][ch]$", files)]
  speaks <- vapply(core, function(f) {
    any(grepl("\\bSEXP\\b", readLines(file.path(root, "src", f), warn = FALSE)))
  }, TRUE)
  c(
    sprintf("%s says SEXP", core[speaks]),
    too_long(root, "src", grep("[.]c$", files, value = TRUE), 500)
  )
}
