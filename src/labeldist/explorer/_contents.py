"""What a page is about: items, their labels, and one or several versions of their degrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist._typing import Array
from labeldist.exceptions import TableError
from labeldist.simplex import normalize

if TYPE_CHECKING:
    import pandas as pd

MOST_ITEMS = 20_000
"""So many items a page holds and stays fluent; of more, so many are drawn at random."""

MOST_COLUMNS = 40
"""So many columns of an item are kept beside its labels, the first ones."""

MOST_CHARACTERS = 2_000
"""Longer cells are cut."""


@dataclass(frozen=True)
class Contents:
    """Items, labels and versions that fit together.

    Attributes
    ----------
    names : list of str
        What each item is called.
    columns : DataFrame
        What else is known of the items, without their labels.
    labels : list of str
    versions : dict of str to array of shape (n_items, n_labels)
        Distributions; the first is the one that the page begins with.
    logical : array of shape (n_items, n_labels) or None
        True where a label was given to an item.
    truth : str or None
        The version that the others are measured against.
    intervals : dict of str to pair of arrays of shape (n_items, n_labels)
        Lower and upper bounds of the degrees of a version.
    """

    names: list[str]
    columns: pd.DataFrame
    labels: list[str]
    versions: dict[str, Array]
    logical: Any
    truth: str | None
    intervals: dict[str, tuple[Array, Array]] = field(default_factory=dict)

    @property
    def first(self) -> Array:
        """The distributions of the first version."""
        return next(iter(self.versions.values()))

    def drawn(self) -> tuple[Any, Contents]:
        """Return the places of the items that a page can hold, in their order, and what is known of them."""
        n = len(self.names)
        if n <= MOST_ITEMS:
            return np.arange(n), self
        rows = np.sort(np.random.default_rng(0).choice(n, MOST_ITEMS, replace=False))
        part = Contents(
            [self.names[row] for row in rows],
            self.columns.iloc[rows],
            self.labels,
            {name: D[rows] for name, D in self.versions.items()},
            None if self.logical is None else self.logical[rows],
            self.truth,
            {name: (lower[rows], upper[rows]) for name, (lower, upper) in self.intervals.items()},
        )
        return rows, part


def check_contents(
    frame: pd.DataFrame,
    label_names: Sequence[str],
    versions: Mapping[str, Any],
    *,
    logical: Any = None,
    truth: str | None = None,
    item: str | None = None,
    intervals: Mapping[str, Any] | None = None,
) -> Contents:
    """Return what a page shows, or say what does not fit; the parameters are those of `write_explorer`."""
    labels = [str(name) for name in label_names]
    shape = (len(frame), len(labels))
    if not all(shape) or not versions:
        raise TableError(
            f"There is nothing to explore: {shape[0]} items, {shape[1]} labels, {len(versions)} versions of their "
            "degrees. At least one of each is needed."
        )
    for name, value, known in (("truth", truth, versions), ("item", item, frame.columns)):
        if value is not None and value not in known:
            raise TableError(f"{name} is {value!r}, which is none of {', '.join(map(repr, known))}.")
    checked = {}
    for name, degrees in versions.items():
        checked[str(name)] = normalize(degrees, name=f"The version {name!r}")
        _check_shape(f"The version {name!r}", checked[str(name)], shape)
    if logical is not None:
        logical = np.asarray(logical)
        _check_shape("logical", logical, shape)
        if not np.isin(logical, (0, 1)).all():
            raise TableError("logical must hold 0 and 1 only; degrees are a version.")
    bounds = {str(name): _check_bounds(str(name), pair, checked, shape) for name, pair in (intervals or {}).items()}
    others = [column for column in frame.columns if str(column) not in labels and column != item]
    names = [f"Item {row}" for row in range(1, len(frame) + 1)] if item is None else texts(frame[item])
    return Contents(names, frame[others], labels, checked, logical, truth, bounds)


def texts(column: pd.Series[Any]) -> list[str]:
    """Write cells as people read them: nothing where one is missing, numbers in six digits, dates without midnight."""
    return ["" if gone else _text(value) for value, gone in zip(column, column.isna(), strict=True)]


def _text(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value).removesuffix(" 00:00:00")
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _check_bounds(name: str, pair: Any, versions: Mapping[str, Array], shape: tuple[int, int]) -> tuple[Array, Array]:
    """Return lower and upper bounds of the degrees of a version, or say what does not fit."""
    if name not in versions:
        raise TableError(f"intervals has {name!r}, which is none of {', '.join(map(repr, versions))}.")
    if len(pair) != 2:
        raise TableError(f"The bounds of {name!r} must be two arrays, lower and upper; got {len(pair)}.")
    lower, upper = (np.asarray(bound, dtype=np.float64) for bound in pair)
    for bound in (lower, upper):
        _check_shape(f"A bound of {name!r}", bound, shape)
    if not ((lower >= 0) & (lower <= upper) & (upper <= 1)).all():
        raise TableError(f"The bounds of {name!r} must be between 0 and 1, the lower not above the upper.")
    return lower, upper


def _check_shape(name: str, values: Any, shape: tuple[int, int]) -> None:
    if values.shape != shape:
        raise TableError(
            f"{name} has shape {values.shape}; {shape[0]} items with {shape[1]} labels need {shape[0]} rows and "
            f"{shape[1]} columns."
        )
