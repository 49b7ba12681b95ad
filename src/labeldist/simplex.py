"""Rows on the probability simplex: check them, normalise to them, map scores onto them.

A *distribution* here is a row of finite, non-negative degrees that sum to one. Everything that enters or leaves
the library as a distribution passes through this module.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from labeldist._typing import EPSILON, TINY, Array
from labeldist.exceptions import NotADistributionError

OutputMap = Literal["softmax", "clip", "project"]
OUTPUT_MAPS: tuple[OutputMap, ...] = get_args(OutputMap)

SUM_TOLERANCE = 1e-6
"""How far from one a row may sum and still count as a distribution (float32 data stays well inside)."""


def check_degrees(D: ArrayLike, *, name: str = "D") -> Array:
    """Return `D` as a 2-D float64 array of finite, non-negative degrees, or say which entry is not."""
    try:
        degrees = np.asarray(D, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise NotADistributionError(f"{name} must hold numbers only: {error}.") from None
    if degrees.ndim != 2:
        raise NotADistributionError(
            f"{name} must have two dimensions, a row an item and a column a label; got shape {degrees.shape}. "
            "A single distribution d is d.reshape(1, -1)."
        )
    if degrees.shape[1] == 0:
        raise NotADistributionError(f"{name} has no label columns: its shape is {degrees.shape}.")
    if degrees.size and degrees.min() >= 0 and degrees.max() < np.inf:
        return degrees
    for unwanted, bad in (("not finite", ~np.isfinite(degrees)), ("negative", degrees < 0)):
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise NotADistributionError(
                f"{name} is {unwanted} in {np.count_nonzero(bad.any(axis=1))} row(s), first in row {row}: "
                f"column {column} is {degrees[row, column]}."
            )
    return degrees


def check_distributions(D: ArrayLike, *, name: str = "D", tol: float = SUM_TOLERANCE) -> Array:
    """Return `D` as a float64 array whose rows are distributions, or say which row is not and its sum.

    This is the strict check, for data that claims to be distributions: nothing is repaired. Use `normalize` to
    turn counts or weights into distributions.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
    name : str
        What to call `D` in the error message.
    tol : float
        How far from one a row's sum may be.
    """
    degrees = check_degrees(D, name=name)
    sums = degrees.sum(axis=1)
    wrong = np.abs(sums - 1) > tol
    if wrong.any():
        row = int(np.argmax(wrong))
        raise NotADistributionError(
            f"{name} has {np.count_nonzero(wrong)} row(s) that do not sum to 1, first row {row}: its sum is "
            f"{sums[row]:.9g}. If these are counts or weights, pass them through labeldist.simplex.normalize."
        )
    return degrees


def normalize(D: ArrayLike, *, name: str = "D", copy: bool = True) -> Array:
    """Divide each row of non-negative degrees by its sum.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Counts, weights or degrees: non-negative, with at least one positive entry in each row.
    name : str
        What to call `D` in the error message.
    copy : bool
        If False, an array whose rows all sum to one, to rounding, is returned itself.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        A new array of distributions, unless `copy` is False.
    """
    degrees = check_degrees(D, name=name)
    if degrees.size:
        with np.errstate(over="ignore"):
            sums = degrees @ np.ones(degrees.shape[1])  # several times faster than a sum over so few columns
        if not copy and np.abs(sums - 1).max() <= degrees.shape[1] * EPSILON:
            return degrees
        if TINY < sums.min() and sums.max() < np.inf:
            return degrees / sums[:, None]
    largest = degrees.max(axis=1, keepdims=True)
    if not largest.all():
        empty = np.flatnonzero(largest == 0)
        raise NotADistributionError(
            f"{name} has {empty.size} row(s) whose degrees are all zero, first row {empty[0]}: a row needs at "
            "least one positive degree to become a distribution. Drop those rows, or give them uniform degrees."
        )
    # Dividing by the largest first keeps rows near the ends of the number range from overflowing their sum.
    degrees = degrees / largest
    degrees /= degrees.sum(axis=1, keepdims=True)
    return degrees


def ambiguity(D: Array) -> Array:
    """Return how many equal labels would be as hard to tell apart as those of each distribution.

    It is the exponential of the entropy: 1 is one clear label, the number of labels is no preference at all.

    >>> ambiguity(np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.6, 0.3, 0.1]])).round(2)
    array([1.  , 2.  , 2.45])
    """
    return np.asarray(np.exp(entr(D).sum(axis=1)))


def check_scores(scores: ArrayLike) -> Array:
    """Return real scores as a 2-D float64 array, or say what is wrong with them."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"Scores must be a table with a row an item and a column a label; got shape {array.shape}.")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(f"Scores must be finite; the one in row {row}, column {column} is {array[row, column]}.")
    return array


def softmax(Z: ArrayLike, *, sharpness: float = 1.0) -> Array:
    """Map scores to distributions by ``exp(sharpness * Z)``, each row divided by its sum.

    A larger `sharpness` makes the rows more pointed, 0 makes them uniform: it multiplies the scores, the inverse of
    what physics calls so.
    """
    scores = check_scores(Z)
    if sharpness < 0:
        scores, sharpness = -scores, -sharpness
    with np.errstate(over="ignore"):  # what lies infinitely below the largest has the degree 0
        gaps = scores - scores.max(axis=1, keepdims=True)
        scores = sharpness * np.maximum(gaps, -np.finfo(np.float64).max)  # for 0 · ∞ is no number
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def project(V: ArrayLike) -> Array:
    """Map each row to the nearest distribution in Euclidean distance.

    The nearest distribution is ``max(v - τ, 0)`` for the one threshold τ at which it sums to one; sorting the row
    finds τ exactly [1]_.

    References
    ----------
    .. [1] J. Duchi, S. Shalev-Shwartz, Y. Singer, T. Chandra. Efficient projections onto the l1-ball for learning
       in high dimensions. ICML 2008.
    """
    scores = check_scores(V)
    # Shifting a row by a constant does not move its projection, and keeps large scores from losing the one.
    with np.errstate(over="ignore"):  # what lies infinitely below the largest has the degree 0
        scores = scores - scores.max(axis=1, keepdims=True)
        descending = -np.sort(-scores, axis=1)
        thresholds = (np.cumsum(descending, axis=1) - 1) / np.arange(1, scores.shape[1] + 1)
    support = np.count_nonzero(descending > thresholds, axis=1)
    threshold = np.take_along_axis(thresholds, support[:, None] - 1, axis=1)
    projected = np.maximum(scores - threshold, 0)
    projected /= projected.sum(axis=1, keepdims=True)
    return projected


def to_distributions(
    scores: ArrayLike, output: OutputMap = "softmax", *, sharpness: float = 1.0, floor: float = 0.0
) -> Array:
    """Map real scores to distributions by the named output map.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_labels)
    output : {"softmax", "clip", "project"}
        ``"softmax"``: `softmax` with `sharpness`. ``"clip"``: raise scores to `floor` and divide by the row sum;
        a row left without any positive score becomes uniform. ``"project"``: `project`.
    sharpness : float
        For ``"softmax"`` only.
    floor : float
        Degrees below it are raised to it before the row is divided by its sum, whatever the map. Zero degrees are
        ruinous under Kullback-Leibler, Clark and Canberra if the truth is positive; a small floor is an insurance.
    """
    if output == "softmax":
        degrees = softmax(scores, sharpness=sharpness)
    elif output == "project":
        degrees = project(scores)
    elif output == "clip":
        degrees = check_scores(scores).copy()
    else:
        raise ValueError(f"output must be one of {', '.join(OUTPUT_MAPS)}; got {output!r}.")
    np.maximum(degrees, floor, out=degrees)
    degrees[~degrees.any(axis=1)] = 1.0
    return normalize(degrees)
