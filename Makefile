# The two commands that work first on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.citeleaf-ready
# Where `make models` keeps runtimes and tiny models for their tests; made once, about 700 MB.
export CITELEAF_TEST_RUNTIMES ?= $(HOME)/.cache/citeleaf-test-runtimes

STUDIES := study-kyc study-insurance study-coldchain study-notes

.PHONY: setup demo test models retrievers check format bench mlflow docs web browser clean $(STUDIES)

setup: $(STAMP)

$(STAMP): pyproject.toml weights/pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable weights --editable . --group dev
	touch $(STAMP)

demo: setup
	$(BIN)/citeleaf demo

test: setup
	$(BIN)/python -m pytest -n auto --dist worksteal tests

models: setup
	$(BIN)/python tests/models/prepare.py "$(CITELEAF_TEST_RUNTIMES)"
	$(BIN)/python -m pytest -m models tests/models

check: setup
	$(BIN)/ruff format --check src tests bench examples weights docs
	$(BIN)/ruff check src tests bench examples weights docs
	$(BIN)/mypy
	$(BIN)/python docs/make.py --check

format: setup
	$(BIN)/ruff format src tests bench examples weights docs
	$(BIN)/ruff check --fix src tests bench examples weights docs

bench: setup
	$(BIN)/python bench/bench.py

# The retrievers against the real LangChain, LlamaIndex and Haystack, in an environment of their own.
retrievers:
	test -x build/retrievers/bin/python || $(PYTHON) -m venv build/retrievers
	build/retrievers/bin/python -m pip install --quiet "pip>=25.1"
	build/retrievers/bin/python -m pip install --quiet --editable weights --editable ".[langchain,llama-index,haystack]" pytest pytest-socket pytest-timeout
	build/retrievers/bin/python -m pytest -m retrievers tests/surfaces/retrievers

# A table of systems side by side into docs/results/; MODELS="a b" adds language models behind CITELEAF_CHAT__ADDRESS.
$(STUDIES): study-%: setup
	$(BIN)/python -m bench.study $* $(foreach model,$(MODELS),--model $(model))

# Tests against a real MLflow server, which runs in an interpreter of its own.
mlflow: setup
	test -x build/mlflow/bin/python || $(PYTHON) -m venv build/mlflow
	build/mlflow/bin/python -m pip install --quiet "mlflow>=3.6,<4"
	$(BIN)/python -m pip install --quiet --editable ".[mlflow]"
	CITELEAF_TEST_MLFLOW=$(CURDIR)/build/mlflow/bin/python $(BIN)/python -m pytest tests/unit/evaluate/test_mlflow.py

# The page of `serve` is built from web/ and committed; needs Node 20 or newer.
web:
	npm --prefix web ci --no-audit --no-fund
	npm --prefix web test
	npm --prefix web run build

# Drives the built page in Chromium; pictures of each view are left in build/browser.
browser: setup
	test -d web/node_modules || npm --prefix web ci --no-audit --no-fund
	$(BIN)/python -m pytest -m browser tests/browser

docs: setup
	$(BIN)/python docs/make.py

clean:
	rm -rf $(VENV) .citeleaf-demo build/docs .mypy_cache .ruff_cache .pytest_cache
