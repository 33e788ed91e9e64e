#!/bin/sh
# tune_bayesgap() with tidymodels, mlr3 and caret as CRAN has them.
set -eu
cd "$(dirname "$0")/.."
tools/install.sh plain
R_LIBS="$PWD/build/lib:$(Rscript tools/cran-library.R tuners)${R_LIBS:+:$R_LIBS}"
export R_LIBS
SUITE=tuners SUITE_FOLDER=tests-tuners exec Rscript tools/suite.R
