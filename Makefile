# The house's commands. `make help` lists them.
SHELL := /bin/sh
PYTHON ?= python3
PORT ?= 3000
# Who shares the tests: houses wait more than they work, so one more than two cores. WORKERS=0 is one process.
WORKERS ?= 3
SHARED := -n $(WORKERS) --dist loadscope --no-loadscope-reorder
BIN := .venv/bin
# Who asks the rooms, on whatever engine these are; whole installations are in `installation`.
ABOVE := automation client commands cli hooks runtime server
# One who brings a server has one database: its tests run one after the other. Servers that live for some minutes
# compile quickly rather than well.
ON_NEO4J = JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1 $(BIN)/python -m memory_assets_tests.support.neo4j_server --servers $(WORKERS) -- \
	$(BIN)/python -m pytest $(if $(NEO4J_URI),-n 0,$(SHARED))
STAMP := .venv/.complete
# Wherever this is set, each command, each engine and each worker of the tests would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup run ui lint test test-slow test-soak test-neo4j test-neo4j-rooms test-all bench train lock clean clean-state
.DEFAULT_GOAL := help

help: ## What can be done here
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## Install everything into .venv (1.2 GB; a minute or two, once)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' || { echo "Python 3.11 to 3.14 is needed; say which: make PYTHON=python3.12 setup" >&2; exit 1; }
	@echo "Installing into .venv: about 400 MB to download, 1.2 GB on disk, a minute or two. Once." >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

run: setup ## Build the sample inbox's memories and say where they are
	@$(BIN)/memory-assets sample

ui: setup ## Dagster's UI and daemon on 127.0.0.1 (PORT=3000)
	@exec $(BIN)/memory-assets ui --port $(PORT)

lint: setup ## Style, import contracts and types: seconds
	@$(BIN)/ruff format --check --quiet || { echo "Some files are not formatted: .venv/bin/ruff format" >&2; exit 1; }
	@$(BIN)/ruff check
	@$(BIN)/lint-imports
	@$(BIN)/mypy

test: setup ## The tests, on the embedded engine: about a quarter of an hour on two cores
	@env -u NEO4J_URI $(BIN)/python -m pytest $(SHARED) -m "not slow"

test-slow: setup ## What takes longer: browser, kills, the service, the wheel, labelled pairs
	@env -u NEO4J_URI $(BIN)/python -m pytest $(SHARED) -m "slow and not soak"

test-soak: setup ## Kills and faults again and again, and great numbers, on both engines
	@env -u NEO4J_URI $(BIN)/python -m pytest $(SHARED) -m soak
	@$(ON_NEO4J) -m "graph and soak"

test-neo4j: setup ## The integration tests on a real Neo4j (NEO4J_URI, or one started here for each worker)
	@$(ON_NEO4J) -m "graph and not soak"

test-neo4j-rooms: setup ## Of these what is below commands, servers and runs, with whole installations (ROOMS=: only these)
	@$(ON_NEO4J) -m "graph and not soak" $(ROOMS) $(ABOVE:%=--ignore=memory_assets_tests/%)

test-all: test test-slow test-neo4j test-soak ## All of these

bench: setup ## Speed, as ratios to a bound taken in the same run
	@$(BIN)/python -m memory_assets_tests.bench

train: setup ## Learn again what sentences are worth, what changes them and how recall ranks (MEMORY_ASSETS_CORPORA=folder; MORE=files of written sentences)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python "scikit-learn>=1.7,<2"
	@$(BIN)/python -m memory_assets_tests.labelled.abbreviations
	@OMP_NUM_THREADS=1 $(BIN)/python -m memory_assets_tests.labelled.kinds.train $(MORE)
	@OMP_NUM_THREADS=1 $(BIN)/python -m memory_assets_tests.labelled.worth.train
	@OMP_NUM_THREADS=1 $(BIN)/python -m memory_assets_tests.labelled.noted.train
	@OMP_NUM_THREADS=1 $(BIN)/python -m memory_assets_tests.labelled.validity.train
	@OMP_NUM_THREADS=1 $(BIN)/python -m memory_assets_tests.labelled.recalled.train

lock: setup ## Pin all packages again, with hashes, for every platform
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --extra test --extra service --extra build pyproject.toml --output-file requirements.lock --custom-compile-command "make lock"

clean: ## Remove .venv and what builds leave behind; memories stay
	@rm -rf .venv dist build .pytest_cache .hypothesis .ruff_cache .mypy_cache .import_linter_cache
	@find memory_assets memory_assets_tests -name __pycache__ -prune -exec rm -rf {} +

clean-state: ## Stop the default installation's graph and remove ALL its memories (.memory-assets)
	@test ! -x $(BIN)/memory-assets || env -u MEMORY_ASSETS_HOME -u NEO4J_URI $(BIN)/memory-assets graph stop
	@rm -rf .memory-assets
