"""PT-Bayes: a Bayes classifier with Gaussian densities."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.special import softmax

from labeldist._compat import StrOptions
from labeldist._constraints import POSITIVE
from labeldist._solvers.scaling import check_squarable, column_means
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner, SampleWeightMixin
from labeldist.published._problem_transformation import (
    SAMPLING_CONSTRAINT,
    Sampling,
    example_weights,
)
from labeldist.simplex import normalize

Covariance = Literal["full", "diagonal"]


class PTBayes(SampleWeightMixin, DistributionLearner):
    """Bayes classifier with Gaussian densities (PT-Bayes, problem transformation).

    Every row becomes one example of each label, weighted by its degree. The predicted degrees are
    the posterior probabilities of the labels,

        d_k(x) ∝ π_k N(x; μ_k, Σ_k),

    with the mean degree π_k, and the mean μ_k and covariance Σ_k of the features weighted by the
    degrees of label k.

    Parameters
    ----------
    covariance : {"full", "diagonal"}, default="full"
        ``"full"`` is the published classifier. ``"diagonal"`` is naive Bayes, whose time is linear
        in n_features.
    var_smoothing : float, default=0.1
        Fraction of the largest variance of a feature that is added to all variances.
    sampling : {"exact", "draw"}, default="exact"
        ``"exact"`` weights the examples by the degrees. ``"draw"`` draws n_samples · n_labels
        examples, as published.
    random_state : int, RandomState instance or None, default=None
        Determines the examples of ``sampling="draw"``.

    Attributes
    ----------
    prior_ : ndarray of shape (n_labels,)
        Mean degrees π.
    mean_ : ndarray of shape (n_labels, n_features)
        Means μ.
    covariance_root_ : ndarray of shape (n_labels, n_features, n_features) or (n_labels, n_features)
        Lower Cholesky factors of the smoothed covariances; for ``"diagonal"`` the standard
        deviations.

    See Also
    --------
    PTSVM : Support vector machines on the same examples.

    Notes
    -----
    Published results use full covariances, drawn examples and no smoothing.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7),
    2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import PTBayes
    >>> X, D = make_artificial(500, random_state=0)
    >>> PTBayes().fit(X, D).score(X, D) > 0.5
    True
    """

    _constraints = {
        "covariance": [StrOptions({"full", "diagonal"})],
        "var_smoothing": POSITIVE,
        "sampling": SAMPLING_CONSTRAINT,
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
        self.var_smoothing = var_smoothing
        self.sampling = sampling
        self.random_state = random_state

    def _fit(self, X: Array, D: Array, row_weight: Array | None) -> None:
        weights = example_weights(D, row_weight, self.sampling, self.random_state)
        mass = weights.sum(axis=0)
        self.prior_ = mass / mass.sum()
        # Centred at the common mean, the differences E(x − x̄)² − (μ − x̄)² lose fewer digits than
        # smoothing hides.
        center = column_means(X, row_weight)
        X = X - center
        largest_variance = np.average(X**2, axis=0, weights=row_weight).max()
        smoothing = self.var_smoothing * (largest_variance or 1.0)
        # Labels without examples have prior zero, so that their density does not matter.
        shares = weights / np.where(mass > 0, mass, 1.0)
        offsets = shares.T @ X
        self.mean_ = center + offsets
        labels = zip(shares.T, offsets, strict=True)
        roots = [self._root(X, share, mean, smoothing) for share, mean in labels]
        self.covariance_root_ = np.stack(roots)

    def _root(self, X: Array, share: Array, mean: Array, smoothing: float) -> Array:
        """Return the Cholesky factor of one label's covariance.

        `X` and `mean` are centred, and `share` sums to one.
        """
        if self.covariance == "diagonal":
            variance = share @ X**2 - mean**2
            return np.sqrt(np.maximum(variance, 0) + smoothing)
        X = X * np.sqrt(share)[:, None]
        covariance = X.T @ X - np.outer(mean, mean)
        covariance[np.diag_indices_from(covariance)] += smoothing
        try:
            return np.asarray(cholesky(covariance, lower=True))
        except LinAlgError:
            raise ValueError(
                f"A covariance is singular with var_smoothing={self.var_smoothing:g}. "
                "Use a larger value."
            ) from None

    def _predict(self, X: Array) -> Array:
        check_squarable(X)
        with np.errstate(divide="ignore"):  # log 0 = −∞ gives labels without examples a degree of 0
            scores = np.tile(np.log(self.prior_), (len(X), 1))
        for k, (mean, root) in enumerate(zip(self.mean_, self.covariance_root_, strict=True)):
            if root.ndim == 1:
                deviations = root
                standardised = (X - mean) / root
            else:
                deviations = np.diagonal(root)
                standardised = solve_triangular(root, (X - mean).T, lower=True).T
            scores[:, k] -= (standardised**2).sum(axis=1) / 2 + np.log(deviations).sum()
        return normalize(softmax(scores, axis=1))
