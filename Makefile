# make run    build Strata and open the sample        make test    check everything
# make        build ./strata                          make bench   measure it on a big snapshot
# make web        build it as a web page: dist/web, dist/strata.html
# make headless   build ./strata-headless: the subcommands without a window, static, for machines without a screen

.PHONY: build headless web run test bench bench-ui package testdata

build:
	@.ci/install build
	@.ci/build

headless:
	@.ci/install headless
	@.ci/build headless

# Builds Strata as a web page: the folder dist/web for any static server, and dist/strata.html, which is all of it in one file.
web:
	@.ci/install web
	@.ci/web

run: build
	@.ci/sample

test:
	@.ci/install test
	@.ci/test

bench:
	@.ci/install bench
	@.ci/bench

# A minute of panning and zooming in the real window, and what its frames took. STRATA_UI_SECONDS makes it shorter.
bench-ui:
	@.ci/install bench
	@bash -c '. .ci/go.sh && .ci/display .ci/bench-ui'

# Builds packages for Linux and Windows, and on a Mac for macOS, into dist/.
package:
	@.ci/install package
	@.ci/package

# Makes the committed test snapshots anew; needs Python.
testdata:
	testdata/remake.py
