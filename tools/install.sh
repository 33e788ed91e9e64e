#!/bin/sh
# Installs the package into a library under build/, unless the very same sources are there already.
# Usage: tools/install.sh FLAVOUR; plain; strict: C warnings are errors. With a library lib-FLAVOUR of
# their own, san: with sanitizers; lto: optimised across files.
set -eu
cd "$(dirname "$0")/.."
flavour=$1
lib=build/lib
options=
case $flavour in
  plain) ;;
  strict) export R_MAKEVARS_USER="$PWD/tools/Makevars.strict" ;;
  san)
    export R_MAKEVARS_USER="$PWD/tools/Makevars.san"
    lib=build/lib-san
    # Loading needs the sanitizer's run-time library to be there first.
    options=--no-test-load
    ;;
  lto)
    export R_MAKEVARS_USER="$PWD/tools/Makevars.$flavour"
    lib=build/lib-$flavour
    ;;
esac

copy=build/src/$flavour/bayesgap
tools/copy.sh "$copy"
sum=$( (cd "$copy" && find DESCRIPTION NAMESPACE R src man data inst -type f -exec cksum {} + 2>/dev/null | sort
  cat tools/Makevars.*; R --version) | cksum)
stamp=$(cat "$lib/stamp" 2>/dev/null || true)
case $stamp in
  "$flavour $sum" | "strict $sum") exit 0 ;;
esac

rm -rf "$lib"
mkdir -p "$lib" build/logs
log=build/logs/install-$flavour.log
if ! R CMD INSTALL --preclean $options --library="$lib" "$copy" >"$log" 2>&1; then
  cat "$log"
  echo "The package could not be installed." >&2
  exit 1
fi
echo "$flavour $sum" >"$lib/stamp"
