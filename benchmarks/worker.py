"""Fit one method of one library on one benchmark set, and report time, memory and answers.

Run by ``benchmarks.side_by_side`` in the environment of the library that is measured; imports nothing of the other's.
"""

import argparse
import json
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat
from sklearn.model_selection import KFold

LEARNERS = {
    "BDLDL": "BD_LDL",
    "SABFGS": "SA_BFGS",
    "SAIIS": "SA_IIS",
    "LDLLC": "LDLLC",
    "LDLSCL": "LDL_SCL",
    "AAKNN": "AA_KNN",
    "AABP": "AA_BP",
    "PTBayes": "PT_Bayes",
    "PTSVM": "PT_SVM",
}
ENHANCERS = {"FCM": "FCM", "KM": "KM", "LP": "LP", "ML": "ML", "GLLE": "GLLE"}


def our_fit(method: str) -> Callable[..., np.ndarray]:
    """Return ``fit(X, y, X_new)`` of this library."""
    import labeldist.enhancement
    import labeldist.learning

    if method in ENHANCERS:
        enhancer = getattr(labeldist.enhancement, method)()
        return lambda X, y, _: enhancer.fit_transform(X, y)
    learner = getattr(labeldist.learning, method)()
    return lambda X, y, X_new: learner.fit(X, y).predict(X_new)


def peer_fit(method: str) -> Callable[..., np.ndarray]:
    """Return ``fit(X, y, X_new)`` of PyLDL."""
    import pyldl.algorithms

    if method in ENHANCERS:
        peer = getattr(pyldl.algorithms, ENHANCERS[method])
        return lambda X, y, _: np.asarray(peer().fit(X, y.copy()).transform())
    peer = getattr(pyldl.algorithms, LEARNERS[method])
    return lambda X, y, X_new: np.asarray(peer().fit(X, y).predict(X_new))


def splits(X: np.ndarray, folds: int) -> list[tuple[Any, Any]]:
    """Return the first of ten shuffled folds; none means all rows, for enhancers."""
    everything = slice(None)
    return list(KFold(10, shuffle=True, random_state=0).split(X))[:folds] if folds else [(everything, everything)]


def main() -> None:
    """Measure, and print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=["ours", "peer"])
    parser.add_argument("method")
    parser.add_argument("file", type=Path, help="a benchmark set's .mat file")
    parser.add_argument("labels", type=Path, help="a .npy file of its logical labels")
    parser.add_argument("answers", type=Path, help="where to put the predicted distributions, .npz")
    parser.add_argument("--folds", type=int, default=10)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    content = loadmat(str(arguments.file))
    X = np.ascontiguousarray(content["features"], dtype=np.float64)
    enhances = arguments.method in ENHANCERS
    y = np.load(arguments.labels).astype(float) if enhances else np.ascontiguousarray(content["labels"], dtype=float)
    fit = (our_fit if arguments.library == "ours" else peer_fit)(arguments.method)
    answers, seconds = [], []
    for train, test in splits(X, 0 if enhances else arguments.folds):
        began = time.perf_counter()
        answers.append(fit(X[train], y[train], X[test]))
        seconds.append(time.perf_counter() - began)
    np.savez(arguments.answers, *answers)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": sum(seconds), "megabytes": peak}))


if __name__ == "__main__":
    main()
