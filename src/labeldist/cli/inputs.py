"""From what a person names on the command line to features and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist._tables.columns import LabelledTable, choose_columns, match_columns, numbers, one_column, typed
from labeldist._tables.tables import listed, read_table
from labeldist.cli.telling import Teller
from labeldist.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd


def read_labelled(
    path: str,
    labels: str,
    teller: Teller,
    *,
    features: str | None = None,
    ignore: str = "",
    prepare: bool = False,
    others: Sequence[str | None] = (),
    need_features: bool = True,
) -> LabelledTable:
    """Read a table, say which of its columns are what, and tell which were left out.

    `others` are columns of a meaning of their own, such as items and weights: they are no features.
    """
    return choose_told(
        read_table(path),
        labels,
        teller,
        features=features,
        ignore=ignore,
        prepare=prepare,
        others=others,
        need_features=need_features,
    )


def choose_told(
    frame: pd.DataFrame,
    labels: str,
    teller: Teller,
    *,
    features: str | None = None,
    ignore: str = "",
    prepare: bool = False,
    others: Sequence[str | None] = (),
    need_features: bool = True,
) -> LabelledTable:
    """Say which columns of a table are what, and tell which were left out."""
    ignored = match_columns(ignore, frame.columns, "ignored")
    ignored += [one_column(name, frame.columns, "item or weight") for name in others if name is not None]
    table = choose_columns(
        frame, labels, features=features, ignore=ignored, prepare=prepare, need_features=need_features
    )
    for name, reason in table.left_out.items():
        teller.note(f"column {name!r} is no feature: it {reason}. --prepare turns words and dates into numbers.")
    for name in table.features:
        if name.lower().rpartition("_")[2] in ("id", "index", "item") and frame[name].is_unique:
            teller.note(f"column {name!r} is taken for a feature; if it only names the items, add --ignore {name}.")
    return table


def features_of(table: LabelledTable, *, prepare: bool) -> Any:
    """Return the features as numbers: as they are, or prepared."""
    if not prepare or not table.features:
        return table.X
    from labeldist._tables.preparation import prepare_columns

    columns = typed(table.frame, table.features)
    return prepare_columns(columns).fit_transform(columns)


def item_names(frame: pd.DataFrame, item: str | None) -> list[str]:
    """Return what the items are called: by their column, or by their row as it is counted in messages."""
    if item is None:
        return [f"row {row}" for row in range(1, len(frame) + 1)]
    return [str(name) for name in frame[one_column(item, frame.columns, "item")]]


def weights_of(frame: pd.DataFrame, column: str | None) -> Any:
    """Return a column of weights, or None where none is named."""
    if column is None:
        return None
    values = numbers(frame, [one_column(column, frame.columns, "weight")], "Mend it.")[column].to_numpy()
    if (values < 0).any() or not values.any():
        raise TableError(f"Column {column!r} cannot hold weights: they are not negative, and not all zero.")
    return values


def matched_rows(truth: pd.DataFrame, other: pd.DataFrame, item: str | None, names: tuple[str, str]) -> Any:
    """Return the rows of `other` in the order of those of `truth`: by the column of items, or as they are."""
    if item is None:
        if len(truth) != len(other):
            raise TableError(
                f"{names[0]} has {len(truth)} rows and {names[1]} {len(other)}. Name the column that says which row "
                "is which, with --item."
            )
        _check_feature_order(truth, other, names)
        return other
    wanted, found = (keys_of(frame, item, name) for frame, name in zip((truth, other), names, strict=True))
    order = {key: row for row, key in enumerate(found)}
    missing = [key for key in wanted if key not in order]
    if missing:
        raise TableError(f"{names[1]} lacks {len(missing)} of the items of {names[0]}: {listed(missing, 5)}.")
    return other.iloc[np.array([order[key] for key in wanted])]


def _check_feature_order(truth: pd.DataFrame, other: pd.DataFrame, names: tuple[str, str]) -> None:
    """Refuse two tables that name the same items in another order."""
    for column in truth.columns.intersection(other.columns):
        one, two = truth[column].astype(str), other[column].astype(str)
        if one.is_unique and set(one) == set(two) and list(one) != list(two):
            raise TableError(
                f"Column {column!r} has the same values in {names[0]} and {names[1]}, in another order. Match rows by "
                f"it: --item {column}."
            )


def keys_of(frame: pd.DataFrame, item: str, name: str) -> pd.Series:
    """Return what the items of a table are called, each of which must be there once."""
    keys = frame[one_column(item, frame.columns, "item")].astype(str)
    repeated = keys[keys.duplicated()]
    if len(repeated):
        raise TableError(f"Column {item!r} of {name} names {repeated.iloc[0]!r} more than once.")
    return keys
