# `make demo` and `make test` do all the set-up: they need make and Python 3.11 or newer, no more.

PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11 python,\
	$(shell $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(p))))
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -qq --editable
TESTS ?= tests
PYTEST ?= -n auto --maxprocesses 8 --dist worksteal

.PHONY: demo test check oracles adapters bench format clean

demo: $(VENV)/.run
	$(BIN)/polhode demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST) $(TESTS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

oracles: $(VENV)/.oracles
	$(BIN)/python -m pytest $(PYTEST) -m oracle $(TESTS)

# PyTorch, JAX and CasADi are large, and bring compilers of their own: apart from all else.
adapters: $(VENV)/.dev
	$(INSTALL) '.[dev,adapters]'
	$(BIN)/python -m pytest -m "oracle or not oracle" $(TESTS)/adapters

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
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@$(INSTALL) '.[dev]'
	@touch $@

$(VENV)/.oracles: $(VENV)/.dev
	@$(INSTALL) '.[dev,oracles]'
	@touch $@
