#!/bin/sh
# Random calls of the whole interface. CASES, FROM, ATTACK_CASE, JOBS and KIND: see tests/attack/attack.R.
# With SAN=1 the sanitizers are inside the package's C code.
set -eu
cd "$(dirname "$0")/.."
if [ -n "${SAN:-}" ]; then
  exec tools/sanitized.sh attack-san R --no-echo --no-restore --no-save -f tests/attack/attack.R
fi
exec tools/with-lib.sh Rscript tests/attack/attack.R
