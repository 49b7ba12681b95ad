"""AA-kNN: the distributions of the nearest rows, averaged."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.neighbors import VALID_METRICS, NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import Interval, StrOptions
from labeldist._kernels.nearest import SweepIndex
from labeldist._solvers.scaling import check_squarable, squarable_unit
from labeldist._solvers.storage import from_arrays, to_arrays
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner
from labeldist.simplex import normalize

METRICS = {name for names in VALID_METRICS.values() for name in names} - {
    *("mahalanobis", "precomputed", "pyfunc", "seuclidean", "wminkowski")
}
"""The distances that scikit-learn computes between rows of features and that need nothing but the rows."""

TREE_FEATURES = 15
"""With more features than this trees are slower than looking at every row, as scikit-learn has it, too."""

SWEEPS = 16
"""With more neighbours than this sweeps are slower than scikit-learn's heaps."""


class AAKNN(DistributionLearner):
    """Nearest neighbours for label distributions (AA-kNN, algorithm adaptation).

    The prediction for a row is the mean of the distributions of its nearest training rows.

    Parameters
    ----------
    n_neighbors : int, default=5
    weights : {"uniform", "distance"}, default="uniform"
        ``"distance"``: a neighbour counts by the inverse of its distance; one at distance 0 is taken alone.
    metric : str or callable, default="euclidean"
        The distance, one of ``sklearn.neighbors.VALID_METRICS``. It sees the features in the units that they are in: a
        ``StandardScaler`` in front makes them count alike.
    algorithm : {"auto", "sweeps", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are found; it changes the time, not the answer. ``"sweeps"`` looks k times for the smallest
        distance: fastest for a few neighbours among dense rows of many features. The others are those of
        ``sklearn.neighbors.NearestNeighbors``. ``"auto"`` is the first where it is fastest, else scikit-learn's choice.

    Attributes
    ----------
    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        The training rows.
    neighbors_ : NearestNeighbors or SweepIndex
        Their index.
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Their distributions.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28 (7), 2016.

    Examples
    --------
    >>> from labeldist.learning import AAKNN
    >>> AAKNN(2).fit([[0.0], [1.0], [9.0]], [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]).predict([[0.2]])
    array([[0.75, 0.25]])
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"})],
        "metric": [StrOptions(METRICS), callable],
        "algorithm": [StrOptions({"auto", "sweeps", "ball_tree", "kd_tree", "brute"})],
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Literal["uniform", "distance"] = "uniform",
        metric: str | Callable[[Array, Array], float] = "euclidean",
        algorithm: Literal["auto", "sweeps", "ball_tree", "kd_tree", "brute"] = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.algorithm = algorithm

    def fit(self, X: Any, y: Any) -> AAKNN:
        """Keep the rows and their distributions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees; each row is divided by its sum.
        """
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True, squares=False)
        if self.n_neighbors > len(D):
            raise ValueError(f"n_neighbors={self.n_neighbors} cannot be found among n_samples={len(D)} training rows.")
        self._unit = self._unit_of(X)
        self.X_fit_, self.neighbors_ = X, self._index(_in_units(X, self._unit))
        self.label_distributions_ = D
        return self

    def _unit_of(self, X: Any) -> float:
        """Return what to divide rows by; other distances than the Euclidean may depend on units."""
        return squarable_unit(X) if self.metric == "euclidean" else 1.0

    def _index(self, X: Any) -> Any:
        sweepable = self.metric == "euclidean" and isinstance(X, np.ndarray)
        if self.algorithm == "sweeps" and not sweepable:
            raise ValueError("algorithm='sweeps' is for dense features and metric='euclidean'; use 'auto'.")
        fastest = sweepable and X.shape[1] > TREE_FEATURES and self.n_neighbors <= SWEEPS
        if self.algorithm == "sweeps" or (self.algorithm == "auto" and fastest):
            return SweepIndex.of(X, self.n_neighbors)
        return NearestNeighbors(n_neighbors=self.n_neighbors, metric=self.metric, algorithm=self.algorithm).fit(X)

    def predict(self, X: Any) -> Array:
        """Return a label distribution for each row of `X`."""
        check_is_fitted(self)
        X = self._check_new_features(X, accept_sparse=True)
        distances, neighbors = self.neighbors_.kneighbors(_in_units(X, self._unit))
        shares = np.ones_like(distances) if self.weights == "uniform" else _inverse(distances)
        n, k = neighbors.shape
        starts = np.arange(0, n * k + 1, k)
        graph = sparse.csr_array((shares.ravel(), neighbors.ravel(), starts), shape=(n, len(self.label_distributions_)))
        return normalize(graph @ self.label_distributions_)

    def __getstate__(self) -> dict[str, Any]:
        # Of an index the parameters that it was built by are kept: a tree that comes from a file would have to be
        # believed, and one that was tampered with leads to memory that is not its own.
        state = dict(super().__getstate__())
        if "neighbors_" in state:
            index = state.pop("neighbors_")
            sweeps = {"metric": "euclidean", "algorithm": "sweeps"}
            chosen = sweeps if isinstance(index, SweepIndex) else {name: getattr(index, name) for name in sweeps}
            state["index_parameters"] = {"n_neighbors": index.n_neighbors, **chosen}
            state["X_fit_"] = to_arrays(self.X_fit_)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Nothing of the state is believed to be what it should: whatever it holds is looked at before it is used.
        state = dict(state)
        parameters = state.pop("index_parameters", None)
        super().__setstate__(state)
        if parameters is not None:
            recipe = AAKNN(**parameters)
            recipe._validate_params()
            self.X_fit_ = from_arrays(state["X_fit_"])
            _check_rows(self.X_fit_, state["label_distributions_"], recipe.n_neighbors)
            self._unit = recipe._unit_of(self.X_fit_)
            self.neighbors_ = recipe._index(_in_units(self.X_fit_, self._unit))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _check_rows(X: Any, D: Any, n_neighbors: int) -> None:
    """Refuse rows that are no numbers, and distributions that are not theirs: products with them would go astray."""
    are_numbers = all(getattr(table, "dtype", None) in (np.float64, np.float32) for table in (X, D))
    if not (isinstance(X, np.ndarray | sparse.csr_array) and isinstance(D, np.ndarray) and are_numbers):
        raise TypeError("X_fit_ and label_distributions_ must be tables of numbers.")
    if not (X.ndim == D.ndim == 2 and n_neighbors <= X.shape[0] == D.shape[0]):
        raise ValueError(f"X_fit_ has shape {X.shape}, label_distributions_ {D.shape}, n_neighbors is {n_neighbors}.")


def _in_units(X: Any, unit: float) -> Any:
    """Return rows whose distances stay within the number range, or refuse."""
    if unit != 1:
        with np.errstate(over="ignore"):  # what comes of it is refused
            X = X / unit
    check_squarable(X)
    return X


def _inverse(distances: Array) -> Array:
    """1 / distance over that of the nearest; where there are zero distances, 1 for them and 0 for the others."""
    nearest = distances[:, :1]  # kneighbors returns them in ascending order
    # The quotient of distances, not of their inverses, stays within the number range.
    return np.divide(nearest, distances, out=np.ones_like(distances), where=distances > 0)
