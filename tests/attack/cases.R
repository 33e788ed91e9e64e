# What a child process does: some cases, one after another, each of which is named in a file before
# it begins. `root` is the folder of the sources; the global environment is the cases' own.
attack <- new.env()
for (name in c("program", "worlds", "sound", "junk", "sequences")) {
  sys.source(file.path(root, "tests/attack", paste0(name, ".R")), attack)
}

# A name that is matched by its beginning is a mistake of the package.
options(warnPartialMatchDollar = TRUE, warnPartialMatchArgs = TRUE, warn = 1)

local(envir = attack, {
  patience <- 60 # seconds, for a case

  run_cases <- function(from, to) {
    grDevices::pdf(NULL)
    for (case in seq.int(from, to)) {
      note_down("began", case)
      began <- proc.time()[["elapsed"]]
      verdict <- tryCatch({
        setTimeLimit(elapsed = patience, transient = TRUE)
        run_case(case)
        if (length(program$problems)) "failed" else "passed"
      }, too_slow = function(e) "slow", error = function(e) {
        problem("the attack itself failed: ", conditionMessage(e))
        "failed"
      })
      setTimeLimit()
      if (verdict == "failed") report(case)
      took <- round(proc.time()[["elapsed"]] - began, 1)
      note_down(verdict, case, program$calls, program$refused, took)
    }
  }

  note_down <- function(...) cat(..., "\n", file = "cases.txt", append = TRUE)

  report <- function(case) {
    code <- gsub("\n", "\n    ", program$lines)
    cat(
      sprintf("\nCase %d failed:\n", case), paste0("  ", program$problems, "\n"),
      sprintf("%3d %s\n", seq_along(code), code), sep = "", file = "report.txt", append = TRUE
    )
  }
})
