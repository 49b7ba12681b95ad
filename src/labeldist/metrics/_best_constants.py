"""The constant predictions that are best for a measure, which are the baselines of the skill."""

from collections.abc import Callable
from typing import Any

import numpy as np

from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist.metrics._measures import MEASURES
from labeldist.simplex import normalize

Weight = Array | None
N_ROWS = 100  # that are tried as constants
N_COMPARED = 2000  # rows of large tables, on which these are compared
MAX_ROUNDS = 200  # of the iterations for Jensen-Shannon and Euclidean distance
TOLERANCE = 1e-10  # of their degrees
BISECTIONS = 60  # until neighbouring levels differ by rounding only


def best_constant(D: Array, measure: str, weight: Weight = None) -> Array:
    """Return the distribution with the best mean of a measure if it is predicted for every row.

    Without a known solution it is the best among the solutions for other measures, single labels
    and some rows, compared on at most N_COMPARED rows.
    """
    if measure in SOLUTIONS:
        return SOLUTIONS[measure](D, weight)
    if weight is None:
        weight = np.ones(len(D))
    used = np.flatnonzero(weight)
    sample = used[_equal_steps(len(used), N_COMPARED)]
    D, weight = D[sample], weight[sample]
    solutions = [solve(D, weight) for solve in (*SOLUTIONS.values(), _mean_ranks, _top_shares)]
    rows = D[_equal_steps(len(D), N_ROWS)]
    constants = [*solutions, *rows, *np.eye(D.shape[1])]
    sign = MEASURES[measure].sign
    scores = [sign * _mean_score(D, constant, measure, weight) for constant in constants]
    return constants[int(np.argmax(scores))]


def _equal_steps(n: int, most: int) -> Any:
    """Return at most some positions from 0 to n − 1, at equal steps."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)


def is_mean(measure: str) -> bool:
    """Return whether the best constant for a measure is the mean."""
    return SOLUTIONS.get(measure) is mean_of


def _mean_score(D: Array, constant: Array, measure: str, weight: Weight) -> float:
    values = MEASURES[measure].rows(D, np.broadcast_to(constant, D.shape))
    return float(np.average(values, weights=weight))


def mean_of(D: Array, weight: Weight = None) -> Array:
    """Return the mean distribution."""
    return np.asarray(np.average(D, axis=0, weights=weight))


def _common_quantile(D: Array, weight: Weight) -> Array:
    """Return the quantiles of the labels whose sum is one, at the same level for all labels.

    They minimise Σ |d − q| on the simplex: the gradients of its terms are equal.
    """
    order = np.argsort(D, axis=0)
    values = np.take_along_axis(D, order, axis=0)
    shares = _cumulative_shares(order, weight)
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        level = (low + high) / 2
        if _quantiles(values, shares, level).sum() <= 1:
            low = level
        else:
            high = level
    below = _quantiles(values, shares, low)
    above = _quantiles(values, shares, high)
    gap = above.sum() - below.sum()
    share = (1 - below.sum()) / gap if gap > EPSILON else 0.0
    return _as_distribution(below + share * (above - below))


def _cumulative_medians(D: Array, weight: Weight) -> Array:
    """Return the distribution whose cumulative degrees are medians of cumulative degrees of D."""
    cumulative = np.cumsum(D, axis=1)
    order = np.argsort(cumulative, axis=0)
    values = np.take_along_axis(cumulative, order, axis=0)
    medians = _quantiles(values, _cumulative_shares(order, weight), 0.5)
    return _as_distribution(np.diff(medians, prepend=0.0))


def _cumulative_shares(order: Any, weight: Weight) -> Array:
    """Return the shares of the weight up to each row of sorted columns."""
    weights = np.ones(len(order)) if weight is None else weight
    cumulative = np.cumsum(weights[order], axis=0)
    return np.asarray(cumulative / cumulative[-1])


def _quantiles(values: Array, shares: Array, level: float) -> Array:
    """Return the smallest value of each sorted column whose share is at least a level."""
    positions = (shares < level - EPSILON).sum(axis=0)
    return np.asarray(values[positions, np.arange(values.shape[1])])


def _geometric_median(D: Array, weight: Weight) -> Array:
    """Return the point with the least mean Euclidean distance, by the algorithm of Weiszfeld.

    Distances are smoothed less and less, so that it does not stop at a row that is not the median.
    """
    weights = np.ones(len(D)) if weight is None else weight
    q = mean_of(D, weight)
    for smoothing in np.geomspace(0.1, TOLERANCE, MAX_ROUNDS):
        distances = np.sqrt(((D - q) ** 2).sum(axis=1) + smoothing**2)
        q = mean_of(D, weights / distances)
    return _as_distribution(q)


def _jensen_shannon_centroid(D: Array, weight: Weight) -> Array:
    """Return the centroid, at which q is the geometric mean of the midpoints (d + q) / 2."""
    q = mean_of(D, weight)
    for _ in range(MAX_ROUNDS):
        previous = q
        with np.errstate(divide="ignore"):  # labels without a positive degree
            logarithms = np.log((D + q) / 2)
        q = _as_distribution(np.exp(mean_of(logarithms, weight)))
        if np.abs(q - previous).max() <= TOLERANCE:
            break
    return q


def _mean_direction(D: Array, weight: Weight) -> Array:
    """Return the mean of the rows divided by their lengths."""
    lengths = np.sqrt((D**2).sum(axis=1, keepdims=True))
    return _as_distribution(mean_of(D / lengths, weight))


def _mean_ranks(D: Array, weight: Weight) -> Array:
    """Return a distribution in the order of the mean ranks of the labels."""
    from scipy.stats import rankdata  # a slow import

    ranks = rankdata(D, axis=1)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    lengths = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    scores = mean_of(centred / np.maximum(lengths, EPSILON), weight)
    return _as_distribution(scores - scores.min() + EPSILON)


def _top_shares(D: Array, weight: Weight) -> Array:
    """Return the shares of the rows in which each label is the largest."""
    is_top = D == D.max(axis=1, keepdims=True)
    return mean_of(normalize(is_top), weight)


def _as_distribution(degrees: Array) -> Array:
    """Return non-negative degrees divided by their sum, without rounding errors below zero."""
    return normalize(np.maximum(degrees, 0)[None])[0]


SOLUTIONS: dict[str, Callable[[Array, Weight], Array]] = {
    "kl_divergence": mean_of,
    "ranked_probability": mean_of,
    "manhattan": _common_quantile,
    "intersection": _common_quantile,
    "wasserstein": _cumulative_medians,
    "euclidean": _geometric_median,
    "jensen_shannon": _jensen_shannon_centroid,
    "cosine": _mean_direction,
}
"""The measures whose best constant is known."""
