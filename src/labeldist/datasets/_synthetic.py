"""The artificial data set of the literature: three features and three labels."""

from typing import Any

import numpy as np

from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.simplex import normalize

_WEIGHTS = ((4, 2, 1), (1, 2, 4), (1, 4, 2))
_COUPLING = 0.01


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
    random_state : int, RandomState instance or None, default=None
        An int makes the rows reproducible.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
    D : ndarray of shape (n_samples, 3)

    See Also
    --------
    make_artificial_grid : The same map on a regular grid.

    References
    ----------
    .. [1] X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7),
       1734-1748, 2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> X, D = make_artificial(100, random_state=0)
    >>> D.shape
    (100, 3)
    """
    if n_samples < 1:
        raise ValueError(f"n_samples must be at least 1; got {n_samples}.")
    X: Array = random_generator(random_state).uniform(-1, 1, size=(n_samples, 3))
    return X, _degrees(X)


def make_artificial_grid(size: int = 51) -> tuple[Array, Array]:
    """Evaluate the artificial data set on a surface, for images of true and recovered distributions.

    The first two features form a grid on [−1, 1]², the third is sin((x₁ + x₂)π). ``D.reshape(size, size, 3)`` is an
    RGB image: x₁ grows within a row, x₂ from row to row, so that
    ``imshow(image, origin="lower", extent=(-1, 1, -1, 1))`` has the usual axes.

    Parameters
    ----------
    size : int, default=51
        Points along each side, at least 2.

    Returns
    -------
    X : ndarray of shape (size², 3)
    D : ndarray of shape (size², 3)

    See Also
    --------
    make_artificial : Random rows.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial_grid
    >>> X, D = make_artificial_grid(11)
    >>> D.shape
    (121, 3)
    """
    if size < 2:
        raise ValueError(f"size must be at least 2; got {size}.")
    side = np.linspace(-1, 1, size)
    x1, x2 = (coordinate.ravel() for coordinate in np.meshgrid(side, side))
    X = np.column_stack([x1, x2, np.sin((x1 + x2) * np.pi)])
    return X, _degrees(X)


def _degrees(X: Array) -> Array:
    t = X + 0.5 * X**2 + 0.2 * X**3 + 1
    psi = np.zeros((len(X), 4))
    for label, weights in enumerate(_WEIGHTS, start=1):
        psi[:, label] = (t @ weights + _COUPLING * psi[:, label - 1]) ** 2
    return normalize(psi[:, 1:])
