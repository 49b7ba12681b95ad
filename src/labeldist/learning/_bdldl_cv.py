"""BDLDLCV: BDLDL with built-in cross-validation of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone

from labeldist._compat import StrOptions
from labeldist._folds import splitter_of
from labeldist._solvers.moments import Moments
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.learning._bdldl import BDLDL
from labeldist.learning._block_learner import BlockLearner, check_moments
from labeldist.learning._cross_validation import (
    Table,
    check_finite,
    check_scoring,
    cv_results,
    weighted_rows,
)
from labeldist.learning._dask_blocks import Block, sum_over_blocks
from labeldist.learning._fold_moments import FoldMoments, block_folds, is_partition
from labeldist.learning._learner import check_weights, columns_of, set_columns
from labeldist.learning._sylvester_path import SylvesterPath
from labeldist.metrics import MEASURES
from labeldist.simplex import OutputMap, to_distributions

# The grid of the paper for both penalties: 10⁻⁴, 10⁻³, …, 10³.
PAPER_GRID = tuple(10.0**k for k in range(-4, 4))
FLOOR_SHARES = (0.003, 0.03, 0.1, 0.2, 0.4, 0.7)  # default floors, in uniform degrees
BLOCK_SCORES = 50_000  # scores in one array operation, few enough to stay in the cache

Grid = dict[str, Sequence[Any]]  # values of four parameters of `BDLDL`; the last one varies fastest
Scoring = str | Callable[[Array, Array], float]
Solutions = tuple[Array, Array]  # coefficients (points, m, c) and intercepts (points, c)


class BDLDLCV(BlockLearner):
    """Bidirectional label distribution learning with cross-validation of its parameters.

    All combinations are scored as by ``GridSearchCV(BDLDL(), ...)``, to rounding, but in one
    computation: one decomposition serves all penalties, and floors and output maps share the linear
    scores. Dask collections are read in two passes; `cv` must then be an int and `scoring` a name.

    Parameters
    ----------
    reconstructions, ridges : sequence of float, default=(1e-4, 1e-3, ..., 1e3)
        Values of `reconstruction` and `ridge` of `BDLDL`. The default is the grid of the paper.
    floors : sequence of float or "auto", default="auto"
        Values of `floor` of `BDLDL`. ``"auto"`` is 0.003, 0.03, 0.1, 0.2, 0.4 and 0.7 of the
        uniform degree.
    outputs : sequence of {"softmax", "clip", "project"}, default=("clip",)
        Values of `output` of `BDLDL`.
    cv : int, splitter or iterable, default=10
        An int is a number of shuffled folds, since rows are often sorted. A splitter, or an
        iterable of train and test positions, determines the folds itself.
    scoring : str or callable, default="kl_divergence"
        A measure of `labeldist.metrics.MEASURES`, or ``scoring(D_true, D_pred)`` of a whole fold,
        higher being better, which receives no weights.
    fit_intercept : bool, default=True
        Whether both directions have an unpenalised intercept.
    scale : bool, default=False
        Whether to divide each feature by its standard deviation first.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds if `cv` is an int.

    Attributes
    ----------
    best_params_ : dict
        The chosen parameters of `BDLDL`; the first ones if scores are equal.
    best_score_ : float
        Their mean score over the folds.
    best_estimator_ : BDLDL
        The model with these parameters, fitted to all rows.
    cv_results_ : dict of str to ndarray
        Scores of all combinations, with the keys of ``GridSearchCV``. Measures for which lower is
        better change their sign.
    n_splits_ : int
        Number of folds.
    coef_, intercept_, floor_ : ndarray, ndarray, float
        Attributes of `best_estimator_`.

    See Also
    --------
    BDLDL : The model with given parameters.

    Examples
    --------
    >>> from labeldist import BDLDLCV
    >>> from labeldist.datasets import make_artificial
    >>> X, D = make_artificial(500, random_state=0)
    >>> model = BDLDLCV().fit(X, D)
    >>> sorted(model.best_params_)
    ['floor', 'output', 'reconstruction', 'ridge']
    """

    _constraints = {
        "reconstructions": ["array-like"],
        "ridges": ["array-like"],
        "outputs": ["array-like"],
        "floors": [StrOptions({"auto"}), "array-like"],
        "scoring": [StrOptions(set(MEASURES)), callable],
    }

    def __init__(
        self,
        reconstructions: Sequence[float] = PAPER_GRID,
        ridges: Sequence[float] = PAPER_GRID,
        floors: Sequence[float] | Literal["auto"] = "auto",
        *,
        outputs: Sequence[OutputMap] = ("clip",),
        cv: Any = 10,
        scoring: Scoring = "kl_divergence",
        fit_intercept: bool = True,
        scale: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.reconstructions = reconstructions
        self.ridges = ridges
        self.floors = floors
        self.outputs = outputs
        self.cv = cv
        self.scoring = scoring
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.random_state = random_state

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> Self:
        check_scoring(self.scoring)
        X, D = self._check_features_and_distributions(X, y, sample_weight)
        weight, X, D = weighted_rows(self.cv, check_weights(sample_weight, X), X, D)
        grid = self._grid(D.shape[1])
        splitter = splitter_of(self.cv, random_generator(self.random_state))
        folds = list(splitter.split(X, D))
        with threads_for(len(D), max(X.shape[1], D.shape[1])):
            sums, total = self._scores_and_moments(Table(X, D, weight), folds, grid)
            return self._choose(grid, sums, total)

    def _scores_and_moments(
        self, table: Table, folds: list[Any], grid: Grid
    ) -> tuple[Array, Moments]:
        with np.errstate(invalid="ignore", over="ignore"):  # overflow raises an error below
            if is_partition(folds, len(table.D)):
                held_out = FoldMoments.of(table, [test for _, test in folds])
                training = held_out.training()
                total = held_out.total()
            else:
                training = [Moments.of(*table.rows(train)) for train, _ in folds]
                total = Moments.of(*table)
        check_moments(total)
        sums = []
        for moments, (train, test) in zip(training, folds, strict=True):
            solutions = self._solutions(moments, grid, n_rows=len(train))
            sums.append(self._score_sums(solutions, table.rows(test), grid))
        return np.array(sums), total

    def _fit_blocks(self, blocks: list[Block]) -> Self:
        """Fit to a Dask table: one pass for the statistics of the folds, one for the scores."""
        folds = block_folds(self.cv, self.scoring, self.random_state)

        def count(number: int, X: Any, D: Array, weight: Array | None) -> FoldMoments:
            return FoldMoments.of(Table(X, D, weight), folds.of(number, len(D)))

        held_out = sum_over_blocks(self, blocks, count)
        total = held_out.total()
        check_moments(total)
        grid = self._grid(len(total.mean_d))
        solutions = [self._solutions(moments, grid) for moments in held_out.training()]
        model = clone(self)

        def score(
            number: int, X: Any, D: Array, weight: Array | None, *solutions: Solutions
        ) -> Array:
            block = Table(X, D, weight)
            sums = []
            for solution, rows in zip(solutions, folds.of(number, len(D)), strict=True):
                sums.append(model._score_sums(solution, block.rows(rows), grid))
            return np.array(sums)

        sums = sum_over_blocks(self, blocks, score, shared=solutions)
        return self._choose(grid, sums, total)

    def _predict(self, X: Any) -> Array:
        return self.best_estimator_._predict(X)

    def _grid(self, n_labels: int) -> Grid:
        floors = self.floors
        if isinstance(floors, str):
            floors = [share / n_labels for share in FLOOR_SHARES]
        grid: Grid = {
            "reconstruction": self.reconstructions,
            "ridge": self.ridges,
            "output": self.outputs,
            "floor": floors,
        }
        for name, values in grid.items():
            if not len(values):
                raise ValueError(f"{name}s must hold at least one value.")
            for value in values:
                BDLDL(**{name: value})._validate_params()
        return grid

    def _score_sums(self, solutions: Solutions, held_out: Table, grid: Grid) -> Array:
        """Return the sums over rows of the scores of all combinations, and of the weights."""
        coefficients, intercepts = solutions
        X, D, weight = held_out
        if weight is None:
            weight = np.ones(len(D))
        total = np.zeros((len(coefficients), len(grid["output"]), len(grid["floor"])))
        whole = callable(self.scoring)  # a custom score may not be a mean over rows
        for part, points in _blocks(len(D), len(coefficients), D.shape[1], whole=whole):
            raw = _linear_scores(X[part], coefficients[points], intercepts[points])
            flat = raw.reshape(-1, D.shape[1])
            for i, output in enumerate(grid["output"]):
                for j, floor in enumerate(grid["floor"]):
                    P = to_distributions(flat, output, floor=floor).reshape(raw.shape)
                    total[points, i, j] += self._measure(D[part], P, weight[part])
        return np.append(total, weight.sum())

    def _solutions(self, train: Moments, grid: Grid, n_rows: float = np.inf) -> Solutions:
        """Return coefficients (points, m, c) and intercepts (points, c) for all penalties.

        `n_rows` is the number of rows in the statistics, if it is known.
        """
        scale = train.feature_scale() if self.scale else np.ones_like(train.mean_x)
        moments = train if self.fit_intercept else train.about_origin()
        moments = moments.divide_features(scale)
        path = SylvesterPath(moments.xx, moments.dd, moments.xd, n_rows)
        reconstructions = np.asarray(grid["reconstruction"], dtype=np.float64)
        ridges = np.asarray(grid["ridge"], dtype=np.float64)
        solved = path.solve(reconstructions, ridges).reshape(-1, *moments.xd.shape)
        solved /= scale[:, None]
        # The coefficients of constant features are zero up to rounding, which a large constant
        # would magnify.
        solved[:, moments.xx.diagonal() == 0] = 0
        return solved, moments.mean_d - (moments.mean_x * scale) @ solved

    def _measure(self, D: Array, P: Array, share: Array) -> Array:
        """Return the weighted sum over rows of the score, for each point of P (points, n, c)."""
        if callable(self.scoring):
            return np.array([self.scoring(D, p) for p in P]) * share.sum()
        measure = MEASURES[self.scoring]
        tiled = np.broadcast_to(D, P.shape).reshape(-1, D.shape[1])
        rows = measure.rows(tiled, P.reshape(tiled.shape))
        return measure.sign * (rows.reshape(P.shape[:2]) @ share)

    def _choose(self, grid: Grid, sums: Array, total: Moments) -> Self:
        """Choose the combination with the best mean score and fit it to all rows."""
        combinations = [dict(zip(grid, point, strict=True)) for point in product(*grid.values())]
        with np.errstate(invalid="ignore"):  # the last column holds the weights of the folds
            scores = sums[:, :-1] / sums[:, -1:]
        check_finite(scores)
        mean = scores.mean(axis=0)
        best = int(mean.argmax())
        estimator = BDLDL(**combinations[best], fit_intercept=self.fit_intercept, scale=self.scale)
        set_columns(estimator, columns_of(self))
        self.best_estimator_ = estimator._fit_moments(total)
        self.coef_ = estimator.coef_
        self.intercept_ = estimator.intercept_
        self.floor_ = estimator.floor_
        self.best_params_ = combinations[best]
        self.best_score_ = float(mean[best])
        self.n_splits_ = len(scores)
        self.cv_results_ = cv_results(combinations, scores)
        return self


def _linear_scores(X: Any, coefficients: Array, intercepts: Array) -> Array:
    """Return the linear scores of some points of the grid, of shape (points, n, c)."""
    stacked = np.asarray(X @ np.hstack([*coefficients]))
    scores = stacked.reshape(-1, *intercepts.shape).transpose(1, 0, 2)
    return np.ascontiguousarray(scores + intercepts[:, None])


def _blocks(
    n_rows: int, n_points: int, n_labels: int, *, whole: bool
) -> Iterator[tuple[slice, slice]]:
    """Yield slices of rows, or all rows if `whole`, and of points.

    They have about `BLOCK_SCORES` scores each.
    """
    most = n_rows if whole else BLOCK_SCORES // n_labels
    rows = max(1, min(n_rows, most))
    points = max(1, BLOCK_SCORES // (rows * n_labels))
    for row, point in product(range(0, n_rows, rows), range(0, n_points, points)):
        yield slice(row, row + rows), slice(point, point + points)
