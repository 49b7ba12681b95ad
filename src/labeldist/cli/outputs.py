"""Where a table goes: checked before the work is done, written whole after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from labeldist._files import check_free
from labeldist._tables.columns import typed
from labeldist._tables.tables import STANDARD, check_format, keeps_types, write_table

if TYPE_CHECKING:
    import pandas as pd


def check_output(output: str, *, force: bool) -> None:
    """Refuse a table that could not be written."""
    check_format(output)
    if output != STANDARD:
        check_free(output, force=force)


def check_files(*paths: str | None, force: bool) -> None:
    """Refuse files that could not be written, or that are one."""
    named = [path for path in paths if path]
    if STANDARD in named:
        raise typer.BadParameter("this goes to a file, not to standard output: give it a name.")
    if len(set(named)) < len(named):
        raise typer.BadParameter(f"{' and '.join(named)} cannot all go to one file.")
    for path in named:
        check_free(path, force=force)


def refuse_words(frame: pd.DataFrame, output: str, labels: Sequence[str]) -> None:
    """Refuse, before the work is done, words where the format has room for numbers only."""
    check_format(output, typed(frame, [name for name in frame.columns if name not in labels]))


def deliver(frame: pd.DataFrame, output: str, labels: Sequence[str], *, force: bool) -> None:
    """Write a table; where the format knows types, text that holds numbers becomes numbers."""
    frame = typed(frame, list(frame.columns)) if keeps_types(output) else frame
    write_table(frame, output, labels=labels, overwrite=force)
