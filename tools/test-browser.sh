#!/bin/sh
# The pages of the package in a real browser, Chromium; where there is none, that is said and counted.
# BROWSER_ONLY=desk takes one file of tests/browser.
set -eu
cd "$(dirname "$0")/.."
exec tools/with-lib.sh Rscript tests/browser/run.R
