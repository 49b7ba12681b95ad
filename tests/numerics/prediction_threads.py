"""Predict with each fitted model in eight threads; print the number of wrong results as JSON.

This runs in a process of its own, without coverage and without warnings as errors: tracing is not
safe while threads start, and before Python 3.14 all threads share the warning filters."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.base import clone

from labeldist import BDLE
from labeldist.features import KernelFeatures
from labeldist.published import GLLE
from tests.checks import example, training_data
from tests.estimators import LEARNERS

MODELS = [learner for learner in LEARNERS if hasattr(learner, "predict")]
MODELS += [BDLE(), BDLE(solver="low_rank"), GLLE(), KernelFeatures(n_components=20)]
ROWS = example(seed=5)[0]


def prediction_method(model):
    """Fit a clone, and return its method for new rows."""
    fitted = clone(model).fit(*training_data(model))
    return fitted.predict if hasattr(fitted, "predict") else fitted.transform


def count_differences(predict, times, threads):
    """Count how often a call in several threads differs from the same call in one thread."""
    parts = [ROWS[start:stop] for start in range(0, 32, 4) for stop in (start + 1, start + 8)]
    expected = [predict(part) for part in parts]
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(parts)), times))
    results = threads.map(lambda number: predict(parts[number]), order)
    pairs = zip(order, results, strict=True)
    return sum(not np.array_equal(result, expected[number]) for number, result in pairs)


if __name__ == "__main__":
    sys.setswitchinterval(5e-6)  # a thousandth of the default
    times = int(sys.argv[1])
    with ThreadPoolExecutor(8) as threads:
        methods = [prediction_method(model) for model in MODELS]
        print(json.dumps([count_differences(predict, times, threads) for predict in methods]))
