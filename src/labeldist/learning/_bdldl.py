"""BDLDL: label distribution learning with the bidirectional loss."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import Interval, StrOptions
from labeldist._float_limits import EPSILON
from labeldist._solvers.moments import Moments
from labeldist._solvers.sylvester import (
    METHODS,
    SAFETY,
    Method,
    SylvesterSolution,
    solve_symmetric_sylvester,
)
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.exceptions import AccuracyWarning, warn
from labeldist.learning._block_learner import BlockLearner, block_moments, check_moments
from labeldist.learning._chunk_sums import StreamCallback, sum_over_chunks
from labeldist.learning._dask_blocks import Block, sum_over_blocks
from labeldist.learning._learner import (
    check_weights,
    columns_of,
    default_floor,
    linear_scores,
    same_columns,
    set_columns,
)
from labeldist.simplex import OUTPUT_MAPS, OutputMap, to_distributions

LARGE_RESIDUAL = 1e-10  # a relative residual that rounding alone does not explain


class BDLDL(BlockLearner):
    """Bidirectional label distribution learning (BD-LDL).

    A linear model maps features to degrees and, with the same coefficients, degrees back to
    features:

        min over θ, b, e of  ‖Xθ + 1bᵀ − D‖² + λ₁‖X − Dθᵀ − 1eᵀ‖² + λ₂‖θ‖².

    The minimiser solves a Sylvester equation in the co-moments of (X, D), so a fit is one pass over
    the data and one exact solve. The co-moments are kept, for `partial_fit` and `fit_models`.

    Parameters
    ----------
    reconstruction : float, default=1e-3
        Weight λ₁ of the reconstruction of features from degrees. 0 gives the unidirectional method,
        UD-LDL.
    ridge : float, default=1e-2
        Weight λ₂ of ‖θ‖². It depends on the units of the features: features with small values are
        shrunk more.
    fit_intercept : bool, default=True
        Whether both directions have an unpenalised intercept. Predictions then sum to one before
        the output map. False is the published model.
    scale : bool, default=False
        Whether to divide each feature by its standard deviation first, so that its unit has no
        effect.
    output : {"softmax", "clip", "project"}, default="clip"
        Map from scores to distributions: `labeldist.simplex.softmax` or `project`; ``"clip"`` sets
        negative scores to zero and divides by the sum.
    floor : float or "auto", default="auto"
        Degrees below it are raised to it before a row is divided by its sum. ``"auto"`` is a tenth
        of the uniform degree, 0.1 / n_labels; without `fit_intercept` it is machine epsilon.
    solver : {"auto", "cholesky", "eigh", "cholesky_svd"}, default="auto"
        The decomposition. ``"cholesky_svd"`` is the published one; ``"auto"`` takes the fastest
        that is accurate.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_labels, n_features) and (n_labels,)
        θᵀ, in the units of the given features, and intercepts (zero if fit_intercept=False).
    output_, floor_ : str, float
        Output map and floor of `predict`.
    solver_ : str
        The decomposition that was used.
    residual_, condition_ : float
        Relative residual and condition number of the Sylvester equation. An `AccuracyWarning`
        is issued if fewer than four digits are correct.

    See Also
    --------
    BDLDLCV : Choose the parameters by cross-validation.
    labeldist.features.KernelFeatures : Features that make the model nonlinear.

    Notes
    -----
    Memory grows as n_features² and the time of the solve as n_features³: reduce tens of thousands
    of columns first, for instance by ``TruncatedSVD``. Features are squared: values beyond about
    1e153 raise an error.

    References
    ----------
    X. Liu et al. Bidirectional loss function for label enhancement and distribution learning. KBS
    213, 2021.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> X, D = make_artificial(500, random_state=0)
    >>> model = BDLDL().fit(X, D)
    >>> model.predict(X[:1]).sum().round(6)
    np.float64(1.0)
    """

    _constraints = {
        "output": [StrOptions(set(OUTPUT_MAPS))],
        "floor": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")],
        "solver": [StrOptions({"auto", *METHODS})],
    }

    _moments: Moments  # of all rows so far

    def __init__(
        self,
        reconstruction: float = 1e-3,
        ridge: float = 1e-2,
        *,
        fit_intercept: bool = True,
        scale: bool = False,
        output: OutputMap = "clip",
        floor: float | Literal["auto"] = "auto",
        solver: Method | Literal["auto"] = "auto",
    ) -> None:
        self.reconstruction = reconstruction
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.output = output
        self.floor = floor
        self.solver = solver

    def _fit_blocks(self, blocks: list[Block]) -> Self:
        return self._fit_moments(sum_over_blocks(self, blocks, block_moments))

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> Self:
        return self._fit_moments(self._moments_of(X, y, sample_weight))

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Update the model with more rows.

        The result is the model of all rows so far, to rounding. Each call solves for the
        coefficients; `fit_stream` solves once. If a call fails, the model stays as it was.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features, in the same columns as in earlier calls.
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees, in the same columns as in earlier calls.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
            The updated learner.
        """
        self._validate_params()
        earlier = getattr(self, "_moments", None)
        part = self._moments_of(X, y, sample_weight, reset=earlier is None)
        return self._fit_moments(_join(earlier, part))

    def fit_stream(
        self, chunks: Iterable[tuple[Any, ...]], *, callback: StreamCallback | None = None
    ) -> Self:
        """Fit the model to a table that arrives in chunks, with one chunk in memory at a time.

        If a chunk is invalid, the model stays as it was, and the notes of the ``ValueError`` name
        the chunk.

        Parameters
        ----------
        chunks : iterable of (X, y) or (X, y, sample_weight)
            For instance a `labeldist.datasets.TableStream`. Chunks without rows are skipped.
        callback : callable, default=None
            Called as ``callback(done, total, name)`` after each chunk, with the number of rows so
            far, None, since the total is not known, and ``"rows"``.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._validate_params()
        moments = sum_over_chunks(self, chunks, block_moments, callback=callback)
        return self._fit_moments(moments)

    def fit_models(self, models: Iterable[BDLDL]) -> Self:
        """Fit the model to the rows of several fitted models, by their statistics.

        The result is the model of all their rows, to rounding, for tables that cannot be moved.

        Parameters
        ----------
        models : iterable of BDLDL
            Fitted models with the same features and labels, in the same order. Each keeps about
            n_features² numbers as statistics of its rows.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._validate_params()
        fitted = list(models)
        if not fitted:
            raise ValueError("models is empty. At least one fitted model is needed.")
        for model in fitted:
            check_is_fitted(model)
        columns = columns_of(fitted[0])
        for number, model in enumerate(fitted):
            if not same_columns(columns, columns_of(model)):
                raise ValueError(f"models[0] and models[{number}] differ in their columns.")
        self._fit_moments(reduce(_join, [model._moments for model in fitted]))
        set_columns(self, columns)
        return self

    def _fit_moments(self, moments: Moments) -> Self:
        """Solve for the coefficients and set all attributes that do not describe the columns."""
        coef, intercept, solution = self._solve(moments)
        self._moments = moments
        self.coef_ = coef
        self.intercept_ = intercept
        self.solver_ = solution.method
        self.residual_ = solution.residual
        self.condition_ = solution.condition
        self.output_ = self.output
        if self.floor != "auto":
            self.floor_ = self.floor
        else:
            self.floor_ = default_floor(len(coef)) if self.fit_intercept else EPSILON
        return self

    def _predict(self, X: Any) -> Array:
        scores = linear_scores(X, self.coef_, self.intercept_)
        return to_distributions(scores, self.output_, floor=self.floor_)

    def _moments_of(
        self, X: Any, y: Any, sample_weight: Any = None, *, reset: bool = True
    ) -> Moments:
        """Validate a table and return its statistics."""
        X, D = self._check_features_and_distributions(X, y, sample_weight, reset=reset)
        # A chunk may have weight zero; `check_moments` raises an error for the whole table.
        weight = check_weights(sample_weight, X, all_zero=True)
        with threads_for(*X.shape):
            return Moments.of(X, D, weight)

    def _solve(self, moments: Moments) -> tuple[Array, Array, SylvesterSolution]:
        """Return coefficients, intercept and the solution of the equation in scaled features."""
        check_moments(moments)
        scale = moments.feature_scale() if self.scale else np.ones(len(moments.mean_x))
        if not self.fit_intercept:
            moments = moments.about_origin()
        scaled = moments.divide_features(scale) if self.scale else moments
        A = scaled.xx.copy()
        np.fill_diagonal(A, A.diagonal() + self.ridge)
        B = self.reconstruction * scaled.dd
        C = (1 + self.reconstruction) * scaled.xd
        with threads_for(max(C.shape), max(C.shape)):
            solution = solve_symmetric_sylvester(A, B, C, method=self.solver)
        _warn_about_lost_digits(solution, A)
        coefficients = solution.X / scale[:, None]
        # The coefficients of constant features are zero up to rounding, which a large constant
        # would magnify.
        coefficients[scaled.xx.diagonal() == 0] = 0
        coef = np.ascontiguousarray(coefficients.T)
        return coef, moments.mean_d - coef @ moments.mean_x, solution


def _warn_about_lost_digits(solution: SylvesterSolution, A: Array) -> None:
    size = A.diagonal()
    rounding = SAFETY * max(solution.X.shape) * EPSILON * size.max()
    is_lost = (size > 0) & (size <= rounding) & (solution.method == "eigh")
    if solution.residual > LARGE_RESIDUAL or solution.has_few_digits or is_lost.any():
        warn(
            f"The coefficients have few correct digits (relative residual {solution.residual:.1e}, "
            f"condition number {solution.condition:.1e}): the features are nearly dependent, or "
            "their units are far apart. Set scale=True or raise ridge.",
            AccuracyWarning,
        )


def _join(moments: Moments | None, part: Moments) -> Moments:
    """Return the statistics of two parts of a table, which may overflow."""
    if moments is None:
        return part
    with np.errstate(over="ignore", invalid="ignore"):
        return moments + part
