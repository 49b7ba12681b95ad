"""Votes that commands read: a table in one of three shapes, or an export of an annotation tool."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from labeldist.app.cli import table_files as tables
from labeldist.app.cli.reporter import Reporter
from labeldist.app.tables.column_kinds import MISSING
from labeldist.app.tables.column_selection import match_columns
from labeldist.exceptions import LabelDistError, TableError

if TYPE_CHECKING:
    import pandas as pd

    from labeldist.votes import VoteDistributions

SHAPES = "--item and --label (and --annotator), or --annotators, or --counts"
NO_VOTE = (*MISSING, "-", ".", "na", "#N/A", "<NA>")  # Words that mean that a vote is missing.


@dataclass(frozen=True)
class VoteColumns:
    """Options of a command that say how votes are read.

    `tool` is the annotation tool whose export the table is. `label` is then the question.
    """

    item: str | None
    annotator: str | None
    label: str | None
    annotators: str | None
    counts: str | None
    label_names: str | None
    separator: str | None
    tool: str | None
    drop_copies: bool = False

    def __post_init__(self) -> None:
        has_labels = bool(self.label or self.tool)
        shapes = [has_labels, bool(self.annotators), bool(self.counts)]
        lacks_item = self.label and not (self.item or self.tool)
        has_idle_annotator = self.annotator and not has_labels
        if sum(shapes) != 1 or lacks_item or has_idle_annotator:
            raise typer.BadParameter(f"Name the columns of the votes: {SHAPES}.")

    def read(self, path: str, reporter: Reporter) -> tuple[pd.DataFrame, VoteColumns]:
        """Return the table, and the columns of the votes in it."""
        if self.tool is None:
            names = (self.item, self.annotator, self.label, self.annotators)
            frame = tables.read(path, reporter, *names)
            _check_depth(frame, self.annotators or self.counts or self.label)
            return frame, self
        from labeldist.app.annotation_exports import ANNOTATOR, ITEM, LABEL, read_export

        with reporter.working(f"Reading {path}"):
            frame = read_export(path, self.tool, self.label)
        annotator = ANNOTATOR if ANNOTATOR in frame else None
        if annotator and frame[ANNOTATOR].hasnans:
            reporter.note("some votes have no annotator, so annotators are not used.")
            annotator = None
        return frame, replace(self, item=ITEM, annotator=annotator, label=LABEL)

    def matched(self, frame: pd.DataFrame) -> list[str]:
        """Return the columns of annotators or counts; a JSON object is one column."""
        given = self.annotators or self.counts or ""
        if given and nested_columns(frame, given):
            return [given]
        return match_columns(given, frame.columns, "vote")

    def all_in(self, frame: pd.DataFrame) -> list[str]:
        """Return all columns that are part of the votes."""
        found = []
        for name in [self.item, self.annotator, self.label, *self.matched(frame)]:
            if name is not None:
                found += nested_columns(frame, name) or [name]
        return found

    def count(self, frame: pd.DataFrame, reporter: Reporter, **options: Any) -> VoteDistributions:
        """Return the result of `from_votes` with further options."""
        from labeldist.votes import from_votes

        columns = self.matched(frame)
        with reporter.working(f"Counting the votes of {len(frame)} rows"):
            try:
                return from_votes(
                    frame,
                    item=self.item,
                    annotator=self.annotator,
                    label=self.label,
                    annotators=columns if self.annotators else None,
                    counts=columns if self.counts else None,
                    label_names=self.label_names.split(",") if self.label_names else None,
                    separator=self.separator,
                    drop_copies=self.drop_copies,
                    **options,
                )
            except LabelDistError:
                raise
            except ValueError as error:  # an invalid option, not an invalid table
                raise typer.BadParameter(str(error)) from None


def nested_columns(frame: pd.DataFrame, name: str) -> list[str]:
    """Return the columns ``name.a``, ``name.b`` that `read_table` makes of a JSON object `name`."""
    if name in frame.columns:
        return []
    return [column for column in frame.columns if column.startswith(f"{name}.")]


def _check_depth(frame: pd.DataFrame, name: str | None) -> None:
    """Raise an error if the objects in the column of votes contain objects."""
    deep = [column for column in frame.attrs.get("deep", ()) if column.startswith(f"{name}.")]
    if deep and name not in frame:
        problem = f"The objects in column {name!r} contain objects, such as that of {deep[0]!r}"
        raise TableError(f"{problem}. Each must give a label, or a number, to a name.")


def note_labels(votes: VoteDistributions, reporter: Reporter) -> None:
    """Print notes about labels that mean no vote, and about several votes of an annotator."""
    missing = [name for name in votes.label_names if name in NO_VOTE]
    if missing:
        names = " and ".join(missing)
        reporter.note(f"{names} are counted as labels; remove them if they mean no vote.")
    if votes.votes is None:
        return
    n_pairs = len(np.unique(votes.votes[:, :2], axis=0))
    if n_pairs < len(votes.votes):
        effect = "The noise ceiling takes them as independent, so it is too low"
        reporter.note(f"annotators have several votes on an item. {effect}.")
