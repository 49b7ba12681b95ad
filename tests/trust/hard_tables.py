"""Tables that are hard to compute with, and what may be made of them: a right answer, or words that name the cause."""

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

NAMED_CAUSES = [
    r"Feature \d+ has values too large to be squared",
    r"n_neighbors=\d+ cannot be found among n_samples=\d+ training rows",
    r"Cannot have number of splits n_splits=2 greater than the number of samples",
    r"rows have no positive label, first row \d+, and KM",
    r"row\(s\) whose degrees are all zero",
    r"gamma='scale' divides by the variance of the features, which is too small",
]
"""What a refusal may say."""


def table(n=12, m=4, c=3, seed=0):
    """Features, and distributions that follow from them but for noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    D = np.exp(X @ rng.normal(size=(m, c)) + 0.5 * rng.normal(size=(n, c)))
    return X, D / D.sum(axis=1, keepdims=True)


def logical(D):
    """Label every degree that is at least the mean one."""
    return (D >= 1 / D.shape[1]).astype(float)


def labels_for(estimator, D):
    return logical(D) if takes_logical_labels(estimator) else D


def rows_of(estimator, X):
    """What a fitted estimator says of its training rows; KernelFeatures their kernel matrix."""
    if isinstance(estimator, KernelFeatures):
        features = estimator.transform(X)
        return features @ features.T
    return answers(estimator, X)


def is_right_or_named(estimator, X, y, new=None):
    """Fit, answer and judge: True for rows on the simplex, False for a refusal that names its cause; else fail.

    Warnings may be ours or scikit-learn's that a search was cut short, and no others.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ours in (LabelDistWarning, ConvergenceWarning):
            warnings.simplefilter("ignore", ours)
        try:
            fitted = clone(estimator).fit(X, y)
            found = [rows_of(fitted, X)]
            ask = getattr(fitted, "predict", None) or getattr(fitted, "transform", None)
            if ask is not None and new is not None:
                found.append(ask(new))
        except ValueError as error:
            if any(re.search(cause, str(error)) for cause in NAMED_CAUSES) or re.search(
                r"Scores must be finite; the one in row \d+", str(error)
            ):
                return False
            raise
    for rows in found:
        if isinstance(fitted, KernelFeatures):
            assert np.isfinite(rows).all()
        else:
            check_distributions(rows, tol=1e-12)
    return True


EXTREME = [0.0, 1.0, -1.0, 0.1, 5e-324, 1e-310, 1e-200, 1e-150, -1e-150, 1e-30, 1e30, 1e150, -1e150, 1e200]
EXTREME += [1.7e308, -1.7e308]

numbers = st.one_of(st.sampled_from(EXTREME), st.floats(-10, 10), st.floats(allow_nan=False, allow_infinity=False))


@st.composite
def hard_tables(draw):
    """A small table of extreme but finite numbers, with constant and repeated columns and rows, and its labels."""
    n, m, c = draw(st.integers(1, 7)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.float64, (n, m), elements=numbers))
    if draw(st.booleans()):
        X[:, draw(st.integers(0, m - 1))] = draw(numbers)
    if m > 1 and draw(st.booleans()):
        X[:, 0] = X[:, 1]
    if n > 1 and draw(st.booleans()):
        X[0] = X[1]
    counts = draw(hnp.arrays(np.int64, (n, c), elements=st.integers(0, 5)))
    counts[~counts.any(axis=1), 0] = 1
    new = draw(hnp.arrays(np.float64, (2, m), elements=numbers))
    return X, counts / counts.sum(axis=1, keepdims=True), new
