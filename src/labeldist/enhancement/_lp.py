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

    Labels spread over the complete graph with weights a_ij = exp(−‖x_i − x_j‖² / (2σ²)), a_ii = 0, until they settle:
    F ← aPF + (1 − a)L with P = Â^(−1/2) A Â^(−1/2) and Â the degrees of A. The fixed point is

        F = (1 − a)(I − aP)⁻¹ L,

    so it is computed, not iterated for; its scores F are mapped to distributions.

    Parameters
    ----------
    spread : float, default=0.5
        a in [0, 1): how much of a row's degrees comes from the other rows. 0 leaves the labels alone.
    width : float or "mean", default=1.0
        σ of the graph; ``"mean"`` is the mean distance between rows. 1.0 is the published width.
    scale : bool, default=False
        Whether to standardise the features first.
    output : {"softmax", "clip", "project"}, default="softmax"
        How scores become distributions; see `labeldist.simplex.to_distributions`. ``"clip"`` divides by the row sum.
    sharpness : float, default=1.0
        Scores are multiplied by it before softmax, so that larger is more pointed; it counts for softmax only.
    floor : float, default=0.0
        Degrees below it are raised to it before a row is divided by its sum.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
    label_names_ : list of str
    width_ : float
        The graph's σ.
    residual_ : float
        ‖(I − aP)F − (1 − a)L‖ over that of the right side, the largest of all labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    I − aP has its eigenvalues between 1 − a and 1 + a, so conjugate gradients solve the system to the last digit in a
    handful of products with P: n² numbers of memory and time.

    A row far from all others (in units of σ) has no degree and keeps its own labels, (1 − a)l.

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

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
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
        _warn_of_lonely_rows(degrees, self.width_)
        root = _inverse_root(degrees)[:, None]

        def spread_from(V: Array) -> Array:
            """(I − aP)V."""
            return V - self.spread * (root * (graph @ (root * V)))

        solution = solve_conjugate_gradient(spread_from, (1 - self.spread) * L)
        self.residual_ = solution.residual
        return solution.X


def _warn_of_lonely_rows(degrees: Array, width: float) -> None:
    lonely = np.count_nonzero(degrees < np.finfo(np.float64).tiny)
    if 2 * lonely > len(degrees) > 1:
        warn(
            f"{lonely} of {len(degrees)} rows are so far from all others that width={width:g} leaves them alone: "
            "nothing spreads to them. Use width='mean', or scale=True.",
            VanishingGraphWarning,
        )


def _inverse_root(degrees: Array) -> Array:
    """1/√â, and 0 for a row whose weights are all below the smallest normal number: it has no neighbours."""
    return np.where(degrees > np.finfo(np.float64).tiny, degrees, np.inf) ** -0.5
