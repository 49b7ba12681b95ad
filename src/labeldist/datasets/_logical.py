"""From label distributions to the logical labels that label enhancement starts from."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeldist.simplex import check_distributions


def binarize(D: ArrayLike, threshold: float = 0.5) -> NDArray[np.uint8]:
    """Turn distributions into logical labels: the largest degrees that together exceed `threshold` are 1.

    The labels of a row are taken in descending order of their degrees, of equal ones the lower column first,
    until the sum of those taken is strictly greater than `threshold`. This is the rule of the literature
    [1]_; with the default it reproduces the published logical labels of the benchmark sets.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Rows are distributions.
    threshold : float in [0, 1)

    Returns
    -------
    ndarray of shape (n_samples, n_labels), dtype uint8
        1 for the labels taken, else 0. Every row has at least one 1, but never one where its degree is 0.

    References
    ----------
    .. [1] N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE Transactions on
       Knowledge and Data Engineering 33(4), 1632-1643, 2021.

    Examples
    --------
    >>> from labeldist.datasets import binarize
    >>> binarize([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]])
    array([[1, 1, 0],
           [0, 1, 0]], dtype=uint8)
    """
    if not 0 <= threshold < 1:
        raise ValueError(f"threshold must be at least 0 and less than 1; got {threshold}.")
    degrees = check_distributions(D)
    order = np.argsort(-degrees, axis=1, kind="stable")
    descending = np.take_along_axis(degrees, order, axis=1)
    # One float64 addition after the other, largest degree first, without rounding or tolerance: so the
    # published labels were made. Sums that are 0.5 on paper are 0.5 or an ulp off in float64; more precision,
    # or rounding to ten digits, would decide some such rows of Movie and SBU_3DFE the other way.
    running = np.cumsum(descending, axis=1)
    taken = np.ones(degrees.shape, dtype=np.uint8)
    taken[:, 1:] = running[:, :-1] <= threshold
    # A row may sum to a little less than one, and than a threshold next to one.
    taken[descending == 0] = 0
    logical = np.empty_like(taken)
    np.put_along_axis(logical, order, taken, axis=1)
    return logical
