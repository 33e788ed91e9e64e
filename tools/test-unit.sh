#!/bin/sh
# The testthat suite against the package as users install it; a C warning is an error.
set -eu
cd "$(dirname "$0")/.."
tools/install.sh strict
R_LIBS="$PWD/build/lib${R_LIBS:+:$R_LIBS}" Rscript tools/suite.R
