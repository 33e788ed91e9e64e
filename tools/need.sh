#!/bin/sh
# Installs what the named targets need and this machine lacks; says nothing when nothing is missing.
# System tools come from Debian packages, R packages from r-cran-* or else from CRAN.
set -u
cd "$(dirname "$0")/.." || exit 1

scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
missing=   # tools, in words
debian=    # the Debian packages that bring them
wanted=    # R packages
tuners=    # those of the tests of tuning
peers=     # those that the benchmark compares with
browser=   # is a browser wanted?
openblas=  # is OpenBLAS?

# root_do COMMAND...: run it with the rights of the system's package manager, if we can have them.
root_do() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
have_apt() {
  command -v apt-get >/dev/null && root_do true 2>/dev/null
}

# tool WORDS TEST DEBIAN-PACKAGE...: note the packages if the test fails.
tool() {
  words=$1 test=$2
  shift 2
  eval "$test" >/dev/null 2>&1 && return
  missing="$missing${missing:+; }$words"
  debian="$debian $*"
}

# links COMPILER FLAG...: can it make a program with these flags?
links() {
  compiler=$1
  shift
  echo '#include <stdlib.h>
        int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
        int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) { return data && size ? 0 : 0; }
        #ifndef FUZZ
        int main(void) { return 0; }
        #endif' | "$compiler" -x c - -o "$scratch/program" "$@"
}

apt_updated=no
apt_update() {
  [ $apt_updated = no ] || return 0
  # An unreachable extra source is no reason to stop here: what counts is the installation.
  root_do apt-get -qq update || true
  apt_updated=yes
}
apt_install() {
  echo "Installing:" "$@"
  apt_update
  for try in 1 2; do
    root_do env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
      install --no-install-recommends "$@" >"$scratch/apt.log" 2>&1 && return
    [ $try = 2 ] || sleep 5
  done
  tail -n 20 "$scratch/apt.log" >&2
  return 1
}

# Install the tools noted so far, or say what is missing and stop.
flush_tools() {
  [ -n "$missing" ] || return 0
  debian=$(printf '%s\n' $debian | sort -u | paste -sd ' ' -)
  if ! have_apt || ! apt_install $debian; then
    echo "Missing: $missing." >&2
    echo "Please install it (on Debian or Ubuntu: apt-get install $debian) and run make again." >&2
    exit 1
  fi
  missing= debian=
}

absent_r_packages() {
  Rscript -e 'p <- commandArgs(TRUE); cat(p[!nzchar(vapply(p, function(x) system.file(package = x), ""))])' $wanted
}
flush_r_packages() {
  wanted=$(printf '%s\n' $wanted | sort -u | paste -sd ' ' -)
  [ -n "$wanted" ] || return 0
  absent=$(absent_r_packages) || exit 1
  [ -n "$absent" ] || return 0
  if have_apt; then
    apt_update
    apt-cache pkgnames r-cran- >"$scratch/known"
    names=$(for p in $absent; do echo "r-cran-$p" | tr 'A-Z' 'a-z'; done | grep -Fxf "$scratch/known")
    [ -z "$names" ] || apt_install $names || echo "Trying CRAN instead." >&2
    absent=$(absent_r_packages)
    [ -n "$absent" ] || return 0
    # What CRAN has comes as source, in C, C++ or Fortran.
    apt_install r-base-dev || true
  fi
  echo "Installing from CRAN: $absent"
  Rscript tools/cran.R $absent || exit 1
}

# What DESCRIPTION suggests but for that which only the tests of tuning need; what scripts ask for with
# "# Needs: a, b"; and what those tests want from CRAN, in a library of its own.
suggested() {
  awk '/^[^ \t]/ { on = /^Suggests:/ } on' DESCRIPTION |
    sed 's/^Suggests://; s/([^)]*)//g' | tr -s ', \n' '\n' >"$scratch/suggested"
  printf '%s\n' $(from_cran tests/tuners/helper.R) caret >"$scratch/from_cran"
  grep -vxFf "$scratch/from_cran" "$scratch/suggested"
}
from_cran() {
  sed -n 's/^# From CRAN: *//p' "$1" | tr -s ', \n' ' '
}
needs_of() {
  cat "$@" | sed -n 's/^# Needs: *//p' | tr -s ', \n' ' '
}

needs_r() {
  tool "R" "command -v Rscript" r-base-core
}
needs_compiler() {
  # Off Debian, R's own configuration names its compiler and libraries.
  libraries=
  if have_apt; then libraries="-llapack -lblas -lgfortran"; fi
  needs_r
  tool "a C compiler with the libraries R links to" "links gcc $libraries" \
    gcc libc6-dev gfortran libblas-dev liblapack-dev
}
needs_sanitizers() {
  needs_compiler
  tool "gcc with its sanitizers, BLAS and LAPACK" "links gcc -fsanitize=address,undefined -llapack -lblas" \
    gcc libc6-dev libblas-dev liblapack-dev
}
needs_clang() {
  tool "clang" "command -v clang" clang libblas-dev liblapack-dev
}
needs_fuzzer() {
  needs_r # for R's headers
  needs_clang
  flush_tools
  links clang -DFUZZ -fsanitize=fuzzer,address,undefined -llapack -lblas >/dev/null 2>&1 && return
  # On newer systems the run-time libraries are a package of their own; both carry clang's version.
  version=$(clang -dumpversion | cut -d. -f1)
  runtime=libclang-common-$version-dev
  if have_apt && apt_update && apt-cache show "libclang-rt-$version-dev" >/dev/null 2>&1; then
    runtime=libclang-rt-$version-dev
  fi
  tool "clang's fuzzer and sanitizers, BLAS and LAPACK" false "$runtime" libblas-dev liblapack-dev
}
# Where this cannot be had, the part says that it is skipped.
needs_windows() {
  needs_r # for R's headers
  flush_tools
  command -v x86_64-w64-mingw32-gcc >/dev/null && PATH=$PATH:/usr/lib/wine command -v wine64 >/dev/null && return
  ! have_apt || apt_install gcc-mingw-w64-x86-64 wine64 || true
}
needs_tuners() {
  needs_compiler
  wanted="$wanted $(suggested) $(needs_of tests/tuners/helper.R)"
  tuners=$(from_cran tests/tuners/helper.R)
  # Some are in C++, and one builds a library that it brings.
  tool "make, cmake and a C++ compiler" "command -v make && command -v cmake && command -v g++" \
    make cmake g++
}
# What cannot be had is no reason to stop: the part says so and is skipped.
needs_cluster() {
  needs_compiler
  wanted="$wanted $(suggested) $(needs_of tests/faults/*.R tests/cluster/*.R)"
  if have_slurm || ! have_apt; then return; fi
  daemons >"$scratch/before"
  apt_install slurm-wlm munge || return
  # A package may start its daemon; what already ran is none of ours.
  for pid in $(daemons | grep -vxFf "$scratch/before"); do
    root_do kill "$pid"
  done
}
have_slurm() {
  for program in munged slurmctld slurmd sbatch; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || return 1
  done
}
daemons() {
  cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (\(munged\|slurmd\|slurmctld\)) .*/\1/p'
}
# Where there is no Chromium, the part says that it is skipped.
needs_browser() {
  needs_compiler
  needs_pandoc
  wanted="$wanted $(suggested) $(needs_of tools/site.R)"
  browser=yes
}
flush_browser() {
  [ -n "$browser" ] || return 0
  have_chromium || ! have_apt || apt_install chromium || true
  # What drives it, with what it needs of Debian's; and rules of accessibility. Neither is a reason to
  # stop, and a failure ends this subshell only.
  (wanted="curl zip $(needs_of tests/browser/browser.R)" && flush_r_packages) || true
  cache=$(Rscript -e 'cat(tools::R_user_dir("bayesgap", "cache"))')/axe
  [ -f "$cache/node_modules/axe-core/axe.min.js" ] || ! command -v npm >/dev/null ||
    npm install --silent --no-audit --no-fund --prefix "$cache" axe-core >/dev/null 2>&1 || true
}
have_chromium() {
  for program in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v $program >/dev/null && return
  done
  return 1
}
# To be compared with. Installed it would become the BLAS of every program here, so it is only unpacked.
flush_openblas() {
  [ -n "$openblas" ] || return 0
  cache=$(Rscript -e 'cat(tools::R_user_dir("bayesgap", "cache"))')/openblas
  [ ! -d "$cache" ] && have_apt && apt_update || return 0
  mkdir "$scratch/openblas" && (cd "$scratch/openblas" && apt-get -qq download libopenblas0-pthread &&
    mkdir -p "$cache" && dpkg-deb -x ./*.deb "$cache") >"$scratch/apt.log" 2>&1 || rm -rf "$cache"
}
needs_pandoc() {
  tool "pandoc" "command -v pandoc" pandoc
}
needs_manual() {
  needs_pandoc
  tool "LaTeX" "command -v pdflatex && kpsewhich times.sty && kpsewhich ptmr8t.tfm" \
    texlive-latex-base texlive-latex-recommended texlive-fonts-recommended
  tool "HTML Tidy" "command -v tidy" tidy
  tool "qpdf" "command -v qpdf" qpdf
}

for target; do
  case $target in
    run | gct | install) needs_compiler ;;
    unit) needs_compiler; wanted="$wanted $(suggested)" ;;
    faults) needs_compiler; wanted="$wanted $(suggested) $(needs_of tests/faults/*.R)" ;;
    cluster) needs_cluster ;;
    browser) needs_browser ;;
    vignettes) needs_pandoc; wanted="$wanted knitr rmarkdown" ;;
    attack) needs_sanitizers; wanted="$wanted $(suggested)" ;;
    core) needs_sanitizers ;;
    sanitize) needs_sanitizers; wanted="$wanted $(suggested)" ;;
    fuzz) needs_fuzzer ;;
    compilers) needs_compiler; needs_clang ;;
    windows) needs_windows ;;
    valgrind) needs_compiler; wanted="$wanted $(suggested)"; tool "valgrind" "command -v valgrind" valgrind ;;
    coverage) needs_compiler; wanted="$wanted $(suggested) $(needs_of tools/coverage.R)" ;;
    check) needs_manual; needs_tuners ;;
    tuners) needs_tuners ;;
    bench) needs_compiler; wanted="$wanted $(needs_of bench/*.R)"; peers=$(from_cran bench/peers.R) openblas=yes ;;
    data) needs_r; wanted="$wanted $(needs_of $(ls data-raw/*.R | grep -v -e '-study\.R$'))" ;;
    study) needs_compiler; wanted="$wanted $(needs_of data-raw/*-study.R)" ;;
    docs) needs_compiler; needs_pandoc; wanted="$wanted roxygen2 knitr rmarkdown ggplot2" ;;
    site)
      needs_compiler
      needs_pandoc
      tool "npm" "command -v npm" npm
      wanted="$wanted $(suggested) $(needs_of tools/site.R)"
      ;;
    format) tool "clang-format" "command -v clang-format" clang-format ;;
    lint) needs_r; wanted="$wanted lintr" ;;
    *) echo "tools/need.sh: no target '$target'" >&2; exit 2 ;;
  esac
done
flush_tools
flush_r_packages
flush_browser
flush_openblas
# A peer that cannot be had is no reason to stop: the benchmark says that it is missing.
[ -z "$peers" ] || Rscript tools/cran-library.R peers $peers >/dev/null || true
[ -z "$tuners" ] || Rscript tools/cran-library.R tuners $tuners >/dev/null
