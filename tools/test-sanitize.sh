#!/bin/sh
# The testthat suite with the sanitizers inside the package's C code.
set -eu
cd "$(dirname "$0")/.."
SUITE_FOLDER=tests-san exec tools/sanitized.sh sanitize R --no-echo --no-restore --no-save -f tools/suite.R
