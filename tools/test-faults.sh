#!/bin/sh
# Runs that are interrupted, killed, out of disk and out of workers, for real.
set -eu
cd "$(dirname "$0")/.."
tools/with-lib.sh Rscript tests/faults/faults.R "$@"
