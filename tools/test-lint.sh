#!/bin/sh
# The style of the R code, as .lintr says; a file without a remark has passed.
set -eu
cd "$(dirname "$0")/.."
exec Rscript tools/lint.R
