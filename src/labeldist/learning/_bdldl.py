"""BD-LDL: label distribution learning by the bidirectional loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import Interval, StrOptions
from labeldist._solvers.moments import Moments
from labeldist._solvers.scaling import too_large_message
from labeldist._solvers.sylvester import METHODS, SAFETY, Method, SylvesterSolution, solve_symmetric_sylvester
from labeldist._typing import EPSILON, Array
from labeldist._validation import label_names
from labeldist.exceptions import IllConditionedWarning, SingularCoefficientError, warn
from labeldist.learning._blocks import is_lazy, moments_of_blocks, predict_blocks
from labeldist.learning._learner import NO_WEIGHT, DistributionLearner, check_weights, linear_scores
from labeldist.simplex import OUTPUT_MAPS, OutputMap, to_distributions

SOLVED = ("coef_", "intercept_", "floor_", "solver_", "residual_", "condition_")
"""What is computed from the statistics."""

LARGE_RESIDUAL = 1e-10
"""A relative residual that rounding alone does not explain."""

FLOOR_SHARE = 0.1
"""The floor that is taken unless told otherwise, as a share of the uniform degree."""


class BDLDL(DistributionLearner):
    """Bidirectional label distribution learning (BD-LDL).

    A linear model maps features to degrees and, with the same coefficients, degrees back to features:

        min over θ, b, e of  ‖Xθ + 1bᵀ − D‖² + λ₁‖X − Dθᵀ − 1eᵀ‖² + λ₂‖θ‖².

    The minimiser solves a Sylvester equation in the co-moments of (X, D), so one pass over the data and one small
    exact solve make a fit.

    Parameters
    ----------
    reconstruction : float, default=1e-3
        λ₁, the weight of the way back from degrees to features. 0 gives the unidirectional method, UD-LDL.
    ridge : float, default=1e-2
        λ₂, the weight of ‖θ‖². It acts on features in the units that they are in: small numbers are shrunk more.
    fit_intercept : bool, default=True
        Whether both directions have a free, unpenalised intercept. Predictions then sum to one before any output map.
        False is the published model.
    scale : bool, default=False
        Whether to divide each feature by its standard deviation first, so that their units do not matter.
    output : {"softmax", "clip", "project"}, default="clip"
        How the linear scores become distributions; see `labeldist.simplex.to_distributions`.
    floor : float or "auto", default="auto"
        Degrees below it are raised to it before a row is divided by its sum. ``"auto"`` is a tenth of the uniform
        degree, 0.1 / n_labels; without `fit_intercept` it is machine epsilon, since the published model has no floor.
    solver : {"auto", "cholesky", "eigh", "cholesky_svd"}, default="auto"
        The decomposition; see `labeldist._solvers.sylvester.solve_symmetric_sylvester`. ``"cholesky_svd"`` is the
        published one.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        θᵀ, for features as they were given.
    intercept_ : ndarray of shape (n_labels,)
        Zero without `fit_intercept`.
    floor_ : float
        The floor that `predict` uses.
    label_names_ : list of str
    solver_ : str
        The decomposition that was used.
    residual_ : float
        Relative residual of the Sylvester equation: how well it is solved, about 1e-16.
    condition_ : float
        Its condition number: by how much it magnifies relative errors of the statistics. A warning tells if it leaves
        less than four digits of the coefficients. Predictions for rows like the training rows have more.
    moments_ : Moments
        The statistics of all rows so far, n_features² numbers. Those of two models add up; `fit_moments` learns from
        the sum. A model that is only to predict does without: ``del model.moments_``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    The distributions are what `predict` returns; there is no ``predict_proba``.

    The co-moments are a dense matrix of n_features²; the solve takes time as n_features³. Text with tens of thousands
    of columns needs a selection or a ``TruncatedSVD`` first.

    Features are squared: numbers beyond about 1e153 are refused by name, and those below 1e-154 count as zero, with
    `scale`, too. A constant feature has the coefficient 0, exactly.

    References
    ----------
    X. Liu, J. Zhu, Q. Zheng, Z. Li, R. Liu, J. Wang. Bidirectional loss function for label enhancement and
    distribution learning. Knowledge-Based Systems 213, 2021.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> X, D = make_artificial(500, random_state=0)
    >>> model = BDLDL().fit(X, D)
    >>> model.predict(X[:1]).sum().round(6)
    np.float64(1.0)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "reconstruction": [Interval(Real, 0, math.inf, closed="left")],
        "ridge": [Interval(Real, 0, math.inf, closed="left")],
        "fit_intercept": ["boolean"],
        "scale": ["boolean"],
        "output": [StrOptions(set(OUTPUT_MAPS))],
        "floor": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")],
        "solver": [StrOptions({"auto", *METHODS})],
    }

    moments_: Moments

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BDLDL:
        """Learn from features and distributions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Sparse features stay sparse. Dask arrays and data frames are read in one pass, on the cluster that is
            active; their partitions stay where they are, and their statistics travel.
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees; each row is divided by its sum.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w equal rows: in both losses, the means and the scaling.
        """
        self._validate_params()
        with self._all_or_nothing():
            if is_lazy(X):
                return self.fit_moments(moments_of_blocks(self, X, y, sample_weight))
            return self.fit_moments(self._moments_of(X, y, sample_weight))

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> BDLDL:
        """Learn from more rows: add their statistics to those of earlier calls.

        In whatever pieces and order the rows come, the model is that of all rows together, to rounding. Coefficients
        are computed when they are first asked for. `fit` starts anew; rows can be added to what it has seen.
        """
        self._validate_params()
        with self._all_or_nothing():
            begun = "moments_" in vars(self)
            moments = self._moments_of(X, y, sample_weight, reset=not begun)
            self.moments_ = self.moments_ + moments if begun else moments
            self._forget(SOLVED)
        return self

    def fit_stream(self, chunks: Iterable[tuple[Any, ...]], *, progress: Callable[[int], None] | None = None) -> BDLDL:
        """Learn from a table that comes in chunks, of which one at a time is in memory.

        If a chunk is refused or cannot be read, the error says which, and the model is what it was before.

        Parameters
        ----------
        chunks : iterable of (X, y) or (X, y, sample_weight)
            For instance a `labeldist.datasets.TableStream`.
        progress : callable, default=None
            Called with the number of rows seen so far after each chunk.
        """
        with self._all_or_nothing():
            self._forget(("moments_", *SOLVED))
            seen = 0
            for number, chunk in enumerate(chunks):
                try:
                    self.partial_fit(*chunk)
                except ValueError as error:
                    error.add_note(f"This is in chunk {number} of the stream, which begins with row {seen}.")
                    raise
                seen += np.shape(chunk[1])[0]
                if progress:
                    progress(seen)
            if not seen:
                raise ValueError("The stream has no rows: there is nothing to learn from.")
        return self

    def fit_moments(self, moments: Moments) -> BDLDL:
        """Learn from the statistics of a table, which are all that a fit takes from it.

        Statistics have no names: columns keep those that the model has noted, if they are as many.
        """
        self._validate_params()
        check_size(moments)
        n_features, n_labels = moments.xd.shape
        if getattr(self, "n_features_in_", n_features) != n_features:
            self._forget(("feature_names_in_",))
        self.n_features_in_ = n_features
        if len(getattr(self, "label_names_", ())) != n_labels:
            self.label_names_ = label_names(None, n_labels)
        self.moments_ = moments
        self.floor_ = self._resolve_floor(n_labels)
        self._solve(moments)
        return self

    def set_params(self, **params: Any) -> BDLDL:
        """Set parameters for the next fit; what `partial_fit` has left to be solved is solved with the present ones."""
        if "moments_" in vars(self) and "coef_" not in vars(self):
            self.fit_moments(self.moments_)
        return super().set_params(**params)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Leave the model as it was if what is done to it fails."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            self.__dict__.pop(name, None)

    def __sklearn_is_fitted__(self) -> bool:
        return "moments_" in vars(self) or "coef_" in vars(self)

    def __getattr__(self, name: str) -> Any:
        # Only what is missing is asked for here: what partial_fit has left to be solved.
        if name in SOLVED and "moments_" in vars(self):
            self.fit_moments(self.moments_)
            return vars(self)[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def predict(self, X: Any) -> Array:
        """Return a label distribution for each row of `X`; for Dask collections one of them, still to be computed."""
        check_is_fitted(self)
        if is_lazy(X):
            return predict_blocks(self, X)
        return self.distributions(self._check_new_features(X, accept_sparse=True))

    def distributions(self, X: Any) -> Array:
        """`predict` for rows that have been checked."""
        return to_distributions(linear_scores(X, self.coef_, self.intercept_), self.output, floor=self.floor_)

    def _moments_of(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> Moments:
        """Check a table and return its statistics."""
        X, D = self._check_features_and_distributions(
            X, y, accept_sparse=True, reset=reset, check_finite=False, squares=False
        )
        with np.errstate(invalid="ignore", over="ignore"):  # what comes of it is refused
            # A chunk without weight says nothing; only a table without any cannot be learned from.
            moments = Moments.of(X, D, check_weights(sample_weight, X, all_zero=True))
            if not np.isfinite(moments.mean_x).all():
                assert_all_finite(X, estimator_name=type(self).__name__, input_name="X")
        return moments

    def _resolve_floor(self, n_labels: int) -> float:
        if self.floor != "auto":
            return self.floor
        return FLOOR_SHARE / n_labels if self.fit_intercept else EPSILON

    def _solve(self, moments: Moments) -> None:
        """Compute the coefficients from the moments of the training data."""
        scale = moments.feature_scale() if self.scale else np.ones(len(moments.mean_x))
        if not self.fit_intercept:
            moments = moments_about_origin(moments)
        scaled = moments.divide_features(scale) if self.scale else moments
        A = scaled.xx.copy()
        np.fill_diagonal(A, A.diagonal() + self.ridge)
        solution = self._solve_sylvester(A, self.reconstruction * scaled.dd, (1 + self.reconstruction) * scaled.xd)
        self.solver_, self.residual_, self.condition_ = solution.method, solution.residual, solution.condition
        self._warn_of_lost_digits(solution, A)
        coefficients = solution.X / scale[:, None]
        coefficients[scaled.xx.diagonal() == 0] = 0  # but for rounding they are, which a large constant would magnify
        self.coef_ = np.ascontiguousarray(coefficients.T)
        self.intercept_ = moments.mean_d - self.coef_ @ moments.mean_x

    def _warn_of_lost_digits(self, solution: SylvesterSolution, A: Array) -> None:
        size = A.diagonal()
        drowned = np.flatnonzero((size > 0) & (size <= SAFETY * max(solution.X.shape) * EPSILON * size.max()))
        if solution.residual > LARGE_RESIDUAL:
            loss = f"solve their equation only to {solution.residual:.1e}"
        elif solution.has_few_digits:
            loss = f"have few digits, the condition number being {solution.condition:.1e}"
        elif solution.method == "eigh" and drowned.size:
            loss = f"are zero for feature {drowned[0]}, which drowns in the rounding of others"
        else:
            return
        cause = "the features are nearly dependent" + (" and their units far apart" if drowned.size else "")
        warn(f"The coefficients {loss}: {cause}. scale=True or a larger ridge helps.", IllConditionedWarning)

    def _solve_sylvester(self, A: Array, B: Array, C: Array) -> SylvesterSolution:
        try:
            return solve_symmetric_sylvester(A, B, C, method=self.solver)
        except SingularCoefficientError as error:
            raise SingularCoefficientError(
                f"solver={self.solver!r} cannot solve this problem: {self._cause(error.coefficient)}. {error}",
                error.coefficient,
            ) from error

    def _cause(self, coefficient: str) -> str:
        """Say which property of the model or the data made a coefficient singular."""
        if coefficient == "A":
            return f"with ridge={self.ridge:g} the features are linearly dependent to rounding"
        if self.reconstruction == 0:
            return "reconstruction=0 leaves nothing of the label side"
        if self.fit_intercept:
            return "fit_intercept=True centres the distributions, whose degrees then sum to zero in every row"
        return "the label columns are linearly dependent (a label that never occurs, or fewer rows than labels)"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def moments_about_origin(moments: Moments) -> Moments:
    """Return the statistics about zero, or refuse those that leave the number range."""
    with np.errstate(over="ignore"):
        moments = moments.about_origin()
    check_size(moments)
    return moments


def check_size(moments: Moments) -> None:
    """Refuse statistics of nothing, and those that have left the number range."""
    if moments.weight == 0:
        raise ValueError(NO_WEIGHT)
    overflown = np.flatnonzero(~np.isfinite(moments.xx.diagonal()))
    if overflown.size:
        raise ValueError(too_large_message(overflown[0]))
