"""KernelFeatures: features of the Gaussian kernel, which make a linear method a kernel method."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import Interval
from labeldist._constraints import COUNT, POSITIVE, ConstrainedEstimator
from labeldist._kernels.kernels import gaussian, mean_pairwise_distance, squared_distances
from labeldist._kernels.low_rank_factors import draw_pivots
from labeldist._solvers.row_blocks import row_blocks
from labeldist._solvers.scaling import check_squarable, mean_and_scale, standardise
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist._validation import check_rows, random_generator, validate_data

__all__ = ["KernelFeatures"]

# Largest number of rows, drawn at random, that landmarks are chosen from; it bounds the memory.
CANDIDATES = 10_000
# Number of rows from which the mean distance is estimated, to about one percent.
DISTANCE_ROWS = 2_000
# Smaller residuals may be rounding errors, which a division by their root would magnify.
ROUNDING = 1e-10


class KernelFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ConstrainedEstimator):
    """Features φ(x) whose inner products are the values of the Gaussian kernel.

        φ(x)ᵀφ(y) ≈ exp(−‖x − y‖² / (2σ²)),   φ(x) = L⁻¹ k(R, x),   LLᵀ = k(R, R).

    R are the landmarks: rows that a randomly pivoted Cholesky decomposition of the kernel matrix
    draws with probabilities proportional to the residual 1 − ‖φ(x)‖². A linear method on φ(x) is
    the kernel method in the span of the landmarks; with all rows as landmarks it is the kernel
    method itself.

    Parameters
    ----------
    bandwidth : float or "mean", default="mean"
        Bandwidth σ in the units of the features, or of their standard deviations if `scale`.
        ``"mean"`` is the mean distance between two rows.
    factor : float, default=0.5
        Multiplies the bandwidth. Tune it if `bandwidth` is ``"mean"``.
    n_components : int, default=1500
        Largest number of features. They are chosen from at most 10,000 rows, drawn at random.
    tol : float, default=1e-3
        Landmarks are added until the residual 1 − ‖φ(x)‖² of every candidate row is at most `tol`,
        at least 1e-10. Inner products of these rows then differ from the kernel by at most `tol`.
    scale : bool, default=True
        Whether to divide each column by its standard deviation first, so that its unit has no
        effect.
    random_state : int, RandomState instance or None, default=0
        Seed of the landmarks.

    Attributes
    ----------
    landmarks_ : ndarray of shape (n_drawn, n_features)
        R, standardised if `scale`, in units of the bandwidth.
    factor_ : ndarray of shape (n_drawn, n_drawn)
        L.
    bandwidth_ : float
        σ, multiplied by `factor`.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of the columns; 0 and 1 without `scale`.

    See Also
    --------
    sklearn.kernel_approximation.Nystroem : Uniformly drawn landmarks and a choice of kernels.
    labeldist.BDLDLCV : A linear learner for these features.

    References
    ----------
    Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber. Randomly pivoted Cholesky: practical
    approximation of a kernel matrix with few entry evaluations. Communications on Pure and Applied
    Mathematics 78, 2025.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from labeldist import BDLDLCV
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.features import KernelFeatures
    >>> X, D = make_artificial(500, random_state=0)
    >>> model = make_pipeline(KernelFeatures(), BDLDLCV()).fit(X, D)
    >>> model.score(X, D) > 0.95
    True
    """

    _constraints = {
        "factor": POSITIVE,
        "n_components": COUNT,
        "tol": [Interval(Real, 0, 1, closed="left")],
    }

    def __init__(
        self,
        bandwidth: float | Literal["mean"] = "mean",
        *,
        factor: float = 0.5,
        n_components: int = 1500,
        tol: float = 1e-3,
        scale: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.bandwidth = bandwidth
        self.factor = factor
        self.n_components = n_components
        self.tol = tol
        self.scale = scale
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the bandwidth and the landmarks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training rows.
        y : array-like, default=None
            Not used, but a pandas index in another order than the index of `X` raises an error.

        Returns
        -------
        self : KernelFeatures
            The fitted transformer.
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Choose the bandwidth and the landmarks, and return φ(x) for each row of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training rows.
        y : array-like, default=None
            Not used, but a pandas index in another order than the index of `X` raises an error.

        Returns
        -------
        ndarray of shape (n_samples, n_drawn)
            The kernel features.
        """
        features = self._fit(X, y)
        return self.transform(X) if features is None else features

    def _fit(self, X: Any, y: Any) -> Array | None:
        """Choose the landmarks, and return φ(x) for each row if they were chosen among all rows."""
        self._validate_params()
        check_rows(X=X, y=y)
        random = random_generator(self.random_state)
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        rows = _draw(X, CANDIDATES, random).astype(np.float64)
        self.mean_, self.scale_ = mean_and_scale(rows, scale=self.scale)
        if self.bandwidth == "mean":
            standardised = standardise(rows, self.mean_, self.scale_)
            bandwidth = mean_pairwise_distance(_draw(standardised, DISTANCE_ROWS, random))
        else:
            bandwidth = float(self.bandwidth)
        self.bandwidth_ = self.factor * bandwidth
        rows = self._in_bandwidths(rows)
        tol = max(self.tol, ROUNDING)
        with threads_for(len(rows), self.n_components):
            pivots = draw_pivots(_kernel, rows, 0.0, self.n_components, random, entry_tolerance=tol)
        self.landmarks_ = rows[pivots.rows]
        self.factor_ = pivots.factor
        return pivots.features.T if len(rows) == len(X) else None

    def transform(self, X: Any) -> Array:
        """Return φ(x) for each row of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_drawn)
            The kernel features.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        features = np.empty((len(X), self._n_features_out))
        for rows in row_blocks(len(X), self._n_features_out):
            block = self._in_bandwidths(X[rows].astype(np.float64))
            with threads_for(*features.shape):
                kernel = _kernel(block, self.landmarks_)  # in this order no row affects another
                features[rows] = solve_triangular(
                    self.factor_, kernel.T, lower=True, overwrite_b=True
                ).T
        return features

    def _in_bandwidths(self, X: Array) -> Array:
        """Return standardised rows in units of the bandwidth; raise if their squares overflow."""
        with np.errstate(over="ignore"):
            rows: Array = (X - self.mean_) / self.scale_ / self.bandwidth_
        check_squarable(rows)
        return rows

    @property
    def _n_features_out(self) -> int:
        """Number of features, for `get_feature_names_out`."""
        return len(self.landmarks_)


def _kernel(X: Array, Y: Array) -> Array:
    """Return exp(−‖x − y‖²/2) for rows in units of the bandwidth."""
    return gaussian(squared_distances(X, Y), 1.0)


def _draw(X: Array, n: int, random: np.random.RandomState) -> Array:
    """Return `n` random rows of X, or all if there are not more."""
    return X if len(X) <= n else X[np.sort(random.choice(len(X), n, replace=False))]
