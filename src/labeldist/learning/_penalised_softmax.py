"""Softmax learners with further terms: LDL-LRR, LDL-DPA, LDL-LDM, LDL4C, LDL-HR, δ-LDL and EDL."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import entr
from scipy.stats import rankdata
from sklearn.utils import check_array

from labeldist._compat import NON_NEGATIVE, POSITIVE
from labeldist._kernels.neighbor_graph import reconstruction_weights
from labeldist._solvers import softmax_terms as terms
from labeldist._solvers.clustering import cluster_rows
from labeldist._solvers.maximum_entropy import ValueAndGradient, squared_norm
from labeldist._typing import Array
from labeldist._validation import column_names
from labeldist.learning._learner import SampleWeightMixin
from labeldist.learning._softmax_learners import PenalisedSoftmax

FLOOR = 1e-6  # least degree in EDL, whose divergence is infinite for a degree of zero


class LDLLRR(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning by maintaining label ranking relation (LDL-LRR).

    With P = softmax(Xθ), n rows, and the pairs of labels u, v with d_iu > d_iv, it minimises over θ

        −ΣD log P + (λ/n) Σ_i Σ_{u,v} (d_iu − d_iv)² log(1 + exp(−s(p_iu − p_iv))) + (β/2)‖θ‖².

    The second term favours predictions that rank the labels of a row as its distribution does.

    Parameters
    ----------
    ranking : float, default=1e-3
        λ.
    ridge : float, default=1.0
        β.
    sharpness : float, default=100.0
        s. Differences of degrees that are large compared with 1/s count by their order alone.
    fit_intercept, tol, max_iter : as in `SABFGS`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`

    See Also
    --------
    LDLDPA : Ranks instead of pairs.

    Notes
    -----
    The formula and the defaults are those of a co-author's code, whose intercept is penalised. The paper divides λ by
    the squared number of labels as well, and its gradient omits the cross-terms of the softmax. PyLDL averages the
    divergence over the rows and has no ridge. The default λ is small compared with a sum over rows and has hardly any
    effect; one that does is of the order of the number of rows.

    References
    ----------
    X. Jia, X. Shen, W. Li, Y. Lu, J. Zhu. Label distribution learning by maintaining label ranking relation. IEEE TKDE
    35(2), 2023.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLLRR
    >>> LDLLRR().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    _constraints = {"ranking": NON_NEGATIVE, "sharpness": POSITIVE}

    def __init__(
        self,
        ranking: float = 1e-3,
        ridge: float = 1.0,
        *,
        sharpness: float = 100.0,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.ranking, self.ridge = ranking, ridge
        self.sharpness, self.fit_intercept, self.tol, self.max_iter = sharpness, fit_intercept, tol, max_iter

    def _terms(self, D: Array, weight: Array | None) -> list[tuple[float, terms.Term]]:
        total = D.shape[1] if weight is None else weight.sum()
        return [(1.0, terms.DivergenceTerm(D)), (self.ranking / total, terms.RankingTerm(D, self.sharpness))]


class LDLDPA(SampleWeightMixin, PenalisedSoftmax):
    """Adaptive weighted ranking-oriented label distribution learning (LDL-DPA).

    With P = softmax(Xθ), c labels, r_ij the rank of d_ij within its row (1 is the lowest, ties have their mean rank)
    and var the variance over the labels of a row, it minimises over θ

        −ΣD log P − (α/c) Σ_ij r_ij p_ij + β Σ_i (var P_i − var D_i)² + (γ/2)‖θ‖².

    The second term favours large degrees of the labels that rank high, the third one keeps the spread of a row.

    Parameters
    ----------
    percentile, variance : float, default=1e-3
        α and β.
    ridge : float, default=0.0
        γ.
    fit_intercept, tol, max_iter : as in `SABFGS`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`

    See Also
    --------
    LDLLRR : Pairs of labels instead of ranks.

    Notes
    -----
    Formula and defaults are those of PyLDL, without the adaptive weights of the title. The paper was not available.

    References
    ----------
    X. Jia, T. Qin, Y. Lu, W. Li. Adaptive weighted ranking-oriented label distribution learning. IEEE TNNLS 35(8),
    2024.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLDPA
    >>> LDLDPA().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    _constraints = {"percentile": NON_NEGATIVE, "variance": NON_NEGATIVE}

    def __init__(
        self,
        percentile: float = 1e-3,
        variance: float = 1e-3,
        ridge: float = 0.0,
        *,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.percentile, self.variance, self.ridge = percentile, variance, ridge
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter

    def _terms(self, D: Array, weight: Array | None) -> list[tuple[float, terms.Term]]:  # noqa: ARG002  # a sum over rows
        ranks = self.percentile, terms.LinearTerm(-rankdata(D, axis=0) / len(D))  # ties have their mean rank
        return [(1.0, terms.DivergenceTerm(D)), ranks, (self.variance, terms.VarianceTerm(D))]


class LDLLDM(PenalisedSoftmax):
    """Label distribution learning by exploiting the label distribution manifold (LDL-LDM).

    Each label is reconstructed from the other labels: column j of Z holds the weights, with sum one, that best rebuild
    column j of D from its other columns. With P = softmax(Xθ), Z₀ from all rows, and P_k and Z_k from the rows of
    cluster k of D, it minimises over θ

        −ΣD log P + (λ₁/2)‖θ‖² + λ₂‖P(I − Z₀)‖² + λ₃ Σ_k ‖P_k(I − Z_k)‖².

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters of the training distributions (k-means), at most the number of distinct rows.
    ridge : float, default=1e-3
        λ₁.
    global_manifold, local_manifold : float, default=1.0
        λ₂ and λ₃.
    fit_intercept, tol, max_iter : as in `SABFGS`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`
    clusters_ : ndarray of shape (n_samples,)
        Cluster of each training row.

    See Also
    --------
    EDLLRL : Low rank of the predictions in each cluster.

    Notes
    -----
    The formula and the defaults are those of the authors' code. As usual in locally linear embedding, 1e-3 of the trace
    is added to the diagonal of the Gram matrices. The variant for incomplete distributions is not implemented.

    References
    ----------
    J. Wang, X. Geng. Label distribution learning by exploiting label distribution manifold. IEEE TNNLS 34(2), 2023.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLLDM
    >>> LDLLDM().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    _constraints = {"global_manifold": NON_NEGATIVE, "local_manifold": NON_NEGATIVE}

    def __init__(
        self,
        n_clusters: int = 10,
        *,
        ridge: float = 1e-3,
        global_manifold: float = 1.0,
        local_manifold: float = 1.0,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.n_clusters = n_clusters
        self.ridge, self.global_manifold, self.local_manifold = ridge, global_manifold, local_manifold
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter

    def _terms(self, D: Array, weight: Array | None) -> list[tuple[float, terms.Term]]:  # noqa: ARG002  # always None
        self.clusters_ = cluster_rows(D.T, self.n_clusters)
        members = [np.flatnonzero(self.clusters_ == k) for k in range(self.clusters_.max() + 1)]
        everything = terms.QuadraticTerm([reconstruction_error(D)], [slice(None)])
        clusters = terms.QuadraticTerm([reconstruction_error(D[:, rows]) for rows in members], members)
        return [(1.0, terms.DivergenceTerm(D)), (self.global_manifold, everything), (self.local_manifold, clusters)]


def reconstruction_error(D: Array) -> Array:
    """Return M with pᵀMp = ‖p(I − Z)‖², where Z reconstructs each label of D, (c, n), from the others."""
    residual = np.eye(len(D)) - reconstruction_weights(D, len(D) - 1).toarray()  # (I − Z)ᵀ
    return residual.T @ residual


class LDL4C(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning for classification (LDL4C).

    With P = softmax(Xθ), H the entropy, and t the label with the largest degree in row i, the first of equal ones, it
    minimises over θ

        Σ_i H(D_i) Σ_j abs(p_ij − d_ij) + C₁ Σ_i max(0, 1 − (p_it − max_{j≠t} p_ij) / ρ) + (C₂/2)‖θ‖².

    It is made for the prediction of the largest label. The entropy gives ambiguous rows more weight, and the margin
    separates the largest label from the predicted runner-up.

    Parameters
    ----------
    margin : float, default=1.0
        C₁.
    ridge : float, default=0.1
        C₂.
    margin_width : float, default=0.1
        ρ.
    fit_intercept, tol, max_iter : as in `SABFGS`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`

    See Also
    --------
    LDLHR : Margins to all other labels.
    labeldist.metrics.top_label : Share of rows whose largest label is predicted.

    Notes
    -----
    The formula is the paper's, whose derivative of the softmax is misprinted. The defaults lie in the ranges that the
    paper searches. Absolute values, hinge and maximum are smoothed on a scale of 1e-4. The objective is not convex: the
    search starts from the solution with the cross-entropy as the loss. PyLDL divides the absolute errors by the number
    of labels and measures the margin to the second label of D.

    References
    ----------
    J. Wang, X. Geng. Classification with label distribution learning. IJCAI 2019.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDL4C
    >>> LDL4C().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    _constraints = {"margin": NON_NEGATIVE, "margin_width": POSITIVE}

    def __init__(
        self,
        margin: float = 1.0,
        ridge: float = 0.1,
        *,
        margin_width: float = 0.1,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.margin, self.ridge = margin, ridge
        self.margin_width, self.fit_intercept, self.tol, self.max_iter = margin_width, fit_intercept, tol, max_iter

    def _terms(self, D: Array, weight: Array | None) -> list[tuple[float, terms.Term]]:  # noqa: ARG002  # a sum over rows
        margin = terms.MarginTerm(D.argmax(axis=0), self.margin_width, runner_up=True)
        return [(1.0, terms.AbsoluteTerm(D, entr(D).sum(axis=0))), (self.margin, margin)]


class LDLHR(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning by the degrees of the highest label and of the rest (LDL-HR).

    With P = softmax(Xθ) and t the label with the largest degree in row i, the first of equal ones, it minimises over θ

        2Σ_i (1 − p_it) + λ₂ Σ_i Σ_{j≠t} max(0, 1 − (p_it − p_ij) / ρ) + λ₃ Σ_i Σ_{j≠t} abs(p_ij − d_ij) + (λ₁/2)‖θ‖².

    It is made for the prediction of the largest label. The first term is the absolute error if the largest label had
    degree one.

    Parameters
    ----------
    margin : float, default=100.0
        λ₂.
    rest : float, default=1.0
        λ₃.
    ridge : float, default=1e-4
        λ₁.
    margin_width : float, default=0.01
        ρ.
    fit_intercept : as in `SABFGS`
    tol : float, default=1e-8
        As in `SABFGS`, but smaller, because the margin makes the gradient at zero large.
    max_iter : as in `SABFGS`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`

    See Also
    --------
    LDL4C : Margin to the runner-up alone.
    labeldist.metrics.top_label : Share of rows whose largest label is predicted.

    Notes
    -----
    The formula is the paper's, the defaults are those of the authors' code, whose λ₂ is 1e4 because it does not divide
    the margin by ρ. Its term of the rest also pulls p_it to zero. With λ₃ < 2 the loss of a row is least at p_it = 1,
    which overestimates large degrees; with λ₃ > 2 it is least at the degrees themselves, if they satisfy the margin.
    Contrary to the paper, the objective is not convex. The search and the smoothing are those of `LDL4C`. PyLDL divides
    the absolute errors by numbers of labels.

    References
    ----------
    J. Wang, X. Geng. Learn the highest label and rest label description degrees. IJCAI 2021.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDLHR
    >>> LDLHR(1.0, margin_width=0.1).fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    _constraints = {"margin": NON_NEGATIVE, "rest": NON_NEGATIVE, "margin_width": POSITIVE}

    def __init__(
        self,
        margin: float = 100.0,
        rest: float = 1.0,
        ridge: float = 1e-4,
        *,
        margin_width: float = 0.01,
        fit_intercept: bool = False,
        tol: float = 1e-8,
        max_iter: int = 1000,
    ) -> None:
        self.margin, self.rest, self.ridge = margin, rest, ridge
        self.margin_width, self.fit_intercept, self.tol, self.max_iter = margin_width, fit_intercept, tol, max_iter

    def _terms(self, D: Array, weight: Array | None) -> list[tuple[float, terms.Term]]:  # noqa: ARG002  # a sum over rows
        top = D.argmax(axis=0)
        others = np.where(np.arange(len(D))[:, None] == top, 0.0, 1.0)
        margin = self.margin, terms.MarginTerm(top, self.margin_width)
        return [(2.0, terms.LinearTerm(others)), margin, (self.rest, terms.AbsoluteTerm(D, others))]


class DeltaLDL(SampleWeightMixin, PenalisedSoftmax):
    """Label distribution learning by the integral of a bounded loss over tolerances δ (δ-LDL).

    With P = softmax(Xθ), k_i = KL(D_i, P_i), the sigmoid σ, and b the mean of KL(D_i, uniform), it minimises over θ

        Σ_i ∫₀ᵇ σ(k_i − δ) dδ + (ridge / 2)‖θ‖²  =  Σ_i log(1 + exp(k_i)) − log(1 + exp(k_i − b)) + (ridge / 2)‖θ‖².

    The weight of a row, σ(k_i) − σ(k_i − b), is largest at k_i = b/2 and small for rows that fit badly.

    Parameters
    ----------
    ridge : float, default=0.0
        Weight of the penalty, which the published model does not have.
    fit_intercept, tol, max_iter : as in `SABFGS`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`
    limit_ : float
        b.

    See Also
    --------
    SABFGS : The cross-entropy itself.

    Notes
    -----
    The loss is that of PyLDL and of the paper's abstract; the paper's method section was not available. PyLDL computes
    the integral by Simpson's rule with 33 nodes and trains a network. Here the integral is exact and the model linear.
    The loss is not convex: the search starts from the solution with the cross-entropy as the loss. If all training
    distributions are uniform, b is zero, and so is the loss.

    References
    ----------
    Li et al. ICML 2025. https://icml.cc/virtual/2025/poster/46395

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import DeltaLDL
    >>> DeltaLDL().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    def __init__(
        self, ridge: float = 0.0, *, fit_intercept: bool = False, tol: float = 1e-4, max_iter: int = 1000
    ) -> None:
        self.ridge, self.fit_intercept, self.tol, self.max_iter = ridge, fit_intercept, tol, max_iter

    def _terms(self, D: Array, weight: Array | None) -> list[tuple[float, terms.Term]]:
        to_uniform = np.log(len(D)) - entr(D).sum(axis=0)
        self.limit_ = float(np.average(to_uniform, weights=weight))
        return [(1.0, terms.DeltaTerm(D, self.limit_))]


class EDL(SampleWeightMixin, PenalisedSoftmax):
    """Emotion distribution learning (EDL).

    With P = softmax(Xθ), n rows, and affinities ω_rj of the labels, it minimises over θ

        Σ_ij (d_ij − p_ij) log(d_ij / p_ij) + (λ₁/n)‖θ‖² + (λ₂/n) Σ_i Σ_{r,j} ω_rj (p_ir − p_ij)².

    Labels of positive affinity get similar degrees, those of negative affinity different ones.

    Parameters
    ----------
    ridge, correlation : float, default=1.0
        λ₁ and λ₂.
    affinity : array-like of shape (n_labels, n_labels) or None, default=None
        ω, symmetric. None is the cosine of the angle between two labels on a circle, on which the labels have equal
        distances in the order of their columns.
    fit_intercept, tol, max_iter : as in `SABFGS`

    Attributes
    ----------
    coef_, intercept_, n_iter_ : as in `SABFGS`

    See Also
    --------
    LDLLC : Correlations of the coefficients.

    Notes
    -----
    This is a reconstruction: neither the paper's method section nor its code was available. As far as known, ω follows
    the angles of emotions on Plutchik's wheel, with neighbours positive and opposites negative. Its numbers and the
    values of λ₁ and λ₂ are unknown; the cosine and the defaults were chosen here. Degrees below 1e-6 are raised to it,
    because the divergence is infinite for a degree of zero.

    References
    ----------
    Y. Zhou, H. Xue, X. Geng. Emotion distribution recognition from facial expressions. ACM Multimedia 2015.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import EDL
    >>> EDL().fit(*make_artificial(500, random_state=0)).predict([[0.5, 0.1, 0.2]]).shape
    (1, 3)
    """

    _constraints = {"affinity": ["array-like", None]}

    def __init__(
        self,
        ridge: float = 1.0,
        correlation: float = 1.0,
        *,
        affinity: Any = None,
        fit_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.ridge, self.correlation = ridge, correlation
        self.affinity, self.fit_intercept, self.tol, self.max_iter = affinity, fit_intercept, tol, max_iter

    def _penalties(self, total: float) -> list[tuple[float, ValueAndGradient]]:
        return [(self.ridge / total, squared_norm)]

    def _terms(self, D: Array, weight: Array | None) -> list[tuple[float, terms.Term]]:
        c, n = D.shape
        angles = 2 * np.pi * np.arange(c) / c
        given = np.cos(angles - angles[:, None]) if self.affinity is None else self.affinity
        names = column_names(given)
        if names is not None and names != self.label_names_ and set(names) == set(self.label_names_):
            raise ValueError(f"affinity must have the columns {self.label_names_}, in this order; got {names}.")
        affinity = check_array(given, dtype=np.float64, input_name="affinity")
        if affinity.shape != (c, c) or not np.allclose(affinity, affinity.T):
            raise ValueError(f"affinity must be a symmetric matrix with one row per label, ({c}, {c}).")
        # Half the sum over all pairs is the quadratic form of the Laplacian.
        pairs = terms.QuadraticTerm([2 * (np.diag(affinity.sum(axis=0)) - affinity)], [slice(None)])
        positive = np.maximum(D, FLOOR)
        total = n if weight is None else weight.sum()
        return [(1.0, terms.JeffreyTerm(positive / positive.sum(axis=0))), (self.correlation / total, pairs)]
