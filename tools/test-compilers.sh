#!/bin/sh
# The C code under other compilers, standards and flags: warnings are errors, and the core's tests
# run with each. Then the package installed with optimisation across its files, as some builds of R
# have it.
set -eu
cd "$(dirname "$0")/.."
. tools/core.sh
out=$PWD/build/compilers
rm -rf "$out"
mkdir -p "$out"
# What tools/Makevars.strict asks for.
warnings=$(sed -n 's/^CFLAGS += //p' tools/Makevars.strict)
passed=0 failed=0 log=$out/log

# said NAME: the test of that name has passed where the last command has.
said() {
  if [ "$1" = 0 ]; then
    echo "$2: OK"
    passed=$((passed + 1))
  else
    echo "$2: FAILED"
    tail -n 40 "$log"
    failed=$((failed + 1))
  fi
}

# with NAME COMPILER FLAG...: all of the C code compiled, the core's tests run.
with() {
  name=$1 status=0
  shift
  { "$@" $warnings -fsyntax-only -DR_NO_REMAP= -DSTRICT_R_HEADERS= $core_includes src/*.c &&
    "$@" -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror $core_includes $core_sources \
      $core_tests $core_libraries -o "$out/test-core" &&
    "$out/test-core"; } >"$log" 2>&1 || status=$?
  said $status "$name"
}
with "gcc -O0" gcc -O0
with "gcc -O3" gcc -O3
with "gcc -O2 -flto" gcc -O2 -flto
with "gcc -std=gnu2x" gcc -O1 -std=gnu2x
with "gcc -std=c99" gcc -O1 -std=c99
with "clang -O2" clang -O2
with "clang -O0 -std=gnu2x" clang -O0 -std=gnu2x

status=0
tools/install.sh lto >"$log" 2>&1 && R_LIBS=build/lib-lto Rscript -e 'library(bayesgap); example(bayesgap)' \
  >"$log" 2>&1 || status=$?
said $status "R CMD INSTALL with -flto, and an example"
echo "$passed passed, $failed failed, 0 skipped"
