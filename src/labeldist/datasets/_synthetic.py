"""The artificial data set of the literature, and logical labels of distributions."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.simplex import check_distributions, normalize


def make_artificial(n_samples: int = 500, *, random_state: Any = None) -> tuple[Array, Array]:
    """Draw rows of the artificial data set, with features uniform in the cube [−1, 1]³.

    With ``t = x + 0.5 x² + 0.2 x³ + 1`` for each feature, the degrees are ψ / Σψ, where [1]_

    ::

        ψ₁ = (4 t₁ + 2 t₂ +   t₃)²
        ψ₂ = (  t₁ + 2 t₂ + 4 t₃ + 0.01 ψ₁)²
        ψ₃ = (  t₁ + 4 t₂ + 2 t₃ + 0.01 ψ₂)²

    Parameters
    ----------
    n_samples : int, default=500
        Number of rows.
    random_state : int, RandomState instance or None, default=None
        An int makes the rows reproducible.

    Returns
    -------
    X, D : ndarrays of shape (n_samples, 3)
        Features and degrees.

    See Also
    --------
    binarize : Convert the degrees to logical labels.

    References
    ----------
    .. [1] X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering
       28(7), 1734-1748, 2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> X, D = make_artificial(100, random_state=0)
    >>> D[:2].round(2)
    array([[0.26, 0.34, 0.4 ],
           [0.28, 0.39, 0.33]])
    """
    X: Array = random_generator(random_state).uniform(-1, 1, size=(n_samples, 3))
    return X, _degrees(X)


def _degrees(X: Array) -> Array:
    t = X + 0.5 * X**2 + 0.2 * X**3 + 1
    psi = np.zeros((len(X), 4))
    for label, weights in enumerate(((4, 2, 1), (1, 2, 4), (1, 4, 2)), start=1):
        psi[:, label] = (t @ weights + 0.01 * psi[:, label - 1]) ** 2
    return normalize(psi[:, 1:])


def binarize(D: ArrayLike, threshold: float = 0.5) -> NDArray[np.uint8]:
    """Convert distributions to logical labels.

    The labels of a row are selected in descending order of their degrees (for equal degrees, the
    lower column first) until their sum exceeds `threshold` [1]_. The default reproduces the
    published labels of the benchmark sets.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Rows are distributions.
    threshold : float in [0, 1), default=0.5
        The sum that the selected degrees exceed. Sums are rounded to float64: 0.4 + 0.2 exceeds 0.6
        by one unit of the last place.

    Returns
    -------
    ndarray of shape (n_samples, n_labels), dtype uint8
        1 for the selected labels, else 0. Every row has at least one 1; labels of degree 0 are
        never selected.

    See Also
    --------
    labeldist.BayesLE : Recover distributions from logical labels.

    References
    ----------
    .. [1] N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE
       Transactions on Knowledge and Data Engineering 33(4), 1632-1643, 2021.

    Examples
    --------
    >>> from labeldist.datasets import binarize
    >>> binarize([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]).tolist()
    [[1, 1, 0], [0, 1, 0]]
    """
    if not 0 <= threshold < 1:
        raise ValueError(f"threshold must be at least 0 and less than 1; got {threshold}.")
    degrees = check_distributions(D)
    order = np.argsort(-degrees, axis=1, kind="stable")
    descending = np.take_along_axis(degrees, order, axis=1)
    # The published labels result from float64 sums, largest degree first. Sums that are 0.5 on
    # paper may be an ulp off.
    running = np.cumsum(descending, axis=1)
    selected = np.ones(degrees.shape, dtype=np.uint8)
    selected[:, 1:] = running[:, :-1] <= threshold
    # The sum of a row may be slightly less than one, and less than a threshold close to one.
    selected[descending == 0] = 0
    logical = np.empty_like(selected)
    np.put_along_axis(logical, order, selected, axis=1)
    return logical
