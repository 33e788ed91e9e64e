#!/bin/sh
# The C code as Windows has it: all of it compiled by mingw-w64, the core's own tests run by wine.
set -eu
cd "$(dirname "$0")/.."
. tools/core.sh
skip() {
  echo "Not tried, since there is no $1 here."
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}
gcc=x86_64-w64-mingw32-gcc
command -v $gcc >/dev/null || skip "mingw-w64 (Debian: gcc-mingw-w64-x86-64)"
# Debian's wine64 is not on the path.
PATH=$PATH:/usr/lib/wine
command -v wine64 >/dev/null && command -v wineserver >/dev/null || skip "wine (Debian: wine64)"

out=$PWD/build/windows
rm -rf "$out"
mkdir -p "$out"
# The system's own isnan() of a double has a branch for those of a float.
compile="$gcc -g -O1 -Wall -Wextra -pedantic -Wconversion -Wno-sign-conversion -Wno-float-conversion -Werror"
$compile $core_includes $core_sources $core_tests tests/core/lapack.c -o "$out/test-core.exe"
# What speaks to R can be compiled, but there is no R to link it to.
$compile -fsyntax-only $core_includes src/binding*.c src/init.c

# A Windows of our own, without a display, that ends with this script.
export WINEPREFIX="$out/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" DISPLAY=
trap 'wineserver -k || true; rm -rf "$WINEPREFIX"' EXIT
trap 'exit 130' INT TERM
if ! wine64 wineboot -i >"$out/wine.log" 2>&1; then
  cat "$out/wine.log"
  exit 1
fi
status=0
wine64 "$out/test-core.exe" >"$out/test.log" 2>&1 || status=$?
tr -d '\r' <"$out/test.log"
exit $status
