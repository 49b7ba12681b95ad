"""Output of a command: progress, notes, and the result as text or JSON."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import typer

from labeldist._files import write_to_standard_output
from labeldist._tables.tables import STANDARD
from labeldist.exceptions import LabelDistError

Watch = Callable[[int, int, str], None]  # Called with the finished parts, all parts, and the name of the last one.


class Reporter:
    """Writes notes and progress to standard error, and the result, as text or JSON, to standard output.

    No result is printed if the table, `output`, goes to standard output.
    """

    def __init__(self, *, as_json: bool, output: str | None = None) -> None:
        if as_json and output == STANDARD:
            raise typer.BadParameter("the table and the JSON cannot both go to standard output: name a file with -o.")
        self._as_json = as_json
        self._prints_result = output != STANDARD
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Print a remark about the data or the result."""
        self.notes.append(text)
        if not self._as_json:
            with suppress(OSError):  # a closed pipe or a full disk must not prevent the result
                print(f"labeldist: note: {text}", file=sys.stderr)

    @contextmanager
    def working(self, description: str) -> Iterator[Watch]:
        """Show progress on a terminal during the block; warnings become notes, ValueErrors become our errors."""
        from rich.console import Console
        from rich.progress import Progress

        console = Console(file=sys.stderr)
        progress = Progress(console=console, transient=True, disable=not console.is_terminal)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            try:
                with progress:
                    task = progress.add_task(description, total=None)
                    yield lambda done, total, name: progress.update(
                        task, completed=done, total=total, description=f"{description}: {name}"
                    )
            except LabelDistError:
                raise
            except (ValueError, MemoryError) as error:  # scikit-learn raises ValueError for invalid data
                raise LabelDistError(str(error) or "There is not enough memory.") from error
        for text in dict.fromkeys(str(warning.message) for warning in caught):
            self.note(text)

    def result(self, text: str, facts: dict[str, Any]) -> None:
        """Print `facts` as JSON, or `text`."""
        if sys.stdout is None:  # closed
            return
        if self._as_json:
            content = json.dumps({**facts, "notes": self.notes}, ensure_ascii=False, allow_nan=False, indent=2)
            write_to_standard_output(f"{content}\n".encode(errors="backslashreplace"))
        elif self._prints_result:
            write_to_standard_output(f"{text}\n".encode(errors="surrogateescape"))  # file names may be any bytes
