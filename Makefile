# Every target installs what it misses; the work is done by the scripts in tools/.

PARTS = lint unit core windows sanitize gct fuzz attack faults cluster browser tuners check
# Parts that are not in every run of the tests.
SLOW_PARTS = compilers valgrind

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test $(PARTS) $(SLOW_PARTS) snapshots coverage bench docs site data study format install setup clean

# The same language, clock and inner make everywhere.
export LC_ALL = C.UTF-8
export LANGUAGE = en
export TZ = UTC
unexport MAKEFLAGS MFLAGS MAKELEVEL

help:       ## this list
	@sed -n 's/^\([a-z]*\): *## */\1 /p' Makefile | while read -r name text; do \
	  printf '  make %-10s %s\n' "$$name" "$$text"; done

run:        ## run the main example on the shipped data: an answer and a picture
	@tools/need.sh run && tools/with-lib.sh Rscript tools/run.R

test:       ## every part below, then the table of counts
	@tools/test.sh $(PARTS)

lint:       ## the style of the R code
unit:       ## the testthat suite; C warnings are errors
core:       ## the C core without R, under the address and undefined-behaviour sanitizers
windows:    ## the C code compiled for Windows, and the core's tests under wine
sanitize:   ## the testthat suite under the sanitizers
gct:        ## every C routine under gctorture
fuzz:       ## the C core under a fuzzer: the same FUZZ_RUNS (12000) inputs, or new ones for FUZZ_SECONDS
attack:     ## random calls of everything: CASES=300 FROM=1, or ATTACK_CASE=17 alone; SAN=1: sanitized
faults:     ## runs that are interrupted, killed, out of disk and out of workers, about 3 minutes
cluster:    ## runs on a real SLURM of one node, about 3 minutes; skipped where there is none
browser:    ## the desk, a report and the web site in a real browser, Chromium; skipped where there is none
tuners:     ## tuning with tidymodels, mlr3 and caret, which are installed from CRAN
check:      ## R CMD check as CRAN, again without what is suggested, and a plain install
compilers:  ## not in `make test`: the C code under clang, -flto, C23 and other flags
valgrind:   ## not in `make test`: the testthat suite under valgrind, SUITE_FILTER=store for a part; hours
$(PARTS) $(SLOW_PARTS):
	@tools/part.sh $@

snapshots:  ## accept the snapshots of the last `make unit`
	@tools/snapshots.sh

coverage:   ## the lines of R and C and the branches of C that no test reaches: build/coverage
	@tools/need.sh coverage && tools/coverage.sh

bench:      ## every measurement in bench/
	@tools/need.sh bench && for file in bench/*.R; do \
	  echo "== $$file"; tools/with-lib.sh Rscript "$$file" || exit 1; done

docs:       ## NAMESPACE and man/ from roxygen comments, README.md from README.Rmd
	@tools/need.sh docs && tools/docs.sh

site:       ## the web site in build/site, by pkgdown: every page from the sources, none needs a network
	@tools/need.sh site && tools/site.sh

data:       ## rebuild data/ with the scripts in data-raw/
	@tools/need.sh data && for file in $$(ls data-raw/*.R | grep -v -e '-study\.R$$'); do \
	  echo "== $$file"; Rscript "$$file" || exit 1; done

study:      ## the studies behind the vignettes: their tables in inst/extdata/, about an hour
	@tools/need.sh study && for file in data-raw/*-study.R; do \
	  echo "== $$file"; tools/with-lib.sh Rscript "$$file" || exit 1; done

format:     ## lay out the C code
	@tools/need.sh format && clang-format -i src/*.[ch] $$(ls tests/core/*.[ch] 2>/dev/null)

install:    ## install the package, with its vignettes, into your own R library
	@tools/need.sh install && tools/install-user.sh

setup:      ## install what any of these targets needs
	@tools/need.sh run $(PARTS) vignettes bench docs site data study format

clean:      ## remove everything that was built
	@rm -rf build *.Rcheck bayesgap_*.tar.gz src/*.o src/*.so
