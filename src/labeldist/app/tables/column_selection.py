"""Choice of the label and feature columns of a table, and conversion of their cells to numbers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist.app.tables.column_kinds import (
    ColumnKind,
    TableKinds,
    holds_objects,
    is_missing,
    kind_of,
    to_numbers,
)
from labeldist.app.tables.read_and_write import matches, read_table, reading, with_columns
from labeldist.app.text import cell_at, shortened, word
from labeldist.app.types import Array
from labeldist.exceptions import TableError
from labeldist.utils import did_you_mean, listed, name_of, require

if TYPE_CHECKING:
    import pandas as pd

# Names of a saved pandas index.
UNNAMED_INDEX = re.compile(r"|Unnamed: \d+(\.\d+)*|__index_level_\d+__")
FEATURE_ADVICE = (
    "Write numbers as 1234.5, leave the column out with --ignore, or convert words and gaps with "
    "--prepare."
)
NO_FEATURE_ADVICE = (
    "Join features to this table, or convert words, text, dates and gaps with --prepare."
)
LABEL_ADVICE = "Labels are 0 or 1, votes or degrees."
LARGEST_DEGREE = 1e100  # so that sums and squares are finite


@dataclass(frozen=True)
class LabelledTable:
    """A table with its label and feature columns.

    Parameters
    ----------
    frame : DataFrame
        The whole table.
    labels, features : list of str
        The names of the label and feature columns.
    left_out : dict
        The reason for each column that was not named and is neither.
    kinds : TableKinds, default=None
        The kinds of the columns, if they are known already.

    Attributes
    ----------
    X : DataFrame
        The features as numbers.
    Y : DataFrame
        The labels as non-negative numbers.

    See Also
    --------
    read_labelled : Read such a table from a file.

    Examples
    --------
    >>> import pandas as pd
    >>> from labeldist.app.tables.column_selection import LabelledTable
    >>> LabelledTable(pd.DataFrame({"tempo": ["90"], "joy": ["1"]}), ["joy"], ["tempo"]).X
       tempo
    0   90.0
    """

    frame: pd.DataFrame
    labels: list[str]
    features: list[str]
    left_out: dict[str, str] = field(default_factory=dict)
    kinds: TableKinds = field(default=None, repr=False)  # type: ignore[assignment]  # set below

    def __post_init__(self) -> None:
        if self.kinds is None:
            object.__setattr__(self, "kinds", TableKinds(self.frame))

    @cached_property
    def X(self) -> pd.DataFrame:  # noqa: N802  # the name of features everywhere
        """The features as numbers."""
        return finite_columns(self.frame, {name: self.kinds[name].values for name in self.features})

    @cached_property
    def Y(self) -> pd.DataFrame:  # noqa: N802
        """The labels as non-negative numbers."""
        return degrees(self.frame, self.labels)

    def with_degrees(self, D: Any) -> pd.DataFrame:
        """Replace the labels by degrees.

        Parameters
        ----------
        D : array-like of shape (n_items, n_labels)
            The degrees.

        Returns
        -------
        DataFrame
            The whole table with `D` in its label columns.
        """
        check_order("D", D, self.frame, self.labels)
        return with_columns(self.frame, dict(zip(self.labels, np.asarray(D).T, strict=True)))


def read_labelled(
    path: str | os.PathLike[str],
    labels: str | Sequence[str],
    *,
    features: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    prepare: bool = False,
) -> LabelledTable:
    r"""Read a table and choose its label and feature columns.

    Parameters
    ----------
    path : path-like
        A file of a format that `read_table` supports.
    labels : str or sequence of str
        Names, patterns such as ``emotion_*``, or files of names (``.xml`` of MULAN, ``.txt``),
        separated by commas.
    features : str or sequence of str, default=None
        Names or patterns; None is all other columns of numbers.
    ignore : str or sequence of str, default=()
        Columns that are neither labels nor features.
    prepare : bool, default=False
        Whether columns of words, text, dates and missing values are also features.

    Returns
    -------
    LabelledTable
        The table and its columns.

    See Also
    --------
    read_table : Read a table without choosing columns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from labeldist.app.tables.column_selection import read_labelled
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "songs.csv")
    ...     _ = path.write_text("title,tempo,joy,fear\nAria,90,1,3\nBlues,120,2,2\n")
    ...     songs = read_labelled(path, "joy,fear")
    >>> songs.features, songs.left_out
    (['tempo'], {'title': "holds words such as 'Aria'"})
    """
    return choose_columns(
        read_table(path), labels, features=features, ignore=ignore, prepare=prepare
    )


def choose_columns(
    frame: pd.DataFrame,
    labels: str | Sequence[str],
    *,
    features: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    prepare: bool = False,
    need_features: bool = True,
    kinds: TableKinds | None = None,
) -> LabelledTable:
    """Choose the label and feature columns of `frame`; `read_labelled` explains the parameters.

    `kinds` are those of the columns of `frame`, if they are known already.
    """
    if kinds is None:
        kinds = TableKinds(frame)
    label_columns = match_columns(labels, frame.columns, "label")
    if not label_columns:
        raise TableError(f"No label is named. The table has the columns {listed(frame.columns)}.")
    ignored = match_columns(ignore, frame.columns, "ignored")
    check_apart("label", label_columns, ignored)
    left_out: dict[str, str] = {}
    if features is not None:
        named = match_columns(features, frame.columns, "feature")
        check_apart("label", label_columns, named)
        feature_columns = [name for name in named if name not in ignored]
    else:
        feature_columns = []
        for name in frame.columns.drop([*label_columns, *ignored]):
            reason = _why_not_feature(name, kinds[name], prepare)
            if reason:
                left_out[name] = reason
            else:
                feature_columns.append(name)
    table = LabelledTable(frame, label_columns, feature_columns, left_out, kinds)
    if need_features:
        check_features(table)
    return table


def check_features(table: LabelledTable) -> None:
    """Raise a TableError if a table has no features."""
    if not table.features:
        reasons = listed(f"{name} {reason}" for name, reason in table.left_out.items())
        problem = f"The table has no feature column: {reasons}".removesuffix(": ")
        raise TableError(f"{problem}. {NO_FEATURE_ADVICE}")


def check_apart(kind: str, columns: Iterable[str], others: Sequence[str | None]) -> None:
    """Raise a TableError if one of the `columns`, labels or features, is among the `others`."""
    both = [name for name in columns if name in others]
    if both:
        raise TableError(f"Column {listed(both)} is a {kind} already; it cannot be used twice.")


def match_columns(wanted: str | Sequence[str], present: Iterable[Any], kind: str) -> list[str]:
    """Return the columns that names, patterns and files of names match, each once."""
    columns = dict.fromkeys(str(name) for name in present)
    if isinstance(wanted, str):
        wanted = [wanted] if wanted in columns else wanted.split(",")
    found: list[str] = []
    for given in filter(None, wanted):
        name = given if given in columns else given.strip()
        if name in columns:
            found.append(name)
        elif Path(name).suffix.lower() in (".xml", ".txt"):
            found += [one_column(label, columns, kind) for label in read_label_names(name)]
        elif name:
            matching = [column for column in columns if matches(column, name)]
            found += matching or [one_column(name, columns, kind)]
    return list(dict.fromkeys(found))


def check_order(name: str, table: Any, frame: pd.DataFrame, labels: Sequence[str]) -> None:
    """Raise an error if a data frame has other columns than `labels`, or another order of rows.

    Its rows are those of `frame` if both have the same index. Arrays have no names to compare.
    """
    if hasattr(table, "to_pandas"):  # polars or pyarrow
        table = table.to_pandas()
    if hasattr(table, "columns") and [str(column) for column in table.columns] != list(labels):
        problem = f"{name} must have the labels {list(labels)}, in this order"
        raise TableError(f"{problem}; got {list(table.columns)}.")
    if not hasattr(table, "iloc") or frame.index.equals(table.index):
        return
    ours = [name_of(row) for row in frame.index]
    theirs = [name_of(row) for row in table.index]
    if ours != theirs and set(ours) == set(theirs):
        problem = f"{name} and the table have the same rows in different orders"
        raise TableError(f"{problem}. Reorder them, or pass an array without names.")


def one_column(name: str, present: Iterable[Any], kind: str) -> str:
    """Return `name`, or raise a TableError if no column has this name."""
    columns = [str(column) for column in present]
    if name not in columns:
        hint = did_you_mean(name, columns)
        raise TableError(f"There is no {kind} column {name!r}.{hint} There are {listed(columns)}.")
    return name


def read_label_names(path: str | os.PathLike[str]) -> list[str]:
    """Read names of label columns from MULAN's XML, or from text with one name per line."""
    with reading(path) as file:
        content = file.read()
        if Path(path).suffix.lower() == ".xml":
            parser = require("defusedxml.ElementTree", "tables")
            try:
                root = parser.fromstring(content, forbid_dtd=True)
            except require("defusedxml.common", "tables").DefusedXmlException:
                raise ValueError("it has a DTD or entities; remove them") from None
            names = [element.get("name", "") for element in root.findall(".//{*}label")]
        else:
            names = content.decode("utf-8-sig").splitlines()
    return [name.strip() for name in names if name.strip()]


def numeric_columns(
    frame: pd.DataFrame, columns: Sequence[str], advice: str = FEATURE_ADVICE
) -> pd.DataFrame:
    """Convert columns to float64; a cell that is not a finite number raises a TableError."""
    values = {name: to_numbers(frame[name]) for name in columns}
    return finite_columns(frame, values, advice)


def finite_columns(
    frame: pd.DataFrame, table: dict[str, Array], advice: str = FEATURE_ADVICE
) -> pd.DataFrame:
    """Return converted columns of `frame`; a number that is not finite raises a TableError."""
    for name, values in table.items():
        if not np.isfinite(values).all():
            _raise_not_finite(frame[name], values, advice)
    return require("pandas", "app").DataFrame(table, index=frame.index)


def _raise_not_finite(cells: Any, values: Array, advice: str) -> None:
    row = np.flatnonzero(~np.isfinite(values))[0]
    is_empty = is_missing(cells)[row]
    problem = "empty" if is_empty else f"{shortened(str(cells.iloc[row]))}, not a finite number"
    place = cell_at(cells.index[row], cells.name)
    raise TableError(f"{place} is {problem}. {advice}")


def degrees(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Convert label columns to float64; negative and huge numbers also raise a TableError."""
    table = numeric_columns(frame, columns, LABEL_ADVICE)
    values = table.to_numpy()
    invalid = np.argwhere((values < 0) | (values > LARGEST_DEGREE))
    if len(invalid):
        row, column = invalid[0]
        place = cell_at(table.index[row], columns[column])
        value = values[row, column]
        problem = "negative" if value < 0 else f"more than {LARGEST_DEGREE:g}"
        raise TableError(f"{place} is {value:g}, {problem}. {LABEL_ADVICE}")
    return table


def typed(
    frame: pd.DataFrame, columns: Sequence[str], features: Iterable[str] = ()
) -> pd.DataFrame:
    """Convert columns of text that hold only numbers and empty cells; keep all others.

    Truth values such as yes and no, and numbers that Python prints in another way, such as 3.10,
    1E1 and 007, are converted only in `features`.
    """
    converted = {}
    features = set(features)
    for name in columns:
        cells = frame[name]
        if not holds_objects(cells):
            continue
        found = kind_of(cells)
        are_numbers = found.kind in ("number", "truth")
        if are_numbers and (name in features or _are_printed(cells, found.values)):
            converted[name] = found.values
    return with_columns(frame[list(columns)], converted)


def _are_printed(cells: Any, values: Array) -> bool:
    """Return whether all filled cells are texts of `values`, either 5.0 or 5 for whole numbers."""
    filled = ~is_missing(cells)
    texts = [str(cell).strip() for cell in cells[filled]]
    filled_values = values[filled].tolist()
    if texts == [str(value) for value in filled_values]:
        return True
    return texts == [word(value) for value in filled_values]


def _why_not_feature(name: str, found: ColumnKind, prepare: bool) -> str:
    """Return why a column is not a feature, or an empty text.

    A few cells that are not numbers are mistakes, which are raised later.
    """
    if UNNAMED_INDEX.fullmatch(name):
        return "only counts the rows"
    is_number = np.isfinite(found.values)
    if is_number.all():
        return ""
    n_filled = np.count_nonzero(~found.missing)
    if prepare:
        is_feature = n_filled > 0 and found.kind != "name"
    else:
        is_feature = bool(np.count_nonzero(is_number) > n_filled / 2)
    return "" if is_feature else found.reason
