"""How a command speaks: progress on a terminal, notes on standard error, a result for people or as JSON."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from labeldist._tables.tables import STANDARD
from labeldist.exceptions import LabelDistError

Watch = Callable[[int, int, str], None]
"""Told after each part of the work how many are done, of how many, and which it was."""


class Teller:
    """Gathers what there is to say, and says it once, where it belongs.

    Parameters
    ----------
    as_json : bool
        Whether the result is for a machine.
    output : str
        Where the table goes. While that is standard output, nothing else does.
    """

    def __init__(self, *, as_json: bool, output: str | None = None) -> None:
        if as_json and output == STANDARD:
            raise typer.BadParameter("the table and the JSON cannot both go to standard output: name a file with -o.")
        self._as_json = as_json
        self._output_is_free = output != STANDARD
        self._console = Console(file=sys.stderr)
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Say what a person should know before they trust the result."""
        self.notes.append(text)
        if not self._as_json:
            print(f"labeldist: note: {text}", file=sys.stderr)

    @contextmanager
    def working(self, what: str) -> Iterator[Watch]:
        """Show on a terminal that there is work, and how far it is where that is told; warnings become notes."""
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            try:
                with Progress(
                    *columns, console=self._console, transient=True, disable=not self._console.is_terminal
                ) as progress:
                    task = progress.add_task(what, total=None)
                    yield lambda done, total, name: progress.update(
                        task, completed=done, total=total, description=f"{what}: {name}"
                    )
            except (ValueError, MemoryError) as error:  # scikit-learn's way to say what is wrong with the data
                if isinstance(error, LabelDistError):
                    raise
                raise LabelDistError(str(error) or "There is not enough memory for this.") from error
        for text in dict.fromkeys(str(one.message) for one in caught):
            self.note(text)

    def result(self, text: str, facts: dict[str, Any]) -> None:
        """Say what came out: facts to a machine, else `text`, unless standard output is taken by the table."""
        if self._as_json:
            print(json.dumps({**facts, "notes": self.notes}, ensure_ascii=False, allow_nan=False, indent=2))
        elif self._output_is_free:
            print(text)
