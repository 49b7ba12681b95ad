"""Many predictions and fits: thread safety, memory, open files and threads."""

import gc
import json
import subprocess
import sys
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
from tests.trust.prediction_threads import MODELS, ROWS, prediction_method
from tests.trust.random_work import draw_estimator, draw_table, takes_logical


@pytest.mark.parametrize("times", [4, pytest.param(400, marks=pytest.mark.soak)])
def test_predictions_in_threads_equal_those_in_one_thread(times):
    command = [sys.executable, "-W", "ignore", "-m", "tests.trust.prediction_threads", str(times)]
    process = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert json.loads(process.stdout) == [[repr(model), 0] for model in MODELS]


def memory():
    gc.collect()
    return psutil.Process().memory_info().rss


@pytest.mark.parametrize(
    "model",
    [pytest.param(model, marks=[pytest.mark.soak] * (model is not MODELS[0]), id=repr(model)) for model in MODELS],
)
def test_predictions_do_not_leak_memory(model):
    predict = prediction_method(model)
    for _ in range(1000):
        predict(ROWS[:1])
    before = memory()
    for _ in range(10_000):
        predict(ROWS[:1])
    assert memory() - before < 2**20  # about a hundred bytes per prediction


def fit_and_predict(rng):
    """Fit a random model to a random table, and check its distributions. Return what happened."""
    model = draw_estimator(rng)
    X, Y = draw_table(rng, logical=takes_logical(model))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, Y)
            rows = model.predict(X) if hasattr(model, "predict") else model.label_distributions_
            check_distributions(rows, tol=1e-9)
        except LinAlgError:  # a ValueError, but not one of validation
            raise
        except ValueError:
            return "refused"
        except TypeError as error:  # scikit-learn's error for sparse features
            if "Sparse data was passed" not in str(error):
                raise
            return "refused"
    unexpected = [w for w in caught if not issubclass(w.category, (ConvergenceWarning, LabelDistWarning))]
    assert not unexpected, f"{model}: {unexpected[0]}"
    return "fitted"


@pytest.mark.parametrize(
    # A short run needs more memory per fit: modules are still being loaded, and allocators grow.
    ("warm", "fits", "bytes_per_fit"),
    [(10, 40, 2**18), pytest.param(200, 1000, 2**11, marks=pytest.mark.soak)],
)
def test_random_fits_succeed_or_are_refused_and_leak_nothing(warm, fits, bytes_per_fit):
    process = psutil.Process()
    outcomes = Counter(fit_and_predict(np.random.default_rng(seed)) for seed in range(warm))
    before = memory(), process.num_fds(), process.num_threads()
    outcomes += Counter(fit_and_predict(np.random.default_rng(seed)) for seed in range(warm, warm + fits))
    assert outcomes["fitted"] > 0.5 * outcomes.total()
    assert memory() - before[0] < 20 * 2**20 + bytes_per_fit * fits
    assert process.num_fds() <= before[1]
    assert process.num_threads() <= before[2]
