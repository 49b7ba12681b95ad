"""Sums over tables that are read in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner, check_weights, columns_of, set_columns
from labeldist.simplex import normalize

Chunks = Iterable[tuple[Any, ...]]  # (X, y) or (X, y, sample_weight)


def sum_over_chunks(
    learner: DistributionLearner,
    chunks: Chunks,
    summarise: Callable[..., Any],
    shared: Iterable[Any] = (),
    progress: Callable[[int], None] | None = None,
    *,
    are_checked: bool = False,
) -> Any:
    """Return the sum over chunks of ``summarise(chunk number, X, D, weight, *shared)``.

    No rows at all raise an error. The names and numbers of the columns are set on the learner at
    the end. `progress` is called with the number of rows so far. Chunks that were already read are
    not checked again.
    """
    reader = clone(learner)  # keeps the columns, so that a failure does not change the learner
    total = None
    n_rows = 0
    for number, chunk in enumerate(chunks):
        length = np.shape(chunk[1])[0]
        if length == 0:
            continue
        try:
            if are_checked:
                X, D = _arrays_of(*chunk[:2])
            else:
                X, D = reader._check_features_and_distributions(*chunk, reset=total is None)
            weight = check_weights(chunk[2], X, all_zero=True) if len(chunk) > 2 else None
            with threads_for(*X.shape):
                part = summarise(number, X, D, weight, *shared)
        except ValueError as error:
            error.add_note(f"This is in chunk {number}, which begins with row {n_rows}.")
            raise
        with np.errstate(over="ignore", invalid="ignore"):
            total = part if total is None else total + part
        n_rows += length
        if progress:
            progress(n_rows)
    if total is None:
        raise ValueError("The stream has no rows. At least one is needed.")
    if not are_checked:
        set_columns(learner, columns_of(reader))
    return total


def _arrays_of(X: Any, y: Any) -> tuple[Any, Array]:
    """Return features and distributions without checks."""
    is_sparse: bool = sparse.issparse(X)
    features = X.tocsr() if is_sparse else np.asarray(X, dtype=np.float64)
    return features, normalize(y)
