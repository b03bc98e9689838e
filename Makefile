# `make demo` and `make test` do all the set-up: they need make and Python 3.11 or newer, no more.

PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11 python,\
	$(shell $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(p))))
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -qq --editable
TESTS ?= tests
PYTEST ?= -n auto --maxprocesses 8 --dist worksteal
QUICK ?= $(addprefix tests/,laws model scene spatial api/test_compile.py api/test_public_names.py \
	compiler/test_gufunc.py compiler/test_rules.py contact/test_closed_forms_friction.py \
	docs/test_docstrings.py docs/test_links.py docs/test_packages.py hardening/test_messages.py \
	hardening/test_public_api.py io/test_load.py io/test_lua.py io/test_mesh_files.py \
	io/test_save.py io/test_urdf.py modes/test_arrays.py moby/test_moby_reader.py moby/test_sdf.py \
	rbdl/test_facade.py simulation/test_simulation_laws.py spatial_v2/test_dynamics.py)

.PHONY: demo test quick check oracles validate stress coverage adapters docs bench viewer-check format clean fuzz release-check test-minimal \
	changelog changelog-draft

demo: $(VENV)/.run
	$(BIN)/polhode demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST) $(TESTS)

# Some tests of everything, in less than a minute.
quick: $(VENV)/.dev
	$(BIN)/python -m pytest -q $(PYTEST) $(QUICK)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/python scripts/type_completeness.py
	$(BIN)/lint-imports
	$(BIN)/python scripts/plain_english.py

oracles: $(VENV)/.oracles
	$(BIN)/python -m pytest $(PYTEST) -m oracle $(TESTS)

# Published numbers of others, from the folder POLHODE_VALIDATION; writes docs/validation.md.
validate: $(VENV)/.oracles
	$(BIN)/python tests/validation/run.py $(SUITES)

# Processes with many threads, from plans by chance; STRESS_SECONDS=600 for longer.
STRESS_SECONDS ?= 60

stress: $(VENV)/.dev
	POLHODE_STRESS_SECONDS=$(STRESS_SECONDS) $(BIN)/python -m pytest -q -n 0 -s -k chance \
		tests/hardening/test_stress.py

# Lines that the tests reach; those of loops where they run as plain Python.
coverage: $(VENV)/.dev
	$(INSTALL) '.[dev,coverage]'
	$(BIN)/python -m pytest $(PYTEST) --cov=polhode --cov-report=term:skip-covered $(TESTS)

# PyTorch, JAX and CasADi are large, and bring compilers of their own: apart from all else.
adapters: $(VENV)/.dev
	$(INSTALL) '.[dev,adapters]'
	$(BIN)/python -m pytest -m "oracle or not oracle" $(TESTS)/adapters

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q -d build/docs-work/doctrees docs build/docs
	@echo "build/docs/index.html"

bench: $(VENV)/.oracles
	$(BIN)/polhode bench --peers
	$(BIN)/python benchmarks/contact_accuracy.py

# The page that the package carries is what its sources make; needs Node and npm.
viewer-check:
	@work=$$(mktemp -d) && trap 'rm -rf "$$work"' EXIT && mkdir -p "$$work/src/polhode/viewer" \
	  && cp -r viewer "$$work" && rm -rf "$$work/viewer/node_modules" && cd "$$work/viewer" \
	  && npm ci --silent --no-audit --no-fund && npm run --silent build \
	  && diff -r "$$work/src/polhode/viewer/assets" "$(CURDIR)/src/polhode/viewer/assets" \
	  && diff built.sha256 "$(CURDIR)/viewer/built.sha256" \
	  && echo "the page is what its sources make"

# A minute for each reader and loader; FUZZ="urdf moby" and FUZZ_SECONDS=1800 for longer.
FUZZ ?= urdf moby sdf mjcf lua lua_table obj stl recording stream checkpoint animation \
	system_model cache
FUZZ_SECONDS ?= 60

fuzz: $(VENV)/.fuzz
	for t in $(FUZZ); do \
		$(BIN)/python fuzz/run.py $$t -max_total_time=$(FUZZ_SECONDS) -verbosity=0 || exit 1; \
	done

release-check: $(VENV)/.release
	$(BIN)/python scripts/release_check.py

# The oldest libraries that pyproject.toml allows.
MINIMAL := numpy==2.0.0 llvmlite==0.45.0 scipy==1.13.0 lupa==2.2 defusedxml==0.7.1 h5py==3.11.0
MINIMAL_TESTS ?= $(addprefix tests/,api compiler hardening io laws model simulation)

test-minimal:
	$(PYTHON) -m venv build/minimal
	build/minimal/bin/python -m pip install -q --disable-pip-version-check -e . $(MINIMAL) \
		pytest hypothesis mpmath
	build/minimal/bin/python -m pytest -q $(MINIMAL_TESTS)

# What a release would say; `make changelog` writes it, and removes the fragments.
changelog-draft: $(VENV)/.release
	$(BIN)/towncrier build --draft --version next

changelog: $(VENV)/.release
	@version=$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml); \
	if grep -qF "## [$$version]" CHANGELOG.md; then \
		echo "CHANGELOG.md has a section for $$version: set the next version in pyproject.toml first" >&2; \
		exit 1; \
	fi; \
	$(BIN)/towncrier build --yes --version "$$version"

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf docs/generated $(VENV) .pytest_cache .hypothesis .ruff_cache .import_linter_cache build dist
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

$(VENV)/.docs: $(VENV)/.run
	@$(INSTALL) '.[docs]'
	@touch $@

$(VENV)/.fuzz: $(VENV)/.dev
	@$(INSTALL) '.[dev,fuzz]'
	@touch $@

$(VENV)/.release: $(VENV)/.dev
	@$(INSTALL) '.[dev,release]'
	@touch $@

# Only the MJCF files of these are read: their dependencies are not needed.
MJCF_FILES := 'gymnasium>=1.0,<2' 'dm_control>=1.0,<2'

$(VENV)/.oracles: $(VENV)/.dev
	@$(INSTALL) '.[dev,oracles]'
	@$(BIN)/python -m pip install --disable-pip-version-check -qq --no-deps $(MJCF_FILES)
	@touch $@
