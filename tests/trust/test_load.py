"""Many at once, and for long: the same answers, no more memory, files or threads."""

import gc
import json
import subprocess
import sys
import tracemalloc
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import psutil
import pytest
from numpy.linalg import LinAlgError
from sklearn.exceptions import ConvergenceWarning

from labeldist.exceptions import LabelDistWarning
from labeldist.simplex import check_distributions
from tests.trust.crowd import MODELS, ROWS, prediction_method
from tests.trust.drawing import draw_estimator, draw_table, takes_logical


@pytest.mark.parametrize("times", [4, pytest.param(400, marks=pytest.mark.soak)])
def test_threads_that_ask_one_model_get_what_one_would_get(times):
    crowd = [sys.executable, "-W", "ignore", "-m", "tests.trust.crowd", str(times)]
    process = subprocess.run(crowd, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert json.loads(process.stdout) == [[repr(model), 0] for model in MODELS]


def resident():
    gc.collect()
    return psutil.Process().memory_info().rss


@pytest.mark.parametrize(
    "model",
    [pytest.param(model, marks=[pytest.mark.soak] * (model is not MODELS[0]), id=repr(model)) for model in MODELS],
)
def test_ten_thousand_predictions_take_no_more_memory_than_a_thousand(model):
    ask = prediction_method(model)
    for _ in range(1000):
        ask(ROWS[:1])
    before = resident()
    for _ in range(10_000):
        ask(ROWS[:1])
    grown = resident() - before
    print(f"{grown:,} B")
    assert grown < 2**20  # a hundred bytes kept of each would be as much


EXPECTED = (ConvergenceWarning, LabelDistWarning)


def fit_and_ask(rng):
    """Draw a model and a table, fit, and look at the answers; say what came of it."""
    model = draw_estimator(rng)
    X, Y = draw_table(rng, logical=takes_logical(model))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, Y)
            rows = model.predict(X) if hasattr(model, "predict") else model.label_distributions_
            check_distributions(rows, tol=1e-9)
        except LinAlgError:  # a ValueError, but of the machinery
            raise
        except ValueError:  # whose words other tests look at
            return "refused"
        except TypeError as error:  # scikit-learn's for a method that takes no sparse tables
            if "Sparse data was passed" not in str(error):
                raise
            return "refused"
    strange = [warning for warning in caught if not issubclass(warning.category, EXPECTED)]
    assert not strange, f"{model}: {strange[0]}"
    return "fitted"


def state():
    """What a leak would show in: bytes of Python, bytes of the process, open files, threads."""
    process = psutil.Process()
    return np.array([tracemalloc.get_traced_memory()[0], resident(), process.num_fds(), process.num_threads()])


@pytest.mark.parametrize(
    ("warm", "fits", "bytes_a_fit"),
    # In a short run what is loaded when it is first needed, and allocators that have not settled, weigh more.
    [(10, 40, 2**18), pytest.param(200, 1000, 2**11, marks=pytest.mark.soak)],
)
def test_random_fits_are_done_or_refused_and_leave_nothing_behind(warm, fits, bytes_a_fit):
    outcomes = Counter(fit_and_ask(np.random.default_rng(seed)) for seed in range(warm))
    tracemalloc.start()
    before = state()
    outcomes += Counter(fit_and_ask(np.random.default_rng(seed)) for seed in range(warm, warm + fits))
    python, process, files, threads = state() - before
    tracemalloc.stop()
    print(outcomes, f"Python {python:,} B, process {process:,} B, files {files}, threads {threads}")
    assert outcomes["fitted"] > 0.5 * outcomes.total()
    assert python < bytes_a_fit * fits
    assert process < 20 * 2**20 + bytes_a_fit * fits
    assert files <= 0
    assert threads <= 0
