"""The six measures of the label distribution literature, as one table.

Each measure compares a true distribution d with a predicted one p, row by row; the public functions return the mean
over rows. `MEASURES` holds what tests, scorers and reports need to know of each: its direction, its bounds and
whether d and p may be exchanged.

Terms of the form 0/0 (Clark and Canberra, where both degrees are zero) count as 0: the prediction is right there.
Kullback-Leibler counts 0·log(0/p) as 0 and raises p to `KL_FLOOR`, so a label that was ruled out but holds mass
costs at most 36 nats times its degree instead of infinity.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from labeldist._typing import EPSILON, Array
from labeldist._validation import column_names
from labeldist.simplex import check_distributions

KL_FLOOR = EPSILON
"""The smallest predicted degree that `kl_divergence` sees: machine epsilon, 2.2e-16."""


class MeanOverRows(Protocol):
    """What a public measure looks like to its callers."""

    def __call__(self, D_true: ArrayLike, D_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
        """Return the (weighted) mean of the measure over rows."""


@dataclass(frozen=True)
class Measure:
    """One row of the table of measures.

    Attributes
    ----------
    name : str
        The name of the public function.
    title : str
        The name to print.
    mean : callable
        The public function: ``mean(D_true, D_pred, sample_weight=None)``.
    rows : callable
        ``rows(d, p)``, one value a row, for arrays that are known to hold distributions.
    higher_is_better : bool
    worst : callable
        ``worst(n_labels)``, the bound that no pair of distributions exceeds.
    symmetric : bool
        Whether exchanging truth and prediction changes nothing.
    """

    name: str
    title: str
    mean: MeanOverRows
    rows: Callable[[Array, Array], Array]
    higher_is_better: bool
    worst: Callable[[int], float]
    symmetric: bool

    def __reduce__(self) -> tuple[Callable[[str], "Measure"], tuple[str]]:
        return _by_name, (self.name,)

    @property
    def best(self) -> float:
        """The value of a perfect prediction, which is the bound on the other side."""
        return 1.0 if self.higher_is_better else 0.0


MEASURES: dict[str, Measure] = {}


def _by_name(name: str) -> Measure:
    return MEASURES[name]


def _measure(
    title: str, *, higher_is_better: bool, worst: Callable[[int], float], symmetric: bool = True
) -> Callable[[Callable[[Array, Array], Array]], MeanOverRows]:
    """Make a row-wise measure public as its mean over checked rows, and enter it in the table."""

    def register(rows: Callable[[Array, Array], Array]) -> MeanOverRows:
        @wraps(rows, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        def mean(D_true: ArrayLike, D_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
            return _mean(rows(*check_pair(D_true, D_pred)), sample_weight)

        del mean.__wrapped__  # help() is to show the signature of the mean, not of the rows
        name = rows.__name__
        MEASURES[name] = Measure(name, title, mean, rows, higher_is_better, worst, symmetric)
        return mean

    return register


def check_pair(D_true: ArrayLike, D_pred: ArrayLike) -> tuple[Array, Array]:
    """Return true and predicted distributions as arrays of the same shape, or say what keeps them from a comparison."""
    true_names, names = column_names(D_true), column_names(D_pred)
    if true_names is not None and names is not None and true_names != names:
        raise ValueError(
            f"D_true and D_pred must have the same labels in the same order; got {true_names} and {names}."
        )
    d, p = check_distributions(D_true, name="D_true"), check_distributions(D_pred, name="D_pred")
    if d.shape != p.shape:
        raise ValueError(f"D_true and D_pred must have the same shape; got {d.shape} and {p.shape}.")
    if not len(d):
        raise ValueError("D_true and D_pred have no rows: there is nothing to measure.")
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
    """|d - p| / (d + p), with 0/0 = 0."""
    total = d + p
    return np.divide(np.abs(d - p), total, out=np.zeros_like(total), where=total > 0)


@_measure("Chebyshev", higher_is_better=False, worst=lambda _: 1.0)
def chebyshev(d: Array, p: Array) -> Array:
    """Mean over rows of the largest difference, ``max |d - p|``. Lower is better; at most 1."""
    return np.abs(d - p).max(axis=1)


@_measure("Clark", higher_is_better=False, worst=math.sqrt)
def clark(d: Array, p: Array) -> Array:
    """Mean over rows of ``sqrt(Σ ((d - p) / (d + p))²)``, 0/0 being 0. Lower is better; at most √c."""
    return np.sqrt((_relative_differences(d, p) ** 2).sum(axis=1))


@_measure("Canberra", higher_is_better=False, worst=float)
def canberra(d: Array, p: Array) -> Array:
    """Mean over rows of ``Σ |d - p| / (d + p)``, 0/0 being 0. Lower is better; at most c."""
    return _relative_differences(d, p).sum(axis=1)


@_measure("Kullback-Leibler", higher_is_better=False, worst=lambda _: -math.log(KL_FLOOR), symmetric=False)
def kl_divergence(d: Array, p: Array) -> Array:
    """Mean over rows of ``Σ d log(d / max(p, KL_FLOOR))`` in nats. Lower is better; not symmetric."""
    ratio = np.divide(d, np.maximum(p, KL_FLOOR), out=np.ones_like(d), where=d > 0)
    return (d * np.log(ratio)).sum(axis=1)


@_measure("Cosine", higher_is_better=True, worst=lambda _: 0.0)
def cosine(d: Array, p: Array) -> Array:
    """Mean over rows of the cosine of the angle between d and p. Higher is better; at most 1."""
    return (d * p).sum(axis=1) / np.sqrt((d * d).sum(axis=1) * (p * p).sum(axis=1))


@_measure("Intersection", higher_is_better=True, worst=lambda _: 0.0)
def intersection(d: Array, p: Array) -> Array:
    """Mean over rows of the shared mass, ``Σ min(d, p)``. Higher is better; at most 1."""
    return np.minimum(d, p).sum(axis=1)


def score_all(D_true: ArrayLike, D_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> dict[str, float]:
    """All measures of `MEASURES`, by name.

    >>> from labeldist.metrics import score_all
    >>> scores = score_all([[0.6, 0.4]], [[0.5, 0.5]])
    >>> {name: round(value, 4) for name, value in scores.items()}["intersection"]
    0.9
    """
    d, p = check_pair(D_true, D_pred)
    return {name: _mean(measure.rows(d, p), sample_weight) for name, measure in MEASURES.items()}
