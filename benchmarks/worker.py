"""Fit one method of one library on one benchmark set, and print time, memory and predictions.

Run by ``benchmarks.side_by_side`` in the environment of the library that is measured; imports
nothing of the other's.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat
from scipy.special import xlogy
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
    "PTSVM, C=100": "PT_SVM",
    "LDLLRR": "LDL_LRR",
    "LDLDPA": "LDL_DPA",
    "LDL4C": "LDL4C",
    "LDLHR": "LDL_HR",
    "DeltaLDL": "Delta_LDL",
    "IncomLDL": "IncomLDL",
    "WInLDL": "WInLDL",
    "LDLSF": "LDLSF",
    "LDLLCLR": "LDL_LCLR",
    "LDSVR": "LDSVR",
    "CPNN": "CPNN",
    "LDLForest": "LDLF",
}
"""The learners of both, without three of PyLDL whose compiled module its wheel lacks."""

CLASSIFIERS = ("LDL4C", "LDLHR")
"""Methods whose `predict` returns labels in PyLDL, and `predict_proba` distributions."""

INCOMPLETE = ("IncomLDL", "WInLDL")
"""Methods that PyLDL gives a mask, which is true where degrees are missing."""

ENHANCERS = {"FCM": "FCM", "KM": "KM", "LP": "LP", "ML": "ML", "GLLE": "GLLE"}

SETTINGS: dict[str, dict[str, Any]] = {
    "FCM": {"n_clusters": 50, "tol": 1e-8},
    "PTBayes": {"covariance": "diagonal", "sampling": "draw", "random_state": 0},
    "PTSVM, C=100": {"C": 100, "kernel_tolerance": 1e-8},
    "AABP": {"random_state": 0},
    "CPNN": {"random_state": 0},
    "LDLForest": {"random_state": 0},
}
"""Settings that make our model equal to the model of PyLDL, and seeds."""

IMPORTED_IN_FIT = (
    "scipy.linalg",
    "sklearn.calibration",
    "sklearn.naive_bayes",
    "sklearn.neighbors",
    "sklearn.svm",
)
"""Modules that PyLDL imports during a fit; imported before, so that imports are not timed."""

CONVERGED = 1e-2
"""Factor of the default tolerance for a converged search."""

Fold = tuple[Any, Any]


class Ours:
    """A method of this library."""

    def __init__(self, method: str) -> None:
        self.method = method
        methods = {row.estimator: row for row in import_module("labeldist.published").METHODS}
        row = methods[method.split(",")[0]]
        self.model = row.estimator_class()(**SETTINGS.get(method, {}))

    def answer(self, X: np.ndarray, y: np.ndarray, X_new: np.ndarray) -> np.ndarray:
        """Fit the model and return its distributions."""
        if self.method in ENHANCERS:
            return self.model.fit_transform(X, y)
        return self.model.fit(X, y).predict(X_new)

    def notes(self, X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
        """Return the objective that the last fit reached, and the objective at convergence."""
        if not hasattr(self.model, "tol") or self.method not in OBJECTIVES:
            return {}
        objective = OBJECTIVES[self.method]
        reached = objective(self.model, X, y)
        tight = type(self.model)(
            **{**self.model.get_params(), "tol": CONVERGED * self.model.tol, "max_iter": 2_000}
        )
        return {"reached": reached, "best": min(reached, objective(tight.fit(X, y), X, y))}


class Peer:
    """A method of PyLDL, which records the values of its objective if it is also ours."""

    def __init__(self, method: str) -> None:
        import keras
        import pyldl.algorithms

        for module in IMPORTED_IN_FIT:
            import_module(module)
        keras.utils.set_random_seed(0)
        self.method = method
        self.algorithm = getattr(pyldl.algorithms, {**LEARNERS, **ENHANCERS}[method])
        self.trace: list[tuple[float, float]] = []

    def answer(self, X: np.ndarray, y: np.ndarray, X_new: np.ndarray) -> np.ndarray:
        """Fit the model and return its distributions."""
        model = self.algorithm()
        if self.method in ("SABFGS", "SAIIS"):
            self._watch(model)
        if self.method in ENHANCERS:
            return np.asarray(model.fit(X, y.copy()).transform())
        model.fit(
            X, y, **({"mask": np.zeros(y.shape, dtype=bool)} if self.method in INCOMPLETE else {})
        )
        return np.asarray(
            (model.predict_proba if self.method in CLASSIFIERS else model.predict)(X_new)
        )

    def _watch(self, model: Any) -> None:
        began, loss = time.perf_counter(), model._loss_function
        self.trace = []

        def watched(*arguments: Any) -> float:
            value = loss(*arguments)
            self.trace.append((time.perf_counter() - began, float(value)))
            return value

        model._loss_function = watched

    def notes(self, _X: np.ndarray, _y: np.ndarray) -> dict[str, Any]:
        """Return (seconds, objective) of each evaluation of the objective in the last fit."""
        return {"trace": self.trace} if self.trace else {}


def divergence(model: Any, X: np.ndarray, D: np.ndarray) -> float:
    """Return KL(D, P) over the training rows, the objective of the maximum entropy model."""
    P = model.predict(X)
    return float((xlogy(D, D) - xlogy(D, P)).sum())


def correlated_divergence(model: Any, X: np.ndarray, D: np.ndarray) -> float:
    """Return the objective of LDLLC."""
    from labeldist.published.ldl_lc import correlated_distance

    theta = model.coef_.T
    penalty = model.ridge * (theta**2).sum() + model.correlation * correlated_distance(theta)[0]
    return divergence(model, X, D) + float(penalty)


OBJECTIVES: dict[str, Callable[[Any, np.ndarray, np.ndarray], float]] = {
    "SABFGS": divergence,
    "SAIIS": divergence,
    "LDLLC": correlated_divergence,
    "LDLSCL": lambda model, _X, _D: model.objective_[-1],
}


def peak_megabytes() -> float:
    """Return the peak memory of this process; ``getrusage`` would include the parent."""
    with Path("/proc/self/status").open() as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def ten_folds(rows: np.ndarray) -> list[Fold]:
    """Return training and test rows of ten folds."""
    return list(KFold(10, shuffle=True, random_state=0).split(rows))


def main() -> None:
    """Print the measurements as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=["ours", "peer"])
    parser.add_argument("method")
    parser.add_argument("file", type=Path, help="a benchmark set's .mat file")
    parser.add_argument("labels", type=Path, help="a .npy file of its logical labels")
    parser.add_argument("answers", type=Path, help=".npz file for the predicted distributions")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="start no fold after this time"
    )
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    content = loadmat(str(arguments.file))
    X = np.ascontiguousarray(content["features"], dtype=np.float64)
    enhances = arguments.method in ENHANCERS
    y = (
        np.load(arguments.labels).astype(float)
        if enhances
        else np.ascontiguousarray(content["labels"], dtype=float)
    )
    measured = (Ours if arguments.library == "ours" else Peer)(arguments.method)
    answers, folds = [], []
    peak = 0.0
    for train, test in (
        [(slice(None), slice(None))] if enhances else ten_folds(X)[: arguments.folds]
    ):
        if sum(fold["seconds"] for fold in folds) > arguments.seconds:
            break
        train_X, train_y, test_X = X[train], y[train], X[test]
        began = time.perf_counter()
        answers.append(measured.answer(train_X, train_y, test_X))
        seconds = time.perf_counter() - began
        peak = peak or peak_megabytes()
        folds.append({"seconds": seconds, **measured.notes(train_X, train_y)})
    np.savez(arguments.answers, *answers)
    print(json.dumps({"folds": folds, "megabytes": peak}))


if __name__ == "__main__":
    main()
