"""The six measures of the label distribution learning literature as one table, and their scorers.

Each measure compares a true distribution d with a predicted one p; the public functions return the mean over rows.
Terms 0/0 of Clark and Canberra, where both degrees are zero, count as 0. Kullback-Leibler counts 0·log(0/p) as 0 and
raises p to `KL_FLOOR`, so a true label with predicted degree 0 costs at most 36 nats times its degree.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from labeldist._typing import EPSILON, Array
from labeldist._validation import check_rows, column_names
from labeldist.simplex import check_distributions, normalize

Rows = Callable[[Array, Array], Array]
"""A function of true and predicted distributions that returns one value per row."""

KL_FLOOR = EPSILON
"""The smallest predicted degree in `kl_divergence`: machine epsilon, 2.2e-16."""

_SECTIONS = """

    Parameters
    ----------
    D_true : array-like of shape (n_samples, n_labels)
        The true distributions.
    D_pred : array-like of shape (n_samples, n_labels)
        The predicted distributions. If both are data frames, they must have the same columns in the same order.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    float
        The (weighted) mean over rows.

    See Also
    --------
    labeldist.metrics.score_all : All six measures at once.

    Examples
    --------
    >>> from labeldist.metrics import {name}
    >>> round({name}([[0.6, 0.4]], [[0.5, 0.5]]), 4)
    {example}
    """


@dataclass(frozen=True)
class Measure:
    """One row of the table of measures.

    Parameters
    ----------
    name : str
        The name of the public function.
    title : str
        The name to print.
    mean : callable
        The public function ``mean(D_true, D_pred, sample_weight=None)``.
    rows : callable
        A function ``rows(d, p)`` of valid distributions that returns one value per row.
    higher_is_better : bool
        The direction.
    worst : callable
        A function ``worst(n_labels)`` that returns the bound on the worse side.

    See Also
    --------
    score_all : All measures of a table of predictions.

    Examples
    --------
    >>> from labeldist.metrics import MEASURES
    >>> MEASURES["cosine"].higher_is_better, MEASURES["clark"].worst(4)
    (True, 2.0)
    """

    name: str
    title: str
    mean: Callable[..., float]
    rows: Rows
    higher_is_better: bool
    worst: Callable[[int], float]

    @property
    def best(self) -> float:
        """The value of a perfect prediction, which is the bound on the better side."""
        return 1.0 if self.higher_is_better else 0.0


MEASURES: dict[str, Measure] = {}


def _measure(
    title: str, example: float, *, higher_is_better: bool, worst: Callable[[int], float]
) -> Callable[[Rows], Callable[..., float]]:
    """Return a decorator that adds a row-wise measure to the table and returns its mean over rows."""

    def register(rows: Rows) -> Callable[..., float]:
        def mean(D_true: ArrayLike, D_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
            return _mean(rows(*check_pair(D_true, D_pred, sample_weight)), sample_weight)

        name = rows.__name__
        mean.__module__, mean.__name__, mean.__qualname__ = rows.__module__, name, name
        mean.__doc__ = f"{rows.__doc__}{_SECTIONS.format(name=name, example=example)}"
        MEASURES[name] = Measure(name, title, mean, rows, higher_is_better, worst)
        return mean

    return register


def check_pair(D_true: ArrayLike, D_pred: ArrayLike, sample_weight: Any = None) -> tuple[Array, Array]:
    """Return true and predicted distributions as arrays; raise an error if they cannot be compared."""
    if hasattr(D_true, "predict"):  # scikit-learn calls scorers with an estimator, X and y
        raise TypeError(
            "A measure compares two tables of distributions, but its first argument is an estimator. As scoring of "
            "scikit-learn, use labeldist.metrics.get_scorer with the name of the measure."
        )
    check_rows(D_true=D_true, D_pred=D_pred, sample_weight=sample_weight)
    true_names, names = column_names(D_true), column_names(D_pred)
    if true_names is not None and names is not None and true_names != names:
        raise ValueError(f"D_true and D_pred must have the same labels in the same order: {true_names}, {names}.")
    d, p = check_distributions(D_true, name="D_true"), check_distributions(D_pred, name="D_pred")
    if d.shape != p.shape:
        raise ValueError(f"D_true and D_pred must have the same shape; got {d.shape} and {p.shape}.")
    if not len(d):
        raise ValueError("D_true and D_pred have no rows. At least one is needed.")
    return d, p


def _mean(values: Array, sample_weight: ArrayLike | None) -> float:
    if sample_weight is None:
        return float(values.mean())
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != values.shape or not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
        raise ValueError(
            f"sample_weight must hold one non-negative number for each of the {len(values)} rows, not all zero."
        )
    return float(np.average(values, weights=weight))


def _relative_differences(d: Array, p: Array) -> Array:
    """Return |d - p| / (d + p), with 0/0 = 0."""
    total = d + p
    return np.divide(np.abs(d - p), total, out=np.zeros_like(total), where=total > 0)


@_measure("Chebyshev", 0.1, higher_is_better=False, worst=lambda _: 1.0)
def chebyshev(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``max |d - p|``. Lower is better; at most 1."""
    return np.abs(d - p).max(axis=1)


@_measure("Clark", 0.1436, higher_is_better=False, worst=math.sqrt)
def clark(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``sqrt(Σ ((d - p) / (d + p))²)``. Lower is better; at most √n_labels."""
    return np.sqrt((_relative_differences(d, p) ** 2).sum(axis=1))


@_measure("Canberra", 0.202, higher_is_better=False, worst=float)
def canberra(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``Σ |d - p| / (d + p)``. Lower is better; at most n_labels."""
    return _relative_differences(d, p).sum(axis=1)


@_measure("Kullback-Leibler", 0.0201, higher_is_better=False, worst=lambda _: -math.log(KL_FLOOR))
def kl_divergence(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``Σ d log(d / max(p, KL_FLOOR))`` in nats. Lower is better; not symmetric."""
    ratio = np.divide(d, np.maximum(p, KL_FLOOR), out=np.ones_like(d), where=d > 0)
    return (d * np.log(ratio)).sum(axis=1)


@_measure("Cosine", 0.9806, higher_is_better=True, worst=lambda _: 0.0)
def cosine(d: Array, p: Array) -> Array:
    """Return the mean over rows of the cosine of the angle between d and p. Higher is better; at most 1."""
    return (d * p).sum(axis=1) / np.sqrt((d * d).sum(axis=1) * (p * p).sum(axis=1))


@_measure("Intersection", 0.9, higher_is_better=True, worst=lambda _: 0.0)
def intersection(d: Array, p: Array) -> Array:
    """Return the mean over rows of the shared mass ``Σ min(d, p)``. Higher is better; at most 1."""
    return np.minimum(d, p).sum(axis=1)


def score_all(D_true: ArrayLike, D_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> dict[str, float]:
    """Return all measures of `MEASURES` by name.

    Parameters
    ----------
    D_true : array-like of shape (n_samples, n_labels)
        The true distributions.
    D_pred : array-like of shape (n_samples, n_labels)
        The predicted distributions.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    dict of str to float
        The (weighted) mean over rows of each measure.

    See Also
    --------
    get_scorer : A measure as a scikit-learn scorer.

    Examples
    --------
    >>> from labeldist.metrics import score_all
    >>> score_all([[0.6, 0.4]], [[0.5, 0.5]])["intersection"]
    0.9
    """
    d, p = check_pair(D_true, D_pred, sample_weight)
    return {name: _mean(measure.rows(d, p), sample_weight) for name, measure in MEASURES.items()}


def get_scorer(name: str) -> Any:
    """Return a measure as a scikit-learn scorer, for which higher is always better.

    Measures for which lower is better change their sign. True degrees are divided by their row sums, as in `fit`.

    Parameters
    ----------
    name : str
        A key of `MEASURES`.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, for ``cross_val_score``, ``GridSearchCV`` and the like.

    See Also
    --------
    score_all : All measures of a table of predictions.

    Examples
    --------
    >>> from labeldist.metrics import get_scorer
    >>> get_scorer("kl_divergence")
    make_scorer(mean_of_normalized, greater_is_better=False, response_method='predict', measure=kl_divergence)
    """
    if name not in MEASURES:
        raise ValueError(f"Unknown measure {name!r}; choose from {', '.join(MEASURES)}.")
    from sklearn.metrics import make_scorer  # a slow import that the measures do not need

    return make_scorer(mean_of_normalized, measure=name, greater_is_better=MEASURES[name].higher_is_better)


def mean_of_normalized(
    y_true: ArrayLike, y_pred: ArrayLike, *, measure: str, sample_weight: ArrayLike | None = None
) -> float:
    """Return the mean of a measure over rows, after the true degrees are divided by their row sums."""
    return MEASURES[measure].mean(normalize(y_true, name="y"), y_pred, sample_weight=sample_weight)
