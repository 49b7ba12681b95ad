"""Output files that appear complete or not at all."""

from __future__ import annotations

from pathlib import Path

from labeldist.utils import whole_file


def write_text(path: Path, text: str) -> None:
    """Write a file in UTF-8; after an error, `path` is as it was before."""
    with whole_file(path) as file:
        file.write(text.encode())
