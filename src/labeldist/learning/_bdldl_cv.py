"""BD-LDL with everything that it leaves open chosen by cross-validation, the whole grid in one computation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import Interval, StrOptions
from labeldist._solvers.moments import BlockFolds, FoldMoments, Moments, is_partition, moments_of_rows
from labeldist._solvers.sylvester_path import SylvesterPath
from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.learning._bdldl import BDLDL, check_size, moments_about_origin
from labeldist.learning._blocks import blocks_of, is_lazy, predict_blocks, sum_over_blocks
from labeldist.learning._learner import DistributionLearner, check_weights
from labeldist.metrics import MEASURES
from labeldist.simplex import OUTPUT_MAPS, OutputMap, to_distributions

PAPER_GRID = tuple(10.0**k for k in range(-4, 4))
"""10⁻⁴, 10⁻³, …, 10³, over which the paper tunes both penalties."""

FLOOR_SHARES = (0.003, 0.03, 0.1, 0.2, 0.4, 0.7)
"""The floors that are tried unless told otherwise, as shares of the uniform degree."""

BLOCK_SCORES = 50_000
"""How many scores are looked at together: enough to outweigh the calls, few enough to stay in the cache."""

Scoring = str | Callable[[Array, Array], float]
Table = tuple[Any, Array, Array | None]
Solutions = tuple[Array, Array]
"""Coefficients (points, m, c) and intercepts (points, c)."""


class BDLDLCV(DistributionLearner):
    """Bidirectional label distribution learning with its parameters chosen by cross-validation.

    All combinations of `reconstructions`, `ridges`, `outputs` and `floors` are scored on each fold as
    ``GridSearchCV(BDLDL(), ...)`` would, to rounding, but as one computation: a fold's statistics are sums of the other
    folds' statistics, one decomposition serves all penalties, and floors and output maps share the scores.

    Parameters
    ----------
    reconstructions, ridges : sequence of float, default=10⁻⁴, …, 10³
        Values of λ₁ and λ₂ of `BDLDL`: the paper's grid.
    floors : sequence of float or "auto", default="auto"
        Values of `floor` of `BDLDL`. ``"auto"`` is 0.003, 0.03, 0.1, 0.2, 0.4 and 0.7 of the uniform degree.
    outputs : sequence of {"softmax", "clip", "project"}, default=("clip",)
        Values of `output` of `BDLDL`.
    cv : int, splitter or iterable, default=10
        An int is that many shuffled folds, since rows often come sorted; else as in scikit-learn.
    scoring : str or callable, default="kl_divergence"
        A measure of `labeldist.metrics.MEASURES`, or ``scoring(D_true, D_pred)`` of a whole fold, higher being better.
    fit_intercept, scale
        As in `BDLDL`.
    random_state : int, RandomState instance or None, default=0
        How rows are shuffled where `cv` is an int.

    Attributes
    ----------
    best_params_ : dict
        What was chosen; of equal scores the first.
    best_score_ : float
        Its mean score over the folds.
    best_estimator_ : BDLDL
        Fitted with it on all rows.
    cv_results_ : dict of str to ndarray
        ``params``, ``param_…``, ``split…_test_score``, ``mean_test_score``, ``std_test_score`` and
        ``rank_test_score``, one entry a combination, as in ``GridSearchCV``. As there, a measure for which lower is
        better stands with its sign turned.
    n_splits_ : int
    coef_, intercept_, floor_
        Those of `best_estimator_`.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Examples
    --------
    >>> from labeldist import BDLDLCV
    >>> from labeldist.datasets import make_artificial
    >>> X, D = make_artificial(500, random_state=0)
    >>> model = BDLDLCV().fit(X, D)
    >>> len(model.cv_results_["params"])
    384
    >>> sorted(model.best_params_)
    ['floor', 'output', 'reconstruction', 'ridge']
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "reconstructions": ["array-like"],
        "ridges": ["array-like"],
        "floors": [StrOptions({"auto"}), "array-like"],
        "outputs": ["array-like"],
        "cv": [Interval(Integral, 2, None, closed="left"), "cv_object"],
        "scoring": [StrOptions(set(MEASURES)), callable],
        "fit_intercept": ["boolean"],
        "scale": ["boolean"],
        "random_state": ["random_state"],
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BDLDLCV:
        """Choose by cross-validation, and learn from all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees; each row is divided by its sum.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w equal rows, in learning and in scoring.
        """
        self._validate_params()
        if is_lazy(X):
            return self._fit_blocks(blocks_of(X, y, sample_weight))
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True, squares=False)
        weight = check_weights(sample_weight, X)
        grid = self._grid(D.shape[1])
        folds = list(self._splitter().split(X, D))
        with np.errstate(invalid="ignore", over="ignore"):  # what comes of it is refused
            if is_partition(folds, len(D)):
                held_out = FoldMoments.of(X, D, weight, [test for _, test in folds])
                training, total = held_out.training(), held_out.total()
            else:
                training = [moments_of_rows(X, D, weight, train) for train, _ in folds]
                total = Moments.of(X, D, weight)
        check_size(total)
        sums = [
            self._score_sums(self._solutions(moments, grid), (X, D, weight), test, grid)
            for moments, (_, test) in zip(training, folds, strict=True)
        ]
        return self._choose(grid, np.array(sums), total)

    def _fit_blocks(self, blocks: list[Any]) -> BDLDLCV:
        """Fit on a Dask table: one pass for the folds' statistics, one to score what they give."""
        if not isinstance(self.cv, Integral):
            raise TypeError("For Dask collections cv must be an int: folds are drawn block by block.")
        if callable(self.scoring):
            raise TypeError(
                f"For Dask collections scoring must be one of {', '.join(MEASURES)}: a fold is never in one place."
            )
        folds = BlockFolds(int(self.cv), int(random_generator(self.random_state).randint(2**31)))
        held_out = sum_over_blocks(self, blocks, partial(_moments_by_fold, folds=folds))
        total = held_out.total()
        check_size(total)
        grid = self._grid(len(total.mean_d))
        solutions = [self._solutions(moments, grid) for moments in held_out.training()]
        scored = partial(_scores_by_fold, folds=folds, model=clone(self), grid=grid)
        return self._choose(grid, sum_over_blocks(self, blocks, scored, shared=solutions), total)

    def predict(self, X: Any) -> Array:
        """Return a label distribution for each row of `X`; for Dask collections one of them, still to be computed."""
        check_is_fitted(self)
        if is_lazy(X):
            return predict_blocks(self, X)
        X = self._check_new_features(X, accept_sparse=True)
        return self.best_estimator_.distributions(X)

    @property
    def coef_(self) -> Array:
        """Coefficients of the best estimator, (n_labels, n_features)."""
        return self.best_estimator_.coef_

    @property
    def intercept_(self) -> Array:
        """Intercept of the best estimator, (n_labels,)."""
        return self.best_estimator_.intercept_

    @property
    def floor_(self) -> float:
        """Floor of the best estimator."""
        return self.best_estimator_.floor_

    def _splitter(self) -> Any:
        from sklearn.model_selection import KFold, check_cv  # half a second that who does not cross-validate can save

        if isinstance(self.cv, Integral):
            return KFold(int(self.cv), shuffle=True, random_state=random_generator(self.random_state))
        return check_cv(self.cv)

    def _grid(self, n_labels: int) -> Grid:
        shares = [share / n_labels for share in FLOOR_SHARES]
        return Grid(
            _numbers("reconstructions", self.reconstructions),
            _numbers("ridges", self.ridges),
            _numbers("floors", shares if isinstance(self.floors, str) else self.floors, largest=1.0),
            tuple(self.outputs),
        )

    def _estimator(self, parameters: dict[str, Any]) -> BDLDL:
        return BDLDL(**parameters, fit_intercept=self.fit_intercept, scale=self.scale)

    def _score_sums(self, solutions: Solutions, table: Table, rows: Any, grid: Grid) -> Array:
        """Return the sum over rows of every combination's score, in the order of `Grid`, and last the rows' weight."""
        coefficients, intercepts = solutions
        X, D = table[0][rows], table[1][rows]
        weight = np.ones(len(D)) if table[2] is None else table[2][rows]
        total = np.zeros((len(coefficients), len(grid.outputs), len(grid.floors)))
        whole = callable(self.scoring)  # what it computes need not be a mean over rows
        for part, points in _blocks(len(D), len(coefficients), D.shape[1], whole=whole):
            raw = _linear_scores(X[part], coefficients[points], intercepts[points])
            for (i, output), (j, floor) in product(enumerate(grid.outputs), enumerate(grid.floors)):
                P = to_distributions(raw.reshape(-1, D.shape[1]), output, floor=floor).reshape(raw.shape)
                total[points, i, j] += self._measure(D[part], P, weight[part])
        return np.append(total, weight.sum())

    def _solutions(self, train: Moments, grid: Grid) -> Solutions:
        """Return coefficients (points, m, c) and intercepts (points, c) for all pairs of penalties."""
        scale = train.feature_scale() if self.scale else np.ones_like(train.mean_x)
        moments = (train if self.fit_intercept else moments_about_origin(train)).divide_features(scale)
        path = SylvesterPath(moments.xx, moments.dd, moments.xd)
        solved = np.concatenate([path.solve(reconstruction, grid.ridges) for reconstruction in grid.reconstructions])
        solved /= scale[:, None]
        solved[:, moments.xx.diagonal() == 0] = 0  # but for rounding they are, which a large constant would magnify
        return solved, moments.mean_d - (moments.mean_x * scale) @ solved

    def _measure(self, D: Array, P: Array, share: Array) -> Array:
        """Return the weighted sum of the score over rows, for each point of P (points, n, c)."""
        if callable(self.scoring):
            return np.array([self.scoring(D, p) for p in P]) * share.sum()
        measure = MEASURES[self.scoring]
        tiled = np.broadcast_to(D, P.shape).reshape(-1, D.shape[1])
        values = measure.rows(tiled, P.reshape(tiled.shape)).reshape(P.shape[:2]) @ share
        return values if measure.higher_is_better else -values

    def _choose(self, grid: Grid, sums: Array, total: Moments) -> BDLDLCV:
        """Note the scores of the folds, choose the best, and fit it to the statistics of all rows."""
        combinations, scores = grid.combinations(), _means(sums)
        self.n_splits_ = len(scores)
        mean = scores.mean(axis=0)
        best = int(mean.argmax())
        self.best_params_, self.best_score_ = combinations[best], float(mean[best])
        self.cv_results_ = {
            "params": combinations,
            **{f"param_{name}": np.array([point[name] for point in combinations]) for name in combinations[0]},
            **{f"split{i}_test_score": fold for i, fold in enumerate(scores)},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=0),
            "rank_test_score": 1 + np.searchsorted(np.sort(-mean), -mean).astype(np.int32),
        }
        self.best_estimator_ = self._estimator(self.best_params_).fit_moments(total)
        for noted in ("label_names_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, noted):
                setattr(self.best_estimator_, noted, getattr(self, noted))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class Grid:
    """The values that are tried; `combinations` lists them in the order in which scores are computed."""

    reconstructions: Array
    ridges: Array
    floors: Array
    outputs: tuple[OutputMap, ...]

    def __post_init__(self) -> None:
        unknown = [output for output in self.outputs if output not in OUTPUT_MAPS]
        if unknown or not self.outputs:
            raise ValueError(f"outputs must name some of {', '.join(OUTPUT_MAPS)}; got {list(self.outputs)}.")

    def combinations(self) -> list[dict[str, Any]]:
        """Return the parameters of `BDLDL` at each point."""
        return [
            {"reconstruction": float(r), "ridge": float(ridge), "output": output, "floor": float(floor)}
            for r, ridge, output, floor in product(self.reconstructions, self.ridges, self.outputs, self.floors)
        ]


def _means(sums: Array) -> Array:
    """Divide the sums of scores of each fold by its weight, or say what cannot be scored."""
    scores, weight = sums[:, :-1], sums[:, -1:]
    empty = np.flatnonzero(weight[:, 0] <= 0)
    if empty.size:
        raise ValueError(
            f"The rows that fold {empty[0]} holds out have no weight, so nothing can be scored on them. Use fewer "
            "folds, or leave out rows of weight zero."
        )
    means: Array = scores / weight
    if not np.isfinite(means).all():
        fold, point = np.argwhere(~np.isfinite(means))[0]
        raise ValueError(
            f"The score of combination {point} on fold {fold} is {means[fold, point]}: nothing can be chosen."
        )
    return means


def _moments_by_fold(number: int, X: Any, D: Array, weight: Array | None, *, folds: BlockFolds) -> FoldMoments:
    return FoldMoments.of(X, D, weight, folds.of(number, len(D)))


def _scores_by_fold(
    number: int,
    X: Any,
    D: Array,
    weight: Array | None,
    *solutions: Solutions,
    folds: BlockFolds,
    model: BDLDLCV,
    grid: Grid,
) -> Array:
    held_out = zip(solutions, folds.of(number, len(D)), strict=True)
    return np.array([model._score_sums(solution, (X, D, weight), rows, grid) for solution, rows in held_out])


def _blocks(n_rows: int, n_points: int, n_labels: int, *, whole: bool) -> Iterator[tuple[slice, slice]]:
    """Yield parts of rows, or all, and of points whose scores are about as many as are looked at together."""
    rows = max(1, n_rows if whole else min(n_rows, BLOCK_SCORES // n_labels))
    points = max(1, BLOCK_SCORES // (rows * n_labels))
    for row, point in product(range(0, n_rows, rows), range(0, n_points, points)):
        yield slice(row, row + rows), slice(point, point + points)


def _linear_scores(X: Any, coefficients: Array, intercepts: Array) -> Array:
    """X θ + b for each point, (points, n, c)."""
    n_points, m, c = coefficients.shape
    flat = np.asarray(X @ coefficients.transpose(1, 0, 2).reshape(m, -1))
    scores = flat.reshape(-1, n_points, c).transpose(1, 0, 2) + intercepts[:, None]
    return np.ascontiguousarray(scores)


def _numbers(name: str, values: Any, largest: float = np.inf) -> Array:
    """Return the values of a penalty or a floor as an array, or say what is wrong with them."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.ndim != 1 or not numbers.size or not ((numbers >= 0) & (numbers <= largest) & (numbers < np.inf)).all():
        limit = "" if largest == np.inf else f" and at most {largest:g}"
        raise ValueError(f"{name} must be a list of numbers, at least 0{limit}; got {values!r}.")
    return numbers
