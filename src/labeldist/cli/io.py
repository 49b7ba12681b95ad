"""Input tables and output files of the commands."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from labeldist._extras import require
from labeldist._files import check_free
from labeldist._tables import column_kinds as kinds
from labeldist._tables.column_selection import (
    LabelledTable,
    check_apart,
    choose_columns,
    degrees,
    match_columns,
    numeric_columns,
    one_column,
    typed,
)
from labeldist._tables.leakage import find_leaks
from labeldist._tables.messages import cell_at, listed
from labeldist._tables.tables import (
    STANDARD,
    check_format,
    keeps_types,
    read_table,
    with_columns,
    write_table,
)
from labeldist._typing import VOTES_COLUMN, Array
from labeldist.cli.reporter import Reporter
from labeldist.exceptions import ModelError, TableError

if TYPE_CHECKING:
    import pandas as pd

FEW_ROWS = 5  # In so few rows, a feature may be 1, 2, 3, … by chance.
MAX_MEANS = 10  # Of more labels, only the largest averages are printed.
BOUNDS = ("_lower", "_upper")  # Endings of columns with bounds of the degrees of a label.
ROUNDING = 0.02  # Sums of rounded degrees differ from one by at most this.


@dataclass(frozen=True)
class Columns:
    """Options of a command that name columns.

    `other` is the column of items or weights, which is not a feature.
    """

    labels: str | Sequence[str]
    features: str | None
    ignore: str | Sequence[str]
    prepare: bool
    other: str | None


def read(path: str, reporter: Reporter, *text: str | None) -> pd.DataFrame:
    """Read a table, with its warnings as notes; `text` names columns that do not hold numbers."""
    names = []
    for given in filter(None, text):
        names.append(given)  # one column, if its name contains a comma
        names += given.split(",")
    with reporter.working(f"Reading {path}"):
        return read_table(path, text=names)


def choose(
    frame: pd.DataFrame, columns: Columns, reporter: Reporter, *, need_features: bool = True
) -> LabelledTable:
    """Choose label and feature columns, with notes about columns that may be chosen wrongly."""
    ignored = match_columns(columns.ignore, frame.columns, "ignored")
    if columns.other is not None:
        ignored.append(one_column(columns.other, frame.columns, "item or weight"))
        named = [name.strip() for name in (columns.features or "").split(",")]
        check_apart("feature", named, [columns.other])

    def choose_without(ignored: list[str]) -> LabelledTable:
        return choose_columns(
            frame,
            columns.labels,
            features=columns.features,
            ignore=ignored,
            prepare=columns.prepare,
            need_features=need_features,
        )

    name = VOTES_COLUMN
    finds_features = columns.features is None
    if finds_features:
        bounds = bounds_in(frame, match_columns(columns.labels, frame.columns, "label"))
        if bounds:  # The table has estimates, and a column of votes is that of labeldist.
            ignored += frame.columns.intersection([*bounds, name]).tolist()
    table = choose_without(ignored)
    if finds_features and table.features == [name]:
        reporter.note(f"column {name!r} is not a feature. If it is one, add --features {name}.")
        table = choose_without([*ignored, name])
    _note_left_out(table, reporter, prepare=columns.prepare)
    if finds_features and name in table.features:
        advice = f"If it counts votes, add --ignore {name}, or --weights {name} to labeldist fit."
        reporter.note(f"column {name!r} is used as a feature. {advice}")
    _note_identifiers(table, reporter)
    _note_leaks(table, reporter)
    return table


def bounds_in(frame: pd.DataFrame, labels: Sequence[str]) -> list[str]:
    """Return the columns with bounds of the degrees, which `labeldist votes` writes."""
    bounds = [f"{label}{ending}" for label in labels for ending in BOUNDS]
    return [name for name in bounds if name in frame.columns]


def _note_left_out(table: LabelledTable, reporter: Reporter, *, prepare: bool) -> None:
    """Print a note for each column that is not a feature."""
    for name, reason in table.left_out.items():
        kind = kinds.kind_of(table.frame[name]).kind
        converts = not prepare and kind in ("category", "text", "date")
        advice = " --prepare converts words, text and dates to numbers." if converts else ""
        reporter.note(f"column {name!r} is not a feature: it {reason}.{advice}")


def _note_identifiers(table: LabelledTable, reporter: Reporter) -> None:
    """Print a note for each feature that counts the rows, or looks like an identifier."""
    for name in table.features:
        values = kinds.to_numbers(table.frame[name])
        counts_rows = len(values) > FEW_ROWS and (np.diff(values) == 1).all()
        is_named = name.lower().endswith(("id", "index", "item", "key"))
        is_whole = (values % 1 == 0).all()
        if counts_rows or (is_named and is_whole and table.frame[name].is_unique):
            advice = f"If it identifies the items, add --ignore {shlex.quote(name)}."
            reporter.note(f"column {name!r} is used as a feature. {advice}")


def _note_leaks(table: LabelledTable, reporter: Reporter) -> None:
    """Print a note for each feature that reveals a label."""
    for leak in find_leaks(table.frame, table.features, table.Y):
        finding = f"predicts the label {leak.label!r} almost perfectly by itself"
        if leak.by_name:
            finding = "is named after the labels"
        advice = f"If it is derived from them, add --ignore {shlex.quote(leak.feature)}"
        reporter.note(
            f"column {leak.feature!r} {finding}. {advice}: otherwise the skill will not hold on "
            "new items."
        )


def feature_matrix(table: LabelledTable, *, prepare: bool) -> Any:
    """Return the features as numbers, converted if `prepare` is true."""
    if not prepare or not table.features:
        return table.X
    from labeldist._tables.preparation import prepare_columns

    columns = table.frame[table.features]
    return prepare_columns(columns).fit_transform(columns)


def item_names(frame: pd.DataFrame, item: str | None) -> list[str]:
    """Return the names of the items, by default the numbers of their rows."""
    if item is None:
        return [f"row {row}" for row in range(1, len(frame) + 1)]
    return [str(name) for name in frame[one_column(item, frame.columns, "item")]]


def weights_of(frame: pd.DataFrame, column: str | None) -> Any:
    """Return a column of weights, or None if no column is given."""
    if column is None:
        return None
    one_column(column, frame.columns, "weight")
    values = numeric_columns(frame, [column], "Correct it.")[column].to_numpy()
    if (values < 0).any() or not values.any():
        raise TableError(f"Column {column!r} cannot hold weights: some are negative, or all zero.")
    return values


def counts_of_votes(frame: pd.DataFrame, D: Array) -> Array | None:
    """Return counts of votes, None unless `D` are shares of the numbers in the column `votes`."""
    from labeldist.votes._noise_ceiling import counts_of_shares

    if VOTES_COLUMN not in frame.columns:
        return None
    n_votes = kinds.to_numbers(frame[VOTES_COLUMN], truth_words=False)
    return counts_of_shares(D, n_votes)


def noise_ceiling_of(
    frame: pd.DataFrame, D: Array, weight: Any, skill: float
) -> tuple[float | None, str]:
    """Return the noise ceiling and a text about it.

    They are None and "" unless `D` are shares of known numbers of votes.
    """
    from labeldist import VoteLE
    from labeldist.votes import from_votes, noise_ceiling

    if VOTES_COLUMN not in frame.columns:
        return None, ""
    weights = np.ones(len(D)) if weight is None else weight
    used = (kinds.to_numbers(frame[VOTES_COLUMN], truth_words=False) > 0) & (weights > 0)
    counts = counts_of_votes(frame[used], D[used])
    if counts is None or counts.sum(axis=1).max(initial=0) < 2:
        return None, ""
    votes = from_votes(counts)
    # The priors of VoteLE fit better than the Dirichlet prior if labels are correlated.
    estimate = VoteLE().fit(None, votes)
    ceiling = noise_ceiling(votes, sample_weight=weights[used], estimate=estimate)
    mean = counts.sum(axis=1).mean()
    about = f"the true distributions themselves have a skill of about {ceiling:.2f}"
    text = f"Noise ceiling: with {mean:.3g} votes per item, {about}, estimated from the votes."
    if skill > ceiling:
        text += (
            " A higher skill can mean that this estimate is rough, that the model was fitted to "
            "these rows, or that features contain votes."
        )
    return ceiling, text


def read_degrees(
    path: str,
    truth: pd.DataFrame,
    columns: list[str],
    item: str | None,
    source: str,
    reporter: Reporter,
) -> pd.DataFrame:
    """Read the label columns of a table with the same items as `truth`, which is called `source`.

    Rows are matched by the column of items, or else by their order.
    """
    other = read(path, reporter, item)
    for column in columns:
        one_column(column, other.columns, "label")
    if item is None:
        _check_same_order(truth, other, columns, (source, path))
    else:
        wanted = item_keys(truth, item, source)
        found = item_keys(other, item, path)
        missing = wanted[~wanted.isin(found)]
        if len(missing):
            names = listed(missing, 5)
            raise TableError(f"{path} lacks {len(missing)} of the items of {source}: {names}.")
        # The rows keep their own numbers for messages.
        other = other.iloc[require("pandas", "app").Index(found).get_indexer(wanted)]
    try:
        return degrees(other, columns)
    except TableError as error:
        raise TableError(f"{path}: {error}") from None


def _check_same_order(
    truth: pd.DataFrame,
    other: pd.DataFrame,
    labels: list[str],
    names: tuple[str, str],
) -> None:
    """Raise an error if a common column shows that the order of rows differs."""
    one, two = names
    if len(truth) != len(other):
        sizes = f"{one} has {len(truth)} rows, {two} has {len(other)}"
        raise TableError(f"{sizes}. Name a column that identifies the rows with --item.")
    for column in truth.columns.intersection(other.columns).drop(labels):
        ours = truth[column].astype(object).map(kinds.name_of)
        theirs = other[column].astype(object).map(kinds.name_of)
        in_order = list(ours) == list(theirs)
        if ours.is_unique and not in_order and sorted(ours) == sorted(theirs):
            problem = f"{one} and {two} have the same values in column {column!r} in another order"
            raise TableError(f"{problem}. Match rows by it with --item {shlex.quote(column)}.")


def item_keys(frame: pd.DataFrame, item: str, name: str) -> pd.Series:
    """Return the names of the items as normalised text; raise an error if one occurs twice."""
    keys = frame[one_column(item, frame.columns, "item")].astype(object).map(kinds.name_of)
    repeated = keys[keys.duplicated()]
    if len(repeated):
        raise TableError(f"Column {item!r} of {name} contains {repeated.iloc[0]!r} more than once.")
    return keys


def check_several(labels: Sequence[str]) -> None:
    """Raise an error if there is only one label."""
    if len(labels) < 2:
        raise TableError(f"{listed(labels)} is the only label, with degree 1. Name all labels.")


def check_tags(L: pd.DataFrame) -> None:
    """Raise an error if labels are not 0 or 1."""
    check_several(list(L.columns))
    other = np.argwhere(~L.isin([0, 1]).to_numpy())
    if len(other):
        row, column = other[0]
        cell = f"{cell_at(row, L.columns[column])} is {L.iloc[row, column]:g}"
        advice = "If the labels are degrees or counts already, continue with labeldist fit."
        raise TableError(f"{cell}, but tags must be 0 or 1. {advice}")


def check_degrees(D: pd.DataFrame, name: str) -> None:
    """Raise an error if all degrees of a row are zero."""
    empty = D.index[~D.to_numpy().any(axis=1)]
    if len(empty):
        problem = f"Data row {empty[0] + 1} of {name} has only zero degrees"
        raise TableError(f"{problem} ({len(empty)} such rows). Name all labels, or drop it.")


def note_sums(D: pd.DataFrame, name: str, reporter: Reporter, *, counts: bool = True) -> None:
    """Print a note if sums of degrees differ from one by more than rounding.

    Percentages and numbers of votes are not noted if these are expected (`counts`).
    """
    sums = D.sum(axis=1)
    off = sums[(sums - 1).abs() > ROUNDING]
    are_counts = (D % 1 == 0).all(axis=None)
    are_percentages = ((sums - 100).abs() <= 100 * ROUNDING).all()
    if len(off) and not (counts and (are_counts or are_percentages)):
        first = f"data row {off.index[0] + 1}: {off.iloc[0]:g}"
        problem = f"{len(off)} of {len(sums)} rows of {name} do not sum to 1 ({first})"
        reporter.note(f"{problem}; they are divided by their sums.")


def preparation_of(model: Any) -> Any:
    """Return the transformer of columns that a model begins with, or None."""
    from sklearn.compose import ColumnTransformer

    from labeldist._pipelines import layers

    first = list(layers(model, step=0))[-1]
    return first if isinstance(first, ColumnTransformer) else None


def predict_rows(model: Any, frame: pd.DataFrame, reporter: Reporter) -> Array:
    """Predict the rows of a table; features are found by their names."""
    from labeldist.models import predict_distributions

    names = _feature_columns(model, frame, reporter)
    preparation = preparation_of(model)
    if preparation is not None:
        _note_new_cells(preparation, frame, reporter)
        X = frame[names]
    else:
        X = numeric_columns(frame, names, "Correct it.")
    with reporter.working(f"Predicting {len(frame)} items"):
        return predict_distributions(model, X)


def _feature_columns(model: Any, frame: pd.DataFrame, reporter: Reporter) -> list[str]:
    """Return the columns with the features of a model."""
    from labeldist.models import feature_names_of, label_names_of

    names = feature_names_of(model)
    if names is None:
        labels = label_names_of(model)
        names = [name for name in frame.columns if name not in labels]
        if len(names) != model.n_features_in_:
            sizes = f"{model.n_features_in_} features; the table has {len(names)} other columns"
            raise ModelError(f"The model has {sizes}. Give it the feature columns in their order.")
        reporter.note("the model has no feature names: columns are used in their order.")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ModelError(f"The table lacks feature columns of the model: {listed(missing)}.")
    return list(names)


def _note_new_cells(preparation: Any, frame: pd.DataFrame, reporter: Reporter) -> None:
    """Print notes about cells of a kind that the preparation of features has not seen."""
    from labeldist._tables.preparation import new_gaps, texts_without_known_words, unseen_categories

    for name, words in unseen_categories(preparation, frame).items():
        unseen = f"{len(words)} cells with unseen categories: {listed(dict.fromkeys(words), 3)}"
        reporter.note(f"column {name!r} has {unseen}. Their predictions ignore it.")
    for name, count in new_gaps(preparation, frame).items():
        gaps = f"{count} empty cells, but had none in training"
        meaning = "They count as typical values, or as texts without words."
        reporter.note(f"column {name!r} has {gaps}. {meaning}")
    for name, count in texts_without_known_words(preparation, frame).items():
        reporter.note(f"column {name!r} has {count} texts without words of the training rows.")


def check_outputs(*files: str | None, table: str = STANDARD, force: bool) -> None:
    """Raise an error, before any work is done, if an output cannot be written.

    Only `table` may be ``-``.
    """
    check_format(table)
    named = [path for path in files if path is not None]
    if STANDARD in named:
        raise typer.BadParameter("only the table can go to standard output: name a file.")
    if table != STANDARD:
        named.append(table)
    for path in named:
        check_free(path, force=force)


def write_output(
    frame: pd.DataFrame,
    output: str,
    labels: Sequence[str],
    features: Sequence[str] = (),
    *,
    item: str | None,
    force: bool,
) -> None:
    """Write a table.

    In formats with types, text that holds numbers is written as numbers, but not names of items.
    """
    if output.lower().endswith((".mat", ".npz")):
        frame = typed(frame, list(frame.columns), frame.columns)
    elif keeps_types(output):
        others = [name for name in frame.columns if name != item]
        frame = with_columns(frame, dict(typed(frame, others, features)))
    write_table(frame, output, labels=labels, overwrite=force)


def facts(table: LabelledTable, output: str) -> dict[str, Any]:
    """Return the entries about a table in the JSON of a command."""
    return {
        "items": len(table.frame),
        "labels": table.labels,
        "features": table.features,
        "left_out": table.left_out,
        "output": output,
    }


def mean_text(mean: dict[str, float]) -> str:
    """Format mean degrees, of many labels only the largest."""
    names = list(mean)
    if len(names) > MAX_MEANS:
        names.sort(key=mean.__getitem__, reverse=True)
    shown = ", ".join(f"{name} {mean[name]:.2f}" for name in names[:MAX_MEANS])
    n_others = len(names) - MAX_MEANS
    return f"{shown}, and less for {n_others} other labels" if n_others > 0 else shown
