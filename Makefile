# Two targets for everyone: `make demo` and `make test`. Both create .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
# Two workers on two cores: threads of BLAS and torch beside them only get in each other's way.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 \
  $(BIN)/pytest -n 2 --dist worksteal

.PHONY: demo test test-thorough fuzz lint types tests bench docs release clean

demo: $(VENV)/.runtime
	$(BIN)/toposwap demo

# Types are checked while kernels are compiled, half of them in each of two processes.
test: lint
	$(MAKE) --no-print-directory --jobs 3 types kernels-1 kernels-2
	$(PYTEST)

lint: $(VENV)/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.development
	$(BIN)/mypy

tests: $(VENV)/.development
	$(PYTEST)

# Everything, with many random examples: about an hour.
test-thorough: lint types
	TOPOSWAP_TESTS=thorough $(PYTEST)

# Random cases on all cores, as many as there is time for; docs/reliability.md says what is checked.
MINUTES ?= 10
SEED    ?= 0
fuzz: $(VENV)/.development
	$(MAKE) --no-print-directory --jobs 2 kernels-1 kernels-2
	$(BIN)/python -m fuzz run --minutes $(MINUTES) --seed $(SEED)

kernels-%: $(VENV)/.development
	$(BIN)/python tests/support/warm_up.py $*

bench: $(VENV)/.runtime
	$(BIN)/python benchmarks/least_squares.py

# The site, in docs/_build/html. Every code block of every page is run; a block that fails, a broken
# link or any warning of Sphinx fails it.
docs: $(VENV)/.development
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 \
	  $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

# Source and wheel, checked; then the wheel in an empty environment, where the demonstration runs.
release: $(VENV)/.development
	rm -rf dist build/release
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m venv --without-pip build/release
	$(PIP) --python build/release/bin/python install --quiet --constraint constraints.txt \
	  "$$(ls dist/*.whl)[plot]"
	cd build && release/bin/python -m toposwap demo --output release/demo
	test -s build/release/demo/report.html

# Debian ships `venv` without pip unless python3-venv is installed; the system's pip fills in then.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || ( \
	  $(PYTHON) -m venv --clear --without-pip $(VENV) && \
	  $(PYTHON) -m pip --python $(BIN)/python install --quiet pip )
	$(PIP) install --quiet --constraint constraints.txt --upgrade pip

$(VENV)/.runtime: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet --constraint constraints.txt --editable ".[all]"
	touch $@

$(VENV)/.development: pyproject.toml constraints.txt $(VENV)/.runtime
	$(PIP) install --quiet --constraint constraints.txt --editable ".[all,torch,peers]" --group dev
	touch $@

clean:
	rm -rf docs/_build docs/_pictures dist build
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis demo-output
	find src -type d -path "*/__pycache__/toposwap-*" -prune -exec rm -rf {} +
