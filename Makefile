# Every target makes the virtual environment that it needs; nothing is installed outside this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EVERYTHING := '.[app,dask,neighbors,onnx,tables,votes]'

.PHONY: demo test lint types tests docs lowest format bayes-le-speed reproduce reproduce-quick reproduce-docs peer bench soak audit licences wheel mutation figures clean

demo: $(STAMP)  ## Recover distributions of digits and of the artificial set; writes build/demo.html
	$(BIN)/python examples/demo.py --out build

test: lint types tests docs  ## Lint, type-check, test and build the documentation

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

# A process a core, so one thread a process: more would wait for each other.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

tests: $(STAMP)
	$(ONE_THREAD) $(BIN)/pytest --numprocesses auto --dist worksteal --doctest-modules src tests --cov --cov-report=term

docs: $(STAMP)  ## Build the documentation, warnings are errors; writes build/docs/index.html
	MPLBACKEND=Agg $(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs

# Old packages warn of what is deprecated in the newest of what they bring themselves: that is theirs to mend. Left out
# is what the versions cannot change (installing the wheel, the tools) or what is written with those of constraints.txt
# (the licences, the help and the printed examples in the documentation).
lowest: build/lowest/.installed  ## Test with the lowest versions that pyproject.toml allows (PYTHON=python3.11 is the lowest Python)
	$(ONE_THREAD) build/lowest/bin/pytest --numprocesses auto --dist worksteal -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning \
		tests --ignore tests/docs --ignore tests/tools --ignore tests/test_strangers_path.py

build/lowest/.installed: pyproject.toml tools/floors.py
	$(PYTHON) -m venv --clear build/lowest
	build/lowest/bin/python -m pip install --quiet --constraint constraints.txt --upgrade pip packaging
	build/lowest/bin/python -m tools.floors > build/lowest/constraints.txt
	build/lowest/bin/python -m pip install --quiet --constraint build/lowest/constraints.txt --build-constraint build/lowest/constraints.txt --editable $(EVERYTHING) --group dev
	touch $@

format: $(STAMP)  ## Let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bayes-le-speed: $(STAMP)  ## The time of BayesLE beside the other enhancers, and on large tables (ten minutes)
	$(BIN)/python -m benchmarks.bayes_le_speed

REPRODUCTION := --store build/reproduction.sqlite --out build/reproduction

reproduce: $(STAMP)  ## Run the experiments of the paper with two workers; writes build/reproduction/report.html (30 minutes; resumes)
	$(ONE_THREAD) $(BIN)/python -m reproduction run --jobs 2 $(REPRODUCTION)

reproduce-quick: $(STAMP)  ## Run a small version of all experiments on artificial data (a minute)
	$(ONE_THREAD) $(BIN)/python -m reproduction run quick --jobs 2 --store build/quick.sqlite --out build/quick

reproduce-docs: $(STAMP)  ## Run the further experiments behind the tables of the documentation; writes build/reproduction/pages (hours)
	$(ONE_THREAD) $(BIN)/python -m reproduction run le-recovery ldl-prediction ablation enhancers learners defaults tuned bayes-le choice --jobs 2 $(REPRODUCTION)

peer: $(STAMP) build/peer/.installed  ## Side by side with PyLDL (a large install, and hours for all methods and sets)
	$(BIN)/python -m benchmarks.side_by_side --peer build/peer/bin/python --page docs/side_by_side.md

bench: $(STAMP) build/peer/.installed  ## Speed and scale beside peers and the hardware's floor (a large install, 40 minutes)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.scale --peer build/peer/bin/python

build/peer/.installed:
	$(PYTHON) -m venv --clear build/peer
	build/peer/bin/python -m pip install --quiet torch==2.13.0
	build/peer/bin/python -m pip install --quiet python-ldl==0.1.2 pandas==3.1.1
	touch $@

soak: $(STAMP)  ## The long tests of trust: searches, fuzzing, kills, load (hours of one core); figures in build/soak.txt
	mkdir -p build
	bash -o pipefail -c '$(BIN)/pytest -m soak -rP tests | tee build/soak.txt'

audit: $(STAMP)  ## Known vulnerabilities of the pinned versions; needs PyPI's own service
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group audit
	$(BIN)/python -m tools.audit

licences: $(STAMP)  ## Licences of everything that is installed with the package, and whether they go with ours
	$(BIN)/python -m tools.licences docs/licences.md

wheel: $(STAMP)  ## The wheel and the source archive, built twice and compared byte by byte; writes dist
	rm -rf dist
	$(BIN)/python -m tools.wheel dist

mutation: build/mutmut/.installed  ## Change solvers, measures and simplex in thousands of small ways; lists what no test notices (half an hour)
	rm -rf mutants
	$(ONE_THREAD) build/mutmut/bin/mutmut run
	$(ONE_THREAD) build/mutmut/bin/python -m benchmarks.mutation

# An environment of its own: mutmut needs an older pytest than the tests run with.
build/mutmut/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear build/mutmut
	grep -v '^pytest==' constraints.txt > build/mutmut/constraints.txt
	build/mutmut/bin/python -m pip install --quiet --constraint build/mutmut/constraints.txt --upgrade pip
	build/mutmut/bin/python -m pip install --quiet --constraint build/mutmut/constraints.txt --build-constraint constraints.txt --editable $(EVERYTHING) --group dev --group mutation
	touch $@

figures: $(STAMP)  ## Draw the pictures of the documentation anew
	$(BIN)/python -m benchmarks.convergence Yeast_cold SBU_3DFE --out docs/images/convergence.png
	$(BIN)/python examples/demo.py --out build --picture docs/images/digits.png

clean:
	rm -rf $(VENV) build dist mutants docs/gallery docs/reference .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --build-constraint constraints.txt --editable $(EVERYTHING) --group dev
	touch $@
