"""Problem transformation: a row with c degrees becomes c single-label examples, weighted by the degrees."""

from __future__ import annotations

from itertools import combinations
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.special import expit, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import Interval, StrOptions
from labeldist._kernels.kernels import squared_distances
from labeldist._kernels.low_rank_factors import gaussian_factor
from labeldist._solvers.scaling import NEGLIGIBLE, column_means, squarable_unit
from labeldist._solvers.svm import couple_pairwise, fit_sigmoid, solve_two_sided_svm
from labeldist._typing import TINY, Array
from labeldist.exceptions import warn
from labeldist.learning._learner import DistributionLearner, check_weights
from labeldist.simplex import normalize

Sampling = Literal["exact", "draw"]
Covariance = Literal["full", "diagonal"]

FAR = 1e150
"""A distance in deviations that can still be squared."""


def example_weights(D: Array, sample_weight: Array | None, sampling: Sampling, random_state: Any) -> Array:
    """Return how much the example (row i, label k) counts, for all i and k, of shape (n, c).

    ``"exact"``: as much as the degree, times the weight of the row. ``"draw"``: as often as it is among n·c examples
    drawn with replacement with these probabilities, which are multinomial counts.
    """
    weights = D if sample_weight is None else D * sample_weight[:, None]
    if sampling == "exact":
        return weights
    rng = np.random.default_rng(random_state)
    return rng.multinomial(D.size, weights.ravel() / weights.sum()).reshape(D.shape).astype(np.float64)


class PTBayes(DistributionLearner):
    """Bayes' rule with Gaussian densities for label distributions (PT-Bayes, problem transformation).

    Every row becomes one example of each label, weighted by its degree. The features of a label's examples are taken
    as Gaussian, and the posterior probabilities of the labels are the predicted degrees:

        d_k(x) ∝ π_k N(x; μ_k, Σ_k),  π_k = mean degree,  μ_k and Σ_k = mean and covariance weighted by the degrees.

    Parameters
    ----------
    covariance : {"full", "diagonal"}, default="full"
        ``"full"`` is the published classifier. ``"diagonal"`` takes features as independent given the label (naive
        Bayes); it takes time as n_features, not its square.
    var_smoothing : float, default=0.1
        This share of the largest variance of a feature is added to all variances, as in
        ``sklearn.naive_bayes.GaussianNB``.
    sampling : {"exact", "draw"}, default="exact"
        ``"exact"`` weights the examples by the degrees. ``"draw"`` draws n_samples · n_labels examples by them, as
        published.
    random_state : int, RandomState instance or None, default=None
        For ``sampling="draw"``.

    Attributes
    ----------
    prior_ : ndarray of shape (n_labels,)
        Mean degrees π.
    mean_ : ndarray of shape (n_labels, n_features)
        Means μ.
    covariance_root_ : ndarray of shape (n_labels, n_features, n_features) or (n_labels, n_features)
        Lower Cholesky factors of the covariances Σ, smoothing included; for ``"diagonal"`` standard deviations.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    The literature's figures are those of a full covariance without smoothing and of drawn examples (ten folds,
    Yeast_alpha: Clark 1.15 published, 1.14 here). The draw is what ruins them: the labels' densities are nearly alike
    on such data, and noise in their differences adds up over the features. Exact weights give 0.29, and with the
    default smoothing 0.22.

    Nothing is repeated: weighted moments are computed from the n_samples rows.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28 (7), 2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import PTBayes
    >>> X, D = make_artificial(500, random_state=0)
    >>> PTBayes().fit(X, D).predict(X[:1]).shape
    (1, 3)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "covariance": [StrOptions(set(get_args(Covariance)))],
        "var_smoothing": [Interval(Real, 0, None, closed="neither")],
        "sampling": [StrOptions(set(get_args(Sampling)))],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        covariance: Covariance = "full",
        *,
        var_smoothing: float = 0.1,
        sampling: Sampling = "exact",
        random_state: Any = None,
    ) -> None:
        self.covariance = covariance
        self.var_smoothing = var_smoothing
        self.sampling = sampling
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PTBayes:
        """Compute the weighted moments of each label's examples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees; each row is divided by its sum.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w equal rows.
        """
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y)
        row_weight = check_weights(sample_weight, X)
        weights = example_weights(D, row_weight, self.sampling, self.random_state)
        mass = weights.sum(axis=0)
        self.prior_ = mass / mass.sum()
        # What follows is about the common mean: a label's mean lies within the spread of the rows around it, so that
        # E(x − x̄)² − (μ − x̄)² loses no digit that the smoothing does not hide.
        center = column_means(X, row_weight)
        X = X - center
        unit = squarable_unit(X)
        X, unit = (X / unit, unit) if unit > NEGLIGIBLE else (np.zeros_like(X), 1.0)
        smoothing = self.var_smoothing * (np.average(X**2, axis=0, weights=row_weight).max() or 1.0)
        # A label without any example has prior zero: any density will do, here that of a mean without a spread.
        shares = weights / np.where(mass > 0, mass, 1.0)
        offset = shares.T @ X
        self.mean_ = center + unit * offset
        self.covariance_root_ = np.stack(
            [unit * self._root(X, share, mean, smoothing) for share, mean in zip(shares.T, offset, strict=True)]
        )
        return self

    def predict(self, X: Any) -> Array:
        """Return a label distribution for each row of `X`."""
        check_is_fitted(self)
        X = self._check_new_features(X, squares=True)
        with np.errstate(divide="ignore"):  # log 0 = −∞ makes the degree of a label that never occurred 0
            scores = np.tile(np.log(self.prior_), (len(X), 1))
        for k, (mean, root) in enumerate(zip(self.mean_, self.covariance_root_, strict=True)):
            deviations = root if root.ndim == 1 else np.diagonal(root)
            scores[:, k] -= (_whitened(X - mean, root, deviations) ** 2).sum(axis=1) / 2 + np.log(deviations).sum()
        return normalize(softmax(scores, axis=1))

    def _root(self, X: Array, share: Array, mean: Array, smoothing: float) -> Array:
        """Return the factor of one label's covariance; `share` sums to one, `X` and `mean` are about the centre."""
        if self.covariance == "diagonal":
            return np.sqrt(np.maximum(share @ X**2 - mean**2, 0) + smoothing)
        X = X * np.sqrt(share)[:, None]
        covariance = X.T @ X - np.outer(mean, mean)
        covariance[np.diag_indices_from(covariance)] += smoothing
        try:
            return np.asarray(cholesky(covariance, lower=True))
        except LinAlgError:
            raise ValueError(
                f"With var_smoothing={self.var_smoothing:g} a covariance is singular to rounding: the features are "
                'linearly dependent. A larger var_smoothing or covariance="diagonal" helps.'
            ) from None


def _whitened(gaps: Array, root: Array, deviations: Array) -> Array:
    """Return gaps in deviations, by the factor of a covariance; beyond `FAR` all are as far."""
    unit = np.ldexp(1.0, np.frexp(deviations.max())[1])  # a power of two, so that dividing rounds nothing
    with np.errstate(over="ignore"):
        gaps = np.clip(gaps / unit, -FAR, FAR)
    if root.ndim == 1:
        return gaps / (root / unit)
    return np.asarray(solve_triangular(root / unit, gaps.T, lower=True).T)


class PTSVM(DistributionLearner):
    """Support vector machines for label distributions (PT-SVM, problem transformation).

    Every row becomes one example of each label, weighted by its degree. For each pair of labels a C-SVC with the kernel
    exp(−γ‖x − y‖²) is trained on the examples of both and its decision values made probabilities by a sigmoid (Platt).
    The distribution that agrees best with all pairs is the prediction (pairwise coupling), as LIBSVM does it.

    Parameters
    ----------
    C : float, default=0.1
        The weight of an example of degree 1 in the hinge loss.
    gamma : float, "scale" or "auto", default=0.01
        γ. ``"scale"`` is 1 / (n_features · variance of all of X), ``"auto"`` is 1 / n_features, as in
        ``sklearn.svm.SVC``. It sees the features in the units that they are in.
    kernel_tolerance : float, default=1e-4
        The kernel matrix is replaced by a product of low rank whose entries differ from it by at most this, if
        `max_rank` allows. Smaller takes longer; time goes as the square of the rank.
    max_rank : int, default=200
        The rank of that product at most. The sets with few features need less than 100.
    sampling : {"exact", "draw"}, default="exact"
        ``"exact"`` weights the examples by the degrees. ``"draw"`` draws n_samples · n_labels examples by them, as
        published.
    random_state : int, RandomState instance or None, default=None
        For ``sampling="draw"``.

    Attributes
    ----------
    gamma_ : float
    pivots_ : ndarray of shape (rank, n_features)
        The training rows in which the decision values of all pairs are expressed.
    pairs_ : list of tuple of int
        The pairs of labels, in order.
    dual_coef_ : ndarray of shape (n_pairs, rank)
    intercept_ : ndarray of shape (n_pairs,)
        The decision value of a pair is k(x, pivots) · dual_coef + intercept; positive is for its first label.
    sigmoid_ : ndarray of shape (n_pairs, 2)
        A and B: the probability of the first label is 1 / (1 + exp(−A·value − B)).
    gap_ : ndarray of shape (n_pairs,)
        How far each machine's objective may be from its minimum, as a share of the weight of its examples.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    A row has a place in both classes of a pair. `labeldist._solvers.svm.solve_two_sided_svm` uses that: it solves the
    problem that LIBSVM solves on all n_samples · n_labels examples, to more digits and without repeating a row.

    Sigmoids are fitted to the decision values of the training rows. LIBSVM and ``CalibratedClassifierCV`` take
    cross-validated values, to keep classes from looking better separated than they are. Here every row counts for both
    classes, and values of several fits are not comparable where they hardly vary: they did worse (artificial set: skill
    0.73 over the mean, 0.97 as it is).

    With the published `C` and `gamma` on features of a small spread, the exact decision value of many pairs is the same
    for all rows, that of the more frequent label (SBU_3DFE: 10 of 15 pairs; Yeast_spoem: its one). Such a pair knows no
    more than the mean degrees. Where values differ by about 1e-6, what the solver leaves undone decides.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28 (7), 2016.

    T.-F. Wu, C.-J. Lin, R. C. Weng. Probability estimates for multi-class classification by pairwise coupling. Journal
    of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import PTSVM
    >>> X, D = make_artificial(500, random_state=0)
    >>> PTSVM().fit(X, D).score(X, D) > 0.9
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "kernel_tolerance": [Interval(Real, 0, 1, closed="neither")],
        "max_rank": [Interval(Integral, 1, None, closed="left")],
        "sampling": [StrOptions(set(get_args(Sampling)))],
        "random_state": ["random_state"],
    }

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
        self.C = C
        self.gamma = gamma
        self.kernel_tolerance = kernel_tolerance
        self.max_rank = max_rank
        self.sampling = sampling
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> PTSVM:
        """Train a machine and a sigmoid for each pair of labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees; each row is divided by its sum.
        """
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y)
        X = X.astype(np.float64)
        weights = example_weights(D, None, self.sampling, self.random_state)
        self.gamma_ = self._resolve_gamma(X)
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
            warn(
                f"The machines of {len(unfinished)} of {len(self.pairs_)} pairs of labels, first {unfinished[0]}, are "
                f"not at their minimum, but up to {self.gap_.max():.1e} from it. A smaller C or gamma helps.",
                ConvergenceWarning,
            )
        return self

    def predict(self, X: Any) -> Array:
        """Return a label distribution for each row of `X`."""
        check_is_fitted(self)
        X = self._check_new_features(X, squares=True).astype(np.float64)
        with np.errstate(over="ignore"):  # what is infinitely far has no weight
            kernel = np.exp(-self.gamma_ * squared_distances(X, self.pivots_))
        values = kernel @ self.dual_coef_.T + self.intercept_
        probability = expit(values * self.sigmoid_[:, 0] + self.sigmoid_[:, 1])
        R = np.zeros((len(X), self._n_labels, self._n_labels))
        first, second = np.reshape(self.pairs_, (-1, 2)).astype(int).T
        R[:, first, second], R[:, second, first] = probability, 1 - probability
        degrees = np.zeros((len(X), self._n_labels))
        degrees[:, self._occurring] = couple_pairwise(R[:, self._occurring[:, None], self._occurring])
        return normalize(degrees)

    def _resolve_gamma(self, X: Array) -> float:
        if self.gamma == "scale":
            variance = float(X.var())
            if variance < TINY and np.ptp(X) > 0:
                raise ValueError(
                    "gamma='scale' divides by the variance of the features, which is too small a number to divide by. "
                    "Multiply the features first, or standardise them."
                )
            return 1 / (X.shape[1] * (variance or 1.0))
        return 1 / X.shape[1] if self.gamma == "auto" else float(self.gamma)
