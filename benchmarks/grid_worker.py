"""Time PyLDL's BD_LDL: one fit, or the paper's grid in scikit-learn's ``GridSearchCV``.

Run by ``benchmarks.scale`` in PyLDL's environment. Its estimators lose their parameters when they
are cloned, so a thin one of scikit-learn's kind stands around the model; the work is PyLDL's.
"""

import argparse
import json
import time

import numpy as np
from pyldl.algorithms import BD_LDL
from scipy.io import loadmat
from scipy.special import xlogy
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import GridSearchCV, KFold

GRID = [10.0**k for k in range(-4, 4)]


class Model(RegressorMixin, BaseEstimator):
    """The model of PyLDL as a scikit-learn estimator."""

    def __init__(self, alpha: float = 1e-3, beta: float = 1e-2) -> None:
        self.alpha = alpha
        self.beta = beta

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Model":
        """Fit the model of PyLDL."""
        self.model_ = BD_LDL(alpha=self.alpha, beta=self.beta).fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict distributions."""
        return np.asarray(self.model_.predict(X))


def negative_divergence(model: Model, X: np.ndarray, D: np.ndarray) -> float:
    """Return −KL."""
    return -float((xlogy(D, D) - xlogy(D, np.maximum(model.predict(X), 1e-16))).sum(axis=1).mean())


def main() -> None:
    """Print the measurements as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument(
        "--points", type=int, default=64, help="points of the grid that are searched"
    )
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    content = loadmat(arguments.file)
    X, D = (np.ascontiguousarray(content[key], dtype=np.float64) for key in ("features", "labels"))
    fits = []
    for _ in range(arguments.repeats):
        began = time.perf_counter()
        Model().fit(X, D)
        fits.append(time.perf_counter() - began)
    grid = [{"alpha": [a], "beta": [b]} for a in GRID for b in GRID][: arguments.points]
    began = time.perf_counter()
    if grid:
        folds = KFold(10, shuffle=True, random_state=0)
        GridSearchCV(Model(), grid, cv=folds, scoring=negative_divergence, refit=False).fit(X, D)
    print(json.dumps({"fits": fits, "grid": time.perf_counter() - began, "points": len(grid)}))


if __name__ == "__main__":
    main()
