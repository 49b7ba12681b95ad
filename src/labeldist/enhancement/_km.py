"""KM: label enhancement by distances to the labels' centres in kernel space."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labeldist._compat import Interval, StrOptions
from labeldist._kernels.kernels import gaussian_product, mean_pairwise_distance
from labeldist._typing import Array
from labeldist._validation import check_rows_have_a_positive
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.simplex import OutputMap

DELTA = 1e-6
"""Keeps the degree of the farthest positive row above zero, and the quotient defined where the radius is zero."""


class KM(ScoringEnhancer):
    """Label enhancement by a kernel method (KM).

    In the space of the Gaussian kernel every label has a centre, the mean ψ_k of its positive rows, and a radius, the
    distance r_k of the farthest of them. A row scores

        1 − ‖φ(x_i) − ψ_k‖ / (r_k + δ)

    for each label that it has, and 0 for each that it has not; δ is 1e-6. The scores are mapped to distributions.

    Parameters
    ----------
    bandwidth : float or "mean", default="mean"
        s in exp(−‖x − y‖² / (2s²)) of the kernel; ``"mean"`` is the mean distance between rows.
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
    radius_ : ndarray of shape (n_labels,)
        r_k, 0 for a label that no row has.
    bandwidth_ : float
        The kernel's s.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    Time grows as n²; no n × n matrix is kept. A row without a positive label has no score at all and is refused.

    References
    ----------
    X. Jiang, Z. Yi, J. C. Lv. Fuzzy SVM with a new fuzzy membership function. Neural Computing and Applications 15,
    2006.

    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE Transactions on Knowledge and
    Data Engineering 33(4), 2021.

    Examples
    --------
    >>> from labeldist.enhancement import KM
    >>> KM().fit_transform([[0.0], [1.0], [2.0], [9.0]], [[1, 0], [1, 1], [1, 0], [1, 1]]).round(2)
    array([[0.63, 0.37],
           [0.66, 0.34],
           [0.66, 0.34],
           [0.5 , 0.5 ]])
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        **ScoringEnhancer._parameter_constraints,
        "bandwidth": [StrOptions({"mean"}), Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        bandwidth: float | Literal["mean"] = "mean",
        scale: bool = False,
        output: OutputMap = "softmax",
        sharpness: float = 1.0,
        floor: float = 0.0,
    ) -> None:
        self.bandwidth = bandwidth
        self.scale = scale
        self.output = output
        self.sharpness = sharpness
        self.floor = floor

    def _score(self, X: Array, L: Array) -> Array:
        check_rows_have_a_positive(L, "KM scores a row's positive labels only")
        positive = L > 0
        self.bandwidth_ = mean_pairwise_distance(X) if self.bandwidth == "mean" else float(self.bandwidth)
        distances = distances_to_centers(X, self.bandwidth_, positive)
        self.radius_ = distances.max(axis=0, where=positive, initial=0)
        return np.where(positive, 1 - distances / (self.radius_ + DELTA), 0.0)


def distances_to_centers(X: Array, bandwidth: float, member: NDArray[np.bool_]) -> Array:
    """‖φ(x_i) − ψ_k‖ with ψ_k the mean of φ over the members of group k, φ being the map of the Gaussian kernel.

    ‖φ(x_i) − ψ_k‖² = 1 − 2 Σ_j K_ij u_jk + Σ_jl u_jk K_jl u_lk, u_jk being 1/n_k for the members and 0 for others. A
    group without members has its centre at the origin.
    """
    share = member / np.maximum(member.sum(axis=0), 1)
    to_members = gaussian_product(X, bandwidth, share)
    within = np.einsum("ij,ij->j", share, to_members)
    return np.sqrt(np.maximum(1 - 2 * to_members + within, 0))
