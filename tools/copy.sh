#!/bin/sh
# Copies the sources to a fresh folder, so that no build leaves a file in the tree.
set -eu
cd "$(dirname "$0")/.."
to=$1
rm -rf "$to"
mkdir -p "$to"
tar -cf - --exclude=./.git --exclude=./build --exclude='*.o' --exclude='*.so' --exclude='*.Rcheck' \
  --exclude='*.tar.gz' . | tar -xf - -C "$to"
