# Independent numbers, computed by a base-R script that shares no code with the package.
# Columns: case, t, quantity, arm, value; 12 significant digits.

vectors <- utils::read.csv(
  testthat::test_path("vectors.csv"), strip.white = TRUE,
  colClasses = c("character", "integer", "character", "integer", "numeric")
)

# The values of one quantity, in the order of its arms; t = NULL: whatever the round.
numbers <- function(case, quantity, t = NULL) {
  rows <- vectors$case == case & vectors$quantity == quantity
  if (!is.null(t)) {
    rows <- rows & vectors$t %in% t
  }
  if (!any(rows)) {
    stop("no vector ", case, " ", quantity)
  }
  vectors$value[rows]
}

numbers_matrix <- function(case, quantity) {
  value <- numbers(case, quantity)
  matrix(value, sqrt(length(value)), byrow = TRUE)
}
