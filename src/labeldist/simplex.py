"""Points on the simplex: checks of label distributions, and maps from counts and scores."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist.exceptions import NotADistributionError

__all__ = [
    "ambiguity",
    "check_distributions",
    "normalize",
    "project",
    "softmax",
]

OutputMap = Literal["softmax", "clip", "project"]
OUTPUT_MAPS: tuple[OutputMap, ...] = get_args(OutputMap)
SUM_TOLERANCE = 1e-6  # row sums of float32 data differ from one by less


def check_distributions(D: Any, *, name: str = "D", tol: float = SUM_TOLERANCE) -> Array:
    """Return `D` as a float64 array, or raise a `NotADistributionError`.

    Parameters
    ----------
    D : array-like or sparse matrix of shape (n_samples, n_labels)
        The distributions.
    name : str, default="D"
        The name of `D` in error messages.
    tol : float, default=1e-6
        The largest difference of a row sum from one. Infinity accepts all finite, non-negative
        degrees.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        The distributions; `D` itself if it is a float64 array.

    See Also
    --------
    normalize : Convert counts or weights to distributions.

    Examples
    --------
    >>> from labeldist.simplex import check_distributions
    >>> check_distributions([[0.25, 0.75]])
    array([[0.25, 0.75]])
    """
    try:
        dense = D.toarray() if hasattr(D, "toarray") else D
        degrees = np.asarray(dense, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise NotADistributionError(f"{name} must hold numbers only: {error}.") from None
    if degrees.ndim != 2 or degrees.shape[1] == 0:
        raise NotADistributionError(
            f"{name} must have one row per item and one column per label; got shape "
            f"{degrees.shape}. Pass a single distribution d as d.reshape(1, -1)."
        )
    # Two extremes are faster than tests of all entries, and NaN fails both comparisons.
    if degrees.size and not (degrees.min() >= 0 and degrees.max() < np.inf):
        _raise_for_first(~np.isfinite(degrees), degrees, f"{name} is not finite")
        _raise_for_first(degrees < 0, degrees, f"{name} is negative")
    if tol == np.inf:
        return degrees
    sums = degrees.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > tol)
    if wrong.size:
        raise NotADistributionError(
            f"{name} has {wrong.size} row(s) that do not sum to 1, first row {wrong[0]}: its sum "
            f"is {sums[wrong[0]]:.9g}. Convert counts or weights with labeldist.simplex.normalize."
        )
    return degrees


def _raise_for_first(bad: NDArray[np.bool_], degrees: Array, problem: str) -> None:
    """Raise an error that names the number of bad rows and the first bad entry, if there is one."""
    if not bad.any():
        return
    row, column = np.argwhere(bad)[0]
    n_rows = np.count_nonzero(bad.any(axis=1))
    raise NotADistributionError(
        f"{problem} in {n_rows} row(s), first in row {row}: "
        f"column {column} is {degrees[row, column]}."
    )


def normalize(D: ArrayLike, *, name: str = "D", copy: bool = True) -> Array:
    """Divide each row of non-negative degrees by its sum.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Counts, weights or degrees: non-negative, with at least one positive value in each row.
    name : str, default="D"
        The name of `D` in error messages.
    copy : bool, default=True
        If False, an array whose rows already sum to one is returned without a copy.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        The distributions.

    See Also
    --------
    check_distributions : Check the sums instead of dividing by them.

    Examples
    --------
    >>> from labeldist.simplex import normalize
    >>> normalize([[1, 3], [2, 0]])
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """
    degrees = check_distributions(D, name=name, tol=np.inf)
    sums = degrees @ np.ones(degrees.shape[1])  # faster than a sum over few columns
    if not copy and np.abs(sums - 1).max(initial=0) <= degrees.shape[1] * EPSILON:
        return degrees
    empty = np.flatnonzero(sums == 0)
    if empty.size:
        raise NotADistributionError(
            f"{name} has {empty.size} row(s) whose degrees are all zero, first row {empty[0]}. "
            "Drop those rows, or give them uniform degrees."
        )
    return degrees / sums[:, None]


def ambiguity(D: ArrayLike) -> Array:
    """Return the effective number of labels of each distribution, the exponential of its entropy.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        The distributions.

    Returns
    -------
    ndarray of shape (n_samples,)
        Values from 1, a single label, to n_labels, the uniform distribution.

    See Also
    --------
    scipy.special.entr : The terms of the entropy.

    Examples
    --------
    >>> from labeldist.simplex import ambiguity
    >>> ambiguity(np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.6, 0.3, 0.1]])).round(2)
    array([1.  , 2.  , 2.45])
    """
    from scipy.special import entr  # importing it takes most of the time of labeldist --help

    return np.asarray(np.exp(entr(check_distributions(D)).sum(axis=1)))


def _check_scores(scores: ArrayLike) -> Array:
    """Return real scores as a 2-D float64 array; raise an error if they are not finite."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(
            f"Scores must have one row per item and one column per label; got shape {array.shape}."
        )
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"Scores must be finite; the one in row {row}, column {column} is {array[row, column]}."
        )
    return array


def softmax(Z: ArrayLike, *, sharpness: float = 1.0) -> Array:
    """Map scores to distributions by ``exp(sharpness * Z)``, divided by the row sums.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_labels)
        The scores.
    sharpness : float, default=1.0
        The inverse temperature. Larger values concentrate the rows; 0 makes them uniform.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        The distributions.

    See Also
    --------
    normalize : Divide rows of non-negative degrees by their sums.

    Examples
    --------
    >>> from labeldist.simplex import softmax
    >>> softmax([[0.0, 1.0]], sharpness=0)
    array([[0.5, 0.5]])
    """
    scores = _check_scores(Z)
    if sharpness < 0:
        scores = -scores
        sharpness = -sharpness
    scores = sharpness * (scores - scores.max(axis=1, keepdims=True))
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def project(V: ArrayLike) -> Array:
    """Map each row to the nearest distribution in Euclidean distance.

    It is ``max(v - τ, 0)`` with the threshold τ for which it sums to one, found exactly by sorting.

    Parameters
    ----------
    V : array-like of shape (n_samples, n_labels)
        The scores.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        The distributions.

    See Also
    --------
    normalize : Divide rows of non-negative degrees by their sums.

    References
    ----------
    J. Duchi et al. Efficient projections onto the l1-ball for learning in high dimensions. ICML
    2008.

    Examples
    --------
    >>> from labeldist.simplex import project
    >>> project([[0.3, 0.6, -1.0]])
    array([[0.35, 0.65, 0.  ]])
    """
    scores = _check_scores(V)
    # A shift of a row does not change its projection, and keeps the digits of large scores.
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

    ``"clip"`` sets negative scores to zero; a row without positive scores becomes uniform.
    `sharpness` is for ``"softmax"`` only. With every map, degrees below `floor` are raised to it
    before the row is divided by its sum.
    """
    if output == "softmax":
        degrees = softmax(scores, sharpness=sharpness)
    elif output == "project":
        degrees = project(scores)
    elif output == "clip":
        degrees = _check_scores(scores).copy()
    else:
        raise ValueError(f"output must be one of {', '.join(OUTPUT_MAPS)}; got {output!r}.")
    np.maximum(degrees, floor, out=degrees)
    degrees[~degrees.any(axis=1)] = 1.0
    return normalize(degrees)
