#!/bin/sh
# Runs a command that finds the package, freshly installed, in build/lib.
set -eu
cd "$(dirname "$0")/.."
tools/install.sh plain
R_LIBS="$PWD/build/lib${R_LIBS:+:$R_LIBS}" exec "$@"
