"""KM: label enhancement by distances to the centres of the labels in kernel space."""

from __future__ import annotations

from typing import Literal

import numpy as np

from labeldist._kernels.kernels import gaussian, mean_pairwise_distance, squared_distance_blocks
from labeldist._typing import Array
from labeldist.enhancement._enhancer import ScoringEnhancer
from labeldist.exceptions import NotADistributionError
from labeldist.simplex import OutputMap

# Keeps the score of the farthest positive row above zero, and the quotient defined for a radius of
# zero.
DELTA = 1e-6


class KM(ScoringEnhancer):
    """Label enhancement by a kernel method (KM).

    In the space of the Gaussian kernel, label k has a centre ψ_k, the mean of its positive rows,
    and a radius r_k, the distance of the farthest of them. The score of row i is

        1 − ‖φ(x_i) − ψ_k‖ / (r_k + δ),  δ = 1e-6,

    for each of its positive labels, and 0 for the others.

    Parameters
    ----------
    bandwidth : float or "mean", default="mean"
        s in exp(−‖x − y‖² / (2s²)); ``"mean"`` is the mean distance between rows.
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
    X. Jiang, Z. Yi, J. C. Lv. Fuzzy SVM with a new fuzzy membership function. Neural Comput. Appl.
    15, 2006.

    N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE TKDE 33(4),
    2021.

    Examples
    --------
    >>> from labeldist.published import KM
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
        self.bandwidth = bandwidth
        self.scale = scale
        self.output = output
        self.sharpness = sharpness
        self.floor = floor

    def _score(self, X: Array, L: Array) -> Array:
        check_rows_have_a_positive(L)
        positive = L > 0
        if self.bandwidth == "mean":
            self.bandwidth_ = mean_pairwise_distance(X)
        else:
            self.bandwidth_ = float(self.bandwidth)
        # ‖φ(x_i) − ψ_k‖² = 1 − 2 Σ_j K_ij u_jk + Σ_jl u_jk K_jl u_lk with u_jk = 1/n_k for the n_k
        # positive rows j of label k, and 0 for the others. The centre of a label without positive
        # rows is the origin.
        share = positive / np.maximum(positive.sum(axis=0), 1)
        to_members = gaussian_product(X, self.bandwidth_, share)
        within = np.einsum("ij,ij->j", share, to_members)
        distances = np.sqrt(np.maximum(1 - 2 * to_members + within, 0))
        self.radius_ = distances.max(axis=0, where=positive, initial=0)
        return np.where(positive, 1 - distances / (self.radius_ + DELTA), 0.0)


def check_rows_have_a_positive(L: Array) -> None:
    """Raise an error if logical labels contain rows of zeros."""
    empty = np.flatnonzero(~L.any(axis=1))
    if empty.size:
        raise NotADistributionError(
            f"{empty.size} of {len(L)} rows have no positive label, first row {empty[0]}, and "
            "KM has no score for them. Drop those rows, or use an enhancer that accepts them, "
            "such as BDLE."
        )


def gaussian_product(X: Array, width: float, V: Array) -> Array:
    """Return KV for K_ij = exp(−‖x_i − x_j‖² / (2 width²)), without storing K.

    Half of K is computed, once.
    """
    product = np.zeros(V.shape)
    for rows, squared in squared_distance_blocks(X):
        K = gaussian(squared, width)
        product[rows] += K @ V[rows.start :]
        product[rows.stop :] += K[:, len(K) :].T @ V[rows]
    return product
