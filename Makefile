# make            the library, build/libfolio.so
# make demo       the main job, shown by the C, Python and Node examples
# make check      a debug build and the unit tests
# make test       everything: sets the machine up, then runs every suite and the examples
# make bench      measures against bare baselines of the same run; BENCH_RECORDS=100000 for a smaller largest carry-over
# make install    PREFIX=/usr/local (also LIBDIR, INCLUDEDIR, DESTDIR)

SHELL := /bin/bash
export PREFIX LIBDIR INCLUDEDIR DESTDIR FOLIO_STRICT BENCH_RECORDS

.PHONY: all setup lib check test demo bench install clean

all: lib

setup:
	@scripts/setup build python node

lib:
	@scripts/setup build
	@scripts/build-library

check:
	@scripts/setup build
	@scripts/test swift

test: setup
	@scripts/test all

demo: setup
	@scripts/build-library
	@scripts/demo

bench: lib
	@scripts/bench

install:
	@[ -e build/libfolio.so.0 ] || { echo "make install: run make first" >&2; exit 1; }
	@scripts/install

clean:
	rm -rf .build build
