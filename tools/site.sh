#!/bin/sh
# Builds the site in build/site from the sources, unless it was built from the very same.
set -eu
cd "$(dirname "$0")/.."
sum=$(find DESCRIPTION NAMESPACE NEWS.md README.md _pkgdown.yml pkgdown R src man data inst vignettes tools/site.* \
  -type f ! -name '*.o' ! -name '*.so' -exec cksum {} + | sort | cksum)
if [ "$(cat build/site.stamp 2>/dev/null || true)" = "$sum" ]; then
  exit 0
fi
mkdir -p build/logs
rm -f build/site.stamp
if ! tools/with-lib.sh Rscript tools/site.R >build/logs/site.log 2>&1; then
  tail -n 30 build/logs/site.log >&2
  echo "The site could not be built; build/logs/site.log has more." >&2
  exit 1
fi
echo "$sum" >build/site.stamp
tail -n 1 build/logs/site.log
