#!/bin/sh
# Runs a command that finds the package with the sanitizers in its C code; any report is a failure.
# Usage: tools/sanitized.sh NAME COMMAND...; reports go to build/NAME.
set -eu
cd "$(dirname "$0")/.."
reports=$PWD/build/$1
shift
tools/install.sh san
rm -rf "$reports"
mkdir -p "$reports"
# Address and leak reports go to files: those of child processes count too, but not what the shell's
# own tools leak, nor the fonts that a picture's device keeps.
to=log_path=$reports/report:exitcode=96
printf '%s\n' leak:/usr/bin/ leak:libfontconfig >"$reports.suppressed"
status=0
ASAN_OPTIONS=detect_leaks=1:$to \
  LSAN_OPTIONS=suppressions=$reports.suppressed:print_suppressions=0:$to \
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:$to \
  LD_PRELOAD=$(gcc -print-file-name=libasan.so) R_LIBS="$PWD/build/lib-san${R_LIBS:+:$R_LIBS}" \
  "$@" || status=$?
for report in "$reports"/*; do
  [ -f "$report" ] || continue
  cat "$report"
  status=96
done
exit $status
