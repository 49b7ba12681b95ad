"""What a person should know of their table before they trust what comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from labeldist._tables.columns import LabelledTable
from labeldist._tables.tables import cell_at, listed
from labeldist.cli.telling import Teller
from labeldist.exceptions import TableError
from labeldist.votes._from_votes import VOTES_COLUMN

if TYPE_CHECKING:
    import pandas as pd

ROUNDED = 0.02
"""How far from one the degrees of a row may be, as rounded figures are."""


def doubt_tags(L: pd.DataFrame, teller: Teller) -> None:
    """Refuse labels that are no tags, and tell of tags that say nothing."""
    if L.shape[1] < 2:
        raise TableError(
            f"{listed(L.columns)} is the only label, and a distribution over one label is always 1. Name all of them."
        )
    other = np.argwhere(~L.isin([0, 1]).to_numpy())
    if len(other):
        row, column = other[0]
        raise TableError(
            f"{cell_at(row, L.columns[column])} is {L.iloc[row, column]:g}: degrees are recovered from labels that are "
            "0 or 1. These look like degrees or counts already: go on with labeldist fit."
        )
    for value, said in ((0, "never"), (1, "always")):
        names = [name for name in L.columns if (L[name] == value).all()]
        if names:
            teller.note(f"{listed(names)} is {said} on: its degrees are guesses.")


def doubt_degrees(D: pd.DataFrame, name: str) -> None:
    """Refuse rows in which every degree is zero."""
    empty = np.flatnonzero(D.to_numpy().sum(axis=1) == 0)
    if empty.size:
        raise TableError(
            f"Data row {empty[0] + 1} of {name} has no degree above 0, and so have {empty.size} rows in all. Fill them "
            "in, or drop them."
        )


def doubt_features(table: LabelledTable, X: pd.DataFrame, D: pd.DataFrame, teller: Teller) -> None:
    """Tell of features that look like a label or like weights."""
    if VOTES_COLUMN in table.features:
        teller.note(
            f"column {VOTES_COLUMN!r} is taken for a feature; if it counts votes, add --weights {VOTES_COLUMN}."
        )
    sums = D.to_numpy().sum(axis=1)
    if np.allclose(sums, 1, atol=ROUNDED):
        return
    for name in X.columns:
        values = X[name]
        if values.dtype.kind == "f" and np.allclose(sums + values.to_numpy(), 1, atol=ROUNDED):
            teller.note(
                f"the labels and column {name!r} sum to 1 in every row: it looks like a label that was forgotten."
            )
