# The only front door. Needs Rust and Python 3.11 or newer; everything else goes into .venv.
#
#   make build         virtual environment and extension, leaves .venv/bin/weft
#   make demo          compares routings on a cluster file and on an irregular network
#   make test          Rust and Python tests; property tests draw from SEED=1
#   make test-system   tests that need system packages (installs them)
#   make lint          formatting, lints, types
#   make differential  engine against oracle, CASES=20000
#   make nightly       the same, 100,000 cases that no test of the day sees
#   make fuzz          any bytes for the readers of files, TIME=600 seconds each, TARGETS="json graphml"
#   make mutants       mistakes planted where figures and proofs rest, and the test that notices each, MODEL=proof
#   make bench         speed and memory of the engine, tables and proofs of large fabrics, sweeps
#   make bench-caminos speed of the engine beside the oracle and CAMINOS, which it installs from crates.io
#   make bench-opensm  routings of OpenSM beside ours, on fabrics that ibsim simulates, FABRICS="more files"
#   make bench-simgrid completion times of traces beside SimGrid's, TRACES="cg.A.16.ti.zst"
#   make opensm-plugin opensm-plugin/libweft.so, for routes that change lanes; needs headers of OpenSM
#   make docs          docs/_build/html
#   make wheel         dist/*.whl, for systems from 2014 on, PLATFORMS="x86_64 aarch64"
#   make lock          renews requirements/*.lock and the bill of materials from pyproject.toml

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:

CASES ?= 20000
TIME ?= 600
SEED ?= 1
BIN := .venv/bin
PIP := $(BIN)/python -m pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1
# A target compiles everything once, in half the time without what lets Cargo compile a change alone.
# Who changes one crate and tests it again and again runs `cargo test --package` by hand.
export CARGO_INCREMENTAL := 0
CARGO := cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
STAMP := .venv/stamp

# What answers in a page.
PAGE := python/weft/explore/core.wasm
WASM := wasm32-unknown-unknown

RUST_SOURCES := $(shell find crates -path '*/tests' -prune -o \( -name '*.rs' -o -name '*.toml' \) -print) \
	Cargo.toml Cargo.lock .cargo/config.toml

.PHONY: build demo test test-rust test-python test-system lint differential nightly fuzz mutants bench \
	bench-caminos bench-opensm bench-simgrid opensm-plugin docs wheel lock clean

build: $(STAMP)/extension $(PAGE)

# The first interpreter that is new enough and can make virtual environments.
$(STAMP)/venv:
	@for python in $(or $(PYTHON),python3.11 python3.12 python3.13 python3.14 python3); do \
		if "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "virtual environment with $$("$$python" --version)"; \
			"$$python" -m venv .venv; mkdir -p $(STAMP); touch $@; exit 0; \
		fi; \
	done; \
	echo "error: found no Python 3.11 or newer with the modules venv and ensurepip;" \
		"install one, or name it: make PYTHON=/path/to/python3" >&2; exit 3

$(STAMP)/run: requirements/run.lock $(STAMP)/venv
	$(PIP) install --requirement $<
	@touch $@

$(STAMP)/dev: requirements/dev.lock $(STAMP)/run
	$(PIP) install --requirement $<
	@touch $@

$(STAMP)/docs: requirements/docs.lock $(STAMP)/dev
	$(PIP) install --requirement $<
	@touch $@

$(STAMP)/wheels: requirements/wheels.lock $(STAMP)/dev
	$(PIP) install --requirement $<
	@touch $@

# Python files are used where they stand; only Rust sources and the package's metadata rebuild.
$(STAMP)/extension: $(RUST_SOURCES) pyproject.toml $(STAMP)/run
	VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/maturin develop --release --locked --quiet
	@touch $@ $(STAMP)/tested

# What tests and lints run: the extension of a build that is up to date, else one of what the Rust tests
# have compiled, in a fraction of a build's time. It stands in the build's place, so `make build` builds
# again.
$(STAMP)/tested: $(RUST_SOURCES) pyproject.toml $(STAMP)/run
	VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/maturin develop --locked --quiet
	@rm -f $(STAMP)/extension
	@touch $@

# Python's bindings are no part of it.
$(PAGE): $(filter-out crates/weft-python/%,$(RUST_SOURCES))
	@test -d "$$(rustc --print target-libdir --target $(WASM))" || rustup target add $(WASM) || { \
		echo "error: Rust has no library for $(WASM); install it" >&2; exit 3; \
	}
	$(CARGO) build --profile page --package weft-page --target $(WASM) --locked --quiet
	@cp $(TARGET)/$(WASM)/page/weft_page.wasm $@

demo: build
	$(BIN)/weft compare examples/cluster.ibnetdiscover
	$(BIN)/weft fabric new irregular --switches 64 --seed 1 -o weft-results/irregular-64.json
	$(BIN)/weft compare weft-results/irregular-64.json

test: test-rust test-python

test-rust:
	PROPTEST_RNG_SEED=$(SEED) $(CARGO) test --workspace --locked

test-python: $(STAMP)/tested $(STAMP)/dev $(PAGE)
	$(BIN)/python -m pytest tests/python --numprocesses auto

test-system: $(STAMP)/tested $(STAMP)/dev $(PAGE)
	bash tests/system/install.sh
	$(BIN)/python -m pytest tests/system --numprocesses auto --dist loadfile --no-loadscope-reorder

lint: $(STAMP)/tested $(STAMP)/dev
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	CARGO_TARGET_DIR=$(FUZZ)/check $(CARGO) check --manifest-path fuzz/Cargo.toml --locked
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict
	MYPYPATH=python $(BIN)/python -m mypy.stubtest weft._core

differential:
	WEFT_DIFFERENTIAL_CASES=$(CASES) $(CARGO) test --locked --package weft-engine \
		--test it -- differential --nocapture

# Another night: NIGHT=2000000.
NIGHT ?= 1000000
nightly: $(STAMP)/tested $(STAMP)/dev $(PAGE)
	WEFT_DIFFERENTIAL_CASES=100000 WEFT_DIFFERENTIAL_SEED=$(NIGHT) $(CARGO) test --locked \
		--package weft-engine --test it -- differential --nocapture
	WEFT_PAGE_SEED=$(NIGHT) $(BIN)/python -m pytest tests/python/test_explore_core.py

# The readers are built with the instrumentation of libFuzzer, which the stable compiler has too once
# RUSTC_BOOTSTRAP lets it. A crash is left in $(FUZZ)/crashes.
FUZZ = $(abspath $(TARGET))/fuzz
CARGO_FUZZ := 0.13.2
TARGETS ?= $(basename $(notdir $(sort $(wildcard fuzz/targets/*.rs))))

$(FUZZ)/bin/cargo-fuzz:
	$(CARGO) install cargo-fuzz --version $(CARGO_FUZZ) --locked --quiet --root $(FUZZ)

fuzz: $(FUZZ)/bin/cargo-fuzz
	@mkdir -p $(FUZZ)/crashes
	@for target in $(TARGETS); do \
		echo "== $$target, $(TIME) s"; \
		mkdir -p $(FUZZ)/corpus/$$target; \
		seeds=fuzz/seeds/$$target; \
		if [ $$target = any_bytes ]; then seeds=$$(echo fuzz/seeds/*); fi; \
		RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$(FUZZ)/build $(FUZZ)/bin/cargo-fuzz fuzz run \
			--sanitizer none $$target $(FUZZ)/corpus/$$target $$seeds -- \
			-max_total_time=$(TIME) -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
			-print_funcs=0 -print_final_stats=1 -dict=fuzz/words/$$target.txt \
			-artifact_prefix=$(FUZZ)/crashes/$$target-; \
	done

mutants: $(STAMP)/tested $(STAMP)/dev
	$(BIN)/python tests/mutants/run.py $(if $(MODEL),--model $(MODEL))

bench: build
	$(CARGO) bench --package weft-benches --locked
	$(BIN)/python benches/sweep.py

bench-opensm: build
	$(BIN)/python -m benches.opensm $(FABRICS)

bench-simgrid: build
	$(BIN)/python benches/simgrid.py $(TRACES)

bench-caminos:
	$(CARGO) bench --package weft-benches --locked --features comparison --bench comparison

opensm-plugin:
	$(MAKE) --directory opensm-plugin

docs: build $(STAMP)/docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# Zig links against the libraries of old systems: such a wheel runs where glibc is 2.17 or newer.
PLATFORMS ?= $(shell uname -m)
PROFILE ?= release
DIST ?= dist

wheel: $(STAMP)/tested $(STAMP)/wheels $(PAGE)
	$(BIN)/python docs/man_pages.py packaging/wheel-data/data/share/man/man1
	@for platform in $(PLATFORMS); do \
		target=$$platform-unknown-linux-gnu; \
		test -d "$$(rustc --print target-libdir --target $$target)" || rustup target add $$target || { \
			echo "error: Rust has no library for $$target; install it, or name other PLATFORMS" >&2; \
			exit 3; \
		}; \
		PATH=$(CURDIR)/$(BIN):$$PATH VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/maturin build --profile $(PROFILE) --locked --quiet \
			--zig --target $$target --compatibility manylinux_2_17 --out $(DIST); \
	done
	@ls $(DIST)/*.whl

# Everything pyproject.toml asks for, resolved anew in an empty environment, one lock a purpose.
lock: $(STAMP)/venv
	$(BIN)/python requirements/lock.py $(TARGET)/lock

clean:
	rm -rf .venv dist docs/_build weft-results $(PAGE)
	$(CARGO) clean
