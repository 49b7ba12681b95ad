"""KM: label enhancement by distances to the centres of the labels in kernel space."""

from __future__ import annotations

from typing import Literal

import numpy as np

from labeldist._kernels.kernels import gaussian_product, mean_pairwise_distance
from labeldist._typing import Array
from labeldist._validation import check_rows_have_a_positive
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.simplex import OutputMap

DELTA = 1e-6  # keeps the score of the farthest positive row above zero, and the quotient defined for a radius of zero


class KM(ScoringEnhancer):
    """Label enhancement by a kernel method (KM).

    In the space of the Gaussian kernel, label k has a centre ψ_k, the mean of its positive rows, and a radius r_k, the
    distance of the farthest of them. The score of row i is

        1 − ‖φ(x_i) − ψ_k‖ / (r_k + δ),  δ = 1e-6,

    for each of its positive labels, and 0 for the others.

    Parameters
    ----------
    bandwidth : float or "mean", default="mean"
        s in exp(−‖x − y‖² / (2s²)); ``"mean"`` is the mean distance between rows.
    scale : bool, default=False
        Whether to standardise the features.
    output, sharpness, floor : as in `BDLE`

    Attributes
    ----------
    label_distributions_, label_names_ : as in `BDLE`
    radius_ : ndarray of shape (n_labels,)
        The radii r_k; 0 for a label that no row has.
    bandwidth_ : float
        The s of the kernel.

    See Also
    --------
    FCM : Scores by fuzzy clusters.

    Notes
    -----
    Time grows as n², memory as n. A row without a positive label raises an error.

    References
    ----------
    X. Jiang, Z. Yi, J. C. Lv. Fuzzy SVM with a new fuzzy membership function. Neural Comput. Appl. 15, 2006.

    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE TKDE 33(4), 2021.

    Examples
    --------
    >>> from labeldist.enhancement import KM
    >>> KM().fit_transform([[0.0], [1.0], [2.0], [9.0]], [[1, 0], [1, 1], [1, 0], [1, 1]]).round(2)
    array([[0.63, 0.37],
           [0.66, 0.34],
           [0.66, 0.34],
           [0.5 , 0.5 ]])
    """

    def __init__(
        self,
        *,
        bandwidth: float | Literal["mean"] = "mean",
        scale: bool = False,
        output: OutputMap = "softmax",
        sharpness: float = 1.0,
        floor: float = 0.0,
    ) -> None:
        self.bandwidth, self.scale, self.output, self.sharpness = bandwidth, scale, output, sharpness
        self.floor = floor

    def _score(self, X: Array, L: Array) -> Array:
        check_rows_have_a_positive(L, "KM has no score for them")
        positive = L > 0
        self.bandwidth_ = mean_pairwise_distance(X) if self.bandwidth == "mean" else float(self.bandwidth)
        # ‖φ(x_i) − ψ_k‖² = 1 − 2 Σ_j K_ij u_jk + Σ_jl u_jk K_jl u_lk with u_jk = 1/n_k for the n_k positive rows j of
        # label k, and 0 for the others. The centre of a label without positive rows is the origin.
        share = positive / np.maximum(positive.sum(axis=0), 1)
        to_members = gaussian_product(X, self.bandwidth_, share)
        within = np.einsum("ij,ij->j", share, to_members)
        distances = np.sqrt(np.maximum(1 - 2 * to_members + within, 0))
        self.radius_ = distances.max(axis=0, where=positive, initial=0)
        return np.where(positive, 1 - distances / (self.radius_ + DELTA), 0.0)
