"""Output files that are written as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labeldist.exceptions import OutputError


def write_text(path: Path, text: str) -> None:
    """Write a file under a temporary name in the same folder, and give it its name at the end.

    After an error, `path` is as it was before.
    """
    make_folder(path.parent)
    with _output_errors(path), tempfile.TemporaryDirectory(dir=path.parent) as folder:
        temporary = Path(folder, path.name)
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)


def make_folder(path: Path) -> None:
    """Create a folder for output files if needed."""
    with _output_errors(path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def _output_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from error
