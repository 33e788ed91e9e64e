#!/bin/sh
# NAMESPACE from the R code alone; then, with the package installed, the help pages and README.md.
set -eu
cd "$(dirname "$0")/.."
Rscript tools/namespace.R
tools/with-lib.sh Rscript -e 'roxygen2::roxygenise(load_code = "installed")'
if [ -f README.Rmd ]; then
  tools/with-lib.sh Rscript -e \
    'rmarkdown::render("README.Rmd", rmarkdown::github_document(html_preview = FALSE), quiet = TRUE)'
fi
