"""Votes that commands read: a table in one of three shapes, or an export of an annotation tool."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

from labeldist.app.cli import io
from labeldist.app.cli.reporter import Reporter
from labeldist.app.tables.column_selection import match_columns
from labeldist.exceptions import LabelDistError

if TYPE_CHECKING:
    import pandas as pd

# Smoothing with which items without votes are accepted, and the shares of others stay as they are.
WITHOUT_VOTES = 1e-9
SHAPES = "--item and --label (and --annotator), or --annotators, or --counts"


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

    def read(self, path: str, reporter: Reporter) -> tuple[pd.DataFrame, VoteColumns]:
        """Return the table, and the columns of the votes in it."""
        if self.tool is None:
            names = (self.item, self.annotator, self.label, self.annotators)
            return io.read(path, reporter, *names), self
        from labeldist.app.exports import ANNOTATOR, ITEM, LABEL, read_export

        with reporter.working(f"Reading {path}"):
            frame = read_export(path, self.tool, self.label)
        annotator = ANNOTATOR if ANNOTATOR in frame else None
        if annotator and frame[ANNOTATOR].hasnans:
            reporter.note("some votes have no annotator, so annotators are not used.")
            annotator = None
        return frame, replace(self, item=ITEM, annotator=annotator, label=LABEL)

    def of_votes(self, frame: pd.DataFrame) -> list[str]:
        """Return the columns of annotators or counts; a JSON object is one column."""
        from labeldist.votes._vote_tables import nested_columns

        given = self.annotators or self.counts or ""
        if given and nested_columns(frame, given):
            return [given]
        return match_columns(given, frame.columns, "vote")

    def count(self, frame: pd.DataFrame, reporter: Reporter, **options: Any) -> Any:
        """Return the result of `from_votes` with further options."""
        from labeldist.votes import _vote_tables, from_votes

        columns = self.of_votes(frame)
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
                raise typer.BadParameter(str(error).replace(_vote_tables.SHAPES, SHAPES)) from None
