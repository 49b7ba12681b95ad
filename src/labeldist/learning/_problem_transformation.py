"""Problem transformation: PT-Bayes and PT-SVM, which fit classifiers to single-label examples."""

from __future__ import annotations

from itertools import combinations
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.special import expit, softmax
from sklearn.exceptions import ConvergenceWarning

from labeldist._compat import COUNT, POSITIVE, Interval, StrOptions
from labeldist._kernels.kernels import squared_distances
from labeldist._kernels.low_rank_factors import gaussian_factor
from labeldist._solvers.scaling import NEGLIGIBLE, check_squarable, column_means, squarable_unit
from labeldist._solvers.svm import couple_pairwise, fit_sigmoid, solve_two_sided_svm
from labeldist._typing import Array
from labeldist.exceptions import warn
from labeldist.learning._learner import DistributionLearner, SampleWeightMixin
from labeldist.simplex import normalize

Sampling = Literal["exact", "draw"]
Covariance = Literal["full", "diagonal"]

FAR = 1e150  # Largest standardised distance; its square stays within the number range.


def example_weights(D: Array, sample_weight: Array | None, sampling: Sampling, random_state: Any) -> Array:
    """Return the weights of the single-label examples, (n, c): degree times row weight, or counts drawn by it."""
    weights = D if sample_weight is None else D * sample_weight[:, None]
    if sampling == "exact":
        return weights
    rng = np.random.default_rng(random_state)
    return rng.multinomial(D.size, weights.ravel() / weights.sum()).reshape(D.shape).astype(np.float64)


class PTBayes(SampleWeightMixin, DistributionLearner):
    """Bayes classifier with Gaussian densities for label distributions (PT-Bayes, problem transformation).

    Every row becomes one example of each label, weighted by its degree. The predicted degrees are the posterior
    probabilities of the labels,

        d_k(x) ∝ π_k N(x; μ_k, Σ_k),

    with the mean degree π_k, and the mean μ_k and covariance Σ_k of the features weighted by the degrees of label k.

    Parameters
    ----------
    covariance : {"full", "diagonal"}, default="full"
        ``"full"`` is the published classifier. ``"diagonal"`` is naive Bayes, whose time is linear in n_features.
    var_smoothing : float, default=0.1
        Fraction of the largest variance of a feature that is added to all variances, as in ``GaussianNB``.
    sampling : {"exact", "draw"}, default="exact"
        ``"exact"`` weights the examples by the degrees. ``"draw"`` draws n_samples · n_labels examples, as published.
    random_state : int, RandomState instance or None, default=None
        Determines the examples of ``sampling="draw"``.

    Attributes
    ----------
    prior_ : ndarray of shape (n_labels,)
        Mean degrees π.
    mean_ : ndarray of shape (n_labels, n_features)
        Means μ.
    covariance_root_ : ndarray of shape (n_labels, n_features, n_features) or (n_labels, n_features)
        Lower Cholesky factors of the smoothed covariances; for ``"diagonal"`` the standard deviations.

    See Also
    --------
    PTSVM : Support vector machines on the same examples.

    Notes
    -----
    Published results use full covariances, drawn examples and no smoothing.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7), 2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import PTBayes
    >>> X, D = make_artificial(500, random_state=0)
    >>> PTBayes().fit(X, D).predict(X[:1]).shape
    (1, 3)
    """

    _constraints = {
        "covariance": [StrOptions(set(get_args(Covariance)))],
        "var_smoothing": POSITIVE,
        "sampling": [StrOptions(set(get_args(Sampling)))],
    }
    _accepts_sparse = False

    def __init__(
        self,
        covariance: Covariance = "full",
        *,
        var_smoothing: float = 0.1,
        sampling: Sampling = "exact",
        random_state: Any = None,
    ) -> None:
        self.covariance = covariance
        self.var_smoothing, self.sampling, self.random_state = var_smoothing, sampling, random_state

    def _fit(self, X: Array, D: Array, row_weight: Array | None) -> None:
        weights = example_weights(D, row_weight, self.sampling, self.random_state)
        mass = weights.sum(axis=0)
        self.prior_ = mass / mass.sum()
        # Centred at the common mean, the differences E(x − x̄)² − (μ − x̄)² lose fewer digits than smoothing hides.
        center = column_means(X, row_weight)
        X = X - center
        unit = squarable_unit(X)
        X, unit = (X / unit, unit) if unit > NEGLIGIBLE else (np.zeros_like(X), 1.0)
        smoothing = self.var_smoothing * (np.average(X**2, axis=0, weights=row_weight).max() or 1.0)
        # Labels without examples have prior zero, so that their density does not matter.
        shares = weights / np.where(mass > 0, mass, 1.0)
        offset = shares.T @ X
        self.mean_ = center + unit * offset
        self.covariance_root_ = np.stack(
            [unit * self._root(X, share, mean, smoothing) for share, mean in zip(shares.T, offset, strict=True)]
        )

    def _predict(self, X: Array) -> Array:
        check_squarable(X)
        with np.errstate(divide="ignore"):  # log 0 = −∞ gives labels without examples a degree of 0
            scores = np.tile(np.log(self.prior_), (len(X), 1))
        for k, (mean, root) in enumerate(zip(self.mean_, self.covariance_root_, strict=True)):
            deviations = root if root.ndim == 1 else np.diagonal(root)
            scores[:, k] -= (_whitened(X - mean, root, deviations) ** 2).sum(axis=1) / 2 + np.log(deviations).sum()
        return normalize(softmax(scores, axis=1))

    def _root(self, X: Array, share: Array, mean: Array, smoothing: float) -> Array:
        """Return the Cholesky factor of one label's covariance. `X` and `mean` are centred, `share` sums to one."""
        if self.covariance == "diagonal":
            return np.sqrt(np.maximum(share @ X**2 - mean**2, 0) + smoothing)
        X = X * np.sqrt(share)[:, None]
        covariance = X.T @ X - np.outer(mean, mean)
        covariance[np.diag_indices_from(covariance)] += smoothing
        try:
            return np.asarray(cholesky(covariance, lower=True))
        except LinAlgError:
            problem = f"With var_smoothing={self.var_smoothing:g} a covariance is numerically singular"
            raise ValueError(f"{problem}. Use a larger one.") from None


def _whitened(gaps: Array, root: Array, deviations: Array) -> Array:
    """Standardise `gaps` by the Cholesky factor of a covariance, clipped at `FAR`."""
    unit = np.ldexp(1.0, np.frexp(deviations.max())[1])  # dividing by a power of two is exact
    with np.errstate(over="ignore"):
        gaps = np.clip(gaps / unit, -FAR, FAR)
    if root.ndim == 1:
        return gaps / (root / unit)
    return np.asarray(solve_triangular(root / unit, gaps.T, lower=True).T)


class PTSVM(DistributionLearner):
    """Support vector machines for label distributions (PT-SVM, problem transformation).

    Every row becomes one example of each label, weighted by its degree. For each pair of labels a C-SVC with the kernel
    exp(−γ‖x − y‖²) is fitted to the examples of both, and a sigmoid turns its decision values into probabilities
    (Platt). Pairwise coupling combines the probabilities into a distribution, as in LIBSVM.

    Parameters
    ----------
    C : float, default=0.1
        Weight of the hinge loss of an example of degree 1.
    gamma : float, "scale" or "auto", default=0.01
        γ. ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features, as in ``sklearn.svm.SVC``.
    kernel_tolerance : float, default=1e-4
        Largest error of an entry of the low-rank approximation of the kernel matrix, if `max_rank` allows.
    max_rank : int, default=200
        Maximum rank of the approximation. Time grows as the square of the rank.
    sampling, random_state : as in `PTBayes`

    Attributes
    ----------
    gamma_ : float
        γ as a number.
    pivots_ : ndarray of shape (rank, n_features)
        Training rows that span the approximation of the kernel.
    pairs_ : list of tuple of int
        Pairs of labels.
    dual_coef_, intercept_ : ndarray of shape (n_pairs, rank) and (n_pairs,)
        The decision values k(x, pivots) · dual_coef + intercept are positive for the first label.
    sigmoid_ : ndarray of shape (n_pairs, 2)
        A and B: the probability of the first label is 1 / (1 + exp(−A·value − B)).
    gap_ : ndarray of shape (n_pairs,)
        Upper bound of the distance of each objective from its minimum, relative to the weight of the examples.

    See Also
    --------
    PTBayes : Bayes classifier on the same examples.

    Notes
    -----
    The sigmoids are fitted to the decision values of the training rows: cross-validated ones, as in LIBSVM, gave worse
    results. With the published `C` and `gamma` and features of a small spread, many pairs predict the mean degrees.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7), 2016.

    T.-F. Wu et al. Probability estimates for multi-class classification by pairwise coupling. JMLR 5, 2004.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import PTSVM
    >>> X, D = make_artificial(500, random_state=0)
    >>> PTSVM().fit(X, D).score(X, D) > 0.9
    True
    """

    _constraints = {
        "gamma": [StrOptions({"scale", "auto"}), *POSITIVE],
        "kernel_tolerance": [Interval(Real, 0, 1, closed="neither")],
        "max_rank": COUNT,
        "sampling": [StrOptions(set(get_args(Sampling)))],
    }
    _accepts_sparse = False

    def __init__(
        self,
        C: float = 0.1,
        *,
        gamma: float | Literal["scale", "auto"] = 0.01,
        kernel_tolerance: float = 1e-4,
        max_rank: int = 200,
        sampling: Sampling = "exact",
        random_state: Any = None,
    ) -> None:
        self.C, self.gamma, self.kernel_tolerance, self.max_rank = C, gamma, kernel_tolerance, max_rank
        self.sampling, self.random_state = sampling, random_state

    def _fit(self, X: Array, D: Array) -> None:
        X = X.astype(np.float64)
        weights = example_weights(D, None, self.sampling, self.random_state)
        gammas: dict[Any, float] = {"scale": 1 / (X.shape[1] * (float(X.var()) or 1.0)), "auto": 1 / X.shape[1]}
        self.gamma_ = float(gammas.get(self.gamma, self.gamma))
        Z, pivots = gaussian_factor(X, self.gamma_, self.kernel_tolerance, max_rank=self.max_rank)
        self.pivots_ = X[pivots]
        occurring = np.flatnonzero(weights.any(axis=0))
        self._n_labels, self._occurring = D.shape[1], occurring
        self.pairs_ = [(int(j), int(k)) for j, k in combinations(occurring, 2)]
        coefs, self.intercept_ = np.empty((len(self.pairs_), len(pivots))), np.empty(len(self.pairs_))
        self.sigmoid_, self.gap_ = np.empty((len(self.pairs_), 2)), np.empty(len(self.pairs_))
        unfinished = []
        for i, (j, k) in enumerate(self.pairs_):
            machine = solve_two_sided_svm(Z, self.C * weights[:, j], self.C * weights[:, k])
            coefs[i], self.intercept_[i], self.gap_[i] = machine.coef, machine.intercept, machine.gap
            unfinished += [] if machine.converged else [(j, k)]
            self.sigmoid_[i] = fit_sigmoid(Z @ machine.coef + machine.intercept, weights[:, j], weights[:, k])
        self.dual_coef_ = solve_triangular(Z[pivots], coefs.T, lower=True, trans="T").T
        if unfinished:
            failed = f"{len(unfinished)} of {len(self.pairs_)} pairs of labels, first {unfinished[0]}"
            warn(f"PTSVM did not converge for {failed}. Use a smaller C or gamma.", ConvergenceWarning)

    def _predict(self, X: Array) -> Array:
        check_squarable(X)
        X = X.astype(np.float64)
        with np.errstate(over="ignore"):  # the kernel of an infinite distance is 0
            kernel = np.exp(-self.gamma_ * squared_distances(X, self.pivots_))
        values = kernel @ self.dual_coef_.T + self.intercept_
        probability = expit(values * self.sigmoid_[:, 0] + self.sigmoid_[:, 1])
        R = np.zeros((len(X), self._n_labels, self._n_labels))
        first, second = np.reshape(self.pairs_, (-1, 2)).astype(int).T
        R[:, first, second], R[:, second, first] = probability, 1 - probability
        degrees = np.zeros((len(X), self._n_labels))
        degrees[:, self._occurring] = couple_pairwise(R[:, self._occurring[:, None], self._occurring])
        return normalize(degrees)
