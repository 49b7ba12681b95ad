"""Nearest neighbours among very many rows: most of them, found by looking where they probably are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from labeldist._typing import Array
from labeldist.exceptions import ApproximationWarning, warn

RECALL = 0.95
"""The share of the true neighbours that is to be found."""

CHECKED_ROWS = 200
"""On so many rows the share is measured."""

MAX_VISITED = 5_000
"""A row is compared with no more others than about this, whatever share that finds: beyond lies comparing all pairs."""

INSTALL = "pip install 'labeldist[neighbors]'"


def import_faiss() -> Any:
    """Return the module faiss, or None where it is not installed."""
    try:
        import faiss
    except ImportError:
        return None
    return faiss


def approximate_neighbors(faiss: Any, X: Array, n_neighbors: int) -> tuple[Array, Any]:
    """Distances to the nearest rows, the row itself not counted, and their numbers, nearest first.

    k-means splits the rows into about 2√n cells, and a row's neighbours are sought in the cells whose centres are
    nearest to it: an inverted file index (IVF). How many cells is found out: they are doubled until, on a few rows,
    `RECALL` of the true neighbours are found, or a row would be compared with `MAX_VISITED` others. Time grows about as
    n^1.5, with a small constant. Rows that have no structure at all, such as independent normal features, reach the
    limit first, with a warning: there the nearest rows are hardly nearer than any.

    Parameters
    ----------
    faiss : module
    X : ndarray of shape (n, m)
        Centred rows.
    n_neighbors : int
        Less than n.
    """
    n, m = X.shape
    unit = float(np.sqrt(np.mean([row @ row for row in X[:: max(1, n // 1000)]]))) or 1.0
    rows = np.empty((n, m), dtype=np.float32)
    np.divide(X, unit, out=rows, casting="same_kind")  # of a size that single precision can square
    cells = max(1, int(2 * math.sqrt(n)))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(m), m, cells)
    index.cp.niter, index.cp.max_points_per_centroid, index.cp.min_points_per_centroid = 10, 64, 1
    index.train(rows)
    index.add(rows)
    index.nprobe = _enough_cells(faiss, index, rows, n_neighbors + 1)
    squared, found = index.search(rows, n_neighbors + 1)
    while (short := np.flatnonzero(found[:, -1] < 0)).size:  # their cells held too few rows
        index.nprobe *= 2
        squared[short], found[short] = index.search(rows[short], n_neighbors + 1)
    others = _but_for_itself(found)
    shape = (n, n_neighbors)
    return unit * np.sqrt(squared[others].reshape(shape), dtype=np.float64), found[others].reshape(shape)


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
            warn(
                f"Only {recall:.0%} of the nearest rows are found in reasonable time: the features have so little "
                "structure that hardly any row is near another. The graph is made of what is found.",
                ApproximationWarning,
            )
            return most
        index.nprobe = min(2 * index.nprobe, most)


def _but_for_itself(found: Any) -> Any:
    """Mask of all found rows but the row itself, or, among more equal rows than were sought, but the last."""
    itself = found == np.arange(len(found))[:, None]
    itself[~itself.any(axis=1), -1] = True
    return ~itself
