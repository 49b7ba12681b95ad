"""Input tables, output files and pictures of the commands."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from labeldist._extras import require
from labeldist._files import check_free
from labeldist._tables import kinds
from labeldist._tables.columns import (
    UNNAMED_INDEX,
    LabelledTable,
    choose_columns,
    degrees,
    match_columns,
    numbers,
    one_column,
    total_among,
    typed,
    with_columns,
)
from labeldist._tables.tables import STANDARD, cell_at, check_format, keeps_types, listed, read_table, write_table
from labeldist._typing import Array
from labeldist.cli.reporter import Reporter
from labeldist.exceptions import ModelError, TableError

if TYPE_CHECKING:
    import pandas as pd

VOTES = "votes"  # Column of `labeldist votes` with the number of votes.
MAX_IMPORTANCE_ROWS = 1_000  # Held-out rows that are predicted for each feature of a picture.
WHOLE = 0.05  # Shares of votes that are rounded, times the votes, differ from whole numbers by at most this.
OTHERS_DECIDE = "Their predictions depend on the other columns."
FEW_ROWS = 5  # In so few rows, a feature may be 1, 2, 3, … by chance.
CLEARLY_HIGHER = 0.1  # A skill that exceeds the noise ceiling by more is not due to chance.
ROUNDING = 0.02  # Sums of rounded degrees differ from one by at most this.


def read(path: str, reporter: Reporter, *text: str | None) -> pd.DataFrame:
    """Read a table, with its warnings as notes; each of `text` names columns that do not hold numbers."""
    with reporter.working(f"Reading {path}"):
        return read_table(path, text=[part for names in text if names for part in (names, *names.split(","))])


def choose(
    frame: pd.DataFrame,
    labels: str,
    reporter: Reporter,
    *,
    features: str | None,
    ignore: str,
    prepare: bool,
    other: str | None = None,
    need_features: bool = True,
) -> LabelledTable:
    """Choose label and feature columns, with a note for each column that is left out or may be an identifier.

    `other` is the column of items or weights, which is not a feature.
    """
    ignored = match_columns(ignore, frame.columns, "ignored")
    if other is not None:
        ignored.append(one_column(other, frame.columns, "item or weight"))
    chosen: dict[str, Any] = {"features": features, "prepare": prepare, "need_features": need_features}
    table = choose_columns(frame, labels, ignore=ignored, **chosen)
    if features is None and table.features == [VOTES]:
        reporter.note(f"column {VOTES!r} is not used as the only feature. If it is one, add --features {VOTES}.")
        table = choose_columns(frame, labels, ignore=[*ignored, VOTES], **chosen)
    for name, reason in table.left_out.items():
        is_final = prepare or UNNAMED_INDEX.fullmatch(name) or kinds.kind_of(frame[name]).kind in ("name", "other")
        advice = "" if is_final else " --prepare converts words, text and dates to numbers."
        reporter.note(f"column {name!r} is not a feature: it {reason}.{advice}")
    if features is None and VOTES in table.features:
        advice = f"If it counts votes, add --ignore {VOTES}, or --weights {VOTES} to labeldist fit."
        reporter.note(f"column {VOTES!r} is used as a feature. {advice}")
    texts = [name for name in table.features if prepare and kinds.kind_of(frame[name]).kind == "text"]
    if texts:
        reporter.note(f"column {listed(texts)} is used as text: TF-IDF of its words, reduced by truncated SVD.")
    for name in table.features:
        if prepare and kinds.holds_objects(frame[name]) and np.isfinite(kinds.numbers(frame[name])).any():
            kind = kinds.kind_of(frame[name])
            if kind.kind == "category" and str(frame[name].dtype) != "category":
                reporter.note(f"column {name!r} {kind.reason} next to numbers. It is used as categories.")
        values = kinds.numbers(frame[name])
        counts_rows = len(values) > FEW_ROWS and values[0] in (0, 1) and (np.diff(values) == 1).all()
        is_whole = name.lower().endswith("id") and (values % 1 == 0).all()
        may_be_name = is_whole or name.lower().rpartition("_")[2] in ("id", "index", "item", "key")
        if counts_rows or (may_be_name and frame[name].is_unique):
            reporter.note(f"column {name!r} is used as a feature. If it identifies the items, add --ignore {name}.")
    return table


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
    values = numbers(frame, [one_column(column, frame.columns, "weight")], "Correct it.")[column].to_numpy()
    if (values < 0).any() or not values.any():
        raise TableError(f"Column {column!r} cannot hold weights: they must be non-negative, and not all zero.")
    return values


def noise_ceiling_of(frame: pd.DataFrame, D: Array, weight: Any, skill: float) -> tuple[float | None, str]:
    """Return the noise ceiling and a text about it; None and "" unless `D` are shares of known numbers of votes."""
    from labeldist.votes import from_votes, noise_ceiling

    if VOTES not in frame.columns:
        return None, ""
    n_votes = kinds.numbers(frame[VOTES], truth_words=False)
    decimals = next((k for k in range(12) if np.allclose(D, D.round(k), rtol=0, atol=1e-12)), 12)
    rounding = 10.0**-decimals / 2 if decimals else 0
    sums = D.sum(axis=1, keepdims=True)
    shares = np.where(np.abs(sums - 1) <= rounding * D.shape[1], D, D / sums)
    whole = np.rint(counts := shares * n_votes[:, None])
    voted = n_votes > 0 if weight is None else (n_votes > 0) & (weight > 0)
    close = np.abs(counts - whole) <= np.minimum(WHOLE, rounding * n_votes)[:, None] + 1e-6
    if not (close & ((whole > 0) | (D == 0))).all() or not (n_votes[voted] > 1).any():
        return None, ""
    votes = from_votes(whole[voted])
    ceiling = noise_ceiling(votes, sample_weight=None if weight is None else weight[voted])
    about = f"the true distributions themselves have a skill of about {ceiling:.2f}"
    text = f"Noise ceiling: with {n_votes[voted].mean():.3g} votes per item, {about}."
    if skill > ceiling + CLEARLY_HIGHER:
        text += " A higher skill can mean that the model was fitted to these rows, or that features contain votes."
    return ceiling, text


def read_degrees(
    path: str, truth: pd.DataFrame, columns: list[str], item: str | None, source: str, reporter: Reporter
) -> pd.DataFrame:
    """Read the label columns of a table that has the same items as `truth`, a table with the name `source`."""
    other = read(path, reporter, item)
    for column in columns:
        one_column(column, other.columns, "label")
    matched = _match_rows(truth, other, item, columns, (source, path), reporter)
    try:
        return degrees(matched, columns)
    except TableError as error:
        raise TableError(f"{path}: {error}") from None


def _match_rows(
    truth: pd.DataFrame,
    other: pd.DataFrame,
    item: str | None,
    labels: list[str],
    names: tuple[str, str],
    reporter: Reporter,
) -> Any:
    """Return the rows of `other` in the order of `truth`, matched by the column of items if there is one.

    Without one, the columns that are not `labels` must not show that the order differs.
    """
    if item is None:
        if len(truth) != len(other):
            sizes = f"{names[0]} has {len(truth)} rows, {names[1]} has {len(other)}"
            raise TableError(f"{sizes}. Name a column that identifies the rows with --item.")
        ours, theirs = (frame.drop(columns=labels).astype(object).map(_key) for frame in (truth, other))
        ordered = [{name: sorted(frame[name]) for name in frame} for frame in (ours, theirs)]
        for column, twin in product(ours, theirs):
            if column != twin and (column in theirs or twin in ours):
                continue  # each is compared with the column of its own name
            one, two = ours[column], theirs[twin]
            same = ordered[0][column] == ordered[1][twin]
            if same and list(one) != list(two) and (column == twin or one.is_unique):
                where = " and ".join(map(repr, dict.fromkeys([column, twin])))
                problem = f"{names[0]} and {names[1]} have the same values in column {where}, but in another order"
                if one.is_unique and column == twin:
                    raise TableError(f"{problem}. Match rows by it with --item {column}.")
                reporter.note(f"{problem}. Rows are compared in their order; if that is wrong, match them with --item.")
            elif column == twin and 2 * one.nunique() > len(one) and set(one) != set(two):  # more likely a name
                problem = f"column {column!r} has other values in {names[1]} than in {names[0]}"
                reporter.note(f"{problem}. Rows are compared in their order; make sure that they are the same items.")
        return other
    wanted, found = (item_keys(frame, item, name) for frame, name in zip((truth, other), names, strict=True))
    missing = wanted[~wanted.isin(found)]
    if len(missing):
        raise TableError(f"{names[1]} lacks {len(missing)} of the items of {names[0]}: {listed(missing, 5)}.")
    return other.iloc[require("pandas", "app").Index(found).get_indexer(wanted)]  # with its own numbers of rows


def item_keys(frame: pd.DataFrame, item: str, name: str) -> pd.Series:
    """Return the names of the items as text, normalised as in votes, or raise an error if a name occurs twice."""
    keys = frame[one_column(item, frame.columns, "item")].astype(object).map(_key)
    repeated = keys[keys.duplicated()]
    if len(repeated):
        raise TableError(f"Column {item!r} of {name} contains {repeated.iloc[0]!r} more than once.")
    return keys


def _key(cell: Any) -> str:
    return str(kinds.clean(kinds.word(cell)))


def check_several(labels: Sequence[str]) -> None:
    """Raise an error if there is only one label."""
    if len(labels) < 2:
        raise TableError(f"{listed(labels)} is the only label; its degree is always 1. Name all labels.")


def check_tags(L: pd.DataFrame) -> None:
    """Raise an error if labels are not 0 or 1."""
    check_several(list(L.columns))
    if not L.to_numpy().any():
        raise TableError(f"No row has a tag: the columns {listed(L.columns)} hold only 0.")
    other = np.argwhere(~L.isin([0, 1]).to_numpy())
    if len(other):
        row, column = other[0]
        problem = f"{cell_at(row, L.columns[column])} is {L.iloc[row, column]:g}, but tags must be 0 or 1"
        raise TableError(f"{problem}. If the labels are degrees or counts already, continue with labeldist fit.")


def check_degrees(D: pd.DataFrame, name: str) -> None:
    """Raise an error if all degrees of a row are zero."""
    empty = np.flatnonzero(~D.to_numpy().any(axis=1))
    if empty.size:
        problem = f"Data row {D.index[empty[0]] + 1} of {name} has only zero degrees ({empty.size} such rows)"
        raise TableError(f"{problem}. Name all labels, or correct or drop it.")


def note_sums(D: pd.DataFrame, name: str, reporter: Reporter, others: Any, *, counts: bool = True) -> None:
    """Print a note if sums of degrees differ from one by more than rounding, or if there is a total among counts.

    There is none for percentages and numbers of votes if these are expected (`counts`), unless a column of `others` may
    be a label that is not named: with it all sums are 1, 100 percent, or the same number of votes.
    """
    for kind, lines, table in (("label", D.columns, D.T), ("data row", D.index + 1, D)):
        if message := total_among(kind, lines, table.to_numpy()):
            reporter.note(message)
    sums = D.to_numpy().sum(axis=1)
    off, advice = np.flatnonzero(np.abs(sums - 1) > ROUNDING), ""
    for one in others:
        totals = sums + kinds.numbers(others[one])
        for total in (1, 100, totals[0] if np.ptp(sums) else 1):
            are_sums, are_totals = (np.abs(values - total) <= ROUNDING * total for values in (sums, totals))
            if are_totals.all() and not are_sums.all():
                advice = f" With column {one!r} they sum to {total:g}: if it is a label, name it in --labels."
    expected = counts and ((D.to_numpy() % 1 == 0).all() or (np.abs(sums - 100) <= 100 * ROUNDING).all())
    if off.size and (advice or not expected):
        first = f"(data row {D.index[off[0]] + 1}: {sums[off[0]]:g}); they are divided by their sums"
        reporter.note(f"{off.size} of {len(sums)} rows of {name} do not sum to 1 {first}.{advice}")


def predict_rows(model: Any, frame: pd.DataFrame, reporter: Reporter) -> Array:
    """Predict the rows of a table; features are found by their names."""
    from sklearn.compose import ColumnTransformer

    from labeldist._tables.preparation import new_gaps, texts_without_known_words, unseen_categories
    from labeldist.models import feature_names_of, label_names_of, predict_distributions
    from labeldist.models._inspection import layers

    names = feature_names_of(model)
    if names is None:
        labels = label_names_of(model)
        names = [name for name in frame.columns if name not in labels]
        if len(names) != model.n_features_in_:
            sizes = f"{model.n_features_in_} features without names; the table has {len(names)} other columns"
            raise ModelError(f"The model has {sizes}. Give it the feature columns in the order of training.")
        reporter.note("the model has no feature names: columns are used in their order.")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ModelError(f"The table lacks feature columns of the model: {listed(missing)}.")
    first = list(layers(model, step=0))[-1]
    prepares = isinstance(first, ColumnTransformer)
    for name, words in unseen_categories(first, frame).items() if prepares else ():
        unseen = f"{len(words)} cells with categories that the model has not seen: {listed(dict.fromkeys(words), 3)}"
        reporter.note(f"column {name!r} has {unseen}. {OTHERS_DECIDE}")
    for name, count in new_gaps(first, frame).items() if prepares else ():
        reporter.note(f"column {name!r} has {count} empty cells, but had none in training. They get a typical value.")
    for name, count in texts_without_known_words(first, frame).items() if prepares else ():
        reporter.note(f"column {name!r} has {count} texts without words of the training rows. {OTHERS_DECIDE}")
    X = frame[names] if prepares else numbers(frame, names, "Correct it.")
    flags = [name for name in names if kinds.holds_objects(frame[name]) and kinds.holds_truth(frame[name])]
    if flags and not prepares:  # the model does not know whether these columns held words when it was fitted
        reporter.note(f"column {listed(flags)} holds only yes, no, true or false, which are used as 1 and 0.")
    with reporter.working(f"Predicting {len(frame)} items"):
        return predict_distributions(model, X)


def check_outputs(*files: str | None, table: str = STANDARD, force: bool) -> None:
    """Raise an error, before any work is done, if an output cannot be written. Only `table` may be ``-``."""
    check_format(table)
    named = [path for path in files if path is not None]
    if STANDARD in named:
        raise typer.BadParameter("only the table can go to standard output: name a file.")
    named += [table] * (table != STANDARD)
    if len({os.path.realpath(path) for path in named}) < len(named):
        raise typer.BadParameter(f"the outputs must be different files; got {', '.join(named)}.")
    for path in named:
        check_free(path, force=force)


def check_columns(frame: pd.DataFrame, output: str, labels: Sequence[str]) -> None:
    """Raise an error, before any work is done, if the format of `output` cannot hold the columns of a table."""
    others = [name for name in frame.columns if name not in labels]
    check_format(output, typed(frame, others, others))


def write_output(
    frame: pd.DataFrame,
    output: str,
    labels: Sequence[str],
    features: Sequence[str] = (),
    *,
    item: str | None,
    force: bool,
) -> None:
    """Write a table. In formats with types, text that holds numbers is written as numbers, but not names of items."""
    if output.lower().endswith((".mat", ".npz")):
        frame = typed(frame, list(frame.columns), frame.columns)
    elif keeps_types(output):
        frame = with_columns(frame, dict(typed(frame, [name for name in frame if name != item], features)))
    write_table(frame, output, labels=labels, overwrite=force)


def facts(table: LabelledTable, output: str) -> dict[str, Any]:
    """Return the entries about a table in the JSON of a command."""
    sizes = {"items": len(table.frame), "labels": table.labels, "features": table.features}
    return {**sizes, "left_out": table.left_out, "output": output}


def mean_text(mean: dict[str, float]) -> str:
    """Format mean degrees."""
    return ", ".join(f"{name} {degree:.2f}" for name, degree in mean.items())


def check_picture(path: str | None, show: str = "", n_labels: int = 0) -> None:
    """Raise an error, before any work is done, if a picture cannot be drawn."""
    if path is not None:
        from labeldist.plots._display import check_picture_path

        check_picture_path(path)
        if show == "ternary" and n_labels != 3:
            raise TableError(f"A ternary picture needs three labels; the table has {n_labels}. Choose another --show.")


def save_drawn(display: Any, path: str | None, *, force: bool) -> None:
    """Write a picture, if there is one."""
    if path:
        from matplotlib import pyplot

        from labeldist.plots import save_picture

        save_picture(display, path, overwrite=force)
        pyplot.close(display.figure_)


def draw_distributions(show: str, D: Any, labels: list[str], items: list[str]) -> Any:
    """Draw recovered or predicted distributions."""
    from labeldist import plots

    if show == "ternary":
        return plots.TernaryDisplay.from_distributions(D, label_names=labels)
    display: Any = plots.AmbiguityDisplay if show == "ambiguous" else plots.DistributionDisplay
    return display.from_distributions(D, label_names=labels, item_names=items)


def draw_predictions(show: str, D: Any, P: Any, labels: list[str], items: list[str]) -> Any:
    """Draw predicted distributions `P` against true ones."""
    from labeldist import plots

    if show == "calibration":
        return plots.CalibrationDisplay.from_predictions(D, P)
    if show == "ternary":
        return plots.TernaryDisplay.from_predictions(D, P, label_names=labels)
    names: dict[str, Any] = {"label_names": labels, "item_names": items}
    return plots.PredictionDisplay.from_predictions(D, P, kind=show, **names)  # type: ignore[arg-type]


def draw_model(show: str, model: Any, X: Any) -> Any:
    """Draw coefficients of a fitted model, or the scores of its search over hyper-parameters."""
    from labeldist import plots

    try:
        if show == "coefficients":
            return plots.CoefficientDisplay.from_estimator(model, X)
        return plots.ParameterInfluenceDisplay.from_estimator(model)
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"The picture {show!r} needs another --method, such as bdldlcv: {error}") from None


def draw_importance(model: Any, X: pd.DataFrame, D: pd.DataFrame, weight: Any, seed: int, reporter: Reporter) -> Any:
    """Draw the importance of the features on held-out rows, to which a copy of the model is not fitted."""
    from sklearn.base import clone
    from sklearn.model_selection import train_test_split

    from labeldist._validation import weights_for
    from labeldist.plots import FeatureImportanceDisplay

    rows = np.arange(len(D)) if weight is None else np.flatnonzero(weight)
    n_test = min(MAX_IMPORTANCE_ROWS, max(1, len(rows) // 4))
    train, test = train_test_split(rows, test_size=n_test, random_state=seed)
    learned, held_out = (None, None) if weight is None else (weight[train], weight[test])
    with reporter.working("Shuffling features") as watch:
        warnings.simplefilter("ignore")  # the fit on all rows has issued them
        fitted = clone(model).fit(X.iloc[train], D.iloc[train], **weights_for(model, learned))
        options: dict[str, Any] = {"rows_name": "held-out rows", "random_state": seed, "watch": watch}
        options["sample_weight"] = held_out
        return FeatureImportanceDisplay.from_estimator(fitted, X.iloc[test], D.iloc[test], **options)
