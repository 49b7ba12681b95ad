"""Output of a command: progress, notes, and the result as text or JSON."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import typer

from labeldist.app.standard_output import write_to_standard_output
from labeldist.app.tables.read_and_write import STANDARD
from labeldist.app.types import Callback
from labeldist.exceptions import Hint, LabelDistError
from labeldist.utils import listed

# What the commands print in place of the hints of the library.
HINTS: dict[str, str] = {
    Hint.ANNOTATORS: "If its objects are {annotator: vote}, name it in --annotators.",
    Hint.COUNTS: "If its objects are {label: number of votes}, name it in --counts.",
    Hint.DROP_COPIES: "--drop-copies counts copies of a vote once.",
    Hint.NO_VOTES: "Drop these items, or use --smoothing or labeldist estimate.",
    Hint.OVERWRITE: "Use another name, or --force to replace it.",
    Hint.SEPARATOR: "If cells list several labels, name the text between these in --separator.",
    Hint.TAGS: "labeldist enhance recovers degrees from tags.",
    Hint.TRUST: "Add --trust-boosters if you trust the author of the file.",
}

MAX_COLUMNS = 40  # Of more columns, those of the same kind share a line.
COLUMNS_TITLE = "labeldist: columns (--text, --categories and --ignore change their use):"
MAX_MESSAGE = 4_000  # characters; a cell or a name can have millions

# Control characters except tabs and line ends; a terminal would obey those in names of labels.
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str) -> str:
    r"""Replace control characters by escapes such as ``\u001b``, which are also valid in JSON."""
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def message(text: str) -> str:
    """Return a note or error as it is printed, without control characters, and not too long."""
    return visible(text if len(text) <= MAX_MESSAGE else f"{text[:MAX_MESSAGE]}…")


def text_of(problem: Any) -> str:
    """Return the text of an error or a warning, with a hint that names options of the commands."""
    hint = getattr(problem, "hint", "")
    if hint not in HINTS:
        return str(problem)
    return f"{problem.message} {HINTS[hint]}"


class Reporter:
    """Writes notes and progress to standard error, and the result to standard output.

    The result is text or JSON. It is not printed if the table, `output`, goes to standard output.
    If `output` is a file and standard output is closed, the text is not printed either.
    """

    def __init__(self, *, as_json: bool, output: str | None = None) -> None:
        if as_json and output == STANDARD:
            problem = "the table and the JSON cannot both go to standard output"
            raise typer.BadParameter(f"{problem}: name a file with -o.")
        self._as_json = as_json
        is_closed = sys.stdout is None and output is not None
        self._prints_result = output != STANDARD and not is_closed
        self.notes: list[str] = []
        self._columns: dict[str, str] = {}

    def note(self, text: str) -> None:
        """Print a remark about the data or the result, once."""
        if text in self.notes:  # about another chunk of the table
            return
        self.notes.append(text)
        if not self._as_json:
            with suppress(OSError):  # a closed pipe or a full disk must not prevent the result
                print(f"labeldist: note: {message(text)}", file=sys.stderr)

    def columns(self, descriptions: dict[str, str]) -> None:
        """Print what becomes of each column of a table; of many, equal ones share a line."""
        self._columns = descriptions
        if self._as_json:
            return
        lines = [f"{name}: {text}" for name, text in descriptions.items()]
        if len(lines) > MAX_COLUMNS:
            names: dict[str, list[str]] = {}
            for name, text in descriptions.items():
                names.setdefault(text, []).append(name)
            lines = [f"{listed(some, 5)}: {text}" for text, some in names.items()]
        rest = len(lines) - MAX_COLUMNS
        if rest > 0:
            lines[MAX_COLUMNS:] = [f"and {rest} more, which --json shows"]
        shown = "\n".join(f"  {line}" for line in lines)
        with suppress(OSError):
            print(f"{COLUMNS_TITLE}\n{visible(shown)}", file=sys.stderr)

    @contextmanager
    def working(self, description: str) -> Iterator[Callback]:
        """Show progress on a terminal during the block, with the conversions of `noting`."""
        from rich.console import Console
        from rich.progress import Progress

        console = Console(file=sys.stderr)
        progress = Progress(console=console, transient=True, disable=not console.is_terminal)
        with self.noting(), progress:
            task = progress.add_task(description, total=None)
            yield lambda done, total, name: progress.update(
                task, completed=done, total=total, description=f"{description}: {name}"
            )

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Convert warnings to notes, and a ValueError to an error of this library.

        scikit-learn raises a ValueError for invalid data, and it does not differ from a ValueError
        by a mistake in the code.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            try:
                yield
            except LabelDistError:
                raise
            except (ValueError, MemoryError) as error:
                raise LabelDistError(str(error) or "There is not enough memory.") from error
        for warning in caught:
            self.note(text_of(warning.message))

    def result(self, text: str, facts: dict[str, Any]) -> None:
        """Print `facts` as JSON, or `text`."""
        if self._as_json:
            noted = {**facts, "notes": self.notes}
            if self._columns:
                noted["columns"] = self._columns
            content = json.dumps(noted, ensure_ascii=False, allow_nan=False, indent=2)
            write_to_standard_output(f"{visible(content)}\n".encode(errors="backslashreplace"))
        elif self._prints_result:
            # File names may be any bytes.
            write_to_standard_output(f"{visible(text)}\n".encode(errors="surrogateescape"))
