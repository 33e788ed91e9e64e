#!/bin/sh
# Installs the package with its vignettes into the user's own library; without them, and says so,
# where they cannot be made.
set -eu
cd "$(dirname "$0")/.."
out=build/install
tools/copy.sh "$out/bayesgap"
rm -f "$out"/bayesgap_*.tar.gz
vignettes=
if ! tools/need.sh vignettes; then
  echo "The vignettes need pandoc, knitr and rmarkdown: the package is installed without them." >&2
  vignettes=--no-build-vignettes
fi
(cd "$out" && R CMD build $vignettes bayesgap)
lib=$(Rscript -e 'source("tools/user-library.R"); cat(user_library())')
R CMD INSTALL --library="$lib" "$out"/bayesgap_*.tar.gz
