"""Which columns of a table are labels and which are features, and their cells as numbers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist._extras import require
from labeldist._tables import kinds
from labeldist._tables.arff import read_label_names
from labeldist._tables.tables import cell_at, listed, read_table
from labeldist.exceptions import TableError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

UNNAMED = re.compile(r"|Unnamed: \d+|__index_level_\d+__")
"""How an index without a name is called that pandas has saved: it only counts the rows."""

MOSTLY = 0.5
"""A column of which more than this share are numbers is one of numbers with mistakes, not one of words."""

OF_FEATURES = "Mend it, leave the column out with --ignore, or have it turned into numbers with --prepare."
OF_LABELS = (
    "Labels are 0 or 1, votes or degrees; a column of classes becomes columns of labels with labeldist votes --label."
)


@dataclass(frozen=True)
class LabelledTable:
    """A table of which it is known what its columns are.

    Attributes
    ----------
    frame : DataFrame
        The whole table.
    labels, features : list of str
        Their columns, in the order of the model.
    left_out : dict
        For each column that is neither and was not named, why.
    """

    frame: pd.DataFrame
    labels: list[str]
    features: list[str]
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802  # the name of the mathematics
        """The features as numbers."""
        return numbers(self.frame, self.features)

    @property
    def Y(self) -> pd.DataFrame:  # noqa: N802  # the name of the mathematics
        """The labels as numbers that are not negative."""
        return degrees(self.frame, self.labels)

    def with_degrees(self, D: Any) -> pd.DataFrame:
        """Return the table with the rows of `D` in its label columns."""
        return with_columns(self.frame, dict(zip(self.labels, np.asarray(D).T, strict=True)))


def read_labelled(path: str | os.PathLike[str], labels: str | Sequence[str], **options: Any) -> LabelledTable:
    r"""Read a table and say which of its columns are labels and which are features.

    Parameters
    ----------
    path : path-like
        As in `read_table`.
    labels : str or sequence of str
        Names, patterns or files of names, as in `choose_columns`.
    **options
        ``features``, ``ignore`` and ``prepare`` of `choose_columns`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import read_labelled
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "songs.csv"
    >>> _ = path.write_text("title,tempo,joy,fear\nAria,90,1,3\nBlues,120,2,2\n")
    >>> songs = read_labelled(path, "joy,fear")
    >>> songs.features, songs.left_out
    (['tempo'], {'title': "holds words such as 'Aria'"})
    >>> BDLDL().fit(songs.X, songs.Y).label_names_
    ['joy', 'fear']
    >>> folder.cleanup()
    """
    return choose_columns(read_table(path), labels, **options)


def choose_columns(
    frame: pd.DataFrame,
    labels: str | Sequence[str],
    *,
    features: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    prepare: bool = False,
    need_features: bool = True,
) -> LabelledTable:
    """Say which columns of `frame` are labels and which are features.

    Parameters
    ----------
    frame : DataFrame
    labels : str or sequence of str
        Names, patterns such as ``emotion_*``, or files that name them (MULAN's ``.xml``; ``.txt``, one a line); several
        in one string have commas between them.
    features : str or sequence of str, optional
        Names or patterns; None is all other columns that hold numbers.
    ignore : str or sequence of str
        Columns that are neither.
    prepare : bool
        Whether columns of words, dates and missing values are features, too, to be turned into numbers later.
    need_features : bool
        Whether a table without features is refused.
    """
    label_columns = match_columns(labels, frame.columns, "label")
    if not label_columns:
        raise TableError(f"No label is named. There are the columns {listed(frame.columns)}.")
    ignored = match_columns(ignore, frame.columns, "ignored")
    both = [name for name in ignored if name in label_columns]
    if both:
        raise TableError(f"Column {listed(both)} cannot be a label and ignored.")
    if features is not None:
        feature_columns = [name for name in match_columns(features, frame.columns, "feature") if name not in ignored]
        both = [name for name in feature_columns if name in label_columns]
        if both:
            raise TableError(f"Column {listed(both)} cannot be a label and a feature.")
        left_out: dict[str, str] = {}
    else:
        others = [name for name in frame.columns if name not in label_columns and name not in ignored]
        left_out = {name: "only counts the rows" for name in others if UNNAMED.fullmatch(name)}
        if not prepare:
            left_out |= {
                name: reason for name in others if name not in left_out and (reason := _is_no_feature(frame[name]))
            }
        feature_columns = [name for name in others if name not in left_out]
    if not feature_columns and need_features:
        reasons = "; ".join(f"{name} {reason}" for name, reason in left_out.items())
        raise TableError(
            f"No column is left for features: the labels are {listed(label_columns)}"
            + (f", and {reasons}. Turn words into numbers with --prepare" if left_out else "")
            + ". Features describe the items; join them to this table first."
        )
    return LabelledTable(frame, label_columns, feature_columns, left_out)


def match_columns(wanted: str | Sequence[str], present: Iterable[Any], kind: str) -> list[str]:
    """Return the columns that names, patterns and files of names ask for, each once, in that order."""
    columns = [str(name) for name in present]
    parts = wanted.split(",") if isinstance(wanted, str) else list(wanted)
    found: dict[str, None] = {}
    for part in (part.strip() for part in parts):
        if part in columns:
            found[part] = None
        elif Path(part).suffix.lower() in (".xml", ".txt"):
            found |= dict.fromkeys(match_columns(_literal(read_label_names(part), columns, part), columns, kind))
        elif part:
            matches = [name for name in columns if fnmatchcase(name, part)] if "*" in part else []
            if not matches:
                one_column(part, columns, kind)  # which says what there is
            found |= dict.fromkeys(matches)
    return list(found)


def one_column(name: str, present: Iterable[Any], kind: str) -> str:
    """Return the name of a column that is there, taken literally."""
    columns = [str(column) for column in present]
    if name not in columns:
        raise TableError(
            f"There is no {kind} column {name!r}.{did_you_mean(name, columns)} There are {listed(columns)}."
        )
    return name


def with_columns(frame: pd.DataFrame, columns: dict[str, Any]) -> pd.DataFrame:
    """Return a table with some columns replaced, or put at its end, whatever they are called."""
    changed = frame.copy()
    for name, values in columns.items():
        changed[name] = values
    return changed


def _literal(names: list[str], columns: list[str], file: str) -> list[str]:
    missing = [name for name in names if name not in columns]
    if missing:
        raise TableError(f"{file} names columns that are not in the table: {listed(missing)}.")
    return names


def numbers(frame: pd.DataFrame, columns: Sequence[str], advice: str = OF_FEATURES) -> pd.DataFrame:
    """Return columns as float64; refuse, with row and column and some advice, a cell that is no finite number."""
    table = {name: kinds.numbers(frame[name]) for name in columns}
    for name, values in table.items():
        wrong = np.flatnonzero(~np.isfinite(values))
        if wrong.size:
            raise TableError(f"{_complaint(frame[name], int(wrong[0]), wrong.size)} {advice}")
    return require("pandas", "app").DataFrame(table, index=frame.index)


def degrees(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return label columns as float64; refuse, with row and column, a cell that is no number or is negative."""
    table = numbers(frame, columns, OF_LABELS)
    negative = np.argwhere(table.to_numpy() < 0)
    if len(negative):
        row, column = negative[0]
        raise TableError(
            f"{cell_at(row, columns[column])} is {frame[columns[column]].iloc[row]}: labels are not negative. Logical "
            "labels are 0 or 1; votes and degrees are 0 or more."
        )
    return table


def typed(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return columns as numbers where they hold nothing but numbers and empty cells, and the others as they are."""
    parsed = {name: kinds.numbers(frame[name]) for name in columns if _is_text_of_numbers(frame[name])}
    return with_columns(frame[list(columns)], parsed)


def _is_text_of_numbers(column: Any) -> bool:
    """Whether text holds numbers and nothing else; what begins with a zero too many is a code, and stays one."""
    if not kinds.holds_objects(column) or kinds.look_at(column).kind not in ("number", "truth"):
        return False
    return not column.astype(str).str.match(r"\s*[+-]?0\d").any()


def _is_no_feature(column: Any) -> str:
    """Say what a column holds that is none of numbers; nothing of one that is, mistakes in it or not."""
    filled = ~kinds.is_missing(column)
    if filled.any() and np.isfinite(kinds.numbers(column))[filled].mean() > MOSTLY:
        return ""
    return kinds.look_at(column).reason


def _complaint(column: Any, row: int, count: int) -> str:
    cell = column.iloc[row]
    more = f" ({count} such cells in this column)" if count > 1 else ""
    if kinds.is_missing(column.iloc[[row]])[0]:
        return f"{cell_at(row, str(column.name))} is empty{more}."
    hint = " Write decimals with a point." if re.fullmatch(r"-?\d+,\d+", str(cell)) else ""
    return f"{cell_at(row, str(column.name))} is {str(cell)!r}, no finite number{more}.{hint}"
