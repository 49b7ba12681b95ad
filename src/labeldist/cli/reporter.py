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

from labeldist._files import ADVICE_TO_REPLACE, ADVICE_TO_TRUST, write_to_standard_output
from labeldist._tables.column_selection import FEATURE_ADVICE, NO_FEATURE_ADVICE
from labeldist._tables.tables import STANDARD
from labeldist._typing import Watch
from labeldist._validation import ADVICE_FOR_TAGS
from labeldist.exceptions import LabelDistError

# Advice in messages of the library, and what the commands print instead.
ADVICE = {
    ADVICE_FOR_TAGS: "labeldist enhance recovers degrees from tags.",
    ADVICE_TO_REPLACE: "use another name, or --force to replace it",
    ADVICE_TO_TRUST: "Add --trust-boosters if you trust the author of the file.",
    FEATURE_ADVICE: (
        "Write numbers as 1234.5, leave the column out with --ignore, or convert words and gaps "
        "with --prepare."
    ),
    NO_FEATURE_ADVICE: (
        "Join features to this table, or convert words, text, dates and gaps with --prepare."
    ),
}

# Control characters except tabs and line ends; a terminal would obey those in names of labels.
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str) -> str:
    r"""Replace control characters by escapes such as ``\u001b``, which are also valid in JSON."""
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def with_options(text: str) -> str:
    """Replace advice of the library by that of the commands, which names their options."""
    for advice, of_commands in ADVICE.items():
        text = text.replace(advice, of_commands)
    return text


class Reporter:
    """Writes notes and progress to standard error, and the result to standard output.

    The result is text or JSON. It is not printed if the table, `output`, goes to standard output.
    """

    def __init__(self, *, as_json: bool, output: str | None = None) -> None:
        if as_json and output == STANDARD:
            problem = "the table and the JSON cannot both go to standard output"
            raise typer.BadParameter(f"{problem}: name a file with -o.")
        self._as_json = as_json
        self._prints_result = output != STANDARD
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Print a remark about the data or the result, once."""
        text = with_options(text)
        if text in self.notes:  # about another chunk of the table
            return
        self.notes.append(text)
        if not self._as_json:
            with suppress(OSError):  # a closed pipe or a full disk must not prevent the result
                print(f"labeldist: note: {visible(text)}", file=sys.stderr)

    @contextmanager
    def working(self, description: str) -> Iterator[Watch]:
        """Show progress on a terminal during the block.

        Warnings become notes. Every ValueError becomes an error of this library: scikit-learn
        raises it for invalid data, and it does not differ from a ValueError by a mistake in the
        code.
        """
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
            except (ValueError, MemoryError) as error:
                raise LabelDistError(str(error) or "There is not enough memory.") from error
        for text in dict.fromkeys(str(warning.message) for warning in caught):
            self.note(text)

    def result(self, text: str, facts: dict[str, Any]) -> None:
        """Print `facts` as JSON, or `text`."""
        if self._as_json:
            noted = {**facts, "notes": self.notes}
            content = json.dumps(noted, ensure_ascii=False, allow_nan=False, indent=2)
            write_to_standard_output(f"{visible(content)}\n".encode(errors="backslashreplace"))
        elif self._prints_result:
            # File names may be any bytes.
            write_to_standard_output(f"{visible(text)}\n".encode(errors="surrogateescape"))
