#!/bin/sh
# What the tests reach, in build/coverage.
set -eu
cd "$(dirname "$0")/.."
. tools/core.sh
rm -rf build/coverage
mkdir -p build/coverage/core
tools/copy.sh build/coverage/bayesgap
# Without the name of the system, hot loops have one plain copy.
export COVERAGE_FLAGS="-g -O0 -U__linux__ --coverage"
root=$PWD
(
  cd build/coverage/core
  for file in $core_sources $core_tests; do
    gcc $COVERAGE_FLAGS -I"$root/src" $core_includes -c "$root/$file"
  done
  gcc --coverage *.o $core_libraries -o test-core
  ./test-core
)
SUITE_FOLDER=tests-coverage Rscript tools/coverage.R
