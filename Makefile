# Every target sets up what it needs; a second run is quick. Needs python3 (3.11 or newer, with venv), pip, make, git;
# `make test` also needs npm, for the real OpenCode client.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NPM := tests/e2e/npm

.PHONY: setup demo test check bench docs wheel clean

# The model lies in your cache and is built once; with it there, this is a check of its bytes.
MODEL := $(BIN)/recollect model build --quiet
PACKAGED := src/recollect/embed/data

setup: $(VENV)/.dev $(NPM)/.installed
	@$(MODEL)

demo: $(VENV)/.run
	@$(MODEL) || echo "Going on without the model."
	@$(BIN)/recollect demo

# Most tests run beside each other; those with real deadlines in them then have the machine for themselves.
test: check $(NPM)/.installed
	@$(MODEL)
ifdef ARGS
	$(BIN)/python -m pytest $(ARGS)
else
	$(BIN)/python -m pytest -m "not alone" -n auto --maxprocesses 4 --dist worksteal --inline-snapshot=disable
	$(BIN)/python -m pytest -m alone tests/process tests/e2e
endif

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

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

clean:
	rm -rf $(VENV) $(NPM)/node_modules $(NPM)/.installed
