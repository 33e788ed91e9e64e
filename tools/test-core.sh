#!/bin/sh
# The C core without R, under the address and undefined-behaviour sanitizers.
set -eu
cd "$(dirname "$0")/.."
. tools/core.sh
mkdir -p build/core
gcc -g -O1 -Wall -Wextra -pedantic -Wconversion -Wno-sign-conversion -Werror \
  -fsanitize=address,undefined,float-divide-by-zero,float-cast-overflow -fno-omit-frame-pointer \
  $core_includes $core_sources $core_tests $core_libraries -o build/core/test-core
ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 build/core/test-core
