"""AA-kNN, nearest neighbours for label distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.neighbors import VALID_METRICS, NearestNeighbors

from labeldist._compat import StrOptions
from labeldist._solvers.scaling import check_squarable, column_means, squarable_unit
from labeldist._solvers.storage import from_arrays, to_arrays
from labeldist._typing import EPSILON, Array
from labeldist.learning._learner import DistributionLearner
from labeldist.simplex import normalize

NEED_PARAMETERS = {"mahalanobis", "precomputed", "pyfunc", "seuclidean", "wminkowski"}
METRICS = {name for names in VALID_METRICS.values() for name in names} - NEED_PARAMETERS
EUCLIDEAN = ("euclidean", "l2", "minkowski", "nan_euclidean", "sqeuclidean")  # the same neighbours

TIE = 1e-9  # distances with a smaller relative difference are equal but for rounding
ROUNDING = {"cosine": 16 * EPSILON, "correlation": 16 * EPSILON}  # absolute errors of distances that are 1 − cos
BLOCK_NEIGHBORS = 1_000_000  # number of neighbours that are searched at once; it bounds the memory if many are tied
SMALL_SPREAD = 1e-4  # rows whose variance is a smaller fraction of their mean square are centred


class AAKNN(DistributionLearner):
    """Nearest neighbours for label distributions (AA-kNN, algorithm adaptation).

    The prediction for a row is the mean of the distributions of its `n_neighbors` nearest training rows, and of all
    others that are as near as the farthest of these. Neither the order of the rows nor `algorithm` has an effect.
    Features in large units dominate the distance: put a ``StandardScaler`` in front.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours.
    weights : {"uniform", "distance"}, default="uniform"
        ``"distance"`` weights neighbours by the inverse of their distance. Neighbours at distance 0 are averaged alone.
    metric : str or callable, default="euclidean"
        One of ``sklearn.neighbors.VALID_METRICS`` that needs no parameters, or a function of two rows.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Algorithm of ``sklearn.neighbors.NearestNeighbors``.

    Attributes
    ----------
    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        Copy of the training rows.
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Their distributions.
    neighbors_ : NearestNeighbors
        Index of the distinct training rows, in an order of its own.

    See Also
    --------
    sklearn.neighbors.KNeighborsRegressor : The same for targets of any kind.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7), 2016.

    Examples
    --------
    >>> from labeldist.learning import AAKNN
    >>> AAKNN(2).fit([[0.0], [1.0], [9.0]], [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]).predict([[0.2]])
    array([[0.75, 0.25]])
    """

    _constraints = {
        "weights": [StrOptions({"uniform", "distance"})],
        "metric": [StrOptions(METRICS), callable],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
    }
    _squares_features = False  # `_build` chooses a unit

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Literal["uniform", "distance"] = "uniform",
        metric: str | Callable[[Array, Array], float] = "euclidean",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
    ) -> None:
        self.n_neighbors, self.weights, self.metric, self.algorithm = n_neighbors, weights, metric, algorithm

    def _fit(self, X: Any, D: Array) -> None:
        if self.n_neighbors > len(D):
            raise ValueError(f"n_neighbors={self.n_neighbors} cannot be found among n_samples={len(D)} training rows.")
        self.X_fit_, self.label_distributions_ = X.astype(np.float64), D.astype(np.float64)  # copies
        self._weights = self.weights  # for `predict`
        self._power = 2 if self.metric == "sqeuclidean" else 1  # of the distances, for their weights
        metric = "euclidean" if self.metric in EUCLIDEAN else self.metric
        algorithm = "brute" if metric == "braycurtis" else self.algorithm  # trees need the triangle inequality
        self._build(NearestNeighbors(n_neighbors=self.n_neighbors, metric=metric, algorithm=algorithm))

    def _predict(self, X: Any) -> Array:
        X = _in_units(X.astype(np.float64, copy=False), self._unit)
        sums = np.empty((X.shape[0], self.label_distributions_.shape[1]))
        # One neighbour more shows which rows may have ties, and only these need a wider search.
        rows, k = np.arange(X.shape[0]), min(self.neighbors_.n_neighbors + 1, len(self._first))
        while len(rows):
            length = max(1, BLOCK_NEIGHBORS // k)
            blocks = [rows[start : start + length] for start in range(0, len(rows), length)]
            rows = np.concatenate([block[self._sum_nearest(X[block], k, sums, block)] for block in blocks])
            k = min(4 * k, len(self._first))
        return normalize(sums)

    def _sum_nearest(self, X: Any, k: int, sums: Array, rows: Any) -> Any:
        """Set the sums over the nearest of k neighbours, and return for which rows there may be others as near."""
        if sparse.issparse(X) != sparse.issparse(self.X_fit_):  # search trees accept dense rows only
            X = sparse.csr_array(X) if sparse.issparse(self.X_fit_) else X.toarray()
        queries = X - self._center if self._center.any() else X
        found, neighbors = self.neighbors_.kneighbors(queries, k)
        distances = self._exact(found, X, neighbors)
        order = np.argsort(distances, axis=1)
        numbers = np.cumsum(np.take_along_axis(self._counts[neighbors], order, axis=1), axis=1)
        last = (numbers < self.neighbors_.n_neighbors).sum(axis=1, keepdims=True)
        reach = np.take_along_axis(distances, np.take_along_axis(order, last, axis=1), axis=1)
        reach = reach * (1 + TIE) + ROUNDING.get(self.neighbors_.metric, 0.0)
        weights = np.ones_like(distances)
        if self._weights != "uniform":  # inverse distances relative to the nearest row, which cannot overflow
            nearest = distances.min(axis=1, keepdims=True)
            weights = np.divide(nearest, distances, out=weights, where=distances > 0) ** self._power
        shares = np.where(distances <= reach, weights, 0.0)
        starts = np.arange(0, neighbors.size + 1, k)
        graph = sparse.csr_array((shares.ravel(), neighbors.ravel(), starts), shape=(len(rows), len(self._first)))
        sums[rows] = np.asarray(graph @ self._sums)
        if k == len(self._first):
            return np.zeros(len(rows), dtype=bool)
        if self.neighbors_.metric != "euclidean":
            return found[:, -1] <= reach[:, 0]
        # The search computes squared distances from products, with errors of this size.
        error = 4 * queries.shape[1] * EPSILON * (_norms(queries) ** 2 + self._largest**2)
        return found[:, -1] ** 2 <= reach[:, 0] ** 2 + error

    def _build(self, index: NearestNeighbors) -> None:
        """Fit the index. Euclidean distances are computed in a unit and about a center that keep their digits."""
        euclidean = index.metric == "euclidean"
        self._unit = squarable_unit(self.X_fit_) if euclidean else 1.0
        X = _in_units(self.X_fit_, self._unit)
        self._center = np.zeros(X.shape[1])
        if euclidean and isinstance(X, np.ndarray):
            mean, size = column_means(X), (X**2).sum() / len(X)
            if size - mean @ mean <= SMALL_SPREAD * size:  # the rows vary little compared to their size
                self._center = mean
        group = self._first = np.arange(X.shape[0])
        if isinstance(X, np.ndarray):  # many duplicates would be many ties
            _, self._first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
        members: Any = sparse.csc_array((np.ones(len(group)), group.ravel(), np.arange(len(group) + 1)))
        self._counts, self._sums = members.sum(axis=1), members @ self.label_distributions_
        rows = X[self._first] - self._center if self._center.any() else X[self._first]
        self._largest = _norms(rows).max()
        self.neighbors_ = index.fit(rows)

    def _exact(self, distances: Array, X: Any, neighbors: Any) -> Array:
        """Recompute Euclidean distances: scikit-learn uses products, which lose the digits of small distances."""
        if self.neighbors_.metric != "euclidean":
            return np.where(distances > ROUNDING.get(self.neighbors_.metric, 0.0), distances, 0.0)
        columns = [_norms(X - self.X_fit_[self._first[column]] / self._unit) for column in neighbors.T]
        return np.column_stack(columns)

    def __getstate__(self) -> dict[str, Any]:
        # A search tree from a file could point outside its arrays, so only its parameters are saved.
        state = dict(super().__getstate__())
        if "neighbors_" in state:
            index = state.pop("neighbors_")
            for name in ("_first", "_counts", "_sums", "_largest"):  # `_build` computes them again
                del state[name]
            state["index_parameters"] = {name: getattr(index, name) for name in ("n_neighbors", "metric", "algorithm")}
            state["X_fit_"] = to_arrays(self.X_fit_)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        parameters = state.pop("index_parameters", None)
        super().__setstate__(state)
        if parameters is not None:
            self.X_fit_ = from_arrays(state["X_fit_"])
            self._build(NearestNeighbors(**parameters))


def _in_units(X: Any, unit: float) -> Any:
    """Return X / unit, or raise an error if distances would leave the number range."""
    if unit != 1:
        with np.errstate(over="ignore"):
            X = X / unit
    check_squarable(X)
    return X


def _norms(X: Any) -> Array:
    """Return the Euclidean norms of the rows."""
    return np.asarray((np.linalg.norm if isinstance(X, np.ndarray) else sparse.linalg.norm)(X, axis=1))
