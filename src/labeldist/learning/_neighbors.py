"""AA-kNN, nearest neighbours for label distributions."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.neighbors import VALID_METRICS, NearestNeighbors

from labeldist._compat import Interval, StrOptions
from labeldist._solvers.scaling import check_squarable, column_means, squarable_unit
from labeldist._solvers.storage import from_arrays, to_arrays
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner
from labeldist.simplex import normalize

NEED_PARAMETERS = {"mahalanobis", "precomputed", "pyfunc", "seuclidean", "wminkowski"}
METRICS = {name for names in VALID_METRICS.values() for name in names} - NEED_PARAMETERS

SMALL_SPREAD = 1e-4  # rows whose variance is a smaller fraction of their mean square are centred


class AAKNN(DistributionLearner):
    """Nearest neighbours for label distributions (AA-kNN, algorithm adaptation).

    The prediction for a row is the mean of the distributions of its `n_neighbors` nearest training rows. Features in
    large units dominate the distance: put a ``StandardScaler`` in front.

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
        Index of the training rows.

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

    _parameter_constraints: dict[str, list[Any]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"})],
        "metric": [StrOptions(METRICS), callable],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Literal["uniform", "distance"] = "uniform",
        metric: str | Callable[[Array, Array], float] = "euclidean",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.algorithm = algorithm

    _squares_features = False  # `_build` chooses a unit

    def _fit(self, X: Any, D: Array) -> None:
        if self.n_neighbors > len(D):
            raise ValueError(f"n_neighbors={self.n_neighbors} cannot be found among n_samples={len(D)} training rows.")
        self.X_fit_, self.label_distributions_ = X.astype(np.float64), D.astype(np.float64)  # copies
        self._weights = self.weights  # for `predict`
        self._build(NearestNeighbors(n_neighbors=self.n_neighbors, metric=self.metric, algorithm=self.algorithm))

    def _predict(self, X: Any) -> Array:
        X = _in_units(X, self._unit)
        distances, neighbors = self.neighbors_.kneighbors(_centred(X, self._center))
        if self._weights == "uniform":
            shares = np.ones_like(distances)
        else:
            shares = _inverse(self._exact(distances, X, neighbors))
        n, k = neighbors.shape
        starts = np.arange(0, n * k + 1, k)
        graph = sparse.csr_array((shares.ravel(), neighbors.ravel(), starts), shape=(n, self.X_fit_.shape[0]))
        return normalize(graph @ self.label_distributions_)

    def _build(self, index: NearestNeighbors) -> None:
        """Fit the index. Euclidean distances are computed in a unit and about a center that keep their digits."""
        euclidean = index.metric == "euclidean"
        self._unit = squarable_unit(self.X_fit_) if euclidean else 1.0
        X = _in_units(self.X_fit_, self._unit)
        self._center = _center_of(X) if euclidean and isinstance(X, np.ndarray) else np.zeros(X.shape[1])
        self.neighbors_ = index.fit(_centred(X, self._center))

    def _exact(self, distances: Array, X: Any, neighbors: Any) -> Array:
        """Recompute Euclidean distances: scikit-learn uses products, which lose the digits of small distances."""
        if self.neighbors_.metric != "euclidean" or sparse.issparse(X) or sparse.issparse(self.X_fit_):
            return distances
        columns = [np.linalg.norm(X - self.X_fit_[column] / self._unit, axis=1) for column in neighbors.T]
        return np.column_stack(columns)

    def __getstate__(self) -> dict[str, Any]:
        # A search tree from a file could point outside its arrays, so only its parameters are saved.
        state = dict(super().__getstate__())
        if "neighbors_" in state:
            index = state.pop("neighbors_")
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


def _center_of(X: Array) -> Array:
    """Return the column means if the rows vary little compared to their size, else zeros."""
    mean = column_means(X)
    size = (X**2).sum() / len(X)
    return mean if size - mean @ mean <= SMALL_SPREAD * size else np.zeros_like(mean)


def _centred(X: Any, center: Array) -> Any:
    if not center.any():
        return X
    return (X if isinstance(X, np.ndarray) else X.toarray()) - center


def _inverse(distances: Array) -> Array:
    """Return the inverse distances relative to that of the nearest row, or 1 and 0 if there are zero distances."""
    nearest = distances.min(axis=1, keepdims=True)
    # The quotient of distances, unlike that of their inverses, stays within the number range.
    return np.divide(nearest, distances, out=np.ones_like(distances), where=distances > 0)
