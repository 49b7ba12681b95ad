"""LP: label enhancement by label propagation."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np

from labeldist._compat import Interval, StrOptions
from labeldist._kernels.kernels import gaussian_kernel
from labeldist._solvers.quadratic import solve_conjugate_gradient
from labeldist._typing import Array
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.exceptions import VanishingGraphWarning, warn
from labeldist.simplex import OutputMap


class LP(ScoringEnhancer):
    """Label enhancement by label propagation (LP).

    Labels are propagated over the complete graph with weights a_ij = exp(−‖x_i − x_j‖² / (2σ²)), a_ii = 0, by
    F ← aPF + (1 − a)L with P = Â^(−1/2) A Â^(−1/2) and Â the degrees of A. The fixed point

        F = (1 − a)(I − aP)⁻¹ L

    is computed directly, and its scores F are mapped to distributions.

    Parameters
    ----------
    spread : float, default=0.5
        a in [0, 1), the share of the scores that comes from the other rows. 0 keeps the labels.
    width : float or "mean", default=1.0
        σ of the graph; ``"mean"`` is the mean distance between rows. The published width is 1.
    scale : bool, default=False
        Whether to standardise the features.
    output : {"softmax", "clip", "project"}, default="softmax"
        Map from scores to distributions; see `labeldist.simplex.to_distributions`. ``"clip"`` divides by the row sum.
    sharpness : float, default=1.0
        Factor of the scores before softmax; larger values give more concentrated distributions.
    floor : float, default=0.0
        Smaller degrees are raised to it before the row is divided by its sum.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
    label_names_ : list of str
    width_ : float
        The σ of the graph.
    residual_ : float
        Relative residual ‖(I − aP)F − (1 − a)L‖ / ‖(1 − a)L‖, the largest of all labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined if `X` has column names.

    See Also
    --------
    GLLE : A kernel model with a neighbour graph.
    ML : Scores that locally linear weights reconstruct.

    Notes
    -----
    The eigenvalues of I − aP lie between 1 − a and 1 + a, so conjugate gradients reach machine precision in a few
    products with P. Memory and time grow as n².

    A row that is far from all others, in units of σ, has no neighbours and keeps its own labels, (1 − a)l.

    References
    ----------
    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE Transactions on Knowledge and
    Data Engineering 33(4), 2021.

    Examples
    --------
    >>> from labeldist.enhancement import LP
    >>> LP(output="clip").fit_transform([[0.0], [0.1], [5.0]], [[1, 0], [1, 1], [0, 1]]).round(2)
    array([[0.75, 0.25],
           [0.6 , 0.4 ],
           [0.  , 1.  ]])
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's format
        **ScoringEnhancer._parameter_constraints,
        "spread": [Interval(Real, 0, 1, closed="left")],
        "width": [StrOptions({"mean"}), Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        spread: float = 0.5,
        *,
        width: float | Literal["mean"] = 1.0,
        scale: bool = False,
        output: OutputMap = "softmax",
        sharpness: float = 1.0,
        floor: float = 0.0,
    ) -> None:
        self.spread = spread
        self.width = width
        self.scale = scale
        self.output = output
        self.sharpness = sharpness
        self.floor = floor

    def _score(self, X: Array, L: Array) -> Array:
        graph, self.width_ = gaussian_kernel(X, self.width)
        np.fill_diagonal(graph, 0)
        degrees = graph.sum(axis=1)
        _warn_about_isolated_rows(degrees, self.width_)
        root = _inverse_root(degrees)[:, None]

        def apply(V: Array) -> Array:
            """Return (I − aP)V."""
            return V - self.spread * (root * (graph @ (root * V)))

        solution = solve_conjugate_gradient(apply, (1 - self.spread) * L)
        self.residual_ = solution.residual
        return solution.X


def _warn_about_isolated_rows(degrees: Array, width: float) -> None:
    isolated = np.count_nonzero(degrees < np.finfo(np.float64).tiny)
    if 2 * isolated > len(degrees) > 1:
        warn(
            f"{isolated} of {len(degrees)} rows have no neighbours at width={width:g}: all their weights vanish, so "
            "they keep their own labels. Use width='mean', or scale=True.",
            VanishingGraphWarning,
        )


def _inverse_root(degrees: Array) -> Array:
    """Return 1/√â, and 0 for a row whose weights are all below the smallest normal number."""
    return np.where(degrees > np.finfo(np.float64).tiny, degrees, np.inf) ** -0.5
