"""Summary of all items: scores of the versions, distances between them, and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from labeldist.explorer._contents import Contents
from labeldist.metrics import chebyshev, intersection
from labeldist.metrics._skill import Score, describe_skill, score_with_baselines
from labeldist.simplex import ambiguity

MAX_ITEMS, MAX_COLUMNS, MAX_LABELS_LISTED = 20_000, 40, 8  # of more items a random sample is shown


@dataclass(frozen=True)
class Pair:
    """Mean distances between two versions, and the share of items with a top label in common."""

    one: str
    other: str
    chebyshev: float
    intersection: float
    agreement: float


def scores(contents: Contents) -> list[Score]:
    """Return the measures of every version against the truth, then of the trivial baselines."""
    if contents.truth is None:
        return []
    versions = dict(contents.versions)
    D = versions.pop(contents.truth)
    return score_with_baselines(D, versions, truth=f"“{contents.truth}”")


def compare_pairs(contents: Contents) -> list[Pair]:
    """Compare each version with each other version."""
    tops = {name: D == D.max(axis=1, keepdims=True) for name, D in contents.versions.items()}
    return [
        Pair(a, b, chebyshev(A, B), intersection(A, B), float((tops[a] & tops[b]).any(axis=1).mean()))
        for (a, A), (b, B) in combinations(contents.versions.items(), 2)
    ]


def sentences(contents: Contents) -> Iterator[str]:
    """Describe the items, their ambiguity, and the quality or agreement of the versions."""
    first, D = next(iter(contents.versions.items()))
    n, c = D.shape
    more = f" and {c - MAX_LABELS_LISTED} more" if c > MAX_LABELS_LISTED else ""
    yield f"{_count(n, 'item')} with {_count(c, 'label')}: {', '.join(contents.labels[:MAX_LABELS_LISTED])}{more}."
    if contents.logical is not None:
        given = contents.logical.sum(axis=1)
        empty = _count(int((given == 0).sum()), "item")
        yield f"Labels per item: {given.mean():.1f} on average; {empty} without labels."
    spread = ambiguity(D)
    yield (
        f"Ambiguity by “{first}”: median {np.median(spread):.1f}, 90 % quantile "
        f"{np.quantile(spread, 0.9):.1f}; it ranges from 1 (a single label) to {c} (equal degrees)."
    )
    for score in scores(contents):
        if not score.trivial:
            yield f"“{score.name}” {describe_skill(score.skill)} (by Kullback-Leibler, against “{contents.truth}”)."
    if contents.truth is None:
        for pair in compare_pairs(contents)[:1]:
            yield (
                f"“{pair.one}” and “{pair.other}” have the same top label for {100 * pair.agreement:.0f} % of items; "
                f"the largest difference of their degrees is {pair.chebyshev:.2f} on average."
            )
    if n > MAX_ITEMS:
        yield f"The page shows a random sample of {MAX_ITEMS:,} items; the summary covers all {n:,}."
    if contents.columns.shape[1] > MAX_COLUMNS:
        yield f"The page shows the first {MAX_COLUMNS} of {contents.columns.shape[1]:,} columns."


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
