#!/bin/sh
# The C core on random input: what was found before, then FUZZ_RUNS inputs that are the same each
# time, or FUZZ_SECONDS of new ones. What is found stays in build/fuzz; once mended it belongs into
# tests/core/found.
set -eu
cd "$(dirname "$0")/.."
. tools/core.sh
rm -rf build/fuzz/corpus
mkdir -p build/fuzz/corpus
clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
  $core_includes $core_sources tests/core/fuzz.c $core_libraries -o build/fuzz/fuzz

passed=0 failed=0
log=build/logs/fuzzer.log
# fuzz ARGUMENT...: one test. An input that takes minutes is one that never ends.
fuzz() {
  if build/fuzz/fuzz -timeout=300 -print_final_stats=1 -artifact_prefix=build/fuzz/ "$@" \
    >"$log" 2>&1; then
    passed=$((passed + 1))
  else
    tail -n 60 "$log"
    failed=$((failed + 1))
  fi
}
fuzz tests/core/found/*
if [ -n "${FUZZ_SECONDS:-}" ]; then
  fuzz -max_total_time="$FUZZ_SECONDS" build/fuzz/corpus
else
  fuzz -seed=1 -runs="${FUZZ_RUNS:-12000}" build/fuzz/corpus
fi
echo "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
echo "$passed passed, $failed failed, 0 skipped"
