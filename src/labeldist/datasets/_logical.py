"""Logical labels: thresholded distributions, and digits with their classes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeldist.simplex import check_distributions


def binarize(D: ArrayLike, threshold: float = 0.5) -> NDArray[np.uint8]:
    """Convert distributions to logical labels: 1 for the largest degrees that together exceed `threshold`.

    The labels of a row are selected in descending order of their degrees (for equal degrees, the lower column first)
    until the sum of the selected degrees is strictly greater than `threshold`. This is the rule of the literature
    [1]_; with the default it reproduces the published logical labels of the benchmark sets.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Rows are distributions.
    threshold : float in [0, 1), default=0.5

    Returns
    -------
    ndarray of shape (n_samples, n_labels), dtype uint8
        1 for the selected labels, else 0. Every row has at least one 1; labels of degree 0 are never selected.

    See Also
    --------
    labeldist.BayesLE : Recover distributions from logical labels.

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
    # The published labels result from float64 additions, largest degree first, without rounding or tolerance. Sums
    # that are 0.5 on paper may be an ulp off; another precision would change some rows of Movie and SBU_3DFE.
    running = np.cumsum(descending, axis=1)
    selected = np.ones(degrees.shape, dtype=np.uint8)
    selected[:, 1:] = running[:, :-1] <= threshold
    # The sum of a row may be slightly less than one, and less than a threshold close to one.
    selected[descending == 0] = 0
    logical = np.empty_like(selected)
    np.put_along_axis(logical, order, selected, axis=1)
    return logical


def load_logical_digits(*, return_X_y: bool = False) -> Any:
    """Load the 1797 digits of scikit-learn (8 × 8 pixels), with their classes as logical labels.

    No download is needed. There are no true distributions to compare with.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return the pair ``(data, logical)`` instead of a Bunch.

    Returns
    -------
    Bunch or tuple of ndarrays
        ``data`` (1797 × 64), ``logical`` (1797 × 10, uint8, a single 1 per row), ``target`` (the class of each row),
        ``images`` (1797 × 8 × 8), ``feature_names``, ``target_names``, ``DESCR``.

    See Also
    --------
    load_dataset : Benchmark sets with true distributions.

    Examples
    --------
    >>> from labeldist.datasets import load_logical_digits
    >>> digits = load_logical_digits()
    >>> int(digits.target[3]), digits.logical[3].tolist()
    (3, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    logical = np.eye(len(digits.target_names), dtype=np.uint8)[digits.target]
    if return_X_y:
        return digits.data, logical
    digits.logical = logical
    digits.feature_names = list(digits.feature_names)
    digits.target_names = [str(digit) for digit in digits.target_names]
    digits.DESCR = f"`logical` is 1 in the column of the class of a digit, and 0 elsewhere.\n\n{digits.DESCR}"
    return digits
