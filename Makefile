# Everything a newcomer or a developer does here, on a machine that has Python 3.11 or newer and reaches PyPI.
# Each target sets up what it needs in .venv, once: the stamps are older than pyproject.toml or the lock, or they are not.

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=
JOBS   ?= 2

# The one version that must be named: everything else is the newest that installs when the lock is made.
TORCH  := 2.13.0

BIN     := $(VENV)/bin
PIP     := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install -qq --constraint requirements.lock --editable
# One worker runs all tests of a file, the long files first; each computes with one thread.
PYTEST  := OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder
FAST    := not (slow or oracle or live or training or onnx or spacy or benchmark)
CHECKED := tests/test_layers.py tests/test_public.py tests/test_docs.py
CACHES  := .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Compiling every module again would take half of the time of each process that tests start.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast check docs hooks bench papers wheel faults fuzz sbom lock clean
.DELETE_ON_ERROR:
.NOTPARALLEL:

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile
	@echo
	@echo "  PYTHON=python3.12 chooses the Python, VENV=path the virtual environment, JOBS=4 how many processes test,"
	@echo "  ARGS='...' goes to the command."

demo: $(VENV)/demo.stamp  ## The main job on open terminologies (ARGS: options of ontonym demo)
	@$(BIN)/ontonym demo $(ARGS)

test: $(VENV)/dev.stamp  ## All tests; those that need data you do not have say so and skip (ARGS: options of pytest)
	@$(PYTEST) $(ARGS)

test-fast: $(VENV)/dev.stamp  ## Tests that need at most a second each: the ring to run at every change (ARGS: options of pytest)
	@ONTONYM_TEST_SECONDS=$${ONTONYM_TEST_SECONDS:-1} $(PYTEST) -m "$(FAST)" $(ARGS)

check: $(VENV)/dev.stamp  ## Style, types, layers and docs, without running the program
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(if $(CHECKED),$(BIN)/python -m pytest $(CHECKED))
	@$(MAKE) --no-print-directory docs

docs: $(VENV)/dev.stamp  ## The documentation site, readable offline: build/site/index.html
	@$(BIN)/python docs/site.py build/site-pages
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

hooks: $(VENV)/dev.stamp  ## Let git check every commit (style, types) and every push (the fast tests)
	@$(BIN)/pre-commit install

bench: $(VENV)/dev.stamp  ## The benchmarks: accuracy, speed, size (ARGS: options of benchmarks/run.py)
	@$(BIN)/python benchmarks/run.py $(ARGS)

papers: $(VENV)/dev.stamp  ## The tables of the five papers from open data, as one page: build/papers/index.html (hours; goes on)
	@$(BIN)/python benchmarks/papers.py $(ARGS)

wheel: $(VENV)/dev.stamp  ## Wheel and sdist: built, checked, and used in an empty environment (ARGS: other Pythons)
	@$(BIN)/python recipes/check_wheel.py $(ARGS)

faults: $(VENV)/dev.stamp  ## kill -9, damage, hostile files, full disks…: one table at the end (ARGS: options of benchmarks/faults.py)
	@$(BIN)/python benchmarks/faults.py $(ARGS)

fuzz: $(VENV)/dev.stamp  ## Random changes of files, artifacts and texts, half an hour for each kind (ARGS: options of benchmarks/fuzz.py)
	@$(BIN)/python benchmarks/fuzz.py $(ARGS)

sbom: requirements.lock $(VENV)/dev.stamp  ## The list of all dependencies with their versions and licences (CycloneDX): build/sbom.json
	@mkdir -p build
	@$(BIN)/python docs/sbom.py > build/sbom.json && echo build/sbom.json

lock:  ## Pin the newest versions of all dependencies in requirements.lock
	@rm -rf build/lock
	@$(call make_venv,build/lock)
	@build/lock/bin/python -m pip install -qq 'torch==$(TORCH)' --editable '.[demo,eval,train,onnx,dev,oracle]'
	@{ sed -n '/^#/p;/^[^#]/q' requirements.lock; \
	   build/lock/bin/python -m pip freeze --exclude-editable \
	   | sed -E 's/\+cpu$$//; /^(nvidia|cuda|triton)/d'; } > build/requirements.lock
	@mv build/requirements.lock requirements.lock
	@rm -rf build/lock
	@grep -c == requirements.lock | sed 's/$$/ packages pinned in requirements.lock/'

clean:  ## Remove the virtual environment and all caches
	rm -rf $(VENV) $(CACHES) build dist
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

# Set-up ------------------------------------------------------------------------------------------------------------

# Makes the virtual environment $(1), or says in one line why not.
define make_venv
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
|| { echo "ontonym needs Python 3.11 or newer, and '$(PYTHON)' is not. Say which: make PYTHON=python3.11 ..." >&2; exit 1; }; \
$(PYTHON) -m venv $(1) || { rm -rf $(1); exit 1; }
endef

$(BIN)/python:
	@$(call make_venv,$(VENV))

$(VENV)/demo.stamp: pyproject.toml requirements.lock | $(BIN)/python
	@echo "Installing ontonym and the demo's terminologies into $(VENV) ..."
	@$(INSTALL) '.[demo]'
	@touch $@

$(VENV)/dev.stamp: pyproject.toml requirements.lock | $(BIN)/python
	@echo "Installing ontonym and all that its development needs into $(VENV) ..."
	@$(INSTALL) '.[demo,eval,train,onnx,dev,oracle]' ./packages/ontonym-contextual ./packages/ontonym-multilingual
	@touch $@ $(VENV)/demo.stamp
