# Remarks of lintr on every file in R/; the last line is the counts.
lints <- lintr::lint_dir("R")
print(lints)
failed <- length(unique(vapply(lints, `[[`, "", "filename")))
cat(sprintf("%d passed, %d failed, 0 skipped\n", length(list.files("R", "[.]R$")) - failed, failed))
