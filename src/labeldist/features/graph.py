"""The neighbour graph over which label enhancement smooths, and its Laplacian."""

from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from labeldist.simplex import Array


def neighbor_graph(X: Array, n_neighbors: int, width: float | Literal["mean"] = 1.0) -> Any:
    """Sparse matrix with exp(−‖x_i − x_j‖² / (2 width²)) where x_j is among the nearest neighbours of x_i.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    n_neighbors : int
        Neighbours of each row, itself not counted; n − 1 where there are no more.
    width : float or "mean"
        ``"mean"`` is the mean distance between a row and its neighbours.

    Returns
    -------
    csr_array of shape (n, n)
        Not symmetric: being a neighbour is not mutual.
    """
    n = len(X)
    n_neighbors = min(n_neighbors, n - 1)
    if n_neighbors == 0:
        return sparse.csr_array((n, n))
    centred = X - X.mean(axis=0)  # a large common shift would cost the distances their digits
    distances, neighbors = NearestNeighbors(n_neighbors=n_neighbors).fit(centred).kneighbors()
    if width == "mean":
        width = distances.mean() or 1.0
    weights = np.exp(-((distances / width) ** 2) / 2)
    starts = np.arange(0, n * n_neighbors + 1, n_neighbors)
    return sparse.csr_array((weights.ravel(), neighbors.ravel(), starts), shape=(n, n))


def laplacian(graph: Any) -> Any:
    """Return the symmetric part of the paper's graph matrix: S = Ā − (A + Aᵀ)/2.

    The paper sets G = Â − A with â_ii = Σ_j (a_ij + a_ji)/2. Its penalty tr(FᵀGF) sees only the symmetric part of G,
    which is this, the ordinary Laplacian of the symmetrised graph: positive semidefinite, with S1 = 0.
    """
    symmetric = (graph + graph.T) / 2
    return (sparse.diags_array(symmetric.sum(axis=1)) - symmetric).tocsr()
