#!/bin/sh
# The C core on random input for FUZZ_SECONDS; what it finds stays in build/fuzz.
set -eu
cd "$(dirname "$0")/.."
. tools/core.sh
mkdir -p build/fuzz/corpus
clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
  $core_includes $core_sources tests/core/fuzz.c $core_libraries -o build/fuzz/fuzz
log=build/logs/fuzzer.log
if build/fuzz/fuzz -max_total_time="${FUZZ_SECONDS:-30}" -timeout=10 -print_final_stats=1 \
  -artifact_prefix=build/fuzz/ build/fuzz/corpus >"$log" 2>&1; then
  stat() { sed -n "s/^stat::$1: *//p" "$log"; }
  echo "$(stat number_of_executed_units) inputs, $(stat average_exec_per_sec) a second"
  echo "1 passed, 0 failed, 0 skipped"
else
  tail -n 60 "$log"
  echo "0 passed, 1 failed, 0 skipped"
fi
