"""LP: label enhancement by label propagation."""

from __future__ import annotations

from numbers import Real
from typing import Literal

import numpy as np

from labeldist._compat import Interval
from labeldist._float_limits import TINY
from labeldist._kernels.kernels import gaussian_kernel
from labeldist._solvers.conjugate_gradients import solve_conjugate_gradient
from labeldist._typing import Array
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.exceptions import VanishingGraphWarning, warn
from labeldist.simplex import OutputMap


class LP(ScoringEnhancer):
    """Label enhancement by label propagation (LP).

    Labels are propagated over the complete graph with weights a_ij = exp(−‖x_i − x_j‖² / (2σ²)),
    a_ii = 0, by F ← aPF + (1 − a)L with P = Â^(−1/2) A Â^(−1/2) and Â the degrees of A. The fixed
    point

        F = (1 − a)(I − aP)⁻¹ L

    is computed directly, and its scores F are mapped to distributions.

    Parameters
    ----------
    spread : float, default=0.5
        a in [0, 1), the share of the scores that comes from the other rows. 0 keeps the labels.
    graph_width : float or "mean", default=1.0
        σ of the graph; ``"mean"`` is the mean distance between rows. The published width is 1.
    scale : bool, default=False
        Whether to standardise the features.
    output : {"softmax", "clip", "project"}, default="softmax"
        Map from scores to distributions: `labeldist.simplex.softmax` or `project`; ``"clip"`` sets
        negative scores to zero and divides by the sum.
    sharpness : float, default=1.0
        Factor of the scores in the softmax.
    floor : float, default=0.0
        Smaller degrees are raised to it before the row is divided by its sum.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Recovered label distributions.
    label_names_ : list of str
        Names of the labels.
    graph_width_ : float
        The σ of the graph.
    residual_ : float
        Relative residual ‖(I − aP)F − (1 − a)L‖ / ‖(1 − a)L‖, the largest of all labels.

    See Also
    --------
    ML : Scores that locally linear weights reconstruct.

    Notes
    -----
    Memory and time grow as n². A row that is far from all others, in units of σ, keeps its own
    labels, (1 − a)l.

    References
    ----------
    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE TKDE 33(4),
    2021.

    Examples
    --------
    >>> from labeldist.published import LP
    >>> LP(output="clip").fit_transform([[0.0], [0.1], [5.0]], [[1, 0], [1, 1], [0, 1]]).round(2)
    array([[0.75, 0.25],
           [0.6 , 0.4 ],
           [0.  , 1.  ]])
    """

    _constraints = {"spread": [Interval(Real, 0, 1, closed="left")]}

    def __init__(
        self,
        spread: float = 0.5,
        *,
        graph_width: float | Literal["mean"] = 1.0,
        scale: bool = False,
        output: OutputMap = "softmax",
        sharpness: float = 1.0,
        floor: float = 0.0,
    ) -> None:
        self.spread = spread
        self.graph_width = graph_width
        self.scale = scale
        self.output = output
        self.sharpness = sharpness
        self.floor = floor

    def _score(self, X: Array, L: Array) -> Array:
        graph, self.graph_width_ = gaussian_kernel(X, self.graph_width)
        np.fill_diagonal(graph, 0)
        degrees = graph.sum(axis=1)
        isolated = degrees < TINY
        n_isolated = isolated.sum()
        if 2 * n_isolated > len(X) > 1:
            message = (
                f"{n_isolated} of {len(X)} rows have no neighbours at "
                f"graph_width={self.graph_width_:g}, so they keep their labels. "
                "Use graph_width='mean', or scale=True."
            )
            warn(message, VanishingGraphWarning)
        root = np.where(isolated, np.inf, degrees)[:, None] ** -0.5

        def apply(V: Array) -> Array:
            """Return (I − aP)V."""
            return V - self.spread * (root * (graph @ (root * V)))

        solution = solve_conjugate_gradient(apply, (1 - self.spread) * L)
        self.residual_ = solution.residual
        return solution.X
