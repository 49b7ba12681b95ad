"""Label and feature columns of an input table, as the options of a command name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

from labeldist.app.cli import table_notes as notes
from labeldist.app.cli.reporter import Reporter
from labeldist.app.tables.column_kinds import TableKinds
from labeldist.app.tables.column_selection import (
    LabelledTable,
    check_apart,
    check_features,
    choose_columns,
    match_columns,
    numeric_columns,
    one_column,
)
from labeldist.app.tables.leakage import Leak, find_leaks
from labeldist.app.types import VOTES_COLUMN
from labeldist.exceptions import TableError
from labeldist.utils import listed

if TYPE_CHECKING:
    import pandas as pd

BOUNDS = ("_lower", "_upper")  # Endings of columns with bounds of the degrees of a label.


@dataclass(frozen=True)
class Columns:
    """Options of a command that name columns.

    The column of weights is not a feature, and the one of items only if `features` names it.
    """

    labels: str | Sequence[str]
    features: str | None
    ignore: str | Sequence[str]
    prepare: bool
    text: str | None = None
    categories: str | None = None
    item: str | None = None
    weights: str | None = None

    def __post_init__(self) -> None:
        if (self.text or self.categories) and not self.prepare:
            raise typer.BadParameter("--text and --categories need --prepare.")

    def kinds(self, frame: pd.DataFrame) -> TableKinds:
        """Return the kinds of the columns of a table."""
        text = match_columns(self.text or "", frame.columns, "text")
        categories = match_columns(self.categories or "", frame.columns, "category")
        check_apart("text", text, categories)
        return TableKinds(frame, text, categories)

    def no_features(self, frame: pd.DataFrame) -> list[str]:
        """Return the columns that are not features, whatever they hold."""
        named = [name.strip() for name in (self.features or "").split(",")]
        found = match_columns(self.ignore, frame.columns, "ignored")
        if self.weights is not None:
            found.append(one_column(self.weights, frame.columns, "weight"))
            check_apart("feature", named, [self.weights])
        if self.item is not None and one_column(self.item, frame.columns, "item") not in named:
            found.append(self.item)
        return found

    def choose(
        self, kinds: TableKinds, ignored: Sequence[str], *, need_features: bool
    ) -> LabelledTable:
        """Choose the label and feature columns of a table without some `ignored` columns."""
        return choose_columns(
            kinds.frame,
            self.labels,
            features=self.features,
            ignore=ignored,
            prepare=self.prepare,
            need_features=need_features,
            kinds=kinds,
        )


def choose(
    frame: pd.DataFrame, columns: Columns, reporter: Reporter, *, need_features: bool = True
) -> LabelledTable:
    """Choose label and feature columns, with notes about columns that may be chosen wrongly."""
    kinds = columns.kinds(frame)
    ignored = columns.no_features(frame)
    finds_features = columns.features is None
    if finds_features:
        ignored += _written_with_estimates(frame, columns.labels)
    table = columns.choose(kinds, ignored, need_features=need_features)
    if finds_features and table.features == [VOTES_COLUMN]:
        advice = f"If it is one, add --features {VOTES_COLUMN}"
        reporter.note(f"column {VOTES_COLUMN!r} is not a feature. {advice}.")
        table = columns.choose(kinds, [*ignored, VOTES_COLUMN], need_features=need_features)
    if not columns.prepare:
        notes.note_left_out(table, reporter)
    leaks = find_leaks(kinds, table.features, table.Y)
    if finds_features:
        table = _without_copies(table, leaks, reporter)
    if need_features:
        check_features(table)
    if columns.prepare:
        _check_given_kinds(table)
        notes.describe_columns(table, reporter)
    if finds_features:
        notes.note_votes(table, reporter)
    notes.note_identifiers(table, reporter)
    notes.note_leaks([leak for leak in leaks if leak.feature in table.features], reporter)
    return table


def _written_with_estimates(frame: pd.DataFrame, labels: str | Sequence[str]) -> list[str]:
    """Return the columns that `labeldist estimate` writes beside degrees: bounds and votes."""
    bounds = bounds_in(frame, match_columns(labels, frame.columns, "label"))
    return frame.columns.intersection([*bounds, VOTES_COLUMN]).tolist() if bounds else []


def bounds_in(frame: pd.DataFrame, labels: Sequence[str]) -> list[str]:
    """Return the columns with bounds of the degrees, which `labeldist estimate` writes."""
    bounds = [f"{label}{ending}" for label in labels for ending in BOUNDS]
    return [name for name in bounds if name in frame.columns]


def _without_copies(
    table: LabelledTable, leaks: Sequence[Leak], reporter: Reporter
) -> LabelledTable:
    """Leave out features that equal a label or give the largest ones, with one note."""
    reasons = {leak.feature: leak.finding for leak in leaks if leak.is_copy}
    if not reasons:
        return table
    copies = [f"{name!r} {reason}" for name, reason in reasons.items()]
    reporter.note(f"left out of the features: {listed(copies)}. --features uses such columns.")
    features = [name for name in table.features if name not in reasons]
    return replace(table, features=features, left_out={**table.left_out, **reasons})


def _check_given_kinds(table: LabelledTable) -> None:
    """Raise a TableError if a column whose kind is an option is not a feature."""
    for name in table.kinds.given:
        if name not in table.features:
            reason = table.left_out.get(name, "is a label, is ignored or is not in --features")
            problem = f"Column {name!r} of --text or --categories is not a feature"
            raise TableError(f"{problem}: it {reason}.")


def feature_matrix(table: LabelledTable, *, prepare: bool) -> Any:
    """Return the features as numbers, converted if `prepare` is true."""
    if not prepare or not table.features:
        return table.X
    from labeldist.app.tables.preparation import prepare_columns

    columns = table.kinds.converted(table.features)
    return prepare_columns(columns, kinds=table.kinds).fit_transform(columns)


def weights_of(frame: pd.DataFrame, column: str | None) -> Any:
    """Return a column of weights, or None if no column is given."""
    if column is None:
        return None
    one_column(column, frame.columns, "weight")
    values = numeric_columns(frame, [column], "Correct it.")[column].to_numpy()
    if (values < 0).any() or not values.any():
        raise TableError(f"Column {column!r} cannot hold weights: some are negative, or all zero.")
    return values


def facts(table: LabelledTable, output: str) -> dict[str, Any]:
    """Return the entries about a table in the JSON of a command."""
    return {
        "items": len(table.frame),
        "labels": table.labels,
        "features": table.features,
        "left_out": table.left_out,
        "output": output,
    }
