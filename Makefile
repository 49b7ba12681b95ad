# Every target makes the virtual environment that it needs; nothing is installed outside this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint format types tests figures recovery prediction clean

demo: $(STAMP)  ## Recover distributions of digits and of the artificial set; writes build/demo.html
	$(BIN)/python examples/demo.py --out build

test: lint types tests  ## Lint, type-check and test

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

tests: $(STAMP)
	$(BIN)/pytest --doctest-modules src tests --cov --cov-report=term

format: $(STAMP)  ## Let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

recovery: $(STAMP)  ## BD-LE beside the trivial enhancers on the benchmark sets
	$(BIN)/python benchmarks/recovery.py

prediction: $(STAMP)  ## BD-LDL beside the mean, ten folds, on the benchmark sets
	$(BIN)/python benchmarks/prediction.py

figures: $(STAMP)  ## Draw the pictures of the documentation anew
	$(BIN)/python benchmarks/convergence.py --out docs/images/convergence.png
	$(BIN)/python examples/demo.py --out build --picture docs/images/digits.png

clean:
	rm -rf $(VENV) build dist .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --build-constraint constraints.txt --editable '.[app]' --group dev
	touch $@
