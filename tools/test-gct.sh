#!/bin/sh
# Every C routine with a garbage collection at each allocation.
set -eu
cd "$(dirname "$0")/.."
tools/with-lib.sh Rscript tests/gct/gct.R
