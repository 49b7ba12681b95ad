"""Softmax regression with a ridge penalty, and its cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import assert_all_finite

from labeldist._compat import StrOptions
from labeldist._solvers.moments import Moments
from labeldist._solvers.row_blocks import row_blocks
from labeldist._solvers.scaling import check_squarable
from labeldist._solvers.softmax_regression import (
    LossAndGradient,
    SoftmaxPath,
    SoftmaxSolution,
    loss_of_block,
)
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.learning._block_learner import BlockLearner, block_moments, check_moments
from labeldist.learning._chunk_sums import Chunks, RepeatedChunks, sum_over_chunks
from labeldist.learning._cross_validation import (
    Table,
    check_finite,
    check_scoring,
    cv_results,
    split_rows,
    weighted_rows,
)
from labeldist.learning._dask_blocks import Block, sum_over_blocks
from labeldist.learning._fold_moments import BlockFolds, FoldMoments, block_folds
from labeldist.learning._learner import check_weights, linear_scores, report_convergence
from labeldist.learning._softmax_learner import SoftmaxLearner
from labeldist.metrics import MEASURES
from labeldist.simplex import softmax

RIDGES = tuple(np.logspace(-7, 3, 21).tolist())
# Searches within the folds may stop earlier than the final fit: their errors are far smaller than
# the differences between ridges.
FOLD_TOL_FACTOR = 100
MAX_FOLD_TOL = 1e-3
# While a ridge has this many times the error of the best one so far, the next one is first searched
# with the tolerance `ROUGH_TOL`, and only if its error is smaller, precisely.
POOR = 2.0
ROUGH_TOL = 1e-3
# Small ridges of sparse features, such as n-grams, take long. If their columns are in similar
# units, the search ends at the first ridge with this many times the error of the best one.
HOPELESS = 1.02


# A function that sums ``summarise(block number, X, D, weight, *shared)`` over blocks of a table.
SumOverBlocks = Callable[[Callable[..., Any], tuple[Any, ...]], Any]


class SoftmaxRegression(BlockLearner, SoftmaxLearner):
    """Softmax regression on label distributions, with a ridge penalty.

    P = softmax(XW + 1bᵀ) minimises −ΣD log P + (ridge / 2)‖W‖². The intercept b is not penalised.
    This is multinomial logistic regression on rows that are repeated for each label and weighted by
    its degree, without the repetition. Dask collections and streams are read once for the
    statistics of the features, and once per iteration.

    Parameters
    ----------
    ridge : float, default=1.0
        Weight of the penalty, 1/C of ``sklearn.linear_model.LogisticRegression``, 2/C for two
        labels. Features are used as given, so their units matter.
    tol : float, default=1e-5
        Stop when the largest entry of the gradient, in coordinates of about equal curvature, is at
        most this fraction of its value at W = 0.
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients Wᵀ.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts b.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    SoftmaxRegressionCV : Choose the ridge by cross-validation.
    labeldist.published.SABFGS : The same model without a penalty.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SoftmaxRegression
    >>> X, D = make_artificial(500, random_state=0)
    >>> SoftmaxRegression(0.1).fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.34, 0.34, 0.32]])
    """

    def __init__(self, ridge: float = 1.0, *, tol: float = 1e-5, max_iter: int = 1000) -> None:
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter

    def fit_stream(self, chunks: Chunks) -> Self:
        """Fit the model to a table in chunks, with one chunk in memory at a time.

        Parameters
        ----------
        chunks : iterable of (X, y) or (X, y, sample_weight)
            A `labeldist.datasets.TableStream` or a list. It is read several times, so that a
            generator raises a ``TypeError``. Chunks without rows are skipped.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._validate_params()
        if iter(chunks) is chunks:
            raise TypeError("chunks is read several times. Pass a TableStream or a list.")

        repeated = RepeatedChunks(chunks)
        n_passes = 0

        def total(summarise: Callable[..., Any], shared: tuple[Any, ...] = ()) -> Any:
            nonlocal n_passes
            n_passes += 1
            return sum_over_chunks(self, repeated, summarise, shared, are_checked=n_passes > 1)

        return self._fit_sums(total)

    def _fit_blocks(self, blocks: list[Block]) -> Self:
        def total(summarise: Callable[..., Any], shared: tuple[Any, ...] = ()) -> Any:
            return sum_over_blocks(self, blocks, summarise, shared)

        return self._fit_sums(total)

    def _fit_sums(self, total: SumOverBlocks) -> Self:
        """Fit to a table of which only sums over blocks are known."""
        moments = total(block_moments, ())
        self._solve(_block_path(moments, total), self.ridge)
        return self

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> Self:
        X, D = self._check_features_and_distributions(X, y, sample_weight)
        assert_all_finite(X, input_name="X")  # of blocks, the moments show it
        check_squarable(X)
        weight = check_weights(sample_weight, X)
        with threads_for(len(D), max(X.shape[1], D.shape[1])):
            self._fit(X, D, weight)
        return self

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        self._solve(SoftmaxPath.of(X, D, weight), self.ridge)

    def _solve(self, path: SoftmaxPath, ridge: float) -> None:
        solution = path.solve(ridge, tol=self.tol, max_iter=self.max_iter)
        self.coef_ = np.ascontiguousarray(solution.W.T)
        self.intercept_ = solution.b
        report_convergence(self, solution.n_iter, solution.converged)


class SoftmaxRegressionCV(SoftmaxRegression):
    """Softmax regression with a ridge penalty that is chosen by cross-validation.

    In each fold one decomposition of the features serves all ridges. All are tried, from the
    largest to the smallest, each search starting at the minimum of the last one: scores can have
    several local maxima if features have different units. For Dask collections and streams, which
    are read once per iteration and fold, `cv` must be an int and `scoring` a name.

    Parameters
    ----------
    ridges : sequence of float, default=21 values from 1e-7 to 1e3
        Values of `ridge` of `SoftmaxRegression`.
    cv : int, splitter or iterable, default=5
        An int is a number of shuffled folds, at most one per row. A splitter, or an iterable
        of train and test positions, determines the folds itself.
    scoring : str or callable, default="kl_divergence"
        A measure of `labeldist.metrics.MEASURES`, or ``scoring(D_true, D_pred)`` of a whole fold,
        higher being better, which receives no weights.
    tol : float, default=1e-5
        Stop when the largest entry of the gradient, in coordinates of about equal curvature, is at
        most this fraction of its value at W = 0. Within the folds it may be 100 times as large, but
        at most 1e-3.
    max_iter : int, default=1000
        Maximum number of iterations for each ridge.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds if `cv` is an int.

    Attributes
    ----------
    ridge_ : float
        The chosen ridge.
    best_score_ : float
        Its mean score over the folds.
    cv_results_ : dict
        Scores of the ridges, as in ``GridSearchCV``. Measures for which lower is better change
        their sign. Where the distance to a perfect score is more than twice that of the best
        ridge, scores may be those of a search with the tolerance 0.001. NaN for small ridges that
        are not tried, with sparse features whose standard deviations differ by less than 30 times.
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients Wᵀ of the model with this ridge, fitted to all rows.
    intercept_ : ndarray of shape (n_labels,)
        Its intercepts.
    n_iter_ : int
        Its number of iterations.

    See Also
    --------
    SoftmaxRegression : The model with a given ridge.
    labeldist.BDLDLCV : Linear model by least squares, which is faster.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SoftmaxRegressionCV
    >>> X, D = make_artificial(300, random_state=0)
    >>> SoftmaxRegressionCV([0.01, 1.0, 100.0]).fit(X, D).ridge_
    0.01
    """

    _constraints = {"ridges": ["array-like"], "scoring": [StrOptions(set(MEASURES)), callable]}

    def __init__(
        self,
        ridges: Sequence[float] = RIDGES,
        cv: Any = 5,
        scoring: str | Callable[[Array, Array], float] = "kl_divergence",
        *,
        tol: float = 1e-5,
        max_iter: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.ridges = ridges
        self.cv = cv
        self.scoring = scoring
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, X: Any, D: Array, weight: Array | None) -> None:
        check_scoring(self.scoring)
        weight, X, D = weighted_rows(self.cv, weight, X, D)
        folds = split_rows(X, D, self.cv, random_generator(self.random_state))
        table = Table(X, D, weight)
        held_out = [table.rows(test) for _, test in folds]

        def score(solutions: list[SoftmaxSolution]) -> list[float]:
            pairs = zip(held_out, solutions, strict=True)
            return [self._score(rows, solution) for rows, solution in pairs]

        paths = [SoftmaxPath.of(*table.rows(train)) for train, _ in folds]
        self._choose(paths, score)
        self._solve(SoftmaxPath.of(X, D, weight), self.ridge_)

    def _fit_sums(self, total: SumOverBlocks) -> Self:
        folds = block_folds(self.cv, self.scoring, self.random_state)

        def count(number: int, X: Any, D: Array, weight: Array | None) -> FoldMoments:
            return FoldMoments.of(Table(X, D, weight), folds.of(number, len(D)))

        held_out = total(count, ())
        check_moments(held_out.total())
        model = clone(self)

        def score_block(
            number: int, X: Any, D: Array, weight: Array | None, *solutions: SoftmaxSolution
        ) -> Array:
            counts = np.ones(len(D)) if weight is None else weight
            table = Table(X, D, counts)
            sums = np.zeros((len(solutions), 2))
            for fold, rows in enumerate(folds.of(number, len(D))):
                size = counts[rows].sum()
                if size > 0:
                    score = model._score(table.rows(rows), solutions[fold])
                    sums[fold] = score * size, size
            return sums

        def score(solutions: list[SoftmaxSolution]) -> Array:
            sums = total(score_block, tuple(solutions))
            return sums[:, 0] / sums[:, 1]

        paths = []
        for fold, moments in enumerate(held_out.training()):
            paths.append(_block_path(moments, total, folds, fold))
        self._choose(paths, score)
        self._solve(_block_path(held_out.total(), total), self.ridge_)
        return self

    def _choose(
        self, paths: list[SoftmaxPath], score: Callable[[list[SoftmaxSolution]], Any]
    ) -> None:
        """Choose the ridge. `score` returns the score of each fold for the folds' solutions."""
        ridges = np.array(self.ridges, dtype=np.float64)
        for ridge in ridges:
            SoftmaxRegression(ridge)._validate_params()
        scores = self._scores(ridges, paths, score)
        mean = scores.mean(axis=0)
        best = np.nanargmax(mean)
        self.ridge_ = float(ridges[best])
        self.best_score_ = float(mean[best])
        points = [{"ridge": ridge} for ridge in ridges.tolist()]
        self.cv_results_ = cv_results(points, scores)

    def _scores(
        self,
        ridges: Array,
        paths: list[SoftmaxPath],
        score: Callable[[list[SoftmaxSolution]], Any],
    ) -> Array:
        """Return the scores, (folds, ridges); those of poor ridges may be rough.

        With features in different units, the error can fall again after it has risen: large ones
        are overfitted before small ones have an effect. So all ridges are tried, the largest first,
        but for sparse features in similar units.
        """
        starts: list[Any] = [0.0] * len(paths)
        scores = np.full((len(paths), len(ridges)), np.nan)
        may_stop = all(path.has_sparse_columns_alike for path in paths)
        tol = min(FOLD_TOL_FACTOR * self.tol, max(self.tol, MAX_FOLD_TOL))

        def search(ridge: float, tol: float) -> Array:
            solutions = [
                path.solve(ridge, start=start, tol=tol, max_iter=self.max_iter)
                for path, start in zip(paths, starts, strict=True)
            ]
            starts[:] = [solution.point for solution in solutions]
            return np.asarray(score(solutions))

        least_error = np.inf
        is_poor = False
        for i in np.argsort(ridges)[::-1]:
            scores[:, i] = search(ridges[i], max(tol, ROUGH_TOL) if is_poor else tol)
            was_poor = is_poor
            is_poor = self._error(scores[:, i]) > POOR * least_error
            if was_poor and not is_poor:
                scores[:, i] = search(ridges[i], tol)
            check_finite(scores[:, [i]], i)
            error = self._error(scores[:, i])
            if may_stop and error > HOPELESS * least_error:
                break
            least_error = min(least_error, error)
        return scores

    def _error(self, scores: Array) -> float:
        """Return the distance of the mean score to the score of a perfect prediction."""
        if callable(self.scoring):
            return 0.0  # unknown, so that all searches are precise
        perfect = 1.0 if MEASURES[self.scoring].higher_is_better else 0.0
        return perfect - float(scores.mean())

    def _score(self, rows: Table, solution: SoftmaxSolution) -> float:
        P = softmax(linear_scores(rows.X, solution.W.T, solution.b))
        if callable(self.scoring):
            return float(self.scoring(rows.D, P))
        measure = MEASURES[self.scoring]
        return measure.sign * float(np.average(measure.rows(rows.D, P), weights=rows.weight))


def _block_path(
    moments: Moments, total: SumOverBlocks, folds: BlockFolds | None = None, fold: int = 0
) -> SoftmaxPath:
    """Return the path of a table in blocks, without the rows of one of the `folds`."""

    def loss(
        number: int, X: Any, D: Array, weight: Array | None, coefficients: Array, present: Any
    ) -> LossAndGradient:
        if folds is not None:
            weight = np.ones(len(D)) if weight is None else weight.copy()
            weight[folds.of(number, len(D))[fold]] = 0
        parts = []
        for rows in row_blocks(len(D), 10 * X.shape[1]):  # they fit into the cache
            part = None if weight is None else weight[rows]
            parts.append(loss_of_block(X[rows], D[rows][:, present], part, coefficients))
        return reduce(add, parts)

    check_moments(moments)
    return SoftmaxPath.of_blocks(moments, lambda *shared: total(loss, shared))
