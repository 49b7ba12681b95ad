"""Choice of the label and feature columns of a table, and conversion of their cells to numbers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist._extras import require
from labeldist._tables import kinds
from labeldist._tables.tables import cell_at, listed, matches, read_table, reading
from labeldist._typing import Array
from labeldist._validation import check_label_names, check_rows
from labeldist.exceptions import TableError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

UNNAMED_INDEX = re.compile(r"|Unnamed: \d+(\.\d+)*|__index_level_\d+__")  # Names of a saved pandas index.
FEATURE_ADVICE = "Write numbers as 1234.5, leave columns out with --ignore, or convert words and gaps with --prepare."
LABEL_ADVICE = "Labels are 0 or 1, votes or degrees. labeldist votes --label converts a column of classes."


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
    >>> from labeldist.datasets import LabelledTable
    >>> LabelledTable(pd.DataFrame({"tempo": ["90"], "joy": ["1"]}), ["joy"], ["tempo"]).X
       tempo
    0   90.0
    """

    frame: pd.DataFrame
    labels: list[str]
    features: list[str]
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802  # documented in the class
        return numbers(self.frame, self.features)

    @property
    def Y(self) -> pd.DataFrame:  # noqa: N802
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
        check_label_names(D, self.labels, "D")
        check_rows(table=self.frame, D=D)
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
        A file that `read_table` reads.
    labels : str or sequence of str
        Names, patterns such as ``emotion_*``, or files of names (``.xml`` of MULAN, ``.txt``), separated by commas.
    features : str or sequence of str, default=None
        Names or patterns; None is all other columns of numbers.
    ignore : str or sequence of str, default=()
        Columns that are neither labels nor features.
    prepare : bool, default=False
        Whether columns of words, text, dates and missing values are features, too.

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
    >>> from labeldist.datasets import read_labelled
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "songs.csv").write_text("title,tempo,joy,fear\nAria,90,1,3\nBlues,120,2,2\n")
    ...     songs = read_labelled(Path(folder, "songs.csv"), "joy,fear")
    >>> songs.features, songs.left_out
    (['tempo'], {'title': "holds words such as 'Aria'"})
    """
    return choose_columns(read_table(path), labels, features=features, ignore=ignore, prepare=prepare)


def choose_columns(
    frame: pd.DataFrame,
    labels: str | Sequence[str],
    *,
    features: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    prepare: bool = False,
    need_features: bool = True,
) -> LabelledTable:
    """Choose the label and feature columns of `frame`; the parameters are those of `read_labelled`."""
    label_columns = match_columns(labels, frame.columns, "label")
    if not label_columns:
        raise TableError(f"No label is named. The table has the columns {listed(frame.columns)}.")
    ignored = match_columns(ignore, frame.columns, "ignored")
    left_out: dict[str, str] = {}
    if features is not None:
        named = match_columns(features, frame.columns, "feature")
        feature_columns = [name for name in named if name not in ignored]
        if "*" not in "".join(features):
            check_apart("feature", named, ignored)
    else:
        others = [name for name in frame.columns if name not in label_columns and name not in ignored]
        reasons = {name: _why_not_feature(name, frame[name], prepare) for name in others}
        left_out = {name: reason for name, reason in reasons.items() if reason}
        feature_columns = [name for name in others if name not in left_out]
    check_apart("label", label_columns, [*ignored, *feature_columns])
    if need_features and not feature_columns:
        others = [f"{name} {reason}" for name, reason in left_out.items()]
        advice = "Join features to this table, or convert words, text, dates and gaps with --prepare."
        raise TableError(f"The table has no feature column. Other columns: {listed(others) or 'none'}. {advice}")
    return LabelledTable(frame, label_columns, feature_columns, left_out)


def total_among(kind: str, lines: Any, table: Array) -> str:
    """Return a message if a row of `table` is the sum of all others, as a total is; `lines` are the rows' names."""
    totals = np.flatnonzero(np.isclose(2 * table, table.sum(axis=0), atol=0).all(axis=1))
    if not totals.size or len(table) < 3 or (kind == "label" and table.shape[1] < 3):
        return ""  # few numbers may be equal by chance
    return f"The {kind} {listed(lines[k] for k in totals)} is as large as all others together. Leave totals out."


def check_apart(kind: str, columns: Iterable[str], others: Sequence[str | None]) -> None:
    """Raise an error if one of the `columns`, which are labels or features, is among the `others`."""
    both = [name for name in columns if name in others]
    if both:
        uses = "be ignored, a feature, or hold items or weights" if kind == "label" else "be ignored, or hold weights"
        raise TableError(f"Column {listed(both)} is a {kind}; it cannot {uses}, too.")


def match_columns(wanted: str | Sequence[str], present: Iterable[Any], kind: str) -> list[str]:
    """Return the columns that names, patterns and files of names match, each once, in that order."""
    columns = [str(name) for name in present]
    if isinstance(wanted, str):
        wanted = [wanted] if wanted in columns else wanted.split(",")
    found: list[str] = []
    for given in filter(None, wanted):
        part = given if given in columns else given.strip()
        if part in columns:
            found.append(part)
        elif Path(part).suffix.lower() in (".xml", ".txt"):
            names = (name if name in columns else name.strip() for name in read_label_names(part))
            found += [one_column(name, columns, kind) for name in names]
        elif part:
            matching = [name for name in columns if matches(name, part)] if "*" in part else []
            found += matching or [one_column(part, columns, kind)]
    return list(dict.fromkeys(found))


def one_column(name: str, present: Iterable[Any], kind: str) -> str:
    """Return `name`, or raise an error if no column has this name."""
    columns = [str(column) for column in present]
    if name not in columns:
        hint = did_you_mean(name, columns)
        raise TableError(f"There is no {kind} column {name!r}.{hint} There are {listed(columns)}.")
    return name


def with_columns(frame: pd.DataFrame, columns: dict[str, Any]) -> pd.DataFrame:
    """Return a table with some columns replaced or added; unlike DataFrame.assign, it takes a column named self."""
    changed = frame.copy()
    for name, values in columns.items():
        changed[name] = values
    return changed


def read_label_names(path: str | os.PathLike[str]) -> list[str]:
    """Read the names of label columns from MULAN's XML, or from a text file with one name per line."""
    with reading(path) as file:
        content = file.read()
        if Path(path).suffix.lower() == ".xml":
            root = require("defusedxml.ElementTree", "tables").fromstring(content, forbid_dtd=True)
            names = [element.get("name") for element in root.findall(".//{*}label")]
        else:
            names = content.decode("utf-8-sig").splitlines()
        names = [name for name in names if name and name.strip()]
        if not names:
            raise ValueError("it names no labels")
    return names


def numbers(frame: pd.DataFrame, columns: Sequence[str], advice: str = FEATURE_ADVICE) -> pd.DataFrame:
    """Convert columns to float64; raise an error that names the first cell that is not a finite number."""
    table = {name: kinds.numbers(frame[name]) for name in columns}
    for name, values in table.items():
        if str(frame[name].dtype) == "category" and (kind := kinds.kind_of(frame[name])).kind == "category":
            raise TableError(f"Column {name!r} {kind.reason}, not quantities. {advice}")
        wrong = np.flatnonzero(~np.isfinite(values))
        if wrong.size:
            cell = frame[name].iloc[wrong[:1]]
            problem = "empty" if kinds.is_missing(cell)[0] else f"{str(cell.iloc[0])!r}, not a finite number"
            count = f" ({wrong.size} such cells in this column)" if wrong.size > 1 else ""
            raise TableError(f"{cell_at(frame.index[wrong[0]], name)} is {problem}{count}. {advice}")
    return require("pandas", "app").DataFrame(table, index=frame.index)


def degrees(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Convert label columns as `numbers` does; negative numbers are errors, too."""
    table = numbers(frame, columns, LABEL_ADVICE)
    negative = np.argwhere(table.to_numpy() < 0)
    if len(negative):
        row, column = negative[0]
        place = cell_at(table.index[row], columns[column])
        raise TableError(f"{place} is {table.iloc[row, column]:g}, negative. {LABEL_ADVICE}")
    return table


def typed(frame: pd.DataFrame, columns: Sequence[str], features: Iterable[str] = ()) -> pd.DataFrame:
    """Convert columns of text that hold only numbers, truth values and empty cells; keep all others.

    Words such as yes and no, and numbers that Python prints in another way, such as 3.10, 1E1 and +4917, are converted
    only in `features`. Codes with leading zeros and integers that float64 does not represent exactly are always kept.
    """
    converted = {}
    for name in columns:
        column = frame[name]
        has_codes = column.astype(str).str.match(r"\s*[+-]?(0\d|\d{16,}\s*$)").any()
        kind = kinds.kind_of(column).kind
        if kinds.holds_objects(column) and not has_codes and kind in ("number", "truth"):
            values = kinds.numbers(column)
            texts = [pair for pair in zip(column, values.tolist(), strict=True) if isinstance(pair[0], str)]
            printed = [[cell.strip() == form(x) or np.isnan(x) for cell, x in texts] for form in (str, kinds.word)]
            if name in features or any(map(all, printed)):
                converted[name] = values
    return with_columns(frame[list(columns)], converted)


def _why_not_feature(name: str, column: Any, prepare: bool) -> str:
    """Return why a column is not a feature, or an empty text; a few cells that are not numbers are mistakes."""
    if UNNAMED_INDEX.fullmatch(name):
        return "only counts the rows"
    kind = kinds.kind_of(column)
    if prepare:
        return kind.reason if kind.kind == "name" else ""
    filled = ~kinds.is_missing(column)
    is_category = str(column.dtype) == "category" and kind.kind != "truth"
    mostly_numbers = filled.any() and np.isfinite(kinds.numbers(column)[filled]).mean() > 0.5
    return "" if mostly_numbers and not is_category else kind.reason
