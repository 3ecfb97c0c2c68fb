# People and CI use the same targets. `make` alone lists them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(BIN)/critparam
STAMP  := $(VENV)/.installed

.PHONY: help setup fig2 reproduce verify test test-all lint types format clean

help:
	@echo "make fig2       run the main experiment: speedup against batch size and against delay"
	@echo "make reproduce  run every named experiment and say which claims hold"
	@echo "make verify     recompute every verdict from the committed results"
	@echo "make test       install what the tests need and run them all"
	@echo "make lint       ruff over everything;  make types  pyright;  make format  reformat"
	@echo "make setup      only install, into $(VENV);  make clean  remove what make made"

# A virtual environment with the project in it; made again when the dependencies change.
$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-%: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@

setup: $(STAMP)

fig2: $(STAMP)
	$(RUN) run fig2

reproduce: $(STAMP)
	$(RUN) run $$($(RUN) list --names)
	$(RUN) verify

verify: $(STAMP)
	$(RUN) verify

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto

test-all: test

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.installed-lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.installed-lint
	$(BIN)/pyright

clean:
	rm -rf $(VENV) build dist results-quick .pytest_cache .ruff_cache .hypothesis
