"""Eight threads ask each fitted model at once; prints, as JSON, which models answered and which not as to one thread.

A process of its own, without coverage and without warnings made errors: to trace is not safe while threads begin, and
until Python 3.14 the filters of warnings belong to all threads, so that whoever changes them for a moment, as
scikit-learn's validation does, changes them for all.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.base import clone

from labeldist import BDLE
from labeldist.enhancement import GLLE
from labeldist.features import KernelFeatures
from labeldist.learning import DistributionForest
from tests.checks import example, training_data
from tests.test_estimators import LEARNERS

MODELS = [*LEARNERS, DistributionForest(10, random_state=0), BDLE(), BDLE(solver="low_rank"), GLLE()]
MODELS += [KernelFeatures(n_components=20)]
ROWS = example(seed=5)[0]


def asked(model):
    """What a fitted model answers new rows with."""
    fitted = clone(model).fit(*training_data(model))
    return fitted.predict if hasattr(fitted, "predict") else fitted.transform


def different_answers(ask, times, threads):
    """How often a thread gets another answer than one that asks alone."""
    parts = [ROWS[start:stop] for start in range(0, 32, 4) for stop in (start + 1, start + 8)]
    expected = [ask(part) for part in parts]
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(parts)), times))
    answers = threads.map(lambda number: ask(parts[number]), order)
    return sum(not np.array_equal(answer, expected[number]) for number, answer in zip(order, answers, strict=True))


if __name__ == "__main__":
    sys.setswitchinterval(5e-6)  # threads take turns a thousand times as often as they do
    times = int(sys.argv[1])
    with ThreadPoolExecutor(8) as threads:
        print(json.dumps([[repr(model), different_answers(asked(model), times, threads)] for model in MODELS]))
