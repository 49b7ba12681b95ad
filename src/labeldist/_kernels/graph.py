"""The neighbour graph over which label enhancement smooths, and its Laplacian."""

from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from labeldist._kernels.approximate_neighbors import INSTALL, approximate_neighbors, import_faiss
from labeldist._kernels.scaling import column_means, squarable_unit
from labeldist._typing import Array
from labeldist.exceptions import MissingExtraError

RIDGE = 1e-3
"""Share of its trace that is added to the diagonal of a local Gram matrix."""

DIFFERENCES = 4_000_000
"""How many differences between rows and neighbours are held at a time."""

EXACT_ROWS = 20_000
"""Among more rows, neighbours are sought approximately, where that can be done and is worth it."""

TREE_FEATURES = 10
"""With so few features a k-d tree finds the nearest rows exactly, however many there are."""

HOPELESS_ROWS = 200_000
"""Comparing all pairs of more rows than this takes hours."""


def neighbor_graph(X: Array, n_neighbors: int, width: float | Literal["mean"] = 1.0) -> Any:
    """Sparse matrix with exp(−‖x_i − x_j‖² / (2 width²)) where x_j is among the nearest neighbours of x_i.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    n_neighbors : int
        Neighbours of each row, itself not counted; n − 1 where there are no more. Among more than 20,000 rows of more
        than 10 features they are approximate, where faiss is installed: most of them are the true ones.
    width : float or "mean"
        ``"mean"`` is the mean distance between a row and its neighbours.

    Returns
    -------
    csr_array of shape (n, n)
        Not symmetric: being a neighbour is not mutual.
    """
    distances, neighbors = _nearest(X, n_neighbors)
    if width == "mean":
        width = (distances.mean() if distances.size else 0.0) or 1.0
    with np.errstate(over="ignore"):  # what is infinitely far has no weight
        return _rows_of_neighbors(np.exp(-((distances / width) ** 2) / 2), neighbors)


def reconstruction_weights(X: Array, n_neighbors: int) -> Any:
    """Sparse matrix of the weights that rebuild each row from its nearest neighbours, as in locally linear embedding.

    w_i minimises ‖x_i − Σ_j w_ij x_j‖² with Σ_j w_ij = 1: with G the Gram matrix of the differences x_j − x_i, it is
    G⁻¹1 divided by its sum. Where G is singular, as it is for more neighbours than features, many weights do equally
    well, and a trace of a ridge picks the most even ones.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    n_neighbors : int
        Neighbours of each row, itself not counted; n − 1 where there are no more.

    Returns
    -------
    csr_array of shape (n, n)
        Rows sum to one; the row of an only row is zero.
    """
    _, neighbors = _nearest(X, n_neighbors)
    n, k = neighbors.shape
    weights = np.empty((n, k))
    length = max(1, DIFFERENCES // max(1, k * X.shape[1]))
    for start in range(0, n if k else 0, length):
        block = slice(start, start + length)
        differences = X[neighbors[block]] - X[block, None]
        # Weights do not see the size of the differences. Where there are none, all weights do equally well.
        size = np.abs(differences).max(axis=(1, 2), keepdims=True)
        np.divide(differences, size, out=differences, where=size > 0)
        gram = differences @ differences.transpose(0, 2, 1)
        trace = np.trace(gram, axis1=1, axis2=2)
        gram[:, range(k), range(k)] += np.where(trace > 0, RIDGE * trace, 1.0)[:, None]
        weights[block] = np.linalg.solve(gram, np.ones((len(gram), k, 1)))[:, :, 0]
    weights /= weights.sum(axis=1, keepdims=True)
    return _rows_of_neighbors(weights, neighbors)


def _nearest(X: Array, n_neighbors: int) -> tuple[Array, Any]:
    """Distances to the nearest rows, and their numbers; as many as asked for, or as there are.

    They are exact up to `EXACT_ROWS` rows or `TREE_FEATURES` features. Beyond, faiss finds most of them where it is
    installed (`approximate_neighbors`); without it they are exact still, but refused where that would take hours.
    """
    n_neighbors = min(n_neighbors, len(X) - 1)
    if n_neighbors == 0:
        return np.empty((len(X), 0)), np.empty((len(X), 0), dtype=np.intp)
    centred = X - column_means(X)  # a large common shift would cost the distances their digits
    unit = squarable_unit(centred)
    centred /= unit
    if len(X) > EXACT_ROWS and X.shape[1] > TREE_FEATURES:
        if (faiss := import_faiss()) is not None:
            distances, neighbors = approximate_neighbors(faiss, centred, n_neighbors)
            return unit * distances, neighbors
        if len(X) > HOPELESS_ROWS:
            raise MissingExtraError(
                f"Comparing all pairs of {len(X)} rows for their nearest neighbours would take hours, and faiss, which "
                f"finds most of them faster, is not installed: {INSTALL}. smoothness=0 goes without neighbours."
            )
    distances, neighbors = NearestNeighbors(n_neighbors=n_neighbors).fit(centred).kneighbors()
    return unit * distances, neighbors


def _rows_of_neighbors(values: Array, neighbors: Any) -> Any:
    """Sparse square matrix with the values of row i in the columns of its neighbours."""
    n, k = neighbors.shape
    return sparse.csr_array((values.ravel(), neighbors.ravel(), k * np.arange(n + 1)), shape=(n, n))


def laplacian(graph: Any) -> Any:
    """Return the symmetric part of the paper's graph matrix: S = Ā − (A + Aᵀ)/2.

    The paper sets G = Â − A with â_ii = Σ_j (a_ij + a_ji)/2. Its penalty tr(FᵀGF) sees only the symmetric part of G,
    which is this, the ordinary Laplacian of the symmetrised graph: positive semidefinite, with S1 = 0.
    """
    symmetric = (graph + graph.T) / 2
    return (sparse.diags_array(symmetric.sum(axis=1)) - symmetric).tocsr()
