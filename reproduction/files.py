"""Output files."""

from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Write a file, and create its folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
