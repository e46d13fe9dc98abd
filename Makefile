# The two commands: `make benchmark` and `make test`. Both set up everything they need in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help benchmark demo test test-all lint format clean

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

benchmark: $(VENV)/.installed-evaluation ## Measure the bundled raters on the bundled sample.
	$(BIN)/python -m evaluation.run

demo: $(VENV)/.installed-demo ## Try the starter guard in the browser.
	$(BIN)/python app.py

test: $(VENV)/.installed-dev ## Run the tests that take minutes.
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: $(VENV)/.installed-dev ## Run all tests.
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.installed-dev ## Check format, style and types.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.installed-dev ## Format the code and mend what can be mended.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## Remove what was installed and cached.
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Babelguard needs Python 3.11 or newer.")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-evaluation: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP_INSTALL) --editable '.[evaluation,cpu]'
	touch $@

$(VENV)/.installed-demo: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP_INSTALL) --editable '.[demo,serve,cpu,evaluation,data]'
	touch $@ $(VENV)/.installed-evaluation

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP_INSTALL) --editable '.[evaluation,data,endpoints,judges,train,cpu,serve,demo,dev]'
	touch $@ $(VENV)/.installed-evaluation $(VENV)/.installed-demo
