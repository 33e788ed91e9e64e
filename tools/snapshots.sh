#!/bin/sh
# Accepts the snapshots of the last `make unit`: copies them from its folder to the tree.
set -eu
cd "$(dirname "$0")/.."
from=build/tests/testthat/_snaps
[ -d "$from" ] || { echo "Run make unit first." >&2; exit 1; }
find "$from" -name '*.new.*' | while read -r new; do
  mv "$new" "$(echo "$new" | sed 's/\.new\.\([^.]*\)$/.\1/')"
done
rm -rf tests/testthat/_snaps
cp -R "$from" tests/testthat/_snaps
