#!/bin/sh
# NAMESPACE and help pages from the roxygen comments, the texts that can be translated, README.md from
# README.Rmd.
set -eu
cd "$(dirname "$0")/.."
# Help pages ask the installed package; a stale NAMESPACE that prevents its installation is mended first.
tools/install.sh plain >/dev/null 2>&1 || Rscript tools/namespace.R
tools/with-lib.sh Rscript -e 'roxygen2::roxygenise(load_code = "installed")'
Rscript tools/messages.R
if [ -f README.Rmd ]; then
  tools/with-lib.sh Rscript -e \
    'rmarkdown::render("README.Rmd", output_options = list(html_preview = FALSE), quiet = TRUE)'
fi
