"""Notes about the columns and the degrees of a table."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from labeldist.app.cli.reporter import Reporter
from labeldist.app.tables.column_selection import LabelledTable
from labeldist.app.tables.leakage import Leak
from labeldist.app.types import VOTES_COLUMN
from labeldist.utils import listed

if TYPE_CHECKING:
    import pandas as pd

FEW_ROWS = 5  # In so few rows, a feature may be 1, 2, 3, … by chance.
ROUNDING = 0.02  # Sums of rounded degrees differ from one by at most this.


def note_left_out(table: LabelledTable, reporter: Reporter) -> None:
    """Print a note for each column that is not a feature."""
    for name, reason in table.left_out.items():
        kind = table.kinds[name].kind
        converts = kind in ("category", "text", "date")
        advice = " --prepare converts words, text and dates to numbers." if converts else ""
        reporter.note(f"column {name!r} is not a feature: it {reason}.{advice}")


def describe_columns(table: LabelledTable, reporter: Reporter) -> None:
    """Print what `--prepare` makes of each column."""
    from labeldist.app.tables.preparation import describe_column

    descriptions = {}
    for name in table.frame.columns:
        if name in table.left_out:
            descriptions[name] = f"left out: it {table.left_out[name]}"
        elif name in table.features:
            descriptions[name] = describe_column(table.kinds, name)
    reporter.columns(descriptions)


def note_votes(table: LabelledTable, reporter: Reporter) -> None:
    """Print a note if a feature has the name of the column with the numbers of votes."""
    name = VOTES_COLUMN
    if name in table.features:
        advice = f"If it counts votes, add --ignore {name}, or --weights {name} to labeldist fit."
        reporter.note(f"column {name!r} is used as a feature. {advice}")


def note_identifiers(table: LabelledTable, reporter: Reporter) -> None:
    """Print a note for each feature that counts the rows, or looks like an identifier."""
    for name in table.features:
        values = table.kinds[name].values
        if not np.isfinite(values).all():
            continue
        counts_rows = len(values) > FEW_ROWS and (np.diff(values) == 1).all()
        is_named = name.lower().endswith(("id", "index", "item", "key"))
        is_whole = (values % 1 == 0).all()
        if counts_rows or (is_named and is_whole and table.frame[name].is_unique):
            advice = f"If it identifies the items, add --ignore {shlex.quote(name)}."
            reporter.note(f"column {name!r} is used as a feature. {advice}")


def note_leaks(leaks: Sequence[Leak], reporter: Reporter) -> None:
    """Print one note about all features that reveal a label."""
    if not leaks:
        return
    findings = [f"column {leak.feature!r} {leak.finding}" for leak in leaks]
    names = ",".join(leak.feature for leak in leaks)
    subject = "it is" if len(leaks) == 1 else "they are"
    advice = f"If {subject} computed from the labels, add --ignore {shlex.quote(names)}"
    reporter.note(
        f"{listed(findings, 5)}. {advice}: otherwise the skill will not hold on new items."
    )


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
