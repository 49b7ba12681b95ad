"""Time of BayesLE and of the other enhancers, and its growth with rows and distinct rows of tags.

``make bayes-le-speed`` prints the median seconds of three fits with one thread, and the peak memory
on large tables.
"""

import argparse
import resource
import statistics
import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks.tables import row, table
from labeldist import BDLE, BayesLE
from labeldist.datasets import binarize, list_datasets, load_dataset
from labeldist.exceptions import LabelDistWarning
from labeldist.published import FCM, GLLE, KM, LP
from labeldist.simplex import softmax

ENHANCERS = {
    "BayesLE": BayesLE(),
    "BD-LE": BDLE(),
    "GLLE": GLLE(),
    "LP": LP(),
    "KM": KM(),
    "FCM": FCM(),
}
LARGE = [(25_000, 18, 0.5), (50_000, 18, 0.5), (100_000, 18, 0.5), (1_000_000, 10, 0.3)]
"""Rows, labels and spread of the scores of the simulated tags."""


def seconds(enhancer, X, L) -> float:
    """Return the seconds of a fit."""
    start = time.perf_counter()
    clone(enhancer).fit(X, L)
    return time.perf_counter() - start


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "sets", nargs="*", default=list_datasets(), help="benchmark sets (default: all thirteen)"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--small", action="store_true", help="leave out the large tables")
    options = parser.parse_args()
    warnings.simplefilter("ignore", LabelDistWarning)
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(1):
        if not options.small:  # first: the peak memory is measured for the process
            print_large_tables()
        print("\n" + table("set", *ENHANCERS))
        for name in options.sets:
            data = load_dataset(name)
            times = [
                [seconds(one, data.data, data.logical) for one in ENHANCERS.values()]
                for _ in range(options.repeats)
            ]
            print(
                row(
                    name,
                    *(f"{statistics.median(column):.2f}" for column in zip(*times, strict=True)),
                ),
                flush=True,
            )


def print_large_tables() -> None:
    """Print time and memory of BayesLE on large tables."""
    print(table("rows", "labels", "distinct rows", "seconds", "peak of memory"))
    for n, c, spread in LARGE:
        random = np.random.default_rng(0)
        L = binarize(softmax(spread * random.standard_normal((n, c))))
        distinct = len(np.unique(np.packbits(L, axis=1), axis=0))
        spent = seconds(BayesLE(), np.empty((n, 0)), L)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(row(f"{n:,}", c, f"{distinct:,}", f"{spent:.1f}", f"{peak:.0f} MB"), flush=True)


if __name__ == "__main__":
    main()
