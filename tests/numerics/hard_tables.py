"""Numerically difficult tables, and a check that estimators fit them or name the problem."""

import re
import warnings

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from labeldist.exceptions import LabelDistWarning
from labeldist.features import KernelFeatures
from labeldist.simplex import check_distributions
from tests.checks import answers, takes_logical_labels
from tests.strategies import distributions

ALLOWED_MESSAGES = [
    r"Feature \d+ has values too large to be squared",
    r"n_neighbors=\d+ cannot be found among n_samples=\d+ training rows",
    r"Cannot have number of splits n_splits=2 greater than the number of samples",
    r"rows have no positive label, first row \d+, and KM",
    r"row\(s\) whose degrees are all zero",
    r"gamma='scale' divides by the variance of the features, which is too small",
    r"Scores must be finite; the one in row \d+",
]
"""Allowed messages of errors."""


def table(n=12, m=4, c=3, seed=0):
    """Return features, and distributions that depend on them with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    D = np.exp(X @ rng.normal(size=(m, c)) + 0.5 * rng.normal(size=(n, c)))
    return X, D / D.sum(axis=1, keepdims=True)


def logical(D):
    """Return 1 for degrees of at least the uniform degree."""
    return (D >= 1 / D.shape[1]).astype(float)


def labels_for(estimator, D):
    return logical(D) if takes_logical_labels(estimator) else D


def rows_of(estimator, X):
    """Return the distributions of the training rows; for KernelFeatures their kernel matrix."""
    if isinstance(estimator, KernelFeatures):
        features = estimator.transform(X)
        return features @ features.T
    return answers(estimator, X)


def is_right_or_named(estimator, X, y, new):
    """Fit and predict. Return True for distributions and False for an allowed error message.

    Only warnings of this library and convergence warnings are allowed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", LabelDistWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            fitted = clone(estimator).fit(X, y)
            found = [rows_of(fitted, X)]
            predict = getattr(fitted, "predict", None) or getattr(fitted, "transform", None)
            if predict is not None:
                found.append(predict(new))
        except ValueError as error:
            if any(re.search(message, str(error)) for message in ALLOWED_MESSAGES):
                return False
            raise
    for rows in found:
        if isinstance(fitted, KernelFeatures):
            assert np.isfinite(rows).all()
        else:
            check_distributions(rows, tol=1e-12)
    return True


EXTREME = [0, 1, 0.1, 5e-324, 1e-310, 1e-200, 1e-150, 1e-30, 1e30, 1e150, 1e200, 1.7e308]
EXTREME += [-1, -1e-150, -1e150, -1.7e308]

numbers = st.one_of(
    st.sampled_from(EXTREME), st.floats(-10, 10), st.floats(allow_nan=False, allow_infinity=False)
)


@st.composite
def hard_tables(draw):
    """Draw a table of extreme values, with constant and equal columns and rows, and its labels."""
    n, m, c = draw(st.tuples(st.integers(1, 7), st.integers(1, 4), st.integers(1, 4)))
    X = draw(hnp.arrays(np.float64, (n, m), elements=numbers))
    if draw(st.booleans()):
        X[:, draw(st.integers(0, m - 1))] = draw(numbers)
    if m > 1 and draw(st.booleans()):
        X[:, 0] = X[:, 1]
    if n > 1 and draw(st.booleans()):
        X[0] = X[1]
    D = draw(distributions(shape=(n, c)))
    new = draw(hnp.arrays(np.float64, (2, m), elements=numbers))
    return X, D, new
