"""Nearest neighbours, exact or approximate, the graph of neighbours and its Laplacian."""

import math
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from labeldist._extras import how_to_install
from labeldist._solvers.row_blocks import row_blocks
from labeldist._solvers.scaling import column_means
from labeldist._threads import fork_safe
from labeldist._typing import Array
from labeldist.exceptions import AccuracyWarning, MissingExtraError, warn

RIDGE = 1e-3  # share of the trace that is added to the diagonal of a local Gram matrix
# For more rows neighbours are approximate, if faiss is installed and features are many.
EXACT_ROWS = 20_000
TREE_FEATURES = 10  # for so few features a k-d tree is exact and fast for any number of rows
HOPELESS_ROWS = 200_000  # comparing all pairs of more rows takes hours

RECALL = 0.95  # required share of the true neighbours
CHECKED_ROWS = 200  # rows on which this share is measured
# Approximate limit of the rows that one row is compared with, even if the share is not reached.
MAX_VISITED = 5_000


def neighbor_graph(X: Array, n_neighbors: int, width: float | Literal["mean"] = 1.0) -> Any:
    """Return the sparse matrix of weights between rows and their nearest neighbours.

    The weight is exp(−‖x_i − x_j‖² / (2 width²)) for each neighbour x_j of x_i. Each row has
    `n_neighbors` neighbours without itself; see `_nearest`. The width ``"mean"`` is the mean
    distance between a row and its neighbours. The matrix is not symmetric, because neighbourhood is
    not mutual.
    """
    distances, neighbors = _nearest(X, n_neighbors)
    if width == "mean":
        width = distances.mean() if distances.any() else 1.0
    weights = np.exp(-((distances / width) ** 2) / 2)
    return _rows_of_neighbors(weights, neighbors)


def reconstruction_weights(X: Array, n_neighbors: int) -> Any:
    """Return the weights that reconstruct each row from its neighbours.

    As in locally linear embedding, w_i minimises ‖x_i − Σ_j w_ij x_j‖² with Σ_j w_ij = 1. It is
    G⁻¹1 divided by its sum, where G is the Gram matrix of the differences x_j − x_i. G is singular
    if there are more neighbours than features; a small ridge then selects the most even weights.
    The result is a sparse matrix whose rows sum to one. If there is only one row, it is zero.
    """
    _, neighbors = _nearest(X, n_neighbors)
    n, k = neighbors.shape
    weights = np.empty((n, k))
    for block in row_blocks(n, k * X.shape[1]):
        differences = X[neighbors[block]] - X[block, None]
        gram = differences @ differences.transpose(0, 2, 1)
        trace = np.trace(gram, axis1=1, axis2=2)
        # If all differences are zero, any weights are optimal.
        gram[:, range(k), range(k)] += np.where(trace > 0, RIDGE * trace, 1.0)[:, None]
        weights[block] = np.linalg.solve(gram, np.ones((len(gram), k, 1)))[:, :, 0]
    weights /= weights.sum(axis=1, keepdims=True)
    return _rows_of_neighbors(weights, neighbors)


def laplacian(graph: Any) -> Any:
    """Return S = Ā − (A + Aᵀ)/2 for the graph A, the symmetric part of the paper's graph matrix.

    The penalty of the paper depends on that part only. S is positive semidefinite, with S1 = 0.
    """
    symmetric = (graph + graph.T) / 2
    return (sparse.diags_array(symmetric.sum(axis=1)) - symmetric).tocsr()


def _rows_of_neighbors(values: Array, neighbors: Any) -> Any:
    """Return the sparse square matrix with the values of row i in the columns of its neighbours."""
    n, k = neighbors.shape
    return sparse.csr_array((values.ravel(), neighbors.ravel(), k * np.arange(n + 1)), shape=(n, n))


def _nearest(X: Array, n_neighbors: int) -> tuple[Array, Any]:
    """Return the distances to the nearest rows and their indices.

    They are exact up to `EXACT_ROWS` rows or `TREE_FEATURES` features. Beyond, they are approximate
    if faiss is installed. Otherwise they are exact up to `HOPELESS_ROWS` rows; more rows raise an
    error.
    """
    n = len(X)
    n_neighbors = min(n_neighbors, n - 1)
    if n_neighbors == 0:
        return np.empty((n, 0)), np.empty((n, 0), dtype=np.intp)
    centered = X - column_means(X)  # a large common shift would cost digits of the distances
    is_large = n > EXACT_ROWS and X.shape[1] > TREE_FEATURES
    faiss = import_faiss() if is_large else None
    if faiss is not None:
        return approximate_neighbors(faiss, centered, n_neighbors)
    if is_large and n > HOPELESS_ROWS:
        raise MissingExtraError(
            f"Finding the exact nearest neighbours of {n} rows would take hours. Install faiss to "
            f"find approximate ones ({how_to_install('neighbors')}), or set smoothness=0, which "
            "needs none."
        )
    with fork_safe():
        distances, neighbors = NearestNeighbors(n_neighbors=n_neighbors).fit(centered).kneighbors()
    return distances, neighbors


def import_faiss() -> Any:
    """Return the module faiss, or None if it is not installed."""
    try:
        import faiss
    except ImportError:
        return None
    return faiss


def approximate_neighbors(faiss: Any, X: Array, n_neighbors: int) -> tuple[Array, Any]:
    """Return the distances to most of the nearest other rows and their indices, nearest first.

    k-means divides the rows into about 2√n cells (an inverted file index). Neighbours of a row are
    searched in the cells with the nearest centres. The number of cells is doubled until `RECALL` of
    the true neighbours of a few rows are found, or a row would be compared with `MAX_VISITED`
    others, in which case an `AccuracyWarning` is issued. The rows of `X` must be centred.
    """
    n, m = X.shape
    rows = X.astype(np.float32)
    n_found = n_neighbors + 1
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(m), m, int(2 * math.sqrt(n)))
    index.cp.niter = 10
    index.cp.max_points_per_centroid = 64
    index.cp.min_points_per_centroid = 1
    index.train(rows)
    index.add(rows)
    index.nprobe = _enough_cells(faiss, index, rows, n_found)
    squared, found = index.search(rows, n_found)
    while (found < 0).any():  # the cells of these rows contain too few rows
        short = np.flatnonzero(found[:, -1] < 0)
        index.nprobe *= 2
        squared[short], found[short] = index.search(rows[short], n_found)
    itself = found == np.arange(n)[:, None]
    itself[~itself.any(axis=1), -1] = True  # more equal rows exist than were searched
    distances = np.sqrt(squared[~itself], dtype=np.float64).reshape(n, n_neighbors)
    return distances, found[~itself].reshape(n, n_neighbors)


def _enough_cells(faiss: Any, index: Any, rows: Any, n_found: int) -> int:
    checked = rows[:: max(1, len(rows) // CHECKED_ROWS)]
    _, true = faiss.knn(checked, rows, n_found)
    most = min(index.nlist, max(4, MAX_VISITED * index.nlist // len(rows)))
    index.nprobe = min(4, most)
    while True:
        _, found = index.search(checked, n_found)
        recall = np.mean([np.isin(a, b).mean() for a, b in zip(true, found, strict=True)])
        if recall >= RECALL:
            return int(index.nprobe)
        if index.nprobe == most:
            message = (
                f"Only {recall:.0%} of the nearest neighbours are found in reasonable time, since "
                "the features have little structure. The neighbour graph is less accurate."
            )
            warn(message, AccuracyWarning)
            return most
        index.nprobe = min(2 * index.nprobe, most)
