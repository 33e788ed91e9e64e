#!/bin/sh
# The testthat suite, or the files of it that SUITE_FILTER names, under valgrind: memory that is read
# before it is written, that is left, or that belongs to nobody. What is R's own is in
# tools/valgrind.supp, by name.
set -eu
cd "$(dirname "$0")/.."
tools/install.sh plain
reports=$PWD/build/valgrind
rm -rf "$reports"
mkdir -p "$reports"
status=0
# Its long doubles are doubles, so that R reads and prints some numbers otherwise: snapshots, which are
# not for CRAN, are left out. Tests that are not for CRAN since they take long are not.
NOT_CRAN=false LONG_TESTS=true SUITE_FOLDER=tests-valgrind R_LIBS="$PWD/build/lib${R_LIBS:+:$R_LIBS}" R --no-echo --no-restore --no-save \
  -d "valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
  --error-exitcode=99 --gen-suppressions=all --suppressions=tools/valgrind.supp --log-file=$reports/%p" \
  -e 'source("tools/suite.R")' || status=$?
# Processes that the tests fork have files of their own.
for report in "$reports"/*; do
  [ -s "$report" ] || continue
  cat "$report"
  status=99
done
exit $status
