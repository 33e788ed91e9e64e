#!/bin/sh
# The package as its users get it: checked as CRAN does, without what is suggested, and plainly installed.
set -eu
cd "$(dirname "$0")/.."
unset NOT_CRAN CI R_LIBS
out=$PWD/build/check
rm -rf "$out"
mkdir -p "$out/as-cran" "$out/bare" "$out/lib"
tools/copy.sh "$out/bayesgap"
if ! (cd "$out" && R CMD build bayesgap) >"$out/build.log" 2>&1; then
  cat "$out/build.log"
  exit 1
fi
tarball=$(ls "$out"/bayesgap_*.tar.gz)

# No network is asked, neither for the time nor for CRAN's list of packages; what CRAN's first look at a
# package can say without it does count. Times is a font that every LaTeX has.
export _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_CRAN_INCOMING_REMOTE_=false
export _R_CHECK_TESTS_NLINES_=0 R_RD4PDF=times,hyper
# Times by the clock depend on what else the machine does: an example's processor time is judged below.
export _R_CHECK_EXAMPLE_TIMING_THRESHOLD_=1e6
# Needs package V8, for nothing but formulas in the HTML pages.
export _R_CHECK_RD_MATH_RENDERING_=false

tuners=$(Rscript tools/cran-library.R tuners)
R_LIBS="$tuners" R CMD check --as-cran -o "$out/as-cran" "$tarball" >/dev/null 2>&1 &
# The other one in a locale that has no letters but those of ASCII; what is UTF-8 by its own word is
# read in a locale that every system has.
R_LIBS="$tuners" LC_ALL=C R_ENCODING_LOCALES=UTF-8=C.UTF-8 _R_CHECK_DEPENDS_ONLY_=true _R_CHECK_FORCE_SUGGESTS_=false \
  R CMD check --no-manual --ignore-vignettes -o "$out/bare" "$tarball" >/dev/null 2>&1 || true
wait || true

passed=0 failed=0
ok() { echo "$1: OK"; passed=$((passed + 1)); }
bad() { echo "$1: FAILED"; failed=$((failed + 1)); }

for kind in as-cran bare; do
  log=$out/$kind/bayesgap.Rcheck/00check.log
  if grep -qx 'Status: OK' "$log"; then
    ok "R CMD check, $kind"
  else
    bad "R CMD check, $kind"
    # The steps that did not end in OK, with what they say.
    awk '/^\* / { on = !/(OK|SKIPPED|NONE|Note_to_CRAN_maintainers)$/ && !/^\* (using|this is|package encoding|DONE)/ } on; /^Status/' "$log"
    ! grep -q 'whether package .* can be installed .* ERROR' "$log" || tail -n 30 "${log%check.log}install.out"
  fi
done

timings=$out/as-cran/bayesgap.Rcheck/bayesgap-Ex.timings
if [ -s "$timings" ] && awk -F '\t' 'NR > 1 && $2 + $3 > 5 { slow = 1; print } END { exit slow }' "$timings"; then
  ok "every example takes at most 5 s of processor time"
else
  bad "every example takes at most 5 s of processor time"
fi

if R --vanilla --no-echo -e "install.packages('$tarball', repos = NULL, lib = '$out/lib')" \
  -e "library(bayesgap, lib.loc = '$out/lib')" >"$out/install.log" 2>&1; then
  ok "install.packages() and library()"
else
  bad "install.packages() and library()"
  cat "$out/install.log"
fi
echo "$passed passed, $failed failed, 0 skipped"
