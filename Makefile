# Everything a newcomer needs: `make try` shows the main job, `make test` proves the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Many short runs of Python follow each other: what was compiled once is kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: try check test servers lint types imports clean

try: $(VENV)/.try
	$(BIN)/python examples/try.py

check: lint types imports
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not server and not slow"

test: servers lint types imports
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

# The servers that tests run against, and PostgreSQL for the shared ledger. What cannot be installed
# here is named with the command that installs it, and its tests are skipped; in CI that is an error.
servers: $(VENV)/.test
	$(BIN)/python tools/prepare.py

lint: $(VENV)/.test
	$(BIN)/ruff check src tests examples benchmarks tools
	$(BIN)/ruff format --check src tests examples benchmarks tools

types: $(VENV)/.test
	$(BIN)/mypy

imports: $(VENV)/.test
	$(BIN)/lint-imports

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.try: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e ".[aws,moto,ministack]" pytest
	touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e ".[test]"
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
