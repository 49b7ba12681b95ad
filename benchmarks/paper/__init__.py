"""The figures that the paper prints."""

import csv
from collections.abc import Iterable
from pathlib import Path

MARGIN = 0.05
"""Relative difference from the paper above which a figure of ours is marked."""


def figures(file: str, measures: Iterable[str]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the figures of a file by set and method."""
    with (Path(__file__).parent / file).open(encoding="utf-8") as lines:
        return {
            (row["dataset"], row["method"]): {measure: float(row[measure]) for measure in measures}
            for row in csv.DictReader(lines)
        }
