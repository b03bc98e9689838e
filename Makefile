# `make demo` and `make test` do all the set-up: they need make and Python 3.11 or newer, no more.

PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11 python,\
	$(shell $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(p))))
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= auto
TESTS ?= tests

.PHONY: demo test check oracles bench format clean

demo: $(VENV)/.run
	$(BIN)/polhode demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 --dist worksteal $(TESTS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

oracles: $(VENV)/.oracles
	$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 --dist worksteal -m oracle $(TESTS)

bench: $(VENV)/.oracles
	$(BIN)/polhode bench --peers

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .pytest_cache .hypothesis .ruff_cache .import_linter_cache build dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.run: pyproject.toml
	$(if $(PYTHON),,$(error Python 3.11 or newer was not found; name one with PYTHON=...))
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

$(VENV)/.oracles: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[dev,oracles]'
	touch $@
