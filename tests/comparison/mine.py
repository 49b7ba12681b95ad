"""Methods of this test suite's own, and a script that compares them."""

import sys

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge

from labeldist.comparison import compare
from labeldist.datasets import make_artificial
from labeldist.simplex import normalize


class MyRidge(BaseEstimator):
    """Ridge regression of the degrees, clipped and divided by the row sums."""

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, X, D):
        self.ridge_ = Ridge(self.alpha).fit(X, D)
        return self

    def predict(self, X):
        return normalize(np.maximum(self.ridge_.predict(X), 1e-6))


class NoisyMean:
    """The mean distribution with noise; not an estimator of scikit-learn."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def get_params(self, deep=True):
        return {"random_state": self.random_state}

    def set_params(self, **parameters):
        self.random_state = parameters["random_state"]
        return self

    def fit(self, X, D):
        self.mean = D.mean(axis=0)
        return self

    def predict(self, X):
        noise = np.random.default_rng(self.random_state).random((len(X), len(self.mean)))
        return normalize(self.mean + 0.1 * noise)


class Fails(BaseEstimator):
    """A learner that fails on data sets with few rows."""

    def fit(self, X, D):
        if len(X) < 50:
            raise ValueError("too few rows")
        self.mean = D.mean(axis=0)
        return self

    def predict(self, X):
        return np.tile(self.mean, (len(X), 1))


METHODS = {"ridge": MyRidge(), "weak": MyRidge(100.0), "noisy": NoisyMean()}
SETS = {name: make_artificial(int(name), random_state=0) for name in ("40", "60", "80")}


def compare_mine(store, n_jobs=None):
    return compare(METHODS, SETS, cv=5, store=store, n_jobs=n_jobs)


if __name__ == "__main__":
    compare_mine(sys.argv[1], int(sys.argv[2]))
