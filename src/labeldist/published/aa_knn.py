"""AA-kNN: nearest neighbours for label distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.neighbors import KNeighborsRegressor

from labeldist._compat import StrOptions
from labeldist._threads import fork_safe
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner
from labeldist.simplex import normalize


class AAKNN(DistributionLearner):
    """Nearest neighbours for label distributions (AA-kNN, algorithm adaptation).

    The prediction for a row is the mean of the distributions of its `n_neighbors` nearest training
    rows, found by scikit-learn's ``KNeighborsRegressor``. If several rows are equally near, their
    order and `algorithm` determine which of them are neighbours. Features in large units dominate
    the distance: put a ``StandardScaler`` in front.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours.
    weights : {"uniform", "distance"}, default="uniform"
        ``"distance"`` weights neighbours by the inverse of their distance. Neighbours at distance 0
        are averaged alone.
    metric : str or callable, default="euclidean"
        A metric of ``KNeighborsRegressor`` that needs no parameters, or a function of two rows.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Algorithm of the search. Sparse features need ``"auto"`` or ``"brute"``.

    Attributes
    ----------
    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        Copy of the training rows.
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        Their distributions.
    neighbors_ : KNeighborsRegressor
        The regressor, fitted to both.

    See Also
    --------
    sklearn.neighbors.KNeighborsRegressor : The same for targets of any kind.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7),
    2016.

    Examples
    --------
    >>> from labeldist.published import AAKNN
    >>> AAKNN(2).fit([[0.0], [1.0], [9.0]], [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]).predict([[0.2]])
    array([[0.75, 0.25]])
    """

    _constraints = {
        "weights": [StrOptions({"uniform", "distance"})],
        "metric": [str, callable],
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

    def _fit(self, X: Any, D: Array) -> None:
        if self.n_neighbors > len(D):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} cannot be found among "
                f"n_samples={len(D)} training rows."
            )
        self.X_fit_ = X.astype(np.float64)  # a copy
        self.label_distributions_ = D.astype(np.float64)
        self._fit_regressor(self.get_params())

    def _fit_regressor(self, parameters: dict[str, Any]) -> None:
        regressor = KNeighborsRegressor(**parameters)
        self.neighbors_ = regressor.fit(self.X_fit_, self.label_distributions_)

    def _predict(self, X: Any) -> Array:
        with fork_safe():
            degrees = self.neighbors_.predict(X)
        return normalize(degrees)

    # A search tree from a file could point outside its arrays, so only its parameters are saved.
    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "neighbors_" in state:
            state["regressor_parameters"] = state.pop("neighbors_").get_params()
            state["X_fit_"] = to_arrays(self.X_fit_)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        parameters = state.pop("regressor_parameters", None)
        super().__setstate__(state)
        if parameters is not None:
            self.X_fit_ = from_arrays(state["X_fit_"])
            self._fit_regressor(parameters)


def to_arrays(X: Any) -> Any:
    """Return a CSR X as a dictionary of arrays, for model files, and a dense X unchanged."""
    if isinstance(X, np.ndarray):
        return X
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}


def from_arrays(arrays: Any) -> Any:
    """Invert `to_arrays`; raise a ValueError if the indices do not fit the shape."""
    if not isinstance(arrays, dict):
        return arrays
    entries = arrays["data"], arrays["indices"], arrays["indptr"]
    X = sparse.csr_array(entries, shape=arrays["shape"])
    X.check_format(full_check=True)
    return X
