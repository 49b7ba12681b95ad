"""Markdown tables of the benchmarks."""

from collections.abc import Iterable, Mapping
from typing import Any

from labeldist.metrics import PAPER_MEASURES

Scores = Mapping[str, float]

DIGITS = 4


def table(*columns: str) -> str:
    """Return the head of a table whose first column is text."""
    return f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}"


def row(*cells: Any) -> str:
    """Return a row of a table."""
    texts = (f"{cell:.{DIGITS}f}" if isinstance(cell, float) else str(cell) for cell in cells)
    return f"| {' | '.join(texts)} |"


def beats(measure: str, value: float, other: float) -> bool:
    """Return whether `value` is better than `other` in the printed digits."""
    value, other = round(value, DIGITS), round(other, DIGITS)
    return value > other if PAPER_MEASURES[measure].higher_is_better else value < other


def header() -> str:
    """Return the head of a table of all measures, with their directions."""
    titles = [f"{m.title} {'↑' if m.higher_is_better else '↓'}" for m in PAPER_MEASURES.values()]
    return f"| set | method | {' | '.join(titles)} |\n|---|---|{'---:|' * len(PAPER_MEASURES)}"


def rows(dataset: str, scores: Mapping[str, Scores]) -> Iterable[str]:
    """Yield one row per method, with the best value of each measure in bold."""
    for method, values in scores.items():
        cells = []
        for measure in PAPER_MEASURES:
            best = not any(
                beats(measure, other[measure], values[measure]) for other in scores.values()
            )
            cell = f"{values[measure]:.{DIGITS}f}"
            cells.append(f"**{cell}**" if best else cell)
        yield f"| {dataset} | {method} | {' | '.join(cells)} |"
